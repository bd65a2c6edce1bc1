//! Resource Graph: one POST, a query, rows.
//!
//! What lives here: tables and the shape of their rows (which differs from ARM's, D34), the part of KQL that
//! collectors and `az graph query` send, pages. What may not: joins, and what the snapshot holds (`estate`).
//!
//! Read in this order: [`tables`] (which type is a row of which table), [`row`], [`lex`], [`parse`], [`eval`],
//! [`stages`], [`answer`](answer()).

mod answer;
mod eval;
mod lex;
mod parse;
mod row;
mod stages;
mod tables;

pub(crate) use answer::{GraphCall, answer, named_types};

/// Why a query is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct QueryError(pub String);
