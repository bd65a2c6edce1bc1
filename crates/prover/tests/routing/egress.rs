//! Outbound methods.

use pullproof_prover::BlockerKind;
use pullproof_prover::path::{Delivery, PathAnswer, SeenAs};
use serde_json::{Value, json};

use crate::world::{World, context, fails, holds, net, open, path, path_of};

fn cluster(name: &str, outbound: &str, pool: Value) -> Value {
    let profile = crate::world::merge(
        json!({ "name": "sys", "vnetSubnetID": crate::world::subnet_id("node/a"), "osType": "Linux", "type": "VirtualMachineScaleSets" }),
        pool,
    );
    json!({
        "id": format!("/subscriptions/s1/resourceGroups/contoso/providers/Microsoft.ContainerService/managedClusters/{name}"),
        "properties": {
            "networkProfile": {
                "outboundType": outbound,
                "loadBalancerProfile": { "effectiveOutboundIPs": [{ "id": net("publicIPAddresses", "lb-ip") }] },
            },
            "agentPoolProfiles": [profile],
        },
    })
}

fn public_ip(name: &str, address: &str) -> Value {
    json!({ "id": net("publicIPAddresses", name), "sku": { "name": "Standard" }, "properties": { "ipAddress": address } })
}

fn world(subnet: Value) -> World {
    World::default()
        .vnet(
            "node",
            &["10.1.0.0/16"],
            &[("a", "10.1.0.0/24", subnet), ("AzureFirewallSubnet", "10.1.9.0/26", json!({}))],
        )
        .with(public_ip("lb-ip", "198.51.100.7"))
        .with(public_ip("nat-ip", "198.51.100.8"))
}

fn ask(world: World) -> PathAnswer {
    path(&world.read(), "node/a", "203.0.113.9")
}

fn seen(answer: &PathAnswer) -> Vec<String> {
    match &answer.branches[0].seen_as {
        Some(SeenAs::Addresses { addresses, .. }) => addresses.iter().map(ToString::to_string).collect(),
        other => vec![format!("{other:?}")],
    }
}

#[test]
fn a_nat_gateway_comes_first_and_needs_an_address() {
    let nat = |ips: Value| {
        world(json!({ "natGateway": { "id": net("natGateways", "nat") } }))
            .with(json!({ "id": net("natGateways", "nat"), "sku": { "name": "Standard" }, "properties": { "publicIpAddresses": ips } }))
            .with(cluster("aks", "loadBalancer", json!({})))
    };
    let good = ask(nat(json!([{ "id": net("publicIPAddresses", "nat-ip") }])));
    holds(&good);
    assert_eq!(seen(&good), ["198.51.100.8"]); // R202
    assert_eq!(good.branches[0].delivery, Delivery::Internet);
    fails(&ask(nat(json!([]))), BlockerKind::NoEgress); // R204
}

#[test]
fn the_clusters_load_balancer_gives_its_addresses() {
    let answer = ask(world(json!({})).with(cluster("aks", "loadBalancer", json!({}))));
    holds(&answer);
    assert_eq!(seen(&answer), ["198.51.100.7"]);
}

#[test]
fn a_private_subnet_without_a_method_is_cut_off() {
    fails(
        &ask(world(json!({})).with(cluster("aks", "userDefinedRouting", json!({})))),
        BlockerKind::NoEgress,
    ); // R213
    let implicit = ask(world(json!({ "defaultOutboundAccess": true })).with(cluster(
        "aks",
        "userDefinedRouting",
        json!({}),
    )));
    open(&implicit, "how nodes in subnet a leave"); // R215, A374
    assert!(implicit.branches[0].basis.remarks.iter().any(|r| r.kind == "implicit-egress"));
}

#[test]
fn two_clusters_in_one_subnet_differ() {
    let network = world(json!({}))
        .with(cluster("aks-1", "userDefinedRouting", json!({})))
        .with(cluster("aks-2", "userDefinedRouting", json!({ "enableNodePublicIP": true })))
        .read();
    let answers: Vec<bool> = network
        .pools
        .iter()
        .map(|(pool, _)| {
            path_of(&network, &context(&network, "node/a", Some(pool)), "203.0.113.9", None).branches[0]
                .forward
                .holds()
        })
        .collect();
    assert_eq!(answers, [false, true]);
}

fn firewall(rules: Value, public: Value) -> World {
    let mut world = world(json!({ "routeTable": { "id": net("routeTables", "rt") } }))
        .table("rt", json!({}), &[("0.0.0.0/0", "VirtualAppliance", json!("10.1.9.4"))])
        .with(public_ip("fw-ip", "198.51.100.9"))
        .with(json!({ "id": net("azureFirewalls", "fw"), "properties": {
            "sku": { "name": "AZFW_VNet", "tier": "Standard" },
            "firewallPolicy": { "id": net("firewallPolicies", "p") },
            "ipConfigurations": [{ "name": "c", "properties": {
                "privateIPAddress": "10.1.9.4", "subnet": { "id": crate::world::subnet_id("node/AzureFirewallSubnet") },
                "publicIPAddress": public,
            }}],
        }}))
        .with(json!({ "id": net("firewallPolicies", "p"), "properties": { "sku": { "tier": "Standard" }, "threatIntelMode": "Off" } }))
        .with(json!({ "id": net("firewallPolicies", "p/ruleCollectionGroups/g"), "properties": { "priority": 200, "ruleCollections": [{
            "name": "c", "priority": 100, "ruleCollectionType": "FirewallPolicyFilterRuleCollection", "action": { "type": "Allow" }, "rules": rules,
        }]}}))
        .with(cluster("aks", "userDefinedRouting", json!({})));
    world.get(&net("virtualNetworks", "node"))["location"] = json!("westeurope");
    world
}

