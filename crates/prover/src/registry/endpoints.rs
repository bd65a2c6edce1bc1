//! The hosts that a pull touches (registry-and-aks.md §12).

use pullproof_network::model::index::{ClusterIx, RegistryIx};
use pullproof_network::model::registry::{
    DefaultAction, PublicNetworkAccess, RegionalEndpoints, Registry, registry, replication,
};
use pullproof_network::model::word::ProvisioningState;
use pullproof_network::{List, Val};
use pullproof_snapshot::Absence;
use pullproof_snapshot::facts::presets::{self, Preset};
use pullproof_snapshot::facts::service_tags::{self, HostKind as TagKind};
use pullproof_snapshot::question::{Reach, Role};

use super::host::{HostKind, Label, region_of, regions};
use super::serving::{connections_not_shown, endpoints_of};
use crate::blocker::BlockerKind;
use crate::lookup::name;
use crate::missing::{declare, evidence, not_modelled};
use crate::outcome::{Basis, Blocker, Missing, Outcome, Read, Remark};
use crate::prover::Prover;
use crate::registry_answer::{Endpoint, EndpointSet, RegistryKey};
use crate::unread::{incomplete, unknown_value};

const REPLICATIONS: &str = "microsoft.containerregistry/registries/replications";

/// Whether layers come from dedicated data endpoints (A37, A56).
enum DataEndpoints {
    InForce,
    Off,
    Unknown(Missing),
}

