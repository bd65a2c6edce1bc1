//! A folder of inputs that goes away with the test.

use std::path::{Path, PathBuf};

use pullproof_snapshot::Snapshot;
use pullproof_snapshot::read::{ReadError, ReadOptions, read};

pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pullproof-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    #[allow(dead_code, reason = "each test file is a crate of its own and uses what it needs")]
    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn bytes(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[allow(dead_code, reason = "each test file is a crate of its own and uses what it needs")]
    pub fn text(&self, name: &str, text: &str) -> PathBuf {
        self.bytes(name, text.as_bytes())
    }

    #[allow(dead_code, reason = "each test file is a crate of its own and uses what it needs")]
    pub fn json(&self, name: &str, json: &serde_json::Value) -> PathBuf {
        self.text(name, &serde_json::to_string_pretty(json).unwrap())
    }

    #[allow(dead_code, reason = "each test file is a crate of its own and uses what it needs")]
    pub fn try_read(&self, path: &Path) -> Result<Snapshot, ReadError> {
        read(&[path.to_owned()], ReadOptions::default())
    }

    pub fn read(&self, path: &Path) -> Snapshot {
        self.try_read(path).unwrap()
    }

    #[allow(dead_code, reason = "each test file is a crate of its own and uses what it needs")]
    pub fn read_with(&self, path: &Path, options: ReadOptions) -> Snapshot {
        read(&[path.to_owned()], options).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
