//! Renderers: one module a format. They decide nothing; what they print stands in the report.
//!
//! [`text`] is for people, [`markdown`] for job summaries and pull requests, [`json`] is CONTRACT §3, [`sarif`] is SARIF
//! 2.1.0 for code scanning. What they share: `words`, `groups` (what is told together), `deciding` (which step decides).

mod deciding;
mod groups;
pub mod json;
pub mod markdown;
pub mod sarif;
pub mod text;
mod words;
