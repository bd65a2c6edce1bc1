//! The whole run over generated estates, beside the time that one thread takes to parse the same files into
//! `serde_json::Value`; each scale in a process of its own, so that its peak memory is its own.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use pullproof_audit::{Options, run};
use pullproof_checker::Plain;
use pullproof_network::Network;
use pullproof_prover::Prover;
use pullproof_rules::Rules;
use pullproof_snapshot::read::{ReadOptions, read};
use pullproof_snapshot::{Declared, Layered};
use serde_json::Value;

/// The one that the binary has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SCALES: [u32; 3] = [1, 4, 16];
const SEED: u64 = 1;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|a| a == "--one") {
        return match arguments.get(at + 1..at + 3) {
            Some([what, file]) if what == "parse" => parse(Path::new(file)),
            Some([what, file]) if what == "run" => whole(Path::new(file)),
            _ => panic!("--one parse|run FILE"),
        };
    }
    let folder = std::env::temp_dir().join(format!("pullproof-estate-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a scratch folder");
    println!("scale   MB   parse s   run s  run/parse   rules s   claims   us/claim   peak MiB");
    let mut per_claim: Vec<f64> = Vec::new();
    for scale in SCALES {
        let file = write(&folder, scale);
        let megabytes = fs::metadata(&file).map_or(0.0, |m| m.len() as f64 / 1e6);
        let parse = best(&["parse"], &file, "parse");
        let run = best(&["run"], &file, "run");
        let (seconds, peer) = (number(&run, "run"), number(&parse, "parse"));
        let claims = number(&run, "claims");
        let prove = number(&run, "prove") * 1e6 / claims;
        per_claim.push(prove);
        println!(
            "{scale:>4}x {megabytes:>5.0} {peer:>8.3} {seconds:>8.3} {:>9.2} {:>10.3} {claims:>9} {prove:>9.1} {:>9.0}",
            seconds / peer,
            number(&run, "rules"),
            number(&run, "peak")
        );
        println!(
            "       read {:.3} s ({} MiB), network {:.3} s ({} MiB), prove {:.3} s; {} audits, {} not proven",
            number(&run, "read"),
            number(&run, "read_peak"),
            number(&run, "network"),
            number(&run, "network_peak"),
            number(&run, "prove"),
            number(&run, "audits"),
            number(&run, "broken")
        );
    }
    if let [.., at4, at16] = per_claim.as_slice() {
        println!("time per claim at 16x is {:.2} of that at 4x", at16 / at4);
    }
    let _ = fs::remove_dir_all(&folder);
}

fn write(folder: &Path, scale: u32) -> PathBuf {
    let path = folder.join(format!("estate-{scale}.ndjson"));
    let mut out = BufWriter::new(fs::File::create(&path).expect("a file"));
    pullproof_scenario::estate(scale, SEED).write_ndjson(&mut out).expect("it is written");
    out.flush().expect("it is written");
    path
}

/// The line of the fastest of three runs, by the figure named `key`.
fn best(what: &[&str], file: &Path, key: &str) -> String {
    (0..3)
        .map(|_| {
            let exe = std::env::current_exe().expect("a path");
            let output = Command::new(exe).arg("--one").args(what).arg(file).output().expect("it runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8_lossy(&output.stdout).into_owned()
        })
        .min_by(|a, b| number(a, key).total_cmp(&number(b, key)))
        .unwrap_or_default()
}

fn number(line: &str, key: &str) -> f64 {
    let value = line.split_whitespace().find_map(|w| w.strip_prefix(key)?.strip_prefix('=')?.parse().ok());
    value.unwrap_or(f64::NAN)
}

/// The peer: one thread, every line into a `Value`.
fn parse(file: &Path) {
    let text = fs::read(file).expect("it reads");
    let start = Instant::now();
    let mut lines = 0_usize;
    for line in text.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
        let value: Value = serde_json::from_slice(line).expect("it parses");
        lines += usize::from(value.is_object());
    }
    println!("parse={} lines={lines}", start.elapsed().as_secs_f64());
}

fn whole(file: &Path) {
    let start = Instant::now();
    let snapshot = read(&[file.to_path_buf()], ReadOptions::default()).expect("it reads");
    let (read_done, read_peak) = (start.elapsed().as_secs_f64(), peak());
    let layered = Layered::new(Arc::new(snapshot));
    let network = Network::read(layered.clone(), Declared::default());
    let (network_done, network_peak) = (start.elapsed().as_secs_f64(), peak());
    let prover = Prover::new(&network);
    let plain = Plain::new(layered, Declared::default());
    let mut report = run(&prover, &plain, &Options::default()).expect("it runs");
    let run_done = start.elapsed().as_secs_f64();
    Rules::load(None)
        .and_then(|rules| rules.apply(&mut report, &Declared::default()))
        .expect("the rules apply");
    let rules_done = start.elapsed().as_secs_f64();
    let claims: usize = report.audits.iter().map(|a| a.claims.len()).sum();
    println!(
        "run={run_done} read={read_done} network={} prove={} rules={} claims={claims} audits={} broken={} peak={} read_peak={read_peak} network_peak={network_peak}",
        network_done - read_done,
        run_done - network_done,
        rules_done - run_done,
        report.audits.len(),
        report.summary.disproven + report.summary.undetermined,
        peak()
    );
}

/// The process's peak resident memory in MiB, where the system tells.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or_default() / 1024
}
