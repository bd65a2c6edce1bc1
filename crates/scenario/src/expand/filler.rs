//! What ARM always returns and a scenario does not state, derived from its names: the same scenario, the same bytes.

use sha2::{Digest, Sha256};

/// A GUID that follows from `seed`.
pub(crate) fn guid(seed: &str) -> String {
    let hash = hex(seed);
    let part = |from: usize, to: usize| hash.get(from..to).unwrap_or_default();
    format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

/// Eight hexadecimal digits that follow from `seed`.
pub(crate) fn short(seed: &str) -> String {
    hex(seed).get(..8).unwrap_or_default().to_owned()
}

/// Eight decimal digits that follow from `seed`, as AKS puts into the names of its resources.
pub(crate) fn digits(seed: &str) -> String {
    let number = u32::from_str_radix(&short(seed), 16).unwrap_or_default();
    format!("{:08}", number % 100_000_000)
}

fn hex(seed: &str) -> String {
    Sha256::digest(seed.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
