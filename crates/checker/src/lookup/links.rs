//! Links to virtual networks: of private zones, and where links of any kind may stand that nobody read (D38–D46).
//!
//! A link lives under its zone, ruleset or policy, in any subscription; nothing on the virtual network lists it (D44).

use std::collections::BTreeSet;

use pullproof_snapshot::ArmId;
use pullproof_snapshot::question::Missing;

use super::name::fold;
use crate::json::Node;
use crate::missing;
use crate::plain::Plain;
use crate::resources::{Resource, absent_for_sure, all, find};

pub(super) const ZONE: &str = "microsoft.network/privatednszones";
pub(super) const ZONE_LINK: &str = "microsoft.network/privatednszones/virtualnetworklinks";

/// One pass over the snapshot.
pub(crate) struct Links {
    pub(super) zones: Vec<ZoneLink>,
    /// The subscriptions that the snapshot knows of, and those of the zones that private endpoints write to.
    subscriptions: BTreeSet<String>,
}

impl Links {
    pub(crate) fn build(plain: &Plain) -> Self {
        Self { zones: zone_links(plain), subscriptions: subscriptions(plain) }
    }
}

/// `Err` unless a link of this type that is not in the snapshot is known not to exist: the type is complete in every
/// subscription that the snapshot knows of, and in those of the peered virtual networks and of the zones that private
/// endpoints write to (D44a).
pub(super) fn links_complete(plain: &Plain, vnet: &ArmId, link_type: &str) -> Result<(), Vec<Missing>> {
    if let Some(operation) =
        REVERSE.iter().find(|(kind, _)| *kind == link_type).map(|(_, operation)| operation)
        && let Some(listed) = plain.layered.evidence(vnet.folded(), operation).last()
    {
        return all_read(plain, &listed.answer);
    }
    let mut known: BTreeSet<&str> = plain.links().subscriptions.iter().map(String::as_str).collect();
    let peered = super::owner::peered(plain, vnet);
    known.extend(peered.iter().chain([vnet]).filter_map(ArmId::subscription));
    let missing: Vec<Missing> = known
        .into_iter()
        .filter_map(|subscription| {
            absent_for_sure(plain, &format!("/subscriptions/{subscription}"), link_type).err()
        })
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(missing) }
}

/// `Err` where a link of this type leads to the virtual network from something that was not read itself.
pub(super) fn orphans(plain: &Plain, link_type: &str, vnet: &ArmId) -> Result<(), Vec<Missing>> {
    let here = |link: &Resource| {
        link.node()
            .reference("/properties/virtualNetwork")
            .known()
            .map_or(true, |to| to.as_ref() == Some(vnet))
    };
    let links = all(plain, link_type).into_iter().filter(here);
    let parents = links.filter_map(|link| link.id.parent()).filter(|id| find(plain, id.folded()).is_none());
    let missing: Vec<Missing> = parents.map(|id| missing::resource(&id)).collect();
    if missing.is_empty() { Ok(()) } else { Err(missing) }
}

/// The virtual network that a link leads to; each leads to one, so that a link without it was not read as it is (D38).
pub(super) fn network_of(link: &Resource) -> Result<ArmId, Missing> {
    let to = link.node().reference("/properties/virtualNetwork").known()?;
    to.ok_or_else(|| missing::malformed(&link.id, "/properties/virtualNetwork"))
}

/// Recorded answers that list what is linked to a virtual network, whatever subscription it is in (D86).
const REVERSE: &[(&str, &str)] = &[
    ("microsoft.network/dnsforwardingrulesets/virtualnetworklinks", "listDnsForwardingRulesets"),
    ("microsoft.network/dnsresolverpolicies/virtualnetworklinks", "listDnsResolverPolicies"),
];

/// `Err` where something that is listed is not in the snapshot.
fn all_read(plain: &Plain, answer: &serde_json::Value) -> Result<(), Vec<Missing>> {
    let listed = answer.get("value").unwrap_or(answer).as_array();
    let ids = listed.into_iter().flatten().filter_map(|item| item.get("id")?.as_str()).map(ArmId::new);
    let missing: Vec<Missing> =
        ids.filter(|id| find(plain, id.folded()).is_none()).map(|id| missing::resource(&id)).collect();
    if missing.is_empty() { Ok(()) } else { Err(missing) }
}

