//! Recorded exchanges with Azure, replayed: each ends as Azure intends.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use server::{Answer as Reply, Server};

use super::*;

#[path = "../../tests/server/mod.rs"]
mod server;

fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/http");
    let path = path.is_dir().then_some(path);
    if path.is_none() {
        eprintln!("skipped: ../shared/corpus/http is not there");
    }
    path
}

fn files(folder: &str) -> Vec<(String, Value)> {
    let Some(corpus) = corpus() else { return Vec::new() };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(corpus.join(folder))
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read(&path).expect("a file");
        (path.display().to_string(), serde_json::from_slice(&text).expect("JSON"))
    };
    paths.into_iter().map(read).collect()
}

fn client(server: &Server) -> Client {
    let endpoints =
        Endpoints::new(crate::Cloud::Public, Some(&server.base()), Some(&server.base())).expect("loopback");
    let principal = Principal {
        tenant: "00000000-0000-0000-0000-0000000000aa".into(),
        client: "00000000-0000-0000-0000-0000000000bb".into(),
        secret: azure_core::credentials::Secret::new("secret"),
    };
    let limits = Limits {
        tries: 3,
        pause: Duration::from_millis(5),
        call: Duration::from_secs(5),
        overall: Duration::from_secs(120),
        ..Limits::default()
    };
    let progress: Progress = Arc::new(|_| {});
    Client::new(endpoints, (Auth::ClientSecret, Some(principal)), limits, progress, Cancel::default())
        .expect("a client")
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(future)
}

/// `scheme://host` of a recorded URL.
fn host(url: &str) -> String {
    url.splitn(4, '/').take(3).collect::<Vec<_>>().join("/")
}

fn reply(response: &Value, from: &str, to: &str) -> Reply {
    let body = match &response["body"] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        body => body.to_string(),
    };
    let mut headers = Vec::new();
    for (name, value) in response["headers"].as_object().into_iter().flatten() {
        let skip = ["content-length", "transfer-encoding", "content-encoding", "connection"];
        if !skip.contains(&name.to_ascii_lowercase().as_str())
            && let Some(value) = value.as_str()
        {
            headers.push((name.clone(), value.replace(from, to)));
        }
    }
    let status = response["status"].as_u64().expect("a status") as u16;
    Reply { status, headers, body: body.replace(from, to).into_bytes(), ..Reply::default() }
}

/// The URL of a recorded request at the server.
fn at(server: &Server, url: &str) -> Url {
    Url::parse(&url.replacen(&host(url), &server.base(), 1)).expect("a URL")
}

fn method(recorded: &Value) -> Method {
    if matches!(recorded["method"].as_str(), Some("GET" | "HEAD")) { Method::Get } else { Method::Post }
}

