//! Agents as clients of `/mcp` of a real `cm serve`: tokens, roles, names and shutdown.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::support::{Reply, request};
use crate::cli::rules::rules;
use crate::support::{Sandbox, ServerProcess, message};

fn token(sandbox: &Sandbox, person: &str, role: &str) -> String {
    let made = sandbox.cm(&["token", "add", person, "--role", role, "--json"]).ok().json();
    made["token"].as_str().unwrap().to_owned()
}

/// Returns the error document of a refused tool call.
fn refused(result: &Value) -> Value {
    assert_eq!(result["isError"], true, "{result}");
    serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap()
}

fn fact(title: &str) -> Value {
    json!({ "type": "fact", "title": title, "content": "Seen." })
}

#[test]
fn an_agent_needs_a_token_and_may_what_its_role_may_in_the_name_of_its_person() {
    let sandbox = rules();
    let (ada, bob) = (token(&sandbox, "Ada", "writer"), token(&sandbox, "Bob", "reader"));
    let server = ServerProcess::of(&sandbox, &[]);
    for headers in [&[][..], &[("authorization", "Bearer cm_nonsense")]] {
        let reply = server.message("tools/list", json!({}), headers);
        assert_eq!(reply.status, 401, "{reply:?}");
    }
    let found = server.tool(&bob, "memory_search", &json!({ "query": "suite" }));
    assert_eq!(found["isError"], false, "{found}");
    let refusal = refused(&server.tool(&bob, "memory_add", &fact("Ports differ")));
    assert_eq!(refusal["error"]["code"], "forbidden", "{refusal}");
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    let done = server.tool(&ada, "memory_add", &fact("Ports differ"));
    assert_eq!(done["isError"], false, "{done}");
    assert_ne!(sandbox.git(&["rev-parse", "HEAD"]), head);
    let commit = sandbox.git(&["log", "-1", "--format=%B"]);
    for line in ["Cm-Op: add", "Cm-Actor: Ada", "Cm-Agent: tester"] {
        assert!(commit.lines().any(|found| found == line), "{line} in\n{commit}");
    }
    sandbox.cm(&["token", "revoke", "Ada"]).ok();
    assert_eq!(
        server.message("tools/list", json!({}), &[("authorization", &format!("Bearer {ada}"))]).status,
        401
    );
    let (code, log) = server.end(Signal::TERM);
    assert_eq!(code, Some(143), "{log}");
    assert!(log.contains("\"endpoint\":\"/mcp\"") && !log.contains("Ports") && !log.contains("Ada"), "{log}");
}

#[test]
fn names_and_pages_are_judged_as_at_the_endpoints() {
    let sandbox = rules();
    let ada = token(&sandbox, "Ada", "reader");
    let bearer = format!("Bearer {ada}");
    let server = ServerProcess::of(&sandbox, &["--host-name", "memory.example"]);
    for (name, value, status) in [
        ("host", "memory.example", 200),
        ("host", "evil.example", 421),
        ("origin", "https://evil.example", 403),
        ("origin", "null", 403),
        ("sec-fetch-site", "cross-site", 403),
    ] {
        let reply = server.message("tools/list", json!({}), &[(name, value), ("authorization", &bearer)]);
        assert_eq!(reply.status, status, "{name}: {value}: {reply:?}");
    }
    let own = [("host", "memory.example"), ("origin", "https://memory.example"), ("authorization", &*bearer)];
    assert_eq!(server.message("tools/list", json!({}), &own).status, 200);
}

#[test]
fn whose_logs_lie_on_the_servers_machine_no_bearer_of_a_token_is_told() {
    let sandbox = crate::support::taught();
    let server = ServerProcess::of(&sandbox, &[]);
    let handed = server.tool("", "memory_reflect", &json!({ "days": 0 }));
    assert_eq!(handed["isError"], false, "whoever is on this machine: {handed}");
    let ada = token(&sandbox, "Ada", "admin");
    let handed = server.tool(&ada, "memory_reflect", &json!({ "days": 0 }));
    assert!(!handed.to_string().contains("11111111"), "{handed}");
}

