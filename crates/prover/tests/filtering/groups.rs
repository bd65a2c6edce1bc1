//! Levels, order, ports and protocols of security groups.

use pullproof_network::set::Ports;
use pullproof_prover::Prover;
use pullproof_prover::filter::{FilterPoint, Holder};
use serde_json::json;

use crate::admin::effective;
use crate::world::{
    Fate, World, ask, inbound, net, nic, nodes, nodes_with, nsg, one, outbound, outbound_parts, rule,
    subnet_ix,
};

#[test]
fn default_rules_hold_whether_the_input_shows_them_or_not() {
    let network = nodes(&[]).read();
    assert_eq!(outbound(&network, "203.0.113.7"), Fate::Passes);
    assert_eq!(outbound(&network, "10.0.9.9"), Fate::Passes);
    // F70: private space that is not in VirtualNetwork is not Internet either.
    outbound(&network, "172.31.0.100").denied_by("DenyAllOutBound");
    inbound(&network, "203.0.113.7").denied_by("DenyAllInBound");
}

#[test]
fn the_lower_number_decides_whatever_the_order_of_the_input() {
    let allow = rule("allow", 100, "Allow", "203.0.113.0/24", json!({}));
    let deny = rule("deny", 200, "Deny", "*", json!({}));
    assert_eq!(outbound(&nodes(&[deny.clone(), allow]).read(), "203.0.113.7"), Fate::Passes);
    let later = rule("allow", 300, "Allow", "203.0.113.0/24", json!({}));
    outbound(&nodes(&[deny, later]).read(), "203.0.113.7").denied_by("rule deny (200)");
}

#[test]
fn both_levels_must_allow() {
    let open = |nic_rules| {
        let mut world = nodes(&[]).with(nsg("nic-nsg", nic_rules));
        for resource in &mut world.resources {
            if resource["id"] == json!(net("networkInterfaces", "vm")) {
                resource["properties"]["networkSecurityGroup"] =
                    json!({ "id": net("networkSecurityGroups", "nic-nsg") });
            }
        }
        world.read()
    };
    assert_eq!(outbound(&open(&[]), "203.0.113.7"), Fate::Passes);
    let deny = rule("deny", 100, "Deny", "Internet", json!({}));
    outbound(&open(&[deny]), "203.0.113.7").denied_by("nic-nsg");
}

#[test]
fn no_group_filters_nothing() {
    let world = nodes_with(&[], json!({ "networkSecurityGroup": null }), json!([]));
    assert_eq!(outbound(&world.read(), "172.31.0.100"), Fate::Passes);
}

#[test]
fn plural_prefixes_do_not_widen() {
    let plural = json!({ "destinationAddressPrefix": null, "destinationAddressPrefixes": ["203.0.113.0/25", "198.51.100.9"] });
    let deny = rule("deny", 100, "Deny", "", plural);
    let network = nodes(&[deny]).read();
    outbound(&network, "203.0.113.7").denied_by("deny");
    outbound(&network, "198.51.100.9").denied_by("deny");
    assert_eq!(outbound(&network, "203.0.113.200"), Fate::Passes);
}

#[test]
fn protocol_any_keeps_ports() {
    let at = |port| rule("deny", 100, "Deny", "*", json!({ "protocol": "*", "destinationPortRange": port }));
    assert_eq!(outbound(&nodes(&[at("80")]).read(), "203.0.113.7"), Fate::Passes);
    outbound(&nodes(&[at("400-500")]).read(), "203.0.113.7").denied_by("deny");
}

#[test]
fn words_are_compared_without_regard_to_letter_case() {
    let loud = rule("deny", 100, "DENY", "INTERNET", json!({ "protocol": "TCP", "direction": "OUTBOUND" }));
    outbound(&nodes(&[loud]).read(), "203.0.113.7").denied_by("deny");
}

