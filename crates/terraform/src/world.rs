//! Everything that the plan knows: instances by block, their values, their ARM ids.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use pullproof_snapshot::hole;
use serde_json::Value;

use crate::address::{Key, ModuleStep, Step};
use crate::azapi;
use crate::plan::configuration::Resource;
use crate::plan::{Instance, Plan, Provider};
use crate::refer::resolve::{Relevant, Target};
use crate::refer::wanted::Wanted;
use crate::subscription::Subscriptions;
use crate::{table, value};

/// So many values are kept.
const KEPT: usize = 256;

/// Longest chain of names that are taken from other instances.
const DEPTH: usize = 8;

pub(crate) struct World<'p> {
    pub plan: &'p Plan,
    pub subscriptions: Subscriptions,
    /// The values that were asked for of late: all of a large plan would take too much room.
    values: RefCell<HashMap<usize, Rc<Value>>>,
    /// By what is wanted: see `refer::resolve`.
    pub relevant: RefCell<HashMap<Wanted, Rc<Relevant>>>,
    ids: Vec<OnceCell<Option<String>>>,
    blocks: Vec<Option<&'p Resource>>,
    by_block: BTreeMap<(Vec<ModuleStep>, String), Vec<usize>>,
    /// As `by_block`, by the names of the modules alone.
    by_names: HashMap<(Vec<String>, String), Vec<usize>>,
    by_address: BTreeMap<&'p str, usize>,
}

impl<'p> World<'p> {
    pub(crate) fn new(plan: &'p Plan, subscriptions: Subscriptions) -> Self {
        let mut world = Self {
            plan,
            subscriptions,
            values: RefCell::default(),
            relevant: RefCell::default(),
            ids: Vec::new(),
            blocks: Vec::new(),
            by_block: BTreeMap::new(),
            by_names: HashMap::new(),
            by_address: BTreeMap::new(),
        };
        let mut found: HashMap<(Vec<&str>, String), Option<&'p Resource>> = HashMap::new();
        for (i, instance) in plan.instances.iter().chain(&plan.data).enumerate() {
            let names = instance.module.iter().map(|m| m.name.as_str()).collect();
            let block = found.entry((names, instance.block())).or_insert_with_key(|(_, block)| {
                plan.configuration.module(&instance.module)?.resource(block)
            });
            world.blocks.push(*block);
            world.ids.push(OnceCell::new());
            if instance.action.leaves_object() && !instance.aside {
                let names = instance.module.iter().map(|m| m.name.clone()).collect();
                world.by_names.entry((names, instance.block())).or_default().push(i);
                let block = (instance.module.clone(), instance.block());
                world.by_block.entry(block).or_default().push(i);
                world.by_address.insert(&instance.address, i);
            }
        }
        world
    }

