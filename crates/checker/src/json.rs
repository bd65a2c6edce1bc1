//! Reading raw ARM JSON: absent, null, not known yet and malformed told apart; enum strings without regard to case.

use std::net::IpAddr;

use ipnet::IpNet;
use pullproof_snapshot::question::Missing;
use pullproof_snapshot::{ArmId, hole};
use serde_json::Value;

use crate::missing;

/// One object and the resource that it belongs to (for messages). Pointers are relative to the object; their tokens are
/// names of ARM fields, which need no escapes.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    pub json: &'a Value,
    pub of: &'a ArmId,
}

/// What stands at a pointer.
#[derive(Clone, Debug, PartialEq)]
pub enum Got<T> {
    Absent,
    Null,
    /// Not known yet (a plan), or two inputs differ.
    Hole(Missing),
    /// Something stands there that is no value of this field.
    Malformed(Missing),
    Known(T),
}

impl<T> Got<T> {
    /// The value, `None` where it is absent or null.
    ///
    /// # Errors
    /// What is missing, where the value is not known or not understood.
    pub fn known(self) -> Result<Option<T>, Missing> {
        match self {
            Self::Absent | Self::Null => Ok(None),
            Self::Known(value) => Ok(Some(value)),
            Self::Hole(missing) | Self::Malformed(missing) => Err(missing),
        }
    }

    fn map<U>(self, f: impl FnOnce(T) -> Got<U>) -> Got<U> {
        match self {
            Self::Absent => Got::Absent,
            Self::Null => Got::Null,
            Self::Hole(m) => Got::Hole(m),
            Self::Malformed(m) => Got::Malformed(m),
            Self::Known(value) => f(value),
        }
    }
}

/// The elements of a list; `open` where there may be more, or where one is not known.
#[derive(Clone, Debug)]
pub struct Items<T> {
    pub known: Vec<T>,
    pub open: Vec<Missing>,
}

impl<T> Default for Items<T> {
    fn default() -> Self {
        Self { known: Vec::new(), open: Vec::new() }
    }
}

impl<'a> Node<'a> {
    pub fn new(json: &'a Value, of: &'a ArmId) -> Self {
        Self { json, of }
    }

    pub fn at(self, pointer: &str) -> Got<&'a Value> {
        let mut here = self.json;
        let mut passed = 0;
        loop {
            // A hole in the place of an object stands for everything below it.
            if let Some(unknown) = hole::hole(here) {
                return Got::Hole(missing::hole(
                    self.of,
                    pointer.get(..passed).unwrap_or_default(),
                    &unknown,
                ));
            }
            let Some(rest) = pointer.get(passed..).and_then(|rest| rest.strip_prefix('/')) else { break };
            let token = rest.split('/').next().unwrap_or_default();
            let below = match here {
                Value::Object(fields) => fields.get(token),
                Value::Array(items) => token.parse::<usize>().ok().and_then(|i| items.get(i)),
                _ => None,
            };
            let Some(below) = below else { return Got::Absent };
            here = below;
            passed = passed.saturating_add(token.len()).saturating_add(1);
        }
        if here.is_null() { Got::Null } else { Got::Known(here) }
    }

    fn typed<T>(self, pointer: &str, read: impl FnOnce(&'a Value) -> Option<T>) -> Got<T> {
        self.at(pointer).map(|value| match read(value) {
            Some(value) => Got::Known(value),
            None => Got::Malformed(missing::malformed(self.of, pointer)),
        })
    }

    /// An empty string counts as absent: ARM writes it for fields that are not set.
    pub fn text(self, pointer: &str) -> Got<&'a str> {
        self.typed(pointer, Value::as_str).map(|s| if s.is_empty() { Got::Absent } else { Got::Known(s) })
    }

    pub fn flag(self, pointer: &str) -> Got<bool> {
        self.typed(pointer, |v| match v {
            Value::Bool(b) => Some(*b),
            Value::String(s) if s.eq_ignore_ascii_case("true") => Some(true),
            Value::String(s) if s.eq_ignore_ascii_case("false") => Some(false),
            _ => None,
        })
    }

    pub fn number(self, pointer: &str) -> Got<i64> {
        self.typed(pointer, |v| v.as_i64().or_else(|| v.as_str().and_then(|s| s.trim().parse().ok())))
    }

    /// The id in `{"id": …}`, or a bare id.
    pub fn reference(self, pointer: &str) -> Got<ArmId> {
        self.at(pointer).map(|value| match value {
            Value::String(id) if !id.is_empty() => Got::Known(ArmId::new(id)),
            Value::Object(_) => Node::new(value, self.of).text("/id").map(|id| Got::Known(ArmId::new(id))),
            _ => Got::Malformed(missing::malformed(self.of, pointer)),
        })
    }

    pub fn address(self, pointer: &str) -> Got<IpAddr> {
        self.text(pointer).map(|s| match s.trim().parse() {
            Ok(address) => Got::Known(address),
            Err(_) => Got::Malformed(missing::malformed(self.of, pointer)),
        })
    }

    /// The elements of a list; absent and null are empty lists.
    pub fn list(self, pointer: &str) -> Items<&'a Value> {
        let mut out = Items::default();
        match self.typed(pointer, Value::as_array) {
            Got::Absent | Got::Null => {}
            Got::Hole(m) | Got::Malformed(m) => out.open.push(m),
            Got::Known(values) => {
                for value in values {
                    match hole::hole(value) {
                        Some(unknown) => out.open.push(missing::hole(self.of, pointer, &unknown)),
                        None => out.known.push(value),
                    }
                }
            }
        }
        out
    }

    pub fn texts(self, pointer: &str) -> Items<&'a str> {
        let values = self.list(pointer);
        let mut out = Items { known: Vec::new(), open: values.open };
        for value in values.known {
            match value.as_str() {
                Some("") => {}
                Some(s) => out.known.push(s),
                None => out.open.push(missing::malformed(self.of, pointer)),
            }
        }
        out
    }

    pub fn references(self, pointer: &str) -> Items<ArmId> {
        let values = self.list(pointer);
        let mut out = Items { known: Vec::new(), open: values.open };
        for value in values.known {
            match Node::new(value, self.of).reference("").known() {
                Ok(Some(id)) => out.known.push(id),
                Ok(None) => {}
                Err(m) => out.open.push(m),
            }
        }
        out
    }

    pub fn prefixes(self, pointer: &str) -> Items<IpNet> {
        let texts = self.texts(pointer);
        let mut out = Items { known: Vec::new(), open: texts.open };
        for text in texts.known {
            match prefix(text) {
                Some(net) => out.known.push(net),
                None => out.open.push(missing::malformed(self.of, pointer)),
            }
        }
        out
    }
}

