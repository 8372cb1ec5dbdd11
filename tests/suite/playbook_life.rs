//! The whole life of a rule, as a person and an agent at the command line live it: added, doubled, credited, found harmful, inverted,
//! told, and taken back.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use crate::support::{Sandbox, vault_of};

const RULE: &str = "Retry a failed gauge request at once, up to five times.";

/// An empty vault, and the transcript of what was typed into it.
struct Desk {
    sandbox: Sandbox,
    transcript: String,
}

impl Desk {
    fn new() -> Self {
        let sandbox = vault_of("--- cm.toml\n");
        Self { sandbox, transcript: String::new() }
    }

    /// Types a command on a day; what it prints goes into the transcript.
    fn types(&mut self, day: &str, words: &[&str]) -> String {
        let ran = self.sandbox.cm(&[words, &["--now", day]].concat());
        let shown = words.iter().map(|word| match word.contains(' ') {
            true => format!("\"{word}\""),
            false => (*word).to_owned(),
        });
        let shown: Vec<String> = shown.collect();
        self.transcript += &format!("{day} $ cm {}\n{}", shown.join(" "), ran.snapshot());
        ran.stdout
    }

    fn json(&self, day: &str, words: &[&str]) -> serde_json::Value {
        self.sandbox.cm(&[words, &["--now", day, "--json"]].concat()).ok().json()
    }
}

#[test]
fn a_rule_is_added_doubled_credited_inverted_told_and_brought_back() {
    let mut desk = Desk::new();
    desk.types(
        "2026-03-02",
        &["playbook", "add", "--category", "net", "--why", "One request in a hundred gets lost.", RULE],
    );
    let id = desk.json("2026-03-02", &["playbook", "list"])["bullets"][0]["id"].as_str().unwrap().to_owned();
    let shouted = RULE.to_uppercase();
    desk.types(
        "2026-03-03",
        &["playbook", "add", "--category", "net", "--agent", "codex", "--session", "s-1", &shouted],
    );
    desk.types("2026-03-04", &["mark", &id, "--helpful", "--session", "s-2", "--agent", "claude-code"]);
    for session in ["s-3", "s-4", "s-5"] {
        desk.sandbox.cm(&["mark", &id, "--helpful", "--session", session, "--now", "2026-03-05"]).ok();
    }
    desk.types("2026-03-05", &["playbook", "list"]);
    desk.types("2026-06-08", &["mark", &id, "--harmful", "--reason", "caused_bug", "--session", "s-6"]);
    desk.types(
        "2026-06-09",
        &["mark", &id, "--harmful", "--reason", "all stations at once", "--session", "s-7"],
    );
    desk.types("2026-06-10", &["context", "the gauge request failed, retry it"]);
    desk.types("2026-06-10", &["core", "--dry-run"]);
    desk.types("2026-06-10", &["why", &id]);
    desk.types("2026-06-11", &["undo"]);
    desk.types("2026-06-11", &["playbook", "list"]);
    insta::assert_snapshot!(desk.transcript, @"");
    let story = desk.sandbox.git(&["log", "--format=%s"]);
    insta::assert_snapshot!(story, @"");
    assert_eq!(desk.sandbox.git(&["status", "--porcelain"]), "");
}
