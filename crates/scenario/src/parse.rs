//! YAML text → [`Scenario`].

use serde_json::Value;

use crate::error::ScenarioError;
use crate::expand;
use crate::output::Expanded;
use crate::yaml::{Document, Expectation};

/// A parsed scenario.
#[derive(Clone, Debug)]
pub struct Scenario {
    document: Document,
    /// The same as a tree, for twins.
    tree: Value,
}

impl Scenario {
    /// Parses a scenario. Unknown keys and values of the wrong kind are errors with line and column.
    pub fn parse(yaml: &str) -> Result<Self, ScenarioError> {
        let text = |e: serde_saphyr::Error| ScenarioError::Yaml(e.to_string());
        // Only `true` and `false` are booleans: a resource may be called `n`.
        let options = || serde_saphyr::options! { strict_booleans: true };
        let document: Document = serde_saphyr::from_str_with_options(yaml, options()).map_err(text)?;
        let tree: Value = serde_saphyr::from_str_with_options(yaml, options()).map_err(text)?;
        Self { document, tree }.named()
    }

    fn named(self) -> Result<Self, ScenarioError> {
        if self.document.name.is_empty() {
            return Err(ScenarioError::invalid("scenario", "`name` is missing"));
        }
        Ok(self)
    }

    /// The scenario as written.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// What the audit must say, in the order written.
    pub fn expectations(&self) -> &[Expectation] {
        &self.document.expect
    }

    /// The scenario with its deciding element changed and the twin's expectations; `None` where it has no twin.
    pub fn twin(&self) -> Option<Result<Self, ScenarioError>> {
        let twin = self.document.twin.as_ref()?;
        let changed = || -> Result<Self, ScenarioError> {
            let mut tree = self.tree.clone();
            for (pointer, value) in &twin.set {
                set(&mut tree, pointer, value.clone())?;
            }
            for pointer in &twin.remove {
                remove(&mut tree, pointer)?;
            }
            if let Some(root) = tree.as_object_mut() {
                root.remove("twin");
                root.remove("expect");
            }
            let mut document: Document =
                serde_json::from_value(tree.clone()).map_err(|e| ScenarioError::Twin(e.to_string()))?;
            document.expect = twin.expect.clone();
            Self { document, tree }.named()
        };
        Some(changed())
    }

    /// The ARM resources, the service tag list, the gaps and the declared facts.
    pub fn expand(&self) -> Result<Expanded, ScenarioError> {
        expand::expand(&self.document)
    }
}

/// Sets what stands at `pointer`; a key that is not there yet is added to its object, `-` to its list.
fn set(tree: &mut Value, pointer: &str, value: Value) -> Result<(), ScenarioError> {
    let missing = || ScenarioError::Twin(format!("nothing stands at {pointer}"));
    let (parent, key) = pointer.rsplit_once('/').ok_or_else(missing)?;
    match tree.pointer_mut(parent).ok_or_else(missing)? {
        Value::Object(object) => {
            object.insert(unescape(key), value);
        }
        Value::Array(list) if key == "-" => list.push(value),
        Value::Array(list) => {
            *key.parse().ok().and_then(|i: usize| list.get_mut(i)).ok_or_else(missing)? = value;
        }
        _ => return Err(missing()),
    }
    Ok(())
}

/// Takes out what stands at `pointer`.
fn remove(tree: &mut Value, pointer: &str) -> Result<(), ScenarioError> {
    let missing = || ScenarioError::Twin(format!("nothing stands at {pointer}"));
    let (parent, key) = pointer.rsplit_once('/').ok_or_else(missing)?;
    match tree.pointer_mut(parent).ok_or_else(missing)? {
        Value::Object(object) => object.remove(&unescape(key)).ok_or_else(missing)?,
        Value::Array(list) => {
            let i: usize = key.parse().ok().filter(|i| *i < list.len()).ok_or_else(missing)?;
            list.remove(i)
        }
        _ => return Err(missing()),
    };
    Ok(())
}

fn unescape(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}
