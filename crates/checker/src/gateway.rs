//! VPN and ExpressRoute gateways: whose gateway a network uses, and which prefixes it learns (R118–R155).

use std::sync::Arc;

use ipnet::IpNet;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;
use serde_json::Value;

use crate::json::{Node, is, prefix};
use crate::missing;
use crate::peering::{Reverse, links, reverse, usable};
use crate::plain::Plain;
use crate::site;
use crate::tri::Tri;
use crate::vnet::{Subnet, Vnet, vnet};

const GATEWAYS: &str = "Microsoft.Network/virtualNetworkGateways";
const CONNECTIONS: &str = "Microsoft.Network/connections";

#[derive(Clone, Debug)]
pub struct Gateway {
    pub id: ArmId,
    pub vnet: ArmId,
    pub json: Arc<Value>,
    pub express_route: bool,
}

/// A virtual network gateway connection, seen from one gateway.
#[derive(Clone, Debug)]
pub struct Connection {
    pub id: ArmId,
    pub json: Arc<Value>,
}

/// A prefix that a gateway knows, and the connections that carry it.
#[derive(Clone, Debug, PartialEq)]
pub struct Announced {
    pub prefix: IpNet,
    pub connections: Vec<ArmId>,
}

impl Gateway {
    pub fn node(&self) -> Node<'_> {
        Node::new(&self.json, &self.id)
    }

    fn basic(&self) -> Result<bool, Missing> {
        Ok(self.node().text("/properties/sku/name").known()?.is_some_and(|s| is(s, "Basic")))
    }
}

impl Connection {
    pub fn node(&self) -> Node<'_> {
        Node::new(&self.json, &self.id)
    }

    pub fn is_type(&self, name: &str) -> bool {
        matches!(self.node().text("/properties/connectionType").known(), Ok(Some(t)) if is(t, name))
    }

    /// Connected now (R132): the connection itself, and for ExpressRoute its circuit with private peering. A plan and a
    /// list do not say.
    pub fn connected(&self, plain: &Plain) -> Tri {
        if self.is_type("ExpressRoute") { self.up().and(self.circuit_up(plain)) } else { self.up() }
    }

    fn circuit_up(&self, plain: &Plain) -> Tri {
        let circuit = match self.node().reference("/properties/peer").known() {
            Ok(Some(id)) => id,
            Ok(None) => {
                let why = "the connection names no circuit (R132)";
                return Tri::unknown(missing::evidence(format!("the circuit of {}", self.id), why));
            }
            Err(missing) => return Tri::unknown(missing),
        };
        let json = match plain.read(&circuit) {
            Ok((_, json)) => json,
            Err(missing) => return Tri::unknown(missing),
        };
        let node = Node::new(&json, &circuit);
        let provisioned = match node.text("/properties/serviceProviderProvisioningState").known() {
            Ok(Some(state)) => is(state, "Provisioned").into(),
            Ok(None) => Tri::unknown(missing::evidence(
                format!("serviceProviderProvisioningState of {circuit}"),
                "only a provisioned circuit carries traffic (R132)",
            )),
            Err(missing) => Tri::unknown(missing),
        };
        let peerings = node.list("/properties/peerings");
        let private = peerings.known.iter().any(|peering| {
            let peering = Node::new(peering, &circuit);
            let kind = peering.text("/properties/peeringType").known().ok().flatten();
            let state = peering.text("/properties/state").known().ok().flatten();
            kind.is_some_and(|k| is(k, "AzurePrivatePeering")) && state.is_none_or(|s| is(s, "Enabled"))
        });
        let private = match peerings.open.into_iter().next() {
            _ if private => Tri::Yes,
            Some(open) => Tri::unknown(open),
            None => Tri::No,
        };
        provisioned.and(private)
    }

    fn up(&self) -> Tri {
        match self.node().text("/properties/provisioningState").known() {
            Ok(Some(state)) if is(state, "Failed") => return Tri::No,
            Ok(_) => {}
            Err(missing) => return Tri::unknown(missing),
        }
        match self.node().text("/properties/connectionStatus").known() {
            Ok(Some(s)) if is(s, "Connected") => Tri::Yes,
            Ok(Some(s)) if is(s, "NotConnected") || is(s, "Connecting") => Tri::No,
            Ok(_) => Tri::unknown(missing::evidence(
                format!("whether the connection {} is up", self.id),
                "its connectionStatus is not in the input (R132)",
            )),
            Err(missing) => Tri::unknown(missing),
        }
    }

    fn bgp(&self) -> Result<bool, Missing> {
        Ok(self.node().flag("/properties/enableBgp").known()?.unwrap_or(false))
    }
}

