//! Answers found so far, shared between threads.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

/// A map that is filled on demand, up to a number of answers: what is over it makes room for the next, all at once, since
/// questions come in the order of clusters and do not return to what is long past. Two threads may make the same answer
/// at once; answers are pure, so either will do.
#[derive(Debug)]
pub(crate) struct Answers<K, V> {
    known: RwLock<HashMap<K, Arc<V>>>,
    most: usize,
}

impl<K, V> Default for Answers<K, V> {
    fn default() -> Self {
        Self::up_to(usize::MAX)
    }
}

impl<K, V> Answers<K, V> {
    pub fn up_to(most: usize) -> Self {
        Self { known: RwLock::default(), most }
    }
}

impl<K: Eq + Hash, V> Answers<K, V> {
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        if let Some(found) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(found);
        }
        let made = Arc::new(make());
        let mut map = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if map.len() >= self.most {
            map.clear();
        }
        Arc::clone(map.entry(key).or_insert(made))
    }
}
