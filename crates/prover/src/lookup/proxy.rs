//! Azure Firewall as a DNS proxy, and its own lookups (D118–D126, D177).

use std::net::IpAddr;

use pullproof_network::model::firewall::{Firewall, firewall, policy};
use pullproof_network::model::index::{FirewallIx, PolicyIx};
use pullproof_network::{List, Ref, Val};
use pullproof_snapshot::At;

use super::asker::{AZURE_DNS, Asker};
use super::reply::{Reply, alike, distinct, step};
use super::trail::Trail;
use crate::blocker::BlockerKind;
use crate::lookup_answer::RecordType;
use crate::outcome::{Basis, Blocker, Missing};
use crate::path::{StepDecision, StepKind};
use crate::prover::Prover;
use crate::unread::{unknown_value, unread};

/// The DNS settings in force on a firewall.
struct Settings<'a> {
    proxy: Val<bool>,
    servers: &'a List<Val<IpAddr>>,
    at: At,
}

/// Deepest chain of base policies; Azure allows one level.
const MAX_BASE: usize = 8;

impl Prover<'_> {
    /// What the firewall's listener on port 53 answers. With the proxy off nobody listens (D119).
    pub(crate) fn answer_as_proxy(
        &self,
        ix: FirewallIx,
        address: IpAddr,
        name: &str,
        record: RecordType,
        trail: &Trail,
    ) -> Vec<Reply> {
        let object = &self.network.firewalls[ix];
        let settings = match self.dns_settings(object) {
            Ok(settings) => settings,
            Err(missing) => return vec![Reply::unknown(missing)],
        };
        match &settings.proxy {
            Val::Known(true) => {}
            Val::Known(false) => {
                return vec![Reply::silence(vec![Blocker {
                    kind: BlockerKind::ResolverUnreachable,
                    message: format!(
                        "{address} is firewall {}, whose DNS proxy is off: nobody listens on port 53",
                        object.id.name()
                    ),
                    remedy: format!("enable the DNS proxy of {}", object.id.name()),
                    facts: vec!["D119"],
                    evidence: vec![settings.at],
                }])];
            }
            Val::Sym(symbol) => {
                let what = format!("whether the DNS proxy of {} is on", object.id.name());
                return vec![Reply::unknown(unknown_value(self.network, *symbol, what))];
            }
        }
        self.by_firewall(ix, name, record, trail)
    }

    /// What the firewall itself gets for a name, proxy on or off (D121, D177). One reply for each server that it may
    /// choose, where they differ.
    pub(crate) fn by_firewall(
        &self,
        ix: FirewallIx,
        name: &str,
        record: RecordType,
        trail: &Trail,
    ) -> Vec<Reply> {
        let network = self.network;
        let object = &network.firewalls[ix];
        let settings = match self.dns_settings(object) {
            Ok(settings) => settings,
            Err(missing) => return vec![Reply::unknown(missing)],
        };
        let mut basis = Basis::default();
        basis.in_force(object.id.name(), &object.provisioning_state, object.place);
        let asker = match self.firewall_as_asker(ix) {
            Ok(asker) => asker,
            Err(missing) => return vec![Reply::unknown(missing)],
        };
        let mut servers = Vec::new();
        for server in settings.servers {
            match server {
                Val::Known(address) => servers.push(*address),
                Val::Sym(symbol) => {
                    let what = format!("the DNS servers of firewall {}", object.id.name());
                    return vec![Reply::unknown(unknown_value(network, *symbol, what))];
                }
            }
        }
        if let Some(symbol) = settings.servers.open {
            let what = format!("the DNS servers of firewall {}", object.id.name());
            return vec![Reply::unknown(unknown_value(network, symbol, what))];
        }
        if servers.is_empty() {
            servers.push(AZURE_DNS); // D119, D122
        }
        let shown: Vec<String> = servers.iter().map(ToString::to_string).collect();
        let said = step(
            StepKind::Firewall,
            object.id.as_written(),
            StepDecision::Forward,
            format!("the firewall asks {}", shown.join(" or ")),
            vec![settings.at],
            vec!["D121"],
        );
        let by_server: Vec<(IpAddr, Vec<Reply>)> = servers
            .iter()
            .map(|s| (*s, self.ask_resolver(&asker, *s, 53, false, name, record, trail)))
            .collect();
        // Health-based choice (D121): a server that never answers is not used while another one does.
        let answers = |replies: &[Reply]| replies.iter().any(|r| !r.silent);
        let any = by_server.iter().any(|(_, replies)| answers(replies));
        let used: Vec<&(IpAddr, Vec<Reply>)> = by_server.iter().filter(|(_, r)| !any || answers(r)).collect();
        let agree = used.iter().all(|(_, r)| used.first().is_none_or(|(_, first)| alike(first, r)));
        let mut out = Vec::new();
        for (server, replies) in used {
            for reply in replies {
                let mut reply = reply.clone().after(said.clone()).resting_on(&basis);
                if !agree {
                    reply.random.get_or_insert_with(|| server.to_string());
                }
                // Behind a listener that answers, a dead upstream is SERVFAIL or silence of its own kind.
                reply.silent = false;
                out.push(reply);
            }
        }
        distinct(out)
    }

    /// A policy's settings, else those of its base, else the classic ones (D118).
    fn dns_settings<'a>(&'a self, object: &'a Firewall) -> Result<Settings<'a>, Missing> {
        let network = self.network;
        let classic = Settings {
            // Absent is off (D119).
            proxy: object.classic.dns_proxy.or_default(false),
            servers: &object.classic.dns_servers,
            at: object.place.at(firewall::ADDITIONAL_PROPERTIES),
        };
        let mut next: Option<PolicyIx> = match &object.policy {
            Val::Known(None) => return Ok(classic),
            Val::Known(Some(Ref::Here(ix))) => Some(*ix),
            Val::Known(Some(Ref::NotRead(id))) => {
                return Err(unread(
                    id,
                    format!("the DNS settings of firewall {} stand in it (D118)", object.id.name()),
                ));
            }
            Val::Sym(symbol) => {
                return Err(unknown_value(
                    network,
                    *symbol,
                    format!("the policy of firewall {}", object.id.name()),
                ));
            }
        };
        let mut last = object.place.at(firewall::POLICY);
        for _ in 0..MAX_BASE {
            let Some(ix) = next else { break };
            let object = &network.policies[ix];
            last = object.place.at(policy::DNS);
            if let Some(dns) = &object.dns {
                return Ok(Settings { proxy: dns.proxy, servers: &dns.servers, at: last });
            }
            next = match &object.base {
                Val::Known(None) => None,
                Val::Known(Some(Ref::Here(base))) => Some(*base),
                Val::Known(Some(Ref::NotRead(id))) => {
                    return Err(unread(
                        id,
                        format!("policy {} inherits its DNS settings (D118)", object.id.name()),
                    ));
                }
                Val::Sym(symbol) => {
                    return Err(unknown_value(
                        network,
                        *symbol,
                        format!("the base of policy {}", object.id.name()),
                    ));
                }
            };
        }
        static NONE: List<Val<IpAddr>> = List { items: Vec::new(), open: None };
        Ok(Settings { proxy: Val::Known(false), servers: &NONE, at: last })
    }

    fn firewall_as_asker(&self, ix: FirewallIx) -> Result<Asker, Missing> {
        let object = &self.network.firewalls[ix];
        for config in &object.ip_configs {
            match (&config.subnet, &config.address) {
                (Val::Known(Some(Ref::Here(subnet))), Val::Known(Some(address))) => {
                    return Ok(Asker::Machine(self.asking_machine(*subnet, None, *address)));
                }
                (Val::Known(Some(Ref::NotRead(id))), _) => {
                    return Err(unread(
                        id,
                        format!("firewall {} asks from this subnet (D121)", object.id.name()),
                    ));
                }
                _ => {}
            }
        }
        if let (Val::Known(Some(_)), Val::Known(Some(address))) = (&object.hub, &object.hub_address) {
            return Ok(Asker::HubFirewall(ix, *address));
        }
        Err(crate::missing::evidence(
            format!("the private address of firewall {}", object.id.name()),
            "its own lookups start there (D121)",
            "give an input in which it stands",
        ))
    }
}
