//! What an answer was read from: a set that grows by sharing.
//!
//! Answers are put together from answers by the hundred, and each rests on all that its parts rest on. Parts are
//! therefore kept by reference, and the set is only written out where somebody asks for it.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::Arc;

use pullproof_snapshot::ArmId;

/// One thing that an answer read. Absence is a read too: *adding* a resource invalidates what relied on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Read {
    Resource(ArmId),
    /// That nothing (more) of this type is in this scope (a folded id).
    Absence {
        scope: Arc<str>,
        resource_type: &'static str,
    },
    /// A service tag list, by tag name.
    Tag(Arc<str>),
}

/// A set of [`Read`]s. Cloning and joining two take constant time.
#[derive(Clone, Default)]
pub struct Reads(Option<Arc<Node>>);

#[derive(Clone, Default)]
struct Node {
    own: Vec<Read>,
    parts: Vec<Reads>,
    /// Nodes below this one on the longest way down.
    depth: usize,
}

/// Deeper nesting is written out, so that no way of putting answers together can overflow the stack.
const DEEPEST: usize = 64;

impl Reads {
    pub fn insert(&mut self, read: Read) {
        let node = self.node();
        if node.own.last() != Some(&read) {
            node.own.push(read);
        }
    }

    pub fn extend(&mut self, reads: impl IntoIterator<Item = Read>) {
        reads.into_iter().for_each(|read| self.insert(read));
    }

    /// Everything that `other` holds, too.
    pub fn join(&mut self, other: &Self) {
        let Some(theirs) = &other.0 else { return };
        if self.0.is_none() {
            self.0 = Some(Arc::clone(theirs));
            return;
        }
        let known = |part: &Reads| part.0.as_ref().is_some_and(|ours| Arc::ptr_eq(ours, theirs));
        if known(self) {
            return;
        }
        let node = self.node();
        if node.parts.iter().any(known) {
            return;
        }
        node.depth = node.depth.max(theirs.depth.saturating_add(1));
        node.parts.push(other.clone());
        if node.depth > DEEPEST {
            let all = self.all().into_iter().cloned().collect();
            self.0 = Some(Arc::new(Node { own: all, ..Node::default() }));
        }
    }

    /// The set itself, in order.
    pub fn all(&self) -> BTreeSet<&Read> {
        let mut out = BTreeSet::new();
        let mut seen: HashSet<*const Node> = HashSet::new();
        let mut open: Vec<&Arc<Node>> = self.0.iter().collect();
        while let Some(node) = open.pop() {
            if seen.insert(Arc::as_ptr(node)) {
                out.extend(&node.own);
                open.extend(node.parts.iter().filter_map(|part| part.0.as_ref()));
            }
        }
        out
    }

    /// A node that nobody else sees, to be added to.
    fn node(&mut self) -> &mut Node {
        let shared = self.0.as_mut().is_some_and(|node| Arc::get_mut(node).is_none());
        if shared {
            let before = self.clone();
            let depth = before.0.as_ref().map_or(0, |node| node.depth.saturating_add(1));
            self.0 = Some(Arc::new(Node { own: Vec::new(), parts: vec![before], depth }));
        }
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl PartialEq for Reads {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

impl Eq for Reads {}

impl fmt::Debug for Reads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.all().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(name: &str) -> Read {
        Read::Tag(name.into())
    }

    #[test]
    fn a_part_stays_what_it_is_when_the_whole_grows() {
        let mut part = Reads::default();
        part.insert(tag("a"));
        let mut whole = part.clone();
        whole.insert(tag("b"));
        let mut other = Reads::default();
        other.insert(tag("c"));
        whole.join(&other);
        whole.join(&other);
        assert_eq!(part.all(), BTreeSet::from([&tag("a")]));
        assert_eq!(whole.all(), BTreeSet::from([&tag("a"), &tag("b"), &tag("c")]));
    }

    #[test]
    fn nesting_is_bounded_and_loses_nothing() {
        let mut whole = Reads::default();
        let mut kept = Vec::new();
        for i in 0..10_000 {
            kept.push(whole.clone());
            let mut next = Reads::default();
            next.insert(tag(&i.to_string()));
            next.join(&whole);
            whole = next;
        }
        assert_eq!(whole.all().len(), 10_000);
        assert_eq!(kept.iter().map(|k| k.all().len()).nth(70), Some(70));
    }
}
