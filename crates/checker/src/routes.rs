//! The effective routes of a subnet, row by row (routing.md A–H, E.1).

use std::net::IpAddr;
use std::sync::{Arc, PoisonError};

use ipnet::IpNet;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;
use serde_json::Value;

use crate::gateway;
use crate::hub;
use crate::json::{Node, is, prefix};
use crate::missing;
use crate::peering::{self, is_global, usable};
use crate::plain::Plain;
use crate::tags;
use crate::tri::Tri;
use crate::vnet::{Subnet, Vnet, vnet};

/// The blocks that Azure reserves (R15).
pub const RESERVED: [&str; 4] = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hop {
    VnetLocal,
    VnetPeering,
    VnetGlobalPeering,
    ConnectedGroup,
    Gateway,
    ServiceEndpoint,
    InterfaceEndpoint,
    Internet,
    Appliance,
    None,
}

/// In order of preference for equal prefixes (R60).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    User,
    Gateway,
    Default,
}

/// What the row leads over, where that is one element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    Nothing,
    Peering(ArmId),
    Endpoint(ArmId),
    Service(String),
    /// A gateway and the connections that carry the prefix.
    Connections {
        gateway: ArmId,
        express_route: bool,
        connections: Vec<ArmId>,
    },
    Hub(ArmId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub prefix: IpNet,
    pub hop: Hop,
    pub address: Option<IpAddr>,
    pub origin: Origin,
    /// The user route's name and table.
    pub name: Option<String>,
    pub table: Option<ArmId>,
    /// The service tag that the prefix comes from.
    pub tag: Option<String>,
    pub via: Via,
}

/// What an open source may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Any prefix at all.
    Any,
    /// Prefixes of other virtual networks.
    Private,
    Prefix(IpNet),
    /// The prefixes of a service tag whose list is not known.
    Tag(String),
}

/// A route that may exist; `route.prefix` is meaningless unless the extent is a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    pub route: Route,
    pub extent: Extent,
    pub missing: Missing,
}

/// Everything that decides where packets of a subnet go.
#[derive(Clone, Debug, Default)]
pub struct Effective {
    pub routes: Vec<Route>,
    pub open: Vec<Open>,
    /// The virtual network's prefixes.
    pub space: Vec<IpNet>,
}

impl Hop {
    /// As Azure prints it (R227, R229).
    pub fn name(self) -> &'static str {
        match self {
            Self::VnetLocal => "VnetLocal",
            Self::VnetPeering => "VNetPeering",
            Self::VnetGlobalPeering => "VNetGlobalPeering",
            Self::ConnectedGroup => "ConnectedGroup",
            Self::Gateway => "VirtualNetworkGateway",
            Self::ServiceEndpoint => "VirtualNetworkServiceEndpoint",
            Self::InterfaceEndpoint => "InterfaceEndpoint",
            Self::Internet => "Internet",
            Self::Appliance => "VirtualAppliance",
            Self::None => "None",
        }
    }

    /// The system routes that BGP never overrides, whatever its length (R62).
    pub fn is_local(self) -> bool {
        matches!(self, Self::VnetLocal | Self::VnetPeering | Self::VnetGlobalPeering | Self::ConnectedGroup)
    }
}

impl Origin {
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Gateway => "VirtualNetworkGateway",
            Self::Default => "Default",
        }
    }
}

impl Route {
    pub fn system(prefix: IpNet, hop: Hop, via: Via) -> Self {
        Self { prefix, hop, address: None, origin: Origin::Default, name: None, table: None, tag: None, via }
    }

    fn learned(prefix: IpNet, via: Via) -> Self {
        Self { origin: Origin::Gateway, ..Self::system(prefix, Hop::Gateway, via) }
    }
}

/// The effective routes of a subnet; computed once.
pub fn effective(plain: &Plain, subnet: &Subnet) -> Arc<Effective> {
    if let Some(known) = plain.effective.lock().unwrap_or_else(PoisonError::into_inner).get(&subnet.id) {
        return Arc::clone(known);
    }
    let mut out = Effective::default();
    build(plain, subnet, &mut out);
    let out = Arc::new(out);
    let mut cache = plain.effective.lock().unwrap_or_else(PoisonError::into_inner);
    cache.insert(subnet.id.clone(), Arc::clone(&out));
    out
}

fn any() -> IpNet {
    IpNet::default()
}

