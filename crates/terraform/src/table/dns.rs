//! Private endpoints, private DNS, resolvers (terraform-mapping.md §4.2). What Azure makes of an endpoint by itself
//! (interface, records) is in `derive::endpoint`.

use serde_json::{Value, json};

use super::Place::Append;
use super::Unset::{Empty, Flag, Number, Text};
use super::apply::Build;
use super::virtual_network::network;
use super::{How, Row, finished, how, how_or, into, or, same, whole};
use crate::value::{is_tail, is_unset};

macro_rules! record {
    ($tf:literal, $kind:literal) => {
        finished(
            whole(
                concat!("azurerm_private_dns_", $tf, "_record"),
                concat!("Microsoft.Network/privateDnsZones/", $kind),
                &[
                    concat!("{private_dns_zone_id}/", $kind, "/{name}"),
                    network!("privateDnsZones/{zone_name}/", $kind, "/{name}"),
                ],
                &[same(&["ttl"], "/properties/ttl"), or(&[], "/properties/isAutoRegistered", Flag(false))],
            ),
            |build| records(build, $kind),
        )
    };
}

pub(super) const ROWS: &[Row] = &[
    finished(
        whole(
            "azurerm_private_endpoint",
            "Microsoft.Network/privateEndpoints",
            &[network!("privateEndpoints/{name}")],
            &[
                same(&["location"], "/location"),
                how(&["subnet_id"], "/properties/subnet", How::Ref),
                same(&["custom_network_interface_name"], "/properties/customNetworkInterfaceName"),
                how_or(
                    &["ip_configuration"],
                    "/properties/ipConfigurations",
                    How::Each(&[
                        same(&["name"], "/name"),
                        same(&["private_ip_address"], "/properties/privateIPAddress"),
                        same(&["subresource_name"], "/properties/groupId"),
                        same(&["member_name", "subresource_name"], "/properties/memberName"),
                    ]),
                    Empty,
                ),
                or(&[], "/properties/applicationSecurityGroups", Empty),
                how_or(
                    &["custom_dns_configs"],
                    "/properties/customDnsConfigs",
                    How::Each(&[same(&["fqdn"], "/fqdn"), same(&["ip_addresses"], "/ipAddresses")]),
                    Empty,
                ),
            ],
        ),
        endpoint,
    ),
    into(
        "azurerm_private_endpoint_application_security_group_association",
        "Microsoft.Network/privateEndpoints",
        &["{private_endpoint_id}"],
        Append("/properties/applicationSecurityGroups"),
        &[same(&["application_security_group_id"], "/id")],
    ),
    whole(
        "azurerm_private_dns_zone",
        "Microsoft.Network/privateDnsZones",
        &[network!("privateDnsZones/{name}")],
        &[or(&[], "/location", Text("global")), or(&[], "/properties/provisioningState", Text("Succeeded"))],
    ),
    whole(
        "azurerm_private_dns_zone_virtual_network_link",
        "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
        &[
            "{private_dns_zone_id}/virtualNetworkLinks/{name}",
            network!("privateDnsZones/{private_dns_zone_name}/virtualNetworkLinks/{name}"),
        ],
        &[
            how(&["virtual_network_id"], "/properties/virtualNetwork", How::Ref),
            or(&["registration_enabled"], "/properties/registrationEnabled", Flag(false)),
            or(&["resolution_policy"], "/properties/resolutionPolicy", Text("Default")),
            // After a successful apply.
            or(&[], "/properties/virtualNetworkLinkState", Text("Completed")),
        ],
    ),
    record!("a", "A"),
    record!("aaaa", "AAAA"),
    record!("cname", "CNAME"),
    record!("mx", "MX"),
    record!("ptr", "PTR"),
    record!("srv", "SRV"),
    record!("txt", "TXT"),
    whole(
        "azurerm_private_dns_resolver",
        "Microsoft.Network/dnsResolvers",
        &[network!("dnsResolvers/{name}")],
        &[
            same(&["location"], "/location"),
            how(&["virtual_network_id"], "/properties/virtualNetwork", How::Ref),
        ],
    ),
    finished(
        whole(
            "azurerm_private_dns_resolver_inbound_endpoint",
            "Microsoft.Network/dnsResolvers/inboundEndpoints",
            &["{private_dns_resolver_id}/inboundEndpoints/{name}"],
            &[same(&["location"], "/location")],
        ),
        inbound,
    ),
    whole(
        "azurerm_private_dns_resolver_outbound_endpoint",
        "Microsoft.Network/dnsResolvers/outboundEndpoints",
        &["{private_dns_resolver_id}/outboundEndpoints/{name}"],
        &[same(&["location"], "/location"), how(&["subnet_id"], "/properties/subnet", How::Ref)],
    ),
    whole(
        "azurerm_private_dns_resolver_dns_forwarding_ruleset",
        "Microsoft.Network/dnsForwardingRulesets",
        &[network!("dnsForwardingRulesets/{name}")],
        &[
            same(&["location"], "/location"),
            how(
                &["private_dns_resolver_outbound_endpoint_ids"],
                "/properties/dnsResolverOutboundEndpoints",
                How::Refs,
            ),
        ],
    ),
    whole(
        "azurerm_private_dns_resolver_forwarding_rule",
        "Microsoft.Network/dnsForwardingRulesets/forwardingRules",
        &["{dns_forwarding_ruleset_id}/forwardingRules/{name}"],
        &[
            same(&["domain_name"], "/properties/domainName"),
            how_or(
                &["enabled"],
                "/properties/forwardingRuleState",
                How::Words("Enabled", "Disabled"),
                Text("Enabled"),
            ),
            how(
                &["target_dns_servers"],
                "/properties/targetDnsServers",
                // D84.
                How::Each(&[same(&["ip_address"], "/ipAddress"), or(&["port"], "/port", Number(53))]),
            ),
        ],
    ),
    whole(
        "azurerm_private_dns_resolver_virtual_network_link",
        "Microsoft.Network/dnsForwardingRulesets/virtualNetworkLinks",
        &["{dns_forwarding_ruleset_id}/virtualNetworkLinks/{name}"],
        &[how(&["virtual_network_id"], "/properties/virtualNetwork", How::Ref)],
    ),
    whole(
        "azurerm_private_link_service",
        "Microsoft.Network/privateLinkServices",
        &[network!("privateLinkServices/{name}")],
        &[
            same(&["location"], "/location"),
            how(
                &["load_balancer_frontend_ip_configuration_ids"],
                "/properties/loadBalancerFrontendIpConfigurations",
                How::Refs,
            ),
            how(
                &["nat_ip_configuration"],
                "/properties/ipConfigurations",
                How::Each(&[same(&["name"], "/name"), how(&["subnet_id"], "/properties/subnet", How::Ref)]),
            ),
        ],
    ),
];

