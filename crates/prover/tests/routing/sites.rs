//! Gateways and declared sites.

use pullproof_prover::BlockerKind;
use pullproof_prover::path::{Delivery, PathAnswer};
use serde_json::{Value, json};

use crate::world::{World, fails, fate, fates, holds, net, open, path, subnet_id};

/// `hub` with a VPN gateway to 172.24.0.0/16, and `node` that uses it.
fn transit(uses: bool) -> World {
    World::default()
        .vnet(
            "hub",
            &["10.0.0.0/16"],
            &[("GatewaySubnet", "10.0.255.0/27", json!({})), ("nva", "10.0.1.0/24", json!({}))],
        )
        .vnet("node", &["10.1.0.0/16"], &[("a", "10.1.0.0/24", json!({}))])
        .half("hub", "node", json!({ "allowGatewayTransit": true }))
        .half("node", "hub", json!({ "useRemoteGateways": uses }))
        .with(json!({ "id": net("virtualNetworkGateways", "gw"), "properties": {
            "gatewayType": "Vpn", "vpnType": "RouteBased", "sku": { "name": "VpnGw2" }, "natRules": [],
            "ipConfigurations": [{ "name": "c", "properties": { "subnet": { "id": subnet_id("hub/GatewaySubnet") } } }],
        }}))
        .with(json!({ "id": net("localNetworkGateways", "lng"), "properties": {
            "localNetworkAddressSpace": { "addressPrefixes": ["172.24.0.0/16"] },
        }}))
        .with(json!({ "id": net("connections", "s2s"), "properties": {
            "connectionType": "IPsec", "connectionStatus": "Connected", "enableBgp": false,
            "virtualNetworkGateway1": { "id": net("virtualNetworkGateways", "gw") },
            "localNetworkGateway2": { "id": net("localNetworkGateways", "lng") },
        }}))
}

const SITE: &str = r#"
[[site]]
name = "dc"
prefixes = ["172.24.0.0/16"]
routes_to_azure = ["10.1.0.0/16", "10.0.0.0/16"]
connections = ["s2s"]
filter = "none"
"#;

fn ask(world: World) -> PathAnswer {
    path(&world.read(), "node/a", "172.24.8.20")
}

#[test]
fn gateway_transit_needs_both_flags() {
    let good = ask(transit(true).declare(SITE));
    holds(&good);
    assert_eq!(good.branches[0].delivery, Delivery::Site("dc".into()));
    assert!(good.branches[0].basis.assumptions.iter().any(|a| a.0 == "site:dc"));
    let bad = ask(transit(false).declare(SITE));
    let blocker = bad.branches[0].forward.blockers()[0];
    assert_eq!(blocker.kind, BlockerKind::NoGatewayTransit); // R118, R120
    assert_eq!(blocker.evidence[0].field, "/properties/useRemoteGateways");
    let mut basic = transit(true).declare(SITE);
    basic.get(&net("virtualNetworkGateways", "gw"))["properties"]["sku"]["name"] = json!("Basic");
    fails(&ask(basic), BlockerKind::NoGatewayTransit); // R119
}

#[test]
fn a_site_is_not_known_until_it_is_declared() {
    open(&ask(transit(true)), "the network behind connection s2s"); // R146
}

#[test]
fn what_the_site_does_not_route_back_is_lost() {
    let half = SITE.replace("10.1.0.0/16", "10.1.0.0/25");
    let answer = ask(transit(true).declare(&half));
    fails(&answer, BlockerKind::SiteNoReturnRoute);
    let mut parts: Vec<(String, String)> =
        answer.branches.iter().map(|b| (b.sources.first().unwrap().to_string(), fate(&b.back))).collect();
    parts.sort();
    assert_eq!(
        parts,
        [("10.1.0.128".into(), "site_no_return_route".into()), ("10.1.0.4".into(), "ok".into())]
    );
    let silent = SITE.replace("routes_to_azure = [\"10.1.0.0/16\", \"10.0.0.0/16\"]\n", "");
    open(&ask(transit(true).declare(&silent)), "the routes of site dc back");
    // What the gateway was recorded to announce tells what the site can have learned, and no more (R144, R146).
    for (network, words) in
        [("10.1.0.0/16", "whether the site takes that in"), ("10.0.0.0/16", "not to announce 10.1.0.")]
    {
        let answer = json!({ "value": [{ "network": network }] });
        let world = transit(true).declare(&silent);
        let mut ids = world.resources.iter().filter_map(|r| r["id"].as_str());
        let gateway = ids.find(|id| id.contains("/virtualNetworkGateways/")).unwrap().to_owned();
        let answer = ask(world.evidence(&gateway, "getAdvertisedRoutes", answer));
        open(&answer, "the routes of site dc back");
        let missing: Vec<String> =
            answer.branches.iter().flat_map(|b| b.back.missing()).map(|m| m.why.clone()).collect();
        assert!(missing.iter().all(|why| why.contains(words)), "{missing:?}");
    }
}

#[test]
fn a_connection_has_to_be_up() {
    let with = |status: Value| {
        let mut world = transit(true).declare(SITE);
        world.get(&net("connections", "s2s"))["properties"]["connectionStatus"] = status;
        ask(world)
    };
    fails(&with(json!("NotConnected")), BlockerKind::ConnectionDown); // R132
    open(&with(json!("Unknown")), "whether connection s2s is up");
    open(&with(json!({ "$unknown": "status", "why": "after apply" })), "status of connection s2s");
}

