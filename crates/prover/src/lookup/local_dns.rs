//! LocalDNS on nodes: a resolver of the node's own in front of the network's (D143–D154, A187).

use pullproof_network::model::index::PoolIx;
use pullproof_network::model::pool::{
    ForwardDestination, ForwardPolicy, LocalDnsMode, LocalDnsProtocol, LocalDnsState, OsType, pool,
};
use pullproof_network::{Network, Val};
use pullproof_snapshot::At;

use super::name;
use crate::missing::{declare, evidence};
use crate::outcome::Missing;
use crate::unread::unknown_value;

/// The version from which pools get LocalDNS by themselves (D144).
const AUTOMATIC_FROM: (u32, u32) = (1, 36);

/// Ends a proof that does not hold under LocalDNS.
pub(crate) const UNTIL: &str = "kubernetes>=1.36";

/// Whether a new node of the pool resolves through LocalDNS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LocalDns {
    On,
    /// Off; `until_update`: a later Kubernetes version switches it on.
    Off {
        until_update: bool,
    },
    Unknown(Missing),
}

/// How one zone block of the profile forwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// `ForceTCP`: only TCP is used (D133, D152).
    pub tcp: bool,
    /// `Random` or `RoundRobin`: any healthy server is asked; else the first.
    pub any: bool,
}

pub(crate) fn of_pool(network: &Network, ix: PoolIx) -> LocalDns {
    let object = &network.pools[ix];
    let profile = &object.local_dns;
    if object.os_type.is(&Some(OsType::Windows)) {
        return LocalDns::Off { until_update: false };
    }
    let what = || format!("whether pool {} uses LocalDNS", object.name);
    let mode = match &profile.mode {
        Val::Known(mode) => mode.as_ref(),
        Val::Sym(symbol) => return LocalDns::Unknown(unknown_value(network, *symbol, what())),
    };
    if mode == Some(&LocalDnsMode::Disabled) {
        return LocalDns::Off { until_update: false };
    }
    match &profile.state {
        Val::Known(Some(LocalDnsState::Enabled)) => return LocalDns::On,
        Val::Known(Some(LocalDnsState::Disabled)) => return LocalDns::Off { until_update: true },
        Val::Known(_) if mode == Some(&LocalDnsMode::Required) => return LocalDns::On,
        Val::Known(_) => {}
        Val::Sym(symbol) => return LocalDns::Unknown(unknown_value(network, *symbol, what())),
    }
    match version(network, ix) {
        Some(version) if version < AUTOMATIC_FROM => LocalDns::Off { until_update: true },
        // From then on pools get it, with exceptions that are not all in the configuration (D144).
        _ => LocalDns::Unknown(evidence(
            what(),
            "pools get it by themselves from Kubernetes 1.36 on, with exceptions (D144); the pool shows no localDNSProfile.state",
            "read the pool with API version 2025-10-01 or later",
        )),
    }
}

fn version(network: &Network, ix: PoolIx) -> Option<(u32, u32)> {
    let object = &network.pools[ix];
    let cluster = &network.clusters[object.cluster];
    let fields = [
        &object.current_orchestrator_version,
        &object.orchestrator_version,
        &cluster.current_kubernetes_version,
        &cluster.kubernetes_version,
    ];
    fields.into_iter().find_map(|field| {
        let mut parts = field.present()?.trim_start_matches('v').split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    })
}

/// The blocks that may forward a name: the most specific one, and where that one is documented to need an exact match
/// and has none, the next (D148, DU10). The root block and its defaults stand for everything else.
pub(crate) fn blocks(network: &Network, ix: PoolIx, name: &str) -> Result<Vec<Block>, Missing> {
    let object = &network.pools[ix];
    let profile = &object.local_dns;
    if let Some(symbol) = profile.overrides.open {
        return Err(unknown_value(
            network,
            symbol,
            format!("the LocalDNS overrides of pool {}", object.name),
        ));
    }
    let folded = |zone: &str| name::fold(zone);
    let mut covering: Vec<_> =
        profile.overrides.iter().filter(|o| name::within(name, &folded(&o.zone))).collect();
    covering.sort_by_key(|o| std::cmp::Reverse(folded(&o.zone).len()));
    let exact = covering.first().is_some_and(|o| folded(&o.zone) == name || folded(&o.zone).is_empty());
    let mut out: Vec<Block> = Vec::new();
    for entry in covering.iter().take(if exact { 1 } else { covering.len() }) {
        let what = format!("the LocalDNS block {} of pool {}", entry.zone, object.name);
        match &entry.forward_destination {
            Val::Known(None | Some(ForwardDestination::VnetDns)) => {}
            Val::Known(Some(_)) => {
                return Err(declare(
                    what,
                    "it sends lookups of nodes to the cluster's CoreDNS, whose ConfigMap Azure does not show (D147)",
                    "forward the block to VnetDNS",
                ));
            }
            Val::Sym(symbol) => return Err(unknown_value(network, *symbol, what)),
        }
        let (Val::Known(protocol), Val::Known(policy)) = (&entry.protocol, &entry.forward_policy) else {
            let symbol = entry.protocol.symbol().or(entry.forward_policy.symbol());
            return Err(symbol.map_or_else(
                || evidence(what.clone(), "it is not known", "read the pool again"),
                |symbol| unknown_value(network, symbol, what.clone()),
            ));
        };
        let block = Block {
            tcp: protocol == &Some(LocalDnsProtocol::ForceTcp),
            any: matches!(policy, Some(ForwardPolicy::Random | ForwardPolicy::RoundRobin)),
        };
        if !out.contains(&block) {
            out.push(block);
        }
    }
    if out.is_empty() {
        out.push(Block { tcp: false, any: false });
    }
    Ok(out)
}

/// Where the profile stands, for evidence.
pub(crate) fn place(network: &Network, ix: PoolIx) -> At {
    network.pools[ix].at(pool::LOCAL_DNS_STATE)
}
