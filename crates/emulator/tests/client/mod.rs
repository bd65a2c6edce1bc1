//! A client that shows everything: one request a connection, raw bytes back.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use pullproof_emulator::{Emulator, FaultPlan, Options};
use pullproof_snapshot::{Snapshot, read};
use serde_json::{Value, json};

pub const NETWORK: &str = "2024-05-01";
pub const PLATFORM: &str = "/subscriptions/d681fa37-5754-4b98-8892-e047f959f53e";
pub const PROD: &str = "/subscriptions/e5f74bc2-1b2a-4b65-8e5c-db3fdfdaaa1c";

/// One answer; `cut` where the connection ended before the body did.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
    pub cut: bool,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    pub fn code(&self) -> String {
        self.json().pointer("/error/code").and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    pub fn ids(&self) -> Vec<String> {
        let json = self.json();
        let list = json
            .get("value")
            .or_else(|| json.get("data"))
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        list.iter().map(|item| item["id"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

pub fn contoso() -> Arc<Snapshot> {
    pullproof_emulator::contoso().expect("the fixture is read")
}

/// A snapshot out of the lines of a native file.
pub fn snapshot(name: &str, lines: &[Value]) -> Arc<Snapshot> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let file = format!("pullproof-emulator-{name}-{}-{number}.ndjson", std::process::id());
    let path = std::env::temp_dir().join(file);
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    std::fs::write(&path, text).expect("a file is written");
    let snapshot =
        read::read(std::slice::from_ref(&path), read::ReadOptions::default()).expect("the lines are read");
    std::fs::remove_file(path).expect("the file is removed");
    Arc::new(snapshot)
}

pub fn start(snapshot: Arc<Snapshot>) -> Emulator {
    Emulator::start(snapshot, FaultPlan::default(), Options::default()).expect("it starts")
}

pub fn start_with(snapshot: Arc<Snapshot>, plan: &str, options: Options) -> Emulator {
    let plan: FaultPlan = toml::from_str(plan).expect("a plan");
    Emulator::start(snapshot, plan, options).expect("it starts")
}

/// Sends a request and reads to the end. `Err` where no answer came.
pub fn send(address: SocketAddr, head: &str, body: &[u8]) -> std::io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    parse(&bytes).ok_or_else(|| std::io::ErrorKind::UnexpectedEof.into())
}

pub fn parse(bytes: &[u8]) -> Option<Answer> {
    let at = bytes.windows(4).position(|w| w == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(bytes.get(..at)?).into_owned();
    let mut lines = head.lines();
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let body = bytes.get(at + 4..)?.to_vec();
    let length: usize = headers.get("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    Some(Answer { status, headers, cut: body.len() < length, body })
}

pub fn request(
    emulator: &Emulator,
    method: &str,
    path: &str,
    headers: &str,
    body: &str,
) -> std::io::Result<Answer> {
    let path = path.strip_prefix(emulator.base_url()).unwrap_or(path).replace(' ', "%20");
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
        emulator.address(),
        body.len()
    );
    send(emulator.address(), &head, body.as_bytes())
}

pub fn authorized(emulator: &Emulator, method: &str, path: &str, body: &str) -> std::io::Result<Answer> {
    let headers = format!("authorization: Bearer {}\r\ncontent-type: application/json\r\n", emulator.token());
    request(emulator, method, path, &headers, body)
}

pub fn get(emulator: &Emulator, path: &str) -> Answer {
    authorized(emulator, "GET", path, "").expect("an answer")
}

pub fn list(emulator: &Emulator, scope: &str, kind: &str, version: &str) -> Answer {
    get(emulator, &format!("{scope}/providers/{kind}?api-version={version}"))
}

pub fn graph_with(emulator: &Emulator, body: &Value) -> Answer {
    let path = "/providers/Microsoft.ResourceGraph/resources?api-version=2022-10-01";
    authorized(emulator, "POST", path, &body.to_string()).expect("an answer")
}

pub fn graph(emulator: &Emulator, query: &str) -> Answer {
    graph_with(emulator, &json!({"query": query, "options": {"$top": 1000}}))
}
