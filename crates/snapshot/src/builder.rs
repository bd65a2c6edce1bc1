//! Builds a [`Snapshot`] out of resources, whatever they were read from.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::completeness::Complete;
use crate::evidence::Evidence;
use crate::gap::Gap;
use crate::hierarchy;
use crate::id::ArmId;
use crate::merge::{Conflict, merge, newer};
use crate::place::ResourceIx;
use crate::snapshot::{Body, Input, ResourceEntry, Snapshot, TagList};

/// Collects what was read; [`Builder::finish`] sorts, merges and indexes it.
#[derive(Default)]
pub struct Builder {
    pub(crate) entries: Vec<ResourceEntry>,
    pub complete: Complete,
    pub gaps: Vec<Gap>,
    pub evidence: Vec<Evidence>,
    pub tag_lists: Vec<TagList>,
    pub inputs: Vec<Input>,
    pub notes: Vec<String>,
}

impl Builder {
    /// A resource given as JSON.
    pub fn resource(&mut self, id: ArmId, resource_type: &str, captured: Option<Arc<str>>, json: Value) {
        self.entries.push(ResourceEntry {
            id,
            resource_type: resource_type.to_ascii_lowercase().into(),
            captured,
            body: Body::Json(Arc::new(json)),
        });
    }

    /// A resource given as the text of its JSON; its type is that of its id.
    pub fn text(&mut self, id: ArmId, text: Vec<u8>) {
        let body = Body::Text { from: 0, to: text.len(), text: Arc::new(text) };
        let resource_type = id.resource_type().unwrap_or_default().into();
        self.entries.push(ResourceEntry { id, resource_type, captured: None, body });
    }

    /// The snapshot: one resource an id, gaps applied to completeness, management groups known.
    pub fn finish(mut self) -> Snapshot {
        self.entries.sort_by(|a, b| a.id.cmp(&b.id));
        let (entries, conflicts) = unique(self.entries);
        let mut by_type: BTreeMap<Arc<str>, Vec<ResourceIx>> = BTreeMap::new();
        for (i, entry) in entries.iter().enumerate() {
            let Ok(n) = u32::try_from(i) else { break };
            match by_type.get_mut(&entry.resource_type) {
                Some(list) => list.push(ResourceIx(n)),
                None => {
                    by_type.insert(Arc::clone(&entry.resource_type), vec![ResourceIx(n)]);
                }
            }
        }
        let mut snapshot = Snapshot {
            entries,
            by_type,
            complete: self.complete,
            gaps: Vec::new(),
            evidence: self.evidence,
            tag_lists: self.tag_lists,
            inputs: self.inputs,
            notes: self.notes,
            conflicts,
        };
        hierarchy::find(&mut snapshot);
        for gap in self.gaps {
            if apply(&gap, &mut snapshot) {
                snapshot.gaps.push(gap);
            }
        }
        snapshot
    }
}

/// Takes what the gap is about out of completeness. False when there is no gap after all: the resource that could not
/// be read in one input is whole in another.
fn apply(gap: &Gap, snapshot: &mut Snapshot) -> bool {
    let Some(scope) = gap.scope.as_deref().or(gap.resource.as_deref()) else { return true };
    let id = ArmId::new(scope);
    let own_type = id.resource_type();
    if gap.scope.is_none()
        && snapshot.find(id.folded()).is_some()
        && gap.types.iter().all(|t| Some(t.to_ascii_lowercase()) == own_type)
    {
        // About an operation on the resource, or a part of it: worth telling, but the resource is there.
        let asked = gap.operation.as_deref().map(str::to_ascii_lowercase);
        let reading = matches!(asked.as_deref(), None | Some("get" | "list" | "read"));
        return gap.pointer.is_some() || !reading;
    }
    take_out(gap, &mut snapshot.complete);
    true
}

/// Takes what a gap is about out of completeness.
pub(crate) fn take_out(gap: &Gap, complete: &mut Complete) {
    let Some(scope) = gap.scope.as_deref().or(gap.resource.as_deref()) else { return };
    let all = || vec!["*".to_owned()];
    let types = match (gap.types.is_empty(), gap.scope.is_none()) {
        (false, _) => gap.types.clone(),
        (true, true) => ArmId::new(scope).resource_type().map_or_else(all, |t| vec![t]),
        (true, false) => all(),
    };
    for resource_type in types {
        complete.gap(scope, &resource_type);
    }
}

/// One entry an id: the newest capture, or what several of unknown order say together (CONTRACT §1).
fn unique(sorted: Vec<ResourceEntry>) -> (Vec<ResourceEntry>, Vec<Conflict>) {
    let mut out: Vec<ResourceEntry> = Vec::with_capacity(sorted.len());
    let mut conflicts = Vec::new();
    let mut types: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
    for mut entry in sorted {
        // One text for each type, not one for each resource.
        let known = types.entry(Arc::clone(&entry.resource_type));
        entry.resource_type = Arc::clone(known.or_insert_with(|| Arc::clone(&entry.resource_type)));
        match out.last_mut() {
            Some(last) if last.id == entry.id => join(last, entry, &mut conflicts),
            _ => out.push(entry),
        }
    }
    (out, conflicts)
}

fn join(first: &mut ResourceEntry, second: ResourceEntry, conflicts: &mut Vec<Conflict>) {
    match newer(first.captured.as_deref(), second.captured.as_deref()) {
        Some(Ordering::Less) => {
            conflicts.retain(|c| c.id != first.id);
            *first = second;
        }
        Some(Ordering::Greater) => {}
        Some(Ordering::Equal) | None => {
            if same_text(&first.body, &second.body) {
                return;
            }
            let json =
                merge(&first.id, first.body.parse(&first.id), &second.body.parse(&second.id), conflicts);
            first.body = Body::Json(Arc::new(json));
        }
    }
}

fn same_text(first: &Body, second: &Body) -> bool {
    let text = |body: &Body| match body {
        Body::Text { text, from, to } => Some((Arc::clone(text), *from..*to)),
        Body::Json(_) | Body::Edited => None,
    };
    match (text(first), text(second)) {
        (Some((a, x)), Some((b, y))) => a.get(x) == b.get(y),
        _ => false,
    }
}
