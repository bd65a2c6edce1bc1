//! Virtual WAN hubs: what a hub's route tables hold, and what a connected network learns (R177–R200).

use ipnet::IpNet;
use pullproof_network::model::hub::{
    HubKind, HubNextHop, PolicyDestination, RoutingState, hub, hub_connection, hub_route,
};
use pullproof_network::model::index::{FirewallIx, HubConnectionIx, HubIx, HubRouteTableIx, Ref, VnetIx};
use pullproof_network::model::vnet::vnet;
use pullproof_network::model::word::ProvisioningState;
use pullproof_network::set::Addresses;
use pullproof_network::{List, Val};
use pullproof_snapshot::{Absence, At};

use super::route::{Hop, OpenKind, OpenSource, Route, RouteSource, TagRank};
use crate::missing::{Ends, evidence, not_modelled};
use crate::outcome::Missing;
use crate::prover::Prover;

/// What private traffic means to a routing policy that lists nothing else (R190, R193).
const PRIVATE_TRAFFIC: [&str; 3] = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"];

/// Where a hub's table sends a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HubHop {
    /// Into the network of this connection, possibly of another hub.
    Network(HubConnectionIx),
    /// To the hub's own firewall.
    Firewall(FirewallIx),
}

/// One entry of a hub's table.
#[derive(Clone, Debug)]
pub struct HubEntry {
    pub prefix: IpNet,
    pub hop: HubHop,
    /// Written by a person, or by a routing policy: beats a propagated entry of the same prefix (R185).
    pub fixed: bool,
    pub by: Vec<At>,
}

/// A hub's table, with what may add to it.
#[derive(Clone, Debug, Default)]
pub struct HubTable {
    pub entries: Vec<HubEntry>,
    pub open: Vec<(Option<Addresses>, Missing)>,
}

