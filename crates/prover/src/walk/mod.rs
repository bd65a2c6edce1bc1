//! The walk of a packet from a node to where it ends, and of the reply back (routing.md §E.1 `path`).
//!
//! What lives here: the order in which a flow meets routes, links, devices and filters, over sets of addresses, ports
//! and choices. What may not: which route is taken (`routes/`), who holds an address (`device/`), what a filter or
//! firewall says (`filter/`, `firewall/`), and outbound methods (`egress/`).
//!
//! Read in this order: [`packet`] (the state), [`forward`] (one hop after the other), [`appliance`], [`azure_firewall`],
//! [`gateway`], [`connection`], [`site`], [`hub`], [`leave`], [`arrive`] (the end), [`back`] (the reply), [`merge`] (readings).

mod appliance;
mod arrive;
mod azure_firewall;
mod back;
mod connection;
mod forward;
mod gateway;
mod hub;
mod leave;
mod merge;
mod packet;
mod site;

use std::sync::Arc;

use crate::context::{Proto, SourceContext};
use crate::path::{PathAnswer, Target};
use crate::prover::Prover;
use crate::routes::route::Hop;
use packet::Packet;

/// What a path was asked about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PathKey {
    from: SourceContext,
    to: Target,
    proto: Proto,
    port: u16,
    host: Option<Box<str>>,
    proxies: Proxies,
}

/// One question under way.
struct Walk<'p, 'n> {
    prover: &'p Prover<'n>,
    from: &'p SourceContext,
    proto: Proto,
    port: u16,
    host: Option<&'p str>,
    proxies: Proxies,
}

/// Where a firewall connects to whose application rule takes a flow over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Proxies {
    OwnLookup,
    AsAsked,
}

impl Prover<'_> {
    /// Whether `proto` to `port` of `to` is delivered from every address of `from`, and whether the reply comes back.
    /// The branches are a partition of (sources, source ports, choices); every packet of a branch fares alike.
    /// `host`: the name that the client connects to, which firewalls match (F120).
    pub fn path(
        &self,
        from: &SourceContext,
        to: &Target,
        proto: Proto,
        port: u16,
        host: Option<&str>,
    ) -> Arc<PathAnswer> {
        self.path_with(from, to, proto, port, host, Proxies::OwnLookup)
    }

    /// The same, with firewalls that resolve for themselves (F121) led to the address that the client asked for: the
    /// way that counts where their own lookup, a claim of its own, is at fault (V5, D177).
    pub fn path_as_asked(
        &self,
        from: &SourceContext,
        to: &Target,
        proto: Proto,
        port: u16,
        host: Option<&str>,
    ) -> Arc<PathAnswer> {
        self.path_with(from, to, proto, port, host, Proxies::AsAsked)
    }

    fn path_with(
        &self,
        from: &SourceContext,
        to: &Target,
        proto: Proto,
        port: u16,
        host: Option<&str>,
        proxies: Proxies,
    ) -> Arc<PathAnswer> {
        let host_key = host.map(Into::into);
        let key = PathKey { from: from.clone(), to: to.clone(), proto, port, host: host_key, proxies };
        self.paths.get(key, || {
            let walk = Walk { prover: self, from, proto, port, host, proxies };
            PathAnswer { branches: walk.start(Packet::new(from, to, port)) }
        })
    }
}

/// A next hop in a few words.
fn hop_text(prover: &Prover<'_>, hop: &Hop) -> String {
    let network = prover.network;
    match hop {
        Hop::VnetLocal => "within the network".to_owned(),
        Hop::Peering(link) => format!("over peering {}", prover.link_name(&network.peerings[*link])),
        Hop::HubItself(c) | Hop::Hub(c) => {
            format!("to hub {}", network.hubs[network.hub_connections[*c].hub].id.name())
        }
        Hop::Internet => "to the Internet".to_owned(),
        Hop::Drop => "dropped".to_owned(),
        Hop::ServiceEndpoint(service) => format!("by service endpoint {service}"),
        Hop::PrivateEndpoint(ix) => {
            format!("to private endpoint {}", network.private_endpoints[*ix].id.name())
        }
        Hop::Appliance(address) => format!("to appliance {address}"),
        Hop::Gateway(ix, _) => format!("to gateway {}", network.gateways[*ix].id.name()),
        Hop::VpnGateway => "to the VPN gateway".to_owned(),
    }
}