impl Effective {
    fn open(&mut self, origin: Origin, hop: Hop, extent: Extent, missing: Missing) {
        let prefix = if let Extent::Prefix(p) = &extent { *p } else { any() };
        let route = Route { origin, ..Route::system(prefix, hop, Via::Nothing) };
        let open = Open { route, extent, missing };
        if !self.open.contains(&open) {
            self.open.push(open);
        }
    }

    fn add(&mut self, route: Route) {
        if !self.routes.contains(&route) {
            self.routes.push(route);
        }
    }
}

fn build(plain: &Plain, subnet: &Subnet, out: &mut Effective) {
    let Some(network) = vnet(plain, &subnet.vnet) else {
        out.open(Origin::User, Hop::None, Extent::Any, missing::resource(&subnet.vnet));
        return;
    };
    let space = network.prefixes();
    for missing in space.open {
        out.open(Origin::Default, Hop::VnetLocal, Extent::Any, missing);
    }
    out.space = space.known;
    for net in out.space.clone() {
        out.add(Route::system(net, Hop::VnetLocal, Via::Nothing)); // R13
    }
    peered(plain, &network, out);
    connected_groups(plain, &network, out);
    user(plain, subnet, out);
    learned(plain, &network, subnet, out);
    service_endpoints(plain, subnet, out);
    private_endpoints(plain, &network, out);
    defaults(out);
}

/// R14–R18, R252: the system default and the reserved blocks, which leave when another default is there.
fn defaults(out: &mut Effective) {
    let Some(all) = prefix("0.0.0.0/0") else { return };
    let learned = out.routes.iter().any(|r| r.prefix == all && r.origin == Origin::Gateway);
    let user = out.routes.iter().any(|r| r.prefix == all && r.origin == Origin::User)
        || out.open.iter().any(|o| o.route.origin == Origin::User && o.extent == Extent::Prefix(all));
    // With a learned default the system row is not even listed; with a user default it is, as Invalid (R252).
    if user || !learned {
        out.add(Route::system(all, Hop::Internet, Via::Nothing));
    }
    if user || learned {
        return;
    }
    for block in RESERVED.iter().filter_map(|b| prefix(b)) {
        // Equal: the row is the network's own. Containing: it is removed (R16).
        if !out.space.iter().any(|own| own.contains(&block)) {
            out.add(Route::system(block, Hop::None, Via::Nothing));
        }
    }
}

fn peered(plain: &Plain, network: &Vnet, out: &mut Effective) {
    let links = match peering::links(plain, network) {
        Ok(links) => links,
        Err(missing) => return out.open(Origin::Default, Hop::VnetPeering, Extent::Any, missing),
    };
    for link in links {
        let works = usable(plain, &link);
        if works == Tri::No {
            continue; // R103, R104
        }
        let hop = if is_global(plain, &link) { Hop::VnetGlobalPeering } else { Hop::VnetPeering };
        let prefixes = match link.prefixes(plain) {
            Ok(prefixes) => prefixes,
            Err(missing) => {
                out.open(Origin::Default, hop, Extent::Any, missing);
                continue;
            }
        };
        for net in prefixes {
            match &works {
                Tri::Unknown(why) => {
                    let why = gateway::first(why.clone());
                    out.open(Origin::Default, hop, Extent::Prefix(net), why);
                }
                _ => out.add(Route::system(net, hop, Via::Peering(link.id.clone()))), // R27
            }
        }
    }
}

/// A mesh of Virtual Network Manager needs no peering resource (R31): its rows are known only where Azure listed them.
fn connected_groups(plain: &Plain, network: &Vnet, out: &mut Effective) {
    const MANAGERS: &str = "Microsoft.Network/networkManagers";
    const CONNECTIVITY: &str = "Microsoft.Network/networkManagers/connectivityConfigurations";
    let why = if plain.layered.of_type(CONNECTIVITY).is_empty() {
        match plain.none_elsewhere(&network.id, MANAGERS) {
            Ok(()) => return,
            Err(missing) => missing,
        }
    } else {
        missing::evidence(
            format!("the connected groups of {}", network.id.name()),
            "a network manager has connectivity configurations; a member's effective routes show them (R31)",
        )
    };
    out.open(Origin::Default, Hop::ConnectedGroup, Extent::Private, why);
}

