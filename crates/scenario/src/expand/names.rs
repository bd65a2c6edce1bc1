//! Private DNS zones, resolvers and forwarding rulesets.

use serde_json::{Value, json};

use super::expansion::Expansion;
use super::{machine, types};
use crate::error::ScenarioError;
use crate::yaml::{Described, DnsForwardingRuleset, DnsResolver, PrivateDnsZone, RecordSet};

pub(crate) fn expand(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    for zone in &x.document.private_dns_zones {
        private_dns_zone(x, zone)?;
    }
    for resolver in &x.document.dns_resolvers {
        dns_resolver(x, resolver)?;
    }
    for ruleset in &x.document.dns_forwarding_rulesets {
        dns_forwarding_ruleset(x, ruleset)?;
    }
    Ok(())
}

fn private_dns_zone(x: &mut Expansion<'_>, zone: &PrivateDnsZone) -> Result<(), ScenarioError> {
    let place = format!("privateDnsZones {}", zone.name);
    let id = x.id_of(&zone.head(), types::PRIVATE_DNS_ZONE);
    let registering = zone.links.iter().filter(|link| link.registration_enabled).count();
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "maxNumberOfRecordSets": 25000,
            "maxNumberOfVirtualNetworkLinks": 1000,
            "maxNumberOfVirtualNetworkLinksWithRegistration": 100,
            "numberOfVirtualNetworkLinks": zone.links.len(),
            "numberOfVirtualNetworkLinksWithRegistration": registering,
        },
    });
    x.push(zone, types::PRIVATE_DNS_ZONE, body);
    x.over(&id, "/location", &json!("global"), true);
    for link in &zone.links {
        let network = x.names.find(types::VIRTUAL_NETWORK, &link.virtual_network, &place)?;
        let name = link
            .name
            .clone()
            .unwrap_or_else(|| format!("link-{}", network.rsplit('/').next().unwrap_or_default()));
        let body = json!({
            "properties": {
                "provisioningState": "Succeeded",
                "registrationEnabled": link.registration_enabled,
                "resolutionPolicy": link.resolution_policy.as_deref().unwrap_or("Default"),
                "virtualNetwork": {"id": network},
                "virtualNetworkLinkState": link.state.as_deref().unwrap_or("Completed"),
            },
        });
        let link_id = format!("{id}/virtualNetworkLinks/{name}");
        let kind = "Microsoft.Network/privateDnsZones/virtualNetworkLinks";
        x.push_at(&link_id, kind, Some("global"), body);
        x.over_part(&link_id, "/properties", link.properties.as_ref(), link.unchecked.as_ref());
    }
    let soa = json!({
        "soaRecord": {
            "host": "azureprivatedns.net",
            "email": "azureprivatedns-host.microsoft.com",
            "serialNumber": 1,
            "refreshTime": 3600,
            "retryTime": 300,
            "expireTime": 2_419_200,
            "minimumTtl": 10,
        },
    });
    record_set(x, &id, "SOA", "@", 3600, false, soa);
    for record in &zone.records {
        records(x, &id, record);
    }
    Ok(())
}

fn records(x: &mut Expansion<'_>, zone: &str, record: &RecordSet) {
    let ttl = record.ttl.unwrap_or(3600);
    let mut put = |kind: &str, field: &str, values: Vec<Value>| {
        if !values.is_empty() {
            record_set(x, zone, kind, &record.name, ttl, record.auto_registered, json!({ field: values }));
        }
    };
    put("A", "aRecords", record.a.0.iter().map(|a| json!({"ipv4Address": a})).collect());
    put("AAAA", "aaaaRecords", record.aaaa.0.iter().map(|a| json!({"ipv6Address": a})).collect());
    put("TXT", "txtRecords", record.txt.0.iter().map(|t| json!({"value": [t]})).collect());
    if let Some(target) = &record.cname {
        let value = json!({"cnameRecord": {"cname": target}});
        record_set(x, zone, "CNAME", &record.name, ttl, record.auto_registered, value);
    }
}

/// A record set of a zone; `values` is the field that its type has.
pub(crate) fn record_set(
    x: &mut Expansion<'_>,
    zone: &str,
    kind: &str,
    name: &str,
    ttl: u32,
    auto_registered: bool,
    values: Value,
) {
    let zone_name = zone.rsplit('/').next().unwrap_or_default();
    let fqdn = if name == "@" { format!("{zone_name}.") } else { format!("{name}.{zone_name}.") };
    let mut properties = values;
    properties["fqdn"] = json!(fqdn);
    properties["ttl"] = json!(ttl);
    properties["isAutoRegistered"] = json!(auto_registered);
    let id = format!("{zone}/{kind}/{name}");
    x.push_at(&id, &format!("{}/{kind}", types::PRIVATE_DNS_ZONE), None, json!({ "properties": properties }));
}

