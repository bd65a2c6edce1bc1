//! Who owns which private address, and which subnets there are: one pass over the snapshot.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use pullproof_snapshot::{ArmId, ResourceIx};

use crate::json::Node;
use crate::plain::Plain;
use crate::vnet::{Subnet, vnets};

/// What owns an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnerKind {
    Nic,
    /// A private endpoint (its NIC belongs to the platform, F93).
    PrivateEndpoint,
    /// A load balancer's private front end, by the front end's id.
    LoadBalancer(ArmId),
    AzureFirewall,
    ResolverEndpoint,
    /// Something that takes traffic for itself and forwards nothing: an application gateway.
    Terminal,
}

/// Where an address is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Home {
    Subnet(ArmId),
    Hub(ArmId),
}

/// One owner of an address. Address spaces overlap: ask with the network, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    pub address: IpAddr,
    pub home: Home,
    pub kind: OwnerKind,
    /// The resource: NIC, private endpoint, load balancer, firewall, inbound endpoint.
    pub id: ArmId,
}

impl Owner {
    /// The virtual network that the address is in; `None` in a hub.
    pub fn vnet(&self) -> Option<ArmId> {
        match &self.home {
            Home::Subnet(subnet) => subnet.parent(),
            Home::Hub(_) => None,
        }
    }
}

/// A private endpoint's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointAddress {
    pub endpoint: ArmId,
    pub subnet: ArmId,
    pub address: IpAddr,
}

#[derive(Default)]
pub struct Index {
    pub subnets: BTreeMap<ArmId, Subnet>,
    pub owners: BTreeMap<IpAddr, Vec<Owner>>,
    pub endpoints: Vec<EndpointAddress>,
    /// IP configuration id → its NIC; for load balancer back ends.
    pub configurations: HashMap<ArmId, ArmId>,
    /// Scale sets by (subscription, resource group), folded.
    pub scale_sets: HashMap<(String, String), Vec<ResourceIx>>,
}

impl Index {
    pub fn build(plain: &Plain) -> Self {
        let mut index = Self::default();
        for vnet in vnets(plain) {
            for subnet in vnet.subnets(plain) {
                index.subnets.insert(subnet.id.clone(), subnet);
            }
        }
        for ix in plain.layered.of_type("Microsoft.Network/virtualNetworks/subnets") {
            let id = plain.layered.id(ix).clone();
            if let (Some(vnet), false) = (id.parent(), index.subnets.contains_key(&id)) {
                let json = (*plain.json(ix)).clone();
                index.subnets.insert(id.clone(), Subnet { name: id.name().to_owned(), id, vnet, json });
            }
        }
        index.nics(plain);
        index.private_endpoints(plain);
        index.front_ends(plain, "Microsoft.Network/loadBalancers", true);
        index.front_ends(plain, "Microsoft.Network/applicationGateways", false);
        index.firewalls(plain);
        index.resolver_endpoints(plain);
        for ix in plain.layered.of_type("Microsoft.Compute/virtualMachineScaleSets") {
            let id = plain.layered.id(ix);
            if let (Some(subscription), Some(group)) = (id.subscription(), id.resource_group()) {
                let key = (subscription.to_owned(), group.to_owned());
                index.scale_sets.entry(key).or_default().push(ix);
            }
        }
        index
    }

    fn add(&mut self, address: IpAddr, home: Home, kind: OwnerKind, id: ArmId) {
        let owners = self.owners.entry(address).or_default();
        let owner = Owner { address, home, kind, id };
        if !owners.contains(&owner) {
            owners.push(owner);
        }
    }

    fn nics(&mut self, plain: &Plain) {
        for ix in plain.layered.of_type("Microsoft.Network/networkInterfaces") {
            let (id, json) = (plain.layered.id(ix).clone(), plain.layered.json(ix));
            let node = Node::new(&json, &id);
            let endpoint = node.reference("/properties/privateEndpoint").known().ok().flatten();
            for config in node.list("/properties/ipConfigurations").known {
                let config = Node::new(config, &id);
                if let Ok(Some(config_id)) = config.text("/id").known() {
                    self.configurations.insert(ArmId::new(config_id), id.clone());
                }
                let address = config.address("/properties/privateIPAddress").known();
                let subnet = config.reference("/properties/subnet").known();
                let (Ok(Some(address)), Ok(Some(subnet))) = (address, subnet) else { continue };
                match &endpoint {
                    Some(endpoint) => self.endpoint(endpoint.clone(), subnet, address),
                    None => self.add(address, Home::Subnet(subnet), OwnerKind::Nic, id.clone()),
                }
            }
        }
    }

