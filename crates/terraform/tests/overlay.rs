//! What has to be said about a plan beside its resources: forms, caps, drift, gaps during apply.

use pullproof_snapshot::builder::Builder;
use pullproof_snapshot::{ArmId, Layered};
use pullproof_terraform::{Error, Input, Options, Overlay};
use serde_json::{Value, json};

const ZONE: &str =
    "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/privateDnsZones/privatelink.azurecr.io";

fn read(plan: &Value) -> Result<Input, Error> {
    Input::read(plan.to_string().as_bytes())
}

#[track_caller]
fn overlay(plan: &Value, base: Option<&Layered>) -> Overlay {
    read(plan).unwrap_or_else(|e| panic!("{e}")).edits(base, &Options::default())
}

fn link(actions: &Value, before: &Value, after: &Value) -> Value {
    json!({ "address": "azurerm_private_dns_zone_virtual_network_link.a", "mode": "managed",
        "type": "azurerm_private_dns_zone_virtual_network_link", "name": "a",
        "provider_name": "registry.opentofu.org/hashicorp/azurerm",
        "change": { "actions": actions, "before": before, "after": after, "after_unknown": { "id": true } } })
}

fn values() -> Value {
    json!({ "id": format!("{ZONE}/virtualNetworkLinks/a"), "name": "a", "resource_group_name": "rg",
        "private_dns_zone_name": "privatelink.azurecr.io",
        "virtual_network_id": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v" })
}

fn plan(changes: &[Value]) -> Value {
    json!({ "format_version": "1.2", "resource_changes": changes })
}

#[test]
fn other_outputs_of_terraform_are_told_apart() {
    assert!(
        matches!(read(&json!({ "format_version": "2.0", "resource_changes": [] })), Err(Error::Version(v)) if v == "2.0")
    );
    assert!(matches!(read(&json!({ "@level": "info", "@message": "Terraform 1.11" })), Err(Error::Messages)));
    assert!(matches!(read(&json!({ "version": 4, "serial": 7, "resources": [] })), Err(Error::RawState)));
    assert!(matches!(read(&json!({ "hello": 1 })), Err(Error::Form)));
    assert!(matches!(Input::read(&b"PK\x03\x04"[..]), Err(Error::SavedPlan)));
    for version in ["0.1", "0.2", "1.0", "1.9"] {
        assert!(read(&json!({ "format_version": version, "resource_changes": [] })).is_ok(), "{version}");
    }
}

#[test]
fn a_plan_that_is_not_whole_is_no_ground() {
    for (key, value) in [("errored", json!(true)), ("complete", json!(false))] {
        let mut plan = plan(&[]);
        plan[key] = value;
        assert_eq!(overlay(&plan, None).caps.len(), 1, "{key}");
    }
    let mut deferred = plan(&[]);
    deferred["deferred_changes"] = json!([{ "reason": "instance_count_unknown", "resource_change": { "address": "azurerm_subnet.x[*]", "type": "azurerm_subnet" } }]);
    assert_eq!(overlay(&deferred, None).caps.len(), 1);
    assert!(overlay(&plan(&[]), None).caps.is_empty());
}

#[test]
fn what_is_destroyed_first_is_missing_meanwhile() {
    let replaced = |actions: Value| overlay(&plan(&[link(&actions, &values(), &values())]), None);
    assert_eq!(replaced(json!(["delete", "create"])).gap_during_apply.len(), 1);
    assert!(replaced(json!(["create", "delete"])).gap_during_apply.is_empty());
    assert!(replaced(json!(["update"])).gap_during_apply.is_empty());
}

#[test]
fn a_plan_and_a_base_that_contradict_each_other_are_told() {
    let mut builder = Builder::default();
    let id = ArmId::new(&format!("{ZONE}/virtualNetworkLinks/a"));
    builder.resource(
        id.clone(),
        "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
        None,
        json!({ "properties": {} }),
    );
    let there = Layered::new(std::sync::Arc::new(builder.finish()));
    let nothing = Layered::new(std::sync::Arc::default());
    let create = plan(&[link(&json!(["create"]), &Value::Null, &values())]);
    let update = plan(&[link(&json!(["update"]), &values(), &values())]);
    let delete = plan(&[link(&json!(["delete"]), &values(), &Value::Null)]);
    assert_eq!(overlay(&create, Some(&there)).drift.len(), 1);
    assert!(overlay(&create, Some(&nothing)).drift.is_empty());
    assert_eq!(overlay(&update, Some(&nothing)).drift.len(), 1);
    assert!(overlay(&update, Some(&there)).drift.is_empty());
    assert_eq!(overlay(&delete, Some(&nothing)).drift.len(), 1);
    let gone = overlay(&delete, Some(&there)).layered(Some(&there), false);
    assert!(gone.find(id.folded()).is_none());
}

#[test]
fn a_type_that_can_matter_and_is_not_known_is_a_cap() {
    let unknown = |resource_type: &str| {
        let mut change = link(&json!(["create"]), &Value::Null, &json!({ "name": "x" }));
        change["type"] = json!(resource_type);
        overlay(&plan(&[change]), None)
    };
    assert_eq!(unknown("azurerm_network_new_thing").caps.len(), 1);
    let harmless = unknown("azurerm_storage_queue");
    assert!(harmless.caps.is_empty() && harmless.unmapped.is_empty());
    assert_eq!(harmless.ignored.len(), 1);
}

#[test]
fn what_if_shows_arm_as_it_will_be() {
    let answer = json!({ "status": "Succeeded", "changes": [
        { "resourceId": ZONE, "changeType": "Create", "after": { "id": ZONE, "name": "privatelink.azurecr.io", "properties": {} } },
        { "resourceId": format!("{ZONE}/virtualNetworkLinks/a"), "changeType": "Unsupported", "unsupportedReason": "nested" } ] });
    let overlay = overlay(&answer, None);
    assert_eq!((overlay.puts.len(), overlay.caps.len()), (1, 1));
}
