//! Which API versions each resource provider knows, and which fields came with a later one.

/// Versions of a namespace, or of a type that has its own; the longest prefix of a folded type counts.
struct Versions {
    prefix: &'static str,
    known: &'static [&'static str],
}

const NETWORK: &[&str] = &[
    "2015-06-15",
    "2016-03-30",
    "2016-06-01",
    "2016-09-01",
    "2016-12-01",
    "2017-03-01",
    "2017-06-01",
    "2017-08-01",
    "2017-09-01",
    "2017-10-01",
    "2017-11-01",
    "2018-01-01",
    "2018-02-01",
    "2018-04-01",
    "2018-06-01",
    "2018-07-01",
    "2018-08-01",
    "2018-10-01",
    "2018-11-01",
    "2018-12-01",
    "2019-02-01",
    "2019-04-01",
    "2019-06-01",
    "2019-07-01",
    "2019-08-01",
    "2019-09-01",
    "2019-11-01",
    "2019-12-01",
    "2020-03-01",
    "2020-04-01",
    "2020-05-01",
    "2020-06-01",
    "2020-07-01",
    "2020-08-01",
    "2020-11-01",
    "2021-02-01",
    "2021-03-01",
    "2021-05-01",
    "2021-08-01",
    "2021-12-01",
    "2022-01-01",
    "2022-05-01",
    "2022-07-01",
    "2022-09-01",
    "2022-11-01",
    "2023-02-01",
    "2023-04-01",
    "2023-05-01",
    "2023-06-01",
    "2023-09-01",
    "2023-11-01",
    "2024-01-01",
    "2024-03-01",
    "2024-05-01",
    "2024-07-01",
    "2024-10-01",
    "2025-01-01",
    "2025-03-01",
    "2025-05-01",
];
const NETWORK_MANAGER: &[&str] = &[
    "2021-02-01-preview",
    "2022-01-01",
    "2022-02-01-preview",
    "2022-04-01-preview",
    "2022-05-01",
    "2022-07-01",
    "2022-09-01",
    "2022-11-01",
    "2023-02-01",
    "2023-04-01",
    "2023-05-01",
    "2023-06-01",
    "2023-09-01",
    "2023-11-01",
    "2024-01-01",
    "2024-01-01-preview",
    "2024-03-01",
    "2024-05-01",
    "2024-07-01",
    "2024-10-01",
    "2025-01-01",
    "2025-03-01",
    "2025-05-01",
];
const PRIVATE_DNS: &[&str] = &["2018-09-01", "2020-01-01", "2020-06-01", "2024-06-01"];
const RESOLVER: &[&str] =
    &["2020-04-01-preview", "2022-07-01", "2023-07-01-preview", "2025-05-01", "2025-10-01-preview"];
