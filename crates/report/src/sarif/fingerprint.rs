//! By what a consumer knows a finding again in the next run.

use std::collections::BTreeMap;

use pullproof_audit::model::Finding;
use pullproof_snapshot::id::fold;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Counts what looks the same, in the order of the report.
#[derive(Default)]
pub(super) struct Fingerprints {
    seen: BTreeMap<String, usize>,
}

impl Fingerprints {
    /// `partialFingerprints`. GitHub matches alerts by `primaryLocationLineHash`, a hash and the number of its
    /// occurrence. Ours is over the rule, the element and the text of the source line, so that it outlives moved lines
    /// and reworded messages; without a source line the pointer tells the parts of one element apart. `pullproof/v1`
    /// names the cause in words.
    pub fn of(&mut self, finding: &Finding) -> Value {
        let resource = finding.resource.as_deref().map(fold).unwrap_or_default();
        let pointer = finding.pointer.as_deref().unwrap_or_default();
        let line = finding.locations.first().and_then(|l| l.text.as_deref());
        let mut hash = Sha256::new();
        for part in [finding.rule.as_str(), &resource, line.unwrap_or(pointer)] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let hash: String = hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let count = self.seen.entry(hash.clone()).or_default();
        *count += 1;
        json!({
            "primaryLocationLineHash": format!("{hash}:{count}"),
            "pullproof/v1": format!("{}|{resource}|{pointer}|{}", finding.rule, finding.causes.join(",")),
        })
    }
}
