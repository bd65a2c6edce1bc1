//! The objects that a question names: by ARM id, or by a name that is unambiguous.

use pullproof_network::model::index::{NicIx, Ref, SubnetIx};
use pullproof_network::model::object::Object;
use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::From;

use crate::prover::Prover;

impl Prover<'_> {
    /// The subnet that a question starts in. The error says what cannot be used.
    pub(crate) fn asked_from(&self, from: &From) -> Result<(SubnetIx, Option<NicIx>), String> {
        match (&from.subnet, &from.nic) {
            (Some(subnet), None) => Ok((self.named_subnet(subnet)?, None)),
            (None, Some(nic)) => {
                let ix = self.named_nic(nic)?;
                let configs = self.network.nics[ix].ip_configs.iter();
                let subnet = configs.filter_map(|c| c.subnet.present().and_then(Ref::here)).next();
                let subnet =
                    subnet.ok_or_else(|| format!("the subnet of network interface {nic} was not read"))?;
                Ok((subnet, Some(ix)))
            }
            _ => Err("give exactly one of `subnet` and `nic`".into()),
        }
    }

    pub(crate) fn named_subnet(&self, name: &str) -> Result<SubnetIx, String> {
        if name.starts_with('/') {
            return match self.network.find(name) {
                Some(Object::Subnet(ix)) => Ok(ix),
                Some(_) | None => Err(format!("no subnet {name} in the input")),
            };
        }
        let all = self.network.subnets.iter().map(|(ix, s)| {
            let vnet = self.network.vnets[s.vnet].id.name();
            (
                ix,
                &s.id,
                s.name.eq_ignore_ascii_case(name) || format!("{vnet}/{}", s.name).eq_ignore_ascii_case(name),
            )
        });
        only(all, "subnet", name)
    }

    pub(crate) fn named_nic(&self, name: &str) -> Result<NicIx, String> {
        if name.starts_with('/') {
            return match self.network.find(name) {
                Some(Object::Nic(ix)) => Ok(ix),
                Some(_) | None => Err(format!("no network interface {name} in the input")),
            };
        }
        let all = self.network.nics.iter().map(|(ix, n)| (ix, &n.id, n.id.name().eq_ignore_ascii_case(name)));
        only(all, "network interface", name)
    }
}

fn only<'a, I>(all: impl Iterator<Item = (I, &'a ArmId, bool)>, what: &str, name: &str) -> Result<I, String> {
    let mut found: Vec<(I, &ArmId)> =
        all.filter(|(_, _, named)| *named).map(|(ix, id, _)| (ix, id)).collect();
    match (found.pop(), found.as_slice()) {
        (Some((ix, _)), []) => Ok(ix),
        (Some((_, last)), more) => {
            let ids: Vec<&str> =
                more.iter().map(|(_, id)| id.as_written()).chain([last.as_written()]).collect();
            Err(format!("{what} {name} is ambiguous: {}", ids.join(", ")))
        }
        (None, _) => Err(format!("no {what} {name} in the input")),
    }
}
