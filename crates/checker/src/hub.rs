//! Virtual WAN hubs: what a connected network learns, and where the hub sends a packet (R177–R201).

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::Site;
use pullproof_snapshot::question::Missing;
use serde_json::Value;

use crate::json::{Node, is, prefix};
use crate::missing;
use crate::plain::Plain;
use crate::site;
use crate::vnet::vnet;

const HUBS: &str = "Microsoft.Network/virtualHubs";
const HUB_CONNECTIONS: &str = "Microsoft.Network/virtualHubs/hubVirtualNetworkConnections";

/// Where a hub names a branch gateway, and the type of that gateway's connections.
const BRANCHES: [(&str, &str); 2] = [
    ("/properties/vpnGateway", "Microsoft.Network/vpnGateways/vpnConnections"),
    ("/properties/expressRouteGateway", "Microsoft.Network/expressRouteGateways/expressRouteConnections"),
];

/// The connection of a virtual network to a hub.
#[derive(Clone, Debug)]
pub struct HubConnection {
    pub id: ArmId,
    pub hub: ArmId,
    pub vnet: ArmId,
    pub json: Value,
}

/// Where a row of a hub's table leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Into a connected network (of this hub or of another one of the same virtual WAN).
    Network { hub: ArmId, vnet: ArmId },
    /// To the hub's firewall.
    Firewall(ArmId),
    /// To a declared site, over a branch connection.
    Site(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubRow {
    pub prefix: IpNet,
    pub target: Target,
    pub fixed: bool,
}

impl HubConnection {
    fn node(&self) -> Node<'_> {
        Node::new(&self.json, &self.id)
    }

    /// `enableInternetSecurity`: the network learns a default route (R187).
    fn internet(&self) -> Result<bool, Missing> {
        Ok(self.node().flag("/properties/enableInternetSecurity").known()?.unwrap_or(false))
    }

    /// `Ok` exactly when no route map changes what the hub learns over it (R200).
    fn unmapped(&self) -> Result<(), Missing> {
        for map in ["inboundRouteMap", "outboundRouteMap"] {
            let pointer = format!("/properties/routingConfiguration/{map}");
            if self.node().reference(&pointer).known()?.is_some() {
                return Err(missing::not_modelled(self.id.as_written(), "route maps (R200)"));
            }
        }
        Ok(())
    }

    fn associated(&self) -> Result<ArmId, Missing> {
        let pointer = "/properties/routingConfiguration/associatedRouteTable";
        let default = || ArmId::new(&format!("{}/hubRouteTables/defaultRouteTable", self.hub));
        Ok(self.node().reference(pointer).known()?.unwrap_or_else(default))
    }
}

/// A hub of a virtual WAN (a Route Server is the same ARM type, R177).
fn is_wan_hub(json: &Value, id: &ArmId) -> bool {
    let node = Node::new(json, id);
    let server = matches!(node.text("/kind").known(), Ok(Some(k)) if is(k, "RouteServer"));
    !server && !matches!(node.text("/properties/addressPrefix").known(), Ok(None))
}

/// Every connection of every hub.
pub fn connections(plain: &Plain) -> Result<Vec<HubConnection>, Missing> {
    let mut out = Vec::new();
    for ix in plain.layered.of_type(HUBS) {
        let (id, json) = (plain.layered.id(ix).clone(), plain.json(ix));
        if !is_wan_hub(&json, &id) {
            continue;
        }
        for child in plain.layered.children(ix, &json, "hubVirtualNetworkConnections") {
            let state = Node::new(&child.json, &child.id).text("/properties/provisioningState").known()?;
            if state.is_some_and(|state| state.eq_ignore_ascii_case("Failed")) {
                continue; // R41: only a connection that Azure made carries anything
            }
            let remote =
                Node::new(&child.json, &child.id).reference("/properties/remoteVirtualNetwork").known()?;
            if let Some(remote) = remote {
                let json = child.json.into_owned();
                out.push(HubConnection { id: child.id, hub: id.clone(), vnet: remote, json });
            }
        }
    }
    Ok(out)
}

/// The connection of one network; at most one (R201).
pub fn connection_of(plain: &Plain, of: &ArmId) -> Result<Option<HubConnection>, Missing> {
    let found = connections(plain)?.into_iter().find(|c| c.vnet == *of);
    if found.is_none() && !plain.layered.of_type(HUBS).is_empty() {
        plain.none_elsewhere(of, HUB_CONNECTIONS)?;
    }
    Ok(found)
}

pub fn hub_prefix(plain: &Plain, hub: &ArmId) -> Result<Option<IpNet>, Missing> {
    let (_, json) = plain.read(hub)?;
    Ok(Node::new(&json, hub).text("/properties/addressPrefix").known()?.and_then(prefix))
}

