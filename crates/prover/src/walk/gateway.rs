//! Packets that leave by a virtual network gateway (R129–R162).

use pullproof_network::model::gateway::{ConnectionType, GatewayType, VpnType, gateway};
use pullproof_network::model::index::{ConnectionIx, GatewayIx, Ref, SubnetIx};

use super::Walk;
use super::back::Start;
use super::packet::Packet;
use crate::BlockerKind;
use crate::device::Place;
use crate::missing::{Ends, declare, depends_on, evidence, not_modelled};
use crate::outcome::{Blocker, Missing, Outcome};
use crate::path::{Branch, StepDecision, StepKind, Target};
use crate::routes::gateway::GatewayRoutes;
use crate::routes::route::{Hop, Route};

impl Walk<'_, '_> {
    /// A gateway-sourced route: the connections that carry its prefix.
    pub(super) fn to_gateway(
        &self,
        mut packet: Packet,
        subnet: SubnetIx,
        ix: GatewayIx,
        connections: &[ConnectionIx],
    ) -> Vec<Branch> {
        let network = self.prover.network;
        if let Some(home) = self.prover.gateway_vnet(ix)
            && home != network.subnets[subnet].vnet
        {
            let links = network.peerings_of(network.subnets[subnet].vnet);
            if let Some(link) = links.iter().copied().find(|l| self.prover.remote_vnet(*l) == Some(home))
                && let Some(blocker) = self.cross(&mut packet, link, subnet)
            {
                return self.fail(packet, blocker);
            }
        }
        packet.step(
            StepKind::Gateway,
            network.gateways[ix].id.as_written(),
            StepDecision::Forward,
            format!("by gateway {}", network.gateways[ix].id.name()),
            vec![network.gateways[ix].place.at(gateway::GATEWAY_TYPE)],
            &["R28", "R133"],
        );
        if let Some(missing) = self.gateway_tripwire(ix, &packet) {
            return vec![packet.lost(missing)];
        }
        if connections.is_empty() {
            let missing = evidence(
                format!(
                    "the connection of gateway {} that carries the prefix",
                    network.gateways[ix].id.name()
                ),
                "none was read",
                "let pullproof read connections",
            );
            return vec![packet.lost(missing)];
        }
        let several = connections.len() > 1;
        let mut out = Vec::new();
        for c in connections {
            let mut part = packet.clone();
            if several {
                part.choose("connection", network.connections[*c].id.name());
            }
            out.extend(self.by_connection(part, ix, *c));
        }
        out
    }

    /// A user route to "the VPN gateway" (R47–R49, R73): the gateway sends on by what its connections cover.
    pub(super) fn to_vpn_gateway(&self, packet: Packet, subnet: SubnetIx, route: &Route) -> Vec<Branch> {
        let network = self.prover.network;
        let found = match self.prover.vpn_gateways(network.subnets[subnet].vnet) {
            Ok(found) => found,
            Err(missing) => return vec![packet.lost(missing)],
        };
        let Some(reachable) = found.first() else {
            if !self.prover.hub_connections_of(network.subnets[subnet].vnet).is_empty() {
                let missing = not_modelled(
                    format!("route {} to a VPN gateway in a network of a Virtual WAN hub", route.prefix),
                    "whether the hub's gateway takes it is not documented (R49, R201)",
                );
                return vec![packet.lost(missing)];
            }
            let blocker = Blocker {
                kind: BlockerKind::GatewayCannotCarry,
                message: format!(
                    "route {} goes to a VPN gateway, and subnet {} has none that it can use",
                    route.prefix, network.subnets[subnet].name
                ),
                remedy: "use a next hop that exists; a user route cannot name an ExpressRoute gateway".into(),
                facts: vec!["R47", "R49"],
                evidence: route.by.clone(),
            };
            return self.fail(packet, blocker);
        };
        let ix = reachable.gateway;
        let model = &network.gateways[ix];
        let policy_based = model.vpn_type.present() == Some(&VpnType::PolicyBased);
        if route.prefix.prefix_len() == 0 && policy_based {
            let blocker = Blocker {
                kind: BlockerKind::GatewayCannotCarry,
                message: format!(
                    "gateway {} is policy-based: it cannot take a default route",
                    model.id.name()
                ),
                remedy: "use a route-based gateway".into(),
                facts: vec!["R47"],
                evidence: vec![model.place.at(gateway::VPN_TYPE)],
            };
            return self.fail(packet, blocker);
        }
        let mut routes = GatewayRoutes::default();
        self.prover.routes_of_gateway(ix, &mut routes);
        let covering = routes.routes.iter().filter(|r| match &packet.to {
            Target::Address(address) => r.prefix.contains(address),
            Target::PublicHost { .. } => r.prefix.prefix_len() == 0,
        });
        let best = covering.max_by_key(|r| r.prefix.prefix_len()).cloned();
        match (best, routes.open.into_iter().next()) {
            (Some(Route { hop: Hop::Gateway(ix, connections), .. }), None) => {
                self.to_gateway(packet, subnet, ix, &connections)
            }
            (_, Some(open)) => vec![packet.lost(open.missing)],
            (_, None) => {
                let blocker = Blocker {
                    kind: BlockerKind::GatewayCannotCarry,
                    message: format!("no connection of gateway {} covers the destination", model.id.name()),
                    remedy: "add the prefix to the local network gateway, or announce it".into(),
                    facts: vec!["R129", "R153"],
                    evidence: vec![model.place.at(gateway::DEFAULT_SITE)],
                };
                self.fail(packet, blocker)
            }
        }
    }

