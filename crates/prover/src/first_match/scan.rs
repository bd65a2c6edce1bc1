//! The scan: rules in their order, over sets, under every combination of the unknowns that it meets.

use pullproof_network::set::{Addresses, Ports};

use super::coarse::coarse;
use super::doubt::{Asked, Doubt, World};
use crate::outcome::Missing;

/// More unknowns than this are not taken apart: the rules are then judged by F171 alone.
const MOST_UNKNOWNS: usize = 6;
/// An answer with more parts than this is given by effect, not by rule (see `coarse`).
const MOST_PARTS: usize = 256;
/// More pairs of parts than this are not compared: the rules are then judged by F171 alone.
const MOST_PAIRS: usize = 1 << 16;

/// What a rule does with what it matches.
pub(crate) trait Effect: Copy + PartialEq {
    /// The packet goes on.
    fn passes(self) -> bool;
}

/// Rules in the order in which they are tried, held against one destination, protocol and port.
pub(crate) trait Rules {
    type Effect: Effect;

    fn len(&self) -> usize;

    /// Cheap: true only if the `i`-th rule matches nothing of these sources.
    fn skips(&self, i: usize, sources: &Addresses) -> bool;

    /// The part of the region that the `i`-th rule matches; `None`: nothing of it.
    fn matches(
        &self,
        i: usize,
        sources: &Addresses,
        sports: &Ports,
        world: &World,
    ) -> Asked<Option<(Addresses, Ports)>>;

    fn effect(&self, i: usize, world: &World) -> Asked<Self::Effect>;

    /// What it amounts to when no rule matches.
    fn otherwise(&self) -> Self::Effect;

    /// Set where there may be more rules, anywhere in the order.
    fn unseen(&self) -> Option<Doubt>;
}

/// One part of the sources and source ports.
#[derive(Clone, Debug)]
pub(crate) struct Part<E> {
    pub sources: Addresses,
    pub sports: Ports,
    pub decision: Decision<E>,
}

/// What the rules do with a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision<E> {
    /// The `usize`-th rule decides.
    Rule(usize, E),
    /// No rule matches.
    NoMatch,
    /// Never empty.
    Open(Vec<Missing>),
}

impl<E: Effect> Decision<E> {
    fn effect(&self, otherwise: E) -> Option<E> {
        match self {
            Self::Rule(_, effect) => Some(*effect),
            Self::NoMatch => Some(otherwise),
            Self::Open(_) => None,
        }
    }
}

/// Rules that were passed over without being judged, with what they would do where that is known.
pub(super) type Pending<E> = Vec<(Option<E>, Box<Doubt>)>;

/// What the rules do with each part of sources × source ports. The parts are disjoint and their union is that.
pub(crate) fn decide<R: Rules>(rules: &R, sources: &Addresses, sports: &Ports) -> Vec<Part<R::Effect>> {
    if sources.is_empty() || sports.is_empty() {
        return Vec::new();
    }
    solve(rules, sources, sports, &World::default())
}

fn solve<R: Rules>(rules: &R, sources: &Addresses, sports: &Ports, world: &World) -> Vec<Part<R::Effect>> {
    let mut first = None;
    let parts = scan(rules, sources, sports, world, &mut first);
    let open = parts.iter().any(|part| matches!(part.decision, Decision::Open(_)));
    match first {
        Some(doubt) if open && world.len() < MOST_UNKNOWNS => {
            let yes = solve(rules, sources, sports, &world.with(&doubt, true));
            let no = solve(rules, sources, sports, &world.with(&doubt, false));
            if yes.len().saturating_mul(no.len()) > MOST_PAIRS {
                return parts;
            }
            merge(&yes, &no, &doubt, rules.otherwise())
        }
        _ => parts,
    }
}

