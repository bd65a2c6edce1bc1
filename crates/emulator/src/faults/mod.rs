//! Fault plans: what goes wrong, on which calls, and what changes in mid-run.
//!
//! What lives here: the plan's file form, which call a fault strikes, and what it does to a reply. What may not:
//! sockets (a reply says what happens on the wire), the estate (changes are edits on the snapshot).
//!
//! Read in this order: [`plan`] (the file), [`strike`] (which calls), [`apply`] (what happens), [`change`].

pub(crate) mod apply;
pub(crate) mod change;
mod plan;
pub(crate) mod strike;

pub use plan::{Change, Fault, FaultPlan, Part, PlanError, Then};
