//! Packets that a user route sends to an appliance (R36–R46, R164–R166).

use std::net::IpAddr;

use pullproof_network::model::index::{ApplianceIx, Ref, SubnetIx, VnetIx};
use pullproof_network::set::Addresses;
use pullproof_snapshot::question::Direction;

use super::Walk;
use super::packet::Packet;
use crate::BlockerKind;
use crate::device::declared_filter::{Declared, FirstPacket, decide};
use crate::device::locate::Located;
use crate::device::next_hop::{Behaves, Forwarder, Taken};
use crate::device::{Passed, Place};
use crate::filter::{FilterPoint, Holder};
use crate::missing::{Ends, declare, evidence};
use crate::outcome::{Blocker, Missing, Outcome, Remark};
use crate::path::{Branch, Interceptor, StepDecision, StepKind, Target};
use crate::routes::route::Route;

impl Walk<'_, '_> {
    pub(super) fn to_appliance(
        &self,
        mut packet: Packet,
        subnet: SubnetIx,
        hop: IpAddr,
        route: &Route,
    ) -> Vec<Branch> {
        let network = self.prover.network;
        let vnet = network.subnets[subnet].vnet;
        if network.subnets[subnet].prefixes.iter().any(|p| p.contains(&hop)) {
            packet.branch.basis.remarks.insert(Remark {
                kind: "appliance-in-routed-subnet",
                message: format!("next hop {hop} stands in the subnet whose route table names it"),
                facts: vec!["R45"],
                evidence: route.by.clone(),
            });
        }
        let next = self.prover.next_hop(vnet, hop, self.proto, packet.port);
        if let Some(link) = next.over
            && let Some(blocker) = self.cross(&mut packet, link, subnet)
        {
            return self.fail(packet, blocker);
        }
        let reachable = !matches!(self.prover.locate(vnet, hop), Located::Nowhere);
        if only_address(&packet.to) == Some(hop) && reachable {
            return self.at_the_hop(packet, vnet, hop);
        }
        match next.taken {
            Taken::Open(missing) => vec![packet.lost(missing)],
            Taken::Broken(mut blocker) => {
                blocker.evidence.extend(route.by.iter().copied());
                self.fail(packet, blocker)
            }
            Taken::By(forwarders) => {
                let several = forwarders.len() > 1;
                let each = forwarders.iter().flat_map(|forwarder| {
                    let mut part = packet.clone();
                    if several {
                        part.choose("backend", forwarder.passed.name.clone());
                    }
                    self.into(part, forwarder, route)
                });
                each.collect()
            }
        }
    }

    /// The hop is the end of the way: a DNS proxy, say, whose network is routed through it.
    fn at_the_hop(&self, packet: Packet, vnet: VnetIx, hop: IpAddr) -> Vec<Branch> {
        let home = match self.prover.locate(vnet, hop) {
            Located::Own => Some(vnet),
            Located::Peered(link) => self.prover.remote_vnet(link),
            Located::Hub(connection) => return self.at_hub_address(packet, connection),
            Located::Nowhere => None,
            Located::Open(missing) => return vec![packet.lost(missing)],
        };
        match home {
            Some(home) => self.arrive(packet, home, hop),
            None => vec![packet.lost(evidence(
                format!("who holds {hop}"),
                "the network that it is in was not read",
                "collect the networks that are peered with this one",
            ))],
        }
    }

    /// The packet enters a device.
    fn into(&self, packet: Packet, forwarder: &Forwarder, route: &Route) -> Vec<Branch> {
        let parts = match forwarder.entry {
            Some((nic, subnet)) => self.filters(vec![packet], subnet, Holder::Nic(nic)),
            None => vec![packet],
        };
        let mut out = Vec::new();
        for mut part in parts {
            let passed = part.legs.iter().flat_map(|l| l.devices.iter().chain(&l.by));
            if passed.clone().any(|d| d.id == forwarder.passed.id)
                && part.been.iter().any(|(p, _)| *p == forwarder.passed.near)
            {
                out.extend(self.fail(part, circle(&forwarder.passed, route)));
                continue;
            }
            if let Some(blocker) = &forwarder.broken {
                let mut blocker = blocker.clone();
                blocker.evidence.extend(route.by.iter().copied());
                out.extend(self.fail(part, blocker));
                continue;
            }
            if let Behaves::Firewall(firewall) = forwarder.behaves {
                out.extend(self.at_firewall(part, firewall, &forwarder.passed));
                continue;
            }
            part.branch.interceptors.push(Interceptor { address: forwarder.passed.entry, terminates: None });
            match forwarder.behaves {
                Behaves::Declared(ix) => out.extend(self.at_declared(part, ix, forwarder)),
                Behaves::Opaque | Behaves::Firewall(_) => out.push(part.lost(undeclared(&forwarder.passed))),
            }
        }
        out
    }