fn dns_resolver(x: &mut Expansion<'_>, resolver: &DnsResolver) -> Result<(), ScenarioError> {
    let place = format!("dnsResolvers {}", resolver.name);
    let head = resolver.head();
    let (id, location) = (x.id_of(&head, types::RESOLVER), x.location(&head));
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(&id),
            "dnsResolverState": "Connected",
            "virtualNetwork": x.link(types::VIRTUAL_NETWORK, &resolver.virtual_network, &place)?,
        },
    });
    x.push(resolver, types::RESOLVER, body);
    for endpoint in &resolver.inbound_endpoints {
        let endpoint_id = format!("{id}/inboundEndpoints/{}", endpoint.name);
        let subnet = x.names.find(types::SUBNET, &endpoint.subnet, &place)?;
        let (address, method) = match &endpoint.address {
            Some(address) => (address.clone(), "Static"),
            None => (x.addresses.next(&subnet, &place)?, "Dynamic"),
        };
        machine::refer_from_subnet(x, &subnet, &endpoint_id);
        let body = json!({
            "properties": {
                "provisioningState": "Succeeded",
                "resourceGuid": x.guid(&endpoint_id),
                "ipConfigurations": [{
                    "subnet": {"id": subnet},
                    "privateIpAddress": address,
                    "privateIpAllocationMethod": method,
                }],
            },
        });
        x.push_at(&endpoint_id, "Microsoft.Network/dnsResolvers/inboundEndpoints", Some(&location), body);
    }
    for endpoint in &resolver.outbound_endpoints {
        let endpoint_id = format!("{id}/outboundEndpoints/{}", endpoint.name);
        let body = json!({
            "properties": {
                "provisioningState": "Succeeded",
                "resourceGuid": x.guid(&endpoint_id),
                "subnet": x.link(types::SUBNET, &endpoint.subnet, &place)?,
            },
        });
        x.push_at(&endpoint_id, types::OUTBOUND_ENDPOINT, Some(&location), body);
    }
    Ok(())
}

fn dns_forwarding_ruleset(
    x: &mut Expansion<'_>,
    ruleset: &DnsForwardingRuleset,
) -> Result<(), ScenarioError> {
    let place = format!("dnsForwardingRulesets {}", ruleset.name);
    let id = x.id_of(&ruleset.head(), types::RULESET);
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(&id),
            "dnsResolverOutboundEndpoints":
                x.links(types::OUTBOUND_ENDPOINT, &ruleset.outbound_endpoints, &place)?,
        },
    });
    x.push(ruleset, types::RULESET, body);
    for rule in &ruleset.rules {
        let mut targets = Vec::new();
        for target in &rule.targets.0 {
            let (address, port) = match target.rsplit_once(':') {
                Some((address, port)) => (address, port.parse::<u16>().ok()),
                None => (target.as_str(), Some(53)),
            };
            let port = port.ok_or_else(|| {
                ScenarioError::invalid(
                    format!("{place}, rule {}", rule.name),
                    format!("{target} is no target"),
                )
            })?;
            targets.push(json!({"ipAddress": address, "port": port}));
        }
        let dot = if rule.domain.ends_with('.') { "" } else { "." };
        let body = json!({
            "properties": {
                "provisioningState": "Succeeded",
                "domainName": format!("{}{dot}", rule.domain),
                "targetDnsServers": targets,
                "forwardingRuleState": rule.state.as_deref().unwrap_or("Enabled"),
            },
        });
        let rule_id = format!("{id}/forwardingRules/{}", rule.name);
        x.push_at(&rule_id, "Microsoft.Network/dnsForwardingRulesets/forwardingRules", None, body);
    }
    for link in &ruleset.links {
        let network = x.names.find(types::VIRTUAL_NETWORK, &link.virtual_network, &place)?;
        let name = link
            .name
            .clone()
            .unwrap_or_else(|| format!("link-{}", network.rsplit('/').next().unwrap_or_default()));
        let body = json!({
            "properties": {"provisioningState": "Succeeded", "virtualNetwork": {"id": network}},
        });
        let link_id = format!("{id}/virtualNetworkLinks/{name}");
        x.push_at(&link_id, "Microsoft.Network/dnsForwardingRulesets/virtualNetworkLinks", None, body);
    }
    Ok(())
}
