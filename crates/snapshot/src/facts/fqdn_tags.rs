//! FQDN tags of Azure Firewall (F128, F129).

use std::sync::LazyLock;

use serde::Deserialize;

/// The documented contents of an FQDN tag. What is not here may still be in the tag (FU14): a host on the list is
/// admitted, a customer's registry never is (F129).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FqdnTag {
    pub name: String,
    /// When the list was compared with the documentation (ISO date).
    pub checked: String,
    /// Hosts, with `*` for the left-most labels and `<location>` for the cluster's region.
    pub hosts: Vec<String>,
    pub facts: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tag: Vec<FqdnTag>,
}

const TEXT: &str = include_str!("../../facts/fqdn_tags.toml");
static FILE: LazyLock<File> = LazyLock::new(|| super::embedded(TEXT));

/// The tag of this name, letter case aside; `None` where its contents are not known.
pub fn find(name: &str) -> Option<&'static FqdnTag> {
    FILE.tag.iter().find(|tag| tag.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aks_tag_has_microsofts_registry_and_no_customer_registry() {
        assert!(toml::from_str::<File>(TEXT).is_ok());
        let hosts = &find("azurekubernetesservice").map(|t| t.hosts.clone()).unwrap_or_default();
        assert!(hosts.iter().any(|h| h == "mcr.microsoft.com"));
        assert!(!hosts.iter().any(|h| h.contains("azurecr") || h.contains("blob")));
    }
}
