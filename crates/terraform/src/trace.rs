//! From an element of the estate back to the Terraform argument that decides it.
//!
//! The mapping is said once, forwards, in `table`; backwards it is asked: the argument that an element comes from is the
//! one that shows in it when it is replaced.

use std::collections::BTreeSet;
use std::rc::Rc;

use pullproof_snapshot::hole::{self, hole};
use pullproof_snapshot::{ArmId, Layered};
use serde_json::Value;

use crate::address::{Key, Step, steps};
use crate::overlay::{Overlay, subscriptions};
use crate::piece;
use crate::plan::{Instance, Plan, Provider};
use crate::settle::{References, settled};
use crate::table::{self, Place, Row};
use crate::value::is_unset;
use crate::world::World;
use crate::{Options, azapi};

/// The name of the hole that stands in the place of an argument that is tried.
const MARK: &str = "\u{1}tried";

/// Longest way from an element over those that it was derived from.
const DEPTH: usize = 8;

/// Longest list whose elements are tried one by one where the pointer does not name one.
const TRIED: usize = 64;

/// What decides an element.
#[derive(Clone, Debug)]
pub struct Decided {
    /// The instance: `module.spoke["weu"].azurerm_subnet.nodes`.
    pub address: String,
    /// The argument, by steps: `ip_configuration[0].private_ip_address`. Empty: the block as a whole.
    pub argument: Vec<Step>,
    /// The instance's values.
    pub value: Rc<Value>,
}

/// A plan with its overlay, to be asked where elements come from.
pub struct Trace<'p> {
    world: World<'p>,
    overlay: &'p Overlay,
    has_base: bool,
}

impl<'p> Trace<'p> {
    pub(crate) fn new(
        plan: &'p Plan,
        overlay: &'p Overlay,
        base: Option<&Layered>,
        options: &Options,
    ) -> Self {
        let world = World::new(plan, subscriptions(plan, base, options));
        Self { world, overlay, has_base: base.is_some() }
    }

    /// What decides the value at `pointer` of a resource: the instance that wrote it, of several the one that wrote that
    /// very value; for what stands inline in its parent, that parent; for what Azure derives from a resource, that
    /// resource; for what is missing, the nearest parent that would hold it. `None`: it is only in the base.
    pub fn element(&self, id: &ArmId, pointer: &str) -> Option<Decided> {
        self.find(id, pointer, 0)
    }

    /// What an unknown value is named after: `module.spoke["weu"].azurerm_subnet.nodes.address_prefixes`. `None` where
    /// the text names no instance of the plan.
    pub fn unknown(&self, name: &str) -> Option<Decided> {
        let mut ends: Vec<usize> = name.match_indices('.').map(|(at, _)| at).collect();
        ends.push(name.len());
        ends.iter().rev().find_map(|end| {
            let address = name.get(..*end)?;
            let i = self.world.by_address(address)?;
            let rest = name.get(*end..)?.trim_start_matches('.');
            // Behind the argument a hole may say which of its values it is.
            let argument = steps(rest.split(' ').next().unwrap_or(rest));
            Some(Decided { address: address.to_owned(), argument, value: self.world.value(i) })
        })
    }

    fn find(&self, id: &ArmId, pointer: &str, depth: usize) -> Option<Decided> {
        if depth > DEPTH {
            return None;
        }
        let below = depth.saturating_add(1);
        if let Some((child, rest)) = self.child(id, pointer) {
            return self.find(&child, rest, below);
        }
        if let Some(addresses) = self.overlay.origins.get(id) {
            return self.of_instances(addresses, id, pointer);
        }
        let put = self.put(id);
        if let Some((parent, inline)) = self.inline(id) {
            return self.find(&parent, &format!("{inline}{pointer}"), below);
        }
        match put {
            None if self.has_base => None,
            None => self.find(&id.parent()?, "", below),
            Some(json) => {
                let source = self.derived_from(id, &json).or_else(|| id.parent())?;
                self.find(&source, "", below)
            }
        }
    }

    fn put(&self, id: &ArmId) -> Option<Value> {
        serde_json::from_str(self.overlay.puts.get(id)?).ok()
    }

