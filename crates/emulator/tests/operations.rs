//! Asynchronous calls: answered from the snapshot's evidence.

mod client;

use client::{NETWORK, authorized, get, snapshot, start};
use pullproof_emulator::Emulator;
use serde_json::json;

const NICS: &str = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/networkInterfaces";
const HUB: &str = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualHubs/h";

fn emulator() -> Emulator {
    let nic = |name: &str| json!({"id": format!("{NICS}/{name}"), "name": name, "type": "Microsoft.Network/networkInterfaces", "location": "westeurope", "properties": {}});
    let evidence = |resource: &str, operation: &str| {
        json!({"pullproof": "evidence", "resource": resource, "operation": operation,
            "answer": {"value": [{"source": "Default", "state": "Active", "addressPrefix": ["10.0.0.0/16"], "nextHopType": "VnetLocal"}]}})
    };
    let lines = [
        json!({"pullproof": "snapshot/v1"}),
        nic("running"),
        nic("stopped"),
        json!({"id": HUB, "name": "h", "type": "Microsoft.Network/virtualHubs", "location": "westeurope", "properties": {}}),
        evidence(&format!("{NICS}/running"), "effectiveRouteTable"),
        evidence(HUB, "effectiveRoutes"),
        json!({"pullproof": "end", "complete": [{"scope": "/subscriptions/s", "types": "*"}], "resources": 3}),
    ];
    start(snapshot("operations", &lines))
}

#[test]
fn effective_routes_are_accepted_then_answered() {
    let emulator = emulator();
    let path = format!("{NICS}/running/effectiveRouteTable?api-version={NETWORK}");
    let accepted = authorized(&emulator, "POST", &path, "").expect("an answer");
    assert_eq!(accepted.status, 202);
    assert_eq!(accepted.headers.get("azure-asyncoperation"), None);
    let location = accepted.headers["location"].clone();
    assert!(location.starts_with(emulator.base_url()), "{location}");
    assert_eq!(get(&emulator, &location).status, 202);
    let answer = get(&emulator, &location);
    assert_eq!(answer.status, 200);
    assert_eq!(answer.json()["value"][0]["nextHopType"], "VnetLocal");
}

#[test]
fn a_hub_has_a_status_of_its_own() {
    let emulator = emulator();
    let accepted =
        authorized(&emulator, "POST", &format!("{HUB}/effectiveRoutes?api-version={NETWORK}"), "{}")
            .expect("an answer");
    let status = accepted.headers["azure-asyncoperation"].clone();
    assert_eq!(get(&emulator, &status).json()["status"], "InProgress");
    assert_eq!(get(&emulator, &status).json()["status"], "Succeeded");
    assert_eq!(get(&emulator, &accepted.headers["location"]).status, 200);
}

#[test]
fn where_nothing_was_recorded_azure_refuses() {
    let emulator = emulator();
    let post = |name: &str, operation: &str| {
        let path = format!("{NICS}/{name}/{operation}?api-version={NETWORK}");
        authorized(&emulator, "POST", &path, "").expect("an answer")
    };
    let stopped = post("stopped", "effectiveRouteTable");
    assert_eq!(
        (stopped.status, stopped.code().as_str()),
        (400, "NicMustBeAttachedToRunningVmToGetEffectiveRoutes")
    );
    assert_eq!(post("none", "effectiveRouteTable").status, 404);
    assert_eq!(post("running", "delete").status, 405);
}
