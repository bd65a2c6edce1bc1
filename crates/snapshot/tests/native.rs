//! The native form: header, gaps, evidence, end line, and what a file without one of them says.

mod folder;

use folder::Folder;
use pullproof_snapshot::{Absence, Snapshot};
use serde_json::{Value, json};

const SUB: &str = "/subscriptions/11111111-1111-1111-1111-111111111111";
const VNETS: &str = "Microsoft.Network/virtualNetworks";
const TABLES: &str = "Microsoft.Network/routeTables";
const ROLES: &str = "Microsoft.Authorization/roleAssignments";

fn header() -> Value {
    json!({ "pullproof": "snapshot/v1", "captured_from": "2026-11-01T10:00:00Z",
            "captured_to": "2026-11-01T10:05:00Z", "scopes": [SUB] })
}

fn resource(kind: &str, name: &str) -> Value {
    json!({ "id": format!("{SUB}/resourceGroups/rg/providers/{kind}/{name}"), "name": name, "type": kind, "properties": {} })
}

fn end(types: &Value, resources: u64) -> Value {
    json!({ "pullproof": "end", "complete": [{ "scope": SUB, "types": types }], "resources": resources })
}

fn lines(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn read(name: &str, text: &str) -> Snapshot {
    let folder = Folder::new(name);
    folder.read(&folder.text("s.ndjson", text))
}

fn stated(snapshot: &Snapshot, scope: &str, kind: &str) -> bool {
    snapshot.absence(scope, kind) == Absence::Evidence { assumption: None }
}

#[test]
fn the_end_line_says_what_is_complete() {
    let text = lines(&[header(), resource(VNETS, "v"), end(&json!([VNETS, ROLES]), 1)]);
    let snapshot = read("native", &text);
    assert!(stated(&snapshot, SUB, VNETS));
    assert!(stated(&snapshot, &SUB.to_uppercase(), &VNETS.to_uppercase()));
    assert!(!snapshot.absence(SUB, TABLES).is_evidence());
    let input = &snapshot.inputs()[0];
    assert!(input.complete);
    assert_eq!(input.captured_to.as_deref(), Some("2026-11-01T10:05:00Z"));
    assert_eq!(input.sha256.len(), 64);
    assert_eq!(snapshot.captured_to(), Some("2026-11-01T10:05:00Z"));
}

#[test]
fn role_assignments_are_complete_for_what_is_inherited() {
    let snapshot = read("inherited", &lines(&[header(), end(&json!([VNETS, ROLES]), 0)]));
    assert!(stated(&snapshot, "/", ROLES));
    assert!(!snapshot.absence("/", VNETS).is_evidence());
    let group = "/providers/Microsoft.Management/managementGroups/corp";
    assert!(!snapshot.absence(group, ROLES).is_evidence(), "not known to lie above the subscription");
    let subscription = json!({ "id": SUB, "name": "s", "type": "microsoft.resources/subscriptions", "tenantId": "T",
        "properties": { "managementGroupAncestorsChain": [{ "name": "corp" }, { "name": "root" }] } });
    let snapshot = read("inherited-2", &lines(&[header(), subscription, end(&json!([ROLES]), 1)]));
    assert!(stated(&snapshot, group, ROLES));
    let above = snapshot.scopes_above(SUB);
    assert_eq!(above.len(), 3);
    assert!(
        above.contains(&"/tenants/t")
            && above.contains(&"/providers/microsoft.management/managementgroups/root")
    );
}

#[test]
fn without_an_end_line_nothing_is_complete() {
    let whole = lines(&[header(), resource(VNETS, "v"), resource(TABLES, "t"), end(&json!("*"), 2)]);
    assert!(stated(&read("whole", &whole), SUB, VNETS));
    for (i, text) in [
        lines(&[header(), resource(VNETS, "v"), resource(TABLES, "t")]),
        lines(&[header(), resource(VNETS, "v"), end(&json!("*"), 2)]),
        lines(&[header(), end(&json!("*"), 0), resource(VNETS, "v")]),
        whole[..whole.len() / 2].to_owned(),
    ]
    .iter()
    .enumerate()
    {
        let snapshot = read(&format!("partial-{i}"), text);
        assert!(!snapshot.absence(SUB, VNETS).is_evidence(), "{text}");
        assert!(!snapshot.inputs()[0].complete);
    }
}

#[test]
fn a_gap_takes_its_scope_and_type_out_again() {
    let gap = json!({ "pullproof": "gap", "scope": format!("{SUB}/resourceGroups/locked"), "types": [VNETS],
                      "operation": "list", "status": 403, "code": "AuthorizationFailed" });
    let snapshot = read("gap", &lines(&[header(), gap, end(&json!("*"), 0)]));
    assert_eq!(snapshot.gaps()[0].status, Some(403));
    assert_eq!(snapshot.gaps()[0].line, Some(2));
    assert!(!snapshot.absence(SUB, VNETS).is_evidence());
    assert!(
        !snapshot
            .absence(&format!("{SUB}/resourceGroups/locked"), "Microsoft.Network/virtualNetworks/subnets")
            .is_evidence()
    );
    assert!(stated(&snapshot, &format!("{SUB}/resourceGroups/open"), VNETS));
    assert!(stated(&snapshot, SUB, TABLES));

    let one = json!({ "pullproof": "gap", "resource": resource(VNETS, "v")["id"], "status": 403 });
    let snapshot = read("gap-one", &lines(&[header(), one.clone(), end(&json!("*"), 0)]));
    assert!(!snapshot.absence(SUB, VNETS).is_evidence());
    assert!(stated(&snapshot, SUB, TABLES));
    let snapshot = read("gap-moot", &lines(&[header(), one, resource(VNETS, "v"), end(&json!("*"), 1)]));
    assert!(stated(&snapshot, SUB, VNETS) && snapshot.gaps().is_empty(), "read after all");
}

#[test]
fn scopes_cover_what_lies_in_them() {
    let scope = format!("{SUB}/resourceGroups/rg");
    let end = json!({ "pullproof": "end", "complete": [{ "scope": scope, "types": "*" }], "resources": 0 });
    let snapshot = read("scope", &lines(&[header(), end]));
    assert!(stated(&snapshot, &scope, VNETS));
    assert!(
        !snapshot.absence(SUB, VNETS).is_evidence(),
        "other_subscription_is_not_absent, nor another group"
    );
    assert!(!snapshot.absence(&format!("{scope}2"), VNETS).is_evidence());
}

#[test]
fn a_management_group_covers_its_subscriptions() {
    let group = "/providers/Microsoft.Management/managementGroups/corp";
    let member = json!({ "id": format!("{group}/subscriptions/{}", &SUB["/subscriptions/".len()..]),
                         "type": "Microsoft.Management/managementGroups/subscriptions", "properties": {} });
    let end =
        json!({ "pullproof": "end", "complete": [{ "scope": group, "types": [VNETS] }], "resources": 1 });
    assert!(stated(&read("mg", &lines(&[header(), member, end.clone()])), SUB, VNETS));
    assert!(!read("mg-2", &lines(&[header(), end])).absence(SUB, VNETS).is_evidence());
}

#[test]
fn evidence_is_found_by_resource_and_operation() {
    let gateway = format!("{SUB}/resourceGroups/rg/providers/Microsoft.Network/virtualNetworkGateways/g");
    let line = json!({ "pullproof": "evidence", "resource": gateway, "operation": "getLearnedRoutes",
                       "captured": "2026-11-01T10:00:00Z", "answer": { "value": [] } });
    let odd = json!({ "pullproof": "evidence", "resource": gateway });
    let later = json!({ "pullproof": "metrics", "value": 1 });
    let snapshot = read("evidence", &lines(&[header(), line, odd, later, end(&json!([]), 0)]));
    let found = snapshot.evidence(&gateway.to_uppercase(), "getlearnedroutes");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].answer, json!({ "value": [] }));
    assert_eq!(snapshot.gaps().len(), 1, "evidence without an answer");
    assert_eq!(snapshot.notes().len(), 1, "a kind of a later version is passed over");
}

#[test]
fn another_version_is_refused() {
    let folder = Folder::new("version");
    let file = folder.text("s.ndjson", "{\"pullproof\":\"snapshot/v2\"}\n");
    let error = folder.try_read(&file).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(error.contains("snapshot/v2"), "{error}");
}
