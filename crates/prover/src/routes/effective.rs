//! The effective routes of one subnet (E.1, `effective`).

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use pullproof_network::Val;
use pullproof_network::model::index::{Ref, SubnetIx, VnetIx};
use pullproof_network::model::network_manager::ManagerAccess;
use pullproof_network::model::vnet::{peering, vnet};
use pullproof_network::set::Addresses;
use pullproof_snapshot::Absence;

use super::peering::Link;
use super::route::{Hop, OpenKind, OpenSource, Route, RouteSource, TagRank};
use super::user::Propagation;
use crate::Read;
use crate::missing::{Ends, evidence, not_modelled};
use crate::outcome::Basis;
use crate::prover::Prover;

/// R15.
const RESERVED: [&str; 4] = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"];

/// Everything that the subnet's packets can be routed by, losing routes included.
#[derive(Debug)]
pub struct EffectiveRoutes {
    pub subnet: SubnetIx,
    pub routes: Vec<Route>,
    pub open: Vec<OpenSource>,
    pub propagation: Propagation,
    pub basis: Basis,
    /// Prefix → positions in `routes`.
    by_prefix: BTreeMap<IpNet, Vec<usize>>,
}

impl EffectiveRoutes {
    /// The routes that cover an address, longest prefix first; of one prefix the strongest first (R60, R54).
    pub fn covering(&self, address: IpAddr) -> Vec<&Route> {
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let mut out = Vec::new();
        for length in (0..=longest).rev() {
            let Ok(prefix) = IpNet::new(address, length) else { continue };
            if let Some(at) = self.by_prefix.get(&prefix.trunc()) {
                let mut same: Vec<&Route> = at.iter().filter_map(|i| self.routes.get(*i)).collect();
                same.sort_by_key(|r| strength(r));
                out.extend(same);
            }
        }
        out
    }

    /// Routes of one prefix, the strongest first.
    pub fn at_prefix(&self, prefix: IpNet) -> Vec<&Route> {
        let at = self.by_prefix.get(&prefix.trunc());
        let mut same: Vec<&Route> = at.into_iter().flatten().filter_map(|i| self.routes.get(*i)).collect();
        same.sort_by_key(|r| strength(r));
        same
    }

    /// The prefixes that have a route, in order.
    pub fn prefixes(&self) -> impl Iterator<Item = &IpNet> {
        self.by_prefix.keys()
    }
}

/// Sorts the strongest of identical prefixes first: by source (R60), then by tag (R54), reserved drops last (R16).
fn strength(route: &Route) -> (std::cmp::Reverse<RouteSource>, TagRank, bool) {
    let reserved = route.source == RouteSource::Default && route.hop == Hop::Drop;
    (std::cmp::Reverse(route.source), route.rank, reserved)
}

