//! A hub: firewall, gateway, resolver or linked zone, and the private endpoint of its registry.

use std::collections::BTreeMap;

use super::fault::Fault;
use super::layout::{Hub, Layout, Spoke};
use super::random::Random;
use super::{registries, rules, spoke};
use crate::yaml::{
    AzureFirewall, Connection, DnsResolver, Document, FirewallPolicy, InboundEndpoint, LocalNetworkGateway,
    OutboundEndpoint, Peering, PeeringHalf, PrivateDnsZone, PrivateEndpoint, PublicIPAddress, Subnet,
    Subscription, Texts, VirtualNetwork, VirtualNetworkGateway, VirtualNetworkLink,
};

/// Offsets in the hub's network.
const FIREWALL: u32 = 0;
const GATEWAY: u32 = 64;
pub(crate) const ENDPOINTS: u32 = 256;
const RESOLVER_IN: u32 = 512;
const RESOLVER_OUT: u32 = 528;

pub(crate) fn firewall_address(hub: &Hub) -> String {
    Layout::address(hub.network, FIREWALL + 4)
}

pub(crate) fn resolver_address(hub: &Hub) -> String {
    Layout::address(hub.network, RESOLVER_IN + 4)
}

/// Member → address of the hub's private endpoint.
pub(crate) fn endpoint_addresses(hub: &Hub) -> BTreeMap<String, String> {
    let members = registries::members(hub.registry).into_iter().zip(ENDPOINTS + 4..);
    members.map(|((member, _), offset)| (member, Layout::address(hub.network, offset))).collect()
}

/// The scenario of a hub with its spokes.
pub(crate) fn document(layout: &Layout, index: usize) -> Document {
    let Some(hub) = layout.hubs.get(index) else { return Document::default() };
    let mut document = Document {
        name: format!("hub-{index:03}"),
        subscriptions: vec![Subscription {
            name: format!("sub-hub-{index:03}"),
            id: Some(layout.subscription(index + 1)),
            ..Subscription::default()
        }],
        ..Document::default()
    };
    let mut random = Random::new(layout.seed, 1 + index as u64);
    network(&mut document, hub);
    firewall(&mut document, index, &mut random);
    if index.is_multiple_of(4) {
        gateway(&mut document, index);
    }
    private_endpoint(&mut document, layout, hub);
    for one in &hub.spokes {
        let peering = peering(&document, one);
        document.peerings.push(peering);
        spoke::push(&mut document, layout, hub, one, &mut random);
    }
    zone(&mut document, hub);
    document
}

pub(crate) fn subnet(name: &str, prefix: String) -> Subnet {
    Subnet { name: name.to_owned(), address_prefix: Texts(vec![prefix]), ..Subnet::default() }
}

fn network(document: &mut Document, hub: &Hub) {
    let at = |offset, length| Layout::prefix(hub.network, offset, length);
    let delegated = |name: &str, prefix| Subnet {
        delegations: Texts(vec!["Microsoft.Network/dnsResolvers".to_owned()]),
        ..subnet(name, prefix)
    };
    let mut subnets = vec![
        subnet("AzureFirewallSubnet", at(FIREWALL, 26)),
        subnet("GatewaySubnet", at(GATEWAY, 27)),
        Subnet {
            private_endpoint_network_policies: Some("Enabled".into()),
            ..subnet("snet-pe", at(ENDPOINTS, 24))
        },
    ];
    if hub.has_resolver {
        subnets.push(delegated("snet-dns-in", at(RESOLVER_IN, 28)));
        subnets.push(delegated("snet-dns-out", at(RESOLVER_OUT, 28)));
        document.dns_resolvers.push(DnsResolver {
            name: "dnspr".into(),
            virtual_network: "vnet-hub".into(),
            inbound_endpoints: vec![InboundEndpoint {
                name: "in".into(),
                subnet: "vnet-hub/snet-dns-in".into(),
                address: Some(resolver_address(hub)),
            }],
            outbound_endpoints: vec![OutboundEndpoint {
                name: "out".into(),
                subnet: "vnet-hub/snet-dns-out".into(),
            }],
            ..DnsResolver::default()
        });
    }
    document.virtual_networks.push(VirtualNetwork {
        name: "vnet-hub".into(),
        address_space: Texts(vec![Layout::space(hub.network)]),
        subnets,
        ..VirtualNetwork::default()
    });
}

