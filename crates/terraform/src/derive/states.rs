//! States that only Azure knows: unknown for new objects, whatever the plan says.

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use crate::table::apply::set;

/// `(type, pointer)`: what is not known of an object that was not read live.
const UNKNOWN: &[(&str, &str)] = &[
    ("microsoft.network/connections", "/properties/connectionStatus"),
    ("microsoft.network/expressroutecircuits", "/properties/circuitProvisioningState"),
    ("microsoft.network/expressroutecircuits", "/properties/serviceProviderProvisioningState"),
];

/// Fills in what Azure says of a resource of a folded type once it is there.
pub(crate) fn complete(id: &ArmId, kind: &str, json: &mut Value) {
    for (_, pointer) in UNKNOWN.iter().filter(|(t, _)| *t == kind) {
        if json.pointer(pointer).is_none_or(Value::is_null) {
            let name = format!("{}{pointer}", id.as_written());
            set(json, pointer, crate::value::unknown(&name, ""));
        }
    }
    // One complete, successful apply (V1).
    let open =
        |p: &Value| p.is_object() && p.get("$unknown").is_none() && p.get("provisioningState").is_none();
    if json.get("properties").is_some_and(open) {
        set(json, "/properties/provisioningState", json!("Succeeded"));
    }
}
