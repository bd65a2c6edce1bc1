//! Whether everything that could decide a lookup was read.

use pullproof_network::model::index::ZoneIx;
use pullproof_snapshot::Absence;

use crate::outcome::{Basis, Missing, Read};
use crate::prover::Prover;
use crate::unread::incomplete;

pub(crate) const ZONES: &str = "microsoft.network/privatednszones";
pub(crate) const ZONE_LINKS: &str = "microsoft.network/privatednszones/virtualnetworklinks";
pub(crate) const RULESETS: &str = "microsoft.network/dnsforwardingrulesets";
pub(crate) const RULESET_LINKS: &str = "microsoft.network/dnsforwardingrulesets/virtualnetworklinks";
pub(crate) const POLICIES: &str = "microsoft.network/dnsresolverpolicies";
pub(crate) const POLICY_LINKS: &str = "microsoft.network/dnsresolverpolicies/virtualnetworklinks";

impl Prover<'_> {
    /// That there are no more of these types in any subscription that is known to be there. A network does not list
    /// what is linked to it (D44), so all have to be read; subscriptions that nothing points to are not thought of
    /// (D44a: an assumption of the input's scope).
    pub(crate) fn all_read(&self, types: &[&'static str], why: &str) -> Result<Basis, Missing> {
        let mut basis = Basis::default();
        for resource_type in types {
            let known = {
                let memo = self.names.read(&self.names.all_read);
                memo.get(resource_type).cloned()
            };
            let found = match known {
                Some(found) => found,
                None => {
                    let found = self.all_read_of(resource_type);
                    self.names.write(&self.names.all_read).insert(resource_type, found.clone());
                    found
                }
            };
            match found {
                Ok(more) => basis.merge(&more),
                Err(reason) => return Err(incomplete(&reason, why)),
            }
        }
        Ok(basis)
    }

    fn all_read_of(&self, resource_type: &'static str) -> Result<Basis, String> {
        let mut basis = Basis::default();
        for subscription in &self.name_index().subscriptions {
            let scope = format!("/subscriptions/{subscription}");
            match self.network.layered.absence(&scope, resource_type) {
                Absence::Evidence { assumption } => {
                    if let Some(assumption) = assumption {
                        basis.assume(assumption);
                    }
                    basis.reads.insert(Read::Absence { scope: scope.into(), resource_type });
                }
                Absence::NoEvidence(reason) => return Err(reason),
            }
        }
        Ok(basis)
    }

    /// That the zone has no more record sets than were read. Azure's own count settles it where it is there; else the
    /// types of record sets have to be complete.
    pub(crate) fn all_records_read(&self, zone: ZoneIx) -> Result<Basis, Missing> {
        let object = &self.network.zones[zone];
        let why = format!("a record that was not read may stand in zone {}", object.name);
        if let Some(symbol) = object.record_sets.open {
            return Err(crate::unread::unknown_value(
                self.network,
                symbol,
                format!("record sets of zone {}", object.name),
            ));
        }
        let read = u64::try_from(object.record_sets.items.len()).unwrap_or(u64::MAX);
        if let Some(count) = object.number_of_record_sets.present()
            && *count == read
        {
            return Ok(Basis::default());
        }
        let mut basis = Basis::default();
        for kind in ["a", "aaaa", "cname"] {
            let resource_type = format!("{ZONES}/{kind}");
            match self.network.layered.absence(object.id.folded(), &resource_type) {
                Absence::Evidence { assumption } => {
                    if let Some(assumption) = assumption {
                        basis.assume(assumption);
                    }
                }
                Absence::NoEvidence(reason) => return Err(incomplete(&reason, why)),
            }
        }
        basis.reads.insert(Read::Absence { scope: object.id.folded().into(), resource_type: "record sets" });
        Ok(basis)
    }
}
