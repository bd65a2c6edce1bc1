//! The answers to `next-hop` and `effective-routes`.

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::{EffectiveRoute, EffectiveRoutesAnswer, Missing, NextHopAnswer};

use crate::device::{self, Device, Located};
use crate::egress::{Egress, IMPLICIT, Sender, egress};
use crate::endpoint_state::approved;
use crate::gateway;
use crate::index::OwnerKind;
use crate::missing;
use crate::next_hop::{Choice, choose, is_active};
use crate::peering::{is_global, links};
use crate::plain::Plain;
use crate::routes::{Hop, Origin, Route, Via, effective};
use crate::tags;
use crate::tri::Tri;
use crate::vnet::{Subnet, vnet};

/// Every row, one a prefix; rows of one service endpoint's tag together (R228).
pub fn effective_routes(plain: &Plain, subnet: &Subnet) -> EffectiveRoutesAnswer {
    let table = effective(plain, subnet);
    let mut routes: Vec<EffectiveRoute> = Vec::new();
    for route in &table.routes {
        let hop = shown(plain, subnet, route);
        let row = EffectiveRoute {
            prefixes: vec![route.prefix.to_string()],
            next_hop_type: hop.name().to_owned(),
            next_hop_ip: route.address.iter().map(ToString::to_string).collect(),
            source: route.origin.name().to_owned(),
            state: if is_active(plain, &table, route) { "Active" } else { "Invalid" }.to_owned(),
            name: route.name.clone(),
        };
        if routes.contains(&row) {
            continue; // a prefix of two links is one row here
        }
        let twin = routes.iter_mut().find(|r| {
            route.hop == Hop::ServiceEndpoint && r.next_hop_type == row.next_hop_type && r.state == row.state
        });
        match twin {
            Some(twin) if !twin.prefixes.iter().any(|p| row.prefixes.contains(p)) => {
                twin.prefixes.extend(row.prefixes);
            }
            Some(_) => {}
            None => routes.push(row),
        }
    }
    let mut open: Vec<Missing> = table.open.iter().map(|o| o.missing.clone()).collect();
    open.sort();
    open.dedup();
    EffectiveRoutesAnswer { routes, open }
}

/// Azure shows an appliance that is neither in the network nor in a peer as next hop None (R38, R41).
fn shown(plain: &Plain, subnet: &Subnet, route: &Route) -> Hop {
    match (route.hop, route.address) {
        (Hop::Appliance, Some(address)) if unusable(plain, &subnet.vnet, address) => Hop::None,
        (hop, _) => hop,
    }
}

/// The address cannot be a next hop: out of reach, or a private endpoint's.
fn unusable(plain: &Plain, from: &ArmId, address: IpAddr) -> bool {
    let network = match device::locate(plain, from, address) {
        Located::Nowhere => return true,
        Located::Vnet(id) => id,
        Located::Peer(link) => link.to,
        Located::Hub(_) | Located::Unknown(_) => return false,
    };
    plain.index().owners_in(&network, address).iter().any(|o| o.kind == OwnerKind::PrivateEndpoint)
}

/// Where the packet goes first, and whether it gets any further.
pub fn next_hop(plain: &Plain, subnet: &Subnet, sender: &Sender, to: IpAddr) -> NextHopAnswer {
    match choose(plain, subnet, to, None) {
        Choice::Platform => NextHopAnswer {
            // The network's own: Azure has no word for the host (R232).
            next_hop_type: "VnetLocal".into(),
            source: Some("Default".into()),
            prefix: Some(IpNet::from(to).to_string()),
            delivered: Some(true),
            ..NextHopAnswer::default()
        },
        Choice::NoRoute => {
            NextHopAnswer { next_hop_type: "None".into(), delivered: Some(false), ..NextHopAnswer::default() }
        }
        Choice::Contested(_, missing) => unknown(vec![missing]),
        Choice::Unknown(missing) => unknown(missing),
        Choice::Route(route) => {
            let (delivered, missing) = match goes_on(plain, subnet, sender, &route, to) {
                Tri::Yes => (Some(true), Vec::new()),
                Tri::No => (Some(false), Vec::new()),
                Tri::Unknown(missing) => (None, missing),
            };
            NextHopAnswer {
                next_hop_type: shown(plain, subnet, &route).name().to_owned(),
                next_hop_ip: route.address.map(|a| a.to_string()),
                source: Some(route.origin.name().to_owned()),
                prefix: Some(route.prefix.to_string()),
                route: route.name.clone(),
                route_table: route.table.as_ref().map(|t| t.as_written().to_owned()),
                delivered,
                missing,
            }
        }
    }
}

fn unknown(missing: Vec<Missing>) -> NextHopAnswer {
    NextHopAnswer { next_hop_type: "unknown".into(), missing, ..NextHopAnswer::default() }
}

