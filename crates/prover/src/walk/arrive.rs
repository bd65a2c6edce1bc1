//! The end of the way: who is at the address, and what filters stand before it (R42, R88, R111).

use std::net::IpAddr;

use pullproof_network::model::index::{LoadBalancerIx, NicIx, PrivateEndpointIx, Ref, SubnetIx, VnetIx};
use pullproof_network::model::owner::{Owner, OwnerKind};
use pullproof_snapshot::ArmId;

use super::Walk;
use super::back::Start;
use super::packet::Packet;
use crate::BlockerKind;
use crate::device::Place;
use crate::device::load_balancer::Balanced;
use crate::device::locate::Holding;
use crate::device::machine::Machine;
use crate::filter::Holder;
use crate::outcome::{Blocker, Missing, Outcome};
use crate::path::{Branch, Delivery, StepDecision, StepKind, Target};

impl Walk<'_, '_> {
    /// R24: served by the host itself, on the same wire.
    pub(super) fn at_platform(&self, mut packet: Packet) -> Vec<Branch> {
        packet.branch.delivery = Delivery::Platform;
        packet.step(
            StepKind::Subnet,
            "platform",
            StepDecision::Deliver,
            "answered by the host",
            Vec::new(),
            &["R24"],
        );
        self.reply(packet, Start::Outside)
    }

    /// The packet is in the network that the address belongs to.
    pub(super) fn arrive(&self, packet: Packet, vnet: VnetIx, address: IpAddr) -> Vec<Branch> {
        match self.prover.holding(vnet, address) {
            Holding::By(owner) => self.at_owner(packet, vnet, &owner),
            Holding::Nobody => self.at_nobody(packet, vnet, address, None),
            Holding::Unknown(missing) => self.at_nobody(packet, vnet, address, Some(missing)),
        }
    }

    fn at_owner(&self, packet: Packet, vnet: VnetIx, owner: &Owner) -> Vec<Branch> {
        let network = self.prover.network;
        let subnet = owner.subnet.or_else(|| self.prover.subnet_of(vnet, owner.address));
        let Some(subnet) = subnet else {
            return self.at_nobody(packet, vnet, owner.address, None);
        };
        match owner.kind {
            OwnerKind::PrivateEndpoint(ix) => self.at_endpoint(packet, ix),
            OwnerKind::Nic(nic, _) => self.at_nic(packet, nic, subnet),
            OwnerKind::Frontend(lb, front) => self.at_frontend(packet, lb, front),
            OwnerKind::InboundEndpoint(ix, _) => {
                let endpoint = &network.inbound_endpoints[ix];
                if packet.port != 53 {
                    let blocker = Blocker {
                        kind: BlockerKind::NobodyListens,
                        message: format!(
                            "{} is an inbound endpoint of a DNS resolver: it serves port 53 only",
                            owner.address
                        ),
                        remedy: "correct the name's record".into(),
                        facts: vec!["R42"],
                        evidence: vec![endpoint.place.at("/properties/ipConfigurations")],
                    };
                    return self.fail(packet, blocker);
                }
                self.at_device(packet, &endpoint.id, subnet, Some(Holder::Other))
            }
            OwnerKind::Firewall(ix, _) | OwnerKind::HubFirewall(ix) => {
                self.ends_at_firewall(packet, ix, Place::Subnet(subnet))
            }
            OwnerKind::Gateway(ix) => vec![packet.lost(serves_nothing_known(&network.gateways[ix].id))],
            OwnerKind::HubRouter(ix) => vec![packet.lost(serves_nothing_known(&network.hubs[ix].id))],
        }
    }

    fn at_nic(&self, packet: Packet, nic: NicIx, subnet: SubnetIx) -> Vec<Branch> {
        let name = self.prover.machine_name(nic);
        let gone = match self.prover.machine(nic) {
            Machine::Up => None,
            Machine::Stopped(at) | Machine::None(at) => Some(Ok(Blocker {
                kind: BlockerKind::NobodyListens,
                message: format!("{name} is not running"),
                remedy: format!("start {name}"),
                facts: vec!["R42"],
                evidence: vec![at],
            })),
            Machine::Unknown(missing) => Some(Err(missing)),
        };
        let mut packet = packet;
        match gone {
            Some(Ok(blocker)) if packet.is_hypothetical() => packet.behind(blocker),
            Some(Ok(blocker)) => packet.forward(Outcome::fails(blocker)),
            Some(Err(missing)) => packet.forward(Outcome::open(missing)),
            None => {}
        }
        let model = &self.prover.network.nics[nic];
        let id = match model.virtual_machine.present() {
            Some(Ref::Here(vm)) => self.prover.network.virtual_machines[*vm].id.clone(),
            Some(Ref::NotRead(id)) => id.clone(),
            None => model.id.clone(),
        };
        self.at_device(packet, &id, subnet, Some(Holder::Nic(nic)))
    }

