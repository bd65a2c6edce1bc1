//! Changes in mid-run, as states of the estate that follow one another.

use std::sync::Arc;

use pullproof_snapshot::{ArmId, Edit, Layered};
use serde_json::Value;

use super::plan::Change;

/// A change of a state before: what Resource Graph's `resourcechanges` tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    pub id: ArmId,
    /// `Create`, `Update` or `Delete`, as Resource Graph writes it.
    pub kind: &'static str,
    /// (pointer, before, after), as text.
    pub fields: Vec<(String, String, String)>,
}

/// A state of the estate, from a number of calls on.
pub(crate) struct Epoch {
    pub after: u64,
    pub layered: Layered,
    /// Everything that has changed so far.
    pub changed: Vec<Changed>,
}

/// The states that the changes make, the first of them `after` 0.
pub(crate) fn epochs(layered: &Layered, changes: &[Change]) -> Vec<Epoch> {
    let mut starts: Vec<u64> = changes.iter().map(|change| change.after).collect();
    starts.push(0);
    starts.sort_unstable();
    starts.dedup();
    let state = |after: u64| {
        let mut edits = Vec::new();
        let mut changed = Vec::new();
        for change in changes {
            let Some(ix) = layered.find(&change.resource) else { continue };
            let (id, done) = (layered.id(ix).clone(), after > 0 && change.after <= after);
            if change.appears && !done || change.disappears && done {
                edits.push(Edit::Delete { id: id.clone() });
            } else if !change.set.is_empty() && done {
                edits.push(Edit::Put { id: id.clone(), json: with(&layered.json(ix), change) });
            }
            if done {
                let before = layered.json(ix);
                let kind = match (change.appears, change.disappears) {
                    (true, _) => "Create",
                    (_, true) => "Delete",
                    _ => "Update",
                };
                let text = |value: Option<&Value>| value.map(Value::to_string).unwrap_or_default();
                let fields = change.set.iter().map(|(pointer, value)| {
                    (pointer.clone(), text(before.pointer(pointer)), text(Some(value)))
                });
                changed.push(Changed { id, kind, fields: fields.collect() });
            }
        }
        let layered = match edits.is_empty() {
            true => layered.clone(),
            false => Layered::with_edits(Arc::clone(layered.base()), edits),
        };
        Epoch { after, layered, changed }
    };
    starts.into_iter().map(state).collect()
}

/// The resource with the change's values, and another etag.
fn with(json: &Value, change: &Change) -> Value {
    let mut out = json.clone();
    for (pointer, value) in &change.set {
        put(&mut out, pointer, value);
    }
    if let Some(Value::String(etag)) = out.get_mut("etag") {
        *etag = format!("W/\"changed-{}\"", change.after);
    }
    out
}

/// Puts a value at a pointer, making the objects on the way.
fn put(json: &mut Value, pointer: &str, value: &Value) {
    let Some((parent, key)) = pointer.rsplit_once('/') else { return };
    let key = key.replace("~1", "/").replace("~0", "~");
    if json.pointer(parent).is_none() {
        put(json, parent, &Value::Object(serde_json::Map::new()));
    }
    match json.pointer_mut(parent) {
        Some(Value::Object(fields)) => {
            fields.insert(key, value.clone());
        }
        Some(Value::Array(items)) => {
            if let Some(item) = key.parse::<usize>().ok().and_then(|i| items.get_mut(i)) {
                *item = value.clone();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_put_where_the_pointer_says() {
        let mut json = serde_json::json!({"properties": {"list": [1, 2]}});
        put(&mut json, "/properties/list/1", &Value::from(3));
        put(&mut json, "/properties/new/deep", &Value::from(true));
        assert_eq!(json, serde_json::json!({"properties": {"list": [1, 3], "new": {"deep": true}}}));
    }
}