#[test]
fn half_of_the_subnet_and_half_of_the_ports_are_told_apart() {
    let deny = rule(
        "deny",
        100,
        "Deny",
        "*",
        json!({ "sourceAddressPrefix": "10.0.1.128/25", "sourcePortRange": "50000-65535" }),
    );
    let parts = outbound_parts(&nodes(&[deny]).read(), "10.0.1.0/24", "203.0.113.7");
    let denied: Vec<_> = parts.iter().filter(|(_, _, outcome)| !outcome.holds()).collect();
    let [(sources, sports, _)] = denied.as_slice() else { panic!("{parts:?}") };
    assert_eq!(sources.to_string(), "10.0.1.128/25");
    assert_eq!(*sports, Ports::range(50000, 60999));
    let held: u128 = parts.iter().map(|(sources, sports, _)| sources.len() * u128::from(sports.len())).sum();
    assert_eq!(held, 256 * (60999 - 32768 + 1));
}

#[test]
fn a_source_port_that_no_client_uses_admits_nobody() {
    let allow = rule("allow", 100, "Allow", "*", json!({ "sourcePortRange": "443" }));
    let deny = rule("deny", 200, "Deny", "*", json!({}));
    outbound(&nodes(&[allow, deny.clone()]).read(), "203.0.113.7").denied_by("deny");
    let allow = rule("allow", 100, "Allow", "*", json!({ "sourcePortRange": "1024-65535" }));
    assert_eq!(outbound(&nodes(&[allow, deny]).read(), "203.0.113.7"), Fate::Passes);
}

#[test]
fn an_application_security_group_holds_its_members_only() {
    let asg = net("applicationSecurityGroups", "web");
    let allow = rule(
        "allow",
        100,
        "Allow",
        "",
        json!({
            "destinationAddressPrefix": null, "destinationApplicationSecurityGroups": [{ "id": asg }],
        }),
    );
    let deny = rule("deny", 200, "Deny", "*", json!({}));
    let world = |member: &str| {
        nodes(&[allow.clone(), deny.clone()]).with(json!({ "id": asg, "properties": {} })).with(nic(
            "web",
            "nodes",
            member,
            json!({ "applicationSecurityGroups": [{ "id": asg }] }),
        ))
    };
    assert_eq!(outbound(&world("10.0.1.9").read(), "10.0.1.9"), Fate::Passes);
    outbound(&world("10.0.1.8").read(), "10.0.1.9").denied_by("deny");
    // F34: interfaces that were not read may be members.
    let partial = World { partial: true, ..effective(world("10.0.1.8"), &[]) };
    outbound(&partial.read(), "10.0.1.9").open_on("members of application security group web");
}

#[test]
fn a_private_endpoint_is_filtered_only_where_its_subnet_says_so() {
    let deny = rule("deny", 100, "Deny", "*", json!({ "direction": "Inbound", "sourcePortRange": "1-100" }));
    let fate = |policy: &str| {
        let world = nodes_with(
            std::slice::from_ref(&deny),
            json!({ "privateEndpointNetworkPolicies": policy }),
            json!([]),
        )
        .with(json!({ "id": net("privateEndpoints", "pe"), "properties": {
            "subnet": { "id": format!("{}/subnets/nodes", net("virtualNetworks", "vnet")) },
        }}));
        let network = world.read();
        let endpoint = network.private_endpoints.iter().next().unwrap().0;
        let at = FilterPoint::entering(subnet_ix(&network, "nodes"), Holder::PrivateEndpoint(endpoint));
        one(ask(&network, &at, "10.0.1.9", "10.0.1.5"))
    };
    assert_eq!(fate("Disabled"), Fate::Passes);
    assert_eq!(fate("RouteTableEnabled"), Fate::Passes);
    // F91: source ports of rules count as any.
    fate("Enabled").denied_by("deny");
    fate("NetworkSecurityGroupEnabled").denied_by("deny");
}

