//! A registry's own door: public access, IP rules, private endpoints, service endpoints (A85–A95, F141–F148).

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{AdmissionFrom, Decision, DecisionAnswer, Missing};

use crate::egress::IMPLICIT;
use crate::json::{Node, prefix};
use crate::missing;
use crate::plain::Plain;
use crate::private_endpoints::{State, connections, state_at_endpoint, states};
use crate::reach::{Delivery, Reach};
use crate::registry::{HostName, find_by_name, of_host};
use crate::resources::Resource;
use crate::tags::is_public;
use crate::tri::Tri;
use crate::vnet::Subnet;

/// Whether a registry admits a client. `address`: for `Public` the client's public address after all source NAT (A88);
/// for `PrivateEndpoint` the client's private address, which does not matter (D80). For `ServiceEndpoint` see
/// [`admits_subnet`]: an address alone does not show the subnet. `None` where there is no such registry.
pub fn admission(
    plain: &Plain,
    registry: &str,
    from: AdmissionFrom,
    address: Option<IpAddr>,
) -> Option<DecisionAnswer> {
    let registry = find_by_name(plain, registry)?;
    Some(match from {
        AdmissionFrom::Public => said(&registry, admits_public(&registry, address)),
        AdmissionFrom::PrivateEndpoint => said(&registry, admits_private(plain, &registry)),
        AdmissionFrom::ServiceEndpoint => {
            let subnets = address.map(|address| subnets_with(plain, address)).unwrap_or_default();
            let mut verdicts = subnets.iter().map(|subnet| admits_subnet(plain, &registry, subnet));
            let first = verdicts.next().unwrap_or_else(|| {
                Err(missing::evidence("the client's subnet", "no subnet of the snapshot holds the address"))
            });
            let same = verdicts.all(|verdict| verdict == first);
            let why = "several subnets hold the address, and the registry admits some of them";
            said(&registry, if same { first } else { Err(missing::evidence("the client's subnet", why)) })
        }
    })
}

fn said(registry: &Resource, admits: Result<bool, Missing>) -> DecisionAnswer {
    let (decision, missing) = match admits {
        Ok(true) => (Decision::Allow, Vec::new()),
        Ok(false) => (Decision::Deny, Vec::new()),
        Err(missing) => (Decision::Unknown, vec![missing]),
    };
    DecisionAnswer { decision, rule: None, by: Some(registry.id.to_string()), missing }
}

/// True when public access is on (A85, A111); other values than the two are perimeters (A95).
fn public_access(registry: &Resource) -> Result<bool, Missing> {
    match registry.node().text("/properties/publicNetworkAccess").known()? {
        None => Ok(true),
        Some(access) if access.eq_ignore_ascii_case("Enabled") => Ok(true),
        Some(access) if access.eq_ignore_ascii_case("Disabled") => Ok(false),
        Some(access) => {
            let why =
                format!("publicNetworkAccess {access}: network security perimeters are not modelled (A95)");
            Err(missing::not_modelled(registry.id.to_string(), why))
        }
    }
}

/// True when every public address is admitted: no rule set, or one that allows by default (A87, A112).
fn open_to_all(registry: &Resource) -> Result<bool, Missing> {
    let action = registry.node().text("/properties/networkRuleSet/defaultAction").known()?;
    Ok(action.is_none_or(|action| action.eq_ignore_ascii_case("Allow")))
}

/// The public endpoint, for one public source address; `None`: the address is not known (A85–A88, F143–F147).
fn admits_public(registry: &Resource, address: Option<IpAddr>) -> Result<bool, Missing> {
    admits_range(registry, address.map(IpNet::from))
}

/// The same for a range of which every address may be the source.
fn admits_range(registry: &Resource, range: Option<IpNet>) -> Result<bool, Missing> {
    if !public_access(registry)? {
        return Ok(false);
    }
    if open_to_all(registry)? {
        return Ok(true);
    }
    let rules = registry.node().list("/properties/networkRuleSet/ipRules");
    for rule in &rules.known {
        let rule = Node::new(rule, &registry.id);
        let value = rule.text("/value").known()?.unwrap_or_default();
        let net = prefix(value)
            .ok_or_else(|| missing::malformed(&registry.id, "/properties/networkRuleSet/ipRules"))?;
        let allows = rule.text("/action").known()?.is_none_or(|action| action.eq_ignore_ascii_case("Allow"));
        if allows && range.is_some_and(|range| net.contains(&range)) {
            return Ok(true);
        }
    }
    match (rules.open.into_iter().next(), range) {
        (Some(open), _) => Err(open),
        (None, None) if !rules.known.is_empty() => {
            let why = "the registry admits some public addresses only (A88)";
            Err(missing::evidence("the client's public egress address", why))
        }
        (None, _) => Ok(false),
    }
}

/// Private endpoints: an approved one exists; neither rules nor the public switch matter to it (A86, D80, F142).
fn admits_private(plain: &Plain, registry: &Resource) -> Result<bool, Missing> {
    Ok(states(plain, registry)?.contains(&State::Approved))
}

