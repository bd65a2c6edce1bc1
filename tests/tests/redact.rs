//! A redacted snapshot has the verdicts of its original, audit for audit and claim for claim, and says none of its
//! names: on every fixture, every semantic case and, where they are there, the open cases of the judges.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use pullproof_audit::{Options, run};
use pullproof_azure::redact::{Redactor, Secret, Survey};
use pullproof_checker::Plain;
use pullproof_network::Network;
use pullproof_prover::Prover;
use pullproof_scenario::Scenario;
use pullproof_snapshot::read::{ReadOptions, read};
use pullproof_snapshot::{Declared, Layered};
use pullproof_tests::{root, shared};
use serde_json::Value;

/// An estate: the text of its snapshot, of its list of service tags, and its declared facts.
struct Estate {
    name: String,
    /// With its file name, whose ending says which form it has.
    snapshot: (String, String),
    tags: Option<String>,
    config: Option<String>,
}

impl Estate {
    fn of(scenario: &Scenario, name: &str) -> Self {
        let expanded = scenario.expand().unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut text = Vec::new();
        expanded.write_ndjson(&mut text).expect("an estate can be written");
        Self {
            name: name.to_owned(),
            snapshot: ("snapshot.ndjson".into(), String::from_utf8(text).expect("UTF-8")),
            tags: expanded.tag_list.map(|tags| tags.to_string()),
            config: expanded.config_toml,
        }
    }

    /// The lines of the native form, or the one value of another.
    fn lines(&self) -> Vec<Value> {
        let parse = |text: &str| serde_json::from_str(text).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        match self.snapshot.0.ends_with(".ndjson") {
            true => self.snapshot.1.lines().map(parse).collect(),
            false => vec![parse(&self.snapshot.1)],
        }
    }

    /// The redacted estate, and what redacted it. The list of service tags is public and stays.
    fn redacted(&self) -> (Self, Redactor) {
        let mut survey = Survey::new();
        let lines = self.lines();
        lines.iter().for_each(|line| survey.see(line));
        if let Some(tags) = &self.tags {
            survey.see(&serde_json::from_str(tags).expect("a list of service tags"));
        }
        if let Some(config) = &self.config {
            survey.declared(config).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        }
        let redactor = survey.redactor(Secret::of_phrase(&self.name));
        let lines: Vec<String> = lines.iter().map(|line| redactor.line(line).to_string()).collect();
        let config = self
            .config
            .as_deref()
            .map(|config| redactor.declared(config).unwrap_or_else(|e| panic!("{}: {e}", self.name)));
        let redacted = Self {
            name: format!("{} (redacted)", self.name),
            snapshot: (self.snapshot.0.clone(), lines.join("\n")),
            tags: self.tags.clone(),
            config,
        };
        (redacted, redactor)
    }

    fn report(&self) -> Value {
        let folder = Folder::new();
        let mut files = vec![folder.0.join(&self.snapshot.0)];
        fs::write(&files[0], &self.snapshot.1).expect("a temporary file");
        if let Some(tags) = &self.tags {
            files.push(folder.0.join("ServiceTags_Public_20260803.json"));
            fs::write(&files[1], tags).expect("a temporary file");
        }
        let snapshot = read(&files, ReadOptions::default()).unwrap_or_else(|e| panic!("{}: {e}", self.name));
        let declared = self.config.as_deref().map_or_else(Declared::default, |text| {
            Declared::parse("pullproof.toml", text).unwrap_or_else(|e| panic!("{}: {e:?}\n{text}", self.name))
        });
        let layered = Layered::new(Arc::new(snapshot));
        let network = Network::read(layered.clone(), declared.clone());
        let plain = Plain::new(layered, declared);
        let report = run(&Prover::new(&network), &plain, &Options::default())
            .unwrap_or_else(|problem| panic!("{}: {problem}", self.name));
        serde_json::to_value(report).expect("a report is JSON")
    }
}

