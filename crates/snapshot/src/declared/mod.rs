//! Declared facts: `pullproof.toml`, what ARM cannot show (CONTRACT §2).
//!
//! The structs are the file as written, after validation. Absent keys stay absent (`None`): a default here would be a
//! fact that nobody stated.
//!
//! Read in this order: this file (the tables), `schema` (which keys there are, and where they stand), `validate` (what
//! the types do not say), [`expiry`], [`names`].

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Deserialize;

use crate::question::Role;

pub mod expiry;
pub mod names;
mod schema;
mod validate;

pub use expiry::{Expired, date_of};
pub use names::{ResolveError, resolve};

/// The whole file. `Declared::default()` is the file that declares nothing.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    #[serde(default)]
    pub version: u32,
    #[serde(default)]
    pub audit: AuditTable,
    #[serde(default, rename = "registry")]
    pub registries: Vec<Registry>,
    #[serde(default, rename = "service_principal")]
    pub service_principals: Vec<ServicePrincipal>,
    #[serde(default, rename = "site")]
    pub sites: Vec<Site>,
    #[serde(default, rename = "dns_server")]
    pub dns_servers: Vec<DnsServer>,
    #[serde(default, rename = "appliance")]
    pub appliances: Vec<Appliance>,
    #[serde(default, rename = "public_name")]
    pub public_names: Vec<PublicName>,
    #[serde(default, rename = "trust")]
    pub trusts: Vec<Trust>,
    #[serde(default, rename = "suppress")]
    pub suppressions: Vec<Suppress>,
    #[serde(default)]
    pub rules: BTreeMap<String, String>,
    /// Suppressions that have expired by the date of [`Declared::as_of`].
    #[serde(skip)]
    pub lapsed: Vec<Lapsed>,
    /// The file's name, for `assumptions` in reports.
    #[serde(skip)]
    pub file: String,
    /// The line on which the i-th table of a kind starts: key `site.0`, `dns_server.2` …
    #[serde(skip)]
    pub lines: BTreeMap<String, u64>,
}

/// Who declared it, when, and until when it holds.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Provenance {
    #[serde(default)]
    pub by: Option<String>,
    #[serde(default)]
    pub on: Option<toml::value::Datetime>,
    #[serde(default)]
    pub expires: Option<toml::value::Datetime>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditTable {
    #[serde(default)]
    pub pairs: Vec<Pair>,
    #[serde(default)]
    pub images: Vec<String>,
    #[serde(default)]
    pub fail_on: Option<String>,
    #[serde(default)]
    pub strict: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    pub cluster: String,
    pub registry: String,
}

