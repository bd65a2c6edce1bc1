//! SARIF 2.1.0: the findings with the whole rule catalogue, stable fingerprints, and the path as a code flow.

use std::collections::BTreeMap;
use std::io::{self, Write};

use pullproof_audit::model::{Claim, Finding, Location, ProofBranch, Report, Severity};
use pullproof_rules::{Rule, page};
use serde_json::{Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Writes the report as one SARIF run. Suppressed findings stay in, marked as such.
pub fn write(report: &Report, rules: &[Rule], out: &mut dyn Write) -> io::Result<()> {
    let order: BTreeMap<&str, usize> = rules.iter().enumerate().map(|(i, r)| (r.id.as_str(), i)).collect();
    let results: Vec<Value> = report.findings.iter().map(|f| result(report, f, &order)).collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "pullproof",
                "version": report.tool.version,
                "rules": rules.iter().map(descriptor).collect::<Vec<_>>(),
            }},
            "columnKind": "utf16CodeUnits",
            "artifacts": report.inputs.iter().map(|i| json!({
                "location": { "uri": uri(&i.file) },
                "hashes": { "sha-256": i.sha256 },
            })).collect::<Vec<_>>(),
            "results": results,
            "properties": { "summary": report.summary },
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &log)?;
    out.write_all(b"\n")
}

fn descriptor(rule: &Rule) -> Value {
    let mut descriptor = json!({
        "id": rule.id,
        "name": pascal(&rule.name),
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.description },
        "help": { "text": rule.remediation, "markdown": page::markdown(rule) },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": {
            "tags": [rule.layer, "aks", "container-registry"],
            "facts": rule.facts,
            "problem.severity": problem(rule.severity),
        },
    });
    if let (Some(fields), Some(first)) = (descriptor.as_object_mut(), rule.references.first()) {
        fields.insert("helpUri".into(), json!(first));
    }
    descriptor
}

fn result(report: &Report, finding: &Finding, order: &BTreeMap<&str, usize>) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "level": level(finding.severity),
        "message": { "text": finding.message },
        "locations": locations(report, finding),
        "partialFingerprints": { "pullproof/v1": fingerprint(finding) },
        "properties": { "audits": finding.audits },
    });
    let Some(fields) = result.as_object_mut() else { return result };
    if let Some(index) = order.get(finding.rule.as_str()) {
        fields.insert("ruleIndex".into(), json!(index));
    }
    let flows = code_flows(report, finding);
    if !flows.is_empty() {
        fields.insert("codeFlows".into(), Value::Array(flows));
    }
    if let Some(reason) = &finding.suppressed {
        fields.insert("suppressions".into(), json!([{ "kind": "external", "justification": reason }]));
    }
    result
}

/// The cause's element decides: the same cause has the same fingerprint whatever else changes.
fn fingerprint(finding: &Finding) -> String {
    let resource = finding.resource.as_deref().map(pullproof_snapshot::id::fold).unwrap_or_default();
    format!(
        "{}|{resource}|{}|{}",
        finding.rule,
        finding.pointer.as_deref().unwrap_or_default(),
        finding.causes.join(",")
    )
}

fn locations(report: &Report, finding: &Finding) -> Vec<Value> {
    let logical = logical(finding.resource.as_deref(), finding.pointer.as_deref());
    if finding.locations.is_empty() {
        return vec![json!({ "physicalLocation": input(report), "logicalLocations": [logical] })];
    }
    let located = |location: &Location| json!({ "physicalLocation": line(&location.file, location.line), "logicalLocations": [logical] });
    finding.locations.iter().map(located).collect()
}

/// GitHub refuses a whole log for one location without a file and line: what no source line made stands at the head of
/// the first input, or of `azure` where nothing was read from files.
fn input(report: &Report) -> Value {
    line(report.inputs.first().map_or("azure", |i| i.file.as_str()), 1)
}

fn line(file: &str, line: u64) -> Value {
    json!({ "artifactLocation": { "uri": uri(file) }, "region": { "startLine": line.max(1) } })
}

fn logical(resource: Option<&str>, pointer: Option<&str>) -> Value {
    let resource = resource.unwrap_or("input");
    json!({
        "name": resource.rsplit('/').next().unwrap_or(resource),
        "fullyQualifiedName": format!("{resource}{}", pointer.map(|p| format!("#{p}")).unwrap_or_default()),
        "kind": "resource",
    })
}

/// The path of the first claim that the finding's cause stands in, deciding branch first.
fn code_flows(report: &Report, finding: &Finding) -> Vec<Value> {
    let of_cause = |claim: &&Claim| {
        claim.blockers.iter().any(|b| finding.causes.contains(&b.id))
            || claim.missing.iter().any(|m| finding.causes.contains(&m.id))
    };
    let audits = report.audits.iter().filter(|a| finding.audits.contains(&a.id));
    let proof = audits
        .flat_map(|a| &a.claims)
        .find(of_cause)
        .and_then(|c| c.proof.as_ref())
        .and_then(|p| report.proofs.get(p));
    let Some(proof) = proof else { return Vec::new() };
    let deciding =
        proof.branches.iter().find(|b| b.path.iter().any(|s| s.deciding)).or(proof.branches.first());
    deciding.filter(|b| !b.path.is_empty()).map(|b| thread(report, b)).into_iter().collect()
}

fn thread(report: &Report, branch: &ProofBranch) -> Value {
    let steps: Vec<Value> = branch
        .path
        .iter()
        .map(|step| {
            let by = step.by.first();
            let resource = by.map_or(step.device.as_str(), |e| e.resource.as_str());
            let text = if step.text.is_empty() { step.device.as_str() } else { step.text.as_str() };
            json!({
                "importance": if step.deciding { "essential" } else { "important" },
                "location": {
                    "message": { "text": text },
                    "physicalLocation": input(report),
                    "logicalLocations": [logical(Some(resource), by.map(|e| e.pointer.as_str()))],
                },
            })
        })
        .collect();
    json!({ "threadFlows": [{ "locations": steps }] })
}

fn level(severity: Severity) -> &'static str {
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

fn pascal(kebab: &str) -> String {
    kebab
        .split('-')
        .map(|word| {
            let mut chars = word.chars();
            chars.next().map(|c| c.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
        })
        .collect()
}

/// A file name as a URI: relative to the working folder, or `file:///…` for an absolute one.
fn uri(file: &str) -> String {
    let path = file.replace('\\', "/");
    let path = path.strip_prefix("./").unwrap_or(&path);
    let mut out = String::with_capacity(path.len());
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes().get(2) == Some(&b'/');
    if drive {
        out.push_str("file:///");
    } else if path.starts_with('/') {
        out.push_str("file://");
    }
    for (i, byte) in path.bytes().enumerate() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            b':' if drive && i == 1 => out.push(':'),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}
