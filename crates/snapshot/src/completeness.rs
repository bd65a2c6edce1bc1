//! Whether absence is evidence: completeness per (scope, resource type) (CONTRACT §1).

use std::collections::{BTreeMap, BTreeSet};

use crate::children;
use crate::id::{ArmId, fold};

/// What the absence of a resource says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// The type is completely read in the scope: nothing is there. The assumption is named where completeness was
    /// assumed, not stated (`input-complete`).
    Evidence { assumption: Option<&'static str> },
    /// Nothing follows from absence; the text says what was not read.
    NoEvidence(String),
}

impl Absence {
    pub fn is_evidence(&self) -> bool {
        matches!(self, Self::Evidence { .. })
    }
}

/// The assumption under which a header-less array of mixed types counts as complete.
pub const INPUT_COMPLETE: &str = "input-complete";

/// Every type.
const ALL: &str = "*";
/// Every type that the table `resources` of Resource Graph holds.
const ALL_OF_GRAPH: &str = "*graph";
/// Types that are in other tables of Resource Graph, or in none (D34).
const NOT_OF_GRAPH: &[&str] = &[
    "microsoft.authorization/",
    "microsoft.resources/",
    "microsoft.management/",
    "microsoft.network/privatednszones/a",
    "microsoft.network/privatednszones/cname",
    "microsoft.network/privatednszones/mx",
    "microsoft.network/privatednszones/ptr",
    "microsoft.network/privatednszones/s",
    "microsoft.network/privatednszones/txt",
];
/// Types whose resources are inherited from the scopes above.
const INHERITED: &str = "microsoft.authorization/";
const MANAGEMENT_GROUP: &str = "/providers/microsoft.management/managementgroups/";

/// Which (scope, type) pairs are completely read.
#[derive(Clone, Debug, Default)]
pub struct Complete {
    /// Folded scope → folded types, or `*`. The flag: stated (false: assumed).
    by_scope: BTreeMap<String, BTreeMap<String, bool>>,
    /// Folded type or `*` → folded scopes that a gap takes out again.
    holes: BTreeMap<String, BTreeSet<String>>,
    /// Folded subscription scope → folded scopes above it: management groups and the tenant.
    above: BTreeMap<String, BTreeSet<String>>,
}

/// One thing that a file says about its own completeness.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    scope: String,
    types: Vec<String>,
    stated: bool,
}

impl Statement {
    pub fn stated<'a>(scope: &str, types: impl IntoIterator<Item = &'a str>) -> Self {
        Self { scope: scope.into(), types: types.into_iter().map(str::to_owned).collect(), stated: true }
    }

    pub fn one_type(scope: &str, resource_type: &str) -> Self {
        Self::stated(scope, [resource_type])
    }

    pub fn itself(id: &ArmId, resource_type: &str) -> Self {
        Self::stated(id.folded(), [resource_type])
    }

    pub fn assumed(scope: &str) -> Self {
        Self { scope: scope.into(), types: vec![ALL.into()], stated: false }
    }

    /// An answer of Resource Graph that holds `types`.
    pub fn assumed_of_graph(scope: &str, types: &BTreeSet<String>) -> Self {
        let others = types.iter().filter(|t| !in_graph(t)).cloned();
        Self { scope: scope.into(), types: others.chain([ALL_OF_GRAPH.to_owned()]).collect(), stated: false }
    }
}

fn in_graph(folded_type: &str) -> bool {
    !NOT_OF_GRAPH.iter().any(|prefix| folded_type.starts_with(prefix))
}

impl Complete {
    pub fn state(&mut self, scope: &str, resource_type: &str, stated: bool) {
        let entry = self.by_scope.entry(fold(scope)).or_default();
        let known = entry.entry(resource_type.to_ascii_lowercase()).or_insert(stated);
        *known |= stated;
    }

    pub(crate) fn add(&mut self, statement: &Statement) {
        for resource_type in &statement.types {
            self.state(&statement.scope, resource_type, statement.stated);
        }
    }

    /// Takes (scope, type) out again; `*` for every type. A type takes the types below it with it.
    pub fn gap(&mut self, scope: &str, resource_type: &str) {
        self.holes.entry(resource_type.to_ascii_lowercase()).or_default().insert(fold(scope));
    }

    /// Says that `above` (a management group or tenant) lies above a subscription.
    pub(crate) fn is_above(&mut self, subscription: &str, above: &str) {
        self.above.entry(fold(subscription)).or_default().insert(fold(above));
    }

    /// The folded scopes known to lie above a subscription: management groups and the tenant. Not `/`.
    pub fn scopes_above(&self, subscription: &str) -> impl Iterator<Item = &str> {
        self.above.get(&fold(subscription)).into_iter().flatten().map(String::as_str)
    }

