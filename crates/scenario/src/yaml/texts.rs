//! One text or several: `ports: 443`, `ports: [80, 443]`.

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};

/// A list that may be written as its only element. Numbers are taken as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts(pub Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextsVisitor)
    }
}

struct TextsVisitor;

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = Texts;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text, a number, or a list of them")
    }

    fn visit_str<E>(self, text: &str) -> Result<Texts, E> {
        Ok(Texts(vec![text.to_owned()]))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Texts, E> {
        Ok(Texts(vec![number.to_string()]))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Texts, E> {
        Ok(Texts(vec![number.to_string()]))
    }

    fn visit_unit<E>(self) -> Result<Texts, E> {
        Ok(Texts::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Texts, A::Error> {
        let mut out = Vec::new();
        while let Some(element) = seq.next_element::<Texts>()? {
            out.extend(element.0);
        }
        Ok(Texts(out))
    }
}
