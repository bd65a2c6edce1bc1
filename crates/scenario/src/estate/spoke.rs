//! A spoke: subnets, route table, NSGs, machines, and its cluster where it has one.

use super::fault::Fault;
use super::layout::{Cluster, Hub, Layout, Spoke};
use super::random::Random;
use super::size::POOLS;
use super::{hub, registries, rules};
use crate::yaml::{
    AgentPool, Cluster as AksCluster, DenyAssignment, Document, NetworkInterface, NetworkSecurityGroup,
    PrivateDnsZone, RecordSet, RoleAssignment, Route, RouteTable, SecurityRule, Subnet, Texts,
    VirtualNetwork, VirtualNetworkLink,
};

/// The addresses of a pool's subnet, and where the first begins.
const POOL_LENGTH: u32 = 25;
const POOL_SIZE: u32 = 128;
const POOLS_FROM: u32 = 0;
/// The subnet of other machines.
const MACHINES: u32 = 1024;
const MACHINE_COUNT: u32 = 8;
const PULL: &str = "Microsoft.ContainerRegistry/registries/pull/read";
const READ: &str = "Microsoft.ContainerRegistry/registries/repositories/content/read";

pub(crate) fn network_name(spoke: &Spoke) -> String {
    format!("vnet-{:04}", spoke.network)
}

pub(crate) fn push(document: &mut Document, layout: &Layout, hub: &Hub, spoke: &Spoke, random: &mut Random) {
    let name = network_name(spoke);
    let fault = spoke.cluster.as_ref().and_then(|cluster| cluster.fault);
    let table = format!("rt-{:04}", spoke.network);
    document.route_tables.push(route_table(&table, hub, fault));
    let mut subnets = vec![Subnet {
        route_table: Some(table.clone()),
        default_outbound_access: Some(false),
        ..hub::subnet("snet-machines", Layout::prefix(spoke.network, MACHINES, 24))
    }];
    for i in 0..MACHINE_COUNT {
        document.network_interfaces.push(NetworkInterface {
            name: format!("nic-{:04}-{i}", spoke.network),
            subnet: format!("{name}/snet-machines"),
            ..NetworkInterface::default()
        });
    }
    if let Some(cluster) = &spoke.cluster {
        let groups = security_groups(document, hub, spoke, fault, random);
        let count = random.within(POOLS.0, POOLS.1);
        let mut pools = Vec::new();
        for i in 0..count {
            let subnet = format!("snet-pool{i}");
            subnets.push(Subnet {
                route_table: Some(table.clone()),
                network_security_group: groups.get(i as usize % groups.len().max(1)).cloned(),
                default_outbound_access: Some(false),
                ..hub::subnet(&subnet, Layout::prefix(spoke.network, POOLS_FROM + i * POOL_SIZE, POOL_LENGTH))
            });
            pools.push(AgentPool {
                name: format!("pool{i}"),
                subnet: Some(format!("{name}/{subnet}")),
                count: Some(if i == 4 { 0 } else { random.within(1, 20) }),
                ..AgentPool::default()
            });
        }
        push_cluster(document, layout, hub, cluster, pools);
    }
    let own_names = fault.is_some_and(Fault::has_own_names);
    let servers = if hub.has_resolver && !own_names { vec![hub::resolver_address(hub)] } else { Vec::new() };
    document.virtual_networks.push(VirtualNetwork {
        name: name.clone(),
        address_space: Texts(vec![Layout::space(spoke.network)]),
        dns_servers: Texts(servers),
        subnets,
        ..VirtualNetwork::default()
    });
    if let Some(fault) = fault {
        own_zone(document, hub, &name, fault);
    }
}

fn route_table(name: &str, hub: &Hub, fault: Option<Fault>) -> RouteTable {
    let route = |name: String, prefix: String, hop: String| Route {
        name: Some(name),
        address_prefix: prefix,
        next_hop_ip_address: Some(hop),
        ..Route::default()
    };
    let firewall = hub::firewall_address(hub);
    let mut routes = vec![route("default".into(), "0.0.0.0/0".into(), firewall.clone())];
    routes.extend((16..28).map(|i| route(format!("dc-{i}"), format!("172.{i}.0.0/16"), firewall.clone())));
    if fault == Some(Fault::RouteToNobody) {
        let endpoints = Layout::prefix(hub.network, hub::ENDPOINTS, 24);
        routes.push(route("endpoints".into(), endpoints, Layout::address(hub.network, 2000)));
    }
    RouteTable { name: name.to_owned(), disable_bgp_route_propagation: true, routes, ..RouteTable::default() }
}

