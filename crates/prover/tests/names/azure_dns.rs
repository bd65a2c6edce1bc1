//! Azure-provided DNS: zones, links, wildcards, aliases, redirects, policies (D24–D56, D128–D132).

use serde_json::{Value, json};

use crate::world::{World, link_id, lookup, lookup_from, reasons, record_id, short, vnet_id, zone_id};

const ZONE: &str = "privatelink.azurecr.io";
const HOST: &str = "contoso.azurecr.io";

/// A registry with a private endpoint, whose zone is linked to `spoke` with the policy.
fn linked(policy: Value) -> World {
    let mut w = World::default();
    w.vnet("spoke", 1, json!([]));
    w.registry(json!({}));
    w.endpoint("pe", "spoke", "Approved", &[("registry", HOST, "10.1.2.5")]);
    w.zone(ZONE, &[("spoke", policy)]);
    w.record(ZONE, "contoso", json!(["10.1.2.5"]));
    w
}

#[test]
fn a_linked_zone_answers_and_an_unlinked_one_does_not() {
    let w = linked(json!("Default"));
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["private 10.1.2.5"]);
    let mut twin = w.clone();
    twin.remove(&link_id(ZONE, "spoke"));
    let answers = lookup(&twin, "spoke", HOST);
    assert_eq!(short(&answers), ["public"]);
    assert!(reasons(&answers).contains("is not linked to spoke"), "{}", reasons(&answers));
}

#[test]
fn a_link_of_the_peer_does_not_count() {
    let mut w = linked(json!("Default"));
    w.vnet("hub", 2, json!([]));
    w.peer("hub", "spoke");
    w.edit(&link_id(ZONE, "spoke"), "/properties/virtualNetwork/id", json!(vnet_id("hub")));
    let answers = lookup(&w, "spoke", HOST);
    assert_eq!(short(&answers), ["public"]);
    assert!(reasons(&answers).contains("it is linked to hub"), "{}", reasons(&answers));
}

#[test]
fn a_missing_record_is_nxdomain_or_public_by_policy() {
    for (policy, expected) in [
        (json!("Default"), "nxdomain"),
        (json!("NxDomainRedirect"), "public"),
        // Older API versions leave the policy out (D39).
        (Value::Null, "unknown"),
    ] {
        let mut w = linked(policy);
        w.remove(&record_id(ZONE, "contoso"));
        let answers = lookup(&w, "spoke", HOST);
        assert_eq!(short(&answers), [expected], "{}", reasons(&answers));
        if expected == "nxdomain" {
            assert!(reasons(&answers).contains("through link spoke"), "{}", reasons(&answers));
        }
    }
}

#[test]
fn redirects_do_not_follow_a_name_without_data() {
    let mut w = linked(json!("NxDomainRedirect"));
    w.remove(&record_id(ZONE, "contoso"));
    w.record(ZONE, "westeurope.data.contoso", json!(["10.1.2.9"]));
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["nodata"]);
}

#[test]
fn a_link_in_progress_is_not_known() {
    let mut w = linked(json!("Default"));
    w.edit(&link_id(ZONE, "spoke"), "/properties/virtualNetworkLinkState", json!("InProgress"));
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["unknown"]);
}

#[test]
fn the_longest_zone_wins_even_when_it_is_empty() {
    let mut w = linked(json!("Default"));
    let data = "contoso.westeurope.data.azurecr.io";
    w.record(ZONE, "contoso.westeurope.data", json!(["10.1.2.6"]));
    assert_eq!(short(&lookup(&w, "spoke", data)), ["private 10.1.2.6"]);
    w.zone("westeurope.data.privatelink.azurecr.io", &[("spoke", json!("Default"))]);
    assert_eq!(short(&lookup(&w, "spoke", data)), ["nxdomain"]);
}

#[test]
fn wildcards_stop_at_the_closest_encloser() {
    let mut w = linked(json!("Default"));
    w.zone("corp.example", &[("spoke", json!("Default"))]);
    w.record("corp.example", "*", json!(["10.1.3.1"]));
    w.record("corp.example", "a.registry", json!(["10.1.3.2"]));
    assert_eq!(short(&lookup(&w, "spoke", "x.y.corp.example")), ["private 10.1.3.1"]);
    // `registry` exists, if only as a name above `a.registry`.
    assert_eq!(short(&lookup(&w, "spoke", "b.registry.corp.example")), ["nxdomain"]);
    assert_eq!(short(&lookup(&w, "spoke", "registry.corp.example")), ["nodata"]);
}

