//! What was read once and will be asked for again soon, within bounds: a large snapshot, parsed, does not fit into memory.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

/// Values by key, up to a weight. What is over it makes room for the next: everything goes at once, since questions come
/// in the order of clusters and do not return to what is long past.
pub(crate) struct Kept<K, V> {
    inner: Mutex<Inner<K, V>>,
    most: usize,
    weight: fn(&V) -> usize,
}

struct Inner<K, V> {
    values: HashMap<K, V>,
    weight: usize,
}

impl<K: Eq + Hash + Clone, V: Clone> Kept<K, V> {
    pub fn new(most: usize, weight: fn(&V) -> usize) -> Self {
        Self { inner: Mutex::new(Inner { values: HashMap::new(), weight: 0 }), most, weight }
    }

    /// The value of a key; `make` is asked where it is not kept, and answers the same every time.
    pub fn get(&self, key: &K, make: impl FnOnce() -> V) -> V {
        let lock = || self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().values.get(key) {
            return known.clone();
        }
        let made = make();
        let more = (self.weight)(&made);
        let mut inner = lock();
        if inner.weight.saturating_add(more) > self.most {
            inner.values.clear();
            inner.weight = 0;
        }
        inner.weight = inner.weight.saturating_add(more);
        inner.values.insert(key.clone(), made.clone());
        made
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;

    #[test]
    fn what_is_over_the_bound_is_made_anew() {
        let kept: Kept<u32, u32> = Kept::new(3, |_| 1);
        let mut made = Vec::new();
        for key in [1, 2, 1, 3, 4, 1] {
            kept.get(&key, || {
                made.push(key);
                key
            });
        }
        assert_eq!(made, [1, 2, 3, 4, 1]);
    }
}
