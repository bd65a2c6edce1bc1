//! Who takes a packet that a route sends to an address: the owner of a next hop (R37–R43, R165).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::Appliance;
use pullproof_snapshot::question::Missing;

use crate::hub;
use crate::index::{Home, Owner, OwnerKind};
use crate::json::{Node, is};
use crate::missing;
use crate::peering::{Link, links, usable};
use crate::plain::Plain;
use crate::tri::Tri;
use crate::vnet::vnet;

/// The network in which a next hop's address lies, seen from `from` (R38–R41).
#[derive(Clone, Debug)]
pub enum Located {
    Vnet(ArmId),
    Peer(Box<Link>),
    Hub(ArmId),
    /// Neither in the network, nor in a peer, nor in the hub: the route is invalid.
    Nowhere,
    Unknown(Missing),
}

pub fn locate(plain: &Plain, from: &ArmId, address: IpAddr) -> Located {
    let Some(network) = vnet(plain, from) else { return Located::Unknown(missing::resource(from)) };
    let space = network.prefixes();
    if space.known.iter().any(|p| p.contains(&address)) {
        return Located::Vnet(from.clone());
    }
    let mut open = space.open.into_iter().next();
    match links(plain, &network) {
        Err(missing) => open = Some(missing),
        Ok(all) => {
            for link in all {
                let holds = match link.prefixes(plain) {
                    Ok(nets) => nets.iter().any(|n| n.contains(&address)),
                    Err(missing) => {
                        open.get_or_insert(missing);
                        continue;
                    }
                };
                match (holds, usable(plain, &link)) {
                    (false, _) | (true, Tri::No) => {}
                    (true, Tri::Yes) => return Located::Peer(Box::new(link)),
                    (true, Tri::Unknown(why)) => {
                        open.get_or_insert(crate::gateway::first(why));
                    }
                }
            }
        }
    }
    match hub::connection_of(plain, from) {
        Ok(Some(connection)) => match hub::hub_prefix(plain, &connection.hub) {
            Ok(Some(net)) if net.contains(&address) => return Located::Hub(connection.hub),
            Ok(_) => {}
            Err(missing) => {
                open.get_or_insert(missing);
            }
        },
        Ok(None) => {}
        Err(missing) => {
            open.get_or_insert(missing);
        }
    }
    open.map_or(Located::Nowhere, Located::Unknown)
}

/// What stands at a next hop's address.
#[derive(Clone, Debug)]
pub enum Device {
    /// A NIC, and the declared appliance behind it, if one is.
    Nic {
        owner: Owner,
        appliance: Option<Appliance>,
    },
    /// A load balancer's front end and the NICs behind it.
    Balancer {
        owner: Owner,
        backends: Vec<Owner>,
        appliance: Option<Appliance>,
    },
    AzureFirewall(Owner),
    /// Only declared; no NIC or front end of that address was read.
    Declared(Appliance),
    /// Something that forwards nothing (R42, and a private endpoint as next hop).
    Nothing,
    Unknown(Missing),
}

/// The device at `address` in a virtual network.
pub fn at(plain: &Plain, network: &ArmId, address: IpAddr) -> Device {
    let owners = plain.index().owners_in(network, address);
    let appliance = appliance_at(plain, network, address);
    if let Some(owner) = owners.into_iter().next() {
        match &owner.kind {
            OwnerKind::AzureFirewall => return Device::AzureFirewall(owner),
            OwnerKind::Nic => {
                let appliance = appliance.or_else(|| by_member(plain, &owner.id));
                return Device::Nic { owner, appliance };
            }
            OwnerKind::LoadBalancer(front) => {
                return match backends(plain, &owner, front) {
                    Ok(backends) => {
                        let appliance =
                            appliance.or_else(|| backends.iter().find_map(|b| by_member(plain, &b.id)));
                        Device::Balancer { backends, appliance, owner }
                    }
                    Err(missing) => Device::Unknown(missing),
                };
            }
            OwnerKind::PrivateEndpoint | OwnerKind::Terminal | OwnerKind::ResolverEndpoint => {
                return Device::Nothing;
            }
        }
    }
    if let Some(appliance) = appliance {
        return Device::Declared(appliance);
    }
    match unowned(plain, network, address) {
        Ok(()) => Device::Nothing,
        Err(missing) => Device::Unknown(missing),
    }
}

