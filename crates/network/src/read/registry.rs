//! Registries and replications.

use super::fields::{Fields, Raw, prefix};
use super::reader::{Reader, Source};
use super::{LOCATION, PROVISIONING_STATE};
use crate::model::index::{Ix, RegistryIx};
use crate::model::registry::{
    DefaultAction, DomainNameLabelScope, EndpointProtocol, IpRule, NetworkRuleSet, PublicNetworkAccess,
    Registry, RegistryConnection, Replication, RoleAssignmentMode, VirtualNetworkRule, ip_rule, registry,
    registry_connection, replication,
};
use crate::model::val::{List, Val};

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let ix = RegistryIx::new(reader.objects.registries.next());
    let (children, open) = reader.children(source, "replications", "/properties/replications");
    let mut replications = List { items: Vec::with_capacity(children.len()), open };
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        let read = Replication {
            place: f.place,
            registry: ix,
            provisioning_state: f.word(PROVISIONING_STATE),
            location: f.text(replication::LOCATION),
            // A115.
            region_endpoint_enabled: f.boolean(replication::REGION_ENDPOINT_ENABLED).or_default(true),
            id: child.id,
            name: child.name,
        };
        replications.items.push(reader.objects.replications.push(read));
    }
    let (children, open) =
        reader.children(source, "privateEndpointConnections", registry::PRIVATE_ENDPOINT_CONNECTIONS);
    let mut connections = List { items: Vec::with_capacity(children.len()), open };
    for child in children {
        let mut f = Fields::new(reader, &child.json, child.place);
        connections.items.push(RegistryConnection {
            place: f.place,
            provisioning_state: f.word(PROVISIONING_STATE),
            private_endpoint: f.reference(registry_connection::PRIVATE_ENDPOINT),
            status: f.word(registry_connection::STATUS),
            id: child.id,
        });
    }
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = Registry {
        id: source.id.clone(),
        place: source.place,
        location: f.text(LOCATION),
        provisioning_state: f.word(PROVISIONING_STATE),
        sku: f.word(registry::SKU),
        login_server: f.host(registry::LOGIN_SERVER),
        // The defaults from here on: A111.
        admin_user_enabled: f.boolean(registry::ADMIN_USER_ENABLED).or_default(false),
        anonymous_pull_enabled: f.boolean(registry::ANONYMOUS_PULL_ENABLED).or_default(false),
        data_endpoint_enabled: f.boolean(registry::DATA_ENDPOINT_ENABLED),
        data_endpoint_host_names: hosts(&mut f, registry::DATA_ENDPOINT_HOST_NAMES),
        regional_endpoints: f.word(registry::REGIONAL_ENDPOINTS),
        regional_endpoint_host_names: hosts(&mut f, registry::REGIONAL_ENDPOINT_HOST_NAMES),
        endpoint_protocol: f.word(registry::ENDPOINT_PROTOCOL).or_default(EndpointProtocol::Ipv4),
        public_network_access: f
            .word(registry::PUBLIC_NETWORK_ACCESS)
            .or_default(PublicNetworkAccess::Enabled),
        network_rule_bypass_options: f.word(registry::NETWORK_RULE_BYPASS_OPTIONS),
        network_rules: network_rules(&mut f),
        azure_ad_authentication_as_arm: f.word(registry::AZURE_AD_AUTHENTICATION_AS_ARM),
        quarantine: f.word(registry::QUARANTINE),
        export: f.word(registry::EXPORT),
        domain_name_label_scope: f
            .word(registry::DOMAIN_NAME_LABEL_SCOPE)
            .or_default(DomainNameLabelScope::Unsecure),
        role_assignment_mode: f.word(registry::ROLE_ASSIGNMENT_MODE).or_default(RoleAssignmentMode::Legacy),
        private_endpoint_connections: connections,
        replications,
    };
    reader.objects.registries.push(read);
}

/// `None` where the field is absent (A57).
fn hosts(f: &mut Fields<'_, '_, '_>, pointer: &'static str) -> Option<List<Box<str>>> {
    match f.raw(pointer) {
        Raw::Absent => None,
        _ => Some(f.hosts(pointer)),
    }
}

fn network_rules(f: &mut Fields<'_, '_, '_>) -> NetworkRuleSet {
    NetworkRuleSet {
        // A87, A112.
        default_action: f.word(registry::DEFAULT_ACTION).or_default(DefaultAction::Allow),
        ip_rules: f.objects(registry::IP_RULES, "/properties/networkRuleSet/ipRules/{}", |f| {
            let value = f.scalar(ip_rule::VALUE, "an address or prefix", prefix);
            IpRule {
                place: f.place,
                action: f.word(ip_rule::ACTION).or_default(DefaultAction::Allow),
                value: f.required(ip_rule::VALUE, value),
            }
        }),
        virtual_network_rules: f.objects(
            registry::VIRTUAL_NETWORK_RULES,
            "/properties/networkRuleSet/virtualNetworkRules/{}",
            |f| {
                // A90: two spellings.
                let subnet = match f.reference("/virtualNetworkSubnetResourceId") {
                    Val::Known(None) => f.reference("/id"),
                    known => known,
                };
                VirtualNetworkRule {
                    place: f.place,
                    action: f.word(ip_rule::ACTION).or_default(DefaultAction::Allow),
                    subnet,
                }
            },
        ),
    }
}
