//! Which registries a cluster pulls from (CONTRACT §2).

use std::collections::{BTreeMap, BTreeSet};

use pullproof_network::Network;
use pullproof_network::model::index::{ClusterIx, Ref, RegistryIx, VnetIx};
use pullproof_network::model::private_endpoint::{ConnectionStatus, PrivateLinkTarget};
use pullproof_network::model::vnet::PeeringState;
use pullproof_prover::registry_answer::RegistryKey;
use pullproof_snapshot::ArmId;

use crate::subjects::{At, Placement};

/// What is asked for, from the command line; empty means everything.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub clusters: Vec<String>,
    pub pools: Vec<String>,
    pub registries: Vec<String>,
    /// Image references, beside those of `[audit] images`.
    pub images: Vec<String>,
}

/// One cluster with one registry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    pub cluster: ClusterIx,
    pub registry: RegistryKey,
    /// The hosts that image references name: `None` is the login server. Empty: no image is known.
    pub image_hosts: BTreeSet<Option<String>>,
    /// What is pulled, where it is known.
    pub repositories: BTreeSet<String>,
}

/// All pairs, clusters without a registry, and images whose registry nothing names.
#[derive(Debug, Default)]
pub struct Pairs {
    pub pairs: Vec<Pair>,
    pub unpaired: Vec<ClusterIx>,
    /// Registries that a cluster pulls from by its roles, endpoints or bootstrap profile, and that were not read.
    pub unread: BTreeSet<(ClusterIx, ArmId)>,
    /// Clusters that `[audit] pairs` leaves out.
    pub left_out: Vec<ClusterIx>,
    pub unknown_images: Vec<String>,
}

/// A name that names nothing, or more than one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameProblem {
    pub what: &'static str,
    pub name: String,
    /// Those that the name may mean, or those that there are.
    pub candidates: Vec<String>,
    /// The name means several.
    pub ambiguous: bool,
}

/// So many candidates are named in an error.
const CANDIDATES_SHOWN: usize = 6;

impl std::fmt::Display for NameProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown: Vec<&str> = self.candidates.iter().take(CANDIDATES_SHOWN).map(String::as_str).collect();
        let more = self.candidates.len().saturating_sub(CANDIDATES_SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let list = shown.join(", ");
        match (self.ambiguous, self.candidates.is_empty()) {
            (true, _) => write!(f, "`{}` may be any of these: {list}{more}; give the ARM id", self.name),
            (false, true) => write!(f, "no {} is named `{}`: none was read", self.what, self.name),
            (false, false) => {
                write!(f, "no {} is named `{}`; there are {list}{more}", self.what, self.name)
            }
        }
    }
}

impl std::error::Error for NameProblem {}

pub fn pairs(network: &Network, selection: &Selection, places: &[Placement]) -> Result<Pairs, NameProblem> {
    let clusters: Vec<ClusterIx> = if selection.clusters.is_empty() {
        network.clusters.iter().map(|(ix, _)| ix).collect()
    } else {
        selection.clusters.iter().map(|name| cluster(network, name)).collect::<Result<_, _>>()?
    };
    let only: Option<Vec<RegistryKey>> = if selection.registries.is_empty() {
        None
    } else {
        Some(selection.registries.iter().map(|name| registry(network, name)).collect::<Result<_, _>>()?)
    };
    let mut images = selection.images.clone();
    images.extend(network.declared.audit.images.iter().cloned());
    let named = by_image(network, &images);
    let mut out = Pairs { unknown_images: named.unknown, ..Pairs::default() };
    let mut found: BTreeMap<(ClusterIx, RegistryKey), Pair> = BTreeMap::new();
    if network.declared.audit.pairs.is_empty() {
        for ix in &clusters {
            let keys: BTreeSet<RegistryKey> = if images.is_empty() {
                let (keys, unread) = defaults(network, *ix, places);
                out.unread.extend(unread.into_iter().map(|id| (*ix, id)));
                keys
            } else {
                named.registries.keys().copied().collect()
            };
            for key in keys {
                found.insert((*ix, key), Pair::new(*ix, key));
            }
        }
    } else {
        for pair in &network.declared.audit.pairs {
            let ix = cluster(network, &pair.cluster)?;
            let key = registry(network, &pair.registry)?;
            if clusters.contains(&ix) {
                found.insert((ix, key), Pair::new(ix, key));
            }
        }
    }
    if let Some(only) = &only {
        if network.declared.audit.pairs.is_empty() {
            for ix in &clusters {
                for key in only {
                    found.entry((*ix, *key)).or_insert_with(|| Pair::new(*ix, *key));
                }
            }
        }
        found.retain(|(_, key), _| only.contains(key));
    }
    for ((_, key), pair) in &mut found {
        if let Some(image) = named.registries.get(key) {
            pair.image_hosts.extend(image.hosts.iter().cloned());
            pair.repositories.extend(image.repositories.iter().cloned());
        }
        if let RegistryKey::Declared(i) = key
            && let Some(declared) = network.declared.registries.get(*i)
        {
            pair.repositories.extend(declared.repositories.iter().cloned());
        }
    }
    let paired: BTreeSet<ClusterIx> = found.keys().map(|(ix, _)| *ix).collect();
    let explicit = !network.declared.audit.pairs.is_empty() || only.is_some();
    if !explicit {
        let unread: BTreeSet<ClusterIx> = out.unread.iter().map(|(ix, _)| *ix).collect();
        let alone = |ix: &ClusterIx| !paired.contains(ix) && !unread.contains(ix);
        out.unpaired = clusters.iter().copied().filter(alone).collect();
    } else if only.is_none() {
        out.left_out = clusters.iter().copied().filter(|ix| !paired.contains(ix)).collect();
    }
    if only.is_some() {
        out.unread.clear();
    }
    out.pairs = found.into_values().collect();
    Ok(out)
}

