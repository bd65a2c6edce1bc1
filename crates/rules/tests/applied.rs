//! What an apply does beside the state that it leaves becomes findings.

mod reports;

use pullproof_audit::applied::{Remark, What, apply};
use pullproof_audit::model::{Reached, Severity};
use pullproof_rules::Rules;
use pullproof_snapshot::Declared;
use reports::{NSG, blocker, report};

#[test]
fn drift_and_gaps_are_findings_about_every_audit() {
    let remark = |what, message: &str| Remark { what, resource: NSG.into(), message: message.into() };
    let mut report = report(vec![blocker("b-1", "nsg_denies", NSG, Reached::Actual)]);
    apply(&mut report, &[remark(What::Drift, "it is not there"), remark(What::Gap, "it goes and comes")]);
    let rules = Rules::load(None).expect("the built-in rules load");
    rules.apply(&mut report, &Declared::default()).expect("the rules apply");
    for (rule, begins) in [("PP8501", "it is not there; "), ("PP8502", "it goes and comes; ")] {
        let found = report.findings.iter().find(|finding| finding.rule == rule).expect("a finding");
        assert!(found.message.starts_with(begins), "{}", found.message);
        assert_eq!((found.severity, found.resource.as_deref()), (Severity::Warning, Some(NSG)));
        assert_eq!(found.audits, ["a-1"]);
    }
    report.audits.clear();
    let before = report.causes.len();
    apply(&mut report, &[remark(What::Drift, "about nothing")]);
    assert_eq!(report.causes.len(), before);
}
