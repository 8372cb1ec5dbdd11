//! A laptop without a vault, and a proxy between it and the server that can lose answers.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::rules::rules;
use crate::support::{NOW, Ran, Sandbox, ServerProcess};

/// Session of most tests.
pub const SESSION: &str = "0b9c1f0e-6f1d-4c57-9a53-2f0f4a3f8a11";
/// A credential that must not leave the machine.
pub const SECRET: &str = "ghp_aB3dE5gH7jaB3dE5gH7jaB3dE5gH7jaB3dE5";

/// A machine with a project and without a vault. Its project is the sandbox's `vault` folder.
pub struct Laptop {
    pub sandbox: Sandbox,
}

/// The machine with the vault, and a token for the laptop.
pub struct Team {
    pub sandbox: Sandbox,
    pub token: String,
}

impl Team {
    pub fn new() -> Self {
        let sandbox = rules();
        sandbox.cm(&["reindex"]).ok();
        let made = sandbox.cm(&["token", "add", "Ada", "--json"]).ok().json();
        let token = made["token"].as_str().unwrap().to_owned();
        Self { sandbox, token }
    }

    pub fn serve(&self) -> ServerProcess {
        ServerProcess::of(&self.sandbox, &[])
    }

    /// Number of commits in the vault.
    pub fn commits(&self) -> usize {
        self.sandbox.git(&["rev-list", "--count", "HEAD"]).trim().parse().unwrap()
    }

    /// The messages of an uploaded session, as role and text.
    pub fn messages(&self, session: &str) -> Vec<(String, String)> {
        let path = self.sandbox.private(&format!("sessions/claude-code/{session}.jsonl"));
        let log = std::fs::read_to_string(path).unwrap_or_default();
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
        lines
            .filter(|line| line["line"] == "message")
            .map(|line| (text(&line, "role"), text(&line, "text")))
            .collect()
    }
}

impl Laptop {
    /// A project in which Claude Code is used.
    pub fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.git(&["init", "--quiet"]);
        sandbox.write(".claude/settings.json", "{}\n");
        Self { sandbox }
    }

    /// A project whose hooks call the server at this address.
    pub fn connected(url: &str, token: &str) -> Self {
        let laptop = Self::new();
        laptop.install(url, token, &[]).ok();
        laptop
    }

    pub fn install(&self, url: &str, token: &str, more: &[&str]) -> Ran {
        let words = ["hooks", "install", "claude", "--server", url, "--token-file", "-"];
        let folder = PathBuf::from(env!("CARGO_BIN_EXE_cm")).parent().unwrap().display().to_string();
        self.sandbox.run(&[&words, more].concat()).env("PATH", &folder).stdin(token).go()
    }

    /// Runs a hook of Claude Code and returns its output, which is never an error.
    pub fn hook(&self, session: &str, event: &str, more: &Value) -> String {
        let mut message = json!({
            "session_id": session, "cwd": self.sandbox.vault(), "transcript_path": self.transcript(session),
        });
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let ran =
            self.sandbox.run(&["hook", "claude", event]).within("../home").stdin(message.to_string()).go();
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{event}");
        ran.stdout
    }

    /// Text that the hook adds to the conversation.
    pub fn added(&self, session: &str, event: &str, more: &Value) -> String {
        let stdout = self.hook(session, event, more);
        let answer: Value = serde_json::from_str(&stdout).unwrap_or_default();
        answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    }

    pub fn start(&self, session: &str) -> String {
        self.added(session, "session-start", &json!({ "source": "startup" }))
    }

    pub fn prompt(&self, session: &str, prompt: &str) -> String {
        self.added(session, "prompt", &json!({ "prompt": prompt }))
    }

    pub fn transcript(&self, session: &str) -> PathBuf {
        self.sandbox.root().join(format!("home/.claude/projects/-shop/{session}.jsonl"))
    }

    /// Appends messages to the log of a session.
    pub fn talk(&self, session: &str, messages: &[(&str, &str)]) {
        let path = self.transcript(session);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut log = std::fs::read_to_string(&path).unwrap_or_default();
        for (role, text) in messages {
            let count = log.lines().count();
            let content =
                if *role == "user" { json!(text) } else { json!([{ "type": "text", "text": text }]) };
            let record = json!({
                "type": role, "sessionId": session, "cwd": self.sandbox.vault(), "userType": "external",
                "isSidechain": false, "uuid": format!("{session}-{count}"),
                "timestamp": format!("2026-11-20T10:{count:02}:00.000Z"),
                "message": { "role": role, "model": "m", "content": content },
            });
            log.push_str(&format!("{record}\n"));
        }
        std::fs::write(path, log).unwrap();
    }

    /// Queues and delivers a session as the background process of a hook does at its end.
    pub fn deliver(&self, agent: &str, session: &str) {
        self.deliver_at(agent, session, NOW);
    }

    /// Does so at another time.
    pub fn deliver_at(&self, agent: &str, session: &str, now: &str) {
        let path = Some(self.transcript(session)).filter(|_| agent == "claude-code");
        let task = json!({
            "agent": agent, "refresh_memory": true,
            "session": { "agent": agent, "session": session, "transcript": path },
        });
        let run = self.sandbox.run(&["hook", "deliver"]).env("CM_NOW", now).stdin(task.to_string());
        assert_eq!(run.go().code, 0);
    }

    /// The log of the hooks that call servers.
    pub fn failures(&self) -> String {
        let servers = self.sandbox.private_home().state.join("servers");
        let folders = std::fs::read_dir(servers).into_iter().flatten().flatten();
        let logs = folders.map(|folder| folder.path().join("hooks.log"));
        logs.map(|log| std::fs::read_to_string(log).unwrap_or_default()).collect()
    }

    /// State of the first server in `cm hooks status`.
    pub fn server(&self) -> Value {
        self.sandbox.cm(&["hooks", "status", "--json"]).ok().json()["servers"][0].clone()
    }

    /// Waits until this number of uploads waits, and no background process works on them.
    pub fn waits_for(&self, uploads: u64) {
        let done = eventually(|| self.server()["waiting"] == uploads);
        assert!(done, "{}", self.server());
    }
}

