//! `fixtures/contoso` in step with its source: `UPDATE=1 cargo test -p pullproof-scenario --test contoso` rewrites it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use pullproof_scenario::Scenario;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/contoso")
}

fn scenario() -> Scenario {
    let text = std::fs::read_to_string(folder().join("contoso.yaml")).unwrap_or_else(|e| panic!("{e}"));
    Scenario::parse(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// The expectations as a file of their own, for readers that have no use for scenarios.
fn expected(scenario: &Scenario) -> String {
    let mut out =
        String::from("# Written from the `expect` section of contoso.yaml, where the reasons stand.\n");
    for e in scenario.expectations() {
        let layer = e.first_failing_layer.as_deref().unwrap_or("null");
        let (cluster, pool, registry, verdict) = (&e.cluster, &e.pool, &e.registry, &e.verdict);
        let _ = writeln!(
            out,
            "- {{cluster: {cluster}, pool: {pool}, registry: {registry}, verdict: {verdict}, first_failing_layer: {layer}}}"
        );
    }
    out
}

#[test]
fn files_are_in_step_with_the_scenario() {
    let scenario = scenario();
    let expanded = scenario.expand().unwrap_or_else(|e| panic!("{e}"));
    let mut files: BTreeMap<&str, Vec<u8>> = expanded.files().unwrap_or_else(|e| panic!("{e}"));
    files.insert("expected.yaml", expected(&scenario).into_bytes());
    for (name, text) in files {
        let path = folder().join(name);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, text).unwrap_or_else(|e| panic!("{name}: {e}"));
            continue;
        }
        let there = std::fs::read(&path).unwrap_or_else(|e| panic!("{name}: {e}; run with UPDATE=1"));
        assert!(there == text, "{name} is not what contoso.yaml expands to; run with UPDATE=1");
    }
}

#[test]
fn proven_disproven_and_undetermined_stand_side_by_side() {
    let scenario = scenario();
    for verdict in ["proven", "disproven", "undetermined"] {
        assert!(scenario.expectations().iter().any(|e| e.verdict == verdict), "{verdict}");
    }
}

#[test]
fn every_pair_of_pool_and_registry_has_an_expectation() {
    let scenario = scenario();
    let document = scenario.document();
    let pairs = document.declared.as_ref().and_then(|d| d.pointer("/audit/pairs")?.as_array().cloned());
    let mut wanted = Vec::new();
    for pair in pairs.unwrap_or_default() {
        let text = |key: &str| pair[key].as_str().unwrap_or_default().to_owned();
        for cluster in document.clusters.iter().filter(|c| c.name == text("cluster")) {
            for pool in &cluster.pools {
                wanted.push((cluster.name.clone(), pool.name.clone(), text("registry")));
            }
        }
    }
    let expectations = scenario.expectations().iter();
    let mut stated: Vec<_> =
        expectations.map(|e| (e.cluster.clone(), e.pool.clone(), e.registry.clone())).collect();
    wanted.sort();
    stated.sort();
    assert_eq!(stated, wanted);
}
