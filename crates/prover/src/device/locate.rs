//! Where an address is, seen from a network, and who holds it there.

use std::net::IpAddr;

use pullproof_network::Val;
use pullproof_network::model::index::{HubConnectionIx, PeeringIx, Ref, SubnetIx, VnetIx};
use pullproof_network::model::owner::{Owner, OwnerKind};
use pullproof_network::model::word::ProvisioningState;
use pullproof_network::set::assignable;
use pullproof_snapshot::Absence;

use crate::missing::evidence;
use crate::outcome::Missing;
use crate::prover::Prover;
use crate::routes::peering::Link;

/// Where a next hop's address is (R41).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Located {
    Own,
    Peered(PeeringIx),
    Hub(HubConnectionIx),
    Nowhere,
    Open(Missing),
}

/// Who holds an address of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Holding {
    By(Owner),
    /// Everything that can hold it was read, and nothing does.
    Nobody,
    Unknown(Missing),
}

const SUBNET: &str = "microsoft.network/virtualnetworks/subnets";

/// Types that hold addresses of a subnet and stand in the network's own subscription.
const HOLDERS: [&str; 5] = [
    "microsoft.network/networkinterfaces",
    "microsoft.network/loadbalancers",
    "microsoft.network/azurefirewalls",
    "microsoft.network/privateendpoints",
    "microsoft.network/dnsresolvers/inboundendpoints",
];

/// Types that hold addresses of a subnet and are not followed: where one of them is in the input, an address that
/// nothing else holds may be its.
const INJECTED: [&str; 9] = [
    "microsoft.network/applicationgateways",
    "microsoft.network/bastionhosts",
    "microsoft.network/virtualnetworkappliances",
    "microsoft.sql/managedinstances",
    "microsoft.apimanagement/service",
    "microsoft.web/hostingenvironments",
    "microsoft.containerinstance/containergroups",
    "microsoft.netapp/netappaccounts",
    "microsoft.machinelearningservices/workspaces",
];

/// Subnets that hold the platform's own devices (R174, R248).
const PLATFORM_SUBNETS: [&str; 5] = [
    "VirtualNetworkApplianceSubnet",
    "AzureBastionSubnet",
    "RouteServerSubnet",
    "GatewaySubnet",
    "AzureFirewallManagementSubnet",
];

