//! The plan and state JSON of Terraform and OpenTofu, read as a stream: what is not needed is never held.
//!
//! Read in this order: [`instance`], [`configuration`], [`read`].

pub mod configuration;
pub mod instance;
pub mod read;

use std::collections::BTreeMap;

use serde_json::Value;

pub use configuration::Configuration;
pub use instance::{Action, Instance, Mode, Provider};

/// What a file was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Plan,
    State,
}

/// A deferred change: an instance that is not planned yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deferred {
    pub address: String,
    pub resource_type: String,
    pub reason: String,
}

/// A plan or state as far as it matters here.
#[derive(Debug)]
pub struct Plan {
    pub form: Form,
    pub format_version: String,
    pub terraform_version: Option<String>,
    /// Every instance of a resource, in order of the file, deposed objects first.
    pub instances: Vec<Instance>,
    /// Data sources with their values.
    pub data: Vec<Instance>,
    pub configuration: Configuration,
    /// Values of root variables.
    pub variables: BTreeMap<String, Value>,
    /// `(resource address, attribute path)` of what values of the plan depend on, locals and modules looked through.
    pub relevant: Vec<(String, Vec<String>)>,
    pub drift: Vec<Instance>,
    pub deferred: Vec<Deferred>,
    pub errored: bool,
    /// `Some(false)`: more rounds are needed. `None`: the writer does not say.
    pub complete: Option<bool>,
}
