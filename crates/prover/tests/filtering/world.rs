//! Small networks, written as ARM returns them.

use std::net::IpAddr;

use pullproof_network::Network;
use pullproof_network::model::index::{Ix, NicIx, SubnetIx};
use pullproof_network::set::{Addresses, Ports};
use pullproof_prover::filter::{FilterPoint, Holder};
use pullproof_prover::path::Target;
use pullproof_prover::{Outcome, Proto, Prover};
use pullproof_snapshot::question::Direction;
use pullproof_snapshot::{ArmId, Declared, Evidence};
use serde_json::{Value, json};

pub use crate::estate::net;
use crate::estate::{Estate, GROUP};

pub fn id(tail: &str) -> String {
    format!("{GROUP}/{tail}")
}

#[derive(Default)]
pub struct World {
    pub resources: Vec<Value>,
    pub tags: Vec<(&'static str, Vec<&'static str>)>,
    pub evidence: Vec<Evidence>,
    pub declared: Declared,
    /// Nothing counts as completely read.
    pub partial: bool,
}

impl World {
    pub fn with(mut self, resource: Value) -> Self {
        self.resources.push(resource);
        self
    }

    pub fn tag(mut self, name: &'static str, prefixes: &[&'static str]) -> Self {
        self.tags.push((name, prefixes.to_vec()));
        self
    }

    pub fn evidence(mut self, resource: &str, operation: &str, answer: Value) -> Self {
        let resource = ArmId::new(resource);
        self.evidence.push(Evidence { resource, operation: operation.into(), captured: None, answer });
        self
    }

    pub fn read(self) -> Network {
        let Self { resources, tags, evidence, declared, partial } = self;
        Estate { resources, tags, evidence, partial }.read(declared)
    }
}

/// A network `vnet` (10.0.0.0/16) with subnet `nodes` (10.0.1.0/24) that has `nsg`, and a machine at 10.0.1.4.
pub fn nodes(rules: &[Value]) -> World {
    nodes_with(rules, json!({}), json!([]))
}

/// The same with more properties of the subnet, and with peerings.
pub fn nodes_with(rules: &[Value], subnet: Value, peerings: Value) -> World {
    let mut properties = json!({
        "addressPrefix": "10.0.1.0/24",
        "networkSecurityGroup": { "id": net("networkSecurityGroups", "nsg") },
        "privateEndpointNetworkPolicies": "Disabled",
    });
    for (key, value) in subnet.as_object().unwrap() {
        properties[key] = value.clone();
    }
    World::default()
        .with(json!({ "id": net("virtualNetworks", "vnet"), "location": "westeurope", "properties": {
            "addressSpace": { "addressPrefixes": ["10.0.0.0/16"] },
            "subnets": [{ "name": "nodes", "properties": properties }],
            "virtualNetworkPeerings": peerings,
        }}))
        .with(nsg("nsg", rules))
        .with(nic("vm", "nodes", "10.0.1.4", json!({})))
}

pub fn nsg(name: &str, rules: &[Value]) -> Value {
    json!({ "id": net("networkSecurityGroups", name), "properties": { "securityRules": rules } })
}

pub fn nic(name: &str, subnet: &str, address: &str, more: Value) -> Value {
    let mut config = json!({
        "privateIPAddress": address,
        "subnet": { "id": format!("{}/subnets/{subnet}", net("virtualNetworks", "vnet")) },
    });
    for (key, value) in more.as_object().unwrap() {
        config[key] = value.clone();
    }
    json!({ "id": net("networkInterfaces", name), "properties": {
        "ipConfigurations": [{ "name": "one", "properties": config }],
    }})
}

pub fn peering(name: &str, space: &str, access: bool) -> Value {
    json!({ "name": name, "properties": {
        "peeringState": "Connected", "peeringSyncLevel": "FullyInSync", "allowVirtualNetworkAccess": access,
        "allowForwardedTraffic": true,
        "remoteVirtualNetwork": { "id": net("virtualNetworks", name) },
        "remoteAddressSpace": { "addressPrefixes": [space] },
    }})
}

