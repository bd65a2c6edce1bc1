//! The JSON Schema of the report, generated from the types; `docs/schemas/report-v1.json` is its committed form.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::baseline::Baseline;
use crate::model::Report;

/// The schema of what is written (a field that may be left out is not required), with `additionalProperties: true` at
/// every object: fields may be added without a new version.
pub fn report() -> Value {
    let generator = SchemaSettings::default().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Report>().to_value();
    open(&mut schema);
    schema
}

/// The schema of a baseline, `docs/schemas/baseline-v1.json`. It is closed: a field that is not known may mean
/// something, and a baseline fails closed.
pub fn baseline() -> Value {
    SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<Baseline>().to_value()
}

fn open(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.contains_key("properties") {
                fields.insert("additionalProperties".into(), Value::Bool(true));
            }
            fields.values_mut().for_each(open);
        }
        Value::Array(items) => items.iter_mut().for_each(open),
        _ => {}
    }
}
