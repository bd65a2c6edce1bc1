//! The service tag file in Microsoft's published form.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// A file with exactly these tags.
pub(crate) fn file(tags: &BTreeMap<String, Vec<String>>) -> Value {
    let values: Vec<Value> = tags
        .iter()
        .map(|(tag, prefixes)| {
            let (service, region) = tag.split_once('.').unwrap_or((tag.as_str(), ""));
            json!({
                "name": tag,
                "id": tag,
                "properties": {
                    "changeNumber": 1,
                    "region": region.to_lowercase(),
                    "regionId": 0,
                    "platform": "Azure",
                    "systemService": service,
                    "addressPrefixes": prefixes,
                    "networkFeatures": ["API", "NSG", "UDR", "FW"],
                },
            })
        })
        .collect();
    json!({"changeNumber": 1, "cloud": "Public", "values": values})
}
