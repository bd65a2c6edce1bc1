//! Whole runs against a small Azure on loopback: what is read, what becomes of faults, and that every run ends.

mod server;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pullproof_azure::{
    Auth, Cancel, Cloud, Collector, Endpoints, Error, Limits, Options, Principal, Progress, Scope, Sources,
    Summary,
};
use pullproof_snapshot::Layered;
use pullproof_snapshot::read::{ReadOptions, read};
use serde_json::{Value, json};
use server::{Answer, Asked, Server, Wire};

const SUBSCRIPTION: &str = "/subscriptions/00000000-0000-0000-0000-000000000001";
const NETWORKS: &str = "Microsoft.Network/virtualNetworks";
const ROUTES: &str = "Microsoft.Network/routeTables";

fn id(kind: &str, name: &str) -> String {
    format!("{SUBSCRIPTION}/resourceGroups/rg/providers/{kind}/{name}")
}

fn resource(kind: &str, name: &str) -> Value {
    json!({"id": id(kind, name), "name": name, "type": kind, "location": "westeurope",
        "properties": {"provisioningState": "Succeeded"}})
}

/// A subscription with three networks on two pages, a route table, a private endpoint with a zone group.
fn estate(asked: &Asked) -> Answer {
    let path = asked.path().to_owned();
    let list = |items: Vec<Value>| server::json(200, &json!({"value": items}));
    let base = format!("http://{}", asked.header("host").unwrap_or_default());
    if path.eq_ignore_ascii_case(SUBSCRIPTION) {
        let tenant = "00000000-0000-0000-0000-0000000000aa";
        return server::json(200, &json!({"id": SUBSCRIPTION, "tenantId": tenant, "displayName": "one"}));
    }
    let of = |kind: &str| path.eq_ignore_ascii_case(&format!("{SUBSCRIPTION}/providers/{kind}"));
    if of(NETWORKS) {
        if asked.target.contains("skip=1") {
            return list(vec![resource(NETWORKS, "c")]);
        }
        let next = format!("{base}{path}?api-version=2024-05-01&skip=1");
        let page = json!({"value": [resource(NETWORKS, "a"), resource(NETWORKS, "b")], "nextLink": next});
        return server::json(200, &page);
    }
    if of(ROUTES) {
        return list(vec![resource(ROUTES, "rt")]);
    }
    if of("Microsoft.Network/privateEndpoints") {
        return list(vec![resource("Microsoft.Network/privateEndpoints", "pe")]);
    }
    if path.ends_with("/pe/privateDnsZoneGroups") {
        return list(vec![resource("Microsoft.Network/privateEndpoints/pe/privateDnsZoneGroups", "default")]);
    }
    if path.eq_ignore_ascii_case(&format!("{SUBSCRIPTION}/resourcegroups")) {
        let id = format!("{SUBSCRIPTION}/resourceGroups/rg");
        return list(vec![json!({"id": id, "name": "rg", "type": "Microsoft.Resources/resourceGroups"})]);
    }
    if path.ends_with("/resourceGroups/rg/providers/Microsoft.Network/connections") {
        let mut one = resource("Microsoft.Network/connections", "vpn");
        one["properties"]["sharedKey"] = json!("hush-hush");
        return list(vec![one]);
    }
    if path.ends_with("/locations/westeurope/serviceTags") {
        let tag = json!({"name": "AzureCloud", "id": "AzureCloud", "properties": {"addressPrefixes": ["192.0.2.0/24"]}});
        let tags = json!({"name": "public", "cloud": "Public", "changeNumber": "1", "values": [tag]});
        return server::json(200, &tags);
    }
    if path.ends_with("/providers/Microsoft.Authorization/permissions") {
        return list(vec![json!({"actions": ["*/read"], "notActions": []})]);
    }
    if path.contains("ResourceGraph") {
        return server::json(403, &json!({"error": {"code": "AuthorizationFailed", "message": "no"}}));
    }
    list(Vec::new())
}

