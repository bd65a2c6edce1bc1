//! One finding as a SARIF result.

use std::collections::BTreeMap;

use pullproof_audit::model::{BaselineState, Finding, Report};
use pullproof_rules::Rule;
use serde_json::{Value, json};

use super::fingerprint::Fingerprints;
use super::flow::Flows;
use super::limit::{self, Kept};
use super::location::{Source, plain};
use super::{Context, descriptor};

pub(super) struct Results<'r> {
    /// Rule id → its place in the catalogue.
    order: BTreeMap<&'r str, usize>,
    source: Source<'r>,
    flows: Flows<'r>,
}

impl<'r> Results<'r> {
    pub fn new(report: &'r Report, rules: &'r [Rule], context: &'r Context) -> Self {
        Self {
            order: rules.iter().enumerate().map(|(i, r)| (r.id.as_str(), i)).collect(),
            source: Source::new(report, context),
            flows: Flows::new(report),
        }
    }

    /// The results one after another: none is held longer than it takes to write it.
    pub fn of<'a>(&'a self, kept: &'a Kept<'r>) -> impl Iterator<Item = Value> + 'a {
        let mut fingerprints = Fingerprints::default();
        kept.findings.iter().map(move |finding| self.result(finding, &mut fingerprints))
    }

    fn result(&self, finding: &Finding, fingerprints: &mut Fingerprints) -> Value {
        let audits: Vec<&String> = finding.audits.iter().take(limit::AUDITS).collect();
        let mut result = json!({
            "ruleId": finding.rule,
            "level": descriptor::level(finding.severity),
            "message": { "text": message(finding) },
            "locations": self.source.locations(finding),
            "partialFingerprints": fingerprints.of(finding),
            "properties": { "audits": audits, "auditCount": finding.audits.len() },
        });
        let Some(fields) = result.as_object_mut() else { return result };
        if let Some(index) = self.order.get(finding.rule.as_str()) {
            fields.insert("ruleIndex".into(), json!(index));
        }
        let related = self.source.related(finding);
        if !related.is_empty() {
            fields.insert("relatedLocations".into(), Value::Array(related));
        }
        if let Some(flows) = self.flows.of(finding, &self.source) {
            fields.insert("codeFlows".into(), flows);
        }
        if let Some(state) = finding.baseline {
            fields.insert("baselineState".into(), json!(state));
        }
        if finding.is_accepted() {
            fields.insert("suppressions".into(), json!([suppression(finding)]));
        }
        result
    }
}

/// The message, with links to the related places: GitHub shows those that a link leads to.
fn message(finding: &Finding) -> String {
    let mut text = plain(&finding.message);
    for (i, location) in finding.related.iter().take(LINKED).enumerate() {
        let what = location.message.as_deref().unwrap_or("related");
        let what: String =
            what.chars().map(|c| if matches!(c, '[' | ']' | '\\') { ' ' } else { c }).collect();
        text.push_str(&format!(" ([{what}]({}))", i + 1));
    }
    text
}

/// Related places that the message links to.
const LINKED: usize = 5;

fn suppression(finding: &Finding) -> Value {
    let reason = match (&finding.suppressed, finding.baseline) {
        (Some(reason), _) => reason.as_str(),
        (None, Some(BaselineState::Unchanged)) => "it stands in the baseline",
        (None, _) => "",
    };
    json!({ "kind": "external", "status": "accepted", "justification": reason })
}
