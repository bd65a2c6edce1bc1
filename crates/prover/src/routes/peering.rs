//! Virtual network peerings: whether a link carries traffic, and which prefixes it routes (R103–R128).

use ipnet::IpNet;
use pullproof_network::model::index::{PeeringIx, Ref, SubnetIx, VnetIx};
use pullproof_network::model::vnet::{Peering, PeeringState, PeeringSyncLevel, peering, vnet};
use pullproof_network::model::word::ProvisioningState;
use pullproof_network::{List, Val};
use pullproof_snapshot::At;

use crate::missing::{Ends, contested, evidence};
use crate::outcome::{Basis, Blocker, Missing, Outcome, Remark};
use crate::prover::Prover;
use crate::{BlockerKind, Read};

/// Whether a link carries traffic (R106).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    Usable,
    Unusable(Blocker),
    Unknown(Missing),
}

/// The other half of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherHalf {
    Here(PeeringIx),
    /// The remote network was not read: a local `Connected` speaks for both halves (R106).
    NotRead,
    /// The remote network was read, and has none.
    Nowhere,
    /// The remote network was read in part.
    Unknown,
}

impl Prover<'_> {
    /// The network at the far end, where it was read.
    pub(crate) fn remote_vnet(&self, link: PeeringIx) -> Option<VnetIx> {
        self.network.peerings[link].remote.present().and_then(Ref::here)
    }

    pub(crate) fn other_half(&self, link: PeeringIx) -> OtherHalf {
        let ours = &self.network.peerings[link];
        let Some(remote) = self.remote_vnet(link) else { return OtherHalf::NotRead };
        let peerings = &self.network.vnets[remote].peerings;
        let back = peerings
            .iter()
            .copied()
            .find(|p| self.network.peerings[*p].remote.present() == Some(&Ref::Here(ours.vnet)));
        // A half whose remote network is not known may be the one (CONTRACT §1, holes).
        let unsure = || peerings.iter().any(|p| self.network.peerings[*p].remote.symbol().is_some());
        match back {
            Some(back) => OtherHalf::Here(back),
            None if peerings.open.is_some() || unsure() => OtherHalf::Unknown,
            None => OtherHalf::Nowhere,
        }
    }

    /// Whether both halves are there and `Connected` (R103–R106).
    pub(crate) fn link(&self, ix: PeeringIx) -> Link {
        let ours = &self.network.peerings[ix];
        let half = self.other_half(ix);
        let theirs = match half {
            OtherHalf::Here(back) => Some(&self.network.peerings[back]),
            OtherHalf::NotRead | OtherHalf::Nowhere | OtherHalf::Unknown => None,
        };
        let halves: Vec<&Peering> = std::iter::once(ours).chain(theirs).collect();
        let down: Vec<&Peering> = [PeeringState::Disconnected, PeeringState::Initiated]
            .iter()
            .flat_map(|state| halves.iter().copied().filter(|p| p.state.present() == Some(state)))
            .collect();
        if let Some(first) = down.first() {
            let state = first.state.present().map_or("", PeeringState::as_str);
            return Link::Unusable(Blocker {
                kind: BlockerKind::PeeringNotConnected,
                message: format!("peering {} is {state}, so it carries no traffic", self.link_name(first)),
                remedy:
                    "delete both halves of the peering and create them again, so that both read Connected"
                        .into(),
                facts: vec!["R103", "R104", "R106"],
                evidence: down.iter().map(|p| p.place.at(peering::STATE)).collect(),
            });
        }
        if let Some(failed) =
            halves.iter().find(|p| p.provisioning_state.present() == Some(&ProvisioningState::Failed))
        {
            return Link::Unusable(Blocker {
                kind: BlockerKind::PeeringNotConnected,
                message: format!("peering {} is in provisioning state Failed", self.link_name(failed)),
                remedy: "update the peering again, or create it anew".into(),
                facts: vec!["R106"],
                evidence: vec![failed.place.at("/properties/provisioningState")],
            });
        }
        if half == OtherHalf::Nowhere {
            let remote = self.remote_vnet(ix).map_or("", |v| self.network.vnets[v].id.name());
            return Link::Unusable(Blocker {
                kind: BlockerKind::PeeringOneWay,
                message: format!(
                    "peering {} has no other half: {remote} has no peering back",
                    self.link_name(ours)
                ),
                remedy: format!("create the peering from {remote} back"),
                facts: vec!["R103", "R106"],
                evidence: vec![ours.place.at(peering::STATE)],
            });
        }
        for half in &halves {
            match &half.state {
                Val::Sym(symbol) => {
                    return Link::Unknown(
                        self.unknown(*symbol, format!("the state of peering {}", self.link_name(half))),
                    );
                }
                Val::Known(None) => {
                    return Link::Unknown(evidence(
                        format!("the state of peering {}", self.link_name(half)),
                        "peeringState is absent",
                        "collect the virtual network with its peerings in full",
                    ));
                }
                Val::Known(Some(PeeringState::Connected)) => {}
                Val::Known(Some(other)) => {
                    return Link::Unknown(evidence(
                        format!("the state of peering {}", self.link_name(half)),
                        format!("peeringState `{}` is not a known word", other.as_str()),
                        "collect it again",
                    ));
                }
            }
        }
        Link::Usable
    }

    /// `hub/to-spoke`: a link's own name says little without its network's.
    pub(crate) fn link_name(&self, link: &Peering) -> String {
        format!("{}/{}", self.network.vnets[link.vnet].id.name(), link.name)
    }

    /// The prefixes that the link's network routes over it: what was synced from the far end (R107, R124), IPv6 only
    /// where it is IPv6-only (R126).
    pub(crate) fn routed_prefixes(&self, ix: PeeringIx) -> (Vec<(IpNet, At)>, Option<Missing>) {
        let link = &self.network.peerings[ix];
        let name = self.link_name(link);
        let (list, at) = match (&link.remote_address_space, &link.remote_virtual_network_address_space) {
            (Some(list), _) => (list.clone(), link.place.at(peering::REMOTE_ADDRESS_SPACE)),
            (None, Some(list)) => {
                (list.clone(), link.place.at(peering::REMOTE_VIRTUAL_NETWORK_ADDRESS_SPACE))
            }
            (None, None) => match self.remote_vnet(ix) {
                Some(remote) if link.sync_level.present() == Some(&PeeringSyncLevel::FullyInSync) => {
                    let remote = &self.network.vnets[remote];
                    (remote.address_space.clone(), remote.place.at(vnet::ADDRESS_SPACE))
                }
                _ => {
                    let missing = evidence(
                        format!("the prefixes that peering {name} routes"),
                        "neither remoteAddressSpace nor remoteVirtualNetworkAddressSpace is there (R107)",
                        "collect the virtual network with its peerings in full",
                    );
                    return (Vec::new(), Some(missing));
                }
            },
        };
        let open = list.open.map(|s| self.unknown(s, format!("the prefixes that peering {name} routes")));
        let only_v6 = match &link.enable_only_ipv6_peering {
            Val::Known(flag) => *flag == Some(true),
            Val::Sym(symbol) => {
                let missing = self.unknown(*symbol, format!("whether peering {name} is IPv6 only"));
                return (Vec::new(), Some(missing));
            }
        };
        let numbered = list.items.iter().enumerate();
        let prefixes = numbered
            .filter(|(_, p)| !only_v6 || p.network().is_ipv6())
            .map(|(i, p)| (*p, at.item(i)))
            .collect();
        (prefixes, open)
    }

    /// Whether the two networks are in different regions. `None`: not known.
    pub(crate) fn is_global(&self, ix: PeeringIx) -> Option<bool> {
        let here = self.network.vnets[self.network.peerings[ix].vnet].location.present()?;
        let there = self.network.vnets[self.remote_vnet(ix)?].location.present()?;
        Some(plain_region(here) != plain_region(there))
    }

    /// What crossing the link adds: access switched off on either half (R112), the source's own part in a subnet
    /// peering (R122, R123), and remarks on what is out of step (R107, R114).
    pub(crate) fn crossing(&self, ix: PeeringIx, from: SubnetIx, basis: &mut Basis) -> Outcome {
        let link = &self.network.peerings[ix];
        basis.reads.insert(Read::Resource(link.id.clone()));
        basis.in_force(&link.name, &link.provisioning_state, link.place);
        self.sync_remark(ix, basis);
        self.crossing_access(ix).and(self.takes_part(link, from))
    }

    /// R123: packets of a subnet that takes no part in a subnet peering are dropped before they arrive.
    fn takes_part(&self, link: &Peering, from: SubnetIx) -> Outcome {
        let complete = match &link.peer_complete_vnets {
            // Absent is the model before subnet peering: whole networks (R244).
            Val::Known(flag) => flag.unwrap_or(true),
            Val::Sym(symbol) => {
                return Outcome::open(
                    self.unknown(*symbol, format!("peerCompleteVnets of {}", self.link_name(link))),
                );
            }
        };
        let subnet = &self.network.subnets[from];
        if complete || subnet.vnet != link.vnet {
            return Outcome::Holds;
        }
        let named: &List<Box<str>> = &link.local_subnet_names;
        if named.iter().any(|n| n.eq_ignore_ascii_case(&subnet.name)) {
            return Outcome::Holds;
        }
        if let Some(symbol) = named.open {
            return Outcome::open(
                self.unknown(symbol, format!("localSubnetNames of {}", self.link_name(link))),
            );
        }
        Outcome::fails(Blocker {
            kind: BlockerKind::PeeringOneWay,
            message: format!(
                "subnet {} takes no part in the subnet peering {}: its packets are dropped on the way",
                subnet.name,
                self.link_name(link)
            ),
            remedy: format!("add {} to the subnet names of both halves of the peering", subnet.name),
            facts: vec!["R122", "R123"],
            evidence: vec![
                link.place.at(peering::LOCAL_SUBNET_NAMES),
                link.place.at(peering::PEER_COMPLETE_VNETS),
            ],
        })
    }

    fn crossing_access(&self, ix: PeeringIx) -> Outcome {
        let mut halves = vec![&self.network.peerings[ix]];
        match self.other_half(ix) {
            OtherHalf::Here(back) => halves.push(&self.network.peerings[back]),
            // The far switch counts too (R112), and is not in the input.
            OtherHalf::Unknown => {
                return Outcome::open(evidence(
                    format!(
                        "allowVirtualNetworkAccess of the other half of {}",
                        self.link_name(&self.network.peerings[ix])
                    ),
                    "the peerings of the remote network were not all read",
                    "collect the remote network with its peerings in full",
                ));
            }
            OtherHalf::NotRead | OtherHalf::Nowhere => {}
        }
        for half in halves {
            match &half.allow_virtual_network_access {
                Val::Known(Some(false)) => {
                    // The document says that only the tag changes, which the filters then judge; two reports say that
                    // nothing passes (R112, RU10b). Either way the route stays.
                    let missing = contested(
                        "R112",
                        format!(
                            "whether peering {} with allowVirtualNetworkAccess=false carries traffic that the filters allow",
                            self.link_name(half)
                        ),
                        "set allowVirtualNetworkAccess=true, or record a connection over this peering",
                    )
                    .holds_if("the switch only takes the peer out of the VirtualNetwork tag")
                    .breaks_if("the switch blocks the traffic itself");
                    return Outcome::open(missing);
                }
                Val::Sym(symbol) => {
                    return Outcome::open(
                        self.unknown(
                            *symbol,
                            format!("allowVirtualNetworkAccess of {}", self.link_name(half)),
                        ),
                    );
                }
                // Absent: the switch is on by default (R112).
                Val::Known(Some(true) | None) => {}
            }
        }
        Outcome::Holds
    }

    fn sync_remark(&self, ix: PeeringIx, basis: &mut Basis) {
        let link = &self.network.peerings[ix];
        let lagging = matches!(&link.sync_level, Val::Known(Some(level)) if *level != PeeringSyncLevel::FullyInSync)
            || matches!(
                (&link.remote_address_space, &link.remote_virtual_network_address_space),
                (Some(synced), Some(current)) if !same_prefixes(synced, current)
            );
        if lagging {
            basis.remarks.insert(Remark {
                kind: "peering-not-in-sync",
                message: format!(
                    "peering {} is not in sync with the remote network's address space",
                    self.link_name(link)
                ),
                facts: vec!["R107", "R108"],
                evidence: vec![link.place.at(peering::SYNC_LEVEL)],
            });
        }
    }
}

fn same_prefixes(a: &List<IpNet>, b: &List<IpNet>) -> bool {
    let sorted = |list: &List<IpNet>| {
        let mut items: Vec<IpNet> = list.items.clone();
        items.sort_unstable();
        items
    };
    sorted(a) == sorted(b)
}

/// `West Europe` and `westeurope` are one region.
pub(crate) fn plain_region(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_ascii_lowercase()).collect()
}
