//! The answer to "what does this asker get for that name". Data only.

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{LookupResult, Missing};

use crate::outcome::{Basis, Blocker};
use crate::path::Step;

/// Every way in which the lookup can end, after the client's own retries (V3). Never empty.
#[derive(Clone, Debug)]
pub struct LookupAnswers {
    pub ends: Vec<LookupEnd>,
    /// Resolvers that are proven silent and passed over, and what else only slows the lookup.
    pub basis: Basis,
}

/// One possible end of a lookup.
#[derive(Clone, Debug)]
pub struct LookupEnd {
    pub result: LookupResult,
    /// Empty with `Answer` and `Public`: a public address that is not known.
    pub addresses: Vec<IpAddr>,
    pub scope: Option<Scope>,
    pub cname: Vec<String>,
    /// The resolver that was asked, first.
    pub server: String,
    /// How this end can come about (V3).
    pub when: When,
    /// For results that are failures: why, with the deciding element.
    pub blockers: Vec<Blocker>,
    /// For `Unknown`: what would settle it.
    pub missing: Vec<Missing>,
    pub steps: Vec<Step>,
    pub basis: Basis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    Private,
    Public,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// The resolver asked first answers so, or the first that is not proven silent.
    First,
    /// One of several that may be asked at random.
    Random,
    /// Asked only when an earlier resolver, which is expected to answer, is silent: "resolvers disagree".
    EarlierSilent,
}

/// Who looks the name up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LookupBy {
    Node,
    /// An Azure Firewall, for an application rule (F121, D177).
    Firewall(ArmId),
}

/// The type of record that is asked for. Private endpoints of registries are IPv4 only (D55).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordType {
    A,
    Aaaa,
}