/// Equal as enum values (R12).
pub fn is(text: &str, value: &str) -> bool {
    text.eq_ignore_ascii_case(value)
}

/// A CIDR or a single address; host bits are cut off (F28).
pub fn prefix(text: &str) -> Option<IpNet> {
    let text = text.trim();
    match text.parse::<IpNet>() {
        Ok(net) => Some(net.trunc()),
        Err(_) => text.parse::<IpAddr>().ok().map(IpNet::from),
    }
}

/// An address range `a-b`, a CIDR or an address: does it hold `address`? `None` where the text is none of these.
pub fn range_holds(text: &str, address: IpAddr) -> Option<bool> {
    if let Some(net) = prefix(text) {
        return Some(net.contains(&address));
    }
    let (low, high) = text.split_once('-')?;
    let (low, high) = (low.trim().parse::<IpAddr>().ok()?, high.trim().parse::<IpAddr>().ok()?);
    Some(low.is_ipv4() == address.is_ipv4() && low <= address && address <= high)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn absent_null_hole_and_malformed_are_told_apart() {
        let id = ArmId::new("/subscriptions/s");
        let value = json!({"a": null, "b": {"$unknown": "x"}, "c": 5, "d": {"e": "f"}, "g": ""});
        let node = Node::new(&value, &id);
        assert_eq!(node.text("/z"), Got::Absent);
        assert_eq!(node.text("/a"), Got::Null);
        assert!(matches!(node.text("/b"), Got::Hole(_)));
        assert!(matches!(node.text("/b/c/d"), Got::Hole(_)), "a hole stands for everything below it");
        assert!(matches!(node.text("/c"), Got::Malformed(_)));
        assert_eq!(node.text("/d/e"), Got::Known("f"));
        assert_eq!(node.text("/g"), Got::Absent);
    }

    #[test]
    fn a_list_with_an_unknown_tail_is_open() {
        let id = ArmId::new("/subscriptions/s");
        let value = json!({"l": ["10.0.0.0/8", {"$unknown": "rest"}]});
        let items = Node::new(&value, &id).prefixes("/l");
        assert_eq!((items.known.len(), items.open.len()), (1, 1));
    }

    #[test]
    fn ranges() {
        let at = |s: &str| s.parse().expect("an address");
        assert_eq!(range_holds("10.0.0.1-10.0.0.9", at("10.0.0.9")), Some(true));
        assert_eq!(range_holds("10.0.0.5/24", at("10.0.0.9")), Some(true));
        assert_eq!(range_holds("Storage", at("10.0.0.9")), None);
    }
}
