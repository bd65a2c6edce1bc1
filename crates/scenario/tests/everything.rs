//! Every key of the YAML, expanded: expansion itself holds each resource against Microsoft's model.

use pullproof_scenario::Scenario;
use serde_json::{Value, json};

fn scenario() -> Scenario {
    Scenario::parse(include_str!("everything.yaml")).unwrap_or_else(|e| panic!("{e}"))
}

fn expand() -> Vec<Value> {
    scenario().expand().unwrap_or_else(|e| panic!("{e}")).resources
}

fn named<'r>(resources: &'r [Value], kind: &str, name: &str) -> &'r Value {
    let found = resources.iter().find(|r| r["type"] == kind && r["name"] == name);
    found.unwrap_or_else(|| panic!("no {kind} {name}"))
}

#[test]
fn everything_has_the_shape_of_microsofts_models() {
    let resources = expand();
    assert!(resources.len() > 100, "{}", resources.len());
    for resource in &resources {
        assert!(resource["id"].as_str().is_some_and(|id| id.starts_with('/')), "{resource}");
        assert!(resource["type"].is_string(), "{resource}");
    }
}

#[test]
fn ids_fit_types() {
    use pullproof_snapshot::ArmId;
    for resource in expand() {
        let id = ArmId::new(resource["id"].as_str().unwrap_or_default());
        let kind = resource["type"].as_str().map(str::to_ascii_lowercase);
        assert_eq!(id.resource_type(), kind, "{id}");
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let resources = expand();
    let mut known: Vec<String> = Vec::new();
    for resource in &resources {
        definitions(resource, &mut known);
    }
    let mut dangling = Vec::new();
    for resource in &resources {
        references(resource, true, &mut |id| {
            // Subscriptions and resource groups need not be resources of a snapshot; fwp-child could not be read.
            if id.contains("/providers/")
                && !known.contains(&id.to_lowercase())
                && !id.starts_with("/subscriptions/x")
                && !id.ends_with("/fwp-child")
            {
                dangling.push(format!("{id} in {}", resource["id"]));
            }
        });
    }
    assert_eq!(dangling, Vec::<String>::new());
}

/// Ids of objects that have more to say than their id.
fn definitions(value: &Value, known: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            if let Some(id) = object.get("id").and_then(Value::as_str)
                && object.len() > 1
            {
                known.push(id.to_lowercase());
            }
            object.values().for_each(|v| definitions(v, known));
        }
        Value::Array(list) => list.iter().for_each(|v| definitions(v, known)),
        _ => {}
    }
}

fn references(value: &Value, is_root: bool, found: &mut impl FnMut(&str)) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                match value.as_str() {
                    Some(text) if text.starts_with("/subscriptions/") && !(is_root && key == "id") => {
                        found(text)
                    }
                    _ => references(value, false, found),
                }
            }
        }
        Value::Array(list) => list.iter().for_each(|v| references(v, false, found)),
        _ => {}
    }
}

#[test]
fn overrides_are_laid_over() {
    let resources = expand();
    let spoke = named(&resources, "Microsoft.Network/virtualNetworks", "vnet-spoke");
    let subnet = &spoke["properties"]["subnets"][0]["properties"];
    assert_eq!(subnet["privateLinkServiceNetworkPolicies"], "Disabled");
    let half = &spoke["properties"]["virtualNetworkPeerings"][0]["properties"];
    assert_eq!(half["peeringState"], json!({"$unknown": "state"}));
    assert_eq!(half["remoteGateways"].as_array().map(Vec::len), Some(2));
}

#[test]
fn back_references_are_there() {
    let resources = expand();
    let table = named(&resources, "Microsoft.Network/routeTables", "rt-nodes");
    assert_eq!(table["properties"]["subnets"].as_array().map(Vec::len), Some(1));
    let registry = named(&resources, "Microsoft.ContainerRegistry/registries", "contosoreg");
    assert_eq!(registry["properties"]["privateEndpointConnections"].as_array().map(Vec::len), Some(2));
    let policy = named(&resources, "Microsoft.Network/firewallPolicies", "fwp-base");
    assert_eq!(policy["properties"]["childPolicies"].as_array().map(Vec::len), Some(1));
}

#[test]
fn zone_groups_write_records() {
    let resources = expand();
    let record = named(&resources, "Microsoft.Network/privateDnsZones/A", "contosoreg.northeurope.data");
    assert_eq!(record["properties"]["aRecords"], json!([{"ipv4Address": "10.0.2.5"}]));
}

#[test]
fn the_same_scenario_gives_the_same_bytes() {
    let text = || {
        let mut out = Vec::new();
        let expanded = scenario().expand().unwrap_or_else(|e| panic!("{e}"));
        expanded.write_ndjson(&mut out).unwrap_or_else(|e| panic!("{e}"));
        out
    };
    assert_eq!(text(), text());
}

#[test]
fn ndjson_states_its_scopes_and_ends() {
    let expanded = scenario().expand().unwrap_or_else(|e| panic!("{e}"));
    let mut out = Vec::new();
    expanded.write_ndjson(&mut out).unwrap_or_else(|e| panic!("{e}"));
    let lines: Vec<Value> = std::str::from_utf8(&out)
        .unwrap_or_default()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect();
    let (first, last) = (&lines[0], &lines[lines.len() - 1]);
    assert_eq!(first["captured_from"], "2026-11-30T08:00:00Z");
    assert_eq!(first["scopes"].as_array().map(Vec::len), Some(2));
    assert_eq!(last["pullproof"], "end");
    assert_eq!(last["resources"], json!(expanded.resources.len()));
    assert_eq!(last["complete"][0]["types"], "*");
    assert_eq!(lines.iter().filter(|l| l["pullproof"] == "gap").count(), 2);
    assert_eq!(lines.len(), expanded.resources.len() + 2 + 2 + 1);
}

#[test]
fn a_snapshot_holds_all_of_it() {
    let expanded = scenario().expand().unwrap_or_else(|e| panic!("{e}"));
    let count = expanded.resources.len();
    let snapshot = expanded.into_snapshot();
    assert_eq!(snapshot.len(), count);
    assert_eq!(snapshot.gaps().len(), 2);
    assert_eq!(snapshot.tag_lists().len(), 1);
    let absent = |scope: &str, kind: &str| snapshot.absence(scope, kind).is_evidence();
    let scope = snapshot.complete().scopes("*")[0].to_owned();
    assert!(absent(&scope, "Microsoft.Network/routeServers"));
}

#[test]
fn declared_facts_become_toml() {
    let config = scenario().expand().unwrap_or_else(|e| panic!("{e}")).config_toml.unwrap_or_default();
    assert!(config.contains("version = 1"), "{config}");
    assert!(config.contains("on = 2026-01-01"), "{config}");
}
