//! Names that Azure keeps for itself: no private zone (D36), no forwarding by the rule `.` (D93).

use std::sync::LazyLock;

use serde::Deserialize;

/// A name to which the forwarding rule `.` does not apply (D93).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reserved {
    pub name: String,
    /// False: taken to be reserved, not documented by name (DU2); a verdict that rests on it says so.
    pub documented: bool,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    zones: Vec<String>,
    wildcard: Vec<Reserved>,
}

const TEXT: &str = include_str!("../../facts/reserved_names.toml");
static FILE: LazyLock<File> = LazyLock::new(|| super::embedded(TEXT));

/// True for a name that no private DNS zone can have (D36): exactly these, not names below them.
pub fn is_reserved_zone(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    FILE.zones.iter().any(|zone| zone.eq_ignore_ascii_case(name))
}

/// The reserved name at or above `name`, if any: the rule `.` does not forward `name` (D93).
pub fn from_wildcard_rule(name: &str) -> Option<&'static Reserved> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    FILE.wildcard.iter().find(|reserved| {
        name.strip_suffix(&reserved.name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registries_can_be_hijacked_but_not_by_the_wildcard_rule() {
        assert!(toml::from_str::<File>(TEXT).is_ok());
        assert!(is_reserved_zone("Core.Windows.net."));
        assert!(!is_reserved_zone("azurecr.io"));
        assert_eq!(from_wildcard_rule("contoso.azurecr.io").map(|r| r.documented), Some(false));
        assert_eq!(from_wildcard_rule("x.blob.core.windows.net.").map(|r| r.documented), Some(true));
        assert!(from_wildcard_rule("notwindows.net").is_none());
    }
}
