//! Puts the parts of the workers together.

use super::Read;
use super::reader::{Reader, merge as add_symbol};
use crate::model::index::Ix;
use crate::network::Objects;

/// `None` when two names have one number: read again with another salt.
pub(crate) fn merge(parts: Vec<Reader<'_>>, salt: u64) -> Option<Read> {
    let mut out = Read::default();
    out.symbols.salt = salt;
    for mut part in parts {
        if part.collision {
            return None;
        }
        for (ix, symbol) in part.symbols {
            if !add_symbol(&mut out.symbols.by_ix, ix, symbol) {
                return None;
            }
        }
        shift(&out.objects, &mut part.objects);
        out.objects.append(&mut part.objects);
        out.gaps.append(&mut part.gaps);
        out.conflicts.append(&mut part.conflicts);
    }
    out.gaps.sort();
    out.gaps.dedup();
    out.conflicts.sort();
    out.conflicts.dedup();
    Some(out)
}

/// Numbers in a part count from its own start: moves those of parents and children behind what is there already.
fn shift(all: &Objects, part: &mut Objects) {
    // parents { the parent's list: children { the child's parent } }
    macro_rules! shift {
        ($($parents:ident { $($list:ident: $children:ident { $parent:ident }),* $(,)? })*) => {$(
            let by = all.$parents.next();
            $(for child in part.$children.iter_mut() {
                child.$parent = child.$parent.shifted(by);
            })*
            for parent in part.$parents.iter_mut() {
                $(for child in &mut parent.$list.items {
                    *child = child.shifted(all.$children.next());
                })*
            }
        )*};
    }
    shift! {
        vnets { subnets: subnets { vnet }, peerings: peerings { vnet } }
        private_endpoints { zone_groups: zone_groups { private_endpoint } }
        hubs {
            connections: hub_connections { hub }, route_tables: hub_route_tables { hub },
            routing_intents: routing_intents { hub },
        }
        policies { groups: rule_collection_groups { policy } }
        zones { links: zone_links { zone }, record_sets: record_sets { zone } }
        resolvers { inbound: inbound_endpoints { resolver }, outbound: outbound_endpoints { resolver } }
        rulesets { rules: forwarding_rules { ruleset }, links: ruleset_links { ruleset } }
        dns_policies { rules: dns_security_rules { policy }, links: dns_policy_links { policy } }
        registries { replications: replications { registry } }
        clusters { pools: pools { cluster } }
    }
}
