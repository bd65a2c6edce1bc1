//! The route that a destination takes (E.1, `next_hop`).

use std::net::{IpAddr, Ipv4Addr};

use ipnet::IpNet;
use pullproof_network::set::{Addresses, TagMatch, TagTarget, Tri};

use super::effective::EffectiveRoutes;
use super::endpoint::RoutePolicy;
use super::route::{Hop, OpenKind, OpenSource, Route, RouteSource, TagRank};
use crate::missing::{Ends, contested, evidence};
use crate::outcome::Missing;
use crate::path::Target;
use crate::prover::Prover;

/// What a subnet does with packets for a destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selected {
    /// Served by the host itself, whatever the routes (R24).
    Platform,
    Route(Box<Route>),
    /// One of these, at least two: the sources disagree, or the destination is only known to be one of several. Only
    /// what is true of each is true.
    Either(Vec<Route>, Missing),
    /// Each of these, at least two, is taken by some packet: the destination stands for many hosts (V5, A13).
    Each(Vec<Route>),
    /// A route that was not read may be taken.
    Open(Missing, Vec<Missing>),
    /// No route covers the destination.
    Nothing,
}

/// R24.
const PLATFORM: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)), IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254))];

impl Prover<'_> {
    pub(crate) fn select(&self, routes: &EffectiveRoutes, to: &Target) -> Selected {
        match to {
            Target::Address(address) => self.select_address(routes, *address),
            Target::PublicHost { host, tags } => self.select_host(routes, host, tags),
        }
    }

    /// The route that packets for one address take.
    pub(crate) fn select_address(&self, routes: &EffectiveRoutes, to: IpAddr) -> Selected {
        if PLATFORM.contains(&to) {
            return Selected::Platform;
        }
        let covering = routes.covering(to);
        let chosen = self.choose(&covering, to);
        let candidates: Vec<&Route> = match &chosen {
            Selected::Route(route) => vec![route],
            Selected::Either(all, _) | Selected::Each(all) => all.iter().collect(),
            Selected::Platform | Selected::Open(..) => return chosen,
            Selected::Nothing => Vec::new(),
        };
        let local = covering.iter().any(|r| r.source == RouteSource::Default && r.hop.is_local());
        // RU6: whether a hidden one still keeps learned routes out is contested.
        let local = local && !hidden(&covering);
        let mut open = routes
            .open
            .iter()
            .filter(|o| self.matters(o, &candidates, &covering, to, local))
            .map(|o| o.missing.clone());
        match open.next() {
            Some(first) => Selected::Open(first, open.collect()),
            None => chosen,
        }
    }

    fn choose(&self, covering: &[&Route], to: IpAddr) -> Selected {
        let service = covering.iter().find(|r| matches!(r.hop, Hop::ServiceEndpoint(_)));
        if let Some(service) = service {
            return past_service_endpoint(service, covering);
        }
        let endpoint = covering.iter().find(|r| matches!(r.hop, Hop::PrivateEndpoint(_)));
        if let Some(endpoint) = endpoint {
            return self.past_private_endpoint(endpoint, covering, to);
        }
        let is_local = |r: &&&Route| r.source == RouteSource::Default && r.hop.is_local();
        let local = covering.iter().any(|r| is_local(&r));
        let learned = |r: &Route| r.source == RouteSource::VirtualNetworkGateway;
        let without: Vec<&Route> = covering.iter().filter(|r| !(local && learned(r))).copied().collect();
        let Some(best) = without.first().copied() else { return Selected::Nothing };
        let hidden = hidden(covering);
        let longer = covering.iter().find(|r| learned(r) && r.prefix.prefix_len() > best.prefix.prefix_len());
        if let (true, true, Some(longer)) = (local, hidden, longer) {
            let missing = contested(
                "RU6",
                format!("whether {} or the learned {} is taken for {to}", best.prefix, longer.prefix),
                "record the effective routes of the subnet",
            );
            return Selected::Either(vec![best.clone(), (*longer).clone()], missing);
        }
        Selected::Route(Box::new(best.clone()))
    }

    /// R65, R79–R85, R253, R254.
    fn past_private_endpoint(&self, endpoint: &Route, covering: &[&Route], to: IpAddr) -> Selected {
        let direct = || Selected::Route(Box::new(endpoint.clone()));
        let Hop::PrivateEndpoint(ix) = endpoint.hop else { return direct() };
        let Some(user) = covering.iter().find(|r| r.source == RouteSource::User).copied() else {
            return direct();
        };
        let host = endpoint.prefix.prefix_len();
        if user.prefix.prefix_len() == host {
            return Selected::Route(Box::new(user.clone()));
        }
        let policy = self.route_policy(ix);
        if policy == RoutePolicy::Off {
            return direct();
        }
        let length = user.prefix.prefix_len();
        let spaces: Vec<u8> = self.endpoint_vnet(ix).map_or_else(Vec::new, |v| {
            let own = self.network.vnets[v].address_space.iter();
            own.filter(|p| p.network().is_ipv4() == to.is_ipv4()).map(IpNet::prefix_len).collect()
        });
        let long_enough = |reading: Option<&u8>| reading.is_some_and(|space| length >= *space);
        let certainly = long_enough(spaces.iter().max());
        let possibly = long_enough(spaces.iter().min());
        if !possibly {
            return direct();
        }
        let name = user.name.as_deref().unwrap_or_default();
        let either = |missing: Missing| Selected::Either(vec![user.clone(), endpoint.clone()], missing);
        let field = || {
            let endpoint = self.network.private_endpoints[ix].id.name();
            format!("privateEndpointNetworkPolicies of the subnet of {endpoint}")
        };
        match policy {
            RoutePolicy::Unknown(symbol) => return either(self.unknown(symbol, field())),
            RoutePolicy::Word(word) => {
                let why = format!("`{word}` is not a known word");
                return either(evidence(field(), why, "correct it, or collect the subnet again"));
            }
            RoutePolicy::On | RoutePolicy::Off => {}
        }
        if !certainly {
            let space = self.endpoint_space(ix, to).map(|p| p.to_string()).unwrap_or_default();
            return either(contested(
                "R82, RU7",
                format!(
                    "whether route {name} ({}) is measured against {space} or another prefix of the endpoint's network",
                    user.prefix
                ),
                "give the route a /32 prefix, or record the effective routes of the subnet",
            ));
        }
        match user.hop {
            Hop::Appliance(_) => Selected::Route(Box::new(user.clone())),
            Hop::VnetLocal if self.takes_vnet_local(ix) => direct(),
            Hop::VnetLocal => Selected::Open(
                contested(
                    "R254",
                    format!("whether {to} is reached over route {name} with next hop VnetLocal"),
                    "remove the route, or set privateEndpointVNetPolicies to Basic on the endpoint's network",
                )
                .holds_if("the endpoint's own route stays in force")
                .breaks_if("the endpoint's route becomes invalid and nothing takes its place"),
                Vec::new(),
            ),
            Hop::Drop
            | Hop::VpnGateway
            | Hop::Internet
            | Hop::Peering(_)
            | Hop::HubItself(_)
            | Hop::ServiceEndpoint(_)
            | Hop::PrivateEndpoint(_)
            | Hop::Gateway(..)
            | Hop::Hub(_) => either(contested(
                "R85, RU7",
                format!("whether route {name} ({}) takes {to} from the private endpoint", user.prefix),
                "record the effective routes of the subnet",
            )),
        }
    }

    /// Whether a route that the source may hold would be taken instead of each of the candidates, or any of them.
    fn matters(
        &self,
        open: &OpenSource,
        candidates: &[&Route],
        covering: &[&Route],
        to: IpAddr,
        local: bool,
    ) -> bool {
        if open.within.as_ref().is_some_and(|w| !w.contains(to)) {
            return false;
        }
        let host_route = |r: &&Route| r.prefix.prefix_len() >= if to.is_ipv4() { 32 } else { 128 };
        let by_user = |r: &&Route| r.source == RouteSource::User && host_route(r);
        if !candidates.is_empty() && candidates.iter().all(by_user) {
            return false; // no longer prefix, and no second user route of this one (R56)
        }
        match &open.kind {
            OpenKind::User => true,
            OpenKind::UserHop(prefix) => self.would_be_taken(*prefix, covering, to),
            // No service tag holds private addresses (F83).
            OpenKind::UserTag(_) => is_public(to),
            OpenKind::ServiceEndpoint(_) => is_public(to),
            // R62.
            OpenKind::Gateway => !local,
            OpenKind::Network(_) => !local && (!is_public(to) || self.in_some_network(to)),
        }
    }

    /// Whether a user route of this prefix would change what is taken, whatever its next hop is (R60, R81).
    fn would_be_taken(&self, prefix: IpNet, covering: &[&Route], to: IpAddr) -> bool {
        let without = self.choose(covering, to);
        let hops = [Hop::Appliance(to), Hop::VnetLocal, Hop::Internet, Hop::Drop, Hop::VpnGateway];
        hops.into_iter().any(|hop| {
            let route = Route {
                prefix,
                hop,
                source: RouteSource::User,
                rank: TagRank::Explicit,
                name: None,
                table: None,
                tag: None,
                by: Vec::new(),
                facts: &[],
                assumption: None,
            };
            let mut with = covering.to_vec();
            // Of one prefix a user's comes first (R60).
            let longer = |r: &&&Route| r.prefix.prefix_len() > prefix.prefix_len();
            let at = covering.iter().filter(longer).count();
            with.insert(at, &route);
            self.choose(&with, to) != without
        })
    }

    fn in_some_network(&self, address: IpAddr) -> bool {
        self.network.vnets.values().any(|v| v.address_space.iter().any(|p| p.contains(&address)))
    }

    /// The route of a public host whose address is not known: any address of its tags, or any public address.
    fn select_host(&self, routes: &EffectiveRoutes, host: &str, tags: &[String]) -> Selected {
        let zero = IpNet::from(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let zero = IpNet::new(zero.network(), 0).unwrap_or(zero);
        let Some(base) = routes.at_prefix(zero).first().copied() else { return Selected::Nothing };
        if let Some(known) = self.addresses_of(tags) {
            return self.select_among(routes, &known, host);
        }
        let public = public_space();
        let mut user: Vec<Route> = Vec::new();
        let mut sure = false;
        let mut service: Vec<Route> = Vec::new();
        let mut service_sure = false;
        for open in &routes.open {
            match &open.kind {
                OpenKind::UserTag(route) => match self.tag_of_host(route.tag.as_deref(), tags) {
                    Tri::Yes => {
                        sure = true;
                        user.push((**route).clone());
                    }
                    Tri::Unknown => user.push((**route).clone()),
                    Tri::No => {}
                },
                OpenKind::ServiceEndpoint(route) => match self.tag_of_host(route.tag.as_deref(), tags) {
                    Tri::Yes => {
                        service_sure = true;
                        service.push((**route).clone());
                    }
                    Tri::Unknown => service.push((**route).clone()),
                    Tri::No => {}
                },
                OpenKind::User | OpenKind::UserHop(_) | OpenKind::Gateway
                    if open.within.as_ref().is_none_or(|w| w.overlaps(&public)) =>
                {
                    return Selected::Open(open.missing.clone(), Vec::new());
                }
                OpenKind::User | OpenKind::UserHop(_) | OpenKind::Gateway | OpenKind::Network(_) => {}
            }
        }
        let ours = self.own_public_addresses();
        for route in &routes.routes {
            let tagged = route.tag.is_some();
            let maybe = match self.tag_of_host(route.tag.as_deref(), tags) {
                Tri::Yes | Tri::Unknown => true,
                Tri::No => false,
            };
            let covers = Addresses::prefix(route.prefix);
            let takes_part = route.prefix.prefix_len() > 0 && covers.overlaps(&public);
            if !takes_part || (tagged && !maybe) || covers.is_subset(&ours) {
                continue;
            }
            match route.hop {
                Hop::ServiceEndpoint(_) => service.push(route.clone()),
                _ => user.push(route.clone()),
            }
        }
        // Longer routes that together hold every public address leave nothing to the default route.
        let longer = Addresses::of(user.iter().filter(|r| r.tag.is_none()).map(|r| r.prefix));
        let all_v4 = Addresses { v4: public.v4.clone(), ..Addresses::empty() };
        sure = sure || all_v4.is_subset(&longer);
        let mut all: Vec<Route> = Vec::new();
        if service_sure {
            all.extend(service);
            // R257: with hop Internet the service is reached by its endpoint all the same.
            all.extend(user.into_iter().filter(|r| r.hop != Hop::Internet));
        } else {
            all.extend(user);
            all.extend(service);
            if !sure {
                all.insert(0, base.clone());
            }
        }
        one_or_either(all, host)
    }

    /// Every address that the host can have, where a list has all of its tags.
    fn addresses_of(&self, tags: &[String]) -> Option<Addresses> {
        let mut out = Addresses::empty();
        for tag in tags {
            out = out.union(self.network.tag_addresses(tag)?);
        }
        let v4 = Addresses { v4: out.v4, ..Addresses::empty() };
        (!v4.is_empty()).then_some(v4)
    }

    fn select_among(&self, routes: &EffectiveRoutes, known: &Addresses, host: &str) -> Selected {
        let mut all: Vec<Route> = Vec::new();
        let mut disputed: Option<Missing> = None;
        for (_, selected) in self.partition(routes, known) {
            match selected {
                Selected::Route(route) => all.push(*route),
                Selected::Either(routes, missing) => {
                    all.extend(routes);
                    disputed.get_or_insert(missing);
                }
                Selected::Each(routes) => all.extend(routes),
                open @ Selected::Open(..) => return open,
                Selected::Platform | Selected::Nothing => return Selected::Nothing,
            }
        }
        match (one_or_either(all, host), disputed) {
            // Not every one of them is taken: which of two is, the sources do not say.
            (Selected::Each(all), Some(missing)) => Selected::Either(all, missing),
            (selected, _) => selected,
        }
    }

    fn tag_of_host(&self, tag: Option<&str>, host: &[String]) -> Tri {
        let Some(tag) = tag else { return Tri::Unknown };
        let answers: Vec<Tri> =
            host.iter().map(|h| self.network.tag_covers(tag, &TagTarget::PublicHostOf(h))).collect();
        match answers.as_slice() {
            [] => Tri::Unknown,
            all if all.iter().all(|t| *t == Tri::Yes) => Tri::Yes,
            all if all.iter().all(|t| *t == Tri::No) => Tri::No,
            _ => Tri::Unknown,
        }
    }

    /// Public addresses that this estate has itself: no foreign service is there.
    fn own_public_addresses(&self) -> Addresses {
        let ours = self.network.public_ips.values().filter_map(|p| p.address.present().copied());
        let more = self.network.public_ip_prefixes.values().filter_map(|p| p.prefix.present().copied());
        Addresses::of(ours.map(IpNet::from)).union(&Addresses::of(more))
    }

    /// A set of destinations, cut so that each part takes one way.
    pub(crate) fn partition(&self, routes: &EffectiveRoutes, to: &Addresses) -> Vec<(Addresses, Selected)> {
        let mut pieces: Vec<Addresses> = vec![to.clone()];
        let opens = routes.open.iter().filter_map(|o| o.within.clone());
        for cut in routes.prefixes().map(|p| Addresses::prefix(*p)).chain(opens) {
            if !cut.overlaps(to) {
                continue;
            }
            pieces = pieces
                .into_iter()
                .flat_map(|piece| [piece.intersect(&cut), piece.subtract(&cut)])
                .filter(|piece| !piece.is_empty())
                .collect();
        }
        let mut out: Vec<(Addresses, Selected)> = Vec::new();
        for piece in pieces {
            let Some(first) = piece.first() else { continue };
            let selected = self.select_address(routes, first);
            match out.iter_mut().find(|(_, known)| *known == selected) {
                Some((set, _)) => *set = set.union(&piece),
                None => out.push((piece, selected)),
            }
        }
        out
    }
}

