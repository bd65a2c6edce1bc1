//! Rules of the user's own (`--rules DIR`), and what is said about one that cannot be used.

mod reports;

use std::fs;
use std::path::PathBuf;

use pullproof_audit::model::{Reached, Severity};
use pullproof_rules::Rules;
use pullproof_snapshot::Declared;
use pullproof_snapshot::declared::Suppress;
use reports::{NSG, SPOKE, blocker, report};

/// A folder below cargo's own temporary one, empty, for this test alone.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

fn rule(id: &str, kinds: &str, body: &str) -> String {
    format!(
        "# METADATA\n# title: Ours\n# description: Ours.\n# custom:\n#   id: {id}\n#   name: ours\n#   severity: note\n#   layer: remark\n#   kinds: [{kinds}]\n#   remediation: Ask.\npackage contoso.ours\n\nimport rego.v1\n\n{body}\n"
    )
}

const EVERY: &str =
    r#"findings contains {"message": sprintf("%s: call the team %s", [input.kind, input.owner])}"#;

fn load(test: &str, text: &str) -> Result<Rules, String> {
    let folder = folder(test);
    fs::write(folder.join("ours.rego"), text).expect("the rule can be written");
    Rules::load(Some(&folder)).map_err(|e| e.to_string())
}

fn refused(test: &str, text: &str) -> String {
    let error = load(test, text).err().expect("the rule is refused");
    assert!(error.contains("ours.rego"), "the file is not named: {error}");
    error
}

