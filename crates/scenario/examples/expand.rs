//! Expands a scenario, or its twin, into a folder: `cargo run -p pullproof-scenario --example expand -- FILE FOLDER [twin]`

use std::path::Path;

use pullproof_scenario::Scenario;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, folder, twin) = match arguments.as_slice() {
        [file, folder] => (file, folder, false),
        [file, folder, word] if word == "twin" => (file, folder, true),
        _ => return Err("usage: expand FILE FOLDER [twin]".into()),
    };
    let mut scenario = Scenario::parse(&std::fs::read_to_string(file)?)?;
    if twin {
        scenario = scenario.twin().ok_or("the scenario has no twin")??;
    }
    scenario.expand()?.write_dir(Path::new(folder))?;
    Ok(())
}
