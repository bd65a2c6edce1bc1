//! Trust: is the certificate that will be served one that the node trusts, for this name (A350–A356).
//!
//! What lives here: who presents which certificate, and which authorities nodes trust by supported configuration.
//! What may not: cipher suites, revocation, and what is really served right now.
//!
//! Read in this order: [`presented`] (which certificate), [`trusted`] (which authorities), [`ask`].

#![allow(clippy::result_large_err, reason = "what is missing is part of the answer, and rare")]

mod ask;
mod certificate;
mod presented;
mod trusted;
