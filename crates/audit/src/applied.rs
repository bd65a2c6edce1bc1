//! What an apply does beside the state that it leaves: remarks that no claim makes.

use crate::model::{Cause, CauseAudit, CauseType, EvidenceOut, Report};
use crate::stable;

/// Something about one resource that an apply touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub what: What,
    /// ARM id.
    pub resource: String,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The plan and the base contradict each other about what exists.
    Drift,
    /// It is destroyed before it is made again.
    Gap,
}

/// Adds each remark as a cause of every audit: an apply is one change, and which pulls a resource carries while it runs
/// is not proven. Without audits there is nothing that a cause could be about.
pub fn apply(report: &mut Report, remarks: &[Remark]) {
    let audits: Vec<CauseAudit> = report
        .audits
        .iter()
        .map(|audit| CauseAudit {
            id: audit.id.clone(),
            cluster: audit.cluster.clone(),
            node_pool: audit.node_pool.clone(),
            registry: audit.registry.clone(),
        })
        .collect();
    if audits.is_empty() {
        return;
    }
    for remark in remarks {
        let made = match remark.what {
            What::Drift => Made { kind: "drift", remedy: "refresh the state, or collect the base again" },
            What::Gap => Made {
                kind: "gap-during-apply",
                remedy: "let it be created before it is destroyed, or apply when no node pulls",
            },
        };
        report.causes.push(Cause {
            id: stable::id("r-", &[made.kind, &remark.resource]),
            of: CauseType::Remark,
            kind: made.kind.into(),
            message: remark.message.clone(),
            remedy: made.remedy.into(),
            layer: None,
            owner: None,
            reach: None,
            facts: Vec::new(),
            evidence: vec![EvidenceOut {
                resource: remark.resource.clone(),
                pointer: String::new(),
                value: serde_json::Value::Null,
            }],
            audits: audits.clone(),
        });
    }
    report.causes.sort_by(|a, b| a.id.cmp(&b.id));
    report.causes.dedup_by(|a, b| a.id == b.id);
}

struct Made {
    kind: &'static str,
    remedy: &'static str,
}
