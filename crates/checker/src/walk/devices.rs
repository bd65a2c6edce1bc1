//! Through appliances: a route's next hop, its NIC, and what is declared of its guest (R37–R46, R165).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::{Appliance, FilterAction};
use pullproof_snapshot::question::Direction;

use super::{Arrival, Through, Walk, exit, intercepts};
use crate::crossed::{Crossed, Position};
use crate::device::{self, Device, Located};
use crate::egress::Sender;
use crate::index::{Home, Owner, OwnerKind};
use crate::merge::{all, contested};
use crate::missing;
use crate::nsg::{Machine, MachineKind};
use crate::reach::Reach;
use crate::routes::Route;
use crate::site;
use crate::steps::By;
use crate::tri::Tri;
use crate::vnet::Subnet;

impl Walk<'_> {
    /// R37–R46: a route's next hop.
    pub(super) fn reach_appliance(self, subnet: &Subnet, route: &Route) -> Reach {
        let Some(address) = route.address else {
            return self.drop(&subnet.id, "appliance", &["R36"], By::route(route));
        };
        match device::locate(self.plain, &subnet.vnet, address) {
            Located::Nowhere => self.drop(&subnet.id, "appliance", &["R38", "R41"], By::route(route)),
            Located::Unknown(missing) => self.stop(Tri::unknown(missing)),
            Located::Vnet(network) => self.at_hop(&network, address, Arrival::default(), route),
            Located::Peer(link) => {
                self.cross(subnet, &link, |walk, arrival| walk.at_hop(&link.to, address, arrival, route))
            }
            Located::Hub(hub) => {
                let all = self.plain.index().owners.get(&address).map(Vec::as_slice).unwrap_or_default();
                match all.iter().find(|o| o.home == Home::Hub(hub.clone())).cloned() {
                    Some(owner) if address == self.flow.destination => self.at_firewall(&owner),
                    Some(owner) => self.through_firewall(&owner),
                    None => self.stop(Tri::unknown(missing::not_modelled(
                        format!("{address} in {}", hub.name()),
                        "a next hop in a hub that is not its firewall (R40)",
                    ))),
                }
            }
        }
    }

    pub(super) fn at_hop(self, network: &ArmId, address: IpAddr, arrival: Arrival, route: &Route) -> Reach {
        if address == self.flow.destination {
            return self.deliver(network, arrival); // the hop is the end of the way
        }
        match device::at(self.plain, network, address) {
            Device::Nothing => self.drop(network, "appliance", &["R42"], By::route(route)),
            Device::Unknown(missing) => self.stop(Tri::unknown(missing)),
            Device::AzureFirewall(owner) => self.through_firewall(&owner),
            Device::Declared(appliance) => self.through_declared(network, &appliance),
            Device::Nic { owner, appliance } => {
                let via = Through {
                    id: owner.id.as_written().to_owned(),
                    address,
                    members: vec![owner.id.clone()],
                };
                self.through_nic(&owner, appliance.as_ref(), arrival, via)
            }
            Device::Balancer { owner, backends, appliance } => {
                if arrival.global && device::is_basic(self.plain, &owner) {
                    return self.drop(&owner.id, "load_balancer", &["R111"], None);
                }
                let OwnerKind::LoadBalancer(front) = &owner.kind else {
                    return self.stop(Tri::unknown(missing::resource(&owner.id)));
                };
                let port = self.flow.destination_port;
                match device::balanced(self.plain, &owner, front, &self.flow.protocol, port) {
                    Tri::Yes => {}
                    Tri::No => return self.drop(&owner.id, "load_balancer", &["R165"], None),
                    unknown => return self.stop(unknown),
                }
                if backends.is_empty() {
                    return self.drop(&owner.id, "load_balancer", &["R42"], None);
                }
                let mut walk = self;
                if !walk.fork(backends.len()) {
                    return walk.too_many_ways();
                }
                let members: Vec<ArmId> = backends.iter().map(|b| b.id.clone()).collect();
                let outcomes = backends.iter().map(|backend| {
                    let via =
                        Through { id: front.as_written().to_owned(), address, members: members.clone() };
                    walk.clone().through_nic(backend, appliance.as_ref(), arrival, via)
                });
                all(outcomes.collect())
            }
        }
    }

    /// A network virtual appliance: its NIC must forward (R43); what its guest does is declared, or not known (R44).
    pub(super) fn through_nic(
        mut self,
        owner: &Owner,
        appliance: Option<&Appliance>,
        arrival: Arrival,
        via: Through,
    ) -> Reach {
        let plain = self.plain;
        match device::forwards(plain, &owner.id) {
            Tri::Yes => {}
            Tri::No => return self.drop(&owner.id, "appliance", &["R43"], None),
            unknown => return self.stop(unknown),
        }
        match device::runs(plain, &owner.id) {
            Tri::Yes => {}
            Tri::No => return self.drop(&owner.id, "appliance", &["R42"], None),
            unknown => return self.stop(unknown),
        }
        let Some(subnet) = device::subnet_of(owner).and_then(|id| plain.index().subnets.get(&id)) else {
            return self.stop(Tri::unknown(missing::resource(&owner.id)));
        };
        let kind = MachineKind::Nic(owner.id.clone());
        let machine = Machine { subnet, kind, address: owner.address, forwarded: arrival.forwarded };
        self.guard(&machine, Direction::Inbound);
        let Some(appliance) = appliance else {
            let open = missing::declare(
                format!("what the appliance at {} forwards", via.address),
                "the guest's forwarding, policy and NAT are in no ARM resource (R44)",
                "declare it: [[appliance]]",
            );
            return self.stop(Tri::unknown(open));
        };
        let crossed = Crossed {
            id: via.id,
            address: via.address,
            at: Position::Subnet(subnet.id.clone()),
            members: via.members,
            azure_firewall: false,
            source_nat: false,
            proxied: false,
            intercepts_tls: intercepts(plain, via.address, self.host),
        };
        let exit = appliance.egress.and_then(|address| exit(plain, &subnet.vnet, address));
        match exit {
            Some((subnet, nic)) => self.through_guest(appliance, crossed, subnet, &Sender::Nic(nic)),
            None => self.through_guest(appliance, crossed, subnet, &Sender::Nic(owner.id.clone())),
        }
    }

    /// An appliance that only the declared facts know.
    pub(super) fn through_declared(self, network: &ArmId, appliance: &Appliance) -> Reach {
        let plain = self.plain;
        let mut subnets = plain.index().subnets.values().filter(|s| s.vnet == *network);
        let exit = appliance.egress.unwrap_or(appliance.address);
        let Some(subnet) = subnets.find(|s| s.prefixes().known.iter().any(|p| p.contains(&exit))) else {
            return self
                .stop(Tri::unknown(missing::evidence(format!("the subnet of {exit}"), "it was not read")));
        };
        let crossed = Crossed {
            id: format!("appliance:{}", appliance.address),
            address: appliance.address,
            at: Position::Subnet(subnet.id.clone()),
            members: Vec::new(),
            azure_firewall: false,
            source_nat: false,
            proxied: false,
            intercepts_tls: intercepts(plain, appliance.address, self.host),
        };
        self.through_guest(appliance, crossed, subnet, &Sender::Anonymous)
    }

    pub(super) fn through_guest(
        mut self,
        appliance: &Appliance,
        mut crossed: Crossed,
        subnet: &Subnet,
        sender: &Sender,
    ) -> Reach {
        self.assume(format!("appliance:{}", appliance.address));
        let packet = site::First {
            source: self.flow.source,
            destination: self.flow.destination,
            protocol: &self.flow.protocol,
            destination_port: self.flow.destination_port,
        };
        // What no entry names is dropped (CONTRACT §2).
        let forwards = site::first_match(&appliance.forwards, packet) == Some(FilterAction::Allow);
        let decision = if forwards { "allow" } else { "deny" };
        self.steps.add("appliance", &crossed.id, decision, &self.flow, None, &["R44"]);
        self.filter = self.filter.and(forwards.into());
        let translates = match (appliance.snat, appliance.snat_to.is_empty()) {
            (_, false) | (Some(true), _) => Some(true),
            (Some(false), true) => Some(false),
            (None, true) => None,
        };
        let own = appliance.egress.unwrap_or(crossed.address);
        let mut onward = |translate: bool| {
            crossed.source_nat = translate;
            let addresses = if appliance.snat_to.is_empty() { vec![own] } else { appliance.snat_to.clone() };
            let sources = if translate { addresses } else { vec![self.flow.source] };
            let outcomes = sources.into_iter().map(|source| {
                let mut walk = self.clone();
                walk.flow.source = source;
                walk.crossed.push(crossed.clone());
                walk.send(subnet, sender)
            });
            all(outcomes.collect())
        };
        match translates {
            Some(translate) => onward(translate),
            None => {
                let open = missing::declare(
                    format!("whether the appliance at {} translates the source", appliance.address),
                    "its declaration has neither snat nor snat_to",
                    "add snat = true or false",
                );
                contested(vec![onward(false), onward(true)], &open)
            }
        }
    }
}
