//! The report as others rely on it (CONTRACT §3, `pullproof/report/v1`): data only.

use std::collections::{BTreeMap, BTreeSet};

use pullproof_snapshot::gap::Gap;
use pullproof_snapshot::question::{MissingKind, Packet, Role, VerdictWord};
use pullproof_snapshot::snapshot::Input;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub use crate::compare::Change;
pub use pullproof_prover::path::{StepDecision, StepKind};
pub use pullproof_prover::{Layer, Owner};

pub const SCHEMA: &str = "pullproof/report/v1";

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Report {
    pub schema: &'static str,
    pub tool: Tool,
    pub inputs: Vec<Input>,
    /// The date against which `expires` of declared facts was held (RFC 3339 date).
    pub as_of: Option<String>,
    pub summary: Summary,
    /// Clusters without a registry, by ARM id.
    pub unpaired: Vec<String>,
    /// Image references whose registry nothing that was read or declared names; each counts as undetermined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_images: Vec<String>,
    pub audits: Vec<Audit>,
    pub proofs: BTreeMap<String, ProofPath>,
    pub assumptions: BTreeMap<String, AssumptionText>,
    pub findings: Vec<Finding>,
    pub gaps: Vec<Gap>,
    /// What a node needs to come up at all; never part of a verdict.
    pub preconditions: Vec<Precondition>,
    /// Remarks on the input: skipped files, expired declarations.
    pub notes: Vec<String>,
    /// What the plan is, where one is audited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanOut>,
    /// Each audit before and after, where two states are compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// Of `unpaired` and `unknown_images`, those that stand in the baseline. Not printed.
    #[serde(skip)]
    pub accepted: BTreeSet<String>,
    /// The causes of everything that is not proven, and remarks: what the rules see. Not printed.
    #[serde(skip)]
    pub causes: Vec<Cause>,
    /// Witnesses that the plain evaluator contradicts (exit 5). Empty in a healthy run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub disagreements: Vec<String>,
}

impl Report {
    /// A cluster without a registry, or an image of a registry that is not audited, which the baseline does not hold.
    pub fn has_open_names(&self) -> bool {
        self.unpaired.iter().chain(&self.unknown_images).any(|name| !self.accepted.contains(name))
    }
}

/// What became of the instances of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct PlanOut {
    /// Terraform addresses with the ARM id that each became or changed.
    pub mapped: Vec<PlannedOut>,
    /// Of types that cannot matter for a pull.
    pub ignored: Vec<PlannedOut>,
    /// What can matter and is not modelled: the claims that it could touch are undetermined.
    pub unmapped: Vec<PlannedOut>,
    /// Where the plan and the base contradict each other about what exists.
    pub drift: Vec<String>,
    /// Destroyed before it is made again: while the apply lasts, it is missing.
    pub gap_during_apply: Vec<PlannedOut>,
    /// Unknown arguments that references settle, and those that they do not.
    pub resolved: usize,
    pub unresolved: Vec<String>,
}

/// One instance of a plan.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct PlannedOut {
    pub address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Tool {
    pub version: &'static str,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Summary {
    pub proven: usize,
    pub disproven: usize,
    pub undetermined: usize,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Audit {
    /// Stable across runs: `a-` and a hash of the subject.
    pub id: String,
    pub cluster: String,
    pub node_pool: String,
    pub subnet: String,
    pub registry: String,
    pub verdict: VerdictWord,
    pub first_failing_layer: Option<Layer>,
    pub extent: Option<Extent>,
    pub valid_until: BTreeSet<String>,
    /// Everything that stands against it is suppressed, or stands in the baseline.
    pub suppressed: bool,
    pub claims: Vec<Claim>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    All,
    Some,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Forward,
    Return,
}

#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Claim {
    pub id: String,
    pub layer: Layer,
    /// For layer `endpoints`: routing, filtering or resolution (V9).
    pub aspect: Option<Layer>,
    pub endpoint: Option<EndpointRef>,
    /// `node`, or the ARM id of a firewall or proxy.
    pub asker: String,
    pub direction: Option<Direction>,
    pub verdict: VerdictWord,
    pub extent: Option<Extent>,
    pub degraded: BTreeSet<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fails_for: Option<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds_for: Option<Part>,
    pub blockers: Vec<BlockerOut>,
    pub counterexample: Option<Counterexample>,
    pub proof: Option<String>,
    pub missing: Vec<MissingOut>,
    pub assumptions: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
pub struct EndpointRef {
    pub host: String,
    pub port: u16,
    pub roles: Vec<Role>,
}

/// A set of (source, destination, choice) for which a claim fails or holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Part {
    /// Prefixes of node addresses.
    pub sources: Vec<String>,
    pub destinations: Vec<String>,
    /// `what=value`.
    pub choices: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct BlockerOut {
    pub id: String,
    pub kind: &'static str,
    pub message: String,
    pub remedy: String,
    pub reach: Reached,
    pub owner: Owner,
    pub facts: Vec<&'static str>,
    pub symptoms: &'static [&'static str],
    pub evidence: Vec<EvidenceOut>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reached {
    /// On the flow as configured.
    Actual,
    /// Found by going on as if the first were lifted.
    Behind,
}

#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct EvidenceOut {
    pub resource: String,
    pub pointer: String,
    pub value: Value,
}