    /// Managed instances first, then data sources.
    pub(crate) fn instance(&self, i: usize) -> Option<&'p Instance> {
        let managed = self.plan.instances.len();
        if i < managed { self.plan.instances.get(i) } else { self.plan.data.get(i.checked_sub(managed)?) }
    }

    pub(crate) fn by_address(&self, address: &str) -> Option<usize> {
        self.by_address.get(address).copied()
    }

    /// The instances of a block (`azurerm_subnet.nodes`, `data.azurerm_subnet.x`) in one module instance.
    pub(crate) fn of_block(&self, module: &[ModuleStep], block: &str) -> &[usize] {
        self.by_block.get(&(module.to_vec(), block.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// The instances of a block in every instance of a module, whatever the keys.
    pub(crate) fn of_block_in_any(&self, module: &[ModuleStep], block: &str) -> &[usize] {
        let names = module.iter().map(|m| m.name.clone()).collect();
        self.by_names.get(&(names, block.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// The keys that a module call has instances for.
    pub(crate) fn module_keys(&self, parent: &[ModuleStep], name: &str) -> Vec<Option<Key>> {
        let mut first = parent.to_vec();
        first.push(ModuleStep { name: name.to_owned(), key: None });
        let mut out: Vec<Option<Key>> = Vec::new();
        // Ordered by path: the instances of one call stand together.
        for (path, _) in self.by_block.range((first, String::new())..).map(|(key, _)| key) {
            match path.strip_prefix(parent).and_then(<[_]>::first) {
                Some(step) if step.name == name => {
                    if out.last() != Some(&step.key) {
                        out.push(step.key.clone());
                    }
                }
                _ => break,
            }
        }
        out
    }

    /// The values after apply, as the plan shows them: holes are not followed.
    pub(crate) fn value(&self, i: usize) -> Rc<Value> {
        if let Some(known) = self.values.borrow().get(&i) {
            return Rc::clone(known);
        }
        let made = Rc::new(self.instance(i).map(value::after).unwrap_or_default());
        let mut values = self.values.borrow_mut();
        if values.len() >= KEPT {
            values.clear();
        }
        values.insert(i, Rc::clone(&made));
        made
    }

    /// The block of the configuration that an instance comes from.
    pub(crate) fn block(&self, i: usize) -> Option<&'p Resource> {
        self.blocks.get(i).copied().flatten()
    }

    /// The folded ARM type of an instance; `None` where it is none that is known here.
    pub(crate) fn arm_type(&self, i: usize) -> Option<String> {
        let instance = self.instance(i)?;
        match instance.provider {
            Provider::Azurerm => table::row(&instance.resource_type).map(|row| row.arm.to_ascii_lowercase()),
            Provider::Azapi => azapi::arm_type(&self.value(i)).map(|t| t.to_ascii_lowercase()),
            Provider::Other => None,
        }
    }

    /// The ARM id of an instance: as the plan knows it, else from names. A name that is known only after apply stands
    /// in it as `{address:attribute}`: a new object's name is no other object's, so ids are equal exactly when the
    /// objects are the same.
    pub(crate) fn id(&self, i: usize) -> Option<&str> {
        self.ids.get(i)?.get_or_init(|| self.make_id(i, 0)).as_deref()
    }

    fn make_id(&self, i: usize, depth: usize) -> Option<String> {
        let instance = self.instance(i)?;
        let value = self.value(i);
        let row = table::row(&instance.resource_type);
        let known = value.get("id").and_then(Value::as_str).filter(|id| id.starts_with('/'));
        match (instance.provider, row) {
            (Provider::Azurerm, Some(row)) => {
                if let Some(id) = known.filter(|_| row.is_object()) {
                    return Some(id.to_owned());
                }
                row.ids.iter().find_map(|template| self.fill(i, template, depth))
            }
            (Provider::Azapi, _) => match known {
                Some(id) => Some(id.to_owned()),
                None => azapi::id(self, i),
            },
            (Provider::Azurerm | Provider::Other, _) => known.map(str::to_owned),
        }
    }

    /// An id template with the instance's values; `None` where one of them is not set.
    fn fill(&self, i: usize, template: &str, depth: usize) -> Option<String> {
        let mut out = String::new();
        let mut rest = template;
        while let Some((text, tail)) = rest.split_once('{') {
            out.push_str(text);
            let (attribute, tail) = tail.split_once('}')?;
            match attribute {
                "sub" => out.push_str(&self.subscriptions.of(self, i)),
                "name?" => {
                    let name = self.text(i, "name", depth);
                    out.push_str(&name.unwrap_or_else(|| self.own_name(i)));
                }
                _ => out.push_str(&self.text(i, attribute, depth)?),
            }
            rest = tail;
        }
        out.push_str(rest);
        Some(out)
    }

    /// The name that Azure gives to an object whose configuration names none.
    fn own_name(&self, i: usize) -> String {
        self.instance(i).map_or_else(String::new, |instance| placeholder(&instance.address, "name"))
    }

    /// An attribute as a part of an id. `None` where it is not set.
    pub(crate) fn text(&self, i: usize, attribute: &str, depth: usize) -> Option<String> {
        let instance = self.instance(i)?;
        match self.value(i).get(attribute)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            here if hole::hole(here).is_some() => {
                let expressions = self.block(i)?.expressions();
                let expression = expressions.get(attribute)?;
                if depth < DEPTH
                    && let Some(Target { instance: j, path }) = self.resolve(i, attribute, expression)
                {
                    match path.as_slice() {
                        [Step { name, .. }] if name == "id" => {
                            return if j == i { None } else { self.make_id(j, depth + 1) };
                        }
                        [Step { name, keys }] if keys.is_empty() => {
                            if let Some(text) = self.text(j, name, depth + 1) {
                                return Some(text);
                            }
                        }
                        _ => {}
                    }
                }
                // Which object an unresolved id names is not known: nothing can be put there.
                (!attribute.ends_with("_id")).then(|| placeholder(&instance.address, attribute))
            }
            _ => None,
        }
    }
}

/// What stands for a name that is known only after apply, inside ids and names.
pub(crate) fn placeholder(address: &str, attribute: &str) -> String {
    // Neither a segment nor a DNS label is cut in it.
    format!("{{{address}.{attribute}}}").replace('/', "|").replace('.', ":")
}
