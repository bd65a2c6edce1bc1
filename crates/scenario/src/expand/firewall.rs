//! Azure firewalls, their policies and IP groups.

use serde_json::{Value, json};

use super::expansion::Expansion;
use super::{machine, types, virtual_network};
use crate::error::ScenarioError;
use crate::yaml::{
    ApplicationRule, AzureFirewall, Described, FirewallPolicy, NatRule, NetworkRule, RuleCollection, Texts,
};

pub(crate) fn expand(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    for group in &x.document.ip_groups {
        let body = json!({
            "properties": {"provisioningState": "Succeeded", "ipAddresses": group.addresses.0},
        });
        x.push(group, types::IP_GROUP, body);
    }
    for policy in &x.document.firewall_policies {
        firewall_policy(x, policy)?;
    }
    for firewall in &x.document.azure_firewalls {
        azure_firewall(x, firewall)?;
    }
    Ok(())
}

fn azure_firewall(x: &mut Expansion<'_>, firewall: &AzureFirewall) -> Result<(), ScenarioError> {
    let place = format!("azureFirewalls {}", firewall.name);
    let id = x.id_of(&firewall.head(), types::AZURE_FIREWALL);
    let policy = x.link_opt(types::FIREWALL_POLICY, firewall.policy.as_deref(), &place)?;
    if let Some(policy) = policy["id"].as_str() {
        let policy = policy.to_owned();
        x.refer(&policy, "/properties/firewalls", &id);
    }
    let mut properties = json!({
        "provisioningState": "Succeeded",
        "threatIntelMode": "Alert",
        "additionalProperties": {},
        "firewallPolicy": policy,
        "networkRuleCollections": [],
        "applicationRuleCollections": [],
        "natRuleCollections": [],
    });
    let tier = firewall.tier.as_deref().unwrap_or("Standard");
    match (&firewall.virtual_network, &firewall.virtual_hub) {
        (Some(network), None) => {
            properties["sku"] = json!({"name": "AZFW_VNet", "tier": tier});
            properties["ipConfigurations"] = ip_configurations(x, firewall, &id, network, &place)?;
        }
        (None, Some(hub)) => {
            let hub = x.names.find(types::VIRTUAL_HUB, hub, &place)?;
            let address = firewall
                .address
                .clone()
                .ok_or_else(|| ScenarioError::invalid(&place, "a firewall in a hub needs its `address`"))?;
            x.over(&hub, "/properties/azureFirewall", &json!({ "id": id }), true);
            let public = x.addresses.next_public(&place)?;
            properties["sku"] = json!({"name": "AZFW_Hub", "tier": tier});
            properties["virtualHub"] = json!({ "id": hub });
            properties["hubIPAddresses"] = json!({
                "privateIPAddress": address,
                "publicIPs": {"count": 1, "addresses": [{"address": public}]},
            });
        }
        _ => {
            let message = "a firewall is in a `virtualNetwork` or in a `virtualHub`";
            return Err(ScenarioError::invalid(place, message));
        }
    }
    x.push(firewall, types::AZURE_FIREWALL, json!({ "properties": properties }));
    Ok(())
}

fn ip_configurations(
    x: &mut Expansion<'_>,
    firewall: &AzureFirewall,
    id: &str,
    network: &str,
    place: &str,
) -> Result<Value, ScenarioError> {
    let subnet = x.names.find(types::SUBNET, &format!("{network}/AzureFirewallSubnet"), place)?;
    let address = match &firewall.address {
        Some(address) => address.clone(),
        None => x.addresses.next(&subnet, place)?,
    };
    let configuration = |i: usize| format!("{id}/azureFirewallIpConfigurations/ipconfig{}", i + 1);
    let mut publics = Vec::new();
    for (i, name) in firewall.public_ip_addresses.iter().enumerate() {
        let public = x.names.find(types::PUBLIC_IP_ADDRESS, name, place)?;
        x.over(&public, "/properties/ipConfiguration", &json!({ "id": configuration(i) }), true);
        publics.push(public);
    }
    if publics.is_empty() {
        let name = format!("{}-pip", firewall.name);
        let public = id.replace(
            &format!("{}/{}", types::AZURE_FIREWALL, firewall.name),
            &format!("{}/{name}", types::PUBLIC_IP_ADDRESS),
        );
        let location = x.location(&firewall.head());
        virtual_network::made_public_ip(x, &public, &location, &configuration(0))?;
        publics.push(public);
    }
    machine::refer_from_subnet(x, &subnet, &configuration(0));
    // The private address and the subnet stand at the first configuration only.
    let list = publics.iter().enumerate().map(|(i, public)| {
        let (address, subnet) = match i {
            0 => (json!(address), json!({ "id": subnet })),
            _ => (Value::Null, Value::Null),
        };
        json!({
            "name": format!("ipconfig{}", i + 1),
            "id": configuration(i),
            "type": "Microsoft.Network/azureFirewalls/azureFirewallIpConfigurations",
            "properties": {
                "provisioningState": "Succeeded",
                "privateIPAddress": address,
                "subnet": subnet,
                "publicIPAddress": {"id": public},
            },
        })
    });
    Ok(list.collect())
}