fn subscriptions(plain: &Plain) -> BTreeSet<String> {
    let mut out: BTreeSet<String> = BTreeSet::new();
    for ix in plain.layered.resources() {
        if let Some(subscription) = plain.layered.id(ix).subscription()
            && !out.contains(subscription)
        {
            out.insert(subscription.to_owned());
        }
    }
    for endpoint in all(plain, "microsoft.network/privateendpoints") {
        for group in endpoint.children(plain, "privateDnsZoneGroups") {
            for config in group.node().list("/properties/privateDnsZoneConfigs").known {
                let zone = Node::new(config, &group.id).text("/properties/privateDnsZoneId").known();
                if let Ok(Some(id)) = zone {
                    out.extend(ArmId::new(id).subscription().map(str::to_owned));
                }
            }
        }
    }
    out
}

/// A link of a private zone to a virtual network.
pub(crate) struct ZoneLink {
    resource: Resource,
    pub(super) zone_id: ArmId,
    /// Folded.
    pub(super) zone_name: String,
}

/// What an absent name means to the virtual network behind a link (D39).
#[derive(Clone, Debug)]
pub(crate) enum OnNxdomain {
    Final,
    Redirect,
    Unknown(Missing),
}

fn zone_links(plain: &Plain) -> Vec<ZoneLink> {
    let mut out = Vec::new();
    let mut seen = BTreeSet::new();
    for zone in all(plain, ZONE) {
        for resource in zone.children(plain, "virtualNetworkLinks") {
            seen.insert(resource.id.clone());
            out.push(ZoneLink { resource, zone_id: zone.id.clone(), zone_name: fold(zone.id.name()) });
        }
    }
    for resource in all(plain, ZONE_LINK) {
        if let (false, Some(zone_id)) = (seen.contains(&resource.id), resource.id.parent()) {
            let zone_name = fold(zone_id.name());
            out.push(ZoneLink { resource, zone_id, zone_name });
        }
    }
    out
}

impl ZoneLink {
    fn node(&self) -> Node<'_> {
        self.resource.node()
    }

    /// True when the zone answers for the virtual network through this link (D38).
    pub(super) fn serves(&self, vnet: &ArmId) -> Result<bool, Missing> {
        if network_of(&self.resource)? != *vnet {
            return Ok(false);
        }
        match self.node().text("/properties/virtualNetworkLinkState").known()? {
            // A link that is still to be created has no state; the claim is about after the apply (V1).
            None => Ok(true),
            Some(state) if state.eq_ignore_ascii_case("Completed") => Ok(true),
            Some(state) => Err(missing::evidence(
                format!("{} in state Completed", self.resource.id),
                format!("the link is {state} (D38)"),
            )),
        }
    }

    pub(super) fn on_nxdomain(&self) -> OnNxdomain {
        let private_link = self.zone_name.split('.').any(|label| label == "privatelink");
        let what = format!("resolutionPolicy of {}", self.resource.id);
        match self.node().text("/properties/resolutionPolicy").known() {
            Ok(Some(policy)) if policy.eq_ignore_ascii_case("Default") => OnNxdomain::Final,
            Ok(Some(policy)) if policy.eq_ignore_ascii_case("NxDomainRedirect") => {
                if private_link {
                    return OnNxdomain::Redirect;
                }
                let why = "NxDomainRedirect on an ordinary zone: whether Azure refuses or ignores it is open";
                OnNxdomain::Unknown(missing::contested("D39", what, why))
            }
            Ok(Some(policy)) => {
                OnNxdomain::Unknown(missing::evidence(what, format!("unknown value {policy}")))
            }
            // Older API versions omit the field; only Private Link zones can carry the other value (D39).
            Ok(None) if private_link => OnNxdomain::Unknown(missing::evidence(
                what,
                "read with an API version before 2024-06-01 (D39)",
            )),
            Ok(None) => OnNxdomain::Final,
            Err(missing) => OnNxdomain::Unknown(missing),
        }
    }
}
