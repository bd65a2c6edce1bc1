//! The small questions: compiling rules, one filter decision, effective routes, one warm audit.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use pullproof_audit::pairs::Selection;
use pullproof_audit::{Options, run};
use pullproof_checker::Plain;
use pullproof_network::Network;
use pullproof_prover::Prover;
use pullproof_scenario::Scenario;
use pullproof_snapshot::question::{Direction, From, Packet, Question};
use pullproof_snapshot::{Declared, Layered};

/// A subnet whose security group has `rules` distinct rules, and a pool in it that pulls over a private endpoint.
/// The one that the binary has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn scenario(rules: usize) -> String {
    let mut list = String::new();
    for i in 0..rules {
        let (a, b) = (i / 250, i % 250);
        list.push_str(&format!(
            "      - {{name: r{i}, priority: {}, direction: Outbound, access: Deny, protocol: Tcp, source: '*', \
             destination: 172.{}.{b}.0/24, destinationPorts: {}}}\n",
            100 + i,
            16 + a,
            1024 + i
        ));
    }
    format!(
        "name: bench
virtualNetworks:
  - name: vnet
    addressSpace: 10.0.0.0/16
    subnets:
      - {{name: snet-nodes, addressPrefix: 10.0.0.0/24, networkSecurityGroup: nsg, routeTable: rt}}
      - {{name: snet-pe, addressPrefix: 10.0.1.0/24}}
routeTables:
  - name: rt
    routes: [{{name: onprem, addressPrefix: 172.16.0.0/12, nextHopType: None}}]
networkSecurityGroups:
  - name: nsg
    rules:
{list}privateDnsZones:
  - {{name: privatelink.azurecr.io, links: [{{virtualNetwork: vnet}}]}}
registries:
  - {{name: contosoreg, publicNetworkAccess: Disabled}}
privateEndpoints:
  - {{name: pe, subnet: vnet/snet-pe, target: contosoreg, zoneGroup: [privatelink.azurecr.io]}}
clusters:
  - {{name: aks, pools: [{{name: sys, subnet: vnet/snet-nodes}}]}}
roleAssignments:
  - {{principal: aks/kubelet, role: AcrPull, scope: contosoreg}}
"
    )
}

fn layered(rules: usize) -> Layered {
    let scenario = Scenario::parse(&scenario(rules)).expect("the scenario parses");
    Layered::new(Arc::new(scenario.expand().expect("it expands").into_snapshot()))
}

fn subnet() -> From {
    From { subnet: Some("snet-nodes".into()), nic: None }
}

fn filter() -> Question {
    let packet = Packet {
        protocol: "tcp".into(),
        source: "10.0.0.4".into(),
        source_port: Some(40_000),
        destination: "10.0.1.4".into(),
        destination_port: Some(443),
    };
    Question::Filter { at: subnet(), direction: Direction::Outbound, packet }
}

fn benches(c: &mut Criterion) {
    let small = layered(1_000);
    let network = Network::read(small.clone(), Declared::default());
    let question = filter();
    c.bench_function("compile 1,000 rules and answer once", |b| {
        b.iter_batched(
            || Prover::new(&network),
            |prover| black_box(prover.answer(&question)),
            BatchSize::SmallInput,
        );
    });
    let prover = Prover::new(&network);
    prover.answer(&question);
    c.bench_function("one question of a group of 1,000 rules", |b| {
        b.iter(|| black_box(prover.answer(&question)))
    });
    let routes = Question::EffectiveRoutes { from: subnet() };
    c.bench_function("effective routes", |b| {
        b.iter_batched(
            || Prover::new(&network),
            |prover| black_box(prover.answer(&routes)),
            BatchSize::SmallInput,
        );
    });
    let plain = Plain::new(small, Declared::default());
    let options = Options {
        selection: Selection { clusters: vec!["aks".into()], ..Selection::default() },
        ..Options::default()
    };
    let first = run(&prover, &plain, &options).expect("it runs");
    assert_eq!(first.summary.proven, 1, "the audit that is measured is proven");
    c.bench_function("one warm audit", |b| {
        b.iter(|| black_box(run(&prover, &plain, &options).map(|r| r.summary)))
    });
}

criterion_group!(group, benches);
criterion_main!(group);