/// A75: a connection that is not manual is approved by whoever applies; a manual one waits.
fn endpoint(build: &mut Build<'_>) {
    let (mut automatic, mut manual) = (Vec::new(), Vec::new());
    let mut open = None;
    if let Some(hole) = build.value.get("private_service_connection")
        && pullproof_snapshot::hole::hole(hole).is_some()
    {
        open = Some(hole.clone());
    }
    for block in build.blocks("private_service_connection") {
        let set = |name: &str| block.get(name).filter(|v| !is_unset(Some(v))).cloned();
        let target = set("private_connection_resource_id").or(set("private_connection_resource_alias"));
        let is_manual = block.get("is_manual_connection").and_then(Value::as_bool) == Some(true);
        let json = json!({
            "name": block.get("name").cloned().unwrap_or_default(),
            "properties": {
                "provisioningState": "Succeeded",
                "privateLinkServiceId": target,
                "groupIds": set("subresource_names").unwrap_or(json!([])),
                "privateLinkServiceConnectionState": {
                    "status": if is_manual { "Pending" } else { "Approved" }
                },
            },
        });
        if is_manual { manual.push(json) } else { automatic.push(json) }
    }
    automatic.extend(open);
    build.set("/properties/privateLinkServiceConnections", Value::Array(automatic));
    build.set("/properties/manualPrivateLinkServiceConnections", Value::Array(manual));
    for block in build.blocks("private_dns_zone_group").to_vec() {
        let Some(name) = block.get("name").and_then(Value::as_str).map(str::to_owned) else { continue };
        let ids = block.get("private_dns_zone_ids");
        let configs: Vec<Value> = match ids {
            Some(Value::Array(ids)) => ids.iter().map(|zone| zone_config(build, zone)).collect(),
            Some(hole) => vec![hole.clone()],
            None => Vec::new(),
        };
        let id = format!("{}/privateDnsZoneGroups/{name}", build.id);
        let json = json!({
            "id": id,
            "name": name,
            "type": "Microsoft.Network/privateEndpoints/privateDnsZoneGroups",
            "properties": { "privateDnsZoneConfigs": configs },
        });
        build.beside.push((id, "Microsoft.Network/privateEndpoints/privateDnsZoneGroups", json));
    }
}

