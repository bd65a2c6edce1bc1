//! One id twice, inline and standalone children, and what both disagree about.

mod folder;

use std::sync::Arc;

use folder::Folder;
use pullproof_snapshot::{Edit, Layered, Snapshot, hole};
use serde_json::{Value, json};

const VNET: &str = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/v";

fn vnet(properties: Value) -> Value {
    json!({ "id": VNET, "name": "v", "etag": "1", "type": "Microsoft.Network/virtualNetworks", "properties": properties })
}

fn subnet(properties: Value) -> Value {
    json!({ "id": format!("{VNET}/subnets/a"), "name": "a", "properties": properties })
}

fn native(captured: &str, resource: &Value) -> String {
    let header = json!({ "pullproof": "snapshot/v1", "captured_to": captured });
    format!("{header}\n{resource}\n{{\"pullproof\":\"end\",\"complete\":[]}}\n")
}

fn layered(snapshot: Snapshot) -> Layered {
    Layered::new(Arc::new(snapshot))
}

fn json_of(layered: &Layered, id: &str) -> Value {
    (*layered.json(layered.find(id).unwrap())).clone()
}

#[test]
fn the_newer_capture_wins() {
    let folder = Folder::new("newer");
    folder.text("a.ndjson", &native("2026-11-02T00:00:00+02:00", &vnet(json!({ "a": 1 }))));
    folder.text("b.ndjson", &native("2026-11-01T23:00:00Z", &vnet(json!({ "a": 2 }))));
    let snapshot = folder.read(folder.path());
    assert!(snapshot.conflicts().is_empty());
    assert_eq!(snapshot.captured_to(), Some("2026-11-01T23:00:00Z"));
    assert_eq!(json_of(&layered(snapshot), VNET)["properties"]["a"], 2);
}

#[test]
fn captures_of_unknown_order_are_merged() {
    let folder = Folder::new("merge");
    folder.json("a.json", &vnet(json!({ "both": "Same", "first": 1, "differs": { "x": true }, "subnets": [subnet(json!({"n": 1}))] })));
    let mut other = vnet(
        json!({ "both": "same", "second": 2, "differs": { "x": false }, "subnets": [subnet(json!({"m": 1}))] }),
    );
    other["etag"] = json!("2");
    folder.json("b.json", &other);
    let snapshot = folder.read(folder.path());
    assert_eq!(snapshot.len(), 1);
    let conflicts = snapshot.conflicts().to_vec();
    let json = json_of(&layered(snapshot), VNET);
    assert_eq!(conflicts.len(), 1);
    assert_eq!(conflicts[0].pointer, "/properties/differs/x");
    assert_eq!((&conflicts[0].first, &conflicts[0].second), (&json!(true), &json!(false)));
    let properties = &json["properties"];
    assert_eq!(
        (&properties["first"], &properties["second"], &properties["both"]),
        (&json!(1), &json!(2), &json!("Same"))
    );
    assert_eq!(properties["subnets"][0]["properties"], json!({ "n": 1, "m": 1 }));
    let hole = hole::hole(&properties["differs"]["x"]).map(|h| h.name.to_owned());
    assert_eq!(hole, Some(format!("conflicting-input:{}/properties/differs/x", VNET.to_lowercase())));
}

#[test]
fn identical_duplicates_are_silent() {
    let folder = Folder::new("identical");
    folder.json("a.json", &json!([vnet(json!({ "a": 1 }))]));
    folder.text("b.json", &vnet(json!({ "a": 1 })).to_string());
    let snapshot = folder.read(folder.path());
    assert_eq!((snapshot.len(), snapshot.conflicts().len(), snapshot.gaps().len()), (1, 0, 0));
}

