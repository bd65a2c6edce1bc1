//! Whether a query gets to a server and its answer back (D133–D139).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::Site;
use pullproof_snapshot::question::Direction;

use super::ask::{Asker, Transport};
use super::owner::Owner;
use crate::missing;
use crate::nsg::{self, Flow, Machine, MachineKind};
use crate::path::reach;
use crate::plain::{Plain, Source};
use crate::reach::Delivery;
use crate::site::{self, First};
use crate::tags::is_public;
use crate::tri::Tri;

/// A client's port, where any will do.
const SOME_PORT: u16 = 49152;

/// Where a query goes.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub server: IpAddr,
    pub port: u16,
    pub transport: Transport,
    pub owner: Option<&'a Owner>,
}

/// What a machine's query to an address meets: the server is reached and its reply comes back, and where the query ends.
pub(super) fn sends(
    plain: &Plain,
    from: &Source,
    server: IpAddr,
    port: u16,
    transport: Transport,
) -> (Tri, Option<Delivery>) {
    let walk = reach(plain, from, server, transport.protocol(), None, port, None);
    (walk.forward().and(walk.back()), walk.delivery)
}

/// Yes when the server is reached from somewhere that is no machine in a virtual network, and its reply comes back.
pub(super) fn reaches(plain: &Plain, asker: &Asker, target: Target<'_>) -> Tri {
    match asker {
        Asker::Machine(source) => sends(plain, source, target.server, target.port, target.transport).0,
        // A firewall in a hub and the Internet reach public resolvers; nobody there reaches private ones but the hub.
        Asker::Hub(_) | Asker::Internet if is_public(target.server) => Tri::Yes,
        Asker::Internet => Tri::No,
        Asker::Hub(address) => into_azure(plain, *address, target),
        Asker::Site(name, address) => from_site(plain, name, *address, target),
    }
}

/// From a declared site: to a neighbour, to the Internet, or through its connections into Azure (CONTRACT §2 `[[site]]`).
fn from_site(plain: &Plain, name: &str, from: IpAddr, target: Target<'_>) -> Tri {
    let Some(site) = plain.declared.sites.iter().find(|row| row.name == name) else {
        let what = format!("site {name}");
        return Tri::unknown(missing::declare(what, "named, and not declared", "declare it, [[site]]"));
    };
    if site::announces(site, target.server) {
        return Tri::Yes;
    }
    if is_public(target.server) && target.owner.is_none() {
        return match site.internet_egress {
            Some(egress) => egress.into(),
            None => {
                let what = format!("internet_egress of the site {name}");
                Tri::unknown(missing::declare(what, "not declared", "state it in the site's [[site]] table"))
            }
        };
    }
    if !site::routes_back(site, target.server) {
        return Tri::No;
    }
    lets_out(plain, site, from, target).and(into_azure(plain, from, target))
}

fn lets_out(plain: &Plain, site: &Site, from: IpAddr, target: Target<'_>) -> Tri {
    let packet = First {
        source: from,
        destination: target.server,
        protocol: target.transport.protocol(),
        destination_port: target.port,
    };
    site::admits(plain, site, packet).0
}

/// A query from outside to a server in a virtual network. Routes are those of a packet from the server and of its reply,
/// the other way round; the filter is that at the server. Devices on the way would filter this direction, too, and are
/// not followed.
fn into_azure(plain: &Plain, asker: IpAddr, target: Target<'_>) -> Tri {
    let open = |why: &str| {
        let what = format!("way of DNS queries from {asker} to {}", target.server);
        Tri::unknown(missing::not_modelled(what, why.to_owned()))
    };
    let Some(subnet) = target.owner.and_then(Owner::subnet) else {
        return open("the snapshot does not show who has the server's address");
    };
    let nic = match target.owner {
        Some(Owner::Machine { nic, .. }) => Some(nic.clone()),
        _ => None,
    };
    let source = Source { subnet: subnet.clone(), address: target.server, nic: nic.clone(), pool: None };
    let protocol = target.transport.protocol();
    let walk = reach(plain, &source, asker, protocol, Some(target.port), SOME_PORT, None);
    let routed = walk.forward_routing.and(walk.return_routing);
    if routed != Tri::No && !walk.devices.is_empty() {
        return open("it passes devices that filter");
    }
    routed.and(lets_in(plain, subnet, nic, asker, target))
}

fn lets_in(plain: &Plain, subnet: &ArmId, nic: Option<ArmId>, asker: IpAddr, target: Target<'_>) -> Tri {
    let Some(subnet) = plain.index().subnets.get(subnet) else {
        return Tri::unknown(missing::resource(subnet));
    };
    let kind = nic.map_or(MachineKind::Anonymous, MachineKind::Nic);
    let machine = Machine { subnet, kind, address: target.server, forwarded: false };
    let flow = Flow {
        protocol: target.transport.protocol().to_owned(),
        source: asker,
        source_port: SOME_PORT,
        destination: target.server,
        destination_port: target.port,
        host: None,
    };
    nsg::filter(plain, &machine, Direction::Inbound, &flow).allow
}
