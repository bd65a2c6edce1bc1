//! Asks the questions and decides: claims, verdicts, witnesses, proofs (DESIGN V1-V14).
//!
//! What lives here: which clusters and registries belong together, what each claim is about, its verdict and layer,
//! the witness and the proof. What may not: Azure's semantics (`prover`), formats (`report`), rules.
//!
//! Read in this order: [`model`], [`subjects`], [`pairs`], `host` (V5), [`decide`] (V6), `claims` (V9, V11, V13),
//! `chosen` (V6), [`run`].

pub mod applied;
mod assumptions;
pub mod baseline;
pub mod cap;
mod chosen;
mod claims;
pub mod compare;
pub mod decide;
mod host;
pub mod images;
pub mod model;
pub mod pairs;
mod print;
mod proofs;
mod run;
pub mod schema;
mod stable;
pub mod subjects;
pub mod suppressions;
mod tripwires;
mod witness;

pub use run::{Options, run};
