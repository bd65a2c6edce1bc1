//! Numbers that look random and are the same on every run (SplitMix64).

#[derive(Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// A row of numbers of its own for every (seed, stream).
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Self(seed ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number of `from..=to`.
    pub(crate) fn within(&mut self, from: u32, to: u32) -> u32 {
        let width = u64::from(to.saturating_sub(from)) + 1;
        from + u32::try_from(self.next() % width).unwrap_or_default()
    }

    /// True once in `n`.
    pub(crate) fn once_in(&mut self, n: u32) -> bool {
        self.within(1, n) == 1
    }

    pub(crate) fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let last = u32::try_from(list.len().saturating_sub(1)).unwrap_or_default();
        list.get(self.within(0, last) as usize).copied().unwrap_or_default()
    }
}