    fn endpoint(&mut self, endpoint: ArmId, subnet: ArmId, address: IpAddr) {
        self.add(address, Home::Subnet(subnet.clone()), OwnerKind::PrivateEndpoint, endpoint.clone());
        let row = EndpointAddress { endpoint, subnet, address };
        if !self.endpoints.contains(&row) {
            self.endpoints.push(row);
        }
    }

    /// Each address of an endpoint has a route of its own (R11); its NIC, its IP configurations and its DNS
    /// configurations say the same, and not every input has all three.
    fn private_endpoints(&mut self, plain: &Plain) {
        for ix in plain.layered.of_type("Microsoft.Network/privateEndpoints") {
            let (id, json) = (plain.layered.id(ix).clone(), plain.layered.json(ix));
            let node = Node::new(&json, &id);
            let Ok(Some(subnet)) = node.reference("/properties/subnet").known() else { continue };
            for config in node.list("/properties/ipConfigurations").known {
                if let Ok(Some(a)) = Node::new(config, &id).address("/properties/privateIPAddress").known() {
                    self.endpoint(id.clone(), subnet.clone(), a);
                }
            }
            for config in node.list("/properties/customDnsConfigs").known {
                for text in Node::new(config, &id).texts("/ipAddresses").known {
                    if let Ok(a) = text.parse() {
                        self.endpoint(id.clone(), subnet.clone(), a);
                    }
                }
            }
        }
    }

    fn front_ends(&mut self, plain: &Plain, resource_type: &str, balancer: bool) {
        for ix in plain.layered.of_type(resource_type) {
            let (id, json) = (plain.layered.id(ix).clone(), plain.layered.json(ix));
            for front in Node::new(&json, &id).list("/properties/frontendIPConfigurations").known {
                let front = Node::new(front, &id);
                let address = front.address("/properties/privateIPAddress").known();
                let subnet = front.reference("/properties/subnet").known();
                let (Ok(Some(address)), Ok(Some(subnet))) = (address, subnet) else { continue };
                let kind = match front.text("/id").known() {
                    Ok(Some(front_id)) if balancer => OwnerKind::LoadBalancer(ArmId::new(front_id)),
                    _ if balancer => OwnerKind::LoadBalancer(id.clone()),
                    _ => OwnerKind::Terminal,
                };
                self.add(address, Home::Subnet(subnet), kind, id.clone());
            }
        }
    }

    fn firewalls(&mut self, plain: &Plain) {
        for ix in plain.layered.of_type("Microsoft.Network/azureFirewalls") {
            let (id, json) = (plain.layered.id(ix).clone(), plain.layered.json(ix));
            let node = Node::new(&json, &id);
            for config in node.list("/properties/ipConfigurations").known {
                let config = Node::new(config, &id);
                let address = config.address("/properties/privateIPAddress").known();
                let subnet = config.reference("/properties/subnet").known();
                if let (Ok(Some(address)), Ok(Some(subnet))) = (address, subnet) {
                    self.add(address, Home::Subnet(subnet), OwnerKind::AzureFirewall, id.clone());
                }
            }
            let hub = node.reference("/properties/virtualHub").known();
            let address = node.address("/properties/hubIPAddresses/privateIPAddress").known();
            if let (Ok(Some(hub)), Ok(Some(address))) = (hub, address) {
                self.add(address, Home::Hub(hub), OwnerKind::AzureFirewall, id.clone());
            }
        }
    }

    fn resolver_endpoints(&mut self, plain: &Plain) {
        for ix in plain.layered.of_type("Microsoft.Network/dnsResolvers/inboundEndpoints") {
            let (id, json) = (plain.layered.id(ix).clone(), plain.layered.json(ix));
            for config in Node::new(&json, &id).list("/properties/ipConfigurations").known {
                let config = Node::new(config, &id);
                let address = config.address("/privateIpAddress").known();
                let subnet = config.reference("/subnet").known();
                if let (Ok(Some(address)), Ok(Some(subnet))) = (address, subnet) {
                    self.add(address, Home::Subnet(subnet), OwnerKind::ResolverEndpoint, id.clone());
                }
            }
        }
    }

    /// The owners of an address in a virtual network.
    pub fn owners_in(&self, vnet: &ArmId, address: IpAddr) -> Vec<Owner> {
        let all = self.owners.get(&address).map(Vec::as_slice).unwrap_or_default();
        all.iter().filter(|o| o.vnet().as_ref() == Some(vnet)).cloned().collect()
    }
}