    /// A device in a subnet: filtered as it comes in, and it replies by the routes of its own subnet (R2).
    fn at_device(&self, packet: Packet, id: &ArmId, subnet: SubnetIx, holder: Option<Holder>) -> Vec<Branch> {
        let parts = match holder {
            Some(holder) => self.filters(vec![packet], subnet, holder),
            None => vec![packet],
        };
        let mut out = Vec::new();
        for mut part in parts {
            self.delivered(&mut part, Delivery::Device(id.clone()), id.as_written());
            out.extend(self.reply(part, Start::Place(Place::Subnet(subnet))));
        }
        out
    }

    fn delivered(&self, packet: &mut Packet, delivery: Delivery, device: &str) {
        if packet.is_hypothetical() {
            return;
        }
        packet.branch.delivery = delivery;
        packet.step(StepKind::Subnet, device, StepDecision::Deliver, "delivered", Vec::new(), &[]);
    }

    /// R88, F95: only an approved connection carries traffic; R87 brings the reply.
    pub(super) fn at_endpoint(&self, packet: Packet, ix: PrivateEndpointIx) -> Vec<Branch> {
        let network = self.prover.network;
        let endpoint = &network.private_endpoints[ix];
        // The endpoint's interface stands in the same subnet.
        let of_nic = || {
            let nics = endpoint.nics.iter().filter_map(Ref::here);
            let mut configs = nics.flat_map(|nic| network.nics[nic].ip_configs.iter());
            configs.find_map(|c| c.subnet.present().and_then(Ref::here))
        };
        let subnet = endpoint.subnet.present().and_then(Ref::here).or_else(of_nic);
        let parts = match subnet {
            Some(subnet) => self.filters(vec![packet], subnet, Holder::PrivateEndpoint(ix)),
            None => {
                let mut packet = packet;
                packet.filtered(Outcome::open(crate::missing::evidence(
                    format!("the filters before private endpoint {}", endpoint.id.name()),
                    "its subnet was not read",
                    "collect the private endpoint and its subnet in full",
                )));
                vec![packet]
            }
        };
        let approved = self.prover.approved(ix);
        let mut out = Vec::new();
        for mut part in parts {
            part.branch.basis.in_force(endpoint.id.name(), &endpoint.provisioning_state, endpoint.place);
            part.filtered(approved.clone());
            if !part.is_hypothetical() {
                part.branch.delivery = Delivery::PrivateEndpoint(endpoint.id.clone());
                part.step(
                    StepKind::PrivateEndpoint,
                    endpoint.id.as_written(),
                    StepDecision::Deliver,
                    "delivered to the private endpoint",
                    Vec::new(),
                    &["R75", "R88"],
                );
            }
            out.extend(self.reply(part, Start::Endpoint(ix)));
        }
        out
    }

