//! One hop after the other.

use pullproof_network::Ref;
use pullproof_network::model::index::{PeeringIx, SubnetIx};

use super::Walk;
use super::back::Start;
use super::packet::Packet;
use crate::BlockerKind;
use crate::device::Place;
use crate::filter::{FilterPoint, Holder};
use crate::missing::{depends_on, evidence, not_modelled, too_complex};
use crate::outcome::{Blocker, Outcome};
use crate::path::{Branch, Delivery, StepDecision, StepKind, Target};
use crate::routes::reason::leads_nowhere_known;
use crate::routes::route::{Hop, Route, RouteSource};
use crate::routes::select::Selected;

/// More hops than any working path has.
const HOPS: usize = 16;

impl Walk<'_, '_> {
    /// The asker's own interface, then the first route.
    pub(super) fn start(&self, packet: Packet) -> Vec<Branch> {
        if let Target::Address(std::net::IpAddr::V6(address)) = &packet.to {
            let missing =
                not_modelled(format!("the way to {address}"), "IPv6 and dual stack are not followed");
            return vec![packet.lost(missing)];
        }
        // `http_proxy_is_not_direct`: the proxy connects, not the node (A189, A190).
        let cluster = self.from.pool.map(|pool| self.prover.network.pools[pool].cluster);
        if self.proto == crate::Proto::Tcp
            && let (Some(cluster), Some(host)) = (cluster, self.host)
            && let Some(missing) = self.prover.proxied(cluster, host)
        {
            return vec![packet.lost(missing)];
        }
        let mut packet = packet;
        self.encryption(&mut packet);
        let point = FilterPoint::leaving(self.from);
        self.filter(packet, point).into_iter().flat_map(|part| self.go(part)).collect()
    }

    /// Routes the packet on from where it is.
    pub(super) fn go(&self, mut packet: Packet) -> Vec<Branch> {
        let here = (packet.place, packet.to.clone());
        if packet.been.contains(&here) {
            return self.fail(packet, looped(&here));
        }
        if packet.been.len() > HOPS {
            return vec![packet.lost(too_complex("the way, after many hops"))];
        }
        packet.been.push(here);
        match packet.place {
            Place::Subnet(subnet) => self.by_routes(packet, subnet),
            Place::Hub(hub) => self.beyond_firewall(packet, hub),
        }
    }

    fn by_routes(&self, mut packet: Packet, subnet: SubnetIx) -> Vec<Branch> {
        let routes = self.prover.effective_routes(subnet);
        packet.branch.basis.merge(&routes.basis);
        if let Target::Address(address) = packet.to
            && let Some((missing, remark)) = self.prover.contradicted(subnet, address)
        {
            packet.branch.basis.remarks.insert(remark);
            return vec![packet.lost(missing)];
        }
        match self.prover.select(&routes, &packet.to) {
            Selected::Platform => self.at_platform(packet),
            Selected::Route(route) => self.follow(packet, subnet, &route),
            Selected::Either(all, missing) => {
                let each = all.iter().map(|r| self.follow(packet.clone(), subnet, r)).collect();
                super::merge::readings(each, &missing)
            }
            Selected::Each(all) => {
                let each = all.iter().flat_map(|route| {
                    let mut part = packet.clone();
                    part.choose("address", super::hop_text(self.prover, &route.hop));
                    self.follow(part, subnet, route)
                });
                each.collect()
            }
            Selected::Open(first, more) => {
                for missing in more {
                    packet.forward(Outcome::open(missing));
                }
                let order = std::mem::replace(&mut packet.branch.forward, Outcome::Holds);
                packet.branch.forward = Outcome::open(first.clone()).and(order);
                vec![packet.lost(first)]
            }
            Selected::Nothing => {
                let blocker = self.no_way(subnet, &packet, None);
                self.fail(packet, blocker)
            }
        }
    }