/// The gateways in a network itself.
pub fn gateways_in(plain: &Plain, of: &Vnet) -> Result<Vec<Gateway>, Missing> {
    let mut out = Vec::new();
    for ix in plain.layered.of_type(GATEWAYS) {
        let (id, json) = (plain.layered.id(ix).clone(), plain.json(ix));
        let node = Node::new(&json, &id);
        let configs = node.list("/properties/ipConfigurations").known;
        let inside = configs.iter().any(|c| {
            let subnet = Node::new(c, &id).reference("/properties/subnet").known();
            matches!(subnet, Ok(Some(s)) if s.parent().as_ref() == Some(&of.id))
        });
        if inside {
            let kind = node.text("/properties/gatewayType").known()?;
            let express_route = kind.is_some_and(|k| is(k, "ExpressRoute"));
            out.push(Gateway { id, vnet: of.id.clone(), json, express_route });
        }
    }
    let has_subnet = of.subnets(plain).iter().any(|s| s.is_named("GatewaySubnet"));
    if out.is_empty() && has_subnet {
        plain.none_elsewhere(&of.id, GATEWAYS)?;
    }
    Ok(out)
}

/// The gateways whose routes reach a network: its own, and those of a peer over the transit pair (R118, R133). The
/// second list names what could not be read.
pub fn reachable(plain: &Plain, of: &Vnet) -> (Vec<Gateway>, Vec<Missing>) {
    let (mut out, mut open) = (Vec::new(), Vec::new());
    match gateways_in(plain, of) {
        Ok(own) => out.extend(own),
        Err(missing) => open.push(missing),
    }
    match links(plain, of) {
        Err(missing) => open.push(missing),
        Ok(all) => {
            for link in all {
                match transit(plain, &link) {
                    Ok(more) => out.extend(more),
                    Err(missing) => open.push(missing),
                }
            }
        }
    }
    (out, open)
}

/// The gateways that `link` gives its network: `useRemoteGateways` here and `allowGatewayTransit` there (R118), never
/// a VPN gateway of SKU Basic (R119).
fn transit(plain: &Plain, link: &crate::peering::Link) -> Result<Vec<Gateway>, Missing> {
    if !link.remote_gateways()? {
        return Ok(Vec::new());
    }
    match usable(plain, link) {
        Tri::No => return Ok(Vec::new()),
        Tri::Unknown(why) => return Err(first(why)),
        Tri::Yes => {}
    }
    match reverse(plain, link) {
        Reverse::Absent => return Ok(Vec::new()),
        Reverse::NotRead(missing) => return Err(missing),
        Reverse::Link(back) if !back.gateway_transit()? => return Ok(Vec::new()),
        Reverse::Link(_) => {}
    }
    let remote = vnet(plain, &link.to).ok_or_else(|| missing::resource(&link.to))?;
    let mut out = Vec::new();
    for gateway in gateways_in(plain, &remote)? {
        if gateway.express_route || !gateway.basic()? {
            out.push(gateway);
        }
    }
    Ok(out)
}

pub fn first(why: Vec<Missing>) -> Missing {
    why.into_iter().next().unwrap_or_else(|| missing::evidence("a value that is not known", ""))
}

/// The networks whose prefixes a gateway announces: its own and those that use it over the transit pair (R143).
pub fn served(plain: &Plain, gateway: &Gateway) -> Vec<ArmId> {
    let mut out = vec![gateway.vnet.clone()];
    for other in crate::vnet::vnets(plain) {
        if other.id != gateway.vnet
            && reachable(plain, &other).0.iter().any(|g| g.id == gateway.id)
            && !out.contains(&other.id)
        {
            out.push(other.id);
        }
    }
    out
}

