//! Who takes a packet that a route sends to an address (R36–R46, R165, R166).

use std::net::IpAddr;

use pullproof_network::model::index::{
    ApplianceIx, FirewallIx, HubConnectionIx, NicIx, PeeringIx, Ref, SubnetIx, VnetIx,
};
use pullproof_network::model::load_balancer::Sku;
use pullproof_network::model::nic::nic;
use pullproof_network::model::owner::{Owner, OwnerKind};
use pullproof_network::{Val, model::load_balancer::load_balancer};

use super::load_balancer::{Backend, Balanced};
use super::locate::{Holding, Located};
use super::machine::Machine;
use super::{DeviceId, Passed, Place};
use crate::BlockerKind;
use crate::context::Proto;
use crate::missing::{evidence, not_modelled};
use crate::outcome::{Blocker, Missing};
use crate::prover::Prover;

/// What becomes of a packet that a route sends to an address.
#[derive(Clone, Debug)]
pub(crate) struct NextHop {
    /// The link that the packet crosses on the way there.
    pub over: Option<PeeringIx>,
    pub taken: Taken,
}

#[derive(Clone, Debug)]
pub(crate) enum Taken {
    /// By one of these, at least one; each is possible.
    By(Vec<Forwarder>),
    Broken(Blocker),
    Open(Missing),
}

/// One device that a packet may be handed to.
#[derive(Clone, Debug)]
pub(crate) struct Forwarder {
    pub passed: Passed,
    pub behaves: Behaves,
    /// The interface that the packet enters by, with its subnet; firewalls have none of a customer's (F45).
    pub entry: Option<(NicIx, SubnetIx)>,
    /// This one drops whatever it is sent.
    pub broken: Option<Blocker>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaves {
    Firewall(FirewallIx),
    Declared(ApplianceIx),
    /// Nothing says what it does (R44).
    Opaque,
}

impl Prover<'_> {
    /// Who takes a packet from a subnet of `vnet` that a route sends to `hop`.
    pub(crate) fn next_hop(&self, vnet: VnetIx, hop: IpAddr, proto: Proto, port: u16) -> NextHop {
        match self.locate(vnet, hop) {
            Located::Own => NextHop { over: None, taken: self.taken(vnet, hop, None, proto, port) },
            Located::Peered(link) => {
                let taken = match &self.network.peerings[link].remote {
                    Val::Known(Some(Ref::Here(remote))) => self.taken(*remote, hop, Some(link), proto, port),
                    Val::Known(Some(Ref::NotRead(id))) => {
                        Taken::Open(self.not_read(id, format!("who holds {hop} in {}", id.name())))
                    }
                    Val::Known(None) | Val::Sym(_) => Taken::Open(evidence(
                        format!("who holds {hop}"),
                        "the peered network is not named",
                        "collect the peering again",
                    )),
                };
                NextHop { over: Some(link), taken }
            }
            Located::Hub(c) => NextHop { over: None, taken: self.hub_firewall_at(c, hop) },
            Located::Nowhere => NextHop { over: None, taken: Taken::Broken(self.out_of_reach(vnet, hop)) },
            Located::Open(missing) => NextHop { over: None, taken: Taken::Open(missing) },
        }
    }

    fn out_of_reach(&self, vnet: VnetIx, hop: IpAddr) -> Blocker {
        let mut blocker = Blocker {
            kind: BlockerKind::NextHopNotReachable,
            message: format!(
                "next hop {hop} is neither in {} nor in a network that it is peered with",
                self.network.vnets[vnet].id.name()
            ),
            remedy: "use a next hop in the network itself or in a directly peered one".into(),
            facts: vec!["R38", "R39", "R41"],
            evidence: Vec::new(),
        };
        // A broken link to the network that holds it is the cause.
        if let Some(cause) = self.broken_link_to(vnet, hop) {
            blocker.message = format!("next hop {hop} cannot be reached: {}", cause.message);
            blocker.evidence = cause.evidence;
            blocker.facts.extend(cause.facts);
        }
        blocker
    }

