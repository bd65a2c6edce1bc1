//! SARIF 2.1.0 for code scanning: the findings with the whole rule catalogue, stable fingerprints, and the path as a
//! code flow.
//!
//! What lives here: what the consumers ask for beyond the schema, each in the file of its idea. What may not: deciding
//! anything; what is printed stands in the report.
//!
//! Read in this order: this file (the log), `profile` (whom it is for), `result`, `location`, `fingerprint`, `flow`,
//! `descriptor`, `invocation`, `limit`, `uri`.

mod descriptor;
mod fingerprint;
mod flow;
mod invocation;
mod limit;
mod location;
mod profile;
mod result;
mod uri;

use std::io::{self, Write};

use pullproof_audit::model::Report;
use pullproof_rules::Rule;
use serde_json::{Value, json};

pub use profile::{BuildRun, Profile};
pub use uri::Places;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// What a log says beside the report: whom it is for, and what became of the run.
#[derive(Clone, Debug, Default)]
pub struct Context {
    pub profile: Profile,
    /// What was audited (`audit`, `live`, `plan`, `diff`, `demo`): code scanning keeps one set of alerts for each.
    pub category: String,
    /// Tells apart several runs of one category on one commit.
    pub label: Option<String>,
    /// The Azure Pipelines run, where all of it is known.
    pub build: Option<BuildRun>,
    /// What files are relative to.
    pub places: Places,
    /// The file of declared facts: where a finding stands that no file of the checkout shows.
    pub config: Option<String>,
    pub exit_code: u8,
}

/// Writes the report as one SARIF run, result by result. Suppressed findings stay in, marked as such.
pub fn write(report: &Report, rules: &[Rule], context: &Context, out: &mut dyn Write) -> io::Result<()> {
    let kept = limit::results(report, context.profile);
    let writer = result::Results::new(report, rules, context);
    write!(out, "{{\n\"$schema\": {},\n\"version\": \"2.1.0\",\n\"runs\": [{{\n", json!(SCHEMA))?;
    field(out, "tool", &tool(report, rules))?;
    field(out, "automationDetails", &profile::automation(context))?;
    field(out, "columnKind", &json!("utf16CodeUnits"))?;
    field(out, "invocations", &json!([invocation::invocation(report, context, &kept)]))?;
    field(out, "artifacts", &artifacts(report, context))?;
    field(out, "properties", &json!({ "summary": report.summary }))?;
    out.write_all(b"\"results\": [")?;
    for (i, result) in writer.of(&kept).enumerate() {
        out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &result)?;
    }
    out.write_all(b"]\n}]\n}\n")
}

fn field(out: &mut dyn Write, name: &str, value: &Value) -> io::Result<()> {
    write!(out, "\"{name}\": ")?;
    serde_json::to_writer_pretty(&mut *out, value)?;
    out.write_all(b",\n")
}

fn tool(report: &Report, rules: &[Rule]) -> Value {
    let version = report.tool.version;
    json!({ "driver": {
        "name": "pullproof",
        "fullName": format!("pullproof {version}"),
        "version": version,
        "semanticVersion": version,
        "rules": rules.iter().map(descriptor::descriptor).collect::<Vec<_>>(),
        "notifications": invocation::descriptors(),
    }})
}

fn artifacts(report: &Report, context: &Context) -> Value {
    let inputs = report.inputs.iter().map(|input| {
        json!({
            "location": { "uri": context.places.uri(&input.file) },
            "hashes": { "sha-256": input.sha256 },
        })
    });
    inputs.collect()
}
