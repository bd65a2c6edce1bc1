//! Virtual WAN and Route Server (terraform-mapping.md §4.1, §4.4).

use serde_json::{Value, json};

use super::Unset::{Empty, Flag, Text};
use super::apply::Build;
use super::virtual_network::network;
use super::{How, Move, Row, finished, how, how_or, or, same, whole};
use crate::value::is_unset;

pub(super) const ROWS: &[Row] = &[
    whole(
        "azurerm_virtual_wan",
        "Microsoft.Network/virtualWans",
        &[network!("virtualWans/{name}")],
        &[
            same(&["location"], "/location"),
            or(&["type"], "/properties/type", Text("Standard")),
            or(&["allow_branch_to_branch_traffic"], "/properties/allowBranchToBranchTraffic", Flag(true)),
        ],
    ),
    finished(
        whole(
            "azurerm_virtual_hub",
            "Microsoft.Network/virtualHubs",
            &[network!("virtualHubs/{name}")],
            &[
                same(&["location"], "/location"),
                same(&["address_prefix"], "/properties/addressPrefix"),
                how(&["virtual_wan_id"], "/properties/virtualWan", How::Ref),
                or(&["sku"], "/properties/sku", Text("Standard")),
                or(&["hub_routing_preference"], "/properties/hubRoutingPreference", Text("ExpressRoute")),
                // After a successful apply.
                or(&[], "/properties/routingState", Text("Provisioned")),
                or(
                    &["branch_to_branch_traffic_enabled"],
                    "/properties/allowBranchToBranchTraffic",
                    Flag(true),
                ),
                same(&["virtual_router_ips"], "/properties/virtualRouterIps"),
            ],
        ),
        hub,
    ),
    finished(
        whole(
            "azurerm_route_server",
            "Microsoft.Network/virtualHubs",
            &[network!("virtualHubs/{name}")],
            &[
                or(&[], "/kind", Text("RouteServer")),
                same(&["location"], "/location"),
                or(&["sku"], "/properties/sku", Text("Standard")),
                or(&["hub_routing_preference"], "/properties/hubRoutingPreference", Text("ExpressRoute")),
                or(
                    &["branch_to_branch_traffic_enabled"],
                    "/properties/allowBranchToBranchTraffic",
                    Flag(false),
                ),
                same(&["virtual_router_ips"], "/properties/virtualRouterIps"),
            ],
        ),
        route_server,
    ),
    whole(
        "azurerm_route_server_bgp_connection",
        "Microsoft.Network/virtualHubs/bgpConnections",
        &["{route_server_id}/bgpConnections/{name}"],
        PEER,
    ),
    whole(
        "azurerm_virtual_hub_bgp_connection",
        "Microsoft.Network/virtualHubs/bgpConnections",
        &["{virtual_hub_id}/bgpConnections/{name}"],
        PEER,
    ),
    whole(
        "azurerm_virtual_hub_ip",
        "Microsoft.Network/virtualHubs/ipConfigurations",
        &["{virtual_hub_id}/ipConfigurations/{name}"],
        &[how(&["subnet_id"], "/properties/subnet", How::Ref)],
    ),
    whole(
        "azurerm_virtual_hub_connection",
        "Microsoft.Network/virtualHubs/hubVirtualNetworkConnections",
        &["{virtual_hub_id}/hubVirtualNetworkConnections/{name}"],
        &[
            how(&["remote_virtual_network_id"], "/properties/remoteVirtualNetwork", How::Ref),
            or(&["internet_security_enabled"], "/properties/enableInternetSecurity", Flag(false)),
            how(&["routing"], "/properties/routingConfiguration", How::One(ROUTING)),
        ],
    ),
    whole(
        "azurerm_virtual_hub_route_table",
        "Microsoft.Network/virtualHubs/hubRouteTables",
        &["{virtual_hub_id}/hubRouteTables/{name}"],
        &[
            or(&["labels"], "/properties/labels", Empty),
            how_or(&["route"], "/properties/routes", How::Each(ROUTE), Empty),
        ],
    ),
    super::into(
        "azurerm_virtual_hub_route_table_route",
        "Microsoft.Network/virtualHubs/hubRouteTables",
        &["{route_table_id}"],
        super::Place::Append("/properties/routes"),
        ROUTE,
    ),
    whole(
        "azurerm_virtual_hub_routing_intent",
        "Microsoft.Network/virtualHubs/routingIntent",
        &["{virtual_hub_id}/routingIntent/{name}"],
        &[how(
            &["routing_policy"],
            "/properties/routingPolicies",
            How::Each(&[
                same(&["name"], "/name"),
                same(&["destinations"], "/destinations"),
                same(&["next_hop"], "/nextHop"),
            ]),
        )],
    ),
    whole(
        "azurerm_route_map",
        "Microsoft.Network/virtualHubs/routeMaps",
        &["{virtual_hub_id}/routeMaps/{name}"],
        &[or(&[], "/properties/provisioningState", Text("Succeeded"))],
    ),
    whole(
        "azurerm_virtual_hub_security_partner_provider",
        "Microsoft.Network/securityPartnerProviders",
        &[network!("securityPartnerProviders/{name}")],
        &[how(&["virtual_hub_id"], "/properties/virtualHub", How::Ref)],
    ),
    whole(
        "azurerm_vpn_gateway",
        "Microsoft.Network/vpnGateways",
        &[network!("vpnGateways/{name}")],
        &[same(&["location"], "/location"), how(&["virtual_hub_id"], "/properties/virtualHub", How::Ref)],
    ),
    whole(
        "azurerm_vpn_gateway_connection",
        "Microsoft.Network/vpnGateways/vpnConnections",
        &["{vpn_gateway_id}/vpnConnections/{name}"],
        &[
            how(&["remote_vpn_site_id"], "/properties/remoteVpnSite", How::Ref),
            or(&["internet_security_enabled"], "/properties/enableInternetSecurity", Flag(false)),
        ],
    ),
    whole(
        "azurerm_vpn_site",
        "Microsoft.Network/vpnSites",
        &[network!("vpnSites/{name}")],
        &[or(&["address_cidrs"], "/properties/addressSpace/addressPrefixes", Empty)],
    ),
    whole(
        "azurerm_express_route_gateway",
        "Microsoft.Network/expressRouteGateways",
        &[network!("expressRouteGateways/{name}")],
        &[same(&["location"], "/location"), how(&["virtual_hub_id"], "/properties/virtualHub", How::Ref)],
    ),
    whole(
        "azurerm_express_route_connection",
        "Microsoft.Network/expressRouteGateways/expressRouteConnections",
        &["{express_route_gateway_id}/expressRouteConnections/{name}"],
        &[
            how(&["express_route_circuit_peering_id"], "/properties/expressRouteCircuitPeering", How::Ref),
            or(
                &["internet_security_enabled", "enable_internet_security"],
                "/properties/enableInternetSecurity",
                Flag(false),
            ),
        ],
    ),
    whole(
        "azurerm_point_to_site_vpn_gateway",
        "Microsoft.Network/p2sVpnGateways",
        &[network!("p2sVpnGateways/{name}")],
        &[same(&["location"], "/location"), how(&["virtual_hub_id"], "/properties/virtualHub", How::Ref)],
    ),
];

