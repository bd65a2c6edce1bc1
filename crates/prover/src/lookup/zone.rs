//! Private DNS zones: which one answers a network, and what it says (D33–D56).

use std::net::IpAddr;

use pullproof_network::model::dns_zone::{
    LinkState, RecordData, RecordSet, ResolutionPolicy, record_set, zone_link,
};
use pullproof_network::model::index::{RecordSetIx, VnetIx, ZoneIx, ZoneLinkIx};
use pullproof_network::{List, Val};
use pullproof_snapshot::question::LookupResult;

use super::completeness::{ZONE_LINKS, ZONES};
use super::name;
use super::reply::{Reply, step};
use crate::blocker::BlockerKind;
use crate::lookup_answer::{RecordType, Scope};
use crate::missing::{contested, evidence, not_modelled};
use crate::outcome::{Basis, Blocker, Missing};
use crate::path::{StepDecision, StepKind};
use crate::prover::Prover;
use crate::unread::{unknown_link, unknown_value};

/// What the zones of a network say about a name.
#[derive(Debug)]
pub(crate) enum ZoneSays {
    /// No linked zone covers the name (what that rests on).
    NotMine(Basis),
    /// The zone answers, finally (D47).
    Final(Reply),
    /// A CNAME of the zone: to be evaluated anew in the same network (D43, D53).
    Goes { target: String, reply: Reply },
    /// The name is missing, and the link sends such names to public DNS (D39); why it is lost.
    Redirects { why: Blocker, reply: Reply },
}