    /// A front end: each machine behind it is possible (V2).
    fn at_frontend(&self, mut packet: Packet, ix: LoadBalancerIx, front: u16) -> Vec<Branch> {
        let network = self.prover.network;
        let lb = &network.load_balancers[ix];
        match self.prover.basic_over_global(ix, packet.over) {
            Some(Ok(blocker)) => return self.fail_here(packet, blocker),
            Some(Err(missing)) => packet.forward(Outcome::open(missing)),
            None => {}
        }
        match self.prover.balance(ix, front, self.proto, packet.port) {
            Balanced::Dropped(blocker) => self.fail_here(packet, blocker),
            Balanced::Open(missing) => vec![packet.lost(missing)],
            Balanced::To(backends) => {
                let several = backends.len() > 1;
                let mut out = Vec::new();
                for backend in backends {
                    let mut part = packet.clone();
                    let name = self.prover.machine_name(backend.nic);
                    part.step(
                        StepKind::LoadBalancer,
                        lb.id.as_written(),
                        StepDecision::Forward,
                        format!("to {name}"),
                        vec![lb.place.at("/properties/loadBalancingRules")],
                        &["R165"],
                    );
                    if several {
                        part.choose("backend", name.clone());
                    }
                    let config = network.nics[backend.nic].ip_configs.items.get(usize::from(backend.config));
                    let subnet = config.and_then(|c| c.subnet.present().and_then(Ref::here));
                    let Some(subnet) = subnet else {
                        let missing = crate::missing::evidence(
                            format!("the subnet of {name}"),
                            "it was not read",
                            "add its virtual network to the input",
                        );
                        out.push(part.lost(missing));
                        continue;
                    };
                    // Filters there see the machine's own address and port.
                    if let Some(address) = config.and_then(|c| c.address.present()) {
                        part.to = Target::Address(*address);
                    }
                    part.port = backend.port.unwrap_or(part.port);
                    out.extend(self.at_nic(part, backend.nic, subnet));
                }
                out
            }
        }
    }

    /// The end itself fails: nothing lies behind it but the reply.
    fn fail_here(&self, mut packet: Packet, blocker: Blocker) -> Vec<Branch> {
        if packet.is_hypothetical() {
            packet.behind(blocker);
        } else {
            packet.forward(Outcome::fails(blocker));
        }
        packet.back(Outcome::open(crate::missing::depends_on(
            "the reply, since the request does not get there",
        )));
        vec![packet.branch]
    }

    /// Nothing that was read holds the address; something declared may be there.
    fn at_nobody(
        &self,
        mut packet: Packet,
        vnet: VnetIx,
        address: IpAddr,
        unknown: Option<Missing>,
    ) -> Vec<Branch> {
        let network = self.prover.network;
        let subnet = self.prover.subnet_of(vnet, address);
        match (self.prover.declared_holder(vnet, address), unknown) {
            (Some(assumption), _) => packet.branch.basis.assume(assumption),
            (None, Some(missing)) => packet.forward(Outcome::open(missing)),
            (None, None) => {
                let blocker = Blocker {
                    kind: BlockerKind::NobodyListens,
                    message: format!(
                        "nothing in {} has the address {address}",
                        network.vnets[vnet].id.name()
                    ),
                    remedy: "correct the name's record, or put the service there".into(),
                    facts: vec!["R42"],
                    evidence: vec![network.vnets[vnet].place.at("/properties/subnets")],
                };
                if packet.is_hypothetical() {
                    packet.behind(blocker);
                } else {
                    packet.forward(Outcome::fails(blocker));
                }
            }
        }
        let Some(subnet) = subnet else {
            packet.back(Outcome::open(crate::missing::depends_on("the reply from an address in no subnet")));
            return vec![packet.branch];
        };
        let id = network.subnets[subnet].id.clone();
        let mut out = Vec::new();
        for mut part in self.filters(vec![packet], subnet, Holder::Other) {
            self.delivered(&mut part, Delivery::Subnet(id.clone()), id.as_written());
            out.extend(self.reply(part, Start::Place(Place::Subnet(subnet))));
        }
        out
    }
}

/// A device of the platform's at an address that somebody means to connect to.
fn serves_nothing_known(id: &ArmId) -> Missing {
    crate::missing::not_modelled(
        format!("what {} serves at its own address", id.name()),
        "it is a device of the platform, not a server",
    )
}

impl crate::prover::Prover<'_> {
    /// What `pullproof.toml` says is at an address that no resource has: a DNS server or a registry's host.
    fn declared_holder(&self, vnet: VnetIx, address: IpAddr) -> Option<String> {
        let network = self.network;
        for server in network.dns_servers.values() {
            let here = match &server.vnet {
                None => server.site.is_none(),
                Some(Ref::Here(v)) => *v == vnet,
                Some(Ref::NotRead(_)) => false,
            };
            let declared = network.declared.dns_servers.get(server.table);
            if here && declared.is_some_and(|d| d.address == address) {
                return Some(format!("dns_server:{address}"));
            }
        }
        network
            .declared
            .registries
            .iter()
            .find(|r| r.hosts.iter().any(|h| h.addresses.contains(&address)))
            .map(|r| format!("registry:{}", r.name))
    }
}
