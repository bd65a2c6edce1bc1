//! Reports by hand: one disproven audit with the blockers that a test wants.

use std::collections::{BTreeMap, BTreeSet};

use pullproof_audit::model::{
    Audit, BlockerOut, Cause, CauseAudit, CauseType, Claim, EvidenceOut, Extent, Layer, Owner, Reached,
    Report, SCHEMA, Summary, Tool,
};
use pullproof_snapshot::question::VerdictWord;
use serde_json::json;

#[allow(dead_code, reason = "each test file is a crate of its own and uses what it needs")]
pub const SPOKE: &str = "/subscriptions/0/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/spoke/virtualNetworkPeerings/spoke-to-hub";
pub const NSG: &str =
    "/subscriptions/0/resourceGroups/rg/providers/Microsoft.Network/networkSecurityGroups/nsg-nodes";

pub fn blocker(id: &str, kind: &'static str, resource: &str, reach: Reached) -> BlockerOut {
    BlockerOut {
        id: id.into(),
        kind,
        message: format!("{kind} at {resource}"),
        remedy: "change it".into(),
        reach,
        owner: Owner::Network,
        facts: vec!["R104"],
        symptoms: &["network.timeout"],
        evidence: vec![EvidenceOut {
            resource: resource.into(),
            pointer: "/properties/peeringState".into(),
            value: json!("Disconnected"),
        }],
    }
}

/// One audit `a-1` with one disproven claim that holds `blockers`, and their causes.
pub fn report(blockers: Vec<BlockerOut>) -> Report {
    let causes = blockers.iter().map(cause).collect();
    let claim = Claim {
        id: "c-1".into(),
        layer: Layer::Routing,
        aspect: None,
        endpoint: None,
        asker: "node".into(),
        direction: None,
        verdict: VerdictWord::Disproven,
        extent: Some(Extent::All),
        degraded: BTreeSet::new(),
        fails_for: None,
        holds_for: None,
        blockers,
        counterexample: None,
        proof: None,
        missing: Vec::new(),
        assumptions: BTreeSet::new(),
    };
    let audit = Audit {
        id: "a-1".into(),
        cluster: "aks-1".into(),
        node_pool: "apps".into(),
        subnet: "snet".into(),
        registry: "contosoreg".into(),
        verdict: VerdictWord::Disproven,
        first_failing_layer: Some(Layer::Routing),
        extent: Some(Extent::All),
        valid_until: BTreeSet::new(),
        suppressed: false,
        claims: vec![claim],
    };
    Report {
        schema: SCHEMA,
        tool: Tool { version: "0" },
        inputs: Vec::new(),
        as_of: None,
        summary: Summary::default(),
        unpaired: Vec::new(),
        unknown_images: Vec::new(),
        audits: vec![audit],
        proofs: BTreeMap::new(),
        assumptions: BTreeMap::new(),
        findings: Vec::new(),
        gaps: Vec::new(),
        preconditions: Vec::new(),
        notes: Vec::new(),
        plan: None,
        changes: Vec::new(),
        accepted: BTreeSet::new(),
        causes,
        disagreements: Vec::new(),
    }
}

pub fn cause(blocker: &BlockerOut) -> Cause {
    Cause {
        id: blocker.id.clone(),
        of: CauseType::Blocker,
        kind: blocker.kind.into(),
        message: blocker.message.clone(),
        remedy: blocker.remedy.clone(),
        layer: Some(Layer::Routing),
        owner: Some(blocker.owner),
        reach: Some(blocker.reach),
        facts: blocker.facts.clone(),
        evidence: blocker.evidence.clone(),
        audits: vec![CauseAudit {
            id: "a-1".into(),
            cluster: "aks-1".into(),
            node_pool: "apps".into(),
            registry: "contosoreg".into(),
        }],
    }
}
