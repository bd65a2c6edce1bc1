//! What one worker reads into: objects, symbols, gaps.

use std::collections::HashMap;
use std::sync::Arc;

use pullproof_snapshot::hole::Hole;
use pullproof_snapshot::{ArmId, At, Gap, Layered, Place, ResourceIx};
use serde_json::Value;

use super::domain;
use super::fields::Fields;
use crate::model::symbol::{Symbol, SymbolIx, Why, number};
use crate::model::val::List;
use crate::network::Objects;

/// A resource to be read, with the children that have no parent in the input.
pub(crate) struct Source {
    pub id: ArmId,
    pub place: Place,
    pub json: Arc<Value>,
    /// Standalone children of a parent that was not read; then `json` is null.
    pub orphans: Vec<ResourceIx>,
}

/// A child as it is read.
pub(crate) struct ChildSource<'v> {
    pub id: ArmId,
    pub name: Box<str>,
    pub place: Place,
    pub json: std::borrow::Cow<'v, Value>,
}

pub(crate) struct Reader<'l> {
    pub layered: &'l Layered,
    pub objects: Objects,
    pub symbols: HashMap<SymbolIx, Symbol>,
    /// Two names had one number: everything is read again with another salt.
    pub collision: bool,
    pub gaps: Vec<Gap>,
    pub conflicts: Vec<Gap>,
    /// The parent that is read for its children's sake only: it has no resource number to be named by.
    pub unread_parent: Option<ArmId>,
    salt: u64,
}

impl<'l> Reader<'l> {
    pub(crate) fn new(layered: &'l Layered, salt: u64) -> Self {
        Self {
            layered,
            objects: Objects::default(),
            symbols: HashMap::new(),
            collision: false,
            gaps: Vec::new(),
            conflicts: Vec::new(),
            unread_parent: None,
            salt,
        }
    }

    /// The symbol of a hole. `scalar`: it stands as the value of a field.
    pub(crate) fn hole(&mut self, hole: Hole<'_>, at: At, scalar: bool) -> SymbolIx {
        let conflict = hole.name.starts_with("conflicting-input:");
        if conflict {
            let gap = self.gap(at, hole.why.unwrap_or("the inline and the standalone form differ"));
            self.conflicts.push(gap);
        }
        let domain = hole.within.and_then(domain::domain);
        self.intern(Symbol {
            name: hole.name.into(),
            why: if conflict { Why::Conflict } else { Why::Hole },
            text: hole.why.unwrap_or_default().into(),
            at: Some(at),
            domain,
            scalar,
        })
    }

    /// A part of an unknown object: unknown too, and the same part is the same value everywhere.
    pub(crate) fn part(&mut self, whole: SymbolIx, path: &str, at: At) -> SymbolIx {
        let Some(whole) = self.symbols.get(&whole).cloned() else { return whole };
        let name = format!("{}/{path}", whole.name).into();
        self.intern(Symbol { name, at: Some(at), domain: None, scalar: true, ..whole })
    }

    /// A symbol that is named by kind and place.
    pub(crate) fn named(&mut self, kind: &str, at: At, why: Why, text: &str) -> SymbolIx {
        let name = format!("{kind}:{}{}", self.resource_id(at).folded(), at.pointer()).into();
        self.intern(Symbol { name, why, text: text.into(), at: Some(at), domain: None, scalar: true })
    }

    pub(crate) fn malformed(&mut self, at: At, wanted: &str) -> SymbolIx {
        let reason = format!("not understood: {wanted} was expected here");
        let gap = self.gap(at, &reason);
        self.gaps.push(gap);
        self.named("malformed", at, Why::Malformed, &reason)
    }

    pub(crate) fn missing(&mut self, at: At) -> SymbolIx {
        const REASON: &str = "absent, though Azure always has it: read the resource in full";
        let gap = self.gap(at, REASON);
        self.gaps.push(gap);
        self.named("missing", at, Why::Missing, REASON)
    }

    /// A field below properties that the source left out. The snapshot notes the resource as a gap (CONTRACT §1), so
    /// none is added for each field.
    pub(crate) fn not_read(&mut self, at: At) -> SymbolIx {
        self.named("not-read", at, Why::Missing, "the resource was read without its properties")
    }

