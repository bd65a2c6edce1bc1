//! The answer to `path`: every machine that a question means, one after the other.

use std::net::IpAddr;

use pullproof_snapshot::question::{LookupResult, Missing, PathAnswer, PathFrom, PathTo, VerdictWord};

use crate::index::{Home, OwnerKind};
use crate::merge::all;
use crate::path::reach;
use crate::plain::{Plain, Source};
use crate::reach::Reach;
use crate::sources::addresses;
use crate::tri::Tri;
use crate::{lookup, missing, names, pools};

/// # Errors
/// The question names nothing that is in the snapshot.
pub fn path(
    plain: &Plain,
    from: &PathFrom,
    to: &PathTo,
    port: u16,
    protocol: &str,
) -> Result<PathAnswer, String> {
    let sources = match sources(plain, from)? {
        Some(sources) => sources,
        None => return Ok(unknown(missing::too_complex("the addresses of the subnet, one by one"))),
    };
    let mut outcomes = Vec::new();
    for source in &sources {
        let (targets, open) = targets(plain, source, to)?;
        if let Some(open) = open {
            return Ok(unknown(open));
        }
        for target in targets {
            outcomes.push(reach(plain, source, target, protocol, None, port, to.host.as_deref()));
        }
    }
    Ok(answer(all(outcomes)))
}

fn sources(plain: &Plain, from: &PathFrom) -> Result<Option<Vec<Source>>, String> {
    let index = plain.index();
    match (&from.subnet, &from.address) {
        (Some(name), None) => {
            let subnet = names::subnet(plain, name)?;
            let Some(addresses) = addresses(plain, subnet) else { return Ok(None) };
            let pools = pools::of_subnet(plain, &subnet.id);
            let of = |address: IpAddr, pool| Source { subnet: subnet.id.clone(), address, nic: None, pool };
            let mut out = Vec::new();
            for address in addresses {
                if pools.is_empty() {
                    out.push(of(address, None));
                }
                out.extend(pools.iter().map(|pool| of(address, Some(pool.clone()))));
            }
            Ok(Some(out))
        }
        (None, Some(text)) => {
            let address: IpAddr =
                text.trim().parse().map_err(|_| format!("`{text}` is not an IP address"))?;
            let owners = index.owners.get(&address).map(Vec::as_slice).unwrap_or_default();
            let nics: Vec<Source> = owners
                .iter()
                .filter(|o| o.kind == OwnerKind::Nic)
                .filter_map(|o| match &o.home {
                    Home::Subnet(subnet) => {
                        Some(Source { subnet: subnet.clone(), address, nic: Some(o.id.clone()), pool: None })
                    }
                    Home::Hub(_) => None,
                })
                .collect();
            if !nics.is_empty() {
                return one(nics, text);
            }
            let subnets =
                index.subnets.values().filter(|s| s.prefixes().known.iter().any(|p| p.contains(&address)));
            let found = subnets.map(|s| {
                let pool = pools::of_subnet(plain, &s.id).into_iter().next();
                Source { subnet: s.id.clone(), address, nic: None, pool }
            });
            one(found.collect(), text)
        }
        _ => Err("give exactly one of `subnet` and `address` in `from`".into()),
    }
}

fn one(found: Vec<Source>, text: &str) -> Result<Option<Vec<Source>>, String> {
    match found.len() {
        0 => Err(format!("no subnet in the snapshot holds {text}")),
        1 => Ok(Some(found)),
        _ => {
            let all: Vec<&str> = found.iter().map(|s| s.subnet.as_written()).collect();
            Err(format!("{text} is ambiguous: {}", all.join(", ")))
        }
    }
}

fn targets(plain: &Plain, source: &Source, to: &PathTo) -> Result<(Vec<IpAddr>, Option<Missing>), String> {
    let parse = |text: &String| text.trim().parse().map_err(|_| format!("`{text}` is not an IP address"));
    if let Some(address) = &to.address {
        return Ok((vec![parse(address)?], None));
    }
    let Some(host) = &to.host else { return Err("give `address` or `host` in `to`".into()) };
    let answer = lookup::node_lookup(plain, source, host, "A");
    match answer.result {
        LookupResult::Answer => {
            Ok((answer.addresses.iter().map(parse).collect::<Result<_, String>>()?, None))
        }
        LookupResult::Unknown => {
            let open = answer.missing.into_iter().next();
            Ok((
                Vec::new(),
                Some(open.unwrap_or_else(|| missing::depends_on(format!("the address of {host}"), ""))),
            ))
        }
        // V4: nothing is said about no address.
        _ => Ok((
            Vec::new(),
            Some(missing::depends_on(format!("an address of {host}"), "the lookup has no answer")),
        )),
    }
}

fn word(tri: &Tri) -> VerdictWord {
    match tri {
        Tri::Yes => VerdictWord::Proven,
        Tri::No => VerdictWord::Disproven,
        Tri::Unknown(_) => VerdictWord::Undetermined,
    }
}

fn answer(reach: Reach) -> PathAnswer {
    let (forward, back) = (reach.forward(), reach.back());
    let both = forward.clone().and(back.clone());
    let mut missing = Vec::new();
    if let Tri::Unknown(why) = &both {
        missing.extend(why.iter().cloned());
    }
    PathAnswer {
        verdict: word(&both),
        forward: word(&forward),
        back: word(&back),
        missing,
        path: reach.trace,
    }
}

fn unknown(missing: Missing) -> PathAnswer {
    let word = VerdictWord::Undetermined;
    PathAnswer { verdict: word, forward: word, back: word, missing: vec![missing], path: Vec::new() }
}
