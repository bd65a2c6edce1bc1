//! Declared resolvers: `[[dns_server]]` (D104–D113).

use std::net::IpAddr;

use pullproof_network::model::index::{DnsServerIx, SiteIx, SubnetIx, VnetIx};
use pullproof_snapshot::declared::{DnsServer, Forward, Record, ServerDefault, Zone};
use pullproof_snapshot::question::LookupResult;

use super::asker::{AZURE_DNS, Asker};
use super::device::Device;
use super::name;
use super::public::{Chain, PublicSays};
use super::reply::{Reply, readings, step};
use super::sequence::{Moves, in_order};
use super::trail::Trail;
use crate::blocker::BlockerKind;
use crate::lookup_answer::RecordType;
use crate::missing::{declare, not_modelled, too_complex};
use crate::outcome::{Blocker, Missing};
use crate::path::{StepDecision, StepKind};
use crate::prover::Prover;

/// Where a declared server stands: decides what its own questions reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Subnet(SubnetIx, Option<Device>),
    /// Somewhere in this network.
    Network(VnetIx),
    Site(SiteIx),
    Unknown,
}

/// What of a server's declaration covers a name.
enum Entry<'a> {
    Zone(&'a Zone),
    Forward(&'a Forward),
}

/// A question inside one server.
#[derive(Clone, Copy)]
struct Inside<'a> {
    server: &'a DnsServer,
    place: &'a Place,
    record: RecordType,
    trail: &'a Trail,
}

/// Longest chain of aliases that a server follows itself.
const LONGEST_CHAIN: usize = 16;