    fn gap(&self, at: At, reason: &str) -> Gap {
        Gap {
            resource: Some(self.resource_id(at).as_written().to_owned()),
            types: vec![self.layered.resource_type(at.resource()).to_owned()],
            pointer: Some(at.pointer()),
            reason: Some(reason.to_owned()),
            ..Gap::default()
        }
    }

    /// The id of the resource that a place is in.
    fn resource_id(&self, at: At) -> &ArmId {
        match &self.unread_parent {
            Some(parent) if at.resource() == super::NO_RESOURCE => parent,
            _ => self.layered.id(at.resource()),
        }
    }

    fn intern(&mut self, symbol: Symbol) -> SymbolIx {
        let ix = number(&symbol.name, self.salt);
        self.collision |= !merge(&mut self.symbols, ix, symbol);
        ix
    }

    /// The children of a source in one collection, inline and standalone merged, and why there may be more. `pointer`
    /// is where the inline list stands; empty for collections that are never inline.
    pub(crate) fn children<'v>(
        &mut self,
        source: &'v Source,
        collection: &'static str,
        pointer: &'static str,
    ) -> (Vec<ChildSource<'v>>, Option<SymbolIx>) {
        if source.place.resource == super::NO_RESOURCE {
            return (self.orphans(source, collection), Some(self.orphaned(source, collection)));
        }
        if pointer.is_empty() {
            let found = self.layered.standalone_children(source.place.resource, collection);
            return (found.into_iter().map(|ix| self.standalone(ix)).collect(), None);
        }
        let children = self.layered.child_list(source.place.resource, &source.json, collection);
        // A child without a name is lost to the list, so there is more than was found.
        let unnamed = (!children.odd.is_empty()).then(|| {
            self.named("unnamed-child", source.place.at(pointer), Why::Malformed, "a child without a name")
        });
        let children = children.items.into_iter().map(|child| ChildSource {
            id: child.id,
            name: child.name.into(),
            place: child.place,
            json: child.json,
        });
        (children.collect(), unnamed.or(self.tail(source, pointer)))
    }

    /// Why an inline list may have more elements than children were found: a hole, or an element that names no child.
    fn tail(&mut self, source: &Source, pointer: &'static str) -> Option<SymbolIx> {
        let named =
            |value: &Value| ["name", "id"].iter().any(|key| value.get(key).is_some_and(Value::is_string));
        let mut fields = Fields::new(self, &source.json, source.place);
        let list: List<()> = fields.list(pointer, "an object with a name", |_, value, i| {
            (named(value) && u16::try_from(i).is_ok()).then_some(())
        });
        list.open
    }

    fn standalone(&self, ix: ResourceIx) -> ChildSource<'static> {
        let id = self.layered.id(ix).clone();
        let json = Arc::unwrap_or_clone(self.layered.json(ix));
        ChildSource {
            name: id.name().into(),
            id,
            place: Place::whole(ix),
            json: std::borrow::Cow::Owned(json),
        }
    }

    fn orphans(&self, source: &Source, collection: &str) -> Vec<ChildSource<'static>> {
        let suffix = format!("/{}", collection.to_ascii_lowercase());
        let wanted = source.orphans.iter().filter(|ix| self.layered.resource_type(**ix).ends_with(&suffix));
        wanted.map(|ix| self.standalone(*ix)).collect()
    }

    fn orphaned(&mut self, source: &Source, collection: &str) -> SymbolIx {
        self.intern(Symbol {
            name: format!("not-read:{}/{collection}", source.id.folded()).into(),
            why: Why::Missing,
            text: "the parent resource was not read".into(),
            at: None,
            domain: None,
            scalar: true,
        })
    }
}

/// Adds a symbol to a table; false when another name has its number.
pub(crate) fn merge(symbols: &mut HashMap<SymbolIx, Symbol>, ix: SymbolIx, symbol: Symbol) -> bool {
    use std::collections::hash_map::Entry;
    match symbols.entry(ix) {
        Entry::Vacant(entry) => {
            entry.insert(symbol);
            true
        }
        Entry::Occupied(mut entry) => {
            let known = entry.get_mut();
            if known.name != symbol.name {
                return false;
            }
            let scalar = known.scalar || symbol.scalar;
            // The first place wins, whatever was read first.
            if symbol.at < known.at {
                let domain = symbol.domain.clone().or_else(|| known.domain.take());
                *known = Symbol { domain, ..symbol };
            } else if known.domain.is_none() {
                known.domain = symbol.domain;
            }
            known.scalar = scalar;
            true
        }
    }
}
