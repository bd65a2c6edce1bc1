//! Gateways, connections, circuits (terraform-mapping.md §4.4).

use serde_json::{Value, json};

use super::Place::{Append, Nothing};
use super::Unset::{Empty, Flag, Text};
use super::apply::Build;
use super::virtual_network::network;
use super::{How, Row, finished, how, how_or, into, or, same, whole};
use crate::value::is_unset;

pub(super) const ROWS: &[Row] = &[
    finished(
        whole(
            "azurerm_virtual_network_gateway",
            "Microsoft.Network/virtualNetworkGateways",
            &[network!("virtualNetworkGateways/{name}")],
            &[
                same(&["location"], "/location"),
                same(&["type"], "/properties/gatewayType"),
                or(&["vpn_type"], "/properties/vpnType", Text("RouteBased")),
                same(&["sku"], "/properties/sku/name"),
                or(&["active_active"], "/properties/activeActive", Flag(false)),
                or(&["bgp_enabled", "enable_bgp"], "/properties/enableBgp", Flag(false)),
                how(
                    &["bgp_settings"],
                    "/properties/bgpSettings",
                    How::One(&[same(&["asn"], "/asn"), same(&["peering_addresses"], "/peeringAddresses")]),
                ),
                how(&["default_local_network_gateway_id"], "/properties/gatewayDefaultSite", How::Ref),
                how(
                    &["custom_route"],
                    "/properties/customRoutes",
                    How::One(&[same(&["address_prefixes"], "/addressPrefixes")]),
                ),
                how(
                    &["vpn_client_configuration"],
                    "/properties/vpnClientConfiguration",
                    How::One(&[same(&["address_space"], "/vpnClientAddressPool/addressPrefixes")]),
                ),
                or(&["remote_vnet_traffic_enabled"], "/properties/allowRemoteVnetTraffic", Flag(false)),
                or(&["virtual_wan_traffic_enabled"], "/properties/allowVirtualWanTraffic", Flag(false)),
                or(&["private_ip_address_enabled"], "/properties/enablePrivateIpAddress", Flag(false)),
            ],
        ),
        gateway,
    ),
    whole(
        "azurerm_virtual_network_gateway_nat_rule",
        "Microsoft.Network/virtualNetworkGateways/natRules",
        &["{virtual_network_gateway_id}/natRules/{name}"],
        &[same(&["mode"], "/properties/mode"), same(&["type"], "/properties/type")],
    ),
    whole(
        "azurerm_virtual_network_gateway_connection",
        "Microsoft.Network/connections",
        &[network!("connections/{name}")],
        &[
            same(&["location"], "/location"),
            same(&["type"], "/properties/connectionType"),
            or(&["bgp_enabled", "enable_bgp"], "/properties/enableBgp", Flag(false)),
            how(&["virtual_network_gateway_id"], "/properties/virtualNetworkGateway1", How::Ref),
            how(&["peer_virtual_network_gateway_id"], "/properties/virtualNetworkGateway2", How::Ref),
            how(&["local_network_gateway_id"], "/properties/localNetworkGateway2", How::Ref),
            how(&["express_route_circuit_id"], "/properties/peer", How::Ref),
            same(&["routing_weight"], "/properties/routingWeight"),
            same(&["express_route_gateway_bypass"], "/properties/expressRouteGatewayBypass"),
            same(&["private_link_fast_path_enabled"], "/properties/enablePrivateLinkFastPath"),
            same(&["use_policy_based_traffic_selectors"], "/properties/usePolicyBasedTrafficSelectors"),
            how(
                &["traffic_selector_policy"],
                "/properties/trafficSelectorPolicies",
                How::Each(&[
                    same(&["local_address_cidrs"], "/localAddressRanges"),
                    same(&["remote_address_cidrs"], "/remoteAddressRanges"),
                ]),
            ),
            how(&["ingress_nat_rule_ids"], "/properties/ingressNatRules", How::Refs),
            how(&["egress_nat_rule_ids"], "/properties/egressNatRules", How::Refs),
        ],
    ),
    whole(
        "azurerm_local_network_gateway",
        "Microsoft.Network/localNetworkGateways",
        &[network!("localNetworkGateways/{name}")],
        &[
            same(&["location"], "/location"),
            or(&["address_space"], "/properties/localNetworkAddressSpace/addressPrefixes", Empty),
            same(&["gateway_address"], "/properties/gatewayIpAddress"),
            same(&["gateway_fqdn"], "/properties/fqdn"),
            how(
                &["bgp_settings"],
                "/properties/bgpSettings",
                How::One(&[same(&["asn"], "/asn"), same(&["bgp_peering_address"], "/bgpPeeringAddress")]),
            ),
        ],
    ),
    whole(
        "azurerm_express_route_circuit",
        "Microsoft.Network/expressRouteCircuits",
        &[network!("expressRouteCircuits/{name}")],
        &[same(&["location"], "/location"), how_or(&[], "/properties/peerings", How::Same, Empty)],
    ),
    into(
        "azurerm_express_route_circuit_peering",
        "Microsoft.Network/expressRouteCircuits",
        &[network!("expressRouteCircuits/{express_route_circuit_name}")],
        Append("/properties/peerings"),
        &[
            same(&["peering_type"], "/name"),
            same(&["peering_type"], "/properties/peeringType"),
            or(&[], "/properties/state", Text("Enabled")),
        ],
    ),
    into("azurerm_express_route_circuit_authorization", "", &[], Nothing, &[]),
    into("azurerm_express_route_port", "", &[], Nothing, &[]),
    into("azurerm_express_route_port_authorization", "", &[], Nothing, &[]),
];

fn gateway(build: &mut Build<'_>) {
    let mut configs = Vec::new();
    for (n, block) in build.blocks("ip_configuration").iter().enumerate() {
        let set = |name: &str| block.get(name).filter(|v| !is_unset(Some(v))).cloned();
        let subnet = set("subnet_id");
        let mut properties = json!({});
        if let Some(subnet) = &subnet {
            properties["subnet"] = json!({ "id": subnet });
            let path = format!("ip_configuration[{n}].private_ip_address");
            properties["privateIPAddress"] = build.chosen(&path, Some(subnet));
        }
        if let Some(public) = set("public_ip_address_id") {
            properties["publicIPAddress"] = json!({ "id": public });
        }
        configs.push(json!({ "name": block.get("name"), "properties": properties }));
    }
    build.set("/properties/ipConfigurations", Value::Array(configs));
}
