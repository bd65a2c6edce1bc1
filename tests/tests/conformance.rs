//! The judges beside the repository, run against the binary: vectors, cases, recorded answers, known changes.
//!
//! Each prints `agree n of m` a family. Dangerous answers are never accepted; agreement may not fall below what was
//! reached. What is knowingly not followed stands in `tests/conformance/exceptions.toml` and is not counted.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Output};

use pullproof_tests::{binary, root, shared};
use serde_json::Value;

/// Ids that a judge's lines are left out for: `[[exception]]` of that judge.
fn exceptions(judge: &str) -> BTreeSet<String> {
    let path = root().join("tests/conformance/exceptions.toml");
    let text = std::fs::read_to_string(path).expect("the list of exceptions is there");
    let table: toml::Table = text.parse().expect("the list of exceptions is TOML");
    let list = table["exception"].as_array().expect("a list").clone();
    list.iter()
        .inspect(|e| {
            for key in ["judge", "id", "fact", "reason"] {
                assert!(e.get(key).is_some_and(|v| v.is_str()), "an exception without `{key}`: {e}");
            }
        })
        .filter(|e| e["judge"].as_str() == Some(judge))
        .map(|e| e["id"].as_str().expect("a string").to_owned())
        .collect()
}

struct Judged {
    output: Output,
    json: Value,
}

fn judge(script: &str, name: &str, arguments: &[&str]) -> Option<Judged> {
    let shared = shared()?;
    if Command::new("python3").args(["-c", "import yaml"]).output().is_ok_and(|o| !o.status.success()) {
        println!("skipped: PyYAML is missing (python3 -m pip install pyyaml)");
        return None;
    }
    let json = scratch().join(format!("{name}.json"));
    let output = Command::new("python3")
        .arg(shared.join("tools").join(script))
        .args(["--pullproof".as_ref(), binary().as_os_str()])
        .args(["--json".as_ref(), json.as_os_str()])
        .args(arguments)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("python3 runs");
    let text = std::fs::read_to_string(&json).unwrap_or_else(|_| {
        panic!("{script} left no result:\n{}", String::from_utf8_lossy(&output.stderr));
    });
    Some(Judged { output, json: serde_json::from_str(&text).expect("the judge writes JSON") })
}

fn scratch() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pullproof-conformance-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// Agreement in percent that was reached, by family; the floor for later changes.
fn vectors(engine: &str, floors: &[(&str, usize)]) {
    let known = exceptions("vectors");
    for (family, floor) in floors {
        let name = format!("vectors-{engine}-{family}");
        let Some(judged) = judge("run_vectors.py", &name, &["--engine", engine, "--family", family]) else {
            return;
        };
        let lines = judged.json["results"].as_array().expect("results");
        let mut agree = 0;
        let mut of = 0;
        for line in lines.iter().filter(|l| l["outcome"] != "not asked") {
            let id = format!(
                "{}/{}",
                line["id"].as_str().unwrap_or_default(),
                line["query"].as_str().unwrap_or_default()
            );
            assert_ne!(line["wrong_positive"], true, "wrong positive ({engine}): {line}");
            if known.contains(&id) {
                continue;
            }
            of += 1;
            if line["outcome"] == "agree" {
                agree += 1;
            } else {
                println!("differs ({engine}) {id}: expected {}, got {}", line["expected"], line["got"]);
            }
        }
        println!("{engine} {family}: agree {agree} of {of}");
        assert!(of > 0, "nothing was asked of {family}");
        assert!(agree * 100 >= of * floor, "{engine} {family}: {agree} of {of} is below {floor} %");
    }
}

#[test]
fn conformance_vectors_plain() {
    vectors("plain", &[("routing", 80), ("filtering", 80), ("dns", 80), ("registry", 100)]);
}

#[test]
fn conformance_vectors_prover() {
    vectors("prover", &[("routing", 80), ("filtering", 80), ("dns", 80), ("registry", 100)]);
}

#[test]
fn conformance_cases() {
    let Some(cases) = shared().map(|s| s.join("azure/cases-open.yaml")) else { return };
    let Some(judged) = judge("run_cases.py", "cases", &["--cases", &cases.display().to_string()]) else {
        return;
    };
    let totals = &judged.json["totals"];
    let text = String::from_utf8_lossy(&judged.output.stdout).into_owned();
    for line in text.lines().filter(|l| !l.contains("PASS")) {
        println!("{line}");
    }
    println!("cases: agree {} of {}", totals["agree_on_verdict_and_layer"], totals["cases"]);
    assert_eq!(totals["false_proven"], serde_json::json!([]), "false proven");
    assert_eq!(totals["malformed"], serde_json::json!([]), "malformed reports");
    assert!(!text.contains("CRASH") && !text.contains("TIMEOUT"), "a case crashed or took too long");
    assert!(totals["agree_on_verdict_and_layer"].as_u64() >= Some(28), "fewer than 28 cases are right");
}

#[test]
fn conformance_oracles() {
    let Some(judged) = judge("run_oracles.py", "oracles", &[]) else { return };
    println!("{}", String::from_utf8_lossy(&judged.output.stdout));
    let lines = judged.json["results"].as_array().cloned().unwrap_or_default();
    assert!(!lines.is_empty(), "no recording was asked about");
    let known = exceptions("oracles");
    let asked = ["effective-nsg", "next-hop", "ip-flow-verify"];
    let differs: Vec<&Value> = lines
        .iter()
        .filter(|l| l["outcome"] == "differs" && asked.contains(&l["kind"].as_str().unwrap_or_default()))
        .filter(|l| !known.contains(l["id"].as_str().unwrap_or_default()))
        .collect();
    assert!(differs.is_empty(), "Azure's own answers differ: {differs:#?}");
}

#[test]
fn conformance_mutations() {
    let Some(judged) = judge("mutate_cases.py", "mutations", &["--per-case", "3"]) else { return };
    let text = String::from_utf8_lossy(&judged.output.stdout).into_owned();
    println!("{text}");
    assert!(judged.output.status.code() != Some(2), "nothing could be run");
    let known = exceptions("mutations");
    let lines = judged.json["results"].as_array().cloned().unwrap_or_default();
    assert!(!lines.is_empty(), "nothing was changed");
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let broken: Vec<String> = lines
        .iter()
        .filter(|line| line["holds"] != true)
        .map(|line| format!("{}/{}/{}", word(line, "check"), word(line, "id"), word(line, "change")))
        .filter(|id| !known.contains(id))
        .collect();
    let twins = lines.iter().filter(|line| line["check"] == "twins" && line["holds"] == true).count();
    println!("mutations: agree {} of {}", lines.len() - broken.len(), lines.len());
    assert!(broken.is_empty(), "changes whose effect is another one: {broken:#?}");
    assert!(twins >= 12, "only {twins} twins flip");
}
