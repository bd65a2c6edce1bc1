//! Virtual networks with their subnets, route tables, NAT gateways and public addresses.

use serde_json::{Value, json};

use super::expansion::Expansion;
use super::types;
use crate::error::ScenarioError;
use crate::yaml::{Described, NatGateway, PublicIPAddress, RouteTable, Subnet, VirtualNetwork};

pub(crate) fn expand(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    let d = x.document;
    for vnet in &d.virtual_networks {
        virtual_network(x, vnet)?;
    }
    for table in &d.route_tables {
        route_table(x, table);
    }
    for prefix in &d.public_ip_prefixes {
        let guid = x.guid(&prefix.name);
        let body = json!({
            "sku": {"name": "Standard", "tier": "Regional"},
            "properties": {
                "provisioningState": "Succeeded",
                "resourceGuid": guid,
                "ipPrefix": prefix.prefix,
                "prefixLength": prefix.prefix.rsplit_once('/').and_then(|(_, length)| length.parse::<u8>().ok()),
                "publicIPAddressVersion": "IPv4",
            },
        });
        x.push(prefix, types::PUBLIC_IP_PREFIX, body);
    }
    for public in &d.public_ip_addresses {
        public_ip_address(x, public)?;
    }
    for gateway in &d.nat_gateways {
        nat_gateway(x, gateway)?;
    }
    Ok(())
}

fn virtual_network(x: &mut Expansion<'_>, vnet: &VirtualNetwork) -> Result<(), ScenarioError> {
    let id = x.id_of(&vnet.head(), types::VIRTUAL_NETWORK);
    let mut subnets = Vec::new();
    for (i, subnet) in vnet.subnets.iter().enumerate() {
        subnets.push(subnet_json(x, &id, vnet, subnet)?);
        let at = format!("/properties/subnets/{i}");
        x.over_part(&id, &format!("{at}/properties"), subnet.properties.as_ref(), subnet.unchecked.as_ref());
    }
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(&id),
            "addressSpace": {"addressPrefixes": vnet.address_space.0},
            "dhcpOptions": {"dnsServers": vnet.dns_servers.0},
            "subnets": subnets,
            "virtualNetworkPeerings": [],
            "enableDdosProtection": false,
        },
    });
    x.push(vnet, types::VIRTUAL_NETWORK, body);
    Ok(())
}

fn subnet_json(
    x: &mut Expansion<'_>,
    vnet_id: &str,
    vnet: &VirtualNetwork,
    subnet: &Subnet,
) -> Result<Value, ScenarioError> {
    let place = format!("virtualNetworks {}, subnet {}", vnet.name, subnet.name);
    let head = subnet.head();
    if head.subscription.or(head.resource_group).or(head.location).is_some() || !head.omit.is_empty() {
        return Err(ScenarioError::invalid(place, "a subnet lives where its network lives"));
    }
    let id = format!("{vnet_id}/subnets/{}", subnet.name);
    let (one, many) = match subnet.address_prefix.0.as_slice() {
        [one] => (json!(one), Value::Null),
        several => (Value::Null, json!(several)),
    };
    let mut bound = [Value::Null, Value::Null, Value::Null];
    for (slot, (kind, reference)) in bound.iter_mut().zip([
        (types::ROUTE_TABLE, &subnet.route_table),
        (types::NETWORK_SECURITY_GROUP, &subnet.network_security_group),
        (types::NAT_GATEWAY, &subnet.nat_gateway),
    ]) {
        if let Some(reference) = reference {
            let target = x.names.find(kind, reference, &place)?;
            x.refer(&target, "/properties/subnets", &id);
            *slot = json!({ "id": target });
        }
    }
    let [route_table, network_security_group, nat_gateway] = bound;
    let location = x.location(&vnet.head());
    let service_endpoints: Vec<Value> = subnet
        .service_endpoints
        .0
        .iter()
        .map(|service| json!({"provisioningState": "Succeeded", "service": service, "locations": [location]}))
        .collect();
    let delegations: Vec<Value> = subnet
        .delegations
        .0
        .iter()
        .map(|service| {
            let name = service.replace('/', ".");
            json!({
                "name": name,
                "id": format!("{id}/delegations/{name}"),
                "type": "Microsoft.Network/virtualNetworks/subnets/delegations",
                "properties": {"provisioningState": "Succeeded", "serviceName": service, "actions": []},
            })
        })
        .collect();
    Ok(json!({
        "name": subnet.name,
        "id": id,
        "type": types::SUBNET,
        "properties": {
            "provisioningState": "Succeeded",
            "addressPrefix": one,
            "addressPrefixes": many,
            "routeTable": route_table,
            "networkSecurityGroup": network_security_group,
            "natGateway": nat_gateway,
            "serviceEndpoints": service_endpoints,
            "delegations": delegations,
            "privateEndpointNetworkPolicies":
                subnet.private_endpoint_network_policies.as_deref().unwrap_or("Disabled"),
            "privateLinkServiceNetworkPolicies": "Enabled",
            "defaultOutboundAccess": subnet.default_outbound_access,
        },
    }))
}