struct Ran {
    outcome: Result<Summary, Error>,
    snapshot: Option<Layered>,
    above: Vec<String>,
    text: String,
    asked: Vec<Asked>,
    took: Duration,
}

struct Plan {
    sources: Sources,
    limits: Limits,
    resume: Option<PathBuf>,
    cancel_after: Option<usize>,
    keep: Option<PathBuf>,
    scope: Scope,
    effective: bool,
}

impl Default for Plan {
    fn default() -> Self {
        let limits = Limits {
            tries: 3,
            pause: Duration::from_millis(30),
            call: Duration::from_millis(1500),
            overall: Duration::from_secs(20),
            ..Limits::default()
        };
        Self {
            sources: Sources::Arm,
            limits,
            resume: None,
            cancel_after: None,
            keep: None,
            scope: Scope::Subscriptions(vec![SUBSCRIPTION.into()]),
            effective: false,
        }
    }
}

static NEXT: AtomicUsize = AtomicUsize::new(0);

fn folder() -> PathBuf {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("pullproof-collect-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder");
    dir
}

fn run(plan: Plan, make: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Ran {
    let server = Server::start(make);
    let dir = folder();
    let target = plan.keep.clone().unwrap_or_else(|| dir.join("s.ndjson"));
    let cancel = Cancel::default();
    let (calls, ended, after) = (AtomicUsize::new(0), cancel.clone(), plan.cancel_after);
    let progress: Progress = Arc::new(move |event| {
        if matches!(event, pullproof_azure::Event::Call { .. })
            && after == Some(calls.fetch_add(1, Ordering::SeqCst) + 1)
        {
            ended.cancel();
        }
    });
    let options = Options {
        auth: Auth::ClientSecret,
        principal: Some(Principal {
            tenant: "00000000-0000-0000-0000-0000000000aa".into(),
            client: "00000000-0000-0000-0000-0000000000bb".into(),
            secret: "secret".into(),
        }),
        endpoints: Endpoints::new(Cloud::Public, Some(&server.base()), Some(&server.base()))
            .expect("loopback"),
        limits: plan.limits,
        sources: plan.sources,
        effective: plan.effective,
        resume: plan.resume,
        progress,
        cancel,
    };
    let started = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let outcome = runtime.block_on(async { Collector::new(options)?.collect(&plan.scope, &target).await });
    let took = started.elapsed();
    let text = std::fs::read_to_string(&target).unwrap_or_default();
    let snapshot = read(std::slice::from_ref(&target), ReadOptions::default()).ok();
    let above = snapshot.iter().flat_map(|s| s.scopes_above(SUBSCRIPTION)).map(str::to_owned).collect();
    let snapshot = snapshot.map(|snapshot| Layered::new(Arc::new(snapshot)));
    std::fs::remove_dir_all(&dir).expect("removed");
    Ran { outcome, snapshot, above, text, asked: server.asked(), took }
}

impl Ran {
    fn summary(&self) -> &Summary {
        self.outcome.as_ref().expect("a summary")
    }

    fn snapshot(&self) -> &Layered {
        self.snapshot.as_ref().expect("a snapshot")
    }

    fn has(&self, kind: &str, name: &str) -> bool {
        self.snapshot().find(&id(kind, name)).is_some()
    }

    fn complete(&self, kind: &str) -> bool {
        self.snapshot().absence(SUBSCRIPTION, kind).is_evidence()
    }

    /// The code of the gap about a type.
    fn gap(&self, kind: &str) -> Option<&str> {
        let gap = self.summary().gaps.iter().find(|gap| gap.types.iter().any(|t| t == kind))?;
        gap.code.as_deref()
    }
}

/// The estate, with one answer in its place.
fn but(
    matches: impl Fn(&Asked) -> bool + Send + Sync + 'static,
    answer: impl Fn(&Asked, usize) -> Option<Answer> + Send + Sync + 'static,
) -> impl Fn(&Asked) -> Answer + Send + Sync + 'static {
    let count = AtomicUsize::new(0);
    move |asked| {
        if matches(asked)
            && let Some(answer) = answer(asked, count.fetch_add(1, Ordering::SeqCst))
        {
            return answer;
        }
        estate(asked)
    }
}

