//! Network security groups at one machine: both levels, every term three-valued (F1–F72, F170–F171).

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{Decision, DecisionAnswer, Direction, Missing};
use serde_json::Value;

use crate::admin_rules::{self, Action};
use crate::json::{Node, is, range_holds};
use crate::missing;
use crate::plain::{Plain, Pool};
use crate::pools;
use crate::sources;
use crate::tags;
use crate::tri::Tri;
use crate::virtual_network_tag::{internet, virtual_network};
use crate::vnet::Subnet;

/// One packet as filters see it. Source ports are single values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    pub protocol: String,
    pub source: IpAddr,
    pub source_port: u16,
    pub destination: IpAddr,
    pub destination_port: u16,
    /// The name in the TLS hello, where there is one: it tells which tags a public destination is in (F84).
    pub host: Option<String>,
}

/// The machine whose NSGs decide.
#[derive(Clone, Debug)]
pub struct Machine<'a> {
    pub subnet: &'a Subnet,
    pub kind: MachineKind,
    /// Its own address.
    pub address: IpAddr,
    /// The packet was forwarded to this machine by another one of a peered network: what the peering's
    /// `allowForwardedTraffic` adds to the tag is not documented (F179).
    pub forwarded: bool,
}

#[derive(Clone, Debug)]
pub enum MachineKind {
    Nic(ArmId),
    /// A node that the pool could create.
    Node(Pool),
    PrivateEndpoint,
    /// A machine that nothing else is known of: only the subnet's NSG counts.
    Anonymous,
}

/// What a filter says, and which element said it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Yes: allowed.
    pub allow: Tri,
    pub rule: Option<String>,
    /// NSG or admin rule.
    pub by: Option<ArmId>,
    pub facts: &'static [&'static str],
}

impl Verdict {
    fn new(allow: Tri, rule: Option<String>, by: Option<ArmId>, facts: &'static [&'static str]) -> Self {
        Self { allow, rule, by, facts }
    }

    fn open(missing: Missing) -> Self {
        Self::new(Tri::unknown(missing), None, None, &["F171"])
    }

    pub fn answer(self) -> DecisionAnswer {
        let (decision, missing) = match self.allow {
            Tri::Yes => (Decision::Allow, Vec::new()),
            Tri::No => (Decision::Deny, Vec::new()),
            Tri::Unknown(missing) => (Decision::Unknown, missing),
        };
        DecisionAnswer { decision, rule: self.rule, by: self.by.map(|b| b.as_written().to_owned()), missing }
    }
}

/// F170: platform exemption, admin rules, then the levels that have an NSG; every level must allow.
pub fn filter(plain: &Plain, machine: &Machine<'_>, direction: Direction, flow: &Flow) -> Verdict {
    let endpoint = matches!(machine.kind, MachineKind::PrivateEndpoint);
    if endpoint && direction == Direction::Outbound {
        return Verdict::new(Tri::Yes, None, None, &["F92"]); // an endpoint never originates
    }
    let mut levels = Vec::new();
    match groups(plain, machine, direction) {
        Ok(found) => levels.extend(found),
        Err(missing) => return Verdict::open(missing),
    }
    if direction == Direction::Outbound && crate::next_hop::is_platform(flow.destination) {
        return platform(plain, machine, &levels, flow);
    }
    let mut admin_open = None;
    if !endpoint {
        match admin_rules::decide(plain, machine, direction, flow) {
            Some((Action::Deny, rule, id)) => return Verdict::new(Tri::No, Some(rule), Some(id), &["F100"]),
            Some((Action::AlwaysAllow, rule, id)) => {
                return Verdict::new(Tri::Yes, Some(rule), Some(id), &["F100"]);
            }
            Some((Action::Open(missing), ..)) => admin_open = Some(missing),
            Some((Action::Allow, ..)) | None => {}
        }
    }
    let mut last = Verdict::new(Tri::Yes, None, None, &["F4"]);
    let mut open: Option<Verdict> = None;
    for level in &levels {
        let verdict = match level {
            Err(missing) => Verdict::open(missing.clone()),
            Ok(group) => first_match(plain, machine, group, direction, flow),
        };
        match &verdict.allow {
            // An admin rule that is not known may be an AlwaysAllow.
            Tri::No => {
                return match admin_open {
                    Some(missing) => Verdict { allow: Tri::unknown(missing), ..verdict },
                    None => verdict,
                };
            }
            Tri::Unknown(_) => {
                open = Some(match open {
                    Some(before) => {
                        Verdict { allow: before.allow.clone().and(verdict.allow.clone()), ..before }
                    }
                    None => verdict,
                });
            }
            Tri::Yes => last = verdict,
        }
    }
    if let Some(missing) = admin_open {
        return Verdict { allow: open.map_or(Tri::Yes, |v| v.allow).and(Tri::unknown(missing)), ..last };
    }
    open.unwrap_or(last)
}

