//! Holes, gaps and input that ARM would refuse.

use serde_json::{Value, json};

use crate::world::{Fate, net, nodes, nodes_with, outbound, outbound_parts, rule};

#[test]
fn unknown_after_apply_is_quantified() {
    let hole = |within: Value| {
        let prefix =
            json!({ "$unknown": "azurerm_subnet.x.prefix", "why": "known after apply", "within": within });
        let deny = rule("deny", 100, "Deny", "", json!({ "destinationAddressPrefix": prefix }));
        nodes(&[deny]).read()
    };
    outbound(&hole(Value::Null), "203.0.113.7").open_on("azurerm_subnet.x.prefix");
    // Both values allow where a later rule does not differ.
    let allow = rule(
        "allow",
        100,
        "Allow",
        "",
        json!({ "destinationAddressPrefix": { "$unknown": "x", "why": "" } }),
    );
    assert_eq!(outbound(&nodes(&[allow]).read(), "203.0.113.7"), Fate::Passes);
}

#[test]
fn null_list_is_not_unknown_list() {
    let properties = |list: Value| {
        let mut world = nodes(&[]);
        world.resources[1]["properties"]["securityRules"] = list;
        world.read()
    };
    assert_eq!(outbound(&properties(Value::Null), "203.0.113.7"), Fate::Passes);
    assert_eq!(outbound(&properties(json!([])), "203.0.113.7"), Fate::Passes);
    let fate =
        outbound(&properties(json!({ "$unknown": "rules", "why": "known after apply" })), "203.0.113.7");
    assert!(matches!(fate, Fate::Open(_)), "{fate:?}");
}

#[test]
fn a_rule_without_a_name_is_not_lost() {
    let mut unnamed = rule("", 100, "Deny", "*", json!({}));
    unnamed.as_object_mut().unwrap().remove("name");
    let fate = outbound(&nodes(&[unnamed]).read(), "203.0.113.7");
    assert!(!matches!(fate, Fate::Passes), "{fate:?}");
}

#[test]
fn missing_permission_is_not_reachable() {
    let unread = json!({ "networkSecurityGroup": { "id": net("networkSecurityGroups", "elsewhere") } });
    outbound(&nodes_with(&[], unread, json!([])).read(), "203.0.113.7").open_on("elsewhere");
}

#[test]
fn two_rules_of_one_priority_are_not_ordered_by_guessing() {
    let rules = [rule("a", 100, "Allow", "*", json!({})), rule("b", 100, "Deny", "*", json!({}))];
    outbound(&nodes(&rules).read(), "203.0.113.7").open_on("in the order");
    let same = [rule("a", 100, "Deny", "*", json!({})), rule("b", 100, "Deny", "*", json!({}))];
    let parts = outbound_parts(&nodes(&same).read(), "10.0.1.4", "203.0.113.7");
    assert!(parts.iter().all(|(_, _, outcome)| !outcome.holds()));
}

#[test]
fn ipv6_is_open_where_a_group_filters() {
    outbound(&nodes(&[]).read(), "2001:db8::1").open_on("IPv6");
    let world = nodes_with(&[], json!({ "networkSecurityGroup": null }), json!([]));
    assert_eq!(outbound(&world.read(), "2001:db8::1"), Fate::Passes);
}
