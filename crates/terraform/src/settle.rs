//! An instance's values with its references followed and what is not set taken out.
//!
//! Unknown and absent from the configuration, and not inside a dynamic block: not set (terraform-mapping.md §2.1).

use pullproof_snapshot::hole;
use serde_json::{Map, Value};

use crate::address::{Key, Step};
use crate::azapi;
use crate::plan::Provider;
use crate::plan::configuration::Resource;
use crate::refer::groups::is_expression;
use crate::refer::resolve::Target;
use crate::refer::wanted::Wanted;
use crate::value;
use crate::world::{World, placeholder};

/// How far references were followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Unknown arguments that carry ids, addresses or principals and were resolved.
    pub resolved: usize,
    /// Those that were not, by address and argument.
    pub open: Vec<String>,
}

/// What the configuration says about a place.
#[derive(Clone, Copy)]
enum Source<'a> {
    /// An expression, a list of nested blocks, or one of them.
    Config(&'a Value),
    /// A dynamic block, or no configuration at all: the place is set, nobody shows how.
    Hidden,
    Unset,
}

struct Settle<'w, 'p> {
    world: &'w World<'p>,
    i: usize,
    address: &'p str,
    azapi: bool,
    references: &'w mut References,
}

/// The values of instance `i`, settled.
pub(crate) fn settled(world: &World<'_>, i: usize, references: &mut References) -> Value {
    let mut out = (*world.value(i)).clone();
    let Some(instance) = world.instance(i) else { return out };
    let expressions = world.block(i).map(Resource::expressions);
    let mut settle = Settle {
        world,
        i,
        address: &instance.address,
        azapi: instance.provider == Provider::Azapi,
        references,
    };
    if let Value::Object(map) = &mut out {
        for (key, value) in map {
            let source = match &expressions {
                Some(expressions) => source_of(expressions.get(key), value),
                None => Source::Hidden,
            };
            settle.value(value, source, key, key);
        }
    }
    out
}

fn source_of<'a>(config: Option<&'a Value>, value: &Value) -> Source<'a> {
    match config {
        Some(config) => Source::Config(config),
        None if value.as_array().is_some_and(|items| items.iter().any(Value::is_object)) => {
            if hole::hole(value).is_some() { Source::Unset } else { Source::Hidden }
        }
        None => Source::Unset,
    }
}

impl Settle<'_, '_> {
    fn value(&mut self, value: &mut Value, source: Source<'_>, argument: &str, path: &str) {
        if hole::hole(value).is_some() {
            *value = self.hole(std::mem::take(value), source, argument, path);
            return;
        }
        match value {
            Value::Object(map) => {
                for (key, child) in map {
                    let source = match source {
                        Source::Config(config) if is_expression(config) => source,
                        Source::Config(config) => source_of(config.get(key), child),
                        Source::Hidden | Source::Unset => source,
                    };
                    let name = if self.azapi { azapi::argument(key, argument) } else { key };
                    self.value(child, source, name, &format!("{path}.{key}"));
                }
            }
            Value::Array(items) => {
                for (n, item) in items.iter_mut().enumerate() {
                    let source = match source {
                        Source::Config(Value::Array(blocks)) => {
                            matching(blocks, item, n).map_or(Source::Hidden, Source::Config)
                        }
                        other => other,
                    };
                    self.value(item, source, argument, &format!("{path}[{n}]"));
                }
            }
            _ => {}
        }
    }

    fn hole(&mut self, hole: Value, source: Source<'_>, argument: &str, path: &str) -> Value {
        let counts = Wanted::of(argument) != Wanted::Same;
        let target = match source {
            Source::Unset => return Value::Null,
            // Ids of inline elements are Azure's.
            _ if argument == "id" && !self.azapi => return Value::Null,
            Source::Hidden => self.world.hidden(self.i, argument),
            Source::Config(expression) if is_list(argument) && !path.ends_with(']') => {
                return self.list(hole, expression, argument, path);
            }
            Source::Config(expression) => self.world.resolve(self.i, argument, expression),
        };
        match target.and_then(|target| self.world.carried(&target)) {
            Some(value) => {
                self.references.resolved += usize::from(counts);
                let list = is_list(argument) && !path.ends_with(']') && !value.is_array();
                if list { Value::Array(vec![value, value::tail(self.address, path)]) } else { value }
            }
            None => {
                if counts && matches!(source, Source::Config(_)) {
                    self.references.open.push(format!("{}.{path}", self.address));
                }
                hole
            }
        }
    }

    fn list(&mut self, hole: Value, expression: &Value, argument: &str, path: &str) -> Value {
        let (targets, settled) = self.world.elements(self.i, argument, expression);
        let mut out: Vec<Value> = Vec::new();
        for target in &targets {
            match self.world.carried(target) {
                Some(Value::Array(items)) => out.extend(items),
                Some(value) => out.push(value),
                None => return hole,
            }
        }
        let counts = Wanted::of(argument) != Wanted::Same;
        if out.is_empty() {
            if counts {
                self.references.open.push(format!("{}.{path}", self.address));
            }
            return hole;
        }
        self.references.resolved += usize::from(counts);
        if !settled {
            out.push(value::tail(self.address, path));
        }
        Value::Array(out)
    }
}

/// Arguments that are lists of scalars: one unknown element makes the whole list unknown (§1.3).
fn is_list(argument: &str) -> bool {
    argument.ends_with("_ids")
        || matches!(
            argument,
            "dns_servers"
                | "servers"
                | "records"
                | "source_ip_groups"
                | "destination_ip_groups"
                | "private_dns_resolver_outbound_endpoint_ids"
        )
}

