//! Virtual networks, subnets, peerings, routes, security groups, interfaces (terraform-mapping.md §4.1).

use serde_json::{Value, json};

use super::Place::{Append, Nothing, Set};
use super::Unset::{Empty, Flag, Text};
use super::apply::{Build, moves};
use super::{How, Move, Row, finished, how, how_or, into, or, same, whole};
use crate::value::is_unset;

macro_rules! network {
    ($($tail:tt)*) => {
        concat!("/subscriptions/{sub}/resourceGroups/{resource_group_name}/providers/Microsoft.Network/", $($tail)*)
    };
}
pub(super) use network;

pub(super) const ROWS: &[Row] = &[
    whole(
        "azurerm_resource_group",
        "Microsoft.Resources/resourceGroups",
        &["/subscriptions/{sub}/resourceGroups/{name}"],
        &[same(&["location"], "/location")],
    ),
    finished(
        whole(
            "azurerm_virtual_network",
            "Microsoft.Network/virtualNetworks",
            &[network!("virtualNetworks/{name}")],
            &[
                same(&["location"], "/location"),
                same(&["address_space"], "/properties/addressSpace/addressPrefixes"),
                same(&["dns_servers"], "/properties/dhcpOptions/dnsServers"),
                or(
                    &["private_endpoint_vnet_policies"],
                    "/properties/privateEndpointVNetPolicies",
                    Text("Disabled"),
                ),
                how(
                    &["encryption"],
                    "/properties/encryption",
                    How::One(&[or(&[], "/enabled", Flag(true)), same(&["enforcement"], "/enforcement")]),
                ),
            ],
        ),
        network_parts,
    ),
    into(
        "azurerm_virtual_network_dns_servers",
        "Microsoft.Network/virtualNetworks",
        &["{virtual_network_id}"],
        Set("/properties/dhcpOptions/dnsServers"),
        &[or(&["dns_servers"], "", Empty)],
    ),
    finished(
        whole(
            "azurerm_subnet",
            "Microsoft.Network/virtualNetworks/subnets",
            &[network!("virtualNetworks/{virtual_network_name}/subnets/{name}")],
            SUBNET,
        ),
        subnet,
    ),
    into(
        "azurerm_subnet_route_table_association",
        "Microsoft.Network/virtualNetworks/subnets",
        &["{subnet_id}"],
        Set("/properties/routeTable"),
        &[same(&["route_table_id"], "/id")],
    ),
    into(
        "azurerm_subnet_network_security_group_association",
        "Microsoft.Network/virtualNetworks/subnets",
        &["{subnet_id}"],
        Set("/properties/networkSecurityGroup"),
        &[same(&["network_security_group_id"], "/id")],
    ),
    into(
        "azurerm_subnet_nat_gateway_association",
        "Microsoft.Network/virtualNetworks/subnets",
        &["{subnet_id}"],
        Set("/properties/natGateway"),
        &[same(&["nat_gateway_id"], "/id")],
    ),
    whole(
        "azurerm_virtual_network_peering",
        "Microsoft.Network/virtualNetworks/virtualNetworkPeerings",
        &[network!("virtualNetworks/{virtual_network_name}/virtualNetworkPeerings/{name}")],
        // R244.
        &[
            how(&["remote_virtual_network_id"], "/properties/remoteVirtualNetwork", How::Ref),
            or(&["allow_virtual_network_access"], "/properties/allowVirtualNetworkAccess", Flag(true)),
            or(&["allow_forwarded_traffic"], "/properties/allowForwardedTraffic", Flag(false)),
            or(&["allow_gateway_transit"], "/properties/allowGatewayTransit", Flag(false)),
            or(&["use_remote_gateways"], "/properties/useRemoteGateways", Flag(false)),
            or(&["peer_complete_virtual_networks_enabled"], "/properties/peerCompleteVnets", Flag(true)),
            same(&["local_subnet_names"], "/properties/localSubnetNames"),
            same(&["remote_subnet_names"], "/properties/remoteSubnetNames"),
            same(&["only_ipv6_peering_enabled"], "/properties/enableOnlyIPv6Peering"),
        ],
    ),
    whole(
        "azurerm_route_table",
        "Microsoft.Network/routeTables",
        &[network!("routeTables/{name}")],
        &[
            same(&["location"], "/location"),
            same(&["disable_bgp_route_propagation"], "/properties/disableBgpRoutePropagation"),
            how(&["bgp_route_propagation_enabled"], "/properties/disableBgpRoutePropagation", How::Not),
            how_or(
                &["route"],
                "/properties/routes",
                How::Each(&[same(&["name"], "/name"), ROUTE_PREFIX, ROUTE_TYPE, ROUTE_HOP]),
                Empty,
            ),
        ],
    ),
    whole(
        "azurerm_route",
        "Microsoft.Network/routeTables/routes",
        &[network!("routeTables/{route_table_name}/routes/{name}")],
        &[ROUTE_PREFIX, ROUTE_TYPE, ROUTE_HOP],
    ),
    whole(
        "azurerm_application_security_group",
        "Microsoft.Network/applicationSecurityGroups",
        &[network!("applicationSecurityGroups/{name}")],
        &[same(&["location"], "/location"), or(&[], "/properties/provisioningState", Text("Succeeded"))],
    ),
    finished(
        whole(
            "azurerm_network_security_group",
            "Microsoft.Network/networkSecurityGroups",
            &[network!("networkSecurityGroups/{name}")],
            &[same(&["location"], "/location")],
        ),
        group,
    ),
    finished(
        whole(
            "azurerm_network_security_rule",
            "Microsoft.Network/networkSecurityGroups/securityRules",
            &[network!("networkSecurityGroups/{network_security_group_name}/securityRules/{name}")],
            RULE,
        ),
        |build| any_address_is_one_value(&mut build.json),
    ),
    finished(
        whole(
            "azurerm_network_interface",
            "Microsoft.Network/networkInterfaces",
            &[network!("networkInterfaces/{name}")],
            &[
                same(&["location"], "/location"),
                or(
                    &["ip_forwarding_enabled", "enable_ip_forwarding"],
                    "/properties/enableIPForwarding",
                    Flag(false),
                ),
                or(&["dns_servers"], "/properties/dnsSettings/dnsServers", Empty),
            ],
        ),
        interface,
    ),
    into(
        "azurerm_network_interface_security_group_association",
        "Microsoft.Network/networkInterfaces",
        &["{network_interface_id}"],
        Set("/properties/networkSecurityGroup"),
        &[same(&["network_security_group_id"], "/id")],
    ),
    into(
        "azurerm_network_interface_application_security_group_association",
        "Microsoft.Network/networkInterfaces",
        &["{network_interface_id}"],
        Append("/properties/ipConfigurations/*/properties/applicationSecurityGroups"),
        &[same(&["application_security_group_id"], "/id")],
    ),
    into(
        "azurerm_network_interface_backend_address_pool_association",
        "Microsoft.Network/networkInterfaces",
        &["{network_interface_id}"],
        Append(
            "/properties/ipConfigurations/{ip_configuration_name}/properties/loadBalancerBackendAddressPools",
        ),
        &[same(&["backend_address_pool_id"], "/id")],
    ),
    into("azurerm_network_interface_nat_rule_association", "", &[], Nothing, &[]),
    whole(
        "azurerm_ip_group",
        "Microsoft.Network/ipGroups",
        &[network!("ipGroups/{name}")],
        &[same(&["location"], "/location"), or(&["cidrs"], "/properties/ipAddresses", Empty)],
    ),
    into(
        "azurerm_ip_group_cidr",
        "Microsoft.Network/ipGroups",
        &["{ip_group_id}"],
        Append("/properties/ipAddresses"),
        &[same(&["cidr"], "")],
    ),
    whole(
        "azurerm_subnet_service_endpoint_storage_policy",
        "Microsoft.Network/serviceEndpointPolicies",
        &[network!("serviceEndpointPolicies/{name}")],
        &[
            same(&["location"], "/location"),
            how_or(
                &["definition"],
                "/properties/serviceEndpointPolicyDefinitions",
                How::Each(&[
                    same(&["name"], "/name"),
                    or(&["service"], "/properties/service", Text("Microsoft.Storage")),
                    same(&["service_resources"], "/properties/serviceResources"),
                ]),
                Empty,
            ),
        ],
    ),
];

