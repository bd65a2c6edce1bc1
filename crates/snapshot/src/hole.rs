//! Values that are not known yet, standing in the JSON itself (CONTRACT §1):
//! `{"$unknown":"<name>", "within":<domain>, "why":"…"}`.
//!
//! The same name is the same value everywhere. A list with an unknown tail has one as an element.

use serde_json::Value;

/// A hole as it stands in the JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hole<'a> {
    pub name: &'a str,
    pub within: Option<&'a Value>,
    pub why: Option<&'a str>,
}

/// The hole that `value` is, if it is one.
pub fn hole(value: &Value) -> Option<Hole<'_>> {
    let object = value.as_object()?;
    let name = object.get("$unknown")?.as_str()?;
    Some(Hole { name, within: object.get("within"), why: object.get("why").and_then(Value::as_str) })
}

/// A hole to be put into JSON.
pub fn make(name: &str, why: &str) -> Value {
    serde_json::json!({ "$unknown": name, "why": why })
}
