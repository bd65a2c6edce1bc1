//! Private endpoints of a registry: their state and the addresses that they give its hosts (A70–A77, D68–D76).

use std::collections::BTreeSet;
use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;

use crate::json::{Node, is};
use crate::lookup::name::fold;
use crate::missing;
use crate::plain::Plain;
use crate::resources::{Resource, all, at, find};

/// The registry's own copy of its connections.
const LIST: &str = "/properties/privateEndpointConnections";
const ENDPOINT: &str = "microsoft.network/privateendpoints";

/// Connection state (A75): only `Approved` carries traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Approved,
    /// Pending, Rejected or Disconnected.
    Other,
}

fn state(text: &str) -> State {
    if text.eq_ignore_ascii_case("Approved") { State::Approved } else { State::Other }
}

/// One private endpoint connection of a registry.
pub(crate) struct Connection {
    pub endpoint: ArmId,
    pub state: Result<State, Missing>,
}

/// The connections of a registry: its own list, and endpoints of the snapshot that the list does not name. Where the
/// two sides differ the registry's copy holds (A75). `Err` where the registry's list is not known.
pub(crate) fn connections(plain: &Plain, registry: &Resource) -> Result<Vec<Connection>, Missing> {
    let listed = registry.node().list(LIST);
    if let Some(open) = listed.open.into_iter().next() {
        return Err(open);
    }
    let children = plain.layered.standalone_children(registry.ix, "privateEndpointConnections");
    let children: Vec<Resource> = children.into_iter().map(|ix| at(plain, ix)).collect();
    let nodes = listed.known.into_iter().map(|item| Node::new(item, &registry.id));
    let mut out: Vec<Connection> = Vec::new();
    for node in nodes.chain(children.iter().map(Resource::node)) {
        let status = node.text("/properties/privateLinkServiceConnectionState/status").known();
        let state = match status {
            Ok(Some(status)) => Ok(state(status)),
            Ok(None) => {
                Err(missing::malformed(&registry.id, "/properties/privateEndpointConnections/*/properties"))
            }
            Err(missing) => Err(missing),
        };
        let endpoint = node.reference("/properties/privateEndpoint").known()?;
        let endpoint = endpoint.unwrap_or_else(|| registry.id.clone());
        if out.iter().all(|known| known.endpoint != endpoint) {
            out.push(Connection { endpoint, state });
        }
    }
    for endpoint in all(plain, ENDPOINT) {
        if out.iter().any(|connection| connection.endpoint == endpoint.id) {
            continue;
        }
        if let Some(state) = state_at_endpoint(&endpoint, &registry.id)? {
            out.push(Connection { endpoint: endpoint.id, state: Ok(state) });
        }
    }
    // Only Premium registries have connections (A36); a list that is left out says nothing about there being none (A57).
    let premium = registry.node().text("/sku/name").known()?.is_none_or(|sku| is(sku, "Premium"));
    if out.is_empty() && premium && registry.json.pointer(LIST).is_none() {
        return Err(missing::evidence(
            format!("private endpoint connections of {}", registry.id),
            "left out",
        ));
    }
    Ok(out)
}

/// The states of a registry's connections.
pub(crate) fn states(plain: &Plain, registry: &Resource) -> Result<Vec<State>, Missing> {
    let connections = connections(plain, registry)?;
    let mut unknown = None;
    let mut out = Vec::new();
    for connection in connections {
        match connection.state {
            Ok(state) => out.push(state),
            Err(missing) => unknown = Some(missing),
        }
    }
    match unknown {
        Some(missing) if !out.contains(&State::Approved) => Err(missing),
        _ => Ok(out),
    }
}

/// The state that the endpoint itself shows for its connection to a registry; `None` where it has none.
pub(crate) fn state_at_endpoint(endpoint: &Resource, registry: &ArmId) -> Result<Option<State>, Missing> {
    for list in
        ["/properties/privateLinkServiceConnections", "/properties/manualPrivateLinkServiceConnections"]
    {
        for item in endpoint.node().list(list).known {
            let node = Node::new(item, &endpoint.id);
            if node.text("/properties/privateLinkServiceId").known()?.map(ArmId::new).as_ref()
                != Some(registry)
            {
                continue;
            }
            let status = node.text("/properties/privateLinkServiceConnectionState/status").known()?;
            // No state yet: a connection that is still to be made. A manual one waits for an approval (A98).
            let default = if list.contains("manual") { State::Other } else { State::Approved };
            return Ok(Some(status.map_or(default, state)));
        }
    }
    Ok(None)
}

/// The address that one private endpoint gives a host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Member {
    pub endpoint: ArmId,
    pub host: String,
    pub address: IpAddr,
}

