//! A report in which every part is filled somewhere.

use std::collections::{BTreeMap, BTreeSet};

use pullproof_audit::model::{
    Audit, BlockerOut, Claim, Counterexample, Direction, EndpointRef, EvidenceOut, Extent, Finding, FlowOut,
    Layer, Location, MissingOut, Owner, Part, Precondition, ProofBranch, ProofPath, Reached, Report, SCHEMA,
    Severity, StepOut, Summary, Tool,
};
use pullproof_prover::path::{StepDecision, StepKind};
use pullproof_snapshot::question::{MissingKind, Packet, Role, VerdictWord};
use pullproof_snapshot::snapshot::Input;
use serde_json::json;

pub const PEERING: &str = "/subscriptions/0/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/spoke/virtualNetworkPeerings/to-hub";

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

pub fn finding(rule: &str, name: &str, severity: Severity, causes: &[&str]) -> Finding {
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
        baseline: None,
        causes: causes.iter().map(|c| (*c).to_owned()).collect(),
    }
}

pub fn report() -> Report {
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
        accepted: BTreeSet::new(),
        causes: Vec::new(),
        disagreements: Vec::new(),
    }
}
