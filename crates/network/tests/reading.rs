//! The reader: absent, null, empty, unknown and malformed are told apart, child by child.

use std::net::IpAddr;
use std::sync::Arc;

use pullproof_network::model::address::AddressTerm;
use pullproof_network::model::nsg::{Access, nsg_rule};
use pullproof_network::model::owner::OwnerKind;
use pullproof_network::model::pool::pool;
use pullproof_network::model::private_endpoint::ConnectionStatus;
use pullproof_network::model::route_table::NextHopType;
use pullproof_network::model::vnet::PrivateEndpointNetworkPolicies;
use pullproof_network::set::{Ports, Protocol};
use pullproof_network::{Domain, Network, Ref, Val, Why};
use pullproof_snapshot::builder::Builder;
use pullproof_snapshot::{ArmId, Declared, Layered};
use serde_json::{Value, json};

const GROUP: &str = "/subscriptions/s1/resourceGroups/contoso/providers";

fn id(tail: &str) -> String {
    format!("{GROUP}/{tail}")
}

fn vnet_id(name: &str) -> String {
    id(&format!("Microsoft.Network/virtualNetworks/{name}"))
}

fn read(resources: Vec<Value>) -> Network {
    read_declared(resources, Declared::default())
}

fn read_declared(resources: Vec<Value>, declared: Declared) -> Network {
    let mut builder = Builder::default();
    for json in resources {
        let id = ArmId::new(json["id"].as_str().unwrap());
        let kind = id.resource_type().unwrap();
        builder.resource(id, &kind, None, json);
    }
    Network::read(Layered::new(Arc::new(builder.finish())), declared)
}

fn rule(name: &str, changes: Value) -> Value {
    let mut properties = json!({
        "priority": 100, "direction": "Inbound", "access": "Allow", "protocol": "Tcp",
        "sourceAddressPrefix": "*", "sourcePortRange": "*",
        "destinationAddressPrefix": "10.0.0.0/24", "destinationPortRange": "443",
    });
    for (key, value) in changes.as_object().unwrap() {
        properties[key] = value.clone();
    }
    json!({ "name": name, "properties": properties })
}

fn nsg(rules: Vec<Value>) -> Value {
    json!({ "id": id("Microsoft.Network/networkSecurityGroups/nsg-1"), "properties": { "securityRules": rules } })
}

#[test]
fn words_are_compared_without_regard_to_letter_case() {
    // R12, F23.
    let network = read(vec![nsg(vec![rule("a", json!({ "access": "DENY", "protocol": "tcp" }))])]);
    let rule = &network.nsgs.values().next().unwrap().rules.items[0];
    assert!(rule.access.is(&Access::Deny));
    assert!(rule.protocol.is(&Protocol::Tcp));
    assert!(rule.source.ports.is(&Ports::all()));
    assert!(network.gaps.is_empty());
}

#[test]
fn an_unknown_word_is_kept() {
    let network = read(vec![nsg(vec![rule("a", json!({ "access": "Ponder", "protocol": "Sctp" }))])]);
    let rule = &network.nsgs.values().next().unwrap().rules.items[0];
    assert!(rule.access.is(&Access::Other("Ponder".into())));
    assert!(rule.protocol.is(&Protocol::Other("Sctp".into())));
}

