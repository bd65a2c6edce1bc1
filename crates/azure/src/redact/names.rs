//! Names, host names and GUIDs. One function for all of them, label by label, whatever they name: a registry and the
//! first label of its login server, a subnet and its mention in a peering, stay equal.

use std::collections::{BTreeMap, BTreeSet};

use super::secret::{Secret, Use};
use super::words;

/// What has to be known about a snapshot's names before the first is replaced.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// Names in ids, folded: what is no key of the API.
    pub names: BTreeSet<String>,
    /// Folded names of node pools.
    pub pools: BTreeSet<String>,
    /// Locations that resources have.
    pub regions: BTreeSet<String>,
    /// Folded GUIDs of built-in definitions.
    pub built_in: BTreeSet<String>,
    /// `MC_<group>_<cluster>_<region>`, folded, with its parts.
    pub node_groups: BTreeMap<String, (String, String, String)>,
    /// Folded parts of names beside a wildcard, before it and after it: names that begin or end so keep doing it.
    pub before_wildcard: BTreeSet<String>,
    pub after_wildcard: BTreeSet<String>,
}

pub(super) struct Names {
    pub secret: Secret,
    pub known: Known,
}

const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// Letters of a replacement: 60 bits.
const LENGTH: usize = 12;
/// Longer texts are no names.
const LONGEST: usize = 253;

impl Names {
    /// A name, a host name, a path of names, an image reference.
    pub(super) fn name(&self, text: &str) -> String {
        if text.len() > LONGEST || text.contains(char::is_whitespace) {
            return self.token(text);
        }
        if words::is_microsofts(text) {
            return text.to_owned();
        }
        if let Some((group, cluster, region)) = self.known.node_groups.get(&text.to_ascii_lowercase()) {
            return format!("MC_{}_{}_{region}", self.name(group), self.name(cluster));
        }
        if let Some((before, rest)) = words::after_known_beginning(text) {
            return format!("{before}{}", self.name(rest));
        }
        for separator in ['/', '@', ':', ','] {
            if text.contains(separator) {
                let parts: Vec<String> = text.split(separator).map(|part| self.name(part)).collect();
                return parts.join(separator.encode_utf8(&mut [0; 4]));
            }
        }
        self.host(text)
    }

    /// Labels from the right, so that a name and the zone that it stands in end alike.
    pub(super) fn host(&self, text: &str) -> String {
        let folded = text.to_ascii_lowercase();
        let bare = folded.trim_end_matches('.');
        let count = text.split('.').count();
        let numbers =
            text.split('.').filter(|l| !l.is_empty() && l.bytes().all(|b| b.is_ascii_digit())).count();
        let reverse = bare.ends_with(".arpa");
        let ends = folded.len().saturating_sub(bare.len());
        // Where the suffix begins that is kept as it is.
        let suffix = bare
            .match_indices('.')
            .map(|(i, _)| i.saturating_add(1))
            .chain([0])
            .filter(|i| bare.get(*i..).is_some_and(words::is_public_suffix))
            .min();
        let mut at = 0_usize;
        let mut out: Vec<String> = Vec::new();
        for label in text.split('.') {
            let here = at;
            at = at.saturating_add(label.to_ascii_lowercase().len()).saturating_add(1);
            let last = at.saturating_add(ends) > folded.len() && count > 1;
            let lower = label.to_ascii_lowercase();
            out.push(if suffix.is_some_and(|from| here >= from) || (last && words::is_top_label(&lower)) {
                label.to_owned()
            } else if (reverse || numbers > 3)
                && lower.bytes().all(|b| b.is_ascii_digit())
                && !lower.is_empty()
            {
                self.token(label)
            } else {
                self.label(label)
            });
        }
        out.join(".")
    }

    /// A name below a zone: what stands before the zone's labels.
    pub(super) fn below(&self, relative: &str, zone: &str) -> String {
        if relative == "@" {
            return relative.to_owned();
        }
        let whole = self.host(&format!("{relative}.{zone}"));
        let labels = relative.split('.').count();
        whole.split('.').take(labels).collect::<Vec<_>>().join(".")
    }

    fn label(&self, label: &str) -> String {
        let folded = label.to_ascii_lowercase();
        if folded.is_empty() || words::is_kept_name(&folded) || self.known.regions.contains(&folded) {
            return label.to_owned();
        }
        if let Some(region) =
            folded.strip_prefix("registry_data_").or_else(|| folded.strip_prefix("registry_"))
            && (words::is_region(region) || self.known.regions.contains(region))
        {
            return label.to_owned();
        }
        if is_number(&folded) {
            return label.to_owned();
        }
        if is_guid(&folded) {
            return self.guid(label);
        }
        if let Some(out) = self.scale_set(label, &folded) {
            return out;
        }
        if label.contains('*') {
            let parts: Vec<String> = label.split('*').map(|part| self.label(part)).collect();
            return parts.join("*");
        }
        self.split_at_wildcard(label, &folded).unwrap_or_else(|| self.token(label))
    }

