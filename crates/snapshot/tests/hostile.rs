//! Input that is broken, or meant to break the reader: a gap where it stands, never the end of the run.

mod folder;

use folder::Folder;
use pullproof_snapshot::{Layered, Snapshot};

const SUB: &str = "/subscriptions/11111111-1111-1111-1111-111111111111";
const VNETS: &str = "Microsoft.Network/virtualNetworks";

fn id(name: &str) -> String {
    format!("{SUB}/resourceGroups/rg/providers/{VNETS}/{name}")
}

fn good(name: &str) -> String {
    format!("{{\"id\":\"{}\",\"properties\":{{}}}}", id(name))
}

fn array(name: &str, elements: &[Vec<u8>]) -> Snapshot {
    let folder = Folder::new(name);
    let text = [b"[\n".to_vec(), elements.join(&b",\n"[..]), b"\n]".to_vec()].concat();
    folder.read(&folder.bytes("a.json", &text))
}

/// Reads the bad element between two good ones, as an array and as lines; both must give one gap on its line.
fn between_good_ones(name: &str, bad: &[u8]) -> Snapshot {
    let elements = [good("a").into_bytes(), bad.to_vec(), good("b").into_bytes()];
    let snapshot = array(name, &elements);
    assert_eq!((snapshot.len(), snapshot.gaps().len()), (2, 1), "{name}: {:?}", snapshot.gaps());
    assert_eq!(snapshot.gaps()[0].line, Some(3), "{name}");
    assert!(snapshot.gaps()[0].reason.is_some() && snapshot.gaps()[0].file.is_some());
    assert!(!snapshot.absence(SUB, VNETS).is_evidence(), "{name}");

    let folder = Folder::new(&format!("{name}-lines"));
    let end = format!("{{\"pullproof\":\"end\",\"complete\":[{{\"scope\":\"{SUB}\",\"types\":\"*\"}}]}}");
    let head = b"{\"pullproof\":\"snapshot/v1\"}".to_vec();
    let text = [head, elements.join(&b"\n"[..]), end.into_bytes()].join(&b"\n"[..]);
    let lines = folder.read(&folder.bytes("a.ndjson", &text));
    assert_eq!((lines.len(), lines.gaps().len()), (2, 1), "{name}: {:?}", lines.gaps());
    assert_eq!(lines.gaps()[0].line, Some(3), "{name}");
    assert!(!lines.absence(SUB, VNETS).is_evidence(), "{name}");
    snapshot
}

#[test]
fn what_cannot_be_read_is_a_gap() {
    between_good_ones("no-json", b"{\"id\": tru, \"properties\": {}}");
    between_good_ones("no-object", b"17");
    between_good_ones("no-id", b"{\"name\": \"x\", \"properties\": {}}");
    between_good_ones("number-id", b"{\"id\": 17, \"properties\": {}}");
    between_good_ones("foreign-id", b"{\"id\": \"17\", \"properties\": {}}");
    between_good_ones("twice-id", format!("{{\"id\":\"{0}\",\"id\":\"{0}\"}}", id("x")).as_bytes());
    between_good_ones("no-utf8", b"{\"name\": \"\xff\xfe\", \"properties\": {}}");
    between_good_ones("bad-properties", format!("{{\"id\":\"{}\",\"properties\":[]}}", id("x")).as_bytes());
}

#[test]
fn a_broken_resource_is_named_where_its_id_can_be_read() {
    let text = format!("{{\"id\":\"{}\",\"properties\":{{\"a\": nul}}}}", id("broken"));
    let snapshot = between_good_ones("named", text.as_bytes());
    assert_eq!(snapshot.gaps()[0].resource.as_deref(), Some(id("broken").as_str()));
    // The rest of the list is still a list of one type.
    assert!(snapshot.absence(&id("c"), VNETS).is_evidence());
}

#[test]
fn deep_nesting_does_not_overflow() {
    for (name, open, close) in [("arrays", "[", "]"), ("objects", "{\"a\":", "}")] {
        let inner = if open == "[" { "" } else { "1" };
        let bomb = format!("{}{inner}{}", open.repeat(200_000), close.repeat(200_000));
        let text = format!("{{\"id\":\"{}\",\"properties\":{{\"a\":{bomb}}}}}", id("deep"));
        let snapshot = between_good_ones(&format!("deep-{name}"), text.as_bytes());
        assert_eq!(snapshot.gaps()[0].resource.as_deref(), Some(id("deep").as_str()));
        let folder = Folder::new(&format!("deep-file-{name}"));
        assert!(folder.try_read(&folder.text("a.json", &bomb)).is_err());
        assert!(folder.try_read(&folder.text("b.json", &open.repeat(200_000))).is_err());
    }
}

#[test]
fn a_truncated_array_keeps_what_was_whole() {
    let folder = Folder::new("truncated");
    let text = format!("[{},{},{{\"id\":\"{}\",\"prop", good("a"), good("b"), id("c"));
    let snapshot = folder.read(&folder.text("a.json", &text));
    assert_eq!((snapshot.len(), snapshot.gaps().len()), (2, 1));
    assert!(!snapshot.inputs()[0].complete);
    assert!(!snapshot.absence(SUB, VNETS).is_evidence(), "truncated_page_is_partial");
    assert_eq!(snapshot.gaps()[0].resource.as_deref(), Some(id("c").as_str()));
    let snapshot = folder.read(&folder.text("c.json", &format!("[{}] and more", good("a"))));
    assert!(!snapshot.absence(SUB, VNETS).is_evidence());
    let text = format!("{{\"value\":[{},{}", good("a"), good("b"));
    let snapshot = folder.read(&folder.text("b.json", &text));
    assert_eq!(snapshot.len(), 2);
    assert!(!snapshot.absence(SUB, VNETS).is_evidence());
}

#[test]
fn values_that_no_number_or_text_can_hold_are_unknown() {
    for (name, value) in [("number", "1e999"), ("text", "\"\\ud800\"")] {
        let text = format!("{{\"id\":\"{}\",\"properties\":{{\"a\":{value}}}}}", id("v"));
        let layered = Layered::new(std::sync::Arc::new(array(name, &[text.into_bytes()])));
        let json = layered.json(layered.find(&id("v")).unwrap());
        assert!(json["properties"]["$unknown"].is_string(), "{json}");
    }
}

#[test]
fn no_cut_of_a_file_panics() {
    let text = format!(
        "{{\"count\":2,\"data\":[{},{}],\"skip_token\":null,\"total_records\":2}}\n",
        good("a"),
        good("b\\u0041\\\"")
    );
    let folder = Folder::new("cuts");
    for cut in 0..text.len() {
        for name in ["a.json", "a.ndjson"] {
            let file = folder.text(name, &text[..cut]);
            if let Ok(snapshot) = folder.try_read(&file) {
                assert!(
                    !snapshot.absence(SUB, VNETS).is_evidence() || text[cut..].trim().is_empty(),
                    "{cut} {name}"
                );
            }
        }
    }
}
