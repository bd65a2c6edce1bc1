//! From ARM JSON to typed objects, resource by resource, on two threads.
//!
//! What lives here: the table of consumed types ([`KINDS`]), field access ([`fields`]), one file a family. What may
//! not: anything that needs a second object; that is `link` and `indexes`. Read [`reader`] and [`fields`] first.

mod cluster;
mod compute;
mod dns_resolver;
mod dns_zone;
mod domain;
mod fields;
mod firewall;
mod firewall_rules;
mod gateway;
mod hub;
mod identity;
mod load_balancer;
mod merge;
mod network_manager;
mod nic;
mod nsg;
mod nsg_text;
mod private_endpoint;
mod reader;
mod registry;
mod route_table;
mod service_endpoint_policy;
mod terms;
mod vnet;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use pullproof_snapshot::{ArmId, Gap, Layered, Place, ResourceIx};
use serde_json::Value;

use crate::model::symbol::Symbols;
use crate::network::Objects;
use reader::{Reader, Source};

pub(crate) const PROVISIONING_STATE: &str = "/properties/provisioningState";
pub(crate) const LOCATION: &str = "/location";

/// The place of a parent that is not in the input: nothing stands there.
pub(crate) const NO_RESOURCE: ResourceIx = ResourceIx(u32::MAX);

/// A consumed resource type.
struct Kind {
    resource_type: &'static str,
    read: fn(&mut Reader<'_>, &Source),
    /// Reads a regular resource from its text; false where [`Kind::read`] has to.
    read_text: Option<fn(&mut Reader<'_>, ResourceIx) -> bool>,
    /// Collections of children that may come as resources of their own.
    children: &'static [&'static str],
}

const fn kind(resource_type: &'static str, read: fn(&mut Reader<'_>, &Source)) -> Kind {
    Kind { resource_type, read, read_text: None, children: &[] }
}

const fn parent(
    resource_type: &'static str,
    children: &'static [&'static str],
    read: fn(&mut Reader<'_>, &Source),
) -> Kind {
    Kind { resource_type, read, read_text: None, children }
}

/// All consumed types. One row a type.
const KINDS: &[Kind] = &[
    parent("microsoft.network/virtualnetworks", &["subnets", "virtualnetworkpeerings"], vnet::read),
    Kind {
        resource_type: "microsoft.network/networksecuritygroups",
        read: nsg::read,
        read_text: Some(nsg_text::read),
        children: &["securityrules", "defaultsecurityrules"],
    },
    kind("microsoft.network/applicationsecuritygroups", nsg::read_asg),
    parent("microsoft.network/routetables", &["routes"], route_table::read),
    kind("microsoft.network/networkinterfaces", nic::read),
    kind("microsoft.compute/virtualmachinescalesets/virtualmachines/networkinterfaces", nic::read),
    kind("microsoft.network/publicipaddresses", load_balancer::read_public_ip),
    kind("microsoft.network/publicipprefixes", load_balancer::read_public_ip_prefix),
    kind("microsoft.network/natgateways", load_balancer::read_nat_gateway),
    kind("microsoft.network/loadbalancers", load_balancer::read),
    kind("microsoft.network/serviceendpointpolicies", service_endpoint_policy::read),
    parent("microsoft.network/privateendpoints", &["privatednszonegroups"], private_endpoint::read),
    kind("microsoft.network/privatelinkservices", private_endpoint::read_service),
    kind("microsoft.network/virtualnetworkgateways", gateway::read),
    kind("microsoft.network/connections", gateway::read_connection),
    kind("microsoft.network/localnetworkgateways", gateway::read_local),
    kind("microsoft.network/expressroutecircuits", gateway::read_circuit),
    parent(
        "microsoft.network/virtualhubs",
        &[
            "hubvirtualnetworkconnections",
            "hubroutetables",
            "routingintent",
            "bgpconnections",
            "ipconfigurations",
        ],
        hub::read,
    ),
    parent("microsoft.network/vpngateways", &["vpnconnections"], hub::read_vpn_gateway),
    parent(
        "microsoft.network/expressroutegateways",
        &["expressrouteconnections"],
        hub::read_express_route_gateway,
    ),
    kind("microsoft.network/p2svpngateways", hub::read_p2s_gateway),
    kind("microsoft.network/azurefirewalls", firewall::read),
    parent("microsoft.network/firewallpolicies", &["rulecollectiongroups"], firewall::read_policy),
    kind("microsoft.network/ipgroups", firewall::read_ip_group),
    parent(
        "microsoft.network/networkmanagers",
        &["securityadminconfigurations", "connectivityconfigurations", "routingconfigurations"],
        network_manager::read,
    ),
    parent(
        "microsoft.network/privatednszones",
        &["virtualnetworklinks", "a", "aaaa", "cname", "mx", "ptr", "soa", "srv", "txt"],
        dns_zone::read,
    ),
    parent("microsoft.network/dnsresolvers", &["inboundendpoints", "outboundendpoints"], dns_resolver::read),
    parent(
        "microsoft.network/dnsforwardingrulesets",
        &["forwardingrules", "virtualnetworklinks"],
        dns_resolver::read_ruleset,
    ),
    parent(
        "microsoft.network/dnsresolverpolicies",
        &["dnssecurityrules", "virtualnetworklinks"],
        dns_resolver::read_policy,
    ),
    kind("microsoft.network/dnsresolverdomainlists", dns_resolver::read_domain_list),
    parent(
        "microsoft.containerregistry/registries",
        &["replications", "privateendpointconnections"],
        registry::read,
    ),
    parent("microsoft.containerservice/managedclusters", &["agentpools"], cluster::read),
    kind("microsoft.compute/virtualmachinescalesets", compute::read_scale_set),
    kind("microsoft.compute/virtualmachines", compute::read_virtual_machine),
    kind("microsoft.managedidentity/userassignedidentities", identity::read_user_identity),
    kind("microsoft.authorization/roleassignments", identity::read_role_assignment),
    kind("microsoft.authorization/roledefinitions", identity::read_role_definition),
    kind("microsoft.authorization/denyassignments", identity::read_deny_assignment),
    kind("microsoft.resources/subscriptions", identity::read_subscription),
];

