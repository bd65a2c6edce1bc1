//! Resource Graph over HTTP: tables, rows, queries, pages.

mod client;

use client::{NETWORK, PLATFORM, PROD, contoso, get, graph, graph_with, start, start_with};
use pullproof_emulator::{Options, Quota};
use serde_json::{Value, json};

fn count(emulator: &pullproof_emulator::Emulator, query: &str) -> u64 {
    let answer = graph(emulator, &format!("{query} | count"));
    answer.json()["data"][0]["Count"].as_u64().unwrap_or_else(|| panic!("{query}: {answer:?}"))
}

#[test]
fn queries_as_collectors_write_them() {
    let emulator = start(contoso());
    let cases = [
        ("Resources | where type =~ 'Microsoft.Network/virtualNetworks'", 3),
        ("resources | where type == 'Microsoft.Network/virtualNetworks'", 0),
        ("resources | where type == 'microsoft.network/virtualnetworks'", 3),
        (
            "resources | where type in~ ('Microsoft.Network/virtualNetworks', \"Microsoft.Network/routeTables\")",
            6,
        ),
        (
            "where type !in~ ('microsoft.network/virtualnetworks') and type startswith 'microsoft.network/virtualn'",
            1,
        ),
        ("resources | where id startswith '/SUBSCRIPTIONS/e5f74bc2' and type has 'managedclusters'", 3),
        (
            "resources | where not(type contains 'network') or name =~ 'vnet-hub' // hub\n| where location == 'westeurope' | where type endswith 'virtualnetworks'",
            1,
        ),
        ("resources | where array_length(properties.subnets) > 3", 2),
        ("resources | where isnotempty(properties.addressSpace.addressPrefixes[0])", 3),
        ("resources | extend n = tolower(name) | where n =~ 'VNET-HUB' | project n", 1),
        ("resources | where type =~ 'microsoft.network/virtualnetworks' | order by name desc | limit 2", 2),
        ("resources | distinct subscriptionId", 2),
        ("dnsresources | where type == 'microsoft.network/privatednszones/a'", 5),
        ("networkresources", 2),
        ("resourcecontainers | where type == 'microsoft.resources/subscriptions'", 2),
        ("authorizationresources | where type =~ 'Microsoft.Authorization/roleAssignments'", 6),
        ("policyresources", 0),
        ("advisorresources", 0),
    ];
    for (query, expected) in cases {
        assert_eq!(count(&emulator, query), expected, "{query}");
    }
}

#[test]
fn what_is_no_query_is_refused_with_the_reason() {
    let emulator = start(contoso());
    for query in [
        "nosuchtable",
        "resources | join x on y",
        "resources | where",
        "resources | where type == 'x",
        "resources | where foo(1)",
    ] {
        let answer = graph(&emulator, query);
        assert_eq!(answer.status, 400, "{query}");
        assert!(answer.json()["error"]["details"][0]["message"].is_string(), "{query}");
    }
}

#[test]
fn rows_have_resource_graphs_shape() {
    let emulator = start(contoso());
    let query = "resources | where type =~ 'Microsoft.Network/virtualNetworks' | order by id asc";
    let row = &graph(&emulator, query).json()["data"][0];
    let arm = get(&emulator, &format!("{}?api-version={NETWORK}", row["id"].as_str().expect("an id"))).json();
    assert_eq!(row["type"], "microsoft.network/virtualnetworks");
    assert_eq!(row["properties"], arm["properties"]);
    assert_eq!(row["resourceGroup"], "rg-hub");
    assert_eq!(row["kind"], "");
    assert!(row.get("etag").is_none() && row["zones"].is_null() && row["tenantId"].is_string());

    // D34: record sets have another shape.
    let query =
        "dnsresources | where type =~ 'Microsoft.Network/privateDnsZones/A' and name == 'contosoprod'";
    let row = &graph(&emulator, query).json()["data"][0];
    assert_eq!(row["managedBy"], "privatelink.azurecr.io");
    assert!(row["properties"]["records"][0]["ipv4Address"].is_string(), "{row}");
    assert_eq!(row["properties"].get("aRecords"), None);
}

