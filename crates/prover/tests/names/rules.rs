//! Forwarding rulesets and private resolvers (D83–D102).

use serde_json::json;

use crate::world::{World, link_id, lookup, reasons, ruleset_id, short};

const ZONE: &str = "privatelink.azurecr.io";
const HOST: &str = "contoso.azurecr.io";

/// A hub with a resolver and the zone, a spoke with Azure DNS and a ruleset.
fn hub_and_spoke(rules: &[(&str, &[&str])]) -> World {
    let mut w = World::default();
    w.vnet("hub", 2, json!([]));
    w.vnet("spoke", 1, json!([]));
    w.peer("hub", "spoke");
    w.registry(json!({}));
    w.endpoint("pe", "hub", "Approved", &[("registry", HOST, "10.2.2.5")]);
    w.zone(ZONE, &[("hub", json!("Default"))]);
    w.record(ZONE, "contoso", json!(["10.2.2.5"]));
    w.resolver("hub", "10.2.3.4");
    w.ruleset("rules", "hub", "spoke", rules);
    w
}

/// A declared server on a machine of the hub, with what it forwards everything to.
fn server(w: &mut World, address: &str, to: &str) {
    w.machine("hub", address);
    w.toml.push_str(&format!(
        "[[dns_server]]\naddress = \"{address}\"\nforwards = [ {{ domain = \".\", to = [\"{to}\"] }} ]\n"
    ));
}

#[test]
fn a_rule_for_the_asked_name_leads_to_the_hubs_zones() {
    let w = hub_and_spoke(&[("azurecr.io.", &["10.2.3.4"])]);
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["private 10.2.2.5"]);
    let mut disabled = w.clone();
    disabled.edit(
        &format!("{}/forwardingRules/rule-0", ruleset_id("rules")),
        "/properties/forwardingRuleState",
        json!("Disabled"),
    );
    assert_eq!(short(&lookup(&disabled, "spoke", HOST)), ["public"]);
}

#[test]
fn the_longest_enabled_rule_wins() {
    let mut w = hub_and_spoke(&[("io.", &["10.2.3.9"]), ("azurecr.io.", &["10.2.3.4"])]);
    server(&mut w, "10.2.3.9", "public");
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["private 10.2.2.5"]);
}

#[test]
fn a_rule_for_the_public_name_takes_it_past_a_linked_zone() {
    let mut w = hub_and_spoke(&[("azurecr.io.", &["10.2.3.9"])]);
    server(&mut w, "10.2.3.9", "public");
    w.put(link_id(ZONE, "spoke"), "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
        json!({ "virtualNetwork": { "id": crate::world::vnet_id("spoke") }, "virtualNetworkLinkState": "Completed", "resolutionPolicy": "Default" }));
    let answers = lookup(&w, "spoke", HOST);
    assert_eq!(short(&answers), ["public"]);
    assert!(reasons(&answers).starts_with("forwarding rule rule-0 (azurecr.io.)"), "{}", reasons(&answers));
    // The private link name itself is in the zone, which comes first (D94).
    assert_eq!(short(&lookup(&w, "spoke", "contoso.privatelink.azurecr.io")), ["private 10.2.2.5"]);
}

#[test]
fn a_rule_for_the_private_link_name_only_is_contested() {
    let w = hub_and_spoke(&[("privatelink.azurecr.io.", &["10.2.3.4"])]);
    let answers = lookup(&w, "spoke", HOST);
    assert_eq!(short(&answers), ["unknown"]);
    assert!(reasons(&answers).contains("DU1"), "{}", reasons(&answers));
    assert_eq!(short(&lookup(&w, "spoke", "contoso.privatelink.azurecr.io")), ["private 10.2.2.5"]);
}