const ROUTE_PREFIX: Move = same(&["address_prefix"], "/properties/addressPrefix");
const ROUTE_TYPE: Move = same(&["next_hop_type"], "/properties/nextHopType");
const ROUTE_HOP: Move = same(&["next_hop_in_ip_address"], "/properties/nextHopIpAddress");

const SUBNET: &[Move] = &[
    same(&["address_prefixes"], "/properties/addressPrefixes"),
    same(&["address_prefix"], "/properties/addressPrefix"),
    or(&["default_outbound_access_enabled"], "/properties/defaultOutboundAccess", Flag(true)),
    how(&["route_table_id"], "/properties/routeTable", How::Ref),
    how(&["network_security_group_id", "security_group"], "/properties/networkSecurityGroup", How::Ref),
    how(&["service_endpoint_policy_ids"], "/properties/serviceEndpointPolicies", How::Refs),
    how(
        &["service_endpoint"],
        "/properties/serviceEndpoints",
        How::Each(&[same(&["service"], "/service"), same(&["network_identifier"], "/networkIdentifier/id")]),
    ),
    how_or(
        &["delegation"],
        "/properties/delegations",
        How::Each(&[
            same(&["name"], "/name"),
            how(&["service_delegation"], "/properties", How::One(&[same(&["name"], "/serviceName")])),
        ]),
        Empty,
    ),
    same(&["private_endpoint_network_policies"], "/properties/privateEndpointNetworkPolicies"),
    how(
        &["private_link_service_network_policies_enabled"],
        "/properties/privateLinkServiceNetworkPolicies",
        How::Words("Enabled", "Disabled"),
    ),
    how(
        &["enforce_private_link_service_network_policies"],
        "/properties/privateLinkServiceNetworkPolicies",
        How::Words("Disabled", "Enabled"),
    ),
];

