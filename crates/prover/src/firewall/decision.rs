//! What a firewall does with part of a flow. Data only.

use pullproof_network::set::{Addresses, Ports};

use crate::outcome::{Basis, Blocker, Missing};
use crate::path::{SeenAs, Step};

/// One part of the question; the parts are disjoint and their union is the question.
#[derive(Clone, Debug)]
pub struct FirewallDecision {
    pub sources: Addresses,
    pub sports: Ports,
    pub verdict: FirewallVerdict,
    pub steps: Vec<Step>,
    pub basis: Basis,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirewallVerdict {
    /// A network rule: the packet goes on to the same destination (F119), with this source.
    Network(Translation),
    /// An application rule: the firewall connects to what *its own* lookup of the host gives (F121), always with a
    /// source of its own (F135): ask [`crate::Prover::firewall_translation`] once that address is known.
    Application {
        /// The rule terminates TLS: the node sees a certificate of the firewall's authority (F137).
        terminates_tls: bool,
    },
    Deny(Blocker),
    Open(Missing, Vec<Missing>),
}

/// The source that the packet has after the firewall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Translation {
    /// The packet keeps its source (F135: network rule to a private range).
    Keeps,
    /// One of the firewall's own private addresses: each of these is possible (R169, F135).
    Private(Addresses),
    /// One of the firewall's public addresses.
    Public(SeenAs),
    Open(Missing),
}
