//! What exists in Azure and is not modelled: where one is found, the claims it could change are undetermined
//! (DESIGN §2). A feature that becomes modelled leaves `facts/tripwires.toml`.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::Value;

use crate::hole;

/// A layer of claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    Routing,
    Filtering,
}

/// How far the effect goes, from the resource that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Everything that passes through the virtual hub, and what its connected networks do not find a way to.
    Hub,
    /// Everything in the scopes of the network manager.
    NetworkManager,
    /// The virtual network itself: what leaves or enters it.
    VirtualNetwork,
    /// What passes through the gateway.
    Gateway,
    /// What goes to private endpoints of the resource.
    PrivateEndpoint,
    Cluster,
    /// The registry that the resource is, or is attached to.
    Registry,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum When {
    /// The resource exists; with a pointer: something other than null stands there.
    Present,
    /// One of `values` stands there.
    Equals,
}

/// One feature that is not modelled.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tripwire {
    pub id: String,
    /// As Azure writes it.
    #[serde(rename = "type")]
    pub resource_type: String,
    #[serde(default)]
    pub pointer: Option<String>,
    when: When,
    #[serde(default)]
    values: Vec<String>,
    /// The layers whose claims it makes undetermined.
    pub layers: Vec<Layer>,
    pub reach: Reach,
    /// For `missing[].what`: what is not modelled.
    pub text: String,
    pub facts: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tripwire: Vec<Tripwire>,
}

const TEXT: &str = include_str!("../../facts/tripwires.toml");
static FILE: LazyLock<File> = LazyLock::new(|| super::embedded(TEXT));

/// All tripwires, in the order of the file.
pub fn all() -> &'static [Tripwire] {
    &FILE.tripwire
}

impl Tripwire {
    /// The JSON pointers into `resource` at which this is found; empty exactly when the resource does not have the
    /// feature. A value that is not known yet counts as having it.
    pub fn found(&self, resource: &Value) -> Vec<String> {
        let mut out = Vec::new();
        match &self.pointer {
            None => out.push(String::new()),
            Some(pointer) => {
                let segments: Vec<&str> = pointer.split('/').skip(1).collect();
                self.walk(resource, &segments, String::new(), &mut out);
            }
        }
        out
    }

    fn walk(&self, value: &Value, segments: &[&str], at: String, out: &mut Vec<String>) {
        if hole::hole(value).is_some() {
            out.push(at);
            return;
        }
        let Some((segment, rest)) = segments.split_first() else {
            if self.holds(value) {
                out.push(at);
            }
            return;
        };
        match (*segment, value) {
            ("*", Value::Array(items)) => {
                for (i, item) in items.iter().enumerate() {
                    self.walk(item, rest, format!("{at}/{i}"), out);
                }
            }
            ("*", Value::Object(fields)) => {
                for (key, item) in fields {
                    self.walk(item, rest, format!("{at}/{key}"), out);
                }
            }
            (key, Value::Object(fields)) => {
                if let Some(item) = fields.get(key) {
                    self.walk(item, rest, format!("{at}/{key}"), out);
                }
            }
            _ => {}
        }
    }

    fn holds(&self, value: &Value) -> bool {
        let text = match value {
            Value::String(text) => text.to_ascii_lowercase(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
        };
        match self.when {
            When::Present => !value.is_null() && value.as_str() != Some(""),
            When::Equals => self.values.iter().any(|v| v.eq_ignore_ascii_case(&text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(id: &str, resource: &Value) -> Vec<String> {
        all().iter().find(|t| t.id == id).map(|t| t.found(resource)).unwrap_or_default()
    }

    #[test]
    fn file_is_well_formed() {
        let file = toml::from_str::<File>(TEXT).map_err(|e| e.to_string());
        assert!(file.is_ok(), "{:?}", file.err());
        for tripwire in all() {
            let needs_values = matches!(tripwire.when, When::Equals);
            assert_eq!(needs_values, !tripwire.values.is_empty(), "{}", tripwire.id);
            assert!(!tripwire.layers.is_empty() && !tripwire.facts.is_empty(), "{}", tripwire.id);
        }
    }

    #[test]
    fn each_element_of_a_list_is_looked_at() {
        let cluster = json!({ "properties": { "networkProfile": { "ipFamilies": [
            "IPv4", "ipv6", { "$unknown": "family" } ] } } });
        let families = found("cluster-dual-stack", &cluster);
        assert_eq!(
            families,
            ["/properties/networkProfile/ipFamilies/1", "/properties/networkProfile/ipFamilies/2"]
        );
    }

    #[test]
    fn what_is_absent_or_null_is_not_found() {
        for properties in [json!({}), json!({ "securityPartnerProvider": null })] {
            assert!(found("hub-security-partner", &json!({ "properties": properties })).is_empty());
        }
        let partner = json!({ "properties": { "securityPartnerProvider": { "id": "/x" } } });
        assert_eq!(found("hub-security-partner", &partner), ["/properties/securityPartnerProvider/id"]);
        assert_eq!(found("virtual-hub-route-map", &json!({})), [""]);
    }
}