#[test]
fn one_odd_rule_is_a_gap_of_that_rule() {
    let odd = json!({ "priority": "soon", "destinationAddressPrefix": "10.0.0.300", "destinationPortRange": "44x" });
    let network = read(vec![nsg(vec![rule("good", json!({})), rule("odd", odd), rule("last", json!({}))])]);
    let nsg = network.nsgs.values().next().unwrap();
    assert!(nsg.rules.open.is_none());
    let [good, odd, last] = nsg.rules.items.as_slice() else { panic!("three rules") };
    assert!(good.priority.is(&100) && last.priority.is(&100));
    let why = |symbol: Option<_>| network.symbols.get(symbol.unwrap()).unwrap().why;
    assert_eq!(why(odd.priority.symbol()), Why::Malformed);
    assert_eq!(why(odd.destination.addresses.open), Why::Malformed);
    assert_eq!(why(odd.destination.ports.symbol()), Why::Malformed);
    assert!(odd.access.is(&Access::Allow));
    let pointers: Vec<&str> = network.gaps.iter().filter_map(|gap| gap.pointer.as_deref()).collect();
    assert_eq!(
        pointers,
        [
            "/properties/securityRules/1/properties/destinationAddressPrefix",
            "/properties/securityRules/1/properties/destinationPortRange",
            "/properties/securityRules/1/properties/priority",
        ]
    );
    let access = network.layered.value_at(&odd.place.at(nsg_rule::ACCESS));
    assert_eq!(access, json!("Allow"));
}

#[test]
fn singular_and_plural_are_one_list() {
    // F22, plural_prefixes_do_not_widen: an empty singular beside a plural adds nothing.
    let changes = json!({
        "sourceAddressPrefix": "", "sourceAddressPrefixes": ["10.1.0.0/16", "Internet"],
        "destinationAddressPrefix": "10.2.0.1", "destinationAddressPrefixes": [],
        "destinationPortRange": "", "destinationPortRanges": ["443", "80-81"],
    });
    let network = read(vec![nsg(vec![rule("a", changes)])]);
    let rule = &network.nsgs.values().next().unwrap().rules.items[0];
    let expected = [AddressTerm::Prefix("10.1.0.0/16".parse().unwrap()), AddressTerm::Tag("Internet".into())];
    assert_eq!(rule.source.addresses.closed(), Some(expected.as_slice()));
    let expected = [AddressTerm::Prefix("10.2.0.1/32".parse().unwrap())];
    assert_eq!(rule.destination.addresses.closed(), Some(expected.as_slice()));
    assert!(rule.destination.ports.is(&"80-81,443".parse().unwrap()));
}

#[test]
fn a_rule_without_any_source_is_unknown_not_empty() {
    // F22.
    let network =
        read(vec![nsg(vec![rule("a", json!({ "sourceAddressPrefix": null, "sourcePortRange": null }))])]);
    let rule = &network.nsgs.values().next().unwrap().rules.items[0];
    let symbol = network.symbols.get(rule.source.addresses.open.unwrap()).unwrap();
    assert_eq!(symbol.why, Why::Missing);
    assert!(rule.source.ports.symbol().is_some());
    assert_eq!(network.gaps.len(), 2);
}

#[test]
fn an_unknown_list_is_not_an_empty_one() {
    // null_list_is_not_unknown_list.
    let with = |servers: Value| {
        let dhcp = json!({ "dnsServers": servers });
        let json = json!({ "id": vnet_id("v"), "properties": { "dhcpOptions": dhcp, "subnets": null } });
        let network = read(vec![json]);
        network.vnets.values().next().unwrap().dns_servers.clone()
    };
    assert!(with(Value::Null).is_empty());
    assert!(with(json!([])).is_empty());
    let unknown = with(json!({ "$unknown": "dns", "why": "module.dns" }));
    assert!(!unknown.is_empty() && unknown.open.is_some() && unknown.closed().is_none());
}

