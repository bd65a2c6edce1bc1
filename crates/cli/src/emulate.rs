//! `pullproof emulate`: a snapshot served as Azure on loopback.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use pullproof_emulator::{Emulator, FaultPlan, Options};
use pullproof_snapshot::read;

#[derive(Args)]
pub struct Arguments {
    /// Snapshot files and folders.
    #[arg(required = true, value_name = "SNAPSHOT")]
    snapshots: Vec<PathBuf>,
    /// Where to listen; port 0 is any free one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// HTTPS, with a certificate made at start.
    #[arg(long)]
    tls: bool,
    /// Where the certificate authority is written (PEM), for clients to trust.
    #[arg(long, value_name = "FILE", requires = "tls")]
    authority_file: Option<PathBuf>,
    /// What goes wrong, and when.
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// Elements on a page of an ARM list.
    #[arg(long, value_name = "N", default_value_t = 100)]
    page_size: usize,
    /// An array of mixed resource types does not count as complete.
    #[arg(long)]
    partial: bool,
    /// Print every call.
    #[arg(short, long)]
    verbose: bool,
}

/// How often new calls are printed.
const TICK: Duration = Duration::from_millis(200);

/// Serves until the process is ended. The first lines on standard output are settings for clients, as a shell reads
/// them.
///
/// # Errors
/// An input or the plan cannot be used, or the address is taken.
pub fn run(arguments: &Arguments) -> Result<u8> {
    let snapshot = read::read(&arguments.snapshots, read::ReadOptions { partial: arguments.partial })?;
    let faults = arguments.faults.as_deref().map(FaultPlan::read).transpose()?.unwrap_or_default();
    let options = Options {
        listen: arguments.listen,
        tls: arguments.tls,
        page_size: arguments.page_size,
        ..Options::default()
    };
    let emulator = Emulator::start(Arc::new(snapshot), faults, options)?;
    if let (Some(path), Some(pem)) = (&arguments.authority_file, emulator.authority_pem()) {
        std::fs::write(path, pem).with_context(|| format!("{}: cannot be written", path.display()))?;
    }
    let mut out = std::io::stdout().lock();
    for (name, value) in settings(&emulator) {
        writeln!(out, "{name}={value}")?;
    }
    out.flush()?;
    drop(out);
    let mut printed = 0;
    loop {
        std::thread::sleep(TICK);
        if arguments.verbose {
            for call in emulator.calls().into_iter().skip(printed) {
                printed += 1;
                eprintln!(
                    "{} {} {} {} {}",
                    call.number,
                    call.method,
                    call.path,
                    call.status,
                    call.faults.join(" ")
                );
            }
        }
    }
}

/// Environment variables for clients: where Azure is, and who they are.
fn settings(emulator: &Emulator) -> Vec<(&'static str, String)> {
    let (base, credentials) = (emulator.base_url(), emulator.credentials());
    vec![
        ("PULLPROOF_ARM_ENDPOINT", base.to_owned()),
        ("AZURE_AUTHORITY_HOST", base.to_owned()),
        ("AZURE_TENANT_ID", credentials.tenant.clone()),
        ("AZURE_CLIENT_ID", credentials.client_id.clone()),
        ("AZURE_CLIENT_SECRET", credentials.client_secret.clone()),
        ("IDENTITY_ENDPOINT", format!("{base}/msi/token")),
        ("IDENTITY_HEADER", credentials.identity_header.clone()),
    ]
}