#[test]
fn an_alias_starts_anew_in_the_same_network() {
    let mut w = linked(json!("Default"));
    w.zone("corp.example", &[("spoke", json!("Default"))]);
    w.cname("corp.example", "registry", "contoso.privatelink.azurecr.io");
    assert_eq!(short(&lookup(&w, "spoke", "registry.corp.example")), ["private 10.1.2.5"]);
    w.cname("corp.example", "loop", "loop.corp.example");
    assert_eq!(short(&lookup(&w, "spoke", "loop.corp.example")), ["loop"]);
}

#[test]
fn the_public_name_leads_through_the_zone_only_with_an_approved_endpoint() {
    for (status, expected) in [("Approved", "private 10.1.2.5"), ("Pending", "unknown")] {
        let mut w = World::default();
        w.vnet("spoke", 1, json!([]));
        w.registry(json!({}));
        w.endpoint("pe", "spoke", status, &[("registry", HOST, "10.1.2.5")]);
        w.zone(ZONE, &[("spoke", json!("Default"))]);
        w.record(ZONE, "contoso", json!(["10.1.2.5"]));
        assert_eq!(short(&lookup(&w, "spoke", HOST)), [expected], "{status}");
    }
    // Without any endpoint the zone is not on the way (D63).
    let mut w = World::default();
    w.vnet("spoke", 1, json!([]));
    w.registry(json!({}));
    w.zone(ZONE, &[("spoke", json!("Default"))]);
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["public"]);
}

#[test]
fn a_zone_of_the_public_suffix_hijacks_every_registry() {
    let mut w = linked(json!("Default"));
    w.zone("azurecr.io", &[("spoke", json!("Default"))]);
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["nxdomain"]);
}

#[test]
fn missing_permission_is_not_reachable() {
    for kind in [
        "Microsoft.Network/privateDnsZones",
        "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
        "Microsoft.Network/dnsForwardingRulesets",
        "Microsoft.Network/dnsResolverPolicies",
    ] {
        let mut w = linked(json!("Default"));
        w.remove(&link_id(ZONE, "spoke"));
        w.unreadable("/subscriptions/11111111-1111-4111-8111-111111111111", kind);
        assert_eq!(short(&lookup(&w, "spoke", HOST)), ["unknown"], "{kind}");
    }
}

#[test]
fn other_subscription_is_not_absent() {
    let mut w = linked(json!("Default"));
    w.remove(&link_id(ZONE, "spoke"));
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["public"]);
    // The network is peered with one of a subscription that was not read: its zones may be linked here.
    let hub = "/subscriptions/22222222-2222-4222-8222-222222222222/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/hub";
    w.edit(
        &vnet_id("spoke"),
        "/properties/virtualNetworkPeerings",
        json!([{ "id": format!("{}/virtualNetworkPeerings/p", vnet_id("spoke")), "name": "p",
            "properties": { "remoteVirtualNetwork": { "id": hub }, "peeringState": "Connected" } }]),
    );
    let answers = lookup(&w, "spoke", HOST);
    assert_eq!(short(&answers), ["unknown"]);
    assert!(reasons(&answers).contains("22222222"), "{}", reasons(&answers));
}

#[test]
fn records_that_were_not_read_are_not_missing_records() {
    let mut w = linked(json!("Default"));
    w.remove(&record_id(ZONE, "contoso"));
    w.unreadable(&zone_id(ZONE), "Microsoft.Network/privateDnsZones/A");
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["unknown"]);
}

#[test]
fn unknown_after_apply_is_quantified() {
    let mut w = linked(json!("Default"));
    w.edit(
        &record_id(ZONE, "contoso"),
        "/properties/aRecords/0/ipv4Address",
        json!({ "$unknown": "pe.address", "why": "azurerm_private_endpoint.pe" }),
    );
    let answers = lookup(&w, "spoke", HOST);
    assert_eq!(short(&answers), ["unknown"]);
    assert!(reasons(&answers).contains("azurerm_private_endpoint.pe"), "{}", reasons(&answers));
}