/// The table that a connection's traffic is looked up in, as far as configuration shows it: static routes (R185) and
/// the prefixes of every connection that propagates to it (R178–R180). The second list holds what stays open.
pub fn table(plain: &Plain, connection: &HubConnection) -> (Vec<HubRow>, Vec<Missing>) {
    let (mut rows, mut open) = (Vec::new(), Vec::new());
    if let Err(missing) = fill(plain, connection, &mut rows, &mut open) {
        open.push(missing);
    }
    (rows, open)
}

fn fill(
    plain: &Plain,
    connection: &HubConnection,
    rows: &mut Vec<HubRow>,
    open: &mut Vec<Missing>,
) -> Result<(), Missing> {
    let (_, hub) = plain.read(&connection.hub)?;
    let hub_node = Node::new(&hub, &connection.hub);
    if let Some(state) = hub_node.text("/properties/routingState").known()?
        && !is(state, "Provisioned")
    {
        return Err(missing::evidence(
            format!("the routes of {}", connection.hub.name()),
            format!("its routingState is {state} (R200)"),
        ));
    }
    connection.unmapped()?;
    let table = connection.associated()?;
    let internet = connection.internet()?;
    let labels = labels(plain, &table)?;
    for row in static_rows(plain, &table)? {
        // 0.0.0.0/0 reaches only connections with internet security (R187).
        if internet || row.prefix.prefix_len() > 0 {
            rows.push(row);
        }
    }
    for other in connections(plain)? {
        if other.vnet == connection.vnet || !same_wan(plain, &other.hub, &connection.hub) {
            continue;
        }
        if !propagates(&other, &table, &labels)? {
            continue;
        }
        if let Err(missing) = other.unmapped() {
            open.push(missing);
        }
        if !other.node().list("/properties/routingConfiguration/vnetRoutes/staticRoutes").known.is_empty() {
            open.push(missing::not_modelled(
                other.id.as_written(),
                "static routes of a connection (R188, RU13)",
            ));
        }
        let Some(network) = vnet(plain, &other.vnet) else {
            open.push(missing::resource(&other.vnet));
            continue;
        };
        for net in network.prefixes().known {
            let target = Target::Network { hub: other.hub.clone(), vnet: other.vnet.clone() };
            rows.push(HubRow { prefix: net, target, fixed: false });
        }
    }
    branches(plain, &connection.hub, hub_node, rows, open);
    Ok(())
}

/// Branches propagate to the same tables, the Default table among them (R181). Their prefixes are in no ARM resource.
fn branches(plain: &Plain, hub: &ArmId, node: Node<'_>, rows: &mut Vec<HubRow>, open: &mut Vec<Missing>) {
    for (field, child_type) in BRANCHES {
        let Ok(Some(gateway)) = node.reference(field).known() else { continue };
        let mut declared = false;
        for s in &plain.declared.sites {
            let mut children = plain.layered.of_type(child_type).into_iter().map(|ix| plain.layered.id(ix));
            let ours = children.any(|id| {
                id.parent().as_ref() == Some(&gateway) && s.connections.iter().any(|c| site::names(c, id))
            });
            if ours {
                declared = true;
                for net in s.prefixes.iter().filter_map(|p| prefix(p)) {
                    rows.push(HubRow { prefix: net, target: Target::Site(s.name.clone()), fixed: false });
                }
            }
        }
        if !declared {
            open.push(missing::declare(
                format!("the prefixes that {} learns from {}", hub.name(), gateway.name()),
                "branch routes are in no ARM resource (R200)",
                "declare a [[site]] with its connection",
            ));
        }
    }
}

fn static_rows(plain: &Plain, table: &ArmId) -> Result<Vec<HubRow>, Missing> {
    let mut out = Vec::new();
    let Some(ix) = plain.layered.find(table.folded()) else {
        return Err(missing::resource(table));
    };
    let json = plain.json(ix);
    for route in Node::new(&json, table).list("/properties/routes").known {
        let route = Node::new(route, table);
        let hop = route.reference("/nextHop").known()?;
        let Some(hop) = hop else { continue };
        if hop.resource_type().as_deref() != Some("microsoft.network/azurefirewalls") {
            return Err(missing::not_modelled(
                table.as_written(),
                "a static hub route to something else than a firewall (R198)",
            ));
        }
        for net in route.prefixes("/destinations").known {
            out.push(HubRow { prefix: net, target: Target::Firewall(hop.clone()), fixed: true });
        }
    }
    Ok(out)
}

fn labels(plain: &Plain, table: &ArmId) -> Result<Vec<String>, Missing> {
    let (_, json) = plain.read(table)?;
    let texts = Node::new(&json, table).texts("/properties/labels").known;
    Ok(texts.into_iter().map(str::to_ascii_lowercase).collect())
}

