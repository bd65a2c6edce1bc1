//! Rules of firewalls: a policy's rule collection groups, and collections of a classic firewall (§4.3).

use serde_json::{Value, json};

use super::apply::{Build, moves};
use super::{How, Move, how, how_or, same};
use crate::table::Unset::Empty;

const NETWORK: &[Move] = &[
    same(&["name"], "/name"),
    same(&["protocols"], "/ipProtocols"),
    same(&["source_addresses"], "/sourceAddresses"),
    same(&["source_ip_groups"], "/sourceIpGroups"),
    same(&["destination_addresses"], "/destinationAddresses"),
    same(&["destination_ip_groups"], "/destinationIpGroups"),
    same(&["destination_fqdns"], "/destinationFqdns"),
    same(&["destination_ports"], "/destinationPorts"),
];

const APPLICATION: &[Move] = &[
    same(&["name"], "/name"),
    how_or(
        &["protocols", "protocol"],
        "/protocols",
        How::Each(&[same(&["type"], "/protocolType"), same(&["port"], "/port")]),
        Empty,
    ),
    same(&["source_addresses"], "/sourceAddresses"),
    same(&["source_ip_groups"], "/sourceIpGroups"),
    same(&["destination_addresses"], "/destinationAddresses"),
    same(&["destination_fqdns", "target_fqdns"], "/targetFqdns"),
    same(&["destination_fqdn_tags", "fqdn_tags"], "/fqdnTags"),
    same(&["destination_urls"], "/targetUrls"),
    same(&["web_categories"], "/webCategories"),
    same(&["terminate_tls"], "/terminateTLS"),
];

const NAT: &[Move] = &[
    same(&["name"], "/name"),
    same(&["protocols"], "/ipProtocols"),
    same(&["source_addresses"], "/sourceAddresses"),
    same(&["source_ip_groups"], "/sourceIpGroups"),
    how(&["destination_address"], "/destinationAddresses", How::Only),
    same(&["destination_addresses"], "/destinationAddresses"),
    same(&["destination_ports"], "/destinationPorts"),
    same(&["translated_address"], "/translatedAddress"),
    same(&["translated_fqdn"], "/translatedFqdn"),
    same(&["translated_port"], "/translatedPort"),
];

/// The three lists of collections, with what their rules are.
const LISTS: [(&str, &str, &[Move]); 3] = [
    ("network_rule_collection", "NetworkRule", NETWORK),
    ("application_rule_collection", "ApplicationRule", APPLICATION),
    ("nat_rule_collection", "NatRule", NAT),
];

pub(super) fn policy_group(build: &mut Build<'_>) {
    let mut out = Vec::new();
    for (argument, kind, rule) in LISTS {
        match build.value.get(argument) {
            Some(Value::Array(blocks)) => out.extend(blocks.iter().map(|b| policy_collection(b, kind, rule))),
            Some(hole) if pullproof_snapshot::hole::hole(hole).is_some() => out.push(hole.clone()),
            _ => {}
        }
    }
    build.set("/properties/ruleCollections", Value::Array(out));
}

fn policy_collection(block: &Value, kind: &str, rule: &[Move]) -> Value {
    if pullproof_snapshot::hole::hole(block).is_some() {
        return block.clone();
    }
    let nat = kind == "NatRule";
    let action = if nat { json!("Dnat") } else { block.get("action").cloned().unwrap_or_default() };
    json!({
        "ruleCollectionType":
            if nat { "FirewallPolicyNatRuleCollection" } else { "FirewallPolicyFilterRuleCollection" },
        "name": block.get("name"),
        "priority": block.get("priority"),
        "action": { "type": action },
        "rules": rules(block, rule, Some(kind)),
    })
}

fn rules(block: &Value, rule: &[Move], kind: Option<&str>) -> Value {
    match block.get("rule") {
        Some(Value::Array(items)) => Value::Array(
            items
                .iter()
                .map(|item| {
                    if pullproof_snapshot::hole::hole(item).is_some() {
                        return item.clone();
                    }
                    let mut json = json!({});
                    if let Some(kind) = kind {
                        json["ruleType"] = json!(kind);
                    }
                    moves(rule, item, &mut json);
                    json
                })
                .collect(),
        ),
        Some(hole) => hole.clone(),
        None => json!([]),
    }
}

/// A collection of a classic firewall: the same rules, protocols under another name.
pub(super) fn classic(build: &mut Build<'_>, argument: &str) {
    let Some((_, _, rule)) = LISTS.iter().find(|(name, ..)| *name == argument) else { return };
    let mut list = rules(build.value, rule, None);
    for item in list.as_array_mut().into_iter().flatten() {
        if let Some(map) = item.as_object_mut()
            && let Some(protocols) = map.remove("ipProtocols")
        {
            map.insert("protocols".into(), protocols);
        }
    }
    build.set("/properties/rules", list);
    let action = build.get("action").cloned();
    if let Some(action) = action {
        build.set("/properties/action/type", action);
    }
}
