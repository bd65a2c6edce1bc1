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

/// A hash over what a value looks like in the report.
pub fn digest(value: &impl serde::Serialize) -> [u8; 32] {
    struct Into(Sha256);
    impl std::io::Write for Into {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut hash = std::io::BufWriter::new(Into(Sha256::new()));
    // Neither the writer nor the report's own types can fail.
    let _ = serde_json::to_writer(&mut hash, value);
    hash.into_inner().map(|into| into.0.finalize().into()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(super::id("a-", &["ab", "c"]), super::id("a-", &["a", "bc"]));
    }
}
