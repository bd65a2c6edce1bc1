//! The forward walk: from one machine, hop by hop, to where the packet ends (E.1, `path`).
//!
//! Each step returns the rest of the walk. Where several outcomes are possible (back ends, connections, readings of a
//! contested fact) each is walked, and the results are put together.

mod delivery;
mod devices;
mod firewalls;
mod gateways;

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{Direction, Missing};

use crate::crossed::{Crossed, Position};
use crate::device::{self};
use crate::egress::{Egress, Sender, egress};
use crate::first_hop::local;
use crate::index::{Home, OwnerKind};
use crate::merge::contested;
use crate::missing;
use crate::next_hop::{Choice, choose};
use crate::nsg::{self, Flow, Machine, MachineKind};
use crate::peering::{Link, Reverse, links, reverse};
use crate::plain::Plain;
use crate::reach::{Delivery, Reach};
use crate::reply::{self, Place};
use crate::routes::{Hop, Route, Via};
use crate::steps::{By, Steps};
use crate::tags;
use crate::tri::Tri;
use crate::vnet::{Subnet, vnet};
use crate::{endpoint_policy, firewall, peering};

/// More hops than any supported path has.
const HOPS: usize = 24;

/// More walks than this from one packet are not followed one by one.
const WAYS: usize = 1024;

/// A packet under way and everything that happened to it.
#[derive(Clone)]
pub struct Walk<'a> {
    pub plain: &'a Plain,
    pub host: Option<&'a str>,
    /// First and last source port of the client's range.
    pub ports: (u16, u16),
    /// The packet as it is now, from the first of `ports`.
    pub flow: Flow,
    /// Where the connection started.
    pub origin: Position,
    pub origin_address: IpAddr,
    pub crossed: Vec<Crossed>,
    pub filter: Tri,
    pub steps: Steps,
    pub assumptions: Vec<String>,
    pub findings: Vec<String>,
    pub egress: Option<Egress>,
    hops: usize,
    /// How many walks this one stands among, each fork on its way counted.
    ways: usize,
    /// Where the packet has been, and as what.
    been: Vec<(ArmId, Option<String>, Flow)>,
}

impl<'a> Walk<'a> {
    pub fn new(
        plain: &'a Plain,
        flow: Flow,
        ports: (u16, u16),
        host: Option<&'a str>,
        origin: Position,
    ) -> Self {
        Self {
            plain,
            host,
            ports,
            origin_address: flow.source,
            flow,
            origin,
            crossed: Vec::new(),
            filter: Tri::Yes,
            steps: Steps::default(),
            assumptions: Vec::new(),
            findings: Vec::new(),
            egress: None,
            hops: 0,
            ways: 1,
            been: Vec::new(),
        }
    }

    /// The packet goes no further: `why` is `No`, or what is not known. What lies behind is unknown, never allowed.
    fn stop(self, why: Tri) -> Reach {
        let behind = missing::depends_on(
            "the rest of the path",
            "the packet does not get there, or that is not known",
        );
        let rest = Tri::unknown(behind);
        reach(self, why, rest.clone(), rest.clone(), rest, None)
    }