fn of(kind: &'static str) -> impl Fn(&Asked) -> bool + Send + Sync + 'static {
    move |asked| asked.path().eq_ignore_ascii_case(&format!("{SUBSCRIPTION}/providers/{kind}"))
}

#[test]
fn a_subscription_is_read_whole() {
    for sources in [Sources::Arm, Sources::Auto] {
        let ran = run(Plan { sources, ..Plan::default() }, estate);
        assert!(ran.summary().gaps.is_empty(), "{:?}", ran.summary().gaps);
        assert!(!ran.summary().partial);
        for name in ["a", "b", "c"] {
            assert!(ran.has(NETWORKS, name));
        }
        assert!(ran.has("Microsoft.Network/connections", "vpn"), "listed by resource group only");
        for kind in [
            NETWORKS,
            ROUTES,
            "Microsoft.Network/privateEndpoints/privateDnsZoneGroups",
            "Microsoft.Network/privateDnsZones/A",
            "Microsoft.Authorization/roleAssignments",
        ] {
            assert!(ran.complete(kind), "{kind}");
        }
        assert!(!ran.complete("Microsoft.Storage/storageAccounts"), "what was not asked for is not complete");
        assert!(
            !ran.text.contains("hush")
                && !ran.text.contains(server::TOKEN)
                && !ran.text.contains("\"secret\"")
        );
        assert_eq!(ran.above, ["/tenants/00000000-0000-0000-0000-0000000000aa"]);
        assert!(ran.summary().notes.iter().any(|note| note.contains("changed during the capture")));
        let calls = ran.asked.len() as u64;
        assert_eq!(ran.summary().arm.calls + ran.summary().graph.calls, calls, "every call is counted");
    }
}

#[test]
fn a_refused_type_is_a_gap_with_the_permission_and_nothing_else_is_lost() {
    let ran = run(
        Plan::default(),
        but(of(ROUTES), |_, _| {
            Some(server::json(403, &json!({"error": {"code": "AuthorizationFailed", "message": "x"}})))
        }),
    );
    assert_eq!(ran.gap(ROUTES), Some("AuthorizationFailed"));
    let gap = &ran.summary().gaps[0];
    assert_eq!(gap.status, Some(403));
    assert!(
        gap.reason.as_deref().is_some_and(|r| r.contains("Microsoft.Network/routeTables/read")),
        "{gap:?}"
    );
    assert!(!ran.complete(ROUTES) && ran.complete(NETWORKS) && ran.has(NETWORKS, "c"));
}

#[test]
fn what_azure_refuses_for_now_is_asked_for_again() {
    let busy = |status: u16| server::json(status, &json!({"error": {"code": "Busy", "message": ""}}));
    let wires = [Wire::Reset, Wire::Cut, Wire::Slow(Duration::from_millis(1800))];
    let mut faults: Vec<Answer> = vec![busy(429).with("retry-after", "1"), busy(500), busy(503)];
    faults.extend(wires.map(|wire| server::json(200, &json!({"value": []})).on(wire)));
    faults.push(Answer {
        status: 200,
        headers: vec![("content-type".into(), "text/html".into())],
        body: b"<html>".to_vec(),
        ..Answer::default()
    });
    faults.push(Answer { body: b"{\"value\":[".to_vec(), ..server::json(200, &Value::Null) });
    for fault in faults {
        let name = format!("{} {:?}", fault.status, fault.wire);
        let ran = run(Plan::default(), but(of(NETWORKS), move |_, n| (n == 0).then(|| fault.clone())));
        assert!(ran.summary().gaps.is_empty(), "{name}: {:?}", ran.summary().gaps);
        assert!(ran.complete(NETWORKS) && ran.has(NETWORKS, "c"), "{name}");
        assert!(ran.summary().arm.retries >= 1, "{name}");
    }
}

#[test]
fn what_never_goes_well_is_a_gap_in_bounded_time() {
    let page =
        |link: String| server::json(200, &json!({"value": [resource(NETWORKS, "a")], "nextLink": link}));
    type Make = Box<dyn Fn(&Asked, usize) -> Option<Answer> + Send + Sync>;
    let cases: Vec<(&str, Make)> = vec![
        (
            "Busy",
            Box::new(|_, _| Some(server::json(429, &json!({"error": {"code": "Busy", "message": ""}})))),
        ),
        ("Connection", Box::new(|_, _| Some(server::json(200, &json!({})).on(Wire::Reset)))),
        ("Connection", Box::new(|_, _| Some(server::json(200, &json!({"value": []})).on(Wire::Cut)))),
        (
            "Timeout",
            Box::new(|_, _| Some(server::json(200, &json!({})).on(Wire::Slow(Duration::from_secs(4))))),
        ),
        ("InvalidAnswer", Box::new(|_, _| Some(server::json(200, &json!({"no": "list"}))))),
        (
            "PagingLoop",
            Box::new(move |asked, _| {
                let host = asked.header("host").unwrap_or_default();
                Some(page(format!("http://{host}{}?skip=7", asked.path())))
            }),
        ),
        ("ForeignHost", Box::new(move |_, _| Some(page("https://evil.example/subscriptions".into())))),
        ("ForeignHost", Box::new(move |_, _| Some(page("http://127.0.0.1:1/subscriptions".into())))),
    ];
    for (code, make) in cases {
        let ran = run(Plan::default(), but(of(NETWORKS), make));
        assert_eq!(ran.gap(NETWORKS), Some(code), "{:?}", ran.summary().gaps);
        assert!(!ran.complete(NETWORKS), "{code}: a truncated list is no evidence of absence");
        assert!(ran.complete(ROUTES) && ran.has(ROUTES, "rt"), "{code}: the rest is read");
        assert!(ran.took < Duration::from_secs(15), "{code}: {:?}", ran.took);
        if matches!(code, "PagingLoop" | "ForeignHost") {
            assert!(ran.has(NETWORKS, "a"), "{code}: what came is kept");
        }
    }
}

#[test]
fn a_token_that_ends_early_is_renewed() {
    let ran = run(
        Plan::default(),
        but(of(NETWORKS), |_, n| {
            let expired = json!({"error": {"code": "ExpiredAuthenticationToken", "message": "x"}});
            (n == 0).then(|| server::json(401, &expired))
        }),
    );
    assert!(ran.summary().gaps.is_empty() && ran.has(NETWORKS, "c"));
}

#[test]
fn an_unreachable_parent_leaves_its_children_open() {
    let ran = run(
        Plan::default(),
        but(
            |asked| asked.path().ends_with("/privateDnsZoneGroups"),
            |_, _| Some(server::json(404, &json!({"error": {"code": "ResourceNotFound", "message": ""}}))),
        ),
    );
    let children = "Microsoft.Network/privateEndpoints/privateDnsZoneGroups";
    assert_eq!(ran.gap(children), Some("ResourceNotFound"));
    assert!(!ran.complete(children) && ran.complete("Microsoft.Network/privateEndpoints"));
}

#[test]
fn a_run_that_is_ended_leaves_a_partial_snapshot_from_which_another_goes_on() {
    let dir = folder();
    let kept = dir.join("partial.ndjson");
    let plan = Plan { cancel_after: Some(13), keep: Some(kept.clone()), ..Plan::default() };
    let first = run(plan, estate);
    assert!(first.summary().partial && !first.summary().gaps.is_empty());
    assert!(first.text.contains("\"pullproof\":\"end\""), "it is a valid snapshot");
    let second = run(Plan { resume: Some(kept), ..Plan::default() }, estate);
    assert!(!second.summary().partial && second.summary().gaps.is_empty(), "{:?}", second.summary().gaps);
    assert!(second.complete(NETWORKS) && second.complete(ROUTES) && second.has(NETWORKS, "c"));
    let whole = run(Plan::default(), estate);
    assert!(second.asked.len() < whole.asked.len(), "only what is missing is read");
    assert_eq!(second.summary().resources, whole.summary().resources);
    std::fs::remove_dir_all(&dir).expect("removed");
}

#[test]
fn the_time_of_a_whole_run_is_bounded() {
    let mut plan = Plan::default();
    plan.limits.overall = Duration::from_millis(700);
    let ran = run(
        plan,
        but(of(NETWORKS), |_, _| {
            Some(server::json(200, &json!({"value": []})).on(Wire::Slow(Duration::from_secs(3))))
        }),
    );
    assert!(ran.took < Duration::from_secs(2), "{:?}", ran.took);
    assert!(ran.summary().partial);
    assert_eq!(ran.gap(NETWORKS), Some("Deadline"));
}

#[test]
fn resource_graph_answers_whole_subscriptions_and_says_what_changed() {
    let rows = |rows: Vec<Value>| {
        let count = rows.len();
        server::json(
            200,
            &json!({"totalRecords": count, "count": count, "data": rows, "resultTruncated": "false"}),
        )
    };
    let changed = AtomicUsize::new(0);
    let ran = run(Plan { sources: Sources::Graph, ..Plan::default() }, move |asked: &Asked| {
        if asked.path().to_lowercase().ends_with("/virtualnetworks/a") {
            let mut fresh = resource(NETWORKS, "a");
            fresh["properties"]["changed"] = json!(true);
            return server::json(200, &fresh);
        }
        if asked.path().to_lowercase().ends_with("/virtualnetworks/b") {
            return server::json(404, &json!({"error": {"code": "ResourceNotFound", "message": ""}}));
        }
        if !asked.path().contains("ResourceGraph") {
            return estate(asked);
        }
        let body: Value = serde_json::from_slice(&asked.body).expect("JSON");
        let query = body["query"].as_str().unwrap_or_default();
        if query.starts_with("resourcechanges") {
            let change = |name: &str| {
                json!({"id": "x", "properties": {"targetResourceId": id(NETWORKS, name), "changeType": "Update",
                        "changeAttributes": {"timestamp": "2099-01-01T00:00:00Z"}}})
            };
            let first = changed.fetch_add(1, Ordering::SeqCst) == 0;
            return rows(if first { vec![change("a"), change("b")] } else { Vec::new() });
        }
        if !query.contains("'microsoft.network/virtualnetworks'") {
            return rows(Vec::new());
        }
        match body["options"]["$skipToken"].as_str() {
            None => server::json(
                200,
                &json!({"totalRecords": 3, "count": 2, "$skipToken": "t", "resultTruncated": "false",
                        "data": [resource(NETWORKS, "a"), resource(NETWORKS, "b")]}),
            ),
            Some(_) => server::json(
                200,
                &json!({"totalRecords": 3, "count": 1, "resultTruncated": "false", "data": [resource(NETWORKS, "c")]}),
            ),
        }
    });
    assert!(ran.summary().gaps.is_empty(), "{:?}", ran.summary().gaps);
    assert!(ran.has(NETWORKS, "a") && ran.has(NETWORKS, "c"));
    assert!(ran.text.contains("\"changed\":true"), "what changed is read again");
    assert!(!ran.has(NETWORKS, "b"), "what is gone is taken out");
    assert!(ran.complete(NETWORKS) && ran.complete("Microsoft.ContainerRegistry/registries"));
}

#[test]
fn an_answer_that_resource_graph_cut_short_is_not_complete() {
    let ran = run(Plan { sources: Sources::Graph, ..Plan::default() }, |asked: &Asked| {
        if asked.path().contains("ResourceGraph") {
            let body = json!({"totalRecords": 9, "count": 0, "data": [], "resultTruncated": "true"});
            return server::json(200, &body);
        }
        estate(asked)
    });
    // ARM is asked instead, and has everything.
    assert!(ran.complete(NETWORKS) && ran.has(NETWORKS, "c"));
    assert!(ran.summary().notes.iter().any(|note| note.contains("ResultTruncated")));
}

#[test]
fn nobody_without_a_token_gets_a_snapshot() {
    let ran = run(Plan::default(), |_: &Asked| {
        server::json(401, &json!({"error": {"code": "InvalidAuthenticationToken", "message": "x"}}))
    });
    assert!(matches!(ran.outcome, Err(Error::Credential { .. })));
    assert!(ran.snapshot.is_none() && ran.text.is_empty());
}

#[test]
fn a_cloud_that_lacks_an_api_version_is_asked_in_its_newest() {
    let ran = run(
        Plan::default(),
        but(of(ROUTES), |asked, _| {
            let message = "The supported api-versions are '2020-05-01, 2023-09-01, 2023-11-01-preview'.";
            let refusal = json!({"error": {"code": "NoRegisteredProviderFound", "message": message}});
            (!asked.target.contains("api-version=2023-09-01")).then(|| server::json(400, &refusal))
        }),
    );
    assert!(ran.summary().gaps.is_empty() && ran.has(ROUTES, "rt"), "{:?}", ran.summary().gaps);
    assert!(ran.summary().notes.iter().any(|note| note.contains("2023-09-01")));
}

#[test]
fn references_are_followed_across_subscriptions_as_far_as_they_can_be() {
    const HUB: &str = "/subscriptions/00000000-0000-0000-0000-000000000002";
    const CLOSED: &str = "/subscriptions/00000000-0000-0000-0000-000000000003";
    let network = |scope: &str, name: &str| {
        format!("{scope}/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/{name}")
    };
    let peered = move |own: String, remotes: Vec<String>| {
        let peerings: Vec<Value> = remotes
            .into_iter()
            .map(|id| json!({"name": "p", "properties": {"remoteVirtualNetwork": {"id": id}}}))
            .collect();
        json!({"id": own, "location": "westeurope", "properties": {"virtualNetworkPeerings": peerings}})
    };
    let cluster = id("Microsoft.ContainerService/managedClusters", "aks");
    let own = cluster.clone();
    let ran = run(
        Plan { scope: Scope::Clusters { ids: vec![cluster] }, ..Plan::default() },
        move |asked: &Asked| {
            let path = asked.path();
            let list = |items: Vec<Value>| server::json(200, &json!({"value": items}));
            if path.starts_with(CLOSED) {
                return server::json(403, &json!({"error": {"code": "AuthorizationFailed", "message": ""}}));
            }
            if path.ends_with("/providers/Microsoft.ContainerService/managedClusters")
                && path.starts_with(SUBSCRIPTION)
            {
                let pool =
                    json!({"vnetSubnetID": format!("{}/subnets/nodes", network(SUBSCRIPTION, "spoke"))});
                return list(vec![json!({"id": own, "properties": {"agentPoolProfiles": [pool]}})]);
            }
            if path.ends_with("/providers/Microsoft.Network/virtualNetworks") {
                return list(if path.starts_with(SUBSCRIPTION) {
                    let elsewhere = "/subscriptions/00000000-0000-0000-0000-000000000009";
                    vec![
                        peered(network(SUBSCRIPTION, "spoke"), vec![network(HUB, "hub")]),
                        peered(network(SUBSCRIPTION, "unrelated"), vec![network(elsewhere, "other")]),
                    ]
                } else {
                    vec![peered(network(HUB, "hub"), vec![network(CLOSED, "far")])]
                });
            }
            estate(asked)
        },
    );
    let found = |id: String| ran.snapshot().find(&id).is_some();
    assert!(found(network(SUBSCRIPTION, "spoke")) && found(network(HUB, "hub")));
    assert!(ran.snapshot().absence(HUB, NETWORKS).is_evidence());
    assert!(!ran.snapshot().absence(CLOSED, NETWORKS).is_evidence(), "what could not be followed is open");
    assert!(ran.summary().gaps.iter().any(|gap| gap.scope.as_deref() == Some(CLOSED)));
    assert!(
        !ran.asked.iter().any(|asked| asked.path().contains("000000000009")),
        "only what the cluster leads to"
    );
}

#[test]
fn computed_answers_are_followed_to_their_end_and_are_no_resources() {
    const INTERFACES: &str = "Microsoft.Network/networkInterfaces";
    let polls = AtomicUsize::new(0);
    let ran = run(Plan { effective: true, ..Plan::default() }, move |asked: &Asked| {
        let host = asked.header("host").unwrap_or_default();
        let path = asked.path();
        if path.ends_with(&format!("{SUBSCRIPTION}/providers/{INTERFACES}")) {
            let mut attached = resource(INTERFACES, "vm");
            attached["properties"]["virtualMachine"] = json!({"id": "x"});
            return server::json(200, &json!({"value": [attached, resource(INTERFACES, "endpoint")]}));
        }
        if asked.method == "POST" && path.ends_with("/vm/effectiveRouteTable") {
            return Answer { status: 202, ..Answer::default() }
                .with("location", &format!("http://{host}/operations/1"))
                .with("retry-after", "0");
        }
        if asked.method == "POST" && !path.contains("ResourceGraph") {
            return server::json(403, &json!({"error": {"code": "AuthorizationFailed", "message": ""}}));
        }
        if path == "/operations/1" {
            return match polls.fetch_add(1, Ordering::SeqCst) {
                0 => Answer { status: 202, ..Answer::default() }.with("retry-after", "0"),
                _ => server::json(200, &json!({"value": [{"source": "Default"}]})),
            };
        }
        estate(asked)
    });
    let recorded = ran.snapshot().evidence(&id(INTERFACES, "vm"), "effectiveRouteTable");
    assert_eq!(recorded.first().map(|e| &e.answer), Some(&json!({"value": [{"source": "Default"}]})));
    assert_eq!(ran.gap("effectiveNetworkSecurityGroups"), Some("AuthorizationFailed"));
    assert!(ran.complete(INTERFACES), "a computed answer that is missing opens no type");
    assert!(!ran.asked.iter().any(|asked| asked.path().contains("/endpoint/effective")));
}

#[test]
fn what_resource_graph_leaves_out_without_a_word_is_not_absent() {
    let ran = run(Plan { sources: Sources::Graph, ..Plan::default() }, |asked: &Asked| {
        if asked.path().contains("ResourceGraph") {
            let body = json!({"totalRecords": 0, "count": 0, "data": [], "resultTruncated": "false"});
            return server::json(200, &body);
        }
        if asked.path().ends_with("/permissions") {
            let row = json!({"actions": ["*/read"], "notActions": ["Microsoft.Network/routeTables/read"]});
            return server::json(200, &json!({"value": [row]}));
        }
        if asked.path().ends_with("/Microsoft.Network/routeTables") {
            return server::json(403, &json!({"error": {"code": "AuthorizationFailed", "message": ""}}));
        }
        estate(asked)
    });
    assert_eq!(ran.gap(ROUTES), Some("AuthorizationFailed"), "ARM says what Resource Graph does not");
    assert!(!ran.complete(ROUTES));
    assert!(ran.complete("Microsoft.Network/networkSecurityGroups"));
}
