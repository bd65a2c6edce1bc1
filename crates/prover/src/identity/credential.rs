//! Whether the kubelet hands the nodes' credential to the host that images name (A10, A11).

use pullproof_network::Network;
use pullproof_network::model::index::{PoolIx, RegistryIx};
use pullproof_network::model::pool::pool;

use crate::blocker::BlockerKind;
use crate::lookup::name;
use crate::missing::{evidence, not_modelled};
use crate::outcome::{Blocker, Outcome};
use crate::registry::host::{HostKind, Label};

/// Node images from this one on hand credentials to regional hosts (A11): year and month, day.
const REGIONAL_FROM: (u32, u32) = (202_607, 29);

/// Fails for regional hosts where the node image is known to be too old; open where it is not known, and for private
/// link names, which the kubelet's patterns do not match.
pub(super) fn presented(
    network: &Network,
    registry: RegistryIx,
    pool: Option<PoolIx>,
    image_hosts: &[String],
) -> Outcome {
    let Some(label) = Label::of_registry(&network.registries[registry]) else { return Outcome::Holds };
    let mut outcome = Outcome::Holds;
    for host in image_hosts.iter().map(|host| name::fold(host)) {
        if name::is_private_link(&host) {
            outcome = outcome.and(Outcome::open(not_modelled(
                format!("pulls through {host}"),
                "nodes hand their identity to the registry's public names only (A10)",
            )));
        }
        if matches!(label.kind(&host), HostKind::Regional(_)) {
            outcome = outcome.and(regional(network, pool, &host));
        }
    }
    outcome
}

fn regional(network: &Network, pool: Option<PoolIx>, host: &str) -> Outcome {
    let image = pool.and_then(|pool| network.pools[pool].node_image_version.present());
    let date = image.and_then(|image| {
        let mut parts = image.rsplit('-').next()?.split('.');
        Some((parts.next()?.parse::<u32>().ok()?, parts.next()?.parse::<u32>().ok()?))
    });
    if date.is_some_and(|date| date >= REGIONAL_FROM) {
        return Outcome::Holds;
    }
    let name = pool.map_or("the pool", |pool| &*network.pools[pool].name);
    let shown = image.map_or("which is not shown", |image| image);
    if let (Some(_), Some(pool)) = (date, pool) {
        return Outcome::fails(Blocker {
            kind: BlockerKind::NodeImageTooOld,
            message: format!(
                "nodes of pool {name} ({shown}) hand their identity to the registry's global host only, not to {host}"
            ),
            remedy: format!(
                "upgrade the node image of pool {name} to 202607.29 or later, or let images name the login server"
            ),
            facts: vec!["A10", "A11"],
            evidence: vec![network.pools[pool].at(pool::NODE_IMAGE_VERSION)],
        });
    }
    Outcome::open(evidence(
        format!("whether nodes of {name} hand their identity to {host}"),
        format!("node images before 202607.29 do not for regional hosts (A10, A11); the pool's: {shown}"),
        "upgrade the pool's node image, or let images name the login server",
    ))
}
