//! Virtual networks and their subnets.

use std::sync::Arc;

use ipnet::IpNet;
use pullproof_snapshot::{ArmId, ResourceIx};
use serde_json::Value;

use crate::json::{Items, Node, is};
use crate::plain::Plain;

pub const VNETS: &str = "Microsoft.Network/virtualNetworks";

/// A virtual network that was read.
#[derive(Clone)]
pub struct Vnet {
    pub id: ArmId,
    pub ix: ResourceIx,
    pub json: Arc<Value>,
}

/// A subnet, inline or standalone.
#[derive(Clone, Debug)]
pub struct Subnet {
    pub id: ArmId,
    /// The virtual network's id, which may not be in the snapshot.
    pub vnet: ArmId,
    pub name: String,
    pub json: Value,
}

/// The virtual network, where it was read.
pub fn vnet(plain: &Plain, id: &ArmId) -> Option<Vnet> {
    let ix = plain.layered.find(id.folded())?;
    Some(Vnet { id: plain.layered.id(ix).clone(), ix, json: plain.json(ix) })
}

/// Every virtual network, in order of id.
pub fn vnets(plain: &Plain) -> Vec<Vnet> {
    let ids = plain.layered.of_type(VNETS);
    ids.into_iter().map(|ix| Vnet { id: plain.layered.id(ix).clone(), ix, json: plain.json(ix) }).collect()
}

impl Vnet {
    pub fn node(&self) -> Node<'_> {
        Node::new(&self.json, &self.id)
    }

    /// The address space as configured now (R5).
    pub fn prefixes(&self) -> Items<IpNet> {
        self.node().prefixes("/properties/addressSpace/addressPrefixes")
    }

    pub fn location(&self) -> Option<String> {
        let location = self.node().text("/location").known().ok().flatten()?;
        Some(location.replace(' ', "").to_ascii_lowercase())
    }

    /// Every subnet, in the order of the list.
    pub fn subnets(&self, plain: &Plain) -> Vec<Subnet> {
        plain
            .layered
            .children(self.ix, &self.json, "subnets")
            .into_iter()
            .map(|child| Subnet {
                id: child.id,
                vnet: self.id.clone(),
                name: child.name,
                json: child.json.into_owned(),
            })
            .collect()
    }
}

impl Subnet {
    pub fn node(&self) -> Node<'_> {
        Node::new(&self.json, &self.id)
    }

    /// `addressPrefix` and `addressPrefixes`: either may be set (R3).
    pub fn prefixes(&self) -> Items<IpNet> {
        let mut out = self.node().prefixes("/properties/addressPrefixes");
        match self.node().text("/properties/addressPrefix").known() {
            Ok(Some(text)) => match crate::json::prefix(text) {
                Some(net) if !out.known.contains(&net) => out.known.push(net),
                Some(_) => {}
                None => out.open.push(crate::missing::malformed(&self.id, "/properties/addressPrefix")),
            },
            Ok(None) => {}
            Err(missing) => out.open.push(missing),
        }
        out
    }

    pub fn is_named(&self, name: &str) -> bool {
        is(&self.name, name)
    }
}
