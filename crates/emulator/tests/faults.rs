//! Fault plans: each fault on the wire, and plans that cannot be used.

mod client;

use std::time::{Duration, Instant};

use client::{NETWORK, PLATFORM, PROD, authorized, contoso, get, graph, list, request, start_with};
use pullproof_emulator::{Emulator, FaultPlan, Options, StartError};
use serde_json::Value;

const VNETS: &str = "Microsoft.Network/virtualNetworks";

fn fault(then: &str) -> Emulator {
    fault_on("type = \"Microsoft.Network/virtualNetworks\"\nfirst = 1", then)
}

fn fault_on(which: &str, then: &str) -> Emulator {
    start_with(
        contoso(),
        &format!("[[fault]]\n{which}\nthen = {then}\n"),
        Options { page_size: 1, ..Options::default() },
    )
}

#[test]
fn throttling_and_server_errors_pass() {
    let emulator = fault("{ kind = \"throttle\", retry-after = 7 }");
    let first = list(&emulator, PROD, VNETS, NETWORK);
    assert_eq!((first.status, first.headers["retry-after"].as_str()), (429, "7"));
    assert_eq!(list(&emulator, PROD, VNETS, NETWORK).status, 200);
    assert_eq!(emulator.calls()[0].faults, ["fault-1"]);
    assert!(emulator.calls()[1].faults.is_empty());
    let emulator = fault("{ kind = \"server-error\", status = 504 }");
    assert_eq!(list(&emulator, PROD, VNETS, NETWORK).code(), "GatewayTimeout");
    assert_eq!(list(&emulator, PROD, VNETS, NETWORK).status, 200);
}

#[test]
fn the_wire_is_reset_cut_and_slow() {
    let path = format!("{PROD}/providers/{VNETS}?api-version={NETWORK}");
    let emulator = fault("{ kind = \"reset\" }");
    let reset = authorized(&emulator, "GET", &path, "").map_err(|error| error.kind());
    assert_eq!(reset.err(), Some(std::io::ErrorKind::ConnectionReset));
    assert_eq!(get(&emulator, &path).status, 200);

    let emulator = fault("{ kind = \"truncate\", bytes = 40 }");
    let answer = get(&emulator, &path);
    assert!(answer.cut && answer.body.len() == 40, "{answer:?}");

    let emulator = fault("{ kind = \"slow\", milliseconds = 300 }");
    let before = Instant::now();
    assert_eq!(get(&emulator, &path).status, 200);
    assert!(before.elapsed() >= Duration::from_millis(300));
}

#[test]
fn bodies_of_another_kind() {
    let emulator = fault("{ kind = \"content-type\" }");
    let answer = list(&emulator, PROD, VNETS, NETWORK);
    assert_eq!((answer.status, answer.headers["content-type"].as_str()), (200, "text/html"));
    assert!(answer.body.starts_with(b"<!DOCTYPE"));
}

#[test]
fn links_loop_and_lead_away() {
    let next = |emulator: &Emulator| {
        list(emulator, PROD, VNETS, NETWORK).json()["nextLink"].as_str().unwrap_or_default().to_owned()
    };
    let emulator = fault_on("type = \"Microsoft.Network/virtualNetworks\"", "{ kind = \"paging-loop\" }");
    let link = next(&emulator);
    assert_eq!(get(&emulator, &link).json()["nextLink"].as_str(), Some(link.as_str()));
    let query = "resources | where type =~ 'Microsoft.Network/virtualNetworks'";
    assert!(graph(&emulator, query).json()["$skipToken"].is_string());

    let emulator = fault("{ kind = \"foreign-link\", host = \"https://attacker.example\" }");
    assert!(next(&emulator).starts_with("https://attacker.example/subscriptions/"));
}

#[test]
fn a_type_in_a_scope_is_forbidden() {
    let which = format!("type = \"{VNETS}\"\nscope = \"{PROD}\"");
    let emulator = fault_on(&which, "{ kind = \"forbidden\" }");
    assert_eq!(list(&emulator, PROD, VNETS, NETWORK).code(), "AuthorizationFailed");
    assert_eq!(list(&emulator, PLATFORM, VNETS, NETWORK).status, 200);
    let query = "resources | where type =~ 'Microsoft.Network/virtualNetworks' | project id";
    assert_eq!(graph(&emulator, query).ids().len(), 1);
}

#[test]
fn resource_graph_leaves_out_on_the_calls_that_are_struck() {
    let emulator = fault("{ kind = \"forbidden\" }");
    let query = "resources | where type =~ 'Microsoft.Network/virtualNetworks' | project id";
    assert_eq!(graph(&emulator, query).ids().len(), 0);
    assert_eq!(graph(&emulator, query).ids().len(), 3);
}

