//! Whether the kubelet identity is attached to the nodes (A301).

use pullproof_network::model::compute::{ScaleSet, scale_set};
use pullproof_network::model::index::{ClusterIx, PoolIx};
use pullproof_network::{Network, Ref};
use pullproof_snapshot::ArmId;

use crate::blocker::BlockerKind;
use crate::outcome::{Blocker, Outcome};
use crate::unread::unknown_value;

/// Fails where a scale set of the pool (absent: of any pool) was read and the kubelet's identity is not attached to it.
pub(super) fn attached(network: &Network, cluster: ClusterIx, pool: Option<PoolIx>) -> Outcome {
    let object = &network.clusters[cluster];
    let kubelet: &ArmId = match object.kubelet.resource.present() {
        Some(Ref::Here(ix)) => &network.user_identities[*ix].id,
        Some(Ref::NotRead(id)) => id,
        None => return Outcome::Holds,
    };
    let mut outcome = Outcome::Holds;
    let pools = object.pools.iter().filter(|other| pool.is_none_or(|pool| **other == pool));
    let sets = pools.flat_map(|pool| network.scale_sets_of_pool(*pool));
    for set in sets.map(|ix| &network.scale_sets[*ix]) {
        let id_of = |identity: &Ref<_>| match identity {
            Ref::Here(ix) => network.user_identities[*ix].id.clone(),
            Ref::NotRead(id) => id.clone(),
        };
        if set.user_identities.iter().any(|identity| id_of(identity) == *kubelet)
            || !shows_identities(network, set)
        {
            continue;
        }
        outcome = outcome.and(match set.user_identities.open {
            Some(symbol) => Outcome::open(unknown_value(
                network,
                symbol,
                format!("the identities of scale set {}", set.id.name()),
            )),
            None => Outcome::fails(Blocker {
                kind: BlockerKind::IdentityDetached,
                message: format!(
                    "kubelet identity {} is not attached to scale set {}: its nodes get no token",
                    kubelet.name(),
                    set.id.name()
                ),
                remedy: format!(
                    "attach {} to the scale set again (az aks update reconciles it)",
                    kubelet.name()
                ),
                facts: vec!["A301"],
                evidence: vec![set.place.at(scale_set::USER_IDENTITIES)],
            }),
        });
    }
    outcome
}

/// Azure leaves `identity` out where a scale set has none. Rows without `properties` are cut down and show nothing.
fn shows_identities(network: &Network, set: &ScaleSet) -> bool {
    let json = network.layered.json(set.place.resource);
    !set.user_identities.is_empty() || json.get("identity").is_some() || json.get("properties").is_some()
}