/// One pass. A rule that cannot be judged in this world is remembered for the rest of the region (F171); the first
/// unknown met is handed out.
fn scan<R: Rules>(
    rules: &R,
    sources: &Addresses,
    sports: &Ports,
    world: &World,
    first: &mut Option<Box<Doubt>>,
) -> Vec<Part<R::Effect>> {
    let mut out = Vec::new();
    let asked = (sources, sports);
    // A rule that was not seen may be anywhere in the order, and do anything.
    let unseen: Pending<R::Effect> =
        rules.unseen().map(|doubt| (None, Box::new(doubt))).into_iter().collect();
    let mut work = vec![(sources.clone(), sports.clone(), 0_usize, unseen)];
    while let Some((sources, sports, from, mut pending)) = work.pop() {
        if out.len() > MOST_PARTS {
            return coarse(rules, asked, world, first);
        }
        let mut matched = None;
        for i in from..rules.len() {
            if rules.skips(i, &sources) {
                continue;
            }
            match rules.matches(i, &sources, &sports, world) {
                Ok(None) => {}
                Ok(Some(hit)) => {
                    matched = Some((i, hit));
                    break;
                }
                Err(doubt) => {
                    first.get_or_insert_with(|| doubt.clone());
                    pending.push((rules.effect(i, world).ok(), doubt));
                }
            }
        }
        let Some((i, (hit_sources, hit_sports))) = matched else {
            let decision = settle(Decision::NoMatch, rules.otherwise(), &pending);
            out.push(Part { sources, sports, decision });
            continue;
        };
        let rest_sources = sources.subtract(&hit_sources);
        if !rest_sources.is_empty() {
            work.push((rest_sources, sports.clone(), i.saturating_add(1), pending.clone()));
        }
        let rest_sports = sports.subtract(&hit_sports);
        if !rest_sports.is_empty() {
            work.push((hit_sources.clone(), rest_sports, i.saturating_add(1), pending.clone()));
        }
        let decision = match rules.effect(i, world) {
            Ok(effect) => settle(Decision::Rule(i, effect), effect, &pending),
            Err(doubt) => {
                let decision = open_on(&doubt, &pending);
                first.get_or_insert(doubt);
                decision
            }
        };
        out.push(Part { sources: hit_sources, sports: hit_sports, decision });
    }
    out
}

/// F171: rules that may match above do not matter where they would do the same.
pub(super) fn settle<E: Effect>(decision: Decision<E>, effect: E, pending: &Pending<E>) -> Decision<E> {
    let differing = pending.iter().find(|(other, _)| *other != Some(effect));
    match differing {
        None => decision,
        Some((other, doubt)) => {
            let same = other.is_some_and(|other| other.passes() == effect.passes());
            Decision::Open(vec![doubt.missing(if same { None } else { Some(!effect.passes()) })])
        }
    }
}

pub(super) fn open_on<E>(doubt: &Doubt, pending: &Pending<E>) -> Decision<E> {
    let mut missing = vec![doubt.missing(None)];
    for (_, other) in pending {
        let other = other.missing(None);
        if !missing.contains(&other) {
            missing.push(other);
        }
    }
    Decision::Open(missing)
}

/// Both answers to a doubt: equal decisions stand, others are open on it.
fn merge<E: Effect>(yes: &[Part<E>], no: &[Part<E>], doubt: &Doubt, otherwise: E) -> Vec<Part<E>> {
    let mut out: Vec<Part<E>> = Vec::new();
    for a in yes {
        for b in no {
            let (sources, sports) = (a.sources.intersect(&b.sources), a.sports.intersect(&b.sports));
            if !sources.is_empty() && !sports.is_empty() {
                out.push(Part {
                    sources,
                    sports,
                    decision: both(&a.decision, &b.decision, doubt, otherwise),
                });
            }
        }
    }
    out
}

fn both<E: Effect>(yes: &Decision<E>, no: &Decision<E>, doubt: &Doubt, otherwise: E) -> Decision<E> {
    match (yes.effect(otherwise), no.effect(otherwise)) {
        // What decides where the doubtful rule does not match is the surer one to name.
        (Some(a), Some(b)) if a == b => no.clone(),
        effects => {
            let holds = match effects {
                (Some(a), Some(b)) if a.passes() != b.passes() => Some(a.passes()),
                _ => None,
            };
            let mut missing = vec![doubt.missing(holds)];
            for decision in [yes, no] {
                if let Decision::Open(more) = decision {
                    for one in more {
                        if missing.iter().all(|known| known.what != one.what) {
                            missing.push(one.clone());
                        }
                    }
                }
            }
            Decision::Open(missing)
        }
    }
}
