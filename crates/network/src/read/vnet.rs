//! Virtual networks, subnets, peerings.

use ipnet::IpNet;

use super::fields::Fields;
use super::reader::{Reader, Source};
use super::{LOCATION, PROVISIONING_STATE};
use crate::model::index::{Ix, VnetIx};
use crate::model::val::List;
use crate::model::vnet::{Peering, ServiceEndpoint, Subnet, Vnet, peering, subnet, vnet};

pub(crate) fn read(reader: &mut Reader<'_>, source: &Source) {
    let ix = VnetIx::new(reader.objects.vnets.next());
    let (children, open) = reader.children(source, "subnets", vnet::SUBNETS);
    let mut subnets = List { items: Vec::with_capacity(children.len()), open };
    for child in children {
        let mut fields = Fields::new(reader, &child.json, child.place);
        let read = read_subnet(&mut fields, child.id.clone(), child.name.clone(), ix);
        subnets.items.push(reader.objects.subnets.push(read));
    }
    let (children, open) = reader.children(source, "virtualNetworkPeerings", vnet::PEERINGS);
    let mut peerings = List { items: Vec::with_capacity(children.len()), open };
    for child in children {
        let mut fields = Fields::new(reader, &child.json, child.place);
        let read = read_peering(&mut fields, child.id.clone(), child.name.clone(), ix);
        peerings.items.push(reader.objects.peerings.push(read));
    }
    let mut f = Fields::new(reader, &source.json, source.place);
    let read = Vnet {
        id: source.id.clone(),
        place: source.place,
        location: f.text(LOCATION),
        provisioning_state: f.word(PROVISIONING_STATE),
        address_space: f.prefixes(vnet::ADDRESS_SPACE),
        dns_servers: f.addresses(vnet::DNS_SERVERS),
        private_endpoint_vnet_policies: f.word(vnet::PRIVATE_ENDPOINT_VNET_POLICIES),
        encryption_enabled: f.boolean(vnet::ENCRYPTION_ENABLED),
        encryption_enforcement: f.word(vnet::ENCRYPTION_ENFORCEMENT),
        summarized_gateway_prefixes: f.prefixes(vnet::SUMMARIZED_GATEWAY_PREFIXES),
        subnets,
        peerings,
    };
    reader.objects.vnets.push(read);
}

fn read_subnet(
    f: &mut Fields<'_, '_, '_>,
    id: pullproof_snapshot::ArmId,
    name: Box<str>,
    vnet: VnetIx,
) -> Subnet {
    Subnet {
        id,
        place: f.place,
        name,
        vnet,
        provisioning_state: f.word(PROVISIONING_STATE),
        prefixes: subnet_prefixes(f),
        nsg: f.reference(subnet::NSG),
        route_table: f.reference(subnet::ROUTE_TABLE),
        nat_gateway: f.reference(subnet::NAT_GATEWAY),
        service_endpoints: service_endpoints(f),
        service_endpoint_policies: f.references(subnet::SERVICE_ENDPOINT_POLICIES),
        private_endpoint_network_policies: f.word(subnet::PRIVATE_ENDPOINT_NETWORK_POLICIES),
        default_outbound_access: f.boolean(subnet::DEFAULT_OUTBOUND_ACCESS),
        delegations: f.list(subnet::DELEGATIONS, "a delegation", |_, value, _| {
            value.pointer("/properties/serviceName")?.as_str().map(Box::from)
        }),
        private_endpoints: f.references(subnet::PRIVATE_ENDPOINTS),
    }
}

/// `addressPrefix` or `addressPrefixes`, either may be set (R3).
fn subnet_prefixes(f: &mut Fields<'_, '_, '_>) -> List<IpNet> {
    use crate::model::val::Val;
    let mut out = f.prefixes(subnet::PREFIXES);
    match f.prefix(subnet::PREFIX) {
        Val::Known(Some(prefix)) => {
            if !out.items.contains(&prefix) {
                out.items.push(prefix);
            }
        }
        Val::Known(None) => {}
        // An unknown singular value beside a known list is one of the list: ARM shows one prefix in both.
        Val::Sym(symbol) if out.items.is_empty() => f.open(&mut out, symbol, subnet::PREFIX),
        Val::Sym(_) => {}
    }
    out
}

fn service_endpoints(f: &mut Fields<'_, '_, '_>) -> List<ServiceEndpoint> {
    f.objects(subnet::SERVICE_ENDPOINTS, "/properties/serviceEndpoints/{}", |f| ServiceEndpoint {
        service: f.text("/service"),
        locations: f.texts("/locations"),
        provisioning_state: f.word("/provisioningState"),
    })
}

fn read_peering(
    f: &mut Fields<'_, '_, '_>,
    id: pullproof_snapshot::ArmId,
    name: Box<str>,
    vnet: VnetIx,
) -> Peering {
    Peering {
        id,
        place: f.place,
        name,
        vnet,
        remote: f.reference(peering::REMOTE),
        provisioning_state: f.word(PROVISIONING_STATE),
        state: f.word(peering::STATE),
        sync_level: f.word(peering::SYNC_LEVEL),
        allow_virtual_network_access: f.boolean(peering::ALLOW_VIRTUAL_NETWORK_ACCESS),
        allow_forwarded_traffic: f.boolean(peering::ALLOW_FORWARDED_TRAFFIC),
        allow_gateway_transit: f.boolean(peering::ALLOW_GATEWAY_TRANSIT),
        use_remote_gateways: f.boolean(peering::USE_REMOTE_GATEWAYS),
        peer_complete_vnets: f.boolean(peering::PEER_COMPLETE_VNETS),
        enable_only_ipv6_peering: f.boolean(peering::ENABLE_ONLY_IPV6_PEERING),
        local_subnet_names: f.texts(peering::LOCAL_SUBNET_NAMES),
        remote_subnet_names: f.texts(peering::REMOTE_SUBNET_NAMES),
        local_address_space: space(f, peering::LOCAL_ADDRESS_SPACE),
        local_virtual_network_address_space: space(f, peering::LOCAL_VIRTUAL_NETWORK_ADDRESS_SPACE),
        remote_address_space: space(f, peering::REMOTE_ADDRESS_SPACE),
        remote_virtual_network_address_space: space(f, peering::REMOTE_VIRTUAL_NETWORK_ADDRESS_SPACE),
    }
}

/// `None` where the field is absent: older APIs do not have it.
fn space(f: &mut Fields<'_, '_, '_>, pointer: &'static str) -> Option<List<IpNet>> {
    match f.raw(pointer) {
        super::fields::Raw::Absent => None,
        _ => Some(f.prefixes(pointer)),
    }
}