#[test]
fn one_name_is_one_symbol_everywhere() {
    // D170: the server is the firewall, though the address is not known yet.
    let hole = json!({ "$unknown": "fw-ip", "why": "azurerm_firewall.hub", "within": "10.0.1.0/26" });
    let network = read(vec![
        json!({ "id": vnet_id("spoke"), "properties": { "dhcpOptions": { "dnsServers": [hole, "10.9.9.9"] } } }),
        json!({ "id": id("Microsoft.Network/azureFirewalls/fw"), "properties": { "ipConfigurations": [
            { "name": "c", "properties": { "privateIPAddress": hole, "subnet": {
                "id": format!("{}/subnets/AzureFirewallSubnet", vnet_id("hub")) } } } ] } }),
        json!({ "id": vnet_id("hub"), "properties": { "subnets": [
            { "name": "AzureFirewallSubnet", "properties": { "addressPrefix": "10.0.1.0/26" } } ] } }),
    ]);
    let spoke = network.vnets.values().find(|vnet| vnet.id.name() == "spoke").unwrap();
    let [Val::Sym(server), Val::Known(second)] = spoke.dns_servers.items.as_slice() else {
        panic!("a symbol at its position, and an address: {:?}", spoke.dns_servers)
    };
    assert_eq!(second.to_string(), "10.9.9.9");
    let [owner] = network.unknown_owners() else { panic!("one unknown owner") };
    assert_eq!(owner.symbol, *server);
    assert!(matches!(owner.kind, OwnerKind::Firewall(_, 0)));
    assert_eq!(network.vnets[owner.vnet.unwrap()].id.name(), "hub");
    let symbol = network.symbols.get(*server).unwrap();
    assert!(symbol.scalar, "it stands as the value of a field, so it is one element");
    assert_eq!(symbol.domain, Some(Domain::Addresses("10.0.1.0/26".parse().unwrap())));
    assert_eq!(network.symbols.ix("fw-ip"), *server);
}

#[test]
fn a_tail_alone_is_not_known_to_be_one_element() {
    let hole = json!({ "$unknown": "tail" });
    let network = read(vec![
        json!({ "id": vnet_id("v"), "properties": { "addressSpace": { "addressPrefixes": [hole] } } }),
    ]);
    let space = &network.vnets.values().next().unwrap().address_space;
    assert!(!network.symbols.get(space.open.unwrap()).unwrap().scalar);
}

#[test]
fn below_a_hole_everything_is_unknown() {
    let hole = json!({ "$unknown": "later" });
    let network = read(vec![json!({ "id": vnet_id("v"), "properties": { "dhcpOptions": hole } })]);
    let vnet = network.vnets.values().next().unwrap();
    assert_eq!(network.symbols.name(vnet.dns_servers.open.unwrap()), "later/dnsServers");
    assert!(vnet.address_space.is_empty());
}

#[test]
fn a_resource_without_properties_is_not_an_empty_resource() {
    // CONTRACT §1.
    let network = read(vec![json!({ "id": vnet_id("v") })]);
    let vnet = network.vnets.values().next().unwrap();
    for open in [vnet.address_space.open, vnet.dns_servers.open, vnet.subnets.open, vnet.peerings.open] {
        assert_eq!(network.symbols.get(open.unwrap()).unwrap().why, Why::Missing);
    }
    assert!(vnet.private_endpoint_vnet_policies.symbol().is_some());
}

#[test]
fn a_child_without_its_parent_is_read() {
    let subnet = |vnet: &str, prefix: &str| json!({ "id": format!("{}/subnets/nodes", vnet_id(vnet)), "properties": { "addressPrefix": prefix } });
    let network = read(vec![subnet("a", "10.1.0.0/24"), subnet("b", "10.2.0.0/24")]);
    assert_eq!(network.subnets.len(), 2);
    let [a, b] = network.vnets.values().as_slice() else { panic!("two parents") };
    assert_eq!((a.id.name(), b.id.name()), ("a", "b"));
    assert!(a.subnets.open.is_some(), "other subnets may be there");
    assert_ne!(a.address_space.open, b.address_space.open, "two unread networks are not one");
    let subnet = &network.subnets[b.subnets.items[0]];
    assert_eq!(subnet.prefixes.items[0].to_string(), "10.2.0.0/24");
    assert_eq!(network.vnets[subnet.vnet].id.name(), "b");
}

