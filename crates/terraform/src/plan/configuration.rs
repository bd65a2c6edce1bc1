//! What the plan shows of the configuration: expressions as the references in them (terraform-mapping.md §2).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::address::ModuleStep;

/// `configuration` of a plan.
#[derive(Debug, Default, Deserialize)]
pub struct Configuration {
    #[serde(default)]
    pub provider_config: BTreeMap<String, ProviderConfig>,
    #[serde(default)]
    pub root_module: Module,
}

#[derive(Debug, Default, Deserialize)]
pub struct ProviderConfig {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub version_constraint: Option<String>,
    #[serde(default)]
    pub module_address: Option<String>,
    #[serde(default)]
    pub expressions: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Module {
    #[serde(default)]
    pub resources: Vec<Resource>,
    #[serde(default)]
    pub module_calls: BTreeMap<String, Call>,
    #[serde(default)]
    pub outputs: BTreeMap<String, Output>,
    #[serde(default)]
    pub variables: BTreeMap<String, Variable>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Resource {
    /// Inside the module, without a key.
    pub address: String,
    #[serde(default)]
    pub provider_config_key: String,
    /// As text: as values, those of a large configuration would take eight times the room.
    expressions: Option<Box<RawValue>>,
    pub for_each_expression: Option<Value>,
    pub count_expression: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
pub struct Call {
    #[serde(default)]
    pub expressions: Map<String, Value>,
    pub for_each_expression: Option<Value>,
    pub count_expression: Option<Value>,
    #[serde(default)]
    pub module: Module,
}

#[derive(Debug, Default, Deserialize)]
pub struct Output {
    #[serde(default)]
    pub expression: Value,
}

#[derive(Debug, Default, Deserialize)]
pub struct Variable {
    pub default: Option<Value>,
}

impl Configuration {
    /// The module at a path of module instances.
    pub fn module(&self, path: &[ModuleStep]) -> Option<&Module> {
        let mut module = &self.root_module;
        for step in path {
            module = &module.module_calls.get(&step.name)?.module;
        }
        Some(module)
    }

    /// The call that made the module at `path`; none for the root.
    pub fn call(&self, path: &[ModuleStep]) -> Option<&Call> {
        let (last, parent) = path.split_last()?;
        self.module(parent)?.module_calls.get(&last.name)
    }
}

impl Resource {
    /// The expressions of its arguments.
    pub fn expressions(&self) -> Map<String, Value> {
        self.expressions.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }
}

impl Module {
    /// The resource block with an address inside this module.
    pub fn resource(&self, block: &str) -> Option<&Resource> {
        self.resources.iter().find(|r| r.address == block)
    }
}
