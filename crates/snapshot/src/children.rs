//! Children of a resource: inline list and standalone resources as one list (CONTRACT §1).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::hole;
use crate::id::ArmId;
use crate::layered::Layered;
use crate::merge::{Conflict, merge, newer};
use crate::place::{Place, ResourceIx};

/// A child of a resource, from the parent's inline list, from a resource of its own, or from both.
///
/// Where both exist, the newer capture counts; where neither is known to be newer they are merged: what only one of
/// them has counts, a field in which they differ is a hole named `conflicting-input:<id><pointer>` (CONTRACT §1).
pub struct Child<'a> {
    pub id: ArmId,
    pub name: String,
    /// Pointers into the child are relative to this place.
    pub place: Place,
    pub json: Cow<'a, Value>,
}

/// The children of one collection, and whether the list can be relied on.
pub struct ChildList<'a> {
    pub items: Vec<Child<'a>>,
    /// The parent has the list inline (it may be empty). False: absent or null, or no collection that stands inline.
    pub listed: bool,
    /// The parent has `null` in the list's place.
    pub null: bool,
    /// The hole that stands for the list, for its tail, or for what the list is in; there may be more children.
    pub open: Option<String>,
    /// Indices of inline elements that are no resource: not an object, or without a name.
    pub odd: Vec<usize>,
    pub conflicts: Vec<Conflict>,
}

/// A collection that stands inside its parent.
struct Inline {
    collection: &'static str,
    pointer: &'static str,
    /// Pointer pattern of an element.
    element: &'static str,
    /// ARM returns every child with the parent: where the parent's type is complete, so is the child's.
    whole: bool,
}

const fn inline(
    collection: &'static str,
    pointer: &'static str,
    element: &'static str,
    whole: bool,
) -> Inline {
    Inline { collection, pointer, element, whole }
}

const INLINE: &[Inline] = &[
    inline("subnets", "/properties/subnets", "/properties/subnets/{}", true),
    inline(
        "virtualNetworkPeerings",
        "/properties/virtualNetworkPeerings",
        "/properties/virtualNetworkPeerings/{}",
        true,
    ),
    inline("routes", "/properties/routes", "/properties/routes/{}", true),
    inline("securityRules", "/properties/securityRules", "/properties/securityRules/{}", true),
    inline(
        "defaultSecurityRules",
        "/properties/defaultSecurityRules",
        "/properties/defaultSecurityRules/{}",
        true,
    ),
    inline(
        "privateDnsZoneGroups",
        "/properties/privateDnsZoneGroups",
        "/properties/privateDnsZoneGroups/{}",
        false,
    ),
    inline(
        "privateEndpointConnections",
        "/properties/privateEndpointConnections",
        "/properties/privateEndpointConnections/{}",
        true,
    ),
    inline("agentPools", "/properties/agentPoolProfiles", "/properties/agentPoolProfiles/{}", true),
    inline("inboundEndpoints", "/properties/inboundEndpoints", "/properties/inboundEndpoints/{}", false),
    inline("outboundEndpoints", "/properties/outboundEndpoints", "/properties/outboundEndpoints/{}", false),
    inline("replications", "/properties/replications", "/properties/replications/{}", false),
    inline(
        "virtualNetworkLinks",
        "/properties/virtualNetworkLinks",
        "/properties/virtualNetworkLinks/{}",
        false,
    ),
    inline("forwardingRules", "/properties/forwardingRules", "/properties/forwardingRules/{}", false),
    inline(
        "ruleCollectionGroups",
        "/properties/ruleCollectionGroups",
        "/properties/ruleCollectionGroups/{}",
        false,
    ),
    inline("natRules", "/properties/natRules", "/properties/natRules/{}", false),
    inline(
        "hubVirtualNetworkConnections",
        "/properties/virtualNetworkConnections",
        "/properties/virtualNetworkConnections/{}",
        false,
    ),
];

/// The collection whose inline elements are what a resource of its own has in `properties`.
const FLAT: &str = "agentPools";

/// Fields of a firewall policy and others that hold references (`{"id": …}`) to children, not the children.
fn is_reference(item: &Value) -> bool {
    item.as_object().is_some_and(|o| o.len() == 1 && o.contains_key("id"))
}

/// True for a folded type whose resources ARM returns inside their parent, all of them.
pub(crate) fn comes_with_parent(folded_type: &str) -> bool {
    let collection = folded_type.rsplit('/').next().unwrap_or_default();
    folded_type.matches('/').count() >= 2
        && INLINE.iter().any(|row| row.whole && row.collection.eq_ignore_ascii_case(collection))
}

pub(crate) fn children<'a>(
    layered: &Layered,
    parent: ResourceIx,
    parent_json: &'a Value,
    collection: &'static str,
) -> Vec<Child<'a>> {
    child_list(layered, parent, parent_json, collection).items
}