/// One NSG, read.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    id: ArmId,
    rules: Vec<Rule>,
    open: Option<Missing>,
    /// Where its rules cut source ports.
    edges: BTreeSet<u16>,
}

#[derive(Clone, Debug)]
struct Rule {
    name: String,
    priority: i64,
    inbound: bool,
    allow: bool,
    json: Value,
}

type Level = Result<Arc<Group>, Missing>;

/// The NSGs in the order in which they are asked: outbound NIC then subnet, inbound subnet then NIC (F2, F3).
fn groups(plain: &Plain, machine: &Machine<'_>, direction: Direction) -> Result<Vec<Level>, Missing> {
    let subnet = machine.subnet.node().reference("/properties/networkSecurityGroup").known()?;
    let subnet = subnet.map(|id| read_group(plain, &id));
    if let MachineKind::PrivateEndpoint = machine.kind {
        // F89: only where the policy says so; absent is Disabled (F90).
        let policy = machine.subnet.node().text("/properties/privateEndpointNetworkPolicies").known()?;
        let on = policy.is_some_and(|p| is(p, "Enabled") || is(p, "NetworkSecurityGroupEnabled"));
        return Ok(if on { subnet.into_iter().collect() } else { Vec::new() });
    }
    let nic = match &machine.kind {
        MachineKind::Nic(id) => {
            let (_, json) = plain.read(id)?;
            let group = Node::new(&json, id).reference("/properties/networkSecurityGroup").known()?;
            group.map(|id| read_group(plain, &id))
        }
        MachineKind::Node(pool) => match pools::nic_group(plain, pool)? {
            pools::NicGroup::Group(id) => Some(read_group(plain, &id)),
            pools::NicGroup::None => None,
            // F48, F54: AKS binds one, whose outbound rules are the six defaults.
            pools::NicGroup::Managed => {
                let id = ArmId::new(&format!("{}/managedNetworkSecurityGroup", pool.cluster));
                Some(Ok(Arc::new(Group::new(id, defaults(), None))))
            }
        },
        MachineKind::PrivateEndpoint | MachineKind::Anonymous => None,
    };
    let mut levels: Vec<Level> = match direction {
        Direction::Outbound => nic.into_iter().chain(subnet).collect(),
        Direction::Inbound => subnet.into_iter().chain(nic).collect(),
    };
    // The platform guards a firewall's own subnet; a customer NSG has no place there (F45).
    if machine.subnet.is_named("AzureFirewallSubnet") {
        levels.clear();
    }
    Ok(levels)
}

impl Group {
    fn new(id: ArmId, mut rules: Vec<Rule>, open: Option<Missing>) -> Self {
        rules.sort_by_key(|r| r.priority);
        let mut edges = BTreeSet::new();
        rules.iter().for_each(|rule| sources::source_ports(&rule.json, &mut edges));
        Self { id, rules, open, edges }
    }

    /// How many rules it has.
    pub(crate) fn len(&self) -> usize {
        self.rules.len()
    }
}

/// The source ports that stand for a client's range (first and last one) at a machine: what none of the rules there can
/// tell apart fares alike.
pub fn source_ports(
    plain: &Plain,
    machine: &Machine<'_>,
    direction: Direction,
    range: (u16, u16),
) -> Vec<u16> {
    let mut edges = admin_rules::source_ports(plain, &machine.subnet.vnet);
    let levels = groups(plain, machine, direction).unwrap_or_default();
    edges.extend(levels.iter().flatten().flat_map(|group| &group.edges));
    sources::ports(range, &edges)
}

fn read_group(plain: &Plain, id: &ArmId) -> Level {
    plain.groups.get(id, || read_group_anew(plain, id))
}

