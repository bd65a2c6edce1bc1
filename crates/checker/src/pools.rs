//! Node pools: which subnet their nodes are in, and what a node's NIC carries (F35, F48, F54).

use std::sync::Arc;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;
use serde_json::Value;

use crate::json::{Node, is};
use crate::plain::{Plain, Pool};

const CLUSTERS: &str = "Microsoft.ContainerService/managedClusters";

/// The NSG on a node's NIC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NicGroup {
    /// As the scale set's model says.
    Group(ArmId),
    /// The scale set was read, and its model has none.
    None,
    /// No scale set was read: AKS binds an NSG of its own with the six default rules (F48, F54).
    Managed,
}

/// Every pool with its node subnet, agent pools inline and standalone.
pub fn all(plain: &Plain) -> Vec<(Pool, ArmId)> {
    let mut out = Vec::new();
    for ix in plain.layered.of_type(CLUSTERS) {
        let (cluster, json) = (plain.layered.id(ix).clone(), plain.json(ix));
        for child in plain.layered.children(ix, &json, "agentPools") {
            if let Some(subnet) = subnet_of(&child.json, &child.id) {
                out.push((Pool { cluster: cluster.clone(), name: child.name }, subnet));
            }
        }
    }
    out
}

/// `vnetSubnetID`, inline (on the profile) or of the agent pool's own resource.
fn subnet_of(json: &Value, id: &ArmId) -> Option<ArmId> {
    let node = Node::new(json, id);
    ["/vnetSubnetID", "/properties/vnetSubnetID"]
        .iter()
        .find_map(|p| node.text(p).known().ok().flatten())
        .map(ArmId::new)
}

/// The pools whose nodes are in a subnet.
pub fn of_subnet(plain: &Plain, subnet: &ArmId) -> Vec<Pool> {
    all(plain).into_iter().filter(|(_, s)| s == subnet).map(|(pool, _)| pool).collect()
}

fn field<'a>(json: &'a Value, name: &str) -> Option<&'a Value> {
    json.get(name).or_else(|| json.pointer(&format!("/properties/{name}")))
}

/// One pool's JSON: the profile or the resource.
pub fn json(plain: &Plain, pool: &Pool) -> Option<Value> {
    let ix = plain.layered.find(pool.cluster.folded())?;
    let json = plain.json(ix);
    let children = plain.layered.children(ix, &json, "agentPools");
    children.into_iter().find(|c| is(&c.name, &pool.name)).map(|c| c.json.into_owned())
}

/// The application security groups of the pool's nodes (F35).
pub fn groups(plain: &Plain, pool: &Pool) -> Vec<ArmId> {
    let Some(json) = json(plain, pool) else { return Vec::new() };
    let list = field(&json, "networkProfile").and_then(|n| n.get("applicationSecurityGroups"));
    let texts = list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    texts.map(ArmId::new).collect()
}

/// First and last source port of a node's connections (V2).
pub fn ephemeral_ports(plain: &Plain, pool: Option<&Pool>) -> (u16, u16) {
    let windows = pool
        .and_then(|p| json(plain, p))
        .and_then(|j| field(&j, "osType").and_then(Value::as_str).map(|os| is(os, "Windows")));
    if windows == Some(true) { (49152, 65535) } else { (32768, 60999) }
}

/// True where each node has a public address of its own.
pub fn node_public_ip(plain: &Plain, pool: &Pool) -> bool {
    json(plain, pool).and_then(|j| field(&j, "enableNodePublicIP").and_then(Value::as_bool)) == Some(true)
}

/// The cluster's JSON.
pub fn cluster(plain: &Plain, pool: &Pool) -> Result<Arc<Value>, Missing> {
    plain.read(&pool.cluster).map(|(_, json)| json)
}

/// The scale sets of a pool: in the node resource group, tagged or named after the pool.
pub fn scale_sets(plain: &Plain, pool: &Pool) -> Result<Vec<(ArmId, Arc<Value>)>, Missing> {
    let json = cluster(plain, pool)?;
    let node = Node::new(&json, &pool.cluster);
    let Some(group) = node.text("/properties/nodeResourceGroup").known()? else { return Ok(Vec::new()) };
    let Some(subscription) = pool.cluster.subscription() else { return Ok(Vec::new()) };
    let key = (subscription.to_owned(), group.to_ascii_lowercase());
    let mut out = Vec::new();
    for ix in plain.index().scale_sets.get(&key).into_iter().flatten().copied() {
        let (id, json) = (plain.layered.id(ix).clone(), plain.json(ix));
        let tag =
            ["aks-managed-poolName", "poolName"].iter().find_map(|t| json.pointer(&format!("/tags/{t}")));
        let named = match tag.and_then(Value::as_str) {
            Some(tag) => is(tag, &pool.name),
            None => {
                let name = id.name().to_ascii_lowercase();
                let pool = pool.name.to_ascii_lowercase();
                name.starts_with(&format!("aks-{pool}-")) || name == format!("aks{pool}")
            }
        };
        if named {
            out.push((id, json));
        }
    }
    Ok(out)
}

/// # Errors
/// What of the scale set's model is not known.
pub fn nic_group(plain: &Plain, pool: &Pool) -> Result<NicGroup, Missing> {
    let sets = scale_sets(plain, pool)?;
    let Some((id, json)) = sets.first() else { return Ok(NicGroup::Managed) };
    let pointer = "/properties/virtualMachineProfile/networkProfile/networkInterfaceConfigurations";
    let configs = Node::new(json, id).list(pointer);
    if let Some(open) = configs.open.into_iter().next() {
        return Err(open);
    }
    let Some(config) = configs.known.first() else { return Ok(NicGroup::Managed) };
    match Node::new(config, id).reference("/properties/networkSecurityGroup").known()? {
        Some(group) => Ok(NicGroup::Group(group)),
        None => Ok(NicGroup::None),
    }
}
