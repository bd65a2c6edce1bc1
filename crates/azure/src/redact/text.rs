//! One string: what it is, by its form and by the key that it stands at, and what stands in its place.

use std::net::IpAddr;

use ipnet::IpNet;

use super::Redactor;
use super::names::is_guid;
use super::{keys, words};

/// Where a string stands: its key, and the key of the object or list around that one.
#[derive(Clone, Copy, Default)]
pub(super) struct Spot<'k> {
    pub parent: &'k str,
    pub key: &'k str,
}

/// Addresses as they are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Term {
    Address(IpAddr),
    /// With the bits of a host, where they are written.
    Prefix(IpAddr, u8),
    Range(IpAddr, IpAddr),
}

pub(super) fn term(text: &str) -> Option<Term> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(Term::Address(address));
    }
    if let Ok(net) = text.parse::<IpNet>() {
        return Some(Term::Prefix(net.addr(), net.prefix_len()));
    }
    let (first, last) = text.split_once('-')?;
    let (first, last) = (first.trim().parse::<IpAddr>().ok()?, last.trim().parse::<IpAddr>().ok()?);
    (first.is_ipv4() == last.is_ipv4()).then_some(Term::Range(first, last))
}

/// `address:port` and `[address]:port`.
fn with_port(text: &str) -> Option<(IpAddr, &str)> {
    let (host, port) = text.rsplit_once(':')?;
    let port = Some(port).filter(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()))?;
    match host.strip_prefix('[') {
        Some(host) => Some((host.strip_suffix(']')?.parse().ok()?, port)),
        None => Some((IpAddr::V4(host.parse().ok()?), port)),
    }
}

/// The parts of a list written with commas; one part where there is none.
pub(super) fn listed(text: &str) -> Vec<&str> {
    text.split(',').map(str::trim).collect()
}

/// Numbers, port ranges, times and durations.
fn is_plain(text: &str) -> bool {
    let digits = |text: &str| text.bytes().any(|b| b.is_ascii_digit());
    let short = text.split(|c: char| !c.is_ascii_digit()).all(|run| run.len() <= 5);
    let ports = short && digits(text) && text.bytes().all(|b| b.is_ascii_digit() || b"-,* ".contains(&b));
    let mut parts = text.splitn(3, '-');
    let year = parts.next().is_some_and(|y| y.len() == 4 && y.bytes().all(|b| b.is_ascii_digit()));
    let month = parts.next().is_some_and(|m| m.len() == 2 && m.bytes().all(|b| b.is_ascii_digit()));
    let time = year && month && text.bytes().all(|b| b.is_ascii_digit() || b"-:.+TZ ".contains(&b));
    let duration = text.strip_prefix('P').is_some_and(|rest| {
        digits(rest) && rest.bytes().all(|b| b.is_ascii_digit() || b"TDHMSWY.".contains(&b))
    });
    text == "*" || ports || time || duration
}

impl Redactor {
    pub(super) fn text(&self, spot: Spot<'_>, text: &str) -> String {
        let names = &self.names;
        if text.is_empty() {
            return String::new();
        }
        if keys::is_prose(spot.key) {
            return "redacted".into();
        }
        match spot.key {
            "condition" => return names.condition(text),
            "customCATrustCertificates" | "trustedCa" => return names.certificates(text),
            "issuer" => return names.issuer(text),
            "roleName" if pullproof_snapshot::facts::roles::named(text).is_some() => return text.to_owned(),
            "actions" | "notActions" | "dataActions" | "notDataActions" => return self.action(text),
            "pullproof" => return text.to_owned(),
            "operation" => return self.operation(text),
            "pointer" => return self.pointer(text),
            _ => {}
        }
        if super::ids::is_id(text) {
            return names.id(text);
        }
        if let Some(out) = self.addresses(text) {
            return out;
        }
        if is_plain(text) || words::is_microsofts(text) {
            return text.to_owned();
        }
        if is_guid(text) {
            return names.guid(text);
        }
        if let Some((scheme, rest)) = text.split_once("://") {
            return self.url(scheme, rest);
        }
        // But not a name that happens to stand where words do.
        let name = text.contains(['-', '_']) && names.known.names.contains(&text.to_ascii_lowercase());
        if !name && keys::is_word_at(spot.parent, spot.key, text) {
            return text.to_owned();
        }
        if text.contains(',') && !text.contains(char::is_whitespace) {
            let parts: Vec<String> = text.split(',').map(|part| self.text(spot, part)).collect();
            return parts.join(",");
        }
        names.name(text)
    }

    /// `GET <id>`, an action, or the name of an operation.
    fn operation(&self, text: &str) -> String {
        let word = |part: &str| {
            if part.bytes().all(|b| b.is_ascii_alphabetic()) {
                part.to_owned()
            } else {
                self.text(Spot::default(), part)
            }
        };
        text.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }

    /// A JSON pointer: keys of the API and places in lists.
    fn pointer(&self, text: &str) -> String {
        text.split('/')
            .map(|part| if part.is_empty() { String::new() } else { self.key(Spot::default(), part) })
            .collect::<Vec<_>>()
            .join("/")
    }

    /// Terms of addresses; `None` where the text is something else.
    fn addresses(&self, text: &str) -> Option<String> {
        if let Some((address, port)) = with_port(text) {
            return Some(match self.map.address(address) {
                IpAddr::V4(v4) => format!("{v4}:{port}"),
                IpAddr::V6(v6) => format!("[{v6}]:{port}"),
            });
        }
        let parts: Option<Vec<Term>> = listed(text).into_iter().map(term).collect();
        let written: Vec<String> = parts?
            .into_iter()
            .map(|term| match term {
                Term::Address(address) => self.map.address(address).to_string(),
                Term::Prefix(address, length) => self.prefix(address, length),
                Term::Range(first, last) => format!("{}-{}", self.map.address(first), self.map.address(last)),
            })
            .collect();
        Some(written.join(","))
    }

    /// A prefix written without the bits of a host stays one.
    fn prefix(&self, address: IpAddr, length: u8) -> String {
        let net = |address| IpNet::new(address, length).ok();
        let mapped = self.map.address(address);
        let network = net(mapped).map(|net| net.network());
        match network.filter(|_| net(address).is_some_and(|net| net.network() == address)) {
            Some(network) => format!("{network}/{length}"),
            None => format!("{mapped}/{length}"),
        }
    }

    /// Scheme, host, port and the names of the path; who logs in, and queries, are left out.
    fn url(&self, scheme: &str, rest: &str) -> String {
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = authority.rsplit('@').next().unwrap_or_default();
        let host = match self.addresses(host) {
            Some(address) => address,
            None => self.names.name(host),
        };
        let path: Vec<String> = path.split('/').map(|part| self.names.name(part)).collect();
        let scheme = if words::is_word(scheme) { scheme.to_owned() } else { self.names.name(scheme) };
        format!("{scheme}://{host}{}", path.join("/"))
    }

    /// An action of a role, or of a scope map: `repositories/<name>/content/read`.
    fn action(&self, text: &str) -> String {
        let Some(repository) = text.strip_prefix("repositories/") else {
            let word = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"./*".contains(&b));
            return if word { text.to_owned() } else { self.names.name(text) };
        };
        let mut parts = repository.rsplitn(3, '/');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(what), Some(of), Some(name)) if words::is_word(what) && words::is_word(of) => {
                format!("repositories/{}/{of}/{what}", self.names.name(name))
            }
            _ => format!("repositories/{}", self.names.name(repository)),
        }
    }
}
