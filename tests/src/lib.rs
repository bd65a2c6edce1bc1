//! What the tests of the whole product share: the binary under test, and the places of fixtures and judges.

pub mod cases;
pub mod dice;
pub mod plans;
pub mod random;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The repository's top folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The folder beside the repository with judges, vectors and recorded answers. `None`, with a message, where it is
/// absent: those tests are skipped.
pub fn shared() -> Option<PathBuf> {
    let shared = root().parent().map(|p| p.join("shared")).filter(|p| p.join("tools").is_dir());
    if shared.is_none() {
        println!("skipped: there is no folder `shared` beside the repository");
    }
    shared
}

/// The built binary, built once a test process with the profile of the tests.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let exe = std::env::current_exe().expect("a test has a path");
        let profile = exe.parent().and_then(Path::parent).expect("tests run from target/<profile>/deps");
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--package", "pullproof", "--bin", "pullproof"]).current_dir(root());
        if profile.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().expect("cargo runs").success(), "the binary does not build");
        profile.join("pullproof")
    })
}

/// The binary with a scrubbed environment.
pub fn pullproof() -> Command {
    let mut command = Command::new(binary());
    command.env_clear().current_dir(root());
    command
}
