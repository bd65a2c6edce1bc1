//! What a resolver replies, and how several possible replies become one.

use std::collections::BTreeSet;
use std::net::IpAddr;

use pullproof_snapshot::question::{LookupAnswer, LookupResult, Missing};

use crate::plain::Plain;
use crate::resources::all;

/// A reply (D1). An answer without addresses is one at a public address that nothing states (D2).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    pub result: LookupResult,
    pub addresses: BTreeSet<IpAddr>,
    pub cname: Vec<String>,
    /// What decided, in order: ARM ids, or `host:<address>` of a declared server.
    pub by: Vec<String>,
    pub missing: Vec<Missing>,
    /// A forwarder was reached, and what it asks is silent: silence or SERVFAIL, which of them is not known.
    pub upstream_silent: bool,
}

impl Reply {
    pub(crate) fn of(result: LookupResult) -> Self {
        Self {
            result,
            addresses: BTreeSet::new(),
            cname: Vec::new(),
            by: Vec::new(),
            missing: Vec::new(),
            upstream_silent: false,
        }
    }

    pub(crate) fn answer(addresses: impl IntoIterator<Item = IpAddr>) -> Self {
        Self { addresses: addresses.into_iter().collect(), ..Self::of(LookupResult::Answer) }
    }

    pub(crate) fn unknown(missing: Vec<Missing>) -> Self {
        Self { missing, ..Self::of(LookupResult::Unknown) }
    }

    /// The same with one more decider in front.
    pub(crate) fn after(mut self, by: impl Into<String>) -> Self {
        self.by.insert(0, by.into());
        self
    }

    /// The same reached through an alias.
    pub(crate) fn through(mut self, alias: &str) -> Self {
        self.cname.insert(0, alias.to_owned());
        self
    }

    pub(crate) fn is_unknown(&self) -> bool {
        self.result == LookupResult::Unknown
    }

    /// Silence: nothing comes back.
    pub(crate) fn is_silence(&self) -> bool {
        self.result == LookupResult::Timeout
    }

    /// A client goes on to its next server after this (D12): silence, SERVFAIL, REFUSED.
    pub(crate) fn moves_on(&self) -> bool {
        matches!(self.result, LookupResult::Timeout | LookupResult::Servfail | LookupResult::Loop)
    }

    /// Both known, and a client sees the same.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        !self.is_unknown() && self.result == other.result && self.addresses == other.addresses
    }

    fn in_words(&self) -> String {
        let result = format!("{:?}", self.result).to_lowercase();
        match self.addresses.len() {
            0 if self.result == LookupResult::Answer => "answer, public address".to_owned(),
            0 => result,
            _ => {
                let list: Vec<String> = self.addresses.iter().map(ToString::to_string).collect();
                format!("{result} {}", list.join(" "))
            }
        }
    }

    /// The answer as it is printed. An address is private when it is one by its range, or lies in a virtual network.
    pub(crate) fn printed(self, plain: &Plain) -> LookupAnswer {
        let answered = self.result == LookupResult::Answer;
        let private = self.addresses.iter().any(|address| is_private(plain, *address));
        LookupAnswer {
            result: self.result,
            addresses: self.addresses.iter().map(ToString::to_string).collect(),
            scope: answered.then(|| if private { "private" } else { "public" }.to_owned()),
            cname: self.cname,
            by: self.by,
            missing: if self.result == LookupResult::Unknown { self.missing } else { Vec::new() },
        }
    }
}

/// The one reply that all possible ones agree on; else unknown (V6): what the unknown ones lack, and where known ones
/// differ `why` and each of them.
pub(crate) fn agreed(replies: Vec<Reply>, why: &Missing) -> Reply {
    let known: Vec<&Reply> = replies.iter().filter(|reply| !reply.is_unknown()).collect();
    let differ = known.windows(2).any(|pair| matches!(pair, [a, b] if !a.agrees_with(b)));
    if let (Some(first), false, true) = (known.first(), differ, known.len() == replies.len()) {
        return (*first).clone();
    }
    let mut missing: Vec<Missing> = Vec::new();
    if differ || replies.is_empty() {
        missing.push(why.clone());
        for reply in known {
            let last = reply.by.last().map(|by| format!(" by {by}")).unwrap_or_default();
            missing
                .push(Missing { what: format!("{}: {}{last}", why.what, reply.in_words()), ..why.clone() });
        }
    }
    let mut by: Vec<String> = Vec::new();
    for reply in replies {
        missing.extend(reply.missing);
        by.extend(reply.by);
    }
    let mut seen = BTreeSet::new();
    missing.retain(|m| seen.insert(m.clone()));
    let mut seen = BTreeSet::new();
    by.retain(|id| seen.insert(id.clone()));
    Reply { by, ..Reply::unknown(missing) }
}

fn is_private(plain: &Plain, address: IpAddr) -> bool {
    let by_range = match address {
        IpAddr::V4(v4) => v4.is_private() || (v4.octets()[0] == 100 && v4.octets()[1] & 0xc0 == 64),
        IpAddr::V6(v6) => v6.is_unique_local(),
    };
    by_range
        || all(plain, "microsoft.network/virtualnetworks").iter().any(|vnet| {
            let prefixes = vnet.node().prefixes("/properties/addressSpace/addressPrefixes");
            prefixes.known.iter().any(|prefix| prefix.contains(&address))
        })
}
