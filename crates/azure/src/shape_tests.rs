use super::*;
use crate::types;

fn shaped(type_name: &str, json: &Value, from_graph: bool) -> Value {
    let text = json.to_string();
    let raw: &RawValue = serde_json::from_str(&text).expect("JSON");
    let shaped = shape(raw, types::of(type_name).expect("a row"), from_graph).expect("shaped");
    serde_json::from_slice(&shaped.text).expect("JSON")
}

fn id(tail: &str) -> String {
    format!("/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg/providers/{tail}")
}

#[test]
fn secrets_are_dropped_whatever_their_letter_case() {
    let json = json!({"id": id("Microsoft.Network/connections/c"),
        "properties": {"SharedKey": "hush", "connectionType": "IPsec"}});
    let out = shaped("Microsoft.Network/connections", &json, false);
    // The quick look is for the documented spelling, which ARM keeps.
    let json = json!({"id": id("Microsoft.Network/connections/c"),
        "properties": {"sharedKey": "hush", "connectionType": "IPsec"}});
    let plain = shaped("Microsoft.Network/connections", &json, false);
    assert_eq!(plain["properties"], json!({"connectionType": "IPsec"}));
    assert!(out["properties"].get("sharedKey").is_none());
    let scale_set = json!({"id": id("Microsoft.Compute/virtualMachineScaleSets/s"), "properties":
        {"virtualMachineProfile": {"osProfile": {"customData": "x"}, "extensionProfile": {"extensions":
            [{"name": "a", "properties": {"settings": {"k": "v"}, "type": "t"}}]}}}});
    let out = shaped("Microsoft.Compute/virtualMachineScaleSets", &scale_set, false);
    assert!(!out.to_string().contains("customData") && !out.to_string().contains("settings"));
    assert!(out.to_string().contains("\"type\":\"t\""));
}

#[test]
fn a_proxy_url_loses_its_user() {
    let json = json!({"id": id("Microsoft.ContainerService/managedClusters/a"),
        "properties": {"httpProxyConfig": {"httpProxy": "http://u:p@10.0.0.1:3128/x", "httpsProxy": "https://h"}}});
    let out = shaped("Microsoft.ContainerService/managedClusters", &json, false);
    assert_eq!(out["properties"]["httpProxyConfig"]["httpProxy"], "http://10.0.0.1:3128/x");
    assert_eq!(out["properties"]["httpProxyConfig"]["httpsProxy"], "https://h");
}

#[test]
fn rows_of_resource_graph_become_arms() {
    let row = json!({"id": id("Microsoft.Network/virtualNetworks/v"), "type": "microsoft.network/virtualnetworks",
        "resourceGroup": "rg", "subscriptionId": "s", "kind": "", "sku": null, "properties": {"x": 1}});
    let out = shaped("Microsoft.Network/virtualNetworks", &row, true);
    let keys: Vec<&String> = out.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["id", "properties", "type"]);
    let record = json!({"id": id("Microsoft.Network/privateDnsZones/z.example/A/www"),
        "name": "www", "type": "microsoft.network/privatednszones/a", "managedBy": "z.example",
        "properties": {"records": [{"ipv4Address": "10.0.0.4"}], "ttl": 300}});
    let out = shaped(RECORDS, &record, true);
    assert_eq!(out["properties"]["aRecords"], json!([{"ipv4Address": "10.0.0.4"}]));
}

#[test]
fn of_a_holder_only_its_presence_is_kept() {
    let json = json!({"id": id("Microsoft.ApiManagement/service/a"), "name": "a", "location": "westeurope",
        "properties": {"provisioningState": "Succeeded", "hostnameConfigurations": [{"certificatePassword": "p"}]}});
    let out = shaped("Microsoft.ApiManagement/service", &json, true);
    assert_eq!(out["properties"], json!({"provisioningState": "Succeeded"}));
}

#[test]
fn references_end_at_the_resource_that_stands_by_itself() {
    let text = format!("{{\"id\":\"{}\"}}", id("Microsoft.Network/virtualNetworks/V/subnets/s"));
    let found: Vec<String> = references(text.as_bytes()).collect();
    let network = found.first().and_then(|id| standalone(id)).expect("a network");
    assert!(network.ends_with("/microsoft.network/virtualnetworks/v"), "{network}");
    assert_eq!(standalone("/subscriptions/x"), None);
}
