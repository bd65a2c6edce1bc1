//! Load balancers, NAT gateways, public addresses, machines (terraform-mapping.md §4.1).

use serde_json::{Value, json};

use super::Place::{Append, Nothing};
use super::Unset::{Empty, Flag, Text};
use super::apply::Build;
use super::virtual_network::network;
use super::{How, Move, Row, finished, how, how_or, into, or, same, whole};
use crate::value::is_unset;

macro_rules! part {
    ($tf:literal, $list:literal, $moves:expr) => {
        Row {
            tf: $tf,
            arm: concat!("Microsoft.Network/loadBalancers", "/", $list),
            ids: &["{loadbalancer_id}"],
            place: Append(concat!("/properties/", $list)),
            moves: $moves,
            finish: None,
        }
    };
}

pub(super) const ROWS: &[Row] = &[
    finished(
        whole(
            "azurerm_lb",
            "Microsoft.Network/loadBalancers",
            &[network!("loadBalancers/{name}")],
            // 3.x plans its own default, so an absent one is that of 4.x (§3.1).
            &[same(&["location"], "/location"), or(&["sku"], "/sku/name", Text("Standard"))],
        ),
        balancer,
    ),
    part!(
        "azurerm_lb_backend_address_pool",
        "backendAddressPools",
        &[
            same(&["name"], "/name"),
            how_or(&[], "/properties/loadBalancerBackendAddresses", How::Same, Empty)
        ]
    ),
    part!(
        "azurerm_lb_probe",
        "probes",
        &[
            same(&["name"], "/name"),
            same(&["protocol"], "/properties/protocol"),
            same(&["port"], "/properties/port")
        ]
    ),
    finished(part!("azurerm_lb_rule", "loadBalancingRules", RULE), frontend_of),
    finished(
        part!(
            "azurerm_lb_outbound_rule",
            "outboundRules",
            &[
                same(&["name"], "/name"),
                same(&["protocol"], "/properties/protocol"),
                how(&["backend_address_pool_id"], "/properties/backendAddressPool", How::Ref),
            ]
        ),
        frontends_of,
    ),
    into("azurerm_lb_nat_rule", "", &[], Nothing, &[]),
    into("azurerm_lb_nat_pool", "", &[], Nothing, &[]),
    whole(
        "azurerm_nat_gateway",
        "Microsoft.Network/natGateways",
        &[network!("natGateways/{name}")],
        &[
            same(&["location"], "/location"),
            or(&["sku_name"], "/sku/name", Text("Standard")),
            how_or(&[], "/properties/publicIpAddresses", How::Same, Empty),
            how_or(&[], "/properties/publicIpPrefixes", How::Same, Empty),
        ],
    ),
    into(
        "azurerm_nat_gateway_public_ip_association",
        "Microsoft.Network/natGateways",
        &["{nat_gateway_id}"],
        Append("/properties/publicIpAddresses"),
        &[same(&["public_ip_address_id"], "/id")],
    ),
    into(
        "azurerm_nat_gateway_public_ip_prefix_association",
        "Microsoft.Network/natGateways",
        &["{nat_gateway_id}"],
        Append("/properties/publicIpPrefixes"),
        &[same(&["public_ip_prefix_id"], "/id")],
    ),
    finished(
        whole(
            "azurerm_public_ip",
            "Microsoft.Network/publicIPAddresses",
            &[network!("publicIPAddresses/{name}")],
            &[
                same(&["location"], "/location"),
                or(&["sku"], "/sku/name", Text("Standard")),
                same(&["allocation_method"], "/properties/publicIPAllocationMethod"),
                same(&["ip_address"], "/properties/ipAddress"),
                how(&["public_ip_prefix_id"], "/properties/publicIPPrefix", How::Ref),
            ],
        ),
        |build| public(build, "ip_address", "/properties/ipAddress"),
    ),
    finished(
        whole(
            "azurerm_public_ip_prefix",
            "Microsoft.Network/publicIPPrefixes",
            &[network!("publicIPPrefixes/{name}")],
            &[same(&["location"], "/location"), same(&["ip_prefix"], "/properties/ipPrefix")],
        ),
        |build| public(build, "ip_prefix", "/properties/ipPrefix"),
    ),
    machine("azurerm_virtual_machine"),
    machine("azurerm_linux_virtual_machine"),
    machine("azurerm_windows_virtual_machine"),
];

