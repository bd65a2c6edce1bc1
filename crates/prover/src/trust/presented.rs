//! Which certificate a node is shown for a host (A350–A352).

use std::net::IpAddr;

use pullproof_network::model::index::FirewallIx;
use pullproof_network::model::object::Object;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::Trust;
use pullproof_snapshot::facts::clouds;

use crate::lookup::name;
use crate::lookup::public;
use crate::missing::{declare, evidence};
use crate::outcome::Missing;
use crate::path::Interceptor;
use crate::prover::Prover;
use crate::registry::host::{HostKind, Label};
use crate::registry_answer::{Endpoint, RegistryKey};

/// A certificate, as far as is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Presented {
    pub by: String,
    /// `None`: issued by an authority whose name is not known, which is no public one.
    pub issuer: Option<Issuer>,
    pub names: Vec<String>,
    /// Somebody on the way, not the registry.
    pub intercepted: bool,
    pub assumption: Option<String>,
    pub facts: Vec<&'static str>,
    pub firewall: Option<FirewallIx>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Issuer {
    Public,
    Private(String),
}

impl Issuer {
    fn declared(text: &str) -> Self {
        if text.eq_ignore_ascii_case("public") { Self::Public } else { Self::Private(text.to_owned()) }
    }

    pub fn show(&self) -> &str {
        match self {
            Self::Public => "public",
            Self::Private(name) => name,
        }
    }
}

impl Prover<'_> {
    /// What something on the way presents in place of the registry: what is declared for its address, else the
    /// certificate of a firewall that terminates TLS (A352). `None`: it passes the registry's own on.
    pub(super) fn presented_on_the_way(&self, interceptor: &Interceptor, host: &str) -> Option<Presented> {
        if let Some(table) = self.declared_trust(interceptor.address, host) {
            return Some(Presented {
                by: interceptor.address.to_string(),
                issuer: Some(Issuer::declared(&table.issuer)),
                names: table.names.clone(),
                intercepted: true,
                assumption: Some(format!("trust:{}", table.presented_by)),
                facts: vec!["A352"],
                firewall: interceptor.terminates.as_ref().and_then(|id| self.firewall_of(id)),
            });
        }
        let id = interceptor.terminates.as_ref()?;
        Some(Presented {
            by: id.as_written().to_owned(),
            issuer: None,
            names: vec![host.to_owned()],
            intercepted: true,
            assumption: None,
            facts: vec!["A352", "F137"],
            firewall: self.firewall_of(id),
        })
    }

    fn firewall_of(&self, id: &ArmId) -> Option<FirewallIx> {
        match self.network.find(id.folded())? {
            Object::Firewall(ix) => Some(ix),
            _ => None,
        }
    }

    fn declared_trust(&self, address: IpAddr, host: &str) -> Option<&Trust> {
        self.network.declared.trusts.iter().find(|table| {
            table.presented_by == address
                && (table.hosts.is_empty()
                    || table.hosts.iter().any(|p| p == "*" || public::matches(&name::fold(p), host)))
        })
    }

    /// The registry's own certificate.
    pub(super) fn presented_by_registry(
        &self,
        registry: RegistryKey,
        endpoint: &Endpoint,
    ) -> Result<Presented, Missing> {
        let host = &endpoint.host;
        match registry {
            RegistryKey::Acr(ix) => {
                let label = Label::of_registry(&self.network.registries[ix]);
                let names = match (&label, acr_names(host)) {
                    // Another name for the registry: its login front end answers, with its own names (A351).
                    (Some(label), None) => {
                        acr_names(&label.login()).unwrap_or_else(|| own_names(label, host))
                    }
                    (Some(label), Some(_)) if label.kind(host) == HostKind::Alias && !endpoint.wildcard => {
                        acr_names(&label.login()).ok_or_else(|| {
                            evidence(
                                format!("which certificate {} presents for {host}", label.login()),
                                "its login server is of no cloud whose certificates are documented (A350)",
                                "read the registry again",
                            )
                        })?
                    }
                    (_, Some(names)) => names,
                    (None, None) => vec![host.clone()],
                };
                Ok(public_certificate(host, names, vec!["A350", "A351"]))
            }
            RegistryKey::Declared(i) => self.presented_by_declared(i, host),
        }
    }

    fn presented_by_declared(&self, i: usize, host: &str) -> Result<Presented, Missing> {
        let table = self.network.declared.registries.get(i);
        let name = table.map(|t| t.name.clone()).unwrap_or_default();
        if let Some(certificate) = table.and_then(|t| t.certificate.as_ref()).filter(|c| !c.names.is_empty())
        {
            return Ok(Presented {
                by: host.to_owned(),
                issuer: Some(Issuer::declared(&certificate.issuer)),
                names: certificate.names.clone(),
                intercepted: false,
                assumption: Some(format!("registry:{name}")),
                facts: vec!["A353"],
                firewall: None,
            });
        }
        // Hosts whose certificates are documented.
        if let Some(names) = acr_names(host).or_else(|| microsoft_names(host)) {
            return Ok(public_certificate(host, names, vec!["A350"]));
        }
        Err(declare(
            format!("the certificate of {host}"),
            "who issued it, and for which names, is in no configuration (A353)",
            format!(
                "declare it: certificate = {{ names = [\"{host}\"], issuer = \"public\" }} in [[registry]] name = \"{name}\""
            ),
        ))
    }
}

