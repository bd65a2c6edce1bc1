//! Scenarios audited in process, and JSON held against an expectation.

use std::sync::Arc;

use pullproof_audit::{Options, run};
use pullproof_checker::Plain;
use pullproof_network::Network;
use pullproof_prover::Prover;
use pullproof_scenario::Scenario;
use pullproof_snapshot::{Declared, Layered};
use serde_json::Value;

/// What a scenario describes, as both evaluators take it.
pub struct World {
    pub layered: Layered,
    pub declared: Declared,
}

impl World {
    /// # Panics
    /// The scenario cannot be expanded; `place` is named.
    pub fn of(scenario: &Scenario, place: &str) -> Self {
        let expanded = scenario.expand().unwrap_or_else(|e| panic!("{place}: {e}"));
        let declared = match &expanded.config_toml {
            Some(text) => Declared::parse("pullproof.toml", text).unwrap_or_else(|e| panic!("{place}: {e}")),
            None => Declared::default(),
        };
        Self { layered: Layered::new(Arc::new(expanded.into_snapshot())), declared }
    }

    /// The JSON report of an audit of everything.
    ///
    /// # Panics
    /// Nothing can be audited, or the two evaluators disagree.
    pub fn report(self, place: &str) -> Value {
        let Self { layered, declared } = self;
        let network = Network::read(layered.clone(), declared.clone());
        let plain = Plain::new(layered, declared);
        let report = run(&Prover::new(&network), &plain, &Options::default())
            .unwrap_or_else(|problem| panic!("{place}: {problem}"));
        assert!(report.disagreements.is_empty(), "{place}: evaluators disagree: {:?}", report.disagreements);
        serde_json::to_value(report).expect("a report is JSON")
    }
}

/// The scenario with a change, which is written as a twin is: `set`, `remove`, and `expect` if wanted.
///
/// # Panics
/// One of the two cannot be read; `place` is named.
pub fn changed(yaml: &str, change: &str, place: &str) -> Scenario {
    let indented: String = change.lines().map(|line| format!("  {line}\n")).collect();
    let scenario =
        Scenario::parse(&format!("{yaml}\ntwin:\n{indented}")).unwrap_or_else(|e| panic!("{place}: {e}"));
    let changed = scenario.twin().unwrap_or_else(|| panic!("{place}: changes nothing"));
    changed.unwrap_or_else(|e| panic!("{place}: {e}"))
}

/// The JSON report of a scenario.
///
/// # Panics
/// The scenario cannot be read or audited; `place` is named.
pub fn report(yaml: &str, place: &str) -> Value {
    let scenario = Scenario::parse(yaml).unwrap_or_else(|e| panic!("{place}: {e}"));
    World::of(&scenario, place).report(place)
}

/// The JSON report of a scenario with a change.
///
/// # Panics
/// One of the two cannot be read, or there is nothing to audit.
pub fn report_of_changed(yaml: &str, change: &str) -> Value {
    World::of(&changed(yaml, change, change), change).report(change)
}

/// Verdict and first failing layer of the only audit in a report.
///
/// # Panics
/// There is not exactly one audit.
pub fn only_verdict(report: &Value) -> (String, Option<String>) {
    let audits = report["audits"].as_array().expect("a report has audits");
    assert_eq!(audits.len(), 1, "one audit is expected");
    let word = |key: &str| audits[0][key].as_str().map(str::to_owned);
    (word("verdict").unwrap_or_default(), word("first_failing_layer"))
}

/// Messages of blockers and what is missing, in the order of the claims: why something is not proven.
pub fn reasons(report: &Value) -> Vec<String> {
    let entries = |claim: &Value, list: &str, key: &str| -> Vec<String> {
        let layer = claim["layer"].as_str().unwrap_or_default().to_owned();
        claim[list]
            .as_array()
            .into_iter()
            .flatten()
            .map(|e| {
                format!(
                    "{layer}: {}: {}",
                    e["kind"].as_str().unwrap_or_default(),
                    e[key].as_str().unwrap_or_default()
                )
            })
            .collect()
    };
    let mut out = Vec::new();
    for claim in
        report["audits"].as_array().into_iter().flatten().flat_map(|a| a["claims"].as_array()).flatten()
    {
        out.extend(entries(claim, "blockers", "message"));
        out.extend(entries(claim, "missing", "what"));
    }
    out.dedup();
    out
}

/// Exactly when `found` has everything that `wanted` has: the keys of an object at any depth, each element of a list
/// somewhere in the list. A wanted text `~part` stands for every text with that part.
pub fn contains(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => {
            wanted.iter().all(|(key, value)| contains(found.get(key).unwrap_or(&Value::Null), value))
        }
        (Value::Array(found), Value::Array(wanted)) => {
            wanted.iter().all(|w| found.iter().any(|f| contains(f, w)))
        }
        (Value::String(found), Value::String(wanted)) => match wanted.strip_prefix('~') {
            Some(part) => found.contains(part),
            None => found == wanted,
        },
        _ => found == wanted,
    }
}

/// The last part of an ARM id; a name as it is.
pub fn name(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}
