//! A tiny HTTP server on loopback: every answer is made by one function.

#![allow(dead_code)]

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// What goes wrong on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Wire {
    #[default]
    Good,
    /// The connection ends before an answer.
    Reset,
    /// The connection ends within the body.
    Cut,
    /// The answer comes later.
    Slow(Duration),
}

#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub wire: Wire,
}

pub fn json(status: u16, body: &serde_json::Value) -> Answer {
    Answer {
        status,
        headers: vec![("content-type".into(), "application/json; charset=utf-8".into())],
        body: body.to_string().into_bytes(),
        wire: Wire::Good,
    }
}

impl Answer {
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn on(mut self, wire: Wire) -> Self {
        self.wire = wire;
        self
    }
}

type Make = dyn Fn(&Asked) -> Answer + Send + Sync;

pub struct Server {
    pub address: SocketAddr,
    log: Arc<Mutex<Vec<Asked>>>,
}

/// The token that the server gives, and asks for.
pub const TOKEN: &str = "token-of-the-test";

impl Server {
    /// Answers the token endpoint itself; everything else only with its token.
    pub fn start(make: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let log = Arc::new(Mutex::new(Vec::new()));
        let make: Arc<Make> = Arc::new(make);
        let shared = Arc::clone(&log);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (make, log) = (Arc::clone(&make), Arc::clone(&shared));
                std::thread::spawn(move || serve(stream, &*make, &log));
            }
        });
        Self { address, log }
    }

    pub fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Requests so far, those for tokens left out.
    pub fn asked(&self) -> Vec<Asked> {
        self.log.lock().expect("the log").clone()
    }
}

fn serve(stream: TcpStream, make: &Make, log: &Mutex<Vec<Asked>>) {
    stream.set_nodelay(true).expect("an option");
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let mut stream = stream;
    while let Some(asked) = read(&mut reader) {
        let answer = if asked.path().ends_with("/oauth2/v2.0/token") {
            json(200, &serde_json::json!({"token_type": "Bearer", "expires_in": 3600, "access_token": TOKEN}))
        } else if asked.path() == "/msi/token" {
            let resource = "https://management.azure.com";
            json(
                200,
                &serde_json::json!({"token_type": "Bearer", "expires_on": "4102444800", "access_token": TOKEN,
                    "resource": resource}),
            )
        } else {
            log.lock().expect("the log").push(asked.clone());
            if asked.header("authorization") == Some(&format!("Bearer {TOKEN}")) {
                make(&asked)
            } else {
                json(
                    401,
                    &serde_json::json!({"error": {"code": "InvalidAuthenticationToken", "message": ""}}),
                )
            }
        };
        match answer.wire {
            Wire::Reset => return,
            Wire::Slow(time) => std::thread::sleep(time),
            Wire::Good | Wire::Cut => {}
        }
        let mut head = format!("HTTP/1.1 {} X\r\ncontent-length: {}\r\n", answer.status, answer.body.len());
        for (name, value) in &answer.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut body = answer.body.as_slice();
        if answer.wire == Wire::Cut {
            body = &body[..body.len() / 2];
        }
        if stream.write_all(head.as_bytes()).is_err()
            || stream.write_all(body).is_err()
            || answer.wire == Wire::Cut
        {
            return;
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let mut parts = line.split_whitespace();
    let (method, target) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { method, target, headers, body })
}
