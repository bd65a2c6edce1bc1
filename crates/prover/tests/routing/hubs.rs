//! Virtual WAN.

use pullproof_prover::BlockerKind;
use pullproof_prover::path::PathAnswer;
use serde_json::{Value, json};

use crate::world::{World, fails, fates, holds, net, open, path};

fn connection(name: &str, vnet: &str, table: &str, propagated: &[&str], over: Value) -> Value {
    let tables = |names: &[&str]| -> Vec<Value> {
        names
            .iter()
            .map(|t| json!({ "id": net("virtualHubs", &format!("hub/hubRouteTables/{t}")) }))
            .collect()
    };
    let base = json!({
        "remoteVirtualNetwork": { "id": net("virtualNetworks", vnet) }, "enableInternetSecurity": true,
        "routingConfiguration": {
            "associatedRouteTable": { "id": net("virtualHubs", &format!("hub/hubRouteTables/{table}")) },
            "propagatedRouteTables": { "ids": tables(propagated), "labels": [] },
        },
    });
    json!({ "id": net("virtualHubs", &format!("hub/hubVirtualNetworkConnections/{name}")), "properties": crate::world::merge(base, over) })
}

/// Two networks on one hub; the far connection propagates to these tables.
fn hub(near_to: &[&str], far_to: &[&str]) -> World {
    let table = |name: &str| json!({ "id": net("virtualHubs", &format!("hub/hubRouteTables/{name}")), "properties": { "labels": [], "routes": [] } });
    World::default()
        .vnet("node", &["10.1.0.0/16"], &[("a", "10.1.0.0/24", json!({}))])
        .vnet("far", &["10.2.0.0/16"], &[("b", "10.2.0.0/24", json!({}))])
        .machine("target", "far/b", "10.2.0.4", json!({}))
        .with(json!({ "id": net("virtualHubs", "hub"), "properties": {
            "addressPrefix": "10.200.0.0/23", "routingState": "Provisioned", "virtualWan": { "id": net("virtualWans", "wan") },
        }}))
        .with(table("defaultRouteTable"))
        .with(table("noneRouteTable"))
        .with(connection("node", "node", "defaultRouteTable", near_to, json!({})))
        .with(connection("far", "far", "defaultRouteTable", far_to, json!({})))
}

const DEFAULT: &[&str] = &["defaultRouteTable"];
const NONE: &[&str] = &["noneRouteTable"];

fn ask(world: World) -> PathAnswer {
    path(&world.read(), "node/a", "10.2.0.4")
}

#[test]
fn networks_reach_each_other_where_both_propagate() {
    holds(&ask(hub(DEFAULT, DEFAULT))); // R180
    fails(&ask(hub(DEFAULT, NONE)), BlockerKind::HubNoRoute);
    assert_eq!(fates(&ask(hub(NONE, DEFAULT))), ["ok", "no_return_route", "ok"]); // R235
}

#[test]
fn a_route_table_without_propagation_loses_the_hub() {
    let mut world = hub(DEFAULT, DEFAULT).table("rt", json!({ "disableBgpRoutePropagation": true }), &[]);
    world.get(&net("virtualNetworks", "node"))["properties"]["subnets"][0]["properties"]["routeTable"] =
        json!({ "id": net("routeTables", "rt") });
    fails(&ask(world), BlockerKind::HubNoRoute); // R183
}

#[test]
fn what_may_change_a_hubs_routes_keeps_them_open() {
    let mut mapped = hub(DEFAULT, DEFAULT);
    mapped.get(&net("virtualHubs", "hub/hubVirtualNetworkConnections/node"))["properties"]["routingConfiguration"]
        ["inboundRouteMap"] = json!({ "id": net("virtualHubs", "hub/routeMaps/m") });
    open(&ask(mapped), "route map"); // R200
    let mut failed = hub(DEFAULT, DEFAULT);
    failed.get(&net("virtualHubs", "hub"))["properties"]["routingState"] = json!("Provisioning");
    open(&ask(failed), "the routes of hub hub");
    let branch = json!({ "id": net("vpnGateways", "vpn"), "properties": { "virtualHub": { "id": net("virtualHubs", "hub") }, "connections": [] } });
    open(&ask(hub(DEFAULT, DEFAULT).with(branch)), "branches announce");
    open(&ask(hub(DEFAULT, DEFAULT).partial()), "");
}

fn secured(rules: Value) -> World {
    let intent = json!({ "id": net("virtualHubs", "hub/routingIntent/intent"), "properties": { "routingPolicies": [
        { "name": "private", "destinations": ["PrivateTraffic"], "nextHop": net("azureFirewalls", "fw") },
    ]}});
    let mut world = hub(NONE, NONE)
        .with(intent)
        .with(json!({ "id": net("azureFirewalls", "fw"), "properties": {
            "sku": { "name": "AZFW_Hub", "tier": "Standard" }, "virtualHub": { "id": net("virtualHubs", "hub") },
            "firewallPolicy": { "id": net("firewallPolicies", "p") },
            "hubIPAddresses": { "privateIPAddress": "10.200.0.132", "publicIPs": { "count": 1, "addresses": [{ "address": "198.51.100.9" }] } },
        }}))
        .with(json!({ "id": net("firewallPolicies", "p"), "properties": { "sku": { "tier": "Standard" }, "threatIntelMode": "Off" } }))
        .with(json!({ "id": net("firewallPolicies", "p/ruleCollectionGroups/g"), "properties": { "priority": 200, "ruleCollections": [{
            "name": "c", "priority": 100, "ruleCollectionType": "FirewallPolicyFilterRuleCollection", "action": { "type": "Allow" }, "rules": rules,
        }]}}));
    world.get(&net("virtualHubs", "hub"))["properties"]["azureFirewall"] =
        json!({ "id": net("azureFirewalls", "fw") });
    world
}

#[test]
fn a_private_policy_sends_both_directions_through_the_hubs_firewall() {
    let allow = json!([{ "ruleType": "NetworkRule", "name": "r", "ipProtocols": ["TCP"], "sourceAddresses": ["10.1.0.0/16"],
        "destinationAddresses": ["10.2.0.0/16"], "destinationPorts": ["443"] }]);
    holds(&ask(secured(allow))); // R190, R192
    fails(&ask(secured(json!([]))), BlockerKind::FirewallDenies);
}

#[test]
fn a_peering_that_only_one_direction_takes_passes_the_firewall_by() {
    let allow = json!([{ "ruleType": "NetworkRule", "name": "r", "ipProtocols": ["TCP"], "sourceAddresses": ["*"],
        "destinationAddresses": ["*"], "destinationPorts": ["443"] }]);
    let mut world = secured(allow).peer("node", "far").table(
        "rt",
        json!({}),
        &[("10.1.0.0/16", "VirtualAppliance", json!("10.200.0.132"))],
    );
    world.get(&net("virtualNetworks", "far"))["properties"]["subnets"][0]["properties"]["routeTable"] =
        json!({ "id": net("routeTables", "rt") });
    assert_eq!(fates(&ask(world)), ["ok", "asymmetric_path", "ok"]); // R164
}
