//! A server per test, and a client that can send arbitrary bytes.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use cm_app::context::process_cache::ProcessCache;
use cm_app::server_audit::AuditedRequest;
use cm_app::verbs::token::{self, LiveTokens};
use cm_app::{CallerIdentity, Context, Request};
use cm_note::instant::Instant;
use cm_note::token::{AccessRole, TokenKind};
use cm_server::http::{
    HttpLimits, HttpServer, HttpSetup, Job, NestedService, ShutdownResult, VaultMetricsFn,
};
use cm_server::operations::{OperationResult, OperationSpec, TABLE};
use cm_server::serving::StopSignal;
use cm_server::web::WebSetup;
use cm_store::vault::Vault;
use serde_json::Value;

use crate::support::{self, Sandbox, vault_of};

/// Start time of every test, in Unix seconds.
pub const START: i64 = 1_795_000_000;

/// A vault with one rule and no embedding model, so that texts are compared by words only.
const VAULT: &str = "\
--- cm.toml
[embeddings]
provider = \"none\"
--- playbook/testing/run-the-whole-suite-before-you-push-75ecd8.md
---
id: b-mt2ssunl-jq6d8j
category: testing
state: active
created: 2026-11-01T08:00:00Z
updated: 2026-11-01T08:00:00Z
---

Run the whole suite before you push.
";

/// Returns the operation of an endpoint.
pub fn operation(path: &str) -> &'static OperationSpec {
    TABLE.iter().find(|one| one.endpoint.is_some_and(|endpoint| endpoint.path == path)).unwrap()
}

/// Returns the operation table with the function of one endpoint replaced.
pub fn table_with(
    path: &str,
    run: fn(&Context, Value) -> cm_app::Result<OperationResult>,
) -> &'static [OperationSpec] {
    let own = operation(path).name;
    let swapped = |one: &OperationSpec| if one.name == own { OperationSpec { run, ..*one } } else { *one };
    TABLE.iter().map(swapped).collect::<Vec<_>>().leak()
}

/// Returns an observation that resembles none for other numbers.
pub fn unique_observation(number: usize) -> String {
    let words = blake3::hash(&number.to_le_bytes()).to_hex();
    words
        .as_bytes()
        .chunks(8)
        .map(|word| format!("w{}", String::from_utf8_lossy(word)))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Configuration of a test server.
pub struct TestServerConfig {
    pub limits: HttpLimits,
    pub jobs: Vec<Job>,
    pub vault_metrics: Option<VaultMetricsFn>,
    pub table: &'static [OperationSpec],
    pub mounted: Vec<NestedService>,
    pub web: Option<WebSetup>,
    pub sandbox: Sandbox,
    pub clock: Arc<AtomicI64>,
    /// Surface, operation and outcome of each request.
    pub audited: Arc<Mutex<Vec<String>>>,
}

impl Default for TestServerConfig {
    fn default() -> Self {
        let sandbox = vault_of(VAULT);
        sandbox.own_identity();
        Self {
            limits: HttpLimits { tick: Duration::from_millis(5), ..HttpLimits::default() },
            jobs: Vec::new(),
            vault_metrics: None,
            table: TABLE,
            mounted: Vec::new(),
            web: None,
            sandbox,
            clock: Arc::new(AtomicI64::new(START)),
            audited: Arc::default(),
        }
    }
}

/// Returns a request by this actor at this time.
fn at(sandbox: &Sandbox, caller: CallerIdentity, now: i64) -> Request {
    Request { caller, now: Instant::from_unix(now), seed: None, ..support::request(sandbox, &[]) }
}

/// Creates a token for a person with this name.
pub fn token_for(
    sandbox: &Sandbox,
    person: &str,
    role: AccessRole,
    expires: Option<i64>,
    random: u8,
) -> token::NewToken {
    let expires = expires.map(Instant::from_unix);
    let options = token::Options { person: person.to_owned(), role, kind: TokenKind::Person, expires };
    let context = Context::open(at(sandbox, CallerIdentity::default(), START)).unwrap();
    token::add(&context, &options, [random; 32]).unwrap()
}

impl TestServerConfig {
    /// Creates a token for a person named after the role.
    pub fn token(&self, role: AccessRole, random: u8) -> String {
        token_for(&self.sandbox, &format!("Ada the {role}"), role, None, random).token
    }

    pub fn setup(self) -> (HttpSetup, Sandbox, Arc<Mutex<Vec<String>>>) {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (written, clock, audited) = (Arc::clone(&lines), self.clock, self.audited);
        let ring = LiveTokens::of(self.sandbox.open_vault());
        let named = !ring.load().unwrap().is_empty();
        let (warm, asked) =
            (Arc::new(ProcessCache::default()), at(&self.sandbox, CallerIdentity::default(), START));
        let setup = HttpSetup {
            table: self.table,
            opener: Arc::new(move |caller: CallerIdentity| warm.open(Request { caller, ..asked.clone() })),
            tokens: Arc::new(move || ring.load()),
            mounted: self.mounted,
            web: self.web,
            jobs: self.jobs,
            limits: self.limits,
            tls: None,
            // A server without tokens has no host name.
            hosts: if named { vec!["memory.example".to_owned()] } else { Vec::new() },
            log: Arc::new(move |entry| written.lock().unwrap().push(entry.to_string())),
            audit: Some(Arc::new(move |request: &AuditedRequest, outcome: &str| {
                let surface = serde_json::json!(request.surface);
                let line =
                    format!("{} {} {outcome}", surface.as_str().unwrap_or_default(), request.operation);
                audited.lock().unwrap().push(line);
            })),
            clock: Arc::new(move || Instant::from_unix(clock.load(Ordering::Relaxed))),
            vault_metrics: self.vault_metrics,
            version: "0.0.0",
        };
        (setup, self.sandbox, lines)
    }

    pub fn run(self) -> TestServer {
        let (setup, sandbox, log) = self.setup();
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            let ended = runtime.block_on(async {
                let server = HttpServer::bind("127.0.0.1:0".parse().unwrap(), setup).await.unwrap();
                tell.send(server.address()).unwrap();
                server.run(async { stopped.await.ok() }).await
            });
            runtime.shutdown_timeout(Duration::from_millis(100));
            ended
        });
        let address = told.recv().unwrap();
        TestServer { address, sandbox, log, stop: Some(stop), thread: Some(thread) }
    }
}

