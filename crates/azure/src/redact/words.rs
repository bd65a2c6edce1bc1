//! What is kept: names, labels, suffixes and GUIDs that mean something of their own (`keys` has the keys).
//! Everything else is replaced.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use pullproof_snapshot::facts;

/// Names and DNS labels that Azure, AKS or DNS give a meaning, in lower case.
const NAMES: &[&str] = &[
    // Subnets (R7), resources that Azure names itself, default rules (F8).
    "gatewaysubnet",
    "azurefirewallsubnet",
    "azurefirewallmanagementsubnet",
    "azurebastionsubnet",
    "routeserversubnet",
    "default",
    "none",
    "defaultroutetable",
    "noneroutetable",
    "hubroutingintent",
    "privatetrafficpolicy",
    "publictrafficpolicy",
    "internettrafficpolicy",
    "_policy_privatetraffic",
    "_policy_publictraffic",
    "azureprivatepeering",
    "azurepublicpeering",
    "microsoftpeering",
    "kubernetes",
    "kubernetes-internal",
    "aksoutboundrule",
    "aksoutboundbackendpool",
    "allowvnetinbound",
    "allowazureloadbalancerinbound",
    "denyallinbound",
    "allowvnetoutbound",
    "allowinternetoutbound",
    "denyalloutbound",
    "defaultoutbounddenyall",
    "defaultinbounddenyall",
    "securityrules",
    "defaultsecurityrules",
    "_repositories_admin",
    "_repositories_pull",
    "_repositories_pull_metadata_read",
    "_repositories_push",
    "_repositories_push_metadata_write",
    "privateendpointipconfig",
    "registry",
    "msi",
    "public",
    // What a declared server says to what no entry covers.
    "unknown",
    "refused",
    "servfail",
    "root_hints",
    // Labels.
    "@",
    "*",
    "privatelink",
    "data",
    "geo",
    "hcp",
    "blob",
    "dfs",
    "file",
    "queue",
    "table",
    "web",
    "core",
    "localhost",
    "svc",
    "cluster",
    "local",
    "latest",
    "sha256",
];

/// Beginnings of names that Azure puts before a name: the rest is a name of its own.
const BEFORE: &[&str] =
    &["RemoteVnetToHubPeering_", "UserRule_", "DefaultRule_", "conflicting-input:", "HV_"];

/// Last labels of host names that say nothing about whose they are.
const TOP: &[&str] = &[
    "com", "net", "org", "io", "dev", "cloud", "app", "example", "test", "local", "internal", "intern",
    "lan", "corp", "de", "fr", "uk", "us", "cn", "eu", "nl", "ch", "at", "it", "es", "se", "no", "dk", "fi",
    "pl", "jp", "in", "au", "ca", "br", "arpa",
];

/// Host suffixes of Microsoft and of public registries beside those of the facts.
const SUFFIXES: &[&str] = &[
    "azmk8s.io",
    "azmk8s.us",
    "azmk8s.cn",
    "azure.net",
    "azureprivatedns.net",
    "azureedge.net",
    "azurefd.net",
    "azurewebsites.net",
    "msedge.net",
    "mcr-msedge.net",
    "microsoftonline.com",
    "login.microsoftonline.com",
    "microsoftonline.us",
    "management.azure.com",
    "windowsupdate.com",
    "ubuntu.com",
    "docker.io",
    "docker.com",
    "ghcr.io",
    "githubusercontent.com",
    "quay.io",
    "registry.k8s.io",
    "in-addr.arpa",
    "ip6.arpa",
];

