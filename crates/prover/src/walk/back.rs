//! The reply: from where the packet ended back to the asker, through the same stateful devices (R2, R86, R87, R160,
//! R163–R166, R255, R256).

use pullproof_network::model::index::{HubIx, PrivateEndpointIx, SubnetIx, VnetIx};
use pullproof_network::set::Addresses;

use super::Walk;
use super::packet::{Packet, Source, step};
use crate::BlockerKind;
use crate::device::next_hop::{Forwarder, Taken};
use crate::device::{DeviceId, Passed, Place};
use crate::missing::{Ends, evidence, not_modelled, too_complex};
use crate::outcome::{Basis, Blocker, Missing, Outcome, Remark};
use crate::path::{Branch, Step, StepDecision, StepKind};
use crate::routes::hub::{HubHop, HubTable};
use crate::routes::route::{Hop, Route};
use crate::routes::select::Selected;

/// Where a reply starts.
pub(crate) enum Start {
    /// Whoever answers is outside: the reply comes back to the source that it saw, by the way that the request left
    /// (R96, R215).
    Outside,
    Place(Place),
    /// The platform answers along the packet's own way (R87); the customer's routes of that subnet have no say (R86).
    Endpoint(PrivateEndpointIx),
    /// Whoever answers is not known: the reply may come in at any of these places, or never.
    AnyOf(Vec<Place>, Missing),
    /// The reply enters at these places, by part of the addresses that it goes to; what is in none of them fails.
    Parts(Vec<Cell>, Vec<(Addresses, Place)>),
}

/// Part of the addresses that a reply goes to, with what becomes of it.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub to: Addresses,
    pub outcome: Outcome,
    pub steps: Vec<Step>,
    pub basis: Basis,
}

/// What the reply has to reach, and through what.
struct Goal<'a> {
    home: Place,
    /// In the packet's order: the last one comes first on the way back.
    devices: &'a [Passed],
    depth: usize,
}

const DEPTH: usize = 16;

impl Walk<'_, '_> {
    /// Evaluates every leg, the last first, and splits the packet where its own addresses fare differently.
    pub(crate) fn reply(&self, mut packet: Packet, start: Start) -> Vec<Branch> {
        let legs = packet.legs.clone();
        let mut start = Some(start);
        for (i, leg) in legs.iter().enumerate().rev() {
            let from = match start.take() {
                Some(start) => start,
                None => match legs.get(i.saturating_add(1)).and_then(|l| l.by.as_ref()) {
                    Some(device) => Start::Place(device.near),
                    None => break,
                },
            };
            let cells = self.leg_back(&packet, from, i);
            match &leg.source {
                Source::Device(_) => {
                    for cell in cells {
                        packet.back(cell.outcome);
                        packet.branch.back_steps.extend(cell.steps);
                        packet.branch.basis.merge(&cell.basis);
                    }
                }
                Source::Asker => return split(&packet, cells),
            }
        }
        vec![packet.branch]
    }

    fn leg_back(&self, packet: &Packet, start: Start, i: usize) -> Vec<Cell> {
        let Some(leg) = packet.legs.get(i) else { return Vec::new() };
        let to = match &leg.source {
            Source::Device(addresses) => addresses.clone(),
            Source::Asker => packet.branch.sources.clone(),
        };
        let goal = Goal { home: leg.home, devices: &leg.devices, depth: 0 };
        match start {
            Start::Outside => match goal.devices.last() {
                None => vec![cell(to, Outcome::Holds)],
                Some(device) => vec![cell(
                    to,
                    Outcome::open(evidence(
                        format!("the reply's way back through {}", device.name),
                        "the request left with the node's own address",
                        format!("let {} translate the source", device.name),
                    )),
                )],
            },
            Start::Place(place) => self.from(place, to, &goal),
            Start::Endpoint(endpoint) => self.reply_of_endpoint(endpoint, to, &goal),
            Start::AnyOf(places, missing) => {
                let each = places.into_iter().map(|place| {
                    let mut cells = self.from(place, to.clone(), &goal);
                    for cell in &mut cells {
                        if cell.outcome.holds() {
                            cell.outcome = Outcome::open(missing.clone());
                        }
                    }
                    cells
                });
                let each: Vec<Vec<Cell>> = each.collect();
                if each.is_empty() { vec![cell(to, Outcome::open(missing))] } else { either(each, &missing) }
            }
            Start::Parts(mut cells, parts) => {
                for (part, place) in parts {
                    cells.extend(self.from(place, part, &goal));
                }
                cells
            }
        }
    }

