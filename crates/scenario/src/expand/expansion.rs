//! The work in progress: names, addresses, and the resources built so far.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::addresses::Addresses;
use super::naming::Names;
use super::{
    cluster, declared, firewall, gateway, identity, machine, names, peering, prepare, private_endpoint,
    registry, security_group, service_tags, subscription, virtual_network, virtual_wan,
};
use crate::error::ScenarioError;
use crate::output::Expanded;
use crate::shape::{self, ShapeError};
use crate::yaml::{Described, Document, Head};

/// The capture time where a scenario states none.
const CAPTURED: &str = "2026-01-01T00:00:00Z";

/// A change that is laid over a finished resource.
enum Overlay {
    /// Merged at the pointer; checked against the model.
    Merge(String, Value),
    /// An element for the list at the pointer.
    Push(String, Value),
    /// Merged at the pointer after the check.
    Unchecked(String, Value),
    /// Taken out after the check.
    Omit(String),
}

pub(crate) struct Expansion<'d> {
    pub(crate) document: &'d Document,
    pub(crate) names: Names,
    pub(crate) addresses: Addresses,
    /// Folded id → resource.
    resources: BTreeMap<String, Value>,
    overlays: Vec<(String, Overlay)>,
}

/// Expands a document.
pub(crate) fn expand(document: &Document) -> Result<Expanded, ScenarioError> {
    build(document)?.finish(shape::check)
}

/// The resources of a document, not held against Microsoft's models.
pub(crate) fn expand_unchecked(document: &Document) -> Result<Vec<Value>, ScenarioError> {
    Ok(build(document)?.finish(|_| Ok(()))?.resources)
}

fn build(document: &Document) -> Result<Expansion<'_>, ScenarioError> {
    let mut x = Expansion {
        document,
        names: Names::default(),
        addresses: Addresses::default(),
        resources: BTreeMap::new(),
        overlays: Vec::new(),
    };
    prepare::prepare(&mut x)?;
    subscription::expand(&mut x);
    identity::expand_identities(&mut x)?;
    virtual_network::expand(&mut x)?;
    peering::expand(&mut x)?;
    security_group::expand(&mut x)?;
    machine::expand(&mut x)?;
    firewall::expand(&mut x)?;
    gateway::expand(&mut x)?;
    virtual_wan::expand(&mut x)?;
    registry::expand(&mut x)?;
    names::expand(&mut x)?;
    private_endpoint::expand(&mut x)?;
    cluster::expand(&mut x)?;
    identity::expand_roles(&mut x)?;
    Ok(x)
}

impl<'d> Expansion<'d> {
    /// The default location in ARM's form.
    pub(crate) fn location(&self, head: &Head<'_>) -> String {
        head.location.or(self.document.location.as_deref()).unwrap_or("westeurope").to_owned()
    }

    pub(crate) fn resource_group(&self, head: &Head<'_>) -> String {
        head.resource_group.map_or_else(|| format!("rg-{}", self.document.name), str::to_owned)
    }

    /// The id of a top-level resource.
    pub(crate) fn id_of(&self, head: &Head<'_>, kind: &str) -> String {
        let subscription = subscription::guid_of(self.document, head.subscription);
        let group = self.resource_group(head);
        format!("/subscriptions/{subscription}/resourceGroups/{group}/providers/{kind}/{}", head.name)
    }

    /// A GUID for something in this scenario.
    pub(crate) fn guid(&self, seed: &str) -> String {
        super::filler::guid(&format!("{}:{}", self.document.name, seed.to_lowercase()))
    }

    /// `{"id": …}` of a reference.
    pub(crate) fn link(
        &self,
        kind: &'static str,
        reference: &str,
        place: &str,
    ) -> Result<Value, ScenarioError> {
        Ok(json!({ "id": self.names.find(kind, reference, place)? }))
    }

    /// The same, `null` for no reference.
    pub(crate) fn link_opt(
        &self,
        kind: &'static str,
        reference: Option<&str>,
        place: &str,
    ) -> Result<Value, ScenarioError> {
        reference.map_or(Ok(Value::Null), |r| self.link(kind, r, place))
    }

    pub(crate) fn links(
        &self,
        kind: &'static str,
        references: &[String],
        place: &str,
    ) -> Result<Vec<Value>, ScenarioError> {
        references.iter().map(|r| self.link(kind, r, place)).collect()
    }

    /// Adds a described resource. `body` holds `properties` and whatever else stands beside them; nulls in it are
    /// left out.
    pub(crate) fn push(&mut self, item: &impl Described, kind: &str, body: Value) -> String {
        let head = item.head();
        let id = self.id_of(&head, kind);
        let location = self.location(&head);
        self.push_at(&id, kind, Some(&location), body);
        for (value, checked) in [(head.properties, true), (head.unchecked, false)] {
            if let Some(value) = value {
                self.over(&id, "/properties", value, checked);
            }
        }
        for pointer in head.omit {
            self.overlays.push((fold(&id), Overlay::Omit(pointer.clone())));
        }
        id
    }

    /// Adds a resource by id.
    pub(crate) fn push_at(&mut self, id: &str, kind: &str, location: Option<&str>, body: Value) {
        let mut body = without_nulls(body);
        if let Some(object) = body.as_object_mut() {
            object.insert("id".into(), json!(id));
            object.insert("name".into(), json!(id.rsplit('/').next().unwrap_or_default()));
            object.insert("type".into(), json!(kind));
            if let Some(location) = location {
                object.insert("location".into(), json!(location));
            }
        }
        self.resources.insert(fold(id), body);
    }

