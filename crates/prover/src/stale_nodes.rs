//! Nodes that run and are older than a change that they have not picked up (V1): worth a finding, never a verdict.

use std::sync::Arc;

use pullproof_network::model::index::{PoolIx, Ref, SubnetIx};
use pullproof_network::model::pool::pool;
use pullproof_network::model::vnet::vnet;
use pullproof_snapshot::{At, Layered};
use serde_json::Value;

use crate::outcome::Remark;
use crate::prover::Prover;

impl Prover<'_> {
    /// What running nodes of a pool may have that a node created now in `subnet` has not: the version of before an
    /// upgrade, the subnet of an older model, resolvers that a plan takes away (A186).
    pub fn stale_nodes(&self, pool: PoolIx, subnet: SubnetIx) -> Vec<Remark> {
        [self.older_version(pool), self.older_subnet(pool, subnet), self.older_resolvers(pool, subnet)]
            .into_iter()
            .flatten()
            .collect()
    }

    /// The nodes' version and the one that the pool is to have: `1.33` stands for all of its patches.
    fn older_version(&self, ix: PoolIx) -> Option<Remark> {
        let model = &self.network.pools[ix];
        let wanted = model.orchestrator_version.present()?;
        let running = model.current_orchestrator_version.present()?;
        let same = running == wanted || running.starts_with(&format!("{wanted}."));
        (!same).then(|| {
            stale(
                format!("nodes of pool {} run Kubernetes {running}, new ones get {wanted}", model.name),
                model.at(pool::ORCHESTRATOR_VERSION),
            )
        })
    }

    /// The scale set still places nodes in another subnet than the pool names.
    fn older_subnet(&self, ix: PoolIx, subnet: SubnetIx) -> Option<Remark> {
        let model = &self.network.pools[ix];
        let sets = self.network.scale_sets_of_pool(ix).iter().map(|set| &self.network.scale_sets[*set]);
        let configs = sets.flat_map(|set| &set.nic_configs).flat_map(|nic| &nic.ip_configs);
        let mut there = configs.filter_map(|config| config.subnet.present().and_then(Ref::here));
        let other = there.find(|other| *other != subnet)?;
        model.vnet_subnet.present()?;
        Some(stale(
            format!(
                "the scale set of pool {} places nodes in subnet {}, and the pool names {}",
                model.name, self.network.subnets[other].name, self.network.subnets[subnet].name
            ),
            model.at(pool::VNET_SUBNET),
        ))
    }

    /// A186: changed resolvers of a network do not reach nodes that run.
    fn older_resolvers(&self, ix: PoolIx, subnet: SubnetIx) -> Option<Remark> {
        let layered = &self.network.layered;
        let model = &self.network.vnets[self.network.subnets[subnet].vnet];
        if !layered.edited(model.place.resource) {
            return None;
        }
        let list = |json: &Value| {
            json.pointer(vnet::DNS_SERVERS)
                .filter(|list| list.as_array().is_some_and(|l| !l.is_empty()))
                .cloned()
        };
        let base = Layered::new(Arc::clone(layered.base()));
        let before = base.json(base.find(model.id.folded())?);
        let (before, after) = (list(&before), list(&layered.json(model.place.resource)));
        (before != after).then(|| {
            let show = |list: Option<Value>| list.map_or("Azure's own".to_owned(), |list| list.to_string());
            stale(
                format!(
                    "nodes of pool {} that run keep the resolvers of before the change of {} ({}); new ones ask {}",
                    self.network.pools[ix].name,
                    model.id.name(),
                    show(before),
                    show(after)
                ),
                model.place.at(vnet::DNS_SERVERS),
            )
        })
    }
}

fn stale(message: String, at: At) -> Remark {
    Remark { kind: "stale-nodes", message, facts: vec!["A186"], evidence: vec![at] }
}
