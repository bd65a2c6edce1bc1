//! Azure-provided DNS as one virtual network sees it: policy, zone, rule, public DNS, and again for every alias
//! (D24–D32, D43, D94–D97).

use pullproof_snapshot::ArmId;
use pullproof_snapshot::declared::DnsServer;
use pullproof_snapshot::question::{LookupResult, Missing};

use super::ask::{Asker, Transport};
use super::links::OnNxdomain;
use super::name::is_within;
use super::policies::{self, Policy};
use super::public_names::{self, Chain, End};
use super::reply::{Reply, agreed};
use super::rulesets::{self, Pick, Rule};
use super::zones::{self, Says, Zone};
use super::{AZURE_DNS, Walk};
use crate::missing;
use crate::registry;

/// Who looks at the aliases of a public chain.
#[derive(Clone, Copy)]
pub(super) enum Rematch<'a> {
    /// Nobody: the chain is taken as it comes (D41, D95, D108).
    Nobody,
    /// Azure DNS of this virtual network (D43).
    Azure(&'a ArmId),
    /// A declared server that resolves iteratively (D108).
    Server(&'a DnsServer, &'a Asker),
}

/// What happens to an alias of a chain.
pub(super) enum Alias {
    Passes,
    /// The chain ends here with this reply.
    Taken(Reply),
    /// Whether it is taken is open.
    Perhaps(Reply, Missing),
}

/// Below these names the public chains of registries go on (D62, D180).
const TAILS: &[&str] = &["azcr.io", "trafficmanager.net", "cloudapp.azure.com"];

