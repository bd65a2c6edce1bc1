//! Servers of nodes, their order, forwarders, firewalls, LocalDNS (D4–D22, D103–D154).

use serde_json::{Value, json};

use crate::world::{World, id, link_id, lookup, lookup_from, reasons, short, vnet_id};

const ZONE: &str = "privatelink.azurecr.io";
const HOST: &str = "contoso.azurecr.io";

/// The zone is linked to the hub; the spoke's nodes have the servers.
fn spoke_with(servers: Value) -> World {
    let mut w = World::default();
    w.vnet("hub", 2, json!([]));
    w.vnet("spoke", 1, servers);
    w.peer("hub", "spoke");
    w.registry(json!({}));
    w.endpoint("pe", "hub", "Approved", &[("registry", HOST, "10.2.2.5")]);
    w.zone(ZONE, &[("hub", json!("Default"))]);
    w.record(ZONE, "contoso", json!(["10.2.2.5"]));
    w
}

fn server(w: &mut World, vnet: &str, address: &str, body: &str) {
    w.machine(vnet, address);
    w.toml.push_str(&format!("[[dns_server]]\naddress = \"{address}\"\n{body}\n"));
}

const TO_AZURE: &str = "forwards = [ { domain = \".\", to = [\"168.63.129.16\"] } ]";
const TO_PUBLIC: &str = "forwards = [ { domain = \".\", to = [\"public\"] } ]";

#[test]
fn a_forwarder_answers_as_its_own_network() {
    let mut w = spoke_with(json!(["10.2.3.10"]));
    server(&mut w, "hub", "10.2.3.10", TO_AZURE);
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["private 10.2.2.5"]);
    // The zone of the client's own network has no say (D27).
    w.edit(&link_id(ZONE, "hub"), "/properties/virtualNetwork/id", json!(vnet_id("spoke")));
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["public"]);
}

#[test]
fn an_opaque_server_is_not_guessed_at() {
    let mut w = spoke_with(json!(["10.2.3.10"]));
    w.machine("hub", "10.2.3.10");
    let answers = lookup(&w, "spoke", HOST);
    assert_eq!(short(&answers), ["unknown"]);
    assert!(reasons(&answers).contains("[[dns_server]] address = \"10.2.3.10\""), "{}", reasons(&answers));
}

#[test]
fn a_forwarder_to_public_dns_bypasses_azure() {
    let mut w = spoke_with(json!(["10.2.3.10"]));
    server(&mut w, "hub", "10.2.3.10", TO_PUBLIC);
    let answers = lookup(&w, "spoke", HOST);
    assert_eq!(short(&answers), ["public"]);
    assert!(reasons(&answers).contains("past Azure DNS"), "{}", reasons(&answers));
}

#[test]
fn only_an_iterative_server_matches_aliases_again() {
    let conditional = "{ domain = \"privatelink.azurecr.io\", to = [\"168.63.129.16\"] }";
    for (body, expected) in [
        (format!("forwards = [ {conditional}, {{ domain = \".\", to = [\"public\"] }} ]"), "public"),
        (format!("forwards = [ {conditional} ]\ndefault = \"root_hints\""), "private 10.2.2.5"),
    ] {
        let mut w = spoke_with(json!(["10.2.3.10"]));
        server(&mut w, "hub", "10.2.3.10", &body);
        assert_eq!(short(&lookup(&w, "spoke", HOST)), [expected], "{body}");
    }
}

#[test]
fn a_negative_answer_of_the_first_server_is_final() {
    let shadow = "zones = [ { name = \"azurecr.io\", records = [] } ]";
    let mut w = spoke_with(json!(["10.2.3.10", "10.2.3.11"]));
    server(&mut w, "hub", "10.2.3.10", shadow);
    server(&mut w, "hub", "10.2.3.11", TO_AZURE);
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["nxdomain", "(private 10.2.2.5)"]);
}

#[test]
fn refusals_and_silence_lead_to_the_next_server() {
    let refuses = "default = \"refused\"";
    let mut w = spoke_with(json!(["10.2.3.10", "10.2.3.11"]));
    server(&mut w, "hub", "10.2.3.10", refuses);
    server(&mut w, "hub", "10.2.3.11", TO_AZURE);
    let answers = lookup(&w, "spoke", HOST);
    assert_eq!(short(&answers), ["private 10.2.2.5"]);
    assert!(answers.ends[0].basis.degraded.iter().any(|d| d.contains("about 5 s")));
    // The same with a machine that is switched off.
    let mut off = spoke_with(json!(["10.2.3.10", "10.2.3.11"]));
    server(&mut off, "hub", "10.2.3.10", TO_PUBLIC);
    server(&mut off, "hub", "10.2.3.11", TO_AZURE);
    assert_eq!(short(&lookup(&off, "spoke", HOST)), ["public", "(private 10.2.2.5)"]);
    off.edit(
        &id("Microsoft.Compute/virtualMachines", "nic-10-2-3-10"),
        "/properties/instanceView/statuses/0/code",
        json!("PowerState/deallocated"),
    );
    assert_eq!(short(&lookup(&off, "spoke", HOST)), ["private 10.2.2.5"]);
}

