//! Claims that the input as a whole leaves open: a plan that is not complete, a resource in it that is not modelled.

use pullproof_snapshot::question::{MissingKind, VerdictWord};

use crate::claims;
use crate::model::{Cause, CauseAudit, CauseType, Layer, MissingOut, Reached, Report, Summary};
use crate::stable;

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cap {
    /// Claims of these layers; empty: all.
    pub layers: Vec<Layer>,
    pub kind: MissingKind,
    pub what: String,
    pub why: String,
    pub remedy: String,
}

impl Cap {
    fn covers(&self, layer: Layer) -> bool {
        self.layers.is_empty() || self.layers.contains(&layer)
    }

    fn missing(&self) -> MissingOut {
        MissingOut {
            id: stable::id("m-", &["cap", &self.what, &self.why]),
            kind: self.kind,
            what: self.what.clone(),
            why: self.why.clone(),
            remedy: self.remedy.clone(),
            holds_if: None,
            breaks_if: None,
        }
    }
}

/// Makes every claim that a cap covers undetermined, and the audits with them.
pub fn apply(report: &mut Report, caps: &[Cap]) {
    if caps.is_empty() {
        return;
    }
    report.summary = Summary::default();
    for audit in &mut report.audits {
        for claim in &mut audit.claims {
            let own = claim.aspect.unwrap_or(claim.layer);
            let over: Vec<&Cap> = caps.iter().filter(|cap| cap.covers(own)).collect();
            if over.is_empty() {
                continue;
            }
            // What it was found to be is worked out again below.
            claim.layer = own;
            claim.aspect = None;
            claim.verdict = VerdictWord::Undetermined;
            claim.extent = None;
            claim.fails_for = None;
            claim.holds_for = None;
            claim.blockers.clear();
            claim.counterexample = None;
            claim.proof = None;
            for cap in over {
                let missing = cap.missing();
                if !claim.missing.contains(&missing) {
                    claim.missing.push(missing);
                }
            }
        }
        claims::layers(&mut audit.claims);
        (audit.verdict, audit.first_failing_layer, audit.extent) = claims::verdict(&audit.claims);
        match audit.verdict {
            VerdictWord::Proven => report.summary.proven += 1,
            VerdictWord::Disproven => report.summary.disproven += 1,
            VerdictWord::Undetermined => report.summary.undetermined += 1,
        }
    }
    causes(report, caps);
}

/// Causes that no claim holds any more go; each cap is one.
fn causes(report: &mut Report, caps: &[Cap]) {
    let held = |audit: &str, cause: &str| {
        report.audits.iter().filter(|a| a.id == audit).flat_map(|a| &a.claims).any(|claim| {
            claim.blockers.iter().any(|b| b.id == cause) || claim.missing.iter().any(|m| m.id == cause)
        })
    };
    let mut kept = Vec::new();
    for mut cause in std::mem::take(&mut report.causes) {
        if cause.of != CauseType::Remark {
            let id = cause.id.clone();
            cause.audits.retain(|audit| held(&audit.id, &id));
        }
        if !cause.audits.is_empty() {
            kept.push(cause);
        }
    }
    for cap in caps {
        let missing = cap.missing();
        let audits: Vec<CauseAudit> = report
            .audits
            .iter()
            .filter(|audit| audit.claims.iter().any(|claim| claim.missing.contains(&missing)))
            .map(|audit| CauseAudit {
                id: audit.id.clone(),
                cluster: audit.cluster.clone(),
                node_pool: audit.node_pool.clone(),
                registry: audit.registry.clone(),
            })
            .collect();
        if audits.is_empty() || kept.iter().any(|cause: &Cause| cause.id == missing.id) {
            continue;
        }
        let kind = serde_json::to_value(missing.kind).ok().and_then(|v| v.as_str().map(str::to_owned));
        kept.push(Cause {
            id: missing.id,
            of: CauseType::Missing,
            kind: kind.unwrap_or_default(),
            message: missing.what,
            remedy: missing.remedy,
            layer: cap.layers.first().copied(),
            owner: None,
            reach: Some(Reached::Actual),
            facts: Vec::new(),
            evidence: Vec::new(),
            audits,
        });
    }
    kept.sort_by(|a, b| a.id.cmp(&b.id));
    report.causes = kept;
}
