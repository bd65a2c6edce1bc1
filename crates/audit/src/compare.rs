//! Two reports of one estate: what a change breaks, opens, mends or leaves.

use std::collections::BTreeMap;

use pullproof_snapshot::question::VerdictWord;
use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Audit, Report};

/// What becomes of one audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    NewlyDisproven,
    NewlyUndetermined,
    Fixed,
    Unchanged,
    /// Its cluster, pool, subnet or registry is gone afterwards.
    Gone,
}

/// One audit before and after.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Change {
    /// The audit's id, the same in both reports.
    pub audit: String,
    pub cluster: String,
    pub node_pool: String,
    pub subnet: String,
    pub registry: String,
    /// Absent: it was not there.
    pub before: Option<VerdictWord>,
    pub after: Option<VerdictWord>,
    pub fate: Fate,
}

impl Change {
    /// The change made it worse, or brought something that is not proven.
    pub fn is_worse(&self) -> bool {
        matches!(self.fate, Fate::NewlyDisproven | Fate::NewlyUndetermined)
    }
}

/// Every audit of either report, in the order of the reports.
pub fn compare(before: &Report, after: &Report) -> Vec<Change> {
    let old: BTreeMap<&str, &Audit> = before.audits.iter().map(|a| (a.id.as_str(), a)).collect();
    let new: BTreeMap<&str, &Audit> = after.audits.iter().map(|a| (a.id.as_str(), a)).collect();
    let mut out: Vec<Change> = after
        .audits
        .iter()
        .map(|audit| change(audit, old.get(audit.id.as_str()).map(|a| a.verdict), Some(audit.verdict)))
        .collect();
    let gone = before.audits.iter().filter(|a| !new.contains_key(a.id.as_str()));
    out.extend(gone.map(|audit| change(audit, Some(audit.verdict), None)));
    out
}

fn change(audit: &Audit, before: Option<VerdictWord>, after: Option<VerdictWord>) -> Change {
    Change {
        audit: audit.id.clone(),
        cluster: audit.cluster.clone(),
        node_pool: audit.node_pool.clone(),
        subnet: audit.subnet.clone(),
        registry: audit.registry.clone(),
        before,
        after,
        fate: fate(before, after),
    }
}

/// Disproven from anything else is newly disproven; undetermined from proven or from nothing newly undetermined; proven
/// from anything but proven, and undetermined from disproven, is no news of a fault.
fn fate(before: Option<VerdictWord>, after: Option<VerdictWord>) -> Fate {
    use VerdictWord::{Disproven, Proven, Undetermined};
    match (before, after) {
        (_, None) => Fate::Gone,
        (Some(Disproven), Some(Disproven)) => Fate::Unchanged,
        (_, Some(Disproven)) => Fate::NewlyDisproven,
        (Some(Undetermined), Some(Undetermined)) => Fate::Unchanged,
        (Some(Disproven), Some(Undetermined)) => Fate::Unchanged,
        (Some(Proven) | None, Some(Undetermined)) => Fate::NewlyUndetermined,
        (Some(Disproven | Undetermined), Some(Proven)) => Fate::Fixed,
        (Some(Proven) | None, Some(Proven)) => Fate::Unchanged,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_gets_worse_is_news() {
        use VerdictWord::{Disproven, Proven, Undetermined};
        assert_eq!(fate(None, Some(Disproven)), Fate::NewlyDisproven);
        assert_eq!(fate(Some(Undetermined), Some(Disproven)), Fate::NewlyDisproven);
        assert_eq!(fate(Some(Disproven), Some(Disproven)), Fate::Unchanged);
        assert_eq!(fate(Some(Proven), Some(Undetermined)), Fate::NewlyUndetermined);
        assert_eq!(fate(Some(Disproven), Some(Proven)), Fate::Fixed);
        assert_eq!(fate(Some(Proven), None), Fate::Gone);
    }
}
