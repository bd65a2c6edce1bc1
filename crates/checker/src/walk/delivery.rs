//! Where a packet ends: the machine, front end or private endpoint that has the destination (R75–R88, F8).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Direction;

use super::{Arrival, Walk};
use crate::device::{self, Device};
use crate::endpoint_state::approved;
use crate::firewall;
use crate::index::{Owner, OwnerKind};
use crate::merge::all;
use crate::missing;
use crate::nsg::{Machine, MachineKind};
use crate::reach::{Delivery, Reach};
use crate::reply::Place;
use crate::routes::{Route, Via};
use crate::tri::Tri;
use crate::vnet::Subnet;

impl Walk<'_> {
    pub(super) fn reach_endpoint(self, route: &Route) -> Reach {
        let Via::Endpoint(endpoint) = &route.via else {
            return self.stop(Tri::unknown(missing::evidence("the private endpoint of a route", "")));
        };
        let to = self.flow.destination;
        let rows = &self.plain.index().endpoints;
        let Some(row) = rows.iter().find(|e| e.endpoint == *endpoint && e.address == to) else {
            return self.stop(Tri::unknown(missing::resource(endpoint)));
        };
        let subnet = row.subnet.clone();
        self.at_endpoint(endpoint.clone(), &subnet)
    }

    pub(super) fn at_endpoint(mut self, endpoint: ArmId, subnet: &ArmId) -> Reach {
        match approved(self.plain, &endpoint) {
            Tri::Yes => {}
            Tri::No => return self.drop(&endpoint, "private_endpoint", &["R88", "F95"], None),
            unknown => return self.stop(unknown),
        }
        let plain = self.plain;
        match plain.index().subnets.get(subnet) {
            Some(subnet) => {
                let kind = MachineKind::PrivateEndpoint;
                let machine = Machine { subnet, kind, address: self.flow.destination, forwarded: false };
                self.guard(&machine, Direction::Inbound);
            }
            None => {
                let open = Tri::unknown(missing::resource(subnet));
                self.filter = self.filter.and(open);
            }
        }
        self.steps.add(
            "private_endpoint",
            endpoint.as_written(),
            "deliver",
            &self.flow,
            None,
            &["R75", "R88"],
        );
        self.finish(Delivery::PrivateEndpoint(endpoint), Place::Endpoint { subnet: subnet.clone() })
    }

    /// In the network that has the destination.
    pub(super) fn deliver(mut self, network: &ArmId, arrival: Arrival) -> Reach {
        let plain = self.plain;
        let to = self.flow.destination;
        let owners = plain.index().owners_in(network, to);
        let Some(owner) = owners.first().cloned() else { return self.nobody(network, to, arrival) };
        let Some(subnet) = device::subnet_of(&owner).and_then(|id| plain.index().subnets.get(&id)) else {
            return self
                .stop(Tri::unknown(missing::evidence(format!("the subnet of {to}"), "it was not read")));
        };
        let place = Place::Machine { subnet: subnet.id.clone() };
        match &owner.kind {
            OwnerKind::PrivateEndpoint => self.at_endpoint(owner.id.clone(), &subnet.id),
            OwnerKind::Nic => {
                match device::runs(plain, &owner.id) {
                    Tri::Yes => {}
                    Tri::No => return self.drop(&owner.id, "subnet", &["R42"], None),
                    unknown => return self.stop(unknown),
                }
                self.receive(subnet, MachineKind::Nic(owner.id.clone()), to, arrival);
                self.finish(Delivery::NetworkInterface(owner.id), place)
            }
            OwnerKind::LoadBalancer(front) => {
                let front = front.clone();
                self.at_balancer(&owner, &front, arrival)
            }
            OwnerKind::AzureFirewall => {
                let outcome = firewall::decide(plain, &owner.id, &self.flow, self.host, Some(network));
                self.steps.firewall(&owner.id, &outcome, &self.flow);
                self.filter = self.filter.and(outcome.allow);
                self.finish(Delivery::AzureFirewall(owner.id), place)
            }
            OwnerKind::ResolverEndpoint if self.flow.destination_port != 53 => {
                self.drop(&owner.id, "subnet", &["R42"], None) // it serves names only
            }
            OwnerKind::ResolverEndpoint => {
                self.receive(subnet, MachineKind::Anonymous, to, arrival);
                self.finish(Delivery::ResolverEndpoint(owner.id), place)
            }
            OwnerKind::Terminal => {
                self.receive(subnet, MachineKind::Anonymous, to, arrival);
                self.finish(Delivery::VirtualNetwork(network.clone()), place)
            }
        }
    }

    pub(super) fn receive(&mut self, subnet: &Subnet, kind: MachineKind, address: IpAddr, arrival: Arrival) {
        let machine = Machine { subnet, kind, address, forwarded: arrival.forwarded };
        self.guard(&machine, Direction::Inbound);
        self.steps.add("subnet", subnet.id.as_written(), "deliver", &self.flow, None, &["R13"]);
    }

    /// No resource has the destination: somebody may have declared who does.
    pub(super) fn nobody(mut self, network: &ArmId, to: IpAddr, arrival: Arrival) -> Reach {
        let plain = self.plain;
        let mut subnets = plain.index().subnets.values().filter(|s| s.vnet == *network);
        let home = subnets.find(|s| s.prefixes().known.iter().any(|p| p.contains(&to)));
        let declared = &plain.declared;
        let named = declared.registries.iter().flat_map(|r| &r.hosts).any(|h| h.addresses.contains(&to))
            || declared.dns_servers.iter().any(|s| s.address == to)
            || declared.appliances.iter().any(|a| a.address == to);
        match (home, named) {
            (Some(subnet), true) => {
                self.assume(format!("address:{to}"));
                self.receive(subnet, MachineKind::Anonymous, to, arrival);
                let place = Place::Machine { subnet: subnet.id.clone() };
                self.finish(Delivery::VirtualNetwork(network.clone()), place)
            }
            _ => match device::unowned(plain, network, to) {
                Ok(()) => self.drop(network, "subnet", &["R42"], None),
                Err(missing) => self.stop(Tri::unknown(missing)),
            },
        }
    }

    pub(super) fn at_balancer(self, owner: &Owner, front: &ArmId, arrival: Arrival) -> Reach {
        let plain = self.plain;
        if arrival.global && device::is_basic(plain, owner) {
            return self.drop(&owner.id, "load_balancer", &["R111"], None);
        }
        match device::balanced(plain, owner, front, &self.flow.protocol, self.flow.destination_port) {
            Tri::Yes => {}
            Tri::No => return self.drop(&owner.id, "load_balancer", &["R165"], None),
            unknown => return self.stop(unknown),
        }
        let network = owner.vnet();
        let backends = match network.map(|n| device::at(plain, &n, owner.address)) {
            Some(Device::Balancer { backends, .. }) => backends,
            Some(Device::Unknown(missing)) => return self.stop(Tri::unknown(missing)),
            _ => Vec::new(),
        };
        if backends.is_empty() {
            return self.drop(&owner.id, "load_balancer", &["R42"], None);
        }
        let mut outcomes = Vec::new();
        for backend in backends {
            let mut walk = self.clone();
            let Some(subnet) = device::subnet_of(&backend).and_then(|id| plain.index().subnets.get(&id))
            else {
                outcomes.push(walk.stop(Tri::unknown(missing::resource(&backend.id))));
                continue;
            };
            match device::runs(plain, &backend.id) {
                Tri::Yes => {}
                Tri::No => {
                    outcomes.push(walk.drop(&backend.id, "load_balancer", &["R42"], None));
                    continue;
                }
                unknown => {
                    outcomes.push(walk.stop(unknown));
                    continue;
                }
            }
            // F8: the rule's destination is the back end.
            let machine = Machine {
                subnet,
                kind: MachineKind::Nic(backend.id.clone()),
                address: backend.address,
                forwarded: arrival.forwarded,
            };
            let asked = walk.flow.clone();
            walk.flow.destination = backend.address;
            walk.guard(&machine, Direction::Inbound);
            walk.flow = asked;
            walk.steps.add(
                "load_balancer",
                owner.id.as_written(),
                "deliver",
                &walk.flow.clone(),
                None,
                &["F8"],
            );
            let place = Place::Machine { subnet: subnet.id.clone() };
            outcomes.push(walk.finish(Delivery::LoadBalancer(owner.id.clone()), place));
        }
        all(outcomes)
    }
}
