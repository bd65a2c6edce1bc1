//! `az deployment (group|sub|mg|tenant) what-if -o json`: `after` already is ARM JSON.

use std::collections::BTreeSet;

use pullproof_snapshot::{ArmId, Layered};
use serde::Deserialize;
use serde_json::Value;

use crate::Options;
use crate::estate::Estate;
use crate::overlay::{Cap, Listed, Overlay};
use crate::settle::lay_over;

/// The answer of a what-if operation.
#[derive(Debug, Deserialize)]
pub struct WhatIf {
    #[serde(default)]
    pub status: Option<String>,
    pub changes: Vec<Change>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    pub resource_id: String,
    /// `Create`, `Delete`, `Modify`, `Deploy`, `NoChange`, `Ignore`, `Unsupported`.
    pub change_type: String,
    #[serde(default)]
    pub after: Value,
    #[serde(default)]
    pub unsupported_reason: Option<String>,
}

pub(crate) fn lay(what_if: &WhatIf, base: Option<&Layered>, options: &Options) -> Overlay {
    let mut estate = Estate::new(base);
    let mut out = Overlay::default();
    if what_if.status.as_deref().is_some_and(|s| !s.eq_ignore_ascii_case("Succeeded")) {
        out.caps.push(Cap {
            address: "plan".into(),
            touches: Vec::new(),
            why: "the what-if operation did not succeed".into(),
            remedy: "mend the deployment and ask again".into(),
        });
    }
    for change in &what_if.changes {
        let id = ArmId::new(&change.resource_id);
        let listed = Listed {
            address: change.resource_id.clone(),
            resource_type: id.resource_type().unwrap_or_default(),
            id: Some(change.resource_id.clone()),
        };
        match change.change_type.to_ascii_lowercase().as_str() {
            "create" | "modify" | "deploy" | "nochange" | "noeffect" if change.after.is_object() => {
                let mut json = change.after.clone();
                if let Some(there) = estate.in_base(&id) {
                    let mut merged = there;
                    lay_over(&mut merged, json);
                    json = merged;
                } else if change.change_type.eq_ignore_ascii_case("create") {
                    estate.new.insert(id.clone());
                }
                estate.put(id, json);
                out.mapped.push(listed);
            }
            "delete" => {
                estate.delete(&id);
                out.mapped.push(listed);
            }
            "nochange" | "noeffect" | "ignore" => out.ignored.push(listed),
            // `Deploy` without a body, `Unsupported`: it may become anything.
            _ => {
                out.caps.push(Cap {
                    address: change.resource_id.clone(),
                    touches: Vec::new(),
                    why: change
                        .unsupported_reason
                        .clone()
                        .unwrap_or_else(|| "what-if does not show what it becomes".into()),
                    remedy: "audit a snapshot after the deployment".into(),
                });
                out.unmapped.push(listed);
            }
        }
    }
    out.take(estate, base, options, &BTreeSet::new());
    out
}