    /// CONTRACT §2: first match decides, what no entry names is dropped.
    fn at_declared(&self, packet: Packet, ix: ApplianceIx, forwarder: &Forwarder) -> Vec<Branch> {
        let table = self.prover.network.appliances[ix].table;
        let Some(declared) = self.prover.network.declared.appliances.get(table) else {
            return vec![packet.lost(undeclared(&forwarder.passed))];
        };
        let sources = packet.sources();
        let first = FirstPacket { sources: &sources, to: &packet.to, proto: self.proto, port: packet.port };
        let mut out = Vec::new();
        let parts = decide(&declared.forwards, &first, Declared::Deny(None));
        let several = parts.len() > 1;
        for (part, what) in parts {
            let mut packet = packet.clone();
            if !packet.is_askers() && several {
                packet.choose("snat", part.to_string());
            }
            packet.branch.basis.assume(format!("appliance:{}", declared.address));
            if packet.is_askers() {
                packet.branch.sources = part;
            }
            let name = &forwarder.passed.name;
            let decision =
                if matches!(what, Declared::Allow(_)) { StepDecision::Allow } else { StepDecision::Deny };
            packet.step(
                StepKind::Appliance,
                name.clone(),
                decision,
                format!("{name}: {}", entry_text(what)),
                Vec::new(),
                &["R44"],
            );
            match what {
                Declared::Allow(_) => {}
                Declared::Deny(n) => packet.filtered(Outcome::fails(Blocker {
                    kind: BlockerKind::ApplianceDenies,
                    message: match n {
                        Some(n) => format!(
                            "appliance {name} denies the flow, by entry {} of its declaration",
                            n.saturating_add(1)
                        ),
                        None => format!("appliance {name} forwards nothing of the kind, by its declaration"),
                    },
                    remedy: "let the appliance forward the flow, and declare it".into(),
                    facts: vec!["R44"],
                    evidence: Vec::new(),
                })),
                Declared::Open(n) => packet.filtered(Outcome::open(evidence(
                    "the public address of the destination",
                    format!(
                        "entry {} of appliance {name} covers only part of public space",
                        n.saturating_add(1)
                    ),
                    "declare [[public_name]] with the host's addresses",
                ))),
            }
            out.extend(self.out_of(packet, declared, forwarder));
        }
        out
    }

    /// The packet leaves a declared appliance.
    fn out_of(
        &self,
        packet: Packet,
        declared: &pullproof_snapshot::declared::Appliance,
        forwarder: &Forwarder,
    ) -> Vec<Branch> {
        let Some(near) = forwarder.passed.near.subnet() else {
            return vec![packet.lost(undeclared(&forwarder.passed))];
        };
        let vnet = self.prover.network.subnets[near].vnet;
        let (home, holder) = match self.exit(vnet, near, declared, forwarder) {
            Ok(exit) => exit,
            Err(missing) => return vec![packet.lost(missing)],
        };
        let keeps = |mut packet: Packet| {
            packet.pass(forwarder.passed.clone());
            self.onward(packet, home, holder)
        };
        let translated = || {
            if !declared.snat_to.is_empty() {
                return declared
                    .snat_to
                    .iter()
                    .fold(Addresses::empty(), |all, a| all.union(&Addresses::address(*a)));
            }
            Addresses::address(declared.egress.unwrap_or_else(|| self.own_address(forwarder)))
        };
        let translates = |mut packet: Packet| {
            packet.step(
                StepKind::Appliance,
                forwarder.passed.name.clone(),
                StepDecision::Snat,
                "puts an address of its own in the source's place",
                Vec::new(),
                &["R164"],
            );
            packet.translate(forwarder.passed.clone(), translated(), Place::Subnet(home));
            self.onward(packet, home, holder)
        };
        match (declared.snat, declared.snat_to.is_empty()) {
            (Some(false), true) => keeps(packet),
            (Some(true), _) | (None | Some(false), false) => translates(packet),
            (None, true) => {
                let missing = declare(
                    format!("whether appliance {} translates the source", declared.address),
                    "its declaration does not say",
                    "add snat = true or snat = false to its [[appliance]]",
                );
                super::merge::readings(vec![keeps(packet.clone()), translates(packet)], &missing)
            }
        }
    }

