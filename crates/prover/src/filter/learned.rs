//! Prefixes that gateways teach a subnet, as far as they are known: part of `VirtualNetwork` (F62, F66).

use pullproof_network::model::index::SubnetIx;
use pullproof_network::set::Addresses;

use super::virtual_network::Part;
use crate::first_match::Doubt;
use crate::outcome::{Basis, Missing};
use crate::prover::Prover;
use crate::routes::{Hop, OpenKind, OpenSource, RouteSource};

/// What a subnet's gateway routes are for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Learned {
    pub sure: Addresses,
    /// What an open route source may add.
    pub parts: Vec<Part>,
    /// What of `sure` rests on a declared fact.
    pub grounds: Vec<(Addresses, String)>,
    pub basis: Basis,
}

impl Prover<'_> {
    /// The prefixes of the subnet's gateway-sourced routes, and of a Virtual WAN hub itself. Only propagated ones count
    /// (FU1).
    pub(crate) fn learned_prefixes(&self, subnet: SubnetIx) -> Learned {
        let routes = self.effective_routes(subnet);
        let mut out = Learned { basis: routes.basis.clone(), ..Learned::default() };
        let mut prefixes = Vec::new();
        for route in &routes.routes {
            if route.source == RouteSource::VirtualNetworkGateway || matches!(route.hop, Hop::HubItself(_)) {
                prefixes.push(route.prefix);
                if let Some(assumption) = &route.assumption {
                    out.grounds.push((Addresses::prefix(route.prefix), assumption.clone()));
                }
            }
        }
        out.sure = Addresses::of(prefixes);
        out.parts = routes.open.iter().filter_map(part).collect();
        out
    }
}

/// Routes that may be there put their prefixes into the tag, if they are of a kind that does: not those of service
/// endpoints (F61), and user routes are read from the table itself.
fn part(open: &OpenSource) -> Option<Part> {
    match open.kind {
        OpenKind::Gateway | OpenKind::Network(_) => {}
        OpenKind::User | OpenKind::UserHop(_) | OpenKind::UserTag(_) | OpenKind::ServiceEndpoint(_) => {
            return None;
        }
    }
    Some(Part {
        set: open.within.clone().unwrap_or_else(Addresses::all_v4),
        each: true,
        doubt: doubt(&open.missing),
    })
}

fn doubt(missing: &Missing) -> Doubt {
    Doubt {
        key: format!("learned:{}", missing.what),
        kind: missing.kind,
        what: missing.what.clone(),
        why: format!("what is learned there is in the VirtualNetwork tag (F62); {}", missing.why),
        remedy: missing.remedy.clone(),
        yes: "the address is learned".into(),
        no: "the address is not learned".into(),
    }
}
