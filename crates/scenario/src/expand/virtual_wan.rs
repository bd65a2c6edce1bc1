//! Virtual WANs and hubs, with route tables, connections and routing intent.

use serde_json::{Value, json};

use super::expansion::Expansion;
use super::types;
use crate::error::ScenarioError;
use crate::yaml::{Described, HubConnection, HubRoute, RoutingIntent, VirtualHub};

pub(crate) fn expand(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    for wan in &x.document.virtual_wans {
        let body = json!({
            "properties": {
                "provisioningState": "Succeeded",
                "type": "Standard",
                "disableVpnEncryption": false,
                "allowBranchToBranchTraffic": true,
                "office365LocalBreakoutCategory": "None",
            },
        });
        x.push(wan, types::VIRTUAL_WAN, body);
    }
    for hub in &x.document.virtual_hubs {
        virtual_hub(x, hub)?;
    }
    Ok(())
}

fn virtual_hub(x: &mut Expansion<'_>, hub: &VirtualHub) -> Result<(), ScenarioError> {
    let place = format!("virtualHubs {}", hub.name);
    let id = x.id_of(&hub.head(), types::VIRTUAL_HUB);
    let wan = x.names.find(types::VIRTUAL_WAN, &hub.virtual_wan, &place)?;
    x.refer(&wan, "/properties/virtualHubs", &id);
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "routingState": "Provisioned",
            "addressPrefix": hub.address_prefix,
            "virtualWan": {"id": wan},
            "sku": "Standard",
            "virtualRouterAsn": 65515,
            "hubRoutingPreference": hub.routing_preference.as_deref().unwrap_or("ExpressRoute"),
            "allowBranchToBranchTraffic": false,
            "preferredRoutingGateway": "ExpressRoute",
            "routeTable": {"routes": []},
            "virtualHubRouteTableV2s": [],
        },
    });
    x.push(hub, types::VIRTUAL_HUB, body);
    for connection in &hub.connections {
        push_connection(x, hub, &id, connection)?;
    }
    let mut tables = vec![("defaultRouteTable".to_owned(), vec!["default".to_owned()])];
    tables.push(("noneRouteTable".to_owned(), vec!["none".to_owned()]));
    for table in &hub.route_tables {
        match tables.iter_mut().find(|(name, _)| *name == table.name) {
            Some((_, labels)) => labels.extend(table.labels.iter().cloned()),
            None => tables.push((table.name.clone(), table.labels.clone())),
        }
    }
    for (name, labels) in tables {
        let mut routes = Vec::new();
        for route in hub.route_tables.iter().filter(|t| t.name == name).flat_map(|t| &t.routes) {
            routes.push(hub_route(x, hub, &id, route, &place)?);
        }
        if name == "defaultRouteTable"
            && let Some(intent) = &hub.routing_intent
        {
            routes.extend(policy_routes(x, intent, &place)?);
        }
        let associated = connections(hub, &id, |c| table_of(c) == name);
        let propagating = connections(hub, &id, |c| propagates_to(c).contains(&name));
        let body = json!({
            "properties": {
                "provisioningState": "Succeeded",
                "labels": labels,
                "routes": routes,
                "associatedConnections": associated,
                "propagatingConnections": propagating,
            },
        });
        x.push_at(&format!("{id}/hubRouteTables/{name}"), types::HUB_ROUTE_TABLE, None, body);
    }
    if let Some(intent) = &hub.routing_intent {
        routing_intent(x, &id, intent, &place)?;
    }
    Ok(())
}

fn table_of(connection: &HubConnection) -> String {
    connection.associated_route_table.clone().unwrap_or_else(|| "defaultRouteTable".into())
}

fn propagates_to(connection: &HubConnection) -> Vec<String> {
    connection.propagated_route_tables.clone().unwrap_or_else(|| vec!["defaultRouteTable".into()])
}

fn connections(hub: &VirtualHub, id: &str, wanted: impl Fn(&HubConnection) -> bool) -> Vec<String> {
    let wanted = hub.connections.iter().filter(|c| wanted(c));
    wanted.map(|c| format!("{id}/hubVirtualNetworkConnections/{}", c.name)).collect()
}

