//! What Terraform's own bookkeeping does to a verdict: halves that are there already, objects that are let go of, deposed
//! or tainted, moves, imports, deferred and targeted plans, provider aliases.

use pullproof_terraform::unmapped::Touches;
use pullproof_terraform::{Cap, Input, Options};
use pullproof_tests::plans::{add, change, collect, expect, hide, laid, no_ops, plan, report, set};
use serde_json::{Value, json};

const STATE: &str = "contoso-4x/state.json";
const PLAN: &str = "contoso-4x/create.json";
const RULE: &str = "azurerm_network_security_rule.registry";
const BACK: &str = "module.network.azurerm_virtual_network_peering.back";
const OUT: &str = "module.network.azurerm_virtual_network_peering.out";
const ROLE: &str = "azurerm_role_assignment.pull";

/// Makes an instance that changes nothing one that is made.
fn make(plan: &mut Value, address: &str) {
    let change = &mut change(plan, address)["change"];
    change["actions"] = json!(["create"]);
    change["before"] = Value::Null;
    change["after"].as_object_mut().expect("values").remove("id");
    change["after_unknown"] = json!({ "id": true });
}

/// What keeps verdicts open whatever the rest says.
fn caps(plan: &Value) -> Vec<Cap> {
    let bytes = serde_json::to_vec(plan).expect("JSON");
    Input::read(bytes.as_slice()).expect("a plan").edits(None, &Options::default()).caps
}

/// A rule beside the one that admits the registry, before it, in the state.
fn deny() -> Value {
    let state = plan(STATE);
    let all = collect(&state["values"]["root_module"]);
    let mut values = all.iter().find(|r| r["address"] == RULE).expect("a rule")["values"].clone();
    let id = values["id"].as_str().expect("an id").replace("allow-registry", "deny-all");
    values["id"] = json!(id);
    values["name"] = json!("deny-all");
    values["access"] = json!("Deny");
    values["priority"] = json!(90);
    values
}

#[test]
fn a_plan_that_changes_nothing_is_as_good_as_the_state() {
    expect(&no_ops(&plan(STATE)), None, "proven", None);
}

#[test]
fn a_half_of_a_peering_that_was_there_first_may_be_disconnected() {
    for half in [BACK, OUT] {
        let mut plan = no_ops(&plan(STATE));
        make(&mut plan, half);
        expect(&plan, None, "undetermined", Some("routing"));
    }
}

#[test]
fn two_new_halves_of_a_peering_connect_networks_that_are_there() {
    let mut plan = no_ops(&plan(STATE));
    make(&mut plan, BACK);
    make(&mut plan, OUT);
    expect(&plan, None, "proven", None);
}

#[test]
fn a_half_of_a_peering_that_is_made_again_may_not_join_the_other() {
    for base in [None, Some(laid(&plan(STATE), None))] {
        let mut plan = no_ops(&plan(STATE));
        change(&mut plan, BACK)["change"]["actions"] = json!(["delete", "create"]);
        expect(&plan, base.as_ref(), "undetermined", Some("routing"));
    }
}

#[test]
fn a_half_whose_remote_network_is_open_may_be_the_missing_one() {
    let mut plan = plan(PLAN);
    hide(&mut plan, OUT, "remote_virtual_network_id");
    expect(&plan, None, "undetermined", None);
}

#[test]
fn a_rule_that_is_forgotten_stays_in_force() {
    let mut plan = no_ops(&plan(STATE));
    add(&mut plan, "azurerm_network_security_rule", deny());
    expect(&plan, None, "disproven", Some("filtering"));
    let rule = &mut change(&mut plan, "azurerm_network_security_rule.added")["change"];
    rule["actions"] = json!(["forget"]);
    rule["before"] = rule["after"].take();
    rule["after_unknown"] = json!({});
    expect(&plan, None, "disproven", Some("filtering"));
}

#[test]
fn an_association_that_is_forgotten_stays_in_force() {
    let mut plan = no_ops(&plan(STATE));
    set(&mut plan, RULE, "/access", json!("Deny"));
    expect(&plan, None, "disproven", Some("filtering"));
    let address = "azurerm_subnet_network_security_group_association.nodes";
    let association = &mut change(&mut plan, address)["change"];
    association["actions"] = json!(["forget"]);
    association["after"] = Value::Null;
    expect(&plan, None, "disproven", Some("filtering"));
    // Its twin: what is destroyed is out of force.
    change(&mut plan, address)["change"]["actions"] = json!(["delete"]);
    expect(&plan, None, "proven", None);
}

#[test]
fn what_a_replacement_lets_go_of_stays_in_force() {
    let mut plan = no_ops(&plan(STATE));
    let rule = &mut change(&mut plan, RULE)["change"];
    rule["before"] = deny();
    rule["actions"] = json!(["create", "delete"]);
    expect(&plan, None, "proven", None);
    change(&mut plan, RULE)["change"]["actions"] = json!(["create", "forget"]);
    expect(&plan, None, "disproven", Some("filtering"));
}

#[test]
fn a_deposed_object_of_a_state_is_there() {
    let mut state = plan(STATE);
    let all = state["values"]["root_module"]["resources"].as_array_mut().expect("resources");
    let mut old = all.iter().find(|r| r["address"] == RULE).expect("a rule").clone();
    old["deposed_key"] = json!("0123abcd");
    old["values"] = deny();
    all.push(old);
    expect(&state, None, "disproven", Some("filtering"));
}

