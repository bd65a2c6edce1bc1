//! Declared facts: names to objects.

use pullproof_snapshot::ArmId;

use crate::model::declared::{Appliance, DeclaredProblem, DnsServer, Member, Site};
use crate::model::index::{ConnectionIx, Ref, VnetIx};
use crate::model::object::Object;
use crate::network::Network;

/// Resolves the names in `network.declared` into tables of the network.
pub(crate) fn resolve(network: &mut Network) {
    let mut problems = Vec::new();
    for (table, site) in network.declared.sites.clone().into_iter().enumerate() {
        let key = format!("site.{table}");
        let mut out = Site {
            table,
            name: site.name.as_str().into(),
            connections: Vec::new(),
            hub_connections: Vec::new(),
            preferred: None,
        };
        for name in &site.connections {
            match connection(network, name) {
                Ok(Leg::Connection(ix)) => out.connections.push(ix),
                Ok(Leg::Hub(id)) => out.hub_connections.push(id),
                Err(message) => problems.push(problem(&key, "connections", name, message)),
            }
        }
        if let Some(name) = &site.preferred {
            match connection(network, name) {
                Ok(Leg::Connection(ix)) => out.preferred = Some(ix),
                Ok(Leg::Hub(_)) => {
                    let message = "a connection of a virtual hub cannot be preferred here".to_owned();
                    problems.push(problem(&key, "preferred", name, message));
                }
                Err(message) => problems.push(problem(&key, "preferred", name, message)),
            }
        }
        network.sites.push(out);
    }
    for (table, server) in network.declared.dns_servers.clone().into_iter().enumerate() {
        let key = format!("dns_server.{table}");
        let vnet = vnet(network, &key, server.vnet.as_deref(), &mut problems);
        let site = server.site.as_ref().and_then(|name| {
            let found = network.sites.iter().find(|(_, site)| *site.name == **name).map(|(ix, _)| ix);
            if found.is_none() {
                problems.push(problem(&key, "site", name, "no [[site]] has this name".to_owned()));
            }
            found
        });
        network.dns_servers.push(DnsServer { table, vnet, site });
    }
    for (table, appliance) in network.declared.appliances.clone().into_iter().enumerate() {
        let key = format!("appliance.{table}");
        let vnet = vnet(network, &key, appliance.vnet.as_deref(), &mut problems);
        let mut members = Vec::new();
        for name in &appliance.members {
            match one(network, name, member) {
                Ok(member) => members.push(member),
                Err(message) => problems.push(problem(&key, "members", name, message)),
            }
        }
        network.appliances.push(Appliance { table, vnet, members });
    }
    network.declared_problems = problems;
}

fn problem(table: &str, key: &'static str, name: &str, message: String) -> DeclaredProblem {
    DeclaredProblem { table: table.to_owned(), key, name: name.to_owned(), message }
}

/// What a site's connection is.
#[derive(Clone, PartialEq)]
enum Leg {
    Connection(ConnectionIx),
    Hub(ArmId),
}

fn connection(network: &Network, name: &str) -> Result<Leg, String> {
    // Connections of hub gateways are no objects of their own: only their ids are known.
    let of_hubs = network.hub_gateways.values().flat_map(|gateway| &gateway.connections);
    let hub: Vec<&ArmId> = of_hubs.filter(|id| names(id, name)).collect();
    let own = one(network, name, |object| match object {
        Object::Connection(ix) => Some(ix),
        _ => None,
    });
    match (own, hub.as_slice()) {
        (Ok(ix), []) => Ok(Leg::Connection(ix)),
        (Err(_), [id]) => Ok(Leg::Hub((*id).clone())),
        (Err(message), []) => Err(message),
        (_, several) => {
            let ids: Vec<&str> = several.iter().map(|id| id.as_written()).collect();
            Err(format!("ambiguous; give the id of one: {}", ids.join(", ")))
        }
    }
}

fn vnet(
    network: &Network,
    key: &str,
    name: Option<&str>,
    problems: &mut Vec<DeclaredProblem>,
) -> Option<Ref<VnetIx>> {
    let name = name?;
    let found = one(network, name, |object| match object {
        Object::Vnet(ix) => Some(ix),
        _ => None,
    });
    match found {
        Ok(ix) => Some(Ref::Here(ix)),
        // An id names its network whether it was read or not.
        Err(_) if name.starts_with('/') => Some(Ref::NotRead(ArmId::new(name))),
        Err(message) => {
            problems.push(problem(key, "vnet", name, message));
            None
        }
    }
}

fn member(object: Object) -> Option<Member> {
    match object {
        Object::VirtualMachine(ix) => Some(Member::VirtualMachine(ix)),
        Object::Nic(ix) => Some(Member::Nic(ix)),
        _ => None,
    }
}

/// The one object of the wanted kinds with this name or id; else what to do about it.
fn one<T>(network: &Network, name: &str, wanted: impl Fn(Object) -> Option<T>) -> Result<T, String> {
    if name.starts_with('/') {
        let found = network.find(name).and_then(&wanted);
        return found.ok_or_else(|| "no resource with this id was read".to_owned());
    }
    let mut found = Vec::new();
    network.objects.each(|object, id, _| {
        if names(id, name)
            && let Some(value) = wanted(object)
        {
            found.push((id.as_written().to_owned(), value));
        }
    });
    match (found.pop(), found.as_slice()) {
        (None, _) => Err("no resource with this name was read".to_owned()),
        (Some((_, value)), []) => Ok(value),
        (Some((last, _)), _) => {
            let mut ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
            ids.push(&last);
            Err(format!("ambiguous; give the id of one: {}", ids.join(", ")))
        }
    }
}

fn names(id: &ArmId, name: &str) -> bool {
    if name.starts_with('/') { *id == ArmId::new(name) } else { id.name().eq_ignore_ascii_case(name) }
}
