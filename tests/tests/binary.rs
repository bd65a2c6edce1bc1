//! The binary end to end: what it prints about `fixtures/contoso`, its exit codes, and what it makes of bad input.
//! `UPDATE=1 cargo test -p pullproof-tests --test binary` rewrites the expected files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use pullproof_tests::cases::name;
use pullproof_tests::{pullproof, root};
use serde_json::{Value, json};

const SNAPSHOT: &str = "fixtures/contoso/snapshot.ndjson";
const TAGS: &str = "fixtures/contoso/ServiceTags_Public_20260803.json";
const CONFIG: &str = "fixtures/contoso/pullproof.toml";

fn run(arguments: &[&str]) -> Output {
    pullproof().args(arguments).output().expect("the binary runs")
}

/// `audit` of Contoso with further arguments.
fn contoso(arguments: &[&str]) -> Output {
    let mut all = vec!["audit", SNAPSHOT, TAGS, "--config", CONFIG];
    all.extend(arguments);
    run(&all)
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("the binary ends by itself")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&output.stderr)))
}

/// A folder for one test, away when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pullproof-binary-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        fs::write(&path, content).expect("a temporary file");
        path.display().to_string()
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Holds `found` against the committed file, with version and absolute paths replaced.
fn snapshot(file: &str, found: &[u8]) {
    let version = env!("CARGO_PKG_VERSION");
    let found = text(found)
        .replace(&root().display().to_string(), "[root]")
        .replace(&format!("\"version\": \"{version}\""), "\"version\": \"[version]\"")
        .replace(&format!("\"version\":\"{version}\""), "\"version\":\"[version]\"")
        .replace(&format!("pullproof {version}"), "pullproof [version]");
    let path = root().join("tests/snapshots").join(file);
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder for snapshots");
        fs::write(&path, found).expect("a snapshot can be written");
        return;
    }
    let there = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}; run with UPDATE=1"));
    if there != found {
        let different = there.lines().zip(found.lines()).position(|(a, b)| a != b);
        let at = different.unwrap_or_else(|| there.lines().count().min(found.lines().count()));
        let line = |t: &str| t.lines().nth(at).unwrap_or("<end>").to_owned();
        panic!(
            "{file}:{}: expected\n{}\nfound\n{}\nrun with UPDATE=1 if this is wanted",
            at + 1,
            line(&there),
            line(&found)
        );
    }
}

#[test]
fn contoso_as_text() {
    snapshot("contoso.txt", &contoso(&[]).stdout);
}

#[test]
fn contoso_as_json() {
    snapshot("contoso.json", &contoso(&["--format", "json"]).stdout);
}

#[test]
fn contoso_as_sarif() {
    snapshot("contoso.sarif", &contoso(&["--format", "sarif"]).stdout);
}

#[test]
fn two_runs_are_the_same_bytes() {
    for format in ["text", "json", "sarif"] {
        let (one, two) = (contoso(&["--format", format]), contoso(&["--format", format]));
        assert!(one.stdout == two.stdout, "{format} differs between two runs");
        assert!(!one.stdout.is_empty(), "{format} is empty");
    }
}

#[test]
fn ids_do_not_depend_on_the_order_of_the_input() {
    let folder = Folder::new("order");
    let content = fs::read_to_string(root().join(SNAPSHOT)).expect("a snapshot");
    let mut lines: Vec<&str> = content.lines().collect();
    let last = lines.pop().expect("an end line");
    let turned: Vec<&str> =
        lines.iter().take(1).copied().chain(lines.iter().skip(1).rev().copied()).chain([last]).collect();
    let file = folder.file("turned.ndjson", turned.join("\n"));
    let turned = run(&["audit", &file, TAGS, "--config", CONFIG, "--format", "json"]);
    let (one, two) = (report(&contoso(&["--format", "json"])), report(&turned));
    assert_eq!(one["audits"], two["audits"]);
    assert_eq!(one["findings"], two["findings"]);
}

