//! What is collected live is what a snapshot says: every fixture, served by the emulator and read through Azure Resource
//! Manager and through Resource Graph, has the verdicts of its file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pullproof_emulator::{Emulator, FaultPlan, Options};
use pullproof_scenario::{Expanded, Scenario};
use pullproof_snapshot::read::{ReadOptions, read};
use pullproof_tests::{pullproof, root};
use serde_json::Value;

/// A folder for one test, away when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pullproof-live-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An estate on disk: its snapshot, and what cannot be collected.
struct Estate {
    snapshot: PathBuf,
    /// Service tag lists.
    beside: Vec<PathBuf>,
    config: Option<PathBuf>,
}

/// Audit → verdict, layer, extent.
type Verdicts = BTreeMap<String, String>;

fn verdicts(snapshot: &Path, estate: &Estate) -> Verdicts {
    let mut command = pullproof();
    command.arg("audit").arg(snapshot).args(&estate.beside).args(["--format", "json"]);
    if let Some(config) = &estate.config {
        command.arg("--config").arg(config);
    }
    let output = command.output().expect("the binary runs");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        panic!("{}: {e}: {}", snapshot.display(), String::from_utf8_lossy(&output.stderr))
    });
    let text = |audit: &Value, key: &str| audit[key].as_str().unwrap_or("-").to_ascii_lowercase();
    let audits = report["audits"].as_array().expect("audits").iter();
    audits
        .map(|audit| {
            let key = ["cluster", "node_pool", "subnet", "registry"].map(|key| text(audit, key)).join(" ");
            let said = ["verdict", "first_failing_layer", "extent"].map(|key| text(audit, key)).join(" ");
            (key, said)
        })
        .collect()
}

/// Collects what the emulator serves of an estate; the actions that Azure checks for the calls.
fn collect(estate: &Estate, source: &str, target: &Path) -> BTreeSet<String> {
    collect_with(estate, source, target, &[])
}

fn collect_with(estate: &Estate, source: &str, target: &Path, more: &[&Path]) -> BTreeSet<String> {
    let paths: Vec<PathBuf> = [&estate.snapshot].into_iter().chain(&estate.beside).cloned().collect();
    let snapshot = Arc::new(read(&paths, ReadOptions::default()).expect("the fixture can be read"));
    let emulator = Emulator::start(snapshot, FaultPlan::default(), Options::default()).expect("it starts");
    let credentials = emulator.credentials();
    let output = pullproof()
        .args(["collect", "--quiet", "--effective", "--auth", "client-secret", "--source", source])
        .args(["--arm-endpoint", emulator.base_url(), "--authority", emulator.base_url(), "-o"])
        .arg(target)
        .args(more)
        .env("AZURE_TENANT_ID", &credentials.tenant)
        .env("AZURE_CLIENT_ID", &credentials.client_id)
        .env("AZURE_CLIENT_SECRET", &credentials.client_secret)
        .output()
        .expect("the binary runs");
    let actions = emulator.calls().into_iter().flat_map(|call| call.actions).collect();
    emulator.stop();
    assert!(output.status.success(), "{source}: {}", String::from_utf8_lossy(&output.stderr));
    actions
}

/// Differences, in words.
fn compare(name: &str, estate: &Estate, folder: &Folder) -> Vec<String> {
    let of_file = verdicts(&estate.snapshot, estate);
    let mut wrong = Vec::new();
    for source in ["arm", "graph"] {
        let target = folder.0.join(format!("collected-{source}.ndjson"));
        collect(estate, source, &target);
        let collected = verdicts(&target, estate);
        for key in
            of_file.keys().chain(collected.keys()).filter(|key| of_file.get(*key) != collected.get(*key))
        {
            let (file, live) = (of_file.get(key), collected.get(key));
            wrong.push(format!("{name} through {source}: {key}: the file says {file:?}, live {live:?}"));
        }
    }
    wrong.dedup();
    wrong
}

fn written(expanded: Expanded, folder: &Folder) -> Estate {
    let files = expanded.files().expect("an estate can be written");
    expanded.write_dir(&folder.0).expect("an estate can be written");
    let there = |wanted: &dyn Fn(&str) -> bool| -> Vec<PathBuf> {
        files.keys().filter(|name| wanted(name)).map(|name| folder.0.join(name)).collect()
    };
    Estate {
        snapshot: there(&|name| name.ends_with(".ndjson")).remove(0),
        beside: there(&|name| name.starts_with("ServiceTags")),
        config: there(&|name| name.ends_with(".toml")).pop(),
    }
}

