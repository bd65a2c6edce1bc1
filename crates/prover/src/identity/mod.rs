//! Identity: may the kubelet identity read the repositories (A300–A316).
//!
//! What lives here: principals, role assignments and definitions, conditions, deny assignments, tenants, pull secrets.
//! What may not: networks.
//!
//! Read in this order: [`puller`] (who pulls), [`permission`] (what a role lets do), [`condition`], [`scope`],
//! [`grants`] (which assignments let it pull), [`deny`], [`attached`], [`secret`]; then [`ask`].

#![allow(clippy::result_large_err, reason = "what is missing is part of the answer, and rare")]

mod ask;
mod attached;
mod condition;
mod credential;
mod deny;
mod grants;
mod permission;
mod puller;
mod scope;
mod secret;
