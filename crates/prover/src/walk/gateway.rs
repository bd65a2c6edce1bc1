//! Packets that leave by a virtual network gateway, and the declared sites behind it (R129–R162).

use std::net::IpAddr;

use pullproof_network::Val;
use pullproof_network::model::gateway::{
    ConnectionType, GatewayType, TunnelStatus, VpnType, circuit, connection, gateway,
};
use pullproof_network::model::index::{ConnectionIx, GatewayIx, Ref, SiteIx, SubnetIx};
use pullproof_network::model::word::ProvisioningState;
use pullproof_network::set::Addresses;
use pullproof_snapshot::declared::FilterAction;

use super::Walk;
use super::back::{Cell, Start};
use super::packet::{Packet, step};
use crate::BlockerKind;
use crate::device::Place;
use crate::device::declared_filter::{Declared, FirstPacket, decide, parse};
use crate::missing::{Ends, declare, depends_on, evidence, not_modelled};
use crate::outcome::{Basis, Blocker, Missing, Outcome};
use crate::path::{Branch, Delivery, SeenAs, StepDecision, StepKind, Target};
use crate::routes::gateway::GatewayRoutes;
use crate::routes::route::{Hop, Route};
use crate::routes::select::is_public;

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
        match self.connection_up(c) {
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

    /// R132.
    fn connection_up(&self, c: ConnectionIx) -> Outcome {
        let network = self.prover.network;
        let model = &network.connections[c];
        let name = model.id.name();
        let down = |what: &str, at| {
            Outcome::fails(Blocker {
                kind: BlockerKind::ConnectionDown,
                message: format!("connection {name} is {what}"),
                remedy: "bring the connection up".into(),
                facts: vec!["R132"],
                evidence: vec![at],
            })
        };
        if model.provisioning_state.present() == Some(&ProvisioningState::Failed) {
            return down("in provisioning state Failed", model.place.at("/properties/provisioningState"));
        }
        let at = model.place.at(connection::STATUS);
        let express = model.connection_type.present() == Some(&ConnectionType::ExpressRoute);
        let status = match &model.status {
            Val::Known(Some(TunnelStatus::Connected)) => Outcome::Holds,
            Val::Known(Some(state @ (TunnelStatus::NotConnected | TunnelStatus::Connecting))) => {
                down(state.as_str(), at)
            }
            // An ExpressRoute connection shows its state at the circuit.
            Val::Known(None | Some(TunnelStatus::Unknown)) if express => Outcome::Holds,
            Val::Known(_) => Outcome::open(evidence(
                format!("whether connection {name} is up"),
                "connectionStatus is not in the input: lists of connections leave it out",
                "collect the connection by itself",
            )),
            Val::Sym(symbol) => {
                Outcome::open(self.prover.unknown(*symbol, format!("the status of connection {name}")))
            }
        };
        if !express {
            return status;
        }
        status.and(self.circuit_up(c))
    }

    /// The circuit under an ExpressRoute connection, and its private peering.
    fn circuit_up(&self, c: ConnectionIx) -> Outcome {
        let network = self.prover.network;
        let model = &network.connections[c];
        let name = model.id.name();
        let not_there = |what: String, why: &str| {
            Outcome::open(evidence(what, why, "collect the ExpressRoute circuit in full"))
        };
        let ix = match &model.circuit {
            Val::Known(Some(Ref::Here(ix))) => *ix,
            Val::Known(Some(Ref::NotRead(id))) => {
                let what = format!("the circuit of connection {name}");
                return Outcome::open(self.prover.not_read(id, what));
            }
            Val::Known(None) => {
                return not_there(format!("the circuit of connection {name}"), "the connection names none");
            }
            Val::Sym(symbol) => {
                let what = format!("the circuit of connection {name}");
                return Outcome::open(self.prover.unknown(*symbol, what));
            }
        };
        let line = &network.circuits[ix];
        let circuit_name = line.id.name();
        let down = |what: String, at| {
            Outcome::fails(Blocker {
                kind: BlockerKind::ConnectionDown,
                message: format!("connection {name} is on circuit {circuit_name}, whose {what}"),
                remedy: "bring the circuit and its private peering up".into(),
                facts: vec!["R132"],
                evidence: vec![at],
            })
        };
        let state_at = line.place.at(circuit::SERVICE_PROVIDER_STATE);
        let provider = match &line.service_provider_state {
            Val::Known(Some(state)) if state.eq_ignore_ascii_case("Provisioned") => Outcome::Holds,
            Val::Known(Some(state)) => down(format!("provider state is {state}"), state_at),
            Val::Known(None) => not_there(
                format!("the provider state of circuit {circuit_name}"),
                "serviceProviderProvisioningState is not in the input",
            ),
            Val::Sym(symbol) => Outcome::open(
                self.prover.unknown(*symbol, format!("the provider state of circuit {circuit_name}")),
            ),
        };
        let is_private = |kind: &Val<Option<Box<str>>>| {
            kind.present().is_some_and(|k| k.eq_ignore_ascii_case("AzurePrivatePeering"))
        };
        let peering = match line.peerings.iter().find(|p| is_private(&p.peering_type)) {
            None => {
                not_there(format!("the private peering of circuit {circuit_name}"), "the circuit shows none")
            }
            Some(peering) => {
                match &peering.state {
                    Val::Known(Some(state)) if state.eq_ignore_ascii_case("Enabled") => Outcome::Holds,
                    Val::Known(Some(state)) if state.eq_ignore_ascii_case("Disabled") => {
                        down("private peering is Disabled".to_owned(), peering.place.at("/properties/state"))
                    }
                    Val::Known(_) => not_there(
                        format!("the state of the private peering of circuit {circuit_name}"),
                        "its state is not in the input, or not a known word",
                    ),
                    Val::Sym(symbol) => Outcome::open(self.prover.unknown(
                        *symbol,
                        format!("the state of the private peering of circuit {circuit_name}"),
                    )),
                }
            }
        };
        provider.and(peering)
    }

    fn connection_tripwire(&self, ix: GatewayIx, c: ConnectionIx, packet: &Packet) -> Option<Missing> {
        let network = self.prover.network;
        let model = &network.connections[c];
        let name = model.id.name();
        if !model.has_nat_rules.is(&false) {
            return Some(not_modelled(
                format!("the NAT rules of connection {name}"),
                "addresses change there (R139)",
            ));
        }
        let home =
            network.gateways[ix].ip_configs.iter().find_map(|g| g.subnet.present().and_then(Ref::here));
        let routed = home.is_some_and(|s| !network.subnets[s].route_table.is_absent());
        if routed && matches!(&model.express_route_gateway_bypass, Val::Known(Some(true)) | Val::Sym(_)) {
            return Some(not_modelled(
                format!("FastPath on connection {name} beside a route table on GatewaySubnet"),
                "which of the two decides is not documented (R161, RU12)",
            ));
        }
        let selectors = &model.traffic_selectors;
        if selectors.is_empty() {
            return None;
        }
        let sources = packet.sources();
        let covered = selectors.iter().any(|s| {
            let local = Addresses::of(s.local.items.iter().copied());
            let remote = Addresses::of(s.remote.items.iter().copied());
            let there = super::appliance::only_address(&packet.to).is_some_and(|a| remote.contains(a));
            sources.is_subset(&local) && there
        });
        (!covered).then(|| {
            evidence(
                format!("whether the traffic selectors of connection {name} let the flow in"),
                "the configured ones do not cover it, and the peer may propose others (R138)",
                "add the node subnet and the destination to the selectors",
            )
        })
    }

    /// A declared site: its filter, its way to the address, and its routes back (CONTRACT §2).
    pub(super) fn at_site(&self, mut packet: Packet, ix: SiteIx) -> Vec<Branch> {
        let network = self.prover.network;
        let site = &network.sites[ix];
        let Some(declared) = network.declared.sites.get(site.table) else {
            let missing = declare(format!("site {}", site.name), "its declaration is gone", "declare it");
            return vec![packet.lost(missing)];
        };
        packet.branch.basis.assume(format!("site:{}", site.name));
        if let Some(ended) = self.reaches(&mut packet, declared, &site.name) {
            return ended;
        }
        let sources = packet.sources();
        let first = FirstPacket { sources: &sources, to: &packet.to, proto: self.proto, port: packet.port };
        let parts = match declared.filter.as_deref() {
            _ if !declared.firewall.is_empty() => {
                let all_deny = declared.firewall.iter().all(|f| f.action == FilterAction::Deny);
                let otherwise = if all_deny { Declared::Allow(None) } else { Declared::Deny(None) };
                decide(&declared.firewall, &first, otherwise)
            }
            Some("none") => vec![(sources.clone(), Declared::Allow(None))],
            _ => {
                packet.branch.basis.assume(format!("site:{}/unfiltered", site.name));
                vec![(sources.clone(), Declared::Allow(None))]
            }
        };
        let several = parts.len() > 1;
        let mut out = Vec::new();
        for (part, what) in parts {
            let mut packet = packet.clone();
            if !packet.is_askers() && several {
                packet.choose("snat", part.to_string());
            }
            if packet.is_askers() {
                packet.branch.sources = part;
            }
            packet.filtered(site_outcome(&site.name, what));
            if !packet.is_hypothetical() {
                // R156: what goes on to the Internet by the site is delivered there, and seen from there.
                if packet.branch.delivery != Delivery::Internet {
                    packet.branch.delivery = Delivery::Site(site.name.to_string());
                }
                packet.step(
                    StepKind::Site,
                    site.name.to_string(),
                    StepDecision::Deliver,
                    format!("delivered at site {}", site.name),
                    Vec::new(),
                    &["R146"],
                );
            }
            let start = self.site_return(ix, declared, &packet.sources());
            out.extend(self.reply(packet, start));
        }
        out
    }

    /// Whether the site has the destination. `Some`: the walk ends here.
    fn reaches(
        &self,
        packet: &mut Packet,
        declared: &pullproof_snapshot::declared::Site,
        name: &str,
    ) -> Option<Vec<Branch>> {
        let prefixes: Vec<String> = declared.prefixes.iter().filter(|p| *p != "0.0.0.0/0").cloned().collect();
        let inside = parse(&prefixes);
        let address = super::appliance::only_address(&packet.to);
        if address.is_some_and(|a| inside.contains(a)) {
            return None;
        }
        let public = address.is_none_or(is_public);
        if !public {
            let missing = declare(
                format!("whether {} is at site {name}", address.map(|a| a.to_string()).unwrap_or_default()),
                "the site's prefixes do not hold it",
                "add its prefix to the site's `prefixes`",
            );
            return Some(vec![packet.clone().lost(missing)]);
        }
        // R156: out to the Internet by the site.
        match declared.internet_egress {
            Some(true) => {
                packet.branch.seen_as =
                    Some(SeenAs::Unknown(format!("the public addresses that site {name} leaves by")));
                if !packet.is_hypothetical() {
                    packet.branch.delivery = Delivery::Internet;
                }
                None
            }
            Some(false) => {
                let blocker = Blocker {
                    kind: BlockerKind::NoEgress,
                    message: format!("site {name} does not let the traffic out to the Internet"),
                    remedy: "route the public addresses out of Azure directly, or let the site carry them"
                        .into(),
                    facts: vec!["R156"],
                    evidence: Vec::new(),
                };
                Some(self.fail(packet.clone(), blocker))
            }
            None => {
                let missing = declare(
                    format!("whether site {name} carries traffic on to the Internet"),
                    "the default route leads there, and `internet_egress` is not declared (R156)",
                    format!("add internet_egress to [[site]] {name}"),
                );
                Some(vec![packet.clone().lost(missing)])
            }
        }
    }

    /// Where the reply enters Azure: by the site's connection, for what it routes back (R143–R146, R159).
    fn site_return(
        &self,
        ix: SiteIx,
        declared: &pullproof_snapshot::declared::Site,
        to: &Addresses,
    ) -> Start {
        let network = self.prover.network;
        let site = &network.sites[ix];
        let name = &site.name;
        let whole = |outcome: Outcome| Start::Parts(vec![one(to.clone(), outcome, name)], Vec::new());
        if declared.routes_to_azure.is_empty() {
            return whole(Outcome::open(declare(
                format!("the routes of site {name} back to {to}"),
                "they are not in Azure (R145, R146)",
                format!("add routes_to_azure to [[site]] {name}"),
            )));
        }
        let back = parse(&declared.routes_to_azure);
        let lost = to.subtract(&back);
        let mut cells = Vec::new();
        if !lost.is_empty() {
            let blocker = Blocker {
                kind: BlockerKind::SiteNoReturnRoute,
                message: format!("site {name} has no route back to {lost}"),
                remedy: format!("announce {lost} to the site, or add a route there"),
                facts: vec!["R145", "R146"],
                evidence: self.announcing(ix),
            };
            cells.push(one(lost, Outcome::fails(blocker), name));
        }
        let routed = to.intersect(&back);
        if routed.is_empty() {
            return Start::Parts(cells, Vec::new());
        }
        match self.return_gateway(ix) {
            Ok(subnet) => Start::Parts(cells, vec![(routed, Place::Subnet(subnet))]),
            Err(outcome) => {
                cells.push(one(routed, outcome, name));
                Start::Parts(cells, Vec::new())
            }
        }
    }

    /// The gateway's subnet at which the site's replies come in.
    fn return_gateway(&self, ix: SiteIx) -> Result<SubnetIx, Outcome> {
        let network = self.prover.network;
        let site = &network.sites[ix];
        let connections: Vec<ConnectionIx> = match site.preferred {
            Some(preferred) => vec![preferred],
            None => site.connections.clone(),
        };
        let mut subnets: Vec<SubnetIx> = Vec::new();
        for c in &connections {
            let gateway = network.connections[*c].gateway.present().and_then(Ref::here);
            if let Some(missing) = gateway.and_then(|g| self.prover.gateway_subnet_tripwire(g)) {
                return Err(Outcome::open(missing));
            }
            let subnet = gateway.and_then(|g| {
                network.gateways[g].ip_configs.iter().find_map(|i| i.subnet.present().and_then(Ref::here))
            });
            match subnet {
                Some(subnet) if !subnets.contains(&subnet) => subnets.push(subnet),
                Some(_) => {}
                None => {
                    return Err(Outcome::open(evidence(
                        format!("the gateway of connection {}", network.connections[*c].id.name()),
                        "it was not read",
                        "add the gateway and its subnet to the input",
                    )));
                }
            }
        }
        if let Some(preferred) = site.preferred {
            let up = self.connection_up(preferred);
            if !up.holds() {
                return Err(up);
            }
        }
        match subnets.as_slice() {
            [subnet] => Ok(*subnet),
            [] => Err(Outcome::open(declare(
                format!("the connection by which site {} replies", site.name),
                "no connection of it was read",
                "add `connections` to the [[site]]",
            ))),
            _ => Err(Outcome::open(declare(
                format!("the connection by which site {} replies", site.name),
                "it has several, at different gateways",
                "add `preferred` to the [[site]]",
            ))),
        }
    }

    /// What keeps a node network from being announced, for evidence: the transit flags of its link to the gateway's
    /// network (R120).
    fn announcing(&self, ix: SiteIx) -> Vec<pullproof_snapshot::At> {
        use pullproof_network::model::vnet::peering;
        let network = self.prover.network;
        let here = network.subnets[self.from.subnet].vnet;
        let homes = network.sites[ix]
            .connections
            .iter()
            .filter_map(|c| network.connections[*c].gateway.present().and_then(Ref::here))
            .filter_map(|g| self.prover.gateway_vnet(g));
        let links = homes.filter_map(|home| {
            network.peerings_of(here).iter().find(|l| self.prover.remote_vnet(**l) == Some(home))
        });
        links.map(|l| network.peerings[*l].place.at(peering::USE_REMOTE_GATEWAYS)).collect()
    }
}

