//! Service tags from the lists that were given, and what follows from names alone (F73–F87).

use std::collections::HashMap;

use ipnet::IpNet;
use pullproof_snapshot::TagList;

use crate::set::{Addresses, TagMatch, TagTarget, Tri};

/// Whether one tag contains another, from the containment table of the facts (F81). `None`: the table does not say.
pub type Containment = fn(outer: &str, inner: &str) -> Option<Tri>;

/// Tag lists, by tag.
#[derive(Clone)]
pub struct Tags {
    /// Folded name → addresses.
    lists: HashMap<String, Addresses>,
    containment: Containment,
    /// Where the addresses are from, for verdicts that use them (F78): file and change number.
    pub source: Option<(String, String)>,
}

/// Words that are no service tags but may stand in their place (F75). Their meaning depends on who is asked.
const SPECIAL: [&str; 9] = [
    "virtualnetwork",
    "virtual_network",
    "internet",
    "azureloadbalancer",
    "azure_loadbalancer",
    "azureplatformdns",
    "azureplatformimds",
    "azureplatformlkm",
    "*",
];

/// Space that is in no service tag: private, CGNAT, link-local, the platform address (F83).
const NEVER_IN_A_TAG: [&str; 6] =
    ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16", "168.63.129.16/32"];

impl Tags {
    /// Of several lists that of the public cloud counts, of several of one cloud the one with the highest change
    /// number (F78).
    pub fn new(lists: &[TagList], containment: Containment) -> Self {
        let public = |list: &TagList| {
            ["public", "azurecloud"].iter().any(|name| list.cloud.eq_ignore_ascii_case(name))
        };
        let change = |list: &TagList| list.change_number.parse::<u64>().unwrap_or_default();
        let newest = lists.iter().max_by_key(|list| (public(list), change(list)));
        let Some(newest) = newest else {
            return Self { lists: HashMap::new(), containment, source: None };
        };
        let prefixes = |prefixes: &[String]| -> Option<Addresses> {
            let parsed = prefixes.iter().map(|prefix| prefix.parse::<IpNet>().ok());
            parsed.collect::<Option<Vec<_>>>().map(Addresses::of)
        };
        // A tag with a prefix that is not understood is as good as not listed.
        let lists = newest.tags.iter().filter_map(|(name, list)| Some((fold(name), prefixes(list)?)));
        Self {
            lists: lists.collect(),
            containment,
            source: Some((newest.file.clone(), newest.change_number.clone())),
        }
    }
}

/// F81, F82.
pub fn documented(outer: &str, inner: &str) -> Option<Tri> {
    use pullproof_snapshot::facts::service_tags::{Relation, relation};
    match relation(inner, outer) {
        Relation::Same | Relation::Within => Some(Tri::Yes),
        Relation::Disjoint => Some(Tri::No),
        Relation::Overlaps | Relation::Unknown => None,
    }
}

fn fold(name: &str) -> String {
    name.to_ascii_lowercase()
}

fn never_in_a_tag() -> Addresses {
    Addresses::of(NEVER_IN_A_TAG.iter().filter_map(|prefix| prefix.parse().ok()))
}

impl TagMatch for Tags {
    fn tag_covers(&self, tag: &str, what: &TagTarget<'_>) -> Tri {
        let folded = fold(tag);
        if SPECIAL.contains(&folded.as_str()) {
            return Tri::Unknown;
        }
        match what {
            TagTarget::Addresses(addresses) => match self.tag_addresses(tag) {
                _ if addresses.is_empty() => Tri::Unknown,
                Some(list) if addresses.is_subset(list) => Tri::Yes,
                Some(list) if !addresses.overlaps(list) => Tri::No,
                Some(_) => Tri::Unknown,
                None if addresses.is_subset(&never_in_a_tag()) => Tri::No,
                None => Tri::Unknown,
            },
            TagTarget::PublicHostOf(inner) => {
                let inner_folded = fold(inner);
                let region_of = inner_folded.strip_prefix(&folded).is_some_and(|rest| rest.starts_with('.'));
                // A regional tag lies in the global one, always (F82).
                if folded == inner_folded || region_of {
                    return Tri::Yes;
                }
                if let (Some(list), Some(inner)) = (self.tag_addresses(tag), self.tag_addresses(inner)) {
                    if !inner.is_empty() && inner.is_subset(list) {
                        return Tri::Yes;
                    }
                    if !inner.overlaps(list) {
                        return Tri::No;
                    }
                }
                (self.containment)(tag, inner).unwrap_or(Tri::Unknown)
            }
        }
    }

    fn tag_addresses(&self, tag: &str) -> Option<&Addresses> {
        self.lists.get(&fold(tag))
    }
}
