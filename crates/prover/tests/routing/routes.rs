//! Effective routes and the choice among them.

use serde_json::{Value, json};

use crate::world::{World, brief, hop, net, subnet_id};

fn to_table(name: &str) -> Value {
    json!({ "routeTable": { "id": net("routeTables", name) } })
}

/// `node` 10.1.0.0/16 with subnets `a` (route table `rt`) and `fw`; a peered `far` 10.2.0.0/16 with an endpoint.
fn two(table: &[(&str, &str, Value)]) -> World {
    World::default()
        .vnet(
            "node",
            &["10.1.0.0/16"],
            &[("a", "10.1.0.0/24", to_table("rt")), ("fw", "10.1.9.0/24", json!({}))],
        )
        .vnet(
            "far",
            &["10.2.0.0/16"],
            &[("pe", "10.2.1.0/24", json!({ "privateEndpointNetworkPolicies": "Disabled" }))],
        )
        .peer("node", "far")
        .endpoint("pe", "far/pe", "10.2.1.5")
        .table("rt", json!({}), table)
}

#[test]
fn private_space_without_a_route_is_dropped_until_a_default_route_takes_it() {
    let plain = two(&[]).read();
    assert_eq!(brief(&plain, "node/a", "10.99.0.1"), "None 10.0.0.0/8");
    assert_eq!(hop(&plain, "node/a", "10.99.0.1").delivered, Some(false));
    let routed = two(&[("0.0.0.0/0", "VirtualAppliance", json!("10.1.9.4"))]).read();
    assert_eq!(brief(&routed, "node/a", "10.99.0.1"), "VirtualAppliance 0.0.0.0/0");
    // Only in the subnet that has the table (R17).
    assert_eq!(brief(&routed, "node/fw", "10.99.0.1"), "None 10.0.0.0/8");
}

#[test]
fn the_longest_prefix_then_the_user_decides() {
    let network = two(&[
        ("10.2.0.0/16", "None", Value::Null),
        ("10.2.2.0/24", "VirtualAppliance", json!("10.1.9.4")),
        ("10.0.0.0/8", "VirtualAppliance", json!("10.1.9.5")),
    ])
    .read();
    assert_eq!(brief(&network, "node/a", "10.2.2.9"), "VirtualAppliance 10.2.2.0/24");
    assert_eq!(brief(&network, "node/a", "10.2.3.9"), "None 10.2.0.0/16");
    assert_eq!(brief(&network, "node/a", "10.1.9.4"), "VnetLocal 10.1.0.0/16");
    assert_eq!(brief(&network, "node/a", "10.77.0.1"), "VirtualAppliance 10.0.0.0/8");
}

#[test]
fn an_endpoint_keeps_its_route_unless_the_policy_lets_a_long_enough_one_win() {
    let ask = |policy: &str, prefix: &str| {
        let mut world = two(&[(prefix, "VirtualAppliance", json!("10.1.9.4"))]);
        world.get(&net("virtualNetworks", "far"))["properties"]["subnets"][0]["properties"]["privateEndpointNetworkPolicies"] =
            json!(policy);
        brief(&world.read(), "node/a", "10.2.1.5")
    };
    assert_eq!(ask("Disabled", "10.2.0.0/16"), "InterfaceEndpoint 10.2.1.5/32");
    assert_eq!(ask("NetworkSecurityGroupEnabled", "10.2.1.0/24"), "InterfaceEndpoint 10.2.1.5/32");
    assert_eq!(ask("Disabled", "10.2.1.5/32"), "VirtualAppliance 10.2.1.5/32");
    assert_eq!(ask("Enabled", "0.0.0.0/0"), "InterfaceEndpoint 10.2.1.5/32");
    assert_eq!(ask("Enabled", "10.0.0.0/8"), "InterfaceEndpoint 10.2.1.5/32");
    assert_eq!(ask("RouteTableEnabled", "10.2.0.0/16"), "VirtualAppliance 10.2.0.0/16");
    assert_eq!(ask("Enabled", "10.2.1.0/24"), "VirtualAppliance 10.2.1.0/24");
}

