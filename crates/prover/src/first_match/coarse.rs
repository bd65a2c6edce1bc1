//! The scan of rules that cut sources and source ports into very many parts: which effect, not which rule.
//!
//! Sources are split only as far as rules tell them apart, and each part of them keeps the ports that are not decided
//! yet. So there are never more parts than addresses, or than twice the rules.

use std::collections::BTreeMap;

use pullproof_network::set::{Addresses, Ports};

use super::doubt::{Doubt, World};
use super::scan::{Decision, Effect, Part, Pending, Rules, open_on, settle};
use crate::outcome::{Missing, MissingKind};

/// The budget: rules looked at, times the parts of the sources that are told apart (V6, `too_complex`).
const MOST_STEPS: usize = 10_000_000;
/// More parts than this in an answer are not followed.
const MOST_PARTS: usize = 1024;

/// Sources that no rule has told apart so far.
#[derive(Clone)]
struct Region<E> {
    sources: Addresses,
    /// Not decided yet.
    open: Ports,
    decided: Vec<(Decision<E>, Ports)>,
    pending: Pending<E>,
}

impl<E: Effect> Region<E> {
    /// Ports that a rule decides. Ports with one effect are kept together under the rule that decides the first of them.
    fn decide(&mut self, decision: Decision<E>, ports: &Ports) {
        self.open = self.open.subtract(ports);
        let alike = |known: &Decision<E>| match (known, &decision) {
            (Decision::Rule(_, a), Decision::Rule(_, b)) => a == b,
            (a, b) => a == b,
        };
        match self.decided.iter_mut().find(|(known, _)| alike(known)) {
            Some((known, all)) => {
                if ports.first() < all.first() {
                    *known = decision;
                }
                *all = all.union(ports);
            }
            None => self.decided.push((decision, ports.clone())),
        }
    }
}

/// What the rules do with each part; of a part, one rule that has the effect is named.
pub(super) fn coarse<R: Rules>(
    rules: &R,
    (sources, sports): (&Addresses, &Ports),
    world: &World,
    first: &mut Option<Box<Doubt>>,
) -> Vec<Part<R::Effect>> {
    let pending: Pending<R::Effect> =
        rules.unseen().map(|doubt| (None, Box::new(doubt))).into_iter().collect();
    let mut regions =
        vec![Region { sources: sources.clone(), open: sports.clone(), decided: Vec::new(), pending }];
    let mut done: Vec<Region<R::Effect>> = Vec::new();
    let mut steps = 0_usize;
    for i in 0..rules.len() {
        let mut next = Vec::with_capacity(regions.len());
        for mut region in regions {
            steps = steps.saturating_add(1);
            if rules.skips(i, &region.sources) {
                next.push(region);
                continue;
            }
            match rules.matches(i, &region.sources, &region.open, world) {
                Ok(None) => next.push(region),
                Err(doubt) => {
                    first.get_or_insert_with(|| doubt.clone());
                    region.pending.push((rules.effect(i, world).ok(), doubt));
                    next.push(region);
                }
                Ok(Some((hit, ports))) => {
                    let rest = region.sources.subtract(&hit);
                    if !rest.is_empty() {
                        next.push(Region { sources: rest, ..region.clone() });
                    }
                    region.sources = hit;
                    let decision = match rules.effect(i, world) {
                        Ok(effect) => settle(Decision::Rule(i, effect), effect, &region.pending),
                        Err(doubt) => {
                            let decision = open_on(&doubt, &region.pending);
                            first.get_or_insert(doubt);
                            decision
                        }
                    };
                    region.decide(decision, &ports);
                    if region.open.is_empty() { done.push(region) } else { next.push(region) }
                }
            }
        }
        regions = next;
        if steps > MOST_STEPS {
            return vec![over_budget(sources, sports)];
        }
    }
    for mut region in regions {
        let decision = settle(Decision::NoMatch, rules.otherwise(), &region.pending);
        let open = region.open.clone();
        region.decide(decision, &open);
        done.push(region);
    }
    let parts = together(done);
    if parts.len() > MOST_PARTS { vec![over_budget(sources, sports)] } else { parts }
}

/// Regions whose ports fare alike, as one part; the rule of the first address is named.
fn together<E: Effect>(mut regions: Vec<Region<E>>) -> Vec<Part<E>> {
    regions.sort_by_key(|region| region.sources.first());
    let mut out: Vec<Part<E>> = Vec::new();
    let mut known: BTreeMap<Ports, Vec<usize>> = BTreeMap::new();
    for region in regions {
        for (decision, sports) in region.decided {
            let same_ports = known.entry(sports.clone()).or_default();
            let alike = |i: &&usize| match (out.get(**i).map(|part| &part.decision), &decision) {
                (Some(Decision::Rule(_, a)), Decision::Rule(_, b)) => a == b,
                (Some(a), b) => a == b,
                (None, _) => false,
            };
            match same_ports.iter().find(alike).copied() {
                Some(i) => {
                    if let Some(part) = out.get_mut(i) {
                        part.sources = part.sources.union(&region.sources);
                    }
                }
                None => {
                    same_ports.push(out.len());
                    out.push(Part { sources: region.sources.clone(), sports, decision });
                }
            }
        }
    }
    out
}

fn over_budget<E>(sources: &Addresses, sports: &Ports) -> Part<E> {
    let missing = Missing {
        kind: MissingKind::TooComplex,
        what: "the rules split the sources into too many parts".into(),
        why: format!("more than {MOST_PARTS} parts, or {MOST_STEPS} steps to tell them apart"),
        remedy: "merge rules that name single addresses".into(),
        holds_if: None,
        breaks_if: None,
    };
    Part { sources: sources.clone(), sports: sports.clone(), decision: Decision::Open(vec![missing]) }
}
