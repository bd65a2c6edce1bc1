//! `VirtualNetwork`, `Internet` and listed tags.

use pullproof_prover::filter::{FilterPoint, Holder};
use serde_json::{Value, json};

use crate::world::{
    Fate, World, ask, inbound, net, nodes, nodes_with, one, outbound, peering, rule, subnet_ix,
};

fn routed(prefix: &str, hop: &str, rules: &[Value]) -> World {
    let table = net("routeTables", "rt");
    nodes_with(rules, json!({ "routeTable": { "id": table } }), json!([])).with(json!({
        "id": table, "properties": { "routes": [{ "name": "r", "properties": {
            "addressPrefix": prefix, "nextHopType": hop,
            "nextHopIpAddress": if hop == "VirtualAppliance" { json!("10.0.2.4") } else { Value::Null },
        }}]},
    }))
}

#[test]
fn a_peer_with_access_is_in_the_tag() {
    let network = |access| nodes_with(&[], json!({}), json!([peering("hub", "10.50.0.0/16", access)])).read();
    assert_eq!(outbound(&network(true), "10.50.4.4"), Fate::Passes);
    assert_eq!(inbound(&network(true), "10.50.4.4"), Fate::Passes);
    outbound(&network(false), "10.50.4.4").denied_by("DenyAllOutBound");
}

#[test]
fn prefixes_of_user_routes_to_an_appliance_are_in_the_tag() {
    assert_eq!(
        outbound(&routed("172.16.50.0/24", "VirtualAppliance", &[]).read(), "172.16.50.9"),
        Fate::Passes
    );
    outbound(&routed("172.16.51.0/24", "VirtualAppliance", &[]).read(), "172.16.50.9")
        .denied_by("DenyAllOutBound");
    // F58: a default route makes the tag everything, for custom rules too.
    let deny = rule("deny", 100, "Deny", "VirtualNetwork", json!({}));
    outbound(&routed("0.0.0.0/0", "VirtualAppliance", std::slice::from_ref(&deny)).read(), "203.0.113.7")
        .denied_by("deny");
    assert_eq!(outbound(&nodes(&[deny]).read(), "203.0.113.7"), Fate::Passes);
}

#[test]
fn other_next_hop_types_are_contested_where_that_decides() {
    let network = routed("172.16.50.0/24", "None", &[]).read();
    outbound(&network, "172.16.50.9").open_on("FU2");
    // Both readings allow: by VirtualNetwork, or by Internet.
    assert_eq!(outbound(&routed("203.0.113.0/24", "Internet", &[]).read(), "203.0.113.7"), Fate::Passes);
}

#[test]
fn a_public_address_of_the_tag_is_contested_as_internet() {
    let deny = rule("deny", 200, "Deny", "Internet", json!({}));
    let network = routed("203.0.113.0/24", "VirtualAppliance", std::slice::from_ref(&deny)).read();
    outbound(&network, "203.0.113.7").open_on("F71");
    outbound(&network, "198.51.100.7").denied_by("deny");
    // Allowed before: both readings agree.
    let allow = rule("allow", 100, "Allow", "VirtualNetwork", json!({}));
    let network = routed("203.0.113.0/24", "VirtualAppliance", &[allow, deny]).read();
    assert_eq!(outbound(&network, "203.0.113.7"), Fate::Passes);
}

#[test]
fn a_listed_tag_covers_its_prefixes() {
    let rules = [
        rule("allow", 100, "Allow", "AzureContainerRegistry", json!({})),
        rule("deny", 200, "Deny", "Internet", json!({})),
    ];
    let network = nodes(&rules).tag("AzureContainerRegistry", &["203.0.113.0/24"]).read();
    assert_eq!(outbound(&network, "203.0.113.7"), Fate::Passes);
    outbound(&network, "198.51.100.7").denied_by("deny");
}

#[test]
fn unknown_tag_is_not_empty() {
    let allow = rule("allow", 100, "Allow", "AzureContainerRegistry", json!({}));
    let deny = rule("deny", 200, "Deny", "Internet", json!({}));
    outbound(&nodes(&[allow.clone(), deny.clone()]).read(), "203.0.113.7").open_on("AzureContainerRegistry");
    let denied = rule("deny-acr", 100, "Deny", "AzureContainerRegistry", json!({}));
    outbound(&nodes(&[denied]).read(), "203.0.113.7").open_on("AzureContainerRegistry");
    // F83: a private endpoint's address is in no tag.
    let all = rule("deny", 200, "Deny", "*", json!({}));
    outbound(&nodes(&[allow, all]).read(), "10.0.9.9").denied_by("deny");
}

