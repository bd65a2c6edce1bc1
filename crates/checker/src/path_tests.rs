//! Small environments, one a fact group: what routes, filters, devices and replies decide.

use std::net::IpAddr;

use pullproof_snapshot::question::{Answer, Question};
use serde_json::{Value, json};

use crate::fixture::{cluster, id, node, nodes, peer, plain, resource, vnet};
use crate::path::reach;
use crate::plain::{Plain, Source};
use crate::reach::{Delivery, Reach};
use crate::tri::Tri;
use crate::{answer, next_hop, routes};

fn at(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn nic(name: &str, subnet: &str, address: &str, forwarding: bool) -> Value {
    let machine = id(&format!("Microsoft.Compute/virtualMachines/{name}"));
    resource(
        &format!("Microsoft.Network/networkInterfaces/{name}"),
        json!({ "enableIPForwarding": forwarding, "virtualMachine": { "id": machine }, "ipConfigurations": [{
            "name": "c", "id": id(&format!("Microsoft.Network/networkInterfaces/{name}/ipConfigurations/c")),
            "properties": { "privateIPAddress": address, "primary": true,
                            "subnet": { "id": id(&format!("Microsoft.Network/virtualNetworks/{subnet}")) } } }] }),
    )
}

fn table(name: &str, routes: &[(&str, &str, Option<&str>)]) -> Value {
    let routes: Vec<Value> = routes
        .iter()
        .enumerate()
        .map(|(i, (prefix, hop, address))| {
            json!({ "name": format!("r{i}"), "properties": {
                "addressPrefix": prefix, "nextHopType": hop, "nextHopIpAddress": address } })
        })
        .collect();
    resource(&format!("Microsoft.Network/routeTables/{name}"), json!({ "routes": routes }))
}

fn bind(network: &mut Value, subnet: usize, field: &str, target: &str) {
    network["properties"]["subnets"][subnet]["properties"][field] = json!({ "id": id(target) });
}

fn endpoint(subnet: &str, address: &str, status: &str) -> Value {
    resource(
        "Microsoft.Network/privateEndpoints/pe",
        json!({ "subnet": { "id": id(&format!("Microsoft.Network/virtualNetworks/{subnet}")) },
                "ipConfigurations": [{ "properties": { "privateIPAddress": address } }],
                "privateLinkServiceConnections": [{ "properties": {
                    "privateLinkServiceConnectionState": { "status": status } } }] }),
    )
}

fn machine(network: &str, n: u8) -> Source {
    Source { pool: None, ..node(network, n) }
}

fn walk(plain: &Plain, from: &Source, to: &str) -> Reach {
    reach(plain, from, at(to), "tcp", None, 443, None)
}

/// R76, R88, R105: an endpoint's route reaches direct peers; a connection that is not approved carries nothing.
#[test]
fn a_private_endpoint_in_a_peer_is_reached_only_while_approved() {
    for (status, wanted) in [("Approved", Tri::Yes), ("Pending", Tri::No)] {
        let (mut hub, mut spoke) =
            (vnet("hub", 1, &[], &[("pe", "10.1.2.0/24")]), vnet("spoke", 2, &[], &[]));
        peer(&mut hub, &mut spoke);
        let plain = plain(vec![hub, spoke, endpoint("hub/subnets/pe", "10.1.2.5", status)], "");
        let found = walk(&plain, &machine("spoke", 2), "10.1.2.5");
        assert_eq!(found.forward_routing, wanted, "{status}");
        if status == "Approved" {
            assert_eq!(found.return_routing, Tri::Yes);
            assert!(matches!(found.delivery, Some(Delivery::PrivateEndpoint(_))));
        }
    }
}

/// R103, R106, R15: half a peering routes nothing, and the reserved block drops.
#[test]
fn half_a_peering_is_none() {
    let (mut hub, mut spoke) = (vnet("hub", 1, &[], &[]), vnet("spoke", 2, &[], &[]));
    peer(&mut hub, &mut spoke);
    hub["properties"]["virtualNetworkPeerings"] = json!([]);
    let plain = plain(vec![hub, spoke, nic("vm", "hub/subnets/nodes", "10.1.1.9", false)], "");
    assert_eq!(walk(&plain, &machine("spoke", 2), "10.1.1.9").forward_routing, Tri::No);
}

/// R79–R83: which user routes take an endpoint's /32 away.
#[test]
fn a_user_route_as_long_as_the_network_wins_only_with_the_policy() {
    let firewall_route = [("10.1.0.0/16", "VirtualAppliance", Some("10.2.1.9"))];
    for (policy, wanted) in
        [("Disabled", routes::Hop::InterfaceEndpoint), ("RouteTableEnabled", routes::Hop::Appliance)]
    {
        let (mut hub, mut spoke) =
            (vnet("hub", 1, &[], &[("pe", "10.1.2.0/24")]), vnet("spoke", 2, &[], &[]));
        hub["properties"]["subnets"][1]["properties"]["privateEndpointNetworkPolicies"] = json!(policy);
        peer(&mut hub, &mut spoke);
        bind(&mut spoke, 0, "routeTable", "Microsoft.Network/routeTables/rt");
        let resources = vec![
            hub,
            spoke,
            endpoint("hub/subnets/pe", "10.1.2.5", "Approved"),
            table("rt", &firewall_route),
        ];
        let plain = plain(resources, "");
        let subnet = &plain.index().subnets[&nodes("spoke")];
        match next_hop::choose(&plain, subnet, at("10.1.2.5"), None) {
            next_hop::Choice::Route(route) => assert_eq!(route.hop, wanted, "{policy}"),
            other => panic!("{policy}: {other:?}"),
        }
    }
}

/// A hub with an appliance between two spokes, both of which route to it.
fn through_appliance(forwarding: bool, back: bool, declared: &str) -> Reach {
    let mut hub = vnet("hub", 1, &[], &[]);
    let (mut one, mut two) = (vnet("one", 2, &[], &[]), vnet("two", 3, &[], &[]));
    peer(&mut hub, &mut one);
    peer(&mut hub, &mut two);
    bind(&mut one, 0, "routeTable", "Microsoft.Network/routeTables/rt1");
    if back {
        bind(&mut two, 0, "routeTable", "Microsoft.Network/routeTables/rt2");
    }
    let resources = vec![
        hub,
        one,
        two,
        nic("nva", "hub/subnets/nodes", "10.1.1.9", forwarding),
        nic("vm", "two/subnets/nodes", "10.3.1.9", false),
        table("rt1", &[("10.3.0.0/16", "VirtualAppliance", Some("10.1.1.9"))]),
        table("rt2", &[("10.2.0.0/16", "VirtualAppliance", Some("10.1.1.9"))]),
    ];
    walk(&plain(resources, declared), &machine("one", 2), "10.3.1.9")
}

const FORWARDS: &str = "[[appliance]]\naddress = \"10.1.1.9\"\nsnat = false\n\
                        forwards = [{ from = [\"10.0.0.0/8\"], to = [\"10.0.0.0/8\"], action = \"allow\" }]\n";

/// R43, R44, R164, R172: forwarding, what the guest does, and the way back through the same device.
#[test]
fn an_appliance_needs_forwarding_a_declaration_and_the_way_back() {
    assert_eq!(through_appliance(false, true, FORWARDS).forward_routing, Tri::No);
    assert!(matches!(through_appliance(true, true, "").forward_routing, Tri::Unknown(_)));
    let both = through_appliance(true, true, FORWARDS);
    assert_eq!(
        (both.forward_routing, both.forward_filter, both.return_routing),
        (Tri::Yes, Tri::Yes, Tri::Yes)
    );
    assert_eq!(both.assumptions, ["appliance:10.1.1.9"]);
    assert_eq!(through_appliance(true, false, FORWARDS).return_routing, Tri::No);
}

/// R42: nobody has the next hop's address.
#[test]
fn a_next_hop_that_nobody_has_is_a_black_hole() {
    let mut network = vnet("a", 1, &[], &[]);
    bind(&mut network, 0, "routeTable", "Microsoft.Network/routeTables/rt");
    let rows = [("0.0.0.0/0", "VirtualAppliance", Some("10.1.1.99"))];
    let plain = plain(vec![network, table("rt", &rows)], "");
    assert_eq!(walk(&plain, &machine("a", 1), "203.0.113.9").forward_routing, Tri::No);
}

/// R207, R208, R215: default outbound access, for a node and for another machine.
#[test]
fn default_outbound_access_is_no_proof_for_a_node() {
    let private = |flag: Value| {
        let mut network = vnet("a", 1, &[], &[]);
        network["properties"]["subnets"][0]["properties"]["defaultOutboundAccess"] = flag;
        plain(vec![network, cluster("a", json!({ "networkProfile": { "outboundType": "none" } }))], "")
    };
    assert_eq!(walk(&private(Value::Null), &machine("a", 1), "203.0.113.9").forward_routing, Tri::Yes);
    let open = walk(&private(Value::Null), &node("a", 1), "203.0.113.9");
    assert!(matches!(open.forward_routing, Tri::Unknown(_)));
    assert_eq!(open.findings, ["implicit-egress"]);
    assert_eq!(walk(&private(json!(false)), &node("a", 1), "203.0.113.9").forward_routing, Tri::No);
}

fn group(rules: Value) -> Value {
    resource("Microsoft.Network/networkSecurityGroups/nsg", json!({ "securityRules": rules }))
}

fn rule(name: &str, priority: u32, access: &str, ports: (&str, &str), to: &str) -> Value {
    json!({ "name": name, "properties": {
        "priority": priority, "direction": "Outbound", "access": access, "protocol": "Tcp",
        "sourceAddressPrefix": "*", "sourcePortRange": ports.0,
        "destinationAddressPrefix": to, "destinationPortRange": ports.1 } })
}

fn filtered(rules: Value, to: &str, host: Option<&str>) -> Tri {
    let mut network = vnet("a", 1, &[], &[]);
    bind(&mut network, 0, "networkSecurityGroup", "Microsoft.Network/networkSecurityGroups/nsg");
    let plain = plain(vec![network, group(rules), nic("vm", "a/subnets/nodes", "10.1.1.9", false)], "");
    reach(&plain, &machine("a", 1), at(to), "tcp", None, 443, host).forward_filter
}

/// F10, F27, F70, F84: order, source ports that split the client's range, defaults, tags without a list.
#[test]
fn rules_decide_for_every_source_port_and_with_what_is_known_of_tags() {
    assert_eq!(filtered(json!([]), "203.0.113.9", None), Tri::Yes);
    let split = json!([rule("half", 100, "Deny", ("40000-50000", "443"), "*")]);
    assert_eq!(filtered(split, "203.0.113.9", None), Tri::No, "some source port is denied");
    let tags = || {
        json!([
            rule("acr", 100, "Allow", ("*", "443"), "AzureContainerRegistry"),
            rule("rest", 200, "Deny", ("*", "*"), "Internet"),
        ])
    };
    assert!(matches!(filtered(tags(), "203.0.113.9", None), Tri::Unknown(_)));
    assert_eq!(filtered(tags(), "203.0.113.9", Some("acme.azurecr.io")), Tri::Yes);
    assert_eq!(filtered(tags(), "203.0.113.9", Some("x.blob.core.windows.net")), Tri::No);
}

/// CONTRACT §4: an ambiguous name is an error that lists the candidates.
#[test]
fn an_ambiguous_subnet_is_an_error() {
    let plain = plain(vec![vnet("a", 1, &[], &[]), vnet("b", 2, &[], &[])], "");
    let question: Question =
        serde_json::from_value(json!({"ask": "next-hop", "subnet": "nodes", "destination": "10.1.1.1"}))
            .expect("a question");
    match answer(&plain, &question) {
        Answer::Error { error } => assert!(error.contains("ambiguous") && error.contains("/a/subnets/nodes")),
        other => panic!("{other:?}"),
    }
}

/// A reference to a route table that was not read leaves everything open, but the host's own addresses.
#[test]
fn a_route_table_that_was_not_read_leaves_routes_open() {
    let mut network = vnet("a", 1, &[], &[]);
    bind(&mut network, 0, "routeTable", "Microsoft.Network/routeTables/elsewhere");
    let plain = plain(vec![network], "");
    assert!(matches!(walk(&plain, &machine("a", 1), "10.1.1.9").forward_routing, Tri::Unknown(_)));
    assert_eq!(walk(&plain, &machine("a", 1), "168.63.129.16").forward_routing, Tri::Yes);
}

/// R42, D103: an interface whose machine is gone, or switched off, takes nothing.
#[test]
fn a_machine_has_to_be_there_and_running() {
    let to = |change: &dyn Fn(&mut Value), power: Option<&str>| {
        let mut vm = nic("vm", "two/subnets/nodes", "10.3.1.9", false);
        change(&mut vm);
        let mut resources = vec![vnet("two", 3, &[], &[]), vm];
        resources.extend(power.map(|power| {
            let state = json!([{ "code": format!("PowerState/{power}") }]);
            resource("Microsoft.Compute/virtualMachines/vm", json!({ "instanceView": { "statuses": state } }))
        }));
        walk(&plain(resources, ""), &machine("two", 3), "10.3.1.9").forward_routing
    };
    let as_it_is = |_: &mut Value| {};
    assert_eq!(to(&as_it_is, None), Tri::Yes);
    assert_eq!(to(&as_it_is, Some("running")), Tri::Yes);
    assert_eq!(to(&as_it_is, Some("deallocated")), Tri::No);
    assert!(matches!(to(&as_it_is, Some("melting")), Tri::Unknown(_)));
    let alone = |vm: &mut Value| vm["properties"]["virtualMachine"] = Value::Null;
    assert_eq!(to(&alone, None), Tri::No);
}