fn user(plain: &Plain, subnet: &Subnet, out: &mut Effective) {
    let open_table =
        |out: &mut Effective, missing| out.open(Origin::User, Hop::Appliance, Extent::Any, missing);
    let table = match subnet.node().reference("/properties/routeTable").known() {
        Ok(Some(table)) => table,
        Ok(None) => return,
        Err(missing) => return open_table(out, missing),
    };
    let (ix, json) = match plain.read(&table) {
        Ok(found) => found,
        Err(missing) => return open_table(out, missing),
    };
    if let Some(missing) = Node::new(&json, &table).list("/properties/routes").open.into_iter().next() {
        open_table(out, missing);
    }
    for child in plain.layered.children(ix, &json, "routes") {
        if let Err(missing) = user_route(plain, &table, &child.name, Node::new(&child.json, &child.id), out) {
            open_table(out, missing);
        }
    }
}

/// A user route of a known prefix that leads nobody knows where: to an appliance, say, which takes most.
fn hop_not_known(text: &str, missing: Missing, out: &mut Effective) -> Result<(), Missing> {
    match prefix(text) {
        Some(net) => out.open(Origin::User, Hop::Appliance, Extent::Prefix(net), missing),
        None => return Err(missing),
    }
    Ok(())
}

fn user_route(
    plain: &Plain,
    table: &ArmId,
    name: &str,
    node: Node<'_>,
    out: &mut Effective,
) -> Result<(), Missing> {
    let Some(text) = node.text("/properties/addressPrefix").known()? else {
        return Err(missing::malformed(node.of, "/properties/addressPrefix"));
    };
    let kind = match node.text("/properties/nextHopType").known() {
        Ok(kind) => kind,
        Err(missing) => return hop_not_known(text, missing, out),
    };
    let hop = match kind {
        Some(k) if is(k, "VirtualAppliance") => Hop::Appliance,
        Some(k) if is(k, "VirtualNetworkGateway") => Hop::Gateway,
        Some(k) if is(k, "VnetLocal") => Hop::VnetLocal,
        Some(k) if is(k, "Internet") => Hop::Internet,
        Some(k) if is(k, "None") => Hop::None,
        _ => return Err(missing::malformed(node.of, "/properties/nextHopType")), // R36
    };
    let address = match node.address("/properties/nextHopIpAddress").known() {
        Ok(address) => address,
        Err(missing) => return hop_not_known(text, missing, out),
    };
    let mut route = Route {
        address,
        origin: Origin::User,
        name: Some(name.to_owned()),
        table: Some(table.clone()),
        ..Route::system(any(), hop, Via::Nothing)
    };
    if let Some(net) = prefix(text) {
        route.prefix = net;
        // The same prefix twice in one table: Azure rejects it, and a plan does not say which one wins (R56).
        let same = |r: &Route| r.origin == Origin::User && r.tag.is_none() && r.prefix == net;
        let disputed =
            out.open.iter().any(|o| o.route.origin == Origin::User && o.extent == Extent::Prefix(net));
        let twin = out.routes.iter().find(|r| same(r));
        if disputed || twin.is_some_and(|twin| (twin.hop, twin.address) != (route.hop, route.address)) {
            out.routes.retain(|r| !same(r));
            let what = format!("which route of {} holds for {net}", table.name());
            let missing = missing::evidence(what, "two routes of one table share a prefix (R56)");
            out.open(Origin::User, hop, Extent::Prefix(net), missing);
            return Ok(());
        }
        out.add(route);
        return Ok(());
    }
    match tags::prefixes(plain, text) {
        Some(nets) => {
            for net in nets {
                out.add(Route { prefix: net, tag: Some(text.to_owned()), ..route.clone() }); // R53
            }
        }
        None => {
            let missing = missing::evidence(
                format!("the prefixes of the service tag {text}"),
                format!("the route {name} of {} uses it (R53)", table.name()),
            );
            route.tag = Some(text.to_owned());
            out.open.push(Open { route, extent: Extent::Tag(text.to_owned()), missing });
        }
    }
    Ok(())
}

