//! Why something could not be read.

use std::io;

/// Why collecting cannot begin or go on at all. Everything less is a gap in the snapshot.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{what}: {why}; {remedy}")]
    Option { what: &'static str, why: String, remedy: &'static str },
    #[error("no token for {audience}: {why}")]
    Credential { audience: String, why: String },
    #[error("nothing in scope could be read: {0}")]
    Scope(String),
    #[error("the snapshot cannot be written: {0}")]
    Write(#[from] io::Error),
    #[error("the HTTP client cannot be made: {0}")]
    Client(String),
}

/// Why one call failed, after all retries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The HTTP status; `None` where no answer came.
    pub status: Option<u16>,
    /// ARM's error code, or one of ours: `Timeout`, `Connection`, `InvalidAnswer`, `PagingLoop`, `ForeignHost`,
    /// `Deadline`, `Cancelled`, `Credential`.
    pub code: String,
    pub message: String,
}

impl Failure {
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { status: None, code: code.into(), message: message.into() }
    }

    /// The run was ended from outside, or by its own deadline: not a fault of the thing that was asked.
    pub fn is_end(&self) -> bool {
        matches!(self.code.as_str(), "Cancelled" | "Deadline")
    }
}