/// The configured block that an element comes from: by the constants that both have, else by position. Elements of a
/// set do not keep the order of the configuration.
fn matching<'a>(blocks: &'a [Value], item: &Value, n: usize) -> Option<&'a Value> {
    let fits = |block: &Value| {
        let Value::Object(map) = block else { return false };
        map.iter().all(|(key, expression)| match expression.get("constant_value") {
            Some(constant) if !constant.is_array() && !constant.is_object() => {
                item.get(key).is_none_or(|value| loosely_equal(value, constant))
            }
            _ => true,
        })
    };
    let fitting: Vec<&Value> = blocks.iter().filter(|b| fits(b)).collect();
    match fitting.as_slice() {
        [only] => Some(only),
        // A provider may write a constant in its own way: of one block there is no doubt.
        [] => {
            if let [only] = blocks {
                Some(only)
            } else {
                None
            }
        }
        _ => blocks.get(n).filter(|b| fits(b)).or_else(|| fitting.first().copied()),
    }
}

fn loosely_equal(value: &Value, constant: &Value) -> bool {
    let text = |v: &Value| match v {
        Value::String(text) => text.to_ascii_lowercase(),
        other => other.to_string(),
    };
    value.is_null() || text(value) == text(constant)
}

impl World<'_> {
    /// The value that a reference to an attribute carries.
    pub(crate) fn carried(&self, target: &Target) -> Option<Value> {
        let instance = self.instance(target.instance)?;
        let path = plain(&instance.resource_type, &target.path);
        if let [Step { name, keys }] = path.as_slice()
            && name == "id"
            && keys.is_empty()
        {
            // A new object of another kind: some id, and no id of anything that is read here.
            let other = || {
                let unread =
                    self.arm_type(target.instance).is_none() && instance.provider == Provider::Azurerm;
                unread.then(|| placeholder(&instance.address, "id"))
            };
            return self.id(target.instance).map(str::to_owned).or_else(other).map(Value::from);
        }
        if let Some(id) = self.inline_subnet_id(target.instance, &path) {
            return Some(Value::from(id));
        }
        let values = self.value(target.instance);
        let here = value::at(&values, &path);
        if let Some(known) = here.filter(|v| !v.is_null() && hole::hole(v).is_none()) {
            return Some(known.clone());
        }
        let last = path.last()?;
        let text = written(&path);
        if matches!(last.name.as_str(), "principal_id" | "object_id" | "client_id") {
            // The object of a new identity is nobody else's.
            return Some(Value::from(placeholder(&instance.address, &text)));
        }
        if last.name.ends_with("_id") || last.name == "ids" {
            return None;
        }
        Some(value::unknown(&instance.address, &text))
    }

    fn inline_subnet_id(&self, i: usize, path: &[Step]) -> Option<String> {
        let [first, last] = path else { return None };
        let Some(Key::Number(n)) = first.keys.first() else { return None };
        if first.name != "subnet" || last.name != "id" {
            return None;
        }
        let values = self.value(i);
        let name = values.pointer(&format!("/subnet/{n}/name"))?.as_str()?;
        Some(format!("{}/subnets/{name}", self.id(i)?))
    }
}

/// Attributes that show another one of the same resource.
const SHORT: &[(&str, &str, &str)] = &[
    ("azurerm_network_interface", "private_ip_address", "ip_configuration"),
    ("azurerm_lb", "private_ip_address", "frontend_ip_configuration"),
];

/// A path with indices where Terraform lets them out, so that one attribute has one name.
fn plain(resource_type: &str, path: &[Step]) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    for step in path {
        match (step.name.parse::<u64>(), out.last_mut()) {
            (Ok(number), Some(last)) => last.keys.push(Key::Number(number)),
            _ => out.push(step.clone()),
        }
    }
    if let [only] = out.as_slice()
        && let Some((.., block)) = SHORT.iter().find(|(t, a, _)| *t == resource_type && *a == only.name)
    {
        let only = only.clone();
        out = vec![Step { name: (*block).to_owned(), keys: vec![Key::Number(0)] }, only];
    }
    let count = out.len();
    for (n, step) in out.iter_mut().enumerate() {
        let inner = n.checked_add(1).is_some_and(|next| next < count);
        if inner && (step.keys.is_empty() || step.keys == [Key::Any]) {
            step.keys = vec![Key::Number(0)];
        }
    }
    out
}

fn written(path: &[Step]) -> String {
    let steps = path.iter().map(|step| {
        let keys: String = step.keys.iter().map(ToString::to_string).collect();
        format!("{}{keys}", step.name)
    });
    steps.collect::<Vec<_>>().join(".")
}

/// Removes nulls everywhere: to ARM absent and null are the same.
pub(crate) fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, v| !v.is_null());
            map.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

/// `from` laid over `into`: objects field by field, everything else replaced; null removes.
pub(crate) fn lay_over(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) if !from.contains_key("$unknown") => {
            if into.contains_key("$unknown") {
                *into = Map::new();
            }
            for (key, value) in from {
                if value.is_null() {
                    into.remove(&key);
                } else {
                    match into.get_mut(&key) {
                        Some(there) => lay_over(there, value),
                        None => drop(into.insert(key, value)),
                    }
                }
            }
        }
        (into, from) => *into = from,
    }
}
