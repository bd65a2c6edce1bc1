//! What the pages on pipelines tell people to run, runs: every line of ours in docs/ci, the hooks, and the action itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pullproof_tests::{binary, root};
use serde_json::Value;

/// A checkout as the pages describe it, with the binary on its path; away when dropped.
struct Checkout(PathBuf);

impl Checkout {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pullproof-pipelines-{test}-{}", std::process::id()));
        fs::create_dir_all(path.join("bin")).expect("a temporary folder");
        let here = Self(path);
        here.copy("fixtures/plans/contoso-4x/create.json", "tfplan.json");
        here.copy("fixtures/contoso/snapshot.ndjson", "snapshot.ndjson");
        here.copy("fixtures/contoso/pullproof.toml", "pullproof.toml");
        fs::copy(binary(), here.0.join("bin/pullproof")).expect("the binary can be copied");
        here
    }

    fn copy(&self, from: &str, to: &str) {
        fs::copy(root().join(from), self.0.join(to)).unwrap_or_else(|e| panic!("{from}: {e}"));
    }

    fn bash(&self, script: &str, variables: &[(&str, &str)]) -> Output {
        let path = format!("{}:{}", self.0.join("bin").display(), std::env::var("PATH").unwrap_or_default());
        let mut bash = Command::new("bash");
        bash.env_clear().env("PATH", path).current_dir(&self.0).args(["-c", script]);
        bash.envs(variables.iter().copied()).output().expect("bash runs")
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
    }
}

impl Drop for Checkout {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn fenced(page: &str, language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    page.split(&opening).skip(1).filter_map(|rest| rest.split("\n```").next()).map(str::to_owned).collect()
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap_or_else(|e| panic!("{e} in\n{text}"))
}

/// Every text in a document.
fn texts<'v>(value: &'v Value, out: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => out.push(text),
        Value::Array(items) => items.iter().for_each(|v| texts(v, out)),
        Value::Object(fields) => fields.values().for_each(|v| texts(v, out)),
        _ => {}
    }
}

/// The commands of ours in a script, continuation lines joined.
fn ours(script: &str) -> Vec<String> {
    let joined = script.replace("\\\n", " ");
    joined.lines().map(str::trim).filter(|l| l.starts_with("pullproof ")).map(str::to_owned).collect()
}

fn documented() -> BTreeMap<String, Vec<String>> {
    let mut out = BTreeMap::new();
    for entry in fs::read_dir(root().join("docs/ci")).expect("the pages on pipelines") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let page = fs::read_to_string(&path).expect("a page can be read");
        let mut commands = Vec::new();
        for block in fenced(&page, "yaml") {
            let document = yaml(&block);
            let mut all = Vec::new();
            texts(&document, &mut all);
            commands.extend(all.into_iter().flat_map(ours));
        }
        let consoles = fenced(&page, "console");
        commands.extend(
            consoles.iter().flat_map(|b| b.lines()).filter_map(|l| l.strip_prefix("$ ")).map(str::to_owned),
        );
        out.insert(name, commands);
    }
    out
}

#[test]
fn every_documented_command_runs() {
    let checkout = Checkout::new("docs");
    let here = checkout.0.display().to_string();
    let written =
        checkout.bash("pullproof audit snapshot.ndjson --write-baseline pullproof-baseline.json", &[]);
    assert!(written.status.code().is_some_and(|c| c != 2), "{written:?}");
    let mut run = 0;
    for (page, commands) in documented() {
        // Azure takes an account; what it would collect is the snapshot.
        for command in commands.iter().filter(|c| !c.starts_with("pullproof collect ")) {
            let command = command.replace("$(Build.ArtifactStagingDirectory)", &here);
            let output = checkout.bash(&command, &[("GITHUB_STEP_SUMMARY", "summary.md")]);
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(matches!(output.status.code(), Some(0 | 1 | 4)), "{page}: {command}: {error}");
            run += 1;
        }
    }
    assert!(run >= 7, "only {run} commands are found in the pages");
    for report in ["pullproof.sarif", "pullproof.md", "summary.md"] {
        assert!(!checkout.text(report).is_empty(), "{report}");
    }
    assert!(checkout.text("summary.md").contains("```mermaid"), "a disproof is drawn");
}

