//! What there is after apply: what the plan puts, over what the base has.

use std::collections::{BTreeMap, BTreeSet};

use pullproof_snapshot::{ArmId, Layered};
use serde_json::{Value, json};

use crate::derive::states::complete;
use crate::settle::without_nulls;

/// Collections whose elements may stand inside their parent, with where.
const INLINE: &[(&str, &str)] = &[
    ("subnets", "/properties/subnets"),
    ("virtualnetworkpeerings", "/properties/virtualNetworkPeerings"),
    ("routes", "/properties/routes"),
    ("securityrules", "/properties/securityRules"),
    ("agentpools", "/properties/agentPoolProfiles"),
    ("privatednszonegroups", "/properties/privateDnsZoneGroups"),
];

/// Resources are held as text: as values they would take ten times the room.
#[derive(Default)]
pub(crate) struct Estate<'b> {
    base: Option<&'b Layered>,
    puts: BTreeMap<ArmId, Box<str>>,
    /// Folded type → the puts of it.
    by_type: BTreeMap<String, BTreeSet<ArmId>>,
    gone: BTreeSet<ArmId>,
    /// Objects that the plan makes, or makes anew.
    pub new: BTreeSet<ArmId>,
}

impl<'b> Estate<'b> {
    pub(crate) fn new(base: Option<&'b Layered>) -> Self {
        Self { base, ..Self::default() }
    }

    pub(crate) fn has_base(&self) -> bool {
        self.base.is_some()
    }

    /// What the base has, whatever the plan does.
    pub(crate) fn in_base(&self, id: &ArmId) -> Option<Value> {
        let base = self.base?;
        match base.find(id.folded()) {
            Some(ix) => Some((*base.json(ix)).clone()),
            None => {
                let parent = id.parent()?;
                let ix = base.find(parent.folded())?;
                inline_child(&base.json(ix), &parent, id)
            }
        }
    }

    /// The resource after apply.
    pub(crate) fn get(&self, id: &ArmId) -> Option<Value> {
        if let Some(text) = self.puts.get(id) {
            return serde_json::from_str(text).ok();
        }
        if self.gone.contains(id) {
            return None;
        }
        if let Some(parent) = id.parent()
            && let Some(text) = self.puts.get(&parent)
            && let Ok(json) = serde_json::from_str::<Value>(text)
            && let Some(found) = inline_child(&json, &parent, id)
        {
            return Some(found);
        }
        self.in_base(id)
    }

    pub(crate) fn put(&mut self, id: ArmId, mut json: Value) {
        self.gone.remove(&id);
        let kind = id.resource_type().unwrap_or_default();
        complete(&id, &kind, &mut json);
        without_nulls(&mut json);
        self.by_type.entry(kind).or_default().insert(id.clone());
        self.puts.insert(id, json.to_string().into());
    }

    /// The ids of what is put of a folded type.
    pub(crate) fn ids_of(&self, folded: &str) -> Vec<ArmId> {
        self.by_type.get(folded).into_iter().flatten().cloned().collect()
    }

