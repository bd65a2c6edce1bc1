//! From an instance's settled values to ARM JSON, by the moves of its row.

use pullproof_snapshot::hole;
use serde_json::{Map, Value, json};

use super::{How, Move, Row, Unset};
use crate::value::is_unset;

/// What a row's `finish` works on.
pub(crate) struct Build<'a> {
    pub address: &'a str,
    pub id: &'a str,
    /// The instance's values: references followed, what is not set removed.
    pub value: &'a Value,
    /// What the moves made.
    pub json: Value,
    /// Resources made beside it: `(id, ARM type, JSON)`.
    pub beside: Vec<(String, &'static str, Value)>,
}

impl<'a> Build<'a> {
    pub(crate) fn set(&mut self, pointer: &str, value: Value) {
        set(&mut self.json, pointer, value);
    }

    /// The argument, unless it is not set.
    pub(crate) fn get(&self, argument: &str) -> Option<&'a Value> {
        self.value.get(argument).filter(|value| !is_unset(Some(value)))
    }

    pub(crate) fn text(&self, argument: &str) -> Option<&'a str> {
        self.get(argument)?.as_str()
    }

    /// The blocks of one name; none where they are a hole.
    pub(crate) fn blocks(&self, argument: &str) -> &'a [Value] {
        self.value.get(argument).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// A hole for what Azure chooses in a domain.
    pub(crate) fn chosen(&self, path: &str, within: Option<&Value>) -> Value {
        chosen(self.address, path, within)
    }
}

/// A hole for what Azure chooses: an address of the subnet that `within` names.
pub(crate) fn chosen(address: &str, path: &str, within: Option<&Value>) -> Value {
    let mut out = crate::value::unknown(address, path);
    if let (Some(map), Some(Value::String(subnet))) = (out.as_object_mut(), within) {
        map.insert("within".into(), json!(subnet));
    }
    out
}

/// The JSON of a resource: `id`, `name`, `type`, and what the moves make of the values.
pub(crate) fn object(row: &Row, id: &str, value: &Value) -> Value {
    let name = id.rsplit('/').next().unwrap_or_default();
    let mut out = json!({ "id": id, "name": name, "type": row.arm });
    moves(row.moves, value, &mut out);
    out
}

/// Makes every move from `value` into `out`.
pub(crate) fn moves(moves: &[Move], value: &Value, out: &mut Value) {
    for step in moves {
        let found = step.from.iter().find_map(|name| value.get(name).filter(|v| !is_unset(Some(v))));
        let made = match found {
            Some(value) => transfer(&step.how, value),
            None => match step.unset {
                Unset::Absent => Value::Null,
                Unset::Text(text) => json!(text),
                Unset::Flag(flag) => json!(flag),
                Unset::Number(number) => json!(number),
                Unset::Empty => json!([]),
            },
        };
        // Another spelling may have been moved there already.
        if made.is_null() && out.pointer(step.to).is_some_and(|there| !there.is_null()) {
            continue;
        }
        set(out, step.to, made);
    }
}

fn transfer(how: &How, value: &Value) -> Value {
    if let Some(hole) = hole::hole(value) {
        return match how {
            How::Same | How::Refs | How::Each(_) | How::One(_) | How::Joined => value.clone(),
            How::Only => json!([value]),
            How::Ref => json!({ "id": value }),
            // The other value of a flag is another unknown.
            How::Not => hole::make(&format!("not {}", hole.name), hole.why.unwrap_or_default()),
            // Neither word is Azure's to pick: it is one that nobody has seen, so it has no domain.
            How::Words(..) => hole::make(&format!("word of {}", hole.name), hole.why.unwrap_or_default()),
        };
    }
    match (how, value) {
        (How::Same, value) => value.clone(),
        (How::Not, Value::Bool(flag)) => json!(!flag),
        (How::Words(yes, no), Value::Bool(flag)) => json!(if *flag { yes } else { no }),
        (How::Ref, id) => json!({ "id": id }),
        (How::Refs, Value::Array(ids)) => {
            let item = |id: &Value| if hole::hole(id).is_some() { id.clone() } else { json!({ "id": id }) };
            Value::Array(ids.iter().map(item).collect())
        }
        (How::Only, value) => json!([value]),
        (How::One(parts), Value::Array(blocks)) => match blocks.first() {
            Some(block) => transfer(&How::One(parts), block),
            None => Value::Null,
        },
        (How::One(parts), block @ Value::Object(_)) => {
            let mut out = json!({});
            moves(parts, block, &mut out);
            out
        }
        (How::Each(parts), Value::Array(blocks)) => {
            let item = |block: &Value| {
                if hole::hole(block).is_some() {
                    return block.clone();
                }
                let mut out = json!({});
                moves(parts, block, &mut out);
                out
            };
            Value::Array(blocks.iter().map(item).collect())
        }
        (How::Joined, Value::Array(items)) => {
            if let Some(hole) = items.iter().find(|item| hole::hole(item).is_some()) {
                return hole.clone();
            }
            let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            if texts.is_empty() { Value::Null } else { json!(texts.join(",")) }
        }
        // The argument has another shape in some version: it is handed on as it is.
        (_, value) => value.clone(),
    }
}

/// Puts a value at a pointer, making objects on the way.
pub(crate) fn set(out: &mut Value, pointer: &str, value: Value) {
    if pointer.is_empty() {
        *out = value;
        return;
    }
    let mut here = out;
    let mut keys = pointer.split('/').skip(1).peekable();
    while let Some(key) = keys.next() {
        if !here.is_object() {
            *here = Value::Object(Map::new());
        }
        let Some(map) = here.as_object_mut() else { return };
        if keys.peek().is_none() {
            map.insert(key.to_owned(), value);
            return;
        }
        here = map.entry(key.to_owned()).or_insert_with(|| json!({}));
    }
}
