//! Ids that are the same in every run over the same content.

use sha2::{Digest, Sha256};

/// `prefix` and the first ten hex digits of a hash over `parts` (letter case of parts is kept; fold ids first).
pub fn id(prefix: &str, parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let digest = hash.finalize();
    let mut out = String::with_capacity(prefix.len() + 10);
    out.push_str(prefix);
    for byte in digest.iter().take(5) {
        use std::fmt::Write as _;
        let _ = write!(out, "{byte:02x}");
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(super::id("a-", &["ab", "c"]), super::id("a-", &["a", "bc"]));
    }
}
