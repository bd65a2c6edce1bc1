//! What the renderers write is valid: SARIF against the schema of OASIS, the report against our own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pullproof_audit::model::{
    Audit, BlockerOut, Claim, Counterexample, Direction, EndpointRef, EvidenceOut, Extent, Finding, FlowOut,
    Layer, Location, MissingOut, Owner, Part, Precondition, ProofBranch, ProofPath, Reached, Report, SCHEMA,
    Severity, StepOut, Summary, Tool,
};
use pullproof_prover::path::{StepDecision, StepKind};
use pullproof_report::{json, sarif};
use pullproof_rules::Rules;
use pullproof_snapshot::question::{MissingKind, Packet, Role, VerdictWord};
use pullproof_snapshot::snapshot::Input;
use serde_json::{Value, json};

const PEERING: &str = "/subscriptions/0/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/spoke/virtualNetworkPeerings/to-hub";

fn evidence() -> EvidenceOut {
    EvidenceOut {
        resource: PEERING.into(),
        pointer: "/properties/peeringState".into(),
        value: json!("Disconnected"),
    }
}

fn packet() -> Packet {
    Packet {
        protocol: "tcp".into(),
        source: "10.20.0.4".into(),
        source_port: Some(32768),
        destination: "10.10.4.5".into(),
        destination_port: Some(443),
    }
}

fn claim(id: &str, verdict: VerdictWord) -> Claim {
    Claim {
        id: id.into(),
        layer: Layer::Routing,
        aspect: None,
        endpoint: Some(EndpointRef {
            host: "contosoreg.azurecr.io".into(),
            port: 443,
            roles: vec![Role::Login, Role::Token],
        }),
        asker: "node".into(),
        direction: Some(Direction::Forward),
        verdict,
        extent: None,
        degraded: BTreeSet::new(),
        fails_for: None,
        holds_for: None,
        blockers: Vec::new(),
        counterexample: None,
        proof: None,
        missing: Vec::new(),
        assumptions: BTreeSet::new(),
    }
}

/// A claim of each verdict, every optional field filled somewhere.
fn claims() -> Vec<Claim> {
    let mut failing = claim("c-1", VerdictWord::Disproven);
    failing.extent = Some(Extent::Some);
    failing.fails_for = Some(Part { sources: vec!["10.20.0.0/25".into()], ..Part::default() });
    failing.holds_for = Some(Part { choices: vec!["ecmp=10.0.1.4".into()], ..Part::default() });
    failing.counterexample = Some(Counterexample::Packet(packet()));
    failing.proof = Some("p1".into());
    failing.blockers = vec![BlockerOut {
        id: "b-1".into(),
        kind: "peering_not_connected",
        message: "peering to-hub is Disconnected".into(),
        remedy: "create both halves again".into(),
        reach: Reached::Actual,
        owner: Owner::Network,
        facts: vec!["R104"],
        symptoms: &["network.timeout"],
        evidence: vec![evidence()],
    }];
    let mut open = claim("c-2", VerdictWord::Undetermined);
    open.missing = vec![MissingOut {
        id: "m-1".into(),
        kind: MissingKind::Declare,
        what: "what 10.0.1.4 forwards".into(),
        why: "Azure does not show it".into(),
        remedy: "declare it".into(),
        holds_if: Some("it forwards".into()),
        breaks_if: None,
    }];
    let mut looked_up = claim("c-3", VerdictWord::Disproven);
    looked_up.counterexample = Some(Counterexample::Lookup {
        name: "contosoreg.azurecr.io".into(),
        record: "A".into(),
        asker: "node".into(),
        answer: json!({ "result": "nxdomain" }),
    });
    let mut refused = claim("c-4", VerdictWord::Disproven);
    refused.endpoint = None;
    refused.counterexample = Some(Counterexample::Request {
        principal: "id".into(),
        action: "pull".into(),
        scope: "/".into(),
        result: "no role".into(),
    });
    let mut held = claim("c-5", VerdictWord::Proven);
    held.assumptions.insert("site:dc".into());
    held.degraded.insert("second server".into());
    vec![failing, open, looked_up, refused, held]
}

