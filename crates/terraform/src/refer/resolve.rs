//! Which attribute of which instance an expression carries (terraform-mapping.md §2.1).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use pullproof_snapshot::hole;
use serde_json::Value;

use super::groups::groups;
use super::wanted::{Wanted, may_continue};
use crate::address::{Key, ModuleStep, Step, steps};
use crate::plan::Provider;
use crate::value;
use crate::world::World;

/// Blocks that have a `private_ip_address`.
const BLOCKS_WITH_ADDRESS: &[&str] =
    &["ip_configuration", "ip_configurations", "frontend_ip_configuration", "private_service_connection"];

/// Longest chain of variables, outputs and repetitions.
const DEPTH: usize = 24;

/// An attribute of an instance.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub instance: usize,
    pub path: Vec<Step>,
}

/// The attributes that values of the plan depend on, of one kind of wanted value.
#[derive(Default)]
pub(crate) struct Relevant {
    found: Vec<Target>,
    /// What names a target → its place in `found`.
    by_text: HashMap<String, Vec<usize>>,
}

impl Relevant {
    /// The only one there is, else the only one that a hint names.
    fn one(&self, hints: &[String]) -> Option<Target> {
        if let [only] = self.found.as_slice() {
            return Some(only.clone());
        }
        let named = hints.iter().filter_map(|hint| self.by_text.get(hint)).flatten();
        let named: BTreeSet<&usize> = named.collect();
        let mut named = named.into_iter();
        let (Some(first), None) = (named.next(), named.next()) else { return None };
        self.found.get(*first).cloned()
    }
}

/// Where an expression is evaluated.
#[derive(Clone)]
struct Scope<'a> {
    module: &'a [ModuleStep],
    /// The key of the instance, or of the module call, that the expression belongs to.
    key: Option<&'a Key>,
    /// Its `for_each` or `count` expression.
    repeat: Option<&'a Value>,
}

/// What was found on the way.
#[derive(Default)]
struct Hits {
    found: Vec<Target>,
    /// Texts that the same expression refers to, and so may be keys.
    hints: Vec<String>,
    /// A local, or an expression that the plan does not show, stands in the way.
    hidden: bool,
    /// Attributes that cannot be what is wanted, but can be a part of it.
    parts: usize,
    /// Something unknown that is no candidate: a random name, say.
    foreign: bool,
}

