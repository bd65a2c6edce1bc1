//! Who is audited: every pool of every cluster that can ever place a node, and each subnet it can place it in
//! (V1, A172–A179).

use pullproof_network::model::cluster::NodeProvisioningMode;
use pullproof_network::model::index::{ClusterIx, PoolIx, Ref, SubnetIx, VnetIx};
use pullproof_network::model::pool::OsType;
use pullproof_network::set::{Addresses, Ports, assignable};
use pullproof_network::{Network, Val};
use pullproof_prover::{Missing, MissingKind, SourceContext};

/// One (cluster, pool, subnet).
pub struct Placement {
    pub cluster: ClusterIx,
    /// The pool's name, or what stands in its place.
    pub pool: String,
    /// The subnet's ARM id; of a subnet that is not known, the id of what is.
    pub subnet: String,
    pub at: At,
}

/// Where the pool's nodes are.
pub enum At {
    Known {
        pool: PoolIx,
        subnet: SubnetIx,
    },
    /// The subnet is not known, or the nodes' subnets are not visible to ARM.
    Open(Missing),
}

/// Every placement, in order of cluster id, then in the order of the pools. Pools scaled to zero, stopped or failed
/// count (A172).
pub fn placements(network: &Network) -> Vec<Placement> {
    let mut out = Vec::new();
    for (ix, cluster) in network.clusters.iter() {
        for pool in cluster.pools.iter() {
            out.push(of_pool(network, ix, *pool));
        }
        hosted(network, ix, &mut out);
        if cluster.pools.open.is_some() || cluster.pools.items.is_empty() {
            let what = format!("the node pools of {}", cluster.id.name());
            let missing = evidence(
                what,
                "the list of agent pools was not read in full",
                "read the cluster again with its agentPools",
            );
            out.push(open(ix, "*", cluster.id.as_written(), missing));
        }
        provisioned(network, ix, &mut out);
        if may_be_on(&cluster.aci_connector.enabled, false) {
            let missing = Missing {
                kind: MissingKind::NotModelled,
                what: format!("pulls of virtual nodes of {}", cluster.id.name()),
                why: "virtual nodes are container instances: they pull by themselves, without a node and without the kubelet identity (A180)".into(),
                remedy: "check those pulls apart from this audit".into(),
                holds_if: None,
                breaks_if: None,
            };
            out.push(open(ix, "virtual-nodes", cluster.id.as_written(), missing));
        }
    }
    out
}

/// Whether a switch may be on: on, or not known.
fn may_be_on(switch: &Val<Option<bool>>, absent: bool) -> bool {
    match switch {
        Val::Known(value) => value.unwrap_or(absent),
        Val::Sym(_) => true,
    }
}

fn of_pool(network: &Network, cluster: ClusterIx, pool: PoolIx) -> Placement {
    let data = &network.pools[pool];
    let name = data.name.to_string();
    match &data.vnet_subnet {
        Val::Known(Some(Ref::Here(subnet))) => known(network, cluster, name, pool, *subnet),
        Val::Known(Some(Ref::NotRead(id))) => {
            let missing = Missing {
                kind: MissingKind::Permission,
                what: format!("the node subnet {}", id.as_written()),
                why: "the pool places nodes there, and its virtual network was not read".into(),
                remedy: "grant read on the virtual network and collect it".into(),
                holds_if: None,
                breaks_if: None,
            };
            open(cluster, &name, id.as_written(), missing)
        }
        Val::Known(None) => match managed_subnet(network, cluster, &name) {
            Some(subnet) => known(network, cluster, name, pool, subnet),
            None => {
                let group = network.clusters[cluster].node_resource_group.present();
                let group = group
                    .map_or_else(|| "the node resource group".to_owned(), |g| format!("resource group {g}"));
                let missing = evidence(
                    format!(
                        "the managed virtual network of {} in {group}",
                        network.clusters[cluster].id.name()
                    ),
                    "the pool names no subnet, so AKS made one there (A175)",
                    "collect the node resource group too",
                );
                open(cluster, &name, network.clusters[cluster].id.as_written(), missing)
            }
        },
        Val::Sym(symbol) => {
            let what = network.symbols.get(*symbol).map(|s| s.text.to_string()).unwrap_or_default();
            let missing = evidence(
                format!("the subnet of pool {name}: {what}"),
                "it is not known yet",
                "settle the value",
            );
            open(cluster, &name, network.clusters[cluster].id.as_written(), missing)
        }
    }
}

fn known(network: &Network, cluster: ClusterIx, pool: String, ix: PoolIx, subnet: SubnetIx) -> Placement {
    let id = network.subnets[subnet].id.as_written().to_owned();
    Placement { cluster, pool, subnet: id, at: At::Known { pool: ix, subnet } }
}

fn open(cluster: ClusterIx, pool: &str, subnet: &str, missing: Missing) -> Placement {
    Placement { cluster, pool: pool.to_owned(), subnet: subnet.to_owned(), at: At::Open(missing) }
}

fn evidence(what: String, why: &str, remedy: &str) -> Missing {
    Missing {
        kind: MissingKind::Evidence,
        what,
        why: why.into(),
        remedy: remedy.into(),
        holds_if: None,
        breaks_if: None,
    }
}