    fn drop(mut self, device: &ArmId, kind: &'static str, facts: &[&'static str], by: Option<By>) -> Reach {
        self.steps.deciding(kind, device.as_written(), "drop", &self.flow, by, facts);
        self.stop(Tri::No)
    }

    fn finish(mut self, delivery: Delivery, place: Place) -> Reach {
        let (back, filter) = reply::reply(&mut self, &place);
        reach(self, Tri::Yes, Tri::Yes, back, filter, Some(delivery))
    }

    fn once(&mut self, list: fn(&mut Self) -> &mut Vec<String>, text: impl Into<String>) {
        let text = text.into();
        let list = list(self);
        if !list.contains(&text) {
            list.push(text);
        }
    }

    pub fn assume(&mut self, text: impl Into<String>) {
        self.once(|w| &mut w.assumptions, text);
    }

    pub fn find(&mut self, text: impl Into<String>) {
        self.once(|w| &mut w.findings, text);
    }

    /// The walk goes on in so many ways. False: these are too many to follow.
    fn fork(&mut self, into: usize) -> bool {
        self.ways = self.ways.saturating_mul(into.max(1));
        self.ways <= WAYS
    }

    fn too_many_ways(self) -> Reach {
        self.stop(Tri::unknown(missing::too_complex("the ways that a packet may take, one by one")))
    }

    /// The packet is sent on from here as it was before: it does so for ever (R175).
    fn circles(&mut self, at: &ArmId) -> bool {
        let here = (at.clone(), self.crossed.last().map(|c| c.id.clone()), self.flow.clone());
        if self.been.contains(&here) {
            return true;
        }
        self.been.push(here);
        false
    }

    /// The NSGs of one machine, for source ports that stand for all of the client's.
    fn guard(&mut self, machine: &Machine<'_>, direction: Direction) {
        for port in nsg::source_ports(self.plain, machine, direction, self.ports) {
            let flow = Flow { source_port: port, ..self.flow.clone() };
            let verdict = nsg::filter(self.plain, machine, direction, &flow);
            if verdict.allow != Tri::Yes {
                self.steps.filter(&machine.subnet.id, &verdict, &flow);
            }
            self.filter = std::mem::replace(&mut self.filter, Tri::Yes).and(verdict.allow);
        }
    }

    /// From a machine in a subnet: its own filters, then its route.
    pub fn send(mut self, subnet: &Subnet, sender: &Sender) -> Reach {
        self.hops += 1;
        if self.hops > HOPS || self.circles(&subnet.id) {
            // Every hop so far sent it on: a loop (R175).
            return self.drop(&subnet.id, "subnet", &["R175"], None);
        }
        let kind = match sender {
            Sender::Node(pool) => Some(MachineKind::Node(pool.clone())),
            Sender::Nic(nic) => Some(MachineKind::Nic(nic.clone())),
            Sender::Anonymous => Some(MachineKind::Anonymous),
            Sender::AzureFirewall(_) => None, // F45
            Sender::Platform => None,
        };
        if let Some(kind) = kind {
            let machine = Machine { subnet, kind, address: self.flow.source, forwarded: false };
            self.guard(&machine, Direction::Outbound);
        }
        match choose(self.plain, subnet, self.flow.destination, self.flow.host.as_deref()) {
            Choice::Platform => {
                self.steps.add("subnet", subnet.id.as_written(), "deliver", &self.flow, None, &["R24"]);
                self.finish(Delivery::Platform, Place::Platform)
            }
            Choice::NoRoute => self.drop(&subnet.id, "route", &["R21"], None),
            Choice::Unknown(missing) => self.stop(Tri::Unknown(missing)),
            Choice::Contested(routes, missing) => {
                if !self.fork(routes.len()) {
                    return self.too_many_ways();
                }
                let readings = routes.iter().map(|r| self.clone().take(subnet, sender, r)).collect();
                contested(readings, &missing)
            }
            Choice::Route(route) => self.take(subnet, sender, &route),
        }
    }

    fn take(mut self, subnet: &Subnet, sender: &Sender, route: &Route) -> Reach {
        let by = By::route(route);
        if route.hop == Hop::None {
            return self.drop(&subnet.id, "route", &["R21", "R50"], by);
        }
        let facts: &[&'static str] = &["R59", "R60"];
        self.steps.add("route", subnet.id.as_written(), "forward", &self.flow, by.clone(), facts);
        match route.hop {
            Hop::None => self.drop(&subnet.id, "route", &["R21"], by),
            Hop::VnetLocal => match local(self.plain, subnet, route, self.flow.destination) {
                Tri::Yes => self.deliver(&subnet.vnet, Arrival::default()),
                other => self.stop(other),
            },
            Hop::VnetPeering | Hop::VnetGlobalPeering => self.over_peering(subnet, route),
            Hop::ConnectedGroup => self.stop(Tri::unknown(missing::not_modelled(
                format!("the connected group of {}", subnet.vnet.name()),
                "which network has the address is not in the row (R31)",
            ))),
            Hop::InterfaceEndpoint => self.reach_endpoint(route),
            Hop::ServiceEndpoint => {
                let service = match &route.via {
                    Via::Service(service) => service.clone(),
                    _ => String::new(),
                };
                let admits = endpoint_policy::admits(self.plain, subnet, &service, self.host);
                self.filter = self.filter.and(admits);
                let delivery = Delivery::ServiceEndpoint { subnet: subnet.id.clone(), service };
                self.finish(delivery, Place::Public) // R96
            }
            Hop::Internet => self.leave_azure(subnet, sender),
            Hop::Appliance => self.reach_appliance(subnet, route),
            Hop::Gateway => self.reach_gateway(subnet, route),
        }
    }

    fn leave_azure(mut self, subnet: &Subnet, sender: &Sender) -> Reach {
        if !tags::is_public(self.flow.destination) {
            return self.drop(&subnet.id, "internet", &["R52"], None); // nobody out there has a private address
        }
        let own = self.crossed.last().is_none_or(|last| last.source_nat);
        if !own {
            // R46: a device must send under an address of its own, or Azure has nothing to translate.
            let device = self.crossed.last().map(|c| c.id.clone()).unwrap_or_default();
            self.steps.deciding("internet", &device, "drop", &self.flow, None, &["R46"]);
            return self.stop(Tri::No);
        }
        let out = egress(self.plain, subnet, sender, self.flow.destination, self.host);
        self.leave(subnet.id.clone(), out)
    }

    fn leave(mut self, from: ArmId, out: Egress) -> Reach {
        if let Some(finding) = out.finding {
            self.find(finding);
        }
        let leaves = out.leaves.clone();
        self.egress = Some(out);
        match leaves {
            Tri::Yes => {
                self.steps.add("internet", from.as_written(), "deliver", &self.flow, None, &["R202", "R206"]);
                self.finish(Delivery::Internet, Place::Public)
            }
            Tri::No => self.drop(&from, "internet", &["R207", "R213", "R238"], None),
            unknown => self.stop(unknown),
        }
    }

    fn link(&self, subnet: &Subnet, id: &ArmId) -> Option<Link> {
        let network = vnet(self.plain, &subnet.vnet)?;
        links(self.plain, &network).ok()?.into_iter().find(|l| l.id == *id)
    }

    fn over_peering(self, subnet: &Subnet, route: &Route) -> Reach {
        match &route.via {
            Via::Hub(hub) => {
                let to = self.flow.destination;
                let all = self.plain.index().owners.get(&to).map(Vec::as_slice).unwrap_or_default();
                match all.iter().find(|o| o.home == Home::Hub(hub.clone())).cloned() {
                    Some(owner) => self.at_firewall(&owner),
                    None => self.stop(Tri::unknown(missing::not_modelled(
                        format!("{to} in {}", hub.name()),
                        "an address of a virtual hub",
                    ))),
                }
            }
            Via::Peering(id) => {
                let Some(link) = self.link(subnet, id) else {
                    return self.stop(Tri::unknown(missing::resource(id)));
                };
                self.cross(subnet, &link, |walk, arrival| walk.deliver(&link.to, arrival))
            }
            _ => self.stop(Tri::unknown(missing::evidence("the peering of a route", ""))),
        }
    }

    /// R123: only peered subnets; R112: a link that denies access is never part of a proof.
    fn cross(mut self, subnet: &Subnet, link: &Link, then: impl FnOnce(Self, Arrival) -> Reach) -> Reach {
        match crosses(subnet, link) {
            Tri::Yes => {}
            Tri::No => return self.drop(&link.id, "peering", &["R123"], None),
            unknown => return self.stop(unknown),
        }
        match access(self.plain, link) {
            Ok(true) => {}
            Ok(false) => {
                let open = missing::contested(
                    "R112, RU10b",
                    "a recorded connection over this peering",
                    format!("allowVirtualNetworkAccess is false on a side of {}", link.id.name()),
                );
                self.filter = self.filter.and(Tri::unknown(open));
            }
            Err(missing) => self.filter = self.filter.and(Tri::unknown(missing)),
        }
        let global = peering::is_global(self.plain, link);
        let space = vnet(self.plain, &link.from).map(|v| v.prefixes().known).unwrap_or_default();
        let forwarded = !space.iter().any(|p| p.contains(&self.flow.source));
        self.steps.add("peering", link.id.as_written(), "forward", &self.flow, None, &["R27", "R106"]);
        then(self, Arrival { global, forwarded })
    }
}

