//! Azure Resource Manager over HTTP: lists, pages, single resources, errors, and what is not known.

mod client;

use client::{NETWORK, PLATFORM, PROD, contoso, get, graph, list, snapshot, start};
use pullproof_emulator::{FaultPlan, Options};
use serde_json::{Value, json};

const VNETS: &str = "Microsoft.Network/virtualNetworks";

#[test]
fn a_list_has_what_the_snapshot_has() {
    let emulator = start(contoso());
    let answer = list(&emulator, PROD, VNETS, NETWORK);
    assert_eq!(answer.status, 200);
    let names: Vec<String> =
        answer.ids().iter().map(|id| id.rsplit('/').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(names, ["vnet-spoke1", "vnet-spoke2"]);
    assert_eq!(answer.json().get("nextLink"), None);
    let group = format!("{PROD}/resourceGroups/RG-SPOKE1");
    assert_eq!(list(&emulator, &group, VNETS, NETWORK).ids().len(), 1);
    // What Azure sends with every answer.
    for header in [
        "x-ms-request-id",
        "x-ms-correlation-request-id",
        "x-ms-ratelimit-remaining-subscription-global-reads",
    ] {
        assert!(answer.headers.contains_key(header), "{header}");
    }
}

#[test]
fn pages_follow_one_another_to_the_end() {
    let options = Options { page_size: 2, ..Options::default() };
    let emulator =
        pullproof_emulator::Emulator::start(contoso(), FaultPlan::default(), options).expect("it starts");
    let whole = list(&start(contoso()), PROD, "Microsoft.Network/networkSecurityGroups", NETWORK).ids();
    let mut found = Vec::new();
    let mut next =
        Some(format!("{PROD}/providers/Microsoft.Network/networkSecurityGroups?api-version={NETWORK}"));
    let mut pages = 0;
    while let Some(path) = next {
        let answer = get(&emulator, &path);
        assert!(answer.ids().len() <= 2);
        found.extend(answer.ids());
        next = answer.json().get("nextLink").and_then(Value::as_str).map(str::to_owned);
        pages += 1;
    }
    assert_eq!((found.len(), pages), (6, 3));
    assert_eq!(found, whole);
    let spoilt = format!("{PROD}/providers/{VNETS}?api-version={NETWORK}&$skiptoken=xx");
    assert_eq!(get(&emulator, &spoilt).code(), "InvalidSkipToken");
}

#[test]
fn children_come_out_of_their_parents_and_stand_in_them() {
    let emulator = start(contoso());
    let vnet = list(&emulator, PLATFORM, VNETS, NETWORK).ids().remove(0);
    let subnets = get(&emulator, &format!("{vnet}/subnets?api-version={NETWORK}"));
    let whole = get(&emulator, &format!("{vnet}?api-version={NETWORK}")).json();
    let inline = whole.pointer("/properties/subnets").and_then(Value::as_array).expect("subnets");
    assert_eq!(subnets.json()["value"].as_array().map(Vec::len), Some(inline.len()));
    let one = get(&emulator, &format!("{}?api-version={NETWORK}", subnets.ids()[0]));
    assert_eq!(one.json(), inline[0]);

    let cluster =
        list(&emulator, PROD, "Microsoft.ContainerService/managedClusters", "2024-05-01").ids().remove(0);
    let pools = get(&emulator, &format!("{cluster}/agentPools?api-version=2024-05-01")).json();
    assert!(pools["value"][0]["properties"]["vnetSubnetID"].is_string(), "{pools}");
}

#[test]
fn a_child_that_only_stands_alone_is_in_its_parent_too() {
    let scope = "/subscriptions/s/resourceGroups/g";
    let vnet = format!("{scope}/providers/{VNETS}/v");
    let lines = [
        json!({"pullproof": "snapshot/v1"}),
        json!({"id": vnet, "name": "v", "type": VNETS, "properties": {"subnets": []}}),
        json!({"id": format!("{vnet}/subnets/a"), "name": "a", "type": format!("{VNETS}/subnets"),
            "properties": {"addressPrefix": "10.0.0.0/24"}}),
        json!({"pullproof": "end", "complete": [{"scope": "/subscriptions/s", "types": "*"}], "resources": 2}),
    ];
    let emulator = start(snapshot("alone", &lines));
    let json = get(&emulator, &format!("{vnet}?api-version={NETWORK}")).json();
    assert_eq!(json["properties"]["subnets"][0]["properties"]["addressPrefix"], "10.0.0.0/24");
}

#[test]
fn versions_are_checked() {
    let emulator = start(contoso());
    let path = format!("{PROD}/providers/{VNETS}");
    assert_eq!(get(&emulator, &path).code(), "MissingApiVersionParameter");
    assert_eq!(get(&emulator, &format!("{path}?api-version=latest")).code(), "InvalidApiVersionParameter");
    assert_eq!(get(&emulator, &format!("{path}?api-version=2024-05-02")).code(), "NoRegisteredProviderFound");
    // D39: the field came with 2024-06-01.
    let zone = list(&emulator, PLATFORM, "Microsoft.Network/privateDnsZones", "2024-06-01").ids().remove(0);
    let link = |version: &str| {
        get(&emulator, &format!("{zone}/virtualNetworkLinks?api-version={version}")).json()["value"][0]["properties"]
            .get("resolutionPolicy")
            .cloned()
    };
    assert_eq!(link("2024-06-01"), Some(json!("Default")));
    assert_eq!(link("2020-06-01"), None);
}

#[test]
fn absence_is_said_in_azures_words() {
    let emulator = start(contoso());
    let group = format!("{PROD}/resourceGroups/rg-spoke1");
    let one = |id: &str, version: &str| {
        let answer = get(&emulator, &format!("{id}?api-version={version}"));
        (answer.status, answer.json())
    };
    let code =
        |json: &Value| json.pointer("/error/code").and_then(Value::as_str).unwrap_or_default().to_owned();
    let (status, json) = one(&format!("{group}/providers/{VNETS}/none"), NETWORK);
    assert_eq!((status, code(&json).as_str()), (404, "ResourceNotFound"));
    let (status, json) = one(&format!("{group}/providers/{VNETS}/vnet-spoke1/subnets/none"), NETWORK);
    assert_eq!((status, code(&json).as_str()), (404, "NotFound"));
    let (status, json) = one(&format!("{group}/providers/{VNETS}/none/subnets/none"), NETWORK);
    assert_eq!((status, code(&json).as_str()), (404, "ParentResourceNotFound"));
    let (status, json) = one(&format!("{PROD}/resourceGroups/none/providers/{VNETS}/v"), NETWORK);
    assert_eq!((status, code(&json).as_str()), (404, "ResourceGroupNotFound"));
    let (status, json) = one(&format!("{PROD}/providers/Microsoft.Network/noSuchThings/x"), NETWORK);
    assert_eq!((status, code(&json).as_str()), (404, "ResourceNotFound"));
    assert_eq!(
        list(&emulator, PROD, "Microsoft.Network/noSuchThings", NETWORK).code(),
        "InvalidResourceType"
    );
    // Gateways have no list by subscription in Microsoft's specification.
    let gateways = "Microsoft.Network/virtualNetworkGateways";
    assert_eq!(list(&emulator, PLATFORM, gateways, NETWORK).code(), "InvalidResourceType");
    assert_eq!(
        list(&emulator, &format!("{PLATFORM}/resourceGroups/rg-hub"), gateways, NETWORK).ids().len(),
        1
    );
}

#[test]
fn what_the_snapshot_does_not_know_is_refused_never_empty() {
    let emulator = start(contoso());
    // A gap of the fixture.
    let bastions = list(&emulator, PLATFORM, "Microsoft.Network/bastionHosts", NETWORK);
    assert_eq!((bastions.status, bastions.code().as_str()), (403, "AuthorizationFailed"));
    assert!(bastions.json().to_string().contains("Microsoft.Network/bastionHosts/read"));
    let stranger = list(&emulator, "/subscriptions/00000000-0000-0000-0000-0000000000ff", VNETS, NETWORK);
    assert_eq!(stranger.status, 403);
    let permissions = list(&emulator, PLATFORM, "Microsoft.Authorization/permissions", "2022-04-01").json();
    assert_eq!(permissions["value"][0]["notActions"], json!(["Microsoft.Network/bastionHosts/read"]));
}

#[test]
fn a_partial_list_ends_in_a_refusal() {
    let scope = "/subscriptions/s";
    let vnet = format!("{scope}/resourceGroups/g/providers/{VNETS}/v");
    let lines = [
        json!({"pullproof": "snapshot/v1"}),
        json!({"id": vnet, "name": "v", "type": VNETS, "properties": {}}),
    ];
    let emulator = start(snapshot("partial", &lines));
    let first = list(&emulator, scope, VNETS, NETWORK);
    assert_eq!(first.ids(), [vnet.as_str()]);
    let next = first.json()["nextLink"].as_str().expect("a link").to_owned();
    assert_eq!(get(&emulator, &next).status, 403);
    assert_eq!(get(&emulator, &format!("{vnet}2?api-version={NETWORK}")).status, 403);
}

#[test]
fn a_resource_that_could_not_be_read_is_in_the_list_without_properties() {
    let scope = "/subscriptions/s";
    let vnet = format!("{scope}/resourceGroups/g/providers/{VNETS}/v");
    let lines = [
        json!({"pullproof": "snapshot/v1"}),
        json!({"id": format!("{vnet}-read"), "name": "v-read", "type": VNETS, "properties": {}}),
        json!({"pullproof": "gap", "resource": vnet, "operation": "get", "status": 500, "code": "InternalServerError"}),
        json!({"pullproof": "end", "complete": [{"scope": scope, "types": "*"}], "resources": 1}),
    ];
    let emulator = start(snapshot("unread", &lines));
    let answer = list(&emulator, scope, VNETS, NETWORK).json();
    assert_eq!(answer["value"][1]["id"], json!(vnet));
    assert_eq!(answer["value"][1].get("properties"), None);
    let one = get(&emulator, &format!("{vnet}?api-version={NETWORK}"));
    assert_eq!((one.status, one.code().as_str()), (500, "InternalServerError"));
}

#[test]
fn record_sets_of_all_types_and_of_one() {
    let emulator = start(contoso());
    let zone = list(&emulator, PLATFORM, "Microsoft.Network/privateDnsZones", "2024-06-01").ids().remove(0);
    let of = |what: &str| get(&emulator, &format!("{zone}/{what}?api-version=2024-06-01")).ids().len();
    assert_eq!((of("ALL"), of("A"), of("SOA"), of("AAAA")), (of("A") + 1, of("A"), 1, 0));
}

#[test]
fn assignments_are_inherited_and_filtered() {
    let emulator = start(contoso());
    let count = |scope: &str, filter: &str| {
        let path = format!(
            "{scope}/providers/Microsoft.Authorization/roleAssignments?api-version=2022-04-01&$filter={filter}"
        );
        get(&emulator, &path).ids().len()
    };
    // The fixture: one at a management group above the second subscription, the rest at resources.
    assert_eq!(count(PROD, ""), 1);
    assert_eq!(count(PROD, "atScope()"), 1);
    assert_eq!(count(PLATFORM, ""), 5);
    assert_eq!(count(PLATFORM, "atScope()"), 0);
    let all = list(&emulator, PLATFORM, "Microsoft.Authorization/roleAssignments", "2022-04-01").json();
    let first = &all["value"][0]["properties"];
    let scope = first["scope"].as_str().expect("a scope");
    assert!(count(scope, "atScope()") >= 1);
    let principal = first["principalId"].as_str().expect("a principal").to_ascii_uppercase();
    let of_principal = all["value"].as_array().map(|v| {
        v.iter()
            .filter(|a| {
                a["properties"]["principalId"].as_str().is_some_and(|p| p.eq_ignore_ascii_case(&principal))
            })
            .count()
    });
    assert_eq!(Some(count(PLATFORM, &format!("principalId eq '{principal}'"))), of_principal);
    let odd = format!(
        "{PROD}/providers/Microsoft.Authorization/roleAssignments?api-version=2022-04-01&$filter=foo eq 1"
    );
    assert_eq!(get(&emulator, &odd).code(), "UnsupportedQuery");
}

#[test]
fn containers_and_management_groups() {
    let emulator = start(contoso());
    assert_eq!(get(&emulator, "/subscriptions?api-version=2022-12-01").ids(), [PLATFORM, PROD]);
    let one = get(&emulator, &format!("{PROD}?api-version=2022-12-01")).json();
    assert_eq!(one["displayName"], "prod");
    assert!(one["tenantId"].is_string() && one.get("properties").is_none());
    let groups = get(&emulator, &format!("{PROD}/resourceGroups?api-version=2022-09-01"));
    assert!(groups.ids().iter().any(|id| id.ends_with("/rg-spoke1")), "{:?}", groups.ids());
    let group = "/providers/Microsoft.Management/managementGroups/mg-workloads";
    let json = get(&emulator, &format!("{group}?api-version=2020-05-01&$expand=ancestors,children")).json();
    assert_eq!(json["properties"]["children"][0]["id"], json!(PROD));
    assert_eq!(json["properties"]["details"]["managementGroupAncestors"][0], "mg-contoso");
    assert_eq!(get(&emulator, &format!("{group}/descendants?api-version=2020-05-01")).ids(), [PROD]);
    let unknown =
        get(&emulator, "/providers/Microsoft.Management/managementGroups/none?api-version=2020-05-01");
    assert_eq!(unknown.status, 403);
}

#[test]
fn service_tags_are_those_of_the_snapshot() {
    let emulator = start(contoso());
    let path =
        format!("{PROD}/providers/Microsoft.Network/locations/westeurope/serviceTags?api-version={NETWORK}");
    let json = get(&emulator, &path).json();
    let prefixes = json["values"][0]["properties"]["addressPrefixes"].as_array().map(Vec::len);
    assert!(prefixes.is_some_and(|n| n > 0), "{json}");
}

#[test]
fn calls_are_logged_with_their_actions() {
    let emulator = start(contoso());
    list(&emulator, PROD, VNETS, NETWORK);
    graph(&emulator, "resources | where type =~ 'Microsoft.Network/routeTables' | project id");
    let calls = emulator.calls();
    let actions: Vec<&str> = calls.iter().flat_map(|call| &call.actions).map(String::as_str).collect();
    assert_eq!(
        actions,
        [
            "Microsoft.Network/virtualNetworks/read",
            "Microsoft.ResourceGraph/resources/read",
            "Microsoft.Network/routeTables/read"
        ]
    );
    assert_eq!(calls.iter().map(|call| call.number).collect::<Vec<_>>(), [1, 2]);
}
