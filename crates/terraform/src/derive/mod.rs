//! What Azure does by itself once the plan is applied: states of peerings, interfaces and records of private endpoints,
//! links between hubs and what is in them.
//!
//! What lives here: one file a family, each citing its facts. What may not: arguments of Terraform.

pub(crate) mod endpoint;
pub(crate) mod hub;
pub(crate) mod peering;
pub(crate) mod registry;
pub(crate) mod states;