/// Gateway-sourced routes: gateways, Route Servers and hubs, unless propagation is off (R28, R72, R133, R182).
fn learned(plain: &Plain, network: &Vnet, subnet: &Subnet, out: &mut Effective) {
    let mut unsure = None;
    if let Ok(Some(table)) = subnet.node().reference("/properties/routeTable").known()
        && let Ok((_, json)) = plain.read(&table)
    {
        match Node::new(&json, &table).flag("/properties/disableBgpRoutePropagation").known() {
            Ok(Some(true)) => {
                // The hub's own prefix is a peering route, not a learned one.
                hub_rows(plain, network, out, false);
                return;
            }
            Ok(_) => {}
            Err(missing) => unsure = Some(missing),
        }
    }
    let before = out.routes.len();
    let recorded = recorded(plain, subnet);
    if let Some(rows) = &recorded {
        for net in rows {
            let via = carriers(plain, network, *net);
            out.add(Route::learned(*net, via));
        }
        hub_rows(plain, network, out, false);
    } else {
        let (gateways, missing) = gateway::reachable(plain, network);
        for missing in missing {
            out.open(Origin::Gateway, Hop::Gateway, Extent::Any, missing);
        }
        for gateway in gateways {
            let (announced, missing) = gateway::announced(plain, &gateway);
            for missing in missing {
                out.open(Origin::Gateway, Hop::Gateway, Extent::Any, missing);
            }
            for row in announced {
                let via = Via::Connections {
                    gateway: gateway.id.clone(),
                    express_route: gateway.express_route,
                    connections: row.connections,
                };
                out.add(Route::learned(row.prefix, via));
            }
        }
        route_servers(plain, network, out);
        hub_rows(plain, network, out, true);
    }
    if let Some(missing) = unsure {
        // Whether they are there at all is not known: each becomes a route that may exist.
        for route in out.routes.split_off(before) {
            let extent = Extent::Prefix(route.prefix);
            out.open.push(Open { route, extent, missing: missing.clone() });
        }
    }
}

/// What a NIC of this subnet showed as learned, where its effective routes are recorded (R234).
fn recorded(plain: &Plain, subnet: &Subnet) -> Option<Vec<IpNet>> {
    let index = plain.index();
    let mut answers = plain.layered.evidence(subnet.id.folded(), "effectiveRouteTable");
    for owner in index.owners.values().flatten() {
        if owner.home == crate::index::Home::Subnet(subnet.id.clone()) {
            answers.extend(plain.layered.evidence(owner.id.folded(), "effectiveRouteTable"));
        }
    }
    if answers.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    for answer in answers {
        for row in answer.answer.pointer("/value").and_then(Value::as_array).into_iter().flatten() {
            let learned = row.get("source").and_then(Value::as_str);
            if !learned.is_some_and(|s| is(s, "VirtualNetworkGateway")) {
                continue;
            }
            let texts = row.get("addressPrefix").and_then(Value::as_array).into_iter().flatten();
            out.extend(texts.filter_map(Value::as_str).filter_map(prefix));
        }
    }
    out.sort();
    out.dedup();
    Some(out)
}

/// The gateway and connections that a recorded prefix belongs to, as far as configuration shows.
fn carriers(plain: &Plain, network: &Vnet, net: IpNet) -> Via {
    let (gateways, _) = gateway::reachable(plain, network);
    for gateway in &gateways {
        let found = gateway::announced(plain, gateway).0.into_iter().find(|a| a.prefix == net);
        if let Some(row) = found {
            return Via::Connections {
                gateway: gateway.id.clone(),
                express_route: gateway.express_route,
                connections: row.connections,
            };
        }
    }
    match gateways.as_slice() {
        [one] => Via::Connections {
            gateway: one.id.clone(),
            express_route: one.express_route,
            connections: gateway::connections(plain, one)
                .map(|all| all.into_iter().map(|c| c.id).collect())
                .unwrap_or_default(),
        },
        _ => Via::Nothing,
    }
}

/// A Route Server in the network, or in a peer whose gateways it uses, programs what its peers say (R248, R250).
fn route_servers(plain: &Plain, network: &Vnet, out: &mut Effective) {
    let mut networks = vec![network.clone()];
    for link in peering::links(plain, network).unwrap_or_default() {
        if link.remote_gateways() != Ok(false)
            && let Some(remote) = vnet(plain, &link.to)
        {
            networks.push(remote);
        }
    }
    for network in networks {
        if network.subnets(plain).iter().any(|s| s.is_named("RouteServerSubnet")) {
            let what = format!("the routes that the Route Server of {} programs", network.id.name());
            let missing = missing::evidence(what, "they are in no ARM resource (R250)");
            out.open(Origin::Gateway, Hop::Gateway, Extent::Any, missing);
        }
    }
}