#[test]
fn an_endpoint_of_a_network_with_two_prefixes_is_measured_both_ways() {
    let ask = |prefix: &str| {
        let mut world = two(&[(prefix, "VirtualAppliance", json!("10.1.9.4"))]);
        let far = &mut world.get(&net("virtualNetworks", "far"))["properties"];
        far["addressSpace"]["addressPrefixes"] = json!(["10.2.0.0/16", "10.3.0.0/20"]);
        far["subnets"][0]["properties"]["privateEndpointNetworkPolicies"] = json!("Enabled");
        brief(&world.read(), "node/a", "10.2.1.5")
    };
    assert_eq!(ask("10.2.0.0/16"), "unknown"); // R82, RU7
    assert_eq!(ask("10.2.0.0/20"), "VirtualAppliance 10.2.0.0/20");
}

#[test]
fn a_local_user_route_to_an_endpoint_is_open_without_the_network_policy() {
    let ask = |vnet_policy: &str| {
        let mut world = two(&[("10.2.0.0/16", "VnetLocal", Value::Null)]);
        let far = &mut world.get(&net("virtualNetworks", "far"))["properties"];
        far["privateEndpointVNetPolicies"] = json!(vnet_policy);
        far["subnets"][0]["properties"]["privateEndpointNetworkPolicies"] = json!("Enabled");
        brief(&world.read(), "node/a", "10.2.1.5")
    };
    assert_eq!(ask("Disabled"), "unknown"); // R254
    assert_eq!(ask("Basic"), "InterfaceEndpoint 10.2.1.5/32");
}

#[test]
fn a_service_endpoint_yields_only_to_routes_as_long_and_then_it_is_contested() {
    let ask = |prefix: &str, kind: &str| {
        let address = if kind == "VirtualAppliance" { json!("10.1.9.4") } else { Value::Null };
        let mut world = two(&[(prefix, kind, address)]).tag("Storage.WestEurope", &["203.0.113.0/24"]);
        world.get(&net("virtualNetworks", "node"))["properties"]["subnets"][0]["properties"]["serviceEndpoints"] =
            json!([{ "service": "Microsoft.Storage", "locations": ["westeurope"] }]);
        brief(&world.read(), "node/a", "203.0.113.9")
    };
    let endpoint = "VirtualNetworkServiceEndpoint 203.0.113.0/24";
    assert_eq!(ask("0.0.0.0/0", "VirtualAppliance"), endpoint);
    assert_eq!(ask("203.0.113.0/25", "Internet"), endpoint);
    assert_eq!(ask("203.0.113.0/24", "VirtualAppliance"), "unknown"); // R257, RU5
}

fn gateway(kind: &str, bgp: bool) -> World {
    two(&[("10.8.0.0/16", "VirtualAppliance", json!("10.1.9.4"))])
        .with(json!({ "id": format!("{}", net("virtualNetworkGateways", "gw")), "properties": {
            "gatewayType": kind, "vpnType": "RouteBased", "sku": { "name": "VpnGw2" }, "natRules": [],
            "ipConfigurations": [{ "name": "c", "properties": { "subnet": { "id": subnet_id("node/GatewaySubnet") } } }],
        }}))
        .with(json!({ "id": net("localNetworkGateways", "lng"), "properties": {
            "localNetworkAddressSpace": { "addressPrefixes": ["172.20.0.0/16"] },
        }}))
        .with(json!({ "id": net("connections", "s2s"), "properties": {
            "connectionType": "IPsec", "connectionStatus": "Connected", "enableBgp": bgp,
            "virtualNetworkGateway1": { "id": net("virtualNetworkGateways", "gw") },
            "localNetworkGateway2": { "id": net("localNetworkGateways", "lng") },
        }}))
}

fn with_gateway_subnet(mut world: World) -> World {
    let subnets = &mut world.get(&net("virtualNetworks", "node"))["properties"]["subnets"];
    subnets.as_array_mut().unwrap().push(json!({
        "id": subnet_id("node/GatewaySubnet"), "name": "GatewaySubnet", "properties": { "addressPrefix": "10.1.255.0/27" },
    }));
    world
}

const SITE: &str = r#"
[[site]]
name = "dc"
prefixes = ["172.30.0.0/16", "10.1.4.0/22", "10.2.1.0/24", "10.8.1.0/24"]
routes_to_azure = ["10.1.0.0/16"]
connections = ["s2s"]
"#;

