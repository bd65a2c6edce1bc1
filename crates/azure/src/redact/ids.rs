//! ARM ids: names are replaced, structure is kept.

use super::names::{Known, Names, is_guid};
use super::words;

/// Segments that are followed by a name.
const CONTAINERS: &[&str] = &["subscriptions", "resourcegroups", "managementgroups", "tenants"];
const ZONES: &[&str] = &["privatednszones", "dnszones"];
/// Types of record sets, whose names are relative to their zone.
const RECORDS: &[&str] = &["a", "aaaa", "caa", "cname", "mx", "ns", "ptr", "soa", "srv", "txt", "all"];

/// What a segment of an id is.
enum Segment<'i> {
    /// A word of the API, kept.
    Structure,
    /// A name.
    Name,
    /// The name of a DNS zone.
    Zone,
    /// A name relative to a zone.
    Record { zone: &'i str },
}

pub(super) fn is_id(text: &str) -> bool {
    let folded = text.get(..text.len().min(16)).unwrap_or_default().to_ascii_lowercase();
    text.starts_with('/') && !folded.starts_with("//") && !text.contains(char::is_control)
}

/// The segments of an id with what they are. An id that is not built as ids are has names wherever no word of the API
/// is expected.
fn segments(id: &str) -> Vec<(&str, Segment<'_>)> {
    let mut out = Vec::new();
    let mut zone = "";
    // Below `providers`: the namespace comes first, then types and names in turn.
    let mut provider = false;
    let mut parts = id.split('/').peekable();
    while let Some(part) = parts.next() {
        let folded = part.to_ascii_lowercase();
        if folded == "providers" {
            out.push((part, Segment::Structure));
            if let Some(namespace) = parts.next() {
                let known = namespace.contains('.') && words::is_word(namespace);
                out.push((namespace, if known { Segment::Structure } else { Segment::Name }));
            }
            provider = true;
            continue;
        }
        let container = CONTAINERS.contains(&folded.as_str());
        let word = !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
        if part.is_empty() || ((provider || container) && word) {
            out.push((part, Segment::Structure));
            if part.is_empty() {
                continue;
            }
            let Some(name) = parts.next() else { break };
            let segment = if ZONES.contains(&folded.as_str()) {
                zone = name;
                Segment::Zone
            } else if !zone.is_empty() && RECORDS.contains(&folded.as_str()) {
                Segment::Record { zone }
            } else {
                Segment::Name
            };
            out.push((name, segment));
        } else {
            out.push((part, Segment::Name));
        }
    }
    out
}

impl Names {
    pub(super) fn id(&self, id: &str) -> String {
        // What a service endpoint policy admits of a whole service.
        if id.to_ascii_lowercase().starts_with("/services/azure") && words::is_word(&id.replace('/', "")) {
            return id.to_owned();
        }
        let mut out = Vec::new();
        for (part, segment) in segments(id) {
            out.push(match segment {
                Segment::Structure if self.known.names.contains(&part.to_ascii_lowercase()) && odd(id) => {
                    self.name(part)
                }
                Segment::Structure => part.to_owned(),
                Segment::Name => self.name(part),
                Segment::Zone => self.host(part),
                Segment::Record { zone } => self.below(part, zone),
            });
        }
        out.join("/")
    }
}

/// True for ids that end in the middle of a pair: a name may stand where a type is expected.
fn odd(id: &str) -> bool {
    let after = id.rsplit_once("/providers/").map_or(id, |(_, after)| after);
    let parts = after.split('/').filter(|part| !part.is_empty()).count();
    let pairs = if after.len() == id.len() { parts } else { parts.saturating_sub(1) };
    !pairs.is_multiple_of(2)
}

impl Known {
    /// Learns the names in an id.
    pub(super) fn see_id(&mut self, id: &str) {
        let built_in = {
            let folded = id.to_ascii_lowercase();
            ["policydefinitions/", "policysetdefinitions/"]
                .iter()
                .any(|kind| folded.starts_with(&format!("/providers/microsoft.authorization/{kind}")))
        };
        for (part, segment) in segments(id) {
            if matches!(segment, Segment::Structure) || part.is_empty() {
                continue;
            }
            let folded = part.to_ascii_lowercase();
            if is_guid(&folded) && built_in {
                self.built_in.insert(folded);
                continue;
            }
            self.see_wildcard(part);
            self.names.insert(folded);
        }
    }

    /// Learns what stands beside the wildcards of a name, a host name or a path.
    pub(super) fn see_wildcard(&mut self, text: &str) {
        if !text.contains('*') || text.len() > 253 {
            return;
        }
        for label in text.split(['/', '.', ':', '@', ',']).filter(|label| label.contains('*')) {
            let folded = label.to_ascii_lowercase();
            let mut parts = folded.split('*');
            let first = parts.next().unwrap_or_default();
            let last = parts.next_back().unwrap_or_default();
            self.before_wildcard.extend(Some(first.to_owned()).filter(|part| !part.is_empty()));
            self.after_wildcard.extend(Some(last.to_owned()).filter(|part| !part.is_empty()));
        }
    }
}