fn read_group_anew(plain: &Plain, id: &ArmId) -> Level {
    let (ix, json) = plain.read(id)?;
    let node = Node::new(&json, id);
    let mut rules = Vec::new();
    let mut open = node.list("/properties/securityRules").open.into_iter().next();
    for child in plain.layered.children(ix, &json, "securityRules") {
        match read_rule(&child.name, Node::new(&child.json, &child.id)) {
            Ok(rule) => rules.push(rule),
            Err(missing) => open = Some(missing),
        }
    }
    let mut given = Vec::new();
    for child in plain.layered.children(ix, &json, "defaultSecurityRules") {
        given.push(read_rule(&child.name, Node::new(&child.json, &child.id))?);
    }
    // F15: a plan lacks them, Azure always has them.
    rules.extend(if given.is_empty() { defaults() } else { given });
    Ok(Arc::new(Group::new(id.clone(), rules, open)))
}

fn read_rule(name: &str, node: Node<'_>) -> Result<Rule, Missing> {
    let wanted = |pointer: &str| -> Result<&str, Missing> {
        node.text(pointer).known()?.ok_or_else(|| missing::malformed(node.of, pointer))
    };
    let priority = node.number("/properties/priority").known()?;
    Ok(Rule {
        name: name.to_owned(),
        priority: priority.ok_or_else(|| missing::malformed(node.of, "/properties/priority"))?,
        inbound: is(wanted("/properties/direction")?, "Inbound"),
        allow: is(wanted("/properties/access")?, "Allow"),
        json: node.json.clone(),
    })
}

/// F13: the six default rules.
fn defaults() -> Vec<Rule> {
    const TABLE: [(&str, bool, i64, &str, &str, bool); 6] = [
        ("AllowVnetInBound", true, 65000, "VirtualNetwork", "VirtualNetwork", true),
        ("AllowAzureLoadBalancerInBound", true, 65001, "AzureLoadBalancer", "*", true),
        ("DenyAllInBound", true, 65500, "*", "*", false),
        ("AllowVnetOutBound", false, 65000, "VirtualNetwork", "VirtualNetwork", true),
        ("AllowInternetOutBound", false, 65001, "*", "Internet", true),
        ("DenyAllOutBound", false, 65500, "*", "*", false),
    ];
    TABLE
        .iter()
        .map(|(name, inbound, priority, source, destination, allow)| Rule {
            name: (*name).to_owned(),
            priority: *priority,
            inbound: *inbound,
            allow: *allow,
            json: serde_json::json!({"properties": {
                "protocol": "*", "sourcePortRange": "*", "destinationPortRange": "*",
                "sourceAddressPrefix": source, "destinationAddressPrefix": destination,
            }}),
        })
        .collect()
}

/// F10, F171: the first match decides; rules whose match is not known count only if they would decide otherwise.
fn first_match(
    plain: &Plain,
    machine: &Machine<'_>,
    group: &Group,
    direction: Direction,
    flow: &Flow,
) -> Verdict {
    let verdict = |rule: &Rule, allow: Tri| {
        Verdict::new(allow, Some(rule.name.clone()), Some(group.id.clone()), &["F10"])
    };
    let mut unsure: Vec<(&Rule, Vec<Missing>)> = Vec::new();
    let inbound = direction == Direction::Inbound;
    for rule in group.rules.iter().filter(|r| r.inbound == inbound) {
        let term = Term { plain, machine, node: Node::new(&rule.json, &group.id), endpoint: false };
        match term.matches(flow) {
            Tri::No => {}
            Tri::Unknown(why) => unsure.push((rule, why)),
            Tri::Yes => {
                let other = unsure.iter().find(|(r, _)| r.allow != rule.allow);
                return match (other, &group.open) {
                    (Some((r, why)), _) => verdict(r, Tri::Unknown(why.clone())),
                    // A rule that is not read may stand above this one, unless it is a default.
                    (None, Some(missing)) => verdict(rule, Tri::unknown(missing.clone())),
                    (None, None) => verdict(rule, rule.allow.into()),
                };
            }
        }
    }
    Verdict::open(missing::evidence(format!("the default rules of {}", group.id), "no rule matches (F13)"))
}

