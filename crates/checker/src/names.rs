//! From what a question calls a subnet, NIC, firewall … to its id: an ARM id, or a name that only one has.

use pullproof_snapshot::ArmId;

use crate::plain::Plain;
use crate::vnet::Subnet;

/// # Errors
/// Nothing has that name, or several have (all are listed).
pub fn subnet<'a>(plain: &'a Plain, name: &str) -> Result<&'a Subnet, String> {
    let all = &plain.index().subnets;
    let wanted = ArmId::new(name);
    if let Some(subnet) = all.get(&wanted) {
        return Ok(subnet);
    }
    let found: Vec<&Subnet> = all.values().filter(|s| !name.contains('/') && s.is_named(name)).collect();
    match found.as_slice() {
        [one] => Ok(one),
        several => Err(not_one("subnet", name, several.iter().map(|s| &s.id))),
    }
}

/// A top-level resource by id or name.
///
/// # Errors
/// As for [`subnet`].
pub fn resource(plain: &Plain, resource_type: &str, word: &str, name: &str) -> Result<ArmId, String> {
    let ids: Vec<&ArmId> =
        plain.layered.of_type(resource_type).into_iter().map(|ix| plain.layered.id(ix)).collect();
    let wanted = ArmId::new(name);
    if let Some(id) = ids.iter().find(|id| ***id == wanted) {
        return Ok((*id).clone());
    }
    let found: Vec<&ArmId> =
        ids.into_iter().filter(|id| !name.contains('/') && id.name().eq_ignore_ascii_case(name)).collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        several => Err(not_one(word, name, several.iter().copied())),
    }
}

fn not_one<'a>(word: &str, name: &str, found: impl Iterator<Item = &'a ArmId>) -> String {
    let found: Vec<&str> = found.map(ArmId::as_written).collect();
    if found.is_empty() {
        format!("no {word} `{name}` in the snapshot")
    } else {
        format!("{word} `{name}` is ambiguous: {}", found.join(", "))
    }
}
