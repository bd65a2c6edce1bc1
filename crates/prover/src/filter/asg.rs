//! Application security groups: who is a member (F31–F36, F98).

use std::sync::Arc;

use pullproof_network::model::index::{AsgIx, PoolIx, Ref};
use pullproof_network::model::nic::ip_config;
use pullproof_network::set::{Addresses, assignable};
use pullproof_network::{List, Val};
use pullproof_snapshot::Absence;
use pullproof_snapshot::question::Direction;

use super::point::Holder;
use super::terms::{Terms, ask_part};
use super::virtual_network::Part;
use crate::first_match::Destination;
use crate::first_match::{Asked, Doubt, World};
use crate::outcome::{Basis, MissingKind};
use crate::prover::Prover;

/// The members' private addresses, as far as they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Members {
    pub sure: Addresses,
    pub parts: Vec<Part>,
    pub basis: Basis,
}

impl Terms<'_, '_> {
    /// Does the group hold the destination?
    pub fn group_covers(&self, asg: &Ref<AsgIx>, world: &World) -> Asked<bool> {
        let Destination::Address(address) = self.destination else { return Ok(false) };
        if let (Direction::Inbound, Holder::Pool(pool)) = (self.at.direction, self.at.holder) {
            return self.prover.pool_in_group(pool, asg, world);
        }
        let members = self.prover.members(asg);
        if members.sure.contains(address) {
            return Ok(true);
        }
        let mut doubt = None;
        for part in members.parts.iter().filter(|part| part.set.contains(address)) {
            match ask_part(part, "destination", world) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(unknown) => doubt = Some(unknown),
            }
        }
        doubt.map_or(Ok(false), Err)
    }

    /// The sources that the group holds. A new node of a pool is in its pool's groups and in no other (F35).
    pub fn group_sources(&self, asg: &Ref<AsgIx>, within: &Addresses, world: &World) -> Asked<Addresses> {
        if let Some(pool) = self.at.sender {
            let yes = self.prover.pool_in_group(pool, asg, world)?;
            return Ok(if yes { within.clone() } else { Addresses::empty() });
        }
        let members = self.prover.members(asg);
        let mut found = members.sure.intersect(within);
        for part in &members.parts {
            let more = part.set.intersect(within);
            if !more.is_subset(&found) && ask_part(part, "source", world)? {
                found = found.union(&more);
            }
        }
        Ok(found)
    }
}