fn push_connection(
    x: &mut Expansion<'_>,
    hub: &VirtualHub,
    id: &str,
    connection: &HubConnection,
) -> Result<(), ScenarioError> {
    let place = format!("virtualHubs {}, connection {}", hub.name, connection.name);
    let remote = x.link(types::VIRTUAL_NETWORK, &connection.virtual_network, &place)?;
    let table = |name: &str| json!({"id": format!("{id}/hubRouteTables/{name}")});
    let static_routes: Vec<Value> = connection
        .static_routes
        .iter()
        .map(|route| {
            json!({
                "name": route.name,
                "addressPrefixes": route.prefixes.0,
                "nextHopIpAddress": route.next_hop,
            })
        })
        .collect();
    let propagated: Vec<Value> = propagates_to(connection).iter().map(|name| table(name)).collect();
    let labels = connection.labels.clone().unwrap_or_else(|| {
        let is_default = propagates_to(connection).iter().any(|name| name == "defaultRouteTable");
        vec![if is_default { "default" } else { "none" }.to_owned()]
    });
    let body = json!({
        "properties": {
            "provisioningState": "Succeeded",
            "remoteVirtualNetwork": remote,
            "allowHubToRemoteVnetTransit": true,
            "allowRemoteVnetToUseHubVnetGateways": true,
            "enableInternetSecurity": connection.enable_internet_security.unwrap_or(true),
            "routingConfiguration": {
                "associatedRouteTable": table(&table_of(connection)),
                "propagatedRouteTables": {"labels": labels, "ids": propagated},
                "vnetRoutes": {
                    "staticRoutes": static_routes,
                    "staticRoutesConfig": {
                        "propagateStaticRoutes": true,
                        "vnetLocalRouteOverrideCriteria": "Contains",
                    },
                },
            },
        },
    });
    let connection_id = format!("{id}/hubVirtualNetworkConnections/{}", connection.name);
    x.push_at(&connection_id, types::HUB_CONNECTION, None, body);
    x.over_part(&connection_id, "/properties", connection.properties.as_ref(), connection.unchecked.as_ref());
    Ok(())
}

fn hub_route(
    x: &mut Expansion<'_>,
    hub: &VirtualHub,
    id: &str,
    route: &HubRoute,
    place: &str,
) -> Result<Value, ScenarioError> {
    let own = hub.connections.iter().find(|c| c.name == route.next_hop);
    let next_hop = match own {
        Some(connection) => format!("{id}/hubVirtualNetworkConnections/{}", connection.name),
        None => x.names.find(types::AZURE_FIREWALL, &route.next_hop, place)?,
    };
    Ok(json!({
        "name": route.name,
        "destinationType": "CIDR",
        "destinations": route.prefixes.0,
        "nextHopType": "ResourceId",
        "nextHop": next_hop,
    }))
}

/// Name, destination, and the prefixes of the route that Azure writes into the default table.
const POLICIES: [(&str, &str, &str, &[&str]); 2] = [
    (
        "PrivateTrafficPolicy",
        "PrivateTraffic",
        "_policy_PrivateTraffic",
        &["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
    ),
    ("PublicTrafficPolicy", "Internet", "_policy_PublicTraffic", &["0.0.0.0/0"]),
];

fn policy_hops(
    x: &Expansion<'_>,
    intent: &RoutingIntent,
    place: &str,
) -> Result<[Option<String>; 2], ScenarioError> {
    let hop = |name: &Option<String>| {
        name.as_deref().map(|name| x.names.find(types::AZURE_FIREWALL, name, place)).transpose()
    };
    Ok([hop(&intent.private)?, hop(&intent.internet)?])
}

fn policy_routes(
    x: &mut Expansion<'_>,
    intent: &RoutingIntent,
    place: &str,
) -> Result<Vec<Value>, ScenarioError> {
    let hops = policy_hops(x, intent, place)?;
    let routes = POLICIES.iter().zip(hops).filter_map(|((_, _, name, prefixes), hop)| {
        let hop = hop?;
        Some(json!({
            "name": name,
            "destinationType": "CIDR",
            "destinations": prefixes,
            "nextHopType": "ResourceId",
            "nextHop": hop,
        }))
    });
    Ok(routes.collect())
}

fn routing_intent(
    x: &mut Expansion<'_>,
    id: &str,
    intent: &RoutingIntent,
    place: &str,
) -> Result<(), ScenarioError> {
    let hops = policy_hops(x, intent, place)?;
    let policies: Vec<Value> = POLICIES
        .iter()
        .zip(hops)
        .filter_map(|((name, destination, _, _), hop)| {
            Some(json!({"name": name, "destinations": [destination], "nextHop": hop?}))
        })
        .collect();
    let body = json!({"properties": {"provisioningState": "Succeeded", "routingPolicies": policies}});
    let kind = "Microsoft.Network/virtualHubs/routingIntent";
    x.push_at(&format!("{id}/routingIntent/hubRoutingIntent"), kind, None, body);
    Ok(())
}