#[test]
fn contoso_collected_live_is_contoso_from_its_file() {
    let folder = Folder::new("contoso");
    let at = root().join("fixtures/contoso");
    let estate = Estate {
        snapshot: at.join("snapshot.ndjson"),
        beside: vec![at.join("ServiceTags_Public_20260803.json")],
        config: Some(at.join("pullproof.toml")),
    };
    let wrong = compare("contoso", &estate, &folder);
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn small_fixtures_collected_live_are_what_their_files_say() {
    let mut wrong = Vec::new();
    let mut run = 0;
    for entry in fs::read_dir(root().join("fixtures/small")).expect("there are fixtures") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let text = fs::read_to_string(&path).expect("a fixture can be read");
        let scenario = Scenario::parse(&text).expect("a fixture can be parsed");
        let folder = Folder::new(&name);
        let estate = written(scenario.expand().expect("a fixture can be expanded"), &folder);
        wrong.extend(compare(&name, &estate, &folder));
        run += 1;
    }
    assert!(run > 0, "there are no fixtures");
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

/// The role of `pullproof permissions` against what is called: nothing is called that it does not hold, and what matters
/// most is called for.
#[test]
fn the_role_holds_what_is_called() {
    let folder = Folder::new("role");
    let at = root().join("fixtures/contoso");
    let estate = Estate { snapshot: at.join("snapshot.ndjson"), beside: Vec::new(), config: None };
    let output = pullproof()
        .args([
            "permissions",
            "--effective",
            "--scope",
            "/subscriptions/d681fa37-5754-4b98-8892-e047f959f53e",
        ])
        .output()
        .expect("the binary runs");
    let role: Value = serde_json::from_slice(&output.stdout).expect("a role");
    let held: BTreeSet<String> = role["Actions"].as_array().expect("actions").iter().map(fold).collect();
    let mut called = BTreeSet::new();
    for source in ["arm", "graph"] {
        called.extend(collect(&estate, source, &folder.0.join("role.ndjson")));
    }
    let called: BTreeSet<String> = called.iter().map(|action| action.to_ascii_lowercase()).collect();
    let lacking: Vec<&String> = called.difference(&held).collect();
    assert!(lacking.is_empty(), "called, but not in the role: {lacking:?}");
    for action in ["virtualnetworks/read", "routetables/read", "azurefirewalls/read", "privateendpoints/read"]
    {
        let action = format!("microsoft.network/{action}");
        assert!(held.contains(&action) && called.contains(&action), "{action}");
    }
}

fn fold(action: &Value) -> String {
    action.as_str().unwrap_or_default().to_ascii_lowercase()
}

/// Redacted on collecting: the verdicts are those of the file, the names are not.
#[test]
fn what_is_collected_redacted_has_the_verdicts_and_no_names() {
    let folder = Folder::new("redacted");
    let at = root().join("fixtures/contoso");
    let estate = Estate {
        snapshot: at.join("snapshot.ndjson"),
        beside: vec![at.join("ServiceTags_Public_20260803.json")],
        config: Some(at.join("pullproof.toml")),
    };
    let target = folder.0.join("redacted.ndjson");
    let config = at.join("pullproof.toml");
    collect_with(&estate, "auto", &target, &[Path::new("--redact"), Path::new("--redact-config"), &config]);
    let redacted = Estate {
        snapshot: target.clone(),
        beside: estate.beside.clone(),
        config: Some(folder.0.join("redacted.ndjson.pullproof.toml")),
    };
    let sorted = |verdicts: Verdicts| {
        let mut out: Vec<String> = verdicts.into_values().collect();
        out.sort();
        out
    };
    assert_eq!(sorted(verdicts(&estate.snapshot, &estate)), sorted(verdicts(&target, &redacted)));
    let text = fs::read_to_string(&target).expect("a snapshot")
        + &fs::read_to_string(redacted.config.expect("it has one")).expect("declared facts");
    for name in
        ["contoso", "rg-hub", "snet-nodes", "afw-hub", "harbor", "d681fa37-5754-4b98-8892-e047f959f53e"]
    {
        assert!(!text.to_lowercase().contains(name), "{name} is still there");
    }
    let files = fs::read_dir(&folder.0).expect("a folder").count();
    assert_eq!(files, 2, "what still says names is left beside");
}