#[test]
fn a_sites_firewall_judges_the_first_packet() {
    let with = |lines: &str| ask(transit(true).declare(&SITE.replace("filter = \"none\"", lines)));
    let allow = r#"firewall = [ { from = ["10.1.0.0/16"], to = ["172.24.8.20/32"], protocol = "tcp", ports = "443", action = "allow" } ]"#;
    holds(&with(allow));
    fails(&with(&allow.replace("443", "8443")), BlockerKind::SiteFirewallDenies);
    let deny = r#"firewall = [ { from = ["10.9.0.0/16"], to = ["172.24.8.20/32"], protocol = "*", ports = "*", action = "deny" } ]"#;
    holds(&with(deny)); // all entries deny, none matches
    let unstated = with("");
    holds(&unstated);
    assert!(unstated.branches[0].basis.assumptions.iter().any(|a| a.0 == "site:dc/unfiltered"));
}

#[test]
fn replies_that_meet_another_device_are_dropped() {
    let mut world = transit(true)
        .declare(SITE)
        .machine("nva", "hub/nva", "10.0.1.4", json!({ "enableIPForwarding": true }))
        .table("rt-gw", json!({}), &[("10.1.0.0/16", "VirtualAppliance", json!("10.0.1.4"))])
        .declare("[[appliance]]\naddress = \"10.0.1.4\"\nforwards = []\nsnat = false\n");
    world.get(&net("virtualNetworks", "hub"))["properties"]["subnets"][0]["properties"]["routeTable"] =
        json!({ "id": net("routeTables", "rt-gw") });
    assert_eq!(fates(&ask(world)), ["ok", "asymmetric_path", "ok"]); // R160
}

#[test]
fn propagation_off_is_named() {
    let mut world =
        transit(true).declare(SITE).table("rt", json!({ "disableBgpRoutePropagation": true }), &[]);
    world.get(&net("virtualNetworks", "node"))["properties"]["subnets"][0]["properties"]["routeTable"] =
        json!({ "id": net("routeTables", "rt") });
    let answer = ask(world.clone());
    let blocker = answer.branches[0].forward.blockers()[0];
    assert_eq!(blocker.kind, BlockerKind::PropagationDisabled); // R72
    assert_eq!(blocker.evidence[0].field, "/properties/disableBgpRoutePropagation");
    // A user route to the VPN gateway brings the prefix back (R48, R73).
    world.get(&net("routeTables", "rt"))["properties"]["routes"] = json!([{ "name": "dc", "properties": {
        "addressPrefix": "172.24.0.0/16", "nextHopType": "VirtualNetworkGateway",
    }}]);
    holds(&ask(world.clone()));
    world.get(&net("virtualNetworkGateways", "gw"))["properties"]["gatewayType"] = json!("ExpressRoute");
    fails(&ask(world), BlockerKind::GatewayCannotCarry); // R47
}

#[test]
fn gateways_that_change_packets_are_not_followed() {
    let with = |kind: &str, name: &str, key: &str, value: Value| {
        let mut world = transit(true).declare(SITE);
        world.get(&net(kind, name))["properties"][key] = value;
        ask(world)
    };
    open(
        &with("virtualNetworkGateways", "gw", "natRules", json!([{ "name": "n", "properties": {} }])),
        "NAT rules",
    ); // R139
    open(&with("connections", "s2s", "egressNatRules", json!([{ "id": "x" }])), "NAT rules");
    open(&with("virtualNetworkGateways", "gw", "vpnType", json!("PolicyBased")), "policy-based"); // R137
    let selectors =
        json!([{ "localAddressRanges": ["10.0.0.0/16"], "remoteAddressRanges": ["172.24.0.0/16"] }]);
    open(&with("connections", "s2s", "trafficSelectorPolicies", selectors), "traffic selectors"); // R138
}

#[test]
fn fast_path_beside_a_route_table_is_open() {
    let world = |routed: bool| {
        let mut world = transit(true).declare(SITE);
        world.get(&net("connections", "s2s"))["properties"]["expressRouteGatewayBypass"] = json!(true);
        if routed {
            world = world.table("rt-gw", json!({}), &[]);
            world.get(&net("virtualNetworks", "hub"))["properties"]["subnets"][0]["properties"]["routeTable"] =
                json!({ "id": net("routeTables", "rt-gw") });
        }
        ask(world)
    };
    open(&world(true), "FastPath"); // R161, RU12
    holds(&world(false));
}

#[test]
fn forced_tunnelling_ends_at_the_sites_word_about_the_internet() {
    let with = |egress: &str| {
        let mut world = transit(true).declare(&SITE.replace("filter = \"none\"", egress));
        world.get(&net("localNetworkGateways", "lng"))["properties"]["localNetworkAddressSpace"]["addressPrefixes"] =
            json!(["0.0.0.0/0"]);
        path(&world.read(), "node/a", "203.0.113.9")
    };
    holds(&with("filter = \"none\"\ninternet_egress = true")); // R156
    fails(&with("internet_egress = false"), BlockerKind::NoEgress);
    open(&with(""), "whether site dc carries traffic on to the Internet");
}