/// R66, RU6: a user route makes every system route to a network Invalid by having its prefix.
fn hidden(covering: &[&Route]) -> bool {
    let local = |r: &&&Route| r.source == RouteSource::Default && r.hop.is_local();
    covering
        .iter()
        .filter(local)
        .all(|r| covering.iter().any(|u| u.source == RouteSource::User && u.prefix == r.prefix))
}

/// R64, R257: no user or gateway route at least as long, or only such with hop `Internet`: the endpoint. Otherwise the
/// sources disagree.
fn past_service_endpoint(service: &Route, covering: &[&Route]) -> Selected {
    let other = covering.iter().find(|r| {
        r.source != RouteSource::Default
            && r.prefix.prefix_len() >= service.prefix.prefix_len()
            && r.hop != Hop::Internet
    });
    match other {
        None => Selected::Route(Box::new(service.clone())),
        Some(other) => {
            let missing = contested(
                "R257, RU5",
                format!(
                    "whether {} by service endpoint or the route {} is taken",
                    service.prefix, other.prefix
                ),
                format!("record the effective routes of the subnet for {}", service.prefix),
            );
            Selected::Either(vec![service.clone(), (*other).clone()], missing)
        }
    }
}

/// Routes that send the packet the same way are one.
fn one_or_either(all: Vec<Route>, host: &str) -> Selected {
    let mut distinct: Vec<Route> = Vec::new();
    for route in all {
        if !distinct.iter().any(|d| d.hop == route.hop) {
            distinct.push(route);
        }
    }
    if distinct.len() <= 1 {
        return distinct.into_iter().next().map_or(Selected::Nothing, |r| Selected::Route(Box::new(r)));
    }
    if host.starts_with('*') {
        return Selected::Each(distinct);
    }
    let missing = evidence(
        format!("which public address {host} has"),
        "its addresses take different routes",
        format!("declare [[public_name]] host = \"{host}\" with its addresses, or add the service tag list"),
    );
    Selected::Either(distinct, missing)
}

/// Every address that [`is_public`] takes.
pub(crate) fn public_space() -> Addresses {
    let others = NOT_PUBLIC.iter().filter_map(|p| p.parse::<IpNet>().ok());
    Addresses::all().subtract(&Addresses::of(others))
}

/// The ranges of [`is_public`], as prefixes.
const NOT_PUBLIC: [&str; 13] = [
    "0.0.0.0/32",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "224.0.0.0/4",
    "255.255.255.255/32",
    "::/128",
    "::1/128",
    "fc00::/7",
    "ff00::/8",
];

/// Outside the ranges that are private, shared, link-local, loopback or multicast (R15, R23).
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(a) => {
            let [first, second, ..] = a.octets();
            !(a.is_private()
                || a.is_loopback()
                || a.is_link_local()
                || a.is_multicast()
                || a.is_unspecified()
                || a.is_broadcast()
                || (first == 100 && (64..128).contains(&second)))
        }
        IpAddr::V6(a) => !(a.is_loopback() || a.is_multicast() || a.is_unspecified() || a.is_unique_local()),
    }
}
