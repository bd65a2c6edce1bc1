//! Small networks, written as ARM returns them.

use std::net::IpAddr;

use pullproof_network::Network;
use pullproof_network::model::index::{PoolIx, SubnetIx};
use pullproof_network::set::{Addresses, Ports, assignable};
use pullproof_prover::path::{PathAnswer, Target};
use pullproof_prover::{BlockerKind, Outcome, Proto, Prover, SourceContext};
use pullproof_snapshot::question::{From, NextHopAnswer};
use pullproof_snapshot::{ArmId, Declared, Evidence};
use serde_json::{Value, json};

pub use crate::estate::net;
use crate::estate::{Estate, GROUP};

pub fn vm_id(name: &str) -> String {
    format!("{GROUP}/Microsoft.Compute/virtualMachines/{name}")
}

pub fn subnet_id(path: &str) -> String {
    let (vnet, subnet) = path.split_once('/').unwrap();
    format!("{}/subnets/{subnet}", net("virtualNetworks", vnet))
}

#[derive(Clone, Default)]
pub struct World {
    pub resources: Vec<Value>,
    pub tags: Vec<(&'static str, Vec<&'static str>)>,
    pub evidence: Vec<Evidence>,
    pub config: String,
    /// Nothing counts as completely read.
    pub partial: bool,
}

/// Fields of `over` replace those of `base`.
pub fn merge(mut base: Value, over: Value) -> Value {
    for (key, value) in over.as_object().unwrap() {
        base[key] = value.clone();
    }
    base
}

impl World {
    pub fn with(mut self, resource: Value) -> Self {
        self.resources.push(resource);
        self
    }

    /// `subnets`: name, prefix, more properties.
    pub fn vnet(self, name: &str, space: &[&str], subnets: &[(&str, &str, Value)]) -> Self {
        self.vnet_in("westeurope", name, space, subnets)
    }

    pub fn vnet_in(self, region: &str, name: &str, space: &[&str], subnets: &[(&str, &str, Value)]) -> Self {
        let subnets: Vec<Value> = subnets
            .iter()
            .map(|(subnet, prefix, more)| {
                let base = json!({ "addressPrefix": prefix, "defaultOutboundAccess": false });
                json!({ "id": subnet_id(&format!("{name}/{subnet}")), "name": subnet, "properties": merge(base, more.clone()) })
            })
            .collect();
        self.with(json!({ "id": net("virtualNetworks", name), "location": region, "properties": {
            "addressSpace": { "addressPrefixes": space }, "subnets": subnets, "virtualNetworkPeerings": [],
        }}))
    }

    pub fn get(&mut self, id: &str) -> &mut Value {
        self.resources.iter_mut().find(|r| r["id"].as_str() == Some(id)).unwrap()
    }

    /// One half of a peering.
    pub fn half(mut self, from: &str, to: &str, over: Value) -> Self {
        let space = self.get(&net("virtualNetworks", to))["properties"]["addressSpace"].clone();
        let base = json!({
            "peeringState": "Connected", "peeringSyncLevel": "FullyInSync", "provisioningState": "Succeeded",
            "allowVirtualNetworkAccess": true, "allowForwardedTraffic": true, "allowGatewayTransit": false,
            "useRemoteGateways": false, "peerCompleteVnets": true,
            "remoteVirtualNetwork": { "id": net("virtualNetworks", to) },
            "remoteAddressSpace": space, "remoteVirtualNetworkAddressSpace": space,
        });
        let link = json!({ "name": format!("to-{to}"), "properties": merge(base, over) });
        let halves = &mut self.get(&net("virtualNetworks", from))["properties"]["virtualNetworkPeerings"];
        halves.as_array_mut().unwrap().push(link);
        self
    }

    pub fn peer(self, a: &str, b: &str) -> Self {
        self.half(a, b, json!({})).half(b, a, json!({}))
    }

    /// `routes`: prefix, next hop type, next hop address.
    pub fn table(self, name: &str, more: Value, routes: &[(&str, &str, Value)]) -> Self {
        let routes: Vec<Value> = routes
            .iter()
            .map(|(prefix, hop, address)| {
                json!({ "name": format!("r-{prefix}"), "properties": {
                    "addressPrefix": prefix, "nextHopType": hop, "nextHopIpAddress": address,
                }})
            })
            .collect();
        let properties = merge(json!({ "disableBgpRoutePropagation": false, "routes": routes }), more);
        self.with(json!({ "id": net("routeTables", name), "properties": properties }))
    }

    /// A machine, with more properties of its NIC.
    pub fn machine(self, name: &str, subnet: &str, address: &str, more: Value) -> Self {
        let nic = net("networkInterfaces", name);
        let properties = merge(
            json!({
                "enableIPForwarding": false, "virtualMachine": { "id": vm_id(name) },
                "ipConfigurations": [{ "id": format!("{nic}/ipConfigurations/one"), "name": "one", "properties": {
                    "privateIPAddress": address, "subnet": { "id": subnet_id(subnet) },
                }}],
            }),
            more,
        );
        self.with(json!({ "id": nic, "properties": properties })).with(
            json!({ "id": vm_id(name), "properties": {
                "networkProfile": { "networkInterfaces": [{ "id": nic }] },
                "instanceView": { "statuses": [{ "code": "PowerState/running" }] },
            }}),
        )
    }