/// A gateway's connections; `Err` where the list was not read.
pub fn connections(plain: &Plain, gateway: &Gateway) -> Result<Vec<Connection>, Missing> {
    let mut out = Vec::new();
    for ix in plain.layered.of_type(CONNECTIONS) {
        let (id, json) = (plain.layered.id(ix).clone(), plain.json(ix));
        let node = Node::new(&json, &id);
        for end in ["/properties/virtualNetworkGateway1", "/properties/virtualNetworkGateway2"] {
            if matches!(node.reference(end).known(), Ok(Some(g)) if g == gateway.id) {
                out.push(Connection { id: id.clone(), json: Arc::clone(&json) });
                break;
            }
        }
    }
    if out.is_empty() {
        plain.none_elsewhere(&gateway.id, CONNECTIONS)?;
    }
    Ok(out)
}

/// The prefixes behind a gateway: static ones of its connections (R129), learned ones from recorded evidence or from
/// the declared sites of the connection (R130, R131). What remains open is in the second list: a route source that
/// may hold any prefix.
pub fn announced(plain: &Plain, gateway: &Gateway) -> (Vec<Announced>, Vec<Missing>) {
    let (mut out, mut open) = (Vec::new(), Vec::new());
    let connections = match connections(plain, gateway) {
        Ok(all) => all,
        Err(missing) => return (out, vec![missing]),
    };
    let mut learning = Vec::new();
    for connection in &connections {
        if let Err(missing) = of_connection(plain, gateway, connection, &mut out, &mut learning) {
            open.push(missing);
        }
    }
    match learned(plain, gateway) {
        Some(prefixes) => {
            let ids: Vec<ArmId> = learning.iter().map(|c| c.id.clone()).collect();
            for net in prefixes {
                add(&mut out, net, &ids);
            }
        }
        None => {
            for connection in learning {
                let sites = site::of_connection(plain, &connection.id);
                if sites.is_empty() {
                    open.push(missing::declare(
                        format!(
                            "the prefixes that {} learns over {}",
                            gateway.id.name(),
                            connection.id.name()
                        ),
                        "BGP routes are in no ARM resource (R130, R131)",
                        "record getLearnedRoutes of the gateway, or declare a [[site]] with this connection",
                    ));
                }
                for net in sites.iter().flat_map(|s| s.prefixes.iter().filter_map(|p| prefix(p))) {
                    if gateway.express_route || !filtered(plain, gateway, net) {
                        add(&mut out, net, std::slice::from_ref(&connection.id));
                    }
                }
            }
        }
    }
    (out, open)
}

fn add(out: &mut Vec<Announced>, prefix: IpNet, connections: &[ArmId]) {
    match out.iter_mut().find(|a| a.prefix == prefix) {
        Some(known) => {
            for id in connections {
                if !known.connections.contains(id) {
                    known.connections.push(id.clone());
                }
            }
        }
        None => out.push(Announced { prefix, connections: connections.to_vec() }),
    }
}

fn of_connection(
    plain: &Plain,
    gateway: &Gateway,
    connection: &Connection,
    out: &mut Vec<Announced>,
    learning: &mut Vec<Connection>,
) -> Result<(), Missing> {
    let node = connection.node();
    if connection.is_type("IPsec") {
        if let Some(id) = node.reference("/properties/localNetworkGateway2").known()? {
            let (_, json) = plain.read(&id)?;
            let local =
                Node::new(&json, &id).prefixes("/properties/localNetworkAddressSpace/addressPrefixes");
            for net in local.known {
                add(out, net, std::slice::from_ref(&connection.id));
            }
            if gateway.node().reference("/properties/gatewayDefaultSite").known()? == Some(id)
                && let Some(all) = prefix("0.0.0.0/0")
            {
                add(out, all, std::slice::from_ref(&connection.id)); // R153
            }
            if let Some(open) = local.open.into_iter().next() {
                return Err(open);
            }
        }
        if connection.bgp()? && connection.connected(plain) != Tri::No {
            learning.push(connection.clone());
        }
    } else if connection.is_type("ExpressRoute") {
        if connection.connected(plain) != Tri::No {
            learning.push(connection.clone());
        }
    } else if connection.is_type("Vnet2Vnet") {
        let Some(other) = far_gateway(plain, gateway, connection)? else { return Ok(()) };
        let mut networks = vec![other.vnet.clone()];
        if connection.bgp()? {
            networks = served(plain, &other);
            if connections(plain, &other)?.len() > 1 {
                return Err(missing::not_modelled(
                    format!("what {} passes on over {}", other.id.name(), connection.id.name()),
                    "BGP between virtual networks with further connections (R150)",
                ));
            }
        }
        for id in networks {
            let network = vnet(plain, &id).ok_or_else(|| missing::resource(&id))?;
            for net in network.prefixes().known {
                add(out, net, std::slice::from_ref(&connection.id));
            }
        }
    }
    Ok(())
}

