//! Embeds every rule under `rules/`, in order of path, so that adding a file adds a rule.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../../rules");
    let root = root.canonicalize().expect("the folder of rules is there");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut out = String::from("pub(crate) static BUILT_IN: &[(&str, &str)] = &[\n");
    for file in files {
        let name = file.strip_prefix(&root).expect("it is below").display().to_string().replace('\\', "/");
        writeln!(out, "    ({name:?}, include_str!({:?})),", file.display().to_string())
            .expect("a string takes it");
    }
    out.push_str("];\n");
    let target = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("built_in.rs");
    fs::write(target, out).expect("the output folder can be written");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rego") {
            files.push(path);
        }
    }
}