#[test]
fn storage_hosts_hang_on_a_linked_storage_zone() {
    let mut w = linked(json!("Default"));
    assert_eq!(short(&lookup(&w, "spoke", "*.blob.core.windows.net")), ["public"]);
    w.zone("privatelink.blob.core.windows.net", &[("spoke", json!("Default"))]);
    assert_eq!(short(&lookup(&w, "spoke", "*.blob.core.windows.net")), ["unknown"]);
}

fn policy(w: &mut World, rules: &[(u32, &str, &str)]) {
    let policy = crate::world::id("Microsoft.Network/dnsResolverPolicies", "policy");
    w.put(policy.clone(), "Microsoft.Network/dnsResolverPolicies", json!({}));
    w.put(
        format!("{policy}/virtualNetworkLinks/spoke"),
        "Microsoft.Network/dnsResolverPolicies/virtualNetworkLinks",
        json!({ "virtualNetwork": { "id": vnet_id("spoke") } }),
    );
    for (priority, action, domain) in rules {
        let list = crate::world::id("Microsoft.Network/dnsResolverDomainLists", &format!("list-{priority}"));
        w.put(list.clone(), "Microsoft.Network/dnsResolverDomainLists", json!({ "domains": [domain] }));
        w.put(
            format!("{policy}/dnsSecurityRules/rule-{priority}"),
            "Microsoft.Network/dnsResolverPolicies/dnsSecurityRules",
            json!({ "priority": priority, "action": { "actionType": action }, "dnsSecurityRuleState": "Enabled",
                "dnsResolverDomainLists": [{ "id": list }] }),
        );
    }
}

#[test]
fn the_first_security_rule_that_matches_decides() {
    let mut blocked = linked(json!("Default"));
    policy(&mut blocked, &[(200, "Block", ".")]);
    assert_eq!(short(&lookup(&blocked, "spoke", HOST)), ["blocked"]);
    let mut allowed = linked(json!("Default"));
    policy(&mut allowed, &[(200, "Block", "."), (100, "Allow", "azurecr.io.")]);
    assert_eq!(short(&lookup(&allowed, "spoke", HOST)), ["private 10.1.2.5"]);
}

#[test]
fn whether_policies_see_alias_targets_is_contested() {
    let mut w = linked(json!("Default"));
    policy(&mut w, &[(100, "Block", "privatelink.azurecr.io.")]);
    let answers = lookup(&w, "spoke", HOST);
    assert_eq!(short(&answers), ["unknown"]);
    assert!(reasons(&answers).contains("DU1"), "{}", reasons(&answers));
}

#[test]
fn null_list_is_not_unknown_list() {
    for (servers, expected) in [
        (json!(null), "private 10.1.2.5"),
        (json!([]), "private 10.1.2.5"),
        (json!({ "$unknown": "dns" }), "unknown"),
        (json!([{ "$unknown": "dns" }]), "unknown"),
    ] {
        let mut w = linked(json!("Default"));
        w.edit(&vnet_id("spoke"), "/properties/dhcpOptions/dnsServers", servers.clone());
        assert_eq!(short(&lookup(&w, "spoke", HOST)), [expected], "{servers}");
    }
}

#[test]
fn http_proxy_is_not_direct() {
    for (no_proxy, expected) in
        [(json!(["10.0.0.0/8"]), "unknown"), (json!([".azurecr.io"]), "private 10.1.2.5")]
    {
        let mut w = linked(json!("Default"));
        w.cluster(
            "aks",
            "spoke",
            json!({}),
            json!({ "httpProxyConfig": { "httpProxy": "http://proxy.corp.example:3128/",
            "httpsProxy": "http://proxy.corp.example:3128/", "noProxy": no_proxy } }),
        );
        assert_eq!(short(&lookup_from(&w, "spoke", Some("aks"), HOST)), [expected]);
    }
}