/// F37–F39: an NSG does not filter the host's own services, unless a rule names their tag.
fn platform(plain: &Plain, machine: &Machine<'_>, levels: &[Level], flow: &Flow) -> Verdict {
    let tag = match (flow.destination.to_string().as_str(), flow.destination_port) {
        ("168.63.129.16", 53) => "AzurePlatformDNS",
        ("169.254.169.254", _) => "AzurePlatformIMDS",
        _ => return Verdict::new(Tri::Yes, None, None, &["F37"]),
    };
    let mut answer = Verdict::new(Tri::Yes, None, None, &["F37", "F39"]);
    for level in levels {
        let group = match level {
            Ok(group) => group,
            Err(missing) => {
                answer.allow = answer.allow.and(Tri::unknown(missing.clone()));
                continue;
            }
        };
        let mut perhaps_allowed = None;
        for rule in group.rules.iter().filter(|r| !r.inbound) {
            let term = Term { plain, machine, node: Node::new(&rule.json, &group.id), endpoint: false };
            match term.names(tag).and(term.but_destination(flow)) {
                Tri::No => continue,
                Tri::Unknown(why) if rule.allow => perhaps_allowed = Some(why),
                Tri::Yes if !rule.allow => {
                    if let Some(why) = perhaps_allowed {
                        answer.allow = answer.allow.and(Tri::Unknown(why));
                        break;
                    }
                    let rule = Some(rule.name.clone());
                    return Verdict::new(Tri::No, rule, Some(group.id.clone()), &["F38"]);
                }
                Tri::Yes => break,
                Tri::Unknown(why) => answer.allow = answer.allow.and(Tri::Unknown(why)),
            }
        }
    }
    answer
}

/// One rule's terms.
pub(crate) struct Term<'a> {
    pub plain: &'a Plain,
    pub machine: &'a Machine<'a>,
    pub node: Node<'a>,
    /// An admin rule: lists of `{addressPrefix, addressPrefixType}` instead (F103).
    pub endpoint: bool,
}