/// A zone of a group, with the records that a state knows already.
fn zone_config(build: &Build<'_>, zone: &Value) -> Value {
    let Some(id) = zone.as_str() else { return zone.clone() };
    let known = build.blocks("private_dns_zone_configs").iter().find(|config| {
        let theirs = config.get("private_dns_zone_id").and_then(Value::as_str);
        theirs.is_some_and(|theirs| theirs.eq_ignore_ascii_case(id))
    });
    let sets = known.and_then(|config| config.get("record_sets")).and_then(Value::as_array);
    let sets: Vec<Value> = sets
        .into_iter()
        .flatten()
        .map(|set| {
            json!({
                "recordType": set.get("type"),
                "recordSetName": set.get("name"),
                "fqdn": set.get("fqdn"),
                "ipAddresses": set.get("ip_addresses"),
                "provisioningState": "Succeeded",
            })
        })
        .collect();
    let name = id.rsplit('/').next().unwrap_or_default().replace('.', "-");
    json!({ "name": name, "properties": { "privateDnsZoneId": id, "recordSets": sets } })
}

/// The records of a set, in ARM's form.
fn records(build: &mut Build<'_>, kind: &str) {
    match kind {
        "A" | "AAAA" => {
            let (pointer, key) = if kind == "A" {
                ("/properties/aRecords", "ipv4Address")
            } else {
                ("/properties/aaaaRecords", "ipv6Address")
            };
            let list = match build.get("records") {
                Some(Value::Array(items)) => Value::Array(
                    items
                        .iter()
                        .map(|item| if is_tail(item) { item.clone() } else { json!({ key: item }) })
                        .collect(),
                ),
                Some(hole) => hole.clone(),
                None => json!([]),
            };
            build.set(pointer, list);
        }
        "CNAME" => {
            let target = build.get("record").cloned().unwrap_or_default();
            build.set("/properties/cnameRecord/cname", target);
        }
        _ => {}
    }
}

fn inbound(build: &mut Build<'_>) {
    let mut configs = Vec::new();
    for (n, block) in build.blocks("ip_configurations").iter().enumerate() {
        let subnet = block.get("subnet_id").cloned().unwrap_or_default();
        let fixed = block.get("private_ip_address").filter(|v| !is_unset(Some(v))).cloned();
        let address = fixed.unwrap_or_else(|| {
            build.chosen(&format!("ip_configurations[{n}].private_ip_address"), Some(&subnet))
        });
        let method = block.get("private_ip_allocation_method").and_then(Value::as_str).unwrap_or("Dynamic");
        configs.push(json!({
            "subnet": { "id": subnet },
            "privateIpAddress": address,
            "privateIpAllocationMethod": method,
        }));
    }
    build.set("/properties/ipConfigurations", Value::Array(configs));
}
