//! Walks between networks, through appliances, and back.

use pullproof_prover::BlockerKind;
use pullproof_prover::path::Delivery;
use serde_json::{Value, json};

use crate::world::{World, fails, fate, fates, holds, net, open, path, subnet_id, vm_id};

fn table(name: &str) -> Value {
    json!({ "routeTable": { "id": net("routeTables", name) } })
}

/// Spokes `node` 10.1/16 and `far` 10.2/16 around `hub` 10.0/16 with an appliance at 10.0.1.4; a machine at 10.2.0.4.
fn hub_and_spokes() -> World {
    World::default()
        .vnet("hub", &["10.0.0.0/16"], &[("nva", "10.0.1.0/24", json!({})), ("fe", "10.0.2.0/24", json!({}))])
        .vnet("node", &["10.1.0.0/16"], &[("a", "10.1.0.0/24", table("rt-node"))])
        .vnet("far", &["10.2.0.0/16"], &[("b", "10.2.0.0/24", table("rt-far"))])
        .peer("hub", "node")
        .peer("hub", "far")
        .table("rt-node", json!({}), &[("10.2.0.0/16", "VirtualAppliance", json!("10.0.1.4"))])
        .table("rt-far", json!({}), &[("10.1.0.0/16", "VirtualAppliance", json!("10.0.1.4"))])
        .machine("nva", "hub/nva", "10.0.1.4", json!({ "enableIPForwarding": true }))
        .machine("target", "far/b", "10.2.0.4", json!({}))
}

const NVA: &str = r#"
[[appliance]]
address = "10.0.1.4"
forwards = [ { from = ["10.1.0.0/16"], to = ["10.2.0.0/16"], protocol = "tcp", ports = "443", action = "allow" } ]
snat = false
"#;

fn ask(world: World) -> pullproof_prover::path::PathAnswer {
    path(&world.read(), "node/a", "10.2.0.4")
}

#[test]
fn appliance_without_facts_is_undetermined() {
    open(&ask(hub_and_spokes()), "what appliance nva");
    let declared = ask(hub_and_spokes().declare(NVA));
    holds(&declared);
    let branch = &declared.branches[0];
    assert!(branch.basis.assumptions.iter().any(|a| a.0 == "appliance:10.0.1.4"));
    assert!(matches!(&branch.delivery, Delivery::Device(id) if id.name() == "target"));
}

#[test]
fn ip_forwarding_off_fails_whatever_the_guest_does() {
    let mut world = hub_and_spokes();
    world.get(&net("networkInterfaces", "nva"))["properties"]["enableIPForwarding"] = json!(false);
    let answer = ask(world);
    fails(&answer, BlockerKind::IpForwardingOff);
    let blocker = answer.branches[0].forward.blockers()[0];
    assert_eq!(blocker.evidence[0].pointer(), "/properties/enableIPForwarding");
}

#[test]
fn a_stopped_appliance_forwards_nothing() {
    let mut world = hub_and_spokes().declare(NVA);
    world.get(&vm_id("nva"))["properties"]["instanceView"] =
        json!({ "statuses": [{ "code": "PowerState/deallocated" }] });
    fails(&ask(world), BlockerKind::ApplianceStopped);
    holds(&ask(hub_and_spokes().declare(NVA)));
}

#[test]
fn a_hop_that_nobody_holds_loses_the_packet_where_everything_was_read() {
    let gone = |mut world: World| {
        world.resources.retain(|r| r["id"] != json!(net("networkInterfaces", "nva")));
        world
    };
    fails(&ask(gone(hub_and_spokes())), BlockerKind::NextHopNobody);
    open(&ask(gone(hub_and_spokes()).partial()), ""); // other_subscription_is_not_absent
}

#[test]
fn what_a_declared_appliance_does_not_name_is_dropped() {
    let half = NVA.replace("10.1.0.0/16", "10.1.0.0/25");
    let answer = ask(hub_and_spokes().declare(&half));
    fails(&answer, BlockerKind::ApplianceDenies);
    let passing: Vec<String> = answer
        .branches
        .iter()
        .filter(|b| b.filters.holds())
        .map(|b| b.sources.first().unwrap().to_string())
        .collect();
    assert_eq!(passing, ["10.1.0.4"]);
    assert_eq!(answer.branches.len(), 2);
}

#[test]
fn the_reply_needs_a_route_of_its_own_through_the_same_device() {
    let mut world = hub_and_spokes().declare(NVA);
    world.get(&net("routeTables", "rt-far"))["properties"]["routes"] = json!([]);
    let answer = ask(world.clone());
    assert_eq!(fates(&answer), ["ok", "no_return_route", "ok"]); // R172, R235
    // Peered directly, the reply passes the stateful device by (R163).
    let direct = ask(world.clone().peer("node", "far"));
    assert_eq!(fates(&direct), ["ok", "asymmetric_path", "ok"]);
    // With translation the reply is addressed to the device.
    world.config = NVA.replace("snat = false", "snat = true");
    holds(&ask(world));
}

