//! Files that are no configuration, or only just: what can be read is read, the rest is told, nothing hangs.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::Sources;

fn folder(test: &str) -> PathBuf {
    let root = std::env::temp_dir().join(format!("pullproof-hostile-{}-{test}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).expect("made");
    fs::write(root.join("good.tf"), "resource \"azurerm_subnet\" \"x\" {\n}\n").expect("written");
    root
}

/// The good file is found whatever stands beside it, and what is said about the other.
#[track_caller]
fn beside(test: &str, bytes: &[u8]) -> String {
    let root = folder(test);
    fs::write(root.join("bad.tf"), bytes).expect("written");
    let sources = Sources::folder(&root, &root);
    assert!(sources.locate("azurerm_subnet.x", &[], &Value::Null).is_some(), "{test}");
    sources.notes().join("\n")
}

#[test]
fn foreign_files_are_told_and_passed_over() {
    assert!(
        beside("deep", "x = ".bytes().chain([b'['; 100_000]).collect::<Vec<_>>().as_slice())
            .starts_with("bad.tf:1:")
    );
    let blocks = "a {\n".repeat(100_000);
    assert!(beside("blocks", blocks.as_bytes()).starts_with("bad.tf:"));
    assert!(beside("open", b"resource \"a\" \"b\" {\n  x = \"${\n").starts_with("bad.tf:"));
    assert!(beside("heredoc", b"x = <<EOT\nno end\n").starts_with("bad.tf:"));
    assert_eq!(
        beside("latin", b"x = \"\xff\"\n"),
        "bad.tf: not UTF-8 from byte 5; findings have no lines in it"
    );
    let large = vec![b'#'; 5 << 20];
    assert_eq!(beside("large", &large), "bad.tf: larger than 4 MiB; findings have no lines in it");
    assert_eq!(beside("empty", b""), "");
}

#[test]
fn a_byte_order_mark_and_carriage_returns_do_not_move_columns() {
    let root = folder("marks");
    let text = "\u{feff}resource \"azurerm_subnet\" \"y\" {\r\n  name = \"a\"\r\n  size = 1\r\n}\r\n";
    fs::write(root.join("marked.tf"), text).expect("written");
    let sources = Sources::folder(&root, &root);
    let path = crate::address::steps("size");
    let found = sources.locate("azurerm_subnet.y", &path, &Value::Null);
    let found = found.unwrap_or_else(|| panic!("{:?}", sources.notes()));
    assert_eq!((found.block.line, found.block.column), (1, 1));
    let argument = found.argument.expect("written");
    assert_eq!((argument.line, argument.column, argument.end_column), (3, 3, 11));
    assert_eq!(argument.text, "size = 1");
}

#[test]
fn json_configuration_has_no_lines_and_does_not_fail() {
    let root = folder("json");
    fs::write(root.join("more.tf.json"), "{ \"resource\": {}").expect("written");
    fs::remove_file(root.join("good.tf")).expect("there");
    assert!(Sources::are_in(&root));
    let sources = Sources::folder(&root, &root);
    assert!(sources.locate("azurerm_subnet.x", &[], &Value::Null).is_none());
    assert!(sources.notes().is_empty());
}

#[test]
fn a_module_that_calls_itself_ends_where_the_address_does() {
    let root = folder("self");
    fs::write(root.join("self.tf"), "module \"m\" {\n  source = \"./.\"\n}\n").expect("written");
    let sources = Sources::folder(&root, &root);
    let deep =
        |n: usize| sources.locate(&format!("{}azurerm_subnet.x", "module.m.".repeat(n)), &[], &Value::Null);
    assert_eq!(deep(20).map(|found| found.calls.len()), Some(20));
    assert!(deep(2000).is_none());
}

#[cfg(unix)]
#[test]
fn links_to_themselves_and_devices_are_told() {
    let root = folder("links");
    std::os::unix::fs::symlink(root.join("loop.tf"), root.join("loop.tf")).expect("linked");
    std::os::unix::fs::symlink("/dev/zero", root.join("zero.tf")).expect("linked");
    let sources = Sources::folder(&root, &root);
    assert!(sources.locate("azurerm_subnet.x", &[], &Value::Null).is_some());
    let notes = sources.notes();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert_eq!(notes[1], "zero.tf: not a regular file; findings have no lines in it");
}
