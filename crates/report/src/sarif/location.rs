//! Where a finding stands: in a file, and in Azure and Terraform.

use std::collections::BTreeMap;

use pullproof_audit::model::{Finding, Location, Report};
use pullproof_snapshot::id::fold;
use serde_json::{Value, json};

use super::uri::Places;
use super::{Context, limit};

/// The source lines that are known, by folded ARM id.
pub(super) struct Source<'r> {
    places: &'r Places,
    by_resource: BTreeMap<String, &'r Location>,
    elsewhere: Value,
}

impl<'r> Source<'r> {
    pub fn new(report: &'r Report, context: &'r Context) -> Self {
        let mut by_resource = BTreeMap::new();
        for finding in &report.findings {
            if let (Some(resource), Some(location)) = (&finding.resource, finding.locations.first()) {
                by_resource.entry(fold(resource)).or_insert(location);
            }
        }
        Self { places: &context.places, by_resource, elsewhere: elsewhere(report, context) }
    }

    /// `locations` of a result. Never empty: GitHub refuses a whole log for one result without a file and line.
    pub fn locations(&self, finding: &Finding) -> Vec<Value> {
        let logical =
            logical(finding.resource.as_deref(), finding.pointer.as_deref(), finding.address.as_deref());
        if finding.locations.is_empty() {
            return vec![json!({ "physicalLocation": self.elsewhere, "logicalLocations": logical })];
        }
        let located =
            |l: &Location| json!({ "physicalLocation": self.physical(l), "logicalLocations": logical });
        finding.locations.iter().take(limit::LOCATIONS).map(located).collect()
    }

    /// `relatedLocations`, numbered from one.
    pub fn related(&self, finding: &Finding) -> Vec<Value> {
        let related = finding.related.iter().take(limit::LOCATIONS).enumerate();
        related
            .map(|(i, location)| {
                let text = location.message.as_deref().unwrap_or("related");
                json!({ "id": i + 1, "physicalLocation": self.physical(location), "message": { "text": plain(text) } })
            })
            .collect()
    }

    /// Where a step's element is written, as far as a finding knows it; the finding's own place for its own element.
    pub fn of_step(&self, finding: &Finding, resource: &str) -> Value {
        let own = finding.resource.as_deref().filter(|own| fold(own) == fold(resource));
        let known =
            own.and(finding.locations.first()).or_else(|| self.by_resource.get(&fold(resource)).copied());
        known.map_or_else(|| self.elsewhere.clone(), |location| self.physical(location))
    }

    fn physical(&self, location: &Location) -> Value {
        let mut region = json!({ "startLine": location.line.max(1) });
        if let Some(fields) = region.as_object_mut() {
            let ends = [
                ("startColumn", location.column),
                ("endLine", location.end_line.filter(|end| *end >= location.line)),
                ("endColumn", location.end_column),
            ];
            for (name, value) in ends {
                if let Some(value) = value {
                    fields.insert(name.into(), json!(value.max(1)));
                }
            }
            if let Some(text) = &location.text {
                fields.insert("snippet".into(), json!({ "text": text }));
            }
        }
        json!({ "artifactLocation": { "uri": self.places.uri(&location.file) }, "region": region })
    }
}

/// What no source line made: the head of the first input of the checkout, else of the declared facts (what was read
/// live is in no file of it), else of whatever was read.
fn elsewhere(report: &Report, context: &Context) -> Value {
    let inputs = report.inputs.iter().map(|i| i.file.as_str());
    let mut files = inputs.chain(context.config.as_deref());
    let file =
        files.find(|file| context.places.holds(file)).or(report.inputs.first().map(|i| i.file.as_str()));
    let uri = file.map_or_else(|| "azure".to_owned(), |file| context.places.uri(file));
    json!({ "artifactLocation": { "uri": uri }, "region": { "startLine": 1 } })
}

/// The element in Azure, and the Terraform block that makes it.
pub(super) fn logical(resource: Option<&str>, pointer: Option<&str>, address: Option<&str>) -> Vec<Value> {
    let resource = resource.unwrap_or("input");
    let mut out = vec![json!({
        "name": resource.rsplit('/').next().unwrap_or(resource),
        "fullyQualifiedName": format!("{resource}{}", pointer.map(|p| format!("#{p}")).unwrap_or_default()),
        "kind": "resource",
    })];
    if let Some(address) = address {
        out.push(json!({
            "name": address.rsplit('.').next().unwrap_or(address),
            "fullyQualifiedName": address,
            "kind": "resource",
        }));
    }
    out
}

/// A text without links: SARIF reads `[text](target)` in messages as one.
pub(super) fn plain(text: &str) -> String {
    if !text.contains("](") {
        return text.to_owned();
    }
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}