/// The resource types that are read, folded; children that come as resources of their own included.
pub fn consumed_types() -> Vec<String> {
    let types = KINDS.iter().flat_map(|kind| {
        let children = kind.children.iter().map(|child| format!("{}/{child}", kind.resource_type));
        std::iter::once(kind.resource_type.to_owned()).chain(children)
    });
    types.collect()
}

/// What was read.
#[derive(Default)]
pub(crate) struct Read {
    pub objects: Objects,
    pub symbols: Symbols,
    pub gaps: Vec<Gap>,
    pub conflicts: Vec<Gap>,
}

/// Resources in one job of a worker. Jobs are merged in order, so threads do not show in the result.
const JOB: usize = 32;

pub(crate) fn read(layered: &Layered) -> Read {
    let work = work(layered);
    // Two names with one number are told apart by another salt; in practice the first one does.
    for salt in 0..u64::MAX {
        if let Some(read) = merge::merge(parallel(layered, &work, salt), salt) {
            return read;
        }
    }
    Read::default()
}

/// One thing to read.
enum Work {
    Resource(&'static Kind, ResourceIx),
    /// A parent that was not read, for its children's sake.
    Orphans(&'static Kind, ArmId, Vec<ResourceIx>),
}

fn work(layered: &Layered) -> Vec<Work> {
    let mut out = Vec::new();
    for kind in KINDS {
        out.extend(layered.of_type(kind.resource_type).into_iter().map(|ix| Work::Resource(kind, ix)));
        let mut orphans: BTreeMap<ArmId, Vec<ResourceIx>> = BTreeMap::new();
        for child in kind.children {
            for ix in layered.of_type(&format!("{}/{child}", kind.resource_type)) {
                if let Some(parent) = layered.id(ix).parent()
                    && layered.find(parent.folded()).is_none()
                {
                    orphans.entry(parent).or_default().push(ix);
                }
            }
        }
        out.extend(orphans.into_iter().map(|(parent, children)| Work::Orphans(kind, parent, children)));
    }
    out
}

fn parallel<'l>(layered: &'l Layered, work: &[Work], salt: u64) -> Vec<Reader<'l>> {
    let jobs: Vec<&[Work]> = work.chunks(JOB).collect();
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(number) else { return done };
            let mut reader = Reader::new(layered, salt);
            for item in *job {
                read_one(&mut reader, item);
            }
            done.push((number, reader));
        }
    };
    let mut done = if jobs.len() < 2 {
        worker()
    } else {
        std::thread::scope(|scope| {
            let other = scope.spawn(worker);
            let mut done = worker();
            // A worker cannot panic: the reader has no operation that does. If one did, so do we.
            match other.join() {
                Ok(theirs) => done.extend(theirs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
            done
        })
    };
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, reader)| reader).collect()
}

fn read_one(reader: &mut Reader<'_>, work: &Work) {
    match work {
        Work::Resource(kind, ix) => {
            if kind.read_text.is_some_and(|read_text| read_text(reader, *ix)) {
                return;
            }
            let source = Source {
                id: reader.layered.id(*ix).clone(),
                place: Place::whole(*ix),
                json: reader.layered.json(*ix),
                orphans: Vec::new(),
            };
            (kind.read)(reader, &source);
        }
        Work::Orphans(kind, parent, children) => {
            let source = Source {
                id: parent.clone(),
                place: Place::whole(NO_RESOURCE),
                json: std::sync::Arc::new(Value::Null),
                orphans: children.clone(),
            };
            reader.unread_parent = Some(parent.clone());
            (kind.read)(reader, &source);
            reader.unread_parent = None;
        }
    }
}