/// A running server.
pub struct TestServer {
    pub address: SocketAddr,
    pub sandbox: Sandbox,
    pub log: Arc<Mutex<Vec<String>>>,
    stop: Option<tokio::sync::oneshot::Sender<StopSignal>>,
    thread: Option<JoinHandle<ShutdownResult>>,
}

/// Counts the commits of `operation` in a vault.
pub fn commits(sandbox: &Sandbox, operation: &str) -> usize {
    let ops = sandbox.git(&["log", "--format=%(trailers:key=Cm-Op,valueonly,separator=%x2C)"]);
    ops.lines().filter(|line| *line == operation).count()
}

impl TestServer {
    pub fn vault(&self) -> Vault {
        self.sandbox.open_vault()
    }

    pub fn context(&self) -> Context {
        Context::open(at(&self.sandbox, CallerIdentity::default(), START)).unwrap()
    }

    /// Returns the id of the newest commit.
    pub fn head(&self) -> String {
        self.sandbox.git(&["rev-parse", "HEAD"])
    }

    /// Counts the notes added.
    pub fn added(&self) -> usize {
        commits(&self.sandbox, "add")
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// Sends these bytes and reads the response.
    pub fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // The server may close the connection before everything is sent.
        let _ = stream.write_all(bytes);
        Reply::read(&mut stream)
    }

    pub fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        self.send(&request(method, target, headers, body.as_bytes()))
    }

    pub fn get(&self, target: &str, token: &str) -> Reply {
        self.ask("GET", target, &[("authorization", &format!("Bearer {token}"))], "")
    }

    /// Waits until the log has a line that contains these words.
    pub fn until_logged(&self, words: &str) -> String {
        loop {
            let found = self.log.lock().unwrap().iter().find(|line| line.contains(words)).cloned();
            match found {
                Some(line) => return line,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Waits until the metrics have this line.
    pub fn until_metric(&self, line: &str) {
        while !self.ask("GET", "/metrics", &[], "").body.lines().any(|metric| metric == line) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Requests shutdown.
    pub fn request_shutdown(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(StopSignal::Terminate);
        }
    }

    pub fn end(&mut self) -> ShutdownResult {
        self.request_shutdown();
        self.thread.take().unwrap().join().unwrap()
    }
}

/// Returns the bytes of a request with `connection: close`.
pub fn request(method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("{method} {target} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        head.push_str("host: localhost\r\n");
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    [head.as_bytes(), b"\r\n", body].concat()
}

#[derive(Debug, Clone)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    /// Reads until the server closes the connection, and parses the first response.
    pub fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns status and code of an error response.
    pub fn refusal(&self) -> (u16, String) {
        (self.status, self.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}