fn path() -> ProofPath {
    let step = |kind, decision, text: &str, deciding| StepOut {
        kind,
        device: "/subscriptions/0/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/spoke".into(),
        decision,
        text: text.into(),
        packet: Some(packet()),
        by: vec![evidence()],
        facts: vec!["R104"],
        deciding,
    };
    ProofPath {
        branches: vec![ProofBranch {
            flow: FlowOut {
                sources: vec!["10.20.0.0/24".into()],
                source_ports: vec!["32768-60999".into()],
                destination: "10.10.4.5".into(),
                protocol: "tcp",
                port: 443,
                choices: Vec::new(),
            },
            path: vec![
                step(StepKind::Subnet, StepDecision::Forward, "", false),
                step(StepKind::Peering, StepDecision::Drop, "the peering is not connected", true),
            ],
        }],
    }
}

fn finding(rule: &str, name: &str, severity: Severity, causes: &[&str]) -> Finding {
    Finding {
        rule: rule.into(),
        name: name.into(),
        severity,
        message: "peering to-hub is Disconnected".into(),
        resource: Some(PEERING.into()),
        pointer: Some("/properties/peeringState".into()),
        address: None,
        locations: Vec::new(),
        related: Vec::new(),
        audits: vec!["a-1".into()],
        suppressed: None,
        causes: causes.iter().map(|c| (*c).to_owned()).collect(),
    }
}

fn report() -> Report {
    let mut placed = finding("PP1101", "peering-not-connected", Severity::Error, &["b-1"]);
    placed.locations = vec![Location { file: "infra/network.tf".into(), line: 12, ..Location::default() }];
    let mut accepted = finding("PP7103", "declare", Severity::Warning, &["m-1"]);
    accepted.suppressed = Some("known".into());
    let mut bare = finding("CT001", "ours", Severity::Note, &["b-1"]);
    (bare.resource, bare.pointer) = (None, None);
    Report {
        schema: SCHEMA,
        tool: Tool { version: "0.1.0" },
        inputs: vec![Input {
            file: "./snapshots/west europe.ndjson".into(),
            sha256: "0".repeat(64),
            captured_to: Some("2026-11-30T00:00:00Z".into()),
            complete: true,
        }],
        as_of: Some("2026-11-30".into()),
        summary: Summary { proven: 0, disproven: 1, undetermined: 0 },
        unpaired: vec!["/subscriptions/0/aks-2".into()],
        unknown_images: vec!["ghcr.io/contoso/app".into()],
        audits: vec![Audit {
            id: "a-1".into(),
            cluster: "/subscriptions/0/aks-1".into(),
            node_pool: "apps".into(),
            subnet: "/subscriptions/0/snet-apps".into(),
            registry: "contosoreg".into(),
            verdict: VerdictWord::Disproven,
            first_failing_layer: Some(Layer::Routing),
            extent: Some(Extent::All),
            valid_until: ["kubernetes>=1.36".to_owned()].into(),
            suppressed: false,
            claims: claims(),
        }],
        proofs: BTreeMap::from([("p1".to_owned(), path())]),
        assumptions: BTreeMap::new(),
        findings: vec![bare, placed, accepted],
        gaps: Vec::new(),
        preconditions: vec![Precondition {
            clusters: vec!["aks-1".into()],
            text: "nodes also need MCR".into(),
            facts: vec!["A194"],
        }],
        notes: vec!["a note".into()],
        plan: None,
        changes: Vec::new(),
        causes: Vec::new(),
        disagreements: Vec::new(),
    }
}

fn read(path: &str) -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    serde_json::from_str(&text).expect("JSON")
}

/// The schema of OASIS; the pattern of languages in it has a bracket too many, which no regex engine takes.
fn sarif_schema() -> Value {
    let mut schema = read("tests/schemas/sarif-2.1.0.json");
    for part in ["run", "toolComponent"] {
        if let Some(pattern) = schema.pointer_mut(&format!("/definitions/{part}/properties/language/pattern"))
        {
            *pattern = json!("^[a-zA-Z]{2}(-[a-zA-Z]{2})?$");
        }
    }
    schema
}

