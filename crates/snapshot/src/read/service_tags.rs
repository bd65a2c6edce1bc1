//! Service tag lists: Microsoft's published file (F74) and what the `serviceTags` API answers (F77).

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde_json::Value;

use crate::gap::Gap;
use crate::snapshot::TagList;

/// True when the object is a list of service tags.
pub(super) fn is_list(json: &Value) -> bool {
    json.get("values").is_some_and(Value::is_array)
        && (json.get("changeNumber").is_some() || json.get("cloud").is_some())
}

/// The list, and what of it could not be read. A tag whose prefixes are not all understood is left out: an unknown
/// tag is not an empty one.
pub(super) fn read(json: &Value, file: &str) -> (TagList, Vec<Gap>) {
    let text = |key: &str| match json.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let cloud = text("cloud");
    let mut list = TagList {
        file: file.to_owned(),
        cloud: if cloud.is_empty() { "Public".into() } else { cloud },
        change_number: text("changeNumber"),
        tags: BTreeMap::new(),
    };
    let mut trouble = Vec::new();
    let mut gap = |i: usize, name: &str, reason: &str| {
        trouble.push(Gap {
            operation: Some("serviceTags".into()),
            pointer: Some(format!("/values/{i}")),
            reason: Some(format!("service tag {name:?}: {reason}")),
            file: Some(file.to_owned()),
            ..Gap::default()
        });
    };
    let mut twice = Vec::new();
    for (i, value) in json.get("values").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let Some(name) = value.get("name").and_then(Value::as_str) else {
            gap(i, "", "has no name");
            continue;
        };
        let prefixes = value.pointer("/properties/addressPrefixes").and_then(Value::as_array);
        let Some(prefixes) = prefixes else {
            gap(i, name, "has no addressPrefixes");
            continue;
        };
        let prefixes: Option<Vec<String>> =
            prefixes.iter().map(|p| p.as_str().filter(|p| is_prefix(p)).map(str::to_owned)).collect();
        let Some(prefixes) = prefixes else {
            gap(i, name, "an address prefix cannot be read");
            continue;
        };
        match list.tags.insert(name.to_owned(), prefixes.clone()) {
            Some(before) if before != prefixes => {
                gap(i, name, "listed twice with different prefixes");
                twice.push(name.to_owned());
            }
            _ => {}
        }
    }
    for name in twice {
        list.tags.remove(&name);
    }
    (list, trouble)
}

/// True when `text` is an address, or an address with a prefix length that fits it.
fn is_prefix(text: &str) -> bool {
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length)),
        None => (text, None),
    };
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let most = if address.is_ipv4() { 32 } else { 128 };
    length.is_none_or(|length| length.parse::<u8>().is_ok_and(|length| length <= most))
}
