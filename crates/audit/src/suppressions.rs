//! Suppressions that no longer do what somebody meant: causes like any other, so that rules tell them.

use crate::model::{Audit, Cause, CauseAudit, CauseType, Report};
use crate::stable;

/// A suppression whose `expires` has come: what it covered counts again. `name` is `RULE` or `RULE at RESOURCE`.
pub fn expired(report: &Report, place: &str, name: &str, expires: &str) -> Cause {
    Cause {
        kind: "suppression-expired".to_owned(),
        message: format!("the suppression of {name} has expired ({expires}) and covers nothing"),
        remedy: format!("mend what it covered, or take a new decision and a new date ({place})"),
        ..empty(report, "suppression-expired", place)
    }
}

/// A suppression that covers no finding: `why` says what it is short of.
pub fn unmatched(report: &Report, place: &str, name: &str, why: &str) -> Cause {
    Cause {
        kind: "suppression-unmatched".to_owned(),
        message: format!("the suppression of {name} covers nothing: {why}"),
        remedy: format!("remove it ({place}): it would cover something else tomorrow"),
        ..empty(report, "suppression-unmatched", place)
    }
}

/// About every audit of the report: which of them it was meant for is not known.
fn empty(report: &Report, kind: &str, place: &str) -> Cause {
    let audit = |a: &Audit| CauseAudit {
        id: a.id.clone(),
        cluster: a.cluster.clone(),
        node_pool: a.node_pool.clone(),
        registry: a.registry.clone(),
    };
    Cause {
        id: stable::id("r-", &[kind, place]),
        of: CauseType::Remark,
        kind: String::new(),
        message: String::new(),
        remedy: String::new(),
        layer: None,
        owner: None,
        reach: None,
        facts: Vec::new(),
        evidence: Vec::new(),
        audits: report.audits.iter().map(audit).collect(),
    }
}
