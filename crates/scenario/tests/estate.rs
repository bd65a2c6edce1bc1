//! The generated estates: sizes, shapes, the same on every run.

use std::collections::{BTreeMap, BTreeSet};

use pullproof_scenario::{check_shape, estate};
use serde_json::Value;

fn count(resources: &[Value]) -> BTreeMap<&str, usize> {
    let mut count = BTreeMap::new();
    for resource in resources {
        *count.entry(resource["type"].as_str().unwrap_or_default()).or_default() += 1;
    }
    count
}

#[test]
fn once_is_a_sixteenth() {
    let resources: Vec<Value> = estate(1, 7).collect();
    let count = count(&resources);
    assert_eq!(count.get("Microsoft.Network/virtualNetworks"), Some(&125));
    assert_eq!(count.get("Microsoft.ContainerService/managedClusters"), Some(&32));
    assert_eq!(count.get("Microsoft.ContainerRegistry/registries"), Some(&4));
    let ids: BTreeSet<&str> = resources.iter().filter_map(|r| r["id"].as_str()).collect();
    assert_eq!(ids.len(), resources.len(), "an id is there twice");
    let pools = "Microsoft.ContainerService/managedClusters/agentPools";
    let subnets: BTreeSet<&str> = resources
        .iter()
        .filter(|r| r["type"] == pools)
        .filter_map(|r| r.pointer("/properties/vnetSubnetID")?.as_str())
        .collect();
    assert_eq!(Some(&subnets.len()), count.get(pools), "two pools share a subnet");
    assert!(subnets.len() >= 157, "{}", subnets.len());
    for group in resources.iter().filter(|r| {
        r["type"] == "Microsoft.Network/networkSecurityGroups"
            && r["name"].as_str().is_some_and(|name| name.starts_with("nsg-"))
    }) {
        let rules = group.pointer("/properties/securityRules").and_then(Value::as_array).map_or(0, Vec::len);
        assert!((100..=1001).contains(&rules), "{rules}");
    }
}

#[test]
fn a_sample_has_the_shape_of_microsofts_models() {
    for (i, resource) in estate(1, 7).enumerate() {
        if i % 23 == 0 || (i < 400 && resource["type"] != "Microsoft.Network/networkSecurityGroups") {
            check_shape(&resource).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

#[test]
fn hubs_have_twenty_to_forty_spokes() {
    for network in estate(4, 7).filter(|r| r["name"] == "vnet-hub") {
        let peerings = network.pointer("/properties/virtualNetworkPeerings").and_then(Value::as_array);
        let spokes = peerings.map_or(0, Vec::len);
        // A missing half is one of the faults.
        assert!((19..=40).contains(&spokes), "{spokes}");
    }
}

#[test]
fn the_same_seed_gives_the_same_estate() {
    let first = |seed| estate(1, seed).take(600).collect::<Vec<_>>();
    assert_eq!(first(1), first(1));
    assert_ne!(first(1), first(2));
}
