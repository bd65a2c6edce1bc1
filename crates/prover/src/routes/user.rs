//! User routes of a subnet's route table, service tags included (R36–R58).

use std::net::{IpAddr, Ipv4Addr};

use ipnet::IpNet;
use pullproof_network::Val;
use pullproof_network::model::address::AddressTerm;
use pullproof_network::model::index::{Ref, RouteTableIx, SubnetIx};
use pullproof_network::model::route_table::{
    self as table_model, NextHopType, RouteTable, route, route_table,
};
use pullproof_network::model::vnet::subnet;
use pullproof_network::set::{Addresses, TagMatch};

use super::route::{Hop, OpenKind, OpenSource, Route, RouteSource, TagRank};
use crate::missing::evidence;
use crate::outcome::Missing;
use crate::prover::Prover;

/// What a subnet's route table contributes.
#[derive(Debug, Default)]
pub struct UserRoutes {
    pub routes: Vec<Route>,
    pub open: Vec<OpenSource>,
    pub propagation: Propagation,
}

/// Whether gateway-sourced routes reach the subnet (R72, R74).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Propagation {
    #[default]
    On,
    /// Switched off by this table.
    Off(RouteTableIx),
    Unknown(Missing),
}

impl Prover<'_> {
    pub(crate) fn user_routes(&self, ix: SubnetIx) -> UserRoutes {
        let subnet = &self.network.subnets[ix];
        let nothing_known = |missing: Missing| UserRoutes {
            routes: Vec::new(),
            open: vec![OpenSource { kind: OpenKind::User, within: None, missing: missing.clone() }],
            propagation: Propagation::Unknown(missing),
        };
        match &subnet.route_table {
            Val::Known(None) => UserRoutes::default(),
            Val::Known(Some(Ref::Here(table))) => self.table_routes(*table),
            Val::Known(Some(Ref::NotRead(id))) => nothing_known(
                self.not_read(id, format!("route table {} of subnet {}", id.name(), subnet.name)),
            ),
            Val::Sym(symbol) => {
                nothing_known(self.unknown(*symbol, format!("the route table of subnet {}", subnet.name)))
            }
        }
    }

    fn table_routes(&self, ix: RouteTableIx) -> UserRoutes {
        let table: &RouteTable = &self.network.route_tables[ix];
        let name = table.id.name();
        let mut out = UserRoutes {
            propagation: match &table.disable_bgp_route_propagation {
                Val::Known(false) => Propagation::On,
                Val::Known(true) => Propagation::Off(ix),
                Val::Sym(symbol) => Propagation::Unknown(
                    self.unknown(*symbol, format!("disableBgpRoutePropagation of route table {name}")),
                ),
            },
            ..UserRoutes::default()
        };
        if let Some(symbol) = table.routes.open {
            let missing = self.unknown(symbol, format!("the routes of route table {name}"));
            out.open.push(OpenSource { kind: OpenKind::User, within: None, missing });
        }
        for item in &table.routes {
            self.one_route(ix, item, &mut out);
        }
        self.twins(name, &mut out);
        out
    }

    /// Two routes of one table for one prefix: Azure rejects that, and what shows it does not say which holds (R56).
    fn twins(&self, table: &str, out: &mut UserRoutes) {
        let twin = |a: &Route, b: &Route| {
            a.prefix == b.prefix && a.tag.is_none() && b.tag.is_none() && a.hop != b.hop
        };
        let mut disputed: Vec<IpNet> = Vec::new();
        for (i, a) in out.routes.iter().enumerate() {
            if !disputed.contains(&a.prefix) && out.routes.iter().skip(i + 1).any(|b| twin(a, b)) {
                disputed.push(a.prefix);
            }
        }
        out.routes.retain(|r| r.tag.is_some() || !disputed.contains(&r.prefix));
        out.open.extend(disputed.into_iter().map(|prefix| OpenSource {
            kind: OpenKind::UserHop(prefix),
            within: Some(Addresses::prefix(prefix)),
            missing: evidence(
                format!("which route of {table} holds for {prefix}"),
                "two routes of one table share the prefix, which Azure does not accept (R56)",
                "remove one of them",
            ),
        }));
    }

    fn one_route(&self, table: RouteTableIx, item: &table_model::Route, out: &mut UserRoutes) {
        let table_name = self.network.route_tables[table].id.name();
        let label = format!("route {} of {table_name}", item.name);
        let prefix = match &item.prefix {
            Val::Known(term) => term,
            Val::Sym(symbol) => {
                let missing = self.unknown(*symbol, format!("the prefix of {label}"));
                out.open.push(OpenSource { kind: OpenKind::User, within: None, missing });
                return;
            }
        };
        let (prefixes, tag) = match prefix {
            AddressTerm::Prefix(prefix) => (Some(vec![*prefix]), None),
            AddressTerm::Any => (Some(Addresses::all_v4().prefixes()), None),
            AddressTerm::Range(from, to) => (Some(Addresses::range(*from, *to).prefixes()), None),
            AddressTerm::Tag(tag) => (self.tag_prefixes(tag), Some(tag.clone())),
        };
        let hop = match self.user_hop(item, &label) {
            Ok(hop) => hop,
            Err(missing) => {
                match prefixes {
                    Some(prefixes) => out.open.extend(prefixes.into_iter().map(|prefix| OpenSource {
                        kind: OpenKind::UserHop(prefix),
                        within: Some(Addresses::prefix(prefix)),
                        missing: missing.clone(),
                    })),
                    None => out.open.push(OpenSource { kind: OpenKind::User, within: None, missing }),
                }
                return;
            }
        };
        let one = |prefix| Route {
            prefix,
            hop: hop.clone(),
            source: RouteSource::User,
            rank: tag.as_deref().map_or(TagRank::Explicit, TagRank::of),
            name: Some(item.name.clone()),
            table: Some(table),
            tag: tag.clone(),
            by: vec![
                item.place.at(route::NEXT_HOP_TYPE),
                item.place.at(route::PREFIX),
                item.place.at(route::NEXT_HOP),
            ],
            facts: &["R59", "R60"],
            assumption: None,
        };
        match prefixes {
            Some(prefixes) => out.routes.extend(prefixes.into_iter().map(one)),
            None => {
                let tag = tag.as_deref().unwrap_or_default();
                let missing = evidence(
                    format!("the prefixes of service tag {tag}, in {label}"),
                    "no service tag list that has the tag was given (R53)",
                    "add the published ServiceTags_Public_*.json to the inputs",
                );
                let kind = OpenKind::UserTag(Box::new(one(IpNet::from(IpAddr::V4(Ipv4Addr::UNSPECIFIED)))));
                out.open.push(OpenSource { kind, within: None, missing });
            }
        }
    }

    fn user_hop(&self, item: &table_model::Route, label: &str) -> Result<Hop, Missing> {
        let kind = match &item.next_hop_type {
            Val::Known(kind) => kind,
            Val::Sym(symbol) => return Err(self.unknown(*symbol, format!("the next hop type of {label}"))),
        };
        match kind {
            NextHopType::VnetLocal => Ok(Hop::VnetLocal),
            NextHopType::Internet => Ok(Hop::Internet),
            NextHopType::None => Ok(Hop::Drop),
            NextHopType::VirtualNetworkGateway => Ok(Hop::VpnGateway),
            NextHopType::VirtualAppliance => match &item.next_hop {
                Val::Known(Some(address)) => Ok(Hop::Appliance(*address)),
                Val::Known(None) => Err(evidence(
                    format!("the next hop address of {label}"),
                    "next hop type VirtualAppliance without an address (R36)",
                    "correct the route, or collect the route table again",
                )),
                Val::Sym(symbol) => Err(self.unknown(*symbol, format!("the next hop address of {label}"))),
            },
            NextHopType::Other(word) => Err(evidence(
                format!("the next hop type of {label}"),
                format!("`{word}` is not a next hop type that a user route can have (R36)"),
                "correct the route, or collect the route table again",
            )),
        }
    }

    /// The tag's prefixes as its list writes them: which is the longest decides between tags (R54).
    pub(crate) fn tag_prefixes(&self, tag: &str) -> Option<Vec<IpNet>> {
        let known = self.network.tag_addresses(tag)?;
        let written = self.network.layered.tag_lists().iter().flat_map(|list| {
            list.tags.iter().filter(|(name, _)| name.eq_ignore_ascii_case(tag)).map(|(_, prefixes)| prefixes)
        });
        let mut parsed =
            written.map(|p| p.iter().filter_map(|p| p.parse::<IpNet>().ok()).collect::<Vec<_>>());
        // The list that the network took its addresses from.
        let exact = parsed.find(|p| Addresses::of(p.iter().copied()) == *known);
        Some(exact.unwrap_or_else(|| known.prefixes()))
    }

    /// The place that says whether a subnet's table lets gateway routes in.
    pub(crate) fn propagation_at(&self, table: RouteTableIx) -> pullproof_snapshot::At {
        self.network.route_tables[table].place.at(route_table::DISABLE_BGP_ROUTE_PROPAGATION)
    }

    /// The place of a subnet's reference to its table.
    pub(crate) fn route_table_at(&self, ix: SubnetIx) -> pullproof_snapshot::At {
        self.network.subnets[ix].place.at(subnet::ROUTE_TABLE)
    }
}