pub(crate) fn child_list<'a>(
    layered: &Layered,
    parent: ResourceIx,
    parent_json: &'a Value,
    collection: &'static str,
) -> ChildList<'a> {
    let parent_id = layered.id(parent);
    let mut out = ChildList {
        items: Vec::new(),
        listed: false,
        null: false,
        open: None,
        odd: Vec::new(),
        conflicts: Vec::new(),
    };
    let mut standalone: BTreeMap<String, ResourceIx> = layered
        .standalone_children(parent, collection)
        .into_iter()
        .map(|ix| (layered.id(ix).folded().to_owned(), ix))
        .collect();
    if let Some(row) = INLINE.iter().find(|row| row.collection.eq_ignore_ascii_case(collection)) {
        let list = out.look_at(parent_json, row.pointer);
        for (i, item) in list.iter().enumerate() {
            if let Some(hole) = hole::hole(item) {
                out.open = Some(hole.name.to_owned());
                continue;
            }
            let Ok(index) = u16::try_from(i) else {
                out.open = Some(format!("too-many-children:{}/{collection}", parent_id.folded()));
                break;
            };
            let Some((id, name)) = identify(item, parent_id, collection) else {
                out.odd.push(i);
                continue;
            };
            if layered.deleted(id.folded()) {
                continue;
            }
            let place = Place { resource: parent, base: row.element, index: [index, 0, 0] };
            let twin = standalone.remove(id.folded());
            out.items.push(match twin {
                None => Child { id, name, place, json: Cow::Borrowed(item) },
                Some(ix) => match order(layered, parent, ix) {
                    Some(Ordering::Greater) => Child { id, name, place, json: Cow::Borrowed(item) },
                    Some(_) => alone(layered, ix),
                    None if is_reference(item) => alone(layered, ix),
                    None => {
                        let json = (*layered.json(ix)).clone();
                        let json = merge(&id, json, &wrapped(item, row), &mut out.conflicts);
                        Child { id, name, place: Place::whole(ix), json: Cow::Owned(json) }
                    }
                },
            });
        }
    }
    out.items.extend(standalone.into_values().map(|ix| alone(layered, ix)));
    out
}

impl ChildList<'_> {
    /// The inline list at `pointer`; notes down what stands there instead.
    fn look_at<'a>(&mut self, parent_json: &'a Value, pointer: &str) -> &'a [Value] {
        let mut at = parent_json;
        for key in pointer.split('/').skip(1) {
            if let Some(hole) = hole::hole(at) {
                self.open = Some(hole.name.to_owned());
                return &[];
            }
            match at.get(key) {
                Some(value) => at = value,
                None => return &[],
            }
        }
        match at {
            Value::Array(items) => {
                self.listed = true;
                items
            }
            Value::Null => {
                self.null = true;
                &[]
            }
            other => {
                self.open = hole::hole(other).map(|hole| hole.name.to_owned());
                &[]
            }
        }
    }
}

/// The id and name of an inline element, or `None` where it has neither.
fn identify(item: &Value, parent: &ArmId, collection: &str) -> Option<(ArmId, String)> {
    let text = |key: &str| item.get(key).and_then(Value::as_str).filter(|t| !t.is_empty());
    // What stands inside a resource is its child, whatever other resource its id may name.
    let id = text("id").filter(|id| id.starts_with('/')).map(ArmId::new);
    let id = id.filter(|id| id.parent().as_ref() == Some(parent));
    let name = text("name").map(str::to_owned).or_else(|| id.as_ref().map(|id| id.name().to_owned()))?;
    let id = id.unwrap_or_else(|| ArmId::new(&format!("{}/{collection}/{name}", parent.as_written())));
    Some((id, name))
}

/// The inline element in the form of a resource of its own.
fn wrapped<'a>(item: &'a Value, row: &Inline) -> Cow<'a, Value> {
    match item {
        Value::Object(fields) if row.collection == FLAT && !fields.contains_key("properties") => {
            let mut properties = fields.clone();
            properties.retain(|key, _| !matches!(key.as_str(), "id" | "name"));
            Cow::Owned(serde_json::json!({ "properties": properties }))
        }
        other => Cow::Borrowed(other),
    }
}

fn alone(layered: &Layered, ix: ResourceIx) -> Child<'static> {
    let id = layered.id(ix).clone();
    let name = id.name().to_owned();
    Child { id, name, place: Place::whole(ix), json: Cow::Owned((*layered.json(ix)).clone()) }
}

/// Whether the parent (with its inline form) or the standalone child is newer. An edit is newer than what was read.
fn order(layered: &Layered, parent: ResourceIx, child: ResourceIx) -> Option<Ordering> {
    match (layered.edited(parent), layered.edited(child)) {
        (true, false) => Some(Ordering::Greater),
        (false, true) => Some(Ordering::Less),
        (true, true) => None,
        (false, false) => newer(layered.captured(parent), layered.captured(child)),
    }
}

/// What inline and standalone forms disagree about, over all resources.
pub(crate) fn conflicts(layered: &Layered) -> Vec<Conflict> {
    let mut parents: BTreeMap<(ResourceIx, usize), ()> = BTreeMap::new();
    for ix in layered.resources() {
        let Some(collection) = layered.resource_type(ix).rsplit('/').next() else { continue };
        let Some(row) = INLINE.iter().position(|row| row.collection.eq_ignore_ascii_case(collection)) else {
            continue;
        };
        let Some(parent) = layered.id(ix).parent().and_then(|p| layered.find(p.folded())) else { continue };
        parents.insert((parent, row), ());
    }
    let mut out = Vec::new();
    for (parent, row) in parents.into_keys() {
        let Some(row) = INLINE.get(row) else { continue };
        let json = layered.json(parent);
        out.extend(child_list(layered, parent, &json, row.collection).conflicts);
    }
    out
}