fn firewall_policy(x: &mut Expansion<'_>, policy: &FirewallPolicy) -> Result<(), ScenarioError> {
    let place = format!("firewallPolicies {}", policy.name);
    let id = x.id_of(&policy.head(), types::FIREWALL_POLICY);
    let base = x.link_opt(types::FIREWALL_POLICY, policy.base_policy.as_deref(), &place)?;
    if let Some(base) = base["id"].as_str() {
        let base = base.to_owned();
        x.refer(&base, "/properties/childPolicies", &id);
    }
    let mut groups = Vec::new();
    for group in &policy.groups {
        let group_id = format!("{id}/ruleCollectionGroups/{}", group.name);
        let mut collections = Vec::new();
        for collection in &group.collections {
            collections.push(rule_collection(x, collection, &format!("{place}, group {}", group.name))?);
        }
        let body = json!({
            "properties": {
                "provisioningState": "Succeeded",
                "priority": group.priority,
                "ruleCollections": collections,
            },
        });
        x.push_at(&group_id, "Microsoft.Network/firewallPolicies/ruleCollectionGroups", None, body);
        x.over_part(&group_id, "/properties", group.properties.as_ref(), group.unchecked.as_ref());
        groups.push(json!({ "id": group_id }));
    }
    let dns = match (policy.dns_proxy, policy.dns_servers.0.as_slice()) {
        (None, []) => Value::Null,
        (proxy, servers) => json!({"servers": servers, "enableProxy": proxy.unwrap_or(false)}),
    };
    let snat = policy.private_ranges.as_ref().map(|ranges| json!({"privateRanges": ranges.0}));
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "sku": {"tier": policy.tier.as_deref().unwrap_or("Standard")},
            "threatIntelMode": policy.threat_intel_mode.as_deref().unwrap_or("Alert"),
            "basePolicy": base,
            "childPolicies": [],
            "firewalls": [],
            "ruleCollectionGroups": groups,
            "dnsSettings": dns,
            "snat": snat,
        },
    });
    x.push(policy, types::FIREWALL_POLICY, body);
    Ok(())
}

fn rule_collection(
    x: &mut Expansion<'_>,
    collection: &RuleCollection,
    place: &str,
) -> Result<Value, ScenarioError> {
    let place = format!("{place}, collection {}", collection.name);
    let mut rules = Vec::new();
    for rule in &collection.network_rules {
        rules.push(network_rule(x, rule, &place)?);
    }
    for rule in &collection.application_rules {
        rules.push(application_rule(x, rule, &place)?);
    }
    rules.extend(collection.nat_rules.iter().map(nat_rule));
    let is_nat = !collection.nat_rules.is_empty();
    if is_nat && rules.len() > collection.nat_rules.len() {
        return Err(ScenarioError::invalid(place, "NAT rules stand in a collection of their own"));
    }
    let kind = if is_nat { "FirewallPolicyNatRuleCollection" } else { "FirewallPolicyFilterRuleCollection" };
    Ok(json!({
        "ruleCollectionType": kind,
        "name": collection.name,
        "priority": collection.priority,
        "action": {"type": collection.action},
        "rules": rules,
    }))
}

/// Ids of IP groups, as rules hold them.
fn ip_groups(x: &mut Expansion<'_>, names: &[String], place: &str) -> Result<Vec<String>, ScenarioError> {
    names.iter().map(|name| x.names.find(types::IP_GROUP, name, place)).collect()
}

fn any_source(source: &Texts, groups: &[String]) -> Vec<String> {
    if source.0.is_empty() && groups.is_empty() { vec!["*".to_owned()] } else { source.0.clone() }
}

fn network_rule(x: &mut Expansion<'_>, rule: &NetworkRule, place: &str) -> Result<Value, ScenarioError> {
    let from = ip_groups(x, &rule.source_ip_groups, place)?;
    let to = ip_groups(x, &rule.destination_ip_groups, place)?;
    let protocols =
        if rule.protocols.0.is_empty() { vec!["TCP".to_owned()] } else { rule.protocols.0.clone() };
    Ok(json!({
        "ruleType": "NetworkRule",
        "name": rule.name,
        "ipProtocols": protocols,
        "sourceAddresses": any_source(&rule.source, &from),
        "sourceIpGroups": from,
        "destinationAddresses": rule.destination.0,
        "destinationIpGroups": to,
        "destinationFqdns": rule.destination_fqdns.0,
        "destinationPorts": rule.ports.0,
    }))
}

fn application_rule(
    x: &mut Expansion<'_>,
    rule: &ApplicationRule,
    place: &str,
) -> Result<Value, ScenarioError> {
    let from = ip_groups(x, &rule.source_ip_groups, place)?;
    let stated =
        if rule.protocols.0.is_empty() { vec!["Https:443".to_owned()] } else { rule.protocols.0.clone() };
    let mut protocols = Vec::new();
    for text in &stated {
        let parsed = text.split_once(':').and_then(|(kind, port)| Some((kind, port.parse::<u16>().ok()?)));
        let Some((kind, port)) = parsed else {
            let message = format!("{text} is not a protocol such as Https:443");
            return Err(ScenarioError::invalid(format!("{place}, rule {}", rule.name), message));
        };
        protocols.push(json!({"protocolType": kind, "port": port}));
    }
    Ok(json!({
        "ruleType": "ApplicationRule",
        "name": rule.name,
        "protocols": protocols,
        "sourceAddresses": any_source(&rule.source, &from),
        "sourceIpGroups": from,
        "destinationAddresses": [],
        "targetFqdns": rule.fqdns.0,
        "targetUrls": [],
        "fqdnTags": rule.fqdn_tags.0,
        "webCategories": [],
        "terminateTLS": rule.terminate_tls,
    }))
}

fn nat_rule(rule: &NatRule) -> Value {
    json!({
        "ruleType": "NatRule",
        "name": rule.name,
        "ipProtocols": rule.protocols.0,
        "sourceAddresses": any_source(&rule.source, &[]),
        "sourceIpGroups": [],
        "destinationAddresses": rule.destination.0,
        "destinationPorts": rule.ports.0,
        "translatedAddress": rule.translated_address,
        "translatedPort": rule.translated_port.0.first(),
    })
}