const fn machine(tf: &'static str) -> Row {
    Row {
        tf,
        arm: "Microsoft.Compute/virtualMachines",
        ids: &[
            "/subscriptions/{sub}/resourceGroups/{resource_group_name}/providers/Microsoft.Compute/virtualMachines/{name}",
        ],
        place: super::Place::Whole,
        moves: MACHINE,
        finish: None,
    }
}

const MACHINE: &[Move] = &[
    same(&["location"], "/location"),
    how(&["network_interface_ids"], "/properties/networkProfile/networkInterfaces", How::Refs),
];

const RULE: &[Move] = &[
    same(&["name"], "/name"),
    same(&["protocol"], "/properties/protocol"),
    same(&["frontend_port"], "/properties/frontendPort"),
    same(&["backend_port"], "/properties/backendPort"),
    how(&["backend_address_pool_ids"], "/properties/backendAddressPools", How::Refs),
    how(&["probe_id"], "/properties/probe", How::Ref),
    or(&["floating_ip_enabled", "enable_floating_ip"], "/properties/enableFloatingIP", Flag(false)),
    or(&["disable_outbound_snat"], "/properties/disableOutboundSnat", Flag(false)),
];

fn public(build: &mut Build<'_>, argument: &str, pointer: &str) {
    if build.get(argument).is_none() {
        let hole = build.chosen(argument, None);
        build.set(pointer, hole);
    }
}

fn balancer(build: &mut Build<'_>) {
    let mut fronts = Vec::new();
    for (n, block) in build.blocks("frontend_ip_configuration").iter().enumerate() {
        let set = |name: &str| block.get(name).filter(|v| !is_unset(Some(v))).cloned();
        let mut properties = json!({});
        if let Some(subnet) = set("subnet_id") {
            let path = format!("frontend_ip_configuration[{n}].private_ip_address");
            let address = set("private_ip_address").unwrap_or_else(|| build.chosen(&path, Some(&subnet)));
            properties["subnet"] = json!({ "id": subnet });
            properties["privateIPAddress"] = address;
            properties["privateIPAllocationMethod"] =
                set("private_ip_address_allocation").unwrap_or_default();
        }
        for (argument, key) in
            [("public_ip_address_id", "publicIPAddress"), ("public_ip_prefix_id", "publicIPPrefix")]
        {
            if let Some(id) = set(argument) {
                properties[key] = json!({ "id": id });
            }
        }
        fronts.push(json!({ "name": block.get("name"), "properties": properties }));
    }
    build.set("/properties/frontendIPConfigurations", Value::Array(fronts));
    for list in ["backendAddressPools", "probes", "loadBalancingRules", "outboundRules"] {
        build.set(&format!("/properties/{list}"), json!([]));
    }
}

fn front(build: &Build<'_>, name: &Value) -> Value {
    match name.as_str() {
        Some(name) => json!({ "id": format!("{}/frontendIPConfigurations/{name}", build.id) }),
        None => json!({ "id": name }),
    }
}

fn frontend_of(build: &mut Build<'_>) {
    if let Some(name) = build.get("frontend_ip_configuration_name").cloned() {
        let front = front(build, &name);
        build.set("/properties/frontendIPConfiguration", front);
    }
}

fn frontends_of(build: &mut Build<'_>) {
    let fronts: Vec<Value> = build
        .blocks("frontend_ip_configuration")
        .iter()
        .filter_map(|block| Some(front(build, block.get("name")?)))
        .collect();
    build.set("/properties/frontendIPConfigurations", Value::Array(fronts));
}