#[test]
fn contoso_fares_as_expected() {
    let text = fs::read_to_string(root().join("fixtures/contoso/expected.yaml")).expect("expectations");
    let mut wanted: Vec<String> = text
        .lines()
        .filter_map(|l| l.strip_prefix("- {")?.strip_suffix('}'))
        .map(|fields| {
            let value = |key: &str| {
                fields
                    .split(", ")
                    .find_map(|f| f.strip_prefix(&format!("{key}: ")))
                    .unwrap_or_default()
                    .to_owned()
            };
            let keys = ["cluster", "pool", "registry", "verdict", "first_failing_layer"];
            keys.map(value).join(" ")
        })
        .collect();
    let report = report(&contoso(&["--format", "json"]));
    let mut found: Vec<String> = report["audits"]
        .as_array()
        .expect("audits")
        .iter()
        .map(|a| {
            let word = |key: &str| name(a[key].as_str().unwrap_or("null")).to_owned();
            ["cluster", "node_pool", "registry", "verdict", "first_failing_layer"].map(word).join(" ")
        })
        .collect();
    wanted.sort();
    found.sort();
    assert!(!wanted.is_empty());
    assert_eq!(wanted, found);
}

#[test]
fn exit_codes_say_what_the_report_says() {
    let prod = ["--cluster", "aks-prod", "--registry", "contosoprod"];
    let nexus = ["--cluster", "aks-test", "--registry", "nexus"];
    let with = |base: &[&str], more: &[&str]| code(&contoso(&[base, more].concat()));
    // Everything proven.
    assert_eq!(with(&prod, &[]), 0);
    assert_eq!(with(&prod, &["--fail-on", "undetermined"]), 0);
    // Something disproven.
    assert_eq!(code(&contoso(&[])), 1);
    assert_eq!(code(&contoso(&["--fail-on", "never"])), 0);
    // Something undetermined, nothing disproven.
    assert_eq!(with(&nexus, &[]), 0);
    assert_eq!(with(&nexus, &["--fail-on", "undetermined"]), 4);
    assert_eq!(with(&nexus, &["--fail-on", "never"]), 0);
    // Nothing to audit, and names that are not there.
    assert_eq!(code(&run(&["audit", TAGS])), 2);
    assert_eq!(code(&contoso(&["--cluster", "aks-nowhere"])), 2);
    assert_eq!(code(&run(&["audit"])), 2);
    assert_eq!(code(&contoso(&["--format", "wax-tablet"])), 2);
}

#[test]
fn last_line_on_standard_error_counts_what_is_not_proven() {
    let output = contoso(&["--cluster", "aks-test"]);
    assert_eq!(text(&output.stderr).lines().last(), Some("NOT PROVEN: 2 of 3"));
    let proven = contoso(&["--cluster", "aks-prod", "--registry", "contosoprod"]);
    assert!(!text(&proven.stderr).contains("NOT PROVEN"));
}

#[test]
fn each_format_goes_where_its_output_says() {
    let folder = Folder::new("formats");
    let file = folder.path("report.json");
    let output = contoso(&["--format", "text", "--format", "json", "-o", &file]);
    assert!(output.stdout == contoso(&[]).stdout, "text goes to standard output");
    let there = fs::read(&file).expect("the JSON report is in its file");
    assert!(there == contoso(&["--format", "json"]).stdout, "JSON goes to its file");
    let sarif = folder.path("report.sarif");
    let output = contoso(&["--format", "sarif", "-o", &sarif, "--format", "json"]);
    assert!(output.stdout == there, "JSON goes to standard output");
    assert!(fs::read(&sarif).is_ok_and(|s| !s.is_empty()), "SARIF goes to its file");
}

