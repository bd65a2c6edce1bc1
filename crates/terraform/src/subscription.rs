//! Which subscription an instance is in: nowhere in the plan is it said for each (terraform-mapping.md §2.1).

use std::collections::BTreeMap;

use pullproof_snapshot::ArmId;
use serde_json::Value;

use crate::plan::configuration::ProviderConfig;
use crate::plan::{Plan, Provider};
use crate::world::World;

/// What stands for a subscription that nothing names.
pub const UNKNOWN_SUBSCRIPTION: &str = "00000000-0000-0000-0000-000000000000";

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
        for (key, config) in &plan.configuration.provider_config {
            if let Some(found) = configured(plan, config) {
                by_key.insert(key.clone(), found);
            }
        }
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
        let only = (seen.len() == 1).then(|| seen.into_keys().next()).flatten();
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

fn configured(plan: &Plan, config: &ProviderConfig) -> Option<String> {
    let expression = config.expressions.get("subscription_id")?;
    if let Some(text) = expression.get("constant_value").and_then(Value::as_str) {
        return Some(text.to_ascii_lowercase());
    }
    let reference = expression.pointer("/references/0")?.as_str()?.strip_prefix("var.")?;
    if config.module_address.is_some() {
        return None;
    }
    plan.variables.get(reference)?.as_str().filter(|s| !s.is_empty()).map(str::to_ascii_lowercase)
}
