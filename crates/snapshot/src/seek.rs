//! One value out of a JSON text, by pointer, without building the rest.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The value at `pointer` (RFC 6901) in `text`; `None` where nothing stands there, or what stands before it is no JSON.
/// Reading ends where the value ends.
pub(crate) fn seek(text: &[u8], pointer: &str) -> Option<Value> {
    let tokens: Vec<String> = match pointer.strip_prefix('/') {
        Some(rest) => rest.split('/').map(|t| t.replace("~1", "/").replace("~0", "~")).collect(),
        None => return serde_json::from_slice(text).ok(),
    };
    let mut found = None;
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    // Once found, an error ends the reading: what follows is not looked at.
    let _ = Seek { tokens: &tokens, found: &mut found }.deserialize(&mut deserializer);
    found
}

struct Seek<'a> {
    tokens: &'a [String],
    found: &'a mut Option<Value>,
}

/// What ends the reading.
fn done<E: serde::de::Error>() -> E {
    E::custom("found")
}

impl<'de> DeserializeSeed<'de> for Seek<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.tokens.is_empty() {
            *self.found = Some(serde::Deserialize::deserialize(deserializer)?);
            return Err(done());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seek<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Some((first, rest)) = self.tokens.split_first() else { return Err(done()) };
        while let Some(key) = map.next_key::<std::borrow::Cow<'_, str>>()? {
            if key == first.as_str() {
                map.next_value_seed(Seek { tokens: rest, found: self.found })?;
                return Err(done());
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Some((first, rest)) = self.tokens.split_first() else { return Err(done()) };
        let Ok(wanted) = first.parse::<usize>() else { return Err(done()) };
        for _ in 0..wanted {
            if list.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        list.next_element_seed(Seek { tokens: rest, found: self.found })?;
        Err(done())
    }
}

#[cfg(test)]
mod tests {
    use super::seek;
    use serde_json::{Value, json};

    #[test]
    fn what_a_pointer_finds_in_a_value_is_found_in_its_text() {
        let value = json!({"a": [1, {"b/c": {"~": [null, "x"]}}, []], "d": {"e": 2}, "": 3});
        let text = serde_json::to_vec(&value).expect("JSON");
        for pointer in
            ["", "/a", "/a/1", "/a/1/b~1c", "/a/1/b~1c/~0/1", "/d/e", "/", "/a/7", "/d/e/f", "/x", "/a/z"]
        {
            assert_eq!(seek(&text, pointer), value.pointer(pointer).cloned(), "{pointer}");
        }
    }

    #[test]
    fn reading_ends_at_the_value() {
        assert_eq!(seek(br#"{"a": 1, "b": [tru"#, "/a"), Some(Value::from(1)));
        assert_eq!(seek(br#"{"a": 1, "b": [tru"#, "/b"), None);
    }
}
