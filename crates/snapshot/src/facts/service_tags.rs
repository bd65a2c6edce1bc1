//! What is known of service tags without a list: how tags relate (F81, F82), and which hosts they hold (A53, A58, F84).
//!
//! No tag holds private, shared (CGNAT) or link-local addresses nor 168.63.129.16 (F83): a private endpoint's address
//! is in no tag but `VirtualNetwork`.

use std::sync::LazyLock;

use serde::Deserialize;

/// How the addresses of one tag relate to those of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    Same,
    /// Every address of the first is in the second.
    Within,
    /// Some, but not all, addresses of the first are in the second.
    Overlaps,
    Disjoint,
    /// Nothing is known without a list.
    Unknown,
}

/// Hosts whose public addresses a tag is documented to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostKind {
    /// `<registry>.azurecr.io` and its cousins in other clouds.
    RegistryLogin,
    /// `<registry>.<region>.data.azurecr.io`.
    RegistryData,
    /// The storage account behind a registry without dedicated data endpoints.
    RegistryBlob,
    /// `mcr.microsoft.com` and `*.data.mcr.microsoft.com`: both tags are needed (F80).
    MicrosoftRegistry,
}

/// The tags of a kind of host.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostTags {
    kind: HostKind,
    /// All are needed to cover the host.
    pub tags: Vec<String>,
    /// `<tag>.<region of the host>` covers it too. False: only the global tag does (F85).
    pub regional: bool,
    #[serde(default)]
    pub remark: Option<String>,
    pub facts: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    first: String,
    relation: Relation,
    second: String,
    #[serde(rename = "facts")]
    _facts: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    change_number: u64,
    relation: Vec<Row>,
    host: Vec<HostTags>,
}

const TEXT: &str = include_str!("../../facts/service_tags.toml");
static FILE: LazyLock<File> = LazyLock::new(|| super::embedded(TEXT));

/// Tags with a dot in their name that is no region (F73).
const DOTTED: &[&str] = &["AzureFrontDoor"];

/// The list on which the relations were computed (F81).
pub fn change_number() -> u64 {
    FILE.change_number
}

/// How `first` relates to `second`; names as rules write them, letter case aside (F76).
pub fn relation(first: &str, second: &str) -> Relation {
    if first.eq_ignore_ascii_case(second) {
        return Relation::Same;
    }
    let (first_global, first_region) = split(first);
    let (second_global, second_region) = split(second);
    if first_global.eq_ignore_ascii_case(second_global) {
        // Regional tags lie within the global one and do not fill it (F82); two regions are not known to be disjoint.
        return match (first_region, second_region) {
            (true, false) => Relation::Within,
            (false, true) => Relation::Overlaps,
            _ => Relation::Unknown,
        };
    }
    match (global(first_global, second_global), first_region, second_region) {
        (Relation::Disjoint, _, _) => Relation::Disjoint,
        (Relation::Within, _, false) => Relation::Within,
        (Relation::Overlaps, false, false) => Relation::Overlaps,
        _ => Relation::Unknown,
    }
}

fn global(first: &str, second: &str) -> Relation {
    let is =
        |row: &Row, a: &str, b: &str| row.first.eq_ignore_ascii_case(a) && row.second.eq_ignore_ascii_case(b);
    if let Some(row) = FILE.relation.iter().find(|row| is(row, first, second)) {
        return row.relation;
    }
    match FILE.relation.iter().find(|row| is(row, second, first)).map(|row| row.relation) {
        Some(Relation::Disjoint) => Relation::Disjoint,
        // The larger tag has more than the smaller one, or each has something that the other has not.
        Some(Relation::Within | Relation::Overlaps) => Relation::Overlaps,
        _ => Relation::Unknown,
    }
}

/// The global tag of a name, and whether the name has a region.
fn split(name: &str) -> (&str, bool) {
    match name.split_once('.') {
        Some((global, _)) if !DOTTED.iter().any(|d| d.eq_ignore_ascii_case(global)) => (global, true),
        _ => (name, false),
    }
}

/// The tags that hold the public addresses of a kind of host.
pub fn of_host(kind: HostKind) -> Option<&'static HostTags> {
    FILE.host.iter().find(|host| host.kind == kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_of_f81_and_f82() {
        assert!(toml::from_str::<File>(TEXT).is_ok());
        let rows = [
            ("azurecontainerregistry", "AzureContainerRegistry", Relation::Same),
            ("AzureContainerRegistry", "AzureCloud", Relation::Within),
            ("AzureContainerRegistry.WestEurope", "AzureContainerRegistry", Relation::Within),
            ("AzureContainerRegistry.WestEurope", "AzureCloud", Relation::Within),
            ("AzureContainerRegistry.WestEurope", "AzureCloud.westeurope", Relation::Unknown),
            ("AzureContainerRegistry", "AzureContainerRegistry.WestEurope", Relation::Overlaps),
            ("AzureCloud", "AzureContainerRegistry", Relation::Overlaps),
            ("Storage.WestEurope", "AzureContainerRegistry", Relation::Disjoint),
            ("AzureCloud", "AzureFrontDoor.FirstParty", Relation::Disjoint),
            ("Storage", "AzureCloud", Relation::Overlaps),
            ("Storage.WestEurope", "AzureCloud", Relation::Unknown),
            ("Sql", "AzureCloud", Relation::Unknown),
        ];
        for (first, second, expected) in rows {
            assert_eq!(relation(first, second), expected, "{first} {second}");
        }
    }

    #[test]
    fn every_kind_of_host_has_tags() {
        use HostKind::{MicrosoftRegistry, RegistryBlob, RegistryData, RegistryLogin};
        for kind in [RegistryLogin, RegistryData, RegistryBlob, MicrosoftRegistry] {
            assert!(of_host(kind).is_some_and(|host| !host.tags.is_empty()), "{kind:?}");
        }
    }
}
