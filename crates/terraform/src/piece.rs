//! What one instance becomes: resources, and parts of resources.

use pullproof_snapshot::ArmId;
use serde_json::{Value, json};

use crate::estate::Estate;
use crate::plan::{Instance, Provider};
use crate::settle::{References, lay_over, settled};
use crate::table::apply::{self, Build, set};
use crate::table::{Place, Row, row};
use crate::world::World;
use crate::{azapi, value};

/// A resource, or a part of one.
pub(crate) struct Piece {
    pub id: ArmId,
    pub json: Value,
    place: Where,
}

enum Where {
    Whole,
    Set(String),
    Append(String),
    /// Laid over what is there, field by field.
    Over,
}

/// What instance `i` becomes; empty where its type says nothing that is read. `None`: its type has no row, or what it is
/// about is not known.
pub(crate) fn pieces(world: &World<'_>, i: usize, references: &mut References) -> Option<Vec<Piece>> {
    let instance = world.instance(i)?;
    match instance.provider {
        Provider::Azurerm => azurerm(world, i, instance, references),
        Provider::Azapi => azapi_pieces(world, i, instance, references),
        Provider::Other => None,
    }
}

fn azurerm(
    world: &World<'_>,
    i: usize,
    instance: &Instance,
    references: &mut References,
) -> Option<Vec<Piece>> {
    let row = row(&instance.resource_type)?;
    if row.place == Place::Nothing {
        return Some(Vec::new());
    }
    let value = settled(world, i, references);
    let id = world.id(i).filter(|id| id.starts_with(['/', '{']))?.to_owned();
    let Build { json, beside, .. } = made(row, &instance.address, &id, &value);
    let place = match row.place {
        Place::Whole => Where::Whole,
        Place::Set(pointer) => Where::Set(pointer.to_owned()),
        Place::Append(pointer) => Where::Append(filled(pointer, &value)),
        Place::Nothing => return Some(Vec::new()),
    };
    let mut out = vec![Piece { id: ArmId::new(&id), json, place }];
    out.extend(beside.into_iter().map(|(id, _, json)| Piece {
        id: ArmId::new(&id),
        json,
        place: Where::Whole,
    }));
    Some(out)
}

/// What a row makes of settled values: the JSON of the resource or part, and the resources beside it.
pub(crate) fn made<'a>(row: &Row, address: &'a str, id: &'a str, value: &'a Value) -> Build<'a> {
    let json = match row.place {
        Place::Whole => apply::object(row, id, value),
        Place::Set(_) | Place::Append(_) | Place::Nothing => {
            let mut json = json!({});
            apply::moves(row.moves, value, &mut json);
            json
        }
    };
    let mut build = Build { address, id, value, json, beside: Vec::new() };
    if let Some(finish) = row.finish {
        finish(&mut build);
    }
    build
}

/// `{argument}` in a pointer.
fn filled(pointer: &str, value: &Value) -> String {
    pointer
        .split('/')
        .map(|segment| match segment.strip_prefix('{').and_then(|s| s.strip_suffix('}')) {
            Some(argument) => value.get(argument).and_then(Value::as_str).unwrap_or("*").replace('/', "~1"),
            None => segment.to_owned(),
        })
        .collect::<Vec<_>>()
        .join("/")
}

fn azapi_pieces(
    world: &World<'_>,
    i: usize,
    instance: &Instance,
    references: &mut References,
) -> Option<Vec<Piece>> {
    match instance.resource_type.as_str() {
        "azapi_resource" | "azapi_update_resource" => {}
        "azapi_resource_action" => {
            let values = world.value(i);
            let method = values.get("method").and_then(Value::as_str).unwrap_or("POST");
            let matters =
                azapi::arm_type(&world.value(i)).is_none_or(matters) && !method.eq_ignore_ascii_case("GET");
            return if matters { None } else { Some(Vec::new()) };
        }
        _ => return Some(Vec::new()),
    }
    if !azapi::arm_type(&world.value(i)).is_none_or(matters) {
        return Some(Vec::new());
    }
    let value = settled(world, i, references);
    let id = world.id(i)?.to_owned();
    let json = azapi::json(&id, &value).unwrap_or_else(|| {
        json!({ "id": id, "name": id.rsplit('/').next().unwrap_or_default(),
            "properties": value::unknown(&instance.address, "body") })
    });
    let place = if instance.resource_type == "azapi_update_resource" { Where::Over } else { Where::Whole };
    Some(vec![Piece { id: ArmId::new(&id), json, place }])
}

