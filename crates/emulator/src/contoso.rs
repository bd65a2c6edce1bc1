//! The built-in estate of `pullproof demo`: the Contoso fixture, in the binary.

use std::path::PathBuf;
use std::sync::Arc;

use pullproof_snapshot::Snapshot;
use pullproof_snapshot::read::{ReadError, ReadOptions, read_texts};

const SNAPSHOT: &str = include_str!("../../../fixtures/contoso/snapshot.ndjson");
const SERVICE_TAGS: &str = include_str!("../../../fixtures/contoso/ServiceTags_Public_20260803.json");

/// The declared facts that go with the estate: the text of its `pullproof.toml`.
pub const CONTOSO_CONFIG: &str = include_str!("../../../fixtures/contoso/pullproof.toml");

/// The estate, as if read from files named `contoso/…`.
///
/// # Errors
/// Never, while the built-in files are snapshots; the test of this crate reads them.
pub fn contoso() -> Result<Arc<Snapshot>, ReadError> {
    let file = |name: &str, text: &str| (PathBuf::from(format!("contoso/{name}")), text.as_bytes().to_vec());
    let texts = vec![file("snapshot.ndjson", SNAPSHOT), file("ServiceTags_Public.json", SERVICE_TAGS)];
    read_texts(texts, ReadOptions::default()).map(Arc::new)
}
