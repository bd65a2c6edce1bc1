//! Which tables and keys `pullproof.toml` has (CONTRACT §2), and where in the text each value stands.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::Fault;

/// Table (its keys joined by dots, without indices) → its keys.
const TABLES: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "version",
            "audit",
            "registry",
            "service_principal",
            "site",
            "dns_server",
            "appliance",
            "public_name",
            "trust",
            "suppress",
            "rules",
        ],
    ),
    ("audit", &["pairs", "images", "fail_on", "strict"]),
    ("audit.pairs", &["cluster", "registry"]),
    (
        "registry",
        &["name", "hosts", "preset", "certificate", "pull_secret", "pull_secret_valid", "repositories"],
    ),
    ("registry.hosts", &["host", "port", "roles", "addresses"]),
    ("registry.certificate", &["names", "issuer"]),
    ("service_principal", &["name", "app_id", "home_tenant", "multi_tenant", "objects", "secret_valid"]),
    ("service_principal.objects", &["tenant", "object_id"]),
    (
        "site",
        &[
            "name",
            "prefixes",
            "routes_to_azure",
            "connections",
            "preferred",
            "internet_egress",
            "filter",
            "firewall",
        ],
    ),
    ("site.firewall", &["from", "to", "protocol", "ports", "action"]),
    ("dns_server", &["address", "vnet", "site", "forwards", "zones", "default"]),
    ("dns_server.forwards", &["domain", "to"]),
    ("dns_server.zones", &["name", "records"]),
    ("dns_server.zones.records", &["name", "type", "values"]),
    ("appliance", &["address", "vnet", "members", "egress", "forwards", "snat", "snat_to"]),
    ("appliance.forwards", &["from", "to", "protocol", "ports", "action"]),
    ("public_name", &["host", "cname", "addresses"]),
    ("trust", &["presented_by", "issuer", "names", "hosts"]),
    ("suppress", &["rule", "resource", "reason"]),
];

/// What every table of declared facts may carry besides.
const PROVENANCE: &[&str] = &["by", "on", "expires"];
/// Tables that are declared facts.
const FACTS: &[&str] =
    &["registry", "service_principal", "site", "dns_server", "appliance", "public_name", "trust", "suppress"];
/// The table whose keys are the user's.
const FREE: &str = "rules";

/// Where values stand: `site.0.prefixes.1` → byte offset.
pub(super) struct Places(BTreeMap<String, usize>);

impl Places {
    /// The offset of a path, or of the nearest table around it.
    pub fn of(&self, path: &str) -> usize {
        let mut path = path;
        loop {
            if let Some(offset) = self.0.get(path) {
                return *offset;
            }
            match path.rfind('.') {
                Some(cut) => path = path.get(..cut).unwrap_or_default(),
                None => return 0,
            }
        }
    }

    pub fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// The lines of the tables `<kind>.<i>`.
    pub fn table_lines(&self, text: &str) -> BTreeMap<String, u64> {
        let tables = self.0.iter().filter(|(path, _)| {
            path.split_once('.').is_some_and(|(_, i)| !i.is_empty() && i.bytes().all(|b| b.is_ascii_digit()))
        });
        tables.map(|(path, offset)| (path.clone(), line_at(text, *offset))).collect()
    }
}

/// The line (from 1) of a byte offset.
pub(super) fn line_at(text: &str, offset: usize) -> u64 {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    (memchr::memchr_iter(b'\n', before).count() as u64).saturating_add(1)
}

/// Checks every table and key of the text.
pub(super) fn check(text: &str) -> Result<Places, Fault> {
    let root = DeTable::parse(text)
        .map_err(|e| Fault { offset: e.span().map_or(0, |s| s.start), message: e.message().to_owned() })?;
    let mut places = BTreeMap::new();
    table(root.get_ref(), "", "", &mut places)?;
    Ok(Places(places))
}

fn table(
    found: &DeTable<'_>,
    name: &str,
    path: &str,
    places: &mut BTreeMap<String, usize>,
) -> Result<(), Fault> {
    let known = TABLES.iter().find(|(table, _)| *table == name).map(|(_, keys)| *keys);
    let provenance = if FACTS.contains(&name) { PROVENANCE } else { &[] };
    for (key, item) in found {
        let word = key.get_ref().as_ref();
        if name != FREE {
            let keys = || known.unwrap_or_default().iter().chain(provenance).copied();
            if !keys().any(|k| k == word) {
                return Err(Fault { offset: key.span().start, message: unknown(word, name, keys()) });
            }
        }
        let name = join(name, word);
        let path = join(path, word);
        // A key's place is its own; an array's tables have theirs.
        places.insert(path.clone(), key.span().start);
        value(item.get_ref(), &name, &path, places)?;
    }
    Ok(())
}

fn value(
    found: &DeValue<'_>,
    name: &str,
    path: &str,
    places: &mut BTreeMap<String, usize>,
) -> Result<(), Fault> {
    match found {
        DeValue::Table(inner) => table(inner, name, path, places),
        DeValue::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let path = join(path, &i.to_string());
                places.insert(path.clone(), item.span().start);
                value(item.get_ref(), name, &path, places)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn join(path: &str, word: &str) -> String {
    if path.is_empty() { word.to_owned() } else { format!("{path}.{word}") }
}

fn unknown<'a>(word: &str, table: &str, keys: impl Iterator<Item = &'a str>) -> String {
    let keys: Vec<&str> = keys.collect();
    let what = if table.is_empty() { "unknown table or key".to_owned() } else { "unknown key".to_owned() };
    let place = if table.is_empty() { String::new() } else { format!(" in {table}") };
    match nearest(word, &keys) {
        Some(near) => format!("{what} `{word}`{place}; did you mean `{near}`?"),
        None => format!("{what} `{word}`{place}; known are {}", keys.join(", ")),
    }
}

/// The word of `known` that `word` may have been meant to be.
pub(super) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let allowed = (word.chars().count() / 3).max(1);
    let word = word.to_ascii_lowercase().replace('-', "_");
    let best =
        known.iter().map(|k| (distance(&word, &k.to_ascii_lowercase().replace('-', "_")), *k)).min()?;
    (best.0 <= allowed).then_some(best.1)
}

/// How many letters have to be put in, left out, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut last: Option<char> = None;
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i.saturating_add(1)];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let change = at(&row, j).saturating_add(usize::from(x != *y));
            let add = at(&next, j).saturating_add(1);
            let drop = at(&row, j.saturating_add(1)).saturating_add(1);
            let swapped = j > 0 && last == Some(*y) && b.get(j - 1) == Some(&x);
            let swap = if swapped { at(&before, j - 1).saturating_add(1) } else { usize::MAX };
            next.push(change.min(add).min(drop).min(swap));
        }
        before = std::mem::replace(&mut row, next);
        last = Some(x);
    }
    row.last().copied().unwrap_or(usize::MAX)
}
