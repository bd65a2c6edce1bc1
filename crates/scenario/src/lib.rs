//! Compact YAML describing an Azure estate → ARM resources as ARM GET returns them.
//!
//! What lives here: the YAML (`docs/scenario.md`), its expansion, the check of every expanded resource against
//! Microsoft's own models, the ways to write the result (NDJSON, a folder, a [`pullproof_snapshot::Snapshot`]), and
//! the generator of large estates for benchmarks. What may not: any meaning of a field for packets, names or
//! identities. What ARM always returns and a scenario does not state (provisioning states, GUIDs, default NSG rules,
//! back-references) is filled in here, always in the same way.
//!
//! Read in this order: [`yaml`], [`Scenario`], `expand`, `shape`, [`output`](Expanded), `estate`.

mod error;
mod estate;
mod expand;
mod output;
mod parse;
mod shape;
pub mod yaml;

pub use error::ScenarioError;
pub use estate::{Estate, estate};
pub use output::Expanded;
pub use parse::Scenario;
pub use shape::{ShapeError, check as check_shape};
