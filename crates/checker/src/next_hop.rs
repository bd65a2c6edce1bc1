//! Which route a packet takes: the reference procedure of routing.md E.1, for one destination.

use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;

use crate::json::is;
use crate::missing;
use crate::plain::Plain;
use crate::routes::{Effective, Extent, Hop, Open, Origin, Route, Via, effective};
use crate::tags;
use crate::tri::Tri;
use crate::vnet::{Subnet, vnet};

/// The route for one destination.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// An address of the host itself: no route is consulted (R24).
    Platform,
    Route(Route),
    /// Nothing covers the destination.
    NoRoute,
    /// Sources disagree: each of these is possible, and one of them holds.
    Contested(Vec<Route>, Missing),
    Unknown(Vec<Missing>),
}

/// The host's own service addresses (R24).
pub fn is_platform(address: IpAddr) -> bool {
    matches!(address, IpAddr::V4(v4) if matches!(v4.octets(), [168, 63, 129, 16] | [169, 254, 169, 254]))
}

/// Which route packets from `subnet` to `to` take; `host` is the name that the address stands for, where one is known.
pub fn choose(plain: &Plain, subnet: &Subnet, to: IpAddr, host: Option<&str>) -> Choice {
    if is_platform(to) {
        return Choice::Platform;
    }
    let table = effective(plain, subnet);
    let documented: Vec<Route> =
        table.open.iter().filter_map(|open| documented(plain, &table, open, to, host)).collect();
    let known: Vec<&Route> =
        table.routes.iter().filter(|r| r.prefix.contains(&to)).chain(&documented).collect();
    let base = select(plain, &table, &known, to);
    let base = match base {
        Choice::NoRoute if to.is_ipv6() => Choice::Unknown(vec![missing::not_modelled(
            "IPv6 routes",
            "only the networks' own prefixes are read (R58)",
        )]),
        other => other,
    };
    let mut missing = Vec::new();
    for open in &table.open {
        let Some(maybe) = instance(plain, open, to, host) else { continue };
        let mut with: Vec<&Route> = known.clone();
        with.push(&maybe);
        if select(plain, &table, &with, to) != base && !missing.contains(&open.missing) {
            missing.push(open.missing.clone());
        }
    }
    if missing.is_empty() { base } else { Choice::Unknown(missing) }
}

/// The service endpoint's route for a host that is documented to lie in the service's tag, without the tag's list: its
/// prefix is not known, but any beats a default route. `None` where another route might be as long (R257).
fn documented(
    plain: &Plain,
    table: &Effective,
    open: &Open,
    to: IpAddr,
    host: Option<&str>,
) -> Option<Route> {
    let Extent::Tag(tag) = &open.extent else { return None };
    let certain = tags::holds(plain, tag, to, host) == Tri::Yes;
    if open.route.hop != Hop::ServiceEndpoint || !(certain || tags::some_within(tag, host)) {
        return None;
    }
    let wins = |length: u8| {
        let prefix = IpNet::new(to, length).ok()?.trunc();
        let route = Route { prefix, ..open.route.clone() };
        let mut with: Vec<&Route> = table.routes.iter().filter(|r| r.prefix.contains(&to)).collect();
        with.push(&route);
        match select(plain, table, &with, to) {
            Choice::Route(best) if best.hop == Hop::ServiceEndpoint => Some(route.clone()),
            _ => None,
        }
    };
    wins(1)?;
    wins(if to.is_ipv4() { 32 } else { 128 })
}

/// The strongest route that an open source may hold for the destination; `None` where it holds none.
fn instance(plain: &Plain, open: &Open, to: IpAddr, host: Option<&str>) -> Option<Route> {
    let prefix = match &open.extent {
        Extent::Any => IpNet::from(to),
        Extent::Private if tags::is_public(to) => return None,
        Extent::Private => IpNet::from(to),
        Extent::Prefix(net) if net.contains(&to) => *net,
        Extent::Prefix(_) => return None,
        Extent::Tag(tag) if tags::holds(plain, tag, to, host) == Tri::No => return None,
        Extent::Tag(_) => IpNet::from(to),
    };
    Some(Route { prefix, ..open.route.clone() })
}

fn longest<'a>(routes: impl Iterator<Item = &'a Route>) -> Option<&'a Route> {
    routes.fold(None, |best: Option<&Route>, r| match best {
        Some(b) if !beats(r, b) => Some(b),
        _ => Some(r),
    })
}

/// Longer wins; then User, gateway, system (R60); then explicit before tags (R54); then ExpressRoute before VPN (R67).
fn beats(a: &Route, b: &Route) -> bool {
    let key = |r: &Route| {
        let vpn = matches!(r.via, Via::Connections { express_route: false, .. });
        (std::cmp::Reverse(r.prefix.prefix_len()), r.origin, tags::rank(r.tag.as_deref()), vpn)
    };
    key(a) < key(b)
}