    /// A private endpoint of a registry `contosoreg`, approved.
    pub fn endpoint(self, name: &str, subnet: &str, address: &str) -> Self {
        self.with(json!({ "id": net("privateEndpoints", name), "properties": {
            "subnet": { "id": subnet_id(subnet) },
            "privateLinkServiceConnections": [{ "name": "c", "properties": {
                "privateLinkServiceId": format!("{GROUP}/Microsoft.ContainerRegistry/registries/contosoreg"),
                "groupIds": ["registry"], "privateLinkServiceConnectionState": { "status": "Approved" },
            }}],
            "ipConfigurations": [{ "name": "one", "properties": {
                "groupId": "registry", "memberName": "registry", "privateIPAddress": address,
            }}],
        }}))
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

    pub fn declare(mut self, text: &str) -> Self {
        self.config.push_str(text);
        self
    }

    pub fn partial(mut self) -> Self {
        self.partial = true;
        self
    }

    pub fn read(self) -> Network {
        let Self { resources, tags, evidence, config, partial } = self;
        let declared = Declared::parse("pullproof.toml", &format!("version = 1\n{config}")).unwrap();
        Estate { resources, tags, evidence, partial }.read(declared)
    }
}

pub fn subnet_ix(network: &Network, path: &str) -> SubnetIx {
    let id = ArmId::new(&subnet_id(path));
    network.subnets.iter().find(|(_, s)| s.id == id).map(|(ix, _)| ix).unwrap()
}

/// What a subnet does with packets for an address.
pub fn hop(network: &Network, subnet: &str, to: &str) -> NextHopAnswer {
    let from = From { subnet: Some(subnet_id(subnet)), nic: None };
    Prover::new(network).next_hop_answer(&from, to).unwrap()
}

/// `type prefix` of the answer.
pub fn brief(network: &Network, subnet: &str, to: &str) -> String {
    let answer = hop(network, subnet, to);
    format!("{} {}", answer.next_hop_type, answer.prefix.unwrap_or_default()).trim().to_owned()
}

pub fn context(network: &Network, subnet: &str, pool: Option<PoolIx>) -> SourceContext {
    let ix = subnet_ix(network, subnet);
    let prefixes = network.subnets[ix].prefixes.iter();
    SourceContext {
        subnet: ix,
        pool,
        nic: None,
        sources: prefixes.fold(Addresses::empty(), |all, p| all.union(&assignable(*p))),
        sports: Ports::range(32768, 60999),
    }
}

/// TCP 443 from a subnet; `to` is an address, or `host@Tag`.
pub fn path(network: &Network, subnet: &str, to: &str) -> PathAnswer {
    let pool = network.pools_of(subnet_ix(network, subnet)).first().copied();
    path_of(network, &context(network, subnet, pool), to, None)
}

pub fn path_of(network: &Network, from: &SourceContext, to: &str, host: Option<&str>) -> PathAnswer {
    let target = match to.parse::<IpAddr>() {
        Ok(address) => Target::Address(address),
        Err(_) => {
            let (host, tag) = to.split_once('@').unwrap();
            Target::PublicHost { host: host.into(), tags: vec![tag.into()] }
        }
    };
    let answer = (*Prover::new(network).path(from, &target, Proto::Tcp, 443, host)).clone();
    partition(from, &answer);
    answer
}

/// The branches' sources make up what was asked, choice by choice.
fn partition(from: &SourceContext, answer: &PathAnswer) {
    let all = answer.branches.iter().fold(Addresses::empty(), |all, b| all.union(&b.sources));
    assert_eq!(all, from.sources, "the branches are the question");
}

/// Forward, back and filters of a path of one branch: `ok`, a blocker's kind, or `?` and what is missing.
#[track_caller]
pub fn fates(answer: &PathAnswer) -> [String; 3] {
    let [branch] = answer.branches.as_slice() else { panic!("{:#?}", answer.branches) };
    [fate(&branch.forward), fate(&branch.back), fate(&branch.filters)]
}

pub fn fate(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Holds => "ok".into(),
        Outcome::Fails(blocker, _) => blocker.kind.as_str().into(),
        Outcome::Open(missing, _) => format!("? {}", missing.what),
    }
}

#[track_caller]
pub fn holds(answer: &PathAnswer) {
    assert!(!answer.branches.is_empty());
    for branch in &answer.branches {
        let fates = [fate(&branch.forward), fate(&branch.back), fate(&branch.filters)];
        assert_eq!(fates, ["ok", "ok", "ok"], "{branch:#?}");
    }
}

/// Some branch fails so in one of its outcomes.
#[track_caller]
pub fn fails(answer: &PathAnswer, kind: BlockerKind) {
    let all = answer.branches.iter().flat_map(|b| [&b.forward, &b.back, &b.filters]);
    let kinds: Vec<&str> = all.flat_map(|o| o.blockers()).map(|b| b.kind.as_str()).collect();
    assert!(kinds.contains(&kind.as_str()), "{kinds:?} in {:#?}", answer.branches);
}

/// Nothing fails, and something is open on that.
#[track_caller]
pub fn open(answer: &PathAnswer, words: &str) {
    let all: Vec<&Outcome> = answer.branches.iter().flat_map(|b| [&b.forward, &b.back, &b.filters]).collect();
    assert!(all.iter().all(|o| o.blockers().is_empty()), "{:#?}", answer.branches);
    let missing: Vec<&str> = all.iter().flat_map(|o| o.missing()).map(|m| m.what.as_str()).collect();
    assert!(missing.iter().any(|m| m.contains(words)), "{missing:?}");
}
