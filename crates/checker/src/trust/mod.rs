//! Certificates: which one is presented, and whether a node accepts it (registry-and-aks.md §9, A350–A356).
//!
//! Lives here: names, issuers, the node's trust store, devices that present a certificate of their own, HTTP proxies.
//! Does not live here: the way to the registry, which [`crate::path`] walks.
//!
//! Read in this order: this file, [`authorities`], [`certificate`], [`proxy`].

mod authorities;
mod certificate;
mod proxy;
#[cfg(test)]
mod trust_tests;

use std::net::IpAddr;

use pullproof_snapshot::facts::presets;
use pullproof_snapshot::question::Missing;

use crate::json::is;
use crate::lookup::name::{fold, pattern_covers};
use crate::lookup::servers::agent_pool;
use crate::missing;
use crate::plain::{Plain, Pool};
use crate::reach::Reach;
use crate::registry::{HostName, Kind, find_by_name, storage_suffix};
use crate::tri::Tri;
use authorities::Authorities;

pub use proxy::proxy_for;

/// One TLS handshake of a node with a host of a registry.
pub struct Handshake<'a> {
    pub pool: &'a Pool,
    /// ARM id, unambiguous name, or declared name.
    pub registry: &'a str,
    pub host: &'a str,
    /// The walk to the host, where there is one: devices on it may present a certificate of their own.
    pub path: Option<&'a Reach>,
}

/// The certificate that is presented, and whether the node accepts it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trust {
    pub answer: Tri,
    /// `registry`, or the address of the device.
    pub presented_by: String,
    /// `public`, or the name of a private authority; `None` where it is not known.
    pub issuer: Option<String>,
    pub names: Vec<String>,
}

/// A certificate as it is presented.
struct Presented {
    by: String,
    issuer: Result<String, Missing>,
    names: Vec<String>,
}

/// Yes exactly when the certificate covers the host and the pool's nodes trust its issuer by supported configuration.
pub fn trusted(plain: &Plain, handshake: &Handshake<'_>) -> Trust {
    let presented = presented(plain, handshake);
    let host = fold(handshake.host);
    let (answer, issuer) = match &presented.issuer {
        Err(missing) => (Tri::unknown(missing.clone()), None),
        Ok(issuer) => {
            let named = if presented.names.is_empty() {
                let what = format!("names of the certificate that {} presents", presented.by);
                Tri::unknown(missing::declare(what, "none is declared", "list them beside the issuer"))
            } else {
                presented.names.iter().any(|name| certificate_covers(name, &host)).into()
            };
            (named.and(issuer_trusted(plain, handshake.pool, issuer)), Some(issuer.clone()))
        }
    };
    Trust { answer, presented_by: presented.by, issuer, names: presented.names }
}

/// `*` in a certificate stands for one label (A350, A351); `*` alone, as `[[trust]]` may say, for every name.
fn certificate_covers(name: &str, host: &str) -> bool {
    let name = fold(name);
    if name == "*" || name == host {
        return true;
    }
    match (name.strip_prefix("*."), host.split_once('.')) {
        (Some(suffix), Some((label, rest))) => !label.is_empty() && rest == suffix,
        _ => false,
    }
}

fn presented(plain: &Plain, handshake: &Handshake<'_>) -> Presented {
    if let Some(device) = interceptor(plain, handshake) {
        return device;
    }
    match proxy_for(plain, &handshake.pool.cluster, handshake.host) {
        Err(missing) => return unseen("proxy".into(), missing),
        Ok(Some(proxy)) => {
            let why = "the cluster's HTTP proxy connects to the host; whether it presents its own certificate is not shown (A190)";
            let missing =
                missing::declare(format!("certificate that {proxy} presents"), why, "declare it, [[trust]]");
            return unseen(proxy, missing);
        }
        Ok(None) => {}
    }
    own(plain, handshake)
}

fn unseen(by: String, missing: Missing) -> Presented {
    Presented { by, issuer: Err(missing), names: Vec::new() }
}

