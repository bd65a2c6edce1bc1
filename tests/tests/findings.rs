//! What is worth a finding beside the verdict: nodes older than a change, recorded answers that differ.

use std::sync::Arc;

use pullproof_audit::{Options, run};
use pullproof_checker::Plain;
use pullproof_network::Network;
use pullproof_prover::Prover;
use pullproof_scenario::Expanded;
use pullproof_snapshot::{ArmId, Declared, Edit, Layered};
use pullproof_tests::cases::changed;
use serde_json::{Value, json};

/// A registry behind a private endpoint in the nodes' own network. Proven.
const OWN: &str = "
name: own
subscriptions: [{name: s, id: 00000000-0000-4000-8000-000000000001}]
virtualNetworks:
  - {name: vnet, addressSpace: 10.1.0.0/16, subnets: [{name: snet-nodes, addressPrefix: 10.1.0.0/24}, {name: snet-pe, addressPrefix: 10.1.2.0/24}]}
virtualMachines: [{name: vm, subnet: vnet/snet-nodes, address: 10.1.0.200}]
privateDnsZones: [{name: privatelink.azurecr.io, links: [{virtualNetwork: vnet}]}]
registries: [{name: fabrikamreg, publicNetworkAccess: Disabled}]
privateEndpoints:
  - {name: pe, subnet: vnet/snet-pe, target: fabrikamreg, addresses: {registry_data_westeurope: 10.1.2.4, registry: 10.1.2.6}, zoneGroup: [privatelink.azurecr.io]}
clusters: [{name: aks, pools: [{name: sys, subnet: vnet/snet-nodes}]}]
roleAssignments: [{principal: aks/kubelet, role: AcrPull, scope: fabrikamreg}]
";

const GROUP: &str = "/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/rg-own/providers";

fn expanded(change: &str) -> Expanded {
    changed(OWN, change, change).expand().unwrap_or_else(|e| panic!("{change}: {e}"))
}

/// The verdicts, and the kinds of all causes.
fn audited(layered: Layered) -> (Vec<String>, Vec<String>) {
    let network = Network::read(layered.clone(), Declared::default());
    let plain = Plain::new(layered, Declared::default());
    let report = run(&Prover::new(&network), &plain, &Options::default()).unwrap_or_else(|e| panic!("{e}"));
    assert!(report.disagreements.is_empty(), "{:?}", report.disagreements);
    let word = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let verdict = |a: &_| word(serde_json::to_value(a).expect("a word"));
    let verdicts = report.audits.iter().map(|a| verdict(&a.verdict)).collect();
    (verdicts, report.causes.iter().map(|c| c.kind.clone()).collect())
}

fn as_is(expanded: Expanded) -> (Vec<String>, Vec<String>) {
    audited(Layered::new(Arc::new(expanded.into_snapshot())))
}

fn has(causes: &[String], kind: &str) -> bool {
    causes.iter().any(|cause| cause == kind)
}

#[test]
fn stale_nodes_is_a_finding_and_no_verdict() {
    let pool = |running: &str| {
        format!(
            "set: {{/clusters/0/pools/0/properties: {{orchestratorVersion: '1.34', currentOrchestratorVersion: '{running}'}}}}"
        )
    };
    let (verdicts, causes) = as_is(expanded(&pool("1.33.5")));
    assert_eq!(verdicts, ["proven"]);
    assert!(has(&causes, "stale-nodes"), "{causes:?}");
    // A minor version stands for its patches.
    let (verdicts, causes) = as_is(expanded(&pool("1.34.2")));
    assert_eq!(verdicts, ["proven"]);
    assert!(!has(&causes, "stale-nodes"), "{causes:?}");
}

#[test]
fn resolvers_that_a_plan_changes_do_not_reach_running_nodes() {
    let snapshot = Arc::new(expanded("set: {/location: westeurope}").into_snapshot());
    let id = format!("{GROUP}/Microsoft.Network/virtualNetworks/vnet");
    let base = Layered::new(snapshot);
    let mut vnet = (*base.json(base.find(&id).expect("the network"))).clone();
    vnet["properties"]["dhcpOptions"] = json!({"dnsServers": ["10.1.9.9"]});
    let (_, causes) = audited(base.and(vec![Edit::Put { id: ArmId::new(&id), json: vnet }]));
    assert!(has(&causes, "stale-nodes"), "{causes:?}");
    assert!(!has(&audited(base).1, "stale-nodes"));
}

/// The effective routes of the machine in the nodes' subnet, with one row for the endpoints' addresses.
fn recorded(hop: &str, address: &[&str]) -> Value {
    let row = |prefix: &str, hop: &str, address: &[&str]| json!({"source": "Default", "state": "Active", "addressPrefix": [prefix], "nextHopType": hop, "nextHopIpAddress": address});
    json!({
        "resource": format!("{GROUP}/Microsoft.Network/networkInterfaces/vm-nic"),
        "operation": "effectiveRouteTable",
        "answer": {"value": [
            row("10.1.0.0/16", "VnetLocal", &[]), row("0.0.0.0/0", "Internet", &[]),
            row("10.1.2.4/32", hop, address), row("10.1.2.6/32", hop, address),
        ]},
    })
}

#[test]
fn recorded_routes_that_differ_keep_claims_open() {
    let with = |evidence: Value| {
        let mut expanded = expanded("set: {/location: westeurope}");
        expanded.evidence.push(evidence);
        as_is(expanded)
    };
    let (verdicts, causes) = with(recorded("InterfaceEndpoint", &[]));
    assert_eq!(verdicts, ["proven"], "{causes:?}");
    assert!(!has(&causes, "computed-differs-from-azure"));
    let (verdicts, causes) = with(recorded("VirtualAppliance", &["10.1.9.4"]));
    assert_eq!(verdicts, ["undetermined"]);
    assert!(has(&causes, "computed-differs-from-azure"), "{causes:?}");
}
