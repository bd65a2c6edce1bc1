//! Registries: the hosts that a pull touches, and where each is served (registry-and-aks.md §2, §3, §5, §12).
//!
//! What lives here: the set of endpoints, the addresses that serve them, their public front ends. What may not:
//! names being resolved (`lookup/`), and who is admitted (`admission/`).
//!
//! Read in this order: [`host`], [`endpoints`], [`serving`], [`front_end`], [`foreign_layers`], [`answer`].

#![allow(clippy::result_large_err, reason = "what is missing is part of the answer, and rare")]

pub mod answer;
pub mod endpoints;
pub mod foreign_layers;
mod front_end;
pub(crate) mod host;
pub(crate) mod serving;