/// A registry that is not an ACR, or another host name under which an ACR is addressed.
#[derive(Clone, Debug, Deserialize)]
pub struct Registry {
    pub name: String,
    #[serde(default)]
    pub hosts: Vec<RegistryHost>,
    #[serde(default)]
    pub preset: Option<String>,
    #[serde(default)]
    pub certificate: Option<Certificate>,
    /// Absent: identity undetermined; false: anonymous pulls are enough.
    #[serde(default)]
    pub pull_secret: Option<bool>,
    #[serde(default)]
    pub pull_secret_valid: Option<bool>,
    #[serde(default)]
    pub repositories: Vec<String>,
    #[serde(flatten)]
    pub provenance: Provenance,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegistryHost {
    /// May be a wildcard such as `*.cdn.example`.
    pub host: String,
    #[serde(default = "https")]
    pub port: u16,
    #[serde(default)]
    pub roles: Vec<Role>,
    #[serde(default)]
    pub addresses: Vec<IpAddr>,
}

fn https() -> u16 {
    443
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    #[serde(default)]
    pub names: Vec<String>,
    /// `public`, or the name of a private authority.
    pub issuer: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ServicePrincipal {
    pub name: String,
    #[serde(default)]
    pub app_id: Option<String>,
    #[serde(default)]
    pub home_tenant: Option<String>,
    #[serde(default)]
    pub multi_tenant: Option<bool>,
    #[serde(default)]
    pub objects: Vec<PrincipalObject>,
    #[serde(default)]
    pub secret_valid: Option<bool>,
    #[serde(flatten)]
    pub provenance: Provenance,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrincipalObject {
    pub tenant: String,
    pub object_id: String,
}

/// A network behind a VPN or ExpressRoute gateway.
#[derive(Clone, Debug, Deserialize)]
pub struct Site {
    pub name: String,
    /// Announced towards Azure; exhaustive.
    #[serde(default)]
    pub prefixes: Vec<String>,
    /// What it routes back to Azure.
    #[serde(default)]
    pub routes_to_azure: Vec<String>,
    #[serde(default)]
    pub connections: Vec<String>,
    #[serde(default)]
    pub preferred: Option<String>,
    #[serde(default)]
    pub internet_egress: Option<bool>,
    /// `none`: nothing is filtered.
    #[serde(default)]
    pub filter: Option<String>,
    #[serde(default)]
    pub firewall: Vec<Filter>,
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// One entry of a declared filter; first match decides.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filter {
    #[serde(default)]
    pub from: Vec<String>,
    #[serde(default)]
    pub to: Vec<String>,
    /// `tcp`, `udp`, or `*`.
    #[serde(default = "any")]
    pub protocol: String,
    /// `443`, `80,443`, `1-1024`, or `*`.
    #[serde(default = "any_ports")]
    pub ports: Ports,
    pub action: FilterAction,
}

fn any() -> String {
    "*".into()
}
fn any_ports() -> Ports {
    Ports::Text("*".into())
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Ports {
    Number(u16),
    Text(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FilterAction {
    Allow,
    Deny,
}

/// A resolver that ARM shows only as an address.
#[derive(Clone, Debug, Deserialize)]
pub struct DnsServer {
    pub address: IpAddr,
    #[serde(default)]
    pub vnet: Option<String>,
    #[serde(default)]
    pub site: Option<String>,
    #[serde(default)]
    pub forwards: Vec<Forward>,
    #[serde(default)]
    pub zones: Vec<Zone>,
    #[serde(default)]
    pub default: ServerDefault,
    #[serde(flatten)]
    pub provenance: Provenance,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forward {
    pub domain: String,
    /// Addresses, or `public`.
    pub to: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    pub name: String,
    #[serde(default)]
    pub records: Vec<Record>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub values: Vec<String>,
}

/// What a declared server answers for what no entry covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerDefault {
    #[default]
    Unknown,
    Refused,
    Servfail,
    RootHints,
}

/// A network virtual appliance's own behaviour; stateful; what no entry names is dropped.
#[derive(Clone, Debug, Deserialize)]
pub struct Appliance {
    pub address: IpAddr,
    #[serde(default)]
    pub vnet: Option<String>,
    #[serde(default)]
    pub members: Vec<String>,
    #[serde(default)]
    pub egress: Option<IpAddr>,
    #[serde(default)]
    pub forwards: Vec<Filter>,
    #[serde(default)]
    pub snat: Option<bool>,
    #[serde(default)]
    pub snat_to: Vec<IpAddr>,
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// What public DNS answers; neither cname nor addresses: the name does not exist.
#[derive(Clone, Debug, Deserialize)]
pub struct PublicName {
    pub host: String,
    #[serde(default)]
    pub cname: Vec<String>,
    #[serde(default)]
    pub addresses: Vec<IpAddr>,
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// A certificate that something on the path presents instead.
#[derive(Clone, Debug, Deserialize)]
pub struct Trust {
    pub presented_by: IpAddr,
    pub issuer: String,
    #[serde(default)]
    pub names: Vec<String>,
    #[serde(default)]
    pub hosts: Vec<String>,
    #[serde(flatten)]
    pub provenance: Provenance,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Suppress {
    pub rule: String,
    #[serde(default)]
    pub resource: Option<String>,
    pub reason: String,
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// A suppression that covers nothing any more.
#[derive(Clone, Debug)]
pub struct Lapsed {
    pub suppression: Suppress,
    /// The line of its table.
    pub line: u64,
}

/// Why a `pullproof.toml` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DeclaredError {
    #[error("{file}: cannot be read: {source}")]
    Io { file: String, source: std::io::Error },
    #[error("{file}:{line}: {message}")]
    Invalid { file: String, line: u64, message: String },
}

impl Declared {
    /// Reads and validates a file's text. The first fault ends it: an unknown table or key (with what may have been
    /// meant), a value of the wrong type, a prefix, port or protocol that is none, tables that contradict each other.
    pub fn parse(file: &str, text: &str) -> Result<Self, DeclaredError> {
        let fault = |fault: Fault| DeclaredError::Invalid {
            file: file.into(),
            line: schema::line_at(text, fault.offset),
            message: fault.message,
        };
        let places = schema::check(text).map_err(fault)?;
        let mut declared: Self = toml::from_str(text).map_err(|e| {
            fault(Fault { offset: e.span().map_or(0, |s| s.start), message: e.message().to_owned() })
        })?;
        declared.file = file.into();
        validate::check(&declared, &places).map_err(fault)?;
        declared.lines = places.table_lines(text);
        Ok(declared)
    }

    /// The line on which the `i`-th table of a kind starts (`site`, 0); 0 where there is none.
    pub fn line(&self, kind: &str, i: usize) -> u64 {
        self.lines.get(&format!("{kind}.{i}")).copied().unwrap_or(0)
    }
}

/// What is wrong, and at which byte of the text.
struct Fault {
    offset: usize,
    message: String,
}

#[cfg(test)]
mod tests;