    /// A pointer into a list of children, as the child that an instance of its own made.
    fn child<'t>(&self, id: &ArmId, pointer: &'t str) -> Option<(ArmId, &'t str)> {
        let inner = pointer.strip_prefix("/properties/")?;
        let (list, rest) = inner.split_once('/')?;
        let number = rest.split('/').next()?;
        let element = self.put(id)?.pointer(&format!("/properties/{list}/{number}"))?.clone();
        let name = element.get("name")?.as_str()?;
        let child = ArmId::new(&format!("{}/{list}/{name}", id.as_written()));
        self.overlay.origins.contains_key(&child).then_some((child, rest.get(number.len()..)?))
    }

    /// Where a child stands in its parent's JSON.
    fn inline(&self, id: &ArmId) -> Option<(ArmId, String)> {
        let parent = id.parent()?;
        let json = self.put(&parent)?;
        let list = id.as_written().trim_end_matches('/').rsplit('/').nth(1)?;
        let properties = json.get("properties")?.as_object()?;
        let (key, items) = properties.iter().find(|(key, _)| key.eq_ignore_ascii_case(list))?;
        let named = |item: &Value| {
            item.get("name").and_then(Value::as_str).is_some_and(|name| name.eq_ignore_ascii_case(id.name()))
        };
        let at = items.as_array()?.iter().position(named)?;
        Some((parent, format!("/properties/{key}/{at}")))
    }

    /// The endpoint of an interface, the zone group of a record.
    fn derived_from(&self, id: &ArmId, json: &Value) -> Option<ArmId> {
        if let Some(endpoint) = json.pointer("/properties/privateEndpoint/id").and_then(Value::as_str) {
            return Some(ArmId::new(endpoint));
        }
        let zone = id.parent()?;
        let groups = self.overlay.puts.keys().filter(|group| {
            group.resource_type().as_deref()
                == Some("microsoft.network/privateendpoints/privatednszonegroups")
        });
        let mut groups = groups.cloned();
        groups.find(|group| {
            let json = self.put(group).unwrap_or_default();
            let configs = json.pointer("/properties/privateDnsZoneConfigs").and_then(Value::as_array);
            configs.into_iter().flatten().any(|config| {
                let text = |pointer: &str| config.pointer(pointer).and_then(Value::as_str);
                let ours = text("/properties/privateDnsZoneId").is_some_and(|z| ArmId::new(z) == zone);
                let sets = config.pointer("/properties/recordSets").and_then(Value::as_array);
                ours && sets.into_iter().flatten().any(|set| {
                    let name = set.get("recordSetName").and_then(Value::as_str);
                    name.is_some_and(|name| name.eq_ignore_ascii_case(id.name()))
                })
            })
        })
    }

    fn of_instances(&self, addresses: &BTreeSet<String>, id: &ArmId, pointer: &str) -> Option<Decided> {
        let mut whole = None;
        let mut part = None;
        for address in addresses {
            let Some((i, instance)) =
                self.world.by_address(address).and_then(|i| Some((i, self.world.instance(i)?)))
            else {
                continue;
            };
            let row = table::row(&instance.resource_type).filter(|_| instance.provider == Provider::Azurerm);
            match row.map(|row| row.place) {
                Some(Place::Set(at)) => {
                    if let Some(rest) = below(pointer, at) {
                        return Some(self.decided(i, instance, row, id, rest));
                    }
                    part.get_or_insert((i, instance));
                }
                Some(Place::Append(at)) => {
                    let value = settled(&self.world, i, &mut References::default());
                    if let Some(rest) = self.appended(id, pointer, at, row, &value) {
                        return Some(self.decided(i, instance, row, id, rest));
                    }
                    part.get_or_insert((i, instance));
                }
                // What is laid over a resource decides where it writes.
                _ if instance.resource_type == "azapi_update_resource" => {
                    if !pointer.is_empty() && self.body(i, pointer).is_some() {
                        return Some(self.decided(i, instance, row, id, pointer));
                    }
                    part.get_or_insert((i, instance));
                }
                _ => {
                    whole.get_or_insert((i, instance, row));
                }
            }
        }
        if let Some((i, instance, row)) = whole {
            return Some(self.decided(i, instance, row, id, pointer));
        }
        // The resource itself is in the base: what changes it says nothing of this element.
        let (i, instance) = part.filter(|_| pointer.is_empty())?;
        Some(self.decided(i, instance, None, id, ""))
    }

    /// The rest of a pointer inside the element that an instance added to a list.
    fn appended<'t>(
        &self,
        id: &ArmId,
        pointer: &'t str,
        list: &str,
        row: Option<&Row>,
        value: &Value,
    ) -> Option<&'t str> {
        let depth = list.split('/').skip(1).count();
        let mut rest = pointer;
        let (mut segments, mut wanted) = (pointer.split('/').skip(1), list.split('/').skip(1));
        for _ in 0..=depth {
            let segment = segments.next()?;
            rest = rest.get(segment.len().checked_add(1)?..)?;
            match wanted.next() {
                Some(word) if word == "*" || word.starts_with('{') || word == segment => {}
                Some(_) => return None,
                None => break,
            }
        }
        let there = pointer.get(..pointer.len().checked_sub(rest.len())?)?;
        let mut own = Value::Object(serde_json::Map::new());
        table::apply::moves(row?.moves, value, &mut own);
        let there = self.put(id)?.pointer(there)?.clone();
        let same = |key: &str| there.get(key).is_some() && there.get(key) == own.get(key);
        (there == own || same("name") || same("id")).then_some(rest)
    }

    fn body(&self, i: usize, pointer: &str) -> Option<Value> {
        let value = self.world.value(i);
        let body = match value.get("body")? {
            Value::String(text) => serde_json::from_str(text).ok()?,
            body => body.clone(),
        };
        body.pointer(pointer).cloned()
    }

    fn decided(
        &self,
        i: usize,
        instance: &Instance,
        row: Option<&Row>,
        id: &ArmId,
        pointer: &str,
    ) -> Decided {
        let value = settled(&self.world, i, &mut References::default());
        let argument = match row {
            // The element itself decides, not the name that it has.
            _ if pointer.is_empty() => Vec::new(),
            row if row.is_none_or(|row| row.place == Place::Whole)
                && matches!(pointer, "/id" | "/name" | "/type") =>
            {
                Vec::new()
            }
            Some(row) => argument(row, instance, id, pointer, &value),
            None if instance.provider == Provider::Azapi => azapi::argument_path(pointer),
            None => Vec::new(),
        };
        Decided { address: instance.address.clone(), argument, value: Rc::new(value) }
    }
}