    /// R40: the hub's own firewall.
    fn hub_firewall_at(&self, c: HubConnectionIx, hop: IpAddr) -> Taken {
        let hub = self.network.hub_connections[c].hub;
        let firewall = self.network.owners_of(hop).iter().find_map(|o| match o.kind {
            OwnerKind::HubFirewall(firewall) => Some(firewall),
            _ => None,
        });
        match firewall {
            Some(firewall) if self.firewall_hub(firewall) == Some(hub) => {
                Taken::By(vec![self.firewall_forwarder(firewall, hop, Place::Hub(hub))])
            }
            Some(_) | None => Taken::Open(not_modelled(
                format!("next hop {hop} in hub {}", self.network.hubs[hub].id.name()),
                "it is not the address of the hub's firewall that was read (R40)",
            )),
        }
    }

    pub(crate) fn firewall_hub(&self, ix: FirewallIx) -> Option<pullproof_network::model::index::HubIx> {
        self.network.firewalls[ix].hub.present().and_then(Ref::here)
    }

    pub(crate) fn firewall_forwarder(&self, ix: FirewallIx, entry: IpAddr, near: Place) -> Forwarder {
        Forwarder {
            passed: Passed {
                id: DeviceId::Firewall(ix),
                name: self.network.firewalls[ix].id.name().to_owned(),
                entry,
                near,
                returns_endpoint_traffic: false,
                pooled: false,
            },
            behaves: Behaves::Firewall(ix),
            entry: None,
            broken: None,
        }
    }

    fn taken(&self, vnet: VnetIx, hop: IpAddr, over: Option<PeeringIx>, proto: Proto, port: u16) -> Taken {
        let declared = self.declared_at(vnet, hop, None);
        match self.holding(vnet, hop) {
            Holding::By(owner) => self.taken_by(&owner, over, proto, port),
            Holding::Nobody | Holding::Unknown(_) if declared.is_some() => {
                let (Some(ix), Some(subnet)) = (declared, self.subnet_of(vnet, hop)) else {
                    return Taken::Broken(self.nobody(vnet, hop));
                };
                Taken::By(vec![Forwarder {
                    passed: Passed {
                        id: DeviceId::Appliance(ix),
                        name: hop.to_string(),
                        entry: hop,
                        near: Place::Subnet(subnet),
                        returns_endpoint_traffic: false,
                        pooled: false,
                    },
                    behaves: Behaves::Declared(ix),
                    entry: None,
                    broken: None,
                }])
            }
            Holding::Nobody => Taken::Broken(self.nobody(vnet, hop)),
            Holding::Unknown(missing) => Taken::Open(missing),
        }
    }

    fn nobody(&self, vnet: VnetIx, hop: IpAddr) -> Blocker {
        Blocker {
            kind: BlockerKind::NextHopNobody,
            message: format!(
                "next hop {hop} in {} belongs to nothing: the packets are lost",
                self.network.vnets[vnet].id.name()
            ),
            remedy: "correct the route's next hop address".into(),
            facts: vec!["R42", "R237"],
            evidence: Vec::new(),
        }
    }

    fn taken_by(&self, owner: &Owner, over: Option<PeeringIx>, proto: Proto, port: u16) -> Taken {
        let hop = owner.address;
        match owner.kind {
            OwnerKind::Nic(nic, _) => match owner.subnet {
                Some(subnet) => match self.nic_forwarder(nic, subnet, owner, hop, None) {
                    Ok(forwarder) => Taken::By(vec![forwarder]),
                    Err(missing) => Taken::Open(missing),
                },
                None => Taken::Open(evidence(
                    format!("the subnet of {hop}"),
                    "the network interface's subnet was not read",
                    "add its virtual network to the input",
                )),
            },
            OwnerKind::Firewall(firewall, _) => match owner.subnet {
                Some(subnet) => {
                    Taken::By(vec![self.firewall_forwarder(firewall, hop, Place::Subnet(subnet))])
                }
                None => Taken::Open(evidence(
                    format!("the subnet of firewall {}", self.network.firewalls[firewall].id.name()),
                    "it was not read",
                    "add its virtual network to the input",
                )),
            },
            OwnerKind::Frontend(lb, front) => self.behind_frontend(owner, (lb, front), over, proto, port),
            OwnerKind::PrivateEndpoint(ix) => Taken::Broken(Blocker {
                kind: BlockerKind::NextHopNotReachable,
                message: format!(
                    "next hop {hop} is the private endpoint {}, which forwards nothing",
                    self.network.private_endpoints[ix].id.name()
                ),
                remedy: "use the address of an appliance or firewall".into(),
                facts: vec!["R37", "R89"],
                evidence: Vec::new(),
            }),
            OwnerKind::InboundEndpoint(..) => Taken::Broken(Blocker {
                kind: BlockerKind::NextHopNobody,
                message: format!(
                    "next hop {hop} is a DNS resolver's inbound endpoint, which forwards nothing"
                ),
                remedy: "use the address of an appliance or firewall".into(),
                facts: vec!["R37"],
                evidence: Vec::new(),
            }),
            OwnerKind::HubFirewall(_) | OwnerKind::Gateway(_) | OwnerKind::HubRouter(_) => {
                Taken::Open(not_modelled(
                    format!("next hop {hop}"),
                    "it is the address of a gateway or router, which is no next hop for user routes (R37)",
                ))
            }
        }
    }

