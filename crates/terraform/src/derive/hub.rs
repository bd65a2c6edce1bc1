//! What a virtual hub shows of the devices in it, and where its connections go that say nothing (§4.4).

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use crate::estate::Estate;
use crate::table::apply::set;

/// `(type of the device, where it names its hub, where the hub names it)`.
const DEVICES: &[(&str, &str, &str)] = &[
    ("microsoft.network/azurefirewalls", "/properties/virtualHub/id", "/properties/azureFirewall"),
    ("microsoft.network/vpngateways", "/properties/virtualHub/id", "/properties/vpnGateway"),
    (
        "microsoft.network/expressroutegateways",
        "/properties/virtualHub/id",
        "/properties/expressRouteGateway",
    ),
    ("microsoft.network/p2svpngateways", "/properties/virtualHub/id", "/properties/p2SVpnGateway"),
    (
        "microsoft.network/securitypartnerproviders",
        "/properties/virtualHub/id",
        "/properties/securityPartnerProvider",
    ),
];

const CONNECTION: &str = "microsoft.network/virtualhubs/hubvirtualnetworkconnections";

pub(crate) fn derive(estate: &mut Estate<'_>) {
    for (kind, from, to) in DEVICES {
        for (id, json) in estate.of_type(kind) {
            let Some(hub) = json.pointer(from).and_then(Value::as_str).map(ArmId::new) else { continue };
            estate.change(&hub, |json| set(json, to, json!({ "id": id.as_written() })));
        }
    }
    let connections = estate.ids_of(CONNECTION);
    for id in connections {
        let Some(hub) = id.parent() else { continue };
        let table = json!({ "id": format!("{}/hubRouteTables/defaultRouteTable", hub.as_written()) });
        estate.change(&id, |json| {
            const CONFIG: &str = "/properties/routingConfiguration";
            if json.pointer(CONFIG).is_some_and(|c| c.get("$unknown").is_some()) {
                return;
            }
            let defaults = [
                ("associatedRouteTable", table.clone()),
                ("propagatedRouteTables", json!({ "ids": [table.clone()], "labels": ["default"] })),
                ("vnetRoutes", json!({ "staticRoutes": [] })),
            ];
            for (key, default) in defaults {
                let pointer = format!("{CONFIG}/{key}");
                if json.pointer(&pointer).is_none_or(Value::is_null) {
                    set(json, &pointer, default);
                }
            }
        });
    }
}