fn deny(priority: u32, source: Option<Texts>, hub: &Hub) -> SecurityRule {
    SecurityRule {
        name: "deny-endpoints".into(),
        priority,
        direction: "Outbound".into(),
        access: "Deny".into(),
        protocol: Some("Tcp".into()),
        source,
        destination: Some(Texts(vec![Layout::prefix(hub.network, hub::ENDPOINTS, 24)])),
        destination_ports: Some(Texts(vec!["443".into()])),
        ..SecurityRule::default()
    }
}

/// Two NSGs for the pools of a spoke.
fn security_groups(
    document: &mut Document,
    hub: &Hub,
    spoke: &Spoke,
    fault: Option<Fault>,
    random: &mut Random,
) -> Vec<String> {
    let names: Vec<String> = ["a", "b"].iter().map(|x| format!("nsg-{:04}-{x}", spoke.network)).collect();
    for name in &names {
        let mut rules = rules::security_rules(random);
        match fault {
            Some(Fault::SecurityGroupDeniesEndpoint) => rules.push(deny(150, None, hub)),
            Some(Fault::SecurityGroupDeniesHalf) => {
                let halves = (0..POOLS.1).map(|i| {
                    let upper = POOLS_FROM + i * POOL_SIZE + POOL_SIZE / 2;
                    Layout::prefix(spoke.network, upper, POOL_LENGTH + 1)
                });
                rules.push(deny(150, Some(Texts(halves.collect())), hub));
            }
            _ => {}
        }
        document.network_security_groups.push(NetworkSecurityGroup {
            name: name.clone(),
            rules,
            ..NetworkSecurityGroup::default()
        });
    }
    names
}

fn push_cluster(
    document: &mut Document,
    layout: &Layout,
    hub: &Hub,
    cluster: &Cluster,
    pools: Vec<AgentPool>,
) {
    let name = format!("aks-{:04}", cluster.number);
    let scope = registries::id(layout, hub.registry);
    let by_repository = registries::has_repository_permissions(hub.registry);
    let [pull, delete, reader] = registries::ROLES;
    let role = match (cluster.fault, by_repository) {
        (Some(Fault::RoleMissing), _) => None,
        (Some(Fault::RoleDoesNotPull), false) => Some(delete),
        (Some(Fault::RoleDoesNotPull), true) | (_, false) => Some(pull),
        (_, true) => Some(reader),
    };
    document.role_assignments.extend(role.map(|role| RoleAssignment {
        principal: format!("{name}/kubelet"),
        role: registries::role_id(layout, role),
        scope: scope.clone(),
        ..RoleAssignment::default()
    }));
    if cluster.fault == Some(Fault::PullDenied) {
        document.deny_assignments.push(DenyAssignment {
            name: format!("no pull for {name}"),
            scope,
            principals: vec![format!("{name}/kubelet")],
            actions: vec![PULL.to_owned()],
            data_actions: vec![READ.to_owned()],
            ..DenyAssignment::default()
        });
    }
    let node_denies = cluster.fault == Some(Fault::NodeSecurityGroupDenies);
    document.clusters.push(AksCluster {
        name,
        outbound_type: Some("userDefinedRouting".into()),
        node_security_rules: if node_denies { vec![deny(150, None, hub)] } else { Vec::new() },
        pools,
        ..AksCluster::default()
    });
}

/// The zone that a spoke with a stale or missing record keeps for itself.
fn own_zone(document: &mut Document, hub: &Hub, network: &str, fault: Fault) {
    if !matches!(fault, Fault::RecordStale | Fault::DataRecordMissing) {
        return;
    }
    let addresses = hub::endpoint_addresses(hub);
    let mut records = Vec::new();
    for (member, host) in registries::members(hub.registry) {
        let is_login = member == "registry";
        let address = match fault {
            Fault::DataRecordMissing if !is_login => continue,
            Fault::RecordStale if is_login => Layout::address(hub.network, hub::ENDPOINTS + 200),
            _ => addresses.get(&member).cloned().unwrap_or_default(),
        };
        let name = host.trim_end_matches(".azurecr.io").to_owned();
        records.push(RecordSet { name, a: Texts(vec![address]), ..RecordSet::default() });
    }
    document.private_dns_zones.push(PrivateDnsZone {
        name: "privatelink.azurecr.io".into(),
        resource_group: Some(format!("rg-{network}")),
        links: vec![VirtualNetworkLink {
            virtual_network: network.to_owned(),
            ..VirtualNetworkLink::default()
        }],
        records,
        ..PrivateDnsZone::default()
    });
}