/// A folder for one audit, away when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("pullproof-redact-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Audit → verdict, layer, extent, and its claims, all with the names that `word` gives.
fn verdicts(report: &Value, word: impl Fn(&str) -> String) -> BTreeMap<String, Vec<String>> {
    let text = |value: &Value| value.as_str().map_or("-".to_owned(), &word).to_ascii_lowercase();
    let plain = |value: &Value, key: &str| value[key].as_str().unwrap_or("-").to_owned();
    let audits = report["audits"].as_array().into_iter().flatten();
    let mut out: BTreeMap<String, Vec<String>> = audits
        .map(|audit| {
            let key = ["cluster", "node_pool", "subnet", "registry"].map(|key| text(&audit[key])).join(" ");
            let mut claims: Vec<String> = audit["claims"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|claim| {
                    let said =
                        ["layer", "aspect", "direction", "verdict", "extent"].map(|key| plain(claim, key));
                    let asker = match claim["asker"].as_str() {
                        Some(id) if id.starts_with('/') => word(id).to_ascii_lowercase(),
                        other => other.unwrap_or("-").to_owned(),
                    };
                    let kinds: Vec<String> = ["blockers", "missing"]
                        .iter()
                        .flat_map(|list| claim[*list].as_array().into_iter().flatten())
                        .map(|entry| plain(entry, "kind"))
                        .collect();
                    format!("{} {} {asker} {kinds:?}", said.join(" "), text(&claim["endpoint"]["host"]))
                })
                .collect();
            claims.sort();
            claims.insert(
                0,
                ["verdict", "first_failing_layer", "extent"].map(|key| plain(audit, key)).join(" "),
            );
            (key, claims)
        })
        .collect();
    let unpaired = report["unpaired"].as_array().into_iter().flatten();
    out.extend(unpaired.map(|cluster| (format!("unpaired {}", text(cluster)), Vec::new())));
    out
}

/// What differs between the audits of the original and of the redacted estate; nothing, as it should be.
fn differences(estate: &Estate) -> Vec<String> {
    let (redacted, redactor) = estate.redacted();
    let before = verdicts(&estate.report(), |name| redactor.word(name));
    let after = verdicts(&redacted.report(), str::to_owned);
    let mut out = Vec::new();
    for key in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
        let (before, after) = (before.get(key), after.get(key));
        if before != after {
            let shown = |lines: Option<&Vec<String>>, other: Option<&Vec<String>>| -> String {
                let lines = lines.into_iter().flatten();
                lines
                    .filter(|l| !other.is_some_and(|o| o.contains(l)))
                    .map(|l| format!("\n    {l}"))
                    .collect()
            };
            out.push(format!(
                "{}: {key}\n  before:{}\n  after:{}",
                estate.name,
                shown(before, after),
                shown(after, before)
            ));
        }
    }
    out.extend(
        leaks(estate, &redacted, &redactor).into_iter().map(|leak| format!("{}: {leak}", estate.name)),
    );
    out
}

/// Names, GUIDs and addresses of the original that its redacted form still says, though the redactor knows another word
/// for them: anywhere, where they are more than letters; else where names stand, since words of the API are letters too.
fn leaks(estate: &Estate, redacted: &Estate, redactor: &Redactor) -> BTreeSet<String> {
    let split = |c: char| !(c.is_alphanumeric() || "-_.:".contains(c));
    let text = format!("{}\n{}", redacted.snapshot.1, redacted.config.as_deref().unwrap_or(""));
    let tokens = text.split(split).map(|token| token.trim_matches(['.', ':']).to_ascii_lowercase());
    let anywhere: BTreeSet<String> = tokens.filter(|t| t.bytes().any(|b| !b.is_ascii_alphabetic())).collect();
    let (mut names, mut said) = (BTreeSet::new(), anywhere);
    estate.lines().iter().for_each(|line| own_words("", line, &mut names));
    redacted.lines().iter().for_each(|line| own_words("", line, &mut said));
    names.retain(|name| said.contains(name) && redactor.word(name) != *name);
    names
}