    /// `Err`: whether the machine runs and forwards is not known (R43).
    fn nic_forwarder(
        &self,
        ix: NicIx,
        subnet: SubnetIx,
        owner: &Owner,
        hop: IpAddr,
        front: Option<DeviceId>,
    ) -> Result<Forwarder, Missing> {
        let nic = &self.network.nics[ix];
        let vnet = self.network.subnets[subnet].vnet;
        let declared =
            self.declared_at(vnet, hop, Some(ix)).or_else(|| self.declared_at(vnet, owner.address, Some(ix)));
        let name = self.machine_name(ix);
        let broken = match (self.machine(ix), &nic.ip_forwarding) {
            (Machine::Stopped(at), _) => Some(Blocker {
                kind: BlockerKind::ApplianceStopped,
                message: format!("appliance {name} is stopped"),
                remedy: format!("start {name}"),
                facts: vec!["R43"],
                evidence: vec![at],
            }),
            (Machine::None(at), _) => Some(Blocker {
                kind: BlockerKind::ApplianceStopped,
                message: format!("network interface {name} is attached to no machine, so nothing forwards"),
                remedy: "attach it to a machine, or correct the next hop".into(),
                facts: vec!["R43", "R237"],
                evidence: vec![at],
            }),
            (_, Val::Known(false)) => Some(Blocker {
                kind: BlockerKind::IpForwardingOff,
                message: format!(
                    "IP forwarding is off on the network interface of {name}: it drops what is not its own"
                ),
                remedy: "set enableIPForwarding=true on the network interface".into(),
                facts: vec!["R43"],
                evidence: vec![nic.place.at(nic::IP_FORWARDING)],
            }),
            (Machine::Unknown(missing), _) => return Err(missing),
            (Machine::Up, Val::Sym(symbol)) => {
                return Err(self.unknown(*symbol, format!("enableIPForwarding of the interface of {name}")));
            }
            (Machine::Up, Val::Known(true)) => None,
        };
        let id = match (declared, front) {
            (Some(ix), _) => DeviceId::Appliance(ix),
            (None, Some(front)) => front,
            (None, None) => DeviceId::Nic(ix),
        };
        Ok(Forwarder {
            passed: Passed {
                id,
                name,
                entry: hop,
                near: Place::Subnet(subnet),
                returns_endpoint_traffic: self.returns_endpoint_traffic(ix),
                pooled: front.is_some(),
            },
            behaves: declared.map_or(Behaves::Opaque, Behaves::Declared),
            entry: Some((ix, subnet)),
            broken,
        })
    }

    /// For people: the machine's name, or the NIC's.
    pub(crate) fn machine_name(&self, ix: NicIx) -> String {
        let nic = &self.network.nics[ix];
        let id = match nic.virtual_machine.present() {
            Some(Ref::Here(vm)) => &self.network.virtual_machines[*vm].id,
            Some(Ref::NotRead(id)) => id,
            None => &nic.id,
        };
        id.name().to_owned()
    }

