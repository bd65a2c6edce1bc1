//! Who stands at an address, as an asker in some virtual network sees it.

use std::collections::BTreeSet;
use std::net::IpAddr;

use pullproof_snapshot::ArmId;

use crate::index::{Home, OwnerKind};
use crate::plain::Plain;
use crate::resources::find;

/// What stands at an address. A firewall in a hub is in no subnet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// An inbound endpoint of a DNS private resolver (D83).
    InboundEndpoint {
        id: ArmId,
        subnet: ArmId,
    },
    Firewall {
        id: ArmId,
        subnet: Option<ArmId>,
    },
    Machine {
        nic: ArmId,
        subnet: ArmId,
    },
    LoadBalancer {
        id: ArmId,
        frontend: ArmId,
        subnet: ArmId,
    },
    PrivateEndpoint {
        id: ArmId,
        subnet: ArmId,
    },
    /// Something that answers for itself and is no resolver.
    Terminal {
        id: ArmId,
        subnet: ArmId,
    },
}

impl Owner {
    /// The subnet that the owner is in, where it is in one.
    pub(crate) fn subnet(&self) -> Option<&ArmId> {
        match self {
            Self::Firewall { subnet, .. } => subnet.as_ref(),
            Self::InboundEndpoint { subnet, .. }
            | Self::Machine { subnet, .. }
            | Self::LoadBalancer { subnet, .. }
            | Self::PrivateEndpoint { subnet, .. }
            | Self::Terminal { subnet, .. } => Some(subnet),
        }
    }

    /// The resource that has the address.
    pub(crate) fn id(&self) -> &ArmId {
        match self {
            Self::Machine { nic, .. } => nic,
            Self::InboundEndpoint { id, .. }
            | Self::Firewall { id, .. }
            | Self::LoadBalancer { id, .. }
            | Self::PrivateEndpoint { id, .. }
            | Self::Terminal { id, .. } => id,
        }
    }

    /// The virtual network that the owner is in; `None` in a hub.
    pub(crate) fn vnet(&self) -> Option<ArmId> {
        self.subnet()?.parent()
    }
}

/// The owners of an address that an asker in `from` could mean: those in its own virtual network, else those in a
/// directly peered one, else all. More than one: not known which.
pub(crate) fn owners(plain: &Plain, from: Option<&ArmId>, address: IpAddr) -> Vec<Owner> {
    let everyone = everyone(plain, address);
    let Some(from) = from else { return everyone };
    let near = |vnets: &BTreeSet<ArmId>| -> Vec<Owner> {
        let is_near = |owner: &&Owner| owner.vnet().is_some_and(|vnet| vnets.contains(&vnet));
        everyone.iter().filter(is_near).cloned().collect()
    };
    let own = near(&BTreeSet::from([from.clone()]));
    if !own.is_empty() {
        return own;
    }
    let beside = near(&peered(plain, from));
    if beside.is_empty() { everyone } else { beside }
}

/// The virtual networks at the other end of a virtual network's peerings, whatever state these are in.
pub(crate) fn peered(plain: &Plain, vnet: &ArmId) -> BTreeSet<ArmId> {
    let Some(vnet) = find(plain, vnet.folded()) else { return BTreeSet::new() };
    let peerings = vnet.children(plain, "virtualNetworkPeerings");
    peerings
        .iter()
        .filter_map(|peering| {
            peering.node().reference("/properties/remoteVirtualNetwork").known().ok().flatten()
        })
        .collect()
}

fn everyone(plain: &Plain, address: IpAddr) -> Vec<Owner> {
    let all = plain.index().owners.get(&address).map(Vec::as_slice).unwrap_or_default();
    all.iter()
        .filter_map(|owner| {
            let subnet = match &owner.home {
                Home::Subnet(subnet) => Some(subnet.clone()),
                Home::Hub(_) => None,
            };
            Some(match &owner.kind {
                OwnerKind::AzureFirewall => Owner::Firewall { id: owner.id.clone(), subnet },
                OwnerKind::Nic => Owner::Machine { nic: owner.id.clone(), subnet: subnet? },
                OwnerKind::PrivateEndpoint => {
                    Owner::PrivateEndpoint { id: owner.id.clone(), subnet: subnet? }
                }
                OwnerKind::LoadBalancer(frontend) => {
                    Owner::LoadBalancer { id: owner.id.clone(), frontend: frontend.clone(), subnet: subnet? }
                }
                OwnerKind::ResolverEndpoint => {
                    Owner::InboundEndpoint { id: owner.id.clone(), subnet: subnet? }
                }
                OwnerKind::Terminal => Owner::Terminal { id: owner.id.clone(), subnet: subnet? },
            })
        })
        .collect()
}