fn goes_on(plain: &Plain, subnet: &Subnet, sender: &Sender, route: &Route, to: IpAddr) -> Tri {
    match route.hop {
        Hop::None => Tri::No, // R21
        Hop::ServiceEndpoint | Hop::ConnectedGroup => Tri::Yes,
        Hop::InterfaceEndpoint => match &route.via {
            Via::Endpoint(id) => approved(plain, id), // R88
            _ => Tri::Yes,
        },
        Hop::VnetLocal => local(plain, subnet, route, to),
        Hop::VnetPeering | Hop::VnetGlobalPeering => global_balancer(plain, subnet, route, to),
        Hop::Internet if !tags::is_public(to) => Tri::No,
        Hop::Internet => match egress(plain, subnet, sender, to, None) {
            // The subnet still has default outbound access; that AKS does not support it is no matter of the hop.
            Egress { finding: Some(IMPLICIT), .. } => Tri::Yes,
            other => other.leaves,
        },
        Hop::Appliance => appliance(plain, subnet, route),
        Hop::Gateway => through_gateway(plain, subnet, route),
    }
}

/// R51: a user route VnetLocal for a prefix outside the network; whether it goes anywhere is open (RU3).
pub fn local(plain: &Plain, subnet: &Subnet, route: &Route, to: IpAddr) -> Tri {
    let inside = effective(plain, subnet).space.iter().any(|p| p.contains(&to));
    if route.origin != Origin::User || inside {
        return Tri::Yes;
    }
    Tri::unknown(missing::contested(
        "R51, RU3",
        format!("where {} leads", route.prefix),
        "a user route with next hop VnetLocal outside the network",
    ))
}

/// R111: a Basic internal load balancer is not reachable over global peering.
fn global_balancer(plain: &Plain, subnet: &Subnet, route: &Route, to: IpAddr) -> Tri {
    let Via::Peering(id) = &route.via else { return Tri::Yes };
    let all = vnet(plain, &subnet.vnet).and_then(|v| links(plain, &v).ok()).unwrap_or_default();
    let Some(link) = all.into_iter().find(|l| l.id == *id) else { return Tri::Yes };
    if !is_global(plain, &link) {
        return Tri::Yes;
    }
    let owners = plain.index().owners_in(&link.to, to);
    let basic =
        owners.iter().any(|o| matches!(o.kind, OwnerKind::LoadBalancer(_)) && device::is_basic(plain, o));
    (!basic).into()
}

fn appliance(plain: &Plain, subnet: &Subnet, route: &Route) -> Tri {
    let Some(address) = route.address else { return Tri::No };
    let network = match device::locate(plain, &subnet.vnet, address) {
        Located::Nowhere => return Tri::No, // R41
        Located::Unknown(missing) => return Tri::unknown(missing),
        Located::Hub(hub) => {
            let owners = plain.index().owners.get(&address).map(Vec::as_slice).unwrap_or_default();
            return match owners.iter().any(|o| o.home == crate::index::Home::Hub(hub.clone())) {
                true => Tri::Yes,
                false => {
                    Tri::unknown(missing::not_modelled(format!("{address} in {hub}"), "no firewall (R40)"))
                }
            };
        }
        Located::Vnet(id) => id,
        Located::Peer(link) => link.to,
    };
    match device::at(plain, &network, address) {
        Device::Nothing => Tri::No, // R42
        Device::Unknown(missing) => Tri::unknown(missing),
        _ => Tri::Yes,
    }
}

/// R47–R49, R132: a VPN gateway must be there, and a connection that is up.
fn through_gateway(plain: &Plain, subnet: &Subnet, route: &Route) -> Tri {
    match (&route.via, route.origin) {
        (_, Origin::User) => match user_gateway(plain, subnet) {
            Ok(found) => found.is_some().into(),
            Err(missing) => Tri::unknown(missing),
        },
        (Via::Connections { connections, .. }, _) if !connections.is_empty() => {
            let all = plain.layered.of_type("Microsoft.Network/connections");
            let ups = all.into_iter().filter(|ix| connections.contains(plain.layered.id(*ix))).map(|ix| {
                let id = plain.layered.id(ix).clone();
                gateway::Connection { json: plain.json(ix), id }.connected(plain)
            });
            ups.fold(Tri::No, Tri::or)
        }
        _ => Tri::Yes,
    }
}

/// The VPN gateway that a user route `VirtualNetworkGateway` names; `None` where there is none (R47–R49).
pub fn user_gateway(plain: &Plain, subnet: &Subnet) -> Result<Option<gateway::Gateway>, Missing> {
    let Some(network) = vnet(plain, &subnet.vnet) else { return Err(missing::resource(&subnet.vnet)) };
    let (gateways, open) = gateway::reachable(plain, &network);
    let Some(vpn) = gateways.iter().find(|g| !g.express_route) else {
        return open.into_iter().next().map_or(Ok(None), Err);
    };
    if gateways.iter().any(|g| g.express_route && g.vnet == vpn.vnet) {
        return Err(missing::not_modelled(
            format!("a user route to {} beside an ExpressRoute gateway", vpn.id.name()),
            "not supported (R47)",
        ));
    }
    Ok(Some(vpn.clone()))
}