fn select(plain: &Plain, table: &Effective, covering: &[&Route], to: IpAddr) -> Choice {
    let by = |f: &dyn Fn(&Route) -> bool| longest(covering.iter().copied().filter(|r| f(r)));
    if let Some(service) = by(&|r| r.hop == Hop::ServiceEndpoint) {
        let rival = by(&|r| {
            r.origin != Origin::Default
                && r.prefix.prefix_len() >= service.prefix.prefix_len()
                && r.hop != Hop::Internet
        });
        return match rival {
            None => Choice::Route(service.clone()), // R64
            Some(rival) => Choice::Contested(
                vec![service.clone(), rival.clone()],
                missing::contested(
                    "R257, RU5",
                    format!("effective routes of the subnet for {}", rival.prefix),
                    "whether a route as long as a service endpoint's overrides it",
                ),
            ),
        };
    }
    if let Some(endpoint) = by(&|r| r.hop == Hop::InterfaceEndpoint) {
        return private_endpoint(plain, endpoint, by(&|r| r.origin == Origin::User), to);
    }
    let local = by(&|r| r.origin == Origin::Default && r.hop.is_local());
    let without_learned = by(&|r| r.origin != Origin::Gateway);
    let Some(local) = local else {
        return by(&|_| true).map_or(Choice::NoRoute, |r| Choice::Route(r.clone()));
    };
    // R62: BGP never overrides these, unless a user route has made the row Invalid: then nobody says (R66, RU6).
    let learned = by(&|r| r.origin == Origin::Gateway);
    let shadowed = table.routes.iter().any(|r| r.origin == Origin::User && r.prefix == local.prefix);
    match (without_learned, learned) {
        (Some(best), Some(learned)) if shadowed && beats(learned, best) => Choice::Contested(
            vec![best.clone(), learned.clone()],
            missing::contested(
                "R66, RU6",
                format!("effective routes of the subnet for {}", learned.prefix),
                "a user route shadows the network's own prefix, and BGP has a longer one",
            ),
        ),
        (Some(best), _) => Choice::Route(best.clone()),
        (None, _) => Choice::NoRoute,
    }
}

/// R75–R85, R253, R254: which user route takes an endpoint's `/32` away.
fn private_endpoint(plain: &Plain, endpoint: &Route, user: Option<&Route>, to: IpAddr) -> Choice {
    let direct = Choice::Route(endpoint.clone());
    let Some(user) = user else { return direct };
    if user.prefix.prefix_len() == endpoint.prefix.prefix_len() {
        return Choice::Route(user.clone()); // R79
    }
    let subnet =
        plain.index().endpoints.iter().find(|e| e.address == to && endpoint_is(endpoint, &e.endpoint));
    let Some(subnet) = subnet.and_then(|e| plain.index().subnets.get(&e.subnet)) else {
        let what =
            missing::evidence(format!("the subnet of the private endpoint at {to}"), "it was not read (R80)");
        return Choice::Unknown(vec![what]);
    };
    let lengths: Vec<u8> = vnet(plain, &subnet.vnet)
        .map(|v| v.prefixes().known.into_iter().filter(|p| p.contains(&to)).map(|p| p.prefix_len()).collect())
        .unwrap_or_default();
    let Some(length) = lengths.iter().max() else {
        let what = missing::evidence(format!("the address space that holds {to}"), "it was not read (R81)");
        return Choice::Unknown(vec![what]);
    };
    if user.prefix.prefix_len() < *length {
        return direct; // R81, R83
    }
    let policy = match subnet.node().text("/properties/privateEndpointNetworkPolicies").known() {
        Ok(policy) => policy.unwrap_or("Disabled"), // R80
        Err(missing) => return Choice::Unknown(vec![missing]),
    };
    if !is(policy, "Enabled") && !is(policy, "RouteTableEnabled") {
        return direct; // R83
    }
    match user.hop {
        Hop::VnetLocal => {
            let network = vnet(plain, &subnet.vnet);
            let basic =
                network.as_ref().map(|v| v.node().text("/properties/privateEndpointVNetPolicies").known());
            match basic {
                Some(Ok(Some(p))) if is(p, "Basic") => direct, // R254
                _ => Choice::Unknown(vec![missing::contested(
                    "R254, RU7",
                    format!("whether {} reaches the private endpoint at {to}", user.prefix),
                    "a VnetLocal route over an endpoint whose subnet honours route tables",
                )]),
            }
        }
        Hop::Appliance => Choice::Route(user.clone()), // R81, R253
        _ => Choice::Contested(
            vec![user.clone(), endpoint.clone()],
            missing::contested(
                "R85, RU7",
                format!("effective routes for {to}/32"),
                format!("a qualifying user route with next hop {} was never recorded", user.hop.name()),
            ),
        ),
    }
}

fn endpoint_is(route: &Route, endpoint: &ArmId) -> bool {
    matches!(&route.via, Via::Endpoint(id) if id == endpoint)
}

/// Is the row still used for its own prefix (R61)? Rows that lose to one of the same prefix are shown as Invalid.
pub fn is_active(plain: &Plain, table: &Arc<Effective>, route: &Route) -> bool {
    if route.hop == Hop::InterfaceEndpoint {
        let to = route.prefix.addr();
        let covering: Vec<&Route> = table.routes.iter().filter(|r| r.prefix.contains(&to)).collect();
        let user = longest(covering.iter().copied().filter(|r| r.origin == Origin::User));
        return !matches!(private_endpoint(plain, route, user, to), Choice::Route(r) if r.origin == Origin::User);
    }
    let same = |r: &&Route| r.prefix == route.prefix && *r != route;
    !table.routes.iter().filter(same).any(|other| match (route.origin, other.origin) {
        // R62 before R60: the network's own rows stay.
        (Origin::Default, Origin::Gateway) if route.hop.is_local() || route.hop == Hop::ServiceEndpoint => {
            false
        }
        (Origin::Gateway, Origin::Default) if other.hop.is_local() || other.hop == Hop::ServiceEndpoint => {
            true
        }
        _ => route.hop != Hop::ServiceEndpoint && beats(other, route),
    })
}
