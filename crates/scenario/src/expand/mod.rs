//! From the YAML as written to ARM resources.
//!
//! What lives here: one module a family of resources, each turning its part of the document into JSON in ARM's form.
//! What may not: reading YAML (`parse`), writing files (`output`).
//!
//! Order of work: every resource gets its id, so that names can stand before what they name; stated addresses are
//! reserved; resources are built; back-references and overrides are laid over them; each is held against Microsoft's
//! model; unchecked overrides come last.
//!
//! Read in this order: [`expansion`], [`naming`], [`addresses`], [`filler`], then any family.

mod addresses;
pub(crate) mod builtin_roles;
mod cluster;
mod declared;
mod expansion;
pub(crate) mod filler;
mod firewall;
mod gateway;
mod identity;
mod machine;
mod names;
mod naming;
mod node_resource_group;
mod peering;
mod prepare;
mod private_endpoint;
mod registry;
mod security_group;
mod service_tags;
mod subscription;
pub(crate) mod types;
mod virtual_network;
mod virtual_wan;

pub(crate) use expansion::{expand, expand_unchecked};