/// Providers of Azure whose resources are read.
fn matters(arm_type: &str) -> bool {
    let provider = arm_type.split('/').next().unwrap_or_default().to_ascii_lowercase();
    matches!(
        provider.as_str(),
        "microsoft.network"
            | "microsoft.containerregistry"
            | "microsoft.containerservice"
            | "microsoft.managedidentity"
            | "microsoft.authorization"
            | "microsoft.compute"
            | "microsoft.resources"
    )
}

impl Piece {
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.place, Where::Whole)
    }

    /// Makes the piece a part of its resource; false when there is no such resource.
    pub(crate) fn apply(self, estate: &mut Estate<'_>) -> bool {
        let Self { id, json, place } = self;
        estate.change(&id, |resource| match place {
            Where::Whole => *resource = json,
            Where::Set(pointer) => set(resource, &pointer, json),
            Where::Append(pointer) => {
                append(resource, &pointer.split('/').skip(1).collect::<Vec<_>>(), &json)
            }
            Where::Over => lay_over(resource, json),
        })
    }
}

/// Adds an element to the list at a path, in place of one with the same name or id. Inside lists a segment is the name
/// of an element, or `*` for all.
fn append(value: &mut Value, path: &[&str], item: &Value) {
    match (path.split_first(), value) {
        (None, Value::Array(items)) => {
            let key = |v: &Value| {
                let text = v.get("name").or_else(|| v.get("id"))?.as_str()?;
                Some(text.to_ascii_lowercase())
            };
            match items
                .iter_mut()
                .find(|other| *other == item || (key(item).is_some() && key(other) == key(item)))
            {
                Some(other) => *other = item.clone(),
                None => items.push(item.clone()),
            }
        }
        // A list that is not known stays so.
        (None, _) => {}
        (Some((segment, rest)), Value::Array(items)) => {
            let wanted = segment.replace("~1", "/");
            for element in items {
                let named = element.get("name").and_then(Value::as_str).is_some_and(|n| n == wanted);
                if *segment == "*" || named {
                    append(element, rest, item);
                }
            }
        }
        (Some((segment, rest)), Value::Object(map)) => {
            let next = map
                .entry((*segment).to_owned())
                .or_insert_with(|| if rest.is_empty() { json!([]) } else { json!({}) });
            if next.is_null() {
                *next = if rest.is_empty() { json!([]) } else { json!({}) };
            }
            append(next, rest, item);
        }
        (Some(_), _) => {}
    }
}

/// Takes away what an instance was before apply; the id of what is removed or changed.
pub(crate) fn remove(estate: &mut Estate<'_>, instance: &Instance, before: &Value) -> Option<ArmId> {
    let text = |name: &str| before.get(name).and_then(Value::as_str).filter(|id| id.starts_with('/'));
    if instance.provider == Provider::Azapi {
        if instance.resource_type != "azapi_resource" {
            return None;
        }
        let id = ArmId::new(text("id")?);
        estate.delete(&id);
        return Some(id);
    }
    let row = row(&instance.resource_type)?;
    match row.place {
        Place::Whole => {
            let id = ArmId::new(text("id")?);
            estate.delete(&id);
            Some(id)
        }
        Place::Nothing => None,
        Place::Set(pointer) => {
            let argument = row.ids.first()?.strip_prefix('{')?.strip_suffix('}')?;
            let id = ArmId::new(text(argument)?);
            estate.change(&id, |json| set(json, pointer, Value::Null));
            Some(id)
        }
        Place::Append(pointer) => {
            let argument = row.ids.first()?.strip_prefix('{').and_then(|t| t.strip_suffix('}'));
            let id = match argument {
                Some(argument) => ArmId::new(text(argument)?),
                // A classic collection: its id is below the firewall's.
                None => ArmId::new(text("id")?).parent()?,
            };
            let mut gone = json!({});
            apply::moves(row.moves, before, &mut gone);
            let path = filled(pointer, before);
            estate.change(&id, |json| take(json, &path.split('/').skip(1).collect::<Vec<_>>(), &gone));
            Some(id)
        }
    }
}

fn take(value: &mut Value, path: &[&str], gone: &Value) {
    match (path.split_first(), value) {
        (None, Value::Array(items)) => {
            let key = |v: &Value| Some(v.get("name").or_else(|| v.get("id"))?.as_str()?.to_ascii_lowercase());
            items.retain(|item| item != gone && (key(gone).is_none() || key(item) != key(gone)));
        }
        (Some((segment, rest)), Value::Array(items)) => {
            for element in items {
                let named = element.get("name").and_then(Value::as_str).is_some_and(|n| n == *segment);
                if *segment == "*" || named {
                    take(element, rest, gone);
                }
            }
        }
        (Some((segment, rest)), Value::Object(map)) => {
            if let Some(next) = map.get_mut(*segment) {
                take(next, rest, gone);
            }
        }
        _ => {}
    }
}
