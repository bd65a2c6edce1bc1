//! Private endpoints with their NICs, zone groups, and the records that zone groups write.

use serde_json::{Value, json};

use super::expansion::Expansion;
use super::{filler, machine, names, registry, types};
use crate::error::ScenarioError;
use crate::yaml::{Described, PrivateEndpoint, Registry};

/// A member of a private endpoint: one address that serves some names (A71).
struct Member {
    name: String,
    fqdns: Vec<String>,
    address: String,
}

/// The addresses that an endpoint states.
pub(crate) fn stated(endpoint: &PrivateEndpoint) -> impl Iterator<Item = &String> {
    endpoint.addresses.values()
}

pub(crate) fn expand(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    for endpoint in &x.document.private_endpoints {
        private_endpoint(x, endpoint)?;
    }
    Ok(())
}

fn private_endpoint(x: &mut Expansion<'_>, endpoint: &PrivateEndpoint) -> Result<(), ScenarioError> {
    let place = format!("privateEndpoints {}", endpoint.name);
    let id = x.id_of(&endpoint.head(), types::PRIVATE_ENDPOINT);
    let subnet = x.names.find(types::SUBNET, &endpoint.subnet, &place)?;
    let target = x.names.find(types::REGISTRY, &endpoint.target, &place)?;
    let members = members(x, endpoint, &subnet, &target, &place)?;
    let group = endpoint.group_id.as_deref().unwrap_or("registry");
    let status = endpoint.status.as_deref().unwrap_or("Approved");

    let nic = nic_id(x, endpoint, &id);
    push_nic(x, endpoint, &nic, &id, &subnet, group, &members, &place)?;
    if let Some((vnet, index)) = machine::position(x, &subnet) {
        x.refer(&vnet, &format!("/properties/subnets/{index}/properties/privateEndpoints"), &id);
    }
    let connection = json!([{
        "name": endpoint.name,
        "id": format!("{id}/privateLinkServiceConnections/{}", endpoint.name),
        "type": "Microsoft.Network/privateEndpoints/privateLinkServiceConnections",
        "properties": {
            "provisioningState": "Succeeded",
            "privateLinkServiceId": target,
            "groupIds": [group],
            "privateLinkServiceConnectionState": {"status": status, "description": "", "actionsRequired": "None"},
        },
    }]);
    let (automatic, manual) = if endpoint.manual { (json!([]), connection) } else { (connection, json!([])) };
    let fixed: Vec<Value> = members
        .iter()
        .filter(|_| endpoint.static_addresses)
        .map(|member| {
            json!({
                "name": member.name,
                "type": "Microsoft.Network/privateEndpoints/ipConfigurations",
                "properties": {
                    "groupId": group,
                    "memberName": member.name,
                    "privateIPAddress": member.address,
                },
            })
        })
        .collect();
    // With a zone group ARM leaves this list empty (A73).
    let custom: Vec<Value> = members
        .iter()
        .filter(|_| endpoint.zone_group.is_empty())
        .flat_map(|member| {
            member.fqdns.iter().map(|fqdn| json!({"fqdn": fqdn, "ipAddresses": [member.address]}))
        })
        .collect();
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "subnet": {"id": subnet},
            "networkInterfaces": [{"id": nic}],
            "privateLinkServiceConnections": automatic,
            "manualPrivateLinkServiceConnections": manual,
            "ipConfigurations": fixed,
            "customDnsConfigs": custom,
            "customNetworkInterfaceName": "",
            "applicationSecurityGroups":
                x.links(types::APPLICATION_SECURITY_GROUP, &endpoint.application_security_groups, &place)?,
        },
    });
    x.push(endpoint, types::PRIVATE_ENDPOINT, body);
    registry_side(x, endpoint, &id, &target);
    zone_group(x, endpoint, &id, &members, &place)
}

fn nic_id(x: &Expansion<'_>, endpoint: &PrivateEndpoint, id: &str) -> String {
    let (scope, _) = id.split_once("/providers/").unwrap_or((id, ""));
    let nic = format!("{}.nic.{}", endpoint.name, x.guid(&format!("{id}/nic")));
    format!("{scope}/providers/{}/{nic}", types::NETWORK_INTERFACE)
}

/// The registry of this scenario that has an id.
fn registry_of<'d>(x: &Expansion<'d>, id: &str) -> Option<&'d Registry> {
    let registries = x.document.registries.iter();
    registries.into_iter().find(|r| x.id_of(&r.head(), types::REGISTRY).eq_ignore_ascii_case(id))
}

fn members(
    x: &mut Expansion<'_>,
    endpoint: &PrivateEndpoint,
    subnet: &str,
    target: &str,
    place: &str,
) -> Result<Vec<Member>, ScenarioError> {
    let mut names: Vec<(String, Vec<String>)> = Vec::new();
    match registry_of(x, target) {
        Some(found) if endpoint.members.is_empty() => {
            // Azure hands out the data endpoints' addresses first.
            for region in registry::regions(x, found) {
                names.push((format!("registry_data_{region}"), vec![registry::data_host(found, &region)]));
            }
            names.push(("registry".into(), vec![registry::login_server(found)]));
        }
        _ => names.extend(endpoint.members.iter().map(|(member, fqdns)| (member.clone(), fqdns.0.clone()))),
    }
    for member in endpoint.addresses.keys().chain(&endpoint.without_members) {
        if !names.iter().any(|(name, _)| name == member) {
            let known: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
            let message = format!("{member} is no member; there are {}", known.join(", "));
            return Err(ScenarioError::invalid(place, message));
        }
    }
    let mut out = Vec::new();
    for (name, fqdns) in names {
        if endpoint.without_members.contains(&name) {
            continue;
        }
        let address = match endpoint.addresses.get(&name) {
            Some(address) => address.clone(),
            None => x.addresses.next(subnet, place)?,
        };
        out.push(Member { name, fqdns, address });
    }
    if out.is_empty() {
        return Err(ScenarioError::invalid(place, "no member: `members` is needed for this target"));
    }
    Ok(out)
}