/// The subnet that the pool's scale set in the node resource group names (A175).
fn managed_subnet(network: &Network, cluster: ClusterIx, pool: &str) -> Option<SubnetIx> {
    let data = &network.clusters[cluster];
    let group = data.node_resource_group.present()?.to_ascii_lowercase();
    let sets = network.scale_sets.values().filter(|s| {
        s.id.resource_group() == Some(&group)
            && s.id.subscription() == data.id.subscription()
            && s.pool_name.present().is_some_and(|n| n.eq_ignore_ascii_case(pool))
    });
    sets.flat_map(|s| s.nic_configs.iter())
        .flat_map(|n| n.ip_configs.iter())
        .find_map(|c| c.subnet.present().and_then(Ref::here))
}

/// AKS Automatic with managed system pools: both subnets host nodes (A179).
fn hosted(network: &Network, ix: ClusterIx, out: &mut Vec<Placement>) {
    let cluster = &network.clusters[ix];
    let subnets = [
        ("hosted-system", &cluster.hosted_system.system_node_subnet),
        ("hosted-user", &cluster.hosted_system.node_subnet),
    ];
    for (name, subnet) in subnets {
        let model = cluster.pools.items.first();
        let Some(reference) = subnet.present() else {
            if !subnet.is_absent() || may_be_on(&cluster.hosted_system.enabled, false) {
                let missing = evidence(
                    format!("the {name} subnet of {}", cluster.id.name()),
                    "hosted system pools place nodes in a subnet that the cluster does not name (A179)",
                    "collect the node resource group too",
                );
                out.push(open(ix, name, cluster.id.as_written(), missing));
            }
            continue;
        };
        match (reference, model) {
            (Ref::Here(subnet), Some(pool)) => out.push(known(network, ix, name.into(), *pool, *subnet)),
            (reference, _) => {
                let id = match reference {
                    Ref::Here(subnet) => network.subnets[*subnet].id.as_written().to_owned(),
                    Ref::NotRead(id) => id.as_written().to_owned(),
                };
                let missing = evidence(
                    format!("the hosted node subnet {id}"),
                    "hosted system pools place nodes there (A179), and it was not read",
                    "collect its virtual network",
                );
                out.push(open(ix, name, &id, missing));
            }
        }
    }
}

/// Node auto-provisioning places nodes by classes that ARM does not show (A177, A178).
fn provisioned(network: &Network, ix: ClusterIx, out: &mut Vec<Placement>) {
    let cluster = &network.clusters[ix];
    if matches!(cluster.node_provisioning, Val::Known(None | Some(NodeProvisioningMode::Manual))) {
        return;
    }
    let vnet = cluster.pools.iter().find_map(|p| network.pools[*p].vnet_subnet.present().and_then(Ref::here));
    let place = vnet
        .map(|s| vnet_of(network, s))
        .map_or(cluster.id.as_written(), |v| network.vnets[v].id.as_written());
    let missing = Missing {
        kind: MissingKind::NotModelled,
        what: format!("the subnets that node classes of {} name", cluster.id.name()),
        why: "node auto-provisioning places nodes in subnets named by AKSNodeClass objects, which ARM does not show (A177, A178)".into(),
        remedy: "check the AKSNodeClass objects: a class without vnetSubnetID uses the cluster's default subnet, which is audited with its pool".into(),
        holds_if: Some("no class names another subnet".into()),
        breaks_if: Some("a class names a subnet without a path".into()),
    };
    out.push(open(ix, "node-auto-provisioning", place, missing));
}

fn vnet_of(network: &Network, subnet: SubnetIx) -> VnetIx {
    network.subnets[subnet].vnet
}

/// Who asks when a new node of the pool pulls (V2): every assignable address of the subnet, the ephemeral ports of its
/// operating system.
pub fn context(network: &Network, pool: PoolIx, subnet: SubnetIx) -> SourceContext {
    let prefixes = network.subnets[subnet].prefixes.items.iter();
    let sources = prefixes.fold(Addresses::default(), |all, prefix| all.union(&assignable(*prefix)));
    SourceContext { subnet, pool: Some(pool), nic: None, sources, sports: ports(network, pool) }
}

/// Linux 32768–60999 unless the pool sets another range, Windows 49152–65535 (V2).
fn ports(network: &Network, pool: PoolIx) -> Ports {
    let data = &network.pools[pool];
    if data.local_port_range.symbol().is_some() {
        return Ports::range(1024, 65535);
    }
    if let Some(range) = data.local_port_range.present() {
        let mut numbers = range.split([' ', '-', '\t']).filter(|s| !s.is_empty()).map(str::parse::<u16>);
        if let (Some(Ok(from)), Some(Ok(to))) = (numbers.next(), numbers.next())
            && from <= to
        {
            return Ports::range(from, to);
        }
    }
    match &data.os_type {
        Val::Known(Some(OsType::Windows)) => Ports::range(49152, 65535),
        Val::Known(_) => Ports::range(32768, 60999),
        Val::Sym(_) => Ports::range(32768, 65535),
    }
}
