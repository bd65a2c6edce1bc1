//! Hosts of well-known public registries, for `preset = …` (A151).

use std::sync::LazyLock;

use serde::Deserialize;

use crate::question::Role;

/// A public registry whose hosts are known. They change: reports name `checked` (AU9).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// `mcr`, `docker-hub`, `ghcr` or `quay`.
    pub name: String,
    /// When the hosts were compared with the documentation (ISO date).
    pub checked: String,
    /// Pulls need no token at all.
    #[serde(default)]
    pub anonymous: bool,
    /// Registry names in image references that are not its host.
    #[serde(default)]
    pub aliases: Vec<String>,
    pub hosts: Vec<PresetHost>,
}

/// Port 443 throughout.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresetHost {
    /// May be a wildcard.
    pub host: String,
    pub roles: Vec<Role>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    preset: Vec<Preset>,
}

const TEXT: &str = include_str!("../../facts/presets.toml");
static FILE: LazyLock<File> = LazyLock::new(|| super::embedded(TEXT));

/// All presets, for messages.
pub fn all() -> &'static [Preset] {
    &FILE.preset
}

/// The preset of this name, as `pullproof.toml` writes it.
pub fn find(name: &str) -> Option<&'static Preset> {
    all().iter().find(|preset| preset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_has_a_login_and_a_data_host() {
        assert!(toml::from_str::<File>(TEXT).is_ok());
        assert_eq!(all().len(), 4);
        for preset in all() {
            for role in [Role::Login, Role::Data] {
                assert!(preset.hosts.iter().any(|h| h.roles.contains(&role)), "{} {role:?}", preset.name);
            }
        }
    }
}
