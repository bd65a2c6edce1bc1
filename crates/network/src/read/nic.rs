//! Network interfaces.

use super::PROVISIONING_STATE;
use super::fields::{Fields, Raw};
use super::reader::{Reader, Source};
use crate::model::nic::{DnsSettings, IpConfig, Nic, PrivateLinkMember, ip_config, nic};

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = Nic {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        // R246.
        ip_forwarding: f.boolean(nic::IP_FORWARDING).or_default(false),
        nsg: f.reference(nic::NSG),
        dns: DnsSettings {
            servers: f.addresses(nic::DNS_SERVERS),
            applied: f.addresses(nic::APPLIED_DNS_SERVERS),
        },
        ip_configs: f.objects(nic::IP_CONFIGS, "/properties/ipConfigurations/{}", read_ip_config),
        private_endpoint: f.reference(nic::PRIVATE_ENDPOINT),
        virtual_machine: f.reference(nic::VIRTUAL_MACHINE),
        default_outbound_connectivity_enabled: f.boolean(nic::DEFAULT_OUTBOUND),
        disable_snat_on_pl: f.text(nic::DISABLE_SNAT_ON_PL),
    };
    reader.objects.nics.push(read);
}

fn read_ip_config(f: &mut Fields<'_, '_, '_>) -> IpConfig {
    let member = !matches!(f.raw(ip_config::MEMBER), Raw::Absent);
    IpConfig {
        id: f.id("ipConfigurations"),
        place: f.place,
        name: f.name(),
        subnet: f.reference(ip_config::SUBNET),
        address: f.address(ip_config::ADDRESS),
        allocation: f.word(ip_config::ALLOCATION),
        primary: f.boolean(ip_config::PRIMARY),
        public_ip: f.reference(ip_config::PUBLIC_IP),
        asgs: f.references(ip_config::ASGS),
        backend_pools: f.ids(ip_config::BACKEND_POOLS),
        member: member.then(|| PrivateLinkMember {
            group: f.text(ip_config::MEMBER_GROUP),
            name: f.text(ip_config::MEMBER_NAME),
            fqdns: f.hosts(ip_config::MEMBER_FQDNS),
        }),
    }
}
