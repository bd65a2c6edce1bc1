//! The most likely reason why a subnet has no route to an address: which element to change (R235–R240).

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_network::Val;
use pullproof_network::model::gateway::{GatewayType, gateway};
use pullproof_network::model::index::{GatewayIx, PeeringIx, SubnetIx, VnetIx};
use pullproof_network::model::vnet::peering;

use super::gateway::GatewayRoutes;
use super::peering::Link;
use super::route::{Route, RouteSource};
use super::user::Propagation;
use crate::BlockerKind;
use crate::missing::contested;
use crate::outcome::{Blocker, Missing};
use crate::prover::Prover;

/// R51: a user route with next hop VnetLocal for an address outside the network.
pub(crate) fn leads_nowhere_known(prefix: IpNet, to: IpAddr) -> Missing {
    contested(
        "RU3",
        format!("where route {prefix} with next hop VnetLocal sends {to}, which is not in the network"),
        "remove the route, or give it the next hop that is meant",
    )
}

impl Prover<'_> {
    /// Why a packet from `subnet` to `address` ends at `route`, a drop or the Internet edge.
    pub(crate) fn why_no_route(&self, subnet: SubnetIx, address: IpAddr, route: Option<&Route>) -> Blocker {
        if let Some(route) = route.filter(|r| r.source == RouteSource::User) {
            let name = route.name.as_deref().unwrap_or_default();
            let table = route.table.map_or("", |t| self.network.route_tables[t].id.name());
            return Blocker {
                kind: BlockerKind::UserRouteDrops,
                message: format!("route {name} ({}) of {table} drops packets for {address}", route.prefix),
                remedy: "remove the route, or give it a next hop that leads there".into(),
                facts: vec!["R50", "R60"],
                evidence: route.by.clone(),
            };
        }
        let vnet = self.network.subnets[subnet].vnet;
        let mut blocker = self
            .network_reason(vnet, address)
            .or_else(|| self.gateway_reason(subnet, address))
            .unwrap_or_else(|| self.no_route(subnet, address));
        if let Some(route) = route {
            blocker.evidence.extend(route.by.iter().copied());
            blocker.facts.extend(route.facts);
        }
        blocker
    }

    fn no_route(&self, subnet: SubnetIx, address: IpAddr) -> Blocker {
        Blocker {
            kind: BlockerKind::NoRoute,
            message: format!(
                "subnet {} has no route to {address}: the packets are dropped",
                self.network.subnets[subnet].name
            ),
            remedy: "peer the networks, or add a route".into(),
            facts: vec!["R15", "R21"],
            evidence: vec![self.route_table_at(subnet)],
        }
    }

    /// The networks that have the address: those where something holds it, else those whose space covers it.
    fn homes(&self, vnet: VnetIx, address: IpAddr) -> Vec<VnetIx> {
        let mut homes: Vec<VnetIx> = self.network.owners_of(address).iter().filter_map(|o| o.vnet).collect();
        if homes.is_empty() {
            let all = self.network.vnets.iter();
            homes = all
                .filter(|(_, v)| v.address_space.iter().any(|p| p.contains(&address)))
                .map(|(ix, _)| ix)
                .collect();
        }
        homes.retain(|home| *home != vnet);
        homes.sort_unstable();
        homes.dedup();
        homes
    }

    /// A link that would lead to a network with the address and does not work.
    pub(crate) fn broken_link_to(&self, vnet: VnetIx, address: IpAddr) -> Option<Blocker> {
        self.homes(vnet, address).into_iter().find_map(|home| {
            self.network.peerings_of(vnet).iter().find_map(|link| match self.link(*link) {
                Link::Unusable(blocker) if self.remote_vnet(*link) == Some(home) => Some(blocker),
                Link::Usable | Link::Unusable(_) | Link::Unknown(_) => None,
            })
        })
    }

    fn network_reason(&self, vnet: VnetIx, address: IpAddr) -> Option<Blocker> {
        if let Some(broken) = self.broken_link_to(vnet, address) {
            return Some(broken);
        }
        let homes = self.homes(vnet, address);
        homes
            .iter()
            .find_map(|home| self.lagging_link(vnet, *home, address))
            .or_else(|| homes.iter().find_map(|home| self.one_way(vnet, *home)))
            .or_else(|| homes.first().map(|home| self.not_peered(vnet, *home, address)))
    }

    /// R107, R239: peered, and the prefix was never synced.
    fn lagging_link(&self, vnet: VnetIx, home: VnetIx, address: IpAddr) -> Option<Blocker> {
        let link = *self.network.peerings_of(vnet).iter().find(|l| self.remote_vnet(**l) == Some(home))?;
        let model = &self.network.peerings[link];
        let subnets = model.peer_complete_vnets.present() == Some(&false);
        let name = self.link_name(model);
        Some(if subnets {
            Blocker {
                kind: BlockerKind::PeeringOneWay,
                message: format!("subnet peering {name} does not include the subnet of {address}"),
                remedy: "add the subnet to the remote subnet names of the peering".into(),
                facts: vec!["R122", "R124"],
                evidence: vec![
                    model.place.at(peering::REMOTE_SUBNET_NAMES),
                    model.place.at(peering::REMOTE_ADDRESS_SPACE),
                ],
            }
        } else {
            Blocker {
                kind: BlockerKind::PeeringNotSynced,
                message: format!(
                    "peering {name} does not route {address}: the address space of {} changed and was not synced",
                    self.network.vnets[home].id.name()
                ),
                remedy: "sync the peering".into(),
                facts: vec!["R107", "R239"],
                evidence: vec![
                    model.place.at(peering::REMOTE_ADDRESS_SPACE),
                    model.place.at(peering::SYNC_LEVEL),
                ],
            }
        })
    }

    /// Only the far side has a link.
    fn one_way(&self, vnet: VnetIx, home: VnetIx) -> Option<Blocker> {
        let back = *self.network.peerings_of(home).iter().find(|l| self.remote_vnet(**l) == Some(vnet))?;
        let link = &self.network.peerings[back];
        Some(Blocker {
            kind: BlockerKind::PeeringOneWay,
            message: format!(
                "only {} has a peering: {} has none back",
                self.network.vnets[home].id.name(),
                self.network.vnets[vnet].id.name()
            ),
            remedy: "create the missing half of the peering".into(),
            facts: vec!["R103", "R106"],
            evidence: vec![link.place.at(peering::STATE)],
        })
    }

    fn not_peered(&self, vnet: VnetIx, home: VnetIx, address: IpAddr) -> Blocker {
        let (here, there) = (&self.network.vnets[vnet], &self.network.vnets[home]);
        let hubs = !self.network.hub_connections_of(vnet).is_empty()
            && !self.network.hub_connections_of(home).is_empty();
        if hubs {
            return Blocker {
                kind: BlockerKind::HubNoRoute,
                message: format!(
                    "{} and {} are connected to Virtual WAN, and {} learns no route to {address} there",
                    here.id.name(),
                    there.id.name(),
                    here.id.name()
                ),
                remedy: "let the connection of the far network propagate to the table that the near one is associated with, and keep propagation on in the subnet's route table".into(),
                facts: vec!["R178", "R180", "R183"],
                evidence: self
                    .network
                    .hub_connections_of(vnet)
                    .iter()
                    .map(|c| self.network.hub_connections[*c].place.at("/properties/routingConfiguration"))
                    .collect(),
            };
        }
        let common = self.network.peerings_of(vnet).iter().find(|link| {
            let between = self.remote_vnet(**link);
            between.is_some_and(|b| {
                self.network.peerings_of(b).iter().any(|l| self.remote_vnet(*l) == Some(home))
            })
        });
        match common {
            Some(link) => Blocker {
                kind: BlockerKind::NotTransitive,
                message: format!(
                    "{} and {} are both peered with {}, and peering is not transitive",
                    here.id.name(),
                    there.id.name(),
                    self.remote_name(*link)
                ),
                remedy: "peer the two networks, or route through an appliance or firewall in the hub on both sides".into(),
                facts: vec!["R105", "R39"],
                evidence: vec![self.network.peerings[*link].place.at(peering::REMOTE)],
            },
            None => Blocker {
                kind: BlockerKind::NoRoute,
                message: format!("{} is not peered with {}, where {address} is", here.id.name(), there.id.name()),
                remedy: "peer the two networks".into(),
                facts: vec!["R27", "R34"],
                evidence: vec![here.place.at("/properties/virtualNetworkPeerings")],
            },
        }
    }

    /// A gateway that does have a route there, and what keeps it from the subnet (R72, R118–R120, R147).
    fn gateway_reason(&self, subnet: SubnetIx, address: IpAddr) -> Option<Blocker> {
        let vnet = self.network.subnets[subnet].vnet;
        let (ours, _) = self.gateways_of(vnet);
        let all: Vec<GatewayIx> = self.network.gateways.iter().map(|(ix, _)| ix).collect();
        let leads = |ix: &GatewayIx| {
            let mut routes = GatewayRoutes::default();
            self.routes_of_gateway(*ix, &mut routes);
            routes.routes.iter().any(|r| r.prefix.contains(&address))
        };
        let leading: Vec<GatewayIx> = all.into_iter().filter(leads).collect();
        if let Some(gateway) = leading.iter().find(|g| ours.iter().any(|o| o.gateway == **g))
            && let Propagation::Off(table) = self.user_routes(subnet).propagation
        {
            return Some(Blocker {
                kind: BlockerKind::PropagationDisabled,
                message: format!(
                    "route table {} keeps out gateway routes, and gateway {} has the one to {address}",
                    self.network.route_tables[table].id.name(),
                    self.network.gateways[*gateway].id.name()
                ),
                remedy: "set disableBgpRoutePropagation=false, or add a user route with next hop VirtualNetworkGateway (VPN only)".into(),
                facts: vec!["R72", "R73"],
                evidence: vec![self.propagation_at(table)],
            });
        }
        leading.iter().find_map(|g| self.missing_transit(vnet, *g, address))
    }

    fn missing_transit(&self, vnet: VnetIx, ix: GatewayIx, address: IpAddr) -> Option<Blocker> {
        let home = self.gateway_vnet(ix)?;
        let name = self.network.gateways[ix].id.name();
        let link: Option<PeeringIx> =
            self.network.peerings_of(vnet).iter().copied().find(|l| self.remote_vnet(*l) == Some(home));
        let Some(link) = link else {
            return Some(Blocker {
                kind: BlockerKind::NotTransitive,
                message: format!(
                    "gateway {name} has the route to {address}, and {} is not peered with its network {}",
                    self.network.vnets[vnet].id.name(),
                    self.network.vnets[home].id.name()
                ),
                remedy: "peer the networks with gateway transit".into(),
                facts: vec!["R118", "R147"],
                evidence: vec![self.network.vnets[vnet].place.at("/properties/virtualNetworkPeerings")],
            });
        };
        if let Link::Unusable(blocker) = self.link(link) {
            return Some(blocker);
        }
        let model = &self.network.peerings[link];
        let uses = model.use_remote_gateways.present() == Some(&true);
        let sku = &self.network.gateways[ix].sku;
        let basic = sku.present().is_some_and(|s| s.eq_ignore_ascii_case("Basic"))
            && self.network.gateways[ix].gateway_type.present() == Some(&GatewayType::Vpn);
        let (message, remedy, evidence) = if !uses && !matches!(model.use_remote_gateways, Val::Sym(_)) {
            (
                format!(
                    "peering {} does not use the remote gateway {name} (useRemoteGateways), which has the route to {address}",
                    self.link_name(model)
                ),
                "set useRemoteGateways=true on it, and allowGatewayTransit=true on the other half",
                vec![model.place.at(peering::USE_REMOTE_GATEWAYS)],
            )
        } else if basic {
            (
                format!(
                    "gateway {name} is Basic: it is not available over peerings, and it has the route to {address}"
                ),
                "use another gateway SKU",
                vec![self.network.gateways[ix].place.at(gateway::SKU)],
            )
        } else {
            (
                format!(
                    "the other half of peering {} does not let its gateway {name} be used (allowGatewayTransit)",
                    self.link_name(model)
                ),
                "set allowGatewayTransit=true on the gateway's side",
                self.transit_flag(link).into_iter().collect(),
            )
        };
        Some(Blocker {
            kind: BlockerKind::NoGatewayTransit,
            message,
            remedy: remedy.into(),
            facts: vec!["R118", "R119", "R120"],
            evidence,
        })
    }
}