impl Pair {
    fn new(cluster: ClusterIx, registry: RegistryKey) -> Self {
        Self { cluster, registry, image_hosts: BTreeSet::new(), repositories: BTreeSet::new() }
    }
}

/// Registries with a role of the kubelet identity assigned at them, registries with an Approved private endpoint in
/// the cluster's network or a directly peered one, the bootstrap registry, and every declared registry.
///
/// The second set: registries of the same kinds that were not read.
fn defaults(
    network: &Network,
    ix: ClusterIx,
    places: &[Placement],
) -> (BTreeSet<RegistryKey>, BTreeSet<ArmId>) {
    let cluster = &network.clusters[ix];
    let mut keys: BTreeSet<RegistryKey> =
        (0..network.declared.registries.len()).map(RegistryKey::Declared).collect();
    let mut unread = BTreeSet::new();
    match cluster.bootstrap_registry.present() {
        Some(Ref::Here(registry)) => {
            keys.insert(RegistryKey::Acr(*registry));
        }
        Some(Ref::NotRead(id)) => {
            unread.insert(id.clone());
        }
        None => {}
    }
    if let Some(object) = cluster.kubelet.object.present() {
        let ids: BTreeMap<&str, RegistryIx> =
            network.registries.iter().map(|(ix, r)| (r.id.folded(), ix)).collect();
        for assignment in network.role_assignments.values() {
            let ours = assignment.principal.present().is_some_and(|p| p.eq_ignore_ascii_case(object));
            let Some(scope) = assignment.scope.known().filter(|_| ours) else { continue };
            match ids.get(scope.folded()) {
                Some(registry) => {
                    keys.insert(RegistryKey::Acr(*registry));
                }
                None if scope.resource_type().as_deref() == Some(REGISTRIES) => {
                    unread.insert(scope.clone());
                }
                None => {}
            }
        }
    }
    let near = near_networks(network, ix, places);
    for endpoint in network.private_endpoints.values() {
        let here = endpoint.subnet.present().and_then(Ref::here).map(|s| network.subnets[s].vnet);
        if !here.is_some_and(|vnet| near.contains(&vnet)) {
            continue;
        }
        for connection in endpoint.connections.iter() {
            match connection.target.present() {
                Some(PrivateLinkTarget::Registry(Ref::Here(registry)))
                    if approved(network, *registry, &endpoint.id, connection.status.present()) =>
                {
                    keys.insert(RegistryKey::Acr(*registry));
                }
                Some(PrivateLinkTarget::Registry(Ref::NotRead(id)))
                    if matches!(connection.status.present(), Some(ConnectionStatus::Approved)) =>
                {
                    unread.insert(id.clone());
                }
                _ => {}
            }
        }
    }
    (keys, unread)
}

const REGISTRIES: &str = "microsoft.containerregistry/registries";

/// The registry's own copy of the state decides (A75).
fn approved(
    network: &Network,
    registry: RegistryIx,
    endpoint: &ArmId,
    own: Option<&ConnectionStatus>,
) -> bool {
    let connections = network.registries[registry].private_endpoint_connections.iter();
    let copy = connections
        .filter(|c| match c.private_endpoint.present() {
            Some(Ref::Here(ix)) => network.private_endpoints[*ix].id == *endpoint,
            Some(Ref::NotRead(id)) => id == endpoint,
            None => false,
        })
        .find_map(|c| c.status.present());
    matches!(copy.or(own), Some(ConnectionStatus::Approved))
}

/// The networks of the cluster's nodes, and those peered with them.
fn near_networks(network: &Network, ix: ClusterIx, places: &[Placement]) -> BTreeSet<VnetIx> {
    let mut near = BTreeSet::new();
    for place in places.iter().filter(|p| p.cluster == ix) {
        if let At::Known { subnet, .. } = place.at {
            near.insert(network.subnets[subnet].vnet);
        }
    }
    let own: Vec<VnetIx> = near.iter().copied().collect();
    for vnet in own {
        for peering in network.vnets[vnet].peerings.iter() {
            let peering = &network.peerings[*peering];
            if matches!(peering.state.present(), Some(PeeringState::Connected))
                && let Some(remote) = peering.remote.present().and_then(Ref::here)
            {
                near.insert(remote);
            }
        }
    }
    near
}