/// How a packet came into a network.
#[derive(Clone, Copy, Debug, Default)]
struct Arrival {
    /// Over global peering.
    global: bool,
    /// Over a peering, from a source that is not in the peer (F179).
    forwarded: bool,
}

struct Through {
    id: String,
    address: IpAddr,
    members: Vec<ArmId>,
}

/// The NIC and subnet of an appliance's second interface.
fn exit<'a>(plain: &'a Plain, network: &ArmId, address: IpAddr) -> Option<(&'a Subnet, ArmId)> {
    let owner = plain.index().owners_in(network, address).into_iter().find(|o| o.kind == OwnerKind::Nic)?;
    let subnet = plain.index().subnets.get(&device::subnet_of(&owner)?)?;
    Some((subnet, owner.id))
}

/// A declared certificate that a device presents instead (CONTRACT §2, `[[trust]]`).
fn intercepts(plain: &Plain, address: IpAddr, host: Option<&str>) -> bool {
    plain.declared.trusts.iter().any(|t| {
        t.presented_by == address
            && host.is_some_and(|h| t.hosts.is_empty() || t.hosts.iter().any(|p| firewall::wildcard(p, h)))
    })
}

/// Do packets from this subnet cross the link (R123)?
pub fn crosses(subnet: &Subnet, link: &Link) -> Tri {
    match link.subnets_only() {
        Ok(false) => Tri::Yes,
        Ok(true) => link.includes_local(&subnet.name),
        Err(missing) => Tri::unknown(missing),
    }
}

