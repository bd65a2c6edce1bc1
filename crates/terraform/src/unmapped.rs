//! Resource types without a row: which of them can matter for a pull, and for which claims (terraform-mapping.md §4).

use crate::plan::{Instance, Mode, Provider};

/// A layer of claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touches {
    Routing,
    Filtering,
    Resolution,
    Endpoints,
    Trust,
    Identity,
}

use Touches::{Endpoints, Filtering, Identity, Resolution, Routing, Trust};

const ALL: &[Touches] = &[Routing, Filtering, Resolution, Endpoints, Trust, Identity];
const PATH: &[Touches] = &[Routing, Filtering];

/// Families by the beginning of the type; the longest that fits counts. An empty list: it cannot matter.
#[rustfmt::skip]
const FAMILIES: &[(&str, &[Touches])] = &[
    ("azurerm_network_", PATH), ("azurerm_network_watcher", &[]), ("azurerm_network_ddos", &[]),
    ("azurerm_network_connection_monitor", &[]), ("azurerm_network_packet_capture", &[]),
    ("azurerm_network_profile", &[]), ("azurerm_network_function", &[]),
    ("azurerm_network_interface_application_gateway", &[]),
    ("azurerm_network_security_perimeter", &[Filtering]),
    ("azurerm_virtual_network", PATH), ("azurerm_virtual_hub", PATH), ("azurerm_virtual_wan", PATH),
    ("azurerm_virtual_machine_scale_set", &[Routing]), ("azurerm_linux_virtual_machine_scale_set", &[Routing]),
    ("azurerm_windows_virtual_machine_scale_set", &[Routing]), ("azurerm_orchestrated_virtual_machine_scale_set", &[Routing]),
    ("azurerm_firewall", PATH), ("azurerm_route", &[Routing]), ("azurerm_route_filter", &[]),
    ("azurerm_subnet", PATH), ("azurerm_lb", &[Routing]), ("azurerm_nat_gateway", &[Routing]),
    ("azurerm_vpn_", &[Routing]), ("azurerm_vpn_server_configuration", &[]), ("azurerm_express_route", &[Routing]),
    ("azurerm_palo_alto", PATH), ("azurerm_private_dns", &[Resolution]), ("azurerm_dns_resolver", &[Resolution]),
    ("azurerm_private_endpoint", ALL), ("azurerm_private_link", &[Routing]),
    ("azurerm_kubernetes_cluster", ALL), ("azurerm_kubernetes_cluster_extension", &[]),
    ("azurerm_kubernetes_cluster_trusted_access", &[]), ("azurerm_kubernetes_cluster_deployment_safeguard", &[]),
    ("azurerm_container_registry", &[Filtering, Endpoints, Identity]),
    ("azurerm_container_connected_registry", &[Endpoints]),
    ("azurerm_role_", &[Identity]), ("azurerm_pim_active", &[Identity]), ("azurerm_user_assigned_identity", &[Identity]),
    ("azurerm_resource_group_template_deployment", ALL), ("azurerm_subscription_template_deployment", ALL),
    ("azurerm_management_group_template_deployment", ALL), ("azurerm_tenant_template_deployment", ALL),
    ("azurerm_resource_deployment_script", ALL), ("azurerm_template_deployment", ALL),
    ("azapi_resource_action", ALL), ("azapi_resource", ALL), ("azapi_update_resource", ALL),
];

/// The claims that a resource of a type can change; empty where none.
pub(crate) fn touches(resource_type: &str) -> &'static [Touches] {
    FAMILIES
        .iter()
        .filter(|(prefix, _)| resource_type.starts_with(prefix))
        .max_by_key(|(prefix, _)| prefix.len())
        .map_or(&[], |(_, touches)| touches)
}

/// The claims that an instance can change which this crate does not turn into ARM.
pub(crate) fn of_instance(instance: &Instance) -> &'static [Touches] {
    match (instance.provider, instance.mode) {
        (Provider::Other, _) | (_, Mode::Data) => &[],
        _ => touches(&instance.resource_type),
    }
}
