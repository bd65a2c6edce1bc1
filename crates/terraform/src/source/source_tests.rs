//! Exact places of addresses and arguments in small roots.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Located, Place, Sources};
use crate::address::steps;

/// A folder of its own for a test, with files.
fn tree(test: &str, files: &[(&str, &str)]) -> PathBuf {
    let root = std::env::temp_dir().join(format!("pullproof-source-{}-{test}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    root
}

fn told(place: &Place) -> String {
    let Place { file, line, column, end_line, end_column, .. } = place;
    format!("{file}:{line}:{column}-{end_line}:{end_column}")
}

#[track_caller]
fn located(root: &Path, address: &str, path: &str, value: &Value) -> Located {
    let sources = Sources::folder(root, root);
    let found = sources.locate(address, &steps(path), value);
    found.unwrap_or_else(|| panic!("{address} is not found: {:?}", sources.notes()))
}

#[track_caller]
fn argument(root: &Path, address: &str, path: &str, value: &Value) -> String {
    let found = located(root, address, path, value);
    found.argument.as_ref().map_or_else(|| "none".into(), told)
}

const ROOT: &str = r#"# Spokes.
module "spoke" {
  for_each = toset(["weu", "neu"])
  source   = "./spoke"
  name     = each.key
}

module "fetched" {
  source  = "contoso/registry/azurerm"
  version = "~> 1.0"
}

data "azurerm_subnet" "old" {
  name = "snet-old"
}
"#;

const SPOKE: &str = r#"module "net" {
  source = "../net"
}

resource "azurerm_route_table" "nodes" {
  name = "rt-${var.name}" /* ü𐐷 */ ; 
}
"#;

const NET: &str = r#"resource "azurerm_subnet" "nodes" {
  count            = 2
  name             = "snet"
  /* ü𐐷 */ address_prefixes = [
    "10.1.0.0/24",
  ]
}

resource "azurerm_network_security_group" "nodes" {
  security_rule {
    name     = "first"
    priority = 100
    access   = "Allow"
  }
  security_rule {
    name     = "second"
    priority = 200
    access   = "Deny"
  }
  dynamic "security_rule" {
    for_each = var.rules
    content {
      name     = security_rule.key
      priority = security_rule.value.priority
      access   = "Deny"
    }
  }
}

resource "azurerm_route_table" "made" {
  dynamic "route" {
    for_each = var.routes
    content {
      name = route.value
    }
  }
}

resource "azapi_resource" "zone" {
  body = {
    properties = {
      "links" = [{ name = "a" }, { name = "b" }]
    }
  }
}

resource "azapi_resource" "text" {
  body = jsonencode({
    properties = { enabled = false }
  })
}
"#;

fn spokes(test: &str) -> PathBuf {
    tree(
        test,
        &[
            ("main.tf", ROOT),
            ("spoke/main.tf", &SPOKE.replace(" ; ", "")),
            ("net/main.tf", NET),
            (
                ".terraform/modules/modules.json",
                r#"{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"fetched","Source":"registry.terraform.io/contoso/registry/azurerm","Version":"1.0.3","Dir":".terraform/modules/fetched/sub"}]}"#,
            ),
            (
                ".terraform/modules/fetched/sub/registry.tf",
                "resource \"azurerm_container_registry\" \"this\" {\n  sku = \"Premium\"\n}\n",
            ),
        ],
    )
}

#[test]
fn modules_are_followed_innermost_first() {
    let root = spokes("modules");
    let address = r#"module.spoke["weu"].module.net.azurerm_subnet.nodes[1]"#;
    let found = located(&root, address, "address_prefixes", &Value::Null);
    // The comment before it holds two characters of three UTF-16 units.
    assert_eq!(found.argument.as_ref().map(told).as_deref(), Some("net/main.tf:4:13-6:4"));
    assert_eq!(found.argument.map(|a| a.text).as_deref(), Some("/* ü𐐷 */ address_prefixes = ["));
    assert_eq!(told(&found.block), "net/main.tf:1:1-7:2");
    let calls: Vec<String> = found.calls.iter().map(|c| format!("{} {}", c.name, told(&c.place))).collect();
    assert_eq!(calls, ["net spoke/main.tf:1:1-3:2", "spoke main.tf:2:1-6:2"]);
}

#[test]
fn modules_that_init_fetched_are_found_by_its_list() {
    let root = spokes("fetched");
    let found = located(&root, "module.fetched.azurerm_container_registry.this", "sku", &Value::Null);
    assert_eq!(
        found.argument.as_ref().map(told).as_deref(),
        Some(".terraform/modules/fetched/sub/registry.tf:2:3-2:18")
    );
}

