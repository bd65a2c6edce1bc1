//! Every input form, and what its absences say.

mod folder;

use folder::Folder;
use pullproof_snapshot::read::{ReadError, ReadOptions};
use pullproof_snapshot::{Absence, Layered, Snapshot};
use serde_json::{Value, json};

const SUB: &str = "/subscriptions/11111111-1111-1111-1111-111111111111";
const VNETS: &str = "Microsoft.Network/virtualNetworks";

fn id(kind: &str, name: &str) -> String {
    format!("{SUB}/resourceGroups/rg/providers/{kind}/{name}")
}

fn vnet(name: &str) -> Value {
    json!({ "id": id(VNETS, name), "name": name, "type": VNETS,
            "properties": { "addressSpace": { "addressPrefixes": ["10.0.0.0/16"] } } })
}

fn nsg(name: &str) -> Value {
    let kind = "Microsoft.Network/networkSecurityGroups";
    json!({ "id": id(kind, name), "name": name, "type": kind, "properties": { "securityRules": [] } })
}

fn assumed() -> Absence {
    Absence::Evidence { assumption: Some("input-complete") }
}

fn stated() -> Absence {
    Absence::Evidence { assumption: None }
}

fn json_of(snapshot: Snapshot, id: &str) -> Value {
    let layered = Layered::new(std::sync::Arc::new(snapshot));
    let ix = layered.find(id).unwrap_or_else(|| panic!("{id} was not read"));
    (*layered.json(ix)).clone()
}

#[test]
fn array_of_mixed_types_is_assumed_complete_for_all_types() {
    let folder = Folder::new("mixed");
    let file = folder.json("all.json", &json!([vnet("v"), nsg("n")]));
    let snapshot = folder.read(&file);
    assert_eq!(snapshot.len(), 2);
    assert_eq!(snapshot.absence(SUB, "Microsoft.Network/routeTables"), assumed());
    assert!(!snapshot.absence("/subscriptions/other", VNETS).is_evidence());
    let partial = folder.read_with(&file, ReadOptions { partial: true });
    assert!(!partial.absence(SUB, VNETS).is_evidence());
}

#[test]
fn array_of_one_type_is_complete_for_that_type_only() {
    let folder = Folder::new("one-type");
    let snapshot = folder.read(&folder.json("vnets.json", &json!([vnet("a"), vnet("b")])));
    assert_eq!(snapshot.absence(&id(VNETS, "c"), VNETS), stated());
    assert_eq!(snapshot.absence(SUB, "Microsoft.Network/virtualNetworks/subnets"), stated());
    assert!(!snapshot.absence(SUB, "Microsoft.Network/routeTables").is_evidence());
}

#[test]
fn children_of_one_parent_say_nothing_about_another_parent() {
    let zones = "Microsoft.Network/privateDnsZones";
    let link = format!("{}/virtualNetworkLinks/l", id(zones, "a.example"));
    let folder = Folder::new("children");
    let links = json!([{ "id": link, "name": "l", "properties": {} }]);
    let snapshot = folder.read(&folder.json("links.json", &links));
    let kind = "Microsoft.Network/privateDnsZones/virtualNetworkLinks";
    assert_eq!(snapshot.absence(&id(zones, "a.example"), kind), stated());
    assert!(!snapshot.absence(&id(zones, "b.example"), kind).is_evidence());
}

#[test]
fn one_resource_is_complete_for_itself_only() {
    let folder = Folder::new("show");
    let snapshot = folder.read(&folder.json("v.json", &vnet("v")));
    assert_eq!(snapshot.len(), 1);
    assert!(!snapshot.absence(SUB, VNETS).is_evidence());
    assert!(snapshot.absence(&id(VNETS, "v"), VNETS).is_evidence());
}

#[test]
fn truncated_page_is_partial() {
    for (i, answer) in [
        json!({ "value": [vnet("v"), nsg("n")], "nextLink": "https://management.azure.com/next" }),
        json!({ "data": [vnet("v"), nsg("n")], "count": 2, "total_records": 3 }),
        json!({ "data": [vnet("v"), nsg("n")], "skip_token": "abc", "count": 2, "total_records": 2 }),
        json!({ "count": 2, "data": [vnet("v"), nsg("n")], "totalRecords": 2, "resultTruncated": "true" }),
    ]
    .iter()
    .enumerate()
    {
        let folder = Folder::new(&format!("page-{i}"));
        let snapshot = folder.read(&folder.json("page.json", answer));
        assert_eq!(snapshot.len(), 2);
        assert!(!snapshot.absence(SUB, VNETS).is_evidence(), "{answer}");
        assert!(!snapshot.inputs()[0].complete);
    }
}

#[test]
fn whole_pages_are_complete() {
    let folder = Folder::new("whole-page");
    let snapshot =
        folder.read(&folder.json("a.json", &json!({ "value": [vnet("v"), nsg("n")], "nextLink": null })));
    assert_eq!(snapshot.absence(SUB, VNETS), assumed());
    let graph = json!({ "count": 2, "data": [vnet("v"), nsg("n")], "skip_token": null, "total_records": 2 });
    let snapshot = folder.read(&folder.json("b.json", &graph));
    assert_eq!(snapshot.absence(SUB, "Microsoft.Network/routeTables"), assumed());
    // Other tables of Resource Graph hold these: their absence from this one says nothing.
    assert!(!snapshot.absence(SUB, "Microsoft.Authorization/roleAssignments").is_evidence());
    assert!(!snapshot.absence(SUB, "Microsoft.Network/privateDnsZones/A").is_evidence());
}

