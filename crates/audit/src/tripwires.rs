//! What exists in Azure and is not modelled (`facts/tripwires.toml`, DESIGN §2): claims that it could change are
//! undetermined, whatever the rest says of them.

use std::collections::BTreeSet;

use pullproof_network::Network;
use pullproof_network::model::index::{Ref, VnetIx};
use pullproof_network::model::private_endpoint::PrivateLinkTarget;
use pullproof_prover::{Missing, MissingKind};
use pullproof_snapshot::facts::tripwires::{self, Reach, Tripwire};
use pullproof_snapshot::question::VerdictWord;
use pullproof_snapshot::{ArmId, Layered, facts};

use crate::claims::Made;
use crate::model::{Layer, ProofPath};
use crate::print::Printer;

/// Every place of the input at which a feature that is not modelled was found.
pub struct Tripwires {
    found: Vec<Found>,
}

struct Found {
    tripwire: &'static Tripwire,
    resource: ArmId,
    /// What the resource is attached to, where it is no child of it: a registry, a hub.
    attached: Option<ArmId>,
}

/// Whom the claims are about.
pub struct Scene<'a> {
    pub network: &'a Network,
    pub cluster: &'a ArmId,
    /// The node subnet's network.
    pub vnet: VnetIx,
    /// The registry's ARM id or declared name.
    pub registry: &'a str,
}

/// Where a resource of a tripwire says what it is attached to.
const ATTACHED: [&str; 2] = ["/properties/privateLinkResource/id", "/properties/virtualHub/id"];

impl Tripwires {
    pub fn of(layered: &Layered) -> Self {
        let mut found = Vec::new();
        for tripwire in tripwires::all() {
            for ix in layered.of_type(&tripwire.resource_type) {
                let json = layered.json(ix);
                if tripwire.found(&json).is_empty() {
                    continue;
                }
                let attached = ATTACHED.iter().find_map(|at| json.pointer(at)?.as_str()).map(ArmId::new);
                found.push(Found { tripwire, resource: layered.id(ix).clone(), attached });
            }
        }
        Self { found }
    }

    /// Reopens each claim that something here could change. An open claim stays as it is.
    pub fn reopen(&self, scene: &Scene<'_>, made: &mut [Made], printer: &Printer<'_>) {
        for one in made {
            let of_layer = |f: &&Found| f.tripwire.layers.iter().any(|l| layer(*l) == one.claim.layer);
            if one.claim.verdict == VerdictWord::Undetermined || !self.found.iter().any(|f| of_layer(&f)) {
                continue;
            }
            let path = one.path.as_ref().and_then(|path| path.print(printer));
            let touched = touched(path.as_ref());
            let missing: Vec<Missing> = self
                .found
                .iter()
                .filter(of_layer)
                .filter(|f| reaches(f, scene, &touched, one.claim.verdict))
                .map(missing)
                .collect();
            if !missing.is_empty() {
                one.reopen(&missing);
            }
        }
    }
}

/// The resources, folded, that the path of a claim names.
fn touched(path: Option<&ProofPath>) -> BTreeSet<ArmId> {
    let steps = path.into_iter().flat_map(|p| &p.branches).flat_map(|b| &b.path);
    steps
        .flat_map(|s| s.by.iter().map(|e| &e.resource).chain([&s.device]))
        .map(|id| ArmId::new(id.as_str()))
        .collect()
}

fn reaches(found: &Found, scene: &Scene<'_>, touched: &BTreeSet<ArmId>, verdict: VerdictWord) -> bool {
    let network = scene.network;
    let resource = &found.resource;
    match found.tripwire.reach {
        Reach::Cluster => resource == scene.cluster,
        Reach::Registry => *found.attached.as_ref().unwrap_or(resource) == ArmId::new(scene.registry),
        Reach::Hub => {
            let hub = found.attached.clone().unwrap_or_else(|| of_hub(resource));
            let passes = touched.iter().any(|id| *id == hub || id.is_within(hub.folded()));
            // What a hub announces may be the route that was not found.
            passes || (verdict == VerdictWord::Disproven && connected(network, scene.vnet, &hub))
        }
        Reach::NetworkManager => {
            let here =
                network.vnets.iter().filter(|(ix, vnet)| *ix == scene.vnet || touched.contains(&vnet.id));
            let mut ids = here.map(|(_, vnet)| &vnet.id);
            let manager = network.network_managers.iter().find(|(_, m)| resource.is_within(m.id.folded()));
            manager.is_none_or(|(_, m)| {
                m.scopes.open.is_some()
                    || ids
                        .any(|id| m.scopes.iter().any(|s| !s.contains("/subscriptions/") || id.is_within(s)))
            })
        }
        Reach::VirtualNetwork => network.vnets[scene.vnet].id == *resource || touched.contains(resource),
        Reach::Gateway => resource.parent().is_some_and(|gateway| touched.contains(&gateway)),
        Reach::PrivateEndpoint => network.private_endpoints.iter().any(|(_, endpoint)| {
            touched.contains(&endpoint.id)
                && endpoint.connections.iter().any(|c| {
                    matches!(c.target.present(), Some(PrivateLinkTarget::Other(target)) if target == resource)
                })
        }),
    }
}

/// The hub that a resource is, or is a child of.
fn of_hub(resource: &ArmId) -> ArmId {
    let is_hub = |id: &ArmId| id.resource_type().is_some_and(|t| t == "microsoft.network/virtualhubs");
    match resource.parent() {
        Some(parent) if !is_hub(resource) && is_hub(&parent) => parent,
        _ => resource.clone(),
    }
}

fn connected(network: &Network, vnet: VnetIx, hub: &ArmId) -> bool {
    network.hub_connections.iter().any(|(_, connection)| {
        network.hubs[connection.hub].id == *hub
            && connection.remote.present().and_then(Ref::here) == Some(vnet)
    })
}

fn layer(of: facts::tripwires::Layer) -> Layer {
    match of {
        facts::tripwires::Layer::Routing => Layer::Routing,
        facts::tripwires::Layer::Filtering => Layer::Filtering,
    }
}

fn missing(found: &Found) -> Missing {
    Missing {
        kind: MissingKind::NotModelled,
        what: format!("{}: {}", found.resource.name(), found.tripwire.text),
        why: format!("this is not modelled ({})", found.tripwire.facts.join(", ")),
        remedy: "check this by hand".into(),
        holds_if: None,
        breaks_if: None,
    }
}
