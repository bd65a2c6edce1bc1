//! What everyone reads: a base snapshot with edits over it.
//!
//! A plan, a fix and `--apply-to` are all edits. Without edits this is the base itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

pub use crate::children::Child;
use crate::children::ChildList;
use crate::completeness::{Absence, Complete};
use crate::evidence::Evidence;
use crate::gap::Gap;
use crate::id::{ArmId, fold};
use crate::merge::Conflict;
use crate::place::{At, ResourceIx};
use crate::snapshot::{ResourceEntry, Snapshot, TagList};

/// One change to a base.
#[derive(Clone, Debug)]
pub enum Edit {
    /// The resource exists with exactly this JSON afterwards.
    Put { id: ArmId, json: Value },
    /// The resource does not exist afterwards.
    Delete { id: ArmId },
    /// Something exists, or may exist, that nobody can describe: its scope or resource is no longer complete for its
    /// types.
    Gap(Gap),
}

/// A base and the edits on it. Cheap to clone.
#[derive(Clone)]
pub struct Layered {
    base: Arc<Snapshot>,
    edits: Arc<BTreeMap<ResourceIx, Option<Arc<Value>>>>,
    /// Resources that exist only in the edits.
    added: Arc<Vec<ResourceEntry>>,
    /// Folded id → place in `added`.
    added_by_id: Arc<BTreeMap<Box<str>, usize>>,
    /// The base's gaps and completeness with those of the edits; `None` where these have none.
    open: Option<Arc<(Vec<Gap>, Complete)>>,
}

impl Layered {
    pub fn new(base: Arc<Snapshot>) -> Self {
        Self { base, edits: Arc::default(), added: Arc::default(), added_by_id: Arc::default(), open: None }
    }

    pub fn with_edits(base: Arc<Snapshot>, edits: Vec<Edit>) -> Self {
        Self::new(base).and(edits)
    }

    /// The same with more edits over it; of two for one resource the later one counts.
    #[must_use]
    pub fn and(&self, edits: Vec<Edit>) -> Self {
        let base = Arc::clone(&self.base);
        let mut map = (*self.edits).clone();
        let mut added = (*self.added).clone();
        let mut by_id = (*self.added_by_id).clone();
        let before = self.open.as_ref().and_then(|open| open.0.get(base.gaps().len()..));
        let mut gaps = before.unwrap_or_default().to_vec();
        for edit in edits {
            let (id, json) = match edit {
                Edit::Put { id, json } => (id, Some(Arc::new(json))),
                Edit::Delete { id } => (id, None),
                Edit::Gap(gap) => {
                    gaps.push(gap);
                    continue;
                }
            };
            let ix = base.find(id.folded()).unwrap_or_else(|| {
                let i = *by_id.entry(id.folded().into()).or_insert_with(|| {
                    added.push(ResourceEntry::edited(id.clone()));
                    added.len() - 1
                });
                base.added_ix(i)
            });
            map.insert(ix, json);
        }
        let open = (!gaps.is_empty()).then(|| Arc::new(base.with_gaps(gaps)));
        Self { base, edits: Arc::new(map), added: Arc::new(added), added_by_id: Arc::new(by_id), open }
    }

    pub fn base(&self) -> &Arc<Snapshot> {
        &self.base
    }

    /// All resources that exist, in order of folded id.
    pub fn resources(&self) -> Vec<ResourceIx> {
        let mut out: Vec<ResourceIx> = self.base.all().filter(|ix| self.exists(*ix)).collect();
        out.extend((0..self.added.len()).map(|i| self.base.added_ix(i)).filter(|ix| self.exists(*ix)));
        out.sort_by(|a, b| self.id(*a).cmp(self.id(*b)));
        out
    }

    /// The resources of a type (any letter case), in order of folded id.
    pub fn of_type(&self, resource_type: &str) -> Vec<ResourceIx> {
        let wanted = resource_type.to_ascii_lowercase();
        let mut out: Vec<ResourceIx> =
            self.base.of_type(&wanted).iter().copied().filter(|ix| self.exists(*ix)).collect();
        for (i, entry) in self.added.iter().enumerate() {
            let ix = self.base.added_ix(i);
            if *entry.resource_type == wanted && self.exists(ix) {
                out.push(ix);
            }
        }
        if !self.added.is_empty() {
            out.sort_by(|a, b| self.id(*a).cmp(self.id(*b)));
        }
        out
    }

    fn exists(&self, ix: ResourceIx) -> bool {
        self.edits.get(&ix).is_none_or(Option::is_some)
    }

    fn entry(&self, ix: ResourceIx) -> &ResourceEntry {
        match self.base.added_index(ix) {
            Some(i) => self.added.get(i).unwrap_or(ResourceEntry::nothing()),
            None => self.base.entry(ix),
        }
    }

    /// The id of a resource, as its source wrote it.
    pub fn id(&self, ix: ResourceIx) -> &ArmId {
        &self.entry(ix).id
    }

    /// The folded resource type, such as `microsoft.network/virtualnetworks`.
    pub fn resource_type(&self, ix: ResourceIx) -> &str {
        &self.entry(ix).resource_type
    }

