//! Container registries: their host names and what public DNS makes of them (A30–A58, D58–D67).

use pullproof_snapshot::ArmId;
use pullproof_snapshot::facts::clouds;
use pullproof_snapshot::question::Missing;

use crate::lookup::name::fold;
use crate::lookup::zones;
use crate::missing;
use crate::plain::Plain;
use crate::private_endpoints::{self, State};
use crate::resources::{Resource, all};

pub(crate) const REGISTRY: &str = "microsoft.containerregistry/registries";

/// The storage suffix of the cloud that a registry suffix belongs to (A31).
pub(crate) fn storage_suffix(suffix: &str) -> Option<&'static str> {
    clouds::all().iter().find(|cloud| cloud.registry == suffix).map(|cloud| cloud.blob.as_str())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Login,
    Data,
    /// A regional login host.
    Geo,
}

/// The parts of a registry's host name: `<label>[.<region>.data|geo][.privatelink].<suffix>` (A30, D62).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostName {
    pub label: String,
    pub region: Option<String>,
    pub kind: Kind,
    pub privatelink: bool,
    pub suffix: &'static str,
}

impl HostName {
    pub(crate) fn parse(host: &str) -> Option<Self> {
        let host = fold(host);
        let suffix = clouds::of_host(&host)?.registry.as_str();
        let rest = host.strip_suffix(suffix)?.strip_suffix('.')?;
        let (rest, privatelink) = match rest.strip_suffix(".privatelink") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let labels: Vec<&str> = rest.split('.').collect();
        let (label, region, kind) = match labels.as_slice() {
            [label] => (label, None, Kind::Login),
            [label, region, "data"] => (label, Some((*region).to_owned()), Kind::Data),
            [label, region, "geo"] => (label, Some((*region).to_owned()), Kind::Geo),
            _ => return None,
        };
        Some(Self { label: (*label).to_owned(), region, kind, privatelink, suffix })
    }

    /// The alias that public DNS puts in front while the registry has an approved private endpoint (D62, D180).
    pub(crate) fn alias(&self) -> String {
        let Self { label, suffix, .. } = self;
        match (&self.region, self.kind) {
            (Some(region), Kind::Data) => format!("{label}.{region}.data.privatelink.{suffix}"),
            (Some(region), Kind::Geo) => format!("{label}.{region}.geo.privatelink.{suffix}"),
            _ => format!("{label}.privatelink.{suffix}"),
        }
    }
}

/// True for every name of the shapes that registries have, behind the privatelink alias or not.
pub(crate) fn is_registry_host(name: &str) -> bool {
    HostName::parse(name).is_some()
}

/// The registry whose login server has the label and suffix of this host (A32: never by the resource's name).
pub(crate) fn of_host(plain: &Plain, host: &HostName) -> Option<Resource> {
    let login = format!("{}.{}", host.label, host.suffix);
    all(plain, REGISTRY).into_iter().find(|registry| {
        registry.node().text("/properties/loginServer").known().ok().flatten().map(fold).as_deref()
            == Some(&login)
    })
}

/// Whether a registry's public name has the privatelink alias (D62, D63).
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Hop {
    None,
    Alias(String),
    Unknown(String, Missing),
}

/// `None` for names that are no registry's, and for the alias itself.
pub(crate) fn public_hop(plain: &Plain, name: &str) -> Option<Hop> {
    let host = HostName::parse(name).filter(|host| !host.privatelink)?;
    let alias = host.alias();
    let Some(registry) = of_host(plain, &host) else {
        let what = format!("private endpoints of the registry {name}");
        return Some(Hop::Unknown(
            alias,
            missing::evidence(what, "the registry is not in the snapshot (D63, D89)"),
        ));
    };
    let what = format!("public alias of {name}");
    Some(match private_endpoints::states(plain, &registry) {
        Err(missing) => Hop::Unknown(alias, missing),
        Ok(states) if states.contains(&State::Approved) => Hop::Alias(alias),
        Ok(states) if states.is_empty() => {
            match zones::private_link_record(plain, &host.label, host.suffix) {
                // An endpoint was there once; when its deletion takes the alias away is not documented (A99, D46).
                Some(set) => Hop::Unknown(
                    alias,
                    missing::contested(
                        "DU6",
                        what,
                        format!("no private endpoint is left, and {set} still is"),
                    ),
                ),
                None => Hop::None,
            }
        }
        Ok(_) => Hop::Unknown(
            alias,
            missing::contested(
                "D63",
                what,
                "private endpoints exist and none is approved: whether the alias is there is open",
            ),
        ),
    })
}

/// A46: public IPv6 addresses exist only for registries with `endpointProtocol` IPv4AndIPv6; other hosts: not known.
pub(crate) fn has_public_ipv6(plain: &Plain, name: &str) -> Result<bool, Missing> {
    let unknown =
        || missing::evidence(format!("public AAAA records of {name}"), "not part of the configuration (D2)");
    let host = HostName::parse(name).ok_or_else(unknown)?;
    let registry = of_host(plain, &host).ok_or_else(unknown)?;
    let protocol = registry.node().text("/properties/endpointProtocol").known()?;
    Ok(protocol.is_some_and(|protocol| protocol.eq_ignore_ascii_case("IPv4AndIPv6")))
}

/// An ARM location as it stands in host names (A35).
pub(crate) fn normal_region(location: &str) -> String {
    location.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase()
}

/// The registry with this id or, where only one has it, this name.
pub(crate) fn find_by_name(plain: &Plain, name: &str) -> Option<Resource> {
    let mut found = all(plain, REGISTRY)
        .into_iter()
        .filter(|registry| registry.id == ArmId::new(name) || registry.id.name().eq_ignore_ascii_case(name));
    let first = found.next()?;
    found.next().is_none().then_some(first)
}