#[test]
fn an_unknown_tag_does_not_matter_where_the_rest_says_the_same() {
    let rules = [
        rule("a", 100, "Allow", "AzureContainerRegistry", json!({})),
        rule("b", 110, "Allow", "Storage", json!({})),
    ];
    assert_eq!(outbound(&nodes(&rules).read(), "203.0.113.7"), Fate::Passes);
}

#[test]
fn one_tag_has_one_answer_in_every_rule() {
    // Whether or not the tag covers the address, some rule allows it.
    let rules = [
        rule("a", 100, "Allow", "Storage", json!({})),
        rule("b", 110, "Deny", "Storage", json!({})),
        rule("c", 120, "Allow", "Internet", json!({})),
    ];
    assert_eq!(outbound(&nodes(&rules).read(), "203.0.113.7"), Fate::Passes);
    let rules = [rules[1].clone(), rules[0].clone(), rules[2].clone()];
    let swapped: Vec<Value> = rules
        .into_iter()
        .enumerate()
        .map(|(i, mut rule)| {
            rule["properties"]["priority"] = json!(100 + i);
            rule
        })
        .collect();
    outbound(&nodes(&swapped).read(), "203.0.113.7").open_on("Storage");
}

#[test]
fn a_public_host_is_matched_by_the_tag_that_holds_it() {
    let only = |tag: &str| {
        let rules =
            [rule("allow", 100, "Allow", tag, json!({})), rule("deny", 200, "Deny", "Internet", json!({}))];
        nodes(&rules).read()
    };
    let login = "contosoreg.azurecr.io@AzureContainerRegistry";
    let blob = "*.blob.core.windows.net@Storage";
    assert_eq!(outbound(&only("AzureContainerRegistry"), login), Fate::Passes);
    // F81, F84: the storage host is not in the registry's tag.
    outbound(&only("AzureContainerRegistry"), blob).denied_by("deny");
    assert_eq!(outbound(&only("Storage"), blob), Fate::Passes);
    // F82, F85: a region's tag does not hold all of it.
    outbound(&only("Storage.WestEurope"), blob).open_on("Storage.WestEurope");
}

#[test]
fn open_bgp_source_is_not_no_route() {
    let gateway = net("virtualNetworkGateways", "er");
    let hub = nodes(&[])
        .with(json!({ "id": gateway, "properties": { "gatewayType": "ExpressRoute", "ipConfigurations": [{
            "name": "c", "properties": { "subnet": { "id": format!("{}/subnets/GatewaySubnet", net("virtualNetworks", "vnet")) } },
        }]}}));
    let mut hub = hub;
    hub.resources[0]["properties"]["subnets"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "name": "GatewaySubnet", "properties": { "addressPrefix": "10.0.255.0/27" } }));
    hub = hub.with(json!({ "id": net("connections", "er"), "properties": {
        "connectionType": "ExpressRoute", "connectionStatus": "Connected",
        "virtualNetworkGateway1": { "id": gateway }, "peer": { "id": net("expressRouteCircuits", "c") },
    }}));
    let fate = outbound(&hub.read(), "172.24.8.20");
    assert!(matches!(fate, Fate::Open(_)), "{fate:?}");
    outbound(&nodes(&[]).read(), "172.24.8.20").denied_by("DenyAllOutBound");
}

#[test]
fn a_forwarded_packet_outside_the_tag_is_open_on_the_flag() {
    let network = nodes_with(&[], json!({}), json!([peering("hub", "10.50.0.0/16", true)])).read();
    let mut at = FilterPoint::entering(subnet_ix(&network, "nodes"), Holder::Other);
    one(ask(&network, &at, "10.70.1.4", "10.0.1.4")).denied_by("DenyAllInBound");
    at.forwarded = true;
    one(ask(&network, &at, "10.70.1.4", "10.0.1.4")).open_on("F179");
    assert_eq!(one(ask(&network, &at, "10.50.1.4", "10.0.1.4")), Fate::Passes);
}