impl Walk<'_> {
    /// The answer of 168.63.129.16 in a virtual network; `None`: in a virtual hub, to which nothing can be linked
    /// (D123).
    pub(super) fn azure_dns(&mut self, vnet: Option<&ArmId>, name: &str) -> Reply {
        let Some(vnet) = vnet else { return self.public(name, Rematch::Nobody) };
        self.step(&format!("168.63.129.16 of {vnet}"), name, |walk| walk.azure_asked(vnet, name))
    }

    fn azure_asked(&mut self, vnet: &ArmId, name: &str) -> Reply {
        if let Some(found) = self.below_wildcard(vnet, name) {
            let why = "it covers some of the names that layers come from (A12, A13)";
            return Reply::unknown(vec![missing::not_modelled(format!("{name} beside {found}"), why)]);
        }
        match policies::verdict(self.plain, vnet, name) {
            Policy::Passes => {}
            Policy::Blocks(rule) => return Reply::of(LookupResult::Blocked).after(rule),
            Policy::Unknown(missing) => return Reply::unknown(missing),
        }
        match zones::choose(self.plain, vnet, name) {
            Err(missing) => return Reply::unknown(missing),
            Ok(zones) if !zones.is_empty() => return self.zones_say(vnet, &zones, name),
            Ok(_) => {}
        }
        let why = |id: &str| {
            missing::contested("D85", format!("forwarding of {name} ({id})"), "two rules, or none, may apply")
        };
        match rulesets::pick(self.plain, vnet, name) {
            Pick::Unknown(missing) => Reply::unknown(missing),
            Pick::One(rule) => self.forward(&rule, name),
            Pick::Tie(rules) => {
                let replies = rules.iter().map(|rule| self.forward(rule, name)).collect();
                agreed(replies, &why("two rulesets"))
            }
            Pick::Maybe(rule) => {
                let replies = vec![self.forward(&rule, name), self.beyond(vnet, name)];
                agreed(replies, &why("D93, DU2"))
            }
            Pick::None => self.beyond(vnet, name),
        }
    }

    /// A zone, rule or policy for some of the names that a wildcard host stands for. Names of private endpoints are
    /// looked up as aliases.
    fn below_wildcard(&self, vnet: &ArmId, wildcard: &str) -> Option<String> {
        let domain = wildcard.strip_prefix("*.")?;
        let private_link = format!("privatelink.{domain}");
        let below =
            |entry: &String| entry != domain && is_within(entry, domain) && !is_within(entry, &private_link);
        let zone = zones::names(self.plain, vnet).into_iter().find(below);
        let rule = || {
            let unknown = "a rule whose domain is not known".to_owned();
            let mut domains = rulesets::domains(self.plain, vnet).into_iter();
            domains.find_map(|domain| domain.map_or(Some(unknown.clone()), |d| Some(d).filter(&below)))
        };
        zone.or_else(rule).or_else(|| policies::domains(self.plain, vnet).into_iter().find(below))
    }

    /// Neither zone nor rule: names that Azure makes up for the network's machines, and public DNS (D30, D31).
    fn beyond(&mut self, vnet: &ArmId, name: &str) -> Reply {
        if is_within(name, "internal.cloudapp.net") {
            let what = format!("machine names in {vnet}");
            return Reply::unknown(vec![missing::not_modelled(what, "Azure makes these names up (D31)")]);
        }
        self.public(name, Rematch::Azure(vnet))
    }

    fn zones_say(&mut self, vnet: &ArmId, zones: &[Zone], name: &str) -> Reply {
        let replies = zones.iter().map(|zone| self.zone_says(vnet, zone, name)).collect();
        let why = missing::contested(
            "D42",
            format!("zone for {name} in {vnet}"),
            "two zones of one name are linked",
        );
        agreed(replies, &why)
    }

    fn zone_says(&mut self, vnet: &ArmId, zone: &Zone, name: &str) -> Reply {
        let id = zone.resource.id.to_string();
        match zones::says(self.plain, zone, name, &self.record) {
            Says::Addresses(addresses, set) => Reply::answer(addresses).after(set),
            Says::Alias(target, set) => self.azure_alias(vnet, &target).through(&target).after(set),
            Says::Nodata => Reply::of(LookupResult::Nodata).after(id),
            Says::Unknown(missing) => Reply::unknown(vec![missing]).after(id),
            Says::Nxdomain => match &zone.on_nxdomain {
                OnNxdomain::Final => Reply::of(LookupResult::Nxdomain).after(id),
                OnNxdomain::Redirect => self.public(name, Rematch::Nobody).after(id),
                OnNxdomain::Unknown(missing) => {
                    let replies = vec![Reply::of(LookupResult::Nxdomain), self.public(name, Rematch::Nobody)];
                    agreed(replies, missing).after(id)
                }
            },
        }
    }

    /// The target of an alias in a zone is looked up anew (D43, D53).
    fn azure_alias(&mut self, vnet: &ArmId, target: &str) -> Reply {
        self.step(&format!("168.63.129.16 of {vnet}"), target, |walk| match walk.azure_takes(vnet, target) {
            Alias::Passes => walk.public(target, Rematch::Azure(vnet)),
            Alias::Taken(reply) => reply,
            Alias::Perhaps(reply, missing) => {
                let rest = walk.public(target, Rematch::Azure(vnet));
                agreed(vec![reply, rest], &missing)
            }
        })
    }

    /// Zones take aliases for certain (D43); whether rules (D96) and policies (D130) do is open (DU1).
    fn azure_takes(&mut self, vnet: &ArmId, alias: &str) -> Alias {
        match zones::choose(self.plain, vnet, alias) {
            Err(missing) => return Alias::Taken(Reply::unknown(missing)),
            Ok(zones) if !zones.is_empty() => return Alias::Taken(self.zones_say(vnet, &zones, alias)),
            Ok(_) => {}
        }
        let open = |fact: &str, what: &str| {
            let why = format!("whether {what} are held against the targets of aliases is not documented");
            missing::contested(fact, format!("alias {alias}"), why)
        };
        match policies::verdict(self.plain, vnet, alias) {
            Policy::Passes => {}
            Policy::Blocks(rule) => {
                let blocked = Reply::of(LookupResult::Blocked).after(rule);
                return Alias::Perhaps(blocked, open("D130, DU1", "DNS security policies"));
            }
            Policy::Unknown(missing) => return Alias::Taken(Reply::unknown(missing)),
        }
        let rules: Vec<Rule> = match rulesets::pick(self.plain, vnet, alias) {
            Pick::None => return Alias::Passes,
            Pick::Unknown(missing) => return Alias::Taken(Reply::unknown(missing)),
            Pick::One(rule) | Pick::Maybe(rule) => vec![rule],
            Pick::Tie(rules) => rules,
        };
        let open = open("D96, DU1", "forwarding rules");
        let replies = rules.iter().map(|rule| self.forward(rule, alias)).collect();
        Alias::Perhaps(agreed(replies, &open), open)
    }

    /// A rule's targets in order, from its outbound endpoints; the complete answer is taken as it comes (D92, D95).
    fn forward(&mut self, rule: &Rule, name: &str) -> Reply {
        let mut replies = Vec::new();
        for outbound in &rule.outbound {
            replies.push(match outbound {
                Err(missing) => Reply::unknown(vec![missing.clone()]),
                Ok(subnet) => match super::servers::machine_in(self.plain, subnet) {
                    Some(from) => self.targets_in_order(&Asker::Machine(from), rule, name),
                    None => Reply::unknown(vec![missing::resource(subnet)]),
                },
            });
        }
        let why = missing::evidence(
            format!("outbound endpoint of {}", rule.id),
            "which endpoint sends is not known",
        );
        agreed(replies, &why).after(rule.id.clone())
    }

    fn targets_in_order(&mut self, from: &Asker, rule: &Rule, name: &str) -> Reply {
        if rule.targets.iter().flatten().any(|(address, _)| *address == AZURE_DNS) {
            let why = "Azure refuses 168.63.129.16 as a target, in any place of the list (D92, V10)";
            return Reply::unknown(vec![missing::not_modelled(rule.id.clone(), why)]);
        }
        for target in &rule.targets {
            let reply = match target {
                Err(missing) => Reply::unknown(vec![missing.clone()]),
                Ok((address, port)) => self.ask(from, *address, *port, Transport::Udp, name),
            };
            if !reply.is_silence() {
                return reply;
            }
        }
        Reply { upstream_silent: true, ..Reply::of(LookupResult::Timeout) }
    }

    /// What public DNS says; several possible chains have to agree.
    pub(super) fn public(&mut self, name: &str, rematch: Rematch<'_>) -> Reply {
        let (chains, open) = public_names::chains(self.plain, name, &self.record);
        let replies: Vec<Reply> = chains.iter().map(|chain| self.follow(name, chain, 0, rematch)).collect();
        let open = open
            .unwrap_or_else(|| missing::evidence(format!("public answer for {name}"), "not recorded (D2)"));
        agreed(replies, &open)
    }

    fn follow(&mut self, name: &str, chain: &Chain, from: usize, rematch: Rematch<'_>) -> Reply {
        let Some(alias) = chain.hops.get(from) else { return self.end(name, &chain.end, rematch) };
        let fate = match rematch {
            Rematch::Nobody => Alias::Passes,
            Rematch::Azure(vnet) => self.azure_takes(vnet, alias),
            Rematch::Server(server, place) => self.server_takes(server, place, alias),
        };
        let reply = match fate {
            Alias::Taken(reply) => reply,
            Alias::Passes => self.follow(name, chain, from + 1, rematch),
            Alias::Perhaps(reply, open) => {
                let rest = self.follow(name, chain, from + 1, rematch);
                agreed(vec![reply, rest], &open)
            }
        };
        reply.through(alias)
    }

    /// What is linked to the network and may take one of the unknown aliases: a zone there or above, a rule or policy
    /// for names there.
    fn within_tails(&self, vnet: &ArmId) -> Option<String> {
        let inside = |entry: &String| TAILS.iter().any(|tail| is_within(entry, tail));
        let above = |zone: &String| inside(zone) || TAILS.iter().any(|tail| is_within(tail, zone));
        let zone = zones::names(self.plain, vnet).into_iter().find(above);
        zone.or_else(|| rulesets::domains(self.plain, vnet).into_iter().flatten().find(inside))
            .or_else(|| policies::domains(self.plain, vnet).into_iter().find(inside))
    }

    /// Rules above the unknown aliases, such as the one for `.`, may see them or not (DU1): both come to the same only
    /// where the rule's targets find a public address as well.
    fn tails_stay_public(&mut self, vnet: &ArmId, name: &str) -> Result<(), Vec<Missing>> {
        for tail in TAILS {
            let alias = format!("*.{tail}");
            let rules = match rulesets::pick(self.plain, vnet, &alias) {
                Pick::None => continue,
                Pick::Unknown(missing) => return Err(missing),
                Pick::One(rule) | Pick::Maybe(rule) => vec![rule],
                Pick::Tie(rules) => rules,
            };
            for rule in rules {
                let reply = self.forward(&rule, &alias);
                if reply.agrees_with(&Reply::answer([])) {
                    continue;
                }
                let what = format!("aliases of {name} below {tail}");
                let why = format!("{} may take them or not, and does not answer from public DNS", rule.id);
                let open = missing::contested("D96, DU1", what, why);
                return Err([open].into_iter().chain(reply.missing).collect());
            }
        }
        Ok(())
    }

    fn end(&mut self, name: &str, end: &End, rematch: Rematch<'_>) -> Reply {
        if let (End::SomeAddress, Rematch::Azure(vnet), true) =
            (end, rematch, registry::is_registry_host(name))
            && let Some(entry) = self.within_tails(vnet)
        {
            let what = format!("public aliases of {name} beside {entry}");
            return Reply::unknown(vec![missing::evidence(
                what,
                "the aliases beyond the documented ones vary (D62)",
            )]);
        }
        if let (End::SomeAddress, Rematch::Azure(vnet), true) =
            (end, rematch, registry::is_registry_host(name))
            && let Err(missing) = self.tails_stay_public(vnet, name)
        {
            return Reply::unknown(missing);
        }
        match end {
            End::Addresses(addresses) => Reply::answer(addresses.iter().copied()),
            End::SomeAddress => Reply::answer([]),
            End::Nodata => Reply::of(LookupResult::Nodata),
            End::Nxdomain => Reply::of(LookupResult::Nxdomain),
            End::Unknown(missing) => Reply::unknown(missing.clone()),
        }
    }
}
