//! Built-in roles that decide about pulls (A302), with their permissions (A304).

use std::sync::LazyLock;

use serde::Deserialize;

/// A built-in role. Permissions may hold `*`, which spans segments; they are compared without letter case (A304).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Role {
    pub name: String,
    /// The GUID at the end of a `roleDefinitionId`, in lower case.
    pub id: String,
    #[serde(default)]
    pub actions: Vec<String>,
    #[serde(default)]
    pub not_actions: Vec<String>,
    #[serde(default)]
    pub data_actions: Vec<String>,
    #[serde(default)]
    pub not_data_actions: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    role: Vec<Role>,
}

const TEXT: &str = include_str!("../../facts/roles.toml");
static FILE: LazyLock<File> = LazyLock::new(|| super::embedded(TEXT));

/// The built-in role of a `roleDefinitionId` (any scope before it) or of its GUID alone. `None`: the definition itself
/// is needed (A306).
pub fn find(role_definition: &str) -> Option<&'static Role> {
    let guid = role_definition.trim_end_matches('/').rsplit('/').next()?;
    FILE.role.iter().find(|role| role.id.eq_ignore_ascii_case(guid))
}

/// The built-in role of this name, letter case aside.
pub fn named(name: &str) -> Option<&'static Role> {
    FILE.role.iter().find(|role| role.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acr_pull_is_found_by_definition_id() {
        assert!(toml::from_str::<File>(TEXT).is_ok());
        let id = "/subscriptions/s/providers/Microsoft.Authorization/roleDefinitions/7F951DDA-4ed3-4680-a7ca-43fe172d538d";
        assert_eq!(find(id).map(|r| r.name.as_str()), Some("AcrPull"));
        assert!(find("00000000-0000-0000-0000-000000000000").is_none());
        assert_eq!(named("reader").map(|r| r.actions.as_slice()), Some(["*/read".to_owned()].as_slice()));
    }
}
