//! The built-in rules: one file a rule, every cause has one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pullproof_audit::model::Severity;
use pullproof_prover::BlockerKind;
use pullproof_rules::{Rules, metadata};
use pullproof_snapshot::question::MissingKind;
use pullproof_tests::root;

const MISSING: &[MissingKind] = &[
    MissingKind::Permission,
    MissingKind::Declare,
    MissingKind::Evidence,
    MissingKind::Contested,
    MissingKind::NotModelled,
    MissingKind::DependsOn,
    MissingKind::TooComplex,
];

/// Everything that can become a cause: blockers, missing entries, and the remarks of the sources that make them.
fn emitted() -> BTreeSet<String> {
    let mut kinds: BTreeSet<String> = BlockerKind::ALL.iter().map(|k| k.as_str().to_owned()).collect();
    kinds.extend(
        MISSING.iter().map(|k| serde_json::to_value(k).expect("a word").as_str().expect("a word").to_owned()),
    );
    for folder in ["crates/prover/src", "crates/audit/src"] {
        remarks(&root().join(folder), &mut kinds);
    }
    kinds
}

/// `kind: "…"` in kebab case is how a remark is made.
fn remarks(folder: &Path, kinds: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            remarks(&path, kinds);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).expect("a source can be read");
            let words = text.split("kind: \"").skip(1).filter_map(|rest| rest.split('"').next());
            kinds.extend(words.map(str::to_owned));
        }
    }
}

#[test]
fn every_cause_has_a_rule_and_every_rule_a_cause() {
    let rules = Rules::load(None).expect("the built-in rules load");
    let covered: BTreeSet<String> = rules.catalogue().iter().flat_map(|r| r.kinds.iter().cloned()).collect();
    let emitted = emitted();
    assert!(emitted.contains("provisioning-failed"), "remarks are no longer found in the sources");
    let bare: Vec<&String> = emitted.difference(&covered).collect();
    assert!(bare.is_empty(), "causes without a rule: {bare:?}");
    let idle: Vec<&String> = covered.difference(&emitted).collect();
    assert!(idle.is_empty(), "kinds of rules that nothing emits: {idle:?}");
}

#[test]
fn a_kind_has_one_built_in_rule() {
    let rules = Rules::load(None).expect("the built-in rules load");
    let mut seen = BTreeSet::new();
    for (rule, kind) in rules.catalogue().iter().flat_map(|r| r.kinds.iter().map(move |k| (r, k))) {
        assert!(seen.insert(kind), "{}: {kind} has a rule already", rule.id);
    }
}

#[test]
fn a_rule_is_of_its_blockers_layer_and_of_a_fitting_severity() {
    let rules = Rules::load(None).expect("the built-in rules load");
    let rule_of = |kind: &str| {
        rules.catalogue().iter().find(|r| r.kinds.iter().any(|k| k == kind)).expect("every cause has a rule")
    };
    for kind in BlockerKind::ALL {
        let rule = rule_of(kind.as_str());
        let layer = format!("{:?}", kind.layer()).to_lowercase();
        assert_eq!((rule.layer.as_str(), rule.severity), (layer.as_str(), Severity::Error), "{}", rule.id);
    }
    for rule in rules.catalogue().iter().filter(|r| r.layer == "evidence" || r.layer == "remark") {
        assert_ne!(rule.severity, Severity::Error, "{}: nothing is proven to fail", rule.id);
    }
}

#[test]
fn a_title_fits_a_line_and_a_reference_is_a_page_of_its_maker() {
    let rules = Rules::load(None).expect("the built-in rules load");
    for rule in rules.catalogue() {
        assert!(
            rule.title.chars().count() <= 70 && !rule.title.ends_with('.'),
            "{}: {}",
            rule.id,
            rule.title
        );
        assert!(!rule.example.is_empty(), "{}: no example", rule.id);
        for page in &rule.references {
            let makers = ["https://learn.microsoft.com/", "https://developer.hashicorp.com/terraform/"];
            assert!(makers.iter().any(|maker| page.starts_with(maker)), "{}: {page}", rule.id);
        }
    }
}

#[test]
fn a_rule_stands_in_the_folder_of_its_layer_under_its_name() {
    let rules = Rules::load(None).expect("the built-in rules load");
    for rule in rules.catalogue() {
        let wanted = format!("rules/{}/{}.rego", rule.layer, rule.name.replace('-', "_"));
        assert_eq!(rule.file, wanted);
        assert!(root().join(&wanted).is_file());
        let number = rule.id.strip_prefix("PP").and_then(|n| n.parse::<u16>().ok());
        let layer = metadata::LAYERS.iter().position(|l| *l == rule.layer).map(|i| i + 1);
        assert_eq!(
            number.map(|n| usize::from(n) / 1000),
            layer,
            "{}: the thousands are the layer's",
            rule.id
        );
        assert!(!rule.description.is_empty() && !rule.remediation.is_empty(), "{}: empty texts", rule.id);
    }
}

#[test]
fn a_rule_names_only_facts_that_are_numbered() {
    let rules = Rules::load(None).expect("the built-in rules load");
    for rule in rules.catalogue() {
        for fact in &rule.facts {
            let number = fact.trim_start_matches(['R', 'F', 'D', 'A', 'U', 'V']).trim_end_matches(['a', 'b']);
            assert!(number.parse::<u16>().is_ok(), "{}: `{fact}` is no fact number", rule.id);
        }
    }
}
