//! The tag `VirtualNetwork`: a function of a network interface's virtual network *and subnet* (F55–F67).

use std::sync::Arc;

use pullproof_network::model::address::AddressTerm;
use pullproof_network::model::index::{PeeringIx, RouteTableIx, SubnetIx};
use pullproof_network::model::route_table::{NextHopType, Route, route};
use pullproof_network::model::vnet::{Peering, PeeringState, peering, subnet, vnet};
use pullproof_network::set::{Addresses, TagMatch};
use pullproof_network::{List, Ref, Val};
use pullproof_snapshot::ArmId;

use crate::first_match::Doubt;
use crate::first_match::public_space::PLATFORM;
use crate::outcome::{Basis, MissingKind, Read, Remark};
use crate::prover::Prover;

/// What the tag stands for at interfaces of one subnet.
#[derive(Clone, Debug, Default)]
pub(crate) struct VirtualNetwork {
    /// The network's own address space with the platform's address: never `Internet`, even where it is public (F72).
    pub own: Addresses,
    /// All that is certainly in it.
    pub sure: Addresses,
    /// What may be in it.
    pub parts: Vec<Part>,
    /// What of `sure` rests on a declared fact.
    pub grounds: Vec<(Addresses, String)>,
    pub basis: Basis,
}

/// Addresses that may be in a set.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub set: Addresses,
    /// "Are they in?"
    pub doubt: Doubt,
    /// Each address may have its own answer; else all have the same.
    pub each: bool,
}

impl Prover<'_> {
    /// The expansion of `VirtualNetwork` at interfaces of `subnet` (F62). `endpoint`: at those of private endpoints,
    /// where it is not known whether the subnet's route table counts (F94).
    pub(crate) fn virtual_network(&self, subnet: SubnetIx, endpoint: bool) -> Arc<VirtualNetwork> {
        self.virtual_networks.get((subnet, endpoint), || self.expand(subnet, endpoint))
    }

    fn expand(&self, ix: SubnetIx, endpoint: bool) -> VirtualNetwork {
        let network = self.network;
        let mut out = VirtualNetwork::default();
        let Some(here) = network.subnets.get(ix) else { return out };
        let Some(owner) = network.vnets.get(here.vnet) else { return out };
        out.read(&owner.id);
        out.read(&here.id);
        out.own = Addresses::of(owner.address_space.iter().copied()).union(&Addresses::address(PLATFORM));
        out.sure = out.own.clone();
        if owner.address_space.open.is_some() {
            out.unknown_list(owner.id.name(), vnet::ADDRESS_SPACE, "the address space of the network");
        }
        if owner.peerings.open.is_some() {
            out.unknown_list(owner.id.name(), vnet::PEERINGS, "the peerings of the network");
        }
        for peering in &owner.peerings {
            self.add_peering(&mut out, *peering);
        }
        match &here.route_table {
            Val::Known(None) => {}
            Val::Known(Some(Ref::Here(table))) => {
                let before = out.sure.clone();
                self.add_user_routes(&mut out, *table);
                if endpoint {
                    out.doubt_routes(before, &here.name);
                }
            }
            Val::Known(Some(Ref::NotRead(id))) => out.parts.push(Part {
                set: Addresses::all_v4(),
                each: true,
                doubt: Doubt {
                    key: format!("vn:routes:{}", id.folded()),
                    kind: MissingKind::Permission,
                    what: format!("route table {}", id.name()),
                    why: format!(
                        "prefixes of the route table of subnet {} are part of its VirtualNetwork tag (F59)",
                        here.name
                    ),
                    remedy: format!("read {}", id.as_written()),
                    yes: "a route of it covers the address".into(),
                    no: "no route of it covers the address".into(),
                },
            }),
            Val::Sym(_) => out.unknown_list(&here.name, subnet::ROUTE_TABLE, "the route table of the subnet"),
        }
        self.add_learned(&mut out, ix);
        out
    }

    /// F62–F65: what was synced from the remote side of a connected peering that has access.
    fn add_peering(&self, out: &mut VirtualNetwork, ix: PeeringIx) {
        let Some(link) = self.network.peerings.get(ix) else { return };
        out.read(&link.id);
        let remote = self.remote_space(link);
        let connected = match &link.state {
            Val::Known(Some(PeeringState::Connected)) => Some(true),
            Val::Known(_) => Some(false),
            Val::Sym(_) => None,
        };
        // Absent counts as true: the default (F64).
        let access = link.allow_virtual_network_access.known().map(|access| access.unwrap_or(true));
        if connected == Some(false) || access == Some(false) {
            if access == Some(false) && connected == Some(true) {
                out.basis.remarks.insert(Remark {
                    kind: "peering-access-off",
                    message: format!(
                        "peering {} has no virtual network access: its remote side is not in the VirtualNetwork tag",
                        link.name
                    ),
                    facts: vec!["F64"],
                    evidence: vec![link.place.at(peering::ALLOW_VIRTUAL_NETWORK_ACCESS)],
                });
            }
            return;
        }
        let doubt = |what: &str| Doubt {
            key: format!("vn:peering:{}", link.id.folded()),
            kind: MissingKind::Evidence,
            what: format!("{what} of peering {}", link.name),
            why: "decides whether the remote network is in the VirtualNetwork tag (F62)".into(),
            remedy: "read the peering as Azure returns it".into(),
            yes: "the peering adds the address to the tag".into(),
            no: "the peering does not add the address to the tag".into(),
        };
        let (remote, open) = match remote {
            Some(list) => (Addresses::of(list.iter().copied()), list.open.is_some()),
            None => (Addresses::empty(), true),
        };
        if connected.is_some() && access.is_some() {
            out.sure = out.sure.union(&remote);
        } else {
            out.parts.push(Part { set: remote, each: false, doubt: doubt("state or access flag") });
        }
        if open {
            out.parts.push(Part {
                set: Addresses::all_v4(),
                each: true,
                doubt: doubt("remote address space"),
            });
        }
    }

    /// What the remote side of a link contributes: what was synced (F63); for a link that was not created yet, so
    /// shows nothing, what the remote network has now. `None`: not known.
    fn remote_space<'l>(&'l self, link: &'l Peering) -> Option<&'l List<ipnet::IpNet>> {
        if let Some(synced) = &link.remote_address_space {
            return Some(synced);
        }
        let remote = link.remote.present()?.here()?;
        let remote = self.network.vnets.get(remote)?;
        // A peering of subnets contributes only those (F63).
        link.peer_complete_vnets
            .known()
            .is_some_and(|all| all.unwrap_or(true))
            .then_some(&remote.address_space)
    }

    /// F55, F58–F60: prefixes of user routes of the table that is bound to the subnet.
    fn add_user_routes(&self, out: &mut VirtualNetwork, ix: RouteTableIx) {
        let Some(table) = self.network.route_tables.get(ix) else { return };
        out.read(&table.id);
        if table.routes.open.is_some() {
            out.unknown_list(table.id.name(), "/properties/routes", "the routes of the table");
        }
        for row in &table.routes {
            match &row.prefix {
                Val::Known(AddressTerm::Tag(tag)) => self.add_tag_route(out, row, tag),
                Val::Known(AddressTerm::Any) => out.add_route(row, &Addresses::all_v4()),
                Val::Known(AddressTerm::Prefix(prefix)) => out.add_route(row, &Addresses::prefix(*prefix)),
                Val::Known(AddressTerm::Range(from, to)) => out.add_route(row, &Addresses::range(*from, *to)),
                Val::Sym(_) => out.unknown_list(&row.name, route::PREFIX, "the prefix of the route"),
            }
        }
    }

    /// F60: a service tag route puts the tag's prefixes in.
    fn add_tag_route(&self, out: &mut VirtualNetwork, row: &Route, tag: &str) {
        if let Some(known) = self.network.tag_addresses(tag) {
            out.basis.reads.insert(Read::Tag(tag.into()));
            out.add_route(row, known);
            return;
        }
        out.parts.push(Part {
            set: crate::first_match::public_space::public_space().clone(),
            each: true,
            doubt: Doubt {
                key: format!("tag:{}", tag.to_ascii_lowercase()),
                kind: MissingKind::Evidence,
                what: format!("the prefixes of service tag {tag}"),
                why: format!("route {} puts them into the VirtualNetwork tag (F60)", row.name),
                remedy: "add Microsoft's service tag file to the input".into(),
                yes: format!("the address is in {tag}"),
                no: format!("the address is not in {tag}"),
            },
        });
    }

    /// F62, F66: prefixes that a gateway taught this subnet. Only propagated ones are taken to count (FU1).
    fn add_learned(&self, out: &mut VirtualNetwork, subnet: SubnetIx) {
        let learned = self.learned_prefixes(subnet);
        out.sure = out.sure.union(&learned.sure);
        out.parts.extend(learned.parts);
        out.grounds = learned.grounds;
        out.basis.merge(&learned.basis);
    }
}