const REGIONS: &[&str] = &[
    "global",
    "eastus",
    "eastus2",
    "eastus2euap",
    "eastus3",
    "centralus",
    "centraluseuap",
    "northcentralus",
    "southcentralus",
    "southcentralus2",
    "westcentralus",
    "westus",
    "westus2",
    "westus3",
    "canadacentral",
    "canadaeast",
    "brazilsouth",
    "brazilsoutheast",
    "mexicocentral",
    "chilecentral",
    "northeurope",
    "westeurope",
    "uksouth",
    "ukwest",
    "francecentral",
    "francesouth",
    "germanywestcentral",
    "germanynorth",
    "switzerlandnorth",
    "switzerlandwest",
    "norwayeast",
    "norwaywest",
    "swedencentral",
    "swedensouth",
    "polandcentral",
    "italynorth",
    "spaincentral",
    "austriaeast",
    "belgiumcentral",
    "denmarkeast",
    "greececentral",
    "finlandcentral",
    "israelcentral",
    "qatarcentral",
    "uaenorth",
    "uaecentral",
    "southafricanorth",
    "southafricawest",
    "eastasia",
    "southeastasia",
    "japaneast",
    "japanwest",
    "koreacentral",
    "koreasouth",
    "taiwannorth",
    "malaysiawest",
    "indonesiacentral",
    "newzealandnorth",
    "australiaeast",
    "australiasoutheast",
    "australiacentral",
    "australiacentral2",
    "centralindia",
    "southindia",
    "westindia",
    "jioindiawest",
    "jioindiacentral",
    "usgovvirginia",
    "usgovarizona",
    "usgovtexas",
    "usdodeast",
    "usdodcentral",
    "chinaeast",
    "chinaeast2",
    "chinaeast3",
    "chinanorth",
    "chinanorth2",
    "chinanorth3",
];

/// Tenants, principals and ids that are the same for everybody.
const GUIDS: &[&str] = &[
    "00000000-0000-0000-0000-000000000000",
    "72f988bf-86f1-41af-91ab-2d7cd011db47",
    "f8cdef31-a31e-4b4a-93e4-5f571e91255a",
    "9188040d-6c67-4c5b-b112-36a304b66dad",
];

pub(super) fn is_kept_name(folded: &str) -> bool {
    static SET: LazyLock<BTreeSet<&str>> = LazyLock::new(|| NAMES.iter().chain(REGIONS).copied().collect());
    SET.contains(folded)
}

pub(super) fn is_region(folded: &str) -> bool {
    REGIONS.contains(&folded)
}

/// The beginning that Azure put before a name, and the name.
pub(super) fn after_known_beginning(name: &str) -> Option<(&str, &str)> {
    BEFORE.iter().find_map(|before| {
        let start = name.get(..before.len()).filter(|start| start.eq_ignore_ascii_case(before))?;
        Some((start, name.get(before.len()..)?)).filter(|(_, rest)| !rest.is_empty())
    })
}

pub(super) fn is_top_label(folded: &str) -> bool {
    TOP.contains(&folded)
}

/// True when the host name (in lower case) is a suffix that is the same for everybody.
pub(super) fn is_public_suffix(folded: &str) -> bool {
    static SET: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let mut set: BTreeSet<String> = SUFFIXES.iter().map(|s| (*s).to_owned()).collect();
        for cloud in facts::clouds::all() {
            set.extend([cloud.registry.clone(), cloud.blob.clone()]);
        }
        for preset in facts::presets::all() {
            set.extend(preset.aliases.iter().cloned());
            set.extend(preset.hosts.iter().map(|host| host.host.trim_start_matches("*.").to_owned()));
        }
        for tag in ["AzureKubernetesService"].into_iter().filter_map(facts::fqdn_tags::find) {
            let hosts = tag.hosts.iter().filter(|host| !host.contains('<'));
            set.extend(hosts.map(|host| host.trim_start_matches("*.").to_owned()));
        }
        set
    });
    SET.contains(folded)
        || facts::reserved_names::is_reserved_zone(folded) && folded.split('.').count() <= 3 && {
            // The reserved zone itself, not what lies below it.
            let parent = folded.split_once('.').map(|(_, parent)| parent);
            !parent.is_some_and(facts::reserved_names::is_reserved_zone) || folded.starts_with("core.")
        }
        || facts::reserved_names::from_wildcard_rule(folded).is_some_and(|reserved| reserved.name == folded)
}

/// True when the text has the form of a word of the API.
pub(super) fn is_word(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-*+".contains(&b))
}

/// A resource type, an action, a service: `Microsoft.` and words.
pub(super) fn is_microsofts(text: &str) -> bool {
    let start = text.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("Microsoft."));
    start && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"./*".contains(&b))
}

pub(super) fn is_known_guid(folded: &str) -> bool {
    GUIDS.contains(&folded) || facts::roles::find(folded).is_some()
}
