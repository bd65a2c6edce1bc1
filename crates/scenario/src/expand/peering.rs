//! Peerings: both halves from one entry.

use serde_json::{Value, json};

use super::expansion::Expansion;
use super::types;
use crate::error::ScenarioError;
use crate::yaml::{Peering, PeeringHalf, VirtualNetwork};

pub(crate) fn expand(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    // How many halves each network has so far: where the next one stands in its inline list.
    let mut halves = std::collections::BTreeMap::<String, usize>::new();
    for peering in &x.document.peerings {
        let names: Vec<&String> = peering.between.keys().collect();
        let place = format!("peerings {}", peering.between.keys().cloned().collect::<Vec<_>>().join(" - "));
        let [a, b] = names.as_slice() else {
            return Err(ScenarioError::invalid(place, "a peering is between two virtual networks"));
        };
        for (local, remote) in [(*a, *b), (*b, *a)] {
            let Some(half) = peering.between.get(local).filter(|half| !half.absent) else { continue };
            let local_id = x.names.find(types::VIRTUAL_NETWORK, local, &place)?;
            if network(x, &local_id).is_none() {
                continue; // the other network lies outside the scenario, its half too
            }
            let count = halves.entry(local_id.to_lowercase()).or_default();
            push_half(x, peering, half, &local_id, remote, *count, &place)?;
            *count += 1;
        }
    }
    Ok(())
}

fn network<'d>(x: &Expansion<'d>, id: &str) -> Option<&'d VirtualNetwork> {
    use crate::yaml::Described;
    x.document
        .virtual_networks
        .iter()
        .find(|v| x.id_of(&v.head(), types::VIRTUAL_NETWORK).eq_ignore_ascii_case(id))
}

fn push_half(
    x: &mut Expansion<'_>,
    peering: &Peering,
    half: &PeeringHalf,
    local_id: &str,
    remote: &str,
    index: usize,
    place: &str,
) -> Result<(), ScenarioError> {
    let remote_id = x.names.find(types::VIRTUAL_NETWORK, remote, place)?;
    let remote_name = remote_id.rsplit('/').next().unwrap_or_default();
    let name = half.name.clone().unwrap_or_else(|| format!("to-{remote_name}"));
    let id = format!("{local_id}/virtualNetworkPeerings/{name}");
    let space = match (&half.remote_address_space, network(x, &remote_id)) {
        (Some(stated), _) => stated.0.clone(),
        (None, Some(vnet)) => vnet.address_space.0.clone(),
        (None, None) => {
            let message = format!("{remote} lies outside the scenario: `remoteAddressSpace` is needed");
            return Err(ScenarioError::invalid(place, message));
        }
    };
    let state = half.peering_state.as_ref().or(peering.peering_state.as_ref());
    let sync = half.peering_sync_level.as_ref().or(peering.peering_sync_level.as_ref());
    let access = half.allow_virtual_network_access.or(peering.allow_virtual_network_access).unwrap_or(true);
    let forwarded = half.allow_forwarded_traffic.or(peering.allow_forwarded_traffic).unwrap_or(false);
    let use_remote_gateways = half.use_remote_gateways.unwrap_or(false);
    let json = json!({
        "name": name,
        "id": id,
        "type": "Microsoft.Network/virtualNetworks/virtualNetworkPeerings",
        "properties": {
            "provisioningState": "Succeeded",
            "resourceGuid": x.guid(&id),
            "peeringState": state.map_or("Connected", String::as_str),
            "peeringSyncLevel": sync.map_or("FullyInSync", String::as_str),
            "remoteVirtualNetwork": {"id": remote_id},
            "allowVirtualNetworkAccess": access,
            "allowForwardedTraffic": forwarded,
            "allowGatewayTransit": half.allow_gateway_transit.unwrap_or(false),
            "useRemoteGateways": use_remote_gateways,
            "doNotVerifyRemoteGateways": false,
            "peerCompleteVnets": true,
            "remoteAddressSpace": {"addressPrefixes": space},
            "remoteVirtualNetworkAddressSpace": {"addressPrefixes": space},
        },
    });
    x.push_into(local_id, "/properties/virtualNetworkPeerings", json);
    let at = format!("/properties/virtualNetworkPeerings/{index}/properties");
    x.over_part(local_id, &at, half.properties.as_ref(), half.unchecked.as_ref());
    if use_remote_gateways {
        for gateway in gateways_of(x, &remote_id)? {
            x.push_into(local_id, &format!("{at}/remoteGateways"), gateway);
        }
    }
    Ok(())
}

/// The gateways of a network, as a half that uses them lists them.
fn gateways_of(x: &Expansion<'_>, vnet: &str) -> Result<Vec<Value>, ScenarioError> {
    let mut out = Vec::new();
    for gateway in &x.document.virtual_network_gateways {
        let place = format!("virtualNetworkGateways {}", gateway.name);
        let network = x.names.find(types::VIRTUAL_NETWORK, &gateway.virtual_network, &place)?;
        if network.eq_ignore_ascii_case(vnet) {
            out.push(x.link(types::VIRTUAL_NETWORK_GATEWAY, &gateway.name, &place)?);
        }
    }
    Ok(out)
}
