//! Which crate may know which: the edges that the design allows, read from `cargo metadata`.

use std::collections::BTreeMap;
use std::process::Command;

/// Crate → the crates of ours that it may depend on. `pullproof` (the binary) and this test crate may know all.
const ALLOWED: &[(&str, &[&str])] = &[
    ("snapshot", &[]),
    ("network", &["snapshot"]),
    ("checker", &["snapshot"]),
    ("azure", &["snapshot"]),
    ("terraform", &["snapshot"]),
    ("scenario", &["snapshot"]),
    ("emulator", &["snapshot"]),
    ("prover", &["network", "snapshot"]),
    ("audit", &["prover", "checker", "network", "snapshot"]),
    ("rules", &["audit", "snapshot"]),
    ("report", &["rules", "audit", "snapshot"]),
];

#[test]
fn crates_know_only_whom_they_may() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(pullproof_tests::root())
        .output()
        .expect("cargo metadata runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let mut seen = 0;
    for package in metadata["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("a name");
        let Some(short) = name.strip_prefix("pullproof-") else { continue };
        if short == "tests" {
            continue;
        }
        let may = allowed.get(short).unwrap_or_else(|| panic!("the design has no room for crate `{name}`"));
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            if dependency["kind"] == "dev" {
                continue;
            }
            let on = dependency["name"].as_str().expect("a name");
            assert_ne!(on, "pullproof", "`{name}` depends on the binary");
            if let Some(on) = on.strip_prefix("pullproof-") {
                seen += 1;
                assert!(may.contains(&on), "`{short}` may not depend on `{on}`");
            }
        }
    }
    assert!(seen > 0, "no edge was seen: the names have changed");
}