impl Prover<'_> {
    /// R41: the network's own space, the routed prefixes of its usable links, the space of a connected hub.
    pub(crate) fn locate(&self, vnet: VnetIx, address: IpAddr) -> Located {
        let network = &self.network.vnets[vnet];
        if network.address_space.iter().any(|p| p.contains(&address)) {
            return Located::Own;
        }
        let mut open = network
            .address_space
            .open
            .map(|s| self.unknown(s, format!("the address space of {}", network.id.name())));
        for link in network.peerings.iter().copied() {
            let (prefixes, more) = self.routed_prefixes(link);
            let covers = prefixes.iter().any(|(p, _)| p.contains(&address));
            match self.link(link) {
                Link::Usable if covers => return Located::Peered(link),
                Link::Usable => open = open.or(more),
                Link::Unknown(missing) if covers || more.is_some() => open = open.or(Some(missing)),
                Link::Unknown(_) | Link::Unusable(_) => {}
            }
        }
        for c in self.network.hub_connections_of(vnet).iter().copied() {
            let connection = &self.network.hub_connections[c];
            let prefix = self.network.hubs[connection.hub].address_prefix.present();
            let up = connection.provisioning_state.present() != Some(&ProvisioningState::Failed);
            if up && prefix.is_some_and(|p| p.contains(&address)) {
                return Located::Hub(c);
            }
        }
        if let Some(symbol) = network.peerings.open {
            open =
                open.or_else(|| Some(self.unknown(symbol, format!("the peerings of {}", network.id.name()))));
        }
        open.map_or(Located::Nowhere, Located::Open)
    }

    /// The subnet of the network whose prefix holds the address.
    pub(crate) fn subnet_of(&self, vnet: VnetIx, address: IpAddr) -> Option<SubnetIx> {
        let subnets = self.network.vnets[vnet].subnets.iter().copied();
        subnets
            .filter(|s| self.network.subnets[*s].prefixes.iter().any(|p| p.contains(&address)))
            .min_by_key(|s| self.network.subnets[*s].name.clone())
    }

    /// The network of a subnet; of one that was not read, the network that its id names.
    pub(crate) fn vnet_with(&self, subnet: &Ref<SubnetIx>) -> Option<VnetIx> {
        match subnet {
            Ref::Here(subnet) => Some(self.network.subnets[*subnet].vnet),
            Ref::NotRead(id) => {
                let vnet = id.parent()?;
                self.network.vnets.iter().find(|(_, v)| v.id == vnet).map(|(ix, _)| ix)
            }
        }
    }

    /// What has the address in a subnet that was not read, of this network or of one that is not known.
    fn in_a_lost_subnet(&self, vnet: VnetIx, address: IpAddr) -> Option<Missing> {
        let network = self.network;
        let subnet = |owner: &Owner| match owner.kind {
            OwnerKind::PrivateEndpoint(ix) => Some(&network.private_endpoints[ix].subnet),
            OwnerKind::Nic(ix, n) => network.nics[ix].ip_configs.items.get(usize::from(n)).map(|c| &c.subnet),
            OwnerKind::Frontend(ix, n) => {
                network.load_balancers[ix].frontends.items.get(usize::from(n)).map(|f| &f.subnet)
            }
            OwnerKind::Firewall(ix, n) => {
                network.firewalls[ix].ip_configs.items.get(usize::from(n)).map(|c| &c.subnet)
            }
            OwnerKind::InboundEndpoint(ix, n) => {
                network.inbound_endpoints[ix].ip_configs.items.get(usize::from(n)).map(|c| &c.subnet)
            }
            OwnerKind::HubFirewall(_) | OwnerKind::Gateway(_) | OwnerKind::HubRouter(_) => None,
        };
        let perhaps_here = |owner: &&Owner| {
            owner.vnet.is_none()
                && subnet(owner).is_some_and(|subnet| match subnet {
                    Val::Known(Some(reference)) => {
                        self.vnet_with(reference).is_none_or(|v| v == vnet)
                            && !matches!(reference, Ref::NotRead(id) if id.resource_type().is_some_and(|t| t == SUBNET)
                                && !id.is_within(network.vnets[vnet].id.folded()))
                    }
                    Val::Known(None) | Val::Sym(_) => true,
                })
        };
        // An endpoint that stands here by its own word, with an interface that says otherwise.
        let strays = |owner: &&Owner| match owner.kind {
            OwnerKind::PrivateEndpoint(ix) => {
                owner.vnet.is_some_and(|v| v != vnet) && self.endpoint_vnet(ix) == Some(vnet)
            }
            _ => false,
        };
        network.owners_of(address).iter().find(|owner| perhaps_here(owner) || strays(owner)).map(|_| {
            evidence(
                format!("who holds {address} in {}", network.vnets[vnet].id.name()),
                "something with this address stands in a subnet that was not read, or in another one by a part of its own",
                "collect the virtual network with all its subnets",
            )
        })
    }

    /// Who holds an address of `vnet` (`same_address_in_two_networks_is_two_hosts`).
    pub(crate) fn holding(&self, vnet: VnetIx, address: IpAddr) -> Holding {
        let owners = self.network.owners_of(address).iter().filter(|o| o.vnet == Some(vnet));
        // A private endpoint's NIC is the endpoint.
        if let Some(owner) = owners.min_by_key(|o| !matches!(o.kind, OwnerKind::PrivateEndpoint(_))) {
            return Holding::By(owner.clone());
        }
        if let Some(missing) = self.in_a_lost_subnet(vnet, address) {
            return Holding::Unknown(missing);
        }
        let network = &self.network.vnets[vnet];
        let name = network.id.name();
        let Some(subnet) = self.subnet_of(vnet, address) else {
            return match network.subnets.open {
                Some(symbol) => Holding::Unknown(self.unknown(symbol, format!("the subnets of {name}"))),
                None => Holding::Nobody,
            };
        };
        let subnet_model = &self.network.subnets[subnet];
        let reserved = subnet_model
            .prefixes
            .iter()
            .filter(|p| p.contains(&address))
            .all(|p| !assignable(*p).contains(address));
        if reserved {
            return Holding::Nobody; // R25
        }
        let may_hold = |s: Option<SubnetIx>, v: Option<VnetIx>| {
            s == Some(subnet) || (s.is_none() && v.is_none_or(|v| v == vnet))
        };
        let unknown = self.network.unknown_owners().iter().find(|o| may_hold(o.subnet, o.vnet));
        if let Some(unknown) = unknown {
            return Holding::Unknown(
                self.unknown(unknown.symbol, format!("whether {address} in {name} is assigned")),
            );
        }
        let scaled =
            !self.network.scale_sets_of(subnet).is_empty() || !self.network.pools_of(subnet).is_empty();
        let platform = PLATFORM_SUBNETS.iter().any(|name| name.eq_ignore_ascii_case(&subnet_model.name));
        let injected = INJECTED.iter().any(|kind| !self.network.layered.of_type(kind).is_empty());
        if scaled || platform || injected || !subnet_model.delegations.is_empty() {
            return Holding::Unknown(evidence(
                format!("who holds {address} in subnet {}", subnet_model.name),
                "scale set instances and injected services there are in no list of network interfaces",
                "check by hand what has the address",
            ));
        }
        for kind in HOLDERS {
            if let Absence::NoEvidence(why) = self.network.layered.absence(network.id.folded(), kind) {
                return Holding::Unknown(evidence(
                    format!("who holds {address} in {name}"),
                    why,
                    "let pullproof read network interfaces, load balancers and firewalls there",
                ));
            }
        }
        Holding::Nobody
    }
}