    /// `aks-<pool>-<number>-vmss…` and `aks<pool>`: what AKS makes of a pool's name.
    fn scale_set(&self, label: &str, folded: &str) -> Option<String> {
        if let Some(pool) = folded.strip_prefix("aks").filter(|pool| self.known.pools.contains(*pool)) {
            return Some(format!("{}{}", label.get(..3)?, self.label(label.get(3..)?)))
                .filter(|_| !pool.is_empty());
        }
        let rest = folded.strip_prefix("aks-")?;
        let (pool, _) = rest.split_once('-')?;
        let length = pool.len().checked_add(4)?;
        let parts: Vec<String> =
            label.get(length..)?.split('-').map(|part| self.scale_set_part(part)).collect();
        Some(format!("{}{}{}", label.get(..4)?, self.label(label.get(4..length)?), parts.join("-")))
    }

    fn scale_set_part(&self, part: &str) -> String {
        let folded = part.to_ascii_lowercase();
        let instance = |rest: &str| {
            rest.strip_prefix('_').unwrap_or(rest).bytes().all(|b| b.is_ascii_alphanumeric())
                && rest.len() <= 7
        };
        let number = !part.is_empty() && part.len() <= 8 && part.bytes().all(|b| b.is_ascii_digit());
        if part.is_empty() || number || folded.strip_prefix("vmss").is_some_and(instance) {
            return part.to_owned();
        }
        self.label(part)
    }

    /// Names that begin as some `name*`, or end as some `*name`, keep that relation: both parts are replaced alone.
    fn split_at_wildcard(&self, label: &str, folded: &str) -> Option<String> {
        let known = &self.known;
        let cut = |at: usize| Some((label.get(..at)?, label.get(at..)?));
        let begins = (1..folded.len())
            .rev()
            .find(|at| folded.get(..*at).is_some_and(|part| known.before_wildcard.contains(part)));
        let ends = || {
            (1..folded.len())
                .find(|at| folded.get(*at..).is_some_and(|part| known.after_wildcard.contains(part)))
        };
        let (first, second) = cut(begins.or_else(ends)?)?;
        Some(format!("{}{}", self.label(first), self.label(second)))
    }

    /// A replacement for a whole text: letters by the text without regard to letter case, their case by the text, so
    /// that texts stay equal, equal but for letter case, or different, as they were.
    pub(super) fn token(&self, text: &str) -> String {
        let folded = text.to_ascii_lowercase();
        let mut out = String::with_capacity(LENGTH);
        let bytes = self.secret.bytes(Use::Name, folded.as_bytes());
        for (i, byte) in bytes.iter().take(LENGTH).enumerate() {
            // A name begins with a letter.
            let range = if i == 0 { 26 } else { 32 };
            out.push(char::from(*LETTERS.get(usize::from(*byte) % range).unwrap_or(&b'x')));
        }
        if folded == text {
            return out;
        }
        let mask = self.secret.bytes(Use::LetterCase, text.as_bytes());
        let cased = out.chars().zip(mask).enumerate().map(|(i, (c, byte))| {
            // The first letter shows that there were capitals.
            if i == 0 || byte & 1 == 1 { c.to_ascii_uppercase() } else { c }
        });
        cased.collect()
    }

    /// Another GUID, but for those that are the same for everybody.
    pub(super) fn guid(&self, text: &str) -> String {
        let folded = text.to_ascii_lowercase();
        if words::is_known_guid(&folded) || self.known.built_in.contains(&folded) {
            return text.to_owned();
        }
        let bytes = self.secret.bytes(Use::Guid, folded.as_bytes());
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        let out = [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-");
        if folded == text { out } else { out.to_ascii_uppercase() }
    }
}

/// Digits, perhaps joined by hyphens, no longer than a port or a year.
fn is_number(text: &str) -> bool {
    let runs = || text.split(['-', '+']);
    runs().any(|run| !run.is_empty())
        && runs().all(|run| run.len() <= 5 && run.bytes().all(|b| b.is_ascii_digit()))
}

pub(super) fn is_guid(text: &str) -> bool {
    let mut lengths = [8_usize, 4, 4, 4, 12].into_iter();
    let mut parts = text.split('-');
    let good = lengths.by_ref().all(|length| {
        parts.next().is_some_and(|p| p.len() == length && p.bytes().all(|b| b.is_ascii_hexdigit()))
    });
    good && parts.next().is_none()
}
