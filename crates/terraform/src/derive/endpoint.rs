//! What a private endpoint brings with it: its interface with one address a member (A69–A74), the records that its
//! zone groups write (D71, A79), the connection at its registry (A75).
//!
//! An address that Azure picks is one of the subnet: one symbol, in the interface and in the record.

use std::collections::{BTreeMap, BTreeSet};

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use super::registry;
use crate::estate::Estate;
use crate::table::apply::{chosen, set};

const TYPE: &str = "microsoft.network/privateendpoints";
const REGISTRY: &str = "microsoft.containerregistry/registries";
const GROUPS: &str = "privateDnsZoneGroups";
const ZONE: &str = "microsoft.network/privatednszones";

/// A member: one address that serves some names (A71).
struct Member {
    name: String,
    host: String,
    address: Value,
}

/// `why`: the Terraform address of an endpoint, for its addresses.
pub(crate) fn derive(estate: &mut Estate<'_>, why: &BTreeMap<ArmId, String>) {
    forget(estate);
    // The plan's registries, and those of which it makes a replica: their endpoints get members.
    let mut registries: BTreeSet<ArmId> = estate.ids_of(REGISTRY).into_iter().collect();
    registries.extend(estate.ids_of(&format!("{REGISTRY}/replications")).iter().filter_map(ArmId::parent));
    for (id, json) in estate.of_type(TYPE) {
        let registry = target(&json);
        let touched = estate.is_put(&id) || !estate.puts_below(&id, "privatednszonegroups").is_empty();
        if touched || registry.as_ref().is_some_and(|r| registries.contains(r)) {
            let address = why.get(&id).cloned().unwrap_or_else(|| id.as_written().to_owned());
            one(estate, &id, &json, registry, &address);
        }
    }
}

/// What goes with an endpoint that the plan destroys: its interface, and the records that its groups wrote (D72).
fn forget(estate: &mut Estate<'_>) {
    let mut lost: Vec<ArmId> = Vec::new();
    for id in estate.gone().clone().iter().filter(|id| id.resource_type().as_deref() == Some(TYPE)) {
        let Some(json) = estate.in_base(id) else { continue };
        let nics = json.pointer("/properties/networkInterfaces").and_then(Value::as_array);
        lost.extend(nics.into_iter().flatten().filter_map(|nic| nic.get("id")?.as_str().map(ArmId::new)));
    }
    for id in estate.gone().clone() {
        if id.resource_type().as_deref() == Some("microsoft.network/privateendpoints/privatednszonegroups")
            && let Some(json) = estate.in_base(&id)
        {
            lost.extend(records(&json));
        }
    }
    for id in lost {
        estate.delete(&id);
    }
}

/// The record sets that a zone group says it wrote.
fn records(group: &Value) -> Vec<ArmId> {
    let mut out = Vec::new();
    let configs = group.pointer("/properties/privateDnsZoneConfigs").and_then(Value::as_array);
    for config in configs.into_iter().flatten() {
        let Some(zone) = config.pointer("/properties/privateDnsZoneId").and_then(Value::as_str) else {
            continue;
        };
        let sets = config.pointer("/properties/recordSets").and_then(Value::as_array);
        for set in sets.into_iter().flatten() {
            if let Some(name) = set.get("recordSetName").and_then(Value::as_str) {
                out.push(ArmId::new(&format!("{zone}/A/{name}")));
            }
        }
    }
    out
}

fn connections(json: &Value) -> impl Iterator<Item = &Value> {
    ["/properties/privateLinkServiceConnections", "/properties/manualPrivateLinkServiceConnections"]
        .into_iter()
        .filter_map(|pointer| json.pointer(pointer)?.as_array())
        .flatten()
}

/// The registry that an endpoint leads to.
fn target(json: &Value) -> Option<ArmId> {
    connections(json).find_map(|connection| {
        let id = ArmId::new(connection.pointer("/properties/privateLinkServiceId")?.as_str()?);
        (id.resource_type().as_deref() == Some(REGISTRY)).then_some(id)
    })
}

