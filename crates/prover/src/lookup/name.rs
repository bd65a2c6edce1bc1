//! Names of DNS: folded, compared by labels.

/// Lower case, without trailing dots.
pub(crate) fn fold(name: &str) -> String {
    name.trim().trim_end_matches('.').to_ascii_lowercase()
}

/// True exactly when `name` is `zone` or lies below it, on a label boundary. The root is the empty name. Both folded.
pub(crate) fn within(name: &str, zone: &str) -> bool {
    zone.is_empty() || relative(name, zone).is_some()
}

/// `name` relative to `zone`: `@` at the apex, `None` outside.
pub(crate) fn relative<'a>(name: &'a str, zone: &str) -> Option<&'a str> {
    let rest = name.strip_suffix(zone)?;
    if rest.is_empty() {
        return Some("@");
    }
    rest.strip_suffix('.')
}

/// Of items with the domain that each covers, those with the longest one that covers `name`.
pub(crate) fn longest<'a, T>(
    items: impl IntoIterator<Item = T>,
    domain: impl Fn(&T) -> &'a str,
    name: &str,
) -> Vec<T> {
    let mut best: Vec<T> = Vec::new();
    let mut length = None;
    for item in items {
        let covers = domain(&item);
        if !within(name, covers) || length.is_some_and(|l| covers.len() < l) {
            continue;
        }
        if length.is_none_or(|l| covers.len() > l) {
            best.clear();
            length = Some(covers.len());
        }
        best.push(item);
    }
    best
}

/// The name is one of a Private Link zone, such as `x.privatelink.azurecr.io`.
pub(crate) fn is_private_link(name: &str) -> bool {
    name.split('.').any(|label| label == "privatelink")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_end_at_labels() {
        assert!(within("reg.azurecr.io", "azurecr.io"));
        assert!(within("azurecr.io", "azurecr.io"));
        assert!(within("reg.azurecr.io", ""));
        assert!(!within("xazurecr.io", "azurecr.io"));
        assert_eq!(relative("a.b.corp.example", "corp.example"), Some("a.b"));
        assert_eq!(relative("corp.example", "corp.example"), Some("@"));
        assert_eq!(relative("xcorp.example", "corp.example"), None);
    }

    #[test]
    fn the_longest_suffix_wins_and_ties_stay() {
        let zones = ["io", "azurecr.io", "", "azurecr.io", "example"];
        assert_eq!(longest(zones, |z| z, "reg.azurecr.io"), ["azurecr.io", "azurecr.io"]);
        assert_eq!(longest(zones, |z| z, "reg.azurecr.us"), [""]);
    }
}