/// `Ok` exactly when it is known that nothing has the address (R42).
///
/// # Errors
/// What could own it and was not read.
pub fn unowned(plain: &Plain, network: &ArmId, address: IpAddr) -> Result<(), Missing> {
    for kind in [
        "networkInterfaces",
        "loadBalancers",
        "azureFirewalls",
        "privateEndpoints",
        "dnsResolvers/inboundEndpoints",
        "applicationGateways",
    ] {
        plain.none_elsewhere(network, &format!("Microsoft.Network/{kind}"))?;
    }
    // The subnet lists what is in it; something there that no resource of ours explains may be the owner.
    let subnets = plain.index().subnets.values();
    let home = subnets
        .filter(|s| s.vnet == *network)
        .find(|s| s.prefixes().known.iter().any(|p| p.contains(&address)));
    let Some(home) = home else { return Ok(()) };
    for id in home.node().references("/properties/ipConfigurations").known {
        let owner = id.parent();
        let read = owner.as_ref().is_some_and(|o| plain.layered.find(o.folded()).is_some());
        if !read {
            return Err(missing::evidence(
                format!("who has {address} in {}", home.name),
                format!("{id} is in this subnet, and its resource was not read"),
            ));
        }
    }
    // A node's NIC is part of its scale set, not a resource of its own.
    if !crate::pools::of_subnet(plain, &home.id).is_empty() {
        return Err(missing::evidence(
            format!("who has {address} in {}", home.name),
            "nodes of a pool are in this subnet, and their addresses are in no resource",
        ));
    }
    Ok(())
}

fn appliance_at(plain: &Plain, network: &ArmId, address: IpAddr) -> Option<Appliance> {
    let near = |a: &&Appliance| {
        a.address == address && a.vnet.as_deref().is_none_or(|v| crate::site::names(v, network))
    };
    plain.declared.appliances.iter().find(near).cloned()
}

/// The appliance that lists this NIC's machine among its members.
fn by_member(plain: &Plain, nic: &ArmId) -> Option<Appliance> {
    let (_, json) = plain.read(nic).ok()?;
    let machine = Node::new(&json, nic).reference("/properties/virtualMachine").known().ok().flatten();
    let matches = |name: &String| {
        crate::site::names(name, nic) || machine.as_ref().is_some_and(|m| crate::site::names(name, m))
    };
    plain.declared.appliances.iter().find(|a| a.members.iter().any(matches)).cloned()
}

/// The NICs behind a front end, over all its rules' pools.
fn backends(plain: &Plain, owner: &Owner, front: &ArmId) -> Result<Vec<Owner>, Missing> {
    let (_, json) = plain.read(&owner.id)?;
    let node = Node::new(&json, &owner.id);
    let mut pools = Vec::new();
    for rule in node.list("/properties/loadBalancingRules").known {
        let rule = Node::new(rule, &owner.id);
        if rule.reference("/properties/frontendIPConfiguration").known()?.as_ref() == Some(front) {
            pools.extend(rule.reference("/properties/backendAddressPool").known()?);
            pools.extend(rule.references("/properties/backendAddressPools").known);
        }
    }
    let index = plain.index();
    let mut out = Vec::new();
    for pool in node.list("/properties/backendAddressPools").known {
        let pool = Node::new(pool, &owner.id);
        let Some(id) = pool.text("/id").known()? else { continue };
        if !pools.contains(&ArmId::new(id)) {
            continue;
        }
        for config in pool.references("/properties/backendIPConfigurations").known {
            let Some(nic) = index.configurations.get(&config) else {
                return Err(missing::resource(&config.parent().unwrap_or(config)));
            };
            out.extend(index.owners.values().flatten().filter(|o| o.id == *nic).cloned());
        }
        for member in pool.list("/properties/loadBalancerBackendAddresses").known {
            let address = Node::new(member, &owner.id).address("/properties/ipAddress").known()?;
            let (Some(address), Some(network)) = (address, owner.vnet()) else { continue };
            out.extend(index.owners_in(&network, address));
        }
    }
    out.sort_by(|a, b| (&a.id, a.address).cmp(&(&b.id, b.address)));
    out.dedup();
    Ok(out)
}