impl Prover<'_> {
    /// Every host that a pull touches, and whether that is all of them. `image_host` is the host that image references
    /// name; absent: the registry's own login host. `cluster` has no say in the set of hosts today.
    pub fn endpoints(
        &self,
        registry: RegistryKey,
        cluster: Option<ClusterIx>,
        image_host: Option<&str>,
    ) -> EndpointSet {
        let _ = cluster;
        match registry {
            RegistryKey::Acr(ix) => self.acr_endpoints(ix, image_host),
            RegistryKey::Declared(i) => self.declared_endpoints(i),
        }
    }

    fn acr_endpoints(&self, ix: RegistryIx, image_host: Option<&str>) -> EndpointSet {
        let object = &self.network.registries[ix];
        let mut set =
            EndpointSet { endpoints: Vec::new(), complete: Outcome::Holds, basis: Basis::default() };
        set.basis.reads.insert(Read::Resource(object.id.clone()));
        let label = match self.registry_label(object, &mut set.basis) {
            Ok(label) => label,
            Err(missing) => {
                set.complete = Outcome::open(missing);
                return set;
            }
        };
        let login = label.login();
        let image = image_host.map_or_else(|| login.clone(), name::fold);
        // Which region's layers a pull through this host can be sent to; `None`: any replica's (A41).
        let mut only = None;
        match label.kind(&image) {
            HostKind::Login => {
                set.endpoints.push(self.acr_endpoint(ix, &login, vec![Role::Login, Role::Token], None))
            }
            HostKind::Regional(region) => {
                let mut endpoint =
                    self.acr_endpoint(ix, &image, vec![Role::Login, Role::Token], Some(region.clone()));
                let on = self.regional_endpoints(object, &image);
                if matches!(on, Outcome::Fails(..)) {
                    endpoint.reach = Reach::None;
                }
                set.complete = set.complete.and(on);
                set.endpoints.push(endpoint);
                only = Some(region);
            }
            // The registry answers under another name too, but its token service is its own host (A6).
            HostKind::Data(_) | HostKind::Alias => {
                set.endpoints.push(self.acr_endpoint(ix, &image, vec![Role::Login], None));
                set.endpoints.push(self.acr_endpoint(ix, &login, vec![Role::Token], None));
            }
        }
        match self.data_endpoints(ix, object) {
            DataEndpoints::InForce => self.data_hosts(ix, object, &label, only.as_deref(), &mut set),
            DataEndpoints::Off => self.storage_host(ix, &label, &mut set),
            DataEndpoints::Unknown(missing) => set.complete = set.complete.and(Outcome::open(missing)),
        }
        set
    }

    fn registry_label(&self, object: &Registry, basis: &mut Basis) -> Result<Label, Missing> {
        let what = format!("the login server of {}", object.id.name());
        match (Label::of_registry(object), object.login_server.symbol()) {
            (Some(label), None) => Ok(label),
            (Some(label), Some(_)) => {
                basis.assume(format!("login-server:{}", label.login()));
                Ok(label)
            }
            (None, Some(symbol)) => Err(unknown_value(self.network, symbol, what)),
            (None, None) => Err(evidence(
                what,
                "it cannot be told from the registry's name (A32), and the input does not show it",
                "read the registry with `az acr show`",
            )),
        }
    }

    /// Regional hosts answer only if they are switched on (A44, A391).
    fn regional_endpoints(&self, object: &Registry, host: &str) -> Outcome {
        let listed = object.regional_endpoint_host_names.as_ref();
        if listed.is_some_and(|l| l.iter().any(|h| name::fold(h) == host)) {
            return Outcome::Holds;
        }
        match &object.regional_endpoints {
            Val::Known(Some(RegionalEndpoints::Enabled)) => Outcome::Holds,
            Val::Known(Some(_)) => Outcome::fails(Blocker {
                kind: BlockerKind::RegionalEndpointOff,
                message: format!(
                    "images name {host}, but regional endpoints of {} are off",
                    object.id.name()
                ),
                remedy: "enable regional endpoints, or let images name the login server".into(),
                facts: vec!["A44", "A391"],
                evidence: vec![object.place.at(registry::REGIONAL_ENDPOINTS)],
            }),
            Val::Known(None) => Outcome::open(evidence(
                format!("whether regional endpoints of {} are on", object.id.name()),
                "general API versions do not show it (A117)",
                "read the registry with API version 2026-01-01-preview or later",
            )),
            Val::Sym(symbol) => {
                let what = format!("whether regional endpoints of {} are on", object.id.name());
                Outcome::open(unknown_value(self.network, *symbol, what))
            }
        }
    }

    /// In force exactly when the flag is set, hosts are listed, or a private endpoint is Approved (A56).
    fn data_endpoints(&self, ix: RegistryIx, object: &Registry) -> DataEndpoints {
        let listed = object.data_endpoint_host_names.as_ref();
        if object.data_endpoint_enabled.is(&Some(true)) || listed.is_some_and(|l| !l.items.is_empty()) {
            return DataEndpoints::InForce;
        }
        let endpoints = endpoints_of(self.network, ix);
        let approved_elsewhere = object.private_endpoint_connections.iter().any(|c| {
            c.status.is(&Some(pullproof_network::model::private_endpoint::ConnectionStatus::Approved))
        });
        if approved_elsewhere || endpoints.iter().any(|e| e.approved) {
            return DataEndpoints::InForce;
        }
        if let Some(missing) = endpoints.into_iter().find_map(|e| e.unclear) {
            return DataEndpoints::Unknown(missing);
        }
        let unknown = [
            object.data_endpoint_enabled.symbol(),
            listed.and_then(|l| l.open),
            object.private_endpoint_connections.open,
        ];
        if let Some(symbol) = unknown.into_iter().flatten().next() {
            let what = format!("whether dedicated data endpoints of {} are in force", object.id.name());
            return DataEndpoints::Unknown(unknown_value(self.network, symbol, what));
        }
        if let Some(missing) = connections_not_shown(self.network, object) {
            return DataEndpoints::Unknown(missing);
        }
        DataEndpoints::Off
    }

    /// One data host a region that a pull can be served from (A38, A41, A392).
    fn data_hosts(
        &self,
        ix: RegistryIx,
        object: &Registry,
        label: &Label,
        only: Option<&str>,
        set: &mut EndpointSet,
    ) {
        let listed: Vec<String> =
            object.data_endpoint_host_names.iter().flat_map(|l| l.iter()).map(|h| name::fold(h)).collect();
        let mut hosts: Vec<(String, Option<String>)> = Vec::new();
        for host in &listed {
            let region = match label.kind(host) {
                HostKind::Data(region) => Some(region),
                _ => None,
            };
            hosts.push((host.clone(), region));
        }
        // A list that lags behind drops no replica that was read: each one that serves has a host of its own (A41).
        if !listed.is_empty() {
            for region in regions(self.network, object) {
                if hosts.iter().all(|(_, known)| known.as_deref() != Some(region.as_str())) {
                    hosts.push((label.data(&region), Some(region)));
                }
            }
        }
        if listed.is_empty() {
            // A39, A40: derived from the regions, which have to be known completely.
            if let Some(missing) = self.all_replicas(object) {
                set.complete =
                    std::mem::replace(&mut set.complete, Outcome::Holds).and(Outcome::open(missing));
            }
            for region in regions(self.network, object) {
                hosts.push((label.data(&region), Some(region)));
            }
            if object.data_endpoint_host_names.is_some() {
                set.basis.remarks.insert(Remark {
                    kind: "data-endpoint-flag-stale",
                    message: format!(
                        "{} has data endpoints in force, but lists no data endpoint host",
                        object.id.name()
                    ),
                    facts: vec!["A40", "A56"],
                    evidence: vec![object.place.at(registry::DATA_ENDPOINT_HOST_NAMES)],
                });
            }
        }
        if let Some(symbol) = object.data_endpoint_host_names.as_ref().and_then(|l: &List<_>| l.open) {
            let missing =
                unknown_value(self.network, symbol, format!("data endpoints of {}", object.id.name()));
            set.complete = std::mem::replace(&mut set.complete, Outcome::Holds).and(Outcome::open(missing));
        }
        hosts.sort();
        hosts.dedup();
        for (host, region) in hosts {
            if let (Some(only), Some(region)) = (only, &region)
                && only != region
            {
                continue;
            }
            match region
                .as_deref()
                .map_or(Ok(true), |r| self.serves(object, r, only.is_some(), &mut set.basis))
            {
                Ok(true) => set.endpoints.push(self.acr_endpoint(ix, &host, vec![Role::Data], region)),
                Ok(false) => {}
                Err(missing) => {
                    set.endpoints.push(self.acr_endpoint(ix, &host, vec![Role::Data], region));
                    set.complete =
                        std::mem::replace(&mut set.complete, Outcome::Holds).and(Outcome::open(missing));
                }
            }
        }
        if !set.endpoints.iter().any(|e| e.roles.contains(&Role::Data)) && set.complete.holds() {
            set.complete = Outcome::open(evidence(
                format!("the data hosts of {}", object.id.name()),
                "no region of the registry serves layers, as far as was read",
                "read the registry's replications",
            ));
        }
    }

    /// Whether pulls can be served from a region: its replica takes part in global routing (A42) and is ready (A115).
    fn serves(
        &self,
        object: &Registry,
        wanted: &str,
        regional: bool,
        basis: &mut Basis,
    ) -> Result<bool, Missing> {
        for ix in &object.replications {
            let replica = &self.network.replications[*ix];
            if region_of(replica).as_deref() != Some(wanted) {
                continue;
            }
            match &replica.provisioning_state {
                Val::Known(Some(ProvisioningState::Creating)) => {
                    basis.remarks.insert(Remark {
                        kind: "replica-not-ready",
                        message: format!("the replica of {} in {wanted} is being created", object.id.name()),
                        facts: vec!["A115"],
                        evidence: vec![replica.place.at("/properties/provisioningState")],
                    });
                    return Ok(false);
                }
                state => basis.in_force(replica.id.name(), state, replica.place),
            }
            return match (&replica.region_endpoint_enabled, regional) {
                (Val::Known(on), false) => Ok(*on),
                (_, true) => Ok(true),
                (Val::Sym(symbol), false) => Err(unknown_value(
                    self.network,
                    *symbol,
                    format!(
                        "whether the replica in {wanted} takes part ({})",
                        replication::REGION_ENDPOINT_ENABLED
                    ),
                )),
            };
        }
        // The home region need not have a replication of its own (A43).
        Ok(true)
    }

    fn all_replicas(&self, object: &Registry) -> Option<Missing> {
        let network = self.network;
        if let Some(symbol) = object.replications.open {
            return Some(unknown_value(network, symbol, format!("replications of {}", object.id.name())));
        }
        if !object.sku.is(&Some(pullproof_network::model::registry::RegistrySku::Premium))
            && object.sku.present().is_some()
        {
            return None; // Only Premium has replicas (A36).
        }
        let unknown = object.replications.iter().find_map(|ix| network.replications[*ix].location.symbol());
        if let Some(symbol) = unknown.or_else(|| object.location.symbol()) {
            return Some(unknown_value(network, symbol, format!("the regions of {}", object.id.name())));
        }
        match network.layered.absence(object.id.folded(), REPLICATIONS) {
            Absence::Evidence { .. } => None,
            Absence::NoEvidence(reason) => {
                Some(incomplete(&reason, "each replica has a data host of its own (A41)"))
            }
        }
    }

    /// Without data endpoints layers come from storage accounts that nobody can list (A13).
    fn storage_host(&self, ix: RegistryIx, label: &Label, set: &mut EndpointSet) {
        let object = &self.network.registries[ix];
        let Some(blob) = label.blob_suffix() else {
            set.complete =
                std::mem::replace(&mut set.complete, Outcome::Holds).and(Outcome::open(not_modelled(
                    format!("the storage hosts of {}", object.id.name()),
                    format!("the cloud of {} is not listed (A31)", label.suffix),
                )));
            return;
        };
        set.basis.remarks.insert(Remark {
            kind: "storage-wildcard",
            message: format!("layers of {} come from any host below {blob}", object.id.name()),
            facts: vec!["A12", "A13", "A395"],
            evidence: vec![object.place.at(registry::DATA_ENDPOINT_ENABLED)],
        });
        set.endpoints.push(Endpoint {
            host: format!("*.{blob}"),
            wildcard: true,
            port: 443,
            roles: vec![Role::Data],
            region: None,
            reach: Reach::Public,
            tag: tag(TagKind::RegistryBlob, None),
            facts: vec!["A12", "A37", "A395"],
            missing: Vec::new(),
        });
    }

    fn acr_endpoint(&self, ix: RegistryIx, host: &str, roles: Vec<Role>, region: Option<String>) -> Endpoint {
        let data = roles.contains(&Role::Data);
        let kind = if data { TagKind::RegistryData } else { TagKind::RegistryLogin };
        Endpoint {
            host: host.to_owned(),
            wildcard: false,
            port: 443, // A14
            reach: self.acr_reach(ix, host),
            tag: tag(kind, region.as_deref()),
            facts: if data { vec!["A38", "A41", "A392"] } else { vec!["A6", "A391"] },
            missing: Vec::new(),
            roles,
            region,
        }
    }

    /// By A393: private where an Approved private endpoint has a member for the host, else public where the registry
    /// lets anybody in by that way.
    fn acr_reach(&self, ix: RegistryIx, host: &str) -> Reach {
        let object = &self.network.registries[ix];
        let serving = self.acr_serving(ix, host);
        if !serving.private.is_empty() || (!serving.missing.is_empty() && serving.not_serving.is_empty()) {
            return Reach::Private;
        }
        let rules = &object.network_rules;
        let closed = object.public_network_access.is(&PublicNetworkAccess::Disabled)
            || (rules.default_action.is(&DefaultAction::Deny)
                && rules.ip_rules.is_empty()
                && rules.virtual_network_rules.is_empty());
        if closed { Reach::None } else { Reach::Public }
    }

    fn declared_endpoints(&self, i: usize) -> EndpointSet {
        let mut set =
            EndpointSet { endpoints: Vec::new(), complete: Outcome::Holds, basis: Basis::default() };
        let Some(table) = self.network.declared.registries.get(i) else {
            set.complete =
                Outcome::open(declare("the registry", "no such table", "declare it in pullproof.toml"));
            return set;
        };
        set.basis.assume(format!("registry:{}", table.name));
        let preset = table.preset.as_deref().and_then(presets::find);
        for host in &table.hosts {
            let reach = self.declared_reach(&name::fold(&host.host), &host.addresses);
            set.endpoints.push(external(&host.host, host.port, &host.roles, reach));
        }
        if table.hosts.is_empty()
            && let Some(preset) = preset
        {
            for host in &preset.hosts {
                set.endpoints.push(external(&host.host, 443, &host.roles, Reach::Public));
            }
        }
        self.missing_roles(&table.name, preset, &mut set);
        set
    }

    /// A role that no host carries is put on the login host, and is not known (CONTRACT §2, A150).
    fn missing_roles(&self, registry: &str, preset: Option<&Preset>, set: &mut EndpointSet) {
        let login = set.endpoints.iter().position(|e| e.roles.contains(&Role::Login)).unwrap_or(0);
        for role in [Role::Login, Role::Token, Role::Data] {
            if set.endpoints.iter().any(|e| e.roles.contains(&role)) {
                continue;
            }
            let anonymous = preset.is_some_and(|p| p.anonymous);
            let Some(endpoint) = set.endpoints.get_mut(login) else { break };
            if role == Role::Token && anonymous {
                continue;
            }
            endpoint.roles.push(role);
            endpoint.roles.sort();
            if role == Role::Login {
                continue;
            }
            let word = if role == Role::Token { "token" } else { "data" };
            let missing = declare(
                format!("which host of {registry} has the role {word}"),
                format!(
                    "none carries it, so it is taken to be {}; registries may send clients elsewhere (A5, A150)",
                    endpoint.host
                ),
                format!("add \"{word}\" to the roles of a host of [[registry]] name = \"{registry}\""),
            );
            endpoint.missing.push(missing.clone());
            set.complete = std::mem::replace(&mut set.complete, Outcome::Holds).and(Outcome::open(missing));
        }
        if set.endpoints.is_empty() {
            set.complete = Outcome::open(declare(
                format!("the hosts of {registry}"),
                "a registry without hosts cannot be pulled from (V4)",
                format!("add hosts to [[registry]] name = \"{registry}\""),
            ));
        }
    }

    fn declared_reach(&self, host: &str, addresses: &[std::net::IpAddr]) -> Reach {
        let public = match addresses {
            [] => {
                let known = presets::all().iter().flat_map(|p| &p.hosts);
                let preset = known.map(|h| h.host.as_str()).any(|p| crate::lookup::public::matches(p, host));
                let table = self.name_index().public_names.get(host);
                let declared = table.and_then(|i| self.network.declared.public_names.get(*i));
                preset
                    || host.starts_with("*.")
                    || declared.is_some_and(|t| !t.addresses.is_empty() || !t.cname.is_empty())
            }
            some => self.scope_of(some) == crate::lookup_answer::Scope::Public,
        };
        if public { Reach::Public } else { Reach::Private }
    }
}

fn external(host: &str, port: u16, roles: &[Role], reach: Reach) -> Endpoint {
    let host = name::fold(host);
    let microsoft = ["mcr.microsoft.com", "*.data.mcr.microsoft.com"];
    let tagged = microsoft.iter().any(|p| crate::lookup::public::matches(p, &host) || *p == host);
    Endpoint {
        wildcard: host.starts_with("*."),
        port,
        roles: roles.to_vec(),
        region: None,
        reach,
        tag: if tagged { tag(TagKind::MicrosoftRegistry, None) } else { None },
        facts: vec!["A396"],
        missing: Vec::new(),
        host,
    }
}

/// The first tag of a kind of host, with the region where regional tags hold it too.
fn tag(kind: TagKind, region: Option<&str>) -> Option<String> {
    let tags = service_tags::of_host(kind)?;
    let first = tags.tags.first()?;
    Some(match region {
        Some(region) if tags.regional => format!("{first}.{region}"),
        _ => first.clone(),
    })
}