impl Term<'_> {
    pub(crate) fn matches(&self, flow: &Flow) -> Tri {
        match self.but_destination(flow) {
            Tri::No => Tri::No,
            rest => rest.and(self.address("destination", flow.destination, flow.host.as_deref())),
        }
    }

    fn but_destination(&self, flow: &Flow) -> Tri {
        let mut answer = self.protocol(&flow.protocol);
        let terms: [&dyn Fn() -> Tri; 3] = [
            // F91: at a private endpoint source ports are read as any.
            &|| match self.machine.kind {
                MachineKind::PrivateEndpoint => Tri::Yes,
                _ => self.port("source", flow.source_port),
            },
            &|| self.port("destination", flow.destination_port),
            &|| self.address("source", flow.source, None),
        ];
        for term in terms {
            if answer == Tri::No {
                break;
            }
            answer = answer.and(term());
        }
        answer
    }

    fn protocol(&self, protocol: &str) -> Tri {
        match self.node.text("/properties/protocol").known() {
            Ok(Some(p)) => (p == "*" || is(p, "Any") || is(p, "All") || is(p, protocol)).into(), // F23
            Ok(None) if self.endpoint => Tri::Yes,
            Ok(None) => Tri::unknown(missing::malformed(self.node.of, "/properties/protocol")),
            Err(missing) => Tri::unknown(missing),
        }
    }

    fn port(&self, side: &str, port: u16) -> Tri {
        let mut texts = self.node.texts(&format!("/properties/{side}PortRanges"));
        match self.node.text(&format!("/properties/{side}PortRange")).known() {
            Ok(one) => texts.known.extend(one),
            Err(missing) => texts.open.push(missing),
        }
        if texts.known.is_empty() && texts.open.is_empty() {
            // F22: invalid in an NSG rule; any in an admin rule (F103).
            return if self.endpoint {
                Tri::Yes
            } else {
                Tri::unknown(missing::malformed(self.node.of, &format!("/properties/{side}PortRange")))
            };
        }
        if texts.known.iter().flat_map(|t| t.split(',')).any(|t| port_in(t.trim(), port)) {
            return Tri::Yes;
        }
        if texts.open.is_empty() { Tri::No } else { Tri::Unknown(texts.open) }
    }

    fn address(&self, side: &str, address: IpAddr, host: Option<&str>) -> Tri {
        let mut answer = Tri::No;
        let mut given = false;
        let mut open = Vec::new();
        if self.endpoint {
            let list = self.node.list(&format!("/properties/{side}s"));
            open.extend(list.open);
            for item in list.known {
                given = true;
                let text = Node::new(item, self.node.of).text("/addressPrefix").known();
                answer = answer.or(match text {
                    Ok(Some(text)) => self.prefix(side, text, address, host),
                    Ok(None) => Tri::unknown(missing::not_modelled(
                        self.node.of.as_written(),
                        "a network group (F103)",
                    )),
                    Err(missing) => Tri::unknown(missing),
                });
            }
            if !given && open.is_empty() {
                return Tri::Yes; // F103
            }
        } else {
            let mut texts = self.node.texts(&format!("/properties/{side}AddressPrefixes"));
            match self.node.text(&format!("/properties/{side}AddressPrefix")).known() {
                Ok(one) => texts.known.extend(one),
                Err(missing) => open.push(missing),
            }
            open.extend(texts.open);
            for text in texts.known {
                given = true;
                answer = answer.or(self.prefix(side, text, address, host));
            }
            let groups = self.node.references(&format!("/properties/{side}ApplicationSecurityGroups"));
            open.extend(groups.open);
            for group in groups.known {
                given = true;
                answer = answer.or(self.group(&group, address));
            }
            if !given && open.is_empty() {
                return Tri::unknown(missing::malformed(
                    self.node.of,
                    &format!("/properties/{side}AddressPrefix"),
                ));
            }
        }
        if open.is_empty() { answer } else { answer.or(Tri::Unknown(open)) }
    }

    fn prefix(&self, side: &str, text: &str, address: IpAddr, host: Option<&str>) -> Tri {
        let text = text.trim();
        if text == "*" || is(text, "Any") || text == "0.0.0.0/0" {
            // FU6: whether it covers IPv6 is open.
            return if address.is_ipv4() {
                Tri::Yes
            } else {
                Tri::unknown(missing::contested("FU6", "whether * covers IPv6", "not documented"))
            };
        }
        if let Some(holds) = range_holds(text, address) {
            return holds.into();
        }
        let name = text.replace('_', "").to_ascii_lowercase(); // F76: classic spellings
        match name.as_str() {
            "virtualnetwork" => {
                let answer = virtual_network(self.plain, self.machine.subnet, address, host);
                if answer == Tri::No && side == "source" && self.machine.forwarded {
                    return Tri::unknown(missing::contested(
                        "F179, FU16",
                        format!("expandedSourceAddressPrefix of VirtualNetwork for {address}"),
                        "what allowForwardedTraffic adds to the receiver's tag is not documented",
                    ));
                }
                answer
            }
            "internet" => internet(self.plain, self.machine.subnet, address, host),
            "azureloadbalancer" => (address.to_string() == "168.63.129.16").into(), // F67
            "azureplatformdns" | "azureplatformimds" | "azureplatformlkm" => Tri::No, // F38: see `platform`
            _ => tags::holds(self.plain, text, address, host),
        }
    }

    /// F31–F36: members are IP configurations of NICs, private endpoints, and nodes of pools.
    fn group(&self, group: &ArmId, address: IpAddr) -> Tri {
        match crate::groups::holds(self.plain, group, self.machine.subnet, address) {
            Tri::Yes => Tri::Yes,
            _ if self.machine.is_member_node(self.plain, group, address) => Tri::Yes,
            other => other,
        }
    }

    fn names(&self, tag: &str) -> Tri {
        let mut texts = self.node.texts("/properties/destinationAddressPrefixes");
        let mut open = Vec::new();
        match self.node.text("/properties/destinationAddressPrefix").known() {
            Ok(one) => texts.known.extend(one),
            Err(missing) => open.push(missing),
        }
        open.extend(texts.open);
        if texts.known.iter().any(|t| is(t, tag)) {
            return Tri::Yes;
        }
        open.into_iter().next().map_or(Tri::No, Tri::unknown)
    }
}

impl Machine<'_> {
    /// F35: a node belongs to the groups of its pool, before it exists.
    fn is_member_node(&self, plain: &Plain, group: &ArmId, address: IpAddr) -> bool {
        let MachineKind::Node(pool) = &self.kind else { return false };
        address == self.address && pools::groups(plain, pool).contains(group)
    }
}

/// F25: `443`, `1-65535`, `*`.
fn port_in(text: &str, port: u16) -> bool {
    if text == "*" || text.is_empty() {
        return text == "*";
    }
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    match (low.trim().parse::<u16>(), high.trim().parse::<u16>()) {
        (Ok(low), Ok(high)) => low <= port && port <= high,
        _ => false,
    }
}
