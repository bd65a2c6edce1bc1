//! Calls that are no resource type of their own.

use super::{AUTHORIZATION, MANAGEMENT, NETWORK};

/// A call that is no resource type of its own.
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    /// What comes after the resource's id, or the whole path where it starts with `/`.
    pub path: &'static str,
    /// The type of the resources on which it is called; empty where `path` is the whole path.
    pub on: &'static str,
    pub method: Method,
    pub api_version: &'static str,
    pub why: &'static str,
    pub action: &'static str,
}

/// What a call is in HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
}

/// Calls that reading takes beside the types.
pub const READS: &[Operation] = &[
    Operation {
        path: "/providers/Microsoft.ResourceGraph/resources",
        on: "",
        method: Method::Post,
        api_version: "2022-10-01",
        why: "whole subscriptions and tenants in one query",
        action: "Microsoft.ResourceGraph/resources/read",
    },
    Operation {
        path: "providers/Microsoft.Authorization/permissions",
        on: "Microsoft.Resources/subscriptions",
        method: Method::Get,
        api_version: AUTHORIZATION,
        why: "Resource Graph leaves out what may not be read without a word (D44a): it is asked only for what may be",
        action: "Microsoft.Authorization/permissions/read",
    },
    Operation {
        path: "resourcegroups",
        on: "Microsoft.Resources/subscriptions",
        method: Method::Get,
        api_version: "2022-09-01",
        why: "types that are listed by resource group only",
        action: "Microsoft.Resources/subscriptions/resourceGroups/read",
    },
    Operation {
        path: "providers/Microsoft.Network/locations/{location}/serviceTags",
        on: "Microsoft.Resources/subscriptions",
        method: Method::Get,
        api_version: NETWORK,
        why: "the prefixes of service tags in the cloud (F74)",
        action: "Microsoft.Network/locations/serviceTags/read",
    },
    Operation {
        path: "/providers/Microsoft.Management/managementGroups/{group}/descendants",
        on: "",
        method: Method::Get,
        api_version: MANAGEMENT,
        why: "the subscriptions below a management group that was asked for",
        action: "Microsoft.Management/managementGroups/descendants/read",
    },
];

/// Calls that ask Azure to compute an answer: `--effective` only, since they take an action permission.
pub const EFFECTIVE: &[Operation] = &[
    Operation {
        path: "effectiveRouteTable",
        on: "Microsoft.Network/networkInterfaces",
        method: Method::Post,
        api_version: NETWORK,
        why: "effective routes of an interface",
        action: "Microsoft.Network/networkInterfaces/effectiveRouteTable/action",
    },
    Operation {
        path: "effectiveNetworkSecurityGroups",
        on: "Microsoft.Network/networkInterfaces",
        method: Method::Post,
        api_version: NETWORK,
        why: "effective rules of an interface",
        action: "Microsoft.Network/networkInterfaces/effectiveNetworkSecurityGroups/action",
    },
    Operation {
        path: "getLearnedRoutes",
        on: "Microsoft.Network/virtualNetworkGateways",
        method: Method::Post,
        api_version: NETWORK,
        why: "routes that a gateway learned by BGP: closes an open route source",
        action: "Microsoft.Network/virtualNetworkGateways/getLearnedRoutes/action",
    },
    Operation {
        path: "listNetworkManagerEffectiveSecurityAdminRules",
        on: "Microsoft.Network/virtualNetworks",
        method: Method::Post,
        api_version: NETWORK,
        why: "security admin rules that are in force on a network (F104)",
        action: "Microsoft.Network/virtualNetworks/listNetworkManagerEffectiveSecurityAdminRules/action",
    },
];