const PEER: &[Move] = &[same(&["peer_ip"], "/properties/peerIp"), same(&["peer_asn"], "/properties/peerAsn")];

const ROUTE: &[Move] = &[
    same(&["name"], "/name"),
    same(&["destinations_type"], "/destinationType"),
    same(&["destinations"], "/destinations"),
    or(&["next_hop_type"], "/nextHopType", Text("ResourceId")),
    same(&["next_hop"], "/nextHop"),
];

const ROUTING: &[Move] = &[
    how(&["associated_route_table_id"], "/associatedRouteTable", How::Ref),
    how(
        &["propagated_route_table"],
        "/propagatedRouteTables",
        How::One(&[same(&["labels"], "/labels"), how(&["route_table_ids"], "/ids", How::Refs)]),
    ),
    how(
        &["static_vnet_route"],
        "/vnetRoutes/staticRoutes",
        How::Each(&[
            same(&["name"], "/name"),
            same(&["address_prefixes"], "/addressPrefixes"),
            same(&["next_hop_ip_address"], "/nextHopIpAddress"),
        ]),
    ),
    or(
        &["static_vnet_local_route_override_criteria"],
        "/vnetRoutes/staticRoutesConfig/vnetLocalRouteOverrideCriteria",
        Text("Contains"),
    ),
    or(
        &["static_vnet_propagate_static_routes_enabled"],
        "/vnetRoutes/staticRoutesConfig/propagateStaticRoutes",
        Flag(true),
    ),
    how(&["inbound_route_map_id"], "/inboundRouteMap", How::Ref),
    how(&["outbound_route_map_id"], "/outboundRouteMap", How::Ref),
];

/// A new hub has its default and its none table (§4.4).
fn hub(build: &mut Build<'_>) {
    if build.value.get("virtual_wan_id").is_none_or(|v| is_unset(Some(v))) {
        build.set("/kind", json!("RouteServer"));
    }
    if build.value.get("virtual_router_ips").is_none_or(|v| is_unset(Some(v))) {
        let hole = build.chosen("virtual_router_ips", None);
        build.set("/properties/virtualRouterIps", hole);
    }
    for (name, label) in [("defaultRouteTable", Some("default")), ("noneRouteTable", None)] {
        let id = format!("{}/hubRouteTables/{name}", build.id);
        let labels: Vec<&str> = label.into_iter().collect();
        let routes = match build.value.get("route") {
            Some(Value::Array(blocks)) if name == "defaultRouteTable" && !blocks.is_empty() => {
                // Routes of the hub itself, an old form: they name addresses as next hops.
                json!([build.chosen("route", None)])
            }
            _ => json!([]),
        };
        let json = json!({ "id": id, "name": name, "type": "Microsoft.Network/virtualHubs/hubRouteTables",
            "properties": { "labels": labels, "routes": routes } });
        build.beside.push((id, "Microsoft.Network/virtualHubs/hubRouteTables", json));
    }
}

fn route_server(build: &mut Build<'_>) {
    let Some(subnet) = build.get("subnet_id").cloned() else { return };
    if build.get("virtual_router_ips").is_none() {
        let hole = build.chosen("virtual_router_ips", Some(&subnet));
        build.set("/properties/virtualRouterIps", hole);
    }
    let id = format!("{}/ipConfigurations/ipConfig1", build.id);
    let json = json!({ "id": id, "name": "ipConfig1", "type": "Microsoft.Network/virtualHubs/ipConfigurations",
        "properties": { "subnet": { "id": subnet } } });
    build.beside.push((id, "Microsoft.Network/virtualHubs/ipConfigurations", json));
}