#[test]
fn inline_and_standalone_are_one_child() {
    let subnet_id = format!("{}/subnets/nodes", vnet_id("v"));
    let network = read(vec![
        json!({ "id": vnet_id("v"), "properties": { "subnets": [ { "name": "nodes", "id": subnet_id,
            "properties": { "addressPrefix": "10.0.0.0/24", "privateEndpointNetworkPolicies": "Disabled",
                "natGateway": { "id": id("Microsoft.Network/natGateways/n") } } } ] } }),
        json!({ "id": subnet_id, "properties": { "addressPrefix": "10.0.0.0/24",
            "privateEndpointNetworkPolicies": "Enabled" } }),
    ]);
    let [subnet] = network.subnets.values().as_slice() else { panic!("one subnet") };
    assert_eq!(subnet.prefixes.items.len(), 1);
    assert!(matches!(subnet.nat_gateway, Val::Known(Some(Ref::NotRead(_)))));
    let policies: &Val<Option<PrivateEndpointNetworkPolicies>> = &subnet.private_endpoint_network_policies;
    let symbol = network.symbols.get(policies.symbol().unwrap()).unwrap();
    assert_eq!(symbol.why, Why::Conflict);
    assert_eq!(network.conflicts.len(), 1);
    assert_eq!(network.conflicts[0].pointer.as_deref(), Some("/properties/privateEndpointNetworkPolicies"));
}

#[test]
fn routes_take_prefixes_and_tags() {
    let route = |name: &str, prefix: &str, kind: &str, hop: Value| json!({ "name": name, "properties": { "addressPrefix": prefix, "nextHopType": kind, "nextHopIpAddress": hop } });
    let network =
        read(vec![json!({ "id": id("Microsoft.Network/routeTables/rt"), "properties": { "routes": [
        route("fw", "0.0.0.0/0", "virtualappliance", json!("10.0.1.4")),
        route("acr", "AzureContainerRegistry", "Internet", json!("")),
    ] } })]);
    let table = network.route_tables.values().next().unwrap();
    assert!(table.disable_bgp_route_propagation.is(&false), "R243");
    let [fw, acr] = table.routes.items.as_slice() else { panic!("two routes") };
    assert!(fw.next_hop_type.is(&NextHopType::VirtualAppliance));
    assert_eq!(fw.next_hop.present(), Some(&"10.0.1.4".parse().unwrap()));
    assert!(acr.prefix.is(&AddressTerm::Tag("AzureContainerRegistry".into())));
    assert!(acr.next_hop.is_absent());
}

#[test]
fn pools_are_merged_and_the_child_wins() {
    // A170.
    let cluster = id("Microsoft.ContainerService/managedClusters/aks");
    let subnet = format!("{}/subnets/nodes", vnet_id("v"));
    let network = read(vec![
        json!({ "id": cluster, "properties": { "agentPoolProfiles": [
            { "name": "sys", "type": "VirtualMachineScaleSets", "count": 1, "vnetSubnetID": subnet },
            { "name": "usr", "count": 2, "vnetSubnetID": subnet } ] } }),
        json!({ "id": format!("{cluster}/agentPools/usr"), "properties": { "count": 5, "vnetSubnetID": subnet } }),
        json!({ "id": vnet_id("v"), "properties": { "subnets": [ { "name": "nodes",
            "properties": { "addressPrefix": "10.0.0.0/24" } } ] } }),
    ]);
    let [sys, usr] = network.pools.values().as_slice() else { panic!("two pools") };
    assert_eq!((sys.count.present(), usr.count.present()), (Some(&1), Some(&5)));
    let value = |at| network.layered.value_at(&at);
    assert_eq!(value(sys.at(pool::COUNT)), json!(1));
    assert_eq!(value(usr.at(pool::COUNT)), json!(5));
    let Some(Ref::Here(subnet)) = usr.vnet_subnet.present() else { panic!("linked") };
    assert_eq!(network.pools_of(*subnet).len(), 2);
}