fn public_certificate(host: &str, names: Vec<String>, facts: Vec<&'static str>) -> Presented {
    Presented {
        by: host.to_owned(),
        issuer: Some(Issuer::Public),
        names,
        intercepted: false,
        assumption: None,
        facts,
        firewall: None,
    }
}

/// The names on certificates of registry front ends and of the storage behind them (A350); `None` for other hosts.
fn acr_names(host: &str) -> Option<Vec<String>> {
    let cloud = |suffix: &str| clouds::all().iter().any(|c| c.registry == suffix || c.blob == suffix);
    let (_, rest) = host.split_once('.')?;
    if cloud(rest) {
        return Some(vec![format!("*.{rest}")]);
    }
    // `<label>.<region>.data.<suffix>` and `<label>.<region>.geo.<suffix>`.
    let (_, tail) = rest.split_once('.')?;
    if let Some(suffix) = tail.strip_prefix("data.").or_else(|| tail.strip_prefix("geo."))
        && cloud(suffix)
    {
        return Some(vec![format!("*.{rest}")]);
    }
    // Below a private link zone answers the front end of the public name (D64).
    let at = host.find(".privatelink.")?;
    let suffix = host.get(at + ".privatelink.".len()..)?;
    cloud(suffix).then(|| vec![format!("*.{suffix}")])
}

/// In a cloud that is not listed: by the registry's own suffix.
fn own_names(label: &Label, host: &str) -> Vec<String> {
    match label.kind(host) {
        HostKind::Data(region) => vec![format!("*.{region}.data.{}", label.suffix)],
        HostKind::Regional(region) => vec![format!("*.{region}.geo.{}", label.suffix)],
        HostKind::Login | HostKind::Alias => vec![format!("*.{}", label.suffix)],
    }
}

/// Microsoft's own registry (A350).
fn microsoft_names(host: &str) -> Option<Vec<String>> {
    let own = host == "mcr.microsoft.com" || public::matches("*.data.mcr.microsoft.com", host);
    own.then(|| vec![host.to_owned()])
}

/// Whether one of the names covers the host: a star stands for one label; `*` alone for any name.
pub(super) fn covers(names: &[String], host: &str) -> bool {
    names.iter().map(|n| name::fold(n)).any(|pattern| {
        if pattern == "*" || pattern == host {
            return true;
        }
        pattern
            .strip_prefix("*.")
            .and_then(|domain| name::relative(host, domain))
            .is_some_and(|rest| rest != "@" && !rest.contains('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_one_label() {
        let names = vec!["*.azurecr.io".to_owned()];
        assert!(covers(&names, "contoso.azurecr.io"));
        assert!(!covers(&names, "contoso.privatelink.azurecr.io"));
        assert!(!covers(&names, "azurecr.io"));
        assert!(covers(&["*".into()], "anything.example"));
        assert!(covers(&["Registry.Contoso.example".into()], "registry.contoso.example"));
    }

    #[test]
    fn front_ends_have_documented_names() {
        let one = |host: &str| acr_names(host).unwrap_or_default().join(",");
        assert_eq!(one("contoso.azurecr.io"), "*.azurecr.io");
        assert_eq!(one("contoso.westeurope.data.azurecr.io"), "*.westeurope.data.azurecr.io");
        assert_eq!(one("contoso.privatelink.azurecr.io"), "*.azurecr.io");
        assert_eq!(one("*.blob.core.windows.net"), "*.blob.core.windows.net");
        assert_eq!(one("registry.contoso.example"), "");
    }
}
