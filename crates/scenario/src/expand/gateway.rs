//! Virtual network gateways, local network gateways, connections and circuits.

use serde_json::{Value, json};

use super::expansion::Expansion;
use super::{machine, types, virtual_network};
use crate::error::ScenarioError;
use crate::yaml::{Connection, Described, ExpressRouteCircuit, VirtualNetworkGateway};

/// The ASN of Azure's gateways where none is configured.
const AZURE_ASN: u32 = 65515;

pub(crate) fn expand(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    let d = x.document;
    for gateway in &d.virtual_network_gateways {
        virtual_network_gateway(x, gateway)?;
    }
    for local in &d.local_network_gateways {
        let place = format!("localNetworkGateways {}", local.name);
        let id = x.id_of(&local.head(), types::LOCAL_NETWORK_GATEWAY);
        let address = match &local.gateway_address {
            Some(address) => address.clone(),
            None => x.addresses.next_public(&place)?,
        };
        let bgp = local
            .asn
            .map(|asn| json!({"asn": asn, "bgpPeeringAddress": local.bgp_peering_address, "peerWeight": 0}));
        let body = json!({
            "properties": {
                "provisioningState": "Succeeded",
                "resourceGuid": x.guid(&id),
                "gatewayIpAddress": address,
                "localNetworkAddressSpace": {"addressPrefixes": local.address_prefixes.0},
                "bgpSettings": bgp,
            },
        });
        x.push(local, types::LOCAL_NETWORK_GATEWAY, body);
    }
    for circuit in &d.express_route_circuits {
        express_route_circuit(x, circuit);
    }
    for connection in &d.connections {
        push_connection(x, connection)?;
    }
    Ok(())
}

fn virtual_network_gateway(
    x: &mut Expansion<'_>,
    gateway: &VirtualNetworkGateway,
) -> Result<(), ScenarioError> {
    let place = format!("virtualNetworkGateways {}", gateway.name);
    let id = x.id_of(&gateway.head(), types::VIRTUAL_NETWORK_GATEWAY);
    let subnet =
        x.names.find(types::SUBNET, &format!("{}/GatewaySubnet", gateway.virtual_network), &place)?;
    let kind = gateway.gateway_type.as_deref().unwrap_or("Vpn");
    let is_vpn = kind.eq_ignore_ascii_case("Vpn");
    let count = if gateway.active_active { 2 } else { 1 };
    let mut configurations = Vec::new();
    let mut peers = Vec::new();
    for i in 0..count {
        let name = if i == 0 { "default".to_owned() } else { format!("activeActive{i}") };
        let configuration = format!("{id}/ipConfigurations/{name}");
        let public = match gateway.public_ip_addresses.get(i) {
            Some(public) => {
                let public = x.names.find(types::PUBLIC_IP_ADDRESS, public, &place)?;
                x.over(&public, "/properties/ipConfiguration", &json!({ "id": configuration }), true);
                Some(public)
            }
            // ExpressRoute gateways have no public address of their own.
            None if is_vpn => {
                let made = id.replace(
                    &format!("{}/{}", types::VIRTUAL_NETWORK_GATEWAY, gateway.name),
                    &format!("{}/{}-pip{}", types::PUBLIC_IP_ADDRESS, gateway.name, i + 1),
                );
                let location = x.location(&gateway.head());
                virtual_network::made_public_ip(x, &made, &location, &configuration)?;
                Some(made)
            }
            None => None,
        };
        machine::refer_from_subnet(x, &subnet, &configuration);
        let address = x.addresses.next(&subnet, &place)?;
        peers.push(json!({
            "ipconfigurationId": configuration,
            "defaultBgpIpAddresses": [address],
            "customBgpIpAddresses": [],
            "tunnelIpAddresses": [],
        }));
        configurations.push(json!({
            "name": name,
            "id": configuration,
            "properties": {
                "provisioningState": "Succeeded",
                "privateIPAllocationMethod": "Dynamic",
                "subnet": {"id": subnet},
                "publicIPAddress": public.map(|id| json!({ "id": id })),
            },
        }));
    }
    let addresses: Vec<&str> = peers.iter().filter_map(|p| p["defaultBgpIpAddresses"][0].as_str()).collect();
    let sku = gateway.sku.as_deref().unwrap_or(if is_vpn { "VpnGw1AZ" } else { "ErGw1AZ" });
    let vpn_type = gateway.vpn_type.as_deref().unwrap_or("RouteBased");
    let site = x.link_opt(types::LOCAL_NETWORK_GATEWAY, gateway.default_site.as_deref(), &place)?;
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(&id),
            "gatewayType": kind,
            "vpnType": if is_vpn { json!(vpn_type) } else { Value::Null },
            "vpnGatewayGeneration": if is_vpn { json!("Generation1") } else { Value::Null },
            "sku": {"name": sku, "tier": sku, "capacity": 2},
            "activeActive": gateway.active_active,
            "enableBgp": gateway.enable_bgp,
            "enablePrivateIpAddress": false,
            "gatewayDefaultSite": site,
            "bgpSettings": {
                "asn": gateway.asn.unwrap_or(AZURE_ASN),
                "bgpPeeringAddress": addresses.join(","),
                "peerWeight": 0,
                "bgpPeeringAddresses": peers,
            },
            "ipConfigurations": configurations,
            "natRules": [],
            "allowRemoteVnetTraffic": false,
            "allowVirtualWanTraffic": false,
        },
    });
    x.push(gateway, types::VIRTUAL_NETWORK_GATEWAY, body);
    Ok(())
}

