//! Redaction: a snapshot with names, ids and addresses replaced consistently, every relation kept, so that its verdicts
//! are those of the original.
//!
//! What lives here: what is kept and what is replaced, and by what. What may not: any meaning of a field beyond whether
//! it says whose it is.
//!
//! Two passes: a [`Survey`] looks at every line, then its [`Redactor`] replaces line by line. Kept are the words of the
//! API, numbers, versions, times, regions, service tags, FQDN tags, built-in roles, names that Azure gives a meaning,
//! and suffixes of host names that are the same for everybody. Replaced is every other string, known field or not; prose
//! is left out.
//!
//! What an attacker who knows the estate still learns: how many things there are and how they hang together, lengths of
//! prefixes, their order and places within subnets, ports, versions, regions, and which names are equal. Where prefixes
//! fill a reserved block without a gap, there is nothing to move them to, and they stay.
//!
//! Read in this order: this file (the walk), `words` and `keys` (what is kept), `names`, `ids`, `addresses`, `text` (one
//! string), `survey`, then `condition`, `certificate`, `declared`, `file`, `secret`.

mod addresses;
mod certificate;
mod condition;
mod declared;
mod file;
mod ids;
mod keys;
mod names;
mod secret;
mod survey;
mod text;
mod words;

use std::net::IpAddr;

use serde_json::{Map, Value};

pub use declared::DeclaredError;
pub use file::{FileError, file};
pub use secret::{NoRandomness, Secret};
pub use survey::Survey;

use addresses::Map as Addresses;
use names::Names;
use text::Spot;

/// Replaces what its survey has seen.
pub struct Redactor {
    names: Names,
    map: Addresses,
}

impl Redactor {
    /// The redacted form of a line of a snapshot, a resource, or a list of them. Deterministic: it depends on the secret,
    /// the line, and what was surveyed.
    pub fn line(&self, json: &Value) -> Value {
        if survey::is_tag_list(json) {
            return self.tag_list(json);
        }
        self.value(Spot::default(), json)
    }

    /// What a name, id, host name or address outside a snapshot has become: a cluster named on the command line, the
    /// subject of an audit.
    pub fn word(&self, text: &str) -> String {
        self.text(Spot::default(), text)
    }

    /// What an address has become.
    pub fn address(&self, address: IpAddr) -> IpAddr {
        self.map.address(address)
    }

    /// Microsoft's list is public; only the id of the subscription that was asked is not.
    fn tag_list(&self, json: &Value) -> Value {
        let mut out = json.clone();
        if let Some(id) = out.get_mut("id")
            && let Some(text) = id.as_str()
        {
            *id = Value::String(self.names.id(text));
        }
        out
    }

    fn value(&self, spot: Spot<'_>, json: &Value) -> Value {
        match json {
            Value::Object(object) if object.contains_key("$unknown") => self.hole(spot, object),
            Value::Object(object) => self.object(spot, object),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.value(spot, item)).collect()),
            Value::String(text) => Value::String(self.text(spot, text)),
            Value::Null | Value::Bool(_) | Value::Number(_) => json.clone(),
        }
    }

    fn object(&self, spot: Spot<'_>, object: &Map<String, Value>) -> Value {
        let id = object.get("id").and_then(Value::as_str).filter(|id| ids::is_id(id));
        let mut out = Map::new();
        for (key, value) in object {
            // Keys of the user's own say nothing about their values.
            let here =
                if keys::has_free_keys(spot.key) { Spot::default() } else { Spot { parent: spot.key, key } };
            let value = match value {
                // A name is the last part of the id beside it, whatever that part is relative to.
                Value::String(name) if key == "name" && id.is_some_and(|id| ends_in(id, name)) => {
                    let id = self.names.id(id.unwrap_or_default());
                    Value::String(id.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned())
                }
                // A record set's name, relative to the zone that its full name ends in.
                Value::String(name) if key == "recordSetName" => {
                    let full = object.get("fqdn").and_then(Value::as_str).unwrap_or_default();
                    let zone = full.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.'));
                    Value::String(self.names.below(name, zone.unwrap_or("")))
                }
                Value::String(text) if keys::has_free_keys(spot.key) && keys::is_kept_tag(key) => {
                    Value::String(self.names.name(text))
                }
                other => self.value(here, other),
            };
            out.insert(self.key(spot, key), value);
        }
        Value::Object(out)
    }

    fn key(&self, spot: Spot<'_>, key: &str) -> String {
        if ids::is_id(key) {
            return self.names.id(key);
        }
        let folded = key.to_ascii_lowercase();
        let free = keys::has_free_keys(spot.key) && !keys::is_kept_tag(key);
        if !free && keys::is_api_key(key, self.names.known.names.contains(&folded)) || keys::is_kept_tag(key)
        {
            return key.to_owned();
        }
        self.text(Spot::default(), key)
    }

    /// An unknown value: its name is replaced as one word, its domain as the value would be.
    fn hole(&self, spot: Spot<'_>, hole: &Map<String, Value>) -> Value {
        let mut out = Map::new();
        for (key, value) in hole {
            let value = match (key.as_str(), value) {
                ("$unknown", Value::String(name)) => {
                    let (before, rest) = words::after_known_beginning(name).unwrap_or(("", name));
                    Value::String(format!("{before}{}", self.names.token(rest)))
                }
                ("within", within) => self.value(spot, within),
                (key, value) => self.value(Spot { parent: spot.key, key }, value),
            };
            out.insert(key.clone(), value);
        }
        Value::Object(out)
    }
}

fn ends_in(id: &str, name: &str) -> bool {
    let last = id.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    !name.is_empty() && last.eq_ignore_ascii_case(name)
}

#[cfg(test)]
mod redact_tests;
