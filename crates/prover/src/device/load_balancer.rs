//! Internal load balancers: which rule takes a packet, and who is behind it (R111, R165, R166).

use pullproof_network::Ref;
use pullproof_network::Val;
use pullproof_network::model::index::{LoadBalancerIx, NicIx};
use pullproof_network::model::load_balancer::{
    BackendPool, LoadBalancer, LoadBalancerProtocol, LoadBalancingRule, backend_pool, load_balancer,
};
use pullproof_network::model::owner::OwnerKind;
use pullproof_network::set::{Addresses, Ports};
use pullproof_snapshot::At;
use serde_json::Value;

use super::machine::Machine;
use crate::BlockerKind;
use crate::context::Proto;
use crate::filter::{FilterPoint, Holder};
use crate::first_match::public_space::PLATFORM;
use crate::missing::{Ends, evidence};
use crate::outcome::{Blocker, Missing, Outcome};
use crate::path::Target;
use crate::prover::Prover;

/// One machine behind a load balancer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Backend {
    pub nic: NicIx,
    /// Position of the IP configuration.
    pub config: u16,
    /// The port that the packet has behind the load balancer; `None`: unchanged (HA ports).
    pub port: Option<u16>,
}

/// What a front end does with a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Balanced {
    /// Any of these, at least one.
    To(Vec<Backend>),
    Dropped(Blocker),
    Open(Missing),
}