/// F21, F22: singular and plural forms are merged by ARM.
const RULE: &[Move] = &[
    same(&["priority"], "/properties/priority"),
    same(&["direction"], "/properties/direction"),
    same(&["access"], "/properties/access"),
    same(&["protocol"], "/properties/protocol"),
    same(&["source_port_range"], "/properties/sourcePortRange"),
    same(&["source_port_ranges"], "/properties/sourcePortRanges"),
    same(&["destination_port_range"], "/properties/destinationPortRange"),
    same(&["destination_port_ranges"], "/properties/destinationPortRanges"),
    same(&["source_address_prefix"], "/properties/sourceAddressPrefix"),
    same(&["source_address_prefixes"], "/properties/sourceAddressPrefixes"),
    same(&["destination_address_prefix"], "/properties/destinationAddressPrefix"),
    same(&["destination_address_prefixes"], "/properties/destinationAddressPrefixes"),
    how(&["source_application_security_group_ids"], "/properties/sourceApplicationSecurityGroups", How::Refs),
    how(
        &["destination_application_security_group_ids"],
        "/properties/destinationApplicationSecurityGroups",
        How::Refs,
    ),
];

/// Inline subnets, and the lists that separate resources fill.
fn network_parts(build: &mut Build<'_>) {
    let mut subnets = Vec::new();
    for block in build.blocks("subnet") {
        let mut json = json!({ "name": block.get("name").cloned().unwrap_or_default() });
        moves(SUBNET, block, &mut json);
        subnet_endpoints(block, &mut json);
        policies(block, &mut json);
        subnets.push(json);
    }
    let inline = build.value.get("subnet").filter(|v| pullproof_snapshot::hole::hole(v).is_some()).cloned();
    build.set("/properties/subnets", inline.unwrap_or(Value::Array(subnets)));
    build.set("/properties/virtualNetworkPeerings", json!([]));
    if !build.blocks("ip_address_pool").is_empty() && build.get("address_space").is_none() {
        let hole = build.chosen("address_space", None);
        build.set("/properties/addressSpace/addressPrefixes", hole);
    }
}

fn subnet(build: &mut Build<'_>) {
    let value = build.value;
    subnet_endpoints(value, &mut build.json);
    policies(value, &mut build.json);
    let pooled = !build.blocks("ip_address_pool").is_empty() && build.get("address_prefixes").is_none();
    if pooled {
        let hole = build.chosen("address_prefixes", None);
        build.set("/properties/addressPrefixes", hole);
    }
}