#[test]
fn a_change_that_awaits_a_person_and_a_wrong_field_are_told_over_http() {
    let sandbox = rules();
    let note = sandbox.cm(&["add", "--type", "fact", "Ports differ", "--json"]).ok().json();
    let ada = format!("Bearer {}", token(&sandbox, "Ada", "writer"));
    let server = ServerProcess::of(&sandbox, &[]);
    let headers = [("authorization", ada.as_str()), ("content-type", "application/json")];
    let update = json!({ "id": note["id"], "append": "They are 80 and 443." }).to_string();
    let reply = server.send("POST", "/update", &headers, &update);
    assert_eq!(reply.status, 200, "{reply:?}");
    let notices = reply.json()["notices"].to_string();
    assert!(notices.contains("is unchanged") && notices.contains("until a person confirms it"), "{reply:?}");
    let missing = server.send("GET", "/search?limit=3", &headers, "").json();
    assert_eq!(
        (missing["error"]["message"].as_str(), missing["error"]["hint"].as_str()),
        (Some("`q` is missing"), Some("for example: GET /search?q=connection+pool&type=fix&limit=5"))
    );
}

/// Returns headers for an older protocol revision with sessions.
fn older<'a>(bearer: &'a str, session: &'a str) -> Vec<(&'a str, &'a str)> {
    let mut headers = vec![
        ("authorization", bearer),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    headers.extend(Some(("mcp-session-id", session)).filter(|(_, session)| !session.is_empty()));
    headers
}

fn hello(server: &ServerProcess, bearer: &str) -> String {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "tester", "version": "1" },
    } });
    let reply = server.send("POST", "/mcp", &older(bearer, ""), &body.to_string());
    let session = reply.header("mcp-session-id").expect("a session").to_owned();
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
    assert_eq!(server.send("POST", "/mcp", &older(bearer, &session), &ready).status, 202);
    session
}

#[test]
fn a_session_is_of_no_use_to_another_token() {
    let sandbox = rules();
    let [ada, bob] = [("Ada", "writer"), ("Bob", "reader")]
        .map(|(name, role)| format!("Bearer {}", token(&sandbox, name, role)));
    let server = ServerProcess::of(&sandbox, &[]);
    let session = hello(&server, &ada);
    let add = |bearer: &str, title: &str| {
        let params = json!({ "name": "memory_add", "arguments": fact(title) });
        let body = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }).to_string();
        server.send("POST", "/mcp", &older(bearer, &session), &body)
    };
    assert_eq!(add(&bob, "By Bob").status, 404);
    let own: Reply = add(&ada, "By Ada");
    assert_eq!(message(&own)["result"]["isError"], false);
    let stranger = server.send("GET", "/mcp", &older("Bearer cm_nonsense", &session), "");
    assert_eq!(stranger.status, 401);
}

#[test]
fn an_open_stream_ends_with_the_server() {
    let sandbox = rules();
    let ada = format!("Bearer {}", token(&sandbox, "Ada", "reader"));
    let server = ServerProcess::of(&sandbox, &[]);
    let session = hello(&server, &ada);
    let mut open = server.connect();
    open.write_all(&request("GET", "/mcp", &older(&ada, &session), b"")).unwrap();
    let mut stream = BufReader::new(open);
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    assert!(line.starts_with("HTTP/1.1 200"), "{line}");
    let (code, log) = server.end(Signal::TERM);
    assert_eq!(code, Some(143), "{log}");
    assert!(log.contains("0 connections closed, 0 operations left"), "{log}");
}

/// Opens the event stream of a session and reads its header.
fn stream(server: &ServerProcess, bearer: &str, session: &str) -> BufReader<TcpStream> {
    let mut open = server.connect();
    open.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    open.write_all(&request("GET", "/mcp", &older(bearer, session), b"")).unwrap();
    let mut stream = BufReader::new(open);
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    assert!(line.starts_with("HTTP/1.1 200"), "{line}");
    stream
}

