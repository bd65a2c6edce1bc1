//! Random small networks, put to both evaluators: what the prover states and what the plain evaluator states never
//! contradict each other, in audits (V13) and in single questions (CONTRACT §4).
//!
//! `NETWORKS=<number>` tries more of them (100,000 outside CI, in a release build), `NETWORK=<number>` only that one.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use pullproof_audit::{Options, run};
use pullproof_checker::{Plain, answer};
use pullproof_network::Network;
use pullproof_prover::Prover;
use pullproof_scenario::Scenario;
use pullproof_snapshot::question::Line;
use pullproof_tests::cases::World;
use pullproof_tests::dice::Dice;
use pullproof_tests::random::{ADDRESSES, RandomNetwork, network};
use serde_json::{Value, json};

/// How many are tried where nothing else is said.
const USUAL: u64 = 2_000;
/// Questions a network.
const QUESTIONS: usize = 10;

const HOSTS: [&str; 6] = [
    "fabrikamreg.azurecr.io",
    "fabrikamreg.westeurope.data.azurecr.io",
    "fabrikamreg.privatelink.azurecr.io",
    "fabrikamedge.azurecr.io",
    "harbor.corp.fabrikam.example",
    "nowhere.azurecr.io",
];

fn question(dice: &mut Dice, of: &RandomNetwork) -> Value {
    let subnet = dice.pick(&of.subnets).cloned().unwrap_or_default();
    let port = [443, 443, 443, 53, 80, 442, 444][dice.below(7)];
    let source_port = [32768, 60999, 443][dice.below(3)];
    let packet = json!({
        "protocol": dice.of(&["tcp", "tcp", "udp"]), "source": dice.of(&ADDRESSES), "source_port": source_port,
        "destination": dice.of(&ADDRESSES), "destination_port": port,
    });
    match dice.below(8) {
        0 => json!({"ask": "next-hop", "subnet": subnet, "destination": dice.of(&ADDRESSES)}),
        1 => json!({"ask": "effective-routes", "subnet": subnet}),
        2 => {
            json!({"ask": "filter", "subnet": subnet, "direction": dice.of(&["inbound", "outbound"]), "packet": packet})
        }
        3 if of.firewall => {
            json!({"ask": "firewall", "firewall": "afw", "packet": packet, "host": dice.of(&HOSTS)})
        }
        4 => {
            json!({"ask": "admission", "registry": dice.of(&["fabrikamreg", "fabrikamedge"]), "from": dice.of(&["public", "private-endpoint"]), "address": dice.of(&["203.0.113.10", "203.0.113.11", "198.51.100.7", "10.1.0.4"])})
        }
        5 => {
            json!({"ask": "lookup", "subnet": subnet, "name": dice.of(&HOSTS), "type": "A"})
        }
        6 => {
            json!({"ask": "endpoints", "registry": dice.of(&["fabrikamreg", "fabrikamedge"]), "cluster": dice.of(&["aks-a", "aks-b"])})
        }
        _ => {
            json!({"ask": "path", "from": {"subnet": subnet}, "to": if dice.percent(60) { json!({"address": dice.of(&ADDRESSES)}) } else { json!({"host": dice.of(&HOSTS)}) }, "port": port, "protocol": "tcp"})
        }
    }
}