    /// Lays `value` over what stands at `pointer` of a resource.
    pub(crate) fn over(&mut self, id: &str, pointer: &str, value: &Value, checked: bool) {
        let overlay = if checked { Overlay::Merge } else { Overlay::Unchecked };
        self.overlays.push((fold(id), overlay(pointer.to_owned(), value.clone())));
    }

    /// Both kinds of overrides of a part that stands at `pointer`.
    pub(crate) fn over_part(
        &mut self,
        id: &str,
        pointer: &str,
        properties: Option<&Value>,
        unchecked: Option<&Value>,
    ) {
        for (value, checked) in [(properties, true), (unchecked, false)] {
            if let Some(value) = value {
                self.over(id, pointer, value, checked);
            }
        }
    }

    /// A back-reference: `{"id": …}` at the end of the list at `pointer` of `target`, if the scenario has it.
    pub(crate) fn refer(&mut self, target: &str, pointer: &str, from: &str) {
        self.push_into(target, pointer, json!({ "id": from }));
    }

    /// An element for the list at `pointer` of `target`, if the scenario has that resource.
    pub(crate) fn push_into(&mut self, target: &str, pointer: &str, element: Value) {
        self.overlays.push((fold(target), Overlay::Push(pointer.to_owned(), element)));
    }

    fn finish(mut self, check: impl Fn(&Value) -> Result<(), ShapeError>) -> Result<Expanded, ScenarioError> {
        for raw in &self.document.raw {
            let text = |key: &str| raw.get(key).and_then(Value::as_str);
            let (Some(id), Some(_)) = (text("id"), text("type")) else {
                return Err(ScenarioError::invalid("raw", "a resource needs `id` and `type`"));
            };
            self.resources.insert(fold(id), raw.clone());
        }
        for (id, overlay) in &self.overlays {
            let Some(resource) = self.resources.get_mut(id) else { continue };
            match overlay {
                Overlay::Merge(pointer, value) => merge(at(resource, pointer), value),
                Overlay::Push(pointer, element) => match at(resource, pointer) {
                    Value::Array(list) => list.push(element.clone()),
                    other => *other = json!([element]),
                },
                Overlay::Unchecked(..) | Overlay::Omit(_) => {}
            }
        }
        let raw: Vec<String> =
            self.document.raw.iter().filter_map(|r| r.get("id")?.as_str().map(fold)).collect();
        for (id, resource) in &self.resources {
            if !raw.contains(id) {
                check(resource)?;
            }
        }
        for (id, overlay) in &self.overlays {
            let Some(resource) = self.resources.get_mut(id) else { continue };
            match overlay {
                Overlay::Unchecked(pointer, value) => merge(at(resource, pointer), value),
                Overlay::Omit(pointer) => omit(resource, pointer)?,
                Overlay::Merge(..) | Overlay::Push(..) => {}
            }
        }
        let captured_to = self.document.captured.to.clone().unwrap_or_else(|| CAPTURED.to_owned());
        let gaps = prepare::gaps(&self)?;
        // What could not be read is not there.
        for id in gaps.iter().filter_map(|gap| gap.resource.as_deref()) {
            self.resources.remove(&fold(id));
        }
        Ok(Expanded {
            tag_list: self.document.service_tags.as_ref().map(service_tags::file),
            gaps,
            evidence: self.document.evidence.clone(),
            config_toml: self.document.declared.as_ref().map(declared::toml).transpose()?,
            captured_from: self.document.captured.from.clone().unwrap_or_else(|| captured_to.clone()),
            captured_to,
            scopes: subscription::scopes(self.document),
            complete: self.document.complete.clone(),
            resources: self.resources.into_values().collect(),
        })
    }
}

/// The form in which ids are compared and sorted.
pub(crate) fn fold(id: &str) -> String {
    id.to_ascii_lowercase()
}

/// What stands at a pointer; made where nothing does.
fn at<'v>(mut value: &'v mut Value, pointer: &str) -> &'v mut Value {
    for key in pointer.split('/').skip(1) {
        let is_index = value.is_array();
        value = if let (true, Ok(i)) = (is_index, key.parse::<usize>()) {
            &mut value[i]
        } else {
            if !value.is_object() {
                *value = Value::Object(Map::new());
            }
            &mut value[key]
        };
    }
    value
}

/// Objects are merged key by key; anything else, `null` too, takes the place of what was there. An object that is a
/// hole replaces.
fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) if !from.contains_key("$unknown") => {
            for (key, value) in from {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

fn omit(resource: &mut Value, pointer: &str) -> Result<(), ScenarioError> {
    let missing = || ScenarioError::invalid("omit", format!("nothing stands at {pointer}"));
    let (parent, key) = pointer.rsplit_once('/').ok_or_else(missing)?;
    match resource.pointer_mut(parent) {
        Some(Value::Object(object)) => object.remove(key).map(drop).ok_or_else(missing),
        Some(Value::Array(list)) => {
            let i = key.parse().ok().filter(|i: &usize| *i < list.len()).ok_or_else(missing)?;
            list.remove(i);
            Ok(())
        }
        _ => Err(missing()),
    }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(
            object.into_iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k, without_nulls(v))).collect(),
        ),
        Value::Array(list) => Value::Array(list.into_iter().map(without_nulls).collect()),
        other => other,
    }
}
