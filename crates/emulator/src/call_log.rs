//! The log of calls: what was asked, of whom, and how it ended.

use std::sync::{Mutex, PoisonError};

/// Which part of the emulator a call was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Endpoint {
    Arm,
    ResourceGraph,
    /// Token and discovery endpoints.
    Identity,
    /// `/metadata/endpoints`.
    Metadata,
}

/// One call that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// From 1, in the order in which calls came.
    pub number: u64,
    pub endpoint: Endpoint,
    pub method: String,
    /// As sent, without the query.
    pub path: String,
    /// The query as sent; of Resource Graph the text of the KQL query.
    pub query: String,
    /// The resource types that the call is about, as written in it.
    pub types: Vec<String>,
    /// The actions that Azure checks for it, such as `Microsoft.Network/virtualNetworks/read`.
    pub actions: Vec<String>,
    pub status: u16,
    /// Length of the answer's body.
    pub bytes: usize,
    /// The faults of the plan that struck, by name.
    pub faults: Vec<String>,
}

/// The calls so far.
#[derive(Default)]
pub(crate) struct Log(Mutex<Vec<Call>>);

impl Log {
    pub fn push(&self, call: Call) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }

    pub fn calls(&self) -> Vec<Call> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        calls.sort_by_key(|call| call.number);
        calls
    }
}