impl Prover<'_> {
    pub(crate) fn declared_server(
        &self,
        ix: DnsServerIx,
        place: &Place,
        name: &str,
        record: RecordType,
        trail: &Trail,
    ) -> Vec<Reply> {
        let table = self.network.dns_servers[ix].table;
        let Some(server) = self.network.declared.dns_servers.get(table) else { return Vec::new() };
        let inside = Inside { server, place, record, trail };
        let said = step(
            StepKind::Resolver,
            server.address.to_string(),
            StepDecision::Forward,
            format!("declared server {}", server.address),
            Vec::new(),
            vec!["D104"],
        );
        let mut replies = self.server_says(inside, name, &[]);
        for reply in &mut replies {
            reply.steps.insert(0, said.clone());
            reply.basis.assume(format!("dns_server:{}", server.address));
        }
        replies
    }

    /// Its own zone or forward with the longest name, for a name that the names of `through` led to; a zone before a forward of the same name.
    fn server_says(&self, inside: Inside<'_>, name: &str, through: &[String]) -> Vec<Reply> {
        if through.iter().any(|n| n == name) {
            return vec![self.looped(&through.join(" → "), name)];
        }
        if through.len() > LONGEST_CHAIN {
            return vec![Reply::unknown(too_complex(format!("the chain of aliases at {name}")))];
        }
        if let Some(missing) = below_wildcard(inside.server, name) {
            return vec![Reply::unknown(missing)];
        }
        let through = &[through, &[name.to_owned()]].concat();
        let server = inside.server;
        let zones = server.zones.iter().map(|z| (name::fold(&z.name), Entry::Zone(z)));
        let forwards = server.forwards.iter().map(|f| (name::fold(&f.domain), Entry::Forward(f)));
        let entries: Vec<(String, Entry<'_>)> = zones.chain(forwards).collect();
        let best = name::longest(&entries, |(domain, _)| domain, name);
        match best.first().map(|(_, entry)| entry) {
            Some(Entry::Zone(zone)) => self.own_zone(inside, zone, name, through),
            Some(Entry::Forward(forward)) => self.forwarded(inside, forward, name),
            None => self.uncovered(inside, name, through),
        }
    }

    /// Authoritative: a missing name does not exist (D110).
    fn own_zone(&self, inside: Inside<'_>, zone: &Zone, name: &str, through: &[String]) -> Vec<Reply> {
        let zone_name = name::fold(&zone.name);
        let relative = name::relative(name, &zone_name).unwrap_or("@");
        let full = |record: &Record| {
            let own = name::fold(&record.name);
            if own == "@" || own.is_empty() { "@".to_owned() } else { own }
        };
        let here: Vec<&Record> = zone.records.iter().filter(|r| full(r) == relative).collect();
        if let Some(alias) = here.iter().find(|r| r.kind.eq_ignore_ascii_case("CNAME")) {
            let Some(target) = alias.values.first().map(|v| name::fold(v)) else {
                return vec![self.denied(inside, &zone_name, name, LookupResult::Nodata)];
            };
            let replies = self.server_says(inside, &target, through);
            return replies.into_iter().map(|r| r.through(std::slice::from_ref(&target))).collect();
        }
        let kind = match inside.record {
            RecordType::A => "A",
            RecordType::Aaaa => "AAAA",
        };
        let addresses: Vec<IpAddr> = here
            .iter()
            .filter(|r| r.kind.eq_ignore_ascii_case(kind))
            .flat_map(|r| &r.values)
            .filter_map(|v| v.parse().ok())
            .collect();
        if !addresses.is_empty() {
            let shown: Vec<String> = addresses.iter().map(ToString::to_string).collect();
            let said = step(
                StepKind::Record,
                inside.server.address.to_string(),
                StepDecision::Answer,
                format!("{name} is {} in its zone {zone_name}", shown.join(", ")),
                Vec::new(),
                vec!["D110"],
            );
            let scope = self.scope_of(&addresses);
            return vec![Reply::answer(addresses, scope).after(said)];
        }
        let below = zone.records.iter().any(|r| name::relative(&full(r), relative).is_some_and(|x| x != "@"));
        let exists = !here.is_empty() || relative == "@" || below;
        let result = if exists { LookupResult::Nodata } else { LookupResult::Nxdomain };
        vec![self.denied(inside, &zone_name, name, result)]
    }

    fn denied(&self, inside: Inside<'_>, zone: &str, name: &str, result: LookupResult) -> Reply {
        let server = inside.server.address;
        let (kind, what) = match result {
            LookupResult::Nodata => (BlockerKind::NameHasNoAddress, "has no address"),
            _ => (BlockerKind::NameDoesNotExist, "does not exist"),
        };
        Reply::failure(
            result,
            Blocker {
                kind,
                message: format!(
                    "{name} {what} in zone {zone} of DNS server {server}, and no other server is asked"
                ),
                remedy: format!("add the record to the server's zone {zone}, or make the zone narrower"),
                facts: vec!["D11", "D110"],
                evidence: Vec::new(),
            },
        )
    }

    /// A forward takes the complete answer of the server that it forwards to; aliases in it are not matched again
    /// (D108). `public` is public recursion.
    fn forwarded(&self, inside: Inside<'_>, forward: &Forward, name: &str) -> Vec<Reply> {
        let server = inside.server.address;
        let mut ask = |i: usize| -> Vec<Reply> {
            let Some(target) = forward.to.get(i) else { return Vec::new() };
            if target.eq_ignore_ascii_case("public") {
                let lost = self.bypassed(server, &format!("forwards {}", shown(&forward.domain)));
                return self
                    .public_only(name, inside.record)
                    .into_iter()
                    .map(|r| r.lost(lost.clone()))
                    .collect();
            }
            let Ok(address) = target.parse::<IpAddr>() else {
                return vec![Reply::unknown(declare(
                    format!("where DNS server {server} forwards {name}"),
                    format!("`{target}` is neither an address nor `public`"),
                    "correct the table in pullproof.toml",
                ))];
            };
            match self.asker_of(inside, address) {
                Ok(asker) => self.ask_resolver(&asker, address, 53, false, name, inside.record, inside.trail),
                Err(missing) => vec![Reply::unknown(missing)],
            }
        };
        let replies = in_order(&forward.to, Moves::Node, "the forwarder tries its next server", &mut ask);
        // What its clients see of a dead upstream: SERVFAIL, or nothing in time. It is not the server that is silent.
        let upstream = |mut reply: Reply| {
            reply.silent = false;
            reply
        };
        replies.into_iter().map(upstream).collect()
    }

    /// The server as a sender.
    fn asker_of(&self, inside: Inside<'_>, to: IpAddr) -> Result<Asker, Missing> {
        let address = inside.server.address;
        match inside.place {
            Place::Subnet(subnet, device) => {
                Ok(Asker::Machine(self.asking_machine(*subnet, *device, address)))
            }
            Place::Network(vnet) => {
                let subnets = &self.network.vnets[*vnet].subnets;
                let holds = |ix: &&pullproof_network::model::index::SubnetIx| {
                    self.network.subnets[**ix].prefixes.iter().any(|p| p.contains(&address))
                };
                let subnet = subnets.iter().find(holds);
                subnet
                    .map(|s| Asker::Machine(self.asking_machine(*s, None, address)))
                    .ok_or_else(|| unplaced(address, to))
            }
            Place::Site(site) => Ok(Asker::Site(*site, address)),
            Place::Unknown => Err(unplaced(address, to)),
        }
    }

    fn bypassed(&self, server: IpAddr, how: &str) -> Blocker {
        Blocker {
            kind: BlockerKind::PublicAnswer,
            message: format!("DNS server {server} {how} to public DNS, past Azure DNS and its private zones"),
            remedy: format!(
                "let {server} forward the registry's public zone to Azure DNS in a network that the zone is linked to"
            ),
            facts: vec!["D105", "D106", "D172"],
            evidence: Vec::new(),
        }
    }

    fn uncovered(&self, inside: Inside<'_>, name: &str, through: &[String]) -> Vec<Reply> {
        let server = inside.server.address;
        let refuses = |word: &str| {
            vec![Reply::failure(
                LookupResult::Servfail,
                Blocker {
                    kind: BlockerKind::ResolverFails,
                    message: format!(
                        "DNS server {server} answers {word} for {name}: neither a zone nor a forward of it covers the name"
                    ),
                    remedy: format!("add a forward for the name to {server}"),
                    facts: vec!["D12"],
                    evidence: Vec::new(),
                },
            )]
        };
        match inside.server.default {
            ServerDefault::Unknown => vec![Reply::unknown(self.opaque(server, name))],
            ServerDefault::Refused => refuses("REFUSED"),
            ServerDefault::Servfail => refuses("SERVFAIL"),
            ServerDefault::RootHints => self.iterates(inside, name, through),
        }
    }

    /// Iterative resolution: every alias is matched against the server's own entries again (D108).
    fn iterates(&self, inside: Inside<'_>, name: &str, through: &[String]) -> Vec<Reply> {
        let lost = self.bypassed(inside.server.address, "resolves by root hints, so it goes");
        let follow = |chain: &Chain| -> Vec<Reply> {
            for (i, alias) in chain.cname.iter().enumerate() {
                let covered = inside.server.zones.iter().any(|z| name::within(alias, &name::fold(&z.name)))
                    || inside.server.forwards.iter().any(|f| name::within(alias, &name::fold(&f.domain)));
                if covered {
                    let so_far = chain.cname.get(..=i).unwrap_or_default();
                    let replies = self.server_says(inside, alias, through);
                    return replies.into_iter().map(|r| r.through(so_far).resting_on(&chain.basis)).collect();
                }
            }
            let end = chain.cname.last().map_or(name, String::as_str);
            vec![self.public_end(end, chain, inside.record).through(&chain.cname).lost(lost.clone())]
        };
        match self.public_says(name) {
            PublicSays::Chain(chain) => follow(&chain),
            PublicSays::Either(a, b, missing) => readings(follow(&a), follow(&b), || missing),
            PublicSays::Unknown(missing) => vec![Reply::unknown(missing)],
        }
    }
}

