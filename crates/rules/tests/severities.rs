//! Severities, suppressions, and what of them marks an audit (V14).

mod reports;

use pullproof_audit::model::{Reached, Report, Severity};
use pullproof_rules::{RuleError, Rules};
use pullproof_snapshot::Declared;
use pullproof_snapshot::declared::{Suppress, date_of};
use reports::{NSG, SPOKE, blocker, report};

fn two() -> Report {
    report(vec![
        blocker("b-1", "peering_not_connected", SPOKE, Reached::Actual),
        blocker("b-2", "nsg_denies", NSG, Reached::Actual),
    ])
}

fn rules() -> Rules {
    Rules::load(None).expect("the built-in rules load")
}

fn with_severity(rule: &str, severity: &str) -> Declared {
    Declared { rules: [(rule.to_owned(), severity.to_owned())].into(), ..Declared::default() }
}

fn suppressing(entries: &[(&str, Option<&str>)]) -> Declared {
    let suppressions = entries
        .iter()
        .map(|(rule, resource)| Suppress {
            rule: (*rule).into(),
            resource: resource.map(str::to_owned),
            reason: "accepted".into(),
            provenance: Default::default(),
        })
        .collect();
    Declared { suppressions, file: "pullproof.toml".into(), ..Declared::default() }
}

fn apply(mut report: Report, declared: &Declared) -> Report {
    rules().apply(&mut report, declared).expect("the rules apply");
    report
}

fn ids(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|f| f.rule.as_str()).collect()
}

#[test]
fn a_blocker_is_an_error_and_one_behind_it_a_warning() {
    let mut report = two();
    report.causes[1].reach = Some(Reached::Behind);
    let report = apply(report, &Declared::default());
    assert_eq!(ids(&report), ["PP1101", "PP2101"]);
    assert_eq!(report.findings[0].severity, Severity::Error);
    assert_eq!(report.findings[1].severity, Severity::Warning);
    assert_eq!(report.findings[0].resource.as_deref(), Some(SPOKE));
    assert_eq!(report.findings[0].pointer.as_deref(), Some("/properties/peeringState"));
    assert_eq!(report.findings[0].audits, ["a-1"]);
    assert_eq!(report.findings[0].causes, ["b-1"]);
}

#[test]
fn a_disconnected_peering_is_to_be_built_anew() {
    let report = apply(two(), &Declared::default());
    assert!(
        report.findings[0].message.ends_with("create both halves again"),
        "{}",
        report.findings[0].message
    );
}

#[test]
fn severities_are_set_by_id_or_name() {
    assert_eq!(apply(two(), &with_severity("pp1101", "note")).findings[0].severity, Severity::Note);
    assert_eq!(apply(two(), &with_severity("nsg-denies", "warning")).findings[1].severity, Severity::Warning);
}

#[test]
fn what_is_off_has_no_finding_and_changes_no_audit() {
    let report = apply(two(), &with_severity("PP1101", "off"));
    assert_eq!(ids(&report), ["PP2101"]);
    assert!(!report.audits[0].suppressed);
}

#[test]
fn an_unknown_rule_or_severity_is_an_error() {
    for (rule, severity, part) in
        [("PP1999", "note", "there is no rule `PP1999`"), ("PP1101", "fatal", "`fatal` of PP1101")]
    {
        let error = rules().apply(&mut two(), &with_severity(rule, severity)).expect_err("it is refused");
        assert!(matches!(&error, RuleError::Configured { .. }));
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn an_audit_is_suppressed_when_every_actual_blocker_is() {
    let one = apply(two(), &suppressing(&[("PP1101", None)]));
    assert_eq!(one.findings[0].suppressed.as_deref(), Some("accepted"));
    assert!(one.findings[1].suppressed.is_none());
    assert!(!one.audits[0].suppressed);

    let both =
        apply(two(), &suppressing(&[("peering-not-connected", Some("SPOKE-to-hub")), ("PP2101", Some(NSG))]));
    assert!(both.audits[0].suppressed);
    assert_eq!(ids(&both), ["PP1101", "PP2101"]);
}

#[test]
fn switching_a_rule_off_does_not_undo_its_suppression() {
    let mut declared = suppressing(&[("PP1101", None), ("PP2101", None)]);
    declared.rules.insert("PP1101".into(), "off".into());
    let report = apply(two(), &declared);
    assert_eq!(ids(&report), ["PP2101"]);
    assert!(report.audits[0].suppressed);
}

#[test]
fn a_suppression_is_about_its_resource_only() {
    let report = apply(two(), &suppressing(&[("PP1101", Some("another-peering"))]));
    assert!(report.findings[0].suppressed.is_none());
}

#[test]
fn a_suppression_that_covers_nothing_is_told() {
    let mut declared = suppressing(&[("PP1201", None), ("PP1999", None)]);
    declared.lines.insert("suppress.0".into(), 12);
    let report = apply(two(), &declared);
    let told: Vec<_> = report.findings.iter().filter(|f| f.rule == "PP8904").collect();
    assert_eq!(told.len(), 2, "{told:?}");
    for (name, why, line) in [("PP1201", "no such finding", 12), ("PP1999", "no such rule", 1)] {
        let one = told.iter().find(|f| f.message.contains(name)).expect("it is told");
        assert!(one.message.contains(why), "{}", one.message);
        assert_eq!((one.locations[0].file.as_str(), one.locations[0].line), ("pullproof.toml", line));
        assert_eq!(one.audits, ["a-1"], "every finding is about an audit");
    }
}

#[test]
fn an_expired_suppression_is_a_finding_and_covers_nothing() {
    let text =
        "version = 1\n\n[[suppress]]\nrule = \"PP1101\"\nreason = \"until March\"\nexpires = 2026-03-01\n";
    let declared = Declared::parse("pullproof.toml", text).expect("it can be read");
    let on = |date: &str| {
        let (declared, _) = declared.as_of(date_of(date).expect("a date"));
        apply(two(), &declared)
    };
    let before = on("2026-02-28");
    assert_eq!(ids(&before), ["PP1101", "PP2101"]);
    assert!(before.findings[0].suppressed.is_some());
    let after = on("2026-03-01");
    assert_eq!(ids(&after), ["PP1101", "PP2101", "PP8903"]);
    assert!(after.findings[0].suppressed.is_none());
    assert!(after.findings[2].message.contains("2026-03-01"), "{}", after.findings[2].message);
    assert_eq!(after.findings[2].locations[0].line, 3);
}
