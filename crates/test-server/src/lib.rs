//! A small HTTP server for tests with scripted responses, including invalid ones.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "for tests only: it records the time of its requests, and a failure ends the test"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

use serde_json::Value;

#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    pub line: String,
    pub headers: Vec<String>,
    pub body: Value,
    pub at: Instant,
}

impl ReceivedRequest {
    /// Returns the value of a header, ignoring case of the name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|header| {
            let (found, value) = header.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// What the server does after reading a request.
pub enum Reply {
    /// Sends a response with this status, headers and body.
    Answer(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Sends a chunked response.
    Chunks(Vec<String>),
    /// Announces a longer body than it sends.
    Cut(String),
    /// Sends an endless body.
    Endless,
    /// Sends these bytes unchanged.
    Raw(&'static [u8]),
    /// Closes the connection without a response.
    Close,
    /// Keeps the connection open without a response.
    Silence,
    /// Sends a response and stops the server.
    Last(String),
}

impl Reply {
    pub fn json(body: &Value) -> Self {
        Self::status(200, &body.to_string())
    }

    pub fn status(status: u16, body: &str) -> Self {
        Self::Answer(status, Vec::new(), body.into())
    }
}

pub struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<ReceivedRequest>>>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts a server. `script` returns the reply to request number n, starting at 0.
    pub fn start(script: impl Fn(usize, &ReceivedRequest) -> Reply + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let over = Arc::new(AtomicBool::new(false));
        let (recorded, end) = (Arc::clone(&requests), Arc::clone(&over));
        let thread = std::thread::spawn(move || {
            let mut silent = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().unwrap();
                if end.load(Ordering::SeqCst) {
                    return;
                }
                let Some(request) = read(&stream) else { continue };
                let count = {
                    let mut recorded = recorded.lock().unwrap();
                    recorded.push(request.clone());
                    recorded.len() - 1
                };
                match script(count, &request) {
                    Reply::Silence => silent.push(stream),
                    Reply::Last(body) => {
                        // Whoever has the answer finds nobody any more.
                        drop(listener);
                        return answer(&mut stream, 200, &[], body.as_bytes());
                    }
                    reply => give(&mut stream, reply),
                }
            }
        });
        Self { port, requests, over, thread: Some(thread) }
    }

    /// The server's base URL, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn requests(&self) -> Vec<ReceivedRequest> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        let _ = self.thread.take().expect("it is joined once").join();
    }
}

/// Writes a reply, ignoring errors of a closed connection.
fn give(stream: &mut TcpStream, reply: Reply) {
    match reply {
        Reply::Answer(status, headers, body) => answer(stream, status, &headers, &body),
        Reply::Chunks(chunks) => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            for chunk in chunks {
                let _ = write!(stream, "{:x}\r\n{chunk}\r\n", chunk.len());
            }
            let _ = stream.write_all(b"0\r\n\r\n");
        }
        Reply::Cut(body) => {
            let length = body.len() + 100;
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}");
        }
        Reply::Endless => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n[");
            while stream.write_all(&[b' '; 65536]).is_ok() {}
        }
        Reply::Raw(bytes) => {
            let _ = stream.write_all(bytes);
        }
        Reply::Close | Reply::Silence | Reply::Last(_) => {}
    }
}

fn read(stream: &TcpStream) -> Option<ReceivedRequest> {
    let mut reader = BufReader::new(stream);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let length = lines.iter().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Some(ReceivedRequest { line: lines.remove(0), headers: lines, body, at: Instant::now() })
}

fn answer(stream: &mut TcpStream, status: u16, headers: &[(&str, String)], body: &[u8]) {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let head = format!(
        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body);
}