impl Prover<'_> {
    fn pool_in_group(&self, ix: PoolIx, asg: &Ref<AsgIx>, world: &World) -> Asked<bool> {
        let Some(pool) = self.network.pools.get(ix) else { return Ok(false) };
        let mut open = pool.asgs.open.is_some();
        if pool.asgs.iter().any(|group| group == asg) {
            return Ok(true);
        }
        for set in self.network.scale_sets_of_pool(ix) {
            let Some(set) = self.network.scale_sets.get(*set) else { continue };
            open |= set.nic_configs.open.is_some();
            for config in set.nic_configs.iter().flat_map(|nic| nic.ip_configs.iter()) {
                if config.asgs.iter().any(|group| group == asg) {
                    return Ok(true);
                }
                open |= config.asgs.open.is_some();
            }
        }
        if !open {
            return Ok(false);
        }
        let key = format!("asg:{}:{}", name(self, asg), pool.id.folded());
        world.ask(&key, || Doubt {
            key: key.clone(),
            kind: MissingKind::Evidence,
            what: format!("the application security groups of pool {}", pool.name),
            why: format!("a rule names {}", name(self, asg)),
            remedy: "complete the pool's network profile in the input".into(),
            yes: "its nodes are members".into(),
            no: "its nodes are no members".into(),
        })
    }

    /// The members of a group that are known, and where more may be.
    pub(crate) fn members(&self, asg: &Ref<AsgIx>) -> Arc<Members> {
        self.asg_members.get(asg.clone(), || self.find_members(asg))
    }

    fn find_members(&self, asg: &Ref<AsgIx>) -> Members {
        let network = self.network;
        let mut out = Members::default();
        let label = name(self, asg);
        let holds = |groups: &List<Ref<AsgIx>>| groups.iter().any(|group| group == asg);
        for nic in network.nics.values() {
            for config in &nic.ip_configs {
                let (member, open) = (holds(&config.asgs), config.asgs.open.is_some());
                match (&config.address, member) {
                    (Val::Known(Some(address)), true) => {
                        out.sure = out.sure.union(&Addresses::address(*address));
                    }
                    (Val::Known(Some(address)), false) if open => {
                        out.maybe(&label, nic.id.name(), Addresses::address(*address));
                    }
                    (Val::Known(None) | Val::Sym(_), true) => {
                        let set = self.subnet_space(config.subnet.present());
                        out.maybe(&label, &format!("{}{}", nic.id.name(), ip_config::ADDRESS), set);
                    }
                    _ => {}
                }
            }
        }
        for endpoint in network.private_endpoints.values().filter(|endpoint| holds(&endpoint.asgs)) {
            let nics = endpoint.nics.iter().filter_map(Ref::here).filter_map(|nic| network.nics.get(nic));
            for address in
                nics.flat_map(|nic| nic.ip_configs.iter()).filter_map(|config| config.address.present())
            {
                out.sure = out.sure.union(&Addresses::address(*address));
            }
        }
        for pool in network.pools.values().filter(|pool| holds(&pool.asgs)) {
            let set = self.subnet_space(pool.vnet_subnet.present());
            out.maybe(&label, &format!("node of pool {}", pool.name), set);
        }
        for set in network.scale_sets.values() {
            for config in set.nic_configs.iter().flat_map(|nic| nic.ip_configs.iter()) {
                if holds(&config.asgs) {
                    let space = self.subnet_space(config.subnet.present());
                    out.maybe(&label, &format!("instance of {}", set.id.name()), space);
                }
            }
        }
        self.add_absent(&mut out, asg, &label);
        out
    }

    /// F34: where interfaces were not completely read, the group may hold more.
    fn add_absent(&self, out: &mut Members, asg: &Ref<AsgIx>, label: &str) {
        let id = match asg {
            Ref::Here(ix) => self.network.asgs.get(*ix).map(|asg| asg.id.clone()),
            Ref::NotRead(id) => Some(id.clone()),
        };
        let scope = id.as_ref().and_then(|id| id.subscription()).map(|s| format!("/subscriptions/{s}"));
        match self
            .network
            .layered
            .absence(scope.as_deref().unwrap_or("/"), "Microsoft.Network/networkInterfaces")
        {
            Absence::Evidence { assumption } => {
                if let Some(assumption) = assumption {
                    out.basis.assume(assumption);
                }
            }
            Absence::NoEvidence(why) => out.parts.push(Part {
                set: Addresses::all_v4(),
                each: true,
                doubt: Doubt {
                    key: format!("asg:{label}"),
                    kind: MissingKind::Permission,
                    what: format!("the members of application security group {label}"),
                    why,
                    remedy: "read all network interfaces of the subscription".into(),
                    yes: "the address is a member's".into(),
                    no: "the address is no member's".into(),
                },
            }),
        }
    }

    fn subnet_space(&self, subnet: Option<&Ref<pullproof_network::model::index::SubnetIx>>) -> Addresses {
        let found = subnet.and_then(Ref::here).and_then(|ix| self.network.subnets.get(ix));
        let Some(prefixes) = found.and_then(|subnet| subnet.prefixes.closed()) else {
            return Addresses::all_v4();
        };
        prefixes.iter().fold(Addresses::empty(), |set, prefix| set.union(&assignable(*prefix)))
    }
}

impl Members {
    fn maybe(&mut self, asg: &str, who: &str, set: Addresses) {
        self.parts.push(Part {
            set,
            each: true,
            doubt: Doubt {
                key: format!("asg:{asg}:{who}"),
                kind: MissingKind::Evidence,
                what: format!("the address of {who}, a member of application security group {asg}"),
                why: "a rule names the group".into(),
                remedy: "name the addresses in the rule instead".into(),
                yes: "it is the one asked about".into(),
                no: "it is another".into(),
            },
        });
    }
}

fn name(prover: &Prover<'_>, asg: &Ref<AsgIx>) -> String {
    match asg {
        Ref::Here(ix) => {
            prover.network.asgs.get(*ix).map_or_else(String::new, |asg| asg.id.name().to_owned())
        }
        Ref::NotRead(id) => id.name().to_owned(),
    }
}