impl World<'_> {
    /// The one attribute that an unknown argument carries; `None` where references do not settle it.
    pub(crate) fn resolve(&self, i: usize, argument: &str, expression: &Value) -> Option<Target> {
        let wanted = Wanted::of(argument);
        let mut hits = self.hits(i, wanted, expression)?;
        hits.found = self.narrowed(hits.found, &hits.hints);
        if hits.found.is_empty() && hits.hidden {
            hits.found.extend(self.relevant(wanted).one(&hits.hints));
        }
        let [target] = hits.found.as_slice() else { return None };
        if may_continue(argument) && (hits.parts > 0 || self.is_container(argument, target)) {
            return None;
        }
        if wanted == Wanted::Same && (hits.foreign || hits.parts > 0) {
            return None;
        }
        (target.instance != i || target.path.first().is_none_or(|s| s.name != argument))
            .then(|| target.clone())
    }

    /// The elements of an unknown list, one a reference, and whether the references settle all of them.
    pub(crate) fn elements(&self, i: usize, argument: &str, expression: &Value) -> (Vec<Target>, bool) {
        let wanted = Wanted::of(argument);
        let mut out: Vec<Target> = Vec::new();
        let mut settled = true;
        let all = groups(expression);
        for group in &all {
            let Some(mut hits) = self.group_hits(i, wanted, group, &all) else {
                settled = false;
                continue;
            };
            let repeated = hits.found.len() > 1;
            let whole = group.iter().any(|s| s.keys.contains(&Key::Any));
            if repeated && !whole {
                hits.found = self.narrowed(hits.found, &hits.hints);
            }
            if hits.found.is_empty() && hits.hidden {
                hits.found.extend(self.relevant(wanted).one(&hits.hints));
                settled = false;
            }
            settled &= !hits.found.is_empty() || hits.parts > 0;
            // A repeated resource without a key: any of its instances, or all of them. None is sure.
            if hits.found.len() > 1 && !whole {
                settled = false;
                continue;
            }
            for target in hits.found {
                if !out.contains(&target) {
                    out.push(target);
                }
            }
        }
        // Constants beside references leave no trace in the plan (§2, 3): only ids are taken as all.
        settled &= matches!(wanted, Wanted::Id(_)) && !out.is_empty();
        (out, settled)
    }

    /// Candidates of every instance that values of the plan depend on: what is left where a local or a dynamic block
    /// hides the reference.
    pub(crate) fn hidden(&self, i: usize, argument: &str) -> Option<Target> {
        let wanted = Wanted::of(argument);
        let key = self.instance(i)?.key.as_ref().and_then(Key::text);
        let target = self.relevant(wanted).one(&key.into_iter().collect::<Vec<_>>())?;
        (!may_continue(argument)).then_some(target)
    }

    fn hits(&self, i: usize, wanted: Wanted, expression: &Value) -> Option<Hits> {
        let scope = self.scope(i)?;
        let mut hits = Hits::default();
        for group in groups(expression) {
            self.follow(&scope, &group, &[], wanted, &mut hits, 0);
        }
        Some(hits)
    }

    fn group_hits(&self, i: usize, wanted: Wanted, group: &[Step], all: &[Vec<Step>]) -> Option<Hits> {
        let scope = self.scope(i)?;
        let mut hits = Hits::default();
        self.follow(&scope, group, &[], wanted, &mut hits, 0);
        // The texts of the other references narrow this one too.
        for other in all.iter().filter(|other| *other != group) {
            let mut more = Hits::default();
            self.follow(&scope, other, &[], wanted, &mut more, 0);
            hits.hints.extend(more.hints);
        }
        Some(hits)
    }

    fn scope(&self, i: usize) -> Option<Scope<'_>> {
        let instance = self.instance(i)?;
        let block = self.block(i);
        let repeat = block.and_then(|b| b.for_each_expression.as_ref().or(b.count_expression.as_ref()));
        Some(Scope { module: &instance.module, key: instance.key.as_ref(), repeat })
    }

    /// The scope of a module call's arguments: the parent module, with the call's own key.
    fn call_scope<'a>(&'a self, module: &'a [ModuleStep]) -> Option<Scope<'a>> {
        let (last, parent) = module.split_last()?;
        let call = self.plan.configuration.call(module)?;
        let repeat = call.for_each_expression.as_ref().or(call.count_expression.as_ref());
        Some(Scope { module: parent, key: last.key.as_ref(), repeat })
    }

    fn follow(
        &self,
        scope: &Scope<'_>,
        group: &[Step],
        rest: &[Step],
        wanted: Wanted,
        hits: &mut Hits,
        depth: usize,
    ) {
        let Some((first, tail)) = group.split_first() else { return };
        if depth > DEPTH {
            hits.hidden = true;
            return;
        }
        for key in group.iter().flat_map(|s| &s.keys) {
            hits.hints.extend(key.text());
        }
        let rest_of = |from: usize| -> Vec<Step> {
            let keys = group.get(from.saturating_sub(1)).map(|s| s.keys.clone()).unwrap_or_default();
            let mut out: Vec<Step> = group.get(from..).unwrap_or_default().to_vec();
            // `var.ids["a"]`: the key is a part of what is still to be followed.
            if !keys.is_empty() && out.is_empty() {
                out.push(Step { name: String::new(), keys });
            }
            out.extend_from_slice(rest);
            out
        };
        match first.name.as_str() {
            "path" | "terraform" | "self" => {}
            "each" | "count" => {
                hits.hints.extend(scope.key.and_then(Key::text));
                if tail.first().is_some_and(|s| s.name == "value")
                    && let Some(repeat) = scope.repeat
                {
                    let inner = Scope { module: scope.module, key: scope.key, repeat: None };
                    for group in groups(repeat) {
                        self.follow(&inner, &group, &rest_of(2), wanted, hits, depth + 1);
                    }
                }
            }
            "var" => self.variable(scope, tail, &rest_of(2), wanted, hits, depth),
            "local" => hits.hidden = true,
            "module" => self.output(scope, tail, &rest_of(3), wanted, hits, depth),
            "data" => {
                if let [kind, name, ..] = tail {
                    let block = format!("data.{}.{}", kind.name, name.name);
                    self.attribute(scope, &block, name, &rest_of(3), wanted, hits);
                }
            }
            kind => {
                if let Some(name) = tail.first() {
                    let block = format!("{kind}.{}", name.name);
                    self.attribute(scope, &block, name, &rest_of(2), wanted, hits);
                } else {
                    // The iterator of a dynamic block or of a `for`.
                    hits.hidden = true;
                }
            }
        }
    }

    fn variable(
        &self,
        scope: &Scope<'_>,
        tail: &[Step],
        rest: &[Step],
        wanted: Wanted,
        hits: &mut Hits,
        depth: usize,
    ) {
        let Some(name) = tail.first().map(|s| s.name.as_str()) else { return };
        let text = |value: Option<&Value>, hits: &mut Hits| {
            hits.hints.extend(value.and_then(Value::as_str).map(str::to_owned));
        };
        let default = || {
            let module = self.plan.configuration.module(scope.module)?;
            module.variables.get(name)?.default.as_ref()
        };
        if scope.module.is_empty() {
            text(self.plan.variables.get(name).or_else(default), hits);
            return;
        }
        let call = self.plan.configuration.call(scope.module);
        match (call.and_then(|c| c.expressions.get(name)), self.call_scope(scope.module)) {
            (Some(expression), Some(parent)) => {
                text(expression.get("constant_value"), hits);
                for group in groups(expression) {
                    self.follow(&parent, &group, rest, wanted, hits, depth + 1);
                }
            }
            _ => text(default(), hits),
        }
    }

    fn output(
        &self,
        scope: &Scope<'_>,
        tail: &[Step],
        rest: &[Step],
        wanted: Wanted,
        hits: &mut Hits,
        depth: usize,
    ) {
        let Some(call) = tail.first() else { return };
        let Some(output) = tail.get(1) else {
            hits.hidden = true;
            return;
        };
        let keys = match call.keys.first() {
            Some(key @ (Key::Number(_) | Key::Text(_))) => vec![Some(key.clone())],
            _ => self.module_keys(scope.module, &call.name),
        };
        for key in keys {
            let mut path = scope.module.to_vec();
            path.push(ModuleStep { name: call.name.clone(), key });
            let module = self.plan.configuration.module(&path);
            let Some(expression) = module.and_then(|m| m.outputs.get(&output.name)) else { continue };
            let inner = Scope { module: &path, key: None, repeat: None };
            for group in groups(&expression.expression) {
                self.follow(&inner, &group, rest, wanted, hits, depth + 1);
            }
        }
    }

    fn attribute(
        &self,
        scope: &Scope<'_>,
        block: &str,
        name: &Step,
        rest: &[Step],
        wanted: Wanted,
        hits: &mut Hits,
    ) {
        let all = self.of_block(scope.module, block);
        let exact = name.keys.first().filter(|key| **key != Key::Any);
        // What is left of the path once keys of maps are taken away.
        let mut path: Vec<Step> = rest.iter().filter(|s| !s.name.is_empty()).cloned().collect();
        if path.is_empty() {
            match wanted.default_attribute() {
                Some(attribute) => path.push(Step { name: attribute.into(), keys: Vec::new() }),
                None => {
                    hits.foreign = true;
                    return;
                }
            }
        }
        let mut last = path.last().map(|s| s.name.clone()).unwrap_or_default();
        // A splat over blocks has dropped the attribute.
        if wanted == Wanted::Address && BLOCKS_WITH_ADDRESS.contains(&last.as_str()) {
            last = "private_ip_address".to_owned();
            path.push(Step { name: last.clone(), keys: Vec::new() });
        }
        for i in all.iter().copied() {
            let Some(instance) = self.instance(i) else { continue };
            if exact.is_some_and(|key| instance.key.as_ref() != Some(key)) {
                continue;
            }
            if instance.provider == Provider::Other {
                hits.foreign = true;
                continue;
            }
            if let Some(inner) = self.inline_subnets(i, wanted, &path) {
                hits.found.extend(inner);
                continue;
            }
            let values = self.value(i);
            let here = value::at(&values, &path);
            if let Some(text) = here.and_then(Value::as_str) {
                hits.hints.push(text.to_owned());
            }
            let known = here.is_some_and(|v| !v.is_null() && hole::hole(v).is_none());
            if !wanted.fits(&last) || (known && wanted == Wanted::Same) {
                hits.parts += 1;
                continue;
            }
            let takes = match wanted {
                Wanted::Id([]) => true,
                Wanted::Id(_) if last == "id" => self.arm_type(i).is_some_and(|t| wanted.takes(&t)),
                _ => true,
            };
            if takes {
                let target = Target { instance: i, path: path.clone() };
                if !hits.found.contains(&target) {
                    hits.found.push(target);
                }
            }
        }
    }

    /// Subnets that stand inside their network: `azurerm_virtual_network.x.subnet` with whatever picks one.
    fn inline_subnets(&self, i: usize, wanted: Wanted, path: &[Step]) -> Option<Vec<Target>> {
        if !wanted.takes("microsoft.network/virtualnetworks/subnets")
            || path.first().is_none_or(|s| s.name != "subnet")
            || self.arm_type(i).as_deref() != Some("microsoft.network/virtualnetworks")
        {
            return None;
        }
        let count = self.value(i).get("subnet").and_then(Value::as_array).map_or(0, Vec::len);
        let element = |n: usize| Target {
            instance: i,
            path: vec![
                Step { name: "subnet".into(), keys: vec![Key::Number(n as u64)] },
                Step { name: "id".into(), keys: Vec::new() },
            ],
        };
        Some((0..count).map(element).collect())
    }

    /// The candidates that a text of the same expression names: by key, by a module's key, by name.
    fn narrowed(&self, found: Vec<Target>, hints: &[String]) -> Vec<Target> {
        if found.len() < 2 {
            return found;
        }
        let named = |target: &&Target| self.names(target).iter().any(|text| hints.contains(text));
        let left: Vec<Target> = found.iter().filter(named).cloned().collect();
        if left.len() == 1 { left } else { found }
    }

    /// What tells a target from its like: keys, and its name.
    fn names(&self, target: &Target) -> Vec<String> {
        let Some(instance) = self.instance(target.instance) else { return Vec::new() };
        let value = self.value(target.instance);
        let name = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        if let Some(Step { name: block, keys }) = target.path.first()
            && block == "subnet"
            && let Some(Key::Number(n)) = keys.first()
        {
            return name(value.pointer(&format!("/subnet/{n}/name"))).into_iter().collect();
        }
        let keys = instance.module.iter().filter_map(|m| m.key.as_ref()).chain(&instance.key);
        keys.filter_map(Key::text).chain(name(value.get("name"))).collect()
    }

    fn relevant(&self, wanted: Wanted) -> Rc<Relevant> {
        if let Some(known) = self.relevant.borrow().get(&wanted) {
            return Rc::clone(known);
        }
        let found = self.find_relevant(wanted);
        let mut by_text: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, target) in found.iter().enumerate() {
            for text in self.names(target) {
                by_text.entry(text).or_default().push(at);
            }
        }
        let made = Rc::new(Relevant { found, by_text });
        self.relevant.borrow_mut().insert(wanted, Rc::clone(&made));
        made
    }

    fn find_relevant(&self, wanted: Wanted) -> Vec<Target> {
        let mut out: Vec<Target> = Vec::new();
        let mut seen: HashSet<Target> = HashSet::new();
        for (resource, attribute) in &self.plan.relevant {
            let Some(last) = attribute.iter().rev().find(|a| a.parse::<u64>().is_err()) else { continue };
            if !wanted.fits(last) || wanted == Wanted::Same {
                continue;
            }
            for i in self.matching(resource) {
                if last == "id" && !self.arm_type(i).is_some_and(|t| wanted.takes(&t)) {
                    continue;
                }
                let path = attribute_path(attribute);
                let values = self.value(i);
                let known = value::at(&values, &path);
                if known.is_some_and(|v| !v.is_null() && hole::hole(v).is_none()) {
                    continue;
                }
                let target = Target { instance: i, path };
                if seen.insert(target.clone()) {
                    out.push(target);
                }
            }
        }
        out
    }

    /// The instances that an address of `relevant_attributes` means: keys are left out where they are not known.
    fn matching(&self, resource: &str) -> Vec<usize> {
        if let Some(i) = self.by_address(resource) {
            return vec![i];
        }
        let path = steps(resource);
        let module = crate::address::modules(&path);
        let own = path.get(module.len().saturating_mul(2)..).unwrap_or_default();
        let block: Vec<&str> = own.iter().map(|s| s.name.as_str()).collect();
        let keyless = module.iter().any(|m| m.key.is_none());
        let mut out = self.of_block(&module, &block.join(".")).to_vec();
        if out.is_empty() && keyless {
            out = self.of_block_in_any(&module, &block.join(".")).to_vec();
        }
        out
    }

    /// An id that others begin with: whether it ends there does not show in the references (§2, 3).
    fn is_container(&self, argument: &str, target: &Target) -> bool {
        argument == "scope"
            && matches!(
                self.arm_type(target.instance).as_deref(),
                None | Some("microsoft.resources/resourcegroups" | "microsoft.resources/subscriptions")
            )
    }
}

fn attribute_path(words: &[String]) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    for word in words {
        match (word.parse::<u64>(), out.last_mut()) {
            (Ok(number), Some(last)) => last.keys.push(Key::Number(number)),
            _ => out.push(Step { name: word.clone(), keys: Vec::new() }),
        }
    }
    out
}