#[test]
fn an_open_stream_and_its_session_end_when_the_token_is_revoked() {
    let sandbox = rules();
    let [ada, bob] = ["Ada", "Bob"].map(|name| format!("Bearer {}", token(&sandbox, name, "reader")));
    let again = format!("Bearer {}", token(&sandbox, "Ada", "reader"));
    let server = ServerProcess::of(&sandbox, &[]);
    let [hers, his] = [&ada, &bob].map(|bearer| hello(&server, bearer));
    let mut open = stream(&server, &ada, &hers);
    let _others = stream(&server, &bob, &his);
    // A stream of the current revision, which has no sessions.
    let params = json!({ "notifications": { "resourceSubscriptions": ["cm://core"] }, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "tester", "version": "1" },
    } });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params });
    let mut headers = older(&ada, "");
    headers.retain(|(name, _)| *name != "mcp-protocol-version");
    headers.extend([("mcp-protocol-version", "2026-07-28"), ("mcp-method", "subscriptions/listen")]);
    let mut listening = server.connect();
    listening.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    listening.write_all(&request("POST", "/mcp", &headers, body.to_string().as_bytes())).unwrap();
    let mut listening = BufReader::new(listening);
    let mut line = String::new();
    while !line.contains("acknowledged") {
        line.clear();
        assert_ne!(listening.read_line(&mut line).unwrap(), 0, "it is acknowledged first");
    }
    let id =
        sandbox.cm(&["token", "list", "--json"]).ok().json()["tokens"][0]["id"].as_str().unwrap().to_owned();
    sandbox.cm(&["token", "revoke", &id]).ok();
    for stream in [&mut open, &mut listening] {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("the stream ends");
    }
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }).to_string();
    assert_eq!(server.send("POST", "/mcp", &older(&ada, &hers), &ping).status, 401);
    assert_eq!(
        server.send("POST", "/mcp", &older(&again, &hers), &ping).status,
        404,
        "it ended with its token"
    );
    assert_eq!(server.send("POST", "/mcp", &older(&bob, &his), &ping).status, 200);
}

#[test]
fn the_audit_log_says_who_did_what_and_when_and_nothing_of_the_contents() {
    let sandbox = rules();
    let (ada, bob) = (token(&sandbox, "Ada", "writer"), token(&sandbox, "Bob", "reader"));
    let server = ServerProcess::of(&sandbox, &[]);
    assert_eq!(server.tool(&ada, "memory_add", &fact("Ports differ"))["isError"], false);
    refused(&server.tool(&bob, "memory_add", &fact("Ports differ")));
    refused(&server.tool(&bob, "memory_get", &json!({ "id": "nowhere-to-be-found" })));
    assert_eq!(server.ask("GET", "/search?q=heron", &bob, "").0, 200);
    assert_eq!(server.ask("POST", "/observations", &bob, "{\"content\": \"The heron stands.\"}").0, 403);
    server.end(Signal::TERM);
    let log = sandbox.read_private("audit.jsonl");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told = |key: &str| -> Vec<String> {
        lines.iter().map(|line| line[key].as_str().unwrap_or("-").to_owned()).collect()
    };
    assert_eq!(told("surface"), ["mcp", "mcp", "mcp", "http", "http"]);
    assert_eq!(
        told("operation"),
        ["memory_add", "memory_add", "memory_get", "memory_search", "observe"],
        "{log}"
    );
    assert_eq!(told("person"), ["Ada", "Bob", "Bob", "Bob", "Bob"]);
    assert_eq!(told("agent"), ["tester", "tester", "tester", "codex", "codex"]);
    assert_eq!(told("outcome"), ["done", "forbidden", "not-found", "done", "forbidden"]);
    assert!(told("at").iter().all(|at| at.starts_with("2026-")), "{log}");
    assert!(told("token").iter().all(|id| id.len() >= 8), "{log}");
    assert_eq!(lines[3]["query"].as_str().map(str::len), Some(16), "{log}");
    for contents in ["Ports", "heron", "nowhere", &ada[3..], &bob[3..]] {
        assert!(!log.contains(contents), "{contents}: {log}");
    }
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(sandbox.private("audit.jsonl")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_server_without_agents_has_no_such_path() {
    let server = ServerProcess::of(&rules(), &["--no-mcp"]);
    assert_eq!(server.message("tools/list", json!({}), &[]).status, 404);
}