/// The members of the approved private endpoints of a registry, in the precedence of A74. The second part: approved
/// endpoints whose members are not known.
pub(crate) fn members(plain: &Plain, registry: &Resource, login: &str) -> (BTreeSet<Member>, Vec<Missing>) {
    let mut out = BTreeSet::new();
    let mut unknown = Vec::new();
    let connections = match connections(plain, registry) {
        Ok(connections) => connections,
        Err(missing) => return (out, vec![missing]),
    };
    for connection in connections {
        match connection.state {
            Ok(State::Approved) => {}
            Ok(State::Other) => continue,
            Err(missing) => {
                unknown.push(missing);
                continue;
            }
        }
        let Some(endpoint) = find(plain, connection.endpoint.folded()) else {
            unknown.push(missing::resource(&connection.endpoint));
            continue;
        };
        let found = members_of(plain, &endpoint, login);
        if found.is_empty() {
            let why = "neither its network interface nor its DNS settings show the addresses (A74)";
            unknown.push(missing::evidence(format!("addresses of {}", endpoint.id), why));
        }
        out.extend(found);
    }
    (out, unknown)
}

/// NIC, then `customDnsConfigs`, then static IP configurations, then the zone group's record sets (A74).
fn members_of(plain: &Plain, endpoint: &Resource, login: &str) -> BTreeSet<Member> {
    let sources: [&dyn Fn() -> Vec<(String, IpAddr)>; 4] = [
        &|| from_nics(plain, endpoint),
        &|| from_dns_configs(endpoint),
        &|| from_static_configs(endpoint, login),
        &|| from_zone_groups(plain, endpoint),
    ];
    for source in sources {
        let found = source();
        if !found.is_empty() {
            let member =
                |(host, address): (String, IpAddr)| Member { endpoint: endpoint.id.clone(), host, address };
            return found.into_iter().map(member).collect();
        }
    }
    BTreeSet::new()
}

fn from_nics(plain: &Plain, endpoint: &Resource) -> Vec<(String, IpAddr)> {
    let mut out = Vec::new();
    for nic in endpoint.node().references("/properties/networkInterfaces").known {
        let Some(nic) = find(plain, nic.folded()) else { continue };
        for config in nic.node().list("/properties/ipConfigurations").known {
            let node = Node::new(config, &nic.id);
            let Ok(Some(address)) = node.address("/properties/privateIPAddress").known() else { continue };
            for host in node.texts("/properties/privateLinkConnectionProperties/fqdns").known {
                out.push((fold(host), address));
            }
        }
    }
    out
}

fn from_dns_configs(endpoint: &Resource) -> Vec<(String, IpAddr)> {
    let mut out = Vec::new();
    for config in endpoint.node().list("/properties/customDnsConfigs").known {
        let node = Node::new(config, &endpoint.id);
        let Ok(Some(host)) = node.text("/fqdn").known() else { continue };
        for address in node.texts("/ipAddresses").known {
            out.extend(address.parse().ok().map(|address| (fold(host), address)));
        }
    }
    out
}

/// Member names: `registry`, `registry_data_<region>`, `registry_<region>` (A71).
fn from_static_configs(endpoint: &Resource, login: &str) -> Vec<(String, IpAddr)> {
    let login = fold(login);
    let Some((label, suffix)) = login.split_once('.') else { return Vec::new() };
    let mut out = Vec::new();
    for config in endpoint.node().list("/properties/ipConfigurations").known {
        let node = Node::new(config, &endpoint.id);
        let (Ok(Some(member)), Ok(Some(address))) = (
            node.text("/properties/memberName").known(),
            node.address("/properties/privateIPAddress").known(),
        ) else {
            continue;
        };
        let member = member.to_ascii_lowercase();
        let host = match (member.strip_prefix("registry_data_"), member.strip_prefix("registry_")) {
            (Some(region), _) => format!("{label}.{region}.data.{suffix}"),
            (None, Some(region)) => format!("{label}.{region}.geo.{suffix}"),
            (None, None) if member == "registry" => login.clone(),
            (None, None) => continue,
        };
        out.push((host, address));
    }
    out
}

fn from_zone_groups(plain: &Plain, endpoint: &Resource) -> Vec<(String, IpAddr)> {
    let mut out = Vec::new();
    for group in endpoint.children(plain, "privateDnsZoneGroups") {
        for config in group.node().list("/properties/privateDnsZoneConfigs").known {
            for set in Node::new(config, &group.id).list("/properties/recordSets").known {
                let node = Node::new(set, &group.id);
                let Ok(Some(name)) = node.text("/fqdn").known() else { continue };
                // The group writes the privatelink form; the host is the public one (D179).
                let host = fold(name).replacen(".privatelink.", ".", 1);
                for address in node.texts("/ipAddresses").known {
                    out.extend(address.parse().ok().map(|address| (host.clone(), address)));
                }
            }
        }
    }
    out
}
