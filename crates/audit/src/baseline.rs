//! Disproofs that an earlier report holds already: they do not fail the run again.

use std::collections::{BTreeMap, BTreeSet};

use pullproof_snapshot::question::VerdictWord;
use serde_json::Value;

use crate::model::{Audit, Reached, Report};

/// Marks an audit as suppressed exactly when the earlier report has it disproven by (at least) the same actual
/// blockers.
pub fn apply(report: &mut Report, earlier: &Value) {
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for audit in earlier["audits"].as_array().into_iter().flatten() {
        let ids = audit["claims"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|c| c["verdict"] == "disproven")
            .flat_map(|c| {
                c["blockers"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter(|b| b["reach"] == "actual")
                    .filter_map(|b| b["id"].as_str())
            });
        if let Some(id) = audit["id"].as_str() {
            known.entry(id).or_default().extend(ids);
        }
    }
    for audit in report.audits.iter_mut().filter(|a| a.verdict == VerdictWord::Disproven) {
        let ours = actual_blockers(audit);
        if let Some(earlier) = known.get(audit.id.as_str())
            && !ours.is_empty()
            && ours.iter().all(|id| earlier.contains(id.as_str()))
        {
            audit.suppressed = true;
        }
    }
}

/// The ids of the actual blockers of an audit's disproven claims.
pub fn actual_blockers(audit: &Audit) -> BTreeSet<String> {
    audit
        .claims
        .iter()
        .filter(|c| c.verdict == VerdictWord::Disproven)
        .flat_map(|c| &c.blockers)
        .filter(|b| b.reach == Reached::Actual)
        .map(|b| b.id.clone())
        .collect()
}
