//! Which resource type is a row of which table.

/// A table of Resource Graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Resources,
    NetworkResources,
    DnsResources,
    ComputeResources,
    AuthorizationResources,
    PolicyResources,
    ResourceContainers,
    ResourceChanges,
    /// Azure has it; a snapshot never holds its types.
    Other,
}

/// Table names, folded.
const NAMES: &[(&str, Table)] = &[
    ("resources", Table::Resources),
    ("networkresources", Table::NetworkResources),
    ("dnsresources", Table::DnsResources),
    ("computeresources", Table::ComputeResources),
    ("authorizationresources", Table::AuthorizationResources),
    ("policyresources", Table::PolicyResources),
    ("resourcecontainers", Table::ResourceContainers),
    ("resourcechanges", Table::ResourceChanges),
    ("networkresourcechanges", Table::Other),
    ("resourcecontainerchanges", Table::Other),
    ("aksresources", Table::Other),
    ("advisorresources", Table::Other),
    ("securityresources", Table::Other),
    ("healthresources", Table::Other),
    ("servicehealthresources", Table::Other),
    ("kubernetesconfigurationresources", Table::Other),
    ("extensibilityresourcechanges", Table::Other),
];

/// Child types that are rows of `resources`, as every tracked top-level type is.
const CHILDREN_IN_RESOURCES: &[&str] = &[
    "microsoft.containerregistry/registries/agentpools",
    "microsoft.containerregistry/registries/replications",
    "microsoft.containerregistry/registries/tasks",
    "microsoft.containerregistry/registries/webhooks",
    "microsoft.network/dnsresolvers/inboundendpoints",
    "microsoft.network/dnsresolvers/outboundendpoints",
    "microsoft.network/networkwatchers/connectionmonitors",
    "microsoft.network/networkwatchers/flowlogs",
    "microsoft.network/privatednszones/virtualnetworklinks",
    "microsoft.network/virtualhubs/bgpconnections",
    "microsoft.network/virtualhubs/ipconfigurations",
];

/// Types by the start of their names, for the other tables; a longer start counts before a shorter one.
const STARTS: &[(&str, Table)] = &[
    ("microsoft.authorization/policy", Table::PolicyResources),
    ("microsoft.authorization/roleassignments", Table::AuthorizationResources),
    ("microsoft.authorization/roledefinitions", Table::AuthorizationResources),
    ("microsoft.authorization/classicadministrators", Table::AuthorizationResources),
    ("microsoft.compute/virtualmachinescalesets/virtualmachines", Table::ComputeResources),
    ("microsoft.network/effective", Table::NetworkResources),
    ("microsoft.network/firewallpolicies/rulecollectiongroups", Table::NetworkResources),
    ("microsoft.network/networkgroupmemberships", Table::NetworkResources),
    ("microsoft.network/networkmanagerconnections", Table::NetworkResources),
    ("microsoft.network/networkmanagers/connectivityconfigurations", Table::NetworkResources),
    ("microsoft.network/networkmanagers/networkgroups", Table::NetworkResources),
    ("microsoft.network/networkmanagers/routingconfigurations", Table::NetworkResources),
    ("microsoft.network/networkmanagers/securityadminconfigurations", Table::NetworkResources),
    ("microsoft.network/networkmanagers/securityuserconfigurations", Table::NetworkResources),
    ("microsoft.network/networksecurityperimeters/linkreferences", Table::NetworkResources),
    ("microsoft.network/networksecurityperimeters/links", Table::NetworkResources),
    ("microsoft.network/networksecurityperimeters/profiles", Table::NetworkResources),
    ("microsoft.network/networksecurityperimeters/resourceassociations", Table::NetworkResources),
];

const ZONES: &str = "microsoft.network/privatednszones/";
/// Record types of private zones (D34, D35).
const RECORDS: &[&str] = &["a", "aaaa", "cname", "mx", "ptr", "soa", "srv", "txt"];

/// The table of this name, letter case aside; `None` where Azure has none.
pub(crate) fn named(name: &str) -> Option<Table> {
    NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, table)| *table)
}

/// The table whose rows a folded type's resources are; `None` where Resource Graph has none for it (children such as
/// subnets stand inside their parents, others only ARM lists). Microsoft's reference of tables and types; D34.
pub(crate) fn of(folded_type: &str) -> Option<Table> {
    match folded_type {
        "microsoft.resources/subscriptions"
        | "microsoft.resources/resourcegroups"
        | "microsoft.resources/subscriptions/resourcegroups"
        | "microsoft.management/managementgroups" => return Some(Table::ResourceContainers),
        _ => {}
    }
    if folded_type.strip_prefix(ZONES).is_some_and(|kind| RECORDS.contains(&kind)) {
        return Some(Table::DnsResources);
    }
    if let Some((_, table)) = STARTS.iter().find(|(start, _)| folded_type.starts_with(start)) {
        return Some(*table);
    }
    if folded_type.starts_with("microsoft.authorization/") || folded_type.starts_with("microsoft.management/")
    {
        return None;
    }
    let top = folded_type.matches('/').count() == 1;
    (top || CHILDREN_IN_RESOURCES.contains(&folded_type)).then_some(Table::Resources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_is_in_the_table_of_microsofts_reference() {
        assert_eq!(of("microsoft.network/virtualnetworks"), Some(Table::Resources));
        assert_eq!(of("microsoft.network/virtualnetworks/subnets"), None);
        assert_eq!(of("microsoft.network/privatednszones/virtualnetworklinks"), Some(Table::Resources));
        assert_eq!(of("microsoft.network/privatednszones/a"), Some(Table::DnsResources));
        assert_eq!(
            of("microsoft.network/firewallpolicies/rulecollectiongroups"),
            Some(Table::NetworkResources)
        );
        assert_eq!(of("microsoft.network/dnsforwardingrulesets/forwardingrules"), None);
        assert_eq!(of("microsoft.containerservice/managedclusters/agentpools"), None);
        assert_eq!(of("microsoft.authorization/denyassignments"), None);
    }
}