/// `service_endpoints` up to 4.x: names.
fn subnet_endpoints(value: &Value, out: &mut Value) {
    let Some(names) = value.get("service_endpoints").filter(|v| !is_unset(Some(v))) else { return };
    let list = match names {
        Value::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| match item {
                    Value::String(name) => json!({ "service": name }),
                    Value::Object(map) if map.contains_key("service") => json!({ "service": map["service"] }),
                    other => other.clone(),
                })
                .collect(),
        ),
        other => other.clone(),
    };
    super::apply::set(out, "/properties/serviceEndpoints", list);
}

/// Policies of private endpoints (§3.1): three spellings in 3.x, where none is set "Enabled" is sent; later only the
/// text, "Disabled" by default. The plan of 4.x and 5.x always shows its default, so what is absent is 3.x.
fn policies(value: &Value, out: &mut Value) {
    const POINTER: &str = "/properties/privateEndpointNetworkPolicies";
    if out.pointer(POINTER).is_some_and(|v| !v.is_null()) {
        return;
    }
    let flag = |name: &str| value.get(name).and_then(Value::as_bool);
    let enabled = match (
        flag("private_endpoint_network_policies_enabled"),
        flag("enforce_private_link_endpoint_network_policies"),
    ) {
        (Some(enabled), _) => enabled,
        (None, Some(enforce)) => !enforce,
        (None, None) if value.get("private_endpoint_network_policies_enabled").is_some() => {
            let hole = value.get("private_endpoint_network_policies_enabled").cloned().unwrap_or_default();
            if pullproof_snapshot::hole::hole(&hole).is_some() {
                super::apply::set(out, POINTER, hole);
                return;
            }
            true
        }
        // An inline subnet of 3.x has no such argument; Azure's default is Disabled for it.
        (None, None) if value.get("virtual_network_name").is_none() => false,
        (None, None) => true,
    };
    super::apply::set(out, POINTER, json!(if enabled { "Enabled" } else { "Disabled" }));
}

fn group(build: &mut Build<'_>) {
    let rules = match build.value.get("security_rule") {
        Some(Value::Array(blocks)) => Value::Array(
            blocks
                .iter()
                .map(|block| {
                    if pullproof_snapshot::hole::hole(block).is_some() {
                        return block.clone();
                    }
                    let mut json = json!({ "name": block.get("name").cloned().unwrap_or_default() });
                    moves(RULE, block, &mut json);
                    any_address_is_one_value(&mut json);
                    json
                })
                .collect(),
        ),
        Some(hole) if pullproof_snapshot::hole::hole(hole).is_some() => hole.clone(),
        _ => json!([]),
    };
    build.set("/properties/securityRules", rules);
}

/// Empty plural lists beside a singular value say nothing (inline rules have `[]` for "not set").
fn any_address_is_one_value(rule: &mut Value) {
    let Some(properties) = rule.get_mut("properties").and_then(Value::as_object_mut) else { return };
    properties.retain(|_, value| !value.as_array().is_some_and(Vec::is_empty));
}

fn interface(build: &mut Build<'_>) {
    let mut configs = Vec::new();
    for (n, block) in build.blocks("ip_configuration").iter().enumerate() {
        let subnet = block.get("subnet_id").cloned().unwrap_or_default();
        let fixed = block.get("private_ip_address").filter(|v| !is_unset(Some(v))).cloned();
        let address = fixed.unwrap_or_else(|| {
            build.chosen(&format!("ip_configuration[{n}].private_ip_address"), Some(&subnet))
        });
        let mut json = json!({
            "name": block.get("name").cloned().unwrap_or_default(),
            "properties": {
                "subnet": { "id": subnet },
                "privateIPAddress": address,
                "privateIPAllocationMethod": block.get("private_ip_address_allocation").cloned().unwrap_or_default(),
                "primary": block.get("primary").cloned().unwrap_or_default(),
                "applicationSecurityGroups": [],
                "loadBalancerBackendAddressPools": [],
            },
        });
        if let Some(public) = block.get("public_ip_address_id").filter(|v| !is_unset(Some(v))) {
            super::apply::set(&mut json, "/properties/publicIPAddress", json!({ "id": public }));
        }
        configs.push(json);
    }
    build.set("/properties/ipConfigurations", Value::Array(configs));
}
