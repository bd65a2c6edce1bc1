//! Terraform plans of `fixtures/plans` as JSON, and changes to them.

use std::fs;

use pullproof_snapshot::{Declared, Layered};
use pullproof_terraform::{Input, Options};
use serde_json::{Value, json};

use crate::cases::{World, only_verdict, reasons};
use crate::root;

/// The JSON of a file below `fixtures/plans`.
pub fn plan(name: &str) -> Value {
    let text = fs::read_to_string(root().join("fixtures/plans").join(name)).expect("a fixture");
    serde_json::from_str(&text).expect("JSON")
}

/// What there is after it.
pub fn laid(plan: &Value, base: Option<&Layered>) -> Layered {
    let bytes = serde_json::to_vec(plan).expect("JSON");
    let overlay = Input::read(bytes.as_slice()).expect("a plan").edits(base, &Options::default());
    overlay.layered(base, false)
}

/// The report of the audit of what there is after it.
pub fn report(plan: &Value, base: Option<&Layered>) -> Value {
    World { layered: laid(plan, base), declared: Declared::default() }.report("plan")
}

/// Its only audit has a verdict, and a first failing layer.
#[track_caller]
pub fn expect(plan: &Value, base: Option<&Layered>, verdict: &str, layer: Option<&str>) {
    let report = report(plan, base);
    let (found, failing) = only_verdict(&report);
    let why = reasons(&report).join("\n");
    assert_eq!(found, verdict, "{why}");
    if layer.is_some() {
        assert_eq!(failing.as_deref(), layer, "{why}");
    }
}

/// The entry of an address among the changes.
#[track_caller]
pub fn change<'a>(plan: &'a mut Value, address: &str) -> &'a mut Value {
    let changes = plan["resource_changes"].as_array_mut().expect("changes");
    changes.iter_mut().find(|c| c["address"] == address).unwrap_or_else(|| panic!("no {address}"))
}

/// Sets an argument to a known value.
#[track_caller]
pub fn set(plan: &mut Value, address: &str, pointer: &str, value: Value) {
    let change = &mut change(plan, address)["change"];
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let at = |change: &mut Value, tree: &str| change[tree].pointer_mut(parent).map(Value::take);
    if let Some(Value::Object(mut map)) = at(change, "after_unknown") {
        map.remove(key);
        *change["after_unknown"].pointer_mut(parent).expect("there") = Value::Object(map);
    }
    let there = change["after"].pointer_mut(parent).unwrap_or_else(|| panic!("{address}{pointer}"));
    there[key] = value;
}

/// Makes an argument known after apply, from something that the plan does not show.
#[track_caller]
pub fn hide(plan: &mut Value, address: &str, argument: &str) {
    let change = &mut change(plan, address)["change"];
    change["after"].as_object_mut().expect("values").remove(argument);
    change["after_unknown"][argument] = json!(true);
    let block =
        address.split('[').next().unwrap_or(address).rsplit("module.network.").next().unwrap_or(address);
    let inside = address.starts_with("module.network.");
    let module = if inside {
        &mut plan["configuration"]["root_module"]["module_calls"]["network"]["module"]
    } else {
        &mut plan["configuration"]["root_module"]
    };
    let resources = module["resources"].as_array_mut().expect("resources");
    let resource =
        resources.iter_mut().find(|r| r["address"] == block).unwrap_or_else(|| panic!("no block {block}"));
    resource["expressions"][argument] =
        json!({ "references": ["data.external.x.result", "data.external.x"] });
}

/// Takes an address out of the changes.
#[track_caller]
pub fn remove(plan: &mut Value, address: &str) {
    let changes = plan["resource_changes"].as_array_mut().expect("changes");
    let before = changes.len();
    changes.retain(|c| c["address"] != address);
    assert_eq!(changes.len() + 1, before, "no {address}");
}

/// Adds an instance that is made, without configuration: all its values are known.
pub fn add(plan: &mut Value, resource_type: &str, after: Value) {
    let change = json!({ "address": format!("{resource_type}.added"), "mode": "managed", "type": resource_type, "name": "added",
        "provider_name": "registry.terraform.io/hashicorp/azurerm",
        "change": { "actions": ["create"], "before": null, "after": after, "after_unknown": { "id": true } } });
    plan["resource_changes"].as_array_mut().expect("changes").push(change);
}

/// The resources of a module of a state, those of its modules included.
pub fn collect(module: &Value) -> Vec<Value> {
    let mut out = module["resources"].as_array().cloned().unwrap_or_default();
    for child in module["child_modules"].as_array().into_iter().flatten() {
        out.extend(collect(child));
    }
    out
}

/// A plan that changes nothing of what a state holds.
pub fn no_ops(state: &Value) -> Value {
    let changes: Vec<Value> = collect(&state["values"]["root_module"])
        .into_iter()
        .map(|resource| {
            json!({ "address": resource["address"], "mode": resource["mode"], "type": resource["type"],
                "name": resource["name"], "index": resource["index"], "provider_name": resource["provider_name"],
                "change": { "actions": ["no-op"], "before": resource["values"], "after": resource["values"],
                    "after_unknown": {} } })
        })
        .collect();
    json!({ "format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": changes })
}
