//! Generated documentation is what the code says. `UPDATE=1 cargo test -p pullproof-tests --test docs` rewrites it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use pullproof_rules::{Rules, page};
use pullproof_tests::root;

fn compare(folder: &Path, wanted: &BTreeMap<String, String>) {
    if std::env::var_os("UPDATE").is_some() {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).expect("the folder can be made");
        for (name, text) in wanted {
            fs::write(folder.join(name), text).expect("a page can be written");
        }
        return;
    }
    let found: BTreeMap<String, String> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}; run with UPDATE=1", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .map(|path: PathBuf| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("a page can be read"))
        })
        .collect();
    for (name, text) in wanted {
        assert_eq!(found.get(name), Some(text), "{name} is stale; run with UPDATE=1");
    }
    assert_eq!(found.len(), wanted.len(), "pages that nothing generates any more; run with UPDATE=1");
}

#[test]
fn every_rule_has_its_page() {
    let rules = Rules::load(None).expect("the built-in rules load");
    let mut pages: BTreeMap<String, String> =
        rules.catalogue().iter().map(|r| (format!("{}.md", r.id), page::markdown(r))).collect();
    pages.insert("README.md".into(), page::index(rules.catalogue()));
    compare(&root().join("docs/rules"), &pages);
}

#[test]
fn what_is_written_has_its_schema() {
    let text = |schema| format!("{}\n", serde_json::to_string_pretty(&schema).expect("JSON"));
    let schemas = BTreeMap::from([
        ("report-v1.json".to_owned(), text(pullproof_audit::schema::report())),
        ("baseline-v1.json".to_owned(), text(pullproof_audit::schema::baseline())),
    ]);
    compare(&root().join("docs/schemas"), &schemas);
}
