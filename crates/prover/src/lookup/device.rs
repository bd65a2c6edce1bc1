//! Things with an address at which a resolver may listen.

use std::net::IpAddr;

use pullproof_network::Ref;
use pullproof_network::model::index::{FirewallIx, InboundEndpointIx, LoadBalancerIx, NicIx, SubnetIx};
use pullproof_network::model::object::Object;
use pullproof_network::model::owner::OwnerKind;
use pullproof_snapshot::ArmId;

use crate::prover::Prover;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    Nic(NicIx),
    LoadBalancer(LoadBalancerIx),
    Firewall(FirewallIx),
    Inbound(InboundEndpointIx),
}

impl Prover<'_> {
    /// The device of an id that holds the address; a part of one (a front end, an IP configuration) is the device, a
    /// machine is its NIC.
    pub(crate) fn listener(&self, id: &ArmId, address: IpAddr) -> Option<Device> {
        let device = |id: &ArmId| match self.network.find(id.folded())? {
            Object::Nic(ix) => Some(Device::Nic(ix)),
            Object::VirtualMachine(ix) => {
                let nics = self.network.virtual_machines[ix].nics.iter().filter_map(Ref::here);
                let holds = |nic: &NicIx| {
                    self.network.nics[*nic].ip_configs.iter().any(|c| c.address.is(&Some(address)))
                };
                nics.into_iter().find(holds).map(Device::Nic)
            }
            Object::LoadBalancer(ix) => Some(Device::LoadBalancer(ix)),
            Object::Firewall(ix) => Some(Device::Firewall(ix)),
            Object::InboundEndpoint(ix) => Some(Device::Inbound(ix)),
            _ => None,
        };
        device(id).or_else(|| device(&id.parent()?))
    }

    pub(crate) fn device_id(&self, device: Device) -> &ArmId {
        match device {
            Device::Nic(ix) => &self.network.nics[ix].id,
            Device::LoadBalancer(ix) => &self.network.load_balancers[ix].id,
            Device::Firewall(ix) => &self.network.firewalls[ix].id,
            Device::Inbound(ix) => &self.network.inbound_endpoints[ix].id,
        }
    }

    /// What holds the address in virtual networks, each with its subnet.
    pub(crate) fn holders(&self, address: IpAddr) -> Vec<(Device, SubnetIx)> {
        let owners = self.network.owners_of(address).iter();
        let device = |kind: OwnerKind| match kind {
            OwnerKind::Nic(ix, _) => Some(Device::Nic(ix)),
            OwnerKind::Frontend(ix, _) => Some(Device::LoadBalancer(ix)),
            OwnerKind::Firewall(ix, _) => Some(Device::Firewall(ix)),
            OwnerKind::InboundEndpoint(ix, _) => Some(Device::Inbound(ix)),
            _ => None,
        };
        owners.filter_map(|owner| Some((device(owner.kind)?, owner.subnet?))).collect()
    }

    pub(crate) fn held_subnet(&self, device: Device, address: IpAddr) -> Option<SubnetIx> {
        self.holders(address).into_iter().find(|(d, _)| *d == device).map(|(_, subnet)| subnet)
    }
}
