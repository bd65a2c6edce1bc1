//! Suppressions of `pullproof.toml`: findings that somebody has accepted, by rule and element.

use std::collections::BTreeSet;

use pullproof_audit::baseline::actual_blockers;
use pullproof_audit::model::{Finding, Report};
use pullproof_snapshot::Declared;
use pullproof_snapshot::id::fold;
use pullproof_snapshot::question::VerdictWord;

use crate::apply::Made;
use crate::rules::Rules;

/// Marks the findings that suppressions cover, and the disproven audits of which every actual blocker is covered: one
/// whose built-in rule has a suppressed finding, shown or switched off. A suppression that covers nothing is told,
/// since it hides something else tomorrow.
pub(crate) fn suppress(rules: &Rules, report: &mut Report, made: &mut [Made], declared: &Declared) {
    for (i, suppression) in declared.suppressions.iter().enumerate() {
        let line = declared.lines.get(&format!("suppress.{i}")).map(|l| format!(":{l}")).unwrap_or_default();
        let Some(rule) = rules.find(&suppression.rule) else {
            report.notes.push(format!(
                "{}{line}: there is no rule {}; the suppression covers nothing",
                declared.file, suppression.rule
            ));
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
            report.notes.push(format!(
                "{}{line}: the suppression of {} covers no finding any more; remove it",
                declared.file, suppression.rule
            ));
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
}

/// Without a resource the suppression covers every finding of its rule; a resource is an ARM id or a name.
fn about(finding: &Finding, wanted: Option<&str>) -> bool {
    let Some(wanted) = wanted else { return true };
    finding.resource.as_deref().is_some_and(|r| {
        fold(r) == fold(wanted) || r.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(wanted))
    })
}
