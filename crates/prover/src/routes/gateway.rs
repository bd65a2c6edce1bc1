//! Gateway-sourced routes of a network: its own gateways, and those of a peered network by gateway transit (R28,
//! R118–R121, R129–R136, R141, R153, R248–R250).

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use pullproof_network::model::gateway::{
    ConnectionType, GatewayType, TunnelStatus, connection, gateway, local_gateway,
};
use pullproof_network::model::index::{
    ConnectionIx, GatewayIx, HubIx, PeeringIx, Ref, SiteIx, SubnetIx, VnetIx,
};
use pullproof_network::model::vnet::{peering, vnet};
use pullproof_network::model::word::ProvisioningState;
use pullproof_network::set::Addresses;
use pullproof_network::{List, Val};
use pullproof_snapshot::{Absence, At};

use super::peering::{Link, OtherHalf};
use super::route::{Hop, OpenKind, OpenSource, Route, RouteSource, TagRank};
use super::user::Propagation;
use crate::missing::{Ends, evidence, not_modelled};
use crate::outcome::Missing;
use crate::prover::Prover;

/// What gateways contribute to every subnet of a network that lets gateway routes in.
#[derive(Clone, Debug, Default)]
pub struct GatewayRoutes {
    pub routes: Vec<Route>,
    pub open: Vec<OpenSource>,
}

/// Whether a network uses the gateways at the far end of one of its links (R118).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transit {
    No,
    Yes,
    Unknown(Missing),
}

/// A gateway that a network's routes can come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReachableGateway {
    pub gateway: GatewayIx,
    /// The link over which it is used; `None`: the network's own.
    pub over: Option<PeeringIx>,
}