fn one(estate: &mut Estate<'_>, id: &ArmId, json: &Value, registry: Option<ArmId>, address: &str) {
    let status = connections(json)
        .find_map(|c| c.pointer("/properties/privateLinkServiceConnectionState/status")?.as_str())
        .unwrap_or("Approved")
        .to_owned();
    let subnet = json.pointer("/properties/subnet/id").cloned().unwrap_or_default();
    let members = members(estate, id, json, registry.as_ref(), &subnet, address);
    let nic = nic_id(json, id);
    let known_nic = estate.get(&nic);
    let groups = json.pointer("/properties/applicationSecurityGroups").cloned().unwrap_or_else(|| json!([]));
    let group_id = connections(json).find_map(|c| c.pointer("/properties/groupIds/0").cloned());
    let configs = match &members {
        Some(members) => Value::Array(
            members
                .iter()
                .map(|member| {
                    json!({
                        "name": format!("privateEndpointIpConfig.{}", member.name),
                        "properties": {
                            "privateIPAddress": member.address,
                            "subnet": { "id": subnet },
                            "applicationSecurityGroups": groups,
                            "privateLinkConnectionProperties": {
                                "groupId": group_id,
                                "requiredMemberName": member.name,
                                "fqdns": [member.host],
                            },
                        },
                    })
                })
                .collect(),
        ),
        // Which members there are is not known.
        None => known_nic
            .as_ref()
            .and_then(|nic| nic.pointer("/properties/ipConfigurations").cloned())
            .unwrap_or_else(|| json!([chosen(address, "network_interface[*]", Some(&subnet))])),
    };
    let mut nic_json = known_nic.unwrap_or_else(|| {
        json!({ "id": nic.as_written(), "name": nic.name(), "type": "Microsoft.Network/networkInterfaces",
            "location": json.get("location"),
            "properties": { "enableIPForwarding": false, "dnsSettings": { "dnsServers": [] } } })
    });
    set(&mut nic_json, "/properties/privateEndpoint", json!({ "id": id.as_written() }));
    set(&mut nic_json, "/properties/ipConfigurations", configs);
    estate.put(nic.clone(), nic_json);
    estate.change(id, |json| {
        set(json, "/properties/networkInterfaces", json!([{ "id": nic.as_written() }]));
    });
    if let Some(registry) = &registry {
        registry::connect(estate, registry, id, &status);
    }
    zone_groups(estate, id, registry.is_some().then_some(members).flatten().unwrap_or_default(), address);
}

fn nic_id(json: &Value, id: &ArmId) -> ArmId {
    let known = json.pointer("/properties/networkInterfaces/0/id").and_then(Value::as_str);
    if let Some(known) = known {
        return ArmId::new(known);
    }
    let (scope, _) = id.as_written().split_once("/providers/").unwrap_or((id.as_written(), ""));
    let custom = json.pointer("/properties/customNetworkInterfaceName").and_then(Value::as_str);
    let name = custom.filter(|n| !n.is_empty()).map_or_else(|| format!("{}.nic", id.name()), str::to_owned);
    ArmId::new(&format!("{scope}/providers/Microsoft.Network/networkInterfaces/{name}"))
}

/// The members of an endpoint of a registry: the registry itself and one a region (A71). `None`: not known.
fn members(
    estate: &Estate<'_>,
    id: &ArmId,
    json: &Value,
    registry: Option<&ArmId>,
    subnet: &Value,
    address: &str,
) -> Option<Vec<Member>> {
    let registry = registry?;
    let regions = registry::regions(estate, registry)?;
    let login = estate.get(registry)?.pointer("/properties/loginServer")?.as_str()?.to_lowercase();
    let (label, suffix) = login.split_once('.')?;
    let mut names = vec![("registry".to_owned(), login.clone())];
    names
        .extend(regions.iter().map(|r| (format!("registry_data_{r}"), format!("{label}.{r}.data.{suffix}"))));
    let known = known_addresses(estate, id, json);
    let fixed = json.pointer("/properties/ipConfigurations").and_then(Value::as_array);
    let fixed = |member: &str| {
        fixed?.iter().find_map(|config| {
            let own = config.pointer("/properties/memberName")?.as_str()?;
            if own.eq_ignore_ascii_case(member) {
                config.pointer("/properties/privateIPAddress").cloned()
            } else {
                None
            }
        })
    };
    // An endpoint with static addresses needs one a member (A76), and one that is there already shows what it has: what
    // neither shows is not Azure's to pick.
    let picks = known.is_empty() && fixed("registry").is_none();
    let within = picks.then_some(subnet);
    let out = names.into_iter().map(|(name, host)| {
        let at = fixed(&name).or_else(|| known.get(&host).cloned());
        let address = at.unwrap_or_else(|| chosen(address, &format!("private_ip_address ({name})"), within));
        Member { name, host, address }
    });
    Some(out.collect())
}

