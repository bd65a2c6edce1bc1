//! Why a scenario cannot be used.

use crate::shape::ShapeError;

/// Every way in which a scenario can be wrong; each names the place and what was found there.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// Not YAML, a key that does not exist, or a value of the wrong kind.
    #[error("{0}")]
    Yaml(String),
    /// A name that stands for nothing, or for several things.
    #[error("{place}: no {kind} is called \"{name}\"{hint}")]
    Unresolved { place: String, kind: &'static str, name: String, hint: String },
    /// A value that the expansion cannot use.
    #[error("{place}: {message}")]
    Invalid { place: String, message: String },
    /// A resource that does not fit Microsoft's model: a wrong key or value under `properties`, or a fault of ours.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error("declared: {0}")]
    Declared(String),
    #[error("twin: {0}")]
    Twin(String),
}

impl ScenarioError {
    pub(crate) fn invalid(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Invalid { place: place.into(), message: message.into() }
    }
}
