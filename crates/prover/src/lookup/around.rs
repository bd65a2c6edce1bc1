//! Zones, rules and policies around names that are not known exactly: below a wildcard host (A12, A13), and in the
//! unknown rest of a documented chain (D62).

use pullproof_network::model::dns_resolver::{DnsAction, DnsSecurityRule, SwitchState};
use pullproof_network::model::index::VnetIx;
use pullproof_network::{Ref, Val};

use super::name;
use crate::missing::not_modelled;
use crate::outcome::Missing;
use crate::prover::Prover;

impl Prover<'_> {
    /// A wildcard host stands for names of which some may lie in a zone of their own, or have a rule or policy of
    /// their own. Names below the private link name have their alias looked up (D81) and do not count.
    pub(super) fn below_wildcard(&self, vnet: VnetIx, wildcard: &str) -> Option<Missing> {
        let domain = wildcard.strip_prefix("*.")?;
        let private_link = format!("privatelink.{domain}");
        let below = |entry: &str| {
            entry != domain && name::within(entry, domain) && !name::within(entry, &private_link)
        };
        let found = self.entry(vnet, &below, &below)?;
        Some(not_modelled(
            format!("which names below {domain} layers come from"),
            format!("{found} covers some of them only"),
        ))
    }

    /// What is linked to the network and takes names in `domain`, as a whole or some of them. Rules and policies
    /// above the domain are left to a lookup.
    pub(super) fn within_tail(&self, vnet: VnetIx, domain: &str) -> Option<String> {
        let inside = |entry: &str| name::within(entry, domain);
        let zone = |entry: &str| inside(entry) || name::within(domain, entry);
        self.entry(vnet, &zone, &inside)
    }

    /// In words, a zone that is or may be linked and whose name fits `zone`, or a rule or policy for a domain that
    /// fits `other`.
    fn entry(
        &self,
        vnet: VnetIx,
        zone: &dyn Fn(&str) -> bool,
        other: &dyn Fn(&str) -> bool,
    ) -> Option<String> {
        let network = self.network;
        let links = network.links_of(vnet).iter().chain(network.links_open());
        let zones = links.map(|link| &network.zones[network.zone_links[*link].zone].name);
        if let Some(found) = zones.into_iter().find(|name| zone(name)) {
            return Some(format!("zone {found}"));
        }
        for link in network.rulesets_of(vnet).iter().chain(network.rulesets_open()) {
            for rule in &network.rulesets[network.ruleset_links[*link].ruleset].rules {
                let rule = &network.forwarding_rules[*rule];
                let on = !matches!(rule.state, Val::Known(Some(SwitchState::Disabled)));
                if on && rule.domain.known().is_none_or(|domain| other(domain)) {
                    return Some(format!("forwarding rule {}", rule.name));
                }
            }
        }
        for link in network.dns_policies_of(vnet).iter().chain(network.dns_policies_open()) {
            for rule in &network.dns_policies[network.dns_policy_links[*link].policy].rules {
                let rule = &network.dns_security_rules[*rule];
                if self.blocks(rule, other) {
                    return Some(format!("DNS security rule {}", rule.name));
                }
            }
        }
        None
    }

    fn blocks(&self, rule: &DnsSecurityRule, fits: &dyn Fn(&str) -> bool) -> bool {
        let lists = &self.network.domain_lists;
        !matches!(rule.state, Val::Known(Some(SwitchState::Disabled)))
            && !matches!(rule.action, Val::Known(Some(DnsAction::Allow | DnsAction::Alert)))
            && rule
                .domain_lists
                .iter()
                .filter_map(Ref::here)
                .any(|ix| lists[ix].domains.iter().any(|domain| fits(domain)))
    }
}
