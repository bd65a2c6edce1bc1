//! What lookups need by name: built once a prover.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use pullproof_network::model::index::{RecordSetIx, RegistryIx, ZoneIx};
use pullproof_network::{Network, Ref, Val};

use super::name;

/// What a public host of a registry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegistryHost {
    pub registry: RegistryIx,
    /// `<label>.privatelink.<suffix>` and its like, which the public name leads through where the registry has an
    /// Approved private endpoint (D62, D180).
    pub private_link: String,
}

#[derive(Debug)]
pub(crate) struct Index {
    records: HashMap<ZoneIx, HashMap<Box<str>, Vec<RecordSetIx>>>,
    /// Names that have others below them.
    parents: HashMap<ZoneIx, HashSet<String>>,
    /// `[[public_name]]` tables by folded host.
    pub public_names: HashMap<String, usize>,
    /// Names of registries that were read, by public host.
    pub registry_hosts: HashMap<String, RegistryHost>,
    /// The same by private link name, with the public host.
    pub private_links: HashMap<String, (RegistryIx, String)>,
    /// Record sets of private link zones that were read, by registry label and suffix: their names show that the
    /// registry has, or had, a private endpoint (A99, D46).
    private_link_records: BTreeMap<(String, String), RecordSetIx>,
    /// Folded ids (without `/subscriptions/`) of all subscriptions that anything read lies in or points to.
    pub subscriptions: BTreeSet<String>,
}

impl Index {
    pub fn new(network: &Network) -> Self {
        let mut records: HashMap<ZoneIx, HashMap<Box<str>, Vec<RecordSetIx>>> = HashMap::new();
        let mut parents: HashMap<ZoneIx, HashSet<String>> = HashMap::new();
        for (ix, set) in network.record_sets.iter() {
            let mut rest: &str = &set.name;
            while let Some((_, parent)) = rest.split_once('.') {
                parents.entry(set.zone).or_default().insert(parent.to_owned());
                rest = parent;
            }
            records.entry(set.zone).or_default().entry(set.name.clone()).or_default().push(ix);
        }
        let registry_hosts = crate::registry::host::public_hosts(network);
        let tables = network.declared.public_names.iter().enumerate();
        Self {
            records,
            parents,
            public_names: tables.map(|(i, t)| (name::fold(&t.host), i)).collect(),
            private_links: registry_hosts
                .iter()
                .map(|(host, h)| (h.private_link.clone(), (h.registry, host.clone())))
                .collect(),
            registry_hosts,
            private_link_records: private_link_records(network),
            subscriptions: subscriptions(network),
        }
    }

    /// A record set that some private link zone holds for the registry with this label, for its login host or another.
    pub fn private_link_record(&self, label: &str, suffix: &str) -> Option<RecordSetIx> {
        self.private_link_records.get(&(label.to_owned(), suffix.to_owned())).copied()
    }

    /// The record sets of one relative name.
    pub fn records(&self, zone: ZoneIx, relative: &str) -> &[RecordSetIx] {
        self.records.get(&zone).and_then(|names| names.get(relative)).map_or(&[], Vec::as_slice)
    }

    /// Some record set lies below `relative`, so that it exists as an empty name (D49, RFC 8020).
    pub fn is_parent(&self, zone: ZoneIx, relative: &str) -> bool {
        self.parents.get(&zone).is_some_and(|names| names.contains(relative))
    }
}

/// `contoso.privatelink.azurecr.io` and `contoso.westeurope.data.privatelink.azurecr.io` both are of (`contoso`,
/// `azurecr.io`).
fn private_link_records(network: &Network) -> BTreeMap<(String, String), RecordSetIx> {
    let mut out = BTreeMap::new();
    for (_, zone) in network.zones.iter() {
        let Some((below, suffix)) = private_link_zone(&zone.name) else { continue };
        for ix in &zone.record_sets {
            // The apex of a zone for one name (`contoso.privatelink.azurecr.io`) is that name.
            let relative = match &*network.record_sets[*ix].name {
                "@" => below,
                relative => relative,
            };
            let label = relative.split('.').next().filter(|label| !label.is_empty());
            if let Some(label) = label {
                out.entry((label.to_owned(), suffix.to_owned())).or_insert(*ix);
            }
        }
    }
    out
}

/// What stands before and after the label `privatelink` in a zone's name.
fn private_link_zone(zone: &str) -> Option<(&str, &str)> {
    match zone.strip_prefix("privatelink.") {
        Some(suffix) => Some(("", suffix)),
        None => zone.split_once(".privatelink."),
    }
}

/// Subscriptions that are known to be there: of everything read, of gaps, and of the networks that ours are peered
/// with or zones that endpoints write to. A zone linked to one of our networks may lie in any of them (D44).
fn subscriptions(network: &Network) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut add = |id: &pullproof_snapshot::ArmId| {
        if let Some(subscription) = id.subscription() {
            out.insert(subscription.to_owned());
        }
    };
    for ix in network.layered.resources() {
        add(network.layered.id(ix));
    }
    for gap in network.layered.gaps() {
        for id in gap.scope.iter().chain(&gap.resource) {
            add(&pullproof_snapshot::ArmId::new(id));
        }
    }
    for peering in network.peerings.values() {
        if let Val::Known(Some(Ref::NotRead(id))) = &peering.remote {
            add(id);
        }
    }
    for group in network.zone_groups.values() {
        for config in &group.configs {
            if let Val::Known(Some(Ref::NotRead(id))) = &config.zone {
                add(id);
            }
        }
    }
    out
}
