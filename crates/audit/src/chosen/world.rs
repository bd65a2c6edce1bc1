//! The estate with values in the places of holes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use pullproof_checker::Plain;
use pullproof_network::Network;
use pullproof_snapshot::hole::hole;
use pullproof_snapshot::layered::Edit;
use pullproof_snapshot::{Declared, Layered, ResourceIx};
use serde_json::Value;

use super::values::{Chosen, chosen};

/// So many estates are made in one run (V6, `too_complex`).
const WORLDS: usize = 512;
/// So many of them are kept for other audits.
const KEPT: usize = 32;

/// Which value each hole has, by its place in [`Worlds::chosen`].
pub type Values = BTreeMap<usize, Value>;

/// One estate, as both evaluators take it.
pub struct World {
    pub network: Network,
    pub plain: Plain,
}

/// Every way in which what is not chosen yet may be chosen.
pub struct Worlds<'n> {
    pub chosen: Vec<Chosen>,
    network: &'n Network,
    declared: Declared,
    /// The resources in which each hole stands.
    places: Vec<Vec<ResourceIx>>,
    kept: Mutex<BTreeMap<String, Arc<World>>>,
    left: AtomicUsize,
}

impl<'n> Worlds<'n> {
    pub fn of(network: &'n Network, declared: &Declared) -> Self {
        let layered = &network.layered;
        let all = || layered.resources().into_iter().map(|ix| (*layered.json(ix)).clone()).collect();
        let chosen = chosen(network, declared, all);
        let mut places = vec![Vec::new(); chosen.len()];
        if !chosen.is_empty() {
            for ix in layered.resources() {
                let json = layered.json(ix);
                for (holder, one) in places.iter_mut().zip(&chosen) {
                    if has(&json, &one.name) {
                        holder.push(ix);
                    }
                }
            }
        }
        Self {
            chosen,
            network,
            declared: declared.clone(),
            places,
            kept: Mutex::default(),
            left: AtomicUsize::new(WORLDS),
        }
    }

    /// The estate with these values; `None` when too many were made.
    pub fn world(&self, values: &Values) -> Option<Arc<World>> {
        let key = format!("{values:?}");
        if let Some(known) = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Some(Arc::clone(known));
        }
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).ok()?;
        let layered = self.with(values);
        let network = Network::read(layered.clone(), self.declared.clone());
        let made = Arc::new(World { network, plain: Plain::new(layered, self.declared.clone()) });
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT {
            kept.insert(key, Arc::clone(&made));
        }
        Some(made)
    }

    fn with(&self, values: &Values) -> Layered {
        let layered = &self.network.layered;
        let mut changed: BTreeMap<ResourceIx, Value> = BTreeMap::new();
        for (i, value) in values {
            let (Some(one), Some(places)) = (self.chosen.get(*i), self.places.get(*i)) else { continue };
            for ix in places {
                let json = changed.entry(*ix).or_insert_with(|| (*layered.json(*ix)).clone());
                put(json, &one.name, value);
            }
        }
        let edits = changed.into_iter().map(|(ix, json)| Edit::Put { id: layered.id(ix).clone(), json });
        layered.and(edits.collect())
    }
}

/// The hole stands somewhere in it.
fn has(json: &Value, name: &str) -> bool {
    if hole(json).is_some_and(|hole| hole.name == name) {
        return true;
    }
    match json {
        Value::Array(items) => items.iter().any(|item| has(item, name)),
        Value::Object(fields) => fields.values().any(|field| has(field, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Puts the value into every place of the hole: the same name is the same value everywhere (CONTRACT §1).
fn put(json: &mut Value, name: &str, value: &Value) {
    if hole(json).is_some_and(|hole| hole.name == name) {
        json.clone_from(value);
        return;
    }
    match json {
        Value::Array(items) => items.iter_mut().for_each(|item| put(item, name, value)),
        Value::Object(fields) => fields.values_mut().for_each(|field| put(field, name, value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