/// A connected network sees the hub's own prefix as a peering and everything else as learned (R182).
fn hub_rows(plain: &Plain, network: &Vnet, out: &mut Effective, learned: bool) {
    let connection = match hub::connection_of(plain, &network.id) {
        Ok(Some(connection)) => connection,
        Ok(None) => return,
        Err(missing) => return out.open(Origin::Gateway, Hop::Gateway, Extent::Any, missing),
    };
    let via = Via::Hub(connection.hub.clone());
    match hub::hub_prefix(plain, &connection.hub) {
        Ok(Some(net)) => out.add(Route::system(net, Hop::VnetPeering, via.clone())),
        Ok(None) => {}
        Err(missing) => out.open(Origin::Default, Hop::VnetPeering, Extent::Any, missing),
    }
    if !learned {
        return;
    }
    let (rows, open) = hub::table(plain, &connection);
    for row in rows {
        out.add(Route::learned(row.prefix, via.clone()));
    }
    for missing in open {
        out.open(Origin::Gateway, Hop::Gateway, Extent::Any, missing);
    }
}

/// Service endpoints: only in the subnet that has them (R29). Regional ones follow the tags of their locations.
fn service_endpoints(plain: &Plain, subnet: &Subnet, out: &mut Effective) {
    let endpoints = subnet.node().list("/properties/serviceEndpoints");
    for missing in endpoints.open {
        out.open(Origin::Default, Hop::ServiceEndpoint, Extent::Any, missing);
    }
    for endpoint in endpoints.known {
        let node = Node::new(endpoint, &subnet.id);
        let service = match node.text("/service").known() {
            Ok(Some(service)) => service,
            Ok(None) => continue,
            Err(missing) => {
                out.open(Origin::Default, Hop::ServiceEndpoint, Extent::Any, missing);
                continue;
            }
        };
        let Some(tag) = tags::of_service(service) else {
            let missing = missing::not_modelled(format!("the prefixes of {service}"), "a service endpoint");
            out.open(Origin::Default, Hop::ServiceEndpoint, Extent::Tag(service.to_owned()), missing);
            continue;
        };
        let locations = node.texts("/locations").known;
        let mut names: Vec<String> = locations
            .iter()
            .filter(|l| **l != "*")
            .map(|l| format!("{tag}.{}", l.replace(' ', "")))
            .collect();
        if names.is_empty() || locations.contains(&"*") {
            names = vec![tag.to_owned()];
        }
        for name in names {
            match tags::prefixes(plain, &name) {
                Some(nets) => {
                    for net in nets {
                        let via = Via::Service(service.to_owned());
                        let mut route = Route::system(net, Hop::ServiceEndpoint, via);
                        route.tag = Some(name.clone());
                        out.add(route);
                    }
                }
                None => {
                    let missing = missing::evidence(
                        format!("the prefixes of the service tag {name}"),
                        format!("the service endpoint {service} of {} routes them (R29)", subnet.name),
                    );
                    let mut route =
                        Route::system(any(), Hop::ServiceEndpoint, Via::Service(service.to_owned()));
                    route.tag = Some(name.clone());
                    out.open.push(Open { route, extent: Extent::Tag(name), missing });
                }
            }
        }
    }
}

/// `/32` of every endpoint address in the network and in directly peered ones (R30, R76).
fn private_endpoints(plain: &Plain, network: &Vnet, out: &mut Effective) {
    let links = peering::links(plain, network).unwrap_or_default();
    let target = |route: &Route| match &route.via {
        Via::Peering(id) => links.iter().find(|l| l.id == *id).map(|l| l.to.clone()),
        _ => None,
    };
    let peers: Vec<(IpNet, ArmId)> = out.routes.iter().filter_map(|r| Some((r.prefix, target(r)?))).collect();
    let mut rows = Vec::new();
    for row in &plain.index().endpoints {
        let Some(home) = row.subnet.parent() else { continue };
        let here = home == network.id;
        // Only what the peering routes: an address in a prefix that is not synced is not reachable (R107, R239).
        let peer = peers.iter().any(|(net, to)| net.contains(&row.address) && *to == home);
        if here || peer {
            let via = Via::Endpoint(row.endpoint.clone());
            rows.push(Route::system(IpNet::from(row.address), Hop::InterfaceEndpoint, via));
        }
    }
    for row in rows {
        out.add(row);
    }
}