/// What follows `at` in a pointer, at the border of a segment.
fn below<'t>(pointer: &'t str, at: &str) -> Option<&'t str> {
    pointer.strip_prefix(at).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The argument of an instance that shows at `pointer` of what its row makes of it; empty where none does, or more than
/// one. For a part the pointer is relative to the part.
fn argument(row: &Row, instance: &Instance, id: &ArmId, pointer: &str, value: &Value) -> Vec<Step> {
    let own = match row.place {
        // Parts are what they are, whatever they are laid into.
        Place::Whole => row_id(row, instance, id, value),
        Place::Set(_) | Place::Append(_) | Place::Nothing => id.clone(),
    };
    let look = |value: &Value| {
        let made = piece::made(row, &instance.address, own.as_written(), value);
        let json = match (row.place, made.beside.iter().find(|(beside, ..)| ArmId::new(beside) == *id)) {
            (Place::Whole, Some((.., json))) => json,
            _ => &made.json,
        };
        seen(json, pointer)
    };
    let before = look(value);
    let numbers: Vec<usize> = pointer.split('/').filter_map(|segment| segment.parse().ok()).collect();
    let mut out: Vec<Step> = Vec::new();
    let mut here: Vec<Value> = vec![value.clone()];
    while let Some(part) = here.pop() {
        let mut shows: Vec<Key> = Vec::new();
        let mut moves: Vec<Key> = Vec::new();
        for key in keys(&part, &numbers) {
            let mut tried = value.clone();
            let Some(place) = reach(&mut tried, &out, &key) else { continue };
            let flag = place.as_bool();
            *place = hole::make(MARK, MARK);
            let mut after = look(&tried);
            // A flag may only choose where something is written.
            if let Some(flag) = flag
                && after == before
                && let Some(place) = reach(&mut tried, &out, &key)
            {
                *place = Value::Bool(!flag);
                after = look(&tried);
            }
            if marked(&after) {
                shows.push(key);
            } else if after != before {
                moves.push(key);
            }
        }
        let mut found = if shows.is_empty() { moves } else { shows };
        // Blocks that there are none of could only add to a list.
        if found.len() > 1 {
            found.retain(|key| match key {
                Key::Text(name) => part.get(name).and_then(Value::as_array).is_none_or(|all| !all.is_empty()),
                Key::Number(_) | Key::Any => true,
            });
        }
        // Of the only block of a kind some argument may decide although the block as a whole cannot be unknown.
        if found.is_empty() && matches!(part.as_array().map(Vec::as_slice), Some([Value::Object(_)])) {
            found.push(Key::Number(0));
        }
        let [key] = found.as_slice() else { break };
        let next = match key {
            Key::Text(name) => part.get(name),
            Key::Number(number) => usize::try_from(*number).ok().and_then(|number| part.get(number)),
            Key::Any => None,
        };
        let Some(next) = next.cloned() else { break };
        match (key, out.last_mut()) {
            (Key::Text(name), _) => out.push(Step { name: name.clone(), keys: Vec::new() }),
            (number, Some(last)) => last.keys.push(number.clone()),
            (_, None) => break,
        }
        here.push(next);
    }
    out
}

