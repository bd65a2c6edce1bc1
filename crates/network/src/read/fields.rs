//! One object's fields: every field is read through here, so that absent, null, empty, unknown and malformed are told
//! apart in one place.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use pullproof_snapshot::{ArmId, At, Place, hole};
use serde_json::{Map, Value};

use super::reader::Reader;
use crate::model::index::Ref;
use crate::model::symbol::{SymbolIx, Why};
use crate::model::val::{List, Val};
use crate::model::word::Word;

const PROPERTIES: &str = "/properties/";

/// The fields of one object.
pub(crate) struct Fields<'r, 'l, 'v> {
    pub reader: &'r mut Reader<'l>,
    pub json: &'v Value,
    pub place: Place,
    properties: Properties<'v>,
}

/// Where `/properties/…` is looked up.
#[derive(Clone, Copy)]
enum Properties<'v> {
    Here(&'v Map<String, Value>),
    /// The object has its fields at its top (inline agent pool profiles).
    Flat(&'v Map<String, Value>),
    /// A hole stands in their place.
    Sym(SymbolIx),
    /// The source left them out: nothing below them is known (CONTRACT §1).
    NotRead,
}

/// What stands at a pointer.
pub(crate) enum Raw<'v> {
    /// Absent or null.
    Absent,
    Here(&'v Value),
    Sym(SymbolIx),
}

impl<'r, 'l, 'v> Fields<'r, 'l, 'v> {
    pub(crate) fn new(reader: &'r mut Reader<'l>, json: &'v Value, place: Place) -> Self {
        let properties = match json.get("properties") {
            Some(value) => match (hole::hole(value), value) {
                (Some(hole), _) => Properties::Sym(reader.hole(hole, place.at("/properties"), true)),
                (None, Value::Object(map)) => Properties::Here(map),
                _ => Properties::NotRead,
            },
            None => Properties::NotRead,
        };
        Self { reader, json, place, properties }
    }

    /// An object whose `/properties/…` stand at its top.
    pub(crate) fn flat(reader: &'r mut Reader<'l>, json: &'v Value, place: Place) -> Self {
        let properties = json.as_object().map_or(Properties::NotRead, Properties::Flat);
        Self { reader, json, place, properties }
    }

    pub(crate) fn is_flat(&self) -> bool {
        matches!(self.properties, Properties::Flat(_))
    }

    pub(crate) fn at(&self, pointer: &'static str) -> At {
        match self.properties {
            Properties::Flat(_) => self.place.at(pointer.strip_prefix("/properties").unwrap_or(pointer)),
            _ => self.place.at(pointer),
        }
    }

    /// What stands at a pointer. `/properties/…` looks below the object's properties.
    pub(crate) fn raw(&mut self, pointer: &'static str) -> Raw<'v> {
        let (mut map, path) = match pointer.strip_prefix(PROPERTIES) {
            Some(path) => match self.properties {
                Properties::Here(map) | Properties::Flat(map) => (map, path),
                Properties::Sym(symbol) => return Raw::Sym(self.reader.part(symbol, path, self.at(pointer))),
                Properties::NotRead => return Raw::Sym(self.not_read(pointer)),
            },
            None => match (self.json, pointer.strip_prefix('/')) {
                (Value::Object(map), Some(path)) => (map, path),
                _ => return Raw::Absent,
            },
        };
        let mut path = path;
        loop {
            let (key, rest) = match path.split_once('/') {
                Some((key, rest)) => (key, Some(rest)),
                None => (path, None),
            };
            let value = match map.get(key) {
                None | Some(Value::Null) => return Raw::Absent,
                Some(value) => value,
            };
            let Some(rest) = rest else {
                return match hole::hole(value) {
                    Some(hole) => Raw::Sym(self.reader.hole(hole, self.at(pointer), true)),
                    None => Raw::Here(value),
                };
            };
            let Value::Object(inner) = value else {
                return Raw::Sym(self.malformed(pointer, None, "an object"));
            };
            if let Some(hole) = hole::hole(value) {
                let symbol = self.reader.hole(hole, self.at(pointer), true);
                return Raw::Sym(self.reader.part(symbol, rest, self.at(pointer)));
            }
            map = inner;
            path = rest;
        }
    }

    /// True exactly when something other than null stands there; unknown where a hole does.
    pub(crate) fn has(&mut self, pointer: &'static str) -> Val<bool> {
        match self.raw(pointer) {
            Raw::Absent => Val::Known(false),
            Raw::Here(Value::Array(items)) => Val::Known(!items.is_empty()),
            Raw::Here(_) => Val::Known(true),
            Raw::Sym(symbol) => Val::Sym(symbol),
        }
    }

    /// One value; an empty string counts as absent (F22). `parse` gives `None` for what the field cannot hold.
    pub(crate) fn scalar<T>(
        &mut self,
        pointer: &'static str,
        wanted: &'static str,
        parse: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Val<Option<T>> {
        match self.raw(pointer) {
            Raw::Absent => Val::Known(None),
            Raw::Sym(symbol) => Val::Sym(symbol),
            Raw::Here(Value::String(text)) if text.is_empty() => Val::Known(None),
            Raw::Here(value) => match parse(value) {
                Some(value) => Val::Known(Some(value)),
                None => Val::Sym(self.malformed(pointer, None, wanted)),
            },
        }
    }

    /// A field that Azure demands: a symbol and a gap where it is absent.
    pub(crate) fn required<T>(&mut self, pointer: &'static str, value: Val<Option<T>>) -> Val<T> {
        match value {
            Val::Known(Some(value)) => Val::Known(value),
            Val::Known(None) => Val::Sym(self.missing(pointer)),
            Val::Sym(symbol) => Val::Sym(symbol),
        }
    }

    pub(crate) fn text(&mut self, pointer: &'static str) -> Val<Option<Box<str>>> {
        self.scalar(pointer, "text", |value| value.as_str().map(Box::from))
    }

    /// Text in lower case: ids of principals, tenants, clients.
    pub(crate) fn lower(&mut self, pointer: &'static str) -> Val<Option<Box<str>>> {
        self.scalar(pointer, "text", |value| value.as_str().map(|text| text.to_ascii_lowercase().into()))
    }

    /// A DNS name in lower case without a trailing dot.
    pub(crate) fn host(&mut self, pointer: &'static str) -> Val<Option<Box<str>>> {
        self.scalar(pointer, "a DNS name", |value| value.as_str().map(domain))
    }

    pub(crate) fn word<T: Word>(&mut self, pointer: &'static str) -> Val<Option<T>> {
        self.scalar(pointer, "a word", |value| value.as_str().map(T::word))
    }

    pub(crate) fn boolean(&mut self, pointer: &'static str) -> Val<Option<bool>> {
        self.scalar(pointer, "true or false", Value::as_bool)
    }

    pub(crate) fn number<T: TryFrom<i64>>(&mut self, pointer: &'static str) -> Val<Option<T>> {
        self.scalar(pointer, "a number in range", |value| T::try_from(value.as_i64()?).ok())
    }

    /// A port; text is accepted too.
    pub(crate) fn port(&mut self, pointer: &'static str) -> Val<Option<u16>> {
        self.scalar(pointer, "a port", port)
    }

    pub(crate) fn address(&mut self, pointer: &'static str) -> Val<Option<IpAddr>> {
        self.scalar(pointer, "an address", address)
    }

    pub(crate) fn prefix(&mut self, pointer: &'static str) -> Val<Option<IpNet>> {
        self.scalar(pointer, "a prefix", prefix)
    }

    pub(crate) fn arm_id(&mut self, pointer: &'static str) -> Val<Option<ArmId>> {
        self.scalar(pointer, "a resource id", arm_id)
    }

    pub(crate) fn reference<I>(&mut self, pointer: &'static str) -> Val<Option<Ref<I>>> {
        self.scalar(pointer, "a resource id", |value| arm_id(value).map(Ref::NotRead))
    }

    /// The elements of a list; `each` gives `None` for what an element cannot be.
    pub(crate) fn list<T>(
        &mut self,
        pointer: &'static str,
        wanted: &'static str,
        mut each: impl FnMut(&mut Self, &'v Value, usize) -> Option<T>,
    ) -> List<T> {
        let items = match self.raw(pointer) {
            Raw::Absent => return List::empty(),
            Raw::Sym(symbol) => return List { items: Vec::new(), open: Some(symbol) },
            Raw::Here(Value::Array(items)) => items,
            Raw::Here(Value::String(text)) if text.is_empty() => return List::empty(),
            Raw::Here(_) => {
                return List { items: Vec::new(), open: Some(self.malformed(pointer, None, "a list")) };
            }
        };
        let mut list = List { items: Vec::with_capacity(items.len()), open: None };
        for (i, item) in items.iter().enumerate() {
            if let Some(hole) = hole::hole(item) {
                let symbol = self.reader.hole(hole, self.at(pointer).item(i), false);
                self.open(&mut list, symbol, pointer);
                continue;
            }
            match each(self, item, i) {
                Some(value) => list.items.push(value),
                None => {
                    let symbol = self.malformed(pointer, Some(i), wanted);
                    self.open(&mut list, symbol, pointer);
                }
            }
        }
        list
    }

    /// Opens a list. Several unknown tails of one list are one symbol of their own: nothing is known of either.
    pub(crate) fn open<T>(&mut self, list: &mut List<T>, symbol: SymbolIx, pointer: &'static str) {
        list.open = Some(match list.open {
            None => symbol,
            Some(before) if before == symbol => symbol,
            Some(_) => {
                self.reader.named("several", self.at(pointer), Why::Hole, "several elements are unknown")
            }
        });
    }

    /// A list whose order matters: an unknown element keeps its position.
    pub(crate) fn ordered<T>(
        &mut self,
        pointer: &'static str,
        wanted: &'static str,
        parse: impl Fn(&'v Value) -> Option<T>,
    ) -> List<Val<T>> {
        match self.raw(pointer) {
            Raw::Absent => List::empty(),
            Raw::Sym(symbol) => List { items: Vec::new(), open: Some(symbol) },
            Raw::Here(Value::Array(items)) => {
                let items = items.iter().enumerate().map(|(i, item)| match (hole::hole(item), parse(item)) {
                    (Some(hole), _) => Val::Sym(self.reader.hole(hole, self.at(pointer).item(i), false)),
                    (None, Some(value)) => Val::Known(value),
                    (None, None) => Val::Sym(self.malformed(pointer, Some(i), wanted)),
                });
                List { items: items.collect(), open: None }
            }
            Raw::Here(_) => List { items: Vec::new(), open: Some(self.malformed(pointer, None, "a list")) },
        }
    }

    pub(crate) fn texts(&mut self, pointer: &'static str) -> List<Box<str>> {
        self.list(pointer, "text", |_, value, _| value.as_str().map(Box::from))
    }

    pub(crate) fn hosts(&mut self, pointer: &'static str) -> List<Box<str>> {
        self.list(pointer, "a DNS name", |_, value, _| value.as_str().map(domain))
    }

    pub(crate) fn words<T: Word>(&mut self, pointer: &'static str) -> List<T> {
        self.list(pointer, "a word", |_, value, _| value.as_str().map(T::word))
    }

    pub(crate) fn prefixes(&mut self, pointer: &'static str) -> List<IpNet> {
        self.list(pointer, "a prefix", |_, value, _| prefix(value))
    }

    pub(crate) fn addresses(&mut self, pointer: &'static str) -> List<Val<IpAddr>> {
        self.ordered(pointer, "an address", address)
    }

    /// A list of `{"id": …}`.
    pub(crate) fn references<I>(&mut self, pointer: &'static str) -> List<Ref<I>> {
        self.list(pointer, "an object with an id", |_, value, _| {
            Some(Ref::NotRead(arm_id(value.get("id")?)?))
        })
    }

    /// A list of `{"id": …}` as ids.
    pub(crate) fn ids(&mut self, pointer: &'static str) -> List<ArmId> {
        self.list(pointer, "an object with an id", |_, value, _| arm_id(value.get("id")?))
    }

    /// A list of objects. `base` is the whole pattern of an element's place (as in [`Place`]).
    pub(crate) fn objects<T>(
        &mut self,
        pointer: &'static str,
        base: &'static str,
        mut each: impl FnMut(&mut Fields<'_, 'l, 'v>) -> T,
    ) -> List<T> {
        let parent = self.place;
        self.list(pointer, "an object", |fields, value, i| {
            if !value.is_object() {
                return None;
            }
            let mut place = Place { base, ..parent };
            let depth = base.matches("{}").count().checked_sub(1)?;
            *place.index.get_mut(depth)? = u16::try_from(i).ok()?;
            Some(each(&mut Fields::new(fields.reader, value, place)))
        })
    }

    /// The object's own name: its `name`, or the last segment of its `id`.
    pub(crate) fn name(&self) -> Box<str> {
        let name = self.json.get("name").and_then(Value::as_str);
        let id = || self.json.get("id").and_then(Value::as_str).and_then(|id| id.rsplit('/').next());
        name.or_else(id).unwrap_or_default().into()
    }

    /// The object's own id; where it has none, below the resource by collection and name.
    pub(crate) fn id(&self, collection: &str) -> ArmId {
        match self.json.get("id").and_then(Value::as_str) {
            Some(id) if id.starts_with('/') => ArmId::new(id),
            _ => {
                let parent = self.reader.layered.id(self.place.resource);
                ArmId::new(&format!("{}/{collection}/{}", parent.as_written(), self.name()))
            }
        }
    }

    pub(crate) fn malformed(
        &mut self,
        pointer: &'static str,
        item: Option<usize>,
        wanted: &'static str,
    ) -> SymbolIx {
        let at = self.at(pointer);
        self.reader.malformed(item.map_or(at, |i| at.item(i)), wanted)
    }

    pub(crate) fn missing(&mut self, pointer: &'static str) -> SymbolIx {
        let at = self.at(pointer);
        self.reader.missing(at)
    }

    fn not_read(&mut self, pointer: &'static str) -> SymbolIx {
        let at = self.at(pointer);
        self.reader.not_read(at)
    }
}

pub(crate) fn address(value: &Value) -> Option<IpAddr> {
    IpAddr::from_str(value.as_str()?.trim()).ok()
}

/// A prefix with host bits cleared (F28); a bare address is a /32 or /128.
pub(crate) fn prefix(value: &Value) -> Option<IpNet> {
    let text = value.as_str()?.trim();
    IpNet::from_str(text).map(|net| net.trunc()).ok().or_else(|| Some(IpAddr::from_str(text).ok()?.into()))
}

pub(crate) fn port(value: &Value) -> Option<u16> {
    match value {
        Value::Number(number) => u16::try_from(number.as_u64()?).ok(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

pub(crate) fn arm_id(value: &Value) -> Option<ArmId> {
    let text = value.as_str()?;
    text.starts_with('/').then(|| ArmId::new(text))
}

/// Lower case, without a trailing dot; the root is empty.
pub(crate) fn domain(text: &str) -> Box<str> {
    let text = text.trim();
    text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase().into()
}