    fn follow(&self, mut packet: Packet, subnet: SubnetIx, route: &Route) -> Vec<Branch> {
        let network = self.prover.network;
        if let Some(assumption) = &route.assumption {
            packet.branch.basis.assume(assumption.clone());
        }
        let text = format!("route {} {}", route.prefix, super::hop_text(self.prover, &route.hop));
        let decision = if route.hop == Hop::Drop { StepDecision::Drop } else { StepDecision::Forward };
        packet.step(
            StepKind::Route,
            network.subnets[subnet].id.as_written(),
            decision,
            text,
            route.by.clone(),
            route.facts,
        );
        packet.over = None;
        if let Some(table) = route.table.map(|t| &network.route_tables[t]) {
            packet.branch.basis.in_force(table.id.name(), &table.provisioning_state, table.place);
        }
        if packet.leaves_azure() && !matches!(route.hop, Hop::Internet | Hop::Drop) {
            return vec![packet.lost(evidence(
                format!("how {} sends on what it gives a public source", network.subnets[subnet].name),
                "its route does not lead to the Internet, and it is not set up for forced tunnelling (R169, R170)",
                "add a route 0.0.0.0/0 with next hop Internet to the firewall's subnet",
            ))];
        }
        match &route.hop {
            Hop::VnetLocal => self.local(packet, subnet, route),
            Hop::Peering(link) => self.over_peering(packet, subnet, *link),
            Hop::HubItself(c) => self.at_hub_address(packet, *c),
            Hop::Internet => self.leave(packet, subnet),
            Hop::Drop => {
                let blocker = self.no_way(subnet, &packet, Some(route));
                self.fail(packet, blocker)
            }
            Hop::ServiceEndpoint(service) => self.by_service_endpoint(packet, subnet, service),
            Hop::PrivateEndpoint(ix) => {
                let home = self.prover.endpoint_vnet(*ix);
                let link = network
                    .peerings_of(network.subnets[subnet].vnet)
                    .iter()
                    .copied()
                    .find(|l| self.prover.remote_vnet(*l) == home);
                if home != Some(network.subnets[subnet].vnet)
                    && let Some(link) = link
                    && let Some(blocker) = self.cross(&mut packet, link, subnet)
                {
                    return self.fail(packet, blocker);
                }
                self.at_endpoint(packet, *ix)
            }
            Hop::Appliance(address) => self.to_appliance(packet, subnet, *address, route),
            Hop::Gateway(gateway, connections) => self.to_gateway(packet, subnet, *gateway, connections),
            Hop::VpnGateway => self.to_vpn_gateway(packet, subnet, route),
            Hop::Hub(c) => self.through_hub(packet, *c),
        }
    }

    /// The source stays private, and the answer comes the same way (R96); the subnet's policies have a say (A93).
    fn by_service_endpoint(&self, mut packet: Packet, subnet: SubnetIx, service: &str) -> Vec<Branch> {
        let host = match (&packet.to, self.host) {
            (Target::PublicHost { host, .. }, _) => Some(host.clone()),
            (Target::Address(_), host) => host.map(str::to_owned),
        };
        let shown = host.clone().unwrap_or_else(|| "the account".to_owned());
        let (outcome, basis) = self.prover.service_endpoint_policy(subnet, service, &shown);
        packet.branch.basis.merge(&basis);
        packet.filtered(match (outcome, host) {
            // An account that no name tells apart may be one that the policy lists.
            (Outcome::Fails(..), None) => Outcome::open(evidence(
                "whose storage account is at the address",
                "a service endpoint policy of the subnet admits listed accounts only (A93)",
                "ask with a host name",
            )),
            (outcome, _) => outcome,
        });
        packet.branch.delivery = Delivery::ServiceEndpoint(self.prover.network.subnets[subnet].id.clone());
        self.reply(packet, Start::Outside)
    }

    /// `VnetLocal`: of the system, or a user's (R51).
    fn local(&self, mut packet: Packet, subnet: SubnetIx, route: &Route) -> Vec<Branch> {
        let network = self.prover.network;
        let vnet = network.subnets[subnet].vnet;
        let Target::Address(address) = packet.to else {
            return vec![packet.lost(evidence(
                "the address of a public host",
                "its route is local",
                "declare it",
            ))];
        };
        if network.vnets[vnet].address_space.iter().any(|p| p.contains(&address)) {
            return self.arrive(packet, vnet, address);
        }
        if route.source != RouteSource::User {
            return self.arrive(packet, vnet, address);
        }
        packet.over = None;
        vec![packet.lost(leads_nowhere_known(route.prefix, address))]
    }

    fn over_peering(&self, mut packet: Packet, subnet: SubnetIx, link: PeeringIx) -> Vec<Branch> {
        if let Some(blocker) = self.cross(&mut packet, link, subnet) {
            return self.fail(packet, blocker);
        }
        let remote = self.prover.network.peerings[link].remote.present();
        match (remote, &packet.to) {
            (Some(Ref::Here(vnet)), Target::Address(address)) => {
                let (vnet, address) = (*vnet, *address);
                self.arrive(packet, vnet, address)
            }
            (Some(Ref::NotRead(id)), to) => {
                let missing = self.prover.not_read(id, format!("what is at {to:?} in {}", id.name()));
                vec![packet.lost(missing)]
            }
            (None, _) | (_, Target::PublicHost { .. }) => {
                vec![packet.lost(evidence("the far end of a peering", "it is not named", "collect it again"))]
            }
        }
    }

    /// Crosses a link. Returns what stops the packet there.
    pub(super) fn cross(&self, packet: &mut Packet, link: PeeringIx, from: SubnetIx) -> Option<Blocker> {
        let model = &self.prover.network.peerings[link];
        packet.over = Some(link);
        let outcome = self.prover.crossing(link, from, &mut packet.branch.basis);
        packet.step(
            StepKind::Peering,
            model.id.as_written(),
            StepDecision::Forward,
            format!("over peering {}", self.prover.link_name(model)),
            vec![model.place.at(pullproof_network::model::vnet::peering::STATE)],
            &["R103", "R106"],
        );
        match outcome {
            Outcome::Fails(blocker, _) => Some(blocker),
            other => {
                packet.forward(other);
                None
            }
        }
    }

