//! Every recorded environment loads. Skipped with a message where the recordings are not beside the repository.

use std::path::PathBuf;

use pullproof_snapshot::read::{ReadOptions, read};

#[test]
fn every_recorded_environment_loads() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/environments");
    let corpora =
        [corpus, PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/corpus/environments")];
    let Some(corpus) = corpora.iter().find(|path| path.is_dir()) else {
        eprintln!("skipped: no recorded environments beside the repository");
        return;
    };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(corpus)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|p| p.is_dir())
        .collect();
    folders.sort();
    let (mut resources, mut gaps, mut conflicts) = (0, 0, 0);
    for folder in &folders {
        let snapshot = read(std::slice::from_ref(folder), ReadOptions::default())
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        assert!(!snapshot.is_empty(), "{}: nothing read", folder.display());
        assert!(snapshot.gaps().iter().all(|gap| gap.resource.is_some()), "{:?}", snapshot.gaps());
        resources += snapshot.len();
        gaps += snapshot.gaps().len();
        conflicts += snapshot.conflicts().len();
    }
    eprintln!("{} environments, {resources} resources, {gaps} gaps, {conflicts} conflicts", folders.len());
    assert!(folders.len() >= 231, "{} environments", folders.len());
    assert_eq!(gaps, 3, "registries that were recorded without properties");
}
