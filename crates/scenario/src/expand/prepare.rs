//! First pass: every resource's id under its name, every stated address reserved.

use super::expansion::Expansion;
use super::{cluster, machine, private_endpoint, subscription, types};
use crate::error::ScenarioError;
use crate::yaml::Described;
use pullproof_snapshot::Gap;

pub(crate) fn prepare(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    names(x)?;
    children(x)?;
    addresses(x)
}

fn names(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    let d = x.document;
    add_all(x, types::VIRTUAL_NETWORK, &d.virtual_networks)?;
    add_all(x, types::ROUTE_TABLE, &d.route_tables)?;
    add_all(x, types::NETWORK_SECURITY_GROUP, &d.network_security_groups)?;
    add_all(x, types::APPLICATION_SECURITY_GROUP, &d.application_security_groups)?;
    add_all(x, types::NAT_GATEWAY, &d.nat_gateways)?;
    add_all(x, types::PUBLIC_IP_ADDRESS, &d.public_ip_addresses)?;
    add_all(x, types::PUBLIC_IP_PREFIX, &d.public_ip_prefixes)?;
    add_all(x, types::LOAD_BALANCER, &d.load_balancers)?;
    add_all(x, types::NETWORK_INTERFACE, &machine::interfaces(d))?;
    add_all(x, types::VIRTUAL_MACHINE, &d.virtual_machines)?;
    add_all(x, types::AZURE_FIREWALL, &d.azure_firewalls)?;
    add_all(x, types::FIREWALL_POLICY, &d.firewall_policies)?;
    add_all(x, types::IP_GROUP, &d.ip_groups)?;
    add_all(x, types::VIRTUAL_NETWORK_GATEWAY, &d.virtual_network_gateways)?;
    add_all(x, types::LOCAL_NETWORK_GATEWAY, &d.local_network_gateways)?;
    add_all(x, types::CONNECTION, &d.connections)?;
    add_all(x, types::EXPRESS_ROUTE_CIRCUIT, &d.express_route_circuits)?;
    add_all(x, types::VIRTUAL_WAN, &d.virtual_wans)?;
    add_all(x, types::VIRTUAL_HUB, &d.virtual_hubs)?;
    add_all(x, types::PRIVATE_DNS_ZONE, &d.private_dns_zones)?;
    add_all(x, types::PRIVATE_ENDPOINT, &d.private_endpoints)?;
    add_all(x, types::RESOLVER, &d.dns_resolvers)?;
    add_all(x, types::RULESET, &d.dns_forwarding_rulesets)?;
    add_all(x, types::REGISTRY, &d.registries)?;
    add_all(x, types::CLUSTER, &d.clusters)?;
    add_all(x, types::IDENTITY, &d.identities)
}

fn add_all<T: Described>(
    x: &mut Expansion<'_>,
    kind: &'static str,
    items: &[T],
) -> Result<(), ScenarioError> {
    for item in items {
        let head = item.head();
        if head.name.is_empty() {
            return Err(ScenarioError::invalid(kind, "a resource has no `name`"));
        }
        let id = x.id_of(&head, kind);
        let group = x.resource_group(&head);
        x.names.add(kind, head.name, &group, &id)?;
    }
    Ok(())
}

/// Children that references name as `<parent>/<child>`.
fn children(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    let d = x.document;
    for vnet in &d.virtual_networks {
        let head = vnet.head();
        let (id, group) = (x.id_of(&head, types::VIRTUAL_NETWORK), x.resource_group(&head));
        if vnet.address_space.0.is_empty() {
            let place = format!("virtualNetworks {}", vnet.name);
            return Err(ScenarioError::invalid(place, "a virtual network needs an `addressSpace`"));
        }
        for subnet in &vnet.subnets {
            let place = format!("virtualNetworks {}, subnet {}", vnet.name, subnet.name);
            if subnet.name.is_empty() || subnet.address_prefix.0.is_empty() {
                return Err(ScenarioError::invalid(place, "a subnet needs `name` and `addressPrefix`"));
            }
            let subnet_id = format!("{id}/subnets/{}", subnet.name);
            x.names.add(types::SUBNET, &format!("{}/{}", vnet.name, subnet.name), &group, &subnet_id)?;
            x.addresses.subnet(&subnet_id, &subnet.address_prefix.0, &place)?;
        }
    }
    for resolver in &d.dns_resolvers {
        let head = resolver.head();
        let (id, group) = (x.id_of(&head, types::RESOLVER), x.resource_group(&head));
        for endpoint in &resolver.outbound_endpoints {
            let name = format!("{}/{}", resolver.name, endpoint.name);
            let endpoint_id = format!("{id}/outboundEndpoints/{}", endpoint.name);
            x.names.add(types::OUTBOUND_ENDPOINT, &name, &group, &endpoint_id)?;
        }
    }
    for role in &d.role_definitions {
        let id = format!(
            "/subscriptions/{}/providers/{}/{}",
            subscription::guid_of(d, None),
            types::ROLE_DEFINITION,
            x.guid(&format!("role:{}", role.name)),
        );
        x.names.add(types::ROLE_DEFINITION, &role.name, "", &id)?;
    }
    for cluster in &d.clusters {
        if cluster.pools.iter().any(|pool| pool.name.is_empty()) {
            return Err(ScenarioError::invalid(format!("clusters {}", cluster.name), "a pool has no `name`"));
        }
    }
    for table in &d.route_tables {
        if table.routes.iter().any(|route| route.address_prefix.is_empty()) {
            let place = format!("routeTables {}", table.name);
            return Err(ScenarioError::invalid(place, "a route has no `addressPrefix`"));
        }
    }
    cluster::names(x)
}