fn allow() -> Value {
    json!([{ "ruleType": "NetworkRule", "name": "r", "ipProtocols": ["TCP"], "sourceAddresses": ["*"],
        "destinationAddresses": ["203.0.113.0/24"], "destinationPorts": ["443"] }])
}

#[test]
fn a_firewall_leaves_as_itself() {
    let good = ask(firewall(allow(), json!({ "id": net("publicIPAddresses", "fw-ip") })));
    holds(&good);
    assert_eq!(seen(&good), ["198.51.100.9"]); // R167
    let denied = ask(firewall(json!([]), json!({ "id": net("publicIPAddresses", "fw-ip") })));
    fails(&denied, BlockerKind::FirewallDenies);
    assert!(denied.branches[0].forward.holds(), "the route is fine all the same (F9)");
}

#[test]
fn a_service_endpoint_keeps_the_private_source() {
    let network = world(
        json!({ "serviceEndpoints": [{ "service": "Microsoft.ContainerRegistry", "locations": ["*"] }] }),
    )
    .with(cluster("aks", "userDefinedRouting", json!({})))
    .read();
    let answer = path(&network, "node/a", "contosoreg.azurecr.io@AzureContainerRegistry");
    holds(&answer); // R96, R213
    assert!(matches!(answer.branches[0].delivery, Delivery::ServiceEndpoint(_)));
    assert_eq!(answer.branches[0].seen_as, None);
    fails(&path(&network, "node/a", "mcr.microsoft.com@MicrosoftContainerRegistry"), BlockerKind::NoEgress);
}

#[test]
fn every_address_of_a_wildcard_host_counts() {
    let world = |locations: Value| {
        world(json!({ "serviceEndpoints": [{ "service": "Microsoft.Storage", "locations": locations }] }))
            .with(cluster("aks", "loadBalancer", json!({})))
            .read()
    };
    let regional = path(&world(json!(["westeurope"])), "node/a", "*.blob.core.windows.net@Storage");
    assert_eq!(regional.branches.len(), 2); // some accounts by the endpoint, some not (A13)
    let global = path(&world(json!(["*"])), "node/a", "*.blob.core.windows.net@Storage");
    assert_eq!(global.branches.len(), 1);
    // One host has one address: which is not known. It is reached either way, and the doors are told apart.
    let one = path(&world(json!(["westeurope"])), "node/a", "contosostore.blob.core.windows.net@Storage");
    holds(&one);
    assert_eq!(one.branches[0].other_ends.len(), 1);
}

#[test]
fn a_storage_policy_that_lists_own_accounts_refuses_the_registrys() {
    let world = |policies: Value| {
        let endpoint = json!([{ "service": "Microsoft.Storage", "locations": ["*"] }]);
        let network = world(json!({ "serviceEndpoints": endpoint, "serviceEndpointPolicies": policies }))
            .with(cluster("aks", "loadBalancer", json!({})))
            .with(json!({ "id": net("serviceEndpointPolicies", "own"), "properties": { "serviceEndpointPolicyDefinitions": [{
                "name": "d", "properties": { "service": "Microsoft.Storage", "serviceResources": ["/subscriptions/s1"] },
            }]}}))
            .read();
        path(&network, "node/a", "*.blob.core.windows.net@Storage")
    };
    fails(
        &world(json!([{ "id": net("serviceEndpointPolicies", "own") }])),
        BlockerKind::ServiceEndpointPolicy,
    ); // A93
    holds(&world(json!([])));
}

#[test]
fn http_proxy_is_not_direct() {
    let with = |proxy: Value| {
        let mut cluster = cluster("aks", "loadBalancer", json!({}));
        cluster["properties"]["httpProxyConfig"] = proxy;
        let network = world(json!({})).with(cluster).read();
        let pool = network.pools.iter().next().unwrap().0;
        path_of(
            &network,
            &context(&network, "node/a", Some(pool)),
            "203.0.113.9",
            Some("contosoreg.azurecr.io"),
        )
    };
    let proxy = json!({ "httpsProxy": "http://10.1.0.9:3128", "noProxy": ["localhost"] });
    open(&with(proxy), "contosoreg.azurecr.io");
    holds(&with(json!({ "httpsProxy": "http://10.1.0.9:3128", "noProxy": ["azurecr.io"] })));
}

#[test]
fn private_addresses_do_not_leave_by_the_internet() {
    let network = world(json!({ "routeTable": { "id": net("routeTables", "rt") } }))
        .table("rt", json!({}), &[("0.0.0.0/0", "Internet", Value::Null)])
        .with(cluster("aks", "loadBalancer", json!({})))
        .read();
    fails(&path(&network, "node/a", "10.99.0.1"), BlockerKind::NoRoute);
    holds(&path(&network, "node/a", "203.0.113.9"));
}