#[test]
fn tokens_expire_in_mid_run() {
    let emulator = fault_on("method = \"GET\"\ncalls = [2]", "{ kind = \"expire-tokens\" }");
    let header = format!("authorization: Bearer {}\r\n", emulator.token());
    let ask = || {
        request(&emulator, "GET", &format!("{PROD}?api-version=2022-12-01"), &header, "").expect("an answer")
    };
    assert_eq!(ask().status, 200);
    assert_eq!(ask().code(), "ExpiredAuthenticationToken");
    assert_eq!(ask().status, 401);
    assert_eq!(get(&emulator, &format!("{PROD}?api-version=2022-12-01")).status, 200);
}

#[test]
fn token_endpoints_fail_only_where_the_plan_says_so() {
    let emulator = fault_on("part = \"token\"", "{ kind = \"server-error\" }");
    let tenant = emulator.credentials().tenant.clone();
    let answer =
        request(&emulator, "POST", &format!("/{tenant}/oauth2/v2.0/token"), "", "").expect("an answer");
    assert_eq!(answer.status, 503);
    assert_eq!(list(&emulator, PROD, VNETS, NETWORK).status, 200);
}

#[test]
fn the_estate_changes_in_mid_run() {
    let vnet = |name: &str| format!("{PROD}/resourceGroups/rg-{name}/providers/{VNETS}/vnet-{name}");
    let plan = format!(
        "[[change]]\nresource = \"{}\"\nafter = 1\nappears = true\n\
         [[change]]\nresource = \"{}\"\nafter = 2\nset = {{ \"/properties/enableDdosProtection\" = true }}\n\
         [[change]]\nresource = \"{}\"\nafter = 3\ndisappears = true\n",
        vnet("spoke1"),
        vnet("spoke2"),
        vnet("spoke2")
    );
    let emulator = start_with(contoso(), &plan, Options::default());
    let seen = || {
        let json = list(&emulator, PROD, VNETS, NETWORK).json();
        let value = json["value"].as_array().cloned().unwrap_or_default();
        let protected = |v: &Value| v.pointer("/properties/enableDdosProtection") == Some(&Value::Bool(true));
        (value.len(), value.iter().filter(|v| protected(v)).count())
    };
    assert_eq!(seen(), (1, 0));
    assert_eq!(seen(), (2, 0));
    assert_eq!(seen(), (2, 1));
    assert_eq!(seen(), (1, 0));
    let query = "resourcechanges | extend at = todatetime(properties.changeAttributes.timestamp) | where at > datetime(2020-01-01T00:00:00Z) | project id = tostring(properties.targetResourceId), kind = tostring(properties.changeType)";
    let kinds: Vec<String> = graph(&emulator, query).json()["data"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| row["kind"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(kinds, ["Create", "Update", "Delete"]);
}

#[test]
fn a_change_of_what_is_not_there_is_an_error() {
    let plan = "[[change]]\nresource = \"/subscriptions/x\"\nafter = 1\nappears = true\n";
    let plan: FaultPlan = toml::from_str(plan).expect("a plan");
    let started = Emulator::start(contoso(), plan, Options::default());
    assert!(matches!(started, Err(StartError::NoSuchResource { place: 1, .. })));
}

#[test]
fn mistakes_in_a_plan_are_told_with_their_place() {
    let read = |name: &str, text: &str| {
        let path = std::env::temp_dir().join(format!("pullproof-plan-{}-{name}", std::process::id()));
        std::fs::write(&path, text).expect("a file is written");
        let read = FaultPlan::read(&path);
        std::fs::remove_file(path).expect("the file is removed");
        read.map_err(|error| error.to_string())
    };
    let unknown =
        read("a.toml", "seed = 1\n\n[[fault]]\nthen = { kind = \"reset\" }\ntyp = \"x\"\n").unwrap_err();
    assert!(unknown.contains("line 5") && unknown.contains("typ"), "{unknown}");
    let json = read("b.json", "{\n \"fault\": [{\"then\": {\"kind\": \"explode\"}}]\n}").unwrap_err();
    assert!(json.contains("line 2") && json.contains("explode"), "{json}");
    let both = read("c.toml", "[[fault]]\nfirst = 1\nevery = 2\nthen = { kind = \"reset\" }\n").unwrap_err();
    assert!(both.contains("fault 1") && both.contains("at most one"), "{both}");
    let change = read("d.toml", "[[change]]\nresource = \"/x\"\nafter = 1\n").unwrap_err();
    assert!(change.contains("change 1"), "{change}");
    assert_eq!(
        read("e.json", "{\"fault\": [{\"then\": {\"kind\": \"reset\"}}]}").map(|plan| plan.fault.len()),
        Ok(1)
    );
}