/// The id of what a row makes, for an element that stands beside it (a replication, a zone group).
fn row_id(row: &Row, instance: &Instance, id: &ArmId, value: &Value) -> ArmId {
    let mut own = id.clone();
    for _ in 0..DEPTH {
        let fits = own.resource_type().is_some_and(|found| found.eq_ignore_ascii_case(row.arm));
        let made = piece::made(row, &instance.address, own.as_written(), value);
        if fits || made.beside.iter().any(|(beside, ..)| ArmId::new(beside) == *id) {
            return own;
        }
        match own.parent() {
            Some(parent) => own = parent,
            None => break,
        }
    }
    id.clone()
}

/// What stands at a pointer; a hole on the way stands for all that is in it.
fn seen(json: &Value, pointer: &str) -> Value {
    let mut here = json;
    for segment in pointer.split('/').skip(1) {
        if hole(here).is_some() {
            break;
        }
        let next = match here {
            Value::Array(items) => segment.parse::<usize>().ok().and_then(|n| items.get(n)),
            other => other.get(segment.replace("~1", "/").replace("~0", "~")),
        };
        match next {
            Some(next) => here = next,
            None => return Value::Null,
        }
    }
    here.clone()
}

/// True when the mark shows anywhere in a value.
fn marked(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(MARK),
        Value::Array(items) => items.iter().any(marked),
        Value::Object(map) => map.values().any(marked),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The parts of a value that can be tried.
fn keys(part: &Value, numbers: &[usize]) -> Vec<Key> {
    let number = |n: usize| u64::try_from(n).ok().map(Key::Number);
    match part {
        Value::Object(map) if hole(part).is_none() => {
            let set = map.iter().filter(|(_, value)| !is_unset(Some(value)));
            set.map(|(name, _)| Key::Text(name.clone())).collect()
        }
        // Scalars of a list have no place of their own.
        Value::Array(items) if items.iter().any(|item| item.is_object() && hole(item).is_none()) => {
            if items.len() <= TRIED {
                return (0..items.len()).filter_map(number).collect();
            }
            numbers.iter().copied().filter(|n| *n < items.len()).filter_map(number).collect()
        }
        _ => Vec::new(),
    }
}

fn reach<'v>(value: &'v mut Value, path: &[Step], key: &Key) -> Option<&'v mut Value> {
    fn one<'v>(value: &'v mut Value, key: &Key) -> Option<&'v mut Value> {
        match key {
            Key::Text(name) => value.get_mut(name),
            Key::Number(number) => value.get_mut(usize::try_from(*number).ok()?),
            Key::Any => None,
        }
    }
    let mut here = value;
    for step in path {
        here = here.get_mut(&step.name)?;
        for key in &step.keys {
            here = one(here, key)?;
        }
    }
    one(here, key)
}
