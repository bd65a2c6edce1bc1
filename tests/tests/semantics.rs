//! Literate semantic cases: `tests/semantics/**/*.md` and the scenarios under `fixtures/`.
//!
//! A case is prose with fenced blocks:
//! - `yaml`: a scenario; its `expect` and that of its `twin` are held against the audit.
//! - `change`: the scenario above once more, with `set` and `remove` as in a twin, and an `expect` of its own.
//! - `report`: about the block above; one JSON object a line with `cluster`, `pool` or `registry` to choose audits, and
//!   what some chosen audit has to hold; `claim` has to be in one of its claims, `report` in the report itself.
//! - `questions`: about the block above; one JSON object a line, a question with an `expect` beside it: both evaluators
//!   are asked, and what stands in `expect` has to stand in the answer.
//!
//! `CASE=<part of a path>` runs the cases of matching files only.

use std::fs;
use std::path::{Path, PathBuf};

use pullproof_checker::Plain;
use pullproof_network::Network;
use pullproof_prover::Prover;
use pullproof_scenario::Scenario;
use pullproof_snapshot::question::Line;
use pullproof_tests::cases::{World, changed, contains, name, reasons};
use pullproof_tests::root;
use serde_json::Value;

/// What is wrong with the audit of one scenario, one line a difference.
fn audit(scenario: &Scenario, report: &Value, place: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for expected in scenario.expectations() {
        let word = |value: &Value| value.as_str().unwrap_or("none").to_owned();
        let found: Vec<(String, String)> = report["audits"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|a| {
                name(&word(&a["cluster"])) == expected.cluster
                    && word(&a["node_pool"]) == expected.pool
                    && name(&word(&a["registry"])) == expected.registry
            })
            .map(|a| (word(&a["verdict"]), word(&a["first_failing_layer"])))
            .collect();
        let layer = expected.first_failing_layer.clone().unwrap_or_else(|| "none".into());
        let wanted = (expected.verdict.clone(), layer);
        if found != [wanted.clone()] {
            wrong.push(format!(
                "{place}: {}/{} → {}: expected {wanted:?}, found {found:?}\n    {}",
                expected.cluster,
                expected.pool,
                expected.registry,
                reasons(report).into_iter().take(6).collect::<Vec<_>>().join("\n    ")
            ));
        }
    }
    wrong
}

/// Holds each line against the audits that it chooses.
fn holds(report: &Value, lines: &str, place: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for line in lines.lines().filter(|l| !l.trim().is_empty()) {
        let mut wanted: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{place}: {e}: {line}"));
        let fields = wanted.as_object_mut().unwrap_or_else(|| panic!("{place}: not an object: {line}"));
        let mut take = |key: &str| fields.remove(key).and_then(|v| v.as_str().map(str::to_owned));
        let chosen =
            [("cluster", take("cluster")), ("node_pool", take("pool")), ("registry", take("registry"))];
        let claim = fields.remove("claim");
        let whole = fields.remove("report");
        let audits: Vec<&Value> = report["audits"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|a| {
                chosen.iter().all(|(key, value)| {
                    value.as_deref().is_none_or(|v| a[*key].as_str().is_some_and(|id| name(id) == v))
                })
            })
            .collect();
        let claims = |a: &Value| a["claims"].as_array().cloned().unwrap_or_default();
        let good = whole.is_none_or(|w| contains(report, &w))
            && audits.iter().any(|a| {
                contains(a, &wanted)
                    && claim.as_ref().is_none_or(|c| claims(a).iter().any(|found| contains(found, c)))
            });
        if !good {
            let layer = claim.as_ref().and_then(|c| c["layer"].as_str());
            let shown: Vec<String> = audits
                .iter()
                .flat_map(|a| claims(a))
                .filter(|c| layer.is_none() || c["layer"].as_str() == layer)
                .map(|c| c.to_string())
                .collect();
            wrong.push(format!("{place}: {line}\n    not among\n    {}", shown.join("\n    ")));
        }
    }
    wrong
}

/// A scenario with its report.
type Audited = (Scenario, Value);

fn audited(scenario: Scenario, place: &str, wrong: &mut Vec<String>) -> Audited {
    let report = World::of(&scenario, place).report(place);
    wrong.extend(audit(&scenario, &report, place));
    (scenario, report)
}

