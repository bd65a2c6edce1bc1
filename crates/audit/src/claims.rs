//! From answers to claims: verdict, layer (V9), witness (V13), what is missing, assumptions, proof.

use std::collections::BTreeSet;
use std::sync::Arc;

use pullproof_checker::Plain;
use pullproof_prover::{Basis, Blocker, Missing, MissingKind};
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{Role, VerdictWord};

use crate::decide::{Decided, Piece, decide, undetermined};
use crate::host::{HostAnswer, depends};
use crate::model::{Claim, Counterexample, Direction, EndpointRef, Extent, Layer, MissingOut, Reached};
use crate::print::{self, Printer};
use crate::proofs::{PathPart, Unprinted};
use crate::stable;
use crate::witness::{self, Confirmation, Subject};

/// A claim with what does not go into the report as it stands.
#[derive(Clone)]
pub struct Made {
    pub claim: Claim,
    pub path: Option<Unprinted>,
    pub basis: Basis,
    pub contradiction: Option<String>,
}

impl Made {
    /// Makes the claim undetermined: what is missing could change it.
    pub fn reopen(&mut self, missing: &[Missing]) {
        let claim = &mut self.claim;
        claim.verdict = VerdictWord::Undetermined;
        claim.extent = None;
        claim.degraded.clear();
        claim.fails_for = None;
        claim.holds_for = None;
        claim.blockers.clear();
        claim.counterexample = None;
        claim.missing = missing.iter().map(print::missing).collect::<BTreeSet<_>>().into_iter().collect();
    }
}

/// What all claims of one audit share.
pub struct Maker<'a, 'n> {
    pub audit: &'a str,
    pub subject: &'a Subject,
    pub plain: &'a Plain,
    pub printer: &'a Printer<'n>,
    pub strict: bool,
}

/// The parts of a claim before its verdict is known.
struct Draft<'a> {
    layer: Layer,
    direction: Option<Direction>,
    asker: String,
    endpoint: Option<EndpointRef>,
    pieces: &'a [Piece],
    behind: &'a [Blocker],
    basis: Basis,
    empty: Missing,
}

impl Maker<'_, '_> {
    /// The claims about one host, in the order of V8's work. `replicas` are the regions whose data hosts are all needed.
    pub fn host(&self, answer: &Arc<HostAnswer>, replicas: &[String]) -> Vec<Made> {
        let endpoint = EndpointRef {
            host: answer.endpoint.host.clone(),
            port: answer.endpoint.port,
            roles: answer.endpoint.roles.clone(),
        };
        let host = &answer.endpoint.host;
        let mut out = Vec::new();
        let draft = |layer, direction, pieces, basis: &Basis, behind| Draft {
            layer,
            direction,
            asker: "node".to_owned(),
            endpoint: Some(endpoint.clone()),
            pieces,
            behind,
            basis: basis.clone(),
            empty: depends(host, "an address"),
        };
        let on = |wanted: Layer| -> Vec<Blocker> {
            answer.behind.iter().filter(|b| b.kind.layer() == wanted).cloned().collect()
        };
        let (routing_behind, filter_behind) = (on(Layer::Routing), on(Layer::Filtering));

        let forward = draft(
            Layer::Routing,
            Some(Direction::Forward),
            &answer.forward,
            &answer.path_basis,
            &routing_behind,
        );
        let packet = |piece: &Piece, layer, direction| {
            witness::packet(self.plain, self.subject, piece, &answer.endpoint, layer, direction)
        };
        let mut made = self.make(forward, |piece, _| packet(piece, Layer::Routing, Direction::Forward));
        made.path = Some(Unprinted::new(answer, PathPart::Forward));
        out.push(made);

        let back = draft(Layer::Routing, Some(Direction::Return), &answer.back, &answer.path_basis, &[]);
        let mut made = self.make(back, |piece, _| packet(piece, Layer::Routing, Direction::Return));
        made.path = Some(Unprinted::new(answer, PathPart::Back));
        out.push(made);

        let filters = draft(Layer::Filtering, None, &answer.filters, &answer.filter_basis, &filter_behind);
        let mut made = self.make(filters, |piece, _| packet(piece, Layer::Filtering, Direction::Forward));
        made.path = Some(Unprinted::new(answer, PathPart::Forward));
        out.push(made);

        let resolution = draft(Layer::Resolution, None, &answer.resolution, &answer.resolution_basis, &[]);
        let mut made = self.make(resolution, |piece, i| match answer.ends.get(i) {
            Some(end) => witness::lookup(
                self.plain,
                self.subject,
                piece,
                end,
                &answer.endpoint,
                &answer.accepted,
                None,
            ),
            None => Confirmation::Unknown(vec![witness::unconfirmed()]),
        });
        made.path = Some(Unprinted::new(answer, PathPart::Lookup));
        out.push(made);

        for (firewall, (pieces, ends, basis)) in &answer.by_firewall {
            let mut by = draft(Layer::Resolution, None, pieces, basis, &[]);
            by.asker = firewall.as_written().to_owned();
            let mut made = self.make(by, |piece, i| match ends.get(i) {
                Some(end) => witness::lookup(
                    self.plain,
                    self.subject,
                    piece,
                    end,
                    &answer.endpoint,
                    &answer.accepted,
                    Some(firewall),
                ),
                None => Confirmation::Unknown(vec![witness::unconfirmed()]),
            });
            made.path = Some(Unprinted::new(answer, PathPart::LookupBy(firewall.clone())));
            out.push(made);
        }
        if let Some(region) = &answer.endpoint.region {
            for made in &mut out {
                by_replica(&mut made.claim, region, replicas);
            }
        }
        out
    }

