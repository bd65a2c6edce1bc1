//! The way back: a lookup of its own from the destination's side (R2), through the same stateful devices (R164).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::Site;

use crate::crossed::{Crossed, Position};
use crate::device::{self, Device, Located};
use crate::gateway;
use crate::hub::{self, HubConnection, Target};
use crate::index::Home;
use crate::json::Node;
use crate::missing;
use crate::next_hop::{Choice, choose};
use crate::peering::links;
use crate::plain::Plain;
use crate::routes::{Hop, Origin, Route, Via};
use crate::site;
use crate::tri::Tri;
use crate::vnet::{Subnet, vnet};
use crate::walk::{Walk, crosses};

/// Where the packet ended, and the reply starts.
#[derive(Clone, Debug)]
pub enum Place {
    /// A private endpoint: no customer route is consulted (R86, R87).
    Endpoint {
        subnet: ArmId,
    },
    Machine {
        subnet: ArmId,
    },
    /// A firewall in a hub.
    Hub {
        hub: ArmId,
    },
    Site {
        name: String,
    },
    /// A public service or the Internet: the reply returns to the address that it was asked from (R215).
    Public,
    Platform,
}

/// Routing and filtering of the reply. Filters are stateful (F16, F133): what let the first packet pass lets its reply
/// pass, and a device that did not see it is a matter of routing.
pub fn reply(walk: &mut Walk<'_>, place: &Place) -> (Tri, Tri) {
    let crossed = walk.crossed.clone();
    let mut answer = Tri::Yes;
    // Each device that translated the source splits the way into legs: to it, and from it on.
    let last = crossed.iter().rposition(|c| c.source_nat);
    let behind = last.map_or(crossed.as_slice(), |i| crossed.get(i + 1..).unwrap_or_default());
    answer = answer.and(far_leg(walk, place, behind, last.and_then(|i| crossed.get(i))));
    let mut end = last;
    while let Some(i) = end {
        let before = crossed.get(..i).unwrap_or_default();
        let next = before.iter().rposition(|c| c.source_nat);
        let between = next.map_or(before, |n| before.get(n + 1..).unwrap_or_default());
        let Some(device) = crossed.get(i) else { break };
        let target = next.and_then(|n| crossed.get(n));
        answer = answer.and(leg(walk, device.at.clone(), between, target));
        end = next;
    }
    let filter = match &answer {
        // Nothing is said about a reply that does not come back (V4).
        Tri::No => Tri::unknown(missing::depends_on("the reply's way", "the reply does not come back")),
        _ => Tri::Yes,
    };
    (answer, filter)
}

/// From the destination to the last device that translated, or to the source.
fn far_leg(walk: &mut Walk<'_>, place: &Place, behind: &[Crossed], target: Option<&Crossed>) -> Tri {
    match place {
        Place::Public | Place::Platform => Tri::Yes,
        Place::Endpoint { subnet } => from_endpoint(walk, subnet, behind, target),
        Place::Machine { subnet } => leg(walk, Position::Subnet(subnet.clone()), behind, target),
        Place::Hub { hub } => leg(walk, Position::Hub(hub.clone()), behind, target),
        Place::Site { name } => {
            let site = walk.plain.declared.sites.iter().find(|s| s.name == *name);
            match site {
                Some(site) => from_site(walk, site, behind, target),
                None => Tri::unknown(missing::declare(format!("the site {name}"), "", "")),
            }
        }
    }
}

/// R255: without a device in between the platform returns the flow; with one that does not translate it is not known.
fn from_endpoint(walk: &mut Walk<'_>, endpoint: &ArmId, behind: &[Crossed], target: Option<&Crossed>) -> Tri {
    let plain = walk.plain;
    let client = match target.map_or(&walk.origin, |t| &t.at) {
        Position::Subnet(subnet) => subnet.parent(),
        Position::Hub(hub) => Some(hub.clone()),
    };
    let mut answer = Tri::Yes;
    for device in behind {
        if !device.azure_firewall && opted_in(plain, device) {
            continue; // R92
        }
        let home = match &device.at {
            Position::Subnet(subnet) => subnet.parent(),
            Position::Hub(hub) => Some(hub.clone()),
        };
        if home == client {
            walk.find("pe-no-snat-same-vnet");
        }
        answer = answer.and(Tri::unknown(missing::contested(
            "R255, RU8",
            format!(
                "return path of the private endpoint in {} through {} without SNAT",
                endpoint.name(),
                device.id
            ),
            "seen to work and seen to fail; not guaranteed",
        )));
    }
    answer
}