impl VirtualNetwork {
    fn read(&mut self, id: &ArmId) {
        self.basis.reads.insert(Read::Resource(id.clone()));
    }

    /// A list that is not completely known may add any address.
    fn unknown_list(&mut self, owner: &str, field: &str, what: &str) {
        self.parts.push(Part {
            set: Addresses::all_v4(),
            each: true,
            doubt: Doubt {
                key: format!("vn:{owner}:{field}"),
                kind: MissingKind::Evidence,
                what: format!("{what} {owner}"),
                why: "it is part of the VirtualNetwork tag, and not completely known".into(),
                remedy: "complete it in the input".into(),
                yes: "it holds the address".into(),
                no: "it does not hold the address".into(),
            },
        });
    }

    /// F94: what the routes added to `before` is in doubt at a private endpoint.
    fn doubt_routes(&mut self, before: Addresses, subnet: &str) {
        let added = self.sure.subtract(&before);
        self.sure = before;
        if !added.is_empty() {
            self.parts.push(Part {
                set: added,
                each: false,
                doubt: Doubt {
                    key: format!("F94:{subnet}"),
                    kind: MissingKind::Contested,
                    what: format!(
                        "does the route table of subnet {subnet} add to the VirtualNetwork tag at private endpoints"
                    ),
                    why: "it is not recorded for their interfaces (F94)".into(),
                    remedy: "allow the source by its prefix in the security group of the subnet".into(),
                    yes: "it does".into(),
                    no: "it does not".into(),
                },
            });
        }
    }

    /// F58, F59 for hops to an appliance; whether other next hop types count is not documented (FU2).
    fn add_route(&mut self, row: &Route, set: &Addresses) {
        if row.next_hop_type.is(&NextHopType::VirtualAppliance) {
            self.sure = self.sure.union(set);
        } else if !set.is_subset(&self.sure) {
            self.parts.push(Part {
                set: set.clone(),
                each: false,
                doubt: Doubt {
                    key: "FU2".into(),
                    kind: MissingKind::Contested,
                    what: "do user routes of every next hop type enter the VirtualNetwork tag (FU2)".into(),
                    why: format!("route {} has another next hop type than VirtualAppliance", row.name),
                    remedy: "read the effective security rules of an interface of the subnet".into(),
                    yes: "they do".into(),
                    no: "only those to an appliance do".into(),
                },
            });
        }
    }
}
