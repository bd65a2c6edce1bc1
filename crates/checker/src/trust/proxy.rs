//! The cluster's HTTP proxy: for which hosts it stands in for the node (A189, A190, D23).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;

use crate::json::prefix;
use crate::lookup::name::{fold, is_within};
use crate::missing;
use crate::plain::Plain;
use crate::resources::find;

/// The proxy through which nodes of the cluster connect to a host over HTTPS; `None` where they connect themselves.
///
/// # Errors
/// What is missing, where that is not known.
pub fn proxy_for(plain: &Plain, cluster: &ArmId, host: &str) -> Result<Option<String>, Missing> {
    let cluster = find(plain, cluster.folded()).ok_or_else(|| missing::resource(cluster))?;
    let node = cluster.node();
    if node.flag("/properties/httpProxyConfig/enabled").known()? == Some(false) {
        return Ok(None);
    }
    let Some(proxy) = node.text("/properties/httpProxyConfig/httpsProxy").known()? else { return Ok(None) };
    let exempt = node.texts("/properties/httpProxyConfig/noProxy");
    if exempt.known.iter().any(|entry| exempts(entry, host)) {
        return Ok(None);
    }
    match exempt.open.into_iter().next() {
        Some(open) => Err(open),
        None => Ok(Some(proxy.to_owned())),
    }
}

/// Go's reading of an entry: `contoso.com` is the name and what is below it, `.contoso.com` what is below it, a range
/// or address only a host that is an address itself (A190). A star is not supported (A189).
fn exempts(entry: &str, host: &str) -> bool {
    let entry = fold(entry);
    let host = fold(host);
    if let Some(net) = prefix(&entry) {
        return host.parse::<IpAddr>().is_ok_and(|address| net.contains(&address));
    }
    match entry.strip_prefix('.') {
        Some(suffix) => host != suffix && is_within(&host, suffix),
        None => !entry.is_empty() && is_within(&host, &entry),
    }
}

#[cfg(test)]
mod tests {
    use super::exempts;

    #[test]
    fn entries_are_read_as_go_reads_them() {
        assert!(exempts("azurecr.io", "acme.azurecr.io"));
        assert!(exempts(".azurecr.io", "acme.azurecr.io"));
        assert!(!exempts(".azurecr.io", "azurecr.io"));
        assert!(!exempts("10.0.0.0/8", "acme.azurecr.io"));
        assert!(exempts("10.0.0.0/8", "10.1.2.3"));
        assert!(!exempts("*.azurecr.io", "acme.azurecr.io"));
    }
}