#[test]
fn recorded_single_exchanges_end_as_azure_intends() {
    let mut counted = 0;
    // What is answered now, where it was recorded, and how often it was asked for.
    let current = Arc::new(Mutex::new((Value::Null, String::new(), 0)));
    let shared = Arc::clone(&current);
    let server = Server::start(move |asked| {
        let mut current = shared.lock().expect("the exchange");
        current.2 += 1;
        let again = matches!(current.0["status"].as_u64(), Some(408 | 429 | 500..=599));
        // What Azure refuses for now, it answers at the third try.
        if again && current.2 == 3 {
            return server::json(200, &json!({"value": []}));
        }
        reply(&current.0, &current.1, &format!("http://{}", asked.header("host").unwrap_or_default()))
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let client = client(&server);
    for folder in [
        "ok-200",
        "created-201",
        "async-202",
        "nocontent-204",
        "denied-401-403",
        "notfound-404",
        "rejected-4xx",
        "throttled-429",
        "server-5xx",
    ] {
        for (file, json) in files(folder) {
            counted += 1;
            let url = json["request"]["url"].as_str().expect("a URL").to_owned();
            *current.lock().expect("the exchange") = (json["response"].clone(), host(&url), 0);
            let before = server.asked().len();
            let body = (method(&json["request"]) == Method::Post).then(|| b"{}".to_vec());
            let call = client.call(Source::Arm, method(&json["request"]), at(&server, &url), body);
            let outcome = runtime.block_on(call);
            let calls = server.asked().len() - before;
            let status = json["response"]["status"].as_u64().expect("a status") as u16;
            let recorded = &json["response"]["body"];
            let headers = &json["response"]["headers"];
            let kind = headers["content-type"].as_str().unwrap_or("json");
            match (status, outcome) {
                (408 | 429 | 500..=599, Ok(answer)) => {
                    assert_eq!((answer.status, calls), (200, 3), "{file}");
                }
                (200, Err(failure)) if !kind.contains("json") || recorded.is_string() => {
                    assert_eq!(failure.code, "InvalidAnswer", "{file}");
                }
                (200..300, Ok(answer)) => {
                    assert_eq!((answer.status, calls), (status, 1), "{file}");
                    if recorded.is_object() && !recorded.to_string().contains(&host(&url)) {
                        let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
                        assert_eq!(&body, recorded, "{file}");
                    }
                }
                (400..500, Err(failure)) => {
                    assert_eq!(failure.status, Some(status), "{file}");
                    let code = recorded.pointer("/error/code").or_else(|| recorded.get("code"));
                    if let Some(code) = code.and_then(Value::as_str) {
                        assert_eq!(failure.code, code, "{file}");
                    }
                    // A refused token is asked for again once; nothing else is.
                    assert_eq!(calls, if status == 401 { 2 } else { 1 }, "{file}");
                }
                (status, outcome) => {
                    let outcome = outcome.map(|answer| answer.status);
                    panic!("{file}: status {status} ended as {outcome:?}");
                }
            }
        }
    }
    assert!(counted == 0 || counted > 1000, "{counted} exchanges");
}

#[test]
fn recorded_lists_are_read_to_the_end() {
    for (file, chain) in files("paging-chains") {
        let exchanges = chain["exchanges"].as_array().expect("exchanges").clone();
        let first = exchanges[0]["request"]["url"].as_str().expect("a URL").to_owned();
        let from = host(&first);
        let expected: usize =
            exchanges.iter().map(|e| e["response"]["body"]["value"].as_array().map_or(0, Vec::len)).sum();
        let whole = exchanges.last().is_some_and(|e| {
            e["response"]["body"].get("nextLink").and_then(Value::as_str).unwrap_or_default().is_empty()
        });
        let next = AtomicUsize::new(0);
        let server = Server::start(move |asked| {
            let base = format!("http://{}", asked.header("host").unwrap_or_default());
            match exchanges.get(next.fetch_add(1, Ordering::SeqCst)) {
                Some(exchange) => reply(&exchange["response"], &from, &base),
                None => server::json(404, &json!({"error": {"code": "NotFound", "message": ""}})),
            }
        });
        let mut found = 0;
        let client = client(&server);
        let outcome = run(client.list(at(&server, &first), |page| {
            found += page.len();
            Ok(())
        }));
        assert_eq!(found, expected, "{file}");
        assert_eq!(outcome.is_ok(), whole, "{file}: {outcome:?}");
    }
}

#[test]
fn recorded_operations_are_followed_to_their_end() {
    for (file, chain) in files("lro-chains") {
        let exchanges = chain["exchanges"].as_array().expect("exchanges").clone();
        let first = exchanges[0]["request"]["url"].as_str().expect("a URL").to_owned();
        let from = host(&first);
        let next = AtomicUsize::new(0);
        let count = exchanges.len();
        let last = exchanges.last().cloned().unwrap_or_default();
        let server = Server::start(move |asked| {
            let base = format!("http://{}", asked.header("host").unwrap_or_default());
            let at = next.fetch_add(1, Ordering::SeqCst);
            let exchange = exchanges.get(at).or(exchanges.last()).expect("an exchange");
            let mut reply = reply(&exchange["response"], &from, &base);
            reply.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("retry-after"));
            reply.headers.push(("retry-after".into(), "0".into()));
            reply
        });
        let client = client(&server);
        let outcome = run(client.post(at(&server, &first), Some(b"{}".to_vec())));
        let status = last["response"]["body"]["status"].as_str().unwrap_or_default().to_owned();
        let failed = matches!(status.as_str(), "Failed" | "Canceled")
            || last["response"]["status"].as_u64().is_some_and(|s| s >= 400);
        assert_eq!(outcome.is_err(), failed, "{file}: {outcome:?} after {} of {count}", server.asked().len());
    }
}
