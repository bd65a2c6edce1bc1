//! Who holds which address.

use std::collections::HashMap;
use std::net::IpAddr;

use crate::model::index::{Ref, SubnetIx};
use crate::model::owner::{Owner, OwnerKind, UnknownOwner};
use crate::model::val::Val;
use crate::network::Objects;

struct Owners<'a> {
    objects: &'a Objects,
    known: HashMap<IpAddr, Vec<Owner>>,
    unknown: Vec<UnknownOwner>,
}

/// All holders of known addresses, and those of unknown ones.
pub(crate) fn owners(objects: &Objects) -> (HashMap<IpAddr, Vec<Owner>>, Vec<UnknownOwner>) {
    let mut owners = Owners { objects, known: HashMap::new(), unknown: Vec::new() };
    owners.nics();
    owners.private_endpoints();
    owners.devices();
    (owners.known, owners.unknown)
}

impl Owners<'_> {
    fn add(&mut self, address: &Val<Option<IpAddr>>, kind: OwnerKind, subnet: Option<SubnetIx>) {
        let vnet = subnet.map(|subnet| self.objects.subnets[subnet].vnet);
        match address {
            Val::Known(Some(address)) => {
                let owner = Owner { address: *address, kind, subnet, vnet };
                let owners = self.known.entry(*address).or_default();
                if !owners.contains(&owner) {
                    owners.push(owner);
                }
            }
            Val::Known(None) => {}
            Val::Sym(symbol) => {
                let owner = UnknownOwner { symbol: *symbol, kind, subnet, vnet };
                if !self.unknown.contains(&owner) {
                    self.unknown.push(owner);
                }
            }
        }
    }

    fn nics(&mut self) {
        let objects = self.objects;
        for (ix, nic) in objects.nics.iter() {
            // The NIC of a private endpoint is the endpoint (D69).
            let endpoint = nic.private_endpoint.present().map(Ref::here);
            for (n, config) in (0..).zip(&nic.ip_configs) {
                let kind = match endpoint {
                    Some(Some(endpoint)) => OwnerKind::PrivateEndpoint(endpoint),
                    _ => OwnerKind::Nic(ix, n),
                };
                self.add(&config.address, kind, here(&config.subnet));
            }
            // More of its addresses may be anywhere in its subnet.
            if let Some(symbol) = nic.ip_configs.open {
                let kind = match endpoint {
                    Some(Some(endpoint)) => OwnerKind::PrivateEndpoint(endpoint),
                    _ => OwnerKind::Nic(ix, u16::try_from(nic.ip_configs.items.len()).unwrap_or(u16::MAX)),
                };
                let listed = nic.ip_configs.iter().find_map(|config| here(&config.subnet));
                let subnet = listed.or_else(|| {
                    let endpoint = endpoint.flatten()?;
                    here(&objects.private_endpoints[endpoint].subnet)
                });
                self.add(&Val::Sym(symbol), kind, subnet);
            }
        }
    }

    /// Static addresses and custom DNS configurations of a private endpoint; its NIC may not be in the input (A74).
    fn private_endpoints(&mut self) {
        let objects = self.objects;
        for (ix, endpoint) in objects.private_endpoints.iter() {
            let (kind, subnet) = (OwnerKind::PrivateEndpoint(ix), here(&endpoint.subnet));
            for config in &endpoint.ip_configs {
                self.add(&config.address, kind, subnet);
            }
            for address in endpoint.custom_dns_configs.iter().flat_map(|config| &config.addresses) {
                self.add(&address.as_ref().map(|address| Some(*address)), kind, subnet);
            }
        }
    }

    fn devices(&mut self) {
        let objects = self.objects;
        for (ix, balancer) in objects.load_balancers.iter() {
            for (n, frontend) in (0..).zip(&balancer.frontends) {
                self.add(&frontend.address, OwnerKind::Frontend(ix, n), here(&frontend.subnet));
            }
        }
        for (ix, firewall) in objects.firewalls.iter() {
            for (n, config) in (0..).zip(&firewall.ip_configs) {
                self.add(&config.address, OwnerKind::Firewall(ix, n), here(&config.subnet));
            }
            self.add(&firewall.hub_address, OwnerKind::HubFirewall(ix), None);
        }
        for (ix, endpoint) in objects.inbound_endpoints.iter() {
            for (n, config) in (0..).zip(&endpoint.ip_configs) {
                self.add(&config.address, OwnerKind::InboundEndpoint(ix, n), here(&config.subnet));
            }
        }
        for (ix, gateway) in objects.gateways.iter() {
            let kind = OwnerKind::Gateway(ix);
            let subnet = gateway.ip_configs.iter().find_map(|config| here(&config.subnet));
            for config in &gateway.ip_configs {
                self.add(&config.address, kind, here(&config.subnet));
            }
            for address in &gateway.bgp.peering_addresses {
                self.add(&address.as_ref().map(|address| Some(*address)), kind, subnet);
            }
        }
        for (ix, hub) in objects.hubs.iter() {
            let subnet = hub.route_server_subnets.iter().find_map(Ref::here);
            for address in &hub.virtual_router_ips {
                let address = address.as_ref().map(|address| Some(*address));
                self.add(&address, OwnerKind::HubRouter(ix), subnet);
            }
        }
    }
}

fn here(subnet: &Val<Option<Ref<SubnetIx>>>) -> Option<SubnetIx> {
    subnet.present().and_then(Ref::here)
}
