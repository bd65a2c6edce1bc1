//! Going on from a partial snapshot: what was wholly read is taken over, the rest is read.

use std::collections::BTreeMap;
use std::path::Path;

use pullproof_snapshot::{ArmId, Evidence};
use serde_json::Value;

use super::Run;
use super::listing::row_of;
use crate::error::Error;

/// What a partial snapshot holds.
#[derive(Default)]
pub(super) struct Before {
    pub captured_from: Option<String>,
    complete: BTreeMap<String, Vec<String>>,
    resources: Vec<(ArmId, Vec<u8>)>,
    evidence: Vec<Evidence>,
}

/// Reads a snapshot's lines. A line that cannot be read is left out: what it was is read again.
pub(super) fn read(path: &Path) -> Result<Before, Error> {
    let text = std::fs::read(path)?;
    let mut before = Before::default();
    for line in text.split(|byte| *byte == b'\n') {
        let Ok(json) = serde_json::from_slice::<Value>(line) else { continue };
        let word = |key: &str| json.get(key).and_then(Value::as_str);
        match word("pullproof") {
            Some("end") => {
                for row in json.get("complete").and_then(Value::as_array).into_iter().flatten() {
                    let scope = row.get("scope").and_then(Value::as_str).unwrap_or_default();
                    let types = row.get("types").and_then(Value::as_array).into_iter().flatten();
                    let types = types.filter_map(Value::as_str).map(str::to_owned);
                    before.complete.entry(scope.to_owned()).or_default().extend(types);
                }
            }
            Some("evidence") => {
                if let (Some(resource), Some(operation), Some(answer)) =
                    (word("resource"), word("operation"), json.get("answer"))
                {
                    before.evidence.push(Evidence {
                        resource: ArmId::new(resource),
                        operation: operation.to_owned(),
                        captured: word("captured").map(str::to_owned),
                        answer: answer.clone(),
                    });
                }
            }
            Some(kind) if kind.starts_with("snapshot/") => {
                before.captured_from = word("captured_from").map(str::to_owned);
            }
            Some(_) => {}
            None => {
                if let Some(id) = word("id") {
                    before.resources.push((ArmId::new(id), line.to_vec()));
                }
            }
        }
    }
    if before.captured_from.is_none() {
        return Err(Error::Option {
            what: "--resume",
            why: format!("{} has no header line", path.display()),
            remedy: "give a snapshot that `collect` wrote",
        });
    }
    Ok(before)
}

impl Run<'_> {
    pub(super) fn take_over(&self, before: Before) -> Result<(), Error> {
        let mut state = self.state.borrow_mut();
        for (scope, types) in before.complete {
            state.complete.entry(scope).or_default().extend(types);
        }
        for (id, text) in before.resources {
            let row = id.resource_type().and_then(|kind| row_of(&kind));
            if let Some(row) = row {
                let _ = state.keep(row, id, &text);
            }
        }
        for evidence in before.evidence {
            state.writer.evidence(&evidence)?;
        }
        match state.broken.take() {
            Some(error) => Err(error.into()),
            None => Ok(()),
        }
    }
}