#[test]
fn selections_leave_out_the_rest() {
    let audits = |arguments: &[&str]| -> Vec<String> {
        let output = contoso(&[arguments, &["--format", "json"]].concat());
        let report = report(&output);
        let word = |a: &Value, key: &str| name(a[key].as_str().unwrap_or_default()).to_owned();
        let list = report["audits"].as_array().cloned().unwrap_or_default();
        list.iter()
            .map(|a| format!("{}/{} {}", word(a, "cluster"), word(a, "node_pool"), word(a, "registry")))
            .collect()
    };
    let one = audits(&["--cluster", "aks-prod", "--pool", "app", "--registry", "harbor"]);
    assert_eq!(one, ["aks-prod/app harbor"]);
    assert_eq!(audits(&["--pool", "batch"]).len(), 3);
    assert_eq!(audits(&["--registry", "contosoedge.azurecr.io"]).len(), 4);
}

#[test]
fn images_choose_registries() {
    let folder = Folder::new("images");
    let list = folder.file("images.txt", "contosoprod.azurecr.io/team/app:1.2\n");
    let report_of = |file: &str| {
        report(&run(&[
            "audit",
            SNAPSHOT,
            TAGS,
            "--cluster",
            "aks-prod",
            "--images",
            file,
            "--format",
            "json",
        ]))
    };
    let registries = |report: &Value| -> Vec<String> {
        let audits = report["audits"].as_array().cloned().unwrap_or_default();
        let mut names: Vec<String> =
            audits.iter().map(|a| name(a["registry"].as_str().unwrap_or_default()).to_owned()).collect();
        names.dedup();
        names
    };
    assert_eq!(registries(&report_of(&list)), ["contosoprod"]);
    let pods = json!({"kind": "List", "items": [{"kind": "Pod", "spec": {"containers": [{"image": "contosoprod.azurecr.io/a:1"}], "initContainers": [{"image": "contosoedge.azurecr.io/b:1"}]}}]});
    let mut both = registries(&report_of(&folder.file("pods.json", pods.to_string())));
    both.sort();
    both.dedup();
    assert_eq!(both, ["contosoedge", "contosoprod"]);
    let unknown = report_of(&folder.file("unknown.txt", "registry.nowhere.example/app:1\n"));
    assert_eq!(unknown["unknown_images"], json!(["registry.nowhere.example/app:1"]));
}

#[test]
fn strict_takes_declarations_back() {
    let harbor = ["--cluster", "aks-prod", "--pool", "sys", "--registry", "harbor", "--format", "json"];
    let relaxed = report(&contoso(&harbor));
    assert_eq!(relaxed["summary"]["proven"], 1);
    let claims = relaxed["audits"][0]["claims"].as_array().cloned().unwrap_or_default();
    assert!(claims.iter().any(|c| c["assumptions"].as_array().is_some_and(|a| !a.is_empty())));
    let strict = report(&contoso(&[&harbor[..], &["--strict"]].concat()));
    assert_eq!(strict["summary"]["undetermined"], 1);
}

#[test]
fn a_baseline_covers_what_it_holds() {
    let folder = Folder::new("baseline");
    let file = folder.path("earlier.json");
    contoso(&["--format", "json", "-o", &file]);
    assert_eq!(code(&contoso(&["--baseline", &file])), 0);
    let part = folder.path("part.json");
    contoso(&["--cluster", "aks-legacy", "--format", "json", "-o", &part]);
    assert_eq!(code(&contoso(&["--baseline", &part])), 1);
    assert_eq!(code(&contoso(&["--baseline", CONFIG])), 2);
}