fn route_table(x: &mut Expansion<'_>, table: &RouteTable) {
    let id = x.id_of(&table.head(), types::ROUTE_TABLE);
    let mut routes = Vec::new();
    for (i, route) in table.routes.iter().enumerate() {
        let name = route.name.clone().unwrap_or_else(|| format!("route-{}", i + 1));
        let next_hop_type = route.next_hop_type.clone().unwrap_or_else(|| {
            let kind = if route.next_hop_ip_address.is_some() { "VirtualAppliance" } else { "None" };
            kind.to_owned()
        });
        routes.push(json!({
            "name": name,
            "id": format!("{id}/routes/{name}"),
            "type": "Microsoft.Network/routeTables/routes",
            "properties": {
                "provisioningState": "Succeeded",
                "addressPrefix": route.address_prefix,
                "nextHopType": next_hop_type,
                "nextHopIpAddress": route.next_hop_ip_address,
                "hasBgpOverride": false,
            },
        }));
        let at = format!("/properties/routes/{i}/properties");
        x.over_part(&id, &at, route.properties.as_ref(), route.unchecked.as_ref());
    }
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(&id),
            "disableBgpRoutePropagation": table.disable_bgp_route_propagation,
            "routes": routes,
        },
    });
    x.push(table, types::ROUTE_TABLE, body);
}

fn public_ip_address(x: &mut Expansion<'_>, public: &PublicIPAddress) -> Result<(), ScenarioError> {
    let place = format!("publicIPAddresses {}", public.name);
    let address = match &public.address {
        Some(address) => address.clone(),
        None => x.addresses.next_public(&place)?,
    };
    let body = public_ip_body(
        x,
        &x.id_of(&public.head(), types::PUBLIC_IP_ADDRESS),
        &address,
        public.sku.as_deref().unwrap_or("Standard"),
        public.allocation.as_deref().unwrap_or("Static"),
    );
    x.push(public, types::PUBLIC_IP_ADDRESS, body);
    Ok(())
}

/// The body of a public IP address.
fn public_ip_body(x: &Expansion<'_>, id: &str, address: &str, sku: &str, allocation: &str) -> Value {
    json!({
        "sku": {"name": sku, "tier": "Regional"},
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(id),
            "ipAddress": address,
            "publicIPAddressVersion": if address.contains(':') { "IPv6" } else { "IPv4" },
            "publicIPAllocationMethod": allocation,
            "idleTimeoutInMinutes": 4,
            "ipTags": [],
            "ddosSettings": {"protectionMode": "VirtualNetworkInherited"},
        },
    })
}

/// A public IP address that Azure, not the scenario, made; returns its id.
pub(crate) fn made_public_ip(
    x: &mut Expansion<'_>,
    id: &str,
    location: &str,
    used_by: &str,
) -> Result<(), ScenarioError> {
    let address = x.addresses.next_public(id)?;
    let mut body = public_ip_body(x, id, &address, "Standard", "Static");
    body["properties"]["ipConfiguration"] = json!({ "id": used_by });
    x.push_at(id, types::PUBLIC_IP_ADDRESS, Some(location), body);
    Ok(())
}

fn nat_gateway(x: &mut Expansion<'_>, gateway: &NatGateway) -> Result<(), ScenarioError> {
    let place = format!("natGateways {}", gateway.name);
    let id = x.id_of(&gateway.head(), types::NAT_GATEWAY);
    let addresses = x.links(types::PUBLIC_IP_ADDRESS, &gateway.public_ip_addresses, &place)?;
    let prefixes = x.links(types::PUBLIC_IP_PREFIX, &gateway.public_ip_prefixes, &place)?;
    for target in &addresses {
        let target = target["id"].as_str().unwrap_or_default().to_owned();
        x.over(&target, "/properties/natGateway", &json!({ "id": id }), true);
    }
    let body = json!({
        "sku": {"name": gateway.sku.as_deref().unwrap_or("Standard")},
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(&id),
            "idleTimeoutInMinutes": 4,
            "publicIpAddresses": addresses,
            "publicIpPrefixes": prefixes,
        },
    });
    x.push(gateway, types::NAT_GATEWAY, body);
    Ok(())
}
