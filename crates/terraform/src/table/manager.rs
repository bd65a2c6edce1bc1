//! Azure Virtual Network Manager (terraform-mapping.md §4.7).

use super::Place::Nothing;
use super::Unset::{Empty, Flag, Text};
use super::virtual_network::network;
use super::{How, Row, how, how_or, into, or, same, whole};

const MANAGER: &str = "Microsoft.Network/networkManagers";

pub(super) const ROWS: &[Row] = &[
    whole(
        "azurerm_network_manager",
        MANAGER,
        &[network!("networkManagers/{name}")],
        &[
            same(&["location"], "/location"),
            how(
                &["scope"],
                "/properties/networkManagerScopes",
                How::One(&[
                    or(&["subscription_ids"], "/subscriptions", Empty),
                    or(&["management_group_ids"], "/managementGroups", Empty),
                ]),
            ),
            same(&["scope_accesses"], "/properties/networkManagerScopeAccesses"),
        ],
    ),
    whole(
        "azurerm_network_manager_network_group",
        "Microsoft.Network/networkManagers/networkGroups",
        &["{network_manager_id}/networkGroups/{name}"],
        &[or(&["member_type"], "/properties/memberType", Text("VirtualNetwork"))],
    ),
    whole(
        "azurerm_network_manager_static_member",
        "Microsoft.Network/networkManagers/networkGroups/staticMembers",
        &["{network_group_id}/staticMembers/{name}"],
        &[same(&["target_virtual_network_id"], "/properties/resourceId")],
    ),
    whole(
        "azurerm_network_manager_connectivity_configuration",
        "Microsoft.Network/networkManagers/connectivityConfigurations",
        &["{network_manager_id}/connectivityConfigurations/{name}"],
        &[
            same(&["connectivity_topology"], "/properties/connectivityTopology"),
            how(
                &["hub"],
                "/properties/hubs",
                How::Each(&[
                    same(&["resource_id"], "/resourceId"),
                    same(&["resource_type"], "/resourceType"),
                ]),
            ),
            how(
                &["applies_to_group"],
                "/properties/appliesToGroups",
                How::Each(&[
                    same(&["network_group_id"], "/networkGroupId"),
                    same(&["group_connectivity"], "/groupConnectivity"),
                ]),
            ),
        ],
    ),
    whole(
        "azurerm_network_manager_security_admin_configuration",
        "Microsoft.Network/networkManagers/securityAdminConfigurations",
        &["{network_manager_id}/securityAdminConfigurations/{name}"],
        &[same(
            &["apply_on_network_intent_policy_based_services"],
            "/properties/applyOnNetworkIntentPolicyBasedServices",
        )],
    ),
    whole(
        "azurerm_network_manager_admin_rule_collection",
        "Microsoft.Network/networkManagers/securityAdminConfigurations/ruleCollections",
        &["{security_admin_configuration_id}/ruleCollections/{name}"],
        &[how(&["network_group_ids"], "/properties/appliesToGroups", How::Refs)],
    ),
    whole(
        "azurerm_network_manager_admin_rule",
        "Microsoft.Network/networkManagers/securityAdminConfigurations/ruleCollections/rules",
        &["{admin_rule_collection_id}/rules/{name}"],
        &[
            or(&[], "/kind", Text("Custom")),
            same(&["action"], "/properties/access"),
            same(&["direction"], "/properties/direction"),
            same(&["priority"], "/properties/priority"),
            same(&["protocol"], "/properties/protocol"),
            how_or(&["source"], "/properties/sources", How::Each(SIDE), Empty),
            how_or(&["destination"], "/properties/destinations", How::Each(SIDE), Empty),
            same(&["source_port_ranges"], "/properties/sourcePortRanges"),
            same(&["destination_port_ranges"], "/properties/destinationPortRanges"),
        ],
    ),
    whole(
        "azurerm_network_manager_routing_configuration",
        "Microsoft.Network/networkManagers/routingConfigurations",
        &["{network_manager_id}/routingConfigurations/{name}"],
        &[or(&[], "/properties/provisioningState", Text("Succeeded"))],
    ),
    whole(
        "azurerm_network_manager_routing_rule_collection",
        "Microsoft.Network/networkManagers/routingConfigurations/ruleCollections",
        &["{routing_configuration_id}/ruleCollections/{name}"],
        &[or(&["bgp_route_propagation_enabled"], "/properties/bgpRoutePropagation", Flag(false))],
    ),
    into("azurerm_network_manager_routing_rule", "", &[], Nothing, &[]),
    // A commit, no object: what is committed is read from what is deployed.
    into("azurerm_network_manager_deployment", "", &[], Nothing, &[]),
    into("azurerm_network_manager_scope_connection", "", &[], Nothing, &[]),
    into("azurerm_network_manager_subscription_connection", "", &[], Nothing, &[]),
    into("azurerm_network_manager_management_group_connection", "", &[], Nothing, &[]),
    into("azurerm_network_manager_ipam_pool", "", &[], Nothing, &[]),
    into("azurerm_network_manager_ipam_pool_static_cidr", "", &[], Nothing, &[]),
    into("azurerm_network_manager_verifier_workspace", "", &[], Nothing, &[]),
    into("azurerm_network_manager_verifier_workspace_reachability_analysis_intent", "", &[], Nothing, &[]),
];

const SIDE: &[super::Move] =
    &[same(&["address_prefix"], "/addressPrefix"), same(&["address_prefix_type"], "/addressPrefixType")];