#[test]
fn an_own_rule_sees_every_kind_beside_the_built_in_ones() {
    let rules = load("every", &rule("CT001", r#""*""#, EVERY)).expect("the rule loads");
    let mut report = report(vec![
        blocker("b-1", "peering_not_connected", SPOKE, Reached::Actual),
        blocker("b-2", "nsg_denies", NSG, Reached::Actual),
    ]);
    rules.apply(&mut report, &Declared::default()).expect("the rules apply");
    let ids: Vec<&str> = report.findings.iter().map(|f| f.rule.as_str()).collect();
    assert_eq!(ids, ["CT001", "CT001", "PP1101", "PP2101"]);
    assert_eq!(report.findings[0].message, "nsg_denies: call the team network");
    assert_eq!(report.findings[0].severity, Severity::Note);
}

#[test]
fn an_own_rule_may_set_severity_and_place() {
    let body = r#"findings contains {"message": "m", "severity": "error", "resource": "/r", "pointer": "/p"} if input.reach == "actual""#;
    let rules = load("place", &rule("CT001", "nsg_denies", body)).expect("the rule loads");
    let mut report = report(vec![
        blocker("b-1", "nsg_denies", NSG, Reached::Actual),
        blocker("b-2", "nsg_denies", SPOKE, Reached::Behind),
    ]);
    rules.apply(&mut report, &Declared::default()).expect("the rules apply");
    let ours: Vec<_> = report.findings.iter().filter(|f| f.rule == "CT001").collect();
    assert_eq!(ours.len(), 1);
    assert_eq!((ours[0].severity, ours[0].resource.as_deref()), (Severity::Error, Some("/r")));
}

#[test]
fn suppressing_an_own_rule_marks_no_audit() {
    let rules = load("suppressed", &rule("CT001", r#""*""#, EVERY)).expect("the rule loads");
    let mut report = report(vec![blocker("b-1", "nsg_denies", NSG, Reached::Actual)]);
    let suppression =
        Suppress { rule: "CT001".into(), resource: None, reason: "r".into(), provenance: Default::default() };
    let declared = Declared { suppressions: vec![suppression], ..Declared::default() };
    rules.apply(&mut report, &declared).expect("the rules apply");
    assert!(report.findings[0].suppressed.is_some());
    assert!(!report.audits[0].suppressed);
}

#[test]
fn what_is_no_rule_is_refused_with_its_file() {
    let good = rule("CT001", r#""*""#, EVERY);
    for (test, text, part) in [
        ("syntax", rule("CT001", r#""*""#, "findings contains {"), "ours.rego"),
        ("bare", "package contoso.ours\n".to_owned(), "no `# METADATA` block"),
        ("field", good.replace("remediation", "remedy"), "its metadata"),
        ("layer", good.replace("layer: remark", "layer: dns"), "layer `dns` is none of"),
        ("kinds", good.replace(r#"["*"]"#, "[]"), "`kinds` is empty"),
        ("typo", good.replace(r#"["*"]"#, "[nsg_deny]"), "no cause has the kind `nsg_deny`"),
        ("off", good.replace("severity: note", "severity: off"), "switched off in pullproof.toml"),
        ("package", good.replace("package contoso.ours\n", "\n"), "no package"),
        ("prefix", rule("PP9001", r#""*""#, EVERY), "starts with PP"),
        ("name", good.replace("name: ours", "name: nsg-denies"), "taken by PP2101"),
        ("taken", good.replace("contoso.ours", "pullproof.nsg_denies"), "is taken"),
        ("empty", rule("CT001", r#""*""#, "allow := true"), "no rule `findings`"),
        ("unsafe", rule("CT001", r#""*""#, r#"findings contains {"message": whoever}"#), "ours.rego"),
    ] {
        let error = refused(test, &text);
        assert!(error.contains(part), "{test}: {error}");
    }
}

#[test]
fn two_own_rules_with_one_id_are_refused() {
    let folder = folder("twice");
    fs::create_dir_all(folder.join("sub")).expect("the folder can be made");
    fs::write(folder.join("a.rego"), rule("CT001", r#""*""#, EVERY)).expect("the rule can be written");
    fs::write(folder.join("sub/b.rego"), rule("CT001", r#""*""#, EVERY)).expect("the rule can be written");
    let error = Rules::load(Some(&folder)).err().expect("it is refused").to_string();
    assert!(
        error.contains("b.rego") && error.contains("taken by CT001") && error.contains("a.rego"),
        "{error}"
    );
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let error = Rules::load(Some(&folder("gone").join("nowhere"))).err().expect("it is refused").to_string();
    assert!(error.contains("nowhere") && error.contains("cannot be read"), "{error}");
}

#[test]
fn findings_of_a_wrong_shape_are_refused_with_their_file() {
    for (test, body, part) in [
        ("number", "findings := 7", "not a set of objects"),
        ("texts", r#"findings contains "no object""#, "no object with a `message`"),
        ("mute", r#"findings contains {"severity": "note"}"#, "no `message`"),
        ("loud", r#"findings contains {"message": "m", "severity": "fatal"}"#, "`fatal` is none of"),
        ("more", r#"findings contains {"message": "m", "remedy": "r"}"#, "object with `remedy`"),
        ("typed", r#"findings contains {"message": 7}"#, "is no text"),
    ] {
        let rules = load(test, &rule("CT001", r#""*""#, body)).expect("the rule loads");
        let mut report = report(vec![blocker("b-1", "nsg_denies", NSG, Reached::Actual)]);
        let error = rules.apply(&mut report, &Declared::default()).expect_err("it is refused").to_string();
        assert!(error.contains("ours.rego") && error.contains(part), "{test}: {error}");
    }
}

/// The example of docs/rules-own.md is a rule, and does what the page says.
#[test]
fn the_documented_example_works() {
    let page = include_str!("../../../docs/rules-own.md");
    let text = page.split("```rego\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let rules = load("documented", text).expect("the example loads");
    let mut report = report(vec![blocker("b-1", "nsg_denies", NSG, Reached::Actual)]);
    report.causes[0].audits[0].cluster = "/subscriptions/0/managedClusters/aks-prod-1".into();
    let mut elsewhere = report.clone();
    elsewhere.causes[0].audits[0].cluster = "/subscriptions/0/managedClusters/aks-test-1".into();
    rules.apply(&mut report, &Declared::default()).expect("the rules apply");
    rules.apply(&mut elsewhere, &Declared::default()).expect("the rules apply");
    assert_eq!(report.findings.iter().filter(|f| f.rule == "CT101").count(), 1);
    assert!(report.findings[0].message.starts_with("1 production pools: nsg_denies at "));
    assert_eq!(elsewhere.findings.iter().filter(|f| f.rule == "CT101").count(), 0);
}