#[test]
fn half_of_the_subnet_routed_back_fails_for_the_other_half() {
    let mut world = hub_and_spokes().declare(NVA);
    world.get(&net("routeTables", "rt-far"))["properties"]["routes"][0]["properties"]["addressPrefix"] =
        json!("10.1.0.0/25");
    let answer = ask(world);
    fails(&answer, BlockerKind::NoReturnRoute);
    let back: Vec<(String, String)> =
        answer.branches.iter().map(|b| (b.sources.last().unwrap().to_string(), fate(&b.back))).collect();
    assert!(back.contains(&("10.1.0.127".into(), "ok".into())), "{back:?}");
    assert!(back.contains(&("10.1.0.254".into(), "no_return_route".into())), "{back:?}");
}

#[test]
fn an_appliance_that_routes_to_itself_loops() {
    let mut world = hub_and_spokes().declare(NVA);
    world.get(&net("virtualNetworks", "hub"))["properties"]["subnets"][0]["properties"]["routeTable"] =
        json!({ "id": net("routeTables", "rt-node") });
    fails(&ask(world), BlockerKind::RoutingLoop); // R175
}

fn balanced(sku: &str, ports: u16, forwarding: bool) -> World {
    let lb = net("loadBalancers", "ilb");
    let member =
        |name: &str| json!({ "id": format!("{}/ipConfigurations/one", net("networkInterfaces", name)) });
    let mut world = hub_and_spokes()
        .machine("nva-2", "hub/nva", "10.0.1.5", json!({ "enableIPForwarding": forwarding }))
        .with(json!({ "id": lb, "sku": { "name": sku }, "properties": {
            "frontendIPConfigurations": [{ "id": format!("{lb}/frontendIPConfigurations/f"), "name": "f", "properties": {
                "privateIPAddress": "10.0.2.9", "subnet": { "id": subnet_id("hub/fe") },
            }}],
            "backendAddressPools": [{ "id": format!("{lb}/backendAddressPools/p"), "name": "p", "properties": {
                "backendIPConfigurations": [member("nva"), member("nva-2")],
            }}],
            "loadBalancingRules": [{ "id": format!("{lb}/loadBalancingRules/r"), "name": "r", "properties": {
                "protocol": if ports == 0 { "All" } else { "Tcp" }, "frontendPort": ports, "backendPort": ports,
                "frontendIPConfiguration": { "id": format!("{lb}/frontendIPConfigurations/f") },
                "backendAddressPool": { "id": format!("{lb}/backendAddressPools/p") },
            }}],
        }}));
    for name in ["rt-node", "rt-far"] {
        world.get(&net("routeTables", name))["properties"]["routes"][0]["properties"]["nextHopIpAddress"] =
            json!("10.0.2.9");
    }
    let declared = NVA
        .replace("10.0.1.4", "10.0.2.9")
        .replace("snat = false", "snat = false\nmembers = [\"nva\", \"nva-2\"]");
    world.declare(&declared)
}

#[test]
fn every_backend_of_an_appliance_pool_has_to_forward() {
    let good = ask(balanced("Standard", 0, true));
    holds(&good);
    assert_eq!(good.branches.len(), 2);
    let bad = ask(balanced("Standard", 0, false));
    fails(&bad, BlockerKind::IpForwardingOff);
    assert!(bad.branches.iter().any(|b| b.forward.holds() && b.choices[0].value == "nva"));
}

#[test]
fn a_front_end_without_ha_ports_takes_only_its_rules() {
    // The rule for 443 takes the request; replies go to a client's port (R165).
    fails(&ask(balanced("Standard", 443, true)), BlockerKind::LoadBalancerNoRule);
    fails(&ask(balanced("Standard", 8443, true)), BlockerKind::LoadBalancerNoRule);
    holds(&ask(balanced("Standard", 0, true)));
}

