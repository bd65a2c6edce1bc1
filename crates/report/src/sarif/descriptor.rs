//! The rules as SARIF describes them.

use pullproof_audit::model::Severity;
use pullproof_rules::{Rule, page};
use serde_json::{Value, json};

use super::limit;

pub(super) fn descriptor(rule: &Rule) -> Value {
    let mut descriptor = json!({
        "id": rule.id,
        "name": pascal(&rule.name),
        "shortDescription": { "text": limit::cut(&rule.title, limit::DESCRIPTION) },
        "fullDescription": { "text": limit::cut(&rule.description, limit::DESCRIPTION) },
        "help": { "text": rule.remediation, "markdown": page::markdown(rule) },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": {
            "tags": [rule.layer, "aks", "container-registry"],
            "facts": rule.facts,
            "precision": precision(rule),
            "problem.severity": problem(rule.severity),
            "security-severity": security(rule.severity),
        },
    });
    if let (Some(fields), Some(first)) = (descriptor.as_object_mut(), rule.references.first()) {
        fields.insert("helpUri".into(), json!(first));
    }
    descriptor
}

pub(super) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// How GitHub names severities in its list of alerts.
fn problem(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "recommendation",
    }
}

/// The score that GitHub sorts by: high from 7, medium from 4. Nothing here is critical to security.
fn security(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "8.0",
        Severity::Warning => "5.0",
        Severity::Note => "2.0",
    }
}

/// How often a finding is right. A failing pull is confirmed by a second evaluator; what is not known may be fine.
fn precision(rule: &Rule) -> &'static str {
    match (rule.built_in, rule.layer.as_str()) {
        (true, "evidence") => "medium",
        (true, "remark") | (false, _) => "high",
        (true, _) => "very-high",
    }
}

fn pascal(kebab: &str) -> String {
    kebab
        .split('-')
        .map(|word| {
            let mut chars = word.chars();
            chars.next().map(|c| c.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
        })
        .collect()
}
