//! Security admin rules.

use serde_json::{Value, json};

use crate::world::{Fate, World, net, nodes, outbound, rule};

const EFFECTIVE: &str = "listNetworkManagerEffectiveSecurityAdminRules";

fn admin_rule(name: &str, priority: u16, access: &str) -> Value {
    let config = net("networkManagers", "avnm/securityAdminConfigurations/c/ruleCollections/r/rules");
    json!({ "id": format!("{config}/{name}"), "kind": "Custom", "properties": {
        "access": access, "direction": "Outbound", "priority": priority, "protocol": "Tcp",
        "sources": [], "destinations": [], "sourcePortRanges": [], "destinationPortRanges": ["443"],
    }})
}

/// Records that these are all the admin rules of the network.
pub fn effective(world: World, rules: &[Value]) -> World {
    world.evidence(&net("virtualNetworks", "vnet"), EFFECTIVE, json!({ "value": rules }))
}

#[test]
fn admin_rules_come_before_the_groups() {
    let allow = rule("allow", 100, "Allow", "*", json!({}));
    let deny = rule("deny", 100, "Deny", "*", json!({}));
    let fate = |access, group: &Value| {
        outbound(
            &effective(nodes(std::slice::from_ref(group)), &[admin_rule("x", 10, access)]).read(),
            "203.0.113.7",
        )
    };
    fate("Deny", &allow).denied_by("security admin rule x (10)");
    assert_eq!(fate("AlwaysAllow", &deny), Fate::Passes);
    fate("Allow", &deny).denied_by("rule deny (100)");
    assert_eq!(fate("Allow", &allow), Fate::Passes);
}

#[test]
fn the_lower_number_decides() {
    let rules =
        |a, b| effective(nodes(&[]), &[admin_rule("a", a, "Allow"), admin_rule("b", b, "Deny")]).read();
    assert_eq!(outbound(&rules(5, 20), "203.0.113.7"), Fate::Passes);
    outbound(&rules(20, 5), "203.0.113.7").denied_by("admin rule b");
    // F102: equal numbers in two collections have no order.
    outbound(&rules(5, 5), "203.0.113.7").open_on("order of security admin rule");
}

#[test]
fn what_is_configured_may_not_be_deployed() {
    let manager = json!({ "id": net("networkManagers", "avnm"), "properties": {
        "networkManagerScopes": { "subscriptions": ["/subscriptions/s1"] },
        "networkManagerScopeAccesses": ["SecurityAdmin"],
    }});
    let world = |scope: &str, access| {
        let mut manager = manager.clone();
        manager["properties"]["networkManagerScopes"]["subscriptions"] = json!([scope]);
        nodes(&[]).with(manager).with(admin_rule("x", 10, access)).read()
    };
    outbound(&world("/subscriptions/s1", "Deny"), "203.0.113.7").open_on("in force");
    // In force or not, an Allow changes nothing here; and another subscription's manager does not reach.
    assert_eq!(outbound(&world("/subscriptions/s1", "Allow"), "203.0.113.7"), Fate::Passes);
    assert_eq!(outbound(&world("/subscriptions/s2", "Deny"), "203.0.113.7"), Fate::Passes);
}

#[test]
fn exempt_subnets_are_skipped() {
    let mut world = effective(nodes(&[]), &[admin_rule("x", 10, "Deny")]);
    let subnet = &mut world.resources[0]["properties"]["subnets"][0];
    subnet["properties"]["delegations"] =
        json!([{ "name": "d", "properties": { "serviceName": "Microsoft.Network/applicationGateways" } }]);
    assert_eq!(outbound(&world.read(), "203.0.113.7"), Fate::Passes);
}

#[test]
fn two_managers_that_conflict_are_open() {
    let of = |manager: &str, access: &str| {
        let mut rule = admin_rule("x", 10, access);
        rule["id"] = json!(rule["id"].as_str().unwrap().replace("avnm", manager));
        rule
    };
    let allow = rule("allow", 100, "Allow", "*", json!({}));
    let deny = rule("deny", 100, "Deny", "*", json!({}));
    let fate = |a: &str, b: &str, group: &Value| {
        let world = effective(nodes(std::slice::from_ref(group)), &[of("a", a), of("b", b)]);
        outbound(&world.read(), "203.0.113.7")
    };
    for (a, b) in [("AlwaysAllow", "Deny"), ("Deny", "AlwaysAllow"), ("Deny", "Allow"), ("Allow", "Deny")] {
        fate(a, b, &allow).open_on("which of two network managers");
    }
    // The winner may deliver, so that the group's denial is no fact.
    fate("AlwaysAllow", "Deny", &deny).open_on("which of two network managers");
    fate("Deny", "Deny", &allow).denied_by("security admin rule x (10)");
    assert_eq!(fate("AlwaysAllow", "AlwaysAllow", &deny), Fate::Passes);
}

#[test]
fn rules_that_were_not_read_are_not_absent() {
    let partial = World { partial: true, ..nodes(&[]) };
    outbound(&partial.read(), "203.0.113.7").open_on("the network managers of vnet");
    let vnet = net("virtualNetworks", "vnet");
    for answer in [json!({ "value": [], "skipToken": "next" }), json!({})] {
        let world = nodes(&[]).evidence(&vnet, EFFECTIVE, answer);
        outbound(&world.read(), "203.0.113.7").open_on("all security admin rules of vnet");
    }
    let mut odd = admin_rule("x", 10, "Deny");
    odd["properties"]["direction"] = json!({ "$unknown": "direction" });
    outbound(&effective(nodes(&[]), &[odd]).read(), "203.0.113.7").open_on("a direction that is not known");
}