fn one(to: Addresses, outcome: Outcome, site: &str) -> Cell {
    let replied =
        step(StepKind::Site, site, StepDecision::Answer, "replies by its own routes", Vec::new(), &["R145"]);
    Cell { to, outcome, steps: vec![replied], basis: Basis::default() }
}

fn site_outcome(name: &str, what: Declared) -> Outcome {
    match what {
        Declared::Allow(_) => Outcome::Holds,
        Declared::Deny(n) => Outcome::fails(Blocker {
            kind: BlockerKind::SiteFirewallDenies,
            message: match n {
                Some(n) => format!(
                    "the firewall of site {name} denies the flow, by entry {} of its declaration",
                    n.saturating_add(1)
                ),
                None => format!("no entry of the declared firewall of site {name} allows the flow"),
            },
            remedy: "let the site's firewall allow the flow, and declare it".into(),
            facts: vec!["R146"],
            evidence: Vec::new(),
        }),
        Declared::Open(n) => Outcome::open(evidence(
            "the public address of the destination",
            format!(
                "entry {} of the firewall of site {name} covers part of public space",
                n.saturating_add(1)
            ),
            "declare [[public_name]] with the host's addresses",
        )),
    }
}

impl crate::prover::Prover<'_> {
    /// The declared site that has an address, where exactly one does.
    pub(crate) fn site_with(&self, address: IpAddr) -> Option<SiteIx> {
        let mut found = self.network.sites.iter().filter(|(_, site)| {
            let declared = self.network.declared.sites.get(site.table);
            declared.is_some_and(|d| {
                let prefixes: Vec<String> =
                    d.prefixes.iter().filter(|p| *p != "0.0.0.0/0").cloned().collect();
                parse(&prefixes).contains(address)
            })
        });
        match (found.next(), found.next()) {
            (Some((ix, _)), None) => Some(ix),
            _ => None,
        }
    }
}