const RESOLVER_POLICY: &[&str] = &["2023-07-01-preview", "2025-05-01", "2025-10-01-preview"];
const PERIMETER: &[&str] = &[
    "2021-02-01-preview",
    "2023-07-01-preview",
    "2023-08-01-preview",
    "2024-07-01",
    "2025-01-01",
    "2025-03-01",
    "2025-05-01",
];
const REGISTRY: &[&str] = &[
    "2017-03-01",
    "2017-10-01",
    "2019-05-01",
    "2019-12-01-preview",
    "2020-11-01-preview",
    "2021-06-01-preview",
    "2021-08-01-preview",
    "2021-09-01",
    "2021-12-01-preview",
    "2022-02-01-preview",
    "2022-12-01",
    "2023-01-01-preview",
    "2023-06-01-preview",
    "2023-07-01",
    "2023-08-01-preview",
    "2023-11-01-preview",
    "2024-11-01-preview",
    "2025-03-01-preview",
    "2025-04-01",
    "2025-05-01-preview",
    "2025-06-01-preview",
    "2025-11-01",
];
const AKS: &[&str] = &[
    "2019-02-01",
    "2019-04-01",
    "2019-06-01",
    "2019-08-01",
    "2019-10-01",
    "2019-11-01",
    "2020-01-01",
    "2020-02-01",
    "2020-03-01",
    "2020-04-01",
    "2020-06-01",
    "2020-07-01",
    "2020-09-01",
    "2020-11-01",
    "2020-12-01",
    "2021-02-01",
    "2021-03-01",
    "2021-05-01",
    "2021-07-01",
    "2021-08-01",
    "2021-09-01",
    "2021-10-01",
    "2022-01-01",
    "2022-02-01",
    "2022-03-01",
    "2022-04-01",
    "2022-06-01",
    "2022-07-01",
    "2022-09-01",
    "2022-11-01",
    "2023-01-01",
    "2023-02-01",
    "2023-03-01",
    "2023-04-01",
    "2023-05-01",
    "2023-06-01",
    "2023-07-01",
    "2023-08-01",
    "2023-09-01",
    "2023-10-01",
    "2023-11-01",
    "2024-01-01",
    "2024-02-01",
    "2024-03-02-preview",
    "2024-05-01",
    "2024-06-02-preview",
    "2024-07-01",
    "2024-08-01",
    "2024-09-01",
    "2024-09-02-preview",
    "2024-10-01",
    "2024-10-02-preview",
    "2025-01-01",
    "2025-01-02-preview",
    "2025-02-01",
    "2025-02-02-preview",
    "2025-03-01",
    "2025-03-02-preview",
    "2025-04-01",
    "2025-04-02-preview",
    "2025-05-01",
    "2025-05-02-preview",
    "2025-06-02-preview",
    "2025-07-01",
    "2025-07-02-preview",
    "2025-08-01",
    "2025-08-02-preview",
    "2025-09-01",
    "2025-09-02-preview",
    "2025-10-01",
    "2025-10-02-preview",
];
const COMPUTE: &[&str] = &[
    "2017-03-30",
    "2017-12-01",
    "2018-04-01",
    "2018-06-01",
    "2018-10-01",
    "2019-03-01",
    "2019-07-01",
    "2019-12-01",
    "2020-06-01",
    "2020-12-01",
    "2021-03-01",
    "2021-04-01",
    "2021-07-01",
    "2021-11-01",
    "2022-03-01",
    "2022-08-01",
    "2022-11-01",
    "2023-03-01",
    "2023-07-01",
    "2023-09-01",
    "2024-03-01",
    "2024-07-01",
    "2024-11-01",
    "2025-04-01",
];
const ROLES: &[&str] = &[
    "2015-07-01",
    "2018-01-01-preview",
    "2018-07-01",
    "2018-09-01-preview",
    "2020-03-01-preview",
    "2020-04-01-preview",
    "2020-08-01-preview",
    "2020-10-01-preview",
    "2022-01-01-preview",
    "2022-04-01",
    "2022-05-01-preview",
];
const DENY: &[&str] = &["2018-07-01-preview", "2019-03-01-preview", "2022-04-01", "2024-07-01-preview"];
const POLICY: &[&str] = &[
    "2016-12-01",
    "2018-03-01",
    "2018-05-01",
    "2019-01-01",
    "2019-06-01",
    "2019-09-01",
    "2020-03-01",
    "2020-09-01",
    "2021-06-01",
    "2022-06-01",
    "2023-04-01",
    "2024-04-01",
    "2024-05-01",
    "2025-01-01",
    "2025-03-01",
];
const IDENTITY: &[&str] = &[
    "2018-11-30",
    "2022-01-31-preview",
    "2023-01-31",
    "2023-07-31-preview",
    "2024-11-30",
    "2025-01-31-preview",
];
const GROUPS: &[&str] = &[
    "2018-03-01-preview",
    "2019-11-01",
    "2020-02-01",
    "2020-05-01",
    "2020-10-01",
    "2021-04-01",
    "2023-04-01",
    "2024-02-01-preview",
];
const RESOURCES: &[&str] = &[
    "2014-04-01",
    "2015-01-01",
    "2015-11-01",
    "2016-02-01",
    "2016-06-01",
    "2016-09-01",
    "2017-05-10",
    "2018-01-01",
    "2018-02-01",
    "2018-05-01",
    "2018-06-01",
    "2019-03-01",
    "2019-05-01",
    "2019-05-10",
    "2019-06-01",
    "2019-07-01",
    "2019-08-01",
    "2019-10-01",
    "2019-11-01",
    "2020-01-01",
    "2020-06-01",
    "2020-08-01",
    "2020-10-01",
    "2021-01-01",
    "2021-04-01",
    "2022-01-01",
    "2022-09-01",
    "2022-12-01",
    "2023-07-01",
    "2024-03-01",
    "2024-07-01",
    "2024-11-01",
    "2025-03-01",
    "2025-04-01",
];
const GRAPH: &[&str] = &[
    "2018-09-01-preview",
    "2019-04-01",
    "2020-04-01-preview",
    "2021-03-01",
    "2021-06-01-preview",
    "2022-10-01",
    "2024-04-01",
];