    fn behind_frontend(
        &self,
        owner: &Owner,
        (lb, front): (pullproof_network::model::index::LoadBalancerIx, u16),
        over: Option<PeeringIx>,
        proto: Proto,
        port: u16,
    ) -> Taken {
        if let Some(reach) = self.basic_over_global(lb, over) {
            return match reach {
                Ok(blocker) => Taken::Broken(blocker),
                Err(missing) => Taken::Open(missing),
            };
        }
        match self.balance(lb, front, proto, port) {
            Balanced::Dropped(blocker) => Taken::Broken(blocker),
            Balanced::Open(missing) => Taken::Open(missing),
            Balanced::To(backends) => {
                let front = DeviceId::Frontend(lb, front);
                let of = |b: &Backend| {
                    let config = self.network.nics[b.nic].ip_configs.items.get(usize::from(b.config))?;
                    let subnet = config.subnet.present().and_then(Ref::here)?;
                    let own = config.address.present().copied().unwrap_or(owner.address);
                    let as_owner = Owner { address: own, ..owner.clone() };
                    Some(self.nic_forwarder(b.nic, subnet, &as_owner, owner.address, Some(front)))
                };
                let all: Option<Result<Vec<Forwarder>, Missing>> = backends.iter().map(of).collect();
                match all {
                    Some(Ok(all)) if !all.is_empty() => Taken::By(all),
                    Some(Err(missing)) => Taken::Open(missing),
                    Some(Ok(_)) | None => Taken::Open(evidence(
                        format!(
                            "the backends of load balancer {}",
                            self.network.load_balancers[lb].id.name()
                        ),
                        "the subnet of one was not read",
                        "add its virtual network to the input",
                    )),
                }
            }
        }
    }

    /// R111: a Basic front end is not reached over a global peering. `Err`: not known whether it is one.
    pub(crate) fn basic_over_global(
        &self,
        ix: pullproof_network::model::index::LoadBalancerIx,
        over: Option<PeeringIx>,
    ) -> Option<Result<Blocker, Missing>> {
        let link = over?;
        let lb = &self.network.load_balancers[ix];
        let global = self.is_global(link);
        if global == Some(false) {
            return None;
        }
        match (&lb.sku, global) {
            (Val::Known(Some(Sku::Basic)), Some(_)) => Some(Ok(Blocker {
                kind: BlockerKind::LoadBalancerBasicGlobal,
                message: format!(
                    "load balancer {} is Basic and the peering {} is global: its front end is not reached across regions",
                    lb.id.name(),
                    self.link_name(&self.network.peerings[link])
                ),
                remedy: "use a Standard load balancer".into(),
                facts: vec!["R111"],
                evidence: vec![lb.place.at(load_balancer::SKU)],
            })),
            (Val::Known(Some(Sku::Basic)), None) => Some(Err(evidence(
                format!("whether peering {} crosses regions", self.link_name(&self.network.peerings[link])),
                "the location of one network is not in the input",
                "collect both virtual networks in full",
            ))),
            (Val::Known(Some(_)), _) => None,
            (Val::Known(None), _) => Some(Err(evidence(
                format!("the SKU of load balancer {}", lb.id.name()),
                "a Basic front end is not reached across regions (R111)",
                "collect the load balancer in full",
            ))),
            (Val::Sym(symbol), _) => {
                Some(Err(self.unknown(*symbol, format!("the SKU of load balancer {}", lb.id.name()))))
            }
        }
    }

    /// The declared appliance at an address, or with the NIC among its members.
    pub(crate) fn declared_at(
        &self,
        vnet: VnetIx,
        address: IpAddr,
        nic: Option<NicIx>,
    ) -> Option<ApplianceIx> {
        use pullproof_network::model::declared::Member;
        let vm = nic.and_then(|n| self.network.nics[n].virtual_machine.present().and_then(Ref::here));
        self.network
            .appliances
            .iter()
            .find(|(_, appliance)| {
                let here = match &appliance.vnet {
                    None => true,
                    Some(Ref::Here(v)) => *v == vnet,
                    Some(Ref::NotRead(_)) => false,
                };
                let table = self.network.declared.appliances.get(appliance.table);
                let named = table.is_some_and(|t| t.address == address || t.egress == Some(address));
                let member = appliance.members.iter().any(|m| match m {
                    Member::Nic(n) => Some(*n) == nic,
                    Member::VirtualMachine(v) => Some(*v) == vm,
                });
                here && (named || member)
            })
            .map(|(ix, _)| ix)
    }
}
