//! A registry's own door (A85–A92, F141–F147).

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{AdmissionFrom, Decision};
use serde_json::{Value, json};

use super::{admission, admits_range};
use crate::fixture::{connection, id, plain, registry, vnet};
use crate::plain::Plain;
use crate::registry::find_by_name;

fn decide(changes: Value, from: AdmissionFrom, address: Option<&str>) -> Decision {
    let plain = plain(vec![registry(changes), vnet("spoke", 11, &[], &[])], "");
    let address = address.map(|text| text.parse().expect("an address"));
    admission(&plain, "acme", from, address).expect("the registry").decision
}

fn selected(rules: &[&str]) -> Value {
    let rules: Vec<Value> = rules.iter().map(|value| json!({ "action": "Allow", "value": value })).collect();
    json!({ "publicNetworkAccess": "Enabled", "networkRuleSet": { "defaultAction": "Deny", "ipRules": rules } })
}

#[test]
fn the_public_switch_beats_rules_and_rules_decide_by_address() {
    let public = AdmissionFrom::Public;
    let mut closed = selected(&["203.0.113.0/28"]);
    closed["publicNetworkAccess"] = json!("Disabled");
    assert_eq!(decide(closed, public, Some("203.0.113.5")), Decision::Deny);
    assert_eq!(decide(selected(&["203.0.113.0/28"]), public, Some("203.0.113.5")), Decision::Allow);
    assert_eq!(decide(selected(&["203.0.113.0/28"]), public, Some("203.0.113.50")), Decision::Deny);
    assert_eq!(decide(selected(&["203.0.113.0/28"]), public, None), Decision::Unknown);
    assert_eq!(decide(selected(&[]), public, None), Decision::Deny);
    assert_eq!(decide(json!({ "publicNetworkAccess": "Enabled" }), public, None), Decision::Allow);
    assert_eq!(
        decide(json!({ "publicNetworkAccess": "SecuredByPerimeter" }), public, None),
        Decision::Unknown
    );
}

#[test]
fn rules_that_are_not_known_yet_leave_it_open() {
    let mut rules = selected(&["203.0.113.0/28"]);
    let hole = json!({ "$unknown": "more" });
    rules["networkRuleSet"]["ipRules"].as_array_mut().expect("a list").push(hole);
    assert_eq!(decide(rules.clone(), AdmissionFrom::Public, Some("203.0.113.5")), Decision::Allow);
    assert_eq!(decide(rules, AdmissionFrom::Public, Some("203.0.113.50")), Decision::Unknown);
}

#[test]
fn every_address_of_a_range_has_to_be_admitted() {
    let plain: Plain = plain(vec![registry(selected(&["203.0.113.0/28"]))], "");
    let registry = find_by_name(&plain, "acme").expect("the registry");
    let range = |text: &str| Some(text.parse().expect("a prefix"));
    assert_eq!(admits_range(&registry, range("203.0.113.8/29")), Ok(true));
    assert_eq!(admits_range(&registry, range("203.0.113.0/27")), Ok(false));
}

#[test]
fn private_endpoints_are_admitted_once_approved() {
    let with = |status: &str| json!({ "privateEndpointConnections": [connection("pe", status)] });
    assert_eq!(decide(with("Approved"), AdmissionFrom::PrivateEndpoint, None), Decision::Allow);
    assert_eq!(decide(with("Pending"), AdmissionFrom::PrivateEndpoint, None), Decision::Deny);
}

#[test]
fn service_endpoints_go_by_the_subnet() {
    let from = AdmissionFrom::ServiceEndpoint;
    let subnet = id("Microsoft.Network/virtualNetworks/spoke/subnets/nodes");
    for key in ["id", "virtualNetworkSubnetResourceId"] {
        let mut rules = selected(&[]);
        rules["networkRuleSet"]["virtualNetworkRules"] = json!([{ "action": "Allow", key: subnet }]);
        assert_eq!(decide(rules.clone(), from, Some("10.11.1.9")), Decision::Allow);
        rules["networkRuleSet"]["virtualNetworkRules"][0][key] = json!(ArmId::new(&id("x/y/z")).as_written());
        assert_eq!(decide(rules, from, Some("10.11.1.9")), Decision::Deny);
    }
    // API versions in use do not return the rules (A90).
    assert_eq!(decide(selected(&[]), from, Some("10.11.1.9")), Decision::Unknown);
}