/// Audits a scenario and its twin, if it has one.
fn scenario_and_twin(yaml: &str, place: &str, wrong: &mut Vec<String>) -> Audited {
    let scenario = Scenario::parse(yaml).unwrap_or_else(|e| panic!("{place}: {e}"));
    if let Some(twin) = scenario.twin() {
        let twin = twin.unwrap_or_else(|e| panic!("{place}, twin: {e}"));
        audited(twin, &format!("{place}, twin"), wrong);
    }
    audited(scenario, place, wrong)
}

/// Asks both evaluators; what stands in `expect` has to stand in each answer.
fn questions(scenario: &Scenario, lines: &str, place: &str) -> Vec<String> {
    let World { layered, declared } = World::of(scenario, place);
    let network = Network::read(layered.clone(), declared.clone());
    let prover = Prover::new(&network);
    let plain = Plain::new(layered, declared);
    let mut wrong = Vec::new();
    for line in lines.lines().filter(|l| !l.trim().is_empty()) {
        let raw: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{place}: {e}: {line}"));
        let question: Line =
            serde_json::from_value(raw.clone()).unwrap_or_else(|e| panic!("{place}: {e}: {line}"));
        for (engine, answer) in [
            ("plain", pullproof_checker::answer(&plain, &question.question)),
            ("prover", prover.answer(&question.question)),
        ] {
            let answer = serde_json::to_value(answer).expect("answers are JSON");
            if !contains(&answer, &raw["expect"]) {
                wrong.push(format!("{place}: {engine}: {line}\n    answered {answer}"));
            }
        }
    }
    wrong
}

fn files(folder: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, extension, out);
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
    out.sort();
}

/// The fenced blocks of a Markdown text: (language, text, line).
fn blocks(text: &str) -> Vec<(String, String, usize)> {
    let mut out = Vec::new();
    let mut open: Option<(String, String, usize)> = None;
    for (i, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some((language.trim().to_owned(), String::new(), i + 1)),
            (Some(_), Some("")) => out.extend(open.take()),
            (Some((_, body, _)), _) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fenced block has no end");
    out
}

/// Runs the blocks of one file.
fn case(text: &str, file: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut base = None;
    let mut current: Option<Audited> = None;
    for (language, body, line) in blocks(text) {
        let place = format!("{file}:{line}");
        let above = || current.as_ref().unwrap_or_else(|| panic!("{place}: no scenario above"));
        match language.as_str() {
            "yaml" => {
                current = Some(scenario_and_twin(&body, &place, &mut wrong));
                base = Some(body);
            }
            "change" => {
                let yaml = base.as_deref().unwrap_or_else(|| panic!("{place}: no scenario above"));
                current = Some(audited(changed(yaml, &body, &place), &place, &mut wrong));
            }
            "report" => wrong.extend(holds(&above().1, &body, &place)),
            "questions" => wrong.extend(questions(&above().0, &body, &place)),
            other => panic!("{place}: what is a block of `{other}`?"),
        }
    }
    wrong
}

#[test]
fn literate_cases_hold() {
    let only = std::env::var("CASE").unwrap_or_default();
    let mut cases = Vec::new();
    files(&root().join("tests/semantics"), "md", &mut cases);
    let mut wrong = Vec::new();
    let mut run = 0;
    for path in cases {
        let file = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        if !file.contains(&only) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a case can be read");
        wrong.extend(case(&text, &file));
        run += 1;
    }
    assert!(run > 0, "there are no cases");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn fixtures_fare_as_they_say() {
    let mut scenarios = Vec::new();
    files(&root().join("fixtures/small"), "yaml", &mut scenarios);
    assert!(!scenarios.is_empty(), "there are no fixtures");
    let mut wrong = Vec::new();
    for path in scenarios {
        let text = fs::read_to_string(&path).expect("a fixture can be read");
        let place = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        let (scenario, _) = scenario_and_twin(&text, &place, &mut wrong);
        assert!(!scenario.expectations().is_empty(), "{place} expects nothing");
        assert!(scenario.twin().is_some(), "{place} has no twin");
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
