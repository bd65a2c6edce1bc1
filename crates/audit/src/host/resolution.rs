//! Whether every way in which a lookup can end leads to an address that serves (V3, V5).

use pullproof_prover::lookup_answer::{LookupAnswers, LookupEnd, Scope, When};
use pullproof_prover::path::Target;
use pullproof_prover::registry_answer::RegistryKey;
use pullproof_prover::{Basis, Blocker, BlockerKind, Missing, Outcome};
use pullproof_snapshot::question::{LookupResult, Reach};

use super::reasons::{declared_elsewhere, depends, disagree, fails_all, open_all, who_is_there};
use super::way::Meets;
use super::{Work, show};
use crate::decide::Piece;

impl Work<'_, '_> {
    /// One piece for every way in which the lookup can end.
    pub(super) fn resolution(&mut self, lookup: &LookupAnswers) -> Vec<(Piece, LookupEnd, Basis)> {
        let mut out = Vec::new();
        let first_holds: Vec<Outcome> =
            lookup.ends.iter().filter(|e| e.when != When::EarlierSilent).map(|end| self.end(end).0).collect();
        let first_is_fine = !first_holds.is_empty() && first_holds.iter().all(Outcome::holds);
        for end in &lookup.ends {
            let (outcome, basis) = self.end(end);
            let outcome = match (&end.when, &outcome) {
                (When::EarlierSilent, Outcome::Holds) => continue,
                (When::EarlierSilent, _) if first_is_fine => Outcome::open(disagree(end)),
                (When::EarlierSilent, _) => continue,
                (When::First | When::Random, _) => outcome,
            };
            let choices =
                if end.when == When::Random { vec![format!("resolver={}", end.server)] } else { Vec::new() };
            let piece = Piece {
                sources: self.from.sources.clone(),
                sports: self.from.sports.clone(),
                destination: String::new(),
                choices,
                outcome,
            };
            out.push((piece, end.clone(), basis));
        }
        out
    }

    /// Whether one end of the lookup, after the client's retries, is a member of S* (or what stands in for it).
    pub(super) fn end(&mut self, end: &LookupEnd) -> (Outcome, Basis) {
        let mut basis = end.basis.clone();
        let outcome = match end.result {
            LookupResult::Answer => self.answer(end, &mut basis),
            LookupResult::Unknown => open_all(&end.missing, &self.endpoint.host),
            LookupResult::Nxdomain
            | LookupResult::Nodata
            | LookupResult::Servfail
            | LookupResult::Timeout
            | LookupResult::Blocked
            | LookupResult::Loop => fails_all(&end.blockers, end, &self.endpoint.host),
        };
        (outcome, basis)
    }

    pub(super) fn answer(&mut self, end: &LookupEnd, basis: &mut Basis) -> Outcome {
        let targets: Vec<Target> = if end.addresses.is_empty() {
            self.public_targets()
        } else {
            end.addresses.iter().map(|a| Target::Address(*a)).collect()
        };
        if targets.is_empty() {
            return Outcome::open(depends(&self.endpoint.host, "an address of the host"));
        }
        let public = end.scope == Some(Scope::Public);
        let mut outcome = Outcome::Holds;
        let mut good = 0_usize;
        let mut skipped: Vec<(Target, Blocker)> = Vec::new();
        let mut doubtful: Vec<(Target, Blocker)> = Vec::new();
        for target in targets {
            match self.member(&target, end) {
                Member::Good => good += 1,
                Member::Open(missing) => outcome = outcome.and(Outcome::open(missing)),
                Member::Wrong(blocker) => match self.way(&target).meets(public) {
                    Meets::Nobody => skipped.push((target, blocker)),
                    Meets::Somebody => outcome = outcome.and(Outcome::fails(blocker)),
                    Meets::Unknown => doubtful.push((target, blocker)),
                },
            }
        }
        if good == 0 && outcome.holds() {
            // None of them serves: it does not matter who is there instead.
            return match doubtful.into_iter().chain(skipped).next() {
                Some((_, blocker)) => Outcome::fails(blocker),
                None => Outcome::open(depends(&self.endpoint.host, "an address of the host")),
            };
        }
        for (target, _) in doubtful {
            outcome = outcome.and(Outcome::open(who_is_there(&self.endpoint.host, &show(&target))));
        }
        for (target, _) in skipped {
            basis.degraded.insert(format!(
                "slow first connect: the answer for {} also holds {}, which cannot be reached",
                self.endpoint.host,
                show(&target)
            ));
        }
        outcome
    }

    pub(super) fn member(&mut self, target: &Target, end: &LookupEnd) -> Member {
        if self.good().contains(target) {
            return Member::Good;
        }
        let public = end.scope == Some(Scope::Public);
        if self.admitted.contains(target) && !public {
            return Member::Wrong(self.wrong(target, end, BlockerKind::ForeignRecord));
        }
        let not_serving =
            self.serving.not_serving.iter().find(|s| Target::Address(s.address) == *target).cloned();
        if self.admitted.is_empty() {
            // S is empty: the answer has to belong to the registry, and admission says why it is no use (V5).
            if public || not_serving.is_some() || self.serves_what_answers {
                return Member::Good;
            }
        }
        if public {
            if matches!(self.registry, RegistryKey::Declared(_)) && self.endpoint.reach == Reach::Public {
                return Member::Open(declared_elsewhere(&self.endpoint.host));
            }
            return Member::Wrong(self.wrong(target, end, BlockerKind::PublicAnswer));
        }
        if not_serving.is_some() {
            return Member::Wrong(self.wrong(target, end, BlockerKind::SwappedRecord));
        }
        if let Some(missing) = self.serving.missing.first() {
            return Member::Open(missing.clone());
        }
        Member::Wrong(self.wrong(target, end, BlockerKind::StaleRecord))
    }

    pub(super) fn wrong(&self, target: &Target, end: &LookupEnd, kind: BlockerKind) -> Blocker {
        if let Some(named) = end.blockers.iter().find(|b| b.kind == kind) {
            return named.clone();
        }
        let host = &self.endpoint.host;
        let served: Vec<String> = self.good().iter().map(show).collect();
        let served = if served.is_empty() { "nowhere that was read".to_owned() } else { served.join(", ") };
        let what = match kind {
            BlockerKind::PublicAnswer => "a public address",
            BlockerKind::ForeignRecord => "an address of the registry that this subnet cannot reach",
            BlockerKind::SwappedRecord => "an address that does not serve this host",
            _ => "an address that no endpoint of the registry has",
        };
        Blocker {
            kind,
            message: format!(
                "{host} resolves to {} ({what}), from {}; it is served at {served}",
                show(target),
                end.server
            ),
            remedy: String::new(),
            facts: match kind {
                BlockerKind::PublicAnswer => vec!["D172", "A100"],
                BlockerKind::ForeignRecord => vec!["D75", "D74"],
                BlockerKind::SwappedRecord => vec!["D75", "A99a"],
                _ => vec!["D75", "A99"],
            },
            evidence: end
                .steps
                .iter()
                .rev()
                .find(|s| !s.by.is_empty())
                .map(|s| s.by.clone())
                .unwrap_or_default(),
        }
    }
}

pub(super) enum Member {
    Good,
    Open(Missing),
    Wrong(Blocker),
}
