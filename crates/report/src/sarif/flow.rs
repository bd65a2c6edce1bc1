//! The path of a finding, hop by hop, as a code flow.

use std::collections::BTreeMap;

use pullproof_audit::model::{Finding, Report};
use serde_json::{Value, json};

use super::limit;
use super::location::{Source, logical, plain};
use crate::deciding::{Told, told};

/// The proof to show for each cause: that of the first claim that it stands in.
pub(super) struct Flows<'r> {
    report: &'r Report,
    of_cause: BTreeMap<&'r str, &'r str>,
}

impl<'r> Flows<'r> {
    pub fn new(report: &'r Report) -> Self {
        let mut of_cause: BTreeMap<&str, &str> = BTreeMap::new();
        for claim in report.audits.iter().flat_map(|a| &a.claims) {
            let Some(proof) = claim.proof.as_deref() else { continue };
            let blockers = claim.blockers.iter().map(|b| b.id.as_str());
            for cause in blockers.chain(claim.missing.iter().map(|m| m.id.as_str())) {
                of_cause.entry(cause).or_insert(proof);
            }
        }
        Self { report, of_cause }
    }

    /// `codeFlows`: none, or one with one thread.
    pub fn of(&self, finding: &Finding, source: &Source<'_>) -> Option<Value> {
        let proofs = finding.causes.iter().filter_map(|cause| self.of_cause.get(cause.as_str()));
        let path = proofs.filter_map(|proof| self.report.proofs.get(*proof)).find_map(told)?;
        let steps: Vec<Value> = path
            .iter()
            .take(limit::STEPS)
            .enumerate()
            .map(|(i, Told { step, decides })| {
                let by = step.by.first();
                let resource = by.map_or(step.device.as_str(), |e| e.resource.as_str());
                let text = if step.text.is_empty() { step.device.as_str() } else { step.text.as_str() };
                json!({
                    "executionOrder": i + 1,
                    "importance": if *decides { "essential" } else { "important" },
                    "location": {
                        "message": { "text": plain(text) },
                        "physicalLocation": source.of_step(finding, resource),
                        "logicalLocations": logical(Some(resource), by.map(|e| e.pointer.as_str()), None),
                    },
                })
            })
            .collect();
        Some(json!([{ "threadFlows": [{ "locations": steps }] }]))
    }
}
