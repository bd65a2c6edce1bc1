//! What GitHub code scanning takes and shows, and what is left out to keep to it.
//!
//! Of a run it takes 25,000 results and shows 5,000; of a result 1,000 locations and 1,000 steps of a flow, of which 100
//! and 1,000 are shown; of a rule 1,024 characters of description and 20 tags, of which 10 are shown.

use pullproof_audit::model::{Finding, Report};

use super::profile::Profile;

/// Results of a run that GitHub shows.
const RESULTS: usize = 5_000;
/// Places of a result that GitHub shows; more helps nobody elsewhere either.
pub(super) const LOCATIONS: usize = 100;
/// Steps of a flow that GitHub shows.
pub(super) const STEPS: usize = 1_000;
/// Characters of a rule's descriptions that GitHub takes.
pub(super) const DESCRIPTION: usize = 1_024;
/// Audits that are listed by id at a result; the count stands beside them.
pub(super) const AUDITS: usize = 100;
/// Notes and gaps that are told one by one.
pub(super) const NOTIFICATIONS: usize = 1_000;

/// The findings that are written, in the order of the report, and how many are left out.
pub(super) struct Kept<'r> {
    pub findings: Vec<&'r Finding>,
    pub left_out: usize,
}

/// All of them, but for GitHub at most [`RESULTS`]: those that are neither suppressed nor old first, then by severity.
pub(super) fn results(report: &Report, profile: Profile) -> Kept<'_> {
    let all: Vec<&Finding> = report.findings.iter().collect();
    if profile != Profile::Github || all.len() <= RESULTS {
        return Kept { findings: all, left_out: 0 };
    }
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|i| all.get(*i).map(|f| (f.is_accepted(), f.severity)));
    let left_out = order.split_off(RESULTS).len();
    order.sort_unstable();
    Kept { findings: order.into_iter().filter_map(|i| all.get(i).copied()).collect(), left_out }
}

/// The first `limit` characters.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some(_) => text.chars().take(limit.saturating_sub(1)).chain(['…']).collect(),
    }
}
