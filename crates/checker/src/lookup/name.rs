//! Domain names: compared without regard to letter case and a trailing dot, by whole labels.

/// Lower case without a trailing dot; the root is the empty name.
pub(crate) fn fold(name: &str) -> String {
    name.trim().trim_end_matches('.').to_ascii_lowercase()
}

/// True when `name` is `suffix` or below it; everything is below the root. Both folded.
pub(crate) fn is_within(name: &str, suffix: &str) -> bool {
    suffix.is_empty() || name.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The number of labels: how specific a suffix is.
pub(crate) fn labels(name: &str) -> usize {
    if name.is_empty() { 0 } else { name.split('.').count() }
}

/// `name` relative to a zone that it is in; the apex is `@`. Both folded.
pub(crate) fn relative<'a>(name: &'a str, zone: &str) -> &'a str {
    let rest = name.strip_suffix(zone).unwrap_or(name).trim_end_matches('.');
    if rest.is_empty() { "@" } else { rest }
}

/// True when a host pattern covers a host: equal, or `*.suffix` with one or more labels in the star's place
/// (declared hosts, CONTRACT §2), or `*` alone. Letter case aside.
pub(crate) fn pattern_covers(pattern: &str, host: &str) -> bool {
    let (pattern, host) = (fold(pattern), fold(host));
    if pattern == "*" || pattern == host {
        return true;
    }
    pattern.strip_prefix("*.").is_some_and(|suffix| host != suffix && is_within(&host, suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_end_on_label_boundaries() {
        assert!(is_within("a.contoso.com", "contoso.com"));
        assert!(!is_within("xcontoso.com", "contoso.com"));
        assert!(is_within("anything", ""));
        assert_eq!(relative("a.b.contoso.com", "contoso.com"), "a.b");
        assert_eq!(relative("contoso.com", "contoso.com"), "@");
    }

    #[test]
    fn a_pattern_does_not_cover_its_own_suffix() {
        assert!(pattern_covers("*.cdn.example", "x.cdn.example"));
        assert!(!pattern_covers("*.cdn.example", "cdn.example"));
        assert!(pattern_covers("*", "cdn.example"));
    }
}
