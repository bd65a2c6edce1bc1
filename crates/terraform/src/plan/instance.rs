//! One instance of a resource, and what is going to happen to it (terraform-mapping.md §1.3).

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::address::{Key, ModuleStep, modules, steps};

/// Who plans the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provider {
    Azurerm,
    Azapi,
    Other,
}

impl Provider {
    /// From the full source address; the host does not count, so OpenTofu's is the same.
    fn of(name: &str) -> Self {
        match name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase().as_str() {
            "azurerm" => Self::Azurerm,
            "azapi" => Self::Azapi,
            _ => Self::Other,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    Managed,
    Data,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    NoOp,
    Create,
    Read,
    Update,
    /// The object is destroyed and made again; `gap`: destroyed first.
    Replace {
        gap: bool,
    },
    Delete,
    /// Terraform lets go of it; the object stays in Azure as it was before.
    Forget,
}

impl Action {
    /// By membership, since new combinations come (§1.3).
    fn of(words: &[String]) -> Self {
        let at = |word: &str| words.iter().position(|w| w == word);
        match (at("create"), at("delete")) {
            (Some(create), Some(delete)) => Self::Replace { gap: delete < create },
            (Some(_), None) => Self::Create,
            (None, Some(_)) => Self::Delete,
            (None, None) if at("update").is_some() => Self::Update,
            (None, None) if at("read").is_some() => Self::Read,
            (None, None) if at("forget").is_some() => Self::Forget,
            (None, None) => Self::NoOp,
        }
    }

    /// True when the object exists after apply, as the plan says.
    pub fn leaves_object(self) -> bool {
        matches!(self, Self::NoOp | Self::Create | Self::Read | Self::Update | Self::Replace { .. })
    }

    /// True when the object is a new one.
    pub fn makes_object(self) -> bool {
        matches!(self, Self::Create | Self::Replace { .. })
    }
}

/// One instance.
#[derive(Debug)]
pub struct Instance {
    pub address: String,
    /// Before a `moved` block.
    pub previous_address: Option<String>,
    pub module: Vec<ModuleStep>,
    pub mode: Mode,
    /// Such as `azurerm_subnet`.
    pub resource_type: String,
    pub name: String,
    pub key: Option<Key>,
    pub provider: Provider,
    pub action: Action,
    pub importing: bool,
    /// An object beside the one that the address stands for: an old one that is still to be destroyed, or that
    /// Terraform lets go of while it makes another.
    pub aside: bool,
    /// Its creation failed halfway: the values are what was asked for, not what was read.
    pub tainted: bool,
    pub reason: Option<String>,
    pub before: Option<Box<RawValue>>,
    pub after: Option<Box<RawValue>>,
    pub after_unknown: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
pub(crate) struct ResourceChange {
    address: String,
    previous_address: Option<String>,
    mode: Option<String>,
    #[serde(rename = "type")]
    resource_type: String,
    name: String,
    index: Option<Value>,
    #[serde(default)]
    index_unknown: bool,
    #[serde(default)]
    provider_name: String,
    deposed: Option<String>,
    action_reason: Option<String>,
    change: Change,
}

#[derive(Deserialize)]
struct Change {
    #[serde(default)]
    actions: Vec<String>,
    before: Option<Box<RawValue>>,
    after: Option<Box<RawValue>>,
    after_unknown: Option<Box<RawValue>>,
    importing: Option<serde::de::IgnoredAny>,
}

/// A resource of a state, or of the planned values.
#[derive(Deserialize)]
pub(crate) struct StateResource {
    address: String,
    mode: Option<String>,
    #[serde(rename = "type")]
    resource_type: String,
    name: String,
    index: Option<Value>,
    #[serde(default)]
    provider_name: String,
    deposed_key: Option<String>,
    #[serde(default)]
    tainted: bool,
    values: Option<Box<RawValue>>,
}

fn key(index: Option<Value>) -> Option<Key> {
    match index? {
        Value::Number(number) => Some(number.as_u64().map_or(Key::Any, Key::Number)),
        Value::String(text) => Some(Key::Text(text)),
        _ => None,
    }
}

fn mode(word: Option<&str>) -> Mode {
    if word == Some("data") { Mode::Data } else { Mode::Managed }
}

/// The address of an object that shares it with another.
fn aside(address: String, mark: Option<&str>) -> String {
    mark.map_or(address.clone(), |mark| format!("{address} (deposed {mark})"))
}

impl Instance {
    /// The instance, and the object that it leaves behind where it replaces one without destroying it.
    pub(crate) fn from_change(change: ResourceChange) -> impl Iterator<Item = Self> {
        let provider = Provider::of(&change.provider_name);
        let ours = provider != Provider::Other;
        let module = modules(&steps(&change.address));
        let action = Action::of(&change.change.actions);
        let before = change.change.before.filter(|_| ours);
        let after = change.change.after.filter(|_| ours);
        let forgets = action == Action::Create && change.change.actions.iter().any(|word| word == "forget");
        let made = Self {
            module,
            aside: change.deposed.is_some(),
            address: aside(change.address, change.deposed.as_deref()),
            previous_address: change.previous_address,
            mode: mode(change.mode.as_deref()),
            resource_type: change.resource_type,
            name: change.name,
            key: if change.index_unknown { Some(Key::Any) } else { key(change.index) },
            provider,
            action,
            importing: change.change.importing.is_some(),
            tainted: false,
            reason: change.action_reason,
            after: if action == Action::Forget { before.clone() } else { after },
            before,
            after_unknown: change.change.after_unknown.filter(|_| ours && action != Action::Forget),
        };
        let left = made.before.as_ref().filter(|_| forgets).map(|before| made.left_behind(before.clone()));
        left.into_iter().chain([made])
    }

    fn left_behind(&self, before: Box<RawValue>) -> Self {
        Self {
            address: aside(self.address.clone(), Some("forgotten")),
            previous_address: None,
            module: self.module.clone(),
            mode: self.mode,
            resource_type: self.resource_type.clone(),
            name: self.name.clone(),
            key: self.key.clone(),
            provider: self.provider,
            action: Action::Forget,
            importing: false,
            aside: true,
            tainted: false,
            reason: None,
            after: Some(before.clone()),
            before: Some(before),
            after_unknown: None,
        }
    }

    pub(crate) fn from_state(resource: StateResource) -> Self {
        let provider = Provider::of(&resource.provider_name);
        Self {
            module: modules(&steps(&resource.address)),
            aside: resource.deposed_key.is_some(),
            address: aside(resource.address, resource.deposed_key.as_deref()),
            previous_address: None,
            mode: mode(resource.mode.as_deref()),
            resource_type: resource.resource_type,
            name: resource.name,
            key: key(resource.index),
            provider,
            action: Action::NoOp,
            importing: false,
            tainted: resource.tainted,
            reason: None,
            before: None,
            after: resource.values.filter(|_| provider != Provider::Other),
            after_unknown: None,
        }
    }

    /// The address inside its module, without a key: `azurerm_subnet.nodes`, `data.azurerm_subnet.nodes`.
    pub fn block(&self) -> String {
        let data = if self.mode == Mode::Data { "data." } else { "" };
        format!("{data}{}.{}", self.resource_type, self.name)
    }
}
