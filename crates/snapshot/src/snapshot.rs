//! A snapshot: the text of every resource as it was read, indexed by id, type and parent.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::completeness::{Absence, Complete};
use crate::evidence::Evidence;
use crate::gap::Gap;
use crate::id::{ArmId, fold};
use crate::merge::{Conflict, newer};
use crate::place::ResourceIx;

/// One file of the input, for the report.
#[derive(schemars::JsonSchema, Clone, Debug, Default, serde::Serialize)]
pub struct Input {
    pub file: String,
    pub sha256: String,
    pub captured_to: Option<String>,
    pub complete: bool,
}

/// A resource as the index knows it.
#[derive(Clone)]
pub struct ResourceEntry {
    pub id: ArmId,
    /// Folded.
    pub resource_type: Arc<str>,
    /// When its file was captured (RFC 3339), where the file says so.
    pub captured: Option<Arc<str>>,
    pub(crate) body: Body,
}

/// Where a resource's JSON is.
#[derive(Clone)]
pub(crate) enum Body {
    /// A slice of an input's text.
    Text { text: Arc<Vec<u8>>, from: usize, to: usize },
    /// JSON that had to be changed on reading (flattened, merged).
    Json(Arc<Value>),
    /// In the edits of a layer.
    Edited,
}

impl Body {
    /// The JSON. Text that serde accepts as a whole but not as values (a number out of range, half a surrogate pair)
    /// becomes a resource of which nothing but the id is known.
    pub(crate) fn parse(&self, id: &ArmId) -> Value {
        match self {
            Self::Json(json) => (**json).clone(),
            Self::Text { text, from, to } => {
                let slice = text.get(*from..*to).unwrap_or_default();
                serde_json::from_slice(slice).unwrap_or_else(|error| {
                    let name = format!("unreadable:{}", id.folded());
                    let unknown = crate::hole::make(&name, &format!("not JSON that can be held: {error}"));
                    serde_json::json!({ "id": id.as_written(), "name": id.name(), "properties": unknown })
                })
            }
            Self::Edited => Value::Null,
        }
    }
}

impl ResourceEntry {
    pub(crate) fn edited(id: ArmId) -> Self {
        let resource_type = id.resource_type().unwrap_or_default().into();
        Self { id, resource_type, captured: None, body: Body::Edited }
    }

    pub(crate) fn nothing() -> &'static Self {
        static NOTHING: std::sync::LazyLock<ResourceEntry> =
            std::sync::LazyLock::new(|| ResourceEntry::edited(ArmId::new("")));
        &NOTHING
    }
}

/// A list of service tags in Microsoft's published form, or as the `serviceTags` API answers (F74, F77).
#[derive(Clone, Debug)]
pub struct TagList {
    pub file: String,
    pub cloud: String,
    /// Text, since the API gives a string and the file a number.
    pub change_number: String,
    /// Tag name as published → prefixes (IPv4 and IPv6 mixed).
    pub tags: BTreeMap<String, Vec<String>>,
}

/// Everything that was read. Immutable once built.
#[derive(Default)]
pub struct Snapshot {
    /// In order of folded id, no id twice.
    pub(crate) entries: Vec<ResourceEntry>,
    pub(crate) by_type: BTreeMap<Arc<str>, Vec<ResourceIx>>,
    pub(crate) complete: Complete,
    pub(crate) gaps: Vec<Gap>,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) tag_lists: Vec<TagList>,
    pub(crate) inputs: Vec<Input>,
    pub(crate) notes: Vec<String>,
    pub(crate) conflicts: Vec<Conflict>,
}

impl Snapshot {
    /// Every resource, in order of folded id.
    pub fn all(&self) -> impl Iterator<Item = ResourceIx> + '_ {
        (0..self.entries.len()).filter_map(|i| u32::try_from(i).ok()).map(ResourceIx)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn entry(&self, ix: ResourceIx) -> &ResourceEntry {
        self.entries.get(ix.0 as usize).unwrap_or(ResourceEntry::nothing())
    }

    /// The number of the i-th resource that exists only in the edits of a layer.
    pub(crate) fn added_ix(&self, i: usize) -> ResourceIx {
        ResourceIx(u32::try_from(self.entries.len().saturating_add(i)).unwrap_or(u32::MAX))
    }

    pub(crate) fn added_index(&self, ix: ResourceIx) -> Option<usize> {
        (ix.0 as usize).checked_sub(self.entries.len())
    }

