//! Application security groups: who is a member (F31–F36).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;

use crate::json::Node;
use crate::plain::Plain;
use crate::tri::Tri;
use crate::vnet::Subnet;

/// Is the address a member of the group, as seen from a machine in `near`? Members are in one virtual network (F32).
/// An address that nothing in the snapshot owns is no member only where the NICs are completely read (F34).
pub fn holds(plain: &Plain, group: &ArmId, near: &Subnet, address: IpAddr) -> Tri {
    const NICS: &str = "Microsoft.Network/networkInterfaces";
    for ix in plain.layered.of_type(NICS) {
        let (id, json) = (plain.layered.id(ix).clone(), plain.json(ix));
        for config in Node::new(&json, &id).list("/properties/ipConfigurations").known {
            let config = Node::new(config, &id);
            let ours =
                matches!(config.address("/properties/privateIPAddress").known(), Ok(Some(a)) if a == address);
            if ours && config.references("/properties/applicationSecurityGroups").known.contains(group) {
                return Tri::Yes;
            }
        }
    }
    for row in plain.index().endpoints.iter().filter(|e| e.address == address) {
        if let Ok((_, json)) = plain.read(&row.endpoint) {
            let node = Node::new(&json, &row.endpoint);
            if node.references("/properties/applicationSecurityGroups").known.contains(group) {
                return Tri::Yes; // F36
            }
        }
    }
    let owned = plain.index().owners.get(&address).is_some_and(|o| !o.is_empty());
    if owned || !private_to(near, plain, address) {
        return Tri::No;
    }
    // A node of a pool is a member without a NIC resource of its own (F35).
    let member_pools = crate::pools::all(plain).into_iter().any(|(pool, subnet)| {
        holds_address(plain, &subnet, address) && crate::pools::groups(plain, &pool).contains(group)
    });
    if member_pools {
        return Tri::unknown(crate::missing::evidence(
            format!("whether {address} is a node of a pool in {}", group.name()),
            "a pool in this subnet puts its nodes into the group (F35)",
        ));
    }
    match plain.none_elsewhere(&near.vnet, NICS) {
        Ok(()) => Tri::No,
        Err(missing) => Tri::unknown(missing),
    }
}

fn holds_address(plain: &Plain, subnet: &ArmId, address: IpAddr) -> bool {
    plain.index().subnets.get(subnet).is_some_and(|s| s.prefixes().known.iter().any(|p| p.contains(&address)))
}

fn private_to(near: &Subnet, plain: &Plain, address: IpAddr) -> bool {
    crate::vnet::vnet(plain, &near.vnet)
        .is_none_or(|v| v.prefixes().known.iter().any(|p| p.contains(&address)))
}
