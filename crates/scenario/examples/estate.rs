//! Writes a benchmark estate as a snapshot: `cargo run --release -p pullproof-scenario --example estate -- 16 estate.ndjson [SEED]`

use std::fs::File;
use std::io::{BufWriter, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(scale), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: estate SCALE FILE [SEED]".into());
    };
    let seed = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let mut out = BufWriter::new(File::create(file)?);
    pullproof_scenario::estate(scale.parse()?, seed).write_ndjson(&mut out)?;
    out.flush()?;
    Ok(())
}
