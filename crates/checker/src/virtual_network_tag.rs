//! The tags without a list: `VirtualNetwork` and `Internet`, as one NIC's NSG sees them (F55–F72).

use std::net::IpAddr;

use crate::gateway;
use crate::json::is;
use crate::missing;
use crate::next_hop::is_platform;
use crate::peering::links;
use crate::plain::Plain;
use crate::routes::{Extent, Hop, Origin, Route, effective};
use crate::tags;
use crate::tri::Tri;
use crate::vnet::{Subnet, vnet};

/// Is the address in `VirtualNetwork` for a NIC of this subnet (F62)? The network's own space, 168.63.129.16, peers
/// over links that are Connected with access allowed, learned prefixes, and the prefixes of the subnet's user routes.
pub fn virtual_network(plain: &Plain, subnet: &Subnet, address: IpAddr, host: Option<&str>) -> Tri {
    let Some(network) = vnet(plain, &subnet.vnet) else {
        return Tri::unknown(missing::resource(&subnet.vnet));
    };
    let space = network.prefixes();
    if is_platform(address) || space.known.iter().any(|p| p.contains(&address)) {
        return Tri::Yes;
    }
    let mut answer = if space.open.is_empty() { Tri::No } else { Tri::Unknown(space.open) };
    answer = answer.or(peers(plain, &network, address));
    if answer == Tri::Yes {
        return answer;
    }
    let table = effective(plain, subnet);
    for route in table.routes.iter().filter(|r| r.prefix.contains(&address)) {
        answer = answer.or(by_route(route));
    }
    for open in table.open.iter().filter(|o| o.route.origin != Origin::Default) {
        let may = match &open.extent {
            Extent::Any | Extent::Private => true,
            Extent::Prefix(net) => net.contains(&address),
            Extent::Tag(tag) => tags::holds(plain, tag, address, host) != Tri::No,
        };
        if may {
            answer = answer.or(Tri::unknown(open.missing.clone()));
        }
    }
    answer
}

/// Prefixes of peers: what was synced (F63), and only where the own link allows access (F64, R113).
fn peers(plain: &Plain, network: &crate::vnet::Vnet, address: IpAddr) -> Tri {
    let links = match links(plain, network) {
        Ok(links) => links,
        Err(missing) => return Tri::unknown(missing),
    };
    let mut answer = Tri::No;
    for link in links {
        let holds = match link.prefixes(plain) {
            Ok(nets) => nets.iter().any(|n| n.contains(&address)),
            Err(missing) => {
                answer = answer.or(Tri::unknown(missing));
                continue;
            }
        };
        if !holds {
            continue;
        }
        let connected = match link.node().text("/properties/peeringState").known() {
            Ok(Some(state)) => Tri::from(is(state, "Connected")),
            Ok(None) => crate::peering::usable(plain, &link),
            Err(missing) => Tri::unknown(missing),
        };
        let access = link.access().map_or_else(Tri::unknown, Tri::from);
        answer = answer.or(connected.and(access));
    }
    answer
}

fn by_route(route: &Route) -> Tri {
    match route.origin {
        Origin::Default => Tri::No, // service endpoints among them (F61)
        // Recorded for appliances (F58, F59) and for tag routes (F60).
        Origin::User if route.hop == Hop::Appliance || route.tag.is_some() => Tri::Yes,
        Origin::User => Tri::unknown(missing::contested(
            "FU2",
            format!("whether the user route {} is in the tag VirtualNetwork", route.prefix),
            format!("recorded for appliances only, not for next hop {}", route.hop.name()),
        )),
        Origin::Gateway if route.prefix.prefix_len() == 0 => Tri::unknown(missing::contested(
            "F55",
            "whether a learned default route is in the tag VirtualNetwork",
            "documented as possible, recorded for user routes only",
        )),
        Origin::Gateway => Tri::Yes, // F66
    }
}

/// Is the address in `Internet` (F68–F72)? Public space outside the network; where the address is in `VirtualNetwork`
/// too, sources disagree (F71).
pub fn internet(plain: &Plain, subnet: &Subnet, address: IpAddr, host: Option<&str>) -> Tri {
    if !tags::is_public(address) {
        return Tri::No; // F70
    }
    if let Some(network) = vnet(plain, &subnet.vnet)
        && network.prefixes().known.iter().any(|p| p.contains(&address))
    {
        return Tri::No; // F72
    }
    match virtual_network(plain, subnet, address, host) {
        Tri::No if !tags::surely_internet(address) => Tri::unknown(missing::evidence(
            format!("expandedDestinationAddressPrefix of Internet for {address}"),
            "recorded expansions disagree about this block (F69)",
        )),
        Tri::No => Tri::Yes,
        Tri::Yes => Tri::unknown(missing::contested(
            "F71, FU4",
            format!("expandedDestinationAddressPrefix of Internet for {address}"),
            "the address is in VirtualNetwork too; reports disagree whether it then is Internet",
        )),
        Tri::Unknown(why) => Tri::unknown(gateway::first(why)),
    }
}