/// The words of a snapshot that are somebody's: parts of ids, names, GUIDs, addresses.
fn own_words(at: &str, json: &Value, out: &mut BTreeSet<String>) {
    match json {
        Value::Object(object) => {
            for (key, value) in object {
                if key.starts_with('/') {
                    out.extend(key.split('/').skip(2).step_by(2).map(str::to_ascii_lowercase));
                }
                match value.as_str() {
                    Some(text) if text.starts_with('/') => {
                        let structure = |part: &&str| part.contains("icrosoft.");
                        let parts = text.split('/').skip(2).step_by(2).filter(|part| !structure(part));
                        out.extend(parts.map(str::to_ascii_lowercase));
                    }
                    Some(text) if key == "name" && at != "sku" => {
                        out.insert(text.to_ascii_lowercase());
                    }
                    Some(text) if is_guid_or_address(text) => {
                        out.insert(text.to_ascii_lowercase());
                    }
                    _ => own_words(key, value, out),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| own_words(at, item, out)),
        Value::String(text) if is_guid_or_address(text) => {
            out.insert(text.to_ascii_lowercase());
        }
        _ => {}
    }
    out.retain(|word| word.len() > 2);
}

fn is_guid_or_address(text: &str) -> bool {
    let guid = text.len() == 36 && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    guid || text.parse::<std::net::IpAddr>().is_ok()
}

fn hold(estates: impl IntoIterator<Item = Estate>) {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for estate in estates {
        wrong.extend(differences(&estate));
        tried += 1;
    }
    assert!(tried > 0, "nothing was tried");
    assert!(wrong.is_empty(), "{} of {tried} estates:\n{}", wrong.len(), wrong.join("\n"));
}

/// Files below a folder with an ending, in order.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

fn with_twin(text: &str, name: &str) -> Vec<Estate> {
    let Ok(scenario) = Scenario::parse(text) else { return Vec::new() };
    let twin = scenario.twin().map(|twin| twin.unwrap_or_else(|e| panic!("{name}: {e}")));
    let name = |what: &str| format!("{name}{what}");
    let mut out = vec![Estate::of(&scenario, &name(""))];
    out.extend(twin.map(|twin| Estate::of(&twin, &name(", twin"))));
    out
}

#[test]
fn fixtures_keep_their_verdicts_and_say_no_names() {
    let fixtures: Vec<PathBuf> = files(&root().join("fixtures"), "yaml")
        .into_iter()
        .filter(|p| !p.ends_with("expected.yaml"))
        .collect();
    assert!(!fixtures.is_empty());
    hold(fixtures.iter().flat_map(|path| {
        with_twin(&fs::read_to_string(path).expect("a fixture"), &path.display().to_string())
    }));
}

#[test]
fn semantic_cases_keep_their_verdicts_and_say_no_names() {
    let mut estates = Vec::new();
    for path in files(&root().join("tests/semantics"), "md") {
        let text = fs::read_to_string(&path).expect("a case");
        for (i, block) in text.split("```yaml\n").skip(1).enumerate() {
            let yaml = block.split("\n```").next().unwrap_or_default();
            estates.extend(with_twin(yaml, &format!("{} {i}", path.display())));
        }
    }
    // Cases without a cluster ask single questions; nothing is audited there.
    hold(estates.into_iter().filter(|e| e.snapshot.1.to_ascii_lowercase().contains("managedclusters")));
}

#[test]
fn open_cases_keep_their_verdicts_and_say_no_names() {
    let Some(shared) = shared() else { return };
    let folder = Folder::new();
    let python = Command::new("python3")
        .arg(shared.join("tools/case2arm.py"))
        .arg(shared.join("azure/cases-open.yaml"))
        .arg("--out")
        .arg(&folder.0)
        .output();
    match python {
        Ok(output) if output.status.success() => {}
        _ => return println!("skipped: the open cases cannot be converted (python3 with PyYAML is needed)"),
    }
    let cases = files(&folder.0, "json").into_iter().filter(|path| path.ends_with("snapshot.json"));
    hold(cases.map(|path| {
        let case = path.parent().unwrap_or(&path);
        let tags = files(case, "json").into_iter().find(|path| !path.ends_with("snapshot.json"));
        Estate {
            name: case.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
            snapshot: ("snapshot.json".into(), fs::read_to_string(&path).expect("a snapshot")),
            tags: tags.map(|path| fs::read_to_string(path).expect("a list of service tags")),
            config: fs::read_to_string(case.join("pullproof.toml")).ok(),
        }
    }));
}