#[test]
fn a_written_baseline_covers_what_a_report_covers() {
    let folder = Folder::new("write-baseline");
    let file = folder.path("baseline.json");
    let undetermined = ["--fail-on", "undetermined"];
    let written = contoso(&["--write-baseline", &file, "--fail-on", "undetermined"]);
    assert_eq!(code(&written), 1, "writing it covers nothing yet");
    let first = fs::read(&file).expect("it is written");
    contoso(&["--write-baseline", &file]);
    assert!(first == fs::read(&file).expect("it is written"), "two runs write the same bytes");
    assert_eq!(code(&contoso(&[&["--baseline", file.as_str()][..], &undetermined[..]].concat())), 0);
    let sarif = contoso(&["--baseline", &file, "--format", "sarif"]);
    let sarif = report(&sarif);
    let results = sarif["runs"][0]["results"].as_array().cloned().unwrap_or_default();
    assert!(!results.is_empty() && results.iter().all(|r| r["baselineState"] == "unchanged"));
    assert!(results.iter().all(|r| r["suppressions"][0]["kind"] == "external"));
    // Of a part of the estate: the rest is new.
    contoso(&["--cluster", "aks-legacy", "--write-baseline", &file]);
    assert_eq!(code(&contoso(&["--baseline", &file])), 1);
    // What fits nothing any more is said.
    contoso(&["--write-baseline", &file]);
    let part = contoso(&["--baseline", &file, "--cluster", "aks-legacy", "--format", "json"]);
    let notes = report(&part)["notes"].to_string();
    assert!(notes.contains("fit nothing any more"), "{notes}");
}