/// Requests through a service endpoint carry the subnet's identity; IP rules do not match them (A90–A92, F146).
fn admits_subnet(plain: &Plain, registry: &Resource, subnet: &ArmId) -> Result<bool, Missing> {
    if !public_access(registry)? {
        return Ok(false);
    }
    if open_to_all(registry)? {
        return Ok(true);
    }
    let node = registry.node();
    let rules = node.list("/properties/networkRuleSet/virtualNetworkRules");
    for rule in &rules.known {
        let rule = Node::new(rule, &registry.id);
        // The key's name differs between API versions (A90).
        for key in ["/id", "/virtualNetworkSubnetResourceId"] {
            if rule.text(key).known()?.map(ArmId::new).as_ref() == Some(subnet) {
                return Ok(true);
            }
        }
    }
    if let Some(open) = rules.open.into_iter().next() {
        return Err(open);
    }
    let shown = node.at("/properties/networkRuleSet/virtualNetworkRules").known()?.is_some();
    if shown || admits_private(plain, registry)? {
        return Ok(false); // A372: no such rules beside a private endpoint
    }
    let why = "only preview API versions return them (A90)";
    Err(missing::evidence(format!("virtualNetworkRules of {}", registry.id), why))
}

/// Whether the registry that has this host admits a packet where its walk ends; Yes for hosts of no registry of the
/// snapshot, which have no door that ARM shows. Of several possible egress addresses each has to be admitted (A88).
pub fn admitted(plain: &Plain, host: &str, walk: &Reach) -> Tri {
    let Some(registry) = HostName::parse(host).and_then(|host| of_host(plain, &host)) else {
        return Tri::Yes;
    };
    let said = |admits: Result<bool, Missing>| admits.map_or_else(Tri::unknown, Tri::from);
    let implicit = walk.findings.iter().any(|finding| finding == IMPLICIT);
    match &walk.delivery {
        Some(Delivery::Internet) if implicit => from_pool(plain, &registry),
        Some(Delivery::PrivateEndpoint(endpoint)) => said(endpoint_admits(plain, &registry, endpoint)),
        Some(Delivery::ServiceEndpoint { subnet, .. }) => said(admits_subnet(plain, &registry, subnet)),
        Some(Delivery::Internet) => {
            let mut out = said(admits_range(&registry, None));
            if !matches!(out, Tri::Unknown(_)) {
                return out; // open to everybody, or to nobody
            }
            if !walk.egress.is_empty() {
                let each = walk.egress.iter().map(|net| said(admits_range(&registry, Some(*net))));
                out = each.fold(Tri::Yes, Tri::and);
            }
            let open = Tri::Unknown(walk.egress_missing.clone());
            if walk.egress_missing.is_empty() { out } else { out.and(open) }
        }
        None if implicit => from_pool(plain, &registry),
        None if is_public(walk.destination) && admits_range(&registry, None) == Ok(false) => Tri::No,
        _ => Tri::Yes,
    }
}

/// The door for an address that the platform picks: it cannot be one that a resource owns, so where every rule names
/// owned addresses only, none lets it in (F147).
fn from_pool(plain: &Plain, registry: &Resource) -> Tri {
    let unknown = match admits_range(registry, None) {
        Ok(known) => return known.into(),
        Err(missing) => Tri::unknown(missing),
    };
    let rules = registry.node().list("/properties/networkRuleSet/ipRules");
    if !rules.open.is_empty() {
        return unknown;
    }
    let owned = owned_addresses(plain);
    let value = |rule: &serde_json::Value| {
        Node::new(rule, &registry.id).text("/value").known().ok().flatten().and_then(prefix)
    };
    let all_owned = rules
        .known
        .iter()
        .all(|rule| value(rule).is_some_and(|net| owned.iter().any(|own| own.contains(&net))));
    if all_owned { Tri::No } else { unknown }
}

/// Public addresses and prefixes that resources of the snapshot hold.
fn owned_addresses(plain: &Plain) -> Vec<IpNet> {
    const HOLDERS: &[(&str, &str)] = &[
        ("Microsoft.Network/publicIPAddresses", "/properties/ipAddress"),
        ("Microsoft.Network/publicIPPrefixes", "/properties/ipPrefix"),
    ];
    let mut out = Vec::new();
    for (kind, pointer) in HOLDERS {
        for ix in plain.layered.of_type(kind) {
            out.extend(plain.json(ix).pointer(pointer).and_then(serde_json::Value::as_str).and_then(prefix));
        }
    }
    out
}

/// Only an approved connection of this registry carries traffic (A75, A100).
fn endpoint_admits(plain: &Plain, registry: &Resource, endpoint: &ArmId) -> Result<bool, Missing> {
    // Private endpoints need the Premium tier (A36, A70, A373).
    let tier = registry.node().text("/sku/name").known()?;
    if tier.is_some_and(|tier| !tier.eq_ignore_ascii_case("Premium")) {
        return Ok(false);
    }
    for connection in connections(plain, registry)? {
        if connection.endpoint == *endpoint {
            if connection.state == Ok(State::Approved) && leads_elsewhere(plain, registry, endpoint) {
                return Err(missing::evidence(
                    format!("what the private endpoint {} leads to", endpoint.name()),
                    format!("{} lists it, and it names another target itself (A75)", registry.id.name()),
                ));
            }
            return connection.state.map(|state| state == State::Approved);
        }
    }
    Ok(false)
}

/// The endpoint was read and none of its connections names the registry.
fn leads_elsewhere(plain: &Plain, registry: &Resource, endpoint: &ArmId) -> bool {
    let Some(endpoint) = crate::resources::find(plain, endpoint.folded()) else { return false };
    state_at_endpoint(&endpoint, &registry.id).is_ok_and(|state| state.is_none())
}

/// The subnets whose prefixes hold an address.
fn subnets_with(plain: &Plain, address: IpAddr) -> Vec<ArmId> {
    let holds = |subnet: &&Subnet| subnet.prefixes().known.iter().any(|net| net.contains(&address));
    plain.index().subnets.values().filter(holds).map(|subnet| subnet.id.clone()).collect()
}

#[cfg(test)]
#[path = "admission_tests.rs"]
mod admission_tests;
