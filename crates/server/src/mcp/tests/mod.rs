//! Tests of the server over a pipe and over HTTP, with clients of each revision.

mod any_bytes;
mod apps;
mod batches;
mod bounds;
mod complete;
mod http;
mod notifications;
mod prompts;
mod resources;
mod streams;
mod table;
mod tools;
mod web;

use std::cell::Cell;
use std::panic;
use std::sync::{Arc, Once};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::{CallContext, McpLimits, McpServer, McpSetup, serve};
use crate::operations::Caller;
use cm_app::{Context, Request};
use cm_note::instant::Instant;

/// All protocol revisions, oldest first.
pub const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
pub const CURRENT: &str = REVISIONS[4];

/// A server of the test catalog with this default caller.
pub fn server(limits: McpLimits, caller: Option<Caller>) -> McpServer {
    McpServer::new(McpSetup {
        catalog: table::CATALOG,
        opener: Arc::new(|asked| Context::open(request(asked))),
        caller,
        limits,
        pages: Some(|_, address| Ok(format!("<main>{address}</main>"))),
        audit: None,
        closing: CancellationToken::new(),
    })
}

/// A call on the example vault; the catalog uses only its caller.
fn request(asked: CallContext) -> Request {
    let vault = concat!(env!("CARGO_MANIFEST_DIR"), "/../../example-vault");
    Request {
        cwd: vault.into(),
        vault: Some(vault.into()),
        home: None,
        global: None,
        private: None,
        variables: Default::default(),
        environment: Default::default(),
        now: Instant::parse("2026-11-21T12:00:00Z").unwrap(),
        now_is_given: true,
        seed: None,
        no_refresh: true,
        for_prompts: false,
        caller: asked.caller,
        clock: || 0,
        threads: 1,
        verb: "cm mcp".to_owned(),
        holder: "a test".to_owned(),
        watch: asked.watch,
    }
}

/// A client at the other end of a pipe.
pub struct Client {
    pub write: WriteHalf<DuplexStream>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    revision: &'static str,
    /// ID of the last request.
    pub id: u64,
    /// Messages received while waiting for responses.
    pub pending: Vec<Value>,
    pub served: JoinHandle<std::io::Result<()>>,
}

impl Client {
    /// Connects without sending anything.
    pub fn silent(server: &McpServer, revision: &'static str) -> Self {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let served = tokio::spawn({
            let server = server.clone();
            async move {
                let (read, write) = tokio::io::split(theirs);
                serve(&server, read, write).await
            }
        });
        let (read, write) = tokio::io::split(ours);
        Self { write, lines: BufReader::new(read).lines(), revision, id: 0, pending: Vec::new(), served }
    }

    /// Connects and performs the handshake of the revision.
    pub async fn of(server: &McpServer, revision: &'static str) -> Self {
        let mut client = Self::silent(server, revision);
        if revision != CURRENT {
            let answer = client.ask("initialize", hello(revision)).await;
            assert_eq!(answer["result"]["protocolVersion"], revision);
            client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        }
        client
    }

    /// A client of the newest revision with default limits.
    pub async fn new() -> Self {
        Self::of(&server(McpLimits::default(), Some(Caller::local())), CURRENT).await
    }

    pub async fn send(&mut self, message: &Value) {
        self.say_bytes(format!("{message}\n").as_bytes()).await;
    }

    pub async fn say_bytes(&mut self, bytes: &[u8]) {
        self.write.write_all(bytes).await.unwrap();
    }

    /// Sends a request without waiting; returns its id.
    pub async fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.id += 1;
        if self.revision == CURRENT {
            let meta = params.as_object_mut().unwrap().entry("_meta").or_insert_with(|| json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = CURRENT.into();
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "tester", "version": "1" });
        }
        let request = json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params });
        self.send(&request).await;
        self.id
    }

    /// The next message; `None` if the server closed its stream.
    pub async fn receive(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.unwrap()?;
        let message: Value = serde_json::from_str(&line).expect("nothing but JSON is written");
        assert_eq!(message["jsonrpc"], "2.0");
        Some(message)
    }

    /// The next line, which may be a batch.
    pub async fn next(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("a line");
        serde_json::from_str(&line).expect("nothing but JSON is written")
    }

    /// The response to a request; other messages are stored.
    pub async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive().await.expect("an answer");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.pending.push(message);
        }
    }

    /// Waits for a notification with this method; other messages are stored.
    pub async fn notification(&mut self, method: &str) -> Value {
        loop {
            let message = self.receive().await.expect("a notification");
            if message["method"] == method {
                return message;
            }
            self.pending.push(message);
        }
    }

    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.answer(id).await
    }

    /// Cancels a request.
    pub async fn cancel(&mut self, id: u64) {
        let params = json!({ "requestId": id });
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })).await;
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Closes the client's stream; returns the remaining messages and the server's result.
    pub async fn close(mut self) -> (Vec<Value>, std::io::Result<()>) {
        self.write.shutdown().await.unwrap();
        let mut last = Vec::new();
        while let Some(message) = self.receive().await {
            last.push(message);
        }
        (last, self.served.await.unwrap())
    }
}

/// Parameters of the handshake.
pub fn hello(revision: &str) -> Value {
    json!({
        "protocolVersion": revision,
        "capabilities": {},
        "clientInfo": { "name": "tester", "version": "1" },
    })
}

thread_local! {
    static BROKE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a future on a new runtime and fails if any task panics, including background tasks.
pub fn without_panics(work: impl Future<Output = ()>) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            BROKE.set(true);
            before(info);
        }));
    });
    BROKE.set(false);
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work);
    assert!(!BROKE.get(), "a task panicked");
}

/// The error document in a tool result.
pub fn refusal(answer: &Value) -> Value {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(
        answer["result"].get("structuredContent").is_none(),
        "clients hold it against the schema of answers"
    );
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str::<Value>(text).unwrap()["error"].take()
}