/// R92: the tag `disableSnatOnPL` = `true` on the NIC of the machine, its key in exactly this case. Every member needs it.
fn opted_in(plain: &Plain, device: &Crossed) -> bool {
    let tagged = |id: &ArmId| {
        let Ok((_, json)) = plain.read(id) else { return false };
        let tag = Node::new(&json, id).text("/tags/disableSnatOnPL").known();
        matches!(tag, Ok(Some(value)) if value.eq_ignore_ascii_case("true"))
    };
    !device.members.is_empty() && device.members.iter().all(tagged)
}

/// R145, R146: what the site routes back, over which connection, and what the gateway's network does with it.
fn from_site(walk: &mut Walk<'_>, site: &Site, behind: &[Crossed], target: Option<&Crossed>) -> Tri {
    let plain = walk.plain;
    let to = target.map_or(walk.origin_address, |t| t.address);
    let to = if target.is_some() { walk.flow.source } else { to };
    if site.routes_to_azure.is_empty() {
        return Tri::unknown(missing::declare(
            format!("the route to {to} on the side of {}", site.name),
            "the site's declaration has no routes_to_azure (R146)",
            "declare routes_to_azure",
        ));
    }
    if !site::routes_back(site, to) {
        walk.steps.deciding("site", &site.name, "drop", &walk.flow.clone(), None, &["R145", "R146"]);
        return Tri::No;
    }
    let wanted: Vec<&String> = match &site.preferred {
        Some(one) => vec![one],
        None => site.connections.iter().collect(),
    };
    let mut answer: Option<Tri> = None;
    for name in wanted {
        let entry = match gateway::entry(plain, name) {
            Ok(entry) => entry,
            Err(missing) => return Tri::unknown(missing),
        };
        let way = match entry {
            gateway::Entry::Gateway(subnet) => leg(walk, Position::Subnet(subnet), behind, target),
            gateway::Entry::Hub(hub) => leg(walk, Position::Hub(hub), behind, target),
        };
        // Any of them may carry the reply.
        answer = Some(answer.map_or(way.clone(), |a| a.and(way)));
    }
    answer.unwrap_or_else(|| {
        Tri::unknown(missing::declare(format!("the connections of {}", site.name), "it declares none", ""))
    })
}

/// From a network that nobody declared: `No` exactly when the reply is lost wherever it enters Azure (R160), whatever
/// that network does.
pub fn from_outside(walk: &mut Walk<'_>) -> Tri {
    let plain = walk.plain;
    let crossed = walk.crossed.clone();
    let last = crossed.iter().rposition(|c| c.source_nat);
    let behind = last.map_or(crossed.as_slice(), |i| crossed.get(i + 1..).unwrap_or_default());
    let target = last.and_then(|i| crossed.get(i));
    let entries = plain.index().subnets.values().filter(|s| s.is_named("GatewaySubnet"));
    let ways: Vec<Tri> = entries.map(|s| leg(walk, Position::Subnet(s.id.clone()), behind, target)).collect();
    let lost = !ways.is_empty() && ways.iter().all(|w| *w == Tri::No);
    if lost {
        Tri::No
    } else {
        Tri::unknown(missing::depends_on("the reply's way", "who sends it is not known"))
    }
}

/// One leg: from a position back to a device that translated (`target`), or to where the connection started; through
/// the devices of `between`, the last one first.
fn leg(walk: &mut Walk<'_>, start: Position, between: &[Crossed], target: Option<&Crossed>) -> Tri {
    let (to, home) = match target {
        Some(device) => (translated(walk, device), device.at.clone()),
        None => (walk.origin_address, walk.origin.clone()),
    };
    let mut expected: Vec<&Crossed> = between.iter().rev().collect();
    let mut at = start;
    for _ in 0..16 {
        match step(walk, &at, to, &home) {
            Step::On(next) => at = next,
            Step::End(answer) => return answer,
            Step::Arrived => {
                if expected.is_empty() {
                    return Tri::Yes;
                }
                // R160, R164, R125: a device that saw the request does not see the reply, and drops what follows.
                let missed: Vec<String> = expected.iter().map(|d| d.id.clone()).collect();
                note(walk, &missed.join(", "), "drop", &["R160", "R163", "R164"]);
                return Tri::No;
            }
            Step::Device { id, nic, declared, next } => {
                let Some(wanted) = expected.first().copied() else {
                    note(walk, &id, "drop", &["R163", "R164"]);
                    return if declared { Tri::No } else { stranger(walk.plain, nic.as_ref()) };
                };
                let same = wanted.id == id || nic.as_ref().is_some_and(|n| wanted.members.contains(n));
                if !same {
                    note(walk, &id, "drop", &["R163", "R164"]);
                    return Tri::No;
                }
                if wanted.id != id && wanted.members.len() > 1 {
                    return Tri::unknown(missing::contested(
                        "R166",
                        format!("which member of {} gets the reply", wanted.id),
                        "the two directions enter through different addresses of one pool",
                    ));
                }
                expected.remove(0);
                at = next.unwrap_or_else(|| wanted.at.clone());
            }
        }
    }
    note(walk, "", "drop", &["R175"]);
    Tri::No
}