#[test]
fn resource_without_properties_is_a_gap() {
    let bare = json!({ "id": id(VNETS, "v"), "name": "v", "type": VNETS, "location": "westeurope",
                       "resourceGroup": "rg", "provisioningState": "Succeeded", "createdTime": "2026-01-01" });
    let folder = Folder::new("bare");
    let snapshot = folder.read(&folder.json("a.json", &json!([bare, nsg("n")])));
    assert_eq!((snapshot.len(), snapshot.gaps().len()), (1, 1));
    assert_eq!(snapshot.gaps()[0].resource.as_deref(), Some(id(VNETS, "v").as_str()));
    assert!(!snapshot.absence(SUB, VNETS).is_evidence());
    assert_eq!(snapshot.absence(SUB, "Microsoft.Network/routeTables"), assumed());
    // Whole in another file: no gap after all.
    folder.json("b.json", &json!([vnet("v")]));
    let both = folder.read(folder.path());
    assert_eq!((both.len(), both.gaps().len()), (2, 0));
    assert!(both.absence(SUB, VNETS).is_evidence());
}

#[test]
fn type_may_be_missing() {
    let folder = Folder::new("typeless");
    let snapshot = folder.read(&folder.json("a.json", &json!([{ "id": id(VNETS, "v"), "properties": {} }])));
    let layered = Layered::new(std::sync::Arc::new(snapshot));
    assert_eq!(layered.of_type(VNETS).len(), 1);
}

#[test]
fn record_sets_of_resource_graph_get_arms_shape() {
    let zone = id("Microsoft.Network/privateDnsZones", "privatelink.azurecr.io");
    let row = json!({ "id": format!("{zone}/a/contoso"), "name": "contoso", "managedBy": "privatelink.azurecr.io",
                      "type": "microsoft.network/privatednszones/a",
                      "properties": { "ttl": 10, "records": [{ "ipv4Address": "10.0.0.4" }] } });
    let folder = Folder::new("records");
    let snapshot =
        folder.read(&folder.json("a.json", &json!({ "data": [row], "count": 1, "total_records": 1 })));
    let json = json_of(snapshot, &format!("{zone}/A/contoso"));
    assert_eq!(json["properties"]["aRecords"], json!([{ "ipv4Address": "10.0.0.4" }]));
    assert_eq!(json["properties"]["fqdn"], "contoso.privatelink.azurecr.io.");
    assert_eq!(json["properties"].get("records"), None);
}

#[test]
fn service_tags_of_file_and_of_api() {
    let values = json!([
        { "name": "Storage", "id": "Storage", "properties": { "addressPrefixes": ["203.0.113.0/24", "2001:db8::/32"] } },
        { "name": "Broken", "properties": { "addressPrefixes": ["203.0.113.0/33"] } },
        { "name": "Nothing", "properties": {} },
    ]);
    let folder = Folder::new("tags");
    let file = folder.json(
        "ServiceTags_Public_20260101.json",
        &json!({ "changeNumber": 363, "cloud": "Public", "values": values }),
    );
    let api = folder.json(
        "api.json",
        &json!({ "name": "public", "id": format!("{SUB}/providers/Microsoft.Network/serviceTags/public"),
                 "type": "Microsoft.Network/serviceTags", "changeNumber": "68", "cloud": "AzureUSGovernment", "values": values }),
    );
    let snapshot = folder.read(&file);
    let list = &snapshot.tag_lists()[0];
    assert_eq!((list.change_number.as_str(), list.cloud.as_str()), ("363", "Public"));
    assert_eq!(list.tags.keys().collect::<Vec<_>>(), ["Storage"]);
    assert_eq!(list.tags["Storage"], ["203.0.113.0/24", "2001:db8::/32"]);
    assert_eq!(snapshot.gaps().len(), 2, "an unknown tag is not an empty one");
    assert_eq!(folder.read(&api).tag_lists()[0].change_number, "68");
}

#[test]
fn folders_pass_over_foreign_files() {
    let folder = Folder::new("foreign");
    folder.json("v.json", &vnet("v"));
    let foreign = folder.json("_source.json", &json!({ "source": "somewhere" }));
    folder.text("notes.txt", "not JSON");
    folder.text("questions.ndjson", "{\"id\":1,\"ask\":\"next-hop\"}\n{\"id\":2,\"ask\":\"next-hop\"}\n");
    let snapshot = folder.read(folder.path());
    assert_eq!((snapshot.len(), snapshot.gaps().len(), snapshot.notes().len()), (1, 0, 2));
    assert!(matches!(folder.try_read(&foreign), Err(ReadError::Form { .. })));
}

#[test]
fn marks_before_the_text() {
    let folder = Folder::new("marks");
    let text = json!([vnet("v")]).to_string();
    let bom = folder.text("bom.json", &format!("\u{feff}{text}"));
    assert_eq!(folder.read(&bom).len(), 1);
    let wide: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let wide = folder.bytes("wide.json", &wide);
    let error = folder.try_read(&wide).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.contains("UTF-16"), "{error}");
}