#[test]
fn a_basic_front_end_is_not_reached_over_a_global_peering() {
    let world = |region: &str, sku: &str| {
        let lb = net("loadBalancers", "ilb");
        World::default()
            .vnet("node", &["10.1.0.0/16"], &[("a", "10.1.0.0/24", json!({}))])
            .vnet_in(region, "far", &["10.2.0.0/16"], &[("b", "10.2.0.0/24", json!({}))])
            .peer("node", "far")
            .machine("m", "far/b", "10.2.0.20", json!({}))
            .with(json!({ "id": lb, "sku": { "name": sku }, "properties": {
                "frontendIPConfigurations": [{ "id": format!("{lb}/frontendIPConfigurations/f"), "name": "f", "properties": {
                    "privateIPAddress": "10.2.0.4", "subnet": { "id": subnet_id("far/b") },
                }}],
                "backendAddressPools": [{ "id": format!("{lb}/backendAddressPools/p"), "name": "p", "properties": {
                    "backendIPConfigurations": [{ "id": format!("{}/ipConfigurations/one", net("networkInterfaces", "m")) }],
                }}],
                "loadBalancingRules": [{ "name": "r", "properties": {
                    "protocol": "Tcp", "frontendPort": 443, "backendPort": 8443,
                    "frontendIPConfiguration": { "id": format!("{lb}/frontendIPConfigurations/f") },
                    "backendAddressPool": { "id": format!("{lb}/backendAddressPools/p") },
                }}],
            }}))
    };
    fails(&ask(world("northeurope", "Basic")), BlockerKind::LoadBalancerBasicGlobal); // R111
    holds(&ask(world("northeurope", "Standard")));
    holds(&ask(world("westeurope", "Basic")));
}

/// `node` with an endpoint at 10.2.0.4 in `far`, behind a link with these halves.
fn endpoint(near: Value, away: Value) -> World {
    World::default()
        .vnet("node", &["10.1.0.0/16"], &[("a", "10.1.0.0/24", json!({})), ("c", "10.1.1.0/24", json!({}))])
        .vnet(
            "far",
            &["10.2.0.0/16"],
            &[(
                "b",
                "10.2.0.0/24",
                json!({ "privateEndpointNetworkPolicies": "NetworkSecurityGroupEnabled" }),
            )],
        )
        .half("node", "far", near)
        .half("far", "node", away)
        .endpoint("pe", "far/b", "10.2.0.4")
}

#[test]
fn a_broken_link_is_named_first_and_what_lies_behind_is_listed() {
    holds(&ask(endpoint(json!({}), json!({}))));
    let mut world = endpoint(json!({}), json!({ "peeringState": "Disconnected" }));
    let deny = json!({ "id": net("networkSecurityGroups", "nsg"), "properties": { "securityRules": [{ "name": "deny", "properties": {
        "priority": 100, "direction": "Inbound", "access": "Deny", "protocol": "*", "sourceAddressPrefix": "*",
        "sourcePortRange": "*", "destinationAddressPrefix": "*", "destinationPortRange": "*",
    }}]}});
    world.get(&net("virtualNetworks", "far"))["properties"]["subnets"][0]["properties"]["networkSecurityGroup"] =
        json!({ "id": net("networkSecurityGroups", "nsg") });
    let answer = ask(world.with(deny));
    let branch = &answer.branches[0];
    let blocker = branch.forward.blockers()[0];
    assert_eq!(blocker.kind, BlockerKind::PeeringNotConnected);
    assert_eq!(blocker.evidence[0].field, "/properties/peeringState");
    assert!(blocker.message.contains("far/to-node"), "{}", blocker.message);
    assert_eq!(branch.behind.iter().map(|b| b.kind).collect::<Vec<_>>(), [BlockerKind::NsgDenies]);
    assert_eq!(branch.delivery, Delivery::Nowhere);
}

#[test]
fn two_peerings_are_no_way() {
    let mut world = hub_and_spokes();
    world.get(&net("routeTables", "rt-node"))["properties"]["routes"] = json!([]);
    let answer = ask(world);
    fails(&answer, BlockerKind::NotTransitive); // R105
}

#[test]
fn a_subnet_that_takes_no_part_in_a_subnet_peering_is_cut_off() {
    let part = |names: Value| {
        let half = json!({ "peerCompleteVnets": false, "localSubnetNames": names, "remoteSubnetNames": ["b"],
            "remoteAddressSpace": { "addressPrefixes": ["10.2.0.0/24"] } });
        let back = json!({ "peerCompleteVnets": false, "localSubnetNames": ["b"], "remoteSubnetNames": names,
            "remoteAddressSpace": { "addressPrefixes": ["10.1.0.0/23"] } });
        let mut world = endpoint(half, back);
        world.resources.retain(|r| !r["id"].as_str().unwrap().contains("privateEndpoints"));
        ask(world.machine("target", "far/b", "10.2.0.4", json!({})))
    };
    fails(&part(json!(["c"])), BlockerKind::PeeringOneWay); // R123
    holds(&part(json!(["a", "c"])));
}

#[test]
fn access_switched_off_is_contested_where_the_filters_allow() {
    open(
        &ask(endpoint(json!({ "allowVirtualNetworkAccess": false }), json!({}))),
        "allowVirtualNetworkAccess=false",
    ); // R112
}