/// Addresses by public host that the endpoint shows already: its interface, its DNS configuration, its records.
fn known_addresses(estate: &Estate<'_>, id: &ArmId, json: &Value) -> BTreeMap<String, Value> {
    let mut out = BTreeMap::new();
    if estate.new.contains(id) {
        return out;
    }
    for group in estate.below(id, GROUPS).values() {
        let configs = group.pointer("/properties/privateDnsZoneConfigs").and_then(Value::as_array);
        for set in configs
            .into_iter()
            .flatten()
            .filter_map(|config| config.pointer("/properties/recordSets")?.as_array())
            .flatten()
        {
            let host = set
                .get("fqdn")
                .and_then(Value::as_str)
                .map(|f| f.to_lowercase().replacen(".privatelink.", ".", 1));
            if let (Some(host), Some(address)) = (host, set.pointer("/ipAddresses/0")) {
                out.insert(host, address.clone());
            }
        }
    }
    let custom = json.pointer("/properties/customDnsConfigs").and_then(Value::as_array);
    for config in custom.into_iter().flatten() {
        if let (Some(host), Some(address)) =
            (config.get("fqdn").and_then(Value::as_str), config.pointer("/ipAddresses/0"))
        {
            out.insert(host.to_lowercase(), address.clone());
        }
    }
    let nic = estate.get(&nic_id(json, id));
    let configs = nic.as_ref().and_then(|nic| nic.pointer("/properties/ipConfigurations")?.as_array());
    for config in configs.into_iter().flatten() {
        let fqdns =
            config.pointer("/properties/privateLinkConnectionProperties/fqdns").and_then(Value::as_array);
        let Some(address) = config.pointer("/properties/privateIPAddress") else { continue };
        for fqdn in fqdns.into_iter().flatten().filter_map(Value::as_str) {
            out.insert(fqdn.to_lowercase(), address.clone());
        }
    }
    out
}

/// The records that each zone group writes into its zones.
fn zone_groups(estate: &mut Estate<'_>, id: &ArmId, members: Vec<Member>, address: &str) {
    if members.is_empty() {
        return;
    }
    for (group_id, mut group) in estate.below(id, GROUPS) {
        let mut written: Vec<(ArmId, Value)> = Vec::new();
        let mut open = false;
        let configs = group.pointer_mut("/properties/privateDnsZoneConfigs").and_then(Value::as_array_mut);
        for config in configs.into_iter().flatten() {
            let Some(zone) = config.pointer("/properties/privateDnsZoneId").and_then(Value::as_str) else {
                open = true;
                continue;
            };
            let (zone, zone_name) =
                (zone.to_owned(), zone.rsplit('/').next().unwrap_or_default().to_lowercase());
            let mut sets = Vec::new();
            for member in &members {
                let Some(record) = record_name(&member.host, &zone_name) else { continue };
                sets.push(json!({ "recordType": "A", "recordSetName": record, "fqdn": format!("{record}.{zone_name}"),
                    "ttl": 10, "provisioningState": "Succeeded", "ipAddresses": [member.address] }));
                written.push((ArmId::new(&format!("{zone}/A/{record}")), member.address.clone()));
            }
            set(config, "/properties/recordSets", Value::Array(sets));
        }
        set(&mut group, "/properties/provisioningState", json!("Succeeded"));
        estate.put(group_id, group);
        if open {
            in_any_zone(estate, &members, &written, address);
        }
        for (record, value) in written {
            let there = estate.is_put(&record).then(|| estate.get(&record)).flatten();
            let two =
                there.is_some_and(|json| json.pointer("/properties/aRecords/0/ipv4Address") != Some(&value));
            // Two endpoints that write one record: which one stays is not settled.
            let value = if two { chosen(address, &format!("record {}", record.name()), None) } else { value };
            let json = json!({ "id": record.as_written(), "name": record.name(),
                "type": "Microsoft.Network/privateDnsZones/A",
                "properties": { "ttl": 10, "isAutoRegistered": false, "aRecords": [{ "ipv4Address": value }] } });
            estate.put(record, json);
        }
    }
}

/// The records of a group one of whose zones is not known: each zone that fits has them, or has not.
fn in_any_zone(estate: &mut Estate<'_>, members: &[Member], written: &[(ArmId, Value)], address: &str) {
    for zone in estate.of_type(ZONE).into_keys() {
        for member in members {
            let Some(name) = record_name(&member.host, &zone.name().to_lowercase()) else { continue };
            let record = ArmId::new(&format!("{}/A/{name}", zone.as_written()));
            if written.iter().any(|(known, _)| *known == record) {
                continue;
            }
            let records = chosen(address, "private_dns_zone_group", None);
            let json = json!({ "id": record.as_written(), "name": record.name(),
                "type": "Microsoft.Network/privateDnsZones/A",
                "properties": { "ttl": 10, "isAutoRegistered": false, "aRecords": records } });
            estate.put(record, json);
        }
    }
}

/// The record that a zone `privatelink.<suffix>` gets for a name under `<suffix>` (A79).
fn record_name(host: &str, zone: &str) -> Option<String> {
    let suffix = zone.strip_prefix("privatelink.").unwrap_or(zone);
    host.strip_suffix(suffix)?.strip_suffix('.').map(str::to_owned)
}