#[test]
fn private_endpoints_have_addresses_by_their_nics() {
    let registry = id("Microsoft.ContainerRegistry/registries/contosoreg");
    let endpoint = id("Microsoft.Network/privateEndpoints/pe");
    let nic = id("Microsoft.Network/networkInterfaces/pe-nic");
    let subnet = format!("{}/subnets/pe", vnet_id("hub"));
    let network = read(vec![
        json!({ "id": vnet_id("hub"), "properties": { "subnets": [ { "name": "pe",
            "properties": { "addressPrefixes": ["10.0.4.0/26"] } } ] } }),
        json!({ "id": registry, "location": "westeurope", "properties": { "loginServer": "ContosoReg.azurecr.io" } }),
        json!({ "id": endpoint, "properties": { "subnet": { "id": subnet }, "networkInterfaces": [ { "id": nic } ],
            "manualPrivateLinkServiceConnections": [ { "name": "c", "properties": { "groupIds": ["registry"],
                "privateLinkServiceId": registry.to_uppercase(),
                "privateLinkServiceConnectionState": { "status": "pending" } } } ] } }),
        json!({ "id": nic, "properties": { "privateEndpoint": { "id": endpoint }, "ipConfigurations": [
            { "name": "a", "properties": { "privateIPAddress": "10.0.4.5", "subnet": { "id": subnet },
                "privateLinkConnectionProperties": { "groupId": "registry", "requiredMemberName": "registry",
                    "fqdns": ["ContosoReg.azurecr.io"] } } } ] } }),
    ]);
    let (ix, registry) = network.registries.iter().next().unwrap();
    assert_eq!(registry.login_server.present().map(AsRef::as_ref), Some("contosoreg.azurecr.io"));
    assert!(registry.data_endpoint_host_names.is_none());
    let [endpoint] = network.private_endpoints_of(ix) else { panic!("one endpoint") };
    let connection = &network.private_endpoints[*endpoint].connections.items[0];
    assert!(connection.manual);
    assert_eq!(connection.status.present(), Some(&ConnectionStatus::Pending));
    let [owner] = network.owners_of("10.0.4.5".parse::<IpAddr>().unwrap()) else { panic!("one owner") };
    assert_eq!(owner.kind, OwnerKind::PrivateEndpoint(*endpoint));
    assert_eq!(network.subnets[owner.subnet.unwrap()].name.as_ref(), "pe");
}

#[test]
fn one_address_in_two_networks_has_two_owners() {
    // same_address_in_two_networks_is_two_hosts.
    let balancer = |name: &str, vnet: &str| {
        json!({ "id": id(&format!("Microsoft.Network/loadBalancers/{name}")), "properties": {
            "frontendIPConfigurations": [ { "name": "f", "properties": { "privateIPAddress": "10.0.0.4",
                "subnet": { "id": format!("{}/subnets/s", vnet_id(vnet)) } } } ] } })
    };
    let vnet = |name: &str| {
        json!({ "id": vnet_id(name), "properties": { "subnets": [ { "name": "s",
            "properties": { "addressPrefix": "10.0.0.0/24" } } ] } })
    };
    let network = read(vec![balancer("l1", "a"), balancer("l2", "b"), vnet("a"), vnet("b")]);
    let owners = network.owners_of("10.0.0.4".parse().unwrap());
    assert_eq!(owners.len(), 2);
    assert_ne!(owners[0].vnet, owners[1].vnet);
}

#[test]
fn zones_and_links_of_both_shapes() {
    // D33, D34.
    let zone = id("Microsoft.Network/privateDnsZones/Privatelink.azurecr.io");
    let network = read(vec![
        json!({ "id": zone, "properties": {} }),
        json!({ "id": format!("{zone}/virtualNetworkLinks/l"), "properties": {
            "virtualNetwork": { "id": vnet_id("hub") }, "virtualNetworkLinkState": "Completed" } }),
        json!({ "id": format!("{zone}/A/contosoreg"), "properties": { "aRecords": [ { "ipv4Address": "10.0.4.5" } ] } }),
        json!({ "id": format!("{zone}/A/contosoreg.westeurope.data"),
            "properties": { "records": [ { "ipv4Address": "10.0.4.4" } ] } }),
        json!({ "id": format!("{zone}/CNAME/alias"), "properties": { "cnameRecord": { "cname": "Other.example." } } }),
        json!({ "id": format!("{zone}/TXT/contosoreg"), "properties": { "txtRecords": [] } }),
        json!({ "id": vnet_id("hub"), "properties": {} }),
    ]);
    let (zone, _) = network.zones.iter().next().unwrap();
    assert_eq!(network.zones[zone].name.as_ref(), "privatelink.azurecr.io");
    let (hub, _) = network.vnets.iter().next().unwrap();
    let [link] = network.links_of(hub) else { panic!("one link") };
    assert!(network.zone_links[*link].resolution_policy.is_absent());
    let sets = &network.zones[zone].record_sets;
    let shown: Vec<String> = sets
        .iter()
        .map(|ix| format!("{} {:?}", network.record_sets[*ix].name, network.record_sets[*ix].data))
        .collect();
    assert_eq!(
        shown,
        [
            "contosoreg A(List { items: [Known(10.0.4.5)], open: None })",
            "contosoreg.westeurope.data A(List { items: [Known(10.0.4.4)], open: None })",
            "alias Cname(Known(Some(\"other.example\")))",
            "contosoreg Other(\"TXT\")",
        ]
    );
}