#[test]
fn pages_follow_by_skip_token() {
    let emulator = start(contoso());
    let ask = |token: Option<&str>| {
        let body = json!({"query": "resources | project id | order by id asc", "subscriptions": [PLATFORM.rsplit('/').next(), PROD.rsplit('/').next()], "options": {"$top": 20, "$skipToken": token}});
        graph_with(&emulator, &body).json()
    };
    let (mut ids, mut token, mut pages) = (Vec::new(), None::<String>, 0);
    loop {
        let page = ask(token.as_deref());
        assert_eq!(
            (page["totalRecords"].as_u64(), page["resultTruncated"].as_str()),
            (Some(50), Some("false"))
        );
        ids.extend(
            page["data"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|row| row["id"].as_str().map(str::to_owned)),
        );
        pages += 1;
        match page["$skipToken"].as_str() {
            Some(next) => token = Some(next.to_owned()),
            None => break,
        }
    }
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!((ids.len(), sorted.len(), pages), (50, 50, 3));
    // A token goes with its query.
    let body = json!({"query": "resources", "options": {"$skipToken": token}});
    assert_eq!(graph_with(&emulator, &body).status, 400);
}

#[test]
fn without_an_id_an_answer_is_cut() {
    let emulator = start(contoso());
    let body = json!({"query": "resources | project name", "options": {"$top": 5}});
    let answer = graph_with(&emulator, &body).json();
    assert_eq!((answer["resultTruncated"].as_str(), answer.get("$skipToken")), (Some("true"), None));
}

#[test]
fn scopes_are_subscriptions_or_management_groups() {
    let emulator = start(contoso());
    let count = |scope: Value| {
        let mut body =
            json!({"query": "resources | where type =~ 'Microsoft.Network/virtualNetworks' | count"});
        body.as_object_mut().expect("an object").extend(scope.as_object().expect("an object").clone());
        graph_with(&emulator, &body).json()["data"][0]["Count"].clone()
    };
    assert_eq!(count(json!({"subscriptions": [PLATFORM.rsplit('/').next()]})), 1);
    assert_eq!(count(json!({"managementGroups": ["mg-workloads"]})), 2);
    assert_eq!(count(json!({"managementGroups": ["mg-contoso"]})), 3);
    assert_eq!(count(json!({"subscriptions": ["00000000-0000-0000-0000-0000000000ff"]})), 0);
    // What a management group grants is in scope only where it is asked for.
    let above = |filter: &str| {
        let query =
            "authorizationresources | where type =~ 'Microsoft.Authorization/roleAssignments' | count";
        let body = json!({"query": query, "subscriptions": [PROD.rsplit('/').next()], "options": {"authorizationScopeFilter": filter}});
        graph_with(&emulator, &body).json()["data"][0]["Count"].clone()
    };
    assert_eq!(above("AtScopeAndBelow"), 0);
    assert_eq!(above("AtScopeAboveAndBelow"), 1);
}

#[test]
fn a_denied_type_is_left_out_without_a_word() {
    let plan = "[[fault]]\ntype = \"Microsoft.Network/routeTables\"\nthen = { kind = \"forbidden\" }\n";
    let emulator = start_with(contoso(), plan, Options::default());
    assert_eq!(count(&emulator, "resources | where type =~ 'Microsoft.Network/routeTables'"), 0);
    assert_eq!(count(&emulator, "resources | where type =~ 'Microsoft.Network/virtualNetworks'"), 3);
    let path = format!("{PROD}/providers/Microsoft.Network/routeTables?api-version={NETWORK}");
    assert_eq!(get(&emulator, &path).status, 403);
    let path = format!("{PROD}/providers/Microsoft.Authorization/permissions?api-version=2022-04-01");
    assert_eq!(
        get(&emulator, &path).json()["value"][0]["notActions"],
        json!(["Microsoft.Network/routeTables/read"])
    );
}

#[test]
fn the_quota_is_told_and_kept() {
    let free = graph(&start(contoso()), "resources | count");
    assert_eq!(free.headers["x-ms-user-quota-remaining"], "15");
    let quota = Quota { calls: 2, window: std::time::Duration::from_secs(60) };
    let options = Options { graph_quota: Some(quota), ..Options::default() };
    let emulator = start_with(contoso(), "", options);
    let answers: Vec<_> = (0..3).map(|_| graph(&emulator, "resources | count")).collect();
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 200, 429]);
    assert_eq!(answers[1].headers["x-ms-user-quota-remaining"], "0");
    assert_eq!(answers[2].code(), "RateLimiting");
    assert!(answers[2].headers.contains_key("retry-after"));
    assert!(answers[2].headers["x-ms-user-quota-resets-after"].starts_with("00:0"));
}

#[test]
fn an_answer_that_is_too_large_is_refused() {
    let options = Options { graph_payload_limit: 10_000, ..Options::default() };
    let emulator = start_with(contoso(), "", options);
    let answer = graph(&emulator, "resources");
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json()["error"]["details"][0]["code"], "ResponsePayloadTooLarge");
}
