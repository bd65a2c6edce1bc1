//! From answers to the report's form: evidence is read back, ids are made, steps are spelt out.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use pullproof_network::Network;
use pullproof_prover::path::Step;
use pullproof_prover::{Blocker, Missing, Remark};
use pullproof_snapshot::At;
use serde_json::Value;

use crate::model::{BlockerOut, EvidenceOut, MissingOut, Reached, StepOut};
use crate::stable;

/// Reads evidence back, each place once: the same rules, routes and records stand behind most proofs, and finding one
/// in the text of a large resource takes longer than deciding by it.
pub struct Printer<'n> {
    network: &'n Network,
    read: RwLock<HashMap<At, EvidenceOut>>,
}

/// Longer values are cut: evidence is to be opened, not read in full.
const VALUE_LIMIT: usize = 600;

impl<'n> Printer<'n> {
    pub fn new(network: &'n Network) -> Self {
        Self { network, read: RwLock::default() }
    }

    pub fn evidence(&self, at: &At) -> EvidenceOut {
        if let Some(known) = self.read.read().unwrap_or_else(PoisonError::into_inner).get(at) {
            return known.clone();
        }
        let value = shortened(&self.network.layered.value_at(at));
        let resource = self.network.layered.id(at.resource()).as_written().to_owned();
        let evidence = EvidenceOut { resource, pointer: at.pointer(), value };
        let mut read = self.read.write().unwrap_or_else(PoisonError::into_inner);
        read.entry(*at).or_insert(evidence).clone()
    }

    pub fn blocker(&self, blocker: &Blocker, reach: Reached) -> BlockerOut {
        let evidence: Vec<EvidenceOut> = blocker.evidence.iter().map(|at| self.evidence(at)).collect();
        BlockerOut {
            id: blocker_id(blocker, evidence.first()),
            kind: blocker.kind.as_str(),
            message: blocker.message.clone(),
            remedy: blocker.remedy.clone(),
            reach,
            owner: blocker.kind.owner(),
            facts: blocker.facts.clone(),
            symptoms: blocker.kind.symptoms(),
            evidence,
        }
    }

    pub fn step(&self, step: &Step) -> StepOut {
        StepOut {
            kind: step.kind,
            device: step.device.clone(),
            decision: step.decision,
            text: step.text.clone(),
            packet: None,
            by: step.by.iter().map(|at| self.evidence(at)).collect(),
            facts: step.facts.clone(),
            deciding: step.deciding,
        }
    }

    pub fn remark(&self, remark: &Remark) -> (String, Vec<EvidenceOut>) {
        let evidence: Vec<EvidenceOut> = remark.evidence.iter().map(|at| self.evidence(at)).collect();
        let element = evidence.first().map(element).unwrap_or_else(|| remark.message.clone());
        (stable::id("r-", &[remark.kind, &element]), evidence)
    }
}

/// One cause = kind + element: the same blocker in many audits has one id.
fn blocker_id(blocker: &Blocker, first: Option<&EvidenceOut>) -> String {
    let element = first.map(element).unwrap_or_else(|| blocker.message.clone());
    stable::id("b-", &[blocker.kind.as_str(), &element])
}

fn element(evidence: &EvidenceOut) -> String {
    format!("{}{}", pullproof_snapshot::id::fold(&evidence.resource), evidence.pointer)
}

pub fn missing(missing: &Missing) -> MissingOut {
    let kind = serde_json::to_value(missing.kind).ok().and_then(|v| v.as_str().map(str::to_owned));
    MissingOut {
        id: stable::id("m-", &[kind.as_deref().unwrap_or_default(), &missing.what]),
        kind: missing.kind,
        what: missing.what.clone(),
        why: missing.why.clone(),
        remedy: missing.remedy.clone(),
        holds_if: missing.holds_if.clone(),
        breaks_if: missing.breaks_if.clone(),
    }
}

fn shortened(value: &Value) -> Value {
    let text = value.to_string();
    if text.len() <= VALUE_LIMIT {
        return value.clone();
    }
    match value {
        Value::Array(items) => Value::String(format!("[{} elements]", items.len())),
        Value::Object(fields) => Value::String(format!("{{{} fields}}", fields.len())),
        Value::String(s) => {
            Value::String(format!("{}…", s.chars().take(VALUE_LIMIT / 2).collect::<String>()))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