#[test]
fn a_zone_group_writes_its_records_after_apply_and_not_again() {
    let group = |state: Value| {
        let mut w = linked(json!("Default"));
        w.remove(&record_id(ZONE, "contoso"));
        let mut properties = json!({ "privateDnsZoneConfigs": [{ "name": "z", "properties": { "privateDnsZoneId": zone_id(ZONE) } }] });
        properties["provisioningState"] = state;
        w.put(
            format!(
                "{}/privateDnsZoneGroups/default",
                crate::world::id("Microsoft.Network/privateEndpoints", "pe")
            ),
            "Microsoft.Network/privateEndpoints/privateDnsZoneGroups",
            properties,
        );
        w
    };
    let planned = lookup(&group(Value::Null), "spoke", HOST);
    assert_eq!(short(&planned), ["private 10.1.2.5"]);
    assert!(planned.ends[0].basis.assumptions.iter().any(|a| a.0 == "automation:zone-group/pe"));
    // A record that was taken away by hand is not written again (D72).
    assert_eq!(short(&lookup(&group(json!("Succeeded")), "spoke", HOST)), ["nxdomain"]);
    // The address is known only after apply.
    let mut later = group(Value::Null);
    later.remove(&crate::world::id("Microsoft.Network/networkInterfaces", "pe.nic"));
    assert_eq!(short(&lookup(&later, "spoke", HOST)), ["unknown"]);
}

#[test]
fn entries_for_some_names_below_a_wildcard_are_not_passed_over() {
    let wildcard = "*.blob.core.windows.net";
    let mut w = World::default();
    w.vnet("spoke", 1, json!([]));
    w.zone("other.example", &[("spoke", json!("Default"))]);
    assert_eq!(short(&lookup(&w, "spoke", wildcard)), ["public"]);
    w.zone("account.blob.core.windows.net", &[("spoke", json!("Default"))]);
    assert_eq!(short(&lookup(&w, "spoke", wildcard)), ["unknown"]);
}

#[test]
fn zones_in_the_unknown_rest_of_a_chain_are_not_passed_over() {
    let mut w = World::default();
    w.vnet("spoke", 1, json!([]));
    w.registry(json!({}));
    assert_eq!(short(&lookup(&w, "spoke", "contoso.azurecr.io")), ["public"]);
    w.zone("westeurope.cloudapp.azure.com", &[("spoke", json!("Default"))]);
    assert_eq!(short(&lookup(&w, "spoke", "contoso.azurecr.io")), ["unknown"]);
}

#[test]
fn a_link_that_names_no_network_may_be_for_any() {
    let mut w = World::default();
    w.vnet("spoke", 1, json!([]));
    w.vnet("hub", 2, json!([]));
    w.registry(json!({}));
    w.zone("azurecr.io", &[("hub", json!("Default"))]);
    assert_eq!(short(&lookup(&w, "spoke", "contoso.azurecr.io")), ["public"]);
    w.edit(&crate::world::link_id("azurecr.io", "hub"), "/properties/virtualNetwork", json!(null));
    assert_eq!(short(&lookup(&w, "spoke", "contoso.azurecr.io")), ["unknown"]);
}

#[test]
fn names_below_local_are_asked_by_ubuntu_alone() {
    for (sku, expected) in [("Ubuntu", "private 10.1.2.5"), ("AzureLinux", "unknown")] {
        let mut w = World::default();
        w.vnet("spoke", 1, json!([]));
        w.cluster("aks", "spoke", json!({ "osSKU": sku }), json!({}));
        w.zone("corp.local", &[("spoke", json!("Default"))]);
        w.record("corp.local", "harbor", json!(["10.1.2.5"]));
        let answers = crate::world::lookup_from(&w, "spoke", Some("aks"), "harbor.corp.local");
        assert_eq!(short(&answers), [expected]);
    }
}

#[test]
fn declared_aliases_that_come_back_are_no_answer() {
    let mut w = World::default();
    w.vnet("spoke", 1, json!([]));
    let table =
        |host: &str, alias: &str| format!("[[public_name]]\nhost = \"{host}\"\ncname = [\"{alias}\"]\n");
    w.toml = table("a.contoso.example", "b.contoso.example");
    assert_eq!(short(&lookup(&w, "spoke", "a.contoso.example")), ["public"]);
    w.toml.push_str(&table("b.contoso.example", "a.contoso.example"));
    assert_eq!(short(&lookup(&w, "spoke", "a.contoso.example")), ["unknown"]);
}