#[derive(Default)]
struct Image {
    hosts: BTreeSet<Option<String>>,
    repositories: BTreeSet<String>,
}

struct ByImage {
    registries: BTreeMap<RegistryKey, Image>,
    unknown: Vec<String>,
}

fn by_image(network: &Network, images: &[String]) -> ByImage {
    let mut out = ByImage { registries: BTreeMap::new(), unknown: Vec::new() };
    for image in images {
        let (host, repository) = image_parts(image);
        match registry_of_host(network, &host) {
            Some((key, is_login)) => {
                let entry = out.registries.entry(key).or_default();
                entry.hosts.insert((!is_login).then_some(host));
                entry.repositories.insert(repository);
            }
            None => out.unknown.push(image.clone()),
        }
    }
    out.unknown.sort();
    out.unknown.dedup();
    out
}

/// Host and repository of an image reference; `docker.io` stands for `registry-1.docker.io` (A17).
pub fn image_parts(image: &str) -> (String, String) {
    let (first, rest) = image.split_once('/').unwrap_or(("", image));
    let is_host = first.contains('.') || first.contains(':') || first == "localhost";
    let (host, path) =
        if is_host { (first.to_ascii_lowercase(), rest) } else { ("docker.io".to_owned(), image) };
    let host = if host == "docker.io" { "registry-1.docker.io".to_owned() } else { host };
    let path = path.split('@').next().unwrap_or(path);
    let path = match path.rsplit_once(':') {
        Some((before, tag)) if !tag.contains('/') => before,
        _ => path,
    };
    (host, path.to_owned())
}

/// The registry that an image host belongs to, and whether the host is its plain login host.
fn registry_of_host(network: &Network, host: &str) -> Option<(RegistryKey, bool)> {
    for (i, declared) in network.declared.registries.iter().enumerate() {
        if declared
            .hosts
            .iter()
            .any(|h| h.host.eq_ignore_ascii_case(host) || format!("{}:{}", h.host, h.port) == host)
        {
            return Some((RegistryKey::Declared(i), true));
        }
    }
    for (ix, registry) in network.registries.iter() {
        let Some(login) = registry.login_server.present() else { continue };
        if login.eq_ignore_ascii_case(host) {
            return Some((RegistryKey::Acr(ix), true));
        }
        let (label, suffix) = login.split_once('.').unwrap_or((login, ""));
        let regional = host.strip_prefix(label).and_then(|h| h.strip_suffix(suffix));
        if regional.is_some_and(|middle| middle.starts_with('.') && middle.ends_with(".geo.")) {
            return Some((RegistryKey::Acr(ix), false));
        }
    }
    None
}

pub fn cluster(network: &Network, name: &str) -> Result<ClusterIx, NameProblem> {
    let named =
        network.clusters.iter().filter(|(_, c)| matches(&c.id, name)).map(|(ix, c)| (ix, c.id.clone()));
    one("cluster", name, named.collect(), || {
        network.clusters.values().map(|c| c.id.name().to_owned()).collect()
    })
}

/// A registry by ARM id or name, or a declared one by its name.
pub fn registry(network: &Network, name: &str) -> Result<RegistryKey, NameProblem> {
    let declared = network.declared.registries.iter().position(|r| r.name == name);
    if let Some(i) = declared {
        return Ok(RegistryKey::Declared(i));
    }
    let named = network.registries.iter().filter(|(_, r)| {
        matches(&r.id, name) || r.login_server.present().is_some_and(|l| l.eq_ignore_ascii_case(name))
    });
    let found = named.map(|(ix, r)| (RegistryKey::Acr(ix), r.id.clone())).collect();
    one("registry", name, found, || {
        let acrs = network.registries.values().map(|r| r.id.name().to_owned());
        acrs.chain(network.declared.registries.iter().map(|r| r.name.clone())).collect()
    })
}

fn matches(id: &ArmId, name: &str) -> bool {
    if name.starts_with('/') { *id == ArmId::new(name) } else { id.name().eq_ignore_ascii_case(name) }
}

fn one<T: Copy>(
    what: &'static str,
    name: &str,
    found: Vec<(T, ArmId)>,
    there_are: impl FnOnce() -> Vec<String>,
) -> Result<T, NameProblem> {
    match found.as_slice() {
        [(only, _)] => Ok(*only),
        [] => Err(NameProblem { what, name: name.to_owned(), candidates: there_are(), ambiguous: false }),
        many => Err(NameProblem {
            what,
            name: name.to_owned(),
            candidates: many.iter().map(|(_, id)| id.as_written().to_owned()).collect(),
            ambiguous: true,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::image_parts;

    #[test]
    fn images_have_hosts() {
        assert_eq!(
            image_parts("contoso.azurecr.io/team/app:1.2"),
            ("contoso.azurecr.io".into(), "team/app".into())
        );
        assert_eq!(image_parts("nginx"), ("registry-1.docker.io".into(), "nginx".into()));
        assert_eq!(
            image_parts("harbor.contoso.example:8443/a/b@sha256:00"),
            ("harbor.contoso.example:8443".into(), "a/b".into())
        );
    }
}
