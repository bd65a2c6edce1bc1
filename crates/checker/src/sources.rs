//! The single values that stand for all: addresses of a subnet and source ports of a client (CONTRACT §4).

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use ipnet::IpNet;
use serde_json::Value;

use crate::json::{is, prefix};
use crate::plain::Plain;
use crate::vnet::Subnet;

/// More addresses than this are not evaluated one by one.
const MOST: usize = 256;

/// Everything that can put a boundary into a subnet: types whose JSON holds prefixes of routes or rules.
const BOUNDARIES: [&str; 6] = [
    "Microsoft.Network/networkSecurityGroups",
    "Microsoft.Network/networkSecurityGroups/securityRules",
    "Microsoft.Network/routeTables",
    "Microsoft.Network/firewallPolicies/ruleCollectionGroups",
    "Microsoft.Network/azureFirewalls",
    "Microsoft.Network/ipGroups",
];

/// Recorded admin rules, and the resources that they are recorded of.
const ADMIN_RULES: [(&str, &str); 2] = [
    ("Microsoft.Network/virtualNetworks", "listNetworkManagerEffectiveSecurityAdminRules"),
    ("Microsoft.Network/networkManagers", "listActiveSecurityAdminRules"),
];

/// Where rules, routes and declared filters cut address space.
#[derive(Debug, Default)]
pub struct Edges {
    /// First addresses of either side of a boundary.
    addresses: BTreeSet<u32>,
}

impl Edges {
    pub fn collect(plain: &Plain) -> Self {
        let mut out = Self::default();
        for resource_type in BOUNDARIES {
            for ix in plain.layered.of_type(resource_type) {
                let json = plain.layered.json(ix);
                collect(&json, &mut out.addresses);
            }
        }
        for (resource_type, operation) in ADMIN_RULES {
            for ix in plain.layered.of_type(resource_type) {
                for answer in plain.layered.evidence(plain.layered.id(ix).folded(), operation) {
                    collect(&answer.answer, &mut out.addresses);
                }
            }
        }
        let declared = &plain.declared;
        for site in &declared.sites {
            site.routes_to_azure.iter().for_each(|t| text(t, &mut out.addresses));
        }
        let filters = declared.sites.iter().flat_map(|s| &s.firewall);
        for filter in filters.chain(declared.appliances.iter().flat_map(|a| &a.forwards)) {
            filter.from.iter().chain(&filter.to).for_each(|t| text(t, &mut out.addresses));
        }
        out
    }
}

/// First and last assignable address, and each side of every boundary that a route, a rule or a declared filter puts
/// into the subnet. `None` where there are too many.
pub fn addresses(plain: &Plain, subnet: &Subnet) -> Option<Vec<IpAddr>> {
    within(plain, subnet.prefixes().known)
}

/// The same of prefixes that are no subnet's, such as a virtual hub's.
pub fn within(plain: &Plain, prefixes: Vec<IpNet>) -> Option<Vec<IpAddr>> {
    let mut out = BTreeSet::new();
    for net in prefixes {
        let IpNet::V4(net) = net else { continue };
        // Azure reserves the first four addresses and the last (R25).
        let low = u32::from(net.network()).saturating_add(4);
        let high = u32::from(net.broadcast()).saturating_sub(1);
        if low > high {
            continue;
        }
        out.extend([low, high]);
        for edge in plain.edges().addresses.range(low..=high.saturating_add(1)) {
            let sides = [edge.checked_sub(1), Some(*edge)];
            out.extend(sides.into_iter().flatten().filter(|a| (low..=high).contains(a)));
        }
    }
    (out.len() <= MOST).then(|| out.into_iter().map(|a| IpAddr::V4(Ipv4Addr::from(a))).collect())
}

/// Every prefix in a JSON value: its first address, and the one after its last.
fn collect(value: &Value, edges: &mut BTreeSet<u32>) {
    match value {
        Value::String(s) => text(s, edges),
        Value::Array(items) => items.iter().for_each(|v| collect(v, edges)),
        Value::Object(fields) => fields.values().for_each(|v| collect(v, edges)),
        _ => {}
    }
}

fn text(text: &str, edges: &mut BTreeSet<u32>) {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return;
    }
    let range = match prefix(text) {
        Some(IpNet::V4(net)) => Some((net.network(), net.broadcast())),
        Some(IpNet::V6(_)) => None,
        None => {
            text.split_once('-').and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)))
        }
    };
    if let Some((low, high)) = range {
        edges.insert(u32::from(low));
        edges.extend(u32::from(high).checked_add(1));
    }
}

/// The source ports that stand for a client's range: its ends, and each side of every boundary that the rules' source
/// ports put into it (F27).
pub fn ports((low, high): (u16, u16), edges: &BTreeSet<u16>) -> Vec<u16> {
    let mut out = BTreeSet::from([low, high]);
    for edge in edges.range(low..=high) {
        let sides = [edge.checked_sub(1), Some(*edge)];
        out.extend(sides.into_iter().flatten().filter(|p| (low..=high).contains(p)));
    }
    out.into_iter().collect()
}

/// First ports of either side of the boundaries that a rule, or a list of rules, puts between source ports.
pub fn source_ports(value: &Value, edges: &mut BTreeSet<u16>) {
    match value {
        Value::Array(items) => items.iter().for_each(|v| source_ports(v, edges)),
        Value::Object(fields) => {
            for (key, value) in fields {
                if is(key, "sourcePortRange") || is(key, "sourcePortRanges") {
                    let texts = value
                        .as_str()
                        .into_iter()
                        .chain(value.as_array().into_iter().flatten().filter_map(Value::as_str));
                    texts.flat_map(|t| t.split(',')).for_each(|t| port_edges(t.trim(), edges));
                } else {
                    source_ports(value, edges);
                }
            }
        }
        _ => {}
    }
}

fn port_edges(text: &str, edges: &mut BTreeSet<u16>) {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    if let (Ok(low), Ok(high)) = (low.trim().parse::<u16>(), high.trim().parse::<u16>()) {
        edges.insert(low);
        edges.extend(high.checked_add(1));
    }
}
