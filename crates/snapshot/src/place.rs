//! Where a value was read: a resource and a JSON pointer into it.

use std::fmt::Write as _;

/// A resource of a snapshot: its place in the table of folded ids. The same number means the same id in a base and
/// in every layer on it. Numbers say nothing about order; sort by id wherever order reaches output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceIx(pub u32);

/// Where an object stands: the whole resource (`base` is empty), or an element of one of its lists.
///
/// `base` is a JSON pointer in which `{}` stands for an array index, filled from `index` in order:
/// `Place { base: "/properties/securityRules/{}", index: [3, 0, 0], .. }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub resource: ResourceIx,
    pub base: &'static str,
    pub index: [u16; 3],
}

impl Place {
    pub fn whole(resource: ResourceIx) -> Self {
        Self { resource, base: "", index: [0; 3] }
    }

    /// The place of a field of this object; `field` is a pointer relative to it, such as `/properties/access`.
    pub fn at(&self, field: &'static str) -> At {
        At { place: *self, field, item: None }
    }
}

/// Where a value stands. Prints as a JSON pointer; the value is read back when it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    pub place: Place,
    pub field: &'static str,
    /// The element, where `field` is a list and one element is meant.
    pub item: Option<u16>,
}

impl At {
    pub fn item(self, item: usize) -> Self {
        Self { item: u16::try_from(item).ok(), ..self }
    }

    pub fn resource(&self) -> ResourceIx {
        self.place.resource
    }

    pub fn pointer(&self) -> String {
        let mut out = String::with_capacity(self.place.base.len() + self.field.len() + 8);
        let mut index = self.place.index.iter();
        for (i, part) in self.place.base.split("{}").enumerate() {
            if i > 0 {
                let _ = write!(out, "{}", index.next().copied().unwrap_or_default());
            }
            out.push_str(part);
        }
        out.push_str(self.field);
        if let Some(item) = self.item {
            let _ = write!(out, "/{item}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_take_the_indices_in_order() {
        let place = Place { resource: ResourceIx(0), base: "/a/{}/b/{}", index: [3, 14, 0] };
        assert_eq!(place.at("/c").pointer(), "/a/3/b/14/c");
        assert_eq!(place.at("/c").item(2).pointer(), "/a/3/b/14/c/2");
        assert_eq!(Place::whole(ResourceIx(0)).at("/properties/x").pointer(), "/properties/x");
    }
}
