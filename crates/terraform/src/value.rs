//! An instance's values after apply, with a hole wherever Terraform says "known after apply" (§1.3).

use pullproof_snapshot::hole;
use serde_json::{Map, Value};

use crate::plan::Instance;

/// The hole of an attribute: the same name wherever the same attribute of the same instance is meant.
pub(crate) fn unknown(address: &str, path: &str) -> Value {
    let name = if path.is_empty() { address.to_owned() } else { format!("{address}.{path}") };
    hole::make(&name, &name)
}

/// The values of an instance after apply. Parts that are not JSON after all are null.
pub(crate) fn after(instance: &Instance) -> Value {
    let parse = |raw: &Option<Box<serde_json::value::RawValue>>| {
        raw.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok())
    };
    let value: Value = parse(&instance.after).unwrap_or_default();
    let unknown: Value = parse(&instance.after_unknown).unwrap_or_default();
    merge(value, &unknown, &instance.address, &mut String::new())
}

/// The values before apply.
pub(crate) fn before(instance: &Instance) -> Value {
    instance.before.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

fn merge(value: Value, unknown: &Value, address: &str, path: &mut String) -> Value {
    match unknown {
        Value::Bool(true) => self::unknown(address, path),
        Value::Object(unknown) => {
            let mut map = match value {
                Value::Object(map) => map,
                _ if unknown.is_empty() => return value,
                _ => Map::new(),
            };
            for (key, unknown) in unknown {
                let child = map.remove(key).unwrap_or_default();
                let length = path.len();
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
                let merged = merge(child, unknown, address, path);
                path.truncate(length);
                map.insert(key.clone(), merged);
            }
            Value::Object(map)
        }
        Value::Array(unknown) => {
            let mut items = match value {
                Value::Array(items) => items,
                _ if unknown.is_empty() => return value,
                _ => Vec::new(),
            };
            if items.len() < unknown.len() {
                items.resize(unknown.len(), Value::Null);
            }
            let merged = items.into_iter().enumerate().map(|(i, item)| {
                let length = path.len();
                path.push_str(&format!("[{i}]"));
                let merged = merge(item, unknown.get(i).unwrap_or(&Value::Null), address, path);
                path.truncate(length);
                merged
            });
            Value::Array(merged.collect())
        }
        _ => value,
    }
}

/// The hole for elements that a list may have beside those that are known.
pub(crate) fn tail(address: &str, path: &str) -> Value {
    unknown(address, &format!("{path}[*]"))
}

/// True for a hole that stands for further elements.
pub(crate) fn is_tail(value: &Value) -> bool {
    hole::hole(value).is_some_and(|hole| hole.name.ends_with("[*]"))
}

/// True for what the provider takes as "not set" (§3): null, "" and absent.
pub(crate) fn is_unset(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(_) => false,
    }
}

/// What stands at a path such as `ip_configuration[0].private_ip_address`; a list of one element is looked through
/// where no index is given.
pub(crate) fn at<'v>(value: &'v Value, path: &[crate::address::Step]) -> Option<&'v Value> {
    let mut here = value;
    for step in path {
        if hole::hole(here).is_some() {
            return None;
        }
        if let Value::Array(items) = here
            && let [only] = items.as_slice()
        {
            here = only;
        }
        here = here.get(&step.name)?;
        for key in &step.keys {
            here = match (key, here) {
                (crate::address::Key::Number(n), Value::Array(items)) => {
                    items.get(usize::try_from(*n).ok()?)?
                }
                (crate::address::Key::Text(text), Value::Object(map)) => map.get(text)?,
                (crate::address::Key::Any, Value::Array(items)) => match items.as_slice() {
                    [only] => only,
                    _ => return None,
                },
                _ => return None,
            };
        }
    }
    Some(here)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_and_absent_are_told_apart() {
        let after = json!({ "name": "a", "route": [{ "name": "r" }], "dns": null });
        let unknown = json!({ "id": true, "route": [{ "hop": true }], "dns": false, "list": [false, true] });
        let merged = merge(after, &unknown, "x.y", &mut String::new());
        assert_eq!(merged["id"]["$unknown"], "x.y.id");
        assert_eq!(merged["route"][0]["hop"]["$unknown"], "x.y.route[0].hop");
        assert_eq!(merged["dns"], Value::Null);
        assert_eq!(merged["list"][1]["$unknown"], "x.y.list[1]");
    }
}
