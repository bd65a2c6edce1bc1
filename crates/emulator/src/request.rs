//! One request, as far as an endpoint looks at it.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// A request whose body was read. Header names are in lower case; of a header that comes twice the last counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub method: String,
    /// The path as sent, without the query.
    pub path: String,
    /// The query as sent, without the question mark.
    pub query_text: String,
    /// Query parameters, decoded, in their order.
    pub query: Vec<(String, String)>,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    /// The parameter of this name, letter case aside (ARM and OData clients differ in it).
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The path's segments, decoded. Empty ones (doubled and trailing slashes) are dropped.
    pub fn segments(&self) -> Vec<String> {
        let parts = self.path.split('/').filter(|part| !part.is_empty());
        parts.map(|part| percent_decode_str(part).decode_utf8_lossy().into_owned()).collect()
    }

    /// The fields of a form body (`application/x-www-form-urlencoded`).
    pub fn form(&self) -> BTreeMap<String, String> {
        form_urlencoded::parse(&self.body).into_owned().collect()
    }

    /// The body as JSON; `Null` where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}