/// `allowVirtualNetworkAccess` on both halves; the half of a network that was not read counts as set.
pub fn access(plain: &Plain, link: &Link) -> Result<bool, Missing> {
    let theirs = match reverse(plain, link) {
        Reverse::Link(back) => back.access()?,
        Reverse::Absent => true,
        Reverse::NotRead(missing) => return if link.access()? { Err(missing) } else { Ok(false) },
    };
    Ok(link.access()? && theirs)
}

fn reach(
    walk: Walk<'_>,
    forward: Tri,
    filter: Tri,
    back: Tri,
    back_filter: Tri,
    delivery: Option<Delivery>,
) -> Reach {
    let (egress, egress_missing) = walk.egress.map(|e| (e.addresses, e.missing)).unwrap_or_default();
    let strict = walk.plain.strict && !walk.assumptions.is_empty();
    let held = |answer: Tri| match answer {
        // V12: what rests on an assumption is unknown again.
        Tri::Yes | Tri::No if strict => {
            let what = walk.assumptions.join(", ");
            Tri::unknown(missing::declare(what, "assumptions are not accepted", "run without --strict"))
        }
        other => other,
    };
    Reach {
        forward_routing: held(forward),
        forward_filter: held(walk.filter.clone().and(filter)),
        return_routing: held(back),
        return_filter: held(back_filter),
        trace: walk.steps.into_values(),
        delivery,
        destination: walk.flow.destination,
        egress,
        egress_missing,
        devices: walk.crossed.into_iter().map(Crossed::passed).collect(),
        assumptions: walk.assumptions,
        findings: walk.findings,
    }
}
