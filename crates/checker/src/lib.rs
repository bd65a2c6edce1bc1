//! The plain evaluator: one packet, one lookup, one request, step by step on raw JSON.
//!
//! Written for obviousness: it answers for single values only and shares no code with `network` or `prover`, so that
//! it can judge them. Three-valued throughout. It makes every [`Confirmed`] witness.
//!
//! Read in this order: [`plain`] (what is evaluated on) with `index`, [`tri`], `json`; then routes: `vnet`, `peering`,
//! `gateway`, `hub`, `routes`, `next_hop`, `first_hop`; filters: `tags`, `virtual_network_tag`, `nsg`, `admin_rules`,
//! `firewall`; paths: `device`, `egress`, `walk`, `reply`, [`path`]; then one module a question: [`lookup`],
//! [`admission`], [`endpoints`], [`identity`], [`trust`], [`confirm`].

mod admin_rules;
pub mod admission;
pub mod answer;
pub mod confirm;
mod crossed;
mod device;
mod egress;
mod endpoint_policy;
mod endpoint_state;
pub mod endpoints;
mod firewall;
mod first_hop;
#[cfg(test)]
mod fixture;
mod gateway;
mod groups;
mod hub;
pub mod identity;
mod index;
mod json;
mod kept;
pub mod lookup;
mod merge;
mod missing;
mod name_questions;
mod names;
mod next_hop;
mod nsg;
pub mod path;
mod path_answer;
mod peering;
pub mod plain;
mod pools;
mod private_endpoints;
pub mod reach;
mod registry;
mod reply;
mod resources;
mod routes;
mod site;
mod sources;
mod steps;
mod tags;
pub mod tri;
pub mod trust;
mod virtual_network_tag;
mod vnet;
mod walk;

pub use answer::answer;
pub use confirm::{Confirmed, Disagrees, Witness, confirm};
pub use plain::{Plain, Source};
pub use reach::Reach;
pub use tri::Tri;
