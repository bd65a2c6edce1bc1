//! Suffixes of registry and blob hosts by cloud (A31).

use std::sync::LazyLock;

use serde::Deserialize;

/// One Azure cloud.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cloud {
    pub name: String,
    /// Suffix of registry hosts, without a leading dot: `azurecr.io`.
    pub registry: String,
    /// Suffix of the hosts of the storage behind registries.
    pub blob: String,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    cloud: Vec<Cloud>,
}

const TEXT: &str = include_str!("../../facts/clouds.toml");
static FILE: LazyLock<File> = LazyLock::new(|| super::embedded(TEXT));

/// All clouds of A31.
pub fn all() -> &'static [Cloud] {
    &FILE.cloud
}

/// The cloud whose registry suffix `host` ends with, label by label and whatever its letter case. `None` in an
/// air-gapped cloud: take the suffix from the registry's `loginServer` there (A31).
pub fn of_host(host: &str) -> Option<&'static Cloud> {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    all().iter().find(|cloud| host.strip_suffix(&cloud.registry).is_some_and(|rest| rest.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_compared_by_label() {
        assert!(toml::from_str::<File>(TEXT).is_ok());
        assert_eq!(
            of_host("Contoso.AzureCR.us").map(|c| c.blob.as_str()),
            Some("blob.core.usgovcloudapi.net")
        );
        assert!(of_host("contosoazurecr.io").is_none());
        assert!(of_host("azurecr.io").is_none());
    }
}
