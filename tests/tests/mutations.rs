//! Estates with random faults: references swapped, children dropped, names that dangle, values of another resource. No
//! panic, and the prover and the plain evaluator never say the opposite of each other (V13; exit 5).
//!
//! `MUTATIONS=<number>` tries more of them, `MUTATION=<number>` only that one.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pullproof_audit::{Options, run};
use pullproof_checker::Plain;
use pullproof_network::Network;
use pullproof_prover::Prover;
use pullproof_scenario::{Expanded, Scenario};
use pullproof_snapshot::{Declared, Layered};
use pullproof_tests::dice::Dice;
use pullproof_tests::root;
use serde_json::{Value, json};

/// How many are tried where nothing else is said.
const USUAL: u64 = 400;

/// Where every value stands, below the resource's own `id`, `name` and `type`.
fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let here = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                if !matches!(here.as_str(), "/id" | "/type" | "/name" | "/location") {
                    out.push(here.clone());
                    pointers(value, &here, out);
                }
            }
        }
        Value::Array(items) => {
            for (i, item) in items.iter().enumerate() {
                let here = format!("{at}/{i}");
                out.push(here.clone());
                pointers(item, &here, out);
            }
        }
        _ => {}
    }
}

fn key(pointer: &str) -> &str {
    let parts = pointer.rsplit('/');
    parts.into_iter().find(|p| p.parse::<usize>().is_err()).unwrap_or_default()
}

/// What an estate holds, so that faults are made of what stands elsewhere in it.
struct Stock {
    /// The ids of all resources, and of what is referred to.
    ids: Vec<String>,
    /// Values by the name of their field.
    values: BTreeMap<String, Vec<Value>>,
}

impl Stock {
    fn of(resources: &[Value]) -> Self {
        let (mut ids, mut values) = (Vec::new(), BTreeMap::<String, Vec<Value>>::new());
        for resource in resources {
            ids.extend(resource["id"].as_str().map(str::to_owned));
            let mut all = Vec::new();
            pointers(resource, "", &mut all);
            for pointer in all {
                let value = resource.pointer(&pointer).cloned().unwrap_or_default();
                if let Some(text) = value.as_str().filter(|t| t.starts_with("/subscriptions/")) {
                    ids.push(text.to_owned());
                }
                let known = values.entry(key(&pointer).to_owned()).or_default();
                if !known.contains(&value) {
                    known.push(value);
                }
            }
        }
        ids.sort();
        ids.dedup();
        Self { ids, values }
    }
}

/// The folded type of an id, as far as its shape tells.
fn kind(id: &str) -> Vec<String> {
    let after = id.rsplit_once("/providers/").map_or("", |(_, rest)| rest);
    after
        .split('/')
        .enumerate()
        .filter(|(i, _)| *i == 0 || i % 2 == 1)
        .map(|(_, p)| p.to_lowercase())
        .collect()
}

/// Makes one fault; says which.
fn fault(resources: &mut Vec<Value>, stock: &Stock, dice: &mut Dice) -> Option<String> {
    let which = dice.below(resources.len());
    let id = resources.get(which)?["id"].as_str().unwrap_or_default().to_owned();
    if dice.below(25) == 0 {
        resources.remove(which);
        return Some(format!("without {}", short(&id)));
    }
    let resource = resources.get_mut(which)?;
    let mut all = Vec::new();
    pointers(resource, "", &mut all);
    let references: Vec<String> = all
        .iter()
        .filter(|p| {
            resource.pointer(p).and_then(Value::as_str).is_some_and(|t| t.starts_with("/subscriptions/"))
        })
        .cloned()
        .collect();
    let refer = !references.is_empty() && dice.below(2) == 0;
    let pointer = dice.pick(if refer { &references } else { &all })?.clone();
    let old = resource.pointer(&pointer)?.clone();
    let new = if refer {
        let text = old.as_str()?.to_owned();
        let alike: Vec<&String> = stock.ids.iter().filter(|i| kind(i) == kind(&text)).collect();
        match dice.below(6) {
            0 => Some(json!(format!("{text}-gone"))),
            1 => dice.pick(&stock.ids).map(|id| json!(id)),
            2 => None,
            _ => dice.pick(&alike).map(|id| json!(id)),
        }
    } else {
        let others = stock.values.get(key(&pointer)).map(Vec::as_slice).unwrap_or_default();
        match dice.below(9) {
            0 | 1 => None,
            2 => Some(Value::Null),
            3 => {
                let mut hole = json!({"$unknown": format!("hole-{}", dice.below(3)), "why": "module.fault"});
                if dice.below(2) == 0 {
                    let subnets: Vec<&String> = stock.ids.iter().filter(|id| kind(id).len() == 3).collect();
                    hole["within"] = json!(dice.pick(&subnets));
                }
                Some(hole)
            }
            4 => Some(match &old {
                Value::String(text) => json!(format!("{text}x")),
                Value::Bool(on) => json!(!on),
                Value::Number(n) => json!(n.as_i64().unwrap_or_default() + 1),
                Value::Array(_) => json!([]),
                _ => json!({}),
            }),
            5 => match &old {
                Value::Array(items) => {
                    let mut items = items.clone();
                    items
                        .extend(dice.pick(others).and_then(Value::as_array).and_then(|o| o.first()).cloned());
                    Some(json!(items))
                }
                other => Some(other.clone()),
            },
            _ => dice.pick(others).cloned(),
        }
    };
    let shown = |value: &Value| short(&value.to_string());
    let said = format!(
        "{}{pointer}: {} → {}",
        short(&id),
        shown(&old),
        new.as_ref().map_or("nothing".to_owned(), shown)
    );
    match new {
        Some(new) => *resource.pointer_mut(&pointer)? = new,
        None => {
            let (parent, last) = pointer.rsplit_once('/')?;
            match resource.pointer_mut(parent)? {
                Value::Object(fields) => {
                    fields.remove(&last.replace("~1", "/").replace("~0", "~"));
                }
                Value::Array(items) => {
                    items.remove(last.parse().ok()?);
                }
                _ => return None,
            }
        }
    }
    Some(said)
}

