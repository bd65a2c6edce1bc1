//! The questions of `pullproof query` and their answers: the format of CONTRACT §4, in one place for both engines.
//!
//! Data only. What an answer says is decided by `checker` (plain engine) and `prover`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of a questions file. `id` is handed back unchanged.
#[derive(Clone, Debug, Deserialize)]
pub struct Line {
    #[serde(default)]
    pub id: Value,
    #[serde(flatten)]
    pub question: Question,
}

/// `subnet`, `nic`, `vnet`, `registry`, `firewall`, `cluster` are ARM ids or unambiguous names.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Question {
    NextHop {
        #[serde(flatten)]
        from: From,
        destination: String,
    },
    EffectiveRoutes {
        #[serde(flatten)]
        from: From,
    },
    Filter {
        #[serde(flatten)]
        at: From,
        direction: Direction,
        packet: Packet,
    },
    Firewall {
        firewall: String,
        packet: Packet,
        #[serde(default)]
        host: Option<String>,
    },
    Admission {
        registry: String,
        from: AdmissionFrom,
        #[serde(default)]
        address: Option<String>,
    },
    Lookup {
        #[serde(default)]
        subnet: Option<String>,
        #[serde(default)]
        vnet: Option<String>,
        name: String,
        #[serde(rename = "type", default = "record_a")]
        record: String,
    },
    Endpoints {
        registry: String,
        #[serde(default)]
        cluster: Option<String>,
        #[serde(default)]
        image_host: Option<String>,
    },
    Path {
        from: PathFrom,
        to: PathTo,
        #[serde(default = "https")]
        port: u16,
        #[serde(default = "tcp")]
        protocol: String,
    },
}

fn record_a() -> String {
    "A".into()
}
fn https() -> u16 {
    443
}
fn tcp() -> String {
    "tcp".into()
}

/// Exactly one of the two is given.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct From {
    #[serde(default)]
    pub subnet: Option<String>,
    #[serde(default)]
    pub nic: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct PathFrom {
    #[serde(default)]
    pub subnet: Option<String>,
    #[serde(default)]
    pub address: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct PathTo {
    #[serde(default)]
    pub address: Option<String>,
    #[serde(default)]
    pub host: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Inbound,
    Outbound,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdmissionFrom {
    Public,
    PrivateEndpoint,
    ServiceEndpoint,
}

/// One packet. `source_port` absent: any port of the client's range.
#[derive(schemars::JsonSchema, Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Packet {
    pub protocol: String,
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_port: Option<u16>,
    pub destination: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination_port: Option<u16>,
}

/// What is missing for an answer; also the `missing` of reports (CONTRACT §3).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Missing {
    pub kind: MissingKind,
    pub what: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub remedy: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds_if: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks_if: Option<String>,
}

#[derive(
    schemars::JsonSchema, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum MissingKind {
    Permission,
    Declare,
    Evidence,
    Contested,
    NotModelled,
    DependsOn,
    TooComplex,
}

/// An answer as it is printed, without the `id`.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Answer {
    NextHop(NextHopAnswer),
    EffectiveRoutes(EffectiveRoutesAnswer),
    Decision(DecisionAnswer),
    Lookup(LookupAnswer),
    Endpoints(EndpointsAnswer),
    Path(PathAnswer),
    Error { error: String },
}

impl Answer {
    pub fn error(text: impl Into<String>) -> Self {
        Self::Error { error: text.into() }
    }
}

/// `next_hop_type` is `unknown` with `missing` when open; `delivered` is false when the packet goes no further.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NextHopAnswer {
    pub next_hop_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_hop_ip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub route_table: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EffectiveRoutesAnswer {
    pub routes: Vec<EffectiveRoute>,
    pub open: Vec<Missing>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct EffectiveRoute {
    pub prefixes: Vec<String>,
    pub next_hop_type: String,
    pub next_hop_ip: Vec<String>,
    pub source: String,
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    Allow,
    Deny,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionAnswer {
    pub decision: Decision,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LookupResult {
    Answer,
    Nxdomain,
    Nodata,
    Servfail,
    Timeout,
    Blocked,
    Loop,
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LookupAnswer {
    pub result: LookupResult,
    pub addresses: Vec<String>,
    /// `private` or `public`; null where there is no answer.
    pub scope: Option<String>,
    pub cname: Vec<String>,
    /// ARM ids (or `host:<address>` for declared servers) of what decided, in order.
    pub by: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EndpointsAnswer {
    pub endpoints: Vec<EndpointRow>,
    pub wildcards: Vec<String>,
    pub missing: Vec<Missing>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct EndpointRow {
    pub host: String,
    pub port: u16,
    pub roles: Vec<Role>,
    pub reach: Reach,
}

#[derive(
    schemars::JsonSchema, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Login,
    Token,
    Data,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    Private,
    Public,
    None,
}

#[derive(
    schemars::JsonSchema, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum VerdictWord {
    Proven,
    Disproven,
    Undetermined,
}

/// `forward` and `return` are routing and filtering of that direction; `verdict` is the worst of both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathAnswer {
    pub verdict: VerdictWord,
    pub forward: VerdictWord,
    #[serde(rename = "return")]
    pub back: VerdictWord,
    pub missing: Vec<Missing>,
    pub path: Vec<Value>,
}