impl Prover<'_> {
    /// The connections of a network to Virtual WAN hubs.
    pub(crate) fn hub_connections_of(&self, vnet: VnetIx) -> Vec<HubConnectionIx> {
        let wanted = Ref::Here(vnet);
        let all = self.network.hub_connections.iter();
        all.filter(|(_, c)| c.remote.present() == Some(&wanted)).map(|(ix, _)| ix).collect()
    }

    /// The hub's one policy for `Internet` or `PrivateTraffic`: its firewall, or what else it names (R190).
    pub(crate) fn policy(
        &self,
        ix: HubIx,
        wanted: &PolicyDestination,
    ) -> Option<Result<FirewallIx, Missing>> {
        let hub = &self.network.hubs[ix];
        for intent in hub.routing_intents.iter() {
            let intent = &self.network.routing_intents[*intent];
            if let Some(symbol) = intent.policies.open {
                return Some(Err(
                    self.unknown(symbol, format!("the routing policies of hub {}", hub.id.name()))
                ));
            }
            for policy in &intent.policies {
                if !policy.destinations.iter().any(|d| d == wanted) {
                    continue;
                }
                return Some(match &policy.next_hop {
                    Val::Known(Some(HubNextHop::Firewall(Ref::Here(firewall)))) => Ok(*firewall),
                    Val::Known(Some(HubNextHop::Firewall(Ref::NotRead(id)))) => {
                        Err(self.not_read(id, format!("firewall {}", id.name())))
                    }
                    Val::Sym(symbol) => {
                        Err(self.unknown(*symbol, format!("the next hop of policy {}", policy.name)))
                    }
                    Val::Known(_) => Err(not_modelled(
                        format!("routing policy {} of hub {}", policy.name, hub.id.name()),
                        "its next hop is no Azure Firewall (R200)",
                    )),
                });
            }
        }
        None
    }

    /// The table that a connection's packets are looked up in (R178; default: the hub's default table). `None`: the
    /// default table, which was not read.
    fn associated_table(&self, ix: HubConnectionIx) -> Result<Option<HubRouteTableIx>, Missing> {
        let connection = &self.network.hub_connections[ix];
        match &connection.routing.associated {
            Val::Known(Some(Ref::Here(table))) => Ok(Some(*table)),
            Val::Known(Some(Ref::NotRead(id))) if !id.name().eq_ignore_ascii_case("defaultRouteTable") => {
                Err(self.not_read(id, format!("hub route table {}", id.name())))
            }
            Val::Known(_) => {
                let tables = &self.network.hubs[connection.hub].route_tables;
                Ok(tables.iter().copied().find(|t| {
                    self.network.hub_route_tables[*t].name.eq_ignore_ascii_case("defaultRouteTable")
                }))
            }
            Val::Sym(symbol) => Err(self.unknown(
                *symbol,
                format!("the associated route table of hub connection {}", connection.id.name()),
            )),
        }
    }

    /// What the packets of a connection are looked up in.
    pub(crate) fn hub_table(&self, ix: HubConnectionIx) -> HubTable {
        let connection = &self.network.hub_connections[ix];
        let hub_ix = connection.hub;
        let mut out = HubTable::default();
        self.hub_state(hub_ix, ix, &mut out);
        let private = self.policy(hub_ix, &PolicyDestination::PrivateTraffic);
        let internet = self.policy(hub_ix, &PolicyDestination::Internet);
        let table = match self.associated_table(ix) {
            Ok(table) => table,
            Err(missing) => {
                out.open.push((None, missing));
                return out;
            }
        };
        match table {
            Some(table) => self.written_routes(table, &mut out),
            None => self.unread_default_table(hub_ix, &mut out),
        }
        self.branches(hub_ix, &mut out);
        match private {
            Some(Ok(firewall)) => self.policy_entries(hub_ix, firewall, &PRIVATE_TRAFFIC, &mut out),
            Some(Err(missing)) => out.open.push((None, missing)),
            None => self.propagated_entries(hub_ix, table, &mut out),
        }
        match internet {
            Some(Ok(firewall)) => self.policy_entries(hub_ix, firewall, &["0.0.0.0/0"], &mut out),
            Some(Err(missing)) => out.open.push((None, missing)),
            None => {}
        }
        out
    }

    /// What a hub's firewall sends on by: the networks connected to the hub itself, and with routing policies on both
    /// sides those of the other hubs (R192).
    pub(crate) fn hub_behind_firewall(&self, ix: HubIx) -> HubTable {
        let mut out = HubTable::default();
        let ours = self.policy(ix, &PolicyDestination::PrivateTraffic);
        self.branches(ix, &mut out);
        for c in self.connections_in_wan(ix, &mut out) {
            let connection = &self.network.hub_connections[c];
            if connection.hub == ix {
                self.network_entries(c, &mut out);
            } else if matches!(ours, Some(Ok(_))) {
                match self.policy(connection.hub, &PolicyDestination::PrivateTraffic) {
                    Some(Ok(firewall)) => {
                        for entry in self.entries_of(c) {
                            out.entries.push(HubEntry { hop: HubHop::Firewall(firewall), ..entry });
                        }
                    }
                    Some(Err(missing)) => out.open.push((None, missing)),
                    None => self.network_entries(c, &mut out),
                }
            } else {
                let missing = not_modelled(
                    format!(
                        "traffic from a firewall of hub {} to another hub",
                        self.network.hubs[ix].id.name()
                    ),
                    "without routing intent the way between secured hubs is not documented (R192, R200)",
                );
                let within = Addresses::of(self.entries_of(c).into_iter().map(|e| e.prefix));
                out.open.push((Some(within), missing));
            }
        }
        out
    }

    /// Whether two hubs belong to one Virtual WAN. `None`: a hub does not say which it belongs to.
    fn same_wan(&self, a: HubIx, b: HubIx) -> Option<bool> {
        if a == b {
            return Some(true);
        }
        let wan = |ix: HubIx| self.network.hubs[ix].virtual_wan.present();
        Some(wan(a)? == wan(b)?)
    }

    /// The connections of the hub's Virtual WAN; where a hub does not say, they are open.
    fn connections_in_wan(&self, ix: HubIx, out: &mut HubTable) -> Vec<HubConnectionIx> {
        let mut found = Vec::new();
        for (c, connection) in self.network.hub_connections.iter() {
            match self.same_wan(ix, connection.hub) {
                Some(true) => found.push(c),
                Some(false) => {}
                None => {
                    let missing = evidence(
                        format!(
                            "whether hub {} is in the same Virtual WAN",
                            self.network.hubs[connection.hub].id.name()
                        ),
                        "virtualWan is not in the input",
                        "collect the hubs in full",
                    );
                    let within = Addresses::of(self.entries_of(c).into_iter().map(|e| e.prefix));
                    out.open.push((Some(within), missing));
                }
            }
        }
        found
    }

    fn hub_state(&self, ix: HubIx, c: HubConnectionIx, out: &mut HubTable) {
        let hub = &self.network.hubs[ix];
        match &hub.routing_state {
            Val::Known(Some(RoutingState::Provisioned)) => {}
            Val::Known(None) => {
                let missing = evidence(
                    format!("the routes of hub {}", hub.id.name()),
                    "its routing state is not in the input (R200)",
                    "collect the hub in full",
                );
                out.open.push((None, missing));
            }
            Val::Known(Some(state)) => {
                let missing = evidence(
                    format!("the routes of hub {}", hub.id.name()),
                    format!("its routing state is {} (R200)", state.as_str()),
                    "wait until the hub is provisioned, and collect again",
                );
                out.open.push((None, missing));
            }
            Val::Sym(symbol) => out
                .open
                .push((None, self.unknown(*symbol, format!("the routing state of hub {}", hub.id.name())))),
        }
        self.route_maps(c, out);
    }

    /// R200: a connection's maps change what is learned over it, whoever asks.
    fn route_maps(&self, c: HubConnectionIx, out: &mut HubTable) {
        let connection = &self.network.hub_connections[c];
        for (map, at) in [
            (&connection.routing.inbound_route_map, hub_connection::INBOUND_ROUTE_MAP),
            (&connection.routing.outbound_route_map, hub_connection::OUTBOUND_ROUTE_MAP),
        ] {
            if !map.is_absent() {
                let missing = not_modelled(
                    format!("the route map of hub connection {} at {at}", connection.id.name()),
                    "route maps change what is learned (R200)",
                );
                out.open.push((None, missing));
            }
        }
    }

    /// A hub always has a default table: what is written in it is not known unless all tables were read.
    fn unread_default_table(&self, ix: HubIx, out: &mut HubTable) {
        let hub = &self.network.hubs[ix];
        let absence =
            self.network.layered.absence(hub.id.folded(), "microsoft.network/virtualhubs/hubroutetables");
        if let Absence::NoEvidence(why) = absence {
            let missing = evidence(
                format!("the default route table of hub {}", hub.id.name()),
                why,
                "let pullproof read the hub's route tables",
            );
            out.open.push((None, missing));
        }
    }

    /// Static routes of a table (R185).
    fn written_routes(&self, table: HubRouteTableIx, out: &mut HubTable) {
        let table = &self.network.hub_route_tables[table];
        if let Some(symbol) = table.routes.open {
            out.open
                .push((None, self.unknown(symbol, format!("the routes of hub route table {}", table.name))));
        }
        for route in &table.routes {
            let by = vec![route.place.at(hub_route::NEXT_HOP), route.place.at(hub_route::DESTINATIONS)];
            let hop = match &route.next_hop {
                Val::Known(Some(HubNextHop::Firewall(Ref::Here(firewall)))) => {
                    Ok(HubHop::Firewall(*firewall))
                }
                Val::Known(Some(HubNextHop::Firewall(Ref::NotRead(id)))) => {
                    Err(self.not_read(id, format!("firewall {}", id.name())))
                }
                Val::Sym(symbol) => {
                    Err(self.unknown(*symbol, format!("the next hop of hub route {}", route.name)))
                }
                Val::Known(_) => Err(not_modelled(
                    format!("hub route {} of {}", route.name, table.name),
                    "its next hop is a connection or another resource (R198, RU13)",
                )),
            };
            let words = !route.destination_words.is_empty() || route.prefixes.open.is_some();
            match hop {
                Ok(hop) => {
                    for prefix in &route.prefixes {
                        out.entries.push(HubEntry { prefix: *prefix, hop, fixed: true, by: by.clone() });
                    }
                    if words {
                        let missing = not_modelled(
                            format!("the destinations of hub route {}", route.name),
                            "they are no prefixes (R177)",
                        );
                        out.open.push((None, missing));
                    }
                }
                Err(missing) => {
                    let within = (!words).then(|| Addresses::of(route.prefixes.items.iter().copied()));
                    out.open.push((within, missing));
                }
            }
        }
    }

    fn policy_entries(&self, ix: HubIx, firewall: FirewallIx, prefixes: &[&str], out: &mut HubTable) {
        let at = self.network.hubs[ix].routing_intents.iter().next();
        let by: Vec<At> = at
            .map(|i| self.network.routing_intents[*i].place.at("/properties/routingPolicies"))
            .into_iter()
            .collect();
        for prefix in prefixes.iter().filter_map(|p| p.parse::<IpNet>().ok()) {
            if !out.entries.iter().any(|e| e.fixed && e.prefix == prefix) {
                out.entries.push(HubEntry {
                    prefix,
                    hop: HubHop::Firewall(firewall),
                    fixed: true,
                    by: by.clone(),
                });
            }
        }
    }

    /// R178, R179: by table, by label; labels span the hubs of one Virtual WAN.
    fn propagated_entries(&self, ix: HubIx, table: Option<HubRouteTableIx>, out: &mut HubTable) {
        let default = List { items: vec!["default".into()], open: None };
        let labels = table.map_or(&default, |t| &self.network.hub_route_tables[t].labels);
        let unread = format!("{}/hubroutetables/defaultroutetable", self.network.hubs[ix].id.folded());
        for c in self.connections_in_wan(ix, out) {
            let connection = &self.network.hub_connections[c];
            let to: &List<_> = &connection.routing.propagated;
            let with: &List<Box<str>> = &connection.routing.labels;
            let by_table = to.iter().any(|t| match t {
                Ref::Here(t) => Some(*t) == table,
                Ref::NotRead(id) => table.is_none() && id.folded() == unread,
            });
            let default = to.is_empty() && with.is_empty();
            let by_label = labels.iter().any(|l| {
                with.iter().any(|w| w.eq_ignore_ascii_case(l))
                    || (default && l.eq_ignore_ascii_case("default"))
            });
            let open = to.open.or(with.open).or(labels.open);
            let secured = (connection.hub != ix)
                .then(|| self.policy(connection.hub, &PolicyDestination::PrivateTraffic))
                .flatten();
            if let Some(policy) = secured {
                // R192: networks of a hub with a private policy are reached through its firewall.
                match policy {
                    Ok(firewall) => out.entries.extend(
                        self.entries_of(c)
                            .into_iter()
                            .map(|e| HubEntry { hop: HubHop::Firewall(firewall), ..e }),
                    ),
                    Err(missing) => out.open.push((None, missing)),
                }
            } else if by_table || by_label {
                self.network_entries(c, out);
                self.connection_statics(c, out);
            } else if let Some(symbol) = open {
                let missing = self.unknown(
                    symbol,
                    format!("which tables hub connection {} propagates to", connection.id.name()),
                );
                let within = Addresses::of(self.entries_of(c).into_iter().map(|e| e.prefix));
                out.open.push((Some(within), missing));
            }
        }
        let hub = &self.network.hubs[ix];
        if let Absence::NoEvidence(why) = self
            .network
            .layered
            .absence(hub.id.folded(), "microsoft.network/virtualhubs/hubvirtualnetworkconnections")
        {
            let missing = evidence(
                format!("the connections of hub {}", hub.id.name()),
                why,
                "let pullproof read the hub's connections and route tables",
            );
            out.open.push((None, missing));
        }
    }

    fn network_entries(&self, ix: HubConnectionIx, out: &mut HubTable) {
        let connection = &self.network.hub_connections[ix];
        self.route_maps(ix, out);
        match &connection.remote {
            Val::Known(Some(Ref::Here(_))) => out.entries.extend(self.entries_of(ix)),
            Val::Known(Some(Ref::NotRead(id))) => {
                out.open.push((None, self.not_read(id, format!("virtual network {}", id.name()))));
            }
            Val::Known(None) => {}
            Val::Sym(symbol) => {
                let missing =
                    self.unknown(*symbol, format!("the network of hub connection {}", connection.id.name()));
                out.open.push((None, missing));
            }
        }
    }

    fn entries_of(&self, ix: HubConnectionIx) -> Vec<HubEntry> {
        let connection = &self.network.hub_connections[ix];
        if connection.provisioning_state.present() == Some(&ProvisioningState::Failed) {
            return Vec::new();
        }
        let Some(remote) = connection.remote.present().and_then(Ref::here) else { return Vec::new() };
        let remote = &self.network.vnets[remote];
        let numbered = remote.address_space.iter().enumerate();
        numbered
            .map(|(i, prefix)| HubEntry {
                prefix: *prefix,
                hop: HubHop::Network(ix),
                fixed: false,
                by: vec![
                    connection.place.at(hub_connection::PROPAGATED_TABLES),
                    remote.place.at(vnet::ADDRESS_SPACE).item(i),
                ],
            })
            .collect()
    }

    /// R188, R189: a static route of a connection leads to an appliance inside its network.
    fn connection_statics(&self, ix: HubConnectionIx, out: &mut HubTable) {
        let connection = &self.network.hub_connections[ix];
        for route in &connection.routing.static_routes {
            let missing = not_modelled(
                format!("static route {} of hub connection {}", route.name, connection.id.name()),
                "it leads to an appliance inside the connected network (R188, RU13)",
            );
            let within =
                route.prefixes.open.is_none().then(|| Addresses::of(route.prefixes.items.iter().copied()));
            out.open.push((within, missing));
        }
    }

    /// R200: what branches announce is in no ARM resource.
    fn branches(&self, ix: HubIx, out: &mut HubTable) {
        for (_, gateway) in self.network.hub_gateways.iter() {
            let Some(hub) = gateway.hub.present().and_then(Ref::here) else { continue };
            if self.same_wan(ix, hub) == Some(false) {
                continue;
            }
            let missing = not_modelled(
                format!("the prefixes that branches announce to {}", gateway.id.name()),
                "they are in no ARM resource (R200)",
            )
            .holds_if("no branch announces a prefix that takes the destination elsewhere");
            out.open.push((None, missing));
        }
        let own = &self.network.hubs[ix];
        let read = self.network.hub_gateways.values().any(|g| g.hub.present() == Some(&Ref::Here(ix)));
        let named = [&own.vpn_gateway, &own.express_route_gateway, &own.p2s_gateway];
        if !read && named.iter().any(|g| !g.is_absent()) {
            let missing = not_modelled(
                format!("the prefixes that branches announce to hub {}", own.id.name()),
                "the hub has a gateway (R200)",
            );
            out.open.push((None, missing));
        }
    }

    /// What a connected network learns from the hub (R182, R187, R190), as gateway-sourced routes.
    pub(crate) fn hub_routes(&self, vnet: VnetIx, routes: &mut Vec<Route>, open: &mut Vec<OpenSource>) {
        for c in self.hub_connections_of(vnet) {
            let connection = &self.network.hub_connections[c];
            let hub = &self.network.hubs[connection.hub];
            if !hub.kind.is(&HubKind::VirtualWan)
                || connection.provisioning_state.present() == Some(&ProvisioningState::Failed)
            {
                continue;
            }
            if let Some(prefix) = hub.address_prefix.present() {
                routes.push(hub_route_of(
                    *prefix,
                    Hop::HubItself(c),
                    RouteSource::Default,
                    vec![hub.place.at(hub::ADDRESS_PREFIX)],
                ));
            }
            let table = self.hub_table(c);
            for (within, missing) in table.open {
                open.push(OpenSource { kind: OpenKind::Gateway, within, missing });
            }
            for entry in table.entries {
                if entry.hop == HubHop::Network(c) {
                    continue; // its own prefixes
                }
                if entry.prefix.prefix_len() == 0 && !self.takes_default(c, open) {
                    continue;
                }
                let mut by = entry.by;
                by.push(connection.place.at(hub_connection::ASSOCIATED_TABLE));
                routes.push(hub_route_of(entry.prefix, Hop::Hub(c), RouteSource::VirtualNetworkGateway, by));
            }
        }
    }

    /// R187: a network learns 0.0.0.0/0 only with `enableInternetSecurity`.
    fn takes_default(&self, c: HubConnectionIx, open: &mut Vec<OpenSource>) -> bool {
        let connection = &self.network.hub_connections[c];
        match &connection.enable_internet_security {
            Val::Known(flag) => *flag == Some(true),
            Val::Sym(symbol) => {
                let missing =
                    self.unknown(*symbol, format!("enableInternetSecurity of {}", connection.id.name()));
                open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
                false
            }
        }
    }
}

impl HubTable {
    /// The entry that a destination takes: the longest prefix, written before propagated (R185, R186); or what leaves
    /// it open.
    pub fn select(&self, destination: std::net::IpAddr) -> Result<Option<&HubEntry>, Missing> {
        for (within, missing) in &self.open {
            if within.as_ref().is_none_or(|w| w.contains(destination)) {
                return Err(missing.clone());
            }
        }
        let covering = self.entries.iter().filter(|e| e.prefix.contains(&destination));
        Ok(covering.max_by_key(|e| (e.prefix.prefix_len(), e.fixed)))
    }
}

fn hub_route_of(prefix: IpNet, hop: Hop, source: RouteSource, by: Vec<At>) -> Route {
    Route {
        prefix,
        hop,
        source,
        rank: TagRank::Explicit,
        name: None,
        table: None,
        tag: None,
        by,
        facts: &["R178", "R180", "R182"],
        assumption: None,
    }
}