/// For people: without the parts that all ids share.
fn short(text: &str) -> String {
    let mut parts = text.split("/subscriptions/");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once("/providers/").map_or(part, |(_, rest)| rest));
    rest.fold(first, |all, part| all + part).chars().take(400).collect()
}

/// What is wrong with the audit of an estate: the two evaluators disagree, or one of them panics.
fn wrong(expanded: Expanded) -> Vec<String> {
    let declared = expanded.config_toml.as_deref().map(|text| Declared::parse("pullproof.toml", text));
    let declared = declared.and_then(Result::ok).unwrap_or_default();
    let audited = catch_unwind(AssertUnwindSafe(|| {
        let layered = Layered::new(Arc::new(expanded.into_snapshot()));
        let network = Network::read(layered.clone(), declared.clone());
        let plain = Plain::new(layered, declared);
        run(&Prover::new(&network), &plain, &Options::default()).map(|report| report.disagreements)
    }));
    match audited {
        // A declared name that nothing has any more is an error of the input.
        Ok(Err(_)) => Vec::new(),
        Ok(Ok(disagreements)) => disagreements.iter().map(|d| format!("{d:?}")).collect(),
        Err(_) => vec!["panic".to_owned()],
    }
}

fn files(folder: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extension, out);
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
    out.sort();
}

/// Every scenario of the semantic cases and of the fixtures.
fn estates() -> Vec<(String, Expanded)> {
    let mut texts = Vec::new();
    let (mut cases, mut fixtures) = (Vec::new(), Vec::new());
    files(&root().join("tests/semantics"), "md", &mut cases);
    files(&root().join("fixtures"), "yaml", &mut fixtures);
    for path in cases {
        let text = std::fs::read_to_string(&path).expect("a case can be read");
        let blocks = text.split("```yaml\n").skip(1).filter_map(|b| b.split_once("```"));
        texts.extend(blocks.map(|(yaml, _)| yaml.to_owned()));
    }
    texts.extend(fixtures.iter().filter_map(|path| std::fs::read_to_string(path).ok()));
    texts
        .iter()
        .filter_map(|text| Scenario::parse(text).ok())
        .filter_map(|scenario| Some((scenario.document().name.clone(), scenario.expand().ok()?)))
        .collect()
}

#[test]
fn the_evaluators_agree_on_estates_with_faults() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let only = number("MUTATION");
    let numbers = match only {
        Some(only) => only..only + 1,
        None => 0..number("MUTATIONS").unwrap_or(USUAL),
    };
    let estates = estates();
    let stocks: Vec<Stock> = estates.iter().map(|(_, e)| Stock::of(&e.resources)).collect();
    let mut found = Vec::new();
    for number in numbers {
        let mut dice = Dice::new(number);
        let which = dice.below(estates.len());
        let (Some((name, estate)), Some(stock)) = (estates.get(which), stocks.get(which)) else { continue };
        let mut estate = estate.clone();
        let faults = 1 + dice.below(3);
        let said: Vec<String> =
            (0..faults).filter_map(|_| fault(&mut estate.resources, stock, &mut dice)).collect();
        if only.is_some() {
            println!("{name}\n  {}", said.join("\n  "));
            if let Ok(path) = std::env::var("MUTATION_DIR") {
                estate.write_dir(Path::new(&path)).expect("the estate can be written");
            }
        }
        for what in wrong(estate) {
            found.push(format!("{number}: {name}: {what}\n    {}", said.join("\n    ")));
        }
    }
    assert!(found.is_empty(), "{} disagreements:\n{}", found.len(), found.join("\n"));
}