    /// R87: direct, the reply takes the packet's way back. R255: through a device without translation only the tag of
    /// R92 is documented to bring it back there.
    fn reply_of_endpoint(&self, ix: PrivateEndpointIx, to: Addresses, goal: &Goal<'_>) -> Vec<Cell> {
        let name = self.prover.network.private_endpoints[ix].id.name();
        let direct = step(
            StepKind::PrivateEndpoint,
            name,
            StepDecision::Answer,
            "the platform returns the reply along the same path",
            Vec::new(),
            &["R86", "R87"],
        );
        let Some((last, before)) = goal.devices.split_last() else {
            return vec![Cell { to, outcome: Outcome::Holds, steps: vec![direct], basis: Basis::default() }];
        };
        if last.returns_endpoint_traffic && !matches!(last.id, DeviceId::Firewall(_)) {
            let rest = Goal { devices: before, depth: goal.depth, ..*goal };
            return self.from(last.near, to, &rest);
        }
        let mut basis = Basis::default();
        let same = self.vnet_of(last.near).is_some() && self.vnet_of(last.near) == self.vnet_of(goal.home);
        if same {
            basis.remarks.insert(Remark {
                kind: "pe-no-snat-same-vnet",
                message: format!(
                    "{} forwards to private endpoint {name} without source translation and stands in the client's own network: recorded to fail",
                    last.name
                ),
                facts: vec!["R91", "R255"],
                evidence: Vec::new(),
            });
        }
        let missing = evidence(
            format!("the return path of private endpoint {name} through {} without source translation", last.name),
            "seen to work in some placements and to fail in others, and not guaranteed (R255, RU8)",
            format!(
                "use an application rule or source translation on {}, or the tag disableSnatOnPL on its network interface",
                last.name
            ),
        )
        .holds_if("the platform brings the reply back through the device")
        .breaks_if("the reply goes straight to the client");
        vec![Cell { to, outcome: Outcome::open(missing), steps: Vec::new(), basis }]
    }

    fn vnet_of(&self, place: Place) -> Option<VnetIx> {
        place.subnet().map(|s| self.prover.network.subnets[s].vnet)
    }

    fn from(&self, place: Place, to: Addresses, goal: &Goal<'_>) -> Vec<Cell> {
        if goal.depth > DEPTH {
            let missing = too_complex("the reply's way, after many hops");
            return vec![cell(to, Outcome::open(missing))];
        }
        match place {
            Place::Subnet(subnet) => self.back_by_routes(subnet, &to, goal),
            Place::Hub(hub) => self.by_table(&self.prover.hub_behind_firewall(hub), &to, goal, hub),
        }
    }

    fn back_by_routes(&self, subnet: SubnetIx, to: &Addresses, goal: &Goal<'_>) -> Vec<Cell> {
        let routes = self.prover.effective_routes(subnet);
        let mut out = Vec::new();
        for (part, selected) in self.prover.partition(&routes, to) {
            let mut cells = match selected {
                Selected::Route(route) => self.follow_back(subnet, &route, part, goal),
                Selected::Either(all, missing) => {
                    let each = all.iter().map(|r| self.follow_back(subnet, r, part.clone(), goal)).collect();
                    either(each, &missing)
                }
                Selected::Open(missing, more) => vec![cell(part, Outcome::Open(missing, more))],
                Selected::Platform | Selected::Each(_) | Selected::Nothing => {
                    vec![cell(part.clone(), Outcome::fails(self.no_return(subnet, &part, None)))]
                }
            };
            for cell in &mut cells {
                if let Some((missing, remark)) =
                    cell.to.first().and_then(|first| self.prover.contradicted(subnet, first))
                {
                    cell.outcome = Outcome::open(missing);
                    cell.basis.remarks.insert(remark);
                }
                cell.basis.merge(&routes.basis);
            }
            out.extend(cells);
        }
        out
    }

