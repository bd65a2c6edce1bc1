//! Whom a machine asks: its NIC's servers, else its virtual network's, else Azure DNS (D4–D13).

use std::net::IpAddr;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;

use super::ask::{Asker, Transport};
use super::reply::Reply;
use super::{AZURE_DNS, Walk};
use crate::json::{Items, Node};
use crate::missing;
use crate::plain::{Plain, Pool, Source};
use crate::pools;
use crate::resources::{Resource, find, unread_beside};
use crate::vnet::Subnet;

/// Linux uses the first three (D8).
const USED: usize = 3;

const SCALE_SET: &str = "microsoft.compute/virtualmachinescalesets";

pub(crate) type Servers = Vec<Result<IpAddr, Missing>>;

/// The servers of a new node of a pool, of a machine with its NIC, or of any machine of the subnet (D6, D140). A NIC's
/// list replaces that of the virtual network.
pub(crate) fn of_source(plain: &Plain, from: &Source) -> Result<Servers, Missing> {
    let own = match (&from.pool, &from.nic) {
        (Some(pool), _) => of_scale_set(plain, pool)?,
        (None, Some(nic)) => {
            let nic = find(plain, nic.folded()).ok_or_else(|| missing::resource(nic))?;
            listed(
                &nic.id,
                nic.node().texts("/properties/dnsSettings/dnsServers"),
                "/properties/dnsSettings/dnsServers",
            )
        }
        (None, None) => Vec::new(),
    };
    if !own.is_empty() {
        return Ok(own);
    }
    let vnet = from.subnet.parent().ok_or_else(|| missing::resource(&from.subnet))?;
    of_vnet(plain, &vnet)
}

/// `dhcpOptions.dnsServers`; none: Azure DNS (D4).
pub(crate) fn of_vnet(plain: &Plain, vnet: &ArmId) -> Result<Servers, Missing> {
    let vnet = find(plain, vnet.folded()).ok_or_else(|| missing::resource(vnet))?;
    let pointer = "/properties/dhcpOptions/dnsServers";
    let servers = listed(&vnet.id, vnet.node().texts(pointer), pointer);
    Ok(if servers.is_empty() { vec![Ok(AZURE_DNS)] } else { servers })
}

fn listed(of: &ArmId, items: Items<&str>, pointer: &str) -> Servers {
    let known =
        items.known.into_iter().map(|text| text.trim().parse().map_err(|_| missing::malformed(of, pointer)));
    known.chain(items.open.into_iter().map(Err)).collect()
}

/// The scale set of a pool carries NIC-level servers only as unsupported drift (D6); one that is not in the snapshot
/// is taken as AKS makes it.
fn of_scale_set(plain: &Plain, pool: &Pool) -> Result<Servers, Missing> {
    let Some((id, json)) = pools::scale_sets(plain, pool)?.into_iter().next() else {
        return unread_beside(plain, &pool.cluster, SCALE_SET).map_or(Ok(Vec::new()), Err);
    };
    let nics = "/properties/virtualMachineProfile/networkProfile/networkInterfaceConfigurations";
    let mut out = Vec::new();
    for nic in Node::new(&json, &id).list(nics).known {
        let node = Node::new(nic, &id);
        if node.flag("/properties/primary").known()? == Some(false) {
            continue;
        }
        out.extend(listed(&id, node.texts("/properties/dnsSettings/dnsServers"), nics));
    }
    Ok(out)
}

/// The pool's own object, its fields under `properties` whether it stands in the cluster's list or of its own.
pub(crate) fn agent_pool(plain: &Plain, pool: &Pool) -> Option<Resource> {
    let ix = plain.layered.find(pool.cluster.folded())?;
    let json = pools::json(plain, pool)?;
    let id = ArmId::new(&format!("{}/agentPools/{}", pool.cluster, pool.name));
    let json =
        if json.get("properties").is_some() { json } else { serde_json::json!({ "properties": json }) };
    Some(Resource { ix, id, json: json.into() })
}

/// The first address of a subnet that a machine can have: Azure keeps the first four (R25).
pub(crate) fn first_address(subnet: &Subnet) -> Option<IpAddr> {
    subnet.prefixes().known.into_iter().find(|net| net.addr().is_ipv4()).and_then(|net| net.hosts().nth(3))
}

/// Some machine in a subnet: what Azure's own services there send from.
pub(super) fn machine_in(plain: &Plain, subnet: &ArmId) -> Option<Source> {
    let address = first_address(plain.index().subnets.get(subnet)?)?;
    Some(Source { subnet: subnet.clone(), address, nic: None, pool: None })
}

impl Walk<'_> {
    /// A node asks its servers, or its LocalDNS does (D143–D149).
    pub(super) fn ask_as_node(&mut self, from: &Source, servers: &Servers, name: &str) -> Reply {
        let asker = Asker::Machine(from.clone());
        match &from.pool {
            None => self.in_order(&asker, servers, name),
            Some(pool) => self.ask_as_pool(pool, &asker, servers, name),
        }
    }

    /// The first server; the next one only after silence, SERVFAIL or REFUSED (D9, D11, D12).
    pub(crate) fn in_order(&mut self, asker: &Asker, servers: &Servers, name: &str) -> Reply {
        let used = servers.get(..USED).unwrap_or(servers);
        let mut failed: Option<Reply> = None;
        for server in used {
            let reply = match server {
                Err(missing) => Reply::unknown(vec![missing.clone()]),
                Ok(server) => self.ask(asker, *server, 53, Transport::Udp, name),
            };
            if !reply.moves_on() {
                return reply;
            }
            // The client reports what it heard; silence is all it heard only where every server was silent.
            if failed.as_ref().is_none_or(Reply::is_silence) {
                failed = Some(reply);
            }
        }
        failed.unwrap_or_else(|| {
            Reply::unknown(vec![missing::evidence(format!("servers for {name}"), "none is known")])
        })
    }
}
