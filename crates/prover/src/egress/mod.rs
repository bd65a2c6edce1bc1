//! Leaving Azure's private space: by which outbound method, and as whom (routing.md L, M).
//!
//! What lives here: what stands between a subnet whose route says `Internet` and the public address. What may not:
//! which route is taken (`routes/`), and what a firewall lets through (`firewall/`).
//!
//! Read in this order: [`method`] (outbound methods in their precedence, R202), [`translated`] (public addresses).

pub mod method;
pub mod translated;

use crate::outcome::{Basis, Outcome};
use crate::path::{SeenAs, Step};

/// How packets leave.
#[derive(Clone, Debug)]
pub(crate) struct Leaving {
    pub outcome: Outcome,
    /// What the destination sees.
    pub seen_as: Option<SeenAs>,
    pub steps: Vec<Step>,
    pub basis: Basis,
}

/// Who sends the packet to the Internet edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// A new node of a pool.
    Pool(pullproof_network::model::index::PoolIx),
    Nic(pullproof_network::model::index::NicIx),
    /// Some machine of the subnet.
    Machine,
}
