//! Rules: from causes to findings, by Rego; and the catalogue that docs, `rules show` and SARIF share.
//!
//! A rule never changes a verdict (V14). What lives here: loading (`rules/<layer>/*.rego`, embedded, and the user's
//! own), evaluation, severities, suppressions, the pages of the catalogue. What may not: Azure's semantics.
//!
//! Read in this order: [`metadata`], [`Rules`], `apply`, `given`, `suppress`, [`page`].

mod apply;
mod given;
pub mod metadata;
pub mod page;
mod rules;
mod suppress;

pub use metadata::Rule;
pub use rules::{RuleError, Rules};
