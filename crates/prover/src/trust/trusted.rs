//! Which authorities the nodes of a pool trust (A188, A189, A350, A355).

use pullproof_network::model::cluster::cluster;
use pullproof_network::model::index::{ClusterIx, PoolIx};
use pullproof_network::model::pool::OsType;
use pullproof_network::{Network, Val};
use pullproof_snapshot::At;

use super::certificate::subjects;
use crate::missing::{evidence, not_modelled};
use crate::outcome::Missing;
use crate::unread::unknown_value;

/// Whether an authority is trusted.
pub(super) enum Trusted {
    Yes,
    /// The authorities that are trusted beside the public ones, for people; where they stand.
    No(Vec<String>, At),
    Unknown(Missing),
}

/// A private authority, by its name; `None`: one whose name is not known.
pub(super) fn private(
    network: &Network,
    cluster_ix: ClusterIx,
    pool: PoolIx,
    issuer: Option<&str>,
) -> Trusted {
    let object = &network.clusters[cluster_ix];
    let at = object.place.at(cluster::CUSTOM_CA_CERTIFICATES);
    let shown = issuer
        .map_or_else(|| "the authority of an inspecting firewall".to_owned(), |i| format!("authority {i}"));
    match &network.pools[pool].os_type {
        Val::Known(Some(OsType::Windows)) => {
            return Trusted::Unknown(not_modelled(
                format!("{shown} on Windows pool {}", network.pools[pool].name),
                "custom certificate authorities are not supported on Windows nodes; other means are not in the configuration (A188, A355)",
            ));
        }
        Val::Known(_) => {}
        Val::Sym(symbol) => {
            let what = format!("the operating system of pool {}", network.pools[pool].name);
            return Trusted::Unknown(unknown_value(network, *symbol, what));
        }
    }
    let mut texts: Vec<&str> = object.custom_ca_certificates.iter().map(|c| &**c).collect();
    let proxy_in_use = object.http_proxy.configured.is(&true) && object.http_proxy.enabled.is(&true);
    if proxy_in_use && let Some(text) = object.http_proxy.trusted_ca.present() {
        texts.push(text);
    }
    let mut known = Vec::new();
    let mut odd = None;
    for text in &texts {
        match subjects(text) {
            Some(names) => known.extend(names),
            None => {
                odd = Some(evidence(
                    format!(
                        "whether {shown} is among the custom certificate authorities of {}",
                        object.id.name()
                    ),
                    "a certificate in the list is not understood (A353, A354)",
                    "check the list: base64 of PEM, without empty lines",
                ));
            }
        }
    }
    if issuer.is_some_and(|issuer| known.iter().any(|name| same(name, issuer))) {
        return Trusted::Yes;
    }
    let open = object.custom_ca_certificates.open;
    if let Some(symbol) = open.or_else(|| object.http_proxy.trusted_ca.symbol()) {
        return Trusted::Unknown(unknown_value(
            network,
            symbol,
            format!("whether {} trusts {shown}", object.id.name()),
        ));
    }
    if let Some(missing) = odd {
        return Trusted::Unknown(missing);
    }
    if issuer.is_none() && !known.is_empty() {
        return Trusted::Unknown(crate::missing::declare(
            "which authority signs what the inspecting firewall presents",
            format!("{} trusts {}", object.id.name(), known.join(", ")),
            "declare it: [[trust]] presented_by = \"<the firewall's address>\", issuer = \"…\", names = [\"*\"], hosts = [\"*\"]",
        ));
    }
    Trusted::No(known, at)
}

/// Names of authorities, as people write them.
fn same(subject: &str, issuer: &str) -> bool {
    let plain = |text: &str| text.trim().trim_start_matches("CN=").trim().to_lowercase();
    plain(subject) == plain(issuer)
}