#[test]
fn the_hooks_run_and_are_those_of_the_page() {
    let checkout = Checkout::new("hooks");
    let hooks = yaml(&fs::read_to_string(root().join(".pre-commit-hooks.yaml")).expect("the hooks"));
    let page = fs::read_to_string(root().join("docs/ci/pre-commit.md")).expect("the page");
    let used: Vec<Value> = fenced(&page, "yaml")
        .iter()
        .flat_map(|b| yaml(b)["repos"].as_array().cloned().unwrap_or_default())
        .filter(|r| r["repo"] != "local")
        .flat_map(|r| r["hooks"].as_array().cloned().unwrap_or_default())
        .collect();
    let hooks = hooks.as_array().expect("a list of hooks");
    assert_eq!(used.len(), hooks.len());
    for (used, hook) in used.iter().zip(hooks) {
        assert_eq!(used["id"], hook["id"]);
        let arguments: Vec<&str> =
            used["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let command = format!("{} {}", hook["entry"].as_str().expect("an entry"), arguments.join(" "));
        let output = checkout.bash(&command, &[]);
        assert!(matches!(output.status.code(), Some(0 | 1 | 4)), "{command}: {output:?}");
    }
}

/// The steps of the action as a runner runs them: inputs by the environment, outputs by files.
#[test]
fn the_action_leaves_its_reports_and_its_exit_code() {
    let checkout = Checkout::new("action");
    let action = yaml(&fs::read_to_string(root().join("action.yml")).expect("the action"));
    let steps = action["runs"]["steps"].as_array().expect("steps");
    let script = |i: usize| steps[i]["run"].as_str().expect("a script").to_owned();
    let places =
        [("GITHUB_OUTPUT", "outputs"), ("GITHUB_STEP_SUMMARY", "summary.md"), ("GITHUB_ACTIONS", "true")];
    let install = checkout
        .bash(&script(0), &[&places[..], &[("BINARY", "bin/pullproof"), ("BINARY_SHA256", "")]].concat());
    assert!(install.status.success(), "{install:?}");
    let binary = checkout.text("outputs").trim().strip_prefix("binary=").expect("its output").to_owned();
    let run = |command: &str, input: &str, fail_on: &str| {
        let inputs = [
            ("PULLPROOF", binary.as_str()),
            ("COMMAND", command),
            ("INPUT", input),
            ("BASE", if command == "plan" { "snapshot.ndjson" } else { "" }),
            ("CONFIG", ""),
            ("BASELINE", ""),
            ("FAIL_ON", fail_on),
            ("FAIL_ON_NEW", "false"),
            ("CATEGORY", "weu"),
            ("REPORTS", "reports"),
            ("SUMMARY", "true"),
        ];
        checkout.bash(&script(1), &[&places[..], &inputs[..]].concat())
    };
    // Every input of a step is one that the action declares.
    for name in
        steps.iter().flat_map(|s| s["env"].as_object().into_iter().flatten()).filter_map(|(_, v)| v.as_str())
    {
        if let Some(input) = name.strip_prefix("${{ inputs.").and_then(|n| n.strip_suffix(" }}")) {
            assert!(action["inputs"][input].is_object(), "{input}");
        }
    }
    assert_eq!(run("audit", "snapshot.ndjson", "undetermined").status.code(), Some(1));
    assert!(checkout.text("outputs").contains("exit-code=1\n"));
    let sarif: Value = serde_json::from_str(&checkout.text("reports/pullproof.sarif")).expect("SARIF");
    assert_eq!(sarif["runs"][0]["automationDetails"]["id"], "pullproof/audit/weu/");
    assert_eq!(sarif["runs"][0]["invocations"][0]["exitCode"], 1);
    assert!(checkout.text("summary.md").starts_with("## ❌ pullproof: NOT PROVEN"));
    assert_eq!(run("audit", "snapshot.ndjson\n\n", "never").status.code(), Some(0));
    assert!(matches!(run("plan", "tfplan.json", "undetermined").status.code(), Some(1 | 4)));
    // An input stays one word.
    assert_eq!(run("audit", "no such; touch broken", "never").status.code(), Some(2));
    assert!(!Path::new(&checkout.0).join("broken").exists());
    assert_eq!(run("audit; touch broken", "snapshot.ndjson", "never").status.code(), Some(2));
    assert!(!Path::new(&checkout.0).join("broken").exists());
}