/// An outbound rule over TCP from anywhere to `to` on 443; `changes` replaces fields.
pub fn rule(name: &str, priority: u16, access: &str, to: &str, changes: Value) -> Value {
    let mut properties = json!({
        "priority": priority, "direction": "Outbound", "access": access, "protocol": "Tcp",
        "sourceAddressPrefix": "*", "sourcePortRange": "*",
        "destinationAddressPrefix": to, "destinationPortRange": "443",
    });
    for (key, value) in changes.as_object().unwrap() {
        if value.is_null() {
            properties.as_object_mut().unwrap().remove(key);
        } else {
            properties[key] = value.clone();
        }
    }
    json!({ "name": name, "properties": properties })
}

pub fn subnet_ix(network: &Network, name: &str) -> SubnetIx {
    network.subnets.iter().find(|(_, subnet)| &*subnet.name == name).map(|(ix, _)| ix).unwrap()
}

pub fn nic_ix(network: &Network, name: &str) -> NicIx {
    network
        .nics
        .iter()
        .find(|(_, nic)| nic.id.name() == name)
        .map(|(ix, _)| ix)
        .unwrap_or(NicIx::new(u32::MAX))
}

/// What became of a flow.
#[derive(Debug, PartialEq, Eq)]
pub enum Fate {
    Passes,
    Denied(String),
    Open(String),
}

pub fn fate(outcome: &Outcome) -> Fate {
    match outcome {
        Outcome::Holds => Fate::Passes,
        Outcome::Fails(blocker, _) => Fate::Denied(blocker.message.clone()),
        Outcome::Open(missing, _) => Fate::Open(missing.what.clone()),
    }
}

impl Fate {
    #[track_caller]
    pub fn denied_by(&self, words: &str) {
        assert!(matches!(self, Self::Denied(text) if text.contains(words)), "{self:?}");
    }

    #[track_caller]
    pub fn open_on(&self, words: &str) {
        assert!(matches!(self, Self::Open(text) if text.contains(words)), "{self:?}");
    }
}

/// Outbound from 10.0.1.4 on TCP 443, with the client's port range; the parts must agree.
#[track_caller]
pub fn outbound(network: &Network, to: &str) -> Fate {
    outbound_from(network, "10.0.1.4", to)
}

#[track_caller]
pub fn outbound_from(network: &Network, from: &str, to: &str) -> Fate {
    let parts = outbound_parts(network, from, to);
    let first = fate(&parts.first().unwrap().2);
    assert!(parts.iter().all(|(_, _, outcome)| fate(outcome) == first), "{parts:?}");
    first
}

pub fn outbound_parts(network: &Network, from: &str, to: &str) -> Vec<(Addresses, Ports, Outcome)> {
    let at = FilterPoint {
        subnet: subnet_ix(network, "nodes"),
        holder: Holder::Nic(nic_ix(network, "vm")),
        direction: Direction::Outbound,
        sender: None,
        forwarded: false,
    };
    ask(network, &at, from, to)
}

/// Inbound at 10.0.1.4.
#[track_caller]
pub fn inbound(network: &Network, from: &str) -> Fate {
    let at = FilterPoint::entering(subnet_ix(network, "nodes"), Holder::Nic(nic_ix(network, "vm")));
    one(ask(network, &at, from, "10.0.1.4"))
}

#[track_caller]
pub fn one(parts: Vec<(Addresses, Ports, Outcome)>) -> Fate {
    let [(_, _, outcome)] = parts.as_slice() else { panic!("{parts:?}") };
    fate(outcome)
}

pub fn ask(network: &Network, at: &FilterPoint, from: &str, to: &str) -> Vec<(Addresses, Ports, Outcome)> {
    let to = match to.parse::<IpAddr>() {
        Ok(address) => Target::Address(address),
        Err(_) => public_host(to),
    };
    let prover = Prover::new(network);
    let parts = prover.nsg(at, &from.parse().unwrap(), &Ports::range(32768, 60999), &to, Proto::Tcp, 443);
    parts.into_iter().map(|part| (part.sources, part.sports, part.outcome)).collect()
}

/// `host@Tag` is a public host whose address is in that tag.
pub fn public_host(text: &str) -> Target {
    let (host, tag) = text.split_once('@').unwrap();
    Target::PublicHost { host: host.into(), tags: vec![tag.into()] }
}
