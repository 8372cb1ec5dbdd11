//! The project's and the user's playbook combined: precedence of text and feedback, and the target
//! of changes.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

use serde_json::Value;

use crate::support::{Ran, Sandbox, vault_of};

/// The user's global vault.
const GLOBAL: &str = "\
--- playbook/net/timeout-1.md
---
id: b-mq6d3m8l-aaaaaa
category: net
state: active
maturity: established
feedback:
- {at: 2026-11-01T08:00:00Z, signal: helpful, session: s-1}
- {at: 2026-11-02T08:00:00Z, signal: helpful, session: s-2}
created: 2026-06-01T08:00:00Z
---

Give every request a timeout.
--- playbook/net/deadline-2.md
---
id: b-mq6d3m8l-bbbbbb
category: net
state: active
created: 2026-10-01T08:00:00Z
---

Log a request by its id and never by its body.
--- blocked/cache.md
---
id: 0b10c4ed-0000-4000-8000-000000000001
kind: toxic
content: Cache every answer of the gateway for an hour.
reason: stale levels in the flood of June
---
";

/// The project's vault, with its own version of one rule.
const PROJECT: &str = "\
--- playbook/net/timeout-1.md
---
id: b-mq6d3m8l-aaaaaa
category: net
state: active
maturity: established
feedback:
- {at: 2026-11-02T08:00:00Z, signal: helpful, session: s-2}
- {at: 2026-11-03T08:00:00Z, signal: harmful, session: s-3}
created: 2026-06-01T08:00:00Z
---

Give every request of this project a timeout of two seconds.
--- blocked/retry.md
---
id: 0b10c4ed-0000-4000-8000-000000000002
kind: toxic
content: Retry a failed request at once, up to five times.
reason: took the gateway down
---
";

struct Two {
    project: Sandbox,
    global: Sandbox,
}

impl Two {
    fn new() -> Self {
        let two = Self { project: vault_of(PROJECT), global: vault_of(GLOBAL) };
        two.project.trust(&two.global.vault());
        two
    }

    fn run(&self, words: &[&str]) -> Ran {
        let folder = self.global.vault().display().to_string();
        self.project.run(words).env("CM_GLOBAL_VAULT", &folder).go()
    }

    fn json(&self, words: &[&str]) -> Value {
        self.run(&[words, &["--json"]].concat()).ok().json()
    }
}

#[test]
fn the_projects_words_win_and_feedback_of_both_counts() {
    let two = Two::new();
    let all = two.json(&["playbook", "list"]);
    let bullets = all["bullets"].as_array().unwrap();
    assert_eq!(bullets.len(), 2);
    let one = bullets.iter().find(|bullet| bullet["id"] == "b-mq6d3m8l-aaaaaa").unwrap();
    assert_eq!(one["content"], "Give every request of this project a timeout of two seconds.");
    assert_eq!(
        (&one["helpful"], &one["harmful"]),
        (&2.into(), &1.into()),
        "the event that both have counts once"
    );
}

#[test]
fn a_block_of_either_vault_holds() {
    let two = Two::new();
    for rule in [
        "Cache every answer of the gateway for an hour!",
        "Retry a failed request at once, up to five times.",
    ] {
        let ran = two.run(&["playbook", "add", "--category", "net", rule]);
        assert_eq!(ran.code, 5, "{}", ran.snapshot());
        assert!(ran.stderr.contains("blocked"), "{}", ran.snapshot());
    }
    let elsewhere = two.global.cm(&[
        "playbook",
        "add",
        "--category",
        "net",
        "Retry a failed request at once, up to five times.",
    ]);
    assert_eq!(elsewhere.code, 0, "the project's block holds where the project is open");
}

#[test]
fn a_word_about_a_bullet_goes_to_the_vault_that_holds_it() {
    let two = Two::new();
    let marked = two.json(&["mark", "b-mq6d3m8l-bbbbbb", "--helpful"]);
    assert_eq!(marked["helpful"], 1);
    assert!(two.global.read("playbook/net/deadline-2.md").contains("signal: helpful"));
    assert_eq!(two.project.git(&["rev-list", "--count", "HEAD"]).trim(), "1", "nothing was written there");
    two.json(&["mark", "b-mq6d3m8l-aaaaaa", "--helpful"]);
    assert!(two.project.read("playbook/net/timeout-1.md").contains("2026-11-21"));
    assert!(!two.global.read("playbook/net/timeout-1.md").contains("2026-11-21"));
}

#[test]
fn what_the_other_vault_says_is_neither_doubled_nor_contradicted_without_a_word() {
    let two = Two::new();
    let again =
        two.json(&["playbook", "add", "--category", "net", "Log a request by its id and never by its body."]);
    assert_eq!((&again["added"], &again["id"]), (&false.into(), &"b-mq6d3m8l-bbbbbb".into()));
    let against = two.json(&["playbook", "add", "--category", "net", "Never give a request a timeout."]);
    assert_eq!(against["state"], "draft", "{against}");
    assert_eq!(against["conflicts"].as_array().unwrap().len(), 1, "{against}");
}

#[test]
fn an_undo_takes_back_the_last_change_of_either_vault() {
    let two = Two::new();
    two.run(&[
        "add",
        "--type",
        "fact",
        "--title",
        "Dump job",
        "--body",
        "At four.",
        "--now",
        "2026-11-21T09:00:00Z",
    ])
    .ok();
    two.run(&["mark", "b-mq6d3m8l-bbbbbb", "--helpful", "--now", "2026-11-21T09:01:00Z"]).ok();
    let log = two.run(&["log"]).ok();
    assert!(log.stderr.contains("`cm log --vault "), "{}", log.snapshot());
    let history = two.json(&["history", "b-mq6d3m8l-bbbbbb"]);
    assert_eq!(history["versions"].as_array().unwrap().len(), 2, "{history}");
    let undone = two.run(&["undo", "--now", "2026-11-21T09:02:00Z"]).ok();
    assert!(undone.stdout.contains("Mark "), "{}", undone.snapshot());
    assert!(undone.stderr.contains("global vault"), "{}", undone.snapshot());
    assert!(!two.global.read("playbook/net/deadline-2.md").contains("signal: helpful"));
    let undone = two.run(&["undo", "--now", "2026-11-21T09:03:00Z"]).ok();
    assert!(undone.stdout.contains("Dump job"), "{}", undone.snapshot());
}

#[test]
fn a_person_changes_a_note_in_the_vault_that_has_it() {
    let two = Two::new();
    let rule = "b-mq6d3m8l-bbbbbb";
    let pinned = two.run(&["pin", rule]).ok();
    assert!(pinned.stderr.contains("changed in the global vault"), "{}", pinned.snapshot());
    assert!(two.global.read("playbook/net/deadline-2.md").contains("pinned: true"));
    two.run(&["unpin", rule]).ok();
    two.run(&["update", rule, "--set", "category=ops"]).ok();
    assert!(two.global.read("playbook/net/deadline-2.md").contains("category: ops"));
    two.run(&["forget", rule, "--reason", "too strict"]).ok();
    assert!(two.global.read("playbook/net/deadline-2.md").contains("deprecated"));
    assert_eq!(two.project.git(&["rev-list", "--count", "HEAD"]).trim(), "1", "nothing was written there");
    let relate = two.run(&["relate", rule, "RELATED_TO", "b-mq6d3m8l-aaaaaa"]);
    assert!(relate.stderr.contains("add `--vault "), "{}", relate.snapshot());
}