#[test]
fn a_baseline_that_cannot_be_read_whole_is_refused() {
    let folder = Folder::new("bad-baseline");
    let file = folder.path("baseline.json");
    contoso(&["--write-baseline", &file]);
    let text = fs::read_to_string(&file).expect("it is written");
    for (name, content, part) in [
        ("cut.json", text.get(..text.len() / 2).unwrap_or_default().to_owned(), "no JSON"),
        ("later.json", text.replace("baseline/v1", "baseline/v2"), "pullproof/baseline/v2"),
        ("unsaid.json", "{}".to_owned(), "not said"),
        ("half.json", r#"{"schema": "pullproof/baseline/v1", "audits": []}"#.to_owned(), "not a whole"),
        ("more.json", text.replacen("\"schema\"", "\"except\": [], \"schema\"", 1), "except"),
        ("report.json", r#"{"schema": "pullproof/report/v1", "audits": [{}]}"#.to_owned(), "not a whole"),
    ] {
        let file = folder.file(name, content);
        refused(&["audit", SNAPSHOT, TAGS, "--config", CONFIG, "--baseline", &file], part);
        refused(&["audit", SNAPSHOT, TAGS, "--config", CONFIG, "--baseline", &file], name);
    }
}

#[test]
fn a_suppression_covers_its_finding_and_still_counts() {
    let folder = Folder::new("suppress");
    let arguments = ["--cluster", "aks-test", "--registry", "harbor", "--format", "json"];
    let plain = report(&contoso(&arguments));
    let finding =
        plain["findings"].as_array().and_then(|f| f.iter().find(|f| f["severity"] == "error")).cloned();
    let finding = finding.expect("the untrusted authority is a finding");
    let config = fs::read_to_string(root().join(CONFIG)).expect("a configuration");
    let suppress = |expires: &str| {
        format!(
            "{config}\n[[suppress]]\nrule = {}\nresource = {}\nreason = \"moving in March\"\nexpires = {expires}\n",
            finding["rule"], finding["resource"]
        )
    };
    let with = |text: &str| {
        let file = folder.file("pullproof.toml", text);
        run(&[&["audit", SNAPSHOT, TAGS, "--config", &file][..], &arguments[..]].concat())
    };
    let covered = with(&suppress("2027-03-01"));
    assert_eq!(code(&covered), 0, "{}", text(&covered.stderr));
    assert_eq!(report(&covered)["summary"]["disproven"], 1, "a suppressed disproof still counts");
    let expired = with(&suppress("2026-01-01"));
    assert_eq!(code(&expired), 1, "one that has expired covers nothing");
    let rules = report(&expired)["findings"].to_string();
    assert!(rules.contains("PP8903") && !rules.contains("PP8904"), "{rules}");
}

/// Exit 2 with a message that names `part`, and no panic.
fn refused(arguments: &[&str], part: &str) {
    let output = run(arguments);
    let error = text(&output.stderr);
    assert_eq!(code(&output), 2, "{arguments:?}: {error}");
    assert!(error.contains(part), "{arguments:?}: {error}");
    assert!(!error.contains("panicked"), "{error}");
}

#[test]
fn bad_files_are_named() {
    let folder = Folder::new("bad");
    refused(&["audit", "no/such/file.ndjson"], "no/such/file.ndjson");
    let whole = fs::read_to_string(root().join(SNAPSHOT)).expect("a snapshot");
    let middle = whole.get(..whole.len() / 2).expect("a cut between characters");
    let cut = folder.file("cut.ndjson", middle);
    let output = run(&["audit", &cut]);
    assert_eq!(code(&output), 2, "a file that ends before its clusters has nothing to audit");
    assert!(text(&output.stdout).contains("cut.ndjson"), "the report names the file that is not whole");
    let truncated = folder.file("truncated.json", r#"[{"id": "/subscriptions/0"#);
    refused(&["audit", &truncated], "truncated.json");
    let foreign = folder.file("foreign.json", r#"{"Reservations": [{"Instances": []}]}"#);
    refused(&["audit", &foreign], "foreign.json");
    let binary = folder.file("binary.json", [0xff_u8, 0xfe, 0x00, 0x80]);
    refused(&["audit", &binary], "binary.json");
    let empty = folder.file("empty.json", "");
    refused(&["audit", &empty], "empty.json");
}

#[test]
fn what_is_foreign_in_a_folder_is_skipped_with_a_note() {
    let folder = Folder::new("folder");
    let inner = Folder(folder.0.join("estate"));
    fs::create_dir_all(&inner.0).expect("a folder");
    assert_eq!(
        code(&run(&["audit", &inner.0.display().to_string()])),
        2,
        "an empty folder has nothing to audit"
    );
    inner.file("snapshot.ndjson", fs::read(root().join(SNAPSHOT)).expect("a snapshot"));
    inner.file("package.json", r#"{"name": "something"}"#);
    inner.file("notes.txt", "not JSON at all");
    let output =
        run(&["audit", &inner.0.display().to_string(), TAGS, "--config", CONFIG, "--format", "json"]);
    assert_eq!(code(&output), 1, "{}", text(&output.stderr));
    let notes = report(&output)["notes"].to_string();
    assert!(notes.contains("package.json"), "{notes}");
}

#[test]
fn mistakes_in_the_configuration_are_pointed_at() {
    let folder = Folder::new("config");
    for (name, content, part) in [
        ("key.toml", "version = 1\n[audit]\nimagse = []\n", "images"),
        ("table.toml", "version = 1\n[[registries]]\nname = \"x\"\n", "registry"),
        ("syntax.toml", "version = \n", "syntax.toml"),
        ("version.toml", "version = 7\n", "version"),
    ] {
        let file = folder.file(name, content);
        refused(&["audit", SNAPSHOT, "--config", &file], part);
    }
    refused(&["audit", SNAPSHOT, "--config", "no/such.toml"], "no/such.toml");
}

#[test]
fn a_snapshot_without_its_end_is_partial() {
    let folder = Folder::new("partial");
    let whole = fs::read_to_string(root().join(SNAPSHOT)).expect("a snapshot");
    let lines: Vec<&str> = whole.lines().collect();
    let without_end = lines.get(..lines.len() - 1).expect("lines").join("\n");
    let file = folder.file("partial.ndjson", without_end);
    let output = run(&["audit", &file, TAGS, "--config", CONFIG, "--format", "json"]);
    let report = report(&output);
    let found = report["summary"]["disproven"].as_u64();
    let all = self::report(&contoso(&["--format", "json"]))["summary"]["disproven"].as_u64();
    assert!(found <= all, "less input disproves more: {found:?} of {all:?}");
    assert_eq!(report["inputs"][0]["complete"], json!(false));
}