impl Prover<'_> {
    /// The machines that a packet to front end `frontend` can reach; stopped ones are taken out by the probe.
    pub(crate) fn balance(&self, ix: LoadBalancerIx, frontend: u16, proto: Proto, port: u16) -> Balanced {
        let lb = &self.network.load_balancers[ix];
        let name = lb.id.name();
        let Some(front) = lb.frontends.items.get(usize::from(frontend)) else {
            return Balanced::Open(evidence(
                format!("front end {frontend} of load balancer {name}"),
                "it is not in the list",
                "collect the load balancer again",
            ));
        };
        if let Some(symbol) = lb.rules.open {
            return Balanced::Open(self.unknown(symbol, format!("the rules of load balancer {name}")));
        }
        let mut rule: Option<&LoadBalancingRule> = None;
        for candidate in &lb.rules {
            let about = candidate.frontend.present() == Some(&front.id);
            match takes(candidate, proto, port) {
                Some(true) if about => rule = rule.or(Some(candidate)),
                None if about => {
                    return Balanced::Open(evidence(
                        format!("what rule {} of load balancer {name} takes", candidate.name),
                        "its protocol or port is not known",
                        "collect the load balancer again",
                    ));
                }
                Some(_) | None => {}
            }
        }
        let Some(rule) = rule else {
            return Balanced::Dropped(Blocker {
                kind: BlockerKind::LoadBalancerNoRule,
                message: format!(
                    "load balancer {name} has no rule for port {port} on front end {}",
                    front.name
                ),
                remedy: "add an HA ports rule (protocol All, port 0), or a rule for the port".into(),
                facts: vec!["R165"],
                evidence: vec![lb.place.at(load_balancer::RULES)],
            });
        };
        self.behind_rule(lb, rule)
    }

    fn behind_rule(&self, lb: &LoadBalancer, rule: &LoadBalancingRule) -> Balanced {
        let name = lb.id.name();
        if let Some(symbol) = rule.backend_pools.open.or(lb.backend_pools.open) {
            return Balanced::Open(
                self.unknown(symbol, format!("the backend pools of load balancer {name}")),
            );
        }
        let port = rule.backend_port.present().copied().filter(|p| *p != 0);
        let pools: Vec<&BackendPool> =
            lb.backend_pools.iter().filter(|p| rule.backend_pools.items.contains(&p.id)).collect();
        let mut out = Vec::new();
        let mut open: Option<Missing> = None;
        let mut stopped: Vec<At> = Vec::new();
        let mut listed = 0_usize;
        for pool in &pools {
            listed = listed.saturating_add(pool.ip_configs.items.len());
            let unknown = pool.ip_configs.open.or(pool.addresses.open);
            open = open.or_else(|| {
                unknown.map(|s| self.unknown(s, format!("the backends of load balancer {name}")))
            });
            for member in self.backends_of(pool) {
                match self.machine(member.0) {
                    Machine::Up => out.push(Backend { nic: member.0, config: member.1, port }),
                    Machine::Stopped(at) | Machine::None(at) => stopped.push(at),
                    Machine::Unknown(missing) => open = open.or(Some(missing)),
                }
            }
        }
        if let Some(missing) = open {
            return Balanced::Open(missing);
        }
        out.sort_unstable();
        out.dedup();
        let found = out.len().saturating_add(stopped.len());
        if found < listed || pools.iter().any(|p| found == 0 && !p.addresses.items.is_empty()) {
            return Balanced::Open(evidence(
                format!("the backends of load balancer {name}"),
                "some of them were not read, or are given by address only",
                "add their network interfaces to the input",
            ));
        }
        if out.is_empty() {
            let mut evidence = stopped;
            evidence.push(lb.place.at(load_balancer::BACKEND_POOLS));
            return Balanced::Dropped(Blocker {
                kind: BlockerKind::LoadBalancerNoBackend,
                message: format!("load balancer {name} has no running machine behind rule {}", rule.name),
                remedy: "start a backend, or add one to the pool".into(),
                facts: vec!["R165"],
                evidence,
            });
        }
        self.unhealthy(lb, rule, &pools, &out).map_or(Balanced::To(out), Balanced::Open)
    }

    /// Why a backend may be taken out: its administrative state, or a filter that stops the probe (F41).
    fn unhealthy(
        &self,
        lb: &LoadBalancer,
        rule: &LoadBalancingRule,
        pools: &[&BackendPool],
        backends: &[Backend],
    ) -> Option<Missing> {
        let name = lb.id.name();
        let health = |why: String, remedy: &str| {
            evidence(format!("which backends of load balancer {name} are in use"), why, remedy)
                .holds_if("one that the flow passes is")
                .breaks_if("none is")
        };
        for pool in pools {
            let listed = self.network.layered.value_at(&pool.place.at(backend_pool::ADDRESSES));
            for member in listed.as_array().into_iter().flatten() {
                let state = member.pointer("/properties/adminState").unwrap_or(&Value::Null);
                let usual =
                    |word: &str| ["", "None", "Up"].iter().any(|known| word.eq_ignore_ascii_case(known));
                if !state.is_null() && !state.as_str().is_some_and(usual) {
                    let why = format!("pool {} gives a backend another adminState than Up", pool.name);
                    return Some(health(why, "set the backend's adminState to None"));
                }
            }
        }
        let probe = match &rule.probe {
            Val::Known(None) => return None,
            Val::Known(Some(id)) => lb.probes.iter().find(|probe| probe.id == *id),
            Val::Sym(_) => None,
        };
        let Some(port) = probe.and_then(|probe| probe.port.present().copied()) else {
            let why = format!("the probe of rule {} is not known", rule.name);
            return Some(health(why, "collect the load balancer again"));
        };
        for backend in backends {
            let nic = self.network.nics.get(backend.nic)?;
            let Some(config) = nic.ip_configs.items.get(usize::from(backend.config)) else { continue };
            let (Some(address), Some(subnet)) =
                (config.address.present(), config.subnet.present().and_then(Ref::here))
            else {
                continue; // what the way to the backend opens anyway
            };
            let at = FilterPoint::entering(subnet, Holder::Nic(backend.nic));
            let from = Addresses::address(PLATFORM);
            let passed = self.nsg(&at, &from, &Ports::all(), &Target::Address(*address), Proto::Tcp, port);
            if passed.iter().any(|part| part.outcome != Outcome::Holds) {
                let why = format!(
                    "probes from 168.63.129.16 to port {port} may not get to {}: they are filtered like any packet \
                     (F41)",
                    nic.id.name()
                );
                return Some(health(why, "allow AzureLoadBalancer inbound to the probe's port"));
            }
        }
        None
    }

    /// The NICs of a pool, by either end's word.
    fn backends_of(&self, pool: &BackendPool) -> Vec<(NicIx, u16)> {
        let mut out = Vec::new();
        for (ix, nic) in self.network.nics.iter() {
            for (i, config) in nic.ip_configs.iter().enumerate() {
                let Ok(i) = u16::try_from(i) else { continue };
                let named = pool.ip_configs.items.contains(&config.id)
                    || pool.addresses.iter().any(|a| a.ip_config.present() == Some(&config.id))
                    || config.backend_pools.items.contains(&pool.id);
                if named {
                    out.push((ix, i));
                }
            }
        }
        for address in pool.addresses.iter().filter_map(|a| a.address.present()) {
            for owner in self.network.owners_of(*address) {
                if let OwnerKind::Nic(nic, i) = owner.kind {
                    out.push((nic, i));
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}

/// `None`: not known.
fn takes(rule: &LoadBalancingRule, proto: Proto, port: u16) -> Option<bool> {
    let protocol = match &rule.protocol {
        Val::Known(Some(LoadBalancerProtocol::All)) => true,
        Val::Known(Some(LoadBalancerProtocol::Tcp)) => proto == Proto::Tcp,
        Val::Known(Some(LoadBalancerProtocol::Udp)) => proto == Proto::Udp,
        Val::Known(Some(LoadBalancerProtocol::Quic)) => false,
        Val::Known(Some(LoadBalancerProtocol::Other(_)) | None) | Val::Sym(_) => return None,
    };
    if !protocol {
        return Some(false);
    }
    match &rule.frontend_port {
        Val::Known(Some(0)) => Some(rule.protocol.present() == Some(&LoadBalancerProtocol::All)),
        Val::Known(Some(front)) => Some(*front == port),
        Val::Known(None) | Val::Sym(_) => None,
    }
}
