//! Routes of private endpoints and service endpoints (R29, R30, R75–R85, R96–R102).

use std::net::{IpAddr, Ipv4Addr};

use ipnet::IpNet;
use pullproof_network::model::index::{PeeringIx, PrivateEndpointIx, Ref, SubnetIx, VnetIx};
use pullproof_network::model::private_endpoint::private_endpoint;
use pullproof_network::model::vnet::{PrivateEndpointNetworkPolicies, PrivateEndpointVnetPolicies, subnet};
use pullproof_network::set::Addresses;
use pullproof_network::{SymbolIx, Val};

use super::peering::Link;
use super::route::{Hop, OpenKind, OpenSource, Route, RouteSource, TagRank};
use super::select::public_space;
use crate::missing::{contested, evidence};
use crate::outcome::Missing;
use crate::prover::Prover;

/// Service endpoints and the service tag that holds their services' public prefixes. The documents say "the service's
/// public prefixes" (R29); the published list of the tag stands in for them.
const SERVICES: &[(&str, &str)] = &[
    ("Microsoft.Storage", "Storage"),
    ("Microsoft.Storage.Global", "Storage"),
    ("Microsoft.ContainerRegistry", "AzureContainerRegistry"),
    ("Microsoft.KeyVault", "AzureKeyVault"),
    ("Microsoft.Sql", "Sql"),
    ("Microsoft.ServiceBus", "ServiceBus"),
    ("Microsoft.EventHub", "EventHub"),
    ("Microsoft.AzureCosmosDB", "AzureCosmosDB"),
    ("Microsoft.AzureActiveDirectory", "AzureActiveDirectory"),
    ("Microsoft.Web", "AppService"),
    ("Microsoft.CognitiveServices", "CognitiveServicesManagement"),
];

/// Whether a peering brings an endpoint's `/32`.
enum Carried {
    No,
    Unknown(Missing),
    Yes,
}

/// Whether a user route can make an endpoint's `/32` invalid (R80, R81).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoutePolicy {
    On,
    Off,
    Unknown(SymbolIx),
    /// A word that this version does not know.
    Word(Box<str>),
}