#[test]
fn inline_and_standalone_children_are_one_list() {
    let folder = Folder::new("children");
    let inline = json!([subnet(json!({ "addressPrefix": "10.0.0.0/24", "inline": 1 })),
                        { "$unknown": "more" }, { "id": format!("{VNET}/subnets/b"), "name": "b", "properties": {} }, 17]);
    folder.json(
        "a.json",
        &json!([
            vnet(json!({ "subnets": inline })),
            subnet(json!({ "addressPrefix": "10.0.1.0/24", "own": 2 })),
            { "id": format!("{VNET}/subnets/c"), "properties": {} },
        ]),
    );
    let layered = layered(folder.read(folder.path()));
    let parent = layered.find(VNET).unwrap();
    let json = layered.json(parent);
    let list = layered.child_list(parent, &json, "subnets");
    assert_eq!(list.items.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(list.listed && !list.null);
    assert_eq!((list.open.as_deref(), list.odd.as_slice()), (Some("more"), [3].as_slice()));
    let a = &list.items[0];
    assert_eq!((&a.json["properties"]["inline"], &a.json["properties"]["own"]), (&json!(1), &json!(2)));
    assert!(hole::hole(&a.json["properties"]["addressPrefix"]).is_some());
    assert_eq!(list.items[1].place.at("/properties/x").pointer(), "/properties/subnets/2/properties/x");
    let conflicts = layered.conflicts();
    assert_eq!(conflicts.len(), 1);
    assert_eq!(conflicts[0].pointer, "/properties/addressPrefix");
}

#[test]
fn null_list_is_not_unknown_list() {
    for (properties, listed, null, open) in [
        (json!({}), false, false, None),
        (json!({ "subnets": null }), false, true, None),
        (json!({ "subnets": [] }), true, false, None),
        (json!({ "subnets": { "$unknown": "s" } }), false, false, Some("s")),
        (json!({ "$unknown": "p" }), false, false, Some("p")),
    ] {
        let folder = Folder::new("null-list");
        let layered = layered(folder.read(&folder.json("v.json", &vnet(properties.clone()))));
        let parent = layered.find(VNET).unwrap();
        let json = layered.json(parent);
        let list = layered.child_list(parent, &json, "subnets");
        assert_eq!((list.listed, list.null, list.open.as_deref()), (listed, null, open), "{properties}");
    }
}

#[test]
fn flat_pools_and_pools_of_their_own_are_compared_as_one() {
    let cluster = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/k";
    let folder = Folder::new("pools");
    folder.json("a.json", &json!([
        { "id": cluster, "properties": { "agentPoolProfiles": [{ "name": "sys", "count": 3, "mode": "System" }] } },
        { "id": format!("{cluster}/agentPools/sys"), "name": "sys", "properties": { "count": 4, "osType": "Linux" } },
    ]));
    let layered = layered(folder.read(folder.path()));
    let parent = layered.find(cluster).unwrap();
    let json = layered.json(parent);
    let pools = layered.children(parent, &json, "agentPools");
    assert_eq!(pools.len(), 1);
    assert_eq!(pools[0].json["properties"]["mode"], "System");
    assert!(hole::hole(&pools[0].json["properties"]["count"]).is_some());
}

#[test]
fn edits_lie_over_the_base() {
    let folder = Folder::new("edits");
    let base = folder.read(&folder.json("v.json", &vnet(json!({ "subnets": [subnet(json!({ "n": 1 }))] }))));
    let base = Arc::new(base);
    let names = |layered: &Layered| -> Vec<(String, Value)> {
        let parent = layered.find(VNET).unwrap();
        let json = layered.json(parent);
        layered
            .children(parent, &json, "subnets")
            .iter()
            .map(|c| (c.name.clone(), c.json["properties"]["n"].clone()))
            .collect()
    };
    let a = pullproof_snapshot::ArmId::new(&format!("{VNET}/subnets/a"));
    let b = pullproof_snapshot::ArmId::new(&format!("{VNET}/subnets/b"));
    let put = |id: &pullproof_snapshot::ArmId, n: i32| Edit::Put {
        id: id.clone(),
        json: json!({ "properties": { "n": n } }),
    };
    let changed = Layered::with_edits(Arc::clone(&base), vec![put(&a, 2), put(&b, 3)]);
    assert_eq!(names(&changed), [("a".to_owned(), json!(2)), ("b".to_owned(), json!(3))]);
    let gone = Layered::with_edits(Arc::clone(&base), vec![Edit::Delete { id: a }]);
    assert_eq!(names(&gone), []);
    assert_eq!(gone.find(&format!("{VNET}/subnets/a")), None);
    assert_eq!(names(&Layered::new(base)).len(), 1);
}
