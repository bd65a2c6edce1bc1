//! Azure Firewall: what it lets through, as whom, and to where (F113–F140, R167–R169).
//!
//! What lives here: the order of rules, their matching over sets, and source translation. What may not: routes around
//! the firewall, and its own lookups (`lookup/`), which decide where a flow of an application rule really goes (F121).
//!
//! Built-in infrastructure rules come after all others and are never counted (F130).
//!
//! Read in this order: [`decision`], [`pass`] (the question), [`order`] and [`rule`], [`scan`] with [`host`] and
//! [`names`] (what matches), [`translation`].

pub mod decision;
mod host;
mod names;
mod order;
pub mod pass;
mod rule;
mod scan;
pub mod translation;

pub use decision::{FirewallDecision, FirewallVerdict, Translation};
pub(crate) use rule::Ordered;
