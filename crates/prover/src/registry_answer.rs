//! Registries as the pull sees them: hosts, who serves them, who is admitted. Data only.

use std::net::IpAddr;

use pullproof_network::model::index::{ClusterIx, PrivateEndpointIx, RegistryIx};
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{Missing, Reach, Role};

use crate::outcome::{Basis, Outcome};

/// A registry that a cluster pulls from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegistryKey {
    Acr(RegistryIx),
    /// The i-th `[[registry]]` of `pullproof.toml`.
    Declared(usize),
}

/// Every host that a pull touches (registry-and-aks.md §12).
#[derive(Clone, Debug)]
pub struct EndpointSet {
    pub endpoints: Vec<Endpoint>,
    /// The claim that the set is complete.
    pub complete: Outcome,
    pub basis: Basis,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub host: String,
    /// The host stands for every name that it matches, at an unknown public address of its documented tag (V5).
    pub wildcard: bool,
    pub port: u16,
    pub roles: Vec<Role>,
    /// The replica's region, for data and regional hosts.
    pub region: Option<String>,
    pub reach: Reach,
    /// The service tag that its public addresses are documented to lie in (A53, A58), with region where it has one.
    pub tag: Option<String>,
    pub facts: Vec<&'static str>,
    pub missing: Vec<Missing>,
}

/// Where an endpoint is served and by whom.
#[derive(Clone, Debug, Default)]
pub struct Serving {
    /// Members of Approved private endpoints for the host (A74), and declared addresses.
    pub private: Vec<ServedAt>,
    /// Addresses of members that are there and not Approved, or belong to another host of the registry.
    pub not_serving: Vec<ServedAt>,
    /// The list may be incomplete: endpoints of the registry that were not read, and the like.
    pub missing: Vec<Missing>,
    pub basis: Basis,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedAt {
    pub address: IpAddr,
    pub endpoint: Option<PrivateEndpointIx>,
    /// The private endpoint's id, or the declared registry's name.
    pub by: String,
}

/// How a client comes to the registry's door.
#[derive(Clone, Debug)]
pub enum Arrival<'a> {
    PrivateEndpoint(&'a ServedAt),
    /// From the Internet, as one of these addresses; empty: unknown addresses, with the reason.
    Public {
        seen_as: &'a [IpAddr],
        unknown: Option<&'a str>,
    },
    /// Over a service endpoint of this subnet (A90–A92).
    ServiceEndpoint(&'a ArmId),
}

/// The request that an identity makes, for witnesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityAnswer {
    pub outcome: Outcome,
    pub principal: String,
    pub action: String,
    pub scope: String,
    /// What came of it, in a word: `allowed`, `no matching role assignment`, …
    pub result: String,
    pub basis: Basis,
}

/// The handshake that the node makes, for witnesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustAnswer {
    pub outcome: Outcome,
    pub presented_by: String,
    pub issuer: String,
    pub names: Vec<String>,
    pub basis: Basis,
}

/// Whose identity pulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Puller {
    pub cluster: ClusterIx,
}
