//! HTTP proxies of clusters: hosts that are pulled through one are looked up and reached by the proxy (D23, A189, A190).

use pullproof_network::Val;
use pullproof_network::model::index::ClusterIx;

use super::name;
use crate::missing::not_modelled;
use crate::outcome::Missing;
use crate::prover::Prover;
use crate::unread::unknown_value;

impl Prover<'_> {
    /// Why nothing is known about a host that the cluster's nodes reach through an HTTP proxy; `None` exactly when
    /// they reach it themselves.
    pub fn proxied(&self, cluster: ClusterIx, host: &str) -> Option<Missing> {
        let object = &self.network.clusters[cluster];
        let proxy = &object.http_proxy;
        if proxy.configured.is(&false) || proxy.enabled.is(&false) || proxy.https_proxy.is_absent() {
            return None;
        }
        let lists = std::iter::once(&proxy.no_proxy).chain(&proxy.effective_no_proxy);
        if lists.clone().flat_map(|list| list.iter()).any(|entry| exempts(entry, host)) {
            return None;
        }
        let what = format!("{host} from {}", object.id.name());
        let symbols = [proxy.configured.symbol(), proxy.enabled.symbol(), proxy.https_proxy.symbol()];
        if let Some(symbol) = symbols.into_iter().chain(lists.map(|l| l.open)).flatten().next() {
            return Some(unknown_value(
                self.network,
                symbol,
                format!("whether the HTTP proxy carries {what}"),
            ));
        }
        let shown = match &proxy.https_proxy {
            Val::Known(Some(url)) => url.to_string(),
            Val::Known(None) | Val::Sym(_) => String::new(),
        };
        Some(not_modelled(
            format!("pulls of {what} through the HTTP proxy {shown}"),
            format!(
                "the proxy looks the name up and connects, not the node; {host} is not in noProxy (A190)"
            ),
        ))
    }
}

/// As Go reads `NO_PROXY` (A190): a name covers itself and what is below it, a leading dot only what is below it; a
/// prefix covers literal addresses only; wildcards are not supported (A189).
fn exempts(entry: &str, host: &str) -> bool {
    let entry = name::fold(entry.trim());
    let entry = entry.strip_suffix(":443").unwrap_or(&entry);
    match entry.strip_prefix('.') {
        Some(domain) => !domain.is_empty() && name::relative(host, domain).is_some_and(|rest| rest != "@"),
        None => !entry.is_empty() && name::within(host, entry),
    }
}

#[cfg(test)]
mod tests {
    use super::exempts;

    #[test]
    fn names_are_exempt_as_go_reads_them() {
        for (entry, host, expected) in [
            ("azurecr.io", "reg.azurecr.io", true),
            (".azurecr.io", "reg.azurecr.io", true),
            (".azurecr.io", "azurecr.io", false),
            ("reg.azurecr.io:443", "reg.azurecr.io", true),
            ("10.0.0.0/8", "reg.azurecr.io", false),
            ("*.azurecr.io", "reg.azurecr.io", false),
            ("", "reg.azurecr.io", false),
        ] {
            assert_eq!(exempts(entry, host), expected, "{entry}");
        }
    }
}