/// The address under which a device that translated was seen.
fn translated(walk: &Walk<'_>, device: &Crossed) -> IpAddr {
    let last = walk.crossed.iter().rfind(|c| c.source_nat);
    if last == Some(device) { walk.flow.source } else { device.address }
}

fn note(walk: &mut Walk<'_>, device: &str, decision: &'static str, facts: &[&'static str]) {
    let flow = walk.flow.clone();
    walk.steps.deciding("route", device, decision, &flow, None, facts);
}

/// A stateful device that never saw the request drops the reply (R163); an appliance that nobody declared may be a
/// plain router, if its NIC forwards at all (R43, R44).
fn stranger(plain: &Plain, nic: Option<&ArmId>) -> Tri {
    match nic {
        Some(nic) if device::forwards(plain, nic) != Tri::No => Tri::unknown(missing::declare(
            format!("what the appliance {} does with replies that it saw no request for", nic.name()),
            "the return path leads through it, the forward path does not (R164)",
            "declare it: [[appliance]]",
        )),
        _ => Tri::No,
    }
}

enum Step {
    On(Position),
    Arrived,
    /// `declared`: its behaviour is, so that it is known to be stateful (CONTRACT §2).
    Device {
        id: String,
        nic: Option<ArmId>,
        declared: bool,
        next: Option<Position>,
    },
    End(Tri),
}

fn step(walk: &mut Walk<'_>, at: &Position, to: IpAddr, home: &Position) -> Step {
    let plain = walk.plain;
    match at {
        Position::Hub(hub) => in_hub(plain, hub, None, to, home),
        Position::Subnet(id) => match plain.index().subnets.get(id) {
            None => Step::End(Tri::unknown(missing::resource(id))),
            Some(subnet) => match choose(plain, subnet, to, None) {
                Choice::Platform => Step::End(Tri::Yes),
                Choice::NoRoute => end(walk, id, &["R21"]),
                Choice::Unknown(missing) => Step::End(Tri::Unknown(missing)),
                Choice::Contested(routes, missing) => {
                    // Equal steps stand.
                    let steps: Vec<Step> = routes.iter().map(|r| take(walk, subnet, r, to, home)).collect();
                    match steps.as_slice() {
                        [Step::Arrived, Step::Arrived] => Step::Arrived,
                        [Step::End(Tri::No), Step::End(Tri::No)] => Step::End(Tri::No),
                        _ => Step::End(Tri::unknown(missing)),
                    }
                }
                Choice::Route(route) => take(walk, subnet, &route, to, home),
            },
        },
    }
}

fn end(walk: &mut Walk<'_>, device: &ArmId, facts: &[&'static str]) -> Step {
    note(walk, device.as_written(), "drop", facts);
    Step::End(Tri::No)
}

fn arrived(network: &ArmId, home: &Position) -> Step {
    let wanted = match home {
        Position::Subnet(subnet) => subnet.parent(),
        Position::Hub(_) => None,
    };
    // Another network has the same address: the reply goes there.
    if wanted.as_ref() == Some(network) { Step::Arrived } else { Step::End(Tri::No) }
}