/// The gateway at the other end of a connection between virtual networks.
pub fn far_gateway(
    plain: &Plain,
    gateway: &Gateway,
    connection: &Connection,
) -> Result<Option<Gateway>, Missing> {
    for end in ["/properties/virtualNetworkGateway1", "/properties/virtualNetworkGateway2"] {
        let Some(id) = connection.node().reference(end).known()? else { continue };
        if id == gateway.id {
            continue;
        }
        return by_id(plain, &id).map(Some);
    }
    Ok(None)
}

/// # Errors
/// The gateway, or the network that it is in, was not read.
pub fn by_id(plain: &Plain, id: &ArmId) -> Result<Gateway, Missing> {
    let (ix, json) = plain.read(id)?;
    let id = plain.layered.id(ix).clone();
    let node = Node::new(&json, &id);
    let mut network = None;
    for config in node.list("/properties/ipConfigurations").known {
        if let Some(subnet) = Node::new(config, &id).reference("/properties/subnet").known()? {
            network = subnet.parent();
        }
    }
    let Some(network) = network else {
        return Err(missing::evidence(format!("the network of {id}"), "its IP configurations name none"));
    };
    let express_route = node.text("/properties/gatewayType").known()?.is_some_and(|k| is(k, "ExpressRoute"));
    Ok(Gateway { id: id.clone(), vnet: network, express_route, json: Arc::clone(&json) })
}

/// What the gateway said that it has learned; `None` where nothing is recorded.
fn learned(plain: &Plain, gateway: &Gateway) -> Option<Vec<IpNet>> {
    let recorded = plain.layered.evidence(gateway.id.folded(), "getLearnedRoutes");
    if recorded.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    for answer in recorded {
        let rows = answer.answer.pointer("/value").and_then(Value::as_array);
        for row in rows.into_iter().flatten() {
            let own = row.get("origin").and_then(Value::as_str).is_some_and(|o| is(o, "Network"));
            if let Some(net) = row.get("network").and_then(Value::as_str).and_then(prefix)
                && !own
                && !out.contains(&net)
            {
                out.push(net);
            }
        }
    }
    Some(out)
}

/// A VPN gateway takes no prefix that equals, or lies inside, one of its own network (R134).
fn filtered(plain: &Plain, gateway: &Gateway, net: IpNet) -> bool {
    vnet(plain, &gateway.vnet).is_some_and(|v| v.prefixes().known.iter().any(|own| own.contains(&net)))
}

/// A network's `GatewaySubnet`, where packets from outside enter it.
///
/// # Errors
/// It was not read.
pub fn subnet(plain: &Plain, network: &ArmId) -> Result<Subnet, Missing> {
    let mut all = plain.index().subnets.values().filter(|s| s.vnet == *network);
    all.find(|s| s.is_named("GatewaySubnet")).cloned().ok_or_else(|| {
        missing::evidence(format!("the GatewaySubnet of {}", network.name()), "it was not read")
    })
}