    /// See [`Absence`]. `scope` may be any ARM id: it counts as covered when itself or any scope above it is complete
    /// for the type and no gap in, at or above it takes the type out.
    ///
    /// A type whose resources ARM returns inside their parents is complete where the parent's type is. For
    /// `Microsoft.Authorization/*` a complete subscription covers what it inherits: `/` and its management groups.
    pub fn absence(&self, scope: &str, resource_type: &str) -> Absence {
        let scope = fold(scope);
        let wanted = resource_type.to_ascii_lowercase();
        let covering = self.covering(&scope);
        if let Some((at, what)) = self.hole(&scope, &covering, &wanted) {
            return Absence::NoEvidence(format!("{what} in {at} could not be read"));
        }
        let mut known = self.complete_in(&covering, &wanted);
        if known.is_none()
            && let Some((parent, _)) = wanted.rsplit_once('/')
            && children::comes_with_parent(&wanted)
        {
            known = self.complete_in(&covering, parent);
        }
        if known.is_none() && wanted.starts_with(INHERITED) {
            known = self.below(&scope).filter_map(|s| self.complete_in(&self.covering(s), &wanted)).max();
        }
        match known {
            Some(true) => Absence::Evidence { assumption: None },
            Some(false) => Absence::Evidence { assumption: Some(INPUT_COMPLETE) },
            None => Absence::NoEvidence(format!("{resource_type} was not completely read in {scope}")),
        }
    }

    /// `scope` itself and every scope above it.
    fn covering<'a>(&'a self, scope: &'a str) -> Vec<&'a str> {
        let mut out = vec!["/"];
        out.extend(scope.match_indices('/').filter_map(|(i, _)| scope.get(..i)).filter(|s| !s.is_empty()));
        if scope != "/" {
            out.push(scope);
        }
        if let Some(subscription) = subscription_scope(scope) {
            out.extend(self.above.get(subscription).into_iter().flatten().map(String::as_str));
        }
        out
    }

    /// Subscriptions that inherit from `scope`, where it is `/` or a management group.
    fn below<'a>(&'a self, scope: &'a str) -> impl Iterator<Item = &'a str> {
        let subscriptions = self.by_scope.keys().filter(|s| subscription_scope(s) == Some(s.as_str()));
        subscriptions.map(String::as_str).filter(move |s| {
            scope == "/"
                || (scope.starts_with(MANAGEMENT_GROUP)
                    && self.above.get(*s).is_some_and(|above| above.contains(scope)))
        })
    }

    /// Whether the type is complete by one of the scopes: `Some(true)` stated, `Some(false)` assumed.
    fn complete_in(&self, covering: &[&str], wanted: &str) -> Option<bool> {
        let by_scope = covering.iter().filter_map(|scope| self.by_scope.get(*scope));
        by_scope
            .filter_map(|types| {
                let graph = types.get(ALL_OF_GRAPH).filter(|_| in_graph(wanted));
                [types.get(wanted), types.get(ALL), graph].into_iter().flatten().copied().max()
            })
            .max()
    }

    /// The gap that takes the type out at or above `covering`, or below `scope`.
    fn hole<'a>(&'a self, scope: &str, covering: &[&str], wanted: &str) -> Option<(&'a str, &'a str)> {
        let mut keys = vec![ALL, wanted];
        keys.extend(wanted.match_indices('/').skip(1).filter_map(|(i, _)| wanted.get(..i)));
        for key in keys {
            let Some((name, scopes)) = self.holes.get_key_value(key) else { continue };
            let above = covering.iter().find_map(|s| scopes.get(*s));
            let prefix = if scope == "/" { "/".to_owned() } else { format!("{scope}/") };
            let below = || scopes.range(prefix.clone()..).next().filter(|s| s.starts_with(&prefix));
            if let Some(at) = above.or_else(below) {
                return Some((at, if name == ALL { "resources" } else { name }));
            }
        }
        None
    }

    /// The scopes (folded) that are complete for a type.
    pub fn scopes(&self, resource_type: &str) -> Vec<&str> {
        let wanted = resource_type.to_ascii_lowercase();
        self.by_scope
            .keys()
            .filter(|scope| self.complete_in(&[scope.as_str()], &wanted).is_some())
            .map(String::as_str)
            .collect()
    }
}

/// `/subscriptions/<id>` of a folded scope at or below a subscription.
fn subscription_scope(scope: &str) -> Option<&str> {
    let rest = scope.strip_prefix("/subscriptions/")?;
    let length = rest.find('/').unwrap_or(rest.len());
    scope.get(.."/subscriptions/".len().checked_add(length)?)
}
