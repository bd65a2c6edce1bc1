//! Declared facts (`pullproof.toml`): redacted as the snapshot is that they belong to.

use serde_json::{Value, json};
use toml::Value as Toml;

use super::{Redactor, Survey};

/// Why declared facts cannot be redacted.
#[derive(Debug, thiserror::Error)]
pub enum DeclaredError {
    #[error("declared facts are not TOML: {0}")]
    Read(#[from] toml::de::Error),
    #[error("redacted facts cannot be written as TOML: {0}")]
    Write(#[from] toml::ser::Error),
}

impl Survey {
    /// Looks at the text of a `pullproof.toml`.
    ///
    /// # Errors
    /// The text is not TOML.
    pub fn declared(&mut self, text: &str) -> Result<(), DeclaredError> {
        self.see_declared(&to_json(&Toml::Table(text.parse()?)));
        Ok(())
    }
}

impl Redactor {
    /// The redacted text of a `pullproof.toml`. Comments are left out; dates stay.
    ///
    /// # Errors
    /// The text is not TOML.
    pub fn declared(&self, text: &str) -> Result<String, DeclaredError> {
        let table = Toml::Table(text.parse()?);
        let redacted = self.line(&to_json(&table));
        Ok(toml::to_string(&to_toml(&redacted, &table))?)
    }
}

fn to_json(value: &Toml) -> Value {
    match value {
        Toml::String(text) => json!(text),
        Toml::Integer(number) => json!(number),
        Toml::Float(number) => json!(number),
        Toml::Boolean(flag) => json!(flag),
        Toml::Datetime(date) => json!(date.to_string()),
        Toml::Array(items) => items.iter().map(to_json).collect(),
        Toml::Table(table) => Value::Object(table.iter().map(|(k, v)| (k.clone(), to_json(v))).collect()),
    }
}

/// The redacted value with the kinds of the original: a date is a date again. Keys that are no keys of the file are left
/// out.
fn to_toml(redacted: &Value, original: &Toml) -> Toml {
    match (redacted, original) {
        (Value::String(text), Toml::String(_)) => Toml::String(text.clone()),
        (Value::Array(items), Toml::Array(originals)) => {
            Toml::Array(items.iter().zip(originals).map(|(item, original)| to_toml(item, original)).collect())
        }
        (Value::Object(object), Toml::Table(table)) => {
            let kept = table
                .iter()
                .filter_map(|(key, original)| Some((key.clone(), to_toml(object.get(key)?, original))));
            Toml::Table(kept.collect())
        }
        _ => original.clone(),
    }
}
