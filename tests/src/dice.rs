//! Reproducible numbers for tests that draw.

/// Knuth's MMIX constants. The same seed gives the same numbers.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        let mut dice = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1));
        dice.below(2);
        dice
    }

    /// A number from 0 to `n - 1`; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % n.max(1)
    }

    /// `None` exactly when there is nothing to pick from.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// One of some words.
    ///
    /// # Panics
    /// There is none.
    pub fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// True `n` times in a hundred.
    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }
}