/// Whether two answers to one question contradict each other: both known, and different.
fn contradict(ask: &str, one: &Value, other: &Value) -> bool {
    let known = |key: &str| one[key] != "unknown" && other[key] != "unknown";
    let differ = |keys: &[&str]| keys.iter().any(|key| one[*key] != other[*key]);
    let set = |answer: &Value, key: &str| -> BTreeSet<String> {
        answer[key].as_array().into_iter().flatten().map(Value::to_string).collect()
    };
    match ask {
        "next-hop" => {
            known("next_hop_type") && differ(&["next_hop_type", "next_hop_ip", "prefix", "delivered"])
        }
        "effective-routes" => {
            let closed = |answer: &Value| answer["open"].as_array().is_some_and(Vec::is_empty);
            closed(one) && closed(other) && set(one, "routes") != set(other, "routes")
        }
        "lookup" => {
            // What goes round in a circle ends without an answer, and a client cannot tell the two apart.
            let result = |answer: &Value| match answer["result"].as_str() {
                Some("loop") => "timeout".to_owned(),
                other => other.unwrap_or_default().to_owned(),
            };
            let differs = result(one) != result(other) || one["scope"] != other["scope"];
            known("result") && (differs || set(one, "addresses") != set(other, "addresses"))
        }
        "endpoints" => {
            let settled = |answer: &Value| answer["missing"].as_array().is_some_and(Vec::is_empty);
            settled(one) && settled(other) && set(one, "endpoints") != set(other, "endpoints")
        }
        "path" => ["verdict", "forward", "return"].iter().any(|key| {
            let words = (one[*key].as_str(), other[*key].as_str());
            matches!(words, (Some("proven"), Some("disproven")) | (Some("disproven"), Some("proven")))
        }),
        _ => known("decision") && differ(&["decision"]),
    }
}

/// What is wrong with the answers about one network, one line each; `None` where it is no network.
fn wrong(number: u64) -> Option<Vec<String>> {
    let random = network(number);
    let scenario = Scenario::parse(&random.scenario).ok()?;
    scenario.expand().ok()?;
    let mut dice = Dice::new(number.wrapping_mul(31).wrapping_add(7));
    let World { layered, declared } = World::of(&scenario, &number.to_string());
    let read = Network::read(layered.clone(), declared.clone());
    let (prover, plain) = (Prover::new(&read), Plain::new(layered, declared));
    let mut found = Vec::new();
    match run(&prover, &plain, &Options::default()) {
        Ok(report) => found.extend(report.disagreements.iter().map(|d| format!("audit: {d:?}"))),
        Err(problem) => found.push(format!("audit: {problem}")),
    }
    for _ in 0..QUESTIONS {
        let asked = question(&mut dice, &random);
        let line: Line = serde_json::from_value(asked.clone()).expect("a question");
        let show = |answer| serde_json::to_value(answer).expect("an answer is JSON");
        let (symbolic, step_by_step) =
            (show(prover.answer(&line.question)), show(answer(&plain, &line.question)));
        let ask = asked["ask"].as_str().unwrap_or_default();
        let error = |answer: &Value| answer.get("error").is_some();
        if error(&symbolic) || error(&step_by_step) || contradict(ask, &symbolic, &step_by_step) {
            found.push(format!("{asked}\n      prover {symbolic}\n      plain  {step_by_step}"));
        }
    }
    Some(found)
}

#[test]
fn the_evaluators_agree_on_random_networks() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let numbers = match number("NETWORK") {
        Some(only) => {
            println!("{}", network(only).scenario);
            only..only + 1
        }
        None => 0..number("NETWORKS").unwrap_or(USUAL),
    };
    let next = AtomicU64::new(numbers.start);
    let results: Mutex<BTreeMap<u64, Option<Vec<String>>>> = Mutex::default();
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return;
            }
            let found = catch_unwind(AssertUnwindSafe(|| wrong(number)));
            let found = found.unwrap_or_else(|_| Some(vec!["panic".into()]));
            results.lock().expect("no thread panics").insert(number, found);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let (mut report, mut bad, mut unusable) = (String::new(), 0, 0);
    for (number, found) in results.into_inner().expect("no thread panics") {
        match found {
            None => unusable += 1,
            Some(found) if found.is_empty() => {}
            Some(found) => {
                bad += 1;
                let _ = writeln!(report, "network {number}:\n    {}", found.join("\n    "));
            }
        }
    }
    let all = numbers.end - numbers.start;
    assert!(bad == 0, "{bad} of {all} networks:\n{report}");
    assert!(unusable * 20 <= all, "{unusable} of {all} networks cannot be expanded");
}
