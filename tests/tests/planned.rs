//! Estates in which a value is not there yet: an apply will show it (V2).

use std::sync::Arc;

use pullproof_scenario::Scenario;
use pullproof_snapshot::{Declared, Layered};
use pullproof_tests::cases::{World, only_verdict, reasons};
use serde_json::{Value, json};

/// A private endpoint with one member of a registry of one region; the node subnet's group admits what `%` says.
const PLANNED: &str = "
name: planned
subscriptions: [{name: s, id: 00000000-0000-4000-8000-000000000001}]
virtualNetworks:
  - {name: vnet, addressSpace: 10.1.0.0/16, subnets: [{name: snet-nodes, addressPrefix: 10.1.0.0/24, networkSecurityGroup: nsg}, {name: snet-pe, addressPrefix: 10.1.2.0/24}]}
networkSecurityGroups:
  - name: nsg
    rules:
      - {name: endpoint, priority: 100, direction: Outbound, access: Allow, protocol: Tcp, destination: [10.1.2.4/32, %], destinationPorts: 443}
      - {name: rest, priority: 200, direction: Outbound, access: Deny}
privateDnsZones: [{name: privatelink.azurecr.io, links: [{virtualNetwork: vnet}]}]
registries: [{name: fabrikamreg, publicNetworkAccess: Disabled}]
privateEndpoints:
  - {name: pe, subnet: vnet/snet-pe, target: fabrikamreg, addresses: {registry_data_westeurope: 10.1.2.4, registry: 10.1.2.6}, zoneGroup: [privatelink.azurecr.io]}
clusters: [{name: aks, pools: [{name: sys, subnet: vnet/snet-nodes}]}]
roleAssignments: [{principal: aks/kubelet, role: AcrPull, scope: fabrikamreg}]
";

/// Puts `hole` in the place of every text `address`.
fn punch(value: &mut Value, address: &str, hole: &Value) {
    match value {
        Value::String(text) if text == address => *value = hole.clone(),
        Value::Array(items) => items.iter_mut().for_each(|item| punch(item, address, hole)),
        Value::Object(fields) => fields.values_mut().for_each(|field| punch(field, address, hole)),
        _ => {}
    }
}

/// The audit with the login member's address not known yet.
fn planned(admitted: &str, hole: &Value) -> Value {
    let scenario = Scenario::parse(&PLANNED.replace('%', admitted)).unwrap_or_else(|e| panic!("{e}"));
    let mut expanded = scenario.expand().unwrap_or_else(|e| panic!("{e}"));
    for resource in &mut expanded.resources {
        punch(resource, "10.1.2.6", hole);
    }
    let layered = Layered::new(Arc::new(expanded.into_snapshot()));
    World { layered, declared: Declared::default() }.report(admitted)
}

#[test]
fn an_address_without_a_domain_is_not_known() {
    let hole = json!({"$unknown": "pe", "why": "module.endpoint.address"});
    let report = planned("10.1.2.6/32", &hole);
    assert_eq!(only_verdict(&report).0, "undetermined", "{}", reasons(&report).join("\n"));
    // The address as it is, for comparison.
    let report = planned("10.1.2.6/32", &json!("10.1.2.6"));
    assert_eq!(only_verdict(&report).0, "proven", "{}", reasons(&report).join("\n"));
}