fn take(walk: &mut Walk<'_>, subnet: &Subnet, route: &Route, to: IpAddr, home: &Position) -> Step {
    let plain = walk.plain;
    match route.hop {
        Hop::VnetLocal => match crate::first_hop::local(plain, subnet, route, to) {
            Tri::Yes => arrived(&subnet.vnet, home),
            other => Step::End(other),
        },
        Hop::VnetPeering | Hop::VnetGlobalPeering => match &route.via {
            Via::Hub(hub) => match home {
                Position::Hub(wanted) if wanted == hub => Step::Arrived,
                _ => end(walk, hub, &["R182"]),
            },
            Via::Peering(id) => {
                let all = vnet(plain, &subnet.vnet).and_then(|v| links(plain, &v).ok()).unwrap_or_default();
                match all.into_iter().find(|l| l.id == *id) {
                    None => Step::End(Tri::unknown(missing::resource(id))),
                    Some(link) => match crosses(subnet, &link) {
                        Tri::Yes => arrived(&link.to, home),
                        Tri::No => end(walk, &link.id, &["R123"]),
                        unknown => Step::End(unknown),
                    },
                }
            }
            _ => end(walk, &subnet.id, &["R27"]),
        },
        Hop::ConnectedGroup => Step::End(Tri::unknown(missing::not_modelled("a connected group", "R31"))),
        Hop::InterfaceEndpoint | Hop::ServiceEndpoint | Hop::Internet | Hop::None => {
            end(walk, &subnet.id, &["R21", "R52"])
        }
        Hop::Appliance => appliance(walk, subnet, route),
        Hop::Gateway => through_gateway(walk, subnet, route, to, home),
    }
}

fn appliance(walk: &mut Walk<'_>, subnet: &Subnet, route: &Route) -> Step {
    let plain = walk.plain;
    let Some(address) = route.address else { return end(walk, &subnet.id, &["R36"]) };
    let network = match device::locate(plain, &subnet.vnet, address) {
        Located::Nowhere => return end(walk, &subnet.id, &["R38", "R41"]),
        Located::Unknown(missing) => return Step::End(Tri::unknown(missing)),
        Located::Hub(hub) => {
            let all = plain.index().owners.get(&address).map(Vec::as_slice).unwrap_or_default();
            return match all.iter().find(|o| o.home == Home::Hub(hub.clone())) {
                Some(owner) => {
                    let next = Some(Position::Hub(hub));
                    Step::Device { id: owner.id.as_written().to_owned(), nic: None, declared: true, next }
                }
                None => Step::End(Tri::unknown(missing::not_modelled(
                    format!("{address}"),
                    "an address of a hub",
                ))),
            };
        }
        Located::Vnet(network) => network,
        Located::Peer(link) => match crosses(subnet, &link) {
            Tri::Yes => link.to,
            Tri::No => return end(walk, &link.id, &["R123"]),
            unknown => return Step::End(unknown),
        },
    };
    match device::at(plain, &network, address) {
        Device::Nothing => end(walk, &network, &["R42"]),
        Device::Unknown(missing) => Step::End(Tri::unknown(missing)),
        Device::AzureFirewall(owner) => Step::Device {
            id: owner.id.as_written().to_owned(),
            nic: None,
            declared: true,
            next: device::subnet_of(&owner).map(Position::Subnet),
        },
        Device::Declared(appliance) => Step::Device {
            id: format!("appliance:{}", appliance.address),
            nic: None,
            declared: true,
            next: None,
        },
        Device::Nic { owner, appliance } => {
            if device::forwards(plain, &owner.id) == Tri::No {
                return end(walk, &owner.id, &["R43"]);
            }
            let declared = appliance.is_some();
            let id = known(walk, &owner.id, appliance.map(|a| a.address));
            Step::Device {
                id,
                declared,
                nic: Some(owner.id.clone()),
                next: device::subnet_of(&owner).map(Position::Subnet),
            }
        }
        Device::Balancer { owner, backends, appliance } => {
            let crate::index::OwnerKind::LoadBalancer(front) = &owner.kind else {
                return Step::End(Tri::unknown(missing::resource(&owner.id)));
            };
            // R165: the reply is for the client's port, and needs a rule of its own.
            match device::balanced(plain, &owner, front, &walk.flow.protocol, walk.flow.source_port) {
                Tri::Yes => {}
                Tri::No => return end(walk, &owner.id, &["R165"]),
                unknown => return Step::End(unknown),
            }
            let next = backends.first().and_then(device::subnet_of).map(Position::Subnet);
            // One member behind the front end is that member, whichever address names it.
            let nic = match backends.as_slice() {
                [one] => Some(one.id.clone()),
                _ => None,
            };
            let declared = appliance.is_some();
            Step::Device { id: front.as_written().to_owned(), nic, declared, next }
        }
    }
}

