//! Rows: what a resource looks like in Resource Graph, read only as far as a query looks.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use pullproof_snapshot::ArmId;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::tables::Table;
use crate::estate::{Estate, Item};

/// Columns that every row of a resource has, in Resource Graph's order; `properties` is one of them.
const COLUMNS: &[&str] = &[
    "id",
    "name",
    "type",
    "tenantId",
    "kind",
    "location",
    "resourceGroup",
    "subscriptionId",
    "managedBy",
    "sku",
    "plan",
    "properties",
    "tags",
    "identity",
    "zones",
    "extendedLocation",
];

/// Where a row's columns come from.
enum Source {
    /// An item of the estate.
    Item { item: Item, table: Table },
    /// Made here.
    Made(Map<String, Value>),
}

/// One row.
pub(super) struct Row<'a> {
    estate: &'a Estate,
    source: Source,
    /// The body, once something has looked at it.
    body: OnceCell<BTreeMap<String, Box<RawValue>>>,
    /// Columns that stages have computed.
    pub computed: BTreeMap<String, Value>,
}

impl<'a> Row<'a> {
    pub fn item(estate: &'a Estate, item: Item, table: Table) -> Self {
        Self::new(estate, Source::Item { item, table })
    }

    pub fn made(estate: &'a Estate, columns: Map<String, Value>) -> Self {
        Self::new(estate, Source::Made(columns))
    }

    fn new(estate: &'a Estate, source: Source) -> Self {
        Self { estate, source, body: OnceCell::new(), computed: BTreeMap::new() }
    }

    fn body(&self) -> &BTreeMap<String, Box<RawValue>> {
        self.body.get_or_init(|| match &self.source {
            Source::Item { item, table: Table::DnsResources } => {
                serde_json::from_value(record_set(self.estate.json(item))).unwrap_or_default()
            }
            Source::Item { item, .. } => {
                let mut body: BTreeMap<String, Box<RawValue>> =
                    serde_json::from_slice(&self.estate.text(item)).unwrap_or_default();
                // Rows have no etag of their own.
                body.remove("etag");
                body
            }
            Source::Made(_) => BTreeMap::new(),
        })
    }

    /// The column's value; `Null` where the row has none of this name.
    pub fn get(&self, column: &str) -> Value {
        if let Some(value) = self.computed.get(column) {
            return value.clone();
        }
        let id = match &self.source {
            Source::Made(columns) => return columns.get(column).cloned().unwrap_or_default(),
            Source::Item { item, .. } => self.estate.id(item),
        };
        if let Some(value) = known_by_id(self.estate, id, column) {
            return value;
        }
        self.body().get(column).and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }

    /// The column's value as JSON text, without parsing what is passed on as it is.
    fn text(&self, column: &str) -> String {
        if self.computed.contains_key(column) {
            return self.get(column).to_string();
        }
        match &self.source {
            Source::Item { .. } if !KNOWN_BY_ID.contains(&column) => match self.body().get(column) {
                Some(raw) => raw.get().to_owned(),
                None if column == "kind" || column == "managedBy" => "\"\"".to_owned(),
                None => "null".to_owned(),
            },
            _ => self.get(column).to_string(),
        }
    }

    /// The names of the row's columns, where no stage has chosen some.
    pub fn columns(&self) -> Vec<String> {
        let own: Vec<String> = match &self.source {
            Source::Item { .. } => COLUMNS.iter().map(|name| (*name).to_owned()).collect(),
            Source::Made(columns) => columns.keys().cloned().collect(),
        };
        let computed = self.computed.keys().filter(|name| !own.contains(name));
        own.iter().chain(computed).cloned().collect()
    }

    /// The row as JSON text: an object, or an array of values where `as_array`.
    pub fn write(&self, columns: &[String], as_array: bool, out: &mut Vec<u8>) {
        out.push(if as_array { b'[' } else { b'{' });
        for (i, column) in columns.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            if !as_array {
                out.extend(Value::from(column.as_str()).to_string().into_bytes());
                out.push(b':');
            }
            out.extend(self.text(column).into_bytes());
        }
        out.push(if as_array { b']' } else { b'}' });
    }
}

/// Columns that need no look at the resource.
const KNOWN_BY_ID: &[&str] = &["id", "name", "type", "tenantId", "resourceGroup", "subscriptionId"];

/// What is known of a row by its id alone. Resource Graph writes types and groups in lower case.
fn known_by_id(estate: &Estate, id: &ArmId, column: &str) -> Option<Value> {
    let subscription = || id.subscription().unwrap_or_default();
    Some(match column {
        "id" => json!(id.as_written()),
        "name" => json!(id.name()),
        "type" => json!(id.resource_type().unwrap_or_default()),
        "tenantId" => {
            let known = estate.containers().subscriptions.get(subscription());
            json!(known.map_or(estate.tenant(), |of| of.tenant.as_str()))
        }
        "resourceGroup" => json!(id.resource_group().unwrap_or_default()),
        "subscriptionId" => json!(subscription()),
        _ => return None,
    })
}

/// Record type → (ARM's field, whether it is a list).
const RECORDS: &[(&str, bool)] = &[
    ("aRecords", true),
    ("aaaaRecords", true),
    ("cnameRecord", false),
    ("mxRecords", true),
    ("ptrRecords", true),
    ("soaRecord", false),
    ("srvRecords", true),
    ("txtRecords", true),
];

/// A record set as a row of `dnsresources`: values in `records`, the zone's name in `managedBy` (D34).
fn record_set(mut json: Value) -> Value {
    let zone = json.get("id").and_then(Value::as_str).map(ArmId::new).and_then(|id| id.parent());
    let Some(row) = json.as_object_mut() else { return json };
    row.remove("etag");
    row.insert("managedBy".into(), json!(zone.as_ref().map_or("", ArmId::name)));
    row.insert("location".into(), json!("global"));
    if let Some(properties) = row.get_mut("properties").and_then(Value::as_object_mut) {
        let mut records = Vec::new();
        for (field, list) in RECORDS {
            match properties.remove(*field) {
                Some(Value::Array(values)) if *list => records.extend(values),
                Some(value) => records.push(value),
                None => {}
            }
        }
        properties.insert("records".into(), Value::Array(records));
    }
    json
}
