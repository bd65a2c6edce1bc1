//! How a packet with next hop Internet leaves, and under which addresses (routing.md L).

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;

use crate::json::{Node, is, prefix};
use crate::missing;
use crate::plain::{Plain, Pool};
use crate::pools;
use crate::tags;
use crate::tri::Tri;
use crate::vnet::{Subnet, vnet};

/// Default outbound access alone (R215).
pub const IMPLICIT: &str = "implicit-egress";

/// Who sends.
#[derive(Clone, Debug)]
pub enum Sender {
    Node(Pool),
    Nic(ArmId),
    AzureFirewall(ArmId),
    /// Some machine of the subnet.
    Anonymous,
    /// A gateway, which no filter of ours guards and which sends nothing to the Internet.
    Platform,
}

/// Whether the packet leaves; every address under which it may.
#[derive(Clone, Debug, PartialEq)]
pub struct Egress {
    pub leaves: Tri,
    pub addresses: Vec<IpNet>,
    pub missing: Vec<Missing>,
    pub finding: Option<&'static str>,
}

impl Egress {
    fn through(addresses: Addresses) -> Self {
        Self { leaves: Tri::Yes, addresses: addresses.known, missing: addresses.missing, finding: None }
    }

    fn none() -> Self {
        Self { leaves: Tri::No, addresses: Vec::new(), missing: Vec::new(), finding: Some("dead-egress") }
    }

    fn open(missing: Missing) -> Self {
        Self {
            leaves: Tri::unknown(missing.clone()),
            addresses: Vec::new(),
            missing: vec![missing],
            finding: None,
        }
    }
}

#[derive(Default)]
struct Addresses {
    known: Vec<IpNet>,
    missing: Vec<Missing>,
}

impl Addresses {
    /// The address of a public IP address resource, or the range of a prefix.
    fn add(&mut self, plain: &Plain, id: &ArmId) {
        let read = plain.read(id).and_then(|(_, json)| {
            let node = Node::new(&json, id);
            let text = match node.text("/properties/ipAddress").known()? {
                Some(text) => Some(text),
                None => node.text("/properties/ipPrefix").known()?,
            };
            Ok(text.and_then(prefix))
        });
        match read {
            Ok(Some(net)) => self.known.push(net),
            Ok(None) => self.missing.push(missing::evidence(id.as_written(), "it has no address yet")),
            Err(missing) => self.missing.push(missing),
        }
    }
}

/// R202, R203, R206: NAT gateway, then the machine's own address, then a load balancer's outbound rules, then, where
/// the subnet still has it, the default.
pub fn egress(plain: &Plain, subnet: &Subnet, sender: &Sender, to: IpAddr, host: Option<&str>) -> Egress {
    match explicit(plain, subnet, sender) {
        Ok(Some(egress)) => egress,
        Ok(None) => implicit(plain, subnet, sender, to, host),
        Err(missing) => Egress::open(missing),
    }
}

fn explicit(plain: &Plain, subnet: &Subnet, sender: &Sender) -> Result<Option<Egress>, Missing> {
    if let Some(id) = subnet.node().reference("/properties/natGateway").known()? {
        return nat_gateway(plain, &id).map(Some); // R203; on a firewall's subnet too (R173)
    }
    match sender {
        Sender::AzureFirewall(id) => firewall(plain, id).map(Some),
        Sender::Nic(id) => of_nic(plain, id),
        Sender::Node(pool) => of_node(plain, pool),
        Sender::Anonymous | Sender::Platform => Ok(None),
    }
}

fn nat_gateway(plain: &Plain, id: &ArmId) -> Result<Egress, Missing> {
    let (_, json) = plain.read(id)?;
    let node = Node::new(&json, id);
    let mut addresses = Addresses::default();
    let mut any = false;
    for field in ["/properties/publicIpAddresses", "/properties/publicIpPrefixes"] {
        let list = node.references(field);
        if let Some(open) = list.open.into_iter().next() {
            return Err(open);
        }
        for id in list.known {
            any = true;
            addresses.add(plain, &id);
        }
    }
    Ok(if any { Egress::through(addresses) } else { Egress::none() }) // R204
}

