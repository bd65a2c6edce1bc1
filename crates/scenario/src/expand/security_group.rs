//! Network security groups with the default rules that ARM lists, and application security groups.

use serde_json::{Value, json};

use super::expansion::Expansion;
use super::types;
use crate::error::ScenarioError;
use crate::yaml::{Described, SecurityRule, Texts};

pub(crate) fn expand(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    for group in &x.document.application_security_groups {
        let guid = x.guid(&x.id_of(&group.head(), types::APPLICATION_SECURITY_GROUP));
        let body = json!({"properties": {"provisioningState": "Succeeded", "resourceGuid": guid}});
        x.push(group, types::APPLICATION_SECURITY_GROUP, body);
    }
    for group in &x.document.network_security_groups {
        let id = x.id_of(&group.head(), types::NETWORK_SECURITY_GROUP);
        let body = body(x, &id, &group.rules, &format!("networkSecurityGroups {}", group.name))?;
        x.push(group, types::NETWORK_SECURITY_GROUP, body);
    }
    Ok(())
}

/// The body of a network security group.
pub(crate) fn body(
    x: &mut Expansion<'_>,
    id: &str,
    rules: &[SecurityRule],
    place: &str,
) -> Result<Value, ScenarioError> {
    let mut out = Vec::new();
    for (i, rule) in rules.iter().enumerate() {
        out.push(rule_json(x, id, rule, place)?);
        let at = format!("/properties/securityRules/{i}/properties");
        x.over_part(id, &at, rule.properties.as_ref(), rule.unchecked.as_ref());
    }
    Ok(json!({
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(id),
            "securityRules": out,
            "defaultSecurityRules": default_rules(id),
        },
    }))
}

fn rule_json(x: &Expansion<'_>, id: &str, rule: &SecurityRule, place: &str) -> Result<Value, ScenarioError> {
    let place = format!("{place}, rule {}", rule.name);
    let groups = |names: &[String]| -> Result<Value, ScenarioError> {
        let links = x.links(types::APPLICATION_SECURITY_GROUP, names, &place)?;
        Ok(if links.is_empty() { Value::Null } else { Value::Array(links) })
    };
    let from_groups = groups(&rule.source_application_security_groups)?;
    let to_groups = groups(&rule.destination_application_security_groups)?;
    let (source, sources) = one_or_many(rule.source.as_ref(), from_groups.is_null());
    let (destination, destinations) = one_or_many(rule.destination.as_ref(), to_groups.is_null());
    let (source_port, source_ports) = one_or_many(rule.source_ports.as_ref(), true);
    let (port, ports) = one_or_many(rule.destination_ports.as_ref(), true);
    Ok(json!({
        "name": rule.name,
        "id": format!("{id}/securityRules/{}", rule.name),
        "type": "Microsoft.Network/networkSecurityGroups/securityRules",
        "properties": {
            "provisioningState": "Succeeded",
            "protocol": rule.protocol.as_deref().unwrap_or("*"),
            "sourcePortRange": source_port,
            "sourcePortRanges": source_ports,
            "destinationPortRange": port,
            "destinationPortRanges": ports,
            "sourceAddressPrefix": source,
            "sourceAddressPrefixes": sources,
            "sourceApplicationSecurityGroups": from_groups,
            "destinationAddressPrefix": destination,
            "destinationAddressPrefixes": destinations,
            "destinationApplicationSecurityGroups": to_groups,
            "access": rule.access,
            "priority": rule.priority,
            "direction": rule.direction,
        },
    }))
}

/// ARM's singular and plural field. Nothing stated means `*` where `or_any`.
fn one_or_many(stated: Option<&Texts>, or_any: bool) -> (Value, Value) {
    match stated.map(|t| t.0.as_slice()) {
        Some([one]) => (json!(one), json!([])),
        Some(many) => (Value::Null, json!(many)),
        None if or_any => (json!("*"), json!([])),
        None => (Value::Null, json!([])),
    }
}

/// Name, description, direction, access, priority, source, destination.
const DEFAULT_RULES: [(&str, &str, &str, &str, u32, &str, &str); 6] = [
    (
        "AllowVnetInBound",
        "Allow inbound traffic from all VMs in VNET",
        "Inbound",
        "Allow",
        65000,
        "VirtualNetwork",
        "VirtualNetwork",
    ),
    (
        "AllowAzureLoadBalancerInBound",
        "Allow inbound traffic from azure load balancer",
        "Inbound",
        "Allow",
        65001,
        "AzureLoadBalancer",
        "*",
    ),
    ("DenyAllInBound", "Deny all inbound traffic", "Inbound", "Deny", 65500, "*", "*"),
    (
        "AllowVnetOutBound",
        "Allow outbound traffic from all VMs to all VMs in VNET",
        "Outbound",
        "Allow",
        65000,
        "VirtualNetwork",
        "VirtualNetwork",
    ),
    (
        "AllowInternetOutBound",
        "Allow outbound traffic from all VMs to Internet",
        "Outbound",
        "Allow",
        65001,
        "*",
        "Internet",
    ),
    ("DenyAllOutBound", "Deny all outbound traffic", "Outbound", "Deny", 65500, "*", "*"),
];

fn default_rules(id: &str) -> Vec<Value> {
    DEFAULT_RULES
        .iter()
        .map(|(name, description, direction, access, priority, source, destination)| {
            json!({
                "name": name,
                "id": format!("{id}/defaultSecurityRules/{name}"),
                "type": "Microsoft.Network/networkSecurityGroups/defaultSecurityRules",
                "properties": {
                    "provisioningState": "Succeeded",
                    "description": description,
                    "protocol": "*",
                    "sourcePortRange": "*",
                    "destinationPortRange": "*",
                    "sourceAddressPrefix": source,
                    "destinationAddressPrefix": destination,
                    "access": access,
                    "priority": priority,
                    "direction": direction,
                    "sourcePortRanges": [],
                    "destinationPortRanges": [],
                    "sourceAddressPrefixes": [],
                    "destinationAddressPrefixes": [],
                },
            })
        })
        .collect()
}
