//! Answers found so far, shared between threads.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

/// A map that is filled on demand. Two threads may make the same answer at once; answers are pure, so either will do.
#[derive(Debug)]
pub(crate) struct Answers<K, V>(RwLock<HashMap<K, Arc<V>>>);

impl<K, V> Default for Answers<K, V> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Eq + Hash, V> Answers<K, V> {
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> Arc<V> {
        if let Some(found) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Arc::clone(found);
        }
        let made = Arc::new(make());
        let mut map = self.0.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(map.entry(key).or_insert(made))
    }
}