    fn follow_back(&self, subnet: SubnetIx, route: &Route, to: Addresses, goal: &Goal<'_>) -> Vec<Cell> {
        let network = self.prover.network;
        let here = network.subnets[subnet].vnet;
        let mut basis = Basis::default();
        if let Some(assumption) = &route.assumption {
            basis.assume(assumption.clone());
        }
        let text = format!("reply: route {} {}", route.prefix, super::hop_text(self.prover, &route.hop));
        let taken = step(
            StepKind::Route,
            network.subnets[subnet].id.as_written(),
            StepDecision::Forward,
            text,
            route.by.clone(),
            route.facts,
        );
        let mut cells = match &route.hop {
            Hop::VnetLocal => vec![self.arrived(Some(here), None, to, goal, subnet, route)],
            Hop::Peering(link) => {
                let crossing = self.prover.crossing(*link, subnet, &mut basis);
                let there = self.prover.remote_vnet(*link);
                let mut cell = self.arrived(there, None, to, goal, subnet, route);
                cell.outcome = crossing.and(cell.outcome);
                vec![cell]
            }
            Hop::HubItself(c) => {
                let hub = network.hub_connections[*c].hub;
                vec![self.arrived(None, Some(hub), to, goal, subnet, route)]
            }
            Hop::Appliance(address) => {
                let next = self.prover.next_hop(here, *address, self.proto, self.port_back());
                let crossing = next.over.map(|link| self.prover.crossing(link, subnet, &mut basis));
                let mut cells = match next.taken {
                    Taken::Broken(mut blocker) => {
                        blocker.evidence.extend(route.by.iter().copied());
                        vec![cell(to, Outcome::fails(blocker))]
                    }
                    Taken::Open(missing) => vec![cell(to, Outcome::open(missing))],
                    Taken::By(forwarders) => self.back_through(&forwarders, &to, goal, subnet, route),
                };
                if let Some(crossing) = crossing {
                    for cell in &mut cells {
                        let outcome = std::mem::replace(&mut cell.outcome, Outcome::Holds);
                        cell.outcome = crossing.clone().and(outcome);
                    }
                }
                cells
            }
            Hop::Hub(c) => {
                let hub = network.hub_connections[*c].hub;
                self.by_table(&self.prover.hub_table(*c), &to, goal, hub)
            }
            Hop::Gateway(..) | Hop::VpnGateway => {
                let missing = not_modelled(
                    format!("the reply to {to}, which {} sends to a gateway", network.subnets[subnet].name),
                    "a reply between networks of Azure by way of a site is not followed",
                );
                vec![cell(to, Outcome::open(missing))]
            }
            Hop::Internet | Hop::Drop | Hop::ServiceEndpoint(_) | Hop::PrivateEndpoint(_) => {
                vec![cell(to.clone(), Outcome::fails(self.no_return(subnet, &to, Some(route))))]
            }
        };
        for cell in &mut cells {
            cell.steps.insert(0, taken.clone());
            cell.basis.merge(&basis);
        }
        cells
    }

    /// The reply reaches a network or hub without meeting another device.
    fn arrived(
        &self,
        vnet: Option<VnetIx>,
        hub: Option<HubIx>,
        to: Addresses,
        goal: &Goal<'_>,
        subnet: SubnetIx,
        route: &Route,
    ) -> Cell {
        let home = match goal.home {
            Place::Subnet(s) => vnet == Some(self.prover.network.subnets[s].vnet),
            Place::Hub(h) => hub == Some(h),
        };
        if !home {
            let mut blocker = self.no_return(subnet, &to, None);
            blocker.message = format!(
                "replies to {to} from subnet {} go to another network, by {}",
                self.prover.network.subnets[subnet].name, route.prefix
            );
            blocker.evidence.clone_from(&route.by);
            return cell(to, Outcome::fails(blocker));
        }
        match goal.devices.last() {
            None => cell(to, Outcome::Holds),
            Some(device) => {
                let blocker = Blocker {
                    kind: BlockerKind::Asymmetric,
                    message: format!(
                        "replies from subnet {} go straight back by {} and pass {} by, which drops the flow",
                        self.prover.network.subnets[subnet].name, route.prefix, device.name
                    ),
                    remedy: format!(
                        "route the node addresses through {} on the way back too, or neither way",
                        device.name
                    ),
                    facts: vec!["R160", "R163", "R164"],
                    evidence: route.by.clone(),
                };
                cell(to, Outcome::fails(blocker))
            }
        }
    }

