//! Values as they are known: [`Val`] and [`List`].

use super::symbol::SymbolIx;

/// A value that is known, or a symbol that stands for it.
///
/// Absence is knowledge: an optional field without a default of Azure's is `Val<Option<T>>`, absent and `null` are
/// `Known(None)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Val<T> {
    Known(T),
    Sym(SymbolIx),
}

impl<T> Val<T> {
    /// The value, where it is known.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Sym(_) => None,
        }
    }

    /// The symbol, where the value is not known.
    pub fn symbol(&self) -> Option<SymbolIx> {
        match self {
            Self::Known(_) => None,
            Self::Sym(symbol) => Some(*symbol),
        }
    }

    pub fn as_ref(&self) -> Val<&T> {
        match self {
            Self::Known(value) => Val::Known(value),
            Self::Sym(symbol) => Val::Sym(*symbol),
        }
    }

    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Val<U> {
        match self {
            Self::Known(value) => Val::Known(f(value)),
            Self::Sym(symbol) => Val::Sym(symbol),
        }
    }

    /// True exactly when the value is known and equals `other`.
    pub fn is(&self, other: &T) -> bool
    where
        T: PartialEq,
    {
        self.known().is_some_and(|value| value == other)
    }
}

impl<T> Val<Option<T>> {
    /// The value, where it is known and present.
    pub fn present(&self) -> Option<&T> {
        self.known().and_then(Option::as_ref)
    }

    /// True exactly when it is known that the field is absent or null.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Known(None))
    }

    /// The value with what Azure takes for an absent field. Cite the fact that says so where it is called.
    pub fn or_default(self, default: T) -> Val<T> {
        self.map(|value| value.unwrap_or(default))
    }
}

/// The elements of a list. Absent, `null` and `[]` are the same empty list.
///
/// `open`: there are possibly more elements (any number), and this symbol says why: the whole list is a hole, an
/// element is one ("a list with an unknown tail has it as an element", CONTRACT §1), or an element was not understood.
/// In lists whose order matters the elements are [`Val`]s: a `Sym` element stands at its position for one value where
/// [`super::symbol::Symbol::scalar`] is set, else for any number of values; `open` is then only set when the list
/// itself is unknown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct List<T> {
    pub items: Vec<T>,
    pub open: Option<SymbolIx>,
}

impl<T> List<T> {
    pub fn empty() -> Self {
        Self { items: Vec::new(), open: None }
    }

    /// True exactly when it is known that the list has no element.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.open.is_none()
    }

    /// All elements, where all are known.
    pub fn closed(&self) -> Option<&[T]> {
        self.open.is_none().then_some(self.items.as_slice())
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::empty()
    }
}

impl<'a, T> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}