#[test]
fn the_platforms_own_addresses_are_reached_past_every_rule_without_their_tag() {
    let deny_all = rule("deny", 100, "Deny", "*", json!({ "destinationPortRange": "*", "protocol": "*" }));
    let ask_in = |world: World| {
        let network = world.read();
        let prover = Prover::new(&network);
        let at = FilterPoint::entering(subnet_ix(&network, "nodes"), Holder::Other);
        let at = FilterPoint { direction: pullproof_snapshot::question::Direction::Outbound, ..at };
        let to = pullproof_prover::path::Target::Address("168.63.129.16".parse().unwrap());
        let parts = prover.nsg(
            &at,
            &"10.0.1.4".parse().unwrap(),
            &Ports::one(50000),
            &to,
            pullproof_prover::Proto::Udp,
            53,
        );
        crate::world::fate(&parts.first().unwrap().outcome)
    };
    let ask_dns = |rules: &[serde_json::Value]| ask_in(nodes(rules));
    // A rule whose destination is not known, and a group that was not read, may name the tag.
    let perhaps = json!({ "destinationAddressPrefix": { "$unknown": "destination" }, "protocol": "*",
        "destinationPortRange": "*" });
    ask_dns(&[rule("perhaps", 100, "Deny", "*", perhaps)]).open_on("destination, in rule `perhaps`");
    let unread = json!({ "networkSecurityGroup": { "id": net("networkSecurityGroups", "elsewhere") } });
    ask_in(nodes_with(&[], unread, json!([]))).open_on("network security group elsewhere");
    assert_eq!(ask_dns(&[deny_all]), Fate::Passes);
    let deny_dns = rule(
        "no-dns",
        100,
        "Deny",
        "AzurePlatformDNS",
        json!({ "destinationPortRange": "*", "protocol": "*" }),
    );
    ask_dns(&[deny_dns]).denied_by("no-dns");
}

#[test]
fn a_new_node_has_the_group_of_its_pools_scale_set() {
    let cluster = id_of_cluster();
    let world = |group: &[serde_json::Value], scale_set: bool| {
        let mut world = nodes_with(&[], json!({ "networkSecurityGroup": null }), json!([]))
            .with(json!({ "id": cluster, "location": "westeurope", "properties": {
                "nodeResourceGroup": "MC_contoso",
                "agentPoolProfiles": [{ "name": "sys",
                    "vnetSubnetID": format!("{}/subnets/nodes", net("virtualNetworks", "vnet")) }],
            }}))
            .with(nsg("aks-nsg", group));
        if scale_set {
            world = world.with(json!({
                "id": "/subscriptions/s1/resourceGroups/MC_contoso/providers/Microsoft.Compute/virtualMachineScaleSets/aks-sys",
                "tags": { "aks-managed-poolName": "sys" },
                "properties": { "virtualMachineProfile": { "networkProfile": { "networkInterfaceConfigurations": [{
                    "name": "nic", "properties": { "primary": true,
                        "networkSecurityGroup": { "id": net("networkSecurityGroups", "aks-nsg") },
                        "ipConfigurations": [] },
                }]}}},
            }));
        }
        let network = world.read();
        let pool = network.pools.iter().next().unwrap().0;
        let mut at = FilterPoint::entering(subnet_ix(&network, "nodes"), Holder::Pool(pool));
        at.direction = pullproof_snapshot::question::Direction::Outbound;
        let prover = Prover::new(&network);
        let to = pullproof_prover::path::Target::Address("203.0.113.7".parse().unwrap());
        let part = prover
            .nsg(
                &at,
                &"10.0.1.0/24".parse().unwrap(),
                &Ports::one(50000),
                &to,
                pullproof_prover::Proto::Tcp,
                443,
            )
            .remove(0);
        (crate::world::fate(&part.outcome), part.basis)
    };
    let deny = rule("deny", 100, "Deny", "Internet", json!({}));
    world(std::slice::from_ref(&deny), true).0.denied_by("aks-nsg");
    assert_eq!(world(&[], true).0, Fate::Passes);
    // F48, F54: without the scale set the group is expected to have its default rules, and says so.
    let (fate, basis) = world(&[deny], false);
    assert_eq!(fate, Fate::Passes);
    assert!(basis.assumptions.iter().any(|a| a.0.starts_with("automation:aks-node")), "{basis:?}");
}

fn id_of_cluster() -> String {
    crate::world::id("Microsoft.ContainerService/managedClusters/aks")
}
