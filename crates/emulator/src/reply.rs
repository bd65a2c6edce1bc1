//! One reply, before it is written to the wire.

use std::time::Duration;

use serde_json::{Value, json};

/// What is sent back.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub status: u16,
    /// In the order in which they are sent; names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// What the fault plan does to the wire.
    pub wire: Wire,
}

/// How the bytes reach the client.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wire {
    pub delay: Duration,
    /// The connection is reset before a byte of the answer is sent.
    pub reset: bool,
    /// The whole length is announced, and the connection closed after so many bytes of the body.
    pub cut_after: Option<usize>,
}

impl Reply {
    pub fn bytes(status: u16, content_type: &str, body: Vec<u8>) -> Self {
        let headers = vec![
            ("cache-control".to_owned(), "no-cache".to_owned()),
            ("content-type".to_owned(), content_type.to_owned()),
        ];
        Self { status, headers, body, wire: Wire::default() }
    }

    pub fn json(status: u16, body: &Value) -> Self {
        Self::bytes(status, "application/json; charset=utf-8", body.to_string().into_bytes())
    }

    /// An error in ARM's envelope; where the gateway (not the resource provider) found it, Azure says so in a header
    /// \[recorded\].
    pub fn arm_error(status: u16, code: &str, message: &str) -> Self {
        Self::json(status, &json!({"error": {"code": code, "message": message}}))
            .with("x-ms-failure-cause", "gateway")
    }

    /// An error of a resource provider: the same envelope, with details, without the gateway's header \[recorded\].
    pub fn provider_error(status: u16, code: &str, message: &str) -> Self {
        Self::json(status, &json!({"error": {"code": code, "message": message, "details": []}}))
    }

    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.retain(|(key, _)| key != name);
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}
