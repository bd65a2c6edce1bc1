//! Symbolic answers about the typed network: effective routes, filters, lookups, walks, endpoints, admission, trust
//! and identity.
//!
//! Every question is a pure function of the network and its key, with the reads that it rests on. What lives here:
//! Azure's semantics over sets. What may not: I/O, file formats, verdicts (those are `audit`'s).
//!
//! Read in this order: [`context`] (who asks), [`outcome`], [`blocker`], [`path`], [`lookup_answer`],
//! [`registry_answer`]; then the questions.

pub mod admission;
pub mod blocker;
pub mod context;
pub mod device;
pub mod egress;
pub mod filter;
pub mod firewall;
mod first_match;
pub mod identity;
pub mod lookup;
pub mod lookup_answer;
mod memo;
mod missing;
pub mod outcome;
pub mod path;
pub mod prover;
mod query;
pub mod reads;
pub mod registry;
pub mod registry_answer;
pub mod routes;
mod stale_nodes;
pub mod trust;
mod unread;
pub mod walk;

pub use blocker::{BlockerKind, Layer, Owner};
pub use context::{Proto, SourceContext};
pub use lookup_answer::RecordType;
pub use outcome::{Assumption, Basis, Blocker, Missing, MissingKind, Outcome, Read, Remark};
pub use prover::Prover;