impl Prover<'_> {
    pub(crate) fn endpoint_vnet(&self, ix: PrivateEndpointIx) -> Option<VnetIx> {
        self.vnet_with(self.network.private_endpoints[ix].subnet.present()?)
    }

    /// Every address of a private endpoint that was read (R11).
    pub(crate) fn endpoint_addresses(&self, ix: PrivateEndpointIx) -> Vec<IpAddr> {
        let endpoint = &self.network.private_endpoints[ix];
        let mut out = Vec::new();
        for nic in endpoint.nics.iter().filter_map(Ref::here) {
            let configs = self.network.nics[nic].ip_configs.iter();
            out.extend(configs.filter_map(|c| c.address.present().copied()));
        }
        for config in &endpoint.custom_dns_configs {
            out.extend(config.addresses.iter().filter_map(|a| a.known().copied()));
        }
        out.extend(endpoint.ip_configs.iter().filter_map(|c| c.address.present().copied()));
        out.sort_unstable();
        out.dedup();
        out
    }

    /// R76: endpoints of the network itself and of directly peered ones, one `/32` an address; over a peering only
    /// where it carries the address (R107, R122–R124, R126).
    pub(crate) fn endpoint_routes(&self, vnet: VnetIx) -> (Vec<Route>, Vec<OpenSource>) {
        let links: Vec<PeeringIx> = self.network.vnets[vnet]
            .peerings
            .iter()
            .copied()
            .filter(|l| self.link(*l) == Link::Usable)
            .collect();
        let (mut out, mut open) = (Vec::new(), Vec::new());
        for (ix, endpoint) in self.network.private_endpoints.iter() {
            let Some(home) = self.endpoint_vnet(ix) else { continue };
            if let Some(missing) = self.strays(ix, home) {
                for address in self.endpoint_addresses(ix) {
                    let within = Some(Addresses::address(address));
                    open.push(OpenSource { kind: OpenKind::Network(None), within, missing: missing.clone() });
                }
                continue;
            }
            let over: Vec<PeeringIx> =
                links.iter().copied().filter(|l| self.remote_vnet(*l) == Some(home)).collect();
            if home != vnet && over.is_empty() {
                continue;
            }
            for address in self.endpoint_addresses(ix) {
                let carried = if home == vnet {
                    Carried::Yes
                } else {
                    // Two networks have one link (R122).
                    over.first().map_or(Carried::No, |link| self.carries(*link, address))
                };
                match carried {
                    Carried::No => continue,
                    Carried::Unknown(missing) => {
                        let within = Some(Addresses::address(address));
                        open.push(OpenSource { kind: OpenKind::Network(None), within, missing });
                        continue;
                    }
                    Carried::Yes => {}
                }
                out.push(Route {
                    prefix: IpNet::from(address),
                    hop: Hop::PrivateEndpoint(ix),
                    source: RouteSource::Default,
                    rank: TagRank::Explicit,
                    name: None,
                    table: None,
                    tag: None,
                    by: vec![endpoint.place.at(private_endpoint::SUBNET)],
                    facts: &["R30", "R75", "R76"],
                    assumption: None,
                });
            }
        }
        (out, open)
    }

    /// The endpoint's own interface says that it stands in another network than `home`.
    fn strays(&self, ix: PrivateEndpointIx, home: VnetIx) -> Option<Missing> {
        let endpoint = &self.network.private_endpoints[ix];
        let nics = endpoint.nics.iter().filter_map(Ref::here);
        let mut subnets = nics
            .flat_map(|nic| &self.network.nics[nic].ip_configs)
            .filter_map(|config| config.subnet.present());
        let elsewhere = subnets.any(|subnet| self.vnet_with(subnet).is_some_and(|vnet| vnet != home));
        elsewhere.then(|| {
            evidence(
                format!("which network private endpoint {} stands in", endpoint.id.name()),
                "it names one subnet, and its network interface a subnet of another network",
                "collect both at the same time",
            )
        })
    }

    /// Whether a link brings the endpoint route of an address of its far network.
    fn carries(&self, ix: PeeringIx, address: IpAddr) -> Carried {
        let link = &self.network.peerings[ix];
        let (prefixes, more) = self.routed_prefixes(ix);
        if prefixes.iter().any(|(prefix, _)| prefix.contains(&address)) {
            return Carried::Yes;
        }
        if let Some(missing) = more {
            return Carried::Unknown(missing);
        }
        let no_v4 = address.is_ipv4() && link.enable_only_ipv6_peering.present() == Some(&true);
        if no_v4 || link.peer_complete_vnets.present() == Some(&false) {
            return Carried::No;
        }
        Carried::Unknown(contested(
            "RU9",
            format!(
                "whether peering {} brings the route of private endpoint address {address}",
                self.link_name(link)
            ),
            "sync the peering with the remote network's address space",
        ))
    }

    /// The route-table half of the network policy of the subnet that hosts the endpoint (R80; absent: disabled, F90).
    pub(crate) fn route_policy(&self, ix: PrivateEndpointIx) -> RoutePolicy {
        use PrivateEndpointNetworkPolicies as Policy;
        let Some(subnet) = self.network.private_endpoints[ix].subnet.present().and_then(Ref::here) else {
            return RoutePolicy::Off;
        };
        match &self.network.subnets[subnet].private_endpoint_network_policies {
            Val::Known(Some(Policy::Enabled | Policy::RouteTableEnabled)) => RoutePolicy::On,
            Val::Known(Some(Policy::Other(word))) => RoutePolicy::Word(word.clone()),
            Val::Known(Some(Policy::Disabled | Policy::NetworkSecurityGroupEnabled) | None) => {
                RoutePolicy::Off
            }
            Val::Sym(symbol) => RoutePolicy::Unknown(*symbol),
        }
    }

    /// The prefix of the endpoint's network that holds its address (R81, R82).
    pub(crate) fn endpoint_space(&self, ix: PrivateEndpointIx, address: IpAddr) -> Option<IpNet> {
        let vnet = &self.network.vnets[self.endpoint_vnet(ix)?];
        vnet.address_space.iter().filter(|p| p.contains(&address)).max_by_key(|p| p.prefix_len()).copied()
    }

    /// R254.
    pub(crate) fn takes_vnet_local(&self, ix: PrivateEndpointIx) -> bool {
        self.endpoint_vnet(ix).is_some_and(|v| {
            self.network.vnets[v].private_endpoint_vnet_policies.present()
                == Some(&PrivateEndpointVnetPolicies::Basic)
        })
    }

    /// R29: only in the subnet that has the endpoint.
    pub(crate) fn service_routes(&self, ix: SubnetIx) -> (Vec<Route>, Vec<OpenSource>) {
        let subnet = &self.network.subnets[ix];
        let (mut routes, mut open) = (Vec::new(), Vec::new());
        if let Some(symbol) = subnet.service_endpoints.open {
            let missing = self.unknown(symbol, format!("the service endpoints of subnet {}", subnet.name));
            open.push(OpenSource { kind: OpenKind::User, within: None, missing });
        }
        for (i, endpoint) in subnet.service_endpoints.iter().enumerate() {
            let unknown = match &endpoint.service {
                Val::Sym(symbol) => Some(*symbol),
                Val::Known(_) => endpoint.locations.open,
            };
            if let Some(symbol) = unknown {
                let missing = self.unknown(symbol, format!("a service endpoint of subnet {}", subnet.name));
                let within = Some(public_space());
                open.push(OpenSource { kind: OpenKind::User, within, missing });
            }
            let Some(service) = endpoint.service.present() else { continue };
            let Some((_, tag)) = SERVICES.iter().find(|(name, _)| name.eq_ignore_ascii_case(service)) else {
                continue; // a service without a role in a pull
            };
            let at = subnet.place.at(subnet::SERVICE_ENDPOINTS).item(i);
            let tags = self.service_tags(tag, endpoint.locations.items.as_slice());
            for tag in tags {
                let one = |prefix| Route {
                    prefix,
                    hop: Hop::ServiceEndpoint(service.clone()),
                    source: RouteSource::Default,
                    rank: TagRank::Explicit,
                    name: None,
                    table: None,
                    tag: Some(tag.clone()),
                    by: vec![at],
                    facts: &["R29", "R96", "R98"],
                    assumption: None,
                };
                if let Some(prefixes) = self.tag_prefixes(&tag) {
                    routes.extend(prefixes.into_iter().map(one));
                    continue;
                }
                let missing = evidence(
                    format!("the public prefixes of service endpoint {service} on subnet {}", subnet.name),
                    format!("no service tag list that has {tag} was given (R29)"),
                    "add the published ServiceTags_Public_*.json to the inputs",
                );
                let kind =
                    OpenKind::ServiceEndpoint(Box::new(one(IpNet::from(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))));
                open.push(OpenSource { kind, within: None, missing });
            }
        }
        (routes, open)
    }

    /// The regional tags of the endpoint's locations, or the whole tag for `*`.
    fn service_tags(&self, tag: &str, locations: &[Box<str>]) -> Vec<Box<str>> {
        if locations.is_empty() || locations.iter().any(|l| &**l == "*") {
            return vec![tag.into()];
        }
        locations.iter().map(|l| format!("{tag}.{}", super::peering::plain_region(l)).into()).collect()
    }
}
