//! `next-hop` and `effective-routes` (CONTRACT §4).

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use pullproof_network::model::index::{NicIx, SubnetIx, VnetIx};
use pullproof_network::model::owner::OwnerKind;
use pullproof_snapshot::question::{EffectiveRoute, EffectiveRoutesAnswer, From, Missing, NextHopAnswer};

use crate::context::Proto;
use crate::device::load_balancer::Balanced;
use crate::device::locate::Located;
use crate::device::next_hop::Taken;
use crate::outcome::Outcome;
use crate::path::Target;
use crate::prover::Prover;
use crate::routes::effective::EffectiveRoutes;
use crate::routes::endpoint::RoutePolicy;
use crate::routes::reason::leads_nowhere_known;
use crate::routes::route::{Hop, Route, RouteSource};
use crate::routes::select::Selected;

impl Prover<'_> {
    /// `query`'s `next-hop`: what Azure itself would answer (R232), and whether the packet goes any further than the
    /// hop. The error says what in the question cannot be used.
    pub fn next_hop_answer(&self, from: &From, destination: &str) -> Result<NextHopAnswer, String> {
        let (subnet, nic) = self.asked_from(from)?;
        let to = IpAddr::from_str(destination)
            .map_err(|_| format!("destination `{destination}` is no address"))?;
        let routes = self.effective_routes(subnet);
        Ok(match self.select_address(&routes, to) {
            Selected::Platform => NextHopAnswer {
                next_hop_type: "VnetLocal".into(),
                source: Some("Default".into()),
                prefix: Some(IpNet::from(to).to_string()),
                delivered: Some(true),
                ..NextHopAnswer::default()
            },
            // An address never stands for several.
            Selected::Nothing | Selected::Each(_) => NextHopAnswer {
                next_hop_type: "None".into(),
                delivered: Some(false),
                ..NextHopAnswer::default()
            },
            Selected::Route(route) => self.hop_row(subnet, &route, to, nic),
            Selected::Either(all, missing) => {
                let mut rows = all.iter().map(|r| self.hop_row(subnet, r, to, nic));
                let first = rows.next().unwrap_or_default();
                if rows.all(|r| r == first) { first } else { unknown(vec![missing]) }
            }
            Selected::Open(first, more) => unknown(std::iter::once(first).chain(more).collect()),
        })
    }

    fn hop_row(&self, subnet: SubnetIx, route: &Route, to: IpAddr, nic: Option<NicIx>) -> NextHopAnswer {
        let vnet = self.network.subnets[subnet].vnet;
        let mut row = NextHopAnswer {
            next_hop_type: self.hop_word(&route.hop).into(),
            next_hop_ip: None,
            source: Some(route.source.as_str().into()),
            prefix: Some(route.prefix.to_string()),
            route: route.name.as_deref().map(str::to_owned),
            route_table: route.table.map(|t| self.network.route_tables[t].id.as_written().to_owned()),
            delivered: Some(true),
            missing: Vec::new(),
        };
        match &route.hop {
            Hop::Drop => row.delivered = Some(false),
            Hop::Appliance(address) => {
                row.next_hop_ip = Some(address.to_string());
                let taken = match self.locate(vnet, *address) {
                    Located::Open(missing) => return unknown(vec![missing]),
                    Located::Nowhere | Located::Own | Located::Peered(_) | Located::Hub(_) => {
                        self.next_hop(vnet, *address, Proto::Tcp, 443).taken
                    }
                };
                if self.is_no_hop(vnet, *address) {
                    row.next_hop_type = UNUSABLE.into();
                    row.delivered = Some(false);
                } else {
                    match taken {
                        Taken::By(_) => {}
                        Taken::Broken(_) => row.delivered = Some(false), // R42
                        Taken::Open(missing) => left_open(&mut row, [missing]),
                    }
                }
            }
            // R88
            Hop::PrivateEndpoint(endpoint) => match self.approved(*endpoint) {
                Outcome::Holds => {}
                Outcome::Fails(..) => row.delivered = Some(false),
                Outcome::Open(first, more) => left_open(&mut row, std::iter::once(first).chain(more)),
            },
            Hop::VnetLocal if route.source == RouteSource::User => {
                let own = self.network.vnets[vnet].address_space.iter().any(|p| p.contains(&to));
                if !own {
                    left_open(&mut row, [leads_nowhere_known(route.prefix, to)]);
                }
            }
            Hop::VpnGateway => {
                row.delivered = match self.vpn_gateways(vnet) {
                    Ok(found) => Some(!found.is_empty()),
                    Err(missing) => return unknown(vec![missing]),
                };
            }
            // Any of them that is up carries it (R132).
            Hop::Gateway(_, connections) => {
                let up: Vec<Outcome> = connections.iter().map(|c| self.connection_up(*c)).collect();
                if !up.is_empty() && up.iter().all(|o| matches!(o, Outcome::Fails(..))) {
                    row.delivered = Some(false);
                } else if !up.iter().any(Outcome::holds) {
                    let open = up.iter().flat_map(|o| o.missing().into_iter().cloned()).collect::<Vec<_>>();
                    left_open(&mut row, open);
                }
            }
            Hop::Internet => {
                row.delivered = self.leaves_azure(subnet, nic, to);
                if row.delivered.is_none() {
                    row.delivered = Some(true);
                }
            }
            Hop::Peering(link) => {
                let remote = self.remote_vnet(*link);
                let front = self.network.owners_of(to).iter().find_map(|o| match o.kind {
                    OwnerKind::Frontend(lb, front) if o.vnet == remote => Some((lb, front)),
                    _ => None,
                });
                if let Some((lb, front)) = front {
                    let basic = matches!(self.basic_over_global(lb, Some(*link)), Some(Ok(_)));
                    let dropped = matches!(self.balance(lb, front, Proto::Tcp, 443), Balanced::Dropped(_));
                    row.delivered = Some(!basic && !dropped);
                }
            }
            Hop::VnetLocal | Hop::HubItself(_) | Hop::ServiceEndpoint(_) | Hop::Hub(_) => {}
        }
        row
    }

    /// An address that no user route can have as its hop: out of reach (R41), or a private endpoint's (R37).
    fn is_no_hop(&self, vnet: VnetIx, address: IpAddr) -> bool {
        let home = match self.locate(vnet, address) {
            Located::Own => Some(vnet),
            Located::Peered(link) => self.remote_vnet(link),
            Located::Hub(_) | Located::Open(_) => None,
            Located::Nowhere => return true,
        };
        self.network
            .owners_of(address)
            .iter()
            .any(|o| matches!(o.kind, OwnerKind::PrivateEndpoint(_)) && o.vnet == home && home.is_some())
    }

    /// The word that Azure's effective routes use (R229).
    fn hop_word(&self, hop: &Hop) -> &'static str {
        match hop {
            Hop::VnetLocal => "VnetLocal",
            Hop::Peering(link) if self.is_global(*link) == Some(true) => "VNetGlobalPeering",
            Hop::Peering(_) | Hop::HubItself(_) => "VNetPeering",
            Hop::Internet => "Internet",
            Hop::Drop => "None",
            Hop::ServiceEndpoint(_) => "VirtualNetworkServiceEndpoint",
            Hop::PrivateEndpoint(_) => "InterfaceEndpoint",
            Hop::Appliance(_) => "VirtualAppliance",
            Hop::Gateway(..) | Hop::VpnGateway | Hop::Hub(_) => "VirtualNetworkGateway",
        }
    }

    /// `query`'s `effective-routes`: the rows as Azure lists them, with `Active` and `Invalid` (R61), and what may add
    /// rows.
    pub fn effective_routes_answer(&self, from: &From) -> Result<EffectiveRoutesAnswer, String> {
        let (subnet, _) = self.asked_from(from)?;
        let routes = self.effective_routes(subnet);
        let vnet = self.network.subnets[subnet].vnet;
        let mut rows: BTreeMap<RowKey, Vec<IpNet>> = BTreeMap::new();
        for prefix in routes.prefixes() {
            let same = routes.at_prefix(*prefix);
            let mut seen: Vec<(RouteSource, &Hop)> = Vec::new();
            for (i, route) in same.iter().enumerate() {
                if seen.contains(&(route.source, &route.hop)) && route.source != RouteSource::User {
                    continue; // one prefix over several connections is one row here
                }
                seen.push((route.source, &route.hop));
                let beaten = beaten(&same, i) || self.invalidated(&routes, route);
                let key = RowKey {
                    source: route.source,
                    hop: match &route.hop {
                        Hop::Appliance(address) if self.is_no_hop(vnet, *address) => UNUSABLE,
                        hop => self.hop_word(hop),
                    },
                    ip: match &route.hop {
                        Hop::Appliance(address) => Some(*address),
                        _ => None,
                    },
                    name: route.name.as_deref().map(str::to_owned),
                    invalid: beaten,
                    // Rows of one kind stay apart but for tags and service endpoints, which Azure lists as one.
                    apart: if route.tag.is_some() { None } else { Some(*prefix) },
                };
                let row = rows.entry(key).or_default();
                if row.last() != Some(prefix) {
                    row.push(*prefix);
                }
            }
        }
        let routes_out = rows
            .into_iter()
            .map(|(key, prefixes)| EffectiveRoute {
                prefixes: prefixes.iter().map(ToString::to_string).collect(),
                next_hop_type: key.hop.into(),
                next_hop_ip: key.ip.iter().map(ToString::to_string).collect(),
                source: key.source.as_str().into(),
                state: if key.invalid { "Invalid" } else { "Active" }.into(),
                name: key.name,
            })
            .collect();
        let mut open: Vec<_> = routes.open.iter().map(|o| o.missing.clone()).collect();
        open.sort();
        open.dedup();
        Ok(EffectiveRoutesAnswer { routes: routes_out, open })
    }

    /// A private endpoint's `/32` that a shorter user route makes Invalid (R81, R253).
    fn invalidated(&self, routes: &EffectiveRoutes, route: &Route) -> bool {
        let Hop::PrivateEndpoint(ix) = route.hop else { return false };
        let address = route.prefix.addr();
        self.route_policy(ix) == RoutePolicy::On
            && match self.select(routes, &Target::Address(address)) {
                Selected::Route(chosen) => chosen.source == RouteSource::User,
                Selected::Platform
                | Selected::Either(..)
                | Selected::Each(_)
                | Selected::Open(..)
                | Selected::Nothing => false,
            }
    }
}