#[allow(clippy::too_many_arguments, reason = "one NIC, stated once")]
fn push_nic(
    x: &mut Expansion<'_>,
    endpoint: &PrivateEndpoint,
    nic: &str,
    id: &str,
    subnet: &str,
    group: &str,
    members: &[Member],
    place: &str,
) -> Result<(), ScenarioError> {
    let groups = x.links(types::APPLICATION_SECURITY_GROUP, &endpoint.application_security_groups, place)?;
    let method = if endpoint.static_addresses { "Static" } else { "Dynamic" };
    let mut configurations = Vec::new();
    for (i, member) in members.iter().enumerate() {
        let name = format!("privateEndpointIpConfig.{}", x.guid(&format!("{nic}/{}", member.name)));
        let configuration = format!("{nic}/ipConfigurations/{name}");
        machine::refer_from_subnet(x, subnet, &configuration);
        configurations.push(json!({
            "name": name,
            "id": configuration,
            "type": "Microsoft.Network/networkInterfaces/ipConfigurations",
            "properties": {
                "provisioningState": "Succeeded",
                "privateIPAddress": member.address,
                "privateIPAllocationMethod": method,
                "privateIPAddressVersion": "IPv4",
                "primary": i == 0,
                "subnet": {"id": subnet},
                "applicationSecurityGroups": groups,
                "privateLinkConnectionProperties": {
                    "groupId": group,
                    "requiredMemberName": member.name,
                    "fqdns": member.fqdns,
                },
            },
        }));
    }
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(nic),
            "ipConfigurations": configurations,
            "dnsSettings": {"dnsServers": [], "appliedDnsServers": []},
            "enableAcceleratedNetworking": false,
            "enableIPForwarding": false,
            "nicType": "Standard",
            "privateEndpoint": {"id": id},
        },
    });
    let location = x.location(&endpoint.head());
    x.push_at(nic, types::NETWORK_INTERFACE, Some(&location), body);
    Ok(())
}

/// The registry lists the connection too (A75).
fn registry_side(x: &mut Expansion<'_>, endpoint: &PrivateEndpoint, id: &str, target: &str) {
    let status = endpoint.registry_status.as_ref().or(endpoint.status.as_ref());
    let name = format!("{}.{}", endpoint.name, filler::short(id));
    let connection = json!({
        "id": format!("{target}/privateEndpointConnections/{name}"),
        "name": name,
        "type": "Microsoft.ContainerRegistry/registries/privateEndpointConnections",
        "properties": {
            "provisioningState": "Succeeded",
            "privateEndpoint": {"id": id},
            "privateLinkServiceConnectionState": {
                "status": status.map_or("Approved", String::as_str),
                "description": "",
                "actionsRequired": "None",
            },
        },
    });
    x.push_into(target, "/properties/privateEndpointConnections", connection);
}

fn zone_group(
    x: &mut Expansion<'_>,
    endpoint: &PrivateEndpoint,
    id: &str,
    members: &[Member],
    place: &str,
) -> Result<(), ScenarioError> {
    if endpoint.zone_group.is_empty() {
        return Ok(());
    }
    let group = format!("{id}/privateDnsZoneGroups/default");
    let mut configurations = Vec::new();
    for zone in &endpoint.zone_group {
        let zone = x.names.find(types::PRIVATE_DNS_ZONE, zone, place)?;
        let zone_name = zone.rsplit('/').next().unwrap_or_default().to_owned();
        let mut sets = Vec::new();
        for member in members {
            for fqdn in &member.fqdns {
                let Some(record) = record_name(fqdn, &zone_name) else { continue };
                let value = json!({"aRecords": [{"ipv4Address": member.address}]});
                names::record_set(x, &zone, "A", &record, 10, false, value);
                sets.push(json!({
                    "recordType": "A",
                    "recordSetName": record,
                    "fqdn": format!("{record}.{zone_name}"),
                    "ttl": 10,
                    "provisioningState": "Succeeded",
                    "ipAddresses": [member.address],
                }));
            }
        }
        configurations.push(json!({
            "name": zone_name.replace('.', "-"),
            "properties": {"privateDnsZoneId": zone, "recordSets": sets},
        }));
    }
    let body = json!({
        "properties": {"provisioningState": "Succeeded", "privateDnsZoneConfigs": configurations},
    });
    x.push_at(&group, "Microsoft.Network/privateEndpoints/privateDnsZoneGroups", None, body);
    Ok(())
}

/// The record that a zone `privatelink.<suffix>` gets for a name under `<suffix>` (A79).
fn record_name(fqdn: &str, zone: &str) -> Option<String> {
    let suffix = zone.strip_prefix("privatelink.").unwrap_or(zone);
    fqdn.strip_suffix(suffix)?.strip_suffix('.').map(str::to_owned)
}
