//! Reasons in words: what is missing or wrong where the prover does not say it itself.

use pullproof_prover::lookup_answer::LookupEnd;
use pullproof_prover::{Blocker, BlockerKind, Missing, MissingKind, Outcome};

pub(super) fn open_all(missing: &[Missing], host: &str) -> Outcome {
    let mut all = missing.iter().cloned();
    match all.next() {
        Some(first) => Outcome::Open(first, all.collect()),
        None => Outcome::open(depends(host, "the lookup")),
    }
}

pub(super) fn fails_all(blockers: &[Blocker], end: &LookupEnd, host: &str) -> Outcome {
    let mut all = blockers.iter().cloned();
    match all.next() {
        Some(first) => Outcome::Fails(first, all.collect()),
        None => Outcome::fails(Blocker {
            kind: BlockerKind::ResolverFails,
            message: format!("the lookup of {host} ends in {:?}, from {}", end.result, end.server),
            remedy: String::new(),
            facts: vec!["D1"],
            evidence: end
                .steps
                .iter()
                .rev()
                .find(|s| !s.by.is_empty())
                .map(|s| s.by.clone())
                .unwrap_or_default(),
        }),
    }
}

pub(super) fn disagree(end: &LookupEnd) -> Missing {
    Missing {
        kind: MissingKind::Evidence,
        what: format!("resolvers disagree: {} is asked when an earlier one is silent, and answers otherwise", end.server),
        why: "the first resolver answers right; which one a node uses depends on the first one's health (V3, D13)".into(),
        remedy: "let every listed resolver answer the registry's names alike, or take the other ones off the list".into(),
        holds_if: Some("the first resolver always answers".into()),
        breaks_if: Some(format!("the first resolver is silent and {} is asked", end.server)),
    }
}

pub(super) fn who_is_there(host: &str, address: &str) -> Missing {
    Missing {
        kind: MissingKind::Evidence,
        what: format!("who answers at {address}, which the answer for {host} holds beside a right address"),
        why: "a client that connects there does not try the next address (V3); where nobody answers, it does"
            .into(),
        remedy: format!("take {address} out of the record"),
        holds_if: Some("nobody answers there".into()),
        breaks_if: Some("something else answers there".into()),
    }
}

pub(super) fn declared_elsewhere(host: &str) -> Missing {
    Missing {
        kind: MissingKind::Declare,
        what: format!("whether the public address of {host} is one of its declared addresses"),
        why: "the lookup ends at a public address that is not known".into(),
        remedy: format!("declare it: [[public_name]] host = \"{host}\" with its addresses"),
        holds_if: Some("the public answer is a declared address".into()),
        breaks_if: Some("it is another one".into()),
    }
}

pub fn depends(host: &str, on: &str) -> Missing {
    Missing {
        kind: MissingKind::DependsOn,
        what: format!("{on} of {host}"),
        why: "there is nothing yet that this claim could be about (V4)".into(),
        remedy: "settle that claim first".into(),
        holds_if: None,
        breaks_if: None,
    }
}