/// Whether a row loses to another of its prefix (R60, R61). Rows of the networks themselves keep learned ones out (R62),
/// and those of service endpoints stay beside whatever else there is (R64).
fn beaten(same: &[&Route], at: usize) -> bool {
    let Some(route) = same.get(at) else { return false };
    let stays = |r: &Route| r.source == RouteSource::Default && r.hop.is_local();
    let service = |r: &Route| matches!(r.hop, Hop::ServiceEndpoint(_));
    let user = same.iter().any(|r| r.source == RouteSource::User);
    match route.source {
        _ if service(route) => false,
        RouteSource::User => false,
        RouteSource::VirtualNetworkGateway => user || same.iter().any(|r| stays(r) || service(r)),
        RouteSource::Default if stays(route) => user,
        RouteSource::Default => same.iter().any(|r| r.source != RouteSource::Default),
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct RowKey {
    source: RouteSource,
    hop: &'static str,
    ip: Option<IpAddr>,
    name: Option<String>,
    invalid: bool,
    apart: Option<IpNet>,
}

/// Azure answers `None` for a hop that cannot be used, and keeps its address (R33, R41).
const UNUSABLE: &str = "None";

/// The hop is known, and what becomes of the packet there is not.
fn left_open(row: &mut NextHopAnswer, missing: impl IntoIterator<Item = Missing>) {
    row.delivered = None;
    row.missing.extend(missing);
}

fn unknown(missing: Vec<Missing>) -> NextHopAnswer {
    NextHopAnswer { next_hop_type: "unknown".into(), missing, ..NextHopAnswer::default() }
}