#[test]
fn declared_names_are_resolved() {
    let connection = |group: &str, name: &str| {
        let id = format!(
            "/subscriptions/s1/resourceGroups/{group}/providers/Microsoft.Network/connections/{name}"
        );
        json!({ "id": id, "properties": { "connectionType": "IPsec" } })
    };
    let declared = Declared::parse(
        "pullproof.toml",
        r#"
            version = 1
            [[site]]
            name = "dc"
            connections = ["cn-1", "cn-2", "cn-3"]
            [[dns_server]]
            address = "10.0.0.4"
            vnet = "hub"
            [[dns_server]]
            address = "10.0.0.5"
            vnet = "elsewhere"
            [[appliance]]
            address = "10.0.1.4"
            members = ["nva-1", "nva-2"]
        "#,
    )
    .unwrap();
    let network = read_declared(
        vec![
            connection("a", "cn-1"),
            connection("a", "cn-2"),
            connection("b", "cn-2"),
            json!({ "id": vnet_id("hub"), "properties": {} }),
            json!({ "id": id("Microsoft.Compute/virtualMachines/NVA-1"), "properties": {} }),
        ],
        declared,
    );
    let site = network.sites.values().next().unwrap();
    assert_eq!(site.connections.len(), 1);
    assert!(network.dns_servers.values().next().unwrap().vnet.is_some());
    assert_eq!(network.appliances.values().next().unwrap().members.len(), 1);
    let problems: Vec<String> = network
        .declared_problems
        .iter()
        .map(|p| format!("{} {} {}: {}", p.table, p.key, p.name, p.message.split(';').next().unwrap()))
        .collect();
    assert_eq!(
        problems,
        [
            "site.0 connections cn-2: ambiguous",
            "site.0 connections cn-3: no resource with this name was read",
            "dns_server.1 vnet elsewhere: no resource with this name was read",
            "appliance.0 members nva-2: no resource with this name was read",
        ]
    );
}

#[test]
fn threads_do_not_show_in_the_result() {
    let mut resources = Vec::new();
    for i in 0..200 {
        let hole = json!({ "$unknown": format!("shared-{}", i % 7) });
        resources.push(json!({ "id": vnet_id(&format!("v{i}")), "properties": {
            "dhcpOptions": { "dnsServers": [hole] },
            "subnets": [ { "name": "s", "properties": { "addressPrefix": "not-a-prefix" } } ] } }));
    }
    let show = |network: &Network| {
        let symbols: Vec<_> = network.symbols.iter().into_iter().map(|(ix, s)| (ix, s.clone())).collect();
        format!("{:?} {:?} {:?}", network.objects, symbols, network.gaps)
    };
    let first = read(resources.clone());
    assert_eq!(first.gaps.len(), 200);
    for (ix, subnet) in first.subnets.iter() {
        assert_eq!(first.vnets[subnet.vnet].subnets.items, [ix]);
    }
    for _ in 0..5 {
        assert!(show(&read(resources.clone())) == show(&first), "two runs differ");
    }
}
