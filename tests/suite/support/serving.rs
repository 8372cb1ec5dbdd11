//! `cm serve` as a process on a sandbox's vault, with a client over real sockets.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::{Value, json};

use super::Sandbox;
use crate::http::support::{Reply, request};

/// The protocol revision of MCP without sessions.
pub const CURRENT: &str = "2026-07-28";

/// A running server process, killed when dropped.
pub struct ServerProcess {
    child: Child,
    log: BufReader<ChildStderr>,
    /// Address of the server.
    pub address: String,
    /// First line of output.
    pub said: String,
}

impl ServerProcess {
    /// Starts a server on a free port with additional arguments.
    pub fn of(sandbox: &Sandbox, words: &[&str]) -> Self {
        Self::start(sandbox.command(&[&["serve", "--listen", "127.0.0.1:0", "--json"], words].concat()))
    }

    /// Like [`Self::of`], with the machine's clock and random ids.
    pub fn with_clock(sandbox: &Sandbox, words: &[&str]) -> Self {
        let words = [&["serve", "--listen", "127.0.0.1:0", "--json"], words].concat();
        let mut command = sandbox.command(&words);
        command.env_remove("CM_NOW").env_remove("CM_SEED");
        Self::start(command)
    }

    /// Starts the server of the page on a free port.
    pub fn page(sandbox: &Sandbox, environment: &[(&str, &str)]) -> Self {
        let mut command = sandbox.command(&["web", "--no-open", "--json"]);
        command.envs(environment.iter().copied());
        Self::start(command)
    }

    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
        let mut said = String::new();
        while !said.ends_with("}\n") {
            said.push_str(&lines.next().expect("it says where it listens").unwrap());
            said.push('\n');
        }
        let address: Value = serde_json::from_str(&said).unwrap();
        let address = address["address"].as_str().unwrap().trim_start_matches("http://").to_owned();
        let log = BufReader::new(child.stderr.take().unwrap());
        Self { child, log, address, said }
    }

    pub fn connect(&self) -> TcpStream {
        // Not every system resolves names below `localhost`, as browsers do.
        let (_, port) = self.address.rsplit_once(':').unwrap();
        TcpStream::connect(("127.0.0.1", port.parse().unwrap())).unwrap()
    }

    /// Sends a request with these headers and reads the response.
    pub fn send(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut stream = self.connect();
        // The server may close the connection before everything is sent.
        let _ = stream.write_all(&request(method, target, headers, body.as_bytes()));
        Reply::read(&mut stream)
    }

    /// Calls an endpoint as agent codex and returns status and body.
    pub fn ask(&self, method: &str, target: &str, token: &str, body: &str) -> (u16, String) {
        let bearer = format!("Bearer {token}");
        let headers =
            [("authorization", &*bearer), ("content-type", "application/json"), ("cm-agent", "codex")];
        let reply = self.send(method, target, &headers, body);
        (reply.status, reply.body)
    }

    /// Sends an MCP message in the current revision with additional headers.
    pub fn message(&self, method: &str, mut params: Value, more: &[(&str, &str)]) -> Reply {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": CURRENT,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "tester", "version": "1" },
        });
        let name =
            params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str).map(str::to_owned);
        let mut headers = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", CURRENT),
            ("mcp-method", method),
        ];
        headers.extend(name.as_deref().map(|name| ("mcp-name", name)));
        headers.extend(more);
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        self.send("POST", "/mcp", &headers, &body)
    }

    /// Calls a tool and returns its result, which may be an error.
    pub fn tool(&self, token: &str, tool: &str, given: &Value) -> Value {
        let bearer = format!("Bearer {token}");
        let authorized = [("authorization", &*bearer)];
        let headers = if token.is_empty() { &[][..] } else { &authorized };
        let reply = self.message("tools/call", json!({ "name": tool, "arguments": given }), headers);
        let mut message = message(&reply);
        assert!(message.get("result").is_some(), "{tool}: {reply:?}");
        message["result"].take()
    }

    /// Returns the next line of the server's log.
    pub fn line(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.log.read_line(&mut line).unwrap(), 0, "it goes on");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Sends a signal. Returns the exit code and the rest of the log.
    #[cfg(unix)]
    pub fn end(mut self, signal: rustix::process::Signal) -> (Option<i32>, String) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, signal).unwrap();
        let mut log = String::new();
        self.log.read_to_string(&mut log).unwrap();
        (self.child.wait().unwrap().code(), log)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the message in a response body or the last one in an event stream.
pub fn message(reply: &Reply) -> Value {
    let lines = reply.body.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
    lines
        .rev()
        .find_map(|line| serde_json::from_str::<Value>(line).ok().filter(Value::is_object))
        .unwrap_or_default()
}
