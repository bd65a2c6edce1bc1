//! Host names of a registry (A30–A35, D58–D62).

use std::collections::{BTreeSet, HashMap};

use pullproof_network::model::registry::{DomainNameLabelScope, Registry, Replication};
use pullproof_network::{Network, Val};
use pullproof_snapshot::facts::clouds;

use crate::lookup::index::RegistryHost;
use crate::lookup::name;

/// What all names of a registry are made of: taken from `loginServer`, never from the registry's name (A32).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    pub label: String,
    /// `azurecr.io` and its cousins, without a leading dot (A31).
    pub suffix: String,
}

/// What a host of a registry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostKind {
    Login,
    /// Regional login host, with its region.
    Regional(String),
    Data(String),
    /// Not one of the registry's own names.
    Alias,
}

impl Label {
    pub fn of(login_server: &str) -> Option<Self> {
        let (label, suffix) = login_server.split_once('.')?;
        (!label.is_empty() && !suffix.is_empty()).then(|| Self { label: label.into(), suffix: suffix.into() })
    }

    /// From `loginServer`; where a plan does not know it yet, from the name, unless a label scope makes it another (A32,
    /// A118).
    pub fn of_registry(registry: &Registry) -> Option<Self> {
        match &registry.login_server {
            Val::Known(login) => login.as_deref().and_then(Self::of),
            Val::Sym(_) if registry.domain_name_label_scope.is(&DomainNameLabelScope::Unsecure) => {
                Some(Self { label: registry.id.name().to_ascii_lowercase(), suffix: "azurecr.io".into() })
            }
            Val::Sym(_) => None,
        }
    }

    pub fn login(&self) -> String {
        format!("{}.{}", self.label, self.suffix)
    }

    pub fn data(&self, region: &str) -> String {
        format!("{}.{region}.data.{}", self.label, self.suffix)
    }

    pub fn regional(&self, region: &str) -> String {
        format!("{}.{region}.geo.{}", self.label, self.suffix)
    }

    pub fn kind(&self, host: &str) -> HostKind {
        let Some(rest) = name::relative(host, &self.suffix) else { return HostKind::Alias };
        let parts: Vec<&str> = rest.split('.').collect();
        match parts.as_slice() {
            [label] if *label == self.label => HostKind::Login,
            [label, region, "geo"] if *label == self.label => HostKind::Regional((*region).into()),
            [label, region, "data"] if *label == self.label => HostKind::Data((*region).into()),
            _ => HostKind::Alias,
        }
    }

    /// The private link name of one of its hosts (D62, D180).
    pub fn private_link(&self, host: &str) -> Option<String> {
        let rest = name::relative(host, &self.suffix).filter(|rest| *rest != "@")?;
        Some(format!("{rest}.privatelink.{}", self.suffix))
    }

    /// Storage hosts that layers come from without data endpoints (A31); `None` in clouds that are not listed.
    pub fn blob_suffix(&self) -> Option<&'static str> {
        let cloud = clouds::all().iter().find(|c| c.registry == self.suffix)?;
        Some(&cloud.blob)
    }
}

/// A35: `West Europe` is `westeurope`.
pub(crate) fn region(location: &str) -> String {
    location.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase()
}

/// A replica's region: where its location is left out, its name, which Azure gives it after the region (A43).
pub(crate) fn region_of(replica: &Replication) -> Option<String> {
    match &replica.location {
        Val::Known(location) => Some(region(location.as_deref().unwrap_or(&replica.name))),
        Val::Sym(_) => None,
    }
}

/// Regions that the registry is in, home first.
pub(crate) fn regions(network: &Network, registry: &Registry) -> BTreeSet<String> {
    let home = registry.location.present().map(|l| region(l));
    let replicas = registry.replications.iter();
    let replicas = replicas.filter_map(|ix| region_of(&network.replications[*ix]));
    home.into_iter().chain(replicas).collect()
}

/// Every public host of every registry that was read, with its private link name.
pub(crate) fn public_hosts(network: &Network) -> HashMap<String, RegistryHost> {
    let mut out = HashMap::new();
    for (ix, registry) in network.registries.iter() {
        let Some(label) = Label::of_registry(registry) else { continue };
        let mut hosts = BTreeSet::from([label.login()]);
        for region in regions(network, registry) {
            hosts.insert(label.data(&region));
            hosts.insert(label.regional(&region));
        }
        let listed = [&registry.data_endpoint_host_names, &registry.regional_endpoint_host_names];
        hosts.extend(listed.into_iter().flatten().flat_map(|l| l.iter()).map(|h| name::fold(h)));
        for host in hosts {
            if let Some(private_link) = label.private_link(&host) {
                out.insert(host, RegistryHost { registry: ix, private_link });
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_apart() {
        let label =
            Label::of("contoso-e7gg.azurecr.us").unwrap_or(Label { label: "".into(), suffix: "".into() });
        assert_eq!(label.kind("contoso-e7gg.azurecr.us"), HostKind::Login);
        assert_eq!(
            label.kind("contoso-e7gg.usgovvirginia.data.azurecr.us"),
            HostKind::Data("usgovvirginia".into())
        );
        assert_eq!(
            label.kind("contoso-e7gg.usgovvirginia.geo.azurecr.us"),
            HostKind::Regional("usgovvirginia".into())
        );
        assert_eq!(label.kind("contoso-e7gg.privatelink.azurecr.us"), HostKind::Alias);
        assert_eq!(label.kind("registry.corp.example"), HostKind::Alias);
        assert_eq!(label.blob_suffix(), Some("blob.core.usgovcloudapi.net"));
        assert_eq!(
            label.private_link("contoso-e7gg.usgovvirginia.data.azurecr.us").as_deref(),
            Some("contoso-e7gg.usgovvirginia.data.privatelink.azurecr.us")
        );
        assert_eq!(region("West Europe"), "westeurope");
    }
}