    /// The interface that the appliance sends from.
    fn exit(
        &self,
        vnet: VnetIx,
        near: SubnetIx,
        declared: &pullproof_snapshot::declared::Appliance,
        forwarder: &Forwarder,
    ) -> Result<(SubnetIx, Holder), Missing> {
        use crate::device::locate::Holding;
        use pullproof_network::model::owner::OwnerKind;
        let network = self.prover.network;
        if let Some(egress) = declared.egress {
            let subnet = self.prover.subnet_of(vnet, egress).ok_or_else(|| {
                declare(
                    format!("the subnet of {egress}, from which appliance {} sends", declared.address),
                    "it is in no subnet of the appliance's network",
                    "correct `egress` in its [[appliance]]",
                )
            })?;
            let holder = match self.prover.holding(vnet, egress) {
                Holding::By(owner) => match owner.kind {
                    OwnerKind::Nic(nic, _) => Holder::Nic(nic),
                    _ => Holder::Other,
                },
                Holding::Nobody | Holding::Unknown(_) => Holder::Other,
            };
            return Ok((subnet, holder));
        }
        let Some((nic, _)) = forwarder.entry else { return Ok((near, Holder::Other)) };
        // The machine's own list, and the interfaces that name the machine where it was not read.
        let vm = network.nics[nic].virtual_machine.present();
        let listed = vm.and_then(Ref::here).map_or(1, |vm| network.virtual_machines[vm].nics.items.len());
        let naming =
            network.nics.values().filter(|n| vm.is_some() && n.virtual_machine.present() == vm).count();
        let interfaces = listed.max(naming);
        if interfaces > 1 {
            return Err(declare(
                format!("the interface from which appliance {} sends", forwarder.passed.name),
                "the machine has several network interfaces (R165)",
                "add `egress` to its [[appliance]]",
            ));
        }
        Ok((near, Holder::Nic(nic)))
    }

    fn onward(&self, packet: Packet, from: SubnetIx, holder: Holder) -> Vec<Branch> {
        let point = FilterPoint {
            subnet: from,
            holder,
            direction: Direction::Outbound,
            sender: None,
            forwarded: false,
        };
        let mut out = Vec::new();
        for mut part in self.filter(packet, point) {
            part.place = Place::Subnet(from);
            out.extend(self.go(part));
        }
        out
    }

    /// The address of the interface itself, behind a front end too.
    fn own_address(&self, forwarder: &Forwarder) -> IpAddr {
        let nic = forwarder.entry.map(|(nic, _)| &self.prover.network.nics[nic]);
        let own = nic.and_then(|n| n.ip_configs.iter().find_map(|c| c.address.present().copied()));
        own.filter(|_| forwarder.passed.pooled).unwrap_or(forwarder.passed.entry)
    }
}

fn entry_text(what: Declared) -> String {
    match what {
        Declared::Allow(Some(n)) => format!("entry {} allows", n.saturating_add(1)),
        Declared::Allow(None) => "allowed".to_owned(),
        Declared::Deny(Some(n)) => format!("entry {} denies", n.saturating_add(1)),
        Declared::Deny(None) => "no entry names the flow: dropped".to_owned(),
        Declared::Open(n) => format!("entry {} covers part of the destination", n.saturating_add(1)),
    }
}

/// R44: nothing in ARM says what an appliance does.
pub(super) fn undeclared(passed: &Passed) -> Missing {
    declare(
        format!("what appliance {} ({}) does with the flow", passed.name, passed.entry),
        "its forwarding, filters and translation are not visible in Azure (R44)",
        format!("declare [[appliance]] address = \"{}\" with `forwards` and `snat`", passed.entry),
    )
    .holds_if("it forwards the flow and its replies")
    .breaks_if("it drops them")
}

fn circle(passed: &Passed, route: &Route) -> Blocker {
    Blocker {
        kind: BlockerKind::RoutingLoop,
        message: format!("{} sends the packet to itself again, by route {}", passed.name, route.prefix),
        remedy: "take the route table off the appliance's own subnet, or give that subnet a route of its own"
            .into(),
        facts: vec!["R45", "R175"],
        evidence: route.by.clone(),
    }
}

/// For filters that compare one address only.
pub(super) fn only_address(to: &Target) -> Option<IpAddr> {
    match to {
        Target::Address(address) => Some(*address),
        Target::PublicHost { .. } => None,
    }
}