/// A second interface of the same declared appliance is the same device.
fn known(walk: &Walk<'_>, nic: &ArmId, appliance: Option<IpAddr>) -> String {
    let declared = &walk.plain.declared.appliances;
    let by_exit = |c: &&Crossed| {
        declared.iter().any(|a| {
            a.address == c.address && (Some(a.address) == appliance || exits_at(walk, a.egress, nic))
        })
    };
    walk.crossed.iter().find(by_exit).map_or_else(|| nic.as_written().to_owned(), |c| c.id.clone())
}

fn exits_at(walk: &Walk<'_>, egress: Option<IpAddr>, nic: &ArmId) -> bool {
    let owners = egress.and_then(|a| walk.plain.index().owners.get(&a));
    owners.is_some_and(|all| all.iter().any(|o| o.id == *nic))
}

fn through_gateway(walk: &mut Walk<'_>, subnet: &Subnet, route: &Route, to: IpAddr, home: &Position) -> Step {
    let plain = walk.plain;
    match (&route.via, route.origin) {
        (Via::Hub(_), _) => match hub::connection_of(plain, &subnet.vnet) {
            Ok(Some(connection)) => {
                let hub = connection.hub.clone();
                in_hub(plain, &hub, Some(&connection), to, home)
            }
            Ok(None) => end(walk, &subnet.id, &["R180"]),
            Err(missing) => Step::End(Tri::unknown(missing)),
        },
        (Via::Connections { gateway, connections, .. }, Origin::Gateway) => {
            let gateway = match gateway::by_id(plain, gateway) {
                Ok(gateway) => gateway,
                Err(missing) => return Step::End(Tri::unknown(missing)),
            };
            let all = gateway::connections(plain, &gateway).unwrap_or_default();
            let peer = all.iter().find(|c| connections.contains(&c.id) && c.is_type("Vnet2Vnet"));
            let Some(connection) = peer else {
                return Step::End(Tri::unknown(missing::not_modelled(
                    format!("the reply to {to} over {}", gateway.id.name()),
                    "it leaves Azure on its way back",
                )));
            };
            match connection.connected(walk.plain) {
                Tri::Yes => {}
                Tri::No => return end(walk, &connection.id, &["R132"]),
                unknown => return Step::End(unknown),
            }
            let far = gateway::far_gateway(plain, &gateway, connection);
            match far.and_then(|f| f.map(|f| gateway::subnet(plain, &f.vnet)).transpose()) {
                Ok(Some(subnet)) => Step::On(Position::Subnet(subnet.id)),
                Ok(None) => end(walk, &gateway.id, &["R150"]),
                Err(missing) => Step::End(Tri::unknown(missing)),
            }
        }
        _ => Step::End(Tri::unknown(missing::not_modelled(
            format!("the reply to {to}"),
            "a user route sends it to a gateway",
        ))),
    }
}

/// In a hub: from a connected network, from its firewall, or from a branch.
fn in_hub(plain: &Plain, hub: &ArmId, from: Option<&HubConnection>, to: IpAddr, home: &Position) -> Step {
    if let Some(connection) = from {
        return match hub::lookup(plain, connection, to) {
            Err(missing) => Step::End(Tri::unknown(missing)),
            Ok(None) => Step::End(Tri::No),
            Ok(Some(row)) => match row.target {
                Target::Firewall(id) => {
                    let next = Some(Position::Hub(hub.clone()));
                    Step::Device { id: id.as_written().to_owned(), nic: None, declared: true, next }
                }
                Target::Network { hub: other, vnet } => into_network(plain, hub, &other, &vnet, home),
                Target::Site(_) => Step::End(Tri::No),
            },
        };
    }
    match hub::behind_firewall(plain, hub, to) {
        Err(missing) => Step::End(Tri::unknown(missing)),
        Ok(None) => Step::End(Tri::No),
        Ok(Some(connection)) => into_network(plain, hub, &connection.hub, &connection.vnet, home),
    }
}

/// Another hub's private policy puts its firewall in between (R192).
fn into_network(plain: &Plain, from: &ArmId, hub: &ArmId, network: &ArmId, home: &Position) -> Step {
    if from != hub {
        match hub::private_policy(plain, hub) {
            Err(missing) => return Step::End(Tri::unknown(missing)),
            Ok(Some(id)) => {
                let next = Some(Position::Hub(hub.clone()));
                return Step::Device { id: id.as_written().to_owned(), nic: None, declared: true, next };
            }
            Ok(None) => {}
        }
    }
    arrived(network, home)
}
