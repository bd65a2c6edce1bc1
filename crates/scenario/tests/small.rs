//! `fixtures/small`: every scenario and its twin expand, and differ in the verdict that they expect.

use std::path::{Path, PathBuf};

use pullproof_scenario::Scenario;

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/small");
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{e}"));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn each_expands_with_its_twin() {
    let files = files();
    assert!(files.len() >= 10, "{}", files.len());
    for file in files {
        let name = file.display();
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        let scenario = Scenario::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(Some(scenario.document().name.as_str()), file.file_stem().and_then(|s| s.to_str()));
        let twin = scenario.twin().unwrap_or_else(|| panic!("{name}: no twin"));
        let twin = twin.unwrap_or_else(|e| panic!("{name}: {e}"));
        let expand = |s: &Scenario| s.expand().unwrap_or_else(|e| panic!("{name}: {e}"));
        let (one, other) = (expand(&scenario), expand(&twin));
        let differ = one.resources != other.resources || one.config_toml != other.config_toml;
        assert!(differ, "{name}: the twin is the same");
        for (e, t) in scenario.expectations().iter().zip(twin.expectations()) {
            assert_ne!(e.verdict, t.verdict, "{name}");
            assert_eq!(e.first_failing_layer.is_none(), e.verdict == "proven", "{name}");
            assert_eq!(t.first_failing_layer.is_none(), t.verdict == "proven", "{name}");
        }
        assert_eq!(scenario.expectations().len(), twin.expectations().len(), "{name}");
    }
}
