//! What a firewall looks up for itself when its application rule takes a flow over (F121): a claim of its own.

use pullproof_prover::lookup_answer::{LookupEnd, Scope, When};
use pullproof_prover::path::{SeenAs, Target};
use pullproof_prover::{Basis, BlockerKind, Outcome};
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::LookupResult;

use super::reasons::{fails_all, open_all};
use super::way::by_source;
use super::{HostAnswer, Work};
use crate::decide::Piece;

impl Work<'_, '_> {
    /// A claim of its own for every firewall whose application rule carries the flow: it resolves for itself (F121).
    pub(super) fn firewall_lookups(&mut self, answer: &mut HostAnswer) {
        let mut firewalls: Vec<(ArmId, Option<SeenAs>)> = Vec::new();
        for (_, path) in &answer.paths {
            for branch in &path.branches {
                if let Some(id) = &branch.proxied_by
                    && !firewalls.iter().any(|(known, _)| known == id)
                {
                    firewalls.push((id.clone(), branch.seen_as.clone()));
                }
            }
        }
        for (id, seen_as) in firewalls {
            let firewalls = self.prover.network.firewalls.iter();
            let Some(ix) = firewalls.into_iter().find(|(_, f)| f.id == id).map(|(ix, _)| ix) else {
                continue;
            };
            let lookup = self.prover.firewall_lookup(ix, &self.endpoint.host);
            let mut basis = lookup.basis.clone();
            basis.merge(&self.serving.basis);
            let (mut pieces, mut ends) = (Vec::new(), Vec::new());
            for end in &lookup.ends {
                basis.merge(&end.basis);
                let public = end.scope == Some(Scope::Public);
                for part in by_source(seen_as.as_ref().filter(|_| public), |s| self.public_admission(s)) {
                    let outcome = self.firewall_end(end, part.seen_as.as_ref(), &mut basis);
                    let mut choices = part.choices;
                    if end.when == When::Random {
                        choices.push(format!("resolver={}", end.server));
                    }
                    pieces.push(Piece {
                        sources: self.from.sources.clone(),
                        sports: self.from.sports.clone(),
                        destination: String::new(),
                        choices,
                        outcome,
                    });
                    ends.push(end.clone());
                }
            }
            answer.by_firewall.insert(id, (pieces, ends, basis));
        }
    }

    /// Whether an end of the firewall's own lookup is served and admits the firewall.
    pub(super) fn firewall_end(
        &self,
        end: &LookupEnd,
        seen_as: Option<&SeenAs>,
        basis: &mut Basis,
    ) -> Outcome {
        match end.result {
            LookupResult::Answer => {}
            LookupResult::Unknown => return open_all(&end.missing, &self.endpoint.host),
            LookupResult::Nxdomain
            | LookupResult::Nodata
            | LookupResult::Servfail
            | LookupResult::Timeout
            | LookupResult::Blocked
            | LookupResult::Loop => return fails_all(&end.blockers, end, &self.endpoint.host),
        }
        if self.serves_what_answers || (self.serving.private.is_empty() && end.scope == Some(Scope::Public)) {
            return Outcome::Holds;
        }
        if end.scope == Some(Scope::Public) {
            let (admitted, admission_basis) = self.public_admission(seen_as);
            basis.merge(&admission_basis);
            return match admitted {
                Outcome::Fails(..) => {
                    let target = self.public_targets().into_iter().next();
                    let target = target.unwrap_or_else(|| Target::PublicHost {
                        host: self.endpoint.host.clone(),
                        tags: Vec::new(),
                    });
                    Outcome::fails(self.wrong(&target, end, BlockerKind::PublicAnswer))
                }
                other => other,
            };
        }
        let mut outcome = Outcome::Holds;
        for address in &end.addresses {
            let target = Target::Address(*address);
            if self.serving.private.iter().any(|s| s.address == *address) {
                continue;
            }
            let kind = if self.serving.not_serving.iter().any(|s| s.address == *address) {
                BlockerKind::SwappedRecord
            } else {
                BlockerKind::StaleRecord
            };
            outcome = outcome.and(match self.serving.missing.first() {
                Some(missing) if kind == BlockerKind::StaleRecord => Outcome::open(missing.clone()),
                _ => Outcome::fails(self.wrong(&target, end, kind)),
            });
        }
        outcome
    }

    pub(super) fn public_admission(&self, seen_as: Option<&SeenAs>) -> (Outcome, Basis) {
        super::way::public_admission(self.prover, self.registry, self.endpoint, seen_as)
    }
}