impl Prover<'_> {
    /// The network that a gateway stands in.
    pub(crate) fn gateway_vnet(&self, ix: GatewayIx) -> Option<VnetIx> {
        let configs = self.network.gateways[ix].ip_configs.iter();
        configs.filter_map(|c| c.subnet.present()).find_map(|subnet| self.vnet_with(subnet))
    }

    /// What on a gateway's own subnet is not supported, so that nothing is proven of what passes the gateway (R157, F44).
    pub(crate) fn gateway_subnet_tripwire(&self, ix: GatewayIx) -> Option<Missing> {
        let gateway = &self.network.gateways[ix];
        let name = gateway.id.name();
        let here = gateway.ip_configs.iter().find_map(|c| c.subnet.present().and_then(Ref::here))?;
        let subnet = &self.network.subnets[here];
        if !subnet.name.eq_ignore_ascii_case("GatewaySubnet") {
            return Some(not_modelled(
                format!("gateway {name} in subnet {}", subnet.name),
                "a gateway's subnet has to be called GatewaySubnet (R157)",
            ));
        }
        if !subnet.nsg.is_absent() {
            return Some(not_modelled(
                format!("a network security group on the subnet of gateway {name}"),
                "it is not supported there, and what it does is not documented (F44, R157)",
            ));
        }
        let user = self.user_routes(here);
        if user.routes.iter().any(|route| route.prefix.prefix_len() == 0) {
            return Some(not_modelled(
                format!("a default route on the subnet of gateway {name}"),
                "it is not supported there (R157)",
            ));
        }
        match user.propagation {
            Propagation::On => None,
            Propagation::Off(table) => Some(
                evidence(
                    format!(
                        "whether gateway {name} works with route table {} on its subnet",
                        self.network.route_tables[table].id.name()
                    ),
                    "propagation must stay on there, or the gateway does not work (R157)",
                    "take disableBgpRoutePropagation off the route table of GatewaySubnet",
                )
                .holds_if("it works all the same")
                .breaks_if("it carries nothing"),
            ),
            Propagation::Unknown(missing) => Some(missing),
        }
    }

    /// R118, R121: both flags on a usable link.
    pub(crate) fn transit(&self, ix: PeeringIx) -> Transit {
        let link = &self.network.peerings[ix];
        match &link.use_remote_gateways {
            Val::Known(Some(true)) => {}
            Val::Known(Some(false) | None) => return Transit::No,
            Val::Sym(symbol) => {
                return Transit::Unknown(
                    self.unknown(*symbol, format!("useRemoteGateways of {}", self.link_name(link))),
                );
            }
        }
        match self.link(ix) {
            Link::Usable => {}
            Link::Unusable(_) => return Transit::No,
            Link::Unknown(missing) => return Transit::Unknown(missing),
        }
        let OtherHalf::Here(back) = self.other_half(ix) else { return Transit::Yes };
        match &self.network.peerings[back].allow_gateway_transit {
            Val::Known(Some(true)) => Transit::Yes,
            Val::Known(Some(false) | None) => Transit::No,
            Val::Sym(symbol) => {
                let half = self.link_name(&self.network.peerings[back]);
                Transit::Unknown(self.unknown(*symbol, format!("allowGatewayTransit of {half}")))
            }
        }
    }

    /// The gateways that `vnet` gets routes from, and what may hold more of them.
    pub(crate) fn gateways_of(&self, vnet: VnetIx) -> (Vec<ReachableGateway>, Vec<OpenSource>) {
        let mut out = Vec::new();
        let mut open = Vec::new();
        self.gateways_in(vnet, None, &mut out, &mut open);
        for link in self.network.vnets[vnet].peerings.iter().copied() {
            match self.transit(link) {
                Transit::No => {}
                Transit::Unknown(missing) => {
                    open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
                }
                Transit::Yes => match &self.network.peerings[link].remote {
                    Val::Known(Some(Ref::Here(remote))) => {
                        self.gateways_in(*remote, Some(link), &mut out, &mut open);
                    }
                    // The managed network of a Virtual WAN hub: what it gives is in the hub's tables.
                    Val::Known(Some(Ref::NotRead(id)))
                        if id.name().starts_with("HV_") && !self.hub_connections_of(vnet).is_empty() => {}
                    Val::Known(Some(Ref::NotRead(id))) => {
                        let missing = self.not_read(id, format!("the gateways of {}", id.name()));
                        open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
                    }
                    Val::Known(None) | Val::Sym(_) => {}
                },
            }
        }
        (out, open)
    }

    fn gateways_in(
        &self,
        vnet: VnetIx,
        over: Option<PeeringIx>,
        out: &mut Vec<ReachableGateway>,
        open: &mut Vec<OpenSource>,
    ) {
        let mut any = false;
        for (ix, gateway) in self.network.gateways.iter() {
            if self.gateway_vnet(ix) != Some(vnet) {
                continue;
            }
            any = true;
            let basic = gateway.sku.present().is_some_and(|s| s.eq_ignore_ascii_case("Basic"));
            let vpn = gateway.gateway_type.present() == Some(&GatewayType::Vpn);
            if over.is_some() && basic && vpn {
                continue; // R119
            }
            out.push(ReachableGateway { gateway: ix, over });
        }
        let id = &self.network.vnets[vnet].id;
        // A gateway whose network is not known may stand here.
        for (ix, gateway) in self.network.gateways.iter() {
            let elsewhere = |subnet: &Val<Option<Ref<SubnetIx>>>| match subnet {
                Val::Known(Some(Ref::NotRead(subnet))) => !subnet.is_within(id.folded()),
                Val::Known(Some(Ref::Here(_))) => true,
                Val::Known(None) | Val::Sym(_) => false,
            };
            if self.gateway_vnet(ix).is_some()
                || gateway.ip_configs.iter().any(|c| elsewhere(&c.subnet))
                || !self.may_have_subnet(vnet, "GatewaySubnet")
            {
                continue;
            }
            let missing = evidence(
                format!("the virtual network of gateway {}", gateway.id.name()),
                "its subnet is not in the input",
                "collect the gateway and its virtual network in full",
            );
            open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
        }
        if !any
            && self.may_have_subnet(vnet, "GatewaySubnet")
            && let Absence::NoEvidence(why) =
                self.network.layered.absence(id.folded(), "microsoft.network/virtualnetworkgateways")
        {
            let missing = evidence(
                format!("virtual network gateways of {}", id.name()),
                why,
                "let pullproof read virtualNetworkGateways and connections",
            )
            .holds_if("no gateway announces a prefix that covers the destination")
            .breaks_if("one does, and takes the traffic elsewhere");
            open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
        }
        self.route_servers_in(vnet, open);
    }

    /// Whether the network has, or may have, a subnet of that name (R157, R248).
    fn may_have_subnet(&self, vnet: VnetIx, name: &str) -> bool {
        let subnets: &List<_> = &self.network.vnets[vnet].subnets;
        subnets.open.is_some()
            || subnets.iter().any(|s| self.network.subnets[*s].name.eq_ignore_ascii_case(name))
    }

    /// R248–R250: what a Route Server programs comes from its neighbours, and is in no ARM resource.
    fn route_servers_in(&self, vnet: VnetIx, open: &mut Vec<OpenSource>) {
        // Whatever its kind says, a hub with an address in a network is one (R248). One whose addresses were not read
        // may be the one that the network has a subnet for.
        let has_subnet = self.may_have_subnet(vnet, "RouteServerSubnet");
        let here = |ix: HubIx| {
            let hub = &self.network.hubs[ix];
            let addresses = &hub.route_server_subnets;
            let unread = addresses.open.is_some() || (addresses.is_empty() && hub.virtual_wan.is_absent());
            addresses.iter().any(|subnet| self.vnet_with(subnet) == Some(vnet)) || (has_subnet && unread)
        };
        let servers: Vec<HubIx> = self.network.hubs.iter().map(|(ix, _)| ix).filter(|ix| here(*ix)).collect();
        for ix in &servers {
            let hub = &self.network.hubs[*ix];
            if hub.bgp_peers.is_empty()
                && !matches!(hub.allow_branch_to_branch, Val::Known(Some(true)) | Val::Sym(_))
            {
                continue;
            }
            let missing = not_modelled(
                format!("the routes that Route Server {} programs", hub.id.name()),
                "its BGP neighbours announce them; they are in no ARM resource (R250)",
            )
            .holds_if("no neighbour announces a prefix that covers the destination");
            open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
        }
        let id = &self.network.vnets[vnet].id;
        if servers.is_empty()
            && has_subnet
            && let Absence::NoEvidence(why) =
                self.network.layered.absence(id.folded(), "microsoft.network/virtualhubs")
        {
            let missing =
                evidence(format!("a Route Server in {}", id.name()), why, "let pullproof read virtualHubs");
            open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
        }
    }

    /// The VPN gateways that a user route to "the gateway" can mean (R47–R49): none where ExpressRoute is there too.
    pub(crate) fn vpn_gateways(&self, vnet: VnetIx) -> Result<Vec<ReachableGateway>, Missing> {
        let (gateways, open) = self.gateways_of(vnet);
        let kind = |g: &ReachableGateway| self.network.gateways[g.gateway].gateway_type.present();
        if gateways.iter().any(|g| kind(g) == Some(&GatewayType::ExpressRoute)) {
            return Ok(Vec::new());
        }
        let vpn: Vec<ReachableGateway> =
            gateways.into_iter().filter(|g| kind(g) == Some(&GatewayType::Vpn)).collect();
        match open.into_iter().next() {
            Some(source) if vpn.is_empty() => Err(source.missing),
            Some(_) | None => Ok(vpn),
        }
    }

    /// Gateway-sourced routes of every subnet of `vnet` (R133).
    pub(crate) fn gateway_routes(&self, vnet: VnetIx) -> GatewayRoutes {
        let (gateways, open) = self.gateways_of(vnet);
        let mut out = GatewayRoutes { routes: Vec::new(), open };
        for reachable in gateways {
            self.routes_of_gateway(reachable.gateway, &mut out);
        }
        // R67: of one prefix the one by ExpressRoute comes first; what is down carries none of them (R132).
        out.routes.sort_by_key(|route| match &route.hop {
            Hop::Gateway(gateway, through) => {
                let down = !through.is_empty() && through.iter().all(|c| self.is_down(*c));
                let kind = self.network.gateways[*gateway].gateway_type.present();
                (down, kind != Some(&GatewayType::ExpressRoute))
            }
            _ => (false, true),
        });
        out
    }

    /// R132: shown to carry nothing.
    fn is_down(&self, ix: ConnectionIx) -> bool {
        let c = &self.network.connections[ix];
        c.provisioning_state.present() == Some(&ProvisioningState::Failed)
            || matches!(c.status.present(), Some(TunnelStatus::NotConnected | TunnelStatus::Connecting))
    }

    /// What one gateway puts into the networks that use it; of one prefix, by all connections that carry it.
    pub(crate) fn routes_of_gateway(&self, ix: GatewayIx, out: &mut GatewayRoutes) {
        let mut all = GatewayRoutes::default();
        self.each_route_of_gateway(ix, &mut all);
        out.open.append(&mut all.open);
        let mut merged: Vec<Route> = Vec::new();
        for route in all.routes {
            let known = merged.iter_mut().find(|m| m.prefix == route.prefix);
            match (known, &route.hop) {
                (Some(known), Hop::Gateway(_, more)) => {
                    if let Hop::Gateway(_, through) = &mut known.hop {
                        through.extend(more.iter().copied());
                        through.sort_unstable();
                        through.dedup();
                    }
                    known.by.extend(route.by);
                    known.assumption = known.assumption.take().or(route.assumption);
                }
                (_, _) => merged.push(route),
            }
        }
        for route in &mut merged {
            if let Hop::Gateway(_, through) = &mut route.hop
                && through.iter().any(|c| !self.is_down(*c))
            {
                through.retain(|c| !self.is_down(*c));
            }
        }
        out.routes.append(&mut merged);
    }

    fn each_route_of_gateway(&self, ix: GatewayIx, out: &mut GatewayRoutes) {
        let gateway = &self.network.gateways[ix];
        let name = gateway.id.name();
        let connections = self.connections_of(ix);
        let mut bgp: Vec<ConnectionIx> = Vec::new();
        for c in connections {
            self.static_routes(ix, c, out);
            match self.runs_bgp(c) {
                Val::Known(true) => bgp.push(c),
                Val::Known(false) => {}
                Val::Sym(symbol) => {
                    let missing = self
                        .unknown(symbol, format!("enableBgp of {}", self.network.connections[c].id.name()));
                    out.open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
                }
            }
        }
        self.learned_routes(ix, &bgp, out);
        self.shared_circuits(ix, out);
        if let Val::Known(Some(Ref::Here(local))) = &gateway.default_site {
            let through: Vec<ConnectionIx> = self
                .connections_of(ix)
                .into_iter()
                .filter(|c| self.network.connections[*c].local_gateway.present() == Some(&Ref::Here(*local)))
                .collect();
            if let Some(prefix) = Addresses::all_v4().prefixes().first() {
                let by = vec![gateway.place.at(gateway::DEFAULT_SITE)];
                out.routes.push(learned(*prefix, ix, through, by, &["R153"], None));
            }
        } else if let Val::Sym(symbol) = &gateway.default_site {
            let missing = self.unknown(*symbol, format!("gatewayDefaultSite of {name}"));
            out.open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
        }
        if let Absence::NoEvidence(why) =
            self.network.layered.absence(gateway.id.folded(), "microsoft.network/connections")
        {
            let missing = evidence(
                format!("the connections of gateway {name}"),
                why,
                "let pullproof read connections and localNetworkGateways",
            );
            out.open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
        }
    }

    /// The connections of a gateway, on either end.
    pub(crate) fn connections_of(&self, ix: GatewayIx) -> Vec<ConnectionIx> {
        let wanted = Ref::Here(ix);
        self.network
            .connections
            .iter()
            .filter(|(_, c)| c.gateway.present() == Some(&wanted) || c.gateway2.present() == Some(&wanted))
            .filter(|(_, c)| c.connection_type.present() != Some(&ConnectionType::VpnClient))
            .map(|(c, _)| c)
            .collect()
    }

    /// R129–R131: ExpressRoute always, VPN where it is switched on.
    fn runs_bgp(&self, ix: ConnectionIx) -> Val<bool> {
        let c = &self.network.connections[ix];
        if c.connection_type.present() == Some(&ConnectionType::ExpressRoute) {
            return Val::Known(true);
        }
        c.enable_bgp.map(|flag| flag.unwrap_or(false))
    }

    /// The site that a connection is declared to lead to.
    pub(crate) fn site_of(&self, ix: ConnectionIx) -> Option<SiteIx> {
        self.network.sites.iter().find(|(_, s)| s.connections.contains(&ix)).map(|(site, _)| site)
    }

    /// R129: a local network gateway's prefixes, whether BGP runs or not; R110: the far network of a VNet-to-VNet
    /// connection.
    fn static_routes(&self, gateway: GatewayIx, ix: ConnectionIx, out: &mut GatewayRoutes) {
        let c = &self.network.connections[ix];
        match &c.local_gateway {
            Val::Known(Some(Ref::Here(local))) => {
                let local = &self.network.local_gateways[*local];
                for (i, prefix) in local.address_space.iter().enumerate() {
                    let by = vec![local.place.at(local_gateway::ADDRESS_SPACE).item(i)];
                    out.routes.push(learned(*prefix, gateway, vec![ix], by, &["R28", "R129"], None));
                }
                if let Some(symbol) = local.address_space.open {
                    let missing = self.unknown(symbol, format!("the address space of {}", local.id.name()));
                    out.open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
                }
            }
            Val::Known(Some(Ref::NotRead(id))) => {
                let missing = self.not_read(id, format!("local network gateway {}", id.name()));
                out.open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
            }
            Val::Known(None) => {}
            Val::Sym(symbol) => {
                let missing = self.unknown(*symbol, format!("the local network gateway of {}", c.id.name()));
                out.open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
            }
        }
        if c.connection_type.present() == Some(&ConnectionType::Vnet2Vnet) {
            self.far_network(gateway, ix, out);
        }
    }

    /// The gateway at the other end of a VNet-to-VNet connection.
    pub(crate) fn far_gateway(&self, near: GatewayIx, ix: ConnectionIx) -> Option<GatewayIx> {
        let c = &self.network.connections[ix];
        [&c.gateway, &c.gateway2]
            .into_iter()
            .filter_map(|g| g.present().and_then(Ref::here))
            .find(|g| *g != near)
    }

    fn far_network(&self, near: GatewayIx, ix: ConnectionIx, out: &mut GatewayRoutes) {
        let c = &self.network.connections[ix];
        let far = self.far_gateway(near, ix).and_then(|g| self.gateway_vnet(g));
        let Some(far) = far else {
            let missing = evidence(
                format!("the network behind connection {}", c.id.name()),
                "the gateway at its far end was not read",
                "add the far gateway and its network to the input",
            );
            out.open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
            return;
        };
        let far = &self.network.vnets[far];
        for (i, prefix) in far.address_space.iter().enumerate() {
            let by = vec![c.place.at(connection::GATEWAY2), far.place.at(vnet::ADDRESS_SPACE).item(i)];
            out.routes.push(learned(*prefix, near, vec![ix], by, &["R28", "R150"], None));
        }
    }

    /// BGP: what a declared site announces (exhaustive), else what was recorded, else not known (R130, R131, R146).
    fn learned_routes(&self, ix: GatewayIx, bgp: &[ConnectionIx], out: &mut GatewayRoutes) {
        if bgp.is_empty() {
            return;
        }
        let recorded = self.recorded_routes(ix);
        let mut undeclared = Vec::new();
        for c in bgp {
            match self.site_of(*c) {
                Some(site) => self.site_routes(ix, *c, site, out),
                None => undeclared.push(*c),
            }
        }
        let Some(first) = undeclared.first() else { return };
        match recorded {
            Some(recorded) => {
                let by = vec![self.network.gateways[ix].place.at(gateway::ENABLE_BGP)];
                for (prefix, peer) in recorded {
                    if self.blocked_by_platform(ix, prefix) {
                        continue;
                    }
                    let known: Vec<ConnectionIx> =
                        undeclared.iter().copied().filter(|c| self.has_bgp_peer(*c, peer)).collect();
                    let through = if known.is_empty() { undeclared.clone() } else { known };
                    out.routes.push(learned(prefix, ix, through, by.clone(), &["R130", "R131"], None));
                }
            }
            None => {
                let c = &self.network.connections[*first];
                let missing = evidence(
                    format!("the prefixes that gateway {} learns over {}", self.network.gateways[ix].id.name(), c.id.name()),
                    "BGP-learned routes are in no ARM resource (R130, R131)",
                    format!(
                        "record getLearnedRoutes of the gateway, or declare a [[site]] with connections = [\"{}\"] and its prefixes",
                        c.id.name()
                    ),
                )
                .holds_if("no learned prefix takes the destination elsewhere, and one leads there where none else does")
                .breaks_if("a learned prefix takes the destination elsewhere");
                out.open.push(OpenSource { kind: OpenKind::Gateway, within: None, missing });
            }
        }
    }

    fn site_routes(&self, gateway: GatewayIx, ix: ConnectionIx, site: SiteIx, out: &mut GatewayRoutes) {
        let site = &self.network.sites[site];
        let Some(declared) = self.network.declared.sites.get(site.table) else { return };
        let c = &self.network.connections[ix];
        for text in &declared.prefixes {
            let Ok(prefix) = IpNet::from_str(text) else { continue };
            if self.blocked_by_platform(gateway, prefix) {
                continue;
            }
            let by = vec![c.place.at(connection::ENABLE_BGP)];
            let assumption = Some(format!("site:{}", site.name));
            out.routes.push(learned(prefix, gateway, vec![ix], by, &["R130", "R131"], assumption));
        }
    }

    /// R134: a VPN gateway takes no prefix that is equal to, or more specific than, one of its network.
    fn blocked_by_platform(&self, ix: GatewayIx, prefix: IpNet) -> bool {
        self.network.gateways[ix].gateway_type.present() == Some(&GatewayType::Vpn)
            && self
                .gateway_vnet(ix)
                .is_some_and(|v| self.network.vnets[v].address_space.iter().any(|own| own.contains(&prefix)))
    }

    /// What `getLearnedRoutes` of the gateway was recorded to answer: prefix and neighbour, own routes left out.
    fn recorded_routes(&self, ix: GatewayIx) -> Option<Vec<(IpNet, Option<IpAddr>)>> {
        let id = self.network.gateways[ix].id.folded();
        let recorded = self.network.layered.evidence(id, "getLearnedRoutes");
        let rows = recorded.last()?.answer.get("value")?.as_array()?;
        let mut out = Vec::new();
        for row in rows {
            let text = |key: &str| row.get(key).and_then(serde_json::Value::as_str);
            if text("origin").is_some_and(|o| o.eq_ignore_ascii_case("Network")) {
                continue;
            }
            let Some(prefix) = text("network").and_then(|n| IpNet::from_str(n).ok()) else { continue };
            out.push((prefix, text("sourcePeer").and_then(|p| IpAddr::from_str(p).ok())));
        }
        Some(out)
    }

    fn has_bgp_peer(&self, ix: ConnectionIx, peer: Option<IpAddr>) -> bool {
        let Some(peer) = peer else { return false };
        let local = self.network.connections[ix].local_gateway.present().and_then(Ref::here);
        local
            .is_some_and(|l| self.network.local_gateways[l].bgp.peering_addresses.iter().any(|a| a.is(&peer)))
    }

    /// R151, RU11: networks on one circuit can reach each other over it.
    fn shared_circuits(&self, ix: GatewayIx, out: &mut GatewayRoutes) {
        for c in self.connections_of(ix) {
            let Some(circuit) = self.network.connections[c].circuit.present() else { continue };
            for (other, far) in self.network.connections.iter() {
                let far_gateway = far.gateway.present().and_then(Ref::here);
                if other == c || far.circuit.present() != Some(circuit) || far_gateway == Some(ix) {
                    continue;
                }
                let Some(vnet) = far_gateway.and_then(|g| self.gateway_vnet(g)) else { continue };
                let far_vnet = &self.network.vnets[vnet];
                let missing = not_modelled(
                    format!("routes to {} over the shared ExpressRoute circuit", far_vnet.id.name()),
                    "networks on one circuit may reach each other over it (R151, RU11)",
                );
                let within = Some(Addresses::of(far_vnet.address_space.items.iter().copied()));
                out.open.push(OpenSource { kind: OpenKind::Gateway, within, missing });
            }
        }
    }

    /// The flag of the far half that lets gateways through, where that half was read.
    pub(crate) fn transit_flag(&self, ix: PeeringIx) -> Option<At> {
        match self.other_half(ix) {
            OtherHalf::Here(back) => {
                Some(self.network.peerings[back].place.at(peering::ALLOW_GATEWAY_TRANSIT))
            }
            OtherHalf::NotRead | OtherHalf::Nowhere | OtherHalf::Unknown => None,
        }
    }
}

fn learned(
    prefix: IpNet,
    gateway: GatewayIx,
    through: Vec<ConnectionIx>,
    by: Vec<At>,
    facts: &'static [&'static str],
    assumption: Option<String>,
) -> Route {
    Route {
        prefix,
        hop: Hop::Gateway(gateway, through),
        source: RouteSource::VirtualNetworkGateway,
        rank: TagRank::Explicit,
        name: None,
        table: None,
        tag: None,
        by,
        facts,
        assumption,
    }
}