fn express_route_circuit(x: &mut Expansion<'_>, circuit: &ExpressRouteCircuit) {
    let id = x.id_of(&circuit.head(), types::EXPRESS_ROUTE_CIRCUIT);
    let body = json!({
        "sku": {"name": "Standard_MeteredData", "tier": "Standard", "family": "MeteredData"},
        "properties": {
            "provisioningState": "Succeeded",
            "circuitProvisioningState": "Enabled",
            "serviceProviderProvisioningState": "Provisioned",
            "allowClassicOperations": false,
            "globalReachEnabled": false,
            "serviceProviderProperties": {
                "serviceProviderName": circuit.provider.as_deref().unwrap_or("Contoso Exchange"),
                "peeringLocation": circuit.peering_location.as_deref().unwrap_or("Amsterdam"),
                "bandwidthInMbps": 1000,
            },
            "authorizations": [],
            "peerings": [{
                "name": "AzurePrivatePeering",
                "id": format!("{id}/peerings/AzurePrivatePeering"),
                "type": "Microsoft.Network/expressRouteCircuits/peerings",
                "properties": {
                    "provisioningState": "Succeeded",
                    "peeringType": "AzurePrivatePeering",
                    "state": "Enabled",
                    "azureASN": 12076,
                    "peerASN": circuit.peer_asn.unwrap_or(65010),
                    "primaryPeerAddressPrefix": "192.0.2.0/30",
                    "secondaryPeerAddressPrefix": "192.0.2.4/30",
                    "vlanId": 100,
                },
            }],
        },
    });
    x.push(circuit, types::EXPRESS_ROUTE_CIRCUIT, body);
}

fn push_connection(x: &mut Expansion<'_>, connection: &Connection) -> Result<(), ScenarioError> {
    let place = format!("connections {}", connection.name);
    let gateway = x.link(types::VIRTUAL_NETWORK_GATEWAY, &connection.gateway, &place)?;
    let local = connection.local_network_gateway.as_deref();
    let circuit = connection.express_route_circuit.as_deref();
    let remote = connection.remote_gateway.as_deref();
    let kind = match (local, circuit, remote) {
        (Some(_), None, None) => "IPsec",
        (None, Some(_), None) => "ExpressRoute",
        (None, None, Some(_)) => "Vnet2Vnet",
        _ => {
            let message = "one of `localNetworkGateway`, `expressRouteCircuit` and `remoteGateway` is needed";
            return Err(ScenarioError::invalid(place, message));
        }
    };
    let is_tunnel = kind != "ExpressRoute";
    let of_tunnel = |value: Value| if is_tunnel { value } else { Value::Null };
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(&x.id_of(&connection.head(), types::CONNECTION)),
            "connectionType": kind,
            "connectionStatus": connection.status.as_deref().unwrap_or("Connected"),
            "virtualNetworkGateway1": in_full(gateway),
            "virtualNetworkGateway2": in_full(x.link_opt(types::VIRTUAL_NETWORK_GATEWAY, remote, &place)?),
            "localNetworkGateway2": in_full(x.link_opt(types::LOCAL_NETWORK_GATEWAY, local, &place)?),
            "peer": x.link_opt(types::EXPRESS_ROUTE_CIRCUIT, circuit, &place)?,
            "routingWeight": connection.routing_weight,
            "enableBgp": connection.enable_bgp,
            "connectionProtocol": of_tunnel(json!("IKEv2")),
            "connectionMode": of_tunnel(json!("Default")),
            "dpdTimeoutSeconds": of_tunnel(json!(45)),
            "useLocalAzureIpAddress": of_tunnel(json!(false)),
            "usePolicyBasedTrafficSelectors": of_tunnel(json!(false)),
            "expressRouteGatewayBypass": if is_tunnel { Value::Null } else { json!(false) },
            "ingressBytesTransferred": 0,
            "egressBytesTransferred": 0,
            "ipsecPolicies": [],
            "trafficSelectorPolicies": [],
            "ingressNatRules": [],
            "egressNatRules": [],
        },
    });
    x.push(connection, types::CONNECTION, body);
    Ok(())
}

/// ARM writes an empty `properties` into the gateways that a connection names.
fn in_full(link: Value) -> Value {
    match link {
        Value::Object(mut object) => {
            object.insert("properties".into(), json!({}));
            Value::Object(object)
        }
        other => other,
    }
}