#[test]
fn data_sources_and_arguments_that_are_not_written() {
    let root = spokes("data");
    assert_eq!(argument(&root, "data.azurerm_subnet.old", "name", &Value::Null), "main.tf:14:3-14:20");
    assert_eq!(argument(&root, "data.azurerm_subnet.old", "address_prefix", &Value::Null), "none");
    let sources = Sources::folder(&root, &root);
    assert!(sources.locate("azurerm_subnet.old", &[], &Value::Null).is_none());
    assert!(sources.locate("module.nobody.azurerm_subnet.x", &[], &Value::Null).is_none());
}

#[test]
fn the_nested_block_that_an_element_comes_from() {
    let root = spokes("nested");
    // A set in the plan: in no order of the configuration.
    let value = json!({ "security_rule": [
        { "name": "made", "priority": 300, "access": "Deny" },
        { "name": "second", "priority": 200, "access": "Deny" },
        { "name": "first", "priority": 100, "access": "Allow" },
    ] });
    let group = r#"module.spoke["neu"].module.net.azurerm_network_security_group.nodes"#;
    let of = |path: &str| argument(&root, group, path, &value);
    assert_eq!(of("security_rule[2].access"), "net/main.tf:13:5-13:23");
    assert_eq!(of("security_rule.1.access"), "net/main.tf:18:5-18:22");
    assert_eq!(of("security_rule[0].priority"), "net/main.tf:24:7-24:46");
    // An argument that the block does not write: the block itself.
    assert_eq!(of("security_rule[1].protocol"), "net/main.tf:15:3-19:4");
    assert_eq!(of("security_rule[0].protocol"), "net/main.tf:22:5-26:6");
}

#[test]
fn a_dynamic_block_that_made_nothing_is_decided_by_its_for_each() {
    let root = spokes("dynamic");
    let table = r#"module.spoke["neu"].module.net.azurerm_route_table.made"#;
    assert_eq!(argument(&root, table, "route", &json!({ "route": [] })), "net/main.tf:32:5-32:26");
}

#[test]
fn bodies_of_azapi() {
    let root = spokes("azapi");
    let of = |address: &str, path: &str| {
        argument(
            &root,
            &format!("module.spoke[\"neu\"].module.net.azapi_resource.{address}"),
            path,
            &Value::Null,
        )
    };
    assert_eq!(of("zone", "body.properties.links[1].name"), "net/main.tf:42:36-42:46");
    assert_eq!(of("zone", "body.properties.nothing"), "net/main.tf:41:5-43:6");
    assert_eq!(of("text", "body.properties.enabled"), "net/main.tf:49:20-49:35");
}

#[test]
fn override_files_and_tofu_files_win() {
    let root = tree(
        "override",
        &[
            ("a_override.tf", "resource \"azurerm_subnet\" \"x\" {\n  name = \"b\"\n}\n"),
            ("main.tf", "resource \"azurerm_subnet\" \"x\" {\n  name = \"a\"\n  size = 1\n}\n"),
            ("two.tf", "resource \"azurerm_subnet\" \"y\" {\n  name = \"old\"\n}\n"),
            ("two.tofu", "\n\nresource \"azurerm_subnet\" \"y\" {\n  name = \"new\"\n}\n"),
        ],
    );
    assert_eq!(argument(&root, "azurerm_subnet.x", "name", &Value::Null), "a_override.tf:2:3-2:13");
    assert_eq!(argument(&root, "azurerm_subnet.x", "size", &Value::Null), "main.tf:3:3-3:11");
    assert_eq!(told(&located(&root, "azurerm_subnet.x", "", &Value::Null).block), "main.tf:1:1-4:2");
    assert_eq!(argument(&root, "azurerm_subnet.y", "name", &Value::Null), "two.tofu:4:3-4:15");
}

#[test]
fn files_are_named_from_the_working_directory() {
    let root = spokes("working");
    let of = |root: &Path, working: &Path| {
        let found = Sources::folder(root, working).locate("data.azurerm_subnet.old", &[], &Value::Null);
        found.map(|found| found.block.file).unwrap_or_default()
    };
    let name = root.file_name().and_then(|n| n.to_str()).expect("a name");
    assert_eq!(of(&root, root.parent().expect("a parent")), format!("{name}/main.tf"));
    assert_eq!(of(Path::new("."), &root), "main.tf");
    assert_eq!(of(Path::new(".."), &root.join("spoke")), "../main.tf");
}
