//! Renderers: one module a format. They decide nothing; what they print stands in the report.
//!
//! [`text`] is for people, [`json`] is CONTRACT §3, [`sarif`] is SARIF 2.1.0 for code scanning.

pub mod json;
pub mod sarif;
pub mod text;