impl Prover<'_> {
    /// The subnet's effective routes; built once.
    pub fn effective_routes(&self, subnet: SubnetIx) -> Arc<EffectiveRoutes> {
        self.routes.get(subnet, || self.build_effective(subnet))
    }

    fn build_effective(&self, ix: SubnetIx) -> EffectiveRoutes {
        let vnet_ix = self.network.subnets[ix].vnet;
        let mut basis = Basis::default();
        basis.reads.insert(Read::Resource(self.network.vnets[vnet_ix].id.clone()));
        let vnet = &self.network.vnets[vnet_ix];
        basis.in_force(vnet.id.name(), &vnet.provisioning_state, vnet.place);
        if let Some(Ref::Here(table)) = self.network.subnets[ix].route_table.present() {
            let table = &self.network.route_tables[*table];
            basis.in_force(table.id.name(), &table.provisioning_state, table.place);
        }
        let user = self.user_routes(ix);
        let mut open = user.open;
        let mut routes = user.routes;
        self.gateway_sourced(ix, &user.propagation, &mut routes, &mut open);
        self.network_routes(vnet_ix, &mut routes, &mut open);
        self.connected_groups(vnet_ix, &mut open);
        let (endpoints, endpoints_open) = self.endpoint_routes(vnet_ix);
        routes.extend(endpoints);
        open.extend(endpoints_open);
        let (service, service_open) = self.service_routes(ix);
        routes.extend(service);
        open.extend(service_open);
        self.internet_and_reserved(vnet_ix, &open, &mut routes);
        self.unsupported_default(ix, &routes, &mut open);
        let mut by_prefix: BTreeMap<IpNet, Vec<usize>> = BTreeMap::new();
        for (i, route) in routes.iter().enumerate() {
            by_prefix.entry(route.prefix.trunc()).or_default().push(i);
        }
        EffectiveRoutes { subnet: ix, routes, open, propagation: user.propagation, basis, by_prefix }
    }

    /// Default routes of the customer on subnets of Azure's own devices: not supported, and what then happens is not
    /// documented (R157, R170).
    fn unsupported_default(&self, ix: SubnetIx, routes: &[Route], open: &mut Vec<OpenSource>) {
        let subnet = &self.network.subnets[ix];
        let default = |r: &&Route| r.source == RouteSource::User && r.prefix.prefix_len() == 0;
        let Some(route) = routes.iter().find(default) else { return };
        let why = if subnet.name.eq_ignore_ascii_case("GatewaySubnet") {
            "a default route of the customer is not supported on GatewaySubnet (R157)"
        } else if subnet.name.eq_ignore_ascii_case("AzureFirewallSubnet")
            && !matches!(route.hop, Hop::Internet | Hop::Drop)
            && !self.managed_apart(ix)
        {
            "a firewall without a management interface has to reach the Internet directly (R170)"
        } else {
            return;
        };
        let missing = not_modelled(format!("route {} of subnet {}", route.prefix, subnet.name), why);
        open.push(OpenSource { kind: OpenKind::User, within: None, missing });
    }

    /// Whether every firewall of a subnet has a management interface.
    fn managed_apart(&self, ix: SubnetIx) -> bool {
        self.network
            .firewalls
            .values()
            .filter(|f| f.ip_configs.iter().any(|c| c.subnet.present() == Some(&Ref::Here(ix))))
            .all(|f| f.management_ip_config.is_some())
    }

    /// Gateway and hub routes, unless the subnet's table keeps them out (R72, R183).
    fn gateway_sourced(
        &self,
        ix: SubnetIx,
        propagation: &Propagation,
        routes: &mut Vec<Route>,
        open: &mut Vec<OpenSource>,
    ) {
        let vnet = self.network.subnets[ix].vnet;
        let gateway = self.gateway_routes(vnet);
        let (mut sourced, mut sourced_open) = (gateway.routes, gateway.open);
        self.hub_routes(vnet, &mut sourced, &mut sourced_open);
        let gateway_subnet = self.network.subnets[ix].name.eq_ignore_ascii_case("GatewaySubnet");
        match propagation {
            Propagation::On => {
                routes.extend(sourced);
                open.extend(sourced_open);
            }
            // The hub's own prefix is a peering, not a gateway route (R182).
            Propagation::Off(_) if !gateway_subnet => {
                routes.extend(sourced.into_iter().filter(|r| r.source != RouteSource::VirtualNetworkGateway));
            }
            // R157: without propagation a gateway does not work; what it then does is not documented.
            Propagation::Off(table) => {
                let missing = evidence(
                    format!(
                        "the routes of GatewaySubnet with {}",
                        self.network.route_tables[*table].id.name()
                    ),
                    "propagation must stay on there, or the gateway does not work (R157)",
                    "take disableBgpRoutePropagation off the route table of GatewaySubnet",
                );
                open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
            }
            Propagation::Unknown(missing) => {
                routes.extend(
                    sourced.iter().filter(|r| r.source != RouteSource::VirtualNetworkGateway).cloned(),
                );
                let known: Vec<IpNet> = sourced
                    .iter()
                    .filter(|r| r.source == RouteSource::VirtualNetworkGateway)
                    .map(|r| r.prefix)
                    .collect();
                if !known.is_empty() {
                    let within = Some(Addresses::of(known));
                    open.push(OpenSource { kind: OpenKind::Gateway, within, missing: missing.clone() });
                }
                open.extend(sourced_open);
            }
        }
    }

    /// R13, R27: the network's own prefixes and those of usable peerings.
    fn network_routes(&self, ix: VnetIx, routes: &mut Vec<Route>, open: &mut Vec<OpenSource>) {
        let network = &self.network.vnets[ix];
        for (i, prefix) in network.address_space.iter().enumerate() {
            routes.push(system(
                *prefix,
                Hop::VnetLocal,
                vec![network.place.at(vnet::ADDRESS_SPACE).item(i)],
                &["R13"],
            ));
        }
        let name = network.id.name();
        if let Some(symbol) = network.address_space.open {
            let missing = self.unknown(symbol, format!("the address space of {name}"));
            open.push(OpenSource { kind: OpenKind::Network(Some(ix)), within: None, missing });
        }
        if let Some(symbol) = network.peerings.open {
            let missing = self.unknown(symbol, format!("the peerings of {name}"));
            open.push(OpenSource { kind: OpenKind::Network(None), within: None, missing });
        }
        for link_ix in network.peerings.iter().copied() {
            let link = &self.network.peerings[link_ix];
            let (prefixes, more) = self.routed_prefixes(link_ix);
            match self.link(link_ix) {
                Link::Unusable(_) => continue,
                Link::Unknown(missing) => {
                    let within = more.is_none().then(|| Addresses::of(prefixes.iter().map(|(p, _)| *p)));
                    open.push(OpenSource { kind: OpenKind::Network(None), within, missing });
                    continue;
                }
                Link::Usable => {}
            }
            for (prefix, at) in prefixes {
                let by = vec![at, link.place.at(peering::STATE)];
                routes.push(system(prefix, Hop::Peering(link_ix), by, &["R27", "R107"]));
            }
            if let Some(missing) = more {
                open.push(OpenSource { kind: OpenKind::Network(None), within: None, missing });
            }
        }
    }

    /// R31: a connected group adds routes and shows in no peering; what is deployed is in no ARM resource.
    fn connected_groups(&self, ix: VnetIx, open: &mut Vec<OpenSource>) {
        let id = &self.network.vnets[ix].id;
        for (_, manager) in self.network.network_managers.iter() {
            let connectivity = manager.accesses.iter().any(|a| *a == ManagerAccess::Connectivity)
                && (manager.configurations.open.is_some()
                    || manager.configurations.iter().any(|c| c.kind == ManagerAccess::Connectivity));
            let in_scope = manager.scopes.open.is_some()
                || manager.scopes.iter().any(|s| !s.contains("/subscriptions/") || id.is_within(s));
            if connectivity && in_scope {
                let missing = not_modelled(
                    format!("connected groups of network manager {}", manager.id.name()),
                    "they connect networks without a peering, and what is deployed is in no ARM resource (R31)",
                )
                .holds_if("the network is in no connected group with the destination's network");
                open.push(OpenSource { kind: OpenKind::Network(None), within: None, missing });
            }
        }
        if self.network.network_managers.is_empty()
            && let Absence::NoEvidence(why) =
                self.network.layered.absence(id.folded(), "microsoft.network/networkmanagers")
        {
            let missing = evidence(
                format!("network managers that connect {}", id.name()),
                why,
                "let pullproof read networkManagers",
            )
            .holds_if("the network is in no connected group with the destination's network");
            open.push(OpenSource { kind: OpenKind::Network(None), within: None, missing });
        }
    }

    /// R14–R18, R252.
    fn internet_and_reserved(&self, ix: VnetIx, open: &[OpenSource], routes: &mut Vec<Route>) {
        let network = &self.network.vnets[ix];
        let by = vec![network.place.at(vnet::ADDRESS_SPACE)];
        let zero = |r: &Route| r.prefix.prefix_len() == 0 && r.prefix.network().is_ipv4();
        let sourced =
            |wanted: RouteSource, routes: &[Route]| routes.iter().any(|r| r.source == wanted && zero(r));
        let unknown_hop = |o: &OpenSource| matches!(o.kind, OpenKind::UserHop(p) if p.prefix_len() == 0 && p.network().is_ipv4());
        let user_default = sourced(RouteSource::User, routes) || open.iter().any(unknown_hop);
        let learned_default = sourced(RouteSource::VirtualNetworkGateway, routes);
        if !user_default && !learned_default {
            for prefix in RESERVED.iter().filter_map(|p| p.parse::<IpNet>().ok()) {
                if !network.address_space.iter().any(|own| own.contains(&prefix)) {
                    routes.push(system(prefix, Hop::Drop, by.clone(), &["R15", "R21"]));
                }
            }
        }
        // A learned default takes the row's place altogether (R252); a user's leaves it as Invalid.
        if user_default || !learned_default {
            for zero in ["0.0.0.0/0", "::/0"].iter().filter_map(|p| p.parse::<IpNet>().ok()) {
                if zero.network().is_ipv4() || network.address_space.iter().any(|p| p.network().is_ipv6()) {
                    routes.push(system(zero, Hop::Internet, by.clone(), &["R14"]));
                }
            }
        }
    }

    /// The address that stands for an unread or foreign network, where its id is all there is.
    pub(crate) fn remote_name(&self, link: pullproof_network::model::index::PeeringIx) -> String {
        match &self.network.peerings[link].remote {
            Val::Known(Some(Ref::Here(vnet))) => self.network.vnets[*vnet].id.name().to_owned(),
            Val::Known(Some(Ref::NotRead(id))) => id.name().to_owned(),
            Val::Known(None) | Val::Sym(_) => "an unknown network".to_owned(),
        }
    }
}

fn system(prefix: IpNet, hop: Hop, by: Vec<pullproof_snapshot::At>, facts: &'static [&'static str]) -> Route {
    Route {
        prefix,
        hop,
        source: RouteSource::Default,
        rank: TagRank::Explicit,
        name: None,
        table: None,
        tag: None,
        by,
        facts,
        assumption: None,
    }
}