    /// What a gateway may do to a packet that is not followed (R137–R139, R161, F44).
    fn gateway_tripwire(&self, ix: GatewayIx, packet: &Packet) -> Option<Missing> {
        let network = self.prover.network;
        let model = &network.gateways[ix];
        let name = model.id.name();
        if !model.has_nat_rules.is(&false) {
            return Some(not_modelled(
                format!("the NAT rules of gateway {name}"),
                "addresses change there (R139)",
            ));
        }
        let home = self.prover.gateway_vnet(ix);
        if model.vpn_type.present() == Some(&VpnType::PolicyBased)
            && model.gateway_type.present() == Some(&GatewayType::Vpn)
            && packet.legs.first().and_then(|l| l.home.subnet()).map(|s| network.subnets[s].vnet) != home
        {
            return Some(not_modelled(
                format!("policy-based gateway {name} for another network"),
                "its traffic selectors may not hold the network's prefixes (R137)",
            ));
        }
        self.prover.gateway_subnet_tripwire(ix)
    }

    fn by_connection(&self, packet: Packet, ix: GatewayIx, c: ConnectionIx) -> Vec<Branch> {
        let network = self.prover.network;
        let model = &network.connections[c];
        let name = model.id.name();
        let mut packet = packet;
        packet.branch.basis.in_force(name, &model.provisioning_state, model.place);
        match self.prover.connection_up(c) {
            Outcome::Holds => {}
            Outcome::Fails(blocker, _) => return self.fail(packet, blocker),
            Outcome::Open(missing, _) => return vec![packet.lost(missing)],
        }
        if let Some(missing) = self.connection_tripwire(ix, c, &packet) {
            return vec![packet.lost(missing)];
        }
        if model.connection_type.present() == Some(&ConnectionType::Vnet2Vnet) {
            let missing = not_modelled(
                format!("VNet-to-VNet connection {name}"),
                "a way between networks of Azure by gateways is not followed (R150)",
            );
            return vec![packet.lost(missing)];
        }
        match self.prover.site_of(c) {
            Some(site) => self.at_site(packet, site),
            None => self.at_undeclared(packet, name),
        }
    }

    /// Nothing says what is behind the connection. The reply, if there is one, comes in at some gateway: where it is
    /// lost from each of them it is lost.
    fn at_undeclared(&self, mut packet: Packet, name: &str) -> Vec<Branch> {
        let network = self.prover.network;
        let missing = declare(
            format!("the network behind connection {name}"),
            "what it reaches, filters and routes back is not in Azure (R145, R146)",
            format!("declare a [[site]] with connections = [\"{name}\"], its prefixes and routes_to_azure"),
        )
        .holds_if("the site delivers the packet and routes the reply back to the node addresses")
        .breaks_if("it has no route back to the node addresses");
        let gateways = network.gateways.values();
        let mut subnets: Vec<SubnetIx> = gateways
            .filter_map(|g| g.ip_configs.iter().find_map(|c| c.subnet.present().and_then(Ref::here)))
            .collect();
        subnets.sort_unstable();
        subnets.dedup();
        packet.forward(Outcome::open(missing.clone()));
        if packet.branch.filters.holds() {
            packet.filtered(Outcome::open(depends_on(format!("the filters behind connection {name}"))));
        }
        let places = subnets.into_iter().map(Place::Subnet).collect();
        self.reply(packet, Start::AnyOf(places, missing))
    }
}