fn firewall(plain: &Plain, id: &ArmId) -> Result<Egress, Missing> {
    let (_, json) = plain.read(id)?;
    let node = Node::new(&json, id);
    let mut addresses = Addresses::default();
    let mut any = false;
    for config in node.list("/properties/ipConfigurations").known {
        if let Some(public) = Node::new(config, id).reference("/properties/publicIPAddress").known()? {
            any = true;
            addresses.add(plain, &public);
        }
    }
    if node.reference("/properties/virtualHub").known()?.is_some() {
        let pointer = "/properties/hubIPAddresses/publicIPs/addresses";
        let list = node.list(pointer);
        if list.known.is_empty()
            && let Some(open) = list.open.into_iter().next()
        {
            return Err(open);
        }
        let list = list.known;
        // A list that is there and empty says that it has none (R238); one that is left out says nothing.
        if list.is_empty() && json.pointer(pointer).is_some_and(serde_json::Value::is_array) {
            return Ok(Egress::none());
        }
        any = true;
        addresses.known.extend(list.iter().filter_map(|a| a.get("address")?.as_str()).filter_map(prefix));
        if addresses.known.is_empty() {
            addresses.missing.push(missing::evidence(
                format!("the public addresses of {}", id.name()),
                "hubIPAddresses lists none",
            ));
        }
    }
    Ok(if any { Egress::through(addresses) } else { Egress::none() })
}

fn of_nic(plain: &Plain, id: &ArmId) -> Result<Option<Egress>, Missing> {
    let (_, json) = plain.read(id)?;
    let node = Node::new(&json, id);
    let mut addresses = Addresses::default();
    let mut any = false;
    let configs = node.list("/properties/ipConfigurations").known;
    for config in &configs {
        if let Some(public) = Node::new(config, id).reference("/properties/publicIPAddress").known()? {
            any = true;
            addresses.add(plain, &public);
        }
    }
    if any {
        return Ok(Some(Egress::through(addresses)));
    }
    for config in &configs {
        for pool in Node::new(config, id).references("/properties/loadBalancerBackendAddressPools").known {
            let Some(balancer) = pool.parent() else { continue };
            if outbound_rules(plain, &balancer, &pool, &mut addresses)? {
                any = true;
            }
        }
    }
    Ok(any.then(|| Egress::through(addresses)))
}

/// The public front ends of the outbound rules (or, on a Basic or an older Standard balancer, of the rules that allow
/// outbound SNAT) of a back-end pool; false where there are none.
fn outbound_rules(
    plain: &Plain,
    balancer: &ArmId,
    pool: &ArmId,
    addresses: &mut Addresses,
) -> Result<bool, Missing> {
    let (_, json) = plain.read(balancer)?;
    let node = Node::new(&json, balancer);
    let mut fronts = Vec::new();
    for rule in node.list("/properties/outboundRules").known {
        let rule = Node::new(rule, balancer);
        if rule.reference("/properties/backendAddressPool").known()?.as_ref() == Some(pool) {
            fronts.extend(rule.references("/properties/frontendIPConfigurations").known);
        }
    }
    for rule in node.list("/properties/loadBalancingRules").known {
        let rule = Node::new(rule, balancer);
        let disabled = rule.flag("/properties/disableOutboundSnat").known()?.unwrap_or(false);
        if !disabled && rule.reference("/properties/backendAddressPool").known()?.as_ref() == Some(pool) {
            fronts.extend(rule.reference("/properties/frontendIPConfiguration").known()?);
        }
    }
    let mut any = false;
    for front in node.list("/properties/frontendIPConfigurations").known {
        let front = Node::new(front, balancer);
        let Some(id) = front.text("/id").known()? else { continue };
        if !fronts.contains(&ArmId::new(id)) {
            continue;
        }
        for field in ["/properties/publicIPAddress", "/properties/publicIPPrefix"] {
            if let Some(public) = front.reference(field).known()? {
                any = true;
                addresses.add(plain, &public);
            }
        }
    }
    Ok(any)
}

