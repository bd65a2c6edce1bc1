//! `declared:` → `pullproof.toml`.

use pullproof_snapshot::Declared;
use serde_json::Value;

use crate::error::ScenarioError;

/// The text of `pullproof.toml`; an error where `snapshot` would not accept it.
pub(crate) fn toml(declared: &Value) -> Result<String, ScenarioError> {
    let mut table = match value(declared, "")? {
        toml::Value::Table(table) => table,
        _ => return Err(ScenarioError::Declared("not a table".into())),
    };
    table.entry("version").or_insert(toml::Value::Integer(1));
    let text = toml::to_string(&table).map_err(|e| ScenarioError::Declared(e.to_string()))?;
    Declared::parse("pullproof.toml", &text).map_err(|e| ScenarioError::Declared(e.to_string()))?;
    Ok(text)
}

fn value(json: &Value, key: &str) -> Result<toml::Value, ScenarioError> {
    Ok(match json {
        Value::Null => return Err(ScenarioError::Declared(format!("`{key}` has no value"))),
        Value::Bool(b) => toml::Value::Boolean(*b),
        Value::Number(n) => n
            .as_i64()
            .map(toml::Value::Integer)
            .ok_or_else(|| ScenarioError::Declared(format!("`{key}`: {n} is not an integer")))?,
        // TOML has dates, YAML texts.
        Value::String(text) if matches!(key, "on" | "expires") => toml::Value::Datetime(
            text.parse().map_err(|_| ScenarioError::Declared(format!("`{key}`: {text} is not a date")))?,
        ),
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Array(list) => {
            toml::Value::Array(list.iter().map(|element| value(element, key)).collect::<Result<_, _>>()?)
        }
        Value::Object(object) => toml::Value::Table(
            object
                .iter()
                .map(|(key, element)| Ok((key.clone(), value(element, key)?)))
                .collect::<Result<_, ScenarioError>>()?,
        ),
    })
}