fn assert_valid(schema: &Value, document: &Value) {
    let validator =
        jsonschema::options().should_validate_formats(true).build(schema).expect("the schema is a schema");
    let errors: Vec<String> =
        validator.iter_errors(document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

fn sarif_of(report: &Report) -> Value {
    let rules = Rules::load(None).expect("the built-in rules load");
    let mut out = Vec::new();
    sarif::write(report, rules.catalogue(), &mut out).expect("memory takes it");
    serde_json::from_slice(&out).expect("JSON")
}

#[test]
fn sarif_is_valid() {
    let schema = sarif_schema();
    assert_valid(&schema, &sarif_of(&report()));
    let mut nothing = report();
    (nothing.inputs, nothing.findings, nothing.audits) = (Vec::new(), Vec::new(), Vec::new());
    assert_valid(&schema, &sarif_of(&nothing));
}

#[test]
fn the_sarif_schema_refuses_what_is_wrong() {
    let mut log = sarif_of(&report());
    log["runs"][0]["results"][0]["level"] = json!("fatal");
    let validator = jsonschema::validator_for(&sarif_schema()).expect("a schema");
    assert!(!validator.is_valid(&log));
}

/// What GitHub asks of a result beyond the schema: a known rule, a text, and a file with a line in every location.
#[test]
fn sarif_is_what_code_scanning_takes() {
    let log = sarif_of(&report());
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for rule in rules {
        for text in ["/shortDescription/text", "/fullDescription/text", "/help/text", "/help/markdown"] {
            assert!(
                rule.pointer(text).and_then(Value::as_str).is_some_and(|t| !t.is_empty()),
                "{text} of {rule}"
            );
        }
        let name = rule["name"].as_str().expect("a name");
        assert!(name.chars().all(char::is_alphanumeric), "{name} is no identifier");
    }
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 3);
    for result in results {
        assert!(result["message"]["text"].as_str().is_some_and(|t| !t.is_empty()));
        assert!(result["partialFingerprints"]["pullproof/v1"].is_string());
        if let Some(index) = result["ruleIndex"].as_u64() {
            assert_eq!(rules[usize::try_from(index).expect("small")]["id"], result["ruleId"]);
        }
        let flows = result["codeFlows"].as_array().into_iter().flatten();
        let steps = flows
            .flat_map(|f| f["threadFlows"][0]["locations"].as_array().expect("steps"))
            .map(|step| &step["location"]);
        for location in result["locations"].as_array().expect("locations").iter().chain(steps) {
            let place = &location["physicalLocation"];
            let uri = place["artifactLocation"]["uri"].as_str().expect("a uri");
            assert!(!uri.is_empty() && !uri.contains(' ') && !uri.starts_with('/'), "{uri}");
            assert!(place["region"]["startLine"].as_u64().is_some_and(|line| line > 0));
        }
    }
    assert_eq!(results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "infra/network.tf");
    assert_eq!(results[1]["locations"][0]["physicalLocation"]["region"]["startLine"], 12);
    assert_eq!(results[2]["suppressions"][0]["justification"], "known");
    let flow = &results[1]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow[1]["importance"], "essential");
    assert_eq!(flow[1]["location"]["message"]["text"], "the peering is not connected");
}

#[test]
fn files_become_uris() {
    let mut report = report();
    for (file, uri) in [
        ("./snapshots/west europe.ndjson", "snapshots/west%20europe.ndjson"),
        ("snapshot.ndjson", "snapshot.ndjson"),
        ("/data/a:b.ndjson", "file:///data/a%3Ab.ndjson"),
        (r"C:\audits\hub.ndjson", "file:///C:/audits/hub.ndjson"),
    ] {
        report.inputs[0].file = file.into();
        let log = sarif_of(&report);
        assert_eq!(log["runs"][0]["artifacts"][0]["location"]["uri"], uri);
    }
}

#[test]
fn a_fingerprint_does_not_hang_on_wording_or_letter_case() {
    let fingerprint = |report: &Report| {
        sarif_of(report)["runs"][0]["results"][1]["partialFingerprints"]["pullproof/v1"].clone()
    };
    let before = report();
    let mut after = report();
    after.findings[1].message = "said otherwise".into();
    after.findings[1].resource = Some(PEERING.to_uppercase());
    assert_eq!(fingerprint(&before), fingerprint(&after));
    after.findings[1].causes = vec!["b-2".into()];
    assert_ne!(fingerprint(&before), fingerprint(&after));
}

#[test]
fn the_report_is_valid() {
    let mut out = Vec::new();
    json::write(&report(), &mut out).expect("memory takes it");
    let document: Value = serde_json::from_slice(&out).expect("JSON");
    assert_valid(&read("docs/schemas/report-v1.json"), &document);
}
