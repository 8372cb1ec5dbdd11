//! Servers with a clone each, which share one memory through the remote.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Clone, Remote};
use crate::support::ServerProcess;

/// Stores an observation and returns its id.
fn observe(server: &ServerProcess, text: &str) -> String {
    let body = json!({ "content": text }).to_string();
    let reply = server.send("POST", "/observations", &[("content-type", "application/json")], &body);
    assert_eq!(reply.status, 201, "{}", reply.body);
    let answer: Value = serde_json::from_str(&reply.body).unwrap();
    answer["id"].as_str().expect("it has an id").to_owned()
}

/// Waits until a server's search finds a text.
fn wait_for(server: &ServerProcess, word: &str) {
    for _ in 0..600 {
        let reply = server.send("GET", &format!("/search?q={word}"), &[], "");
        let answer: Value = serde_json::from_str(&reply.body).unwrap();
        let titles = answer["hits"].as_array().into_iter().flatten().map(|hit| hit["title"].to_string());
        if titles.into_iter().any(|title| title.contains(word)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("`{word}` never arrived");
}

#[test]
fn what_is_written_at_one_server_is_read_at_the_others() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", "--- graph/facts/a.md\n# A\n\nOne.\n");
    let ben = Clone::of(&remote, "ben");
    for clone in [&ada, &ben] {
        clone.trust(&remote);
    }
    let servers = [&ada, &ben].map(|clone| ServerProcess::with_clock(&clone.sandbox, &["--sync", "1s"]));
    for (number, server) in servers.iter().enumerate() {
        for part in 0..3 {
            observe(server, &format!("The harbour gauge of pier zebra{number}{part} freezes in winter"));
        }
    }
    for server in &servers {
        for number in 0..2 {
            for part in 0..3 {
                wait_for(server, &format!("zebra{number}{part}"));
            }
        }
    }
}

#[test]
fn an_interval_that_is_none_is_refused() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", "--- graph/facts/a.md\n# A\n");
    for interval in ["0", "soon", "5d", "9999999999"] {
        let ran = ada.cm(&["serve", "--sync", interval]);
        assert_eq!(ran.code, 2, "{interval}: {}", ran.snapshot());
    }
}

#[test]
fn the_end_of_a_session_synchronizes_if_the_user_wants_it() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", "--- graph/facts/a.md\n# A\n");
    ada.trust(&remote);
    ada.sandbox.settings("[hooks]\nsync = true\n");
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    let head = ada.sandbox.git(&["rev-parse", "HEAD"]);
    let message = json!({ "session_id": "s-1", "hook_event_name": "SessionEnd", "reason": "other" });
    let hook = ada.sandbox.run(&["hook", "claude", "session-end"]).env("CM_NOW", &ada.tick());
    hook.stdin(message.to_string()).go().ok();
    for _ in 0..600 {
        if ada.sandbox.git(&["ls-remote", "origin", "refs/heads/main"]).starts_with(head.trim()) {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("nothing was sent:\n{}", ada.cm(&["status"]).stdout);
}
