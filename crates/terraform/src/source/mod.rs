//! The Terraform sources that a plan was made from: where each block and each argument is written.
//!
//! What lives here: finding files and modules, and the way from a resource address and an argument's path to a place in
//! a file. What may not: what an argument means (`table`), and which argument decides (`trace`). Read in this order:
//! this file, [`place`], `files`, `module`, `argument`.
//!
//! Modules are read when an address asks for them, never by walking folders: a module that calls itself is read as often
//! as the address names it, and what no address names costs nothing.

mod argument;
mod files;
mod module;
mod place;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek};
use std::path::Path;
use std::rc::Rc;

use serde_json::Value;

pub use place::Place;

use crate::address::{Key, Step, modules, steps};
use crate::error::Error;
use files::{Folder, Saved};
use module::Module;

/// Longest chain of module calls that is followed.
const DEPTH: usize = 32;

/// The sources of one root module.
pub struct Sources {
    tree: Tree,
    /// By path of module names; `None`: it cannot be found.
    modules: RefCell<BTreeMap<Vec<String>, Option<Rc<Module>>>>,
    notes: RefCell<BTreeSet<String>>,
}

enum Tree {
    Folder(Folder),
    Saved(Saved),
}

/// Where something is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The argument, or the nested block that holds it; `None` where the block does not write it.
    pub argument: Option<Place>,
    /// The resource's block.
    pub block: Place,
    /// The calls of the modules that hold the block, innermost first.
    pub calls: Vec<Call>,
}

/// A `module` block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    pub place: Place,
}

impl Sources {
    /// The root module in a folder. Files are named relative to `working`, with `/`.
    pub fn folder(root: &Path, working: &Path) -> Self {
        Self::new(Tree::Folder(Folder::new(root, working)))
    }

    /// The sources that a saved plan (`terraform plan -out`) carries. Files are named as Terraform saw them, from the
    /// folder that it ran in.
    ///
    /// # Errors
    /// [`Error::NotSaved`]: it is no archive of a plan, or larger than any plan is.
    pub fn saved(reader: impl Read + Seek) -> Result<Self, Error> {
        Ok(Self::new(Tree::Saved(Saved::read(reader)?)))
    }

    fn new(tree: Tree) -> Self {
        Self { tree, modules: RefCell::default(), notes: RefCell::default() }
    }

    /// True when a folder holds configuration of Terraform or OpenTofu.
    pub fn are_in(folder: &Path) -> bool {
        files::is_root(folder)
    }

    /// What could not be read so far, with the reason, in order of file.
    pub fn notes(&self) -> Vec<String> {
        self.notes.borrow().iter().cloned().collect()
    }

    /// Where the block of a resource or data source address is written, and in it the argument at `path`
    /// (`ip_configuration[0].private_ip_address`; empty: none is asked for). `value` holds the instance's values: they
    /// tell nested blocks of one name apart. `None` exactly when the sources that can be read hold no such block.
    pub fn locate(&self, address: &str, path: &[Step], value: &Value) -> Option<Located> {
        let address = steps(address);
        let outer = modules(&address);
        if outer.len() > DEPTH {
            return None;
        }
        let names: Vec<String> = outer.iter().map(|step| step.name.clone()).collect();
        let rest = address.get(outer.len().checked_mul(2)?..)?;
        let (kind, rest) = match rest {
            [data, rest @ ..] if data.name == "data" => ("data", rest),
            rest => ("resource", rest),
        };
        let [resource_type, name, ..] = rest else { return None };
        let module = self.module(&names)?;
        let blocks = module.blocks(kind, &[&resource_type.name, &name.name]);
        let (file, first) = blocks.first()?;
        let path = joined(path);
        // Of override files the last one wins.
        let argument = blocks.iter().rev().find_map(|(file, block)| {
            argument::span(&block.body, &path, value).map(|span| file.place(&span))
        });
        let block = file.place(&module::span_of(*first)?);
        let mut calls = Vec::new();
        for depth in (0..names.len()).rev() {
            let (Some(parent), Some(name)) = (names.get(..depth), names.get(depth)) else { continue };
            let parent = self.module(parent)?;
            if let Some((file, call)) = parent.blocks("module", &[name]).first()
                && let Some(span) = module::span_of(*call)
            {
                calls.push(Call { name: name.clone(), place: file.place(&span) });
            }
        }
        Some(Located { argument, block, calls })
    }

    fn module(&self, names: &[String]) -> Option<Rc<Module>> {
        if let Some(known) = self.modules.borrow().get(names) {
            return known.clone();
        }
        let read = self.read(names).map(Rc::new);
        self.modules.borrow_mut().insert(names.to_vec(), read.clone());
        read
    }

    fn read(&self, names: &[String]) -> Option<Module> {
        let mut notes = self.notes.borrow_mut();
        match &self.tree {
            Tree::Saved(saved) => saved.module(names, &mut notes),
            Tree::Folder(folder) => match names.split_last() {
                None => folder.root(&mut notes),
                Some((name, outer)) => {
                    drop(notes);
                    let parent = self.module(outer)?;
                    let source = parent.source(name);
                    folder.called(names, &parent, source.as_deref(), &mut self.notes.borrow_mut())
                }
            },
        }
    }
}

/// A path with its indices as keys: `ip_configuration.0.name` is `ip_configuration[0].name`.
fn joined(path: &[Step]) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    for step in path {
        match (step.name.parse::<u64>(), out.last_mut()) {
            (Ok(number), Some(last)) => {
                last.keys.push(Key::Number(number));
                last.keys.extend(step.keys.iter().cloned());
            }
            _ => out.push(step.clone()),
        }
    }
    out
}

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod source_tests;
