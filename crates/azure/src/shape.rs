//! From an element of an answer to the resource that a snapshot holds: ARM's shape, without secrets.

use std::borrow::Cow;
use std::fmt;

use memchr::memmem;
use pullproof_snapshot::{ArmId, read};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::types::{Kept, ReadType};

/// Columns of Resource Graph that ARM has too; the others repeat what the id says.
const COLUMNS: &[&str] = &[
    "id",
    "name",
    "type",
    "tenantId",
    "kind",
    "location",
    "managedBy",
    "sku",
    "plan",
    "properties",
    "tags",
    "identity",
    "zones",
    "etag",
];

/// The type of record sets, as the table of what is read names it.
pub(crate) const RECORDS: &str = "Microsoft.Network/privateDnsZones/ALL";
/// The types of record sets (D34).
pub(crate) const RECORD_TYPES: [&str; 8] = ["A", "AAAA", "CNAME", "MX", "PTR", "SOA", "SRV", "TXT"];

/// A resource as it is written.
pub(crate) struct Shaped {
    pub id: ArmId,
    pub text: Vec<u8>,
}

/// The members of an object, in order, unparsed.
pub(crate) struct Members<'a>(pub Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.get(name)?.get()).ok()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut out = Vec::new();
                while let Some(key) = map.next_key::<Key<'de>>()? {
                    out.push((key.0, map.next_value()?));
                }
                Ok(Members(out))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// The id and the type that an element says of itself.
pub(crate) fn identify(raw: &RawValue) -> Option<(ArmId, String)> {
    #[derive(Deserialize)]
    struct Head<'a> {
        #[serde(borrow)]
        id: Cow<'a, str>,
        #[serde(borrow, default, rename = "type")]
        kind: Option<Cow<'a, str>>,
    }
    let head: Head<'_> = serde_json::from_str(raw.get()).ok()?;
    if !head.id.starts_with('/') {
        return None;
    }
    let id = ArmId::new(&head.id);
    let kind = id.resource_type().or_else(|| head.kind.map(|kind| kind.to_ascii_lowercase()))?;
    Some((id, kind))
}

/// The element as a snapshot holds it; the error says why it cannot be.
pub(crate) fn shape(raw: &RawValue, row: &ReadType, from_graph: bool) -> Result<Shaped, String> {
    let (id, _) = identify(raw).ok_or("an element without an id")?;
    if row.kept == Kept::Presence {
        return presence(id, raw);
    }
    if row.name == RECORDS {
        let value: Value = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
        // The table `dnsresources` has a shape of its own (D34).
        return match read::record_set(value) {
            Some((id, json)) => Ok(Shaped { id, text: json.to_string().into_bytes() }),
            None => Ok(Shaped { id, text: raw.get().as_bytes().to_vec() }),
        };
    }
    let text = if from_graph { arm_row(raw)? } else { raw.get().as_bytes().to_vec() };
    Ok(Shaped { id, text: without_secrets(text, row) })
}

fn arm_row(raw: &RawValue) -> Result<Vec<u8>, String> {
    let members: Members<'_> = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
    let mut out = Vec::with_capacity(raw.get().len());
    out.push(b'{');
    for (key, value) in &members.0 {
        let text = value.get();
        if !COLUMNS.contains(&key.as_ref()) || matches!(text, "null" | "\"\"") {
            continue;
        }
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(Value::from(key.as_ref()).to_string().as_bytes());
        out.push(b':');
        out.extend_from_slice(text.as_bytes());
    }
    out.push(b'}');
    Ok(out)
}

fn presence(id: ArmId, raw: &RawValue) -> Result<Shaped, String> {
    let members: Members<'_> = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
    let state = members.get("properties").and_then(|properties| {
        let properties: Members<'_> = serde_json::from_str(properties.get()).ok()?;
        properties.text("provisioningState")
    });
    let mut json = Map::new();
    json.insert("id".into(), id.as_written().into());
    for key in ["name", "type", "location"] {
        if let Some(text) = members.text(key) {
            json.insert(key.into(), text.into());
        }
    }
    let properties = state.map_or_else(|| json!({}), |state| json!({ "provisioningState": state }));
    json.insert("properties".into(), properties);
    Ok(Shaped { id, text: Value::Object(json).to_string().into_bytes() })
}

/// Where URLs of proxies may carry a user's name and password.
const PROXIES: [&str; 2] =
    ["/properties/httpProxyConfig/httpProxy", "/properties/httpProxyConfig/httpsProxy"];

fn without_secrets(text: Vec<u8>, row: &ReadType) -> Vec<u8> {
    let Kept::AllBut(pointers) = row.kept else { return text };
    let names_one = pointers.iter().any(|pointer| {
        let last = pointer.rsplit('/').next().unwrap_or_default();
        memmem::find(&text, last.as_bytes()).is_some()
    });
    let proxy = memmem::find(&text, b"httpProxyConfig").is_some();
    if !names_one && !proxy {
        return text;
    }
    let Ok(mut json) = serde_json::from_slice::<Value>(&text) else { return text };
    for pointer in pointers {
        drop_at(&mut json, pointer);
    }
    for pointer in PROXIES {
        if let Some(Value::String(url)) = json.pointer_mut(pointer) {
            *url = without_user(url);
        }
    }
    json.to_string().into_bytes()
}

fn drop_at(json: &mut Value, pointer: &str) {
    let Some((first, rest)) = pointer.trim_start_matches('/').split_once('/') else {
        if let Value::Object(object) = json {
            object.retain(|key, _| !key.eq_ignore_ascii_case(pointer.trim_start_matches('/')));
        }
        return;
    };
    match json {
        Value::Array(items) if first == "*" => items.iter_mut().for_each(|item| drop_at(item, rest)),
        Value::Object(object) if first == "*" => object.values_mut().for_each(|item| drop_at(item, rest)),
        Value::Object(object) => {
            let inside = object.iter_mut().filter(|(key, _)| key.eq_ignore_ascii_case(first));
            inside.for_each(|(_, item)| drop_at(item, rest));
        }
        _ => {}
    }
}

/// `http://user:password@host` without what is before the host.
fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let host_end = rest.find('/').unwrap_or(rest.len());
    let (authority, path) = rest.split_at(host_end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

/// The folded ids of resources that a text names, as far as they lie in a subscription: those before the first
/// blank or quote.
pub(crate) fn references(text: &[u8]) -> impl Iterator<Item = String> + '_ {
    memmem::find_iter(text, b"\"/subscriptions/").filter_map(|at| {
        let rest = text.get(at.checked_add(1)?..)?;
        let end = memchr::memchr(b'"', rest)?;
        let id = std::str::from_utf8(rest.get(..end)?).ok()?;
        Some(id.to_ascii_lowercase())
    })
}

/// The folded id of the resource that stands by itself at or above an id: of a subnet its network.
pub(crate) fn standalone(folded: &str) -> Option<&str> {
    let provider = folded.rfind("/providers/")?;
    let start = provider.checked_add("/providers/".len())?;
    let mut end = start;
    for part in folded.get(start..)?.split('/').take(3) {
        end = end.checked_add(part.len())?.checked_add(1)?;
    }
    folded.get(..end.saturating_sub(1)).filter(|id| id.matches('/').count() >= 6)
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
