//! Scale sets and virtual machines.

use serde_json::Value;

use super::PROVISIONING_STATE;
use super::cluster::user_identities;
use super::fields::{Fields, Raw};
use super::reader::{Reader, Source};
use crate::model::compute::{
    NicConfig, ScaleSet, ScaleSetIpConfig, VirtualMachine, VmPower, nic_config, scale_set,
    scale_set_ip_config, virtual_machine,
};
use crate::model::nic::DnsSettings;
use crate::model::val::{List, Val};
use crate::model::word::Word;

pub(crate) fn read_scale_set(reader: &mut Reader<'_>, source: &Source) {
    const NIC_CONFIGS: &str =
        "/properties/virtualMachineProfile/networkProfile/networkInterfaceConfigurations/{}";
    let mut f = Fields::new(reader, &source.json, source.place);
    let pool_name = match f.text(scale_set::POOL_NAME) {
        Val::Known(None) => f.text(scale_set::OLD_POOL_NAME),
        known => known,
    };
    let read = ScaleSet {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        orchestration_mode: f.word(scale_set::ORCHESTRATION_MODE),
        nic_configs: f.objects(scale_set::NIC_CONFIGS, NIC_CONFIGS, read_nic_config),
        user_identities: user_identities(&mut f),
        pool_name,
        disable_snat_on_pl: f.text(scale_set::DISABLE_SNAT_ON_PL),
    };
    reader.objects.scale_sets.push(read);
}

fn read_nic_config(f: &mut Fields<'_, '_, '_>) -> NicConfig {
    const IP_CONFIGS: &str = "/properties/virtualMachineProfile/networkProfile/networkInterfaceConfigurations/{}\
                              /properties/ipConfigurations/{}";
    NicConfig {
        place: f.place,
        name: f.name(),
        primary: f.boolean(nic_config::PRIMARY),
        ip_forwarding: f.boolean(nic_config::IP_FORWARDING),
        nsg: f.reference(nic_config::NSG),
        dns: DnsSettings { servers: f.addresses(nic_config::DNS_SERVERS), applied: List::empty() },
        ip_configs: f.objects(nic_config::IP_CONFIGS, IP_CONFIGS, |f| ScaleSetIpConfig {
            place: f.place,
            name: f.name(),
            primary: f.boolean(scale_set_ip_config::PRIMARY),
            subnet: f.reference(scale_set_ip_config::SUBNET),
            asgs: f.references(scale_set_ip_config::ASGS),
            backend_pools: f.ids(scale_set_ip_config::BACKEND_POOLS),
            has_public_ip: f.has(scale_set_ip_config::PUBLIC_IP),
            public_ip_prefix: f.reference(scale_set_ip_config::PUBLIC_IP_PREFIX),
        }),
    }
}

pub(crate) fn read_virtual_machine(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = VirtualMachine {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        nics: f.references(virtual_machine::NICS),
        user_identities: user_identities(&mut f),
        power_state: power(&mut f),
    };
    reader.objects.virtual_machines.push(read);
}

/// `PowerState/running` among the statuses, or Resource Graph's single code.
fn power(f: &mut Fields<'_, '_, '_>) -> Val<Option<VmPower>> {
    let statuses = match f.raw(virtual_machine::STATUSES) {
        Raw::Sym(symbol) => return Val::Sym(symbol),
        Raw::Here(value) => value.as_array(),
        Raw::Absent => None,
    };
    let code = |value: &Value| {
        let text = value.as_str()?;
        let (kind, state) = text.split_once('/')?;
        kind.eq_ignore_ascii_case("PowerState").then(|| VmPower::word(state))
    };
    let found = statuses.into_iter().flatten().find_map(|status| code(status.get("code")?));
    match found {
        Some(power) => Val::Known(Some(power)),
        None => f.scalar(virtual_machine::EXTENDED_POWER_STATE, "a power state", code),
    }
}
