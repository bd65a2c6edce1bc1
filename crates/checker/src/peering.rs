//! Virtual network peering: links, both sides, what is routed over them (R103–R128).

use ipnet::IpNet;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;
use serde_json::Value;

use crate::json::{Node, is};
use crate::missing;
use crate::plain::Plain;
use crate::tri::Tri;
use crate::vnet::{Vnet, vnet};

const PEERINGS: &str = "Microsoft.Network/virtualNetworks/virtualNetworkPeerings";

/// One side of a peering: the link of `from` to `to`.
#[derive(Clone, Debug)]
pub struct Link {
    pub id: ArmId,
    pub from: ArmId,
    pub to: ArmId,
    pub json: Value,
}

/// The other half of a link.
pub enum Reverse {
    Link(Link),
    /// The remote network was read and has no link back.
    Absent,
    /// The remote network, or its links, were not read.
    NotRead(Missing),
}

/// A network's own links; `Err` where the list was not read.
pub fn links(plain: &Plain, of: &Vnet) -> Result<Vec<Link>, Missing> {
    let children = plain.layered.children(of.ix, &of.json, "virtualNetworkPeerings");
    let inline = of.node().list("/properties/virtualNetworkPeerings");
    if let Some(open) = inline.open.first() {
        return Err(open.clone());
    }
    if children.is_empty() && of.json.pointer("/properties/virtualNetworkPeerings").is_none() {
        plain.none_elsewhere(&of.id, PEERINGS)?;
    }
    let mut out = Vec::new();
    for child in children {
        let remote =
            Node::new(&child.json, &child.id).reference("/properties/remoteVirtualNetwork").known()?;
        let Some(to) = remote else { continue };
        out.push(Link { id: child.id, from: of.id.clone(), to, json: child.json.into_owned() });
    }
    Ok(out)
}

/// The links of other networks to `to`, for a network whose own list is not enough.
pub fn reverse(plain: &Plain, link: &Link) -> Reverse {
    let Some(remote) = vnet(plain, &link.to) else { return Reverse::NotRead(missing::resource(&link.to)) };
    match links(plain, &remote) {
        Err(missing) => Reverse::NotRead(missing),
        Ok(all) => all.into_iter().find(|l| l.to == link.from).map_or(Reverse::Absent, Reverse::Link),
    }
}

impl Link {
    pub fn node(&self) -> Node<'_> {
        Node::new(&self.json, &self.id)
    }

    /// `allowVirtualNetworkAccess`; absent is true (R112).
    pub fn access(&self) -> Result<bool, Missing> {
        Ok(self.node().flag("/properties/allowVirtualNetworkAccess").known()?.unwrap_or(true))
    }

    /// `allowGatewayTransit`; absent is false (R118).
    pub fn gateway_transit(&self) -> Result<bool, Missing> {
        Ok(self.node().flag("/properties/allowGatewayTransit").known()?.unwrap_or(false))
    }

    /// `useRemoteGateways`; absent is false (R118).
    pub fn remote_gateways(&self) -> Result<bool, Missing> {
        Ok(self.node().flag("/properties/useRemoteGateways").known()?.unwrap_or(false))
    }

    /// Only some subnets are peered (R122); absent is false.
    pub fn subnets_only(&self) -> Result<bool, Missing> {
        Ok(!self.node().flag("/properties/peerCompleteVnets").known()?.unwrap_or(true))
    }

    /// Is a subnet of the link's own network part of a subnet peering (R123)?
    pub fn includes_local(&self, subnet: &str) -> Tri {
        let names = self.node().texts("/properties/localSubnetNames");
        if names.known.iter().any(|n| is(n, subnet)) {
            return Tri::Yes;
        }
        if names.open.is_empty() { Tri::No } else { Tri::Unknown(names.open) }
    }

    /// The prefixes that are routed over the link: `remoteAddressSpace`, what is peered, not what the remote network
    /// has by now (R107); only IPv6 where the link says so (R126).
    pub fn prefixes(&self, plain: &Plain) -> Result<Vec<IpNet>, Missing> {
        let mut all = None;
        for field in ["remoteAddressSpace", "remoteVirtualNetworkAddressSpace"] {
            let pointer = format!("/properties/{field}/addressPrefixes");
            if self.node().at(&pointer).known()?.is_some() {
                let items = self.node().prefixes(&pointer);
                if let Some(open) = items.open.first() {
                    return Err(open.clone());
                }
                all = Some(items.known);
                break;
            }
        }
        let mut all = match all {
            Some(all) => all,
            // A link that no one has read back from Azure yet: a new link is in sync with the network as it is.
            None => {
                let remote = vnet(plain, &self.to).ok_or_else(|| missing::resource(&self.to))?;
                let items = remote.prefixes();
                if let Some(open) = items.open.first() {
                    return Err(open.clone());
                }
                items.known
            }
        };
        if self.node().flag("/properties/enableOnlyIPv6Peering").known()?.unwrap_or(false) {
            all.retain(|p| matches!(p, IpNet::V6(_)));
        }
        Ok(all)
    }

    fn state(&self) -> Result<Option<bool>, Missing> {
        let failed = self.node().text("/properties/provisioningState").known()?;
        if failed.is_some_and(|s| is(s, "Failed")) {
            return Err(missing::evidence(
                format!("whether the peering {} works", self.id),
                "its provisioning state is Failed (R106)",
            ));
        }
        Ok(self.node().text("/properties/peeringState").known()?.map(|s| is(s, "Connected")))
    }
}

/// Both sides exist and both are Connected (R103, R104, R106). Where the other side is outside the snapshot a local
/// `Connected` is enough: Azure says it only when both exist.
pub fn usable(plain: &Plain, link: &Link) -> Tri {
    let ours = match link.state() {
        Ok(state) => state,
        Err(missing) => return Tri::unknown(missing),
    };
    if ours == Some(false) {
        return Tri::No;
    }
    match reverse(plain, link) {
        Reverse::Absent => Tri::No,
        Reverse::NotRead(missing) => match ours {
            Some(_) => Tri::Yes,
            None => Tri::unknown(missing),
        },
        // Neither side says so: both exist, which is what makes a peering Connected (R103).
        Reverse::Link(back) => match back.state() {
            Ok(Some(false)) => Tri::No,
            Ok(_) => Tri::Yes,
            Err(missing) => Tri::unknown(missing),
        },
    }
}

/// The hop type that Azure shows for the link: global where both locations are known and differ (R27).
pub fn is_global(plain: &Plain, link: &Link) -> bool {
    let location = |id: &ArmId| vnet(plain, id).and_then(|v| v.location());
    match (location(&link.from), location(&link.to)) {
        (Some(a), Some(b)) => a != b,
        _ => false,
    }
}