    /// The reply is sent to a device: it has to be the one that the packet passed last (R163, R164).
    fn back_through(
        &self,
        forwarders: &[Forwarder],
        to: &Addresses,
        goal: &Goal<'_>,
        subnet: SubnetIx,
        route: &Route,
    ) -> Vec<Cell> {
        let expected = goal.devices.split_last();
        let met = forwarders.iter().find(|f| expected.is_some_and(|(e, _)| same_device(&f.passed, e)));
        if let (Some(met), Some((device, before))) = (met, expected) {
            if (met.passed.pooled || device.pooled) && met.passed.entry != device.entry {
                let missing = evidence(
                    format!(
                        "whether replies through {} reach the same machine of {}",
                        met.passed.entry, device.name
                    ),
                    "packet and reply enter by different front ends (R165, R166)",
                    "use one front end for both directions, or source translation",
                );
                return vec![cell(to.clone(), Outcome::open(missing))];
            }
            let rest = Goal { devices: before, depth: goal.depth.saturating_add(1), ..*goal };
            return self.from(device.near, to.clone(), &rest);
        }
        let Some(first) = forwarders.first() else { return Vec::new() };
        if let Some(blocker) = &first.broken {
            return vec![cell(to.clone(), Outcome::fails(blocker.clone()))];
        }
        let name = &first.passed.name;
        let from = &self.prover.network.subnets[subnet].name;
        if first.behaves == crate::device::next_hop::Behaves::Opaque {
            return vec![cell(to.clone(), Outcome::open(super::appliance::undeclared(&first.passed)))];
        }
        let message = match expected {
            None => format!(
                "replies from subnet {from} go to {name} by {}, which never saw the request and drops them",
                route.prefix
            ),
            Some((device, _)) => format!(
                "the request passes {}, and replies from subnet {from} go to {name} instead by {}",
                device.name, route.prefix
            ),
        };
        let blocker = Blocker {
            kind: BlockerKind::Asymmetric,
            message,
            remedy: "send both directions through the same device, or neither".into(),
            facts: vec!["R160", "R163", "R164"],
            evidence: route.by.clone(),
        };
        vec![cell(to.clone(), Outcome::fails(blocker))]
    }

    /// Through a hub, by one of its tables.
    fn by_table(&self, table: &HubTable, to: &Addresses, goal: &Goal<'_>, hub: HubIx) -> Vec<Cell> {
        let network = self.prover.network;
        let name = network.hubs[hub].id.name();
        let mut out = Vec::new();
        for part in cut(table, to) {
            let Some(first) = part.first() else { continue };
            let entry = match table.select(first) {
                Err(missing) => {
                    out.push(cell(part, Outcome::open(missing)));
                    continue;
                }
                Ok(entry) => entry,
            };
            let Some(entry) = entry else {
                let blocker = Blocker {
                    kind: BlockerKind::HubNoRoute,
                    message: format!("hub {name} has no route back to {part}"),
                    remedy: "let the node network's connection propagate to the table of the far one".into(),
                    facts: vec!["R178", "R180"],
                    evidence: vec![network.hubs[hub].place.at("/id")],
                };
                out.push(cell(part, Outcome::fails(blocker)));
                continue;
            };
            let taken = step(
                StepKind::Route,
                network.hubs[hub].id.as_written(),
                StepDecision::Forward,
                format!("reply: hub route {}", entry.prefix),
                entry.by.clone(),
                &["R178", "R180"],
            );
            let mut cells = match entry.hop {
                HubHop::Network(c) => {
                    let there =
                        network.hub_connections[c].remote.present().and_then(pullproof_network::Ref::here);
                    vec![self.home_by_hub(there, part, goal, name, &entry.by)]
                }
                HubHop::Firewall(firewall) => {
                    let at = self.prover.firewall_hub(firewall).unwrap_or(hub);
                    match goal.devices.split_last() {
                        Some((device, before)) if device.id == DeviceId::Firewall(firewall) => {
                            let rest = Goal { devices: before, depth: goal.depth.saturating_add(1), ..*goal };
                            self.from(Place::Hub(at), part, &rest)
                        }
                        Some(_) | None => {
                            let blocker = Blocker {
                                kind: BlockerKind::Asymmetric,
                                message: format!(
                                    "replies pass firewall {} of hub {name}, which never saw the request and drops them",
                                    network.firewalls[firewall].id.name()
                                ),
                                remedy: "send both directions through the same firewall, or neither".into(),
                                facts: vec!["R163", "R164", "R192"],
                                evidence: entry.by.clone(),
                            };
                            vec![cell(part, Outcome::fails(blocker))]
                        }
                    }
                }
            };
            for cell in &mut cells {
                cell.steps.insert(0, taken.clone());
            }
            out.extend(cells);
        }
        out
    }