/// What a device on the path presents: `[[trust]]` by its address, or a firewall with TLS inspection, whose authority
/// ARM names by its place in a key vault only (A352, A353).
fn interceptor(plain: &Plain, handshake: &Handshake<'_>) -> Option<Presented> {
    let path = handshake.path?;
    let mut addresses: Vec<IpAddr> = path.devices.iter().map(|device| device.address).collect();
    addresses.push(path.destination);
    for row in &plain.declared.trusts {
        let covers =
            row.hosts.is_empty() || row.hosts.iter().any(|host| pattern_covers(host, handshake.host));
        if !covers || !addresses.contains(&row.presented_by) {
            continue;
        }
        let by = row.presented_by.to_string();
        if plain.strict {
            let what = format!("certificate that {by} presents");
            return Some(unseen(by, missing::declare(what, "declared, and --strict takes it back", "")));
        }
        return Some(Presented { by, issuer: Ok(row.issuer.clone()), names: row.names.clone() });
    }
    let inspecting = path.devices.iter().find(|device| device.intercepts_tls)?;
    let why = format!(
        "{} decrypts the connection; the name of its authority is in its key vault (A352)",
        inspecting.id
    );
    let what = format!("certificate authority of {}", inspecting.id);
    let missing = missing::declare(what, why, "declare it in pullproof.toml, [[trust]]");
    Some(unseen(inspecting.address.to_string(), missing))
}

/// What the registry itself presents: public authorities and known names for Azure's hosts (A350), the declared
/// certificate elsewhere.
fn own(plain: &Plain, handshake: &Handshake<'_>) -> Presented {
    let by = "registry".to_owned();
    let rows = &plain.declared.registries;
    if let Some(row) = rows.iter().find(|row| row.name.eq_ignore_ascii_case(handshake.registry)) {
        let preset = row.preset.as_deref().and_then(presets::find);
        let in_preset = preset
            .filter(|preset| preset.hosts.iter().any(|host| pattern_covers(&host.host, handshake.host)));
        return match (&row.certificate, in_preset) {
            _ if plain.strict => {
                let what = format!("certificate of the registry {}", row.name);
                unseen(by, missing::declare(what, "declared, and --strict takes it back", ""))
            }
            (Some(certificate), _) => {
                Presented { by, issuer: Ok(certificate.issuer.clone()), names: certificate.names.clone() }
            }
            (None, Some(_)) => Presented { by, issuer: Ok(PUBLIC.into()), names: vec![fold(handshake.host)] },
            (None, None) => {
                let what = format!("certificate of the registry {}", row.name);
                let why = "neither its names nor its issuer are declared (A353)";
                unseen(by, missing::declare(what, why, "declare it in the registry's [[registry]] table"))
            }
        };
    }
    match azure_names(plain, handshake) {
        Some(names) => Presented { by, issuer: Ok(PUBLIC.into()), names },
        None => {
            let what = format!("registry {}", handshake.registry);
            unseen(by, missing::evidence(what, "it is neither declared nor in the snapshot"))
        }
    }
}

const PUBLIC: &str = "public";

/// The wildcard names of each kind of host of an Azure registry (A350). A host that is none of the registry's shapes is
/// answered by the login server, whose certificate does not cover it (A351).
fn azure_names(plain: &Plain, handshake: &Handshake<'_>) -> Option<Vec<String>> {
    if let Some(HostName { region, kind, privatelink, suffix, .. }) = HostName::parse(handshake.host) {
        return Some(vec![match (region, kind, privatelink) {
            (Some(region), Kind::Data, false) => format!("*.{region}.data.{suffix}"),
            (Some(region), Kind::Geo, false) => format!("*.{region}.geo.{suffix}"),
            _ => format!("*.{suffix}"),
        }]);
    }
    let registry = find_by_name(plain, handshake.registry)?;
    let login = fold(registry.node().text("/properties/loginServer").known().ok().flatten()?);
    let (_, suffix) = login.split_once('.')?;
    let blob = storage_suffix(suffix).map(|storage| format!("*.{storage}"));
    let blob = blob.filter(|blob| certificate_covers(blob, &fold(handshake.host)));
    Some(vec![blob.unwrap_or_else(|| format!("*.{suffix}"))])
}

/// Public authorities are trusted by every node; private ones by Linux pools whose cluster lists them (A188, A189,
/// A352, A355).
fn issuer_trusted(plain: &Plain, pool: &Pool, issuer: &str) -> Tri {
    if is(issuer, PUBLIC) {
        return Tri::Yes;
    }
    let Some(resource) = agent_pool(plain, pool) else {
        let what = format!("{}/agentPools/{}", pool.cluster, pool.name);
        return Tri::unknown(missing::evidence(what, "the pool is not in the snapshot"));
    };
    match resource.node().text("/properties/osType").known() {
        Ok(Some(os)) if is(os, "Windows") => return Tri::No,
        Ok(_) => {}
        Err(missing) => return Tri::unknown(missing),
    }
    match authorities::of_cluster(plain, &pool.cluster) {
        Err(missing) => Tri::unknown(missing),
        Ok(Authorities { names, unread }) => {
            if names.iter().any(|name| is(name, issuer)) {
                Tri::Yes
            } else if unread.is_empty() {
                Tri::No
            } else {
                Tri::Unknown(unread)
            }
        }
    }
}
