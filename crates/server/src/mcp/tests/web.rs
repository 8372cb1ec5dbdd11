//! A server on a local port, with a client that can send arbitrary bytes.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{CURRENT, server};
use crate::mcp::{McpLimits, McpServer, OriginPolicy, guarded};
use crate::operations::Caller;

/// A server that runs until dropped.
pub struct TestHttpServer {
    pub port: u16,
    pub server: McpServer,
    running: tokio::task::JoinHandle<()>,
}

/// An HTTP response.
#[derive(Debug)]
pub struct HttpReply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Drop for TestHttpServer {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl TestHttpServer {
    pub async fn of(limits: McpLimits, guards: OriginPolicy, caller: Option<Caller>) -> Self {
        let server = server(limits, caller);
        let sessions = server.clone();
        let mcp = guarded(move || sessions.session(), guards, server.limits(), server.closing());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let router = axum::Router::new().nest("/mcp", mcp);
        let running = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { port, server, running }
    }

    pub async fn new(limits: McpLimits) -> Self {
        Self::of(limits, OriginPolicy::default(), Some(Caller::local())).await
    }

    /// Opens a connection and sends these bytes.
    pub async fn open_with(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        // A server that turned away the rest may have closed it.
        let _ = stream.write_all(bytes).await;
        stream
    }

    /// The text of a request with additional headers.
    pub fn request(&self, method: &str, headers: &str, body: &str) -> String {
        let host = match headers.lines().any(|line| line.starts_with("Host:")) {
            true => String::new(),
            false => format!("Host: 127.0.0.1:{}\r\n", self.port),
        };
        format!(
            "{method} /mcp HTTP/1.1\r\n{host}Connection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        )
    }

    pub async fn post(&self, headers: &str, body: &str) -> HttpReply {
        self.asked("POST", headers, body).await
    }

    pub async fn asked(&self, method: &str, headers: &str, body: &str) -> HttpReply {
        let mut stream = self.open_with(self.request(method, headers, body).as_bytes()).await;
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all).await;
        HttpReply::of(&String::from_utf8_lossy(&all))
    }

    /// Sends a request of the current revision.
    pub async fn ask(&self, method: &str, params: Value) -> HttpReply {
        let (headers, body) = current(method, params);
        self.post(&headers, &body).await
    }
}

/// Headers and body of a request of the current revision.
pub fn current(method: &str, mut params: Value) -> (String, String) {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": CURRENT,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "tester", "version": "1" },
    });
    let named = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str);
    let named = named.map_or(String::new(), |name| format!("Mcp-Name: {name}\r\n"));
    let headers = format!("MCP-Protocol-Version: {CURRENT}\r\nMcp-Method: {method}\r\n{named}");
    (headers, json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string())
}

impl HttpReply {
    fn of(all: &str) -> Self {
        let (head, body) = all.split_once("\r\n\r\n").unwrap_or((all, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// The response message: the body, or the last event of a stream.
    pub fn message(&self) -> Value {
        let lines = self.body.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
        lines
            .rev()
            .find_map(|line| serde_json::from_str::<Value>(line).ok().filter(Value::is_object))
            .unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}
