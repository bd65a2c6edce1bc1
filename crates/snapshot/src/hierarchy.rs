//! Which management groups and which tenant lie above a subscription, from the resources that say so.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::id::fold;
use crate::snapshot::Snapshot;

const GROUPS: &str = "microsoft.management/managementgroups";
const IN_GROUP: &str = "microsoft.management/managementgroups/subscriptions";
const SUBSCRIPTIONS: &str = "microsoft.resources/subscriptions";

/// Levels of management groups that Azure allows, and some more; ends a loop in bad input.
const MAX_LEVELS: usize = 32;

/// Fills what `snapshot.complete` knows about scopes above subscriptions.
pub(crate) fn find(snapshot: &mut Snapshot) {
    let mut parent_of: BTreeMap<String, String> = BTreeMap::new();
    let mut above: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for ix in snapshot.of_type(GROUPS) {
        let json = snapshot.json(*ix);
        if let Some(parent) = json.pointer("/properties/details/parent/id").and_then(Value::as_str) {
            parent_of.insert(snapshot.entry(*ix).id.folded().to_owned(), fold(parent));
        }
    }
    for ix in snapshot.of_type(IN_GROUP) {
        let id = &snapshot.entry(*ix).id;
        if let Some(group) = id.parent() {
            let subscription = format!("/subscriptions/{}", id.name().to_ascii_lowercase());
            above.entry(subscription).or_default().insert(group.folded().to_owned());
        }
    }
    for ix in snapshot.of_type(SUBSCRIPTIONS) {
        let json = snapshot.json(*ix);
        let mine = above.entry(snapshot.entry(*ix).id.folded().to_owned()).or_default();
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_ascii_lowercase);
        if let Some(tenant) = text(json.get("tenantId").or_else(|| json.pointer("/properties/tenantId"))) {
            mine.insert(format!("/tenants/{tenant}"));
        }
        let chain = json.pointer("/properties/managementGroupAncestorsChain").and_then(Value::as_array);
        for group in chain.into_iter().flatten() {
            if let Some(name) = text(group.get("name")) {
                mine.insert(format!("/providers/{GROUPS}/{name}"));
            }
        }
    }
    for (subscription, scopes) in above {
        for scope in scopes {
            let mut next = Some(scope);
            for _ in 0..MAX_LEVELS {
                let Some(scope) = next else { break };
                snapshot.complete.is_above(&subscription, &scope);
                next = parent_of.get(&scope).cloned();
            }
        }
    }
}