impl Prover<'_> {
    pub(crate) fn zones_say(&self, vnet: VnetIx, name: &str, record: RecordType) -> ZoneSays {
        let network = self.network;
        let zone_of = |link: &ZoneLinkIx| network.zone_links[*link].zone;
        let covers = |link: &ZoneLinkIx| &*network.zones[network.zone_links[*link].zone].name;
        for link in network.links_open() {
            let what = || format!("the network that {} is linked to", network.zones[zone_of(link)].name);
            if name::within(name, covers(link))
                && let Some(missing) = unknown_link(network, &network.zone_links[*link].vnet, what())
            {
                return ZoneSays::Final(Reply::unknown(missing));
            }
        }
        let why = format!("a private DNS zone that covers {name} may be linked to {}", self.vnet_name(vnet));
        let complete = match self.all_read(&[ZONES, ZONE_LINKS], &why) {
            Ok(basis) => basis,
            Err(missing) => return ZoneSays::Final(Reply::unknown(missing)),
        };
        let links = name::longest(network.links_of(vnet).iter().copied(), |l| covers(l), name);
        let Some(link) = links.first().copied() else { return ZoneSays::NotMine(complete) };
        if links.iter().any(|other| zone_of(other) != zone_of(&link)) {
            // ARM rejects it (D42): a plan that adds the second link cannot be applied.
            let zone = &network.zones[zone_of(&link)].name;
            return ZoneSays::Final(Reply::unknown(not_modelled(
                format!("two zones {zone} linked to {}", self.vnet_name(vnet)),
                "Azure refuses a second link of the same name, so one of the two has to go (D42)",
            )));
        }
        let mut says = self.zone_says(vnet, link, name, record);
        if let ZoneSays::Final(reply) | ZoneSays::Goes { reply, .. } | ZoneSays::Redirects { reply, .. } =
            &mut says
        {
            reply.basis.merge(&complete);
        }
        says
    }

    fn zone_says(&self, vnet: VnetIx, link: ZoneLinkIx, name: &str, record: RecordType) -> ZoneSays {
        let network = self.network;
        let zone_ix = network.zone_links[link].zone;
        let zone = &network.zones[zone_ix];
        if let Err(missing) = self.link_works(link) {
            return ZoneSays::Final(Reply::unknown(missing));
        }
        let relative = name::relative(name, &zone.name).unwrap_or("@");
        let exact = self.name_index().records(zone_ix, relative);
        if !exact.is_empty() {
            return self.sets_say(vnet, zone_ix, exact, name, record);
        }
        let complete = match self.all_records_read(zone_ix) {
            Ok(basis) => basis,
            Err(missing) => return ZoneSays::Final(Reply::unknown(missing)),
        };
        if relative == "@" || self.name_index().is_parent(zone_ix, relative) {
            // An empty non-terminal exists (D49); so does the apex.
            return ZoneSays::Final(self.no_data(vnet, zone_ix, name).resting_on(&complete));
        }
        if let Some(wildcard) = self.wildcard(zone_ix, relative) {
            return match self.sets_say(vnet, zone_ix, wildcard, name, record) {
                ZoneSays::Final(reply) => ZoneSays::Final(reply.resting_on(&complete)),
                ZoneSays::Goes { target, reply } => {
                    ZoneSays::Goes { target, reply: reply.resting_on(&complete) }
                }
                other => other,
            };
        }
        if let Some(reply) = self.due_record(zone_ix, name, record) {
            return ZoneSays::Final(reply.resting_on(&complete));
        }
        self.missing_name(vnet, link, name, &complete)
    }

    /// Whether the link is in force: only `Completed` answers (D38).
    fn link_works(&self, link: ZoneLinkIx) -> Result<(), Missing> {
        let object = &self.network.zone_links[link];
        let zone = &self.network.zones[object.zone].name;
        match &object.state {
            Val::Known(Some(LinkState::Completed)) => Ok(()),
            // A link that only a plan knows: the audit is about the time after a complete apply (V1).
            Val::Known(None) => Ok(()),
            Val::Known(Some(other)) => Err(evidence(
                format!("link {} of zone {zone} is {}", object.id.name(), other.as_str()),
                "a link answers only once it is Completed (D38)",
                "read the link again when Azure has finished it",
            )),
            Val::Sym(symbol) => Err(unknown_value(
                self.network,
                *symbol,
                format!("the state of link {} of zone {zone}", object.id.name()),
            )),
        }
    }

    /// The sets at the wildcard below the closest encloser of `relative` (D51, RFC 4592).
    fn wildcard(&self, zone: ZoneIx, relative: &str) -> Option<&[RecordSetIx]> {
        let index = self.name_index();
        let mut rest = relative;
        loop {
            let (encloser, wildcard) = match rest.split_once('.') {
                Some((_, parent)) => (parent, format!("*.{parent}")),
                None => ("@", "*".to_owned()),
            };
            let sets = index.records(zone, &wildcard);
            if !sets.is_empty() {
                return Some(sets);
            }
            let exists = !index.records(zone, encloser).is_empty() || index.is_parent(zone, encloser);
            if encloser == "@" || exists {
                return None;
            }
            rest = encloser;
        }
    }

    /// What the sets of one name say. A CNAME stands alone (D53).
    fn sets_say(
        &self,
        vnet: VnetIx,
        zone: ZoneIx,
        sets: &[RecordSetIx],
        name: &str,
        record: RecordType,
    ) -> ZoneSays {
        for ix in sets {
            let set = &self.network.record_sets[*ix];
            match (&set.data, record) {
                (RecordData::Cname(target), _) => return self.cname_says(vnet, zone, set, target, name),
                (RecordData::A(values), RecordType::A) | (RecordData::Aaaa(values), RecordType::Aaaa) => {
                    return ZoneSays::Final(self.addresses_say(vnet, zone, set, values, name));
                }
                _ => {}
            }
        }
        // The name may have a set of the asked type that was not read.
        match self.all_records_read(zone) {
            Ok(basis) => ZoneSays::Final(self.no_data(vnet, zone, name).resting_on(&basis)),
            Err(missing) => ZoneSays::Final(Reply::unknown(missing)),
        }
    }

    fn cname_says(
        &self,
        vnet: VnetIx,
        zone: ZoneIx,
        set: &RecordSet,
        target: &Val<Option<Box<str>>>,
        name: &str,
    ) -> ZoneSays {
        match target {
            Val::Known(Some(target)) => {
                let text =
                    format!("{name} is an alias of {target} in zone {}", self.network.zones[zone].name);
                let by = vec![set.place.at(record_set::CNAME)];
                let said = step(
                    StepKind::Record,
                    self.zone_device(zone),
                    StepDecision::Answer,
                    text,
                    by,
                    vec!["D53"],
                );
                let reply = Reply::answer(Vec::new(), Scope::Private).after(said);
                ZoneSays::Goes { target: target.to_string(), reply }
            }
            Val::Known(None) => ZoneSays::Final(self.no_data(vnet, zone, name)),
            Val::Sym(symbol) => ZoneSays::Final(Reply::unknown(unknown_value(
                self.network,
                *symbol,
                format!("the target of the CNAME {name}"),
            ))),
        }
    }

    fn addresses_say(
        &self,
        vnet: VnetIx,
        zone: ZoneIx,
        set: &RecordSet,
        values: &List<Val<IpAddr>>,
        name: &str,
    ) -> Reply {
        let mut addresses = Vec::new();
        for value in values {
            match value {
                Val::Known(address) => addresses.push(*address),
                Val::Sym(symbol) => return Reply::unknown(self.unknown_record(*symbol, name)),
            }
        }
        if let Some(symbol) = values.open {
            return Reply::unknown(self.unknown_record(symbol, name));
        }
        if addresses.is_empty() {
            return self.no_data(vnet, zone, name);
        }
        let field = match set.data {
            RecordData::Aaaa(_) => record_set::AAAA,
            _ => record_set::A,
        };
        let shown: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        let text = format!("{name} is {} in zone {}", shown.join(", "), self.network.zones[zone].name);
        let said = step(
            StepKind::Record,
            self.zone_device(zone),
            StepDecision::Answer,
            text,
            vec![set.place.at(field)],
            vec!["D47"],
        );
        let scope = self.scope_of(&addresses);
        Reply::answer(addresses, scope).after(said)
    }

    fn unknown_record(&self, symbol: pullproof_network::SymbolIx, name: &str) -> Missing {
        unknown_value(self.network, symbol, format!("the address in the record of {name}"))
    }

    /// Private, unless all are public addresses that no network read uses as its own.
    pub(crate) fn scope_of(&self, addresses: &[IpAddr]) -> Scope {
        let public = |address: &IpAddr| {
            !is_private(*address)
                && !self
                    .network
                    .vnets
                    .values()
                    .any(|v| v.address_space.iter().any(|prefix| prefix.contains(address)))
        };
        if !addresses.is_empty() && addresses.iter().all(public) { Scope::Public } else { Scope::Private }
    }

    fn no_data(&self, vnet: VnetIx, zone: ZoneIx, name: &str) -> Reply {
        let object = &self.network.zones[zone];
        let blocker = Blocker {
            kind: BlockerKind::NameHasNoAddress,
            message: format!(
                "{name} exists in zone {}, which answers for {}, but has no address record",
                object.name,
                self.vnet_name(vnet)
            ),
            remedy: format!("add the A record of {name} to zone {}", object.name),
            facts: vec!["D49", "D47"],
            evidence: vec![object.place.at("/name")],
        };
        let said = step(
            StepKind::Record,
            self.zone_device(zone),
            StepDecision::Answer,
            format!("{name}: no data"),
            vec![object.place.at("/name")],
            vec!["D49"],
        );
        Reply::failure(LookupResult::Nodata, blocker).after(said)
    }

    /// The zone is authoritative and does not have the name (D50), unless the link redirects such names (D39).
    fn missing_name(&self, vnet: VnetIx, link: ZoneLinkIx, name: &str, complete: &Basis) -> ZoneSays {
        let network = self.network;
        let object = &network.zone_links[link];
        let zone_ix = object.zone;
        let zone = &network.zones[zone_ix];
        let private_link = name::is_private_link(&zone.name);
        let deciding = vec![object.place.at(zone_link::VNET), zone.place.at("/name")];
        let policy = match &object.resolution_policy {
            Val::Known(Some(ResolutionPolicy::NxDomainRedirect)) if private_link => {
                let why = Blocker {
                    kind: BlockerKind::PublicAnswer,
                    message: format!(
                        "zone {} has no record {name}, and its link {} sends missing names to public DNS",
                        zone.name,
                        object.id.name()
                    ),
                    remedy: format!("add the record of {name} to zone {}", zone.name),
                    facts: vec!["D39", "D41", "D172"],
                    evidence: vec![object.place.at(zone_link::RESOLUTION_POLICY), zone.place.at("/name")],
                };
                let said = step(
                    StepKind::Record,
                    self.zone_device(zone_ix),
                    StepDecision::Forward,
                    format!("{name} is missing; the link redirects to public DNS"),
                    vec![object.place.at(zone_link::RESOLUTION_POLICY)],
                    vec!["D39"],
                );
                let reply = Reply::answer(Vec::new(), Scope::Public).after(said).resting_on(complete);
                return ZoneSays::Redirects { why, reply };
            }
            Val::Known(Some(ResolutionPolicy::NxDomainRedirect)) => {
                return ZoneSays::Final(Reply::unknown(contested(
                    "DU13",
                    format!(
                        "whether Azure heeds NxDomainRedirect on the ordinary zone {} for {name}",
                        zone.name
                    ),
                    "set the link's policy to Default, or record the lookup from a node",
                )));
            }
            Val::Known(Some(ResolutionPolicy::Default)) => Ok("Default"),
            // Only zones of Private Link services can redirect (D39).
            Val::Known(None) if !private_link => Ok("Default"),
            Val::Known(None) => Err(evidence(
                format!("the resolutionPolicy of link {} of zone {}", object.id.name(), zone.name),
                format!(
                    "{name} is not in the zone; what happens then hangs on the policy, which API versions before 2024-06-01 leave out (D39)"
                ),
                "read the link with API version 2024-06-01 or later",
            )),
            Val::Known(Some(other)) => Err(not_modelled(
                format!("resolutionPolicy {} of link {}", other.as_str(), object.id.name()),
                "this policy is not known",
            )),
            Val::Sym(symbol) => Err(unknown_value(
                network,
                *symbol,
                format!("the resolutionPolicy of link {}", object.id.name()),
            )),
        };
        if let Err(missing) = policy {
            return ZoneSays::Final(Reply::unknown(missing));
        }
        let blocker = Blocker {
            kind: BlockerKind::NameDoesNotExist,
            message: format!(
                "{name} does not exist in zone {}, which answers for {} through link {}; public DNS is not asked",
                zone.name,
                self.vnet_name(vnet),
                object.id.name()
            ),
            remedy: format!(
                "add the record of {name} to zone {}, or set resolutionPolicy NxDomainRedirect on link {}",
                zone.name,
                object.id.name()
            ),
            facts: vec!["D50", "D47"],
            evidence: deciding,
        };
        let said = step(
            StepKind::Record,
            self.zone_device(zone_ix),
            StepDecision::Answer,
            format!("{name} does not exist"),
            vec![object.place.at(zone_link::VNET)],
            vec!["D50"],
        );
        ZoneSays::Final(Reply::failure(LookupResult::Nxdomain, blocker).after(said).resting_on(complete))
    }

    fn zone_device(&self, zone: ZoneIx) -> &str {
        self.network.zones[zone].id.as_written()
    }

    pub(crate) fn vnet_name(&self, vnet: VnetIx) -> &str {
        self.network.vnets[vnet].id.name()
    }
}

/// Addresses that public DNS gives only by mistake or on purpose (RFC 1918, RFC 6598, unique local).
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            v4.is_private() || (a == 100 && b & 0xc0 == 64) || v4.is_loopback() || v4.is_link_local()
        }
        IpAddr::V6(v6) => v6.segments().first().is_some_and(|s| s & 0xfe00 == 0xfc00) || v6.is_loopback(),
    }
}