/// Does the balancer carry the packet (R165)? HA ports, or a rule for the protocol and port.
pub fn balanced(plain: &Plain, owner: &Owner, front: &ArmId, protocol: &str, port: u16) -> Tri {
    let rules = plain.read(&owner.id).map(|(_, json)| json);
    let json = match rules {
        Ok(json) => json,
        Err(missing) => return Tri::unknown(missing),
    };
    let list = Node::new(&json, &owner.id).list("/properties/loadBalancingRules");
    for rule in &list.known {
        let rule = Node::new(rule, &owner.id);
        let ours = rule.reference("/properties/frontendIPConfiguration").known().ok().flatten();
        if ours.as_ref() != Some(front) {
            continue;
        }
        let carried = rule.text("/properties/protocol").known().ok().flatten().unwrap_or_default();
        let number = rule.number("/properties/frontendPort").known().ok().flatten();
        if is(carried, "All") || (is(carried, protocol) && number == Some(i64::from(port))) {
            return Tri::Yes;
        }
    }
    if list.open.is_empty() { Tri::No } else { Tri::Unknown(list.open) }
}

/// A Basic internal load balancer (R111).
pub fn is_basic(plain: &Plain, owner: &Owner) -> bool {
    let Ok((_, json)) = plain.read(&owner.id) else { return false };
    matches!(Node::new(&json, &owner.id).text("/sku/name").known(), Ok(Some(s)) if is(s, "Basic"))
}

/// `enableIPForwarding` of a NIC; absent is false (R43).
pub fn forwards(plain: &Plain, nic: &ArmId) -> Tri {
    match plain.read(nic) {
        Err(missing) => Tri::unknown(missing),
        Ok((_, json)) => match Node::new(&json, nic).flag("/properties/enableIPForwarding").known() {
            Ok(flag) => flag.unwrap_or(false).into(),
            Err(missing) => Tri::unknown(missing),
        },
    }
}

/// Whether the machine with a NIC is there and running (R42, D103). A machine that was not read counts as up, and so
/// does one without an instance view (V2); the NICs of a scale set's instances name no machine.
pub fn runs(plain: &Plain, nic: &ArmId) -> Tri {
    const UP: [&str; 2] = ["running", "starting"];
    const DOWN: [&str; 4] = ["stopped", "stopping", "deallocated", "deallocating"];
    let json = match plain.read(nic) {
        Ok((_, json)) => json,
        Err(missing) => return Tri::unknown(missing),
    };
    let id = match Node::new(&json, nic).reference("/properties/virtualMachine").known() {
        Ok(Some(id)) => id,
        Ok(None) => return nic.folded().contains("/virtualmachinescalesets/").into(),
        Err(missing) => return Tri::unknown(missing),
    };
    let Ok((_, machine)) = plain.read(&id) else { return Tri::Yes };
    let statuses = Node::new(&machine, &id).list("/properties/instanceView/statuses");
    if let Some(missing) = statuses.open.into_iter().next() {
        return Tri::unknown(missing);
    }
    for status in statuses.known {
        let code = match Node::new(status, &id).text("/code").known() {
            Ok(code) => code.unwrap_or_default().to_ascii_lowercase(),
            Err(missing) => return Tri::unknown(missing),
        };
        match code.strip_prefix("powerstate/") {
            Some(state) if DOWN.contains(&state) => return Tri::No,
            Some(state) if !UP.contains(&state) => {
                return Tri::unknown(missing::evidence(
                    format!("the power state of {}", id.name()),
                    format!("`{state}` is not a known power state"),
                ));
            }
            Some(_) | None => {}
        }
    }
    Tri::Yes
}

/// The subnet of an owner.
pub fn subnet_of(owner: &Owner) -> Option<ArmId> {
    match &owner.home {
        Home::Subnet(subnet) => Some(subnet.clone()),
        Home::Hub(_) => None,
    }
}
