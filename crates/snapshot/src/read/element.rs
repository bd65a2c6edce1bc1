//! One element of a list, or one line: a resource, a line of the native form, or a gap.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{flattened, graph, scan, service_tags};
use crate::gap::Gap;
use crate::id::ArmId;
use crate::snapshot::{Body, TagList};

/// What an element is.
pub(super) enum Item {
    Resource {
        id: ArmId,
        resource_type: Box<str>,
        body: Body,
    },
    /// A `pullproof` line of the native form, parsed.
    Control {
        kind: Box<str>,
        json: Value,
    },
    Tags {
        list: Box<TagList>,
        trouble: Vec<Gap>,
    },
    /// Something that is not understood, as far as it is known what it is.
    Trouble(Box<Gap>),
}

/// Where an element comes from, as far as its form depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Arm,
    ResourceGraph,
}

/// What is read of an element without parsing all of it.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Head<'a> {
    #[serde(borrow)]
    pullproof: Text<'a>,
    #[serde(borrow)]
    id: Text<'a>,
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    properties: Shape,
    values: Shape,
}

/// Types that ARM returns without `properties`.
const BARE: &[&str] = &["microsoft.resources/", "microsoft.management/"];

/// Reads the element at `range`. `file` is the input's name.
pub(super) fn read(text: &Arc<Vec<u8>>, range: Range<usize>, origin: Origin, file: &str) -> Item {
    let slice = text.get(range.clone()).unwrap_or_default();
    let trouble = |reason: String| Item::Trouble(Box::new(broken(slice, reason)));
    let Ok(plain) = std::str::from_utf8(slice) else { return trouble("not UTF-8".into()) };
    if scan::too_deep(slice) {
        return trouble(format!("nested deeper than {} levels", scan::MAX_DEPTH));
    }
    let head: Head<'_> = match serde_json::from_str(plain) {
        Ok(head) => head,
        Err(error) if plain.trim_start().starts_with('{') => return trouble(format!("not JSON: {error}")),
        Err(_) => return trouble("not a JSON object".into()),
    };
    if let Some(kind) = head.pullproof.text() {
        return match serde_json::from_str(plain) {
            Ok(json) => Item::Control { kind: kind.into(), json },
            Err(error) => trouble(format!("not JSON: {error}")),
        };
    }
    if head.values == Shape::Array
        && let Ok(json) = serde_json::from_str::<Value>(plain)
        && service_tags::is_list(&json)
    {
        let (list, trouble) = service_tags::read(&json, file);
        return Item::Tags { list: Box::new(list), trouble };
    }
    let Some(id) = head.id.text().filter(|id| id.starts_with('/')) else {
        return trouble("no resource id".into());
    };
    let id = ArmId::new(id);
    let Some(resource_type) = id
        .resource_type()
        .or_else(|| head.kind.text().filter(|k| !k.is_empty()).map(str::to_ascii_lowercase))
    else {
        return trouble("neither the id nor a type field says which type this is".into());
    };
    let parse = || serde_json::from_str::<Value>(plain);
    let changed = match head.properties {
        Shape::Object if graph::is_record_set(&resource_type) => match parse().map(graph::record_set) {
            Ok(Some((id, json))) => {
                let resource_type = id.resource_type().unwrap_or(resource_type);
                return Item::Resource {
                    id,
                    resource_type: resource_type.into(),
                    body: Body::Json(Arc::new(json)),
                };
            }
            Ok(None) => None,
            Err(error) => return trouble(format!("not JSON: {error}")),
        },
        Shape::Object => None,
        Shape::Absent | Shape::Null if BARE.iter().any(|b| resource_type.starts_with(b)) => None,
        Shape::Absent | Shape::Null if origin == Origin::Arm => match parse() {
            Ok(Value::Object(object)) if flattened::is_flattened(&object) => {
                Some(flattened::to_arm(object, &resource_type))
            }
            Ok(_) => return Item::Trouble(Box::new(bare(id, resource_type))),
            Err(error) => return trouble(format!("not JSON: {error}")),
        },
        Shape::Absent | Shape::Null => return Item::Trouble(Box::new(bare(id, resource_type))),
        Shape::Array | Shape::Other => {
            let mut gap = gap_of(Some(&id), Some(&resource_type), "not a JSON object".into());
            gap.pointer = Some("/properties".into());
            return Item::Trouble(Box::new(gap));
        }
    };
    let body = match changed {
        Some(json) => Body::Json(Arc::new(json)),
        None => Body::Text { text: Arc::clone(text), from: range.start, to: range.end },
    };
    Item::Resource { id, resource_type: resource_type.into(), body }
}

fn bare(id: ArmId, resource_type: String) -> Gap {
    gap_of(Some(&id), Some(&resource_type), "listed without its properties".into())
}

/// A gap for text that cannot be read, with the id and type that it names where these can be.
pub(super) fn broken(text: &[u8], reason: String) -> Gap {
    let id = scan::salvage(text, "id").filter(|id| id.starts_with('/')).map(|id| ArmId::new(&id));
    let kind = scan::salvage(text, "type").filter(|kind| kind.contains('/'));
    let kind = id.as_ref().and_then(ArmId::resource_type).or(kind);
    gap_of(id.as_ref(), kind.as_deref(), reason)
}

fn gap_of(id: Option<&ArmId>, kind: Option<&str>, reason: String) -> Gap {
    Gap {
        resource: id.map(|id| id.as_written().to_owned()),
        types: kind.map(str::to_ascii_lowercase).into_iter().collect(),
        reason: Some(reason),
        ..Gap::default()
    }
}

/// A member that should be a string.
#[derive(Default)]
enum Text<'a> {
    #[default]
    Absent,
    Known(Cow<'a, str>),
    Other,
}

impl Text<'_> {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Known(text) => Some(text),
            Self::Absent | Self::Other => None,
        }
    }
}

/// What kind of value a member is.
#[derive(Default, PartialEq, Eq, Clone, Copy)]
enum Shape {
    #[default]
    Absent,
    Null,
    Object,
    Array,
    Other,
}

struct TextVisitor;
impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_borrowed_str<E>(self, v: &'de str) -> Result<Self::Value, E> {
        Ok(Text::Known(Cow::Borrowed(v)))
    }
    fn visit_str<E>(self, v: &str) -> Result<Self::Value, E> {
        Ok(Text::Known(Cow::Owned(v.to_owned())))
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Text::Other)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Text::Other)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Text::Other)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Text::Other)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Text::Other)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text::Other)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text::Other)
    }
}
impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct ShapeVisitor;
impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_str<E>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape::Other)
    }
    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Null)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Other)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Other)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Other)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Other)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Shape::Object)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Shape::Array)
    }
}
impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}