    /// A claim with one part: trust, identity, the completeness of the set of hosts.
    pub fn single(
        &self,
        layer: Layer,
        endpoint: Option<EndpointRef>,
        piece: &Piece,
        basis: Basis,
        witness: impl FnMut(&Piece, usize) -> Confirmation,
    ) -> Made {
        let draft = Draft {
            layer,
            direction: None,
            asker: "node".to_owned(),
            endpoint,
            pieces: std::slice::from_ref(piece),
            behind: &[],
            basis,
            empty: depends(self.audit, "the claim"),
        };
        self.make(draft, witness)
    }

    fn make(&self, draft: Draft<'_>, mut witness: impl FnMut(&Piece, usize) -> Confirmation) -> Made {
        let mut decided = decide(draft.pieces, || draft.empty.clone());
        let mut counterexample = None;
        let mut contradiction = None;
        if decided.verdict == VerdictWord::Disproven {
            match first_confirmed(&decided, draft.pieces, &mut witness) {
                Confirmation::Confirmed(found) => counterexample = Some(found),
                Confirmation::Unknown(missing) => {
                    decided =
                        undetermined(if missing.is_empty() { vec![witness::unconfirmed()] } else { missing });
                }
                Confirmation::Contradicted(text) => {
                    contradiction = Some(text);
                    decided = undetermined(vec![witness::unconfirmed()]);
                }
            }
        }
        if self.strict && decided.verdict != VerdictWord::Undetermined && !draft.basis.assumptions.is_empty()
        {
            decided = undetermined(draft.basis.assumptions.iter().map(|a| strict(&a.0)).collect());
            counterexample = None;
        }
        self.finish(draft, decided, counterexample, contradiction)
    }

    fn finish(
        &self,
        draft: Draft<'_>,
        decided: Decided,
        counterexample: Option<Counterexample>,
        contradiction: Option<String>,
    ) -> Made {
        let proven = decided.verdict == VerdictWord::Proven;
        let mut blockers: Vec<_> =
            decided.blockers.iter().map(|b| self.printer.blocker(b, Reached::Actual)).collect();
        if decided.verdict == VerdictWord::Disproven {
            for blocker in draft.behind {
                let behind = self.printer.blocker(blocker, Reached::Behind);
                if !blockers.iter().any(|b| b.id == behind.id) {
                    blockers.push(behind);
                }
            }
        }
        let missing: BTreeSet<MissingOut> = decided.missing.iter().map(print::missing).collect();
        let claim = Claim {
            id: self.claim_id(&draft),
            layer: draft.layer,
            aspect: None,
            endpoint: draft.endpoint,
            asker: draft.asker,
            direction: draft.direction,
            verdict: decided.verdict,
            extent: decided.extent,
            degraded: if proven { draft.basis.degraded.clone() } else { BTreeSet::new() },
            fails_for: decided.fails_for,
            holds_for: decided.holds_for,
            blockers,
            counterexample,
            proof: None,
            missing: missing.into_iter().collect(),
            assumptions: draft.basis.assumptions.iter().map(|a| a.0.clone()).collect(),
        };
        Made { claim, path: None, basis: draft.basis, contradiction }
    }

    fn claim_id(&self, draft: &Draft<'_>) -> String {
        let host = draft.endpoint.as_ref().map(|e| format!("{}:{}", e.host, e.port)).unwrap_or_default();
        let asker = ArmId::new(&draft.asker);
        stable::id(
            "c-",
            &[
                self.audit,
                &format!("{:?}", draft.layer),
                &host,
                asker.folded(),
                &draft.direction.map(|d| format!("{d:?}")).unwrap_or_default(),
            ],
        )
    }
}

