//! Private endpoints, zone groups, private link services.

use super::fields::{Fields, arm_id};
use super::reader::{Reader, Source};
use super::{LOCATION, PROVISIONING_STATE};
use crate::model::index::{Ix, PrivateEndpointIx, Ref};
use crate::model::private_endpoint::{
    CustomDnsConfig, PrivateEndpoint, PrivateEndpointIpConfig, PrivateLinkConnection, PrivateLinkService,
    PrivateLinkTarget, WrittenRecordSet, ZoneConfig, ZoneGroup, custom_dns_config, private_endpoint,
    private_endpoint_ip_config, private_link_connection, private_link_service, zone_group,
};
use crate::model::val::List;

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let ix = PrivateEndpointIx::new(reader.objects.private_endpoints.next());
    let (children, open) = reader.children(source, "privateDnsZoneGroups", private_endpoint::ZONE_GROUPS);
    let mut zone_groups = List { items: Vec::with_capacity(children.len()), open };
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        let read = ZoneGroup {
            place: f.place,
            private_endpoint: ix,
            provisioning_state: f.word(PROVISIONING_STATE),
            configs: f.objects(zone_group::CONFIGS, "/properties/privateDnsZoneConfigs/{}", read_zone_config),
            id: child.id,
        };
        zone_groups.items.push(reader.objects.zone_groups.push(read));
    }
    let mut f = Fields::new(reader, &source.json, source.place);
    let mut connections =
        f.objects(private_endpoint::CONNECTIONS, "/properties/privateLinkServiceConnections/{}", |f| {
            read_connection(f, false)
        });
    let manual = f.objects(
        private_endpoint::MANUAL_CONNECTIONS,
        "/properties/manualPrivateLinkServiceConnections/{}",
        |f| read_connection(f, true),
    );
    connections.items.extend(manual.items);
    if let Some(symbol) = manual.open {
        f.open(&mut connections, symbol, private_endpoint::MANUAL_CONNECTIONS);
    }
    let read = PrivateEndpoint {
        id: source.id.clone(),
        place: source.place,
        location: f.text(LOCATION),
        provisioning_state: f.word(PROVISIONING_STATE),
        subnet: f.reference(private_endpoint::SUBNET),
        nics: f.references(private_endpoint::NICS),
        connections,
        ip_configs: f.objects(private_endpoint::IP_CONFIGS, "/properties/ipConfigurations/{}", |f| {
            PrivateEndpointIpConfig {
                place: f.place,
                group: f.text(private_endpoint_ip_config::GROUP),
                member: f.text(private_endpoint_ip_config::MEMBER),
                address: f.address(private_endpoint_ip_config::ADDRESS),
            }
        }),
        custom_dns_configs: f.objects(
            private_endpoint::CUSTOM_DNS_CONFIGS,
            "/properties/customDnsConfigs/{}",
            |f| CustomDnsConfig {
                place: f.place,
                fqdn: f.host(custom_dns_config::FQDN),
                addresses: f.addresses(custom_dns_config::ADDRESSES),
            },
        ),
        asgs: f.references(private_endpoint::ASGS),
        zone_groups,
    };
    reader.objects.private_endpoints.push(read);
}

fn read_connection(f: &mut Fields<'_, '_, '_>, manual: bool) -> PrivateLinkConnection {
    PrivateLinkConnection {
        place: f.place,
        name: f.name(),
        manual,
        target: f.scalar(private_link_connection::TARGET, "a resource id or alias", |value| {
            let text = value.as_str()?;
            let Some(id) = arm_id(value) else { return Some(PrivateLinkTarget::Alias(text.into())) };
            let registry =
                id.resource_type().is_some_and(|kind| kind == "microsoft.containerregistry/registries");
            Some(if registry {
                PrivateLinkTarget::Registry(Ref::NotRead(id))
            } else {
                PrivateLinkTarget::Other(id)
            })
        }),
        group_ids: f.texts(private_link_connection::GROUP_IDS),
        status: f.word(private_link_connection::STATUS),
    }
}

fn read_zone_config(f: &mut Fields<'_, '_, '_>) -> ZoneConfig {
    ZoneConfig {
        name: f.name(),
        zone: f.reference("/properties/privateDnsZoneId"),
        record_sets: f.objects(
            "/properties/recordSets",
            "/properties/privateDnsZoneConfigs/{}/properties/recordSets/{}",
            |f| WrittenRecordSet {
                record_type: f.text("/recordType"),
                name: f.host("/recordSetName"),
                fqdn: f.host("/fqdn"),
                addresses: f.addresses("/ipAddresses"),
                provisioning_state: f.word("/provisioningState"),
            },
        ),
    }
}

pub(crate) fn read_service(reader: &mut Reader<'_>, source: &Source) {
    let mut f = Fields::new(reader, &source.json, source.place);
    let subnets = f.objects(private_link_service::IP_CONFIGS, "/properties/ipConfigurations/{}", |f| {
        f.reference("/properties/subnet/id")
    });
    let mut nat_subnets = List { items: Vec::new(), open: subnets.open };
    for subnet in subnets.items {
        match subnet {
            crate::model::val::Val::Known(subnet) => nat_subnets.items.extend(subnet),
            crate::model::val::Val::Sym(symbol) => {
                f.open(&mut nat_subnets, symbol, private_link_service::IP_CONFIGS);
            }
        }
    }
    let read = PrivateLinkService {
        id: source.id.clone(),
        place: source.place,
        provisioning_state: f.word(PROVISIONING_STATE),
        frontends: f.ids(private_link_service::FRONTENDS),
        nat_subnets,
    };
    reader.objects.private_link_services.push(read);
}