#[test]
fn open_bgp_source_is_not_no_route() {
    let open = with_gateway_subnet(gateway("Vpn", true)).read();
    assert_eq!(brief(&open, "node/a", "172.30.0.9"), "unknown");
    assert_eq!(brief(&open, "node/a", "10.8.1.9"), "unknown");
    // Networks and peers come before any learned prefix (R62); static prefixes are known all the same.
    assert_eq!(brief(&open, "node/a", "10.2.9.9"), "VNetPeering 10.2.0.0/16");
    let closed = with_gateway_subnet(gateway("Vpn", true)).declare(SITE).read();
    assert_eq!(brief(&closed, "node/a", "172.30.0.9"), "VirtualNetworkGateway 172.30.0.0/16");
    assert_eq!(brief(&closed, "node/a", "172.31.0.9"), "None 172.16.0.0/12");
    assert_eq!(brief(&closed, "node/a", "10.8.1.9"), "VirtualNetworkGateway 10.8.1.0/24");
    let still = with_gateway_subnet(gateway("Vpn", false)).read();
    assert_eq!(brief(&still, "node/a", "172.20.0.9"), "VirtualNetworkGateway 172.20.0.0/16");
    assert_eq!(brief(&still, "node/a", "172.30.0.9"), "None 172.16.0.0/12");
}

#[test]
fn learned_prefixes_inside_networks_lose() {
    let network = with_gateway_subnet(gateway("Vpn", true)).declare(SITE).read();
    assert_eq!(brief(&network, "node/a", "10.1.4.9"), "VnetLocal 10.1.0.0/16"); // R62, R134
    assert_eq!(brief(&network, "node/a", "10.2.1.9"), "VNetPeering 10.2.0.0/16");
}

#[test]
fn recorded_routes_close_the_source() {
    let network = with_gateway_subnet(gateway("Vpn", true))
        .evidence(
            &net("virtualNetworkGateways", "gw"),
            "getLearnedRoutes",
            json!({ "value": [
                { "network": "0.0.0.0/0", "origin": "EBgp" }, { "network": "10.1.0.0/16", "origin": "Network" },
            ]}),
        )
        .read();
    // A learned default removes the reserved drops too (R252).
    assert_eq!(brief(&network, "node/fw", "172.30.0.9"), "VirtualNetworkGateway 0.0.0.0/0");
}

#[test]
fn without_propagation_no_gateway_route_is_there_static_ones_neither() {
    let mut world = with_gateway_subnet(gateway("Vpn", false));
    world.get(&net("routeTables", "rt"))["properties"]["disableBgpRoutePropagation"] = json!(true);
    let network = world.read();
    assert_eq!(brief(&network, "node/a", "172.20.0.9"), "None 172.16.0.0/12"); // R72
    assert_eq!(brief(&network, "node/fw", "172.20.0.9"), "VirtualNetworkGateway 172.20.0.0/16");
}

#[test]
fn a_user_route_with_the_networks_prefix_and_a_longer_learned_one_is_open() {
    let site = SITE.replace("10.2.1.0/24", "10.2.7.0/24");
    let ask = |prefix: &str| {
        let world = with_gateway_subnet(gateway("ExpressRoute", true)).declare(&site);
        let mut world = world;
        let routes = &mut world.get(&net("routeTables", "rt"))["properties"]["routes"];
        routes.as_array_mut().unwrap().push(json!({ "name": "x", "properties": {
            "addressPrefix": prefix, "nextHopType": "VirtualAppliance", "nextHopIpAddress": "10.1.9.4",
        }}));
        brief(&world.read(), "node/a", "10.2.7.9")
    };
    assert_eq!(ask("10.2.0.0/16"), "unknown"); // R66, RU6
    assert_eq!(ask("10.2.4.0/22"), "VirtualAppliance 10.2.4.0/22");
}

#[test]
fn only_synced_prefixes_of_usable_links_are_routed() {
    let world = |over: Value| {
        World::default()
            .vnet("node", &["10.1.0.0/16"], &[("a", "10.1.0.0/24", json!({}))])
            .vnet("far", &["10.2.0.0/16", "10.7.0.0/16"], &[])
            .half("node", "far", over)
            .half("far", "node", json!({}))
            .read()
    };
    let lagging = json!({ "remoteAddressSpace": { "addressPrefixes": ["10.2.0.0/16"] }, "peeringSyncLevel": "LocalNotInSync" });
    assert_eq!(brief(&world(lagging), "node/a", "10.7.0.4"), "None 10.0.0.0/8"); // R107
    assert_eq!(brief(&world(json!({})), "node/a", "10.7.0.4"), "VNetPeering 10.7.0.0/16");
    assert_eq!(
        brief(&world(json!({ "peeringState": "Initiated" })), "node/a", "10.2.0.4"),
        "None 10.0.0.0/8"
    );
    assert_eq!(
        brief(&world(json!({ "enableOnlyIPv6Peering": true })), "node/a", "10.2.0.4"),
        "None 10.0.0.0/8"
    ); // R126
    let unknown = json!({ "peeringState": { "$unknown": "state", "why": "after apply" } });
    assert_eq!(brief(&world(unknown), "node/a", "10.2.0.4"), "unknown"); // unknown_after_apply_is_quantified
}