    /// The text of every put.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&ArmId, &str)> {
        self.puts.iter().map(|(id, text)| (id, &**text))
    }

    /// True when it is put.
    pub(crate) fn is_put(&self, id: &ArmId) -> bool {
        self.puts.contains_key(id)
    }

    /// The puts directly below `parent` in a collection (folded name).
    pub(crate) fn puts_below(&self, parent: &ArmId, collection: &str) -> Vec<ArmId> {
        let first = ArmId::new(&format!("{}/{collection}", parent.as_written()));
        let prefix = format!("{}/", first.folded());
        self.puts
            .range(first..)
            .map(|(id, _)| id)
            .skip_while(|id| !id.folded().starts_with(&prefix) && id.folded() < prefix.as_str())
            .take_while(|id| id.folded().starts_with(&prefix))
            .filter(|id| id.folded().get(prefix.len()..).is_some_and(|rest| !rest.contains('/')))
            .cloned()
            .collect()
    }

    /// Everything below `parent` in a collection after apply, by id.
    pub(crate) fn below(&self, parent: &ArmId, collection: &'static str) -> BTreeMap<ArmId, Value> {
        let mut ids: BTreeSet<ArmId> =
            self.puts_below(parent, &collection.to_ascii_lowercase()).into_iter().collect();
        if let Some(base) = self.base
            && let Some(ix) = base.find(parent.folded())
        {
            let json = base.json(ix);
            ids.extend(base.children(ix, &json, collection).into_iter().map(|child| child.id));
        }
        ids.into_iter().filter_map(|id| Some((id.clone(), self.get(&id)?))).collect()
    }

    /// Changes a resource; false when there is none to change.
    pub(crate) fn change(&mut self, id: &ArmId, change: impl FnOnce(&mut Value)) -> bool {
        let Some(mut json) = self.get(id) else { return false };
        change(&mut json);
        self.put(id.clone(), json);
        true
    }

    /// Removes a resource with everything below it.
    pub(crate) fn delete(&mut self, id: &ArmId) {
        let below = |other: &ArmId| other.is_within(id.folded());
        let lost: Vec<ArmId> = self.puts.keys().filter(|other| below(other)).cloned().collect();
        for other in lost {
            self.puts.remove(&other);
            if let Some(ids) = other.resource_type().and_then(|kind| self.by_type.get_mut(&kind)) {
                ids.remove(&other);
            }
        }
        if let Some(base) = self.base {
            let all =
                base.resources().into_iter().map(|ix| base.id(ix)).filter(|other| below(other)).cloned();
            self.gone.extend(all);
        }
        self.gone.insert(id.clone());
    }

    pub(crate) fn gone(&self) -> &BTreeSet<ArmId> {
        &self.gone
    }

    /// The resources of a folded type after apply, those that stand inside their parents included.
    pub(crate) fn of_type(&self, folded: &str) -> BTreeMap<ArmId, Value> {
        let mut out: BTreeMap<ArmId, Value> = BTreeMap::new();
        if let Some((parent, collection)) = folded.rsplit_once('/')
            && let Some((_, pointer)) = INLINE.iter().find(|(name, _)| *name == collection)
            && parent.contains('/')
        {
            for (id, json) in self.of_type(parent) {
                let items = json.pointer(pointer).and_then(Value::as_array);
                for item in items.into_iter().flatten() {
                    let Some(name) = item.get("name").and_then(Value::as_str) else { continue };
                    let child = ArmId::new(&format!("{}/{collection}/{name}", id.as_written()));
                    if let Some(found) = self.get(&child) {
                        out.insert(child, found);
                    }
                }
            }
        }
        if let Some(base) = self.base {
            for ix in base.of_type(folded) {
                if let Some(json) = self.get(base.id(ix)) {
                    out.insert(base.id(ix).clone(), json);
                }
            }
        }
        for id in self.by_type.get(folded).into_iter().flatten() {
            if let Some(json) = self.get(id) {
                out.insert(id.clone(), json);
            }
        }
        out
    }

    /// Takes children that stand alone out of their parents' lists, so that each stands once.
    pub(crate) fn once_each(&mut self) {
        let mut by_parent: BTreeMap<ArmId, Vec<ArmId>> = BTreeMap::new();
        let inline = |id: &&ArmId| {
            let kind = id.resource_type().unwrap_or_default();
            INLINE.iter().any(|(name, _)| kind.rsplit('/').next() == Some(name))
        };
        for id in self.puts.keys().filter(inline) {
            if let Some(parent) = id.parent() {
                by_parent.entry(parent).or_default().push(id.clone());
            }
        }
        for (parent, children) in by_parent {
            let Some(mut json) = self.get(&parent) else { continue };
            let mut changed = false;
            for (collection, pointer) in INLINE {
                let Some(list) = json.pointer_mut(pointer).and_then(Value::as_array_mut) else { continue };
                let before = list.len();
                list.retain(|item| {
                    let Some(name) = item.get("name").and_then(Value::as_str) else { return true };
                    let own = ArmId::new(&format!("{}/{collection}/{name}", parent.as_written()));
                    !children.contains(&own)
                });
                changed |= list.len() != before;
            }
            if changed {
                self.put(parent, json);
            }
        }
    }

    /// The puts and what is gone.
    pub(crate) fn into_parts(self) -> (BTreeMap<ArmId, Box<str>>, BTreeSet<ArmId>) {
        (self.puts, self.gone)
    }
}

/// A child that stands inside its parent, in the form of a resource of its own.
fn inline_child(parent: &Value, parent_id: &ArmId, id: &ArmId) -> Option<Value> {
    let rest = id.folded().strip_prefix(parent_id.folded())?;
    let collection = rest.trim_start_matches('/').split('/').next()?;
    let (_, pointer) = INLINE.iter().find(|(name, _)| *name == collection)?;
    let list = parent.pointer(pointer)?.as_array()?;
    let item = list.iter().find(|item| {
        item.get("name").and_then(Value::as_str).is_some_and(|name| name.eq_ignore_ascii_case(id.name()))
    })?;
    let mut out = item.clone();
    if collection == "agentpools" && out.get("properties").is_none() {
        let mut fields = out.as_object().cloned().unwrap_or_default();
        fields.retain(|key, _| !matches!(key.as_str(), "id" | "name"));
        out = json!({ "name": id.name(), "properties": fields });
    }
    out["id"] = json!(id.as_written());
    Some(out)
}