#[test]
fn a_deposed_object_of_a_plan_goes() {
    let base = laid(&plan(STATE), None);
    let mut changes = no_ops(&plan(STATE));
    // The role that holds is the deposed one; the one that stays is another principal's.
    let mut old = change(&mut changes, ROLE).clone();
    old["deposed"] = json!("0123abcd");
    old["change"]["actions"] = json!(["delete"]);
    old["change"]["after"] = Value::Null;
    let kept = &mut change(&mut changes, ROLE)["change"]["after"];
    kept["id"] = json!(kept["id"].as_str().expect("an id").replace('1', "2"));
    kept["principal_id"] = json!("99999999-0000-0000-0000-000000000000");
    changes["resource_changes"].as_array_mut().expect("changes").push(old);
    expect(&changes, Some(&base), "disproven", Some("identity"));
}

#[test]
fn a_tainted_object_of_a_state_is_not_sure() {
    for (address, layer) in [(RULE, Touches::Filtering), (BACK, Touches::Routing), (ROLE, Touches::Identity)]
    {
        let mut state = plan(STATE);
        let root = &mut state["values"]["root_module"];
        let all = if address.starts_with("module.") { &mut root["child_modules"][0] } else { root };
        let all = all["resources"].as_array_mut().expect("resources");
        all.iter_mut().find(|r| r["address"] == address).expect("it")["tainted"] = json!(true);
        let caps = caps(&state);
        assert_eq!(caps.len(), 1, "{address}");
        assert_eq!(caps[0].address, address);
        assert!(caps[0].touches.contains(&layer), "{address}: {:?}", caps[0].touches);
    }
}

#[test]
fn moved_and_imported_objects_are_what_they_were() {
    let base = laid(&plan(STATE), None);
    for base in [None, Some(&base)] {
        let mut plan = no_ops(&plan(STATE));
        let moved = change(&mut plan, BACK);
        moved["previous_address"] = json!(BACK);
        moved["address"] = json!("module.network.azurerm_virtual_network_peering.moved");
        moved["name"] = json!("moved");
        change(&mut plan, RULE)["change"]["importing"] = json!({ "id": "x" });
        expect(&plan, base, "proven", None);
    }
}

#[test]
fn what_lifecycle_ignores_is_as_the_plan_shows_it() {
    // The configuration asks for Allow; ignore_changes leaves what somebody set by hand.
    let mut plan = plan(PLAN);
    set(&mut plan, RULE, "/access", json!("Deny"));
    expect(&plan, None, "disproven", Some("filtering"));
}

#[test]
fn a_data_source_that_is_read_after_apply_says_nothing() {
    let mut plan = plan(PLAN);
    hide(&mut plan, RULE, "access");
    let resources = plan["configuration"]["root_module"]["resources"].as_array_mut().expect("resources");
    let rule = resources.iter_mut().find(|r| r["address"] == RULE).expect("a rule");
    let references = json!({ "references": ["data.azurerm_network_security_group.other.tags", "data.azurerm_network_security_group.other"] });
    rule["expressions"]["access"] = references;
    resources.push(json!({ "address": "data.azurerm_network_security_group.other", "mode": "data",
        "type": "azurerm_network_security_group", "name": "other", "provider_config_key": "azurerm",
        "expressions": { "name": { "constant_value": "nsg-other" } } }));
    let read = json!({ "address": "data.azurerm_network_security_group.other", "mode": "data",
        "type": "azurerm_network_security_group", "name": "other", "action_reason": "read_because_dependency_pending",
        "provider_name": "registry.terraform.io/hashicorp/azurerm",
        "change": { "actions": ["read"], "before": null, "after": { "name": "nsg-other" },
            "after_unknown": { "id": true, "tags": true } } });
    plan["resource_changes"].as_array_mut().expect("changes").push(read);
    expect(&plan, None, "undetermined", Some("filtering"));
}

#[test]
fn what_is_deferred_or_left_out_leaves_everything_open() {
    let mut deferred = plan(PLAN);
    let mut rule = change(&mut deferred, RULE).clone();
    rule["index_unknown"] = json!(true);
    deferred["deferred_changes"] = json!([{ "reason": "instance_count_unknown", "resource_change": rule }]);
    assert!(caps(&deferred).iter().any(|cap| cap.address == RULE && cap.touches.is_empty()));
    for (key, value) in [("complete", json!(false)), ("errored", json!(true))] {
        let mut plan = plan(PLAN);
        plan[key] = value;
        assert!(caps(&plan).iter().any(|cap| cap.address == "plan" && cap.touches.is_empty()), "{key}");
    }
}

#[test]
fn a_provider_alias_with_a_subscription_that_is_not_known_is_no_other_one() {
    let mut plan = plan(PLAN);
    let scope = "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-contoso/providers/Microsoft.ContainerRegistry/registries/contosoreg";
    set(&mut plan, ROLE, "/scope", json!(scope));
    expect(&plan, None, "proven", None);
    plan["configuration"]["provider_config"]["azurerm.other"] = json!({ "name": "azurerm", "alias": "other",
        "full_name": "registry.terraform.io/hashicorp/azurerm",
        "expressions": { "subscription_id": { "references": ["local.other"] } } });
    let resources = plan["configuration"]["root_module"]["resources"].as_array_mut().expect("resources");
    let registry = resources.iter_mut().find(|r| r["address"] == "azurerm_container_registry.this");
    registry.expect("a registry")["provider_config_key"] = json!("azurerm.other");
    let report = report(&plan, None);
    let audits = report["audits"].as_array().expect("audits");
    assert!(!audits.is_empty() && audits.iter().all(|audit| audit["verdict"] != "proven"), "{report}");
}