#[test]
fn a_server_that_cannot_be_reached_is_silent() {
    let mut w = spoke_with(json!(["10.2.3.10"]));
    server(&mut w, "hub", "10.2.3.10", TO_AZURE);
    for vnet in ["hub", "spoke"] {
        w.edit(&vnet_id(vnet), "/properties/virtualNetworkPeerings", json!([]));
    }
    let answers = lookup(&w, "spoke", HOST);
    assert_eq!(short(&answers), ["timeout"]);
    assert!(
        reasons(&answers).contains("resolver 10.2.3.10 cannot be reached on UDP 53"),
        "{}",
        reasons(&answers)
    );
}

#[test]
fn servers_after_the_third_are_not_asked() {
    let dead: Vec<String> = (20..23).map(|n| format!("10.9.0.{n}")).collect();
    let servers = |n: usize| -> Value {
        let mut list: Vec<Value> = dead.iter().take(n).map(|s| json!(s)).collect();
        list.push(json!("10.2.3.10"));
        json!(list)
    };
    for (n, expected) in [(2, "private 10.2.2.5"), (3, "timeout")] {
        let mut w = spoke_with(servers(n));
        server(&mut w, "hub", "10.2.3.10", TO_AZURE);
        let answers = lookup(&w, "spoke", HOST);
        assert_eq!(short(&answers), [expected], "{}", reasons(&answers));
    }
}

#[test]
fn loopback_and_service_addresses_are_no_resolvers() {
    let mut w = spoke_with(json!(["10.0.0.10"]));
    w.cluster(
        "aks",
        "spoke",
        json!({}),
        json!({ "networkProfile": { "serviceCidr": "10.0.0.0/16", "dnsServiceIP": "10.0.0.10" } }),
    );
    let answers = lookup_from(&w, "spoke", Some("aks"), HOST);
    assert_eq!(short(&answers), ["timeout"]);
    assert!(reasons(&answers).contains("the cluster's own services"), "{}", reasons(&answers));
}

#[test]
fn pod_dns_does_not_matter() {
    let mut w = spoke_with(json!([]));
    w.edit(&link_id(ZONE, "hub"), "/properties/virtualNetwork/id", json!(vnet_id("spoke")));
    w.cluster("aks", "spoke", json!({}), json!({ "networkProfile": { "serviceCidr": "10.0.0.0/16", "dnsServiceIP": "10.0.0.10", "networkPolicy": "calico" } }));
    assert_eq!(short(&lookup_from(&w, "spoke", Some("aks"), HOST)), ["private 10.2.2.5"]);
}

#[test]
fn two_clusters_in_one_subnet_differ() {
    let mut w = spoke_with(json!(["10.2.3.10"]));
    server(&mut w, "hub", "10.2.3.10", TO_AZURE);
    server(&mut w, "hub", "10.2.3.11", TO_PUBLIC);
    w.cluster("aks-a", "spoke", json!({}), json!({}));
    w.cluster("aks-b", "spoke", json!({}), json!({}));
    let set = format!(
        "{}/resourceGroups/MC_aks-b/providers/Microsoft.Compute/virtualMachineScaleSets/vmss",
        crate::world::SUBSCRIPTION
    );
    let resource = w.put(
        set,
        "Microsoft.Compute/virtualMachineScaleSets",
        json!({ "virtualMachineProfile": { "networkProfile": { "networkInterfaceConfigurations": [{ "name": "nic", "properties": {
            "primary": true, "dnsSettings": { "dnsServers": ["10.2.3.11"] },
            "ipConfigurations": [{ "name": "ip", "properties": { "primary": true, "subnet": { "id": format!("{}/subnets/nodes", vnet_id("spoke")) } } }] } }] } } }),
    );
    resource["tags"] = json!({ "aks-managed-poolName": "np" });
    assert_eq!(short(&lookup_from(&w, "spoke", Some("aks-a"), HOST)), ["private 10.2.2.5"]);
    assert_eq!(short(&lookup_from(&w, "spoke", Some("aks-b"), HOST)), ["public"]);
}

#[test]
fn same_address_in_two_networks_is_two_hosts() {
    let mut w = spoke_with(json!(["10.2.3.10"]));
    w.vnet("other", 2, json!(["10.2.3.10"]));
    w.machine("hub", "10.2.3.10");
    w.named_machine("nic-other", "other", "10.2.3.10");
    w.toml.push_str(&format!("[[dns_server]]\naddress = \"10.2.3.10\"\nvnet = \"hub\"\n{TO_AZURE}\n[[dns_server]]\naddress = \"10.2.3.10\"\nvnet = \"other\"\n{TO_PUBLIC}\n"));
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["private 10.2.2.5"]);
    let answers = lookup(&w, "other", HOST);
    assert_eq!(short(&answers), ["public"], "{}", reasons(&answers));
}