#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Counterexample {
    Packet(Packet),
    Lookup {
        name: String,
        #[serde(rename = "type")]
        record: String,
        asker: String,
        answer: Value,
    },
    Handshake {
        host: String,
        presented_by: String,
        issuer: String,
        names: Vec<String>,
    },
    Request {
        principal: String,
        action: String,
        scope: String,
        result: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
pub struct MissingOut {
    pub id: String,
    pub kind: MissingKind,
    pub what: String,
    pub why: String,
    pub remedy: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds_if: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaks_if: Option<String>,
}

#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct ProofPath {
    pub branches: Vec<ProofBranch>,
}

#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct ProofBranch {
    pub flow: FlowOut,
    pub path: Vec<StepOut>,
}

#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct FlowOut {
    pub sources: Vec<String>,
    pub source_ports: Vec<String>,
    pub destination: String,
    pub protocol: &'static str,
    pub port: u16,
    pub choices: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct StepOut {
    pub kind: StepKind,
    pub device: String,
    pub decision: StepDecision,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet: Option<Packet>,
    pub by: Vec<EvidenceOut>,
    pub facts: Vec<&'static str>,
    pub deciding: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, JsonSchema, Serialize)]
pub struct AssumptionText {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
pub struct Finding {
    pub rule: String,
    pub name: String,
    pub severity: Severity,
    pub message: String,
    pub resource: Option<String>,
    pub pointer: Option<String>,
    /// The Terraform address of the block that made the element, where one did (`module.spoke["weu"].azurerm_subnet.nodes`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Where the element is written: the deciding attribute, or the block where no attribute decides. Empty without source.
    pub locations: Vec<Location>,
    /// What stands beside it: the calls of the modules that hold the block, innermost first, and unresolved arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Location>,
    /// Ids of the audits that it is about. Never empty.
    pub audits: Vec<String>,
    /// The reason of the suppression that covers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<String>,
    /// How it stands to the baseline, where one is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineState>,
    /// The ids of the blockers and missing entries that it comes from.
    pub causes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Finding {
    /// A suppression covers it, or it stands in the baseline as it is.
    pub fn is_accepted(&self) -> bool {
        self.suppressed.is_some() || self.baseline == Some(BaselineState::Unchanged)
    }
}

/// A finding beside the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BaselineState {
    New,
    /// All of its causes stand there, for all of its audits.
    Unchanged,
    /// Its causes stand there, for fewer audits.
    Updated,
}

/// A place in a source file. Lines and columns count from one; columns are UTF-16 code units, and the end is exclusive.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
pub struct Location {
    pub file: String,
    pub line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u64>,
    /// The source line itself, without the space round it: what a fingerprint that outlives moved lines is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What the place is, in one line (`module "spoke" is called here`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// One fact about what a node needs to come up, beside the verdict.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
pub struct Precondition {
    pub clusters: Vec<String>,
    pub text: String,
    pub facts: Vec<&'static str>,
}

/// What the rules see: one entry a cause (kind + element), with its audits.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize)]
pub struct Cause {
    /// The id of the blocker, missing entry or remark.
    pub id: String,
    #[serde(rename = "type")]
    pub of: CauseType,
    /// The blocker's or remark's kind, or the missing entry's.
    pub kind: String,
    pub message: String,
    pub remedy: String,
    pub layer: Option<Layer>,
    pub owner: Option<Owner>,
    pub reach: Option<Reached>,
    pub facts: Vec<&'static str>,
    pub evidence: Vec<EvidenceOut>,
    pub audits: Vec<CauseAudit>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CauseType {
    Blocker,
    Missing,
    Remark,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize)]
pub struct CauseAudit {
    pub id: String,
    pub cluster: String,
    pub node_pool: String,
    pub registry: String,
}
