//! One resource seen twice: what only one of them says counts, what both say differently is unknown (CONTRACT §1).

use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::hole;
use crate::id::ArmId;

/// A field in which two captures of one resource differ. The value is a hole named
/// `conflicting-input:<folded id><pointer>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    pub id: ArmId,
    /// JSON pointer into the resource (or child), with the numbers of the first form's lists.
    pub pointer: String,
    pub first: Value,
    pub second: Value,
}

/// Fields that say nothing about the configuration, or differ between two true readings of it.
const NOT_COMPARED: &[&str] =
    &["id", "type", "name", "etag", "systemData", "resourceGroup", "subscriptionId", "tags", "apiVersion"];

/// `first` with what only `second` has; holes where they differ, each told to `conflicts`.
pub(crate) fn merge(id: &ArmId, first: Value, second: &Value, conflicts: &mut Vec<Conflict>) -> Value {
    let mut out = first;
    let mut merge = Merge { id, conflicts, pointer: String::new() };
    merge.value(&mut out, second);
    out
}

/// Which of two captures is the newer one; `None` where that is not known.
pub(crate) fn newer(first: Option<&str>, second: Option<&str>) -> Option<std::cmp::Ordering> {
    let time = |text: &str| OffsetDateTime::parse(text, &Rfc3339).ok();
    let order = time(first?)?.cmp(&time(second?)?);
    order.is_ne().then_some(order)
}

struct Merge<'a> {
    id: &'a ArmId,
    conflicts: &'a mut Vec<Conflict>,
    pointer: String,
}

impl Merge<'_> {
    fn value(&mut self, ours: &mut Value, theirs: &Value) {
        if same(ours, theirs) {
            return;
        }
        let unknown = hole::hole(ours).is_some() || hole::hole(theirs).is_some();
        match (&mut *ours, theirs) {
            (Value::Object(a), Value::Object(b)) if !unknown => self.objects(a, b),
            (Value::Array(a), Value::Array(b)) if !unknown && pairs(a, b).is_some() => {
                for (i, j) in pairs(a, b).unwrap_or_default().into_iter().enumerate() {
                    if let (Some(ours), Some(theirs)) = (a.get_mut(i), b.get(j)) {
                        self.below(&i.to_string(), |merge| merge.value(ours, theirs));
                    }
                }
            }
            _ => {
                let name = format!("conflicting-input:{}{}", self.id.folded(), self.pointer);
                let hole = hole::make(&name, "two forms of this resource differ here");
                let first = std::mem::replace(ours, hole);
                self.conflicts.push(Conflict {
                    id: self.id.clone(),
                    pointer: self.pointer.clone(),
                    first,
                    second: theirs.clone(),
                });
            }
        }
    }

    fn objects(&mut self, ours: &mut Map<String, Value>, theirs: &Map<String, Value>) {
        let top = self.pointer.is_empty();
        for (key, value) in theirs {
            let empty = value.is_null() || value.as_str() == Some("");
            match ours.get_mut(key) {
                None => {
                    ours.insert(key.clone(), value.clone());
                }
                Some(_) if NOT_COMPARED.contains(&key.as_str()) && (top || key == "etag") => {}
                // Resource Graph writes null or "" for what a resource does not have beside its properties.
                Some(_) if top && empty => {}
                Some(mine) if top && (mine.is_null() || mine.as_str() == Some("")) => *mine = value.clone(),
                Some(mine) => self.below(key, |merge| merge.value(mine, value)),
            }
        }
    }

    fn below(&mut self, segment: &str, work: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&segment.replace('~', "~0").replace('/', "~1"));
        work(self);
        self.pointer.truncate(length);
    }
}

/// For two lists of named objects with the same names: which element of `b` belongs to each of `a`.
fn pairs(a: &[Value], b: &[Value]) -> Option<Vec<usize>> {
    if a.is_empty() || a.len() != b.len() {
        return None;
    }
    let mut by_key = std::collections::BTreeMap::new();
    for (j, item) in b.iter().enumerate() {
        if by_key.insert(key(item)?, j).is_some() {
            return None;
        }
    }
    a.iter().map(|item| by_key.remove(&key(item)?)).collect()
}

fn key(item: &Value) -> Option<String> {
    let named = item.get("id").or_else(|| item.get("name"))?;
    Some(named.as_str()?.to_ascii_lowercase())
}

/// Equal for our purposes: letter case of strings and etags aside, lists element by element.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::String(a), Value::String(b)) => a.eq_ignore_ascii_case(b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            let told = |o: &Map<String, Value>| o.keys().filter(|k| *k != "etag").count();
            told(a) == told(b)
                && a.iter().filter(|(k, _)| *k != "etag").all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        _ => a == b,
    }
}
