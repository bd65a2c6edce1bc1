//! Records that Azure is about to write: of private endpoints whose DNS zone group has not come into being yet (D71,
//! D169).

use pullproof_network::model::index::{PrivateEndpointIx, RegistryIx, ZoneIx};
use pullproof_network::model::private_endpoint::{ZoneGroup, zone_group};
use pullproof_network::model::word::ProvisioningState;
use pullproof_network::{Ref, Val};

use super::reply::{Reply, step};
use crate::lookup_answer::{RecordType, Scope};
use crate::missing::evidence;
use crate::path::{StepDecision, StepKind};
use crate::prover::Prover;

impl Prover<'_> {
    /// The answer that a zone will give for a name that it does not hold yet, once Azure has written the records of a
    /// zone group. `None`: no such group is on its way, and the name stays missing.
    pub(crate) fn due_record(&self, zone: ZoneIx, name: &str, record: RecordType) -> Option<Reply> {
        let (registry, host) = self.name_index().private_links.get(name)?;
        let network = self.network;
        for ix in network.private_endpoints_of(*registry) {
            let endpoint = &network.private_endpoints[*ix];
            let groups = endpoint.zone_groups.iter().map(|group| &network.zone_groups[*group]);
            let Some(group) = groups.into_iter().find(|group| writes_to(group, zone) && is_due(group)) else {
                continue;
            };
            if record == RecordType::Aaaa {
                return None; // Private endpoints of registries are IPv4 only (D55).
            }
            return Some(self.due_address(*registry, *ix, host, name, group));
        }
        None
    }

    fn due_address(
        &self,
        registry: RegistryIx,
        ix: PrivateEndpointIx,
        host: &str,
        name: &str,
        group: &ZoneGroup,
    ) -> Reply {
        let endpoint = &self.network.private_endpoints[ix];
        let addresses = self.addresses_for(registry, ix, host);
        if addresses.is_empty() {
            return Reply::unknown(evidence(
                format!("the address that {name} will have"),
                format!(
                    "the zone group of private endpoint {} writes it after apply (D71)",
                    endpoint.id.name()
                ),
                "give the endpoint static addresses, or ask again after apply",
            ));
        }
        let said = step(
            StepKind::Record,
            group.id.as_written(),
            StepDecision::Answer,
            format!("the zone group of {} will write {name}", endpoint.id.name()),
            vec![group.place.at(zone_group::CONFIGS)],
            vec!["D71", "D169"],
        );
        let mut reply = Reply::answer(addresses, Scope::Private).after(said);
        reply.basis.assume(format!("automation:zone-group/{}", endpoint.id.name()));
        reply
    }
}

fn writes_to(group: &ZoneGroup, zone: ZoneIx) -> bool {
    group.configs.iter().any(|config| config.zone.present().and_then(Ref::here) == Some(zone))
}

/// Nothing is written yet: a plan knows the group, or Azure works on it. A group that is done and a zone without the
/// record mean that somebody took the record away; Azure does not put it back (D72).
fn is_due(group: &ZoneGroup) -> bool {
    let done = matches!(
        &group.provisioning_state,
        Val::Known(Some(ProvisioningState::Succeeded | ProvisioningState::Failed))
    );
    !done && group.configs.iter().all(|config| config.record_sets.items.is_empty())
}
