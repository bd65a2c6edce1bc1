//! Target FQDNs of application rules against a host name (F120, F122, F128, F129).

use pullproof_snapshot::facts::fqdn_tags;

/// How a pattern relates to a host, or to all names that a wildcard host stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Coverage {
    None,
    /// Some of the wildcard's names.
    Some,
    All,
}

/// F122: a star counts as the left-most character only and stands for anything, dots included; letter case does not
/// matter. Other stars are refused by the API, so such a pattern matches nothing. `host` may be `*.suffix`: every name
/// below the suffix (V5).
pub(crate) fn covers(pattern: &str, host: &str) -> Coverage {
    let (pattern, host) =
        (pattern.trim().to_ascii_lowercase(), host.trim_end_matches('.').to_ascii_lowercase());
    let rest = pattern.strip_prefix('*');
    if rest.unwrap_or(&pattern).contains('*') || pattern.is_empty() {
        return Coverage::None;
    }
    match (host.strip_prefix('*'), rest) {
        (None, None) => {
            if pattern == host {
                Coverage::All
            } else {
                Coverage::None
            }
        }
        (None, Some(rest)) => {
            if host.ends_with(rest) {
                Coverage::All
            } else {
                Coverage::None
            }
        }
        (Some(below), None) => {
            if pattern.ends_with(below) {
                Coverage::Some
            } else {
                Coverage::None
            }
        }
        (Some(below), Some(rest)) => {
            if below.ends_with(rest) {
                Coverage::All
            } else if rest.ends_with(below) {
                Coverage::Some
            } else {
                Coverage::None
            }
        }
    }
}

/// An FQDN tag against a host; `None`: its contents are not known (F128).
pub(crate) fn tag_covers(tag: &str, host: &str) -> Option<Coverage> {
    let known = fqdn_tags::find(tag)?;
    let best = known.hosts.iter().map(|pattern| match pattern.split_once("<location>") {
        // Any region: such hosts are never a registry's.
        Some((_, tail)) => covers(&format!("*{tail}"), host),
        None => covers(pattern, host),
    });
    Some(best.max().unwrap_or(Coverage::None))
}

/// The host part of a target URL, such as `www.contoso.com/path`.
pub(crate) fn url_host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', ':']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_spans_labels_and_counts_at_the_left_end_only() {
        assert_eq!(covers("*.contoso.com", "a.b.contoso.com"), Coverage::All);
        assert_eq!(covers("*.contoso.com", "contoso.com"), Coverage::None);
        assert_eq!(covers("*contoso.com", "xcontoso.com"), Coverage::All);
        assert_eq!(covers("*.CONTOSO.com", "A.contoso.COM"), Coverage::All);
        assert_eq!(covers("reg.*.contoso.com", "reg.x.contoso.com"), Coverage::None);
        assert_eq!(covers("*", "a.contoso.com"), Coverage::All);
    }

    #[test]
    fn a_wildcard_host_is_covered_by_what_covers_all_of_its_names() {
        let host = "*.blob.core.windows.net";
        assert_eq!(covers("*.blob.core.windows.net", host), Coverage::All);
        assert_eq!(covers("*.windows.net", host), Coverage::All);
        assert_eq!(covers("one.blob.core.windows.net", host), Coverage::Some);
        assert_eq!(covers("*.x.blob.core.windows.net", host), Coverage::Some);
        assert_eq!(covers("*.azurecr.io", host), Coverage::None);
    }

    #[test]
    fn the_tag_of_aks_holds_no_customer_registry() {
        assert_eq!(tag_covers("AzureKubernetesService", "contosoreg.azurecr.io"), Some(Coverage::None));
        assert_eq!(
            tag_covers("AzureKubernetesService", "eastus.data.mcr.microsoft.com"),
            Some(Coverage::All)
        );
        assert_eq!(tag_covers("WindowsUpdate", "contosoreg.azurecr.io"), None);
    }
}
