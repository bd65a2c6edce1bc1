//! Rows of Resource Graph whose shape differs from ARM's (D34).

use serde_json::{Map, Value};

use crate::id::ArmId;

const ZONES: &str = "microsoft.network/privatednszones/";

/// Record type → (ARM's field, whether it is a list).
const RECORDS: &[(&str, &str, bool)] = &[
    ("a", "aRecords", true),
    ("aaaa", "aaaaRecords", true),
    ("cname", "cnameRecord", false),
    ("mx", "mxRecords", true),
    ("ptr", "ptrRecords", true),
    ("soa", "soaRecord", false),
    ("srv", "srvRecords", true),
    ("txt", "txtRecords", true),
];

/// True for the type of a record set of a private DNS zone.
pub(super) fn is_record_set(resource_type: &str) -> bool {
    kind_of(resource_type).is_some()
}

fn kind_of(resource_type: &str) -> Option<&'static (&'static str, &'static str, bool)> {
    let kind = resource_type.strip_prefix(ZONES)?;
    RECORDS.iter().find(|(name, _, _)| *name == kind)
}

/// A row of the table `dnsresources` as ARM returns the record set, with the zone as parent (D34). `None` where the
/// row has ARM's shape already.
pub fn record_set(row: Value) -> Option<(ArmId, Value)> {
    let Value::Object(mut row) = row else { return None };
    let records = row.get("properties")?.get("records")?.as_array()?.clone();
    let written = ArmId::new(row.get("id")?.as_str()?);
    let resource_type = written
        .resource_type()
        .filter(|t| is_record_set(t))
        .or_else(|| Some(row.get("type")?.as_str()?.to_ascii_lowercase()))?;
    let (kind, field, is_list) = kind_of(&resource_type)?;
    let name = row.get("name").and_then(Value::as_str).unwrap_or(written.name()).to_owned();
    let id = with_zone(&written, kind, &name, row.get("managedBy").and_then(Value::as_str));
    let zone = id.parent().map(|zone| zone.name().to_owned()).unwrap_or_default();

    let mut properties = match row.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Map::new(),
    };
    properties.remove("records");
    if *is_list {
        properties.insert((*field).into(), Value::Array(records));
    } else if let Some(only) = records.into_iter().next() {
        properties.insert((*field).into(), only);
    }
    if properties.get("virtualNetworkId").is_some_and(|v| v.as_str().is_some_and(|v| !v.is_empty())) {
        properties.insert("isAutoRegistered".into(), Value::Bool(true));
    }
    properties.entry("fqdn").or_insert_with(|| {
        Value::String(if name == "@" { format!("{zone}.") } else { format!("{name}.{zone}.") })
    });
    row.insert("id".into(), Value::String(id.as_written().to_owned()));
    row.insert("name".into(), Value::String(name));
    row.insert(
        "type".into(),
        Value::String(format!("Microsoft.Network/privateDnsZones/{}", kind.to_uppercase())),
    );
    row.insert("properties".into(), Value::Object(properties));
    Some((id, Value::Object(row)))
}

/// The row's id where it already lies below a zone, else one below the zone that `managed_by` names.
fn with_zone(written: &ArmId, kind: &str, name: &str, managed_by: Option<&str>) -> ArmId {
    let below_a_zone = written
        .parent()
        .and_then(|zone| zone.resource_type())
        .is_some_and(|t| t == "microsoft.network/privatednszones");
    let zone = match managed_by {
        _ if below_a_zone => return written.clone(),
        Some(zone) if zone.starts_with('/') => zone.trim_end_matches('/').to_owned(),
        Some(zone) if !zone.is_empty() => {
            let scope = written.as_written();
            let scope = scope.find("/providers/").and_then(|end| scope.get(..end)).unwrap_or(scope);
            format!("{scope}/providers/Microsoft.Network/privateDnsZones/{zone}")
        }
        _ => return written.clone(),
    };
    ArmId::new(&format!("{zone}/{}/{name}", kind.to_uppercase()))
}