/// Waits until a background process has made this true.
pub fn eventually(is_true: impl Fn() -> bool) -> bool {
    (0..600).any(|_| {
        let found = is_true();
        if !found {
            std::thread::sleep(Duration::from_millis(50));
        }
        found
    })
}

/// A team with its server, and a laptop that reaches it through a proxy.
pub fn behind_a_proxy() -> (Team, ServerProcess, Proxy, Laptop) {
    let team = Team::new();
    let proxy = Proxy::start();
    let server = team.serve();
    proxy.lead_to(Some(&server));
    let laptop = Laptop::connected(&proxy.url, &team.token);
    (team, server, proxy, laptop)
}

/// Forwards requests to a server that may change or be away, and can lose or hold its answers.
pub struct Proxy {
    pub url: String,
    state: Arc<Mutex<ProxyState>>,
}

#[derive(Default)]
struct ProxyState {
    /// Address of the server; `None` while it is away.
    target: Option<String>,
    /// Number of answers to `POST` requests that get lost.
    lost: usize,
    /// Answers to requests that begin with this text wait.
    held: Option<&'static str>,
    /// First line of each request that reached the server.
    forwarded: Vec<String>,
}

impl Proxy {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(ProxyState::default()));
        let shared = Arc::clone(&state);
        // Ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || forward(stream, &state));
            }
        });
        Self { url, state }
    }

    pub fn lead_to(&self, server: Option<&ServerProcess>) {
        self.state.lock().unwrap().target = server.map(|server| server.address.clone());
    }

    /// Loses the next answers after the server has done its work.
    pub fn lose(&self, answers: usize) {
        self.state.lock().unwrap().lost = answers;
    }

    /// Holds the answers to requests that begin with this text, after the server has done its work.
    pub fn hold(&self, begin: Option<&'static str>) {
        self.state.lock().unwrap().held = begin;
    }

    /// Number of requests that reached the server and begin with this text.
    pub fn count(&self, begin: &str) -> usize {
        self.state.lock().unwrap().forwarded.iter().filter(|line| line.starts_with(begin)).count()
    }

    pub fn are_answers_lost(&self) -> bool {
        self.state.lock().unwrap().lost == 0
    }
}

/// Forwards one request, without keeping the connection.
fn forward(client: TcpStream, shared: &Mutex<ProxyState>) -> Option<()> {
    let target = shared.lock().unwrap().target.clone()?;
    let mut reader = BufReader::new(&client);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let mut server = TcpStream::connect(target).ok()?;
    let (first, rest) = head.split_once("\r\n")?;
    server.write_all(format!("{first}\r\nConnection: close\r\n{rest}").as_bytes()).ok()?;
    server.write_all(&body).ok()?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer).ok()?;
    let mut state = shared.lock().unwrap();
    state.forwarded.push(first.to_owned());
    if first.starts_with("POST") && state.lost > 0 {
        state.lost -= 1;
        client.shutdown(Shutdown::Both).ok()?;
        return None;
    }
    while state.held.is_some_and(|begin| first.starts_with(begin)) {
        drop(state);
        std::thread::sleep(Duration::from_millis(10));
        state = shared.lock().unwrap();
    }
    drop(state);
    (&client).write_all(&answer).ok()
}
