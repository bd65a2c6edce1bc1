//! Which subscription an instance is in: nowhere in the plan is it said for each (terraform-mapping.md §2.1).

use std::collections::{BTreeMap, BTreeSet};

use pullproof_snapshot::ArmId;
use serde_json::Value;

use crate::plan::configuration::ProviderConfig;
use crate::plan::{Plan, Provider};
use crate::world::World;

/// What stands for a subscription that nothing names.
pub const UNKNOWN_SUBSCRIPTION: &str = "00000000-0000-0000-0000-000000000000";

/// The provider's name in `provider_config`.
const AZURERM: &str = "azurerm";

/// What stands for the subscription of the `i`th provider block that names one which the plan does not show.
fn placeholder(i: usize) -> String {
    format!("00000000-0000-0000-0001-{i:012}")
}

/// The subscription of each provider configuration.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    by_key: BTreeMap<String, String>,
    fallback: Option<String>,
}

impl Subscriptions {
    /// From the provider configuration (a constant or a variable), else from ids of its instances that are known
    /// already, else the only one that is known at all: of the plan, then of the base.
    pub(crate) fn find(plan: &Plan, given: Option<&str>, base: Option<&str>) -> Self {
        let mut by_key = BTreeMap::new();
        let mut open = BTreeSet::new();
        for (key, config) in &plan.configuration.provider_config {
            match configured(plan, config) {
                Named::As(found) => {
                    by_key.insert(key.clone(), found);
                }
                Named::Unknown => {
                    open.insert(key.clone());
                }
                Named::Not => {}
            }
        }
        let blocks = plan.configuration.provider_config.values().filter(|c| c.name == AZURERM).count();
        // The one that a block names is no other block's.
        let alone = blocks <= 1 || (by_key.is_empty() && open.is_empty());
        let mut seen: BTreeMap<String, ()> = by_key.values().map(|s| (s.clone(), ())).collect();
        for instance in plan.instances.iter().chain(&plan.data) {
            if instance.provider == Provider::Other {
                continue;
            }
            let id =
                [&instance.after, &instance.before].into_iter().flatten().find_map(|raw| only_id(raw.get()));
            let id = id.as_deref().map(ArmId::new);
            let Some(subscription) = id.as_ref().and_then(ArmId::subscription) else { continue };
            seen.insert(subscription.to_owned(), ());
            let block =
                plan.configuration.module(&instance.module).and_then(|m| m.resource(&instance.block()));
            if let Some(block) = block
                && instance.mode == crate::plan::Mode::Managed
            {
                by_key.entry(block.provider_config_key.clone()).or_insert_with(|| subscription.to_owned());
            }
        }
        let only = (alone && seen.len() == 1).then(|| seen.into_keys().next()).flatten();
        // A subscription that is not known is not the one of another block.
        for (i, key) in open.into_iter().enumerate().filter(|_| blocks > 1) {
            by_key.entry(key).or_insert_with(|| placeholder(i));
        }
        Self { by_key, fallback: given.map(str::to_owned).or(only).or_else(|| base.map(str::to_owned)) }
    }

    /// The subscription of an instance, or [`UNKNOWN_SUBSCRIPTION`].
    pub(crate) fn of(&self, world: &World<'_>, i: usize) -> String {
        let key = world.block(i).map_or("azurerm", |block| block.provider_config_key.as_str());
        self.by_key
            .get(key)
            .or(self.fallback.as_ref())
            .cloned()
            .unwrap_or_else(|| UNKNOWN_SUBSCRIPTION.to_owned())
    }
}

/// The `id` of an instance's values, without building the rest.
fn only_id(text: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Values {
        id: Option<String>,
    }
    serde_json::from_str::<Values>(text).ok()?.id
}

/// What a provider block says of its subscription.
enum Named {
    As(String),
    /// Some, which the plan does not show.
    Unknown,
    /// None: that of the environment.
    Not,
}

fn configured(plan: &Plan, config: &ProviderConfig) -> Named {
    let Some(expression) = config.expressions.get("subscription_id") else { return Named::Not };
    let text = |value: &Value| match value.as_str() {
        Some("") => Named::Not,
        Some(text) => Named::As(text.to_ascii_lowercase()),
        None if value.is_null() => Named::Not,
        None => Named::Unknown,
    };
    if let Some(constant) = expression.get("constant_value") {
        return text(constant);
    }
    let references = expression.get("references").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    match references {
        [only] if config.module_address.is_none() => {
            let variable = only.as_str().and_then(|name| name.strip_prefix("var."));
            // A variable that is null has no value in the plan.
            variable.map_or(Named::Unknown, |name| plan.variables.get(name).map_or(Named::Not, text))
        }
        _ => Named::Unknown,
    }
}
