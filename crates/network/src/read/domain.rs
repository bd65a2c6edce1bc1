//! The `within` of a hole: what is known about an unknown value.

use serde_json::Value;

use crate::model::symbol::Domain;
use crate::set::Addresses;
use pullproof_snapshot::ArmId;

/// An address, prefix or range; a subnet's id (an assignable address of it); a list of either addresses or words.
/// Other forms say nothing.
pub(crate) fn domain(within: &Value) -> Option<Domain> {
    match within {
        Value::String(text) if text.starts_with("/subscriptions/") => Some(Domain::Subnet(ArmId::new(text))),
        Value::String(text) => text.parse().ok().map(Domain::Addresses),
        Value::Array(items) if items.is_empty() => None,
        Value::Array(items) => addresses(items).or_else(|| words(items)),
        _ => None,
    }
}

fn addresses(items: &[Value]) -> Option<Domain> {
    let mut out = Addresses::empty();
    for item in items {
        out = out.union(&item.as_str()?.parse().ok()?);
    }
    Some(Domain::Addresses(out))
}

fn words(items: &[Value]) -> Option<Domain> {
    let word = |item: &Value| match item {
        Value::String(text) => Some(text.as_str().into()),
        Value::Bool(_) | Value::Number(_) => Some(item.to_string().into()),
        _ => None,
    };
    items.iter().map(word).collect::<Option<Vec<Box<str>>>>().map(Domain::OneOf)
}