    fn no_way(&self, subnet: SubnetIx, packet: &Packet, route: Option<&Route>) -> Blocker {
        match &packet.to {
            Target::Address(address) => self.prover.why_no_route(subnet, *address, route),
            Target::PublicHost { host, .. } => Blocker {
                kind: BlockerKind::UserRouteDrops,
                message: format!(
                    "subnet {} drops packets to the public addresses of {host}",
                    self.prover.network.subnets[subnet].name
                ),
                remedy: "remove the route that drops them".into(),
                facts: vec!["R50"],
                evidence: route.map_or_else(Vec::new, |r| r.by.clone()),
            },
        }
    }

    /// The filters of one interface, for each part of the packets that they treat alike.
    pub(super) fn filter(&self, packet: Packet, mut point: FilterPoint) -> Vec<Packet> {
        point.sender = if packet.is_askers() { self.from.pool } else { None };
        if point.direction == pullproof_snapshot::question::Direction::Inbound {
            point.forwarded = packet.was_forwarded() && packet.over.is_some();
        }
        let (sources, sports) = (packet.sources(), packet.sports());
        let parts = self.prover.nsg(&point, &sources, &sports, &packet.to, self.proto, packet.port);
        if packet.is_askers() {
            return parts
                .into_iter()
                .map(|part| {
                    let mut packet = packet.clone();
                    packet.branch.sources = part.sources;
                    packet.branch.sports = part.sports;
                    packet.filtered(part.outcome);
                    packet.branch.forward_steps.extend(part.steps);
                    packet.branch.basis.merge(&part.basis);
                    packet.branch.basis.remarks.extend(part.remarks);
                    packet
                })
                .collect();
        }
        // Each translated source is possible: all of them have to pass.
        let mut packet = packet;
        for part in parts {
            packet.filtered(part.outcome);
            packet.branch.forward_steps.extend(part.steps);
            packet.branch.basis.merge(&part.basis);
            packet.branch.basis.remarks.extend(part.remarks);
        }
        vec![packet]
    }

    pub(super) fn filters(&self, packets: Vec<Packet>, subnet: SubnetIx, holder: Holder) -> Vec<Packet> {
        let point = FilterPoint::entering(subnet, holder);
        packets.into_iter().flat_map(|p| self.filter(p, point)).collect()
    }

    /// The packet is lost. What lies behind is looked at as if it had come through, where that is known.
    pub(super) fn fail(&self, mut packet: Packet, blocker: Blocker) -> Vec<Branch> {
        if packet.is_hypothetical() {
            packet.behind(blocker);
            return vec![packet.branch];
        }
        packet.forward(Outcome::fails(blocker));
        packet.over = None;
        let Target::Address(address) = packet.to else {
            packet.back(Outcome::open(depends_on("the reply, since the request does not get there")));
            return vec![packet.branch];
        };
        let mut homes: Vec<_> =
            self.prover.network.owners_of(address).iter().filter_map(|o| o.vnet).collect();
        homes.sort_unstable();
        homes.dedup();
        if let [vnet] = homes.as_slice() {
            return self.arrive(packet, *vnet, address);
        }
        if homes.is_empty()
            && let Some(site) = self.prover.site_with(address)
        {
            return self.at_site(packet, site);
        }
        packet.back(Outcome::open(depends_on("the reply, since the request does not get there")));
        vec![packet.branch]
    }

    /// F151: only `AllowUnencrypted` is supported; what the other word does is not recorded.
    fn encryption(&self, packet: &mut Packet) {
        use pullproof_network::model::vnet::EncryptionEnforcement;
        let vnet = &self.prover.network.vnets[self.prover.network.subnets[self.from.subnet].vnet];
        let on = vnet.encryption_enabled.present() == Some(&true);
        if on && vnet.encryption_enforcement.present() == Some(&EncryptionEnforcement::DropUnencrypted) {
            packet.forward(Outcome::open(not_modelled(
                format!("encryption of {} with DropUnencrypted", vnet.id.name()),
                "it may drop traffic of machines that do not encrypt (F151)",
            )));
        }
    }
}

fn looped((place, _): &(Place, Target)) -> Blocker {
    let where_ = match place {
        Place::Subnet(_) => "the same subnet",
        Place::Hub(_) => "the same hub",
    };
    Blocker {
        kind: BlockerKind::RoutingLoop,
        message: format!("the packet comes back to {where_}: the routes go round in a circle"),
        remedy: "take the appliance's own subnet off the route table, or give it a route of its own".into(),
        facts: vec!["R45", "R175"],
        evidence: Vec::new(),
    }
}