fn firewall(document: &mut Document, index: usize, random: &mut Random) {
    document.public_ip_addresses.push(PublicIPAddress {
        name: "pip-firewall".into(),
        address: Some(format!("203.0.113.{}", index + 1)),
        ..PublicIPAddress::default()
    });
    document.firewall_policies.push(FirewallPolicy {
        name: "fwp".into(),
        groups: vec![rules::firewall_rules(random)],
        ..FirewallPolicy::default()
    });
    document.azure_firewalls.push(AzureFirewall {
        name: "afw".into(),
        virtual_network: Some("vnet-hub".into()),
        policy: Some("fwp".into()),
        public_ip_addresses: vec!["pip-firewall".into()],
        ..AzureFirewall::default()
    });
}

fn gateway(document: &mut Document, index: usize) {
    document.public_ip_addresses.push(PublicIPAddress {
        name: "pip-vpn".into(),
        address: Some(format!("198.51.100.{}", index + 1)),
        ..PublicIPAddress::default()
    });
    document.virtual_network_gateways.push(VirtualNetworkGateway {
        name: "vpng".into(),
        virtual_network: "vnet-hub".into(),
        public_ip_addresses: vec!["pip-vpn".into()],
        ..VirtualNetworkGateway::default()
    });
    document.local_network_gateways.push(LocalNetworkGateway {
        name: "lng".into(),
        gateway_address: Some(format!("192.0.2.{}", index + 1)),
        address_prefixes: Texts(vec![format!("172.16.{index}.0/24")]),
        ..LocalNetworkGateway::default()
    });
    document.connections.push(Connection {
        name: "s2s".into(),
        gateway: "vpng".into(),
        local_network_gateway: Some("lng".into()),
        ..Connection::default()
    });
}

fn private_endpoint(document: &mut Document, layout: &Layout, hub: &Hub) {
    let members = registries::members(hub.registry);
    document.private_endpoints.push(PrivateEndpoint {
        name: "pe-registry".into(),
        subnet: "vnet-hub/snet-pe".into(),
        target: registries::id(layout, hub.registry),
        addresses: endpoint_addresses(hub),
        members: members.into_iter().map(|(member, host)| (member, Texts(vec![host]))).collect(),
        zone_group: vec![format!("rg-{}/privatelink.azurecr.io", document.name)],
        ..PrivateEndpoint::default()
    });
}

fn peering(document: &Document, spoke: &Spoke) -> Peering {
    let fault = spoke.cluster.as_ref().and_then(|cluster| cluster.fault);
    let mut halves = [PeeringHalf::default(), PeeringHalf::default()];
    let has_gateway = !document.virtual_network_gateways.is_empty();
    let [ours, theirs] = &mut halves;
    ours.allow_gateway_transit = Some(has_gateway);
    theirs.use_remote_gateways = Some(has_gateway);
    match fault {
        Some(Fault::PeeringDisconnected) => {
            ours.peering_state = Some("Disconnected".into());
            theirs.peering_state = Some("Disconnected".into());
        }
        Some(Fault::PeeringHalfMissing) => {
            ours.absent = true;
            theirs.peering_state = Some("Initiated".into());
        }
        _ => {}
    }
    let [ours, theirs] = halves;
    Peering {
        between: BTreeMap::from([("vnet-hub".to_owned(), ours), (spoke::network_name(spoke), theirs)]),
        allow_forwarded_traffic: Some(true),
        ..Peering::default()
    }
}

/// The hub's zone, linked to the hub, and to the spokes where they do not ask a resolver.
fn zone(document: &mut Document, hub: &Hub) {
    let link = |name: String| VirtualNetworkLink { virtual_network: name, ..VirtualNetworkLink::default() };
    let mut links = vec![link("vnet-hub".to_owned())];
    if !hub.has_resolver {
        let linked = hub.spokes.iter().filter(|spoke| {
            let fault = spoke.cluster.as_ref().and_then(|cluster| cluster.fault);
            !fault.is_some_and(Fault::has_own_names)
        });
        links.extend(linked.map(|spoke| link(spoke::network_name(spoke))));
    }
    document.private_dns_zones.push(PrivateDnsZone {
        name: "privatelink.azurecr.io".into(),
        links,
        ..PrivateDnsZone::default()
    });
}