/// A wildcard host stands for names of which the server may treat some in a way of their own (A12, A13).
fn below_wildcard(server: &DnsServer, wildcard: &str) -> Option<Missing> {
    let domain = wildcard.strip_prefix("*.")?;
    let private_link = format!("privatelink.{domain}");
    let zones = server.zones.iter().map(|z| name::fold(&z.name));
    let mut entries = zones.chain(server.forwards.iter().map(|f| name::fold(&f.domain)));
    let found = entries.find(|entry| {
        entry != domain && name::within(entry, domain) && !name::within(entry, &private_link)
    })?;
    Some(not_modelled(
        format!("which names below {domain} layers come from"),
        format!("DNS server {} has an entry for {found}, which covers some of them only", server.address),
    ))
}

fn unplaced(server: IpAddr, to: IpAddr) -> Missing {
    let why = if to == AZURE_DNS {
        "Azure DNS answers by the network of the sender (D27)"
    } else {
        "whether it reaches that server hangs on where it stands (D139)"
    };
    declare(
        format!("where DNS server {server} stands"),
        why,
        format!("add vnet = \"…\" or site = \"…\" to [[dns_server]] address = \"{server}\""),
    )
}

fn shown(domain: &str) -> String {
    if name::fold(domain).is_empty() { "everything".into() } else { name::fold(domain) }
}