/// \[recorded: corpus; Microsoft's REST specifications\]
const TABLE: &[Versions] = &[
    Versions { prefix: "microsoft.authorization", known: ROLES },
    Versions { prefix: "microsoft.authorization/denyassignments", known: DENY },
    Versions { prefix: "microsoft.authorization/policy", known: POLICY },
    Versions { prefix: "microsoft.compute", known: COMPUTE },
    Versions { prefix: "microsoft.containerregistry", known: REGISTRY },
    Versions { prefix: "microsoft.containerservice", known: AKS },
    Versions { prefix: "microsoft.managedidentity", known: IDENTITY },
    Versions { prefix: "microsoft.management", known: GROUPS },
    Versions { prefix: "microsoft.network", known: NETWORK },
    Versions { prefix: "microsoft.network/dnsforwardingrulesets", known: RESOLVER },
    Versions { prefix: "microsoft.network/dnsresolverdomainlists", known: RESOLVER_POLICY },
    Versions { prefix: "microsoft.network/dnsresolverpolicies", known: RESOLVER_POLICY },
    Versions { prefix: "microsoft.network/dnsresolvers", known: RESOLVER },
    Versions { prefix: "microsoft.network/networkmanager", known: NETWORK_MANAGER },
    Versions { prefix: "microsoft.network/networksecurityperimeters", known: PERIMETER },
    Versions { prefix: "microsoft.network/privatednszones", known: PRIVATE_DNS },
    Versions { prefix: "microsoft.resourcegraph", known: GRAPH },
    Versions { prefix: "microsoft.resources", known: RESOURCES },
];

/// The versions in which Azure serves a folded type, oldest first; empty where nothing is known about its provider.
pub(crate) fn of(folded_type: &str) -> &'static [&'static str] {
    let rows = TABLE.iter().filter(|row| folded_type.starts_with(row.prefix));
    rows.max_by_key(|row| row.prefix.len()).map_or(&[], |row| row.known)
}

/// Whether Azure serves a folded type in `version`: it is in the table, or newer than all that the table has and not of
/// the future (new versions come out every month, and clients follow). Unknown providers take any version.
pub(crate) fn serves(folded_type: &str, version: &str) -> bool {
    let known = of(folded_type);
    let Some(newest) = known.iter().max() else { return true };
    let today = time::OffsetDateTime::now_utc().date().to_string();
    known.contains(&version)
        || (version > *newest && version.get(..10).is_some_and(|date| date <= today.as_str()))
}

/// True for `YYYY-MM-DD`, with or without a suffix: what ARM takes for an API version at all.
pub(crate) fn is_well_formed(version: &str) -> bool {
    let date = version.as_bytes();
    let digits = [0, 1, 2, 3, 5, 6, 8, 9];
    let dashes = [4, 7];
    digits.iter().all(|i| date.get(*i).is_some_and(u8::is_ascii_digit))
        && dashes.iter().all(|i| date.get(*i) == Some(&b'-'))
        && (date.len() == 10 || (date.get(10) == Some(&b'-') && date.len() > 11))
}

/// A field that versions before `since` do not return.
struct Since {
    folded_type: &'static str,
    field: &'static str,
    since: &'static str,
}

/// D39.
const SINCE: &[Since] = &[Since {
    folded_type: "microsoft.network/privatednszones/virtualnetworklinks",
    field: "resolutionPolicy",
    since: "2024-06-01",
}];

/// The fields of `properties` that a version of a folded type does not return yet.
pub(crate) fn unknown_fields(folded_type: &str, version: &str) -> Vec<&'static str> {
    let rows = SINCE.iter().filter(|row| row.folded_type == folded_type && version < row.since);
    rows.map(|row| row.field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_counts() {
        assert!(of("microsoft.network/virtualnetworks/subnets").contains(&"2024-05-01"));
        assert!(!of("microsoft.network/privatednszones/all").contains(&"2024-05-01"));
        assert!(of("contoso.things/x").is_empty());
    }

    #[test]
    fn newer_versions_than_the_table_has_are_served() {
        assert!(serves("microsoft.network/virtualnetworks", "2025-07-01"));
        assert!(!serves("microsoft.network/virtualnetworks", "2024-05-02"));
        assert!(!serves("microsoft.network/virtualnetworks", "2999-01-01"));
    }

    #[test]
    fn versions_are_dates() {
        assert!(is_well_formed("2024-05-01") && is_well_formed("2024-05-01-preview"));
        assert!(!is_well_formed("latest") && !is_well_formed("2024-5-1") && !is_well_formed("2024-05-01-"));
    }
}