/// Which replica serves a pull varies (V2, A41): what fails for one replica's host fails for pulls that it serves, and
/// holds for those that another serves (V7).
fn by_replica(claim: &mut Claim, region: &str, replicas: &[String]) {
    let others: Vec<String> =
        replicas.iter().filter(|r| *r != region).map(|r| format!("replica={r}")).collect();
    if claim.verdict != VerdictWord::Disproven || others.is_empty() {
        return;
    }
    claim.extent = Some(Extent::Some);
    claim.fails_for.get_or_insert_default().choices.push(format!("replica={region}"));
    claim.holds_for.get_or_insert_default().choices.extend(others);
}

/// The first failing piece, in the fixed order, whose witness is confirmed; else what stands against it.
fn first_confirmed(
    decided: &Decided,
    pieces: &[Piece],
    witness: &mut impl FnMut(&Piece, usize) -> Confirmation,
) -> Confirmation {
    let mut unknown = Vec::new();
    for i in decided.failing.iter().copied().take(WITNESSES) {
        let Some(piece) = pieces.get(i) else { continue };
        match witness(piece, i) {
            Confirmation::Unknown(missing) => unknown.extend(missing),
            settled => return settled,
        }
    }
    Confirmation::Unknown(unknown)
}

/// How many failing pieces are tried for a confirmed witness.
const WITNESSES: usize = 4;

fn strict(assumption: &str) -> Missing {
    Missing {
        kind: MissingKind::Declare,
        what: format!("the assumption {assumption}"),
        why: "with strict, what is declared or assumed counts as not known (V12)".into(),
        remedy: "let Azure show it, or run without strict".into(),
        holds_if: None,
        breaks_if: None,
    }
}

/// V9: on a host other than the login host, a claim that is not proven belongs to `endpoints` exactly when the login
/// host's claim of the same aspect, direction and asker has a better verdict.
pub fn layers(claims: &mut [Claim]) {
    let login = claims.iter().find_map(|c| {
        c.endpoint.as_ref().filter(|e| e.roles.contains(&Role::Login)).map(|e| (e.host.clone(), e.port))
    });
    let of_login: Vec<(Layer, Option<Direction>, String, VerdictWord)> = claims
        .iter()
        .filter(|c| is_login(c, login.as_ref()))
        .map(|c| (c.layer, c.direction, c.asker.clone(), c.verdict))
        .collect();
    for claim in claims.iter_mut() {
        let aspect = matches!(claim.layer, Layer::Routing | Layer::Filtering | Layer::Resolution);
        if claim.endpoint.is_none()
            || !aspect
            || claim.verdict == VerdictWord::Proven
            || is_login(claim, login.as_ref())
        {
            continue;
        }
        let better = of_login.iter().any(|(layer, direction, asker, verdict)| {
            *layer == claim.layer
                && *direction == claim.direction
                && *asker == claim.asker
                && rank(*verdict) < rank(claim.verdict)
        });
        if better {
            claim.aspect = Some(claim.layer);
            claim.layer = Layer::Endpoints;
        }
    }
}

fn is_login(claim: &Claim, login: Option<&(String, u16)>) -> bool {
    claim
        .endpoint
        .as_ref()
        .is_some_and(|e| login.is_some_and(|(host, port)| e.host == *host && e.port == *port))
}

/// Proven is better than undetermined, which is better than disproven.
pub fn rank(verdict: VerdictWord) -> u8 {
    match verdict {
        VerdictWord::Proven => 0,
        VerdictWord::Undetermined => 1,
        VerdictWord::Disproven => 2,
    }
}

/// V11: the audit's verdict, its first failing layer and its extent.
pub fn verdict(claims: &[Claim]) -> (VerdictWord, Option<Layer>, Option<Extent>) {
    let worst =
        claims.iter().map(|c| c.verdict).max_by_key(|v| rank(*v)).unwrap_or(VerdictWord::Undetermined);
    if worst == VerdictWord::Proven {
        return (worst, None, None);
    }
    let of_worst = claims.iter().filter(|c| c.verdict == worst);
    let layer = of_worst.clone().map(|c| c.layer).min();
    let extents: Vec<Extent> = of_worst.filter_map(|c| c.extent).collect();
    let extent = if extents.is_empty() {
        None
    } else if extents.contains(&Extent::All) {
        Some(Extent::All)
    } else {
        Some(Extent::Some)
    };
    (worst, layer, extent)
}
