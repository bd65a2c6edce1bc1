//! The answer to "does TCP from these addresses reach that address, and does the reply come back".
//!
//! Data only; the walk is in `walk/`.

use std::net::IpAddr;

use pullproof_network::set::{Addresses, Ports};
use pullproof_snapshot::{ArmId, At};

use crate::outcome::{Basis, Blocker, Missing, Outcome, Remark};

/// Where a packet is meant to go, as the node has it from its lookup.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// An address, private or public, seen from the source's virtual network (overlapping spaces are usual).
    Address(IpAddr),
    /// A public host at an address that is not known. `tags`: the service tags (`AzureContainerRegistry`,
    /// `AzureContainerRegistry.WestEurope`, `Storage` …) in one of which its addresses are documented to lie; empty:
    /// anywhere in public space.
    PublicHost { host: String, tags: Vec<String> },
}

/// A disjoint partition of the question: the union of all branches' (sources, source ports, choices) is what was
/// asked.
#[derive(Clone, Debug)]
pub struct PathAnswer {
    pub branches: Vec<Branch>,
}

/// One part of the question in which every packet fares alike.
#[derive(Clone, Debug)]
pub struct Branch {
    pub sources: Addresses,
    pub sports: Ports,
    /// Varying or chosen things other than address and port: `backend=nva-1`, `ecmp=10.0.1.4`, `replica=…`. Each
    /// branch stands for one combination; all combinations can happen.
    pub choices: Vec<Choice>,
    /// TCP is delivered by hops that Azure supports.
    pub forward: Outcome,
    /// The reply comes back through the same stateful devices.
    pub back: Outcome,
    /// No NSG, admin rule, firewall, appliance or site filter drops it, in either direction. Registry admission is
    /// not in here.
    pub filters: Outcome,
    /// Found by going on as if the first failure were lifted.
    pub behind: Vec<Blocker>,
    /// Where the packet ends, as far as known.
    pub delivery: Delivery,
    /// The source that the destination sees, where something translates it. `None`: the node's own address.
    pub seen_as: Option<SeenAs>,
    /// Other doors of the same service that the packet may come to instead, by other readings of one contested thing.
    pub other_ends: Vec<OtherEnd>,
    /// Addresses of devices on the path that may present their own certificate, with the ARM id of an Azure Firewall
    /// that does (rule with `terminateTLS`).
    pub interceptors: Vec<Interceptor>,
    /// An Azure Firewall application rule carries the flow: from there the firewall's own lookup counts (F121).
    pub proxied_by: Option<ArmId>,
    /// Where the flow really goes: the target asked for, or what the firewall's own lookup gave. `None`: not known.
    pub ends_at: Option<Target>,
    pub forward_steps: Vec<Step>,
    pub back_steps: Vec<Step>,
    pub basis: Basis,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Choice {
    /// `ecmp`, `backend`, `snat`, `connection`, …
    pub what: String,
    pub value: String,
}

/// Where a packet ends by another reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherEnd {
    pub delivery: Delivery,
    pub seen_as: Option<SeenAs>,
    /// What is not known: which of the readings holds.
    pub missing: Missing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// A private endpoint's address, with the endpoint.
    PrivateEndpoint(ArmId),
    /// A NIC, load balancer front end, resolver endpoint or firewall in a virtual network.
    Device(ArmId),
    /// An address inside a virtual network that nothing read owns.
    Subnet(ArmId),
    /// A declared site, by name.
    Site(String),
    /// A public address over the Internet edge.
    Internet,
    /// A public service over a service endpoint of this subnet: the source stays private (R96).
    ServiceEndpoint(ArmId),
    /// The platform's own addresses (R24).
    Platform,
    Nowhere,
}

/// Public addresses that a destination may see, each of them possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenAs {
    /// Any of these addresses; `by` is the NAT gateway, load balancer, firewall … that translates.
    Addresses { addresses: Vec<IpAddr>, by: Vec<At> },
    /// Translated to something that was not read; the text says what would tell.
    Unknown(String),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interceptor {
    pub address: IpAddr,
    /// The Azure Firewall, where it is one that terminates TLS for this flow.
    pub terminates: Option<ArmId>,
}

/// One step of a path, in the order of the packet (CONTRACT §3 `proofs`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub kind: StepKind,
    /// ARM id, address or site name.
    pub device: String,
    pub decision: StepDecision,
    /// For people: what happens here, in a few words.
    pub text: String,
    pub by: Vec<At>,
    pub facts: Vec<&'static str>,
    pub deciding: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, schemars::JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    Subnet,
    Route,
    Peering,
    Appliance,
    Firewall,
    LoadBalancer,
    Gateway,
    Site,
    PrivateEndpoint,
    Internet,
    Resolver,
    Record,
    Rule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, schemars::JsonSchema, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepDecision {
    Forward,
    Deliver,
    Drop,
    Allow,
    Deny,
    Snat,
    Answer,
}

/// A decision of one filter over part of a flow.
#[derive(Clone, Debug)]
pub struct Filtered {
    pub sources: Addresses,
    pub sports: Ports,
    pub outcome: Outcome,
    pub steps: Vec<Step>,
    pub remarks: Vec<Remark>,
    pub basis: Basis,
}
