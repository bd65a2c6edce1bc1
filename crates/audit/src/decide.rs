//! From the parts of a claim to its verdict (V6): proven iff every part holds, disproven iff some part fails whatever
//! the unknowns are, else undetermined. An empty claim is never proven (V4).

use pullproof_network::set::{Addresses, Ports};
use pullproof_prover::{Blocker, Missing, Outcome};
use pullproof_snapshot::question::VerdictWord;

use crate::model::{Extent, Part};

/// One part of a claim in which everything fares alike.
#[derive(Clone, Debug)]
pub struct Piece {
    pub sources: Addresses,
    pub sports: Ports,
    /// The destination address or host; empty where there is none.
    pub destination: String,
    /// `what=value`.
    pub choices: Vec<String>,
    pub outcome: Outcome,
}

/// A verdict with everything that it stands on.
#[derive(Clone, Debug)]
pub struct Decided {
    pub verdict: VerdictWord,
    pub extent: Option<Extent>,
    pub blockers: Vec<Blocker>,
    pub missing: Vec<Missing>,
    pub fails_for: Option<Part>,
    pub holds_for: Option<Part>,
    /// Indices of failing pieces, in the order in which a witness is looked for.
    pub failing: Vec<usize>,
}

/// `empty` is what is missing when there are no pieces at all.
pub fn decide(pieces: &[Piece], empty: impl FnOnce() -> Missing) -> Decided {
    let mut failing: Vec<usize> = Vec::new();
    let mut missing: Vec<Missing> = Vec::new();
    let mut blockers: Vec<Blocker> = Vec::new();
    let mut holding = 0_usize;
    for (i, piece) in pieces.iter().enumerate() {
        match &piece.outcome {
            Outcome::Holds => holding += 1,
            Outcome::Fails(..) => {
                failing.push(i);
                for blocker in piece.outcome.blockers() {
                    if !blockers.contains(blocker) {
                        blockers.push(blocker.clone());
                    }
                }
            }
            Outcome::Open(..) => missing.extend(piece.outcome.missing().into_iter().cloned()),
        }
    }
    missing.sort();
    missing.dedup();
    if pieces.is_empty() {
        return undetermined(vec![empty()]);
    }
    if failing.is_empty() {
        if missing.is_empty() {
            return Decided {
                verdict: VerdictWord::Proven,
                extent: None,
                blockers: Vec::new(),
                missing: Vec::new(),
                fails_for: None,
                holds_for: None,
                failing,
            };
        }
        return undetermined(missing);
    }
    failing.sort_by_key(|i| order(pieces, *i));
    let all = failing.len() == pieces.len();
    let part = |wanted: fn(&Outcome) -> bool| part_of(pieces.iter().filter(|p| wanted(&p.outcome)));
    Decided {
        verdict: VerdictWord::Disproven,
        extent: Some(if all { Extent::All } else { Extent::Some }),
        blockers,
        missing: Vec::new(),
        fails_for: (!all).then(|| part(|o| matches!(o, Outcome::Fails(..)))),
        holds_for: (!all && holding > 0).then(|| part(Outcome::holds)),
        failing,
    }
}

pub fn undetermined(missing: Vec<Missing>) -> Decided {
    Decided {
        verdict: VerdictWord::Undetermined,
        extent: None,
        blockers: Vec::new(),
        missing,
        fails_for: None,
        holds_for: None,
        failing: Vec::new(),
    }
}

/// The fixed order of witnesses (V13): destination, source, port, choices.
fn order(pieces: &[Piece], i: usize) -> (String, Option<std::net::IpAddr>, Option<u16>, Vec<String>) {
    match pieces.get(i) {
        Some(p) => (p.destination.clone(), p.sources.first(), p.sports.first(), p.choices.clone()),
        None => (String::new(), None, None, Vec::new()),
    }
}

fn part_of<'a>(pieces: impl Iterator<Item = &'a Piece>) -> Part {
    let mut sources = Addresses::default();
    let mut destinations = Vec::new();
    let mut choices = Vec::new();
    for piece in pieces {
        sources = sources.union(&piece.sources);
        if !piece.destination.is_empty() {
            destinations.push(piece.destination.clone());
        }
        choices.extend(piece.choices.iter().cloned());
    }
    destinations.sort();
    destinations.dedup();
    choices.sort();
    choices.dedup();
    Part { sources: sources.prefixes().iter().map(ToString::to_string).collect(), destinations, choices }
}
