//! Asking one server after the other.

use std::collections::BTreeSet;

use pullproof_snapshot::question::LookupResult;

use super::reply::{Reply, distinct, readings};
use crate::missing::contested;

/// When a client of several servers asks the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moves {
    /// A node's own resolver: after silence, SERVFAIL and REFUSED (D12), never after an answer (D11).
    Node,
    /// LocalDNS, and rulesets: after silence only (D149, D92).
    AfterSilence,
}

/// What comes of asking servers in order: the answer of the first one that has one, with what passing over the others
/// costs. `ask` gives the replies of the i-th; `names` the servers for messages.
pub(crate) fn in_order(
    names: &[String],
    moves: Moves,
    degraded: &str,
    ask: &mut dyn FnMut(usize) -> Vec<Reply>,
) -> Vec<Reply> {
    let mut memo: Vec<Option<Vec<Reply>>> = vec![None; names.len()];
    let mut ask = |i: usize| -> Vec<Reply> {
        let Some(slot) = memo.get_mut(i) else { return Vec::new() };
        slot.get_or_insert_with(|| distinct(ask(i))).clone()
    };
    distinct(from(0, names, moves, degraded, &mut ask))
}

fn from(
    at: usize,
    names: &[String],
    moves: Moves,
    degraded: &str,
    ask: &mut dyn FnMut(usize) -> Vec<Reply>,
) -> Vec<Reply> {
    let Some(name) = names.get(at) else { return Vec::new() };
    let mut out = Vec::new();
    for reply in ask(at) {
        let rest = |ask: &mut dyn FnMut(usize) -> Vec<Reply>| {
            after(&reply, name, from(at + 1, names, moves, degraded, ask), degraded)
        };
        if reply.silent || (moves == Moves::Node && !reply.is_final()) {
            out.extend(rest(ask));
            continue;
        }
        // A block's response code is not documented (DU7); and whether a forwarder that fails upstream is silent
        // itself, or says SERVFAIL, is its own matter.
        let unclear = match (moves, reply.result) {
            (_, LookupResult::Blocked) => Some("DU7"),
            (Moves::AfterSilence, LookupResult::Timeout | LookupResult::Loop) => Some("D149"),
            _ => None,
        };
        let mut settled = vec![Reply { unless_silent: Vec::new(), ..reply.clone() }];
        if at + 1 < names.len() {
            if let Some(fact) = unclear {
                let missing = || {
                    contested(
                        fact,
                        format!("whether the server after {name} is asked"),
                        "let all listed servers answer alike",
                    )
                };
                settled = readings(settled, rest(ask), missing);
            }
            if let Some(first) = reply.unless_silent.first() {
                settled = readings(settled, rest(ask), || first.clone());
            }
        } else if !reply.unless_silent.is_empty() && !fails(&reply) {
            settled = vec![Reply {
                result: LookupResult::Unknown,
                addresses: Vec::new(),
                scope: None,
                blockers: Vec::new(),
                missing: reply.unless_silent.clone(),
                unless_silent: Vec::new(),
                ..reply.clone()
            }];
        }
        out.extend(settled);
    }
    out
}

/// No client gets an address out of it, whatever it does next.
fn fails(reply: &Reply) -> bool {
    !matches!(reply.result, LookupResult::Answer | LookupResult::Unknown)
}

/// What comes of the servers after one that was passed over: `rest`, or that one's failure where none is left.
fn after(passed: &Reply, name: &str, rest: Vec<Reply>, degraded: &str) -> Vec<Reply> {
    if rest.is_empty() {
        return vec![Reply { unless_silent: Vec::new(), ..passed.clone() }];
    }
    let what = match passed.result {
        LookupResult::Servfail => "answers SERVFAIL or REFUSED",
        LookupResult::Loop => "is in a loop",
        _ => "is silent",
    };
    let note = BTreeSet::from([format!("resolver {name} {what}: {degraded}")]);
    rest.into_iter()
        .map(|mut reply| {
            if fails(&reply) && !reply.is_final() {
                // Nobody answers: every reason counts, the first server's first.
                let later = std::mem::take(&mut reply.blockers);
                reply.result = passed.result;
                reply.silent = passed.silent && reply.silent;
                reply.blockers = passed.blockers.iter().cloned().chain(later).collect();
            } else {
                reply.basis.degraded.extend(note.iter().cloned());
            }
            reply.basis.merge(&passed.basis);
            reply.steps.splice(0..0, passed.steps.iter().cloned());
            reply
        })
        .collect()
}