#[test]
fn a_zone_before_a_longer_rule_is_contested_only_where_it_matters() {
    for (target, expected) in [("10.2.3.4", "private 10.2.2.5"), ("10.2.3.9", "unknown")] {
        let mut w = hub_and_spoke(&[("contoso.privatelink.azurecr.io.", &[target])]);
        server(&mut w, "10.2.3.9", "public");
        w.put(link_id(ZONE, "spoke"), "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
            json!({ "virtualNetwork": { "id": crate::world::vnet_id("spoke") }, "virtualNetworkLinkState": "Completed", "resolutionPolicy": "Default" }));
        assert_eq!(short(&lookup(&w, "spoke", "contoso.privatelink.azurecr.io")), [expected], "{target}");
    }
}

#[test]
fn the_wildcard_rule_passes_over_names_of_azure() {
    let mut w = hub_and_spoke(&[(".", &["10.2.3.9"])]);
    server(&mut w, "10.2.3.9", "public");
    w.zone("privatelink.blob.core.windows.net", &[]);
    let answers = lookup(&w, "spoke", "registry.contoso.example");
    assert_eq!(short(&answers), ["unknown"], "forwarded to public DNS, of which nothing is declared");
    let answers = lookup(&w, "spoke", HOST);
    assert!(
        answers
            .ends
            .iter()
            .all(|e| e.basis.assumptions.iter().any(|a| a.0 == "settled:DU2") || !e.missing.is_empty())
    );
    // A rule for windows.net does not reach core.windows.net (D93).
    let mut w = hub_and_spoke(&[("windows.net.", &["10.2.3.4"])]);
    w.zone("blob.core.windows.net", &[("hub", json!("Default"))]);
    w.record("blob.core.windows.net", "account", json!(["10.2.2.9"]));
    assert_eq!(short(&lookup(&w, "spoke", "account.blob.core.windows.net")), ["public"]);
    w.ruleset("deep", "hub", "spoke", &[("core.windows.net.", &["10.2.3.4"])]);
    assert_eq!(short(&lookup(&w, "spoke", "account.blob.core.windows.net")), ["private 10.2.2.9"]);
}

#[test]
fn two_rulesets_with_one_rule_are_not_decided() {
    let mut w = hub_and_spoke(&[("azurecr.io.", &["10.2.3.4"])]);
    w.ruleset("other", "hub", "spoke", &[("azurecr.io.", &["10.2.3.9"])]);
    server(&mut w, "10.2.3.9", "public");
    assert_eq!(short(&lookup(&w, "spoke", HOST)), ["unknown"]);
    let mut same = hub_and_spoke(&[("azurecr.io.", &["10.2.3.4"])]);
    same.ruleset("other", "hub", "spoke", &[("azurecr.io.", &["10.2.3.4"])]);
    assert_eq!(short(&lookup(&same, "spoke", HOST)), ["private 10.2.2.5"]);
}

#[test]
fn a_rule_back_into_its_own_network_is_a_loop() {
    let mut w = hub_and_spoke(&[("azurecr.io.", &["10.2.3.4"])]);
    w.ruleset("loop", "hub", "hub", &[("azurecr.io.", &["10.2.3.4"])]);
    let answers = lookup(&w, "hub", HOST);
    assert_eq!(short(&answers), ["loop"]);
    assert!(reasons(&answers).contains("→"), "{}", reasons(&answers));
    assert_eq!(
        short(&lookup(&hub_and_spoke(&[("azurecr.io.", &["10.2.3.4"])]), "hub", HOST)),
        ["private 10.2.2.5"]
    );
}

#[test]
fn a_silent_target_is_passed_over_and_a_negative_answer_is_final() {
    // Nobody has 10.9.0.4, and no route leads there.
    let w = hub_and_spoke(&[("azurecr.io.", &["10.9.0.4", "10.2.3.4"])]);
    let answers = lookup(&w, "spoke", HOST);
    assert_eq!(short(&answers), ["private 10.2.2.5"], "{}", reasons(&answers));
    assert!(answers.ends.iter().all(|e| !e.basis.degraded.is_empty()));
    let mut negative = hub_and_spoke(&[("azurecr.io.", &["10.2.3.4", "10.2.3.9"])]);
    negative.remove(&crate::world::record_id(ZONE, "contoso"));
    server(&mut negative, "10.2.3.9", "public");
    assert_eq!(short(&lookup(&negative, "spoke", HOST)), ["nxdomain"]);
}
