//! How long the built-in rules take over 20,000 causes.

#[path = "../tests/reports/mod.rs"]
mod reports;

use std::time::Instant;

use pullproof_audit::model::Reached;
use pullproof_prover::BlockerKind;
use pullproof_rules::Rules;
use pullproof_snapshot::Declared;
use reports::{NSG, blocker, cause, report};

fn main() {
    let rules = Rules::load(None).expect("the built-in rules load");
    let mut report = report(Vec::new());
    let kinds = BlockerKind::ALL.iter().cycle().take(20_000).enumerate();
    report.causes = kinds
        .map(|(i, kind)| cause(&blocker(&format!("b-{i}"), kind.as_str(), NSG, Reached::Actual)))
        .collect();
    let start = Instant::now();
    rules.apply(&mut report, &Declared::default()).expect("the rules apply");
    let took = start.elapsed();
    println!("{} rules, {} causes: {took:?}", rules.catalogue().len(), report.causes.len());
    assert_eq!(report.findings.len(), 20_000);
}
