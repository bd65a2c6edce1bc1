//! Where a registry serves a host privately: members of its private endpoints (A71–A76, D68–D76).

use std::net::IpAddr;

use pullproof_network::model::index::{PrivateEndpointIx, RegistryIx};
use pullproof_network::model::private_endpoint::{ConnectionStatus, PrivateEndpoint, PrivateLinkTarget};
use pullproof_network::model::registry::{Registry, RegistrySku, registry};
use pullproof_network::{Network, Ref, Val};

use super::host::{HostKind, Label};
use crate::lookup::name;
use crate::missing::evidence;
use crate::outcome::{Missing, Read, Remark};
use crate::prover::Prover;
use crate::registry_answer::{Endpoint, RegistryKey, ServedAt, Serving};
use crate::unread::{unknown_value, unread};

/// A private endpoint that leads to a registry.
#[derive(Clone, Debug)]
pub(crate) struct Leads {
    pub endpoint: PrivateEndpointIx,
    pub approved: bool,
    /// Whether it is approved is not known.
    pub unclear: Option<Missing>,
}

/// What is missing where the input leaves the registry's connections out: endpoints of other subscriptions show there
/// alone, so an absent list says nothing (A57); null and empty lists do. Only Premium registries have any (A36).
pub(crate) fn connections_not_shown(network: &Network, object: &Registry) -> Option<Missing> {
    let premium = object.sku.present().is_none_or(|sku| *sku == RegistrySku::Premium);
    let list = &object.private_endpoint_connections;
    if !premium || !list.items.is_empty() || list.open.is_some() {
        return None;
    }
    let json = network.layered.json(object.place.resource);
    if json.pointer(registry::PRIVATE_ENDPOINT_CONNECTIONS).is_some() {
        return None;
    }
    Some(evidence(
        format!("private endpoint connections of {}", object.id.name()),
        "the input leaves the list out; an Approved one changes the public name and the data hosts (A56, A57, D63)",
        "read the registry with `az acr show`",
    ))
}

/// The endpoints that lead to a registry, with their state: the registry's copy where it has one (A75).
pub(crate) fn endpoints_of(network: &Network, registry: RegistryIx) -> Vec<Leads> {
    let object = &network.registries[registry];
    let mut out = Vec::new();
    for ix in network.private_endpoints_of(registry) {
        let endpoint = &network.private_endpoints[*ix];
        let theirs = object
            .private_endpoint_connections
            .iter()
            .find(|c| c.private_endpoint.present().and_then(Ref::here) == Some(*ix));
        let status = match theirs {
            Some(connection) => &connection.status,
            None => {
                let leads = |target: &Val<Option<PrivateLinkTarget>>| match target.present() {
                    Some(PrivateLinkTarget::Registry(target)) => target.here() == Some(registry),
                    _ => false,
                };
                match endpoint.connections.iter().find(|c| leads(&c.target)) {
                    Some(connection) => &connection.status,
                    None => continue,
                }
            }
        };
        let what =
            || format!("whether private endpoint {} is approved by {}", endpoint.id.name(), object.id.name());
        let unclear = match status {
            Val::Known(Some(_)) => None,
            Val::Known(None) => Some(evidence(
                what(),
                "only Approved connections carry traffic (A75)",
                "read the connection with its state",
            )),
            Val::Sym(symbol) => Some(unknown_value(network, *symbol, what())),
        };
        out.push(Leads {
            endpoint: *ix,
            approved: status.present() == Some(&ConnectionStatus::Approved),
            unclear,
        });
    }
    out
}

/// One address of an endpoint and the name that it is for.
struct MemberAt {
    host: String,
    address: Val<Option<IpAddr>>,
}

