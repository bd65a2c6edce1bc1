//! Whom a registry's own door admits, and what a storage service endpoint's policy lets through (F141–F150, A70–A100).
//!
//! What lives here: the decision for one way of arrival. What may not: whether the client gets there (`walk/`), and
//! which addresses serve a host (`registry/`).
//!
//! Read in this order: [`door`], [`service_endpoint_policy`].

mod answer;
pub mod door;
pub mod service_endpoint_policy;
