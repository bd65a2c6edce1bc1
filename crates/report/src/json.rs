//! `pullproof/report/v1` as JSON (CONTRACT §3).

use std::io::{self, Write};

use pullproof_audit::model::Report;

/// Writes the report as indented JSON with a final newline. Two runs over the same inputs are byte-identical.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    out.write_all(b"\n")
}