impl Prover<'_> {
    /// Where the registry serves the endpoint's host privately: members of Approved private endpoints, declared
    /// addresses. Public front ends are not in it.
    pub fn serving(&self, registry: RegistryKey, endpoint: &Endpoint) -> Serving {
        match registry {
            RegistryKey::Acr(ix) => self.acr_serving(ix, &endpoint.host),
            RegistryKey::Declared(i) => self.declared_serving(i, &endpoint.host),
        }
    }

    fn declared_serving(&self, i: usize, host: &str) -> Serving {
        let mut out = Serving::default();
        let Some(table) = self.network.declared.registries.get(i) else { return out };
        out.basis.assume(format!("registry:{}", table.name));
        for entry in table.hosts.iter().filter(|h| name::fold(&h.host) == host) {
            for address in &entry.addresses {
                out.private.push(ServedAt { address: *address, endpoint: None, by: table.name.clone() });
            }
        }
        out
    }

    pub(crate) fn acr_serving(&self, ix: RegistryIx, host: &str) -> Serving {
        let network = self.network;
        let object = &network.registries[ix];
        let mut out = Serving::default();
        out.basis.reads.insert(Read::Resource(object.id.clone()));
        let label = Label::of_registry(object);
        // Another name for the registry leads to its login front end, whatever the certificate then says.
        let wanted = match &label {
            Some(label) if label.kind(host) == HostKind::Alias => label.login(),
            _ => host.to_owned(),
        };
        for leads in endpoints_of(network, ix) {
            let endpoint = &network.private_endpoints[leads.endpoint];
            out.basis.in_force(endpoint.id.name(), &endpoint.provisioning_state, endpoint.place);
            out.basis.reads.insert(Read::Resource(endpoint.id.clone()));
            out.basis.remarks.extend(self.endpoint_drift(leads.endpoint));
            if leads.approved || leads.unclear.is_some() {
                self.unknown_members(endpoint, &mut out);
            }
            let members = match self.endpoint_members(ix, leads.endpoint, label.as_ref()) {
                Ok(members) => members,
                Err(missing) => {
                    out.missing.push(missing);
                    continue;
                }
            };
            for member in members {
                let address = match member.address {
                    Val::Known(Some(address)) => address,
                    Val::Known(None) => continue,
                    Val::Sym(symbol) => {
                        if member.host == wanted && (leads.approved || leads.unclear.is_some()) {
                            let what = format!(
                                "the address of {} in private endpoint {}",
                                member.host,
                                endpoint.id.name()
                            );
                            out.missing.push(unknown_value(network, symbol, what));
                        }
                        continue;
                    }
                };
                let served = ServedAt {
                    address,
                    endpoint: Some(leads.endpoint),
                    by: endpoint.id.as_written().to_owned(),
                };
                match (member.host == wanted, leads.approved, &leads.unclear) {
                    (true, true, _) => out.private.push(served),
                    (true, false, Some(missing)) => out.missing.push(missing.clone()),
                    _ => out.not_serving.push(served),
                }
            }
        }
        self.endpoints_elsewhere(ix, &mut out);
        out
    }

    /// Interface configurations of an endpoint, and their names, that are not known: any may be the host's.
    fn unknown_members(&self, endpoint: &PrivateEndpoint, out: &mut Serving) {
        let network = self.network;
        for nic in endpoint.nics.iter().filter_map(Ref::here) {
            let configs = &network.nics[nic].ip_configs;
            if let Some(symbol) = configs.open {
                let what = format!("the addresses of private endpoint {}", endpoint.id.name());
                out.missing.push(unknown_value(network, symbol, what));
            }
            for symbol in configs.iter().filter_map(|config| config.member.as_ref()?.fqdns.open) {
                let what = format!("the names that private endpoint {} serves", endpoint.id.name());
                out.missing.push(unknown_value(network, symbol, what));
            }
        }
    }

    /// Endpoints that the registry names and that were not read, and endpoints whose target is not known.
    fn endpoints_elsewhere(&self, ix: RegistryIx, out: &mut Serving) {
        let network = self.network;
        let object = &network.registries[ix];
        for connection in &object.private_endpoint_connections {
            if let Val::Known(Some(status)) = &connection.status
                && *status != ConnectionStatus::Approved
            {
                continue;
            }
            match &connection.private_endpoint {
                Val::Known(Some(Ref::NotRead(id))) => {
                    out.missing.push(unread(
                        id,
                        format!("{} lists it, so it may serve the host too", object.id.name()),
                    ));
                }
                Val::Sym(symbol) => {
                    let what = format!("a private endpoint of {}", object.id.name());
                    out.missing.push(unknown_value(network, *symbol, what));
                }
                Val::Known(_) => {}
            }
        }
        if let Some(symbol) = object.private_endpoint_connections.open {
            let what = format!("private endpoint connections of {}", object.id.name());
            out.missing.push(unknown_value(network, symbol, what));
        }
        for endpoint in network.private_endpoints_open() {
            let endpoint = &network.private_endpoints[*endpoint];
            let why = format!("what it leads to is not known; it may be {}", object.id.name());
            out.missing.push(unread(&endpoint.id, why));
        }
    }

    /// Names and addresses of an endpoint, from the first source that has any (A74): its NIC, its custom DNS
    /// configuration, its static addresses by member, what its zone group wrote.
    fn endpoint_members(
        &self,
        registry: RegistryIx,
        ix: PrivateEndpointIx,
        label: Option<&Label>,
    ) -> Result<Vec<MemberAt>, Missing> {
        let network = self.network;
        let endpoint = &network.private_endpoints[ix];
        let mut out = Vec::new();
        for nic in endpoint.nics.iter().filter_map(Ref::here) {
            for config in &network.nics[nic].ip_configs {
                let Some(member) = &config.member else { continue };
                for fqdn in &member.fqdns {
                    out.push(MemberAt { host: name::fold(fqdn), address: config.address });
                }
                if member.fqdns.is_empty()
                    && let (Some(label), Some(name)) = (label, member.name.present())
                    && let Some(host) = member_host(label, name)
                {
                    out.push(MemberAt { host, address: config.address });
                }
            }
        }
        if !out.is_empty() {
            return Ok(out);
        }
        for config in &endpoint.custom_dns_configs {
            for address in &config.addresses {
                let host = config.fqdn.present().map(|f| name::fold(f));
                out.extend(host.map(|host| MemberAt { host, address: address.map(Some) }));
            }
        }
        if !out.is_empty() {
            return Ok(out);
        }
        for config in &endpoint.ip_configs {
            if let (Some(label), Some(member)) = (label, config.member.present())
                && let Some(host) = member_host(label, member)
            {
                out.push(MemberAt { host, address: config.address });
            }
        }
        if !out.is_empty() {
            return Ok(out);
        }
        self.written(endpoint, label, &mut out);
        if !out.is_empty() {
            return Ok(out);
        }
        let object = &network.registries[registry];
        Err(
            match endpoint.nics.iter().find_map(|nic| match nic {
                Ref::NotRead(id) => Some(id),
                Ref::Here(_) => None,
            }) {
                Some(id) => {
                    unread(id, format!("it holds the addresses at which {} serves (D69)", object.id.name()))
                }
                None => evidence(
                    format!("the addresses of private endpoint {}", endpoint.id.name()),
                    "neither its NIC nor its DNS configuration shows any (A74)",
                    "read the network interface of the endpoint",
                ),
            },
        )
    }

    /// The known addresses of an endpoint for one host of its registry.
    pub(crate) fn addresses_for(
        &self,
        registry: RegistryIx,
        ix: PrivateEndpointIx,
        host: &str,
    ) -> Vec<IpAddr> {
        let label = Label::of_registry(&self.network.registries[registry]);
        let members = self.endpoint_members(registry, ix, label.as_ref()).unwrap_or_default();
        let own = members.into_iter().filter(|m| m.host == host);
        own.filter_map(|m| m.address.present().copied()).collect()
    }

    /// What zone groups wrote (D71): private link names, turned into the public ones.
    fn written(&self, endpoint: &PrivateEndpoint, label: Option<&Label>, out: &mut Vec<MemberAt>) {
        for group in &endpoint.zone_groups {
            let configs = &self.network.zone_groups[*group].configs;
            for set in configs.iter().flat_map(|c| &c.record_sets) {
                let Some(fqdn) = set.fqdn.present().map(|f| name::fold(f)) else { continue };
                let host = label.and_then(|label| {
                    let rest = name::relative(&fqdn, &format!("privatelink.{}", label.suffix))?;
                    Some(format!("{rest}.{}", label.suffix))
                });
                for address in &set.addresses {
                    out.push(MemberAt {
                        host: host.clone().unwrap_or_else(|| fqdn.clone()),
                        address: address.map(Some),
                    });
                }
            }
        }
    }

    /// Sources of one endpoint's addresses that disagree (A74).
    fn endpoint_drift(&self, ix: PrivateEndpointIx) -> Option<Remark> {
        let endpoint = &self.network.private_endpoints[ix];
        let nics = endpoint.nics.iter().filter_map(Ref::here);
        let own: Vec<IpAddr> = nics
            .flat_map(|nic| &self.network.nics[nic].ip_configs)
            .filter_map(|c| c.address.present().copied())
            .collect();
        let others = endpoint.custom_dns_configs.iter().flat_map(|c| &c.addresses).filter_map(Val::known);
        let odd: Vec<String> = others.filter(|a| !own.contains(a)).map(ToString::to_string).collect();
        if own.is_empty() || odd.is_empty() {
            return None;
        }
        Some(Remark {
            kind: "pe-dns-drift",
            message: format!(
                "{} lists {} that its network interface does not have",
                endpoint.id.name(),
                odd.join(", ")
            ),
            facts: vec!["A74"],
            evidence: vec![endpoint.place.at("/properties/customDnsConfigs")],
        })
    }
}

/// The public name of a member of group `registry` (A71).
fn member_host(label: &Label, member: &str) -> Option<String> {
    let member = member.to_ascii_lowercase();
    if member == "registry" {
        return Some(label.login());
    }
    if let Some(region) = member.strip_prefix("registry_data_") {
        return Some(label.data(region));
    }
    member.strip_prefix("registry_").map(|region| label.regional(region))
}
