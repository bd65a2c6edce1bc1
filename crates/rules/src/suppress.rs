//! Suppressions of `pullproof.toml`: findings that somebody has accepted, by rule and element.

use std::collections::BTreeSet;

use pullproof_audit::baseline::actual_blockers;
use pullproof_audit::model::{Cause, Finding, Report};
use pullproof_audit::suppressions;
use pullproof_snapshot::Declared;
use pullproof_snapshot::declared::Suppress;
use pullproof_snapshot::id::fold;
use pullproof_snapshot::question::VerdictWord;

use crate::apply::Made;
use crate::rules::Rules;

/// A suppression that covers nothing, as a cause, and the line of its table.
pub(crate) struct Stale {
    pub cause: Cause,
    pub line: u64,
}

/// Marks the findings that suppressions cover, and the disproven audits of which every actual blocker is covered: one
/// whose built-in rule has a suppressed finding, shown or switched off. Returns the suppressions that cover nothing,
/// since they hide something else tomorrow: those that have expired, those of no rule, and those that fit no finding.
pub(crate) fn suppress(
    rules: &Rules,
    report: &mut Report,
    made: &mut [Made],
    declared: &Declared,
) -> Vec<Stale> {
    let mut stale = Vec::new();
    let place = |line: u64| format!("{}:{line}", declared.file);
    for lapsed in &declared.lapsed {
        let expires = lapsed.suppression.provenance.expires.as_ref().map(ToString::to_string);
        let name = name(&lapsed.suppression);
        let cause =
            suppressions::expired(report, &place(lapsed.line), &name, expires.as_deref().unwrap_or_default());
        stale.push(Stale { cause, line: lapsed.line });
    }
    for (i, suppression) in declared.suppressions.iter().enumerate() {
        let line = declared.lines.get(&format!("suppress.{i}")).copied().unwrap_or(1);
        let mut unmatched = |why: &str| {
            let cause = suppressions::unmatched(report, &place(line), &name(suppression), why);
            stale.push(Stale { cause, line });
        };
        let Some(rule) = rules.find(&suppression.rule) else {
            unmatched("there is no such rule");
            continue;
        };
        let mut used = false;
        for one in made.iter_mut().filter(|m| m.finding.rule == rule.id) {
            if about(&one.finding, suppression.resource.as_deref()) {
                one.finding.suppressed = Some(suppression.reason.clone());
                used = true;
            }
        }
        if !used {
            unmatched("this run has no such finding");
        }
    }
    let covered: BTreeSet<&str> = made
        .iter()
        .filter(|m| m.built_in && m.finding.suppressed.is_some())
        .flat_map(|m| m.finding.causes.iter().map(String::as_str))
        .collect();
    for audit in report.audits.iter_mut().filter(|a| a.verdict == VerdictWord::Disproven) {
        let blockers = actual_blockers(audit);
        audit.suppressed = !blockers.is_empty() && blockers.iter().all(|id| covered.contains(id.as_str()));
    }
    stale
}

fn name(suppression: &Suppress) -> String {
    match &suppression.resource {
        Some(resource) => format!("{} at {resource}", suppression.rule),
        None => suppression.rule.clone(),
    }
}

/// Without a resource the suppression covers every finding of its rule; a resource is an ARM id or a name.
fn about(finding: &Finding, wanted: Option<&str>) -> bool {
    let Some(wanted) = wanted else { return true };
    finding.resource.as_deref().is_some_and(|r| {
        fold(r) == fold(wanted) || r.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(wanted))
    })
}
