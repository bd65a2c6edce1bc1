//! Which audits are told together: those of one cause, then those of causes of one kind.

use std::collections::{BTreeMap, BTreeSet};

use pullproof_audit::model::{Audit, BlockerOut, Claim, Reached, Report};
use pullproof_snapshot::question::VerdictWord;

/// Audits that are told together.
pub(crate) struct Group<'a> {
    /// They share their causes to the last element; the first is the example.
    pub audits: Vec<&'a Audit>,
    /// They have causes of the same kinds, at other elements.
    pub elsewhere: Vec<&'a Audit>,
}

/// So many blocks of one kind are told one by one; beyond, the rest are listed under the first.
const BLOCKS_OF_A_KIND: usize = 3;

/// Audits of one verdict by their cause: the same actual blockers (or missing evidence) in their failing claims; the
/// cause of most audits first.
pub(crate) fn groups(report: &Report, verdict: VerdictWord) -> Vec<Group<'_>> {
    let mut by_cause: BTreeMap<Vec<String>, Vec<&Audit>> = BTreeMap::new();
    let mut order: Vec<Vec<String>> = Vec::new();
    for audit in report.audits.iter().filter(|a| a.verdict == verdict) {
        let cause = cause(audit);
        if !by_cause.contains_key(&cause) {
            order.push(cause.clone());
        }
        by_cause.entry(cause).or_default().push(audit);
    }
    let mut found: Vec<Vec<&Audit>> = order.into_iter().filter_map(|cause| by_cause.remove(&cause)).collect();
    found.sort_by_key(|audits| std::cmp::Reverse(audits.len()));
    let mut out: Vec<Group<'_>> = Vec::new();
    let mut of_kind: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for audits in found {
        let Some(first) = audits.first() else { continue };
        let told = of_kind.entry(kinds(first)).or_default();
        match told.first().copied().filter(|_| told.len() >= BLOCKS_OF_A_KIND) {
            Some(i) => {
                if let Some(group) = out.get_mut(i) {
                    group.elsewhere.extend(audits);
                }
            }
            None => {
                told.push(out.len());
                out.push(Group { audits, elsewhere: Vec::new() });
            }
        }
    }
    out
}

/// What makes two audits one block: the ids of what stands against them.
pub(crate) fn cause(audit: &Audit) -> Vec<String> {
    let mut ids: BTreeSet<String> = BTreeSet::new();
    for claim in worst(audit) {
        ids.extend(claim.blockers.iter().filter(|b| b.reach == Reached::Actual).map(|b| b.id.clone()));
        if claim.verdict == VerdictWord::Undetermined {
            ids.extend(claim.missing.iter().map(|m| m.id.clone()));
        }
    }
    ids.into_iter().collect()
}

/// The kinds of what stands against an audit, without the elements.
pub(crate) fn kinds(audit: &Audit) -> Vec<String> {
    let mut kinds: BTreeSet<String> = BTreeSet::new();
    for claim in worst(audit) {
        let actual = claim.blockers.iter().filter(|b| b.reach == Reached::Actual);
        kinds.extend(actual.map(|b| b.kind.to_owned()));
        if claim.verdict == VerdictWord::Undetermined {
            kinds.extend(claim.missing.iter().map(|m| format!("{:?} {:?}", claim.layer, m.kind)));
        }
    }
    kinds.into_iter().collect()
}

/// The actual blockers of an audit's failing claims.
pub(crate) fn actual(audit: &Audit) -> impl Iterator<Item = &BlockerOut> {
    worst(audit).into_iter().flat_map(|c| &c.blockers).filter(|b| b.reach == Reached::Actual)
}

/// The claims that make the audit's verdict, in the order of the report.
pub(crate) fn worst(audit: &Audit) -> Vec<&Claim> {
    let mut claims: Vec<&Claim> = audit.claims.iter().filter(|c| c.verdict == audit.verdict).collect();
    claims.sort_by_key(|c| c.layer);
    claims
}

/// The ids of the causes that stand in the claims: told with their audits.
pub(crate) fn causes_told(report: &Report) -> BTreeSet<&str> {
    report
        .audits
        .iter()
        .flat_map(|a| &a.claims)
        .flat_map(|c| c.blockers.iter().map(|b| b.id.as_str()).chain(c.missing.iter().map(|m| m.id.as_str())))
        .collect()
}