    fn home_by_hub(
        &self,
        there: Option<VnetIx>,
        to: Addresses,
        goal: &Goal<'_>,
        hub: &str,
        by: &[pullproof_snapshot::At],
    ) -> Cell {
        let home = goal.home.subnet().map(|s| self.prover.network.subnets[s].vnet);
        if there.is_none() || there != home {
            let blocker = Blocker {
                kind: BlockerKind::NoReturnRoute,
                message: format!("hub {hub} sends replies to {to} to another network"),
                remedy: "remove the overlapping prefix".into(),
                facts: vec!["R180"],
                evidence: by.to_vec(),
            };
            return cell(to, Outcome::fails(blocker));
        }
        match goal.devices.last() {
            None => cell(to, Outcome::Holds),
            Some(device) => {
                let blocker = Blocker {
                    kind: BlockerKind::Asymmetric,
                    message: format!(
                        "replies come back by hub {hub} and pass {} by, which drops the flow",
                        device.name
                    ),
                    remedy: "send both directions through the same firewall, or neither".into(),
                    facts: vec!["R163", "R164"],
                    evidence: by.to_vec(),
                };
                cell(to, Outcome::fails(blocker))
            }
        }
    }

    /// The reply has nowhere to go.
    fn no_return(&self, subnet: SubnetIx, to: &Addresses, route: Option<&Route>) -> Blocker {
        let name = &self.prover.network.subnets[subnet].name;
        let cause = to.first().map(|first| self.prover.why_no_route(subnet, first, route));
        let (reason, mut evidence, mut facts) =
            cause.map_or((String::new(), Vec::new(), Vec::new()), |c| (c.message, c.evidence, c.facts));
        if evidence.is_empty() {
            evidence.push(self.prover.route_table_at(subnet));
        }
        facts.insert(0, "R2");
        Blocker {
            kind: BlockerKind::NoReturnRoute,
            message: format!("replies from subnet {name} to {to} are lost: {reason}"),
            remedy: "give that subnet a route back to the node addresses".into(),
            facts,
            evidence,
        }
    }

    /// The port that a reply goes to: one of the client's own (R165: a rule for the service's port does not take it).
    fn port_back(&self) -> u16 {
        self.from.sports.first().unwrap_or(self.port)
    }
}

fn cell(to: Addresses, outcome: Outcome) -> Cell {
    Cell { to, outcome, steps: Vec::new(), basis: Basis::default() }
}

fn same_device(a: &Passed, b: &Passed) -> bool {
    a.id == b.id
}

/// The parts of a set that one entry each covers.
fn cut(table: &HubTable, to: &Addresses) -> Vec<Addresses> {
    let mut pieces = vec![to.clone()];
    let within = table.open.iter().filter_map(|(w, _)| w.clone());
    for by in table.entries.iter().map(|e| Addresses::prefix(e.prefix)).chain(within) {
        pieces = pieces
            .into_iter()
            .flat_map(|piece| [piece.intersect(&by), piece.subtract(&by)])
            .filter(|piece| !piece.is_empty())
            .collect();
    }
    pieces
}

/// What is true of each reading, part by part.
fn either(each: Vec<Vec<Cell>>, missing: &Missing) -> Vec<Cell> {
    let mut each = each.into_iter();
    let Some(mut merged) = each.next() else { return Vec::new() };
    for other in each {
        let mut next = Vec::new();
        for a in &merged {
            for b in &other {
                let to = a.to.intersect(&b.to);
                if to.is_empty() {
                    continue;
                }
                let mut basis = a.basis.clone();
                basis.merge(&b.basis);
                let outcome = a.outcome.clone().readings(b.outcome.clone(), missing.clone());
                next.push(Cell { to, outcome, steps: a.steps.clone(), basis });
            }
        }
        merged = next;
    }
    merged
}

/// One branch for each part of the asker's addresses that fares differently.
fn split(packet: &Packet, cells: Vec<Cell>) -> Vec<Branch> {
    let mut out: Vec<Branch> = Vec::new();
    for cell in cells {
        let mut part = packet.clone();
        part.branch.sources = cell.to;
        part.back(cell.outcome);
        part.branch.back_steps.extend(cell.steps);
        part.branch.basis.merge(&cell.basis);
        match out.iter_mut().find(|b| b.back == part.branch.back && b.back_steps == part.branch.back_steps) {
            Some(same) => {
                same.sources = same.sources.union(&part.branch.sources);
                same.basis.merge(&part.branch.basis);
            }
            None => out.push(part.branch),
        }
    }
    out
}
