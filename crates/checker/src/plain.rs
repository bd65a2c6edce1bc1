//! What the plain evaluator works on: the raw JSON of a layered snapshot and the declared facts.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, OnceLock};

use pullproof_snapshot::question::Missing;
use pullproof_snapshot::{Absence, ArmId, Declared, Layered, ResourceIx};
use serde_json::Value;

use crate::index::Index;
use crate::kept::Kept;
use crate::lookup::links::Links;
use crate::missing;
use crate::nsg::Group;
use crate::resources::unread_beside;
use crate::routes::Effective;
use crate::sources::Edges;

/// Raw JSON, parsed once a resource.
pub struct Plain {
    pub layered: Layered,
    pub declared: Declared,
    /// Every assumption is an unknown (`--strict`).
    pub strict: bool,
    parsed: Kept<ResourceIx, Arc<Value>>,
    pub(crate) groups: Kept<ArmId, Result<Arc<Group>, Missing>>,
    index: OnceLock<Index>,
    links: OnceLock<Links>,
    edges: OnceLock<Edges>,
    pub(crate) effective: Mutex<HashMap<ArmId, Arc<Effective>>>,
}

/// Values that are kept parsed, and rules of NSGs that are kept read.
const PARSED: usize = 120_000;
const RULES: usize = 20_000;

/// How many values there are in one.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(size).sum::<usize>().saturating_add(1),
        Value::Object(fields) => fields.values().map(size).sum::<usize>().saturating_add(1),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

impl Plain {
    pub fn new(layered: Layered, declared: Declared) -> Self {
        Self {
            layered,
            declared,
            strict: false,
            parsed: Kept::new(PARSED, |json| size(json)),
            groups: Kept::new(RULES, |group| group.as_ref().map_or(1, |group| group.len())),
            index: OnceLock::new(),
            links: OnceLock::new(),
            edges: OnceLock::new(),
            effective: Mutex::default(),
        }
    }

    /// The JSON of a resource, kept for a while.
    pub fn json(&self, ix: ResourceIx) -> Arc<Value> {
        self.parsed.get(&ix, || self.layered.json(ix))
    }

    /// Who owns which address, and which subnets there are; built on first use.
    pub(crate) fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::build(self))
    }

    /// What is linked to which virtual network; built on first use.
    pub(crate) fn links(&self) -> &Links {
        self.links.get_or_init(|| Links::build(self))
    }

    /// Where rules and routes cut address space; collected on first use.
    pub(crate) fn edges(&self) -> &Edges {
        self.edges.get_or_init(|| Edges::collect(self))
    }

    /// The JSON of a resource that something refers to.
    ///
    /// # Errors
    /// It is not in the snapshot: a reference to what was not read is unknown, whatever the completeness.
    pub(crate) fn read(&self, id: &ArmId) -> Result<(ResourceIx, Arc<Value>), Missing> {
        match self.layered.find(id.folded()) {
            Some(ix) => Ok((ix, self.json(ix))),
            None => Err(missing::resource(id)),
        }
    }

    /// `Ok` exactly when the absence of resources of a type in `scope` is evidence that there are none.
    ///
    /// # Errors
    /// What was not read.
    pub(crate) fn none_elsewhere(&self, scope: &ArmId, resource_type: &str) -> Result<(), Missing> {
        match self.layered.absence(scope.folded(), resource_type) {
            Absence::Evidence { assumption: Some(assumption) } if self.strict => Err(missing::unread(
                resource_type,
                format!("rests on the assumption {assumption}, and assumptions are not accepted"),
            )),
            Absence::Evidence { .. } => match unread_beside(self, scope, resource_type) {
                None => Ok(()),
                Some(missing) => Err(missing),
            },
            Absence::NoEvidence(why) => Err(missing::unread(resource_type, why)),
        }
    }
}

/// Where a packet starts: a machine (or a node that could be created) in a subnet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The subnet's ARM id.
    pub subnet: ArmId,
    pub address: IpAddr,
    /// The NIC, where an existing machine is meant.
    pub nic: Option<ArmId>,
    /// The node pool, where a node is meant: its NIC-level NSG, ASGs, resolver and egress apply.
    pub pool: Option<Pool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pool {
    pub cluster: ArmId,
    pub name: String,
}