    /// The resource with this id, letter case aside.
    pub fn find(&self, id: &str) -> Option<ResourceIx> {
        let folded = fold(id);
        self.base
            .find(&folded)
            .or_else(|| self.added_by_id.get(folded.as_str()).map(|i| self.base.added_ix(*i)))
            .filter(|ix| self.exists(*ix))
    }

    /// The resource's JSON in ARM's form. Parsed anew on every call: keep what you need. `Null` where the text is
    /// not JSON after all (a gap says so).
    pub fn json(&self, ix: ResourceIx) -> Arc<Value> {
        match self.edits.get(&ix) {
            Some(Some(json)) => Arc::clone(json),
            Some(None) => Arc::new(Value::Null),
            None => self.base.json(ix),
        }
    }

    /// The JSON text of a resource, where it is all that there is to the resource: taken as it was read, no edits over
    /// the base, and no resources of their own for what stands in its `collections`. What [`Layered::json`] and
    /// [`Layered::child_list`] say can then be read straight from it.
    pub fn whole_text(&self, ix: ResourceIx, collections: &[&str]) -> Option<&[u8]> {
        let alone = |collection: &&str| self.standalone_children(ix, collection).is_empty();
        if !self.edits.is_empty() || !collections.iter().all(alone) {
            return None;
        }
        self.base.text(ix)
    }

    /// The children of `parent` in one collection (`subnets`, `securityRules`, `agentPools` …), inline and standalone
    /// merged, in the order of the inline list and then of standalone ids. `parent_json` is `self.json(parent)`.
    pub fn children<'a>(
        &self,
        parent: ResourceIx,
        parent_json: &'a Value,
        collection: &'static str,
    ) -> Vec<Child<'a>> {
        crate::children::children(self, parent, parent_json, collection)
    }

    /// The same children, with what is known about the inline list itself.
    pub fn child_list<'a>(
        &self,
        parent: ResourceIx,
        parent_json: &'a Value,
        collection: &'static str,
    ) -> ChildList<'a> {
        crate::children::child_list(self, parent, parent_json, collection)
    }

    /// Every conflict: two captures of one resource, and inline against standalone forms of a child. Looks at every
    /// parent that has both; call it once, for the report.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let mut out = self.base.conflicts().to_vec();
        out.extend(crate::children::conflicts(self));
        out
    }

    /// When the resource's file was captured (RFC 3339), where it says so; `None` for what an edit has written.
    pub fn captured(&self, ix: ResourceIx) -> Option<&str> {
        if self.edited(ix) { None } else { self.entry(ix).captured.as_deref() }
    }

    /// True when an edit has written or deleted the resource.
    pub fn edited(&self, ix: ResourceIx) -> bool {
        self.edits.contains_key(&ix)
    }

    /// True when an edit has deleted the resource with this folded id.
    pub(crate) fn deleted(&self, folded: &str) -> bool {
        if self.edits.is_empty() {
            return false;
        }
        let ix = self.base.find(folded).or_else(|| Some(self.base.added_ix(*self.added_by_id.get(folded)?)));
        ix.is_some_and(|ix| self.edits.get(&ix).is_some_and(Option::is_none))
    }

    /// Standalone resources directly below `parent` in `collection` (folded name), in order of id.
    pub fn standalone_children(&self, parent: ResourceIx, collection: &str) -> Vec<ResourceIx> {
        let wanted = format!("{}/{}", self.resource_type(parent), collection.to_ascii_lowercase());
        let mut out: Vec<ResourceIx> = self
            .base
            .children_of(self.id(parent).folded(), &wanted)
            .into_iter()
            .filter(|ix| self.exists(*ix))
            .collect();
        for (i, entry) in self.added.iter().enumerate() {
            let ix = self.base.added_ix(i);
            if *entry.resource_type == wanted
                && self.exists(ix)
                && entry.id.parent().is_some_and(|p| p == *self.id(parent))
            {
                out.push(ix);
            }
        }
        out.sort_by(|a, b| self.id(*a).cmp(self.id(*b)));
        out
    }

    /// Whether the absence of a resource of `resource_type` in `scope` (any ARM id; its subscription or resource
    /// group is looked up) is evidence that nothing is there.
    pub fn absence(&self, scope: &str, resource_type: &str) -> Absence {
        match &self.open {
            Some(open) => open.1.absence(scope, resource_type),
            None => self.base.absence(scope, resource_type),
        }
    }

    pub fn gaps(&self) -> &[Gap] {
        self.open.as_ref().map_or_else(|| self.base.gaps(), |open| &open.0)
    }

    /// What Azure itself computed, recorded for `resource`; edits do not void it here (the reader decides).
    pub fn evidence(&self, resource: &str, operation: &str) -> Vec<&Evidence> {
        self.base.evidence(resource, operation)
    }

    pub fn tag_lists(&self) -> &[TagList] {
        self.base.tag_lists()
    }

    /// The value at a place, read back for printing. `Null` where nothing stands there.
    pub fn value_at(&self, at: &At) -> Value {
        let (ix, pointer) = (at.resource(), at.pointer());
        let found = match self.edits.get(&ix) {
            Some(Some(json)) => json.pointer(&pointer).cloned(),
            Some(None) => None,
            None => self.base.value_at(ix, &pointer),
        };
        found.unwrap_or(Value::Null)
    }
}
