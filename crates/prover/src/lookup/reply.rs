//! What a resolver hands back, before the client's own retries.

use std::net::IpAddr;

use pullproof_snapshot::At;
use pullproof_snapshot::question::LookupResult;

use crate::lookup_answer::Scope;
use crate::outcome::{Basis, Blocker, Missing};
use crate::path::{Step, StepDecision, StepKind};

/// One way in which a question to a resolver can come out. Where a resolver has several, each of them can happen
/// (random upstreams, sources that fare differently); what is merely not known is one reply with `Unknown`.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub result: LookupResult,
    pub addresses: Vec<IpAddr>,
    pub scope: Option<Scope>,
    pub cname: Vec<String>,
    /// Of failures: why. Of public answers: where the private chain was lost (D172), the outermost reason first.
    pub blockers: Vec<Blocker>,
    pub missing: Vec<Missing>,
    pub steps: Vec<Step>,
    pub basis: Basis,
    /// The resolver itself does not respond (D12): nobody is there, or the packet does not get there and back.
    pub silent: bool,
    /// The reply holds if the resolver can be reached; whether it can hangs on these.
    pub unless_silent: Vec<Missing>,
    /// One of several upstreams that may be asked at random (D121): which.
    pub random: Option<String>,
    /// The server that the client asked.
    pub server: Option<String>,
}

impl Reply {
    fn of(result: LookupResult) -> Self {
        Self {
            result,
            addresses: Vec::new(),
            scope: None,
            cname: Vec::new(),
            blockers: Vec::new(),
            missing: Vec::new(),
            steps: Vec::new(),
            basis: Basis::default(),
            silent: false,
            unless_silent: Vec::new(),
            random: None,
            server: None,
        }
    }

    pub fn answer(addresses: Vec<IpAddr>, scope: Scope) -> Self {
        Self { addresses, scope: Some(scope), ..Self::of(LookupResult::Answer) }
    }

    pub fn failure(result: LookupResult, blocker: Blocker) -> Self {
        Self { blockers: vec![blocker], ..Self::of(result) }
    }

    /// The resolver does not respond.
    pub fn silence(blockers: Vec<Blocker>) -> Self {
        Self { blockers, silent: true, ..Self::of(LookupResult::Timeout) }
    }

    pub fn unknown(missing: Missing) -> Self {
        Self { missing: vec![missing], ..Self::of(LookupResult::Unknown) }
    }

    /// True exactly when no client asks another server after it (D11). A policy's block is final here; what the
    /// client does after it is not documented (DU7), see `client`.
    pub fn is_final(&self) -> bool {
        match self.result {
            LookupResult::Answer
            | LookupResult::Nxdomain
            | LookupResult::Nodata
            | LookupResult::Blocked
            | LookupResult::Unknown => true,
            LookupResult::Servfail | LookupResult::Timeout | LookupResult::Loop => false,
        }
    }

    /// The same for the client, whatever the way there.
    pub fn same(&self, other: &Self) -> bool {
        self.result == other.result
            && self.scope == other.scope
            && self.addresses == other.addresses
            && self.missing == other.missing
    }

    /// An answer at a public address that nothing states (D2), from a resolver that can be reached for certain.
    pub fn is_somewhere_public(&self) -> bool {
        self.result == LookupResult::Answer
            && self.scope == Some(Scope::Public)
            && self.addresses.is_empty()
            && self.unless_silent.is_empty()
    }

    /// Puts a step before the others.
    pub fn after(mut self, step: Step) -> Self {
        self.steps.insert(0, step);
        self
    }

    /// Puts the names that led here before its own.
    pub fn through(mut self, names: &[String]) -> Self {
        self.cname.splice(0..0, names.iter().cloned());
        self
    }

    pub fn resting_on(mut self, basis: &Basis) -> Self {
        self.basis.merge(basis);
        self
    }

    /// For an answer from public DNS: one more reason why it is not the private one, before the others.
    pub fn lost(mut self, blocker: Blocker) -> Self {
        if self.scope == Some(Scope::Public) {
            self.blockers.insert(0, blocker);
        }
        self
    }
}

/// All replies that are different, each with what all alike ones rest on.
pub(crate) fn distinct(replies: Vec<Reply>) -> Vec<Reply> {
    let mut out: Vec<Reply> = Vec::new();
    for reply in replies {
        match out.iter_mut().find(|known| {
            known.same(&reply) && known.silent == reply.silent && known.unless_silent == reply.unless_silent
        }) {
            Some(known) => known.basis.merge(&reply.basis),
            None => out.push(reply),
        }
    }
    out
}

/// True exactly when both readings give the client the same.
pub(crate) fn alike(a: &[Reply], b: &[Reply]) -> bool {
    let covered = |a: &[Reply], b: &[Reply]| a.iter().all(|x| b.iter().any(|y| x.same(y)));
    covered(a, b) && covered(b, a)
}

/// The contested-fact rule (DESIGN §2) for replies: equal readings stand, else it is not known.
pub(crate) fn readings(a: Vec<Reply>, b: Vec<Reply>, missing: impl FnOnce() -> Missing) -> Vec<Reply> {
    if alike(&a, &b) {
        let basis: Vec<Basis> = b.into_iter().map(|r| r.basis).collect();
        return a.into_iter().map(|r| basis.iter().fold(r, |r, b| r.resting_on(b))).collect();
    }
    let mut reply = Reply::unknown(missing());
    for other in a.iter().chain(&b) {
        reply.basis.merge(&other.basis);
        if other.result == LookupResult::Unknown {
            reply.missing.extend(
                other.missing.iter().filter(|m| !reply.missing.contains(m)).cloned().collect::<Vec<_>>(),
            );
        }
    }
    vec![reply]
}

/// A step of a lookup.
pub(crate) fn step(
    kind: StepKind,
    device: impl Into<String>,
    decision: StepDecision,
    text: impl Into<String>,
    by: Vec<At>,
    facts: Vec<&'static str>,
) -> Step {
    Step { kind, device: device.into(), decision, text: text.into(), by, facts, deciding: false }
}