/// R217–R219: what the cluster's outbound type sets up.
fn of_node(plain: &Plain, pool: &Pool) -> Result<Option<Egress>, Missing> {
    if pools::node_public_ip(plain, pool) {
        return Ok(Some(Egress {
            leaves: Tri::Yes,
            addresses: Vec::new(),
            missing: vec![missing::evidence(
                format!("the public addresses of the nodes of {}", pool.name),
                "each node gets one of its own",
            )],
            finding: None,
        }));
    }
    let json = pools::cluster(plain, pool)?;
    let node = Node::new(&json, &pool.cluster);
    let kind = node.text("/properties/networkProfile/outboundType").known()?.unwrap_or("loadBalancer");
    let profile = if is(kind, "loadBalancer") {
        "loadBalancerProfile"
    } else if is(kind, "managedNATGateway") || is(kind, "managedNATGatewayV2") {
        "natGatewayProfile"
    } else {
        // userAssignedNATGateway is the subnet's own; the others set up nothing.
        return Ok(None);
    };
    let mut addresses = Addresses::default();
    for field in ["effectiveOutboundIPs", "outboundIPs/publicIPs", "outboundIPPrefixes/publicIPPrefixes"] {
        if !addresses.known.is_empty() || !addresses.missing.is_empty() {
            break;
        }
        for id in node.references(&format!("/properties/networkProfile/{profile}/{field}")).known {
            addresses.add(plain, &id);
        }
    }
    if addresses.known.is_empty() && addresses.missing.is_empty() {
        addresses.missing.push(missing::evidence(
            format!("the outbound addresses of {}", pool.cluster.name()),
            format!("its {profile} lists none"),
        ));
    }
    Ok(Some(Egress::through(addresses)))
}

/// R207–R215: no explicit method.
fn implicit(plain: &Plain, subnet: &Subnet, sender: &Sender, to: IpAddr, host: Option<&str>) -> Egress {
    let allowed = match subnet.node().flag("/properties/defaultOutboundAccess").known() {
        Ok(value) => value.unwrap_or(true), // R208: null in a GET is allowed
        Err(missing) => return Egress::open(missing),
    };
    if !allowed {
        return same_region_storage(plain, subnet, to, host);
    }
    let address =
        missing::evidence("the default outbound address", "Azure owns it and shows it nowhere (R211)");
    if matches!(sender, Sender::Node(_)) {
        // R215, R209: not supported for AKS nodes, and absent on Flexible scale sets.
        let open = missing::contested(
            "R215",
            format!("whether the nodes in {} have default outbound access", subnet.name),
            "no explicit outbound method; not supported for AKS",
        );
        return Egress { finding: Some(IMPLICIT), ..Egress::open(open) };
    }
    Egress { leaves: Tri::Yes, addresses: Vec::new(), missing: vec![address], finding: Some(IMPLICIT) }
}

/// R212: from a private subnet Storage of the same region stays reachable.
fn same_region_storage(plain: &Plain, subnet: &Subnet, to: IpAddr, host: Option<&str>) -> Egress {
    let region = vnet(plain, &subnet.vnet).and_then(|v| v.location());
    let tag = region.map(|r| format!("Storage.{r}"));
    let known = tag.as_deref().filter(|t| tags::prefixes(plain, t).is_some());
    if let Some(tag) = known {
        return match tags::holds(plain, tag, to, host) {
            Tri::Yes => Egress {
                leaves: Tri::Yes,
                addresses: Vec::new(),
                missing: vec![missing::evidence(
                    "the address that Storage sees",
                    "a private subnet without egress",
                )],
                finding: None,
            },
            Tri::No => Egress::none(),
            Tri::Unknown(why) => Egress::open(crate::gateway::first(why)),
        };
    }
    if host.is_some_and(|h| h.to_ascii_lowercase().contains(".blob.core.")) {
        let what = tag.unwrap_or_else(|| "the region of the subnet".into());
        return Egress::open(missing::evidence(
            format!("the prefixes of the service tag {what}"),
            "Storage of the same region is reachable without egress (R212)",
        ));
    }
    Egress::none()
}

/// The public addresses of a firewall in a hub or network, for callers outside a walk.
pub fn of_firewall(plain: &Plain, id: &ArmId) -> Egress {
    firewall(plain, id).unwrap_or_else(Egress::open)
}