#[test]
fn only_an_approved_endpoint_carries_traffic() {
    let mut world = endpoint(json!({}), json!({}));
    world.get(&net("privateEndpoints", "pe"))["properties"]["privateLinkServiceConnections"][0]["properties"]
        ["privateLinkServiceConnectionState"]["status"] = json!("Pending");
    fails(&ask(world), BlockerKind::EndpointNotApproved); // R88
}

#[test]
fn an_endpoint_behind_a_device_without_translation_is_open_unless_tagged() {
    let world = |tags: Value, snat: &str| {
        let mut world = World::default()
            .vnet(
                "node",
                &["10.1.0.0/16"],
                &[("a", "10.1.0.0/24", table("rt")), ("nva", "10.1.9.0/24", json!({}))],
            )
            .vnet("far", &["10.2.0.0/16"], &[("b", "10.2.0.0/24", json!({}))])
            .peer("node", "far")
            .endpoint("pe", "far/b", "10.2.0.4")
            .table("rt", json!({}), &[("10.2.0.4/32", "VirtualAppliance", json!("10.1.9.4"))])
            .machine("nva", "node/nva", "10.1.9.4", json!({ "enableIPForwarding": true }))
            .declare(&NVA.replace("10.0.1.4", "10.1.9.4").replace("snat = false", snat));
        world.get(&net("networkInterfaces", "nva"))["tags"] = tags;
        ask(world)
    };
    let answer = world(json!({}), "snat = false");
    open(&answer, "return path of private endpoint pe"); // R255
    assert!(answer.branches[0].basis.remarks.iter().any(|r| r.kind == "pe-no-snat-same-vnet"));
    holds(&world(json!({ "disableSnatOnPL": "true" }), "snat = false")); // R92
    open(&world(json!({ "disablesnatonpl": "true" }), "snat = false"), "return path"); // the key is case-sensitive
    holds(&world(json!({}), "snat = true"));
    open(&world(json!({}), ""), "translates the source");
}

#[test]
fn a_group_that_denies_half_of_the_nodes_splits_the_answer() {
    let mut world = endpoint(json!({}), json!({}));
    let deny = json!({ "id": net("networkSecurityGroups", "nsg"), "properties": { "securityRules": [{ "name": "deny", "properties": {
        "priority": 100, "direction": "Outbound", "access": "Deny", "protocol": "*", "sourceAddressPrefix": "10.1.0.128/25",
        "sourcePortRange": "*", "destinationAddressPrefix": "*", "destinationPortRange": "*",
    }}]}});
    world.get(&net("virtualNetworks", "node"))["properties"]["subnets"][0]["properties"]["networkSecurityGroup"] =
        json!({ "id": net("networkSecurityGroups", "nsg") });
    let answer = ask(world.with(deny));
    let mut parts: Vec<(String, String)> =
        answer.branches.iter().map(|b| (b.sources.first().unwrap().to_string(), fate(&b.filters))).collect();
    parts.sort();
    assert_eq!(parts, [("10.1.0.128".into(), "nsg_denies".into()), ("10.1.0.4".into(), "ok".into())]);
    assert!(answer.branches.iter().all(|b| b.forward.holds() && b.back.holds()));
}

#[test]
fn same_address_in_two_networks_is_two_hosts() {
    let world = World::default()
        .vnet("node", &["10.1.0.0/16"], &[("a", "10.1.0.0/24", json!({}))])
        .vnet("far", &["10.2.0.0/16"], &[("b", "10.2.0.0/24", json!({}))])
        .vnet("other", &["10.2.0.0/16"], &[("b", "10.2.0.0/24", json!({}))])
        .peer("node", "far");
    fails(
        &ask(world.clone().machine("elsewhere", "other/b", "10.2.0.4", json!({}))),
        BlockerKind::NobodyListens,
    );
    holds(&ask(world.machine("here", "far/b", "10.2.0.4", json!({}))));
}

#[test]
fn a_network_that_was_not_read_is_not_empty() {
    let mut world = endpoint(json!({}), json!({}));
    world.resources.retain(|r| r["id"] != json!(net("virtualNetworks", "far")));
    open(&path(&world.read(), "node/a", "10.2.0.9"), "10.2.0.9");
}

#[test]
fn what_dropping_encryption_does_is_open() {
    let mut world = endpoint(json!({}), json!({}));
    world.get(&net("virtualNetworks", "node"))["properties"]["encryption"] =
        json!({ "enabled": true, "enforcement": "DropUnencrypted" });
    open(&ask(world.clone()), "encryption of node"); // F151
    world.get(&net("virtualNetworks", "node"))["properties"]["encryption"]["enforcement"] =
        json!("AllowUnencrypted");
    holds(&ask(world));
}

#[test]
fn ipv6_is_not_followed() {
    open(&path(&endpoint(json!({}), json!({})).read(), "node/a", "2001:db8::4"), "the way to 2001:db8::4");
}
