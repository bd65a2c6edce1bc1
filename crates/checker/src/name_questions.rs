//! The questions about names and registries: from what they call things to ids, and to the answers (CONTRACT §4).

use std::net::IpAddr;

use pullproof_snapshot::question::{AdmissionFrom, Answer};

use crate::names;
use crate::plain::Plain;
use crate::{admission, endpoints, lookup};

/// # Errors
/// The registry is not found or ambiguous, or the address is none.
pub fn admission(
    plain: &Plain,
    registry: &str,
    from: AdmissionFrom,
    address: Option<&str>,
) -> Result<Answer, String> {
    let registry = names::resource(plain, "Microsoft.ContainerRegistry/registries", "registry", registry)?;
    let address = match address {
        None => None,
        Some(text) => {
            let parsed = text.trim().parse::<IpAddr>();
            Some(parsed.map_err(|_| format!("`{text}` is not an IP address"))?)
        }
    };
    admission::admission(plain, registry.folded(), from, address)
        .map(Answer::Decision)
        .ok_or_else(|| format!("no registry `{registry}` in the snapshot"))
}

/// # Errors
/// The subnet or virtual network is not found or ambiguous, or not exactly one of them is given.
pub fn lookup(
    plain: &Plain,
    subnet: Option<&str>,
    vnet: Option<&str>,
    name: &str,
    record: &str,
) -> Result<Answer, String> {
    if !["A", "AAAA"].iter().any(|known| record.eq_ignore_ascii_case(known)) {
        return Err(format!("unsupported record type `{record}`: A or AAAA"));
    }
    match (subnet, vnet) {
        (Some(subnet), None) => {
            let subnet = names::subnet(plain, subnet)?;
            Ok(Answer::Lookup(lookup::subnet_lookup(plain, &subnet.id, name, record)))
        }
        (None, Some(vnet)) => {
            let vnet = names::resource(plain, crate::vnet::VNETS, "vnet", vnet)?;
            Ok(Answer::Lookup(lookup::vnet_lookup(plain, &vnet, name, record)))
        }
        _ => Err("give exactly one of `subnet` and `vnet`".into()),
    }
}

/// # Errors
/// The registry is neither declared nor found, or ambiguous.
pub fn endpoints(plain: &Plain, registry: &str, image_host: Option<&str>) -> Result<Answer, String> {
    let declared = plain.declared.registries.iter().any(|row| row.name.eq_ignore_ascii_case(registry));
    let registry = match declared {
        true => registry.to_owned(),
        false => {
            let word = "Microsoft.ContainerRegistry/registries";
            names::resource(plain, word, "registry", registry)?.folded().to_owned()
        }
    };
    endpoints::endpoints(plain, &registry, image_host)
        .map(Answer::Endpoints)
        .ok_or_else(|| format!("no registry `{registry}` in the snapshot"))
}