    pub(crate) fn find(&self, folded: &str) -> Option<ResourceIx> {
        let i = self.entries.binary_search_by(|entry| entry.id.folded().cmp(folded)).ok()?;
        u32::try_from(i).ok().map(ResourceIx)
    }

    pub(crate) fn of_type(&self, folded: &str) -> &[ResourceIx] {
        self.by_type.get(folded).map_or(&[], Vec::as_slice)
    }

    /// The resources of a type whose id is `<folded parent>/<collection>/<name>`, in order of id.
    pub(crate) fn children_of(&self, folded_parent: &str, folded_type: &str) -> Vec<ResourceIx> {
        let prefix = format!("{folded_parent}/");
        let folded = |ix: &ResourceIx| self.entry(*ix).id.folded();
        // Those of a type stand in order of id: what is below one parent is one run.
        let all = self.of_type(folded_type);
        let from = all.partition_point(|ix| folded(ix) < prefix.as_str());
        let below = all.get(from..).unwrap_or_default().iter();
        below
            .map_while(|ix| Some((*ix, folded(ix).strip_prefix(&prefix)?)))
            .filter(|(_, rest)| !rest.starts_with("providers/") && rest.split('/').count() == 2)
            .map(|(ix, _)| ix)
            .collect()
    }

    pub(crate) fn json(&self, ix: ResourceIx) -> Arc<Value> {
        match &self.entry(ix).body {
            Body::Json(json) => Arc::clone(json),
            body @ Body::Text { .. } => Arc::new(body.parse(&self.entry(ix).id)),
            Body::Edited => Arc::new(Value::Null),
        }
    }

    /// The text of a resource that was taken as it was read.
    pub(crate) fn text(&self, ix: ResourceIx) -> Option<&[u8]> {
        match &self.entry(ix).body {
            Body::Text { text, from, to } => text.get(*from..*to),
            Body::Json(_) | Body::Edited => None,
        }
    }

    /// The value at a pointer, without parsing the whole resource where its text can be read in place.
    pub(crate) fn value_at(&self, ix: ResourceIx, pointer: &str) -> Option<Value> {
        match &self.entry(ix).body {
            Body::Json(json) => json.pointer(pointer).cloned(),
            Body::Text { text, from, to } => crate::seek::seek(text.get(*from..*to)?, pointer),
            Body::Edited => None,
        }
    }

    pub fn absence(&self, scope: &str, resource_type: &str) -> Absence {
        self.complete.absence(scope, resource_type)
    }

    /// All gaps, and what is completely read, with further gaps.
    pub(crate) fn with_gaps(&self, more: Vec<Gap>) -> (Vec<Gap>, Complete) {
        let mut complete = self.complete.clone();
        let mut gaps = self.gaps.clone();
        for gap in more {
            crate::builder::take_out(&gap, &mut complete);
            gaps.push(gap);
        }
        (gaps, complete)
    }

    pub fn complete(&self) -> &Complete {
        &self.complete
    }

    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Every recorded answer, in the order of the input.
    pub fn all_evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    pub fn evidence(&self, resource: &str, operation: &str) -> Vec<&Evidence> {
        let folded = fold(resource);
        self.evidence
            .iter()
            .filter(|e| e.resource.folded() == folded && e.operation.eq_ignore_ascii_case(operation))
            .collect()
    }

    pub fn tag_lists(&self) -> &[TagList] {
        &self.tag_lists
    }

    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Fields in which two captures of one resource differ, where neither is known to be the newer one; in order of
    /// id. Inline and standalone forms of a child: [`crate::Layered::conflicts`].
    pub fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }

    /// The folded management groups and tenant known to lie above a subscription (id or scope) (A305).
    pub fn scopes_above(&self, subscription: &str) -> Vec<&str> {
        let scope = if subscription.starts_with('/') {
            subscription.to_owned()
        } else {
            format!("/subscriptions/{subscription}")
        };
        self.complete.scopes_above(&scope).collect()
    }

    /// The newest `captured_to` of the inputs, as written: the date against which `expires` is held (CONTRACT §2).
    /// `None` where no input says when it was captured.
    pub fn captured_to(&self) -> Option<&str> {
        let known = self.inputs.iter().filter_map(|input| input.captured_to.as_deref());
        known.reduce(|a, b| if newer(Some(a), Some(b)) == Some(std::cmp::Ordering::Less) { b } else { a })
    }

    /// Remarks on the input that are no gaps: skipped files, folded duplicates.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}
