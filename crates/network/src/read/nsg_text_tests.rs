//! What is read from text and what is read from JSON are the same group, or nothing is read from text.

use std::sync::Arc;

use proptest::prelude::*;
use pullproof_snapshot::builder::Builder;
use pullproof_snapshot::{ArmId, Declared, Layered, ResourceIx};
use serde_json::{Map, Value, json};

use super::group;
use crate::model::nsg::Nsg;
use crate::network::Network;

const ID: &str = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/networkSecurityGroups/Nsg-1";

fn from_json(json: Value) -> Network {
    let mut builder = Builder::default();
    builder.resource(ArmId::new(ID), "microsoft.network/networksecuritygroups", None, json);
    Network::read(Layered::new(Arc::new(builder.finish())), Declared::default())
}

fn from_text(json: &Value) -> Option<Nsg> {
    group(&serde_json::to_vec(json).expect("JSON"), &ArmId::new(ID), ResourceIx(0))
}

fn regular() -> Value {
    json!({"id": ID, "properties": {"provisioningState": "Succeeded", "securityRules": [{
        "name": "r", "id": format!("{ID}/securityRules/r"), "etag": "W/\"1\"",
        "properties": {
            "provisioningState": "Succeeded", "description": "a\n\"b\"", "priority": 100, "direction": "inbound",
            "access": "Allow", "protocol": "Tcp", "sourceAddressPrefix": "10.0.0.0/8,Internet",
            "sourcePortRange": "*", "destinationAddressPrefixes": ["10.1.0.0/16", "10.2.0.4"],
            "destinationAddressPrefix": "", "destinationPortRanges": ["443", "80-90"],
            "sourceApplicationSecurityGroups": [{"id": "/subscriptions/s/a"}],
        },
    }]}})
}

#[test]
fn a_regular_group_is_read_from_text() {
    let network = from_json(regular());
    assert_eq!(from_text(&regular()).as_ref(), network.nsgs.values().next());
    assert!(network.gaps.is_empty());
}

#[test]
fn a_hole_anywhere_is_left_to_json() {
    for pointer in [
        "",
        "/properties",
        "/properties/securityRules",
        "/properties/securityRules/0",
        "/properties/securityRules/0/properties",
        "/properties/securityRules/0/properties/access",
        "/properties/securityRules/0/properties/destinationAddressPrefixes/1",
        "/properties/securityRules/0/properties/sourceApplicationSecurityGroups/0",
    ] {
        let mut json = regular();
        let place = json.pointer_mut(pointer).expect("it is there");
        match place {
            Value::Object(fields) => drop(fields.insert("$unknown".into(), "x".into())),
            other => *other = json!({"$unknown": "x"}),
        }
        assert_eq!(from_text(&json), None, "{pointer}");
    }
}

/// Values that may stand in a field, regular and odd.
fn value() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(""),
        json!("*"),
        json!("443"),
        json!("80-90, 443"),
        json!("10.0.0.0/8"),
        json!("10.0.0.1,10.0.0.2"),
        json!("VirtualNetwork"),
        json!("Inbound"),
        json!("Deny"),
        json!("UDP"),
        json!("esc\"aped"),
        json!("no such thing!"),
        json!(443),
        json!(70000),
        json!(1.5),
        json!(true),
        json!([]),
        json!(["10.0.0.0/24", "10.0.1.0/24"]),
        json!(["80", "90-91"]),
        json!(["80", 443]),
        json!([{"id": "/subscriptions/s/b"}]),
        json!([{"id": "b"}]),
        json!([{"$unknown": "tail"}]),
        json!({"$unknown": "x"}),
        json!({}),
    ])
}

const FIELDS: &[&str] = &[
    "provisioningState",
    "priority",
    "direction",
    "access",
    "protocol",
    "sourceAddressPrefix",
    "sourceAddressPrefixes",
    "sourceApplicationSecurityGroups",
    "sourcePortRange",
    "sourcePortRanges",
    "destinationAddressPrefix",
    "destinationAddressPrefixes",
    "destinationApplicationSecurityGroups",
    "destinationPortRange",
    "destinationPortRanges",
];

fn set(fields: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    match value {
        Some(value) => drop(fields.insert(key.to_owned(), value)),
        None => drop(fields.remove(key)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn text_and_json_agree(
        changes in prop::collection::vec((prop::sample::select(FIELDS), prop::option::of(value())), 0..3),
        name in prop::option::weighted(0.9, value()),
        of_group in prop::option::weighted(0.1, (
            prop::sample::select(vec!["provisioningState", "securityRules", "defaultSecurityRules"]), value())),
    ) {
        let mut json = regular();
        let rule = json.pointer_mut("/properties/securityRules/0").and_then(Value::as_object_mut).expect("a rule");
        if let Some(name) = name {
            set(rule, "name", Some(name));
        }
        let fields = rule.get_mut("properties").and_then(Value::as_object_mut).expect("properties");
        for (key, value) in changes {
            set(fields, key, value);
        }
        if let Some((key, value)) = of_group {
            json["properties"][key] = value;
        }
        if let Some(read) = from_text(&json) {
            let network = from_json(json);
            prop_assert_eq!(Some(&read), network.nsgs.values().next());
            prop_assert!(network.gaps.is_empty(), "{:?}", network.gaps);
        }
    }
}