#[test]
fn missing_permission_is_not_reachable() {
    let mut world = two(&[]);
    world.resources.retain(|r| r["id"] != json!(net("routeTables", "rt")));
    let network = world.read();
    assert_eq!(brief(&network, "node/a", "10.2.9.9"), "unknown");
    assert_eq!(brief(&network, "node/fw", "10.2.9.9"), "VNetPeering 10.2.0.0/16");
}

#[test]
fn unknown_tag_is_not_empty() {
    let table: &[(&str, &str, Value)] = &[
        ("AzureContainerRegistry", "Internet", Value::Null),
        ("0.0.0.0/0", "VirtualAppliance", json!("10.1.9.4")),
    ];
    let network = two(table).read();
    assert_eq!(brief(&network, "node/a", "203.0.113.9"), "unknown");
    // No tag holds private addresses (F83).
    assert_eq!(brief(&network, "node/a", "10.99.0.1"), "VirtualAppliance 0.0.0.0/0");
    let listed = two(table).tag("AzureContainerRegistry", &["203.0.113.0/24"]).read();
    assert_eq!(brief(&listed, "node/a", "203.0.113.9"), "Internet 203.0.113.0/24");
    assert_eq!(brief(&listed, "node/a", "198.51.100.9"), "VirtualAppliance 0.0.0.0/0");
}

#[test]
fn connected_groups_and_route_servers_keep_the_choice_open() {
    let manager = json!({ "id": net("networkManagers", "avnm"), "properties": {
        "networkManagerScopes": { "subscriptions": ["/subscriptions/s1"] },
        "networkManagerScopeAccesses": ["Connectivity"],
    }});
    let configuration =
        json!({ "id": net("networkManagers", "avnm/connectivityConfigurations/mesh"), "properties": {} });
    let network = two(&[]).with(manager).with(configuration).read();
    assert_eq!(brief(&network, "node/a", "10.50.0.9"), "unknown"); // R31
    assert_eq!(brief(&network, "node/a", "10.2.9.9"), "VNetPeering 10.2.0.0/16");

    let server = json!({ "id": net("virtualHubs", "rs"), "kind": "RouteServer", "properties": {} });
    let peer =
        json!({ "id": net("virtualHubs", "rs/bgpConnections/nva"), "properties": { "peerIp": "10.1.9.4" } });
    let config = json!({ "id": net("virtualHubs", "rs/ipConfigurations/c"), "properties": {
        "subnet": { "id": subnet_id("node/RouteServerSubnet") },
    }});
    let mut world = two(&[]).with(server).with(peer).with(config);
    world.get(&net("virtualNetworks", "node"))["properties"]["subnets"].as_array_mut().unwrap().push(json!({
        "id": subnet_id("node/RouteServerSubnet"), "name": "RouteServerSubnet", "properties": { "addressPrefix": "10.1.254.0/27" },
    }));
    let network = world.read();
    assert_eq!(brief(&network, "node/fw", "172.30.0.9"), "unknown"); // R250
    assert_eq!(brief(&network, "node/fw", "10.2.9.9"), "VNetPeering 10.2.0.0/16"); // R63
}

#[test]
fn a_hop_out_of_reach_is_none() {
    let network = two(&[("10.60.0.0/16", "VirtualAppliance", json!("10.44.0.4"))]).read();
    let answer = hop(&network, "node/a", "10.60.0.9");
    assert_eq!((answer.next_hop_type.as_str(), answer.delivered), ("None", Some(false))); // R41
    let network = two(&[("10.60.0.0/16", "VirtualAppliance", json!("10.2.0.4"))]).read();
    assert_eq!(brief(&network, "node/a", "10.60.0.9"), "VirtualAppliance 10.60.0.0/16");
}

#[test]
fn a_next_hop_known_after_apply_is_unknown() {
    let hole = json!({ "$unknown": "fw-ip", "why": "azurerm_firewall.fw" });
    let network = two(&[("10.60.0.0/16", "VirtualAppliance", hole)]).read();
    assert_eq!(brief(&network, "node/a", "10.60.0.9"), "unknown");
    assert_eq!(brief(&network, "node/a", "10.2.9.9"), "VNetPeering 10.2.0.0/16");
}
