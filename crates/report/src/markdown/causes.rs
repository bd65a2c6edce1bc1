//! One part a cause: whom it hits, the path, why, what to change, who owns it, and where it is written.

use std::collections::BTreeSet;

use pullproof_audit::model::{Audit, BlockerOut, Claim, Finding, Location, MissingOut, Reached, Report};
use pullproof_snapshot::question::VerdictWord;

use super::escape::text;
use super::mermaid;
use crate::groups::{Group, worst};
use crate::sarif::Places;
use crate::words::{counterexample, layer_words, owner, short, subject};

/// Audits that are named in a part.
const LISTED: usize = 8;
/// Causes that are told of one part.
const TOLD: usize = 6;

pub(super) fn part(report: &Report, group: &Group<'_>, places: &Places) -> String {
    let Some(first) = group.audits.first() else { return String::new() };
    let claims = worst(first);
    let Some(main) = claims.first() else { return String::new() };
    let sign = if first.verdict == VerdictWord::Disproven { "❌" } else { "⚠️" };
    let mut out = format!("### {sign} {}\n\n", text(&layer_words(main)));
    audits(&group.audits, &mut out);
    if let Some(fails) = claims.iter().find_map(|c| c.counterexample.as_ref().map(|x| counterexample(c, x))) {
        out.push_str(&format!("**Fails:** {}\n\n", text(&fails)));
    }
    if first.verdict == VerdictWord::Disproven {
        let proof = main.proof.as_ref().and_then(|p| report.proofs.get(p));
        if let Some(chart) = proof.and_then(mermaid::chart) {
            out.push_str(&format!("{chart}\n"));
        }
    }
    blockers(report, first, &claims, places, &mut out);
    missing(&claims, &mut out);
    if !group.elsewhere.is_empty() {
        out.push_str(&format!("**The same at other elements:** {} more audits\n\n", group.elsewhere.len()));
    }
    out
}

fn audits(audits: &[&Audit], out: &mut String) {
    for audit in audits.iter().take(LISTED) {
        let accepted = if audit.suppressed { " (accepted)" } else { "" };
        out.push_str(&format!(
            "- {} (subnet {}){accepted}\n",
            text(&subject(audit)),
            text(&short(&audit.subnet))
        ));
    }
    if audits.len() > LISTED {
        out.push_str(&format!("- … and {} more\n", audits.len() - LISTED));
    }
    out.push('\n');
}

/// What stands in the way of the claims that fail, then what stands behind that.
fn blockers(report: &Report, audit: &Audit, claims: &[&Claim], places: &Places, out: &mut String) {
    let all = |reach: Reached, claims: Vec<&Claim>| -> Vec<BlockerOut> {
        let blockers = claims.into_iter().flat_map(|c| &c.blockers);
        blockers.filter(|b| b.reach == reach).cloned().collect()
    };
    let mut told: BTreeSet<String> = BTreeSet::new();
    let actual = all(Reached::Actual, claims.to_vec());
    let behind = all(Reached::Behind, audit.claims.iter().collect());
    for blocker in actual.iter().chain(&behind) {
        if told.len() == TOLD || !told.insert(blocker.id.clone()) {
            continue;
        }
        let findings = report.findings.iter().filter(|f| f.causes.contains(&blocker.id));
        // Of several rules about one cause, one that knows the line.
        let finding = findings.min_by_key(|f| f.locations.is_empty());
        one(blocker, finding, places, out);
    }
}

fn one(blocker: &BlockerOut, finding: Option<&Finding>, places: &Places, out: &mut String) {
    let why = if blocker.reach == Reached::Actual { "Why" } else { "Once that is lifted" };
    out.push_str(&format!("**{why}:** {}\n\n", text(&blocker.message)));
    if !blocker.remedy.is_empty() {
        out.push_str(&format!("- **Change:** {}\n", text(&blocker.remedy)));
    }
    let rule = finding.map(|f| format!(", {} {}", f.rule, f.name)).unwrap_or_default();
    out.push_str(&format!("- **Owner:** {}{}\n", owner(blocker.owner), text(&rule)));
    if let Some(finding) = finding {
        if let Some(location) = finding.locations.first() {
            out.push_str(&format!("- **Source:** {}\n", text(&place(location, places))));
        }
        if let Some(element) = finding.address.as_deref().or(finding.resource.as_deref()) {
            out.push_str(&format!("- **Element:** {}\n", text(element)));
        }
    }
    out.push('\n');
}

fn place(location: &Location, places: &Places) -> String {
    format!("{}:{}", places.name(&location.file), location.line)
}

fn missing(claims: &[&Claim], out: &mut String) {
    let mut told: BTreeSet<&str> = BTreeSet::new();
    let open = claims.iter().filter(|c| c.verdict == VerdictWord::Undetermined);
    let missing: Vec<&MissingOut> = open.flat_map(|c| &c.missing).filter(|m| told.insert(&m.id)).collect();
    for one in missing.iter().take(TOLD) {
        out.push_str(&format!("**Missing:** {}\n\n", text(&one.what)));
        for (label, said) in [("Why", &one.why), ("To settle", &one.remedy)] {
            if !said.is_empty() {
                out.push_str(&format!("- **{label}:** {}\n", text(said)));
            }
        }
        out.push('\n');
    }
    if missing.len() > TOLD {
        out.push_str(&format!("… and {} more that are missing\n\n", missing.len() - TOLD));
    }
}