#[test]
fn a_firewall_answers_only_with_its_proxy_on() {
    for (proxy, expected) in [(true, "private 10.2.2.5"), (false, "timeout")] {
        let mut w = spoke_with(json!(["10.2.4.4"]));
        w.firewall("hub", "10.2.4.4", json!({ "enableProxy": proxy, "servers": [] }));
        let answers = lookup(&w, "spoke", HOST);
        assert_eq!(short(&answers), [expected], "{}", reasons(&answers));
    }
}

#[test]
fn upstreams_at_random_that_differ_are_all_told() {
    let mut w = spoke_with(json!(["10.2.4.4"]));
    server(&mut w, "hub", "10.2.3.10", TO_PUBLIC);
    server(&mut w, "hub", "10.2.3.11", TO_AZURE);
    w.firewall("hub", "10.2.4.4", json!({ "enableProxy": true, "servers": ["10.2.3.10", "10.2.3.11"] }));
    let mut ends = short(&lookup(&w, "spoke", HOST));
    ends.sort();
    assert_eq!(ends, ["perhaps private 10.2.2.5", "perhaps public"]);
    let mut alike = w.clone();
    alike.toml = alike.toml.replace(TO_PUBLIC, TO_AZURE);
    assert_eq!(short(&lookup(&alike, "spoke", HOST)), ["private 10.2.2.5"]);
}

fn local_dns(state: &str, overrides: Value) -> Value {
    json!({ "localDNSProfile": { "mode": "Required", "state": state, "vnetDNSOverrides": overrides } })
}

#[test]
fn local_dns_hands_a_refusal_on() {
    for (state, expected) in [("Disabled", "private 10.2.2.5"), ("Enabled", "servfail")] {
        let mut w = spoke_with(json!(["10.2.3.10", "10.2.3.11"]));
        server(&mut w, "hub", "10.2.3.10", "default = \"servfail\"");
        server(&mut w, "hub", "10.2.3.11", TO_AZURE);
        w.cluster("aks", "spoke", local_dns(state, json!({})), json!({}));
        let answers = lookup_from(&w, "spoke", Some("aks"), HOST);
        assert_eq!(short(&answers), [expected], "{state}");
        assert_eq!(answers.basis.valid_until.contains("kubernetes>=1.36"), state == "Disabled");
    }
}

#[test]
fn local_dns_by_itself_from_1_36_on() {
    let mut w = spoke_with(json!(["10.2.3.10", "10.2.3.11"]));
    server(&mut w, "hub", "10.2.3.10", "default = \"servfail\"");
    server(&mut w, "hub", "10.2.3.11", TO_AZURE);
    for (version, expected) in [("1.35.1", "private 10.2.2.5"), ("1.36.0", "unknown")] {
        let mut w = w.clone();
        w.cluster("aks", "spoke", json!({ "currentOrchestratorVersion": version }), json!({}));
        assert_eq!(short(&lookup_from(&w, "spoke", Some("aks"), HOST)), [expected], "{version}");
    }
    // Where both ways come to the same, the version does not matter.
    let mut plain = spoke_with(json!(["10.2.3.11"]));
    server(&mut plain, "hub", "10.2.3.11", TO_AZURE);
    plain.cluster("aks", "spoke", json!({ "currentOrchestratorVersion": "1.36.0" }), json!({}));
    let answers = lookup_from(&plain, "spoke", Some("aks"), HOST);
    assert_eq!(short(&answers), ["private 10.2.2.5"]);
    assert!(answers.basis.valid_until.is_empty());
}

#[test]
fn a_block_to_the_clusters_dns_is_not_known() {
    for (destination, expected) in [("VnetDNS", "private 10.2.2.5"), ("ClusterCoreDNS", "unknown")] {
        let mut w = spoke_with(json!(["10.2.3.11"]));
        server(&mut w, "hub", "10.2.3.11", TO_AZURE);
        let overrides = json!({ ".": { "forwardDestination": "VnetDNS", "protocol": "PreferUDP", "forwardPolicy": "Sequential" },
            "azurecr.io": { "forwardDestination": destination, "protocol": "PreferUDP", "forwardPolicy": "Sequential" } });
        w.cluster("aks", "spoke", local_dns("Enabled", overrides), json!({}));
        assert_eq!(short(&lookup_from(&w, "spoke", Some("aks"), HOST)), [expected]);
    }
}

#[test]
fn a_site_cannot_ask_azure_dns() {
    let mut w = spoke_with(json!(["10.2.3.10"]));
    server(&mut w, "hub", "10.2.3.10", "forwards = [ { domain = \".\", to = [\"10.2.3.11\"] } ]");
    w.machine("hub", "10.2.3.11");
    // The forwarder's own forwarder is opaque; declared, it leads to Azure.
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["unknown"]);
    w.toml.push_str(&format!("[[dns_server]]\naddress = \"10.2.3.11\"\n{TO_AZURE}\n"));
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["private 10.2.2.5"]);
}