fn addresses(x: &mut Expansion<'_>) -> Result<(), ScenarioError> {
    let d = x.document;
    let mut stated: Vec<(String, String, String)> = Vec::new();
    let mut state = |subnet: &str, address: Option<&String>, place: String| {
        if let Some(address) = address {
            stated.push((subnet.to_owned(), address.clone(), place));
        }
    };
    for nic in machine::interfaces(d) {
        state(&nic.subnet, nic.address.as_ref(), format!("networkInterfaces {}", nic.name));
    }
    for balancer in &d.load_balancers {
        for frontend in &balancer.frontends {
            let place = format!("loadBalancers {}, frontend {}", balancer.name, frontend.name);
            state(frontend.subnet.as_deref().unwrap_or_default(), frontend.address.as_ref(), place);
        }
    }
    for firewall in &d.azure_firewalls {
        if let Some(network) = &firewall.virtual_network {
            let subnet = format!("{network}/AzureFirewallSubnet");
            state(&subnet, firewall.address.as_ref(), format!("azureFirewalls {}", firewall.name));
        }
    }
    for resolver in &d.dns_resolvers {
        for endpoint in &resolver.inbound_endpoints {
            let place = format!("dnsResolvers {}, inbound endpoint {}", resolver.name, endpoint.name);
            state(&endpoint.subnet, endpoint.address.as_ref(), place);
        }
    }
    for endpoint in &d.private_endpoints {
        for address in private_endpoint::stated(endpoint) {
            state(&endpoint.subnet, Some(address), format!("privateEndpoints {}", endpoint.name));
        }
    }
    for (subnet, address, place) in stated {
        let subnet = x.names.find(types::SUBNET, &subnet, &place)?;
        x.addresses.reserve(&subnet, &address, &place)?;
    }
    for public in &d.public_ip_addresses {
        if let Some(address) = &public.address {
            x.addresses.reserve_public(address);
        }
    }
    Ok(())
}

/// The gaps, with names resolved: `resource` may be any name of the scenario, `<virtual network>/<subnet>` too.
pub(crate) fn gaps(x: &Expansion<'_>) -> Result<Vec<Gap>, ScenarioError> {
    x.document
        .gaps
        .iter()
        .map(|gap| {
            let mut gap = gap.clone();
            if let Some(name) = gap.resource.as_deref().filter(|r| !r.starts_with('/')) {
                gap.resource = Some(any(x, name).ok_or_else(|| {
                    ScenarioError::invalid("gaps", format!("no resource is called \"{name}\""))
                })?);
            }
            match gap.scope.as_deref() {
                None if gap.resource.is_none() => {
                    gap.scope = subscription::scopes(x.document).into_iter().next()
                }
                Some(name) if !name.starts_with('/') => {
                    gap.scope =
                        Some(format!("/subscriptions/{}", subscription::guid_of(x.document, Some(name))));
                }
                _ => {}
            }
            gap.status = gap.status.or(Some(403));
            if gap.status == Some(403) && gap.code.is_none() {
                gap.code = Some("AuthorizationFailed".into());
            }
            Ok(gap)
        })
        .collect()
}

/// A resource of any kind by name.
fn any(x: &Expansion<'_>, name: &str) -> Option<String> {
    GAP_TYPES.iter().find_map(|kind| x.names.try_find(kind, name))
}

/// Where a gap's name is looked up, in this order.
const GAP_TYPES: &[&str] = &[
    types::AZURE_FIREWALL,
    types::FIREWALL_POLICY,
    types::VIRTUAL_NETWORK,
    types::SUBNET,
    types::ROUTE_TABLE,
    types::NETWORK_SECURITY_GROUP,
    types::VIRTUAL_NETWORK_GATEWAY,
    types::LOCAL_NETWORK_GATEWAY,
    types::CONNECTION,
    types::VIRTUAL_HUB,
    types::PRIVATE_ENDPOINT,
    types::PRIVATE_DNS_ZONE,
    types::RESOLVER,
    types::RULESET,
    types::REGISTRY,
    types::CLUSTER,
    types::LOAD_BALANCER,
    types::NETWORK_INTERFACE,
    types::IP_GROUP,
    types::NAT_GATEWAY,
];
