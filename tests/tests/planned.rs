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

/// The login member's address, an assignable one of the endpoints' subnet: one symbol in the endpoint's interface, in
/// its DNS configuration and in the record.
fn chosen() -> Value {
    let group = "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/rg-planned";
    let subnet = format!("{group}/providers/Microsoft.Network/virtualNetworks/vnet/subnets/snet-pe");
    json!({"$unknown": "pe", "within": subnet, "why": "module.endpoint.address"})
}

fn claim<'a>(report: &'a Value, layer: &str, host: &str) -> &'a Value {
    let mut claims = report["audits"][0]["claims"].as_array().into_iter().flatten();
    let wanted = |c: &&Value| {
        (c["layer"] == layer || c["aspect"] == layer)
            && c["endpoint"]["host"] == host
            && c["direction"] != "return"
    };
    claims.find(wanted).unwrap_or_else(|| panic!("no claim of {layer} for {host}"))
}

#[test]
fn a_dynamic_address_is_every_address_that_azure_may_pick() {
    // One of the 250 addresses that are left beside the data member's is admitted.
    let report = planned("10.1.2.6/32", &chosen());
    let found = only_verdict(&report);
    assert_eq!(found, ("disproven".into(), Some("filtering".into())), "{}", reasons(&report).join("\n"));
    let filtering = claim(&report, "filtering", "fabrikamreg.azurecr.io");
    assert_eq!(filtering["extent"], "some", "{filtering}");
    let failing = filtering["fails_for"]["choices"].to_string();
    assert!(failing.contains("for 249 of 250 addresses that Azure may pick"), "{failing}");
    assert!(failing.contains("module.endpoint.address="), "{failing}");
    let holding = filtering["holds_for"]["choices"].to_string();
    assert!(holding.contains("10.1.2.6/32 (for 1 of 250 addresses"), "{holding}");
    // The smallest one that is not admitted, confirmed by the plain evaluator.
    assert_eq!(filtering["counterexample"]["packet"]["destination"], "10.1.2.5", "{filtering}");
    for layer in ["routing", "resolution"] {
        assert_eq!(claim(&report, layer, "fabrikamreg.azurecr.io")["verdict"], "proven", "{layer}");
    }
    assert_eq!(claim(&report, "filtering", "fabrikamreg.westeurope.data.azurecr.io")["verdict"], "proven");
}

#[test]
fn a_dynamic_address_fares_alike_where_all_are_admitted_or_none() {
    let report = planned("10.1.2.0/24", &chosen());
    assert_eq!(only_verdict(&report).0, "proven", "{}", reasons(&report).join("\n"));
    let report = planned("10.9.9.9/32", &chosen());
    assert_eq!(only_verdict(&report).0, "disproven", "{}", reasons(&report).join("\n"));
    assert_eq!(claim(&report, "filtering", "fabrikamreg.azurecr.io")["extent"], "all");
}

#[test]
fn two_dynamic_addresses_are_never_one() {
    // Both members are still to be placed, each in any address; one address is admitted beside the one that is left over.
    let scenario = Scenario::parse(&PLANNED.replace('%', "10.1.2.6/32")).unwrap_or_else(|e| panic!("{e}"));
    let mut expanded = scenario.expand().unwrap_or_else(|e| panic!("{e}"));
    let mut other = chosen();
    other["$unknown"] = json!("pe-data");
    other["why"] = json!("module.endpoint.data_address");
    for resource in &mut expanded.resources {
        punch(resource, "10.1.2.6", &chosen());
        punch(resource, "10.1.2.4", &other);
    }
    let layered = Layered::new(Arc::new(expanded.into_snapshot()));
    let report = World { layered, declared: Declared::default() }.report("two");
    assert_eq!(only_verdict(&report).0, "disproven", "{}", reasons(&report).join("\n"));
    let login = claim(&report, "filtering", "fabrikamreg.azurecr.io");
    let failing = login["fails_for"]["choices"].to_string();
    assert!(failing.contains("for 249 of 251 addresses that Azure may pick"), "{login}");
    let data = claim(&report, "filtering", "fabrikamreg.westeurope.data.azurecr.io");
    assert_eq!(data["extent"], "some", "{data}");
}

#[test]
fn a_word_that_is_still_to_be_chosen_is_each_of_its_words() {
    let scenario = Scenario::parse(&PLANNED.replace('%', "10.1.2.6/32")).unwrap_or_else(|e| panic!("{e}"));
    let state = |words: Value| {
        let mut expanded = scenario.clone().expand().unwrap_or_else(|e| panic!("{e}"));
        for resource in &mut expanded.resources {
            if let Some(access) = resource.pointer_mut("/properties/securityRules/0/properties/access") {
                *access = json!({"$unknown": "access", "within": words, "why": "var.access"});
            }
        }
        let layered = Layered::new(Arc::new(expanded.into_snapshot()));
        only_verdict(&World { layered, declared: Declared::default() }.report("word")).0
    };
    assert_eq!(state(json!(["Allow"])), "proven");
    assert_eq!(state(json!(["Allow", "Deny"])), "disproven");
}