/// By id, by label, or, where neither is given, to the label Default (R178).
fn propagates(connection: &HubConnection, table: &ArmId, labels: &[String]) -> Result<bool, Missing> {
    let base = "/properties/routingConfiguration/propagatedRouteTables";
    let ids = connection.node().references(&format!("{base}/ids"));
    let names = connection.node().texts(&format!("{base}/labels"));
    if let Some(open) = ids.open.into_iter().chain(names.open).next() {
        return Err(open);
    }
    if ids.known.is_empty() && names.known.is_empty() {
        return Ok(labels.iter().any(|l| l == "default"));
    }
    Ok(ids.known.contains(table) || names.known.iter().any(|n| labels.iter().any(|l| is(l, n))))
}

fn same_wan(plain: &Plain, a: &ArmId, b: &ArmId) -> bool {
    let wan = |id: &ArmId| {
        let (_, json) = plain.read(id).ok()?;
        Node::new(&json, id).reference("/properties/virtualWan").known().ok().flatten()
    };
    a == b || (wan(a).is_some() && wan(a) == wan(b))
}

/// Where the hub sends a packet that came from `connection`.
pub fn lookup(plain: &Plain, connection: &HubConnection, to: IpAddr) -> Result<Option<HubRow>, Missing> {
    let (rows, open) = table(plain, connection);
    if let Some(open) = open.into_iter().next() {
        return Err(open);
    }
    let mut best: Option<HubRow> = None;
    for row in rows.into_iter().filter(|r| r.prefix.contains(&to)) {
        let better = best.as_ref().is_none_or(|b| {
            (row.prefix.prefix_len(), row.fixed) > (b.prefix.prefix_len(), b.fixed) // R185, R186
        });
        if better {
            best = Some(row);
        }
    }
    Ok(best)
}

/// The connection through which a hub reaches an address once its firewall has let the packet pass: the hub knows the
/// networks of all hubs of its virtual WAN, whatever they propagate (R191, R192).
pub fn behind_firewall(plain: &Plain, hub: &ArmId, to: IpAddr) -> Result<Option<HubConnection>, Missing> {
    let mut best: Option<(u8, bool, HubConnection)> = None;
    for connection in connections(plain)? {
        if !same_wan(plain, hub, &connection.hub) {
            continue;
        }
        let network = vnet(plain, &connection.vnet).ok_or_else(|| missing::resource(&connection.vnet))?;
        let held =
            network.prefixes().known.into_iter().filter(|p| p.contains(&to)).map(|p| p.prefix_len()).max();
        if let Some(length) = held {
            let local = connection.hub == *hub;
            if best.as_ref().is_none_or(|(l, at_home, _)| (length, local) > (*l, *at_home)) {
                best = Some((length, local, connection));
            }
        }
    }
    let found = best.map(|(_, _, c)| c);
    if let Some(connection) = &found {
        connection.unmapped()?;
    }
    Ok(found)
}

/// The firewall that a hub's routing intent puts in front of private traffic (R190).
pub fn private_policy(plain: &Plain, hub: &ArmId) -> Result<Option<ArmId>, Missing> {
    for ix in plain.layered.of_type("Microsoft.Network/virtualHubs/routingIntent") {
        let (id, json) = (plain.layered.id(ix).clone(), plain.json(ix));
        if id.parent().as_ref() != Some(hub) {
            continue;
        }
        for policy in Node::new(&json, &id).list("/properties/routingPolicies").known {
            let policy = Node::new(policy, &id);
            if policy.texts("/destinations").known.iter().any(|d| is(d, "PrivateTraffic")) {
                return policy.reference("/nextHop").known();
            }
        }
    }
    Ok(None)
}

/// The declared site behind a branch connection of the hub that has the address.
pub fn branch<'a>(plain: &'a Plain, hub: &ArmId, to: IpAddr) -> Result<Option<&'a Site>, Missing> {
    let (_, json) = plain.read(hub)?;
    let (mut rows, mut open) = (Vec::new(), Vec::new());
    branches(plain, hub, Node::new(&json, hub), &mut rows, &mut open);
    let best = rows.into_iter().filter(|r| r.prefix.contains(&to)).max_by_key(|r| r.prefix.prefix_len());
    match (best, open.into_iter().next()) {
        (Some(HubRow { target: Target::Site(name), .. }), _) => {
            Ok(plain.declared.sites.iter().find(|s| s.name == name))
        }
        (_, Some(missing)) => Err(missing),
        _ => Ok(None),
    }
}

/// The hub whose branch connection has this name.
pub fn of_branch(plain: &Plain, connection: &str) -> Option<ArmId> {
    for (field, child_type) in BRANCHES {
        for ix in plain.layered.of_type(child_type) {
            let id = plain.layered.id(ix);
            if !site::names(connection, id) {
                continue;
            }
            for hub in plain.layered.of_type(HUBS) {
                let (hub_id, json) = (plain.layered.id(hub), plain.json(hub));
                let gateway = Node::new(&json, hub_id).reference(field).known().ok().flatten();
                if gateway.is_some() && gateway == id.parent() {
                    return Some(hub_id.clone());
                }
            }
        }
    }
    None
}