/// `Ok` exactly when the gateway's subnet has nothing on it that is not supported there: no NSG, no default route, and
/// propagation on (R157, F44).
fn supported(plain: &Plain, network: &ArmId) -> Result<(), Missing> {
    let subnet = subnet(plain, network)?;
    let odd = |what: &str| Err(missing::not_modelled(subnet.id.as_written(), format!("{what} (R157)")));
    if subnet.node().reference("/properties/networkSecurityGroup").known()?.is_some() {
        return odd("a network security group on GatewaySubnet");
    }
    let Some(table) = subnet.node().reference("/properties/routeTable").known()? else { return Ok(()) };
    let (ix, json) = plain.read(&table)?;
    if Node::new(&json, &table).flag("/properties/disableBgpRoutePropagation").known()? == Some(true) {
        return odd("a route table without propagation on GatewaySubnet");
    }
    for route in plain.layered.children(ix, &json, "routes") {
        let net = Node::new(&route.json, &route.id).text("/properties/addressPrefix").known()?;
        if net.and_then(prefix).is_some_and(|net| net.prefix_len() == 0) {
            return odd("a default route on GatewaySubnet");
        }
    }
    Ok(())
}

/// Where a site's packets enter Azure.
pub enum Entry {
    /// The GatewaySubnet.
    Gateway(ArmId),
    Hub(ArmId),
}

/// The entry of a declared connection, by name or id.
///
/// # Errors
/// No connection has that name, or its gateway was not read.
pub fn entry(plain: &Plain, connection: &str) -> Result<Entry, Missing> {
    for ix in plain.layered.of_type(CONNECTIONS) {
        let (id, json) = (plain.layered.id(ix), plain.json(ix));
        if !site::names(connection, id) {
            continue;
        }
        let node = Node::new(&json, id);
        if let Some(gateway) = node.reference("/properties/virtualNetworkGateway1").known()? {
            let gateway = by_id(plain, &gateway)?;
            supported(plain, &gateway.vnet)?;
            return subnet(plain, &gateway.vnet).map(|s| Entry::Gateway(s.id));
        }
    }
    if let Some(hub) = crate::hub::of_branch(plain, connection) {
        return Ok(Entry::Hub(hub));
    }
    Err(missing::declare(
        format!("the connection {connection}"),
        "a declared site names it, and no connection of that name was read",
        "correct the name, or read the connection",
    ))
}

/// What of a connection is not modelled, where something is: translation (R139), traffic selectors that do not cover
/// the client's network (R137, R138), FastPath past a route table of the GatewaySubnet (R161).
pub fn unmodelled(
    plain: &Plain,
    gateway: &Gateway,
    connection: &Connection,
    client: &Option<ArmId>,
) -> Option<Missing> {
    if let Err(missing) = supported(plain, &gateway.vnet) {
        return Some(missing);
    }
    let node = connection.node();
    let translated = ["ingressNatRules", "egressNatRules"]
        .iter()
        .any(|f| !node.list(&format!("/properties/{f}")).known.is_empty());
    if translated {
        return Some(missing::not_modelled(connection.id.as_written(), "NAT rules of a VPN gateway (R139)"));
    }
    let selectors = node.flag("/properties/usePolicyBasedTrafficSelectors").known() == Ok(Some(true))
        || !node.list("/properties/trafficSelectorPolicies").known.is_empty();
    if selectors {
        return Some(missing::not_modelled(connection.id.as_written(), "traffic selectors (R138)"));
    }
    let policy_based =
        matches!(gateway.node().text("/properties/vpnType").known(), Ok(Some(t)) if is(t, "PolicyBased"));
    if policy_based && client.as_ref() != Some(&gateway.vnet) {
        return Some(missing::not_modelled(
            connection.id.as_written(),
            "a policy-based gateway's selectors for a peered network (R137)",
        ));
    }
    let bypass = node.flag("/properties/expressRouteGatewayBypass").known() == Ok(Some(true));
    let routed = subnet(plain, &gateway.vnet)
        .is_ok_and(|s| !matches!(s.node().reference("/properties/routeTable").known(), Ok(None)));
    if bypass && routed {
        return Some(missing::contested(
            "R161, RU12",
            connection.id.as_written(),
            "FastPath beside a route table on the GatewaySubnet",
        ));
    }
    None
}
