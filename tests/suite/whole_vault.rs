//! Commands that look at the whole vault answer from what the index stores as from the notes.

use std::fs;

use crate::support::{Sandbox, vault_of};

const QUESTIONS: [&[&str]; 8] = [
    &["stats", "--json"],
    &["validate", "--json", "--all"],
    &["review", "--json"],
    &["decay", "--json"],
    &["tags", "--json"],
    &["core", "--print"],
    &["reflection", "--print"],
    &["related", "Pool", "--json", "--hops", "3"],
];

/// Returns all answers, after checking that an index that stores nothing gives the same ones.
#[track_caller]
fn answers(sandbox: &Sandbox) -> Vec<String> {
    let all = || -> Vec<String> { QUESTIONS.iter().map(|question| sandbox.cm(question).stdout).collect() };
    let answers = all();
    assert_eq!(all(), answers, "asked again");
    fs::remove_dir_all(sandbox.vault().join("_index")).unwrap();
    assert_eq!(all(), answers, "without what was stored");
    answers
}

fn rule(number: usize, text: &str) -> String {
    format!(
        "---\nid: b-mt2ssunl-{number:06}\ncategory: git\nstate: active\nupdated: 2026-11-20\n---\n\n{text}\n"
    )
}

#[test]
fn what_the_index_stores_changes_no_answer() {
    let sandbox = vault_of(
        "--- graph/facts/pool.md
---
id: 00000001-0000-4000-8000-000000000001
type: fact
title: Pool
tags: [net, pool]
created: 2026-11-01
---

See [[Socket]] and [[nowhere]].
--- graph/facts/socket.md
---
id: 00000002-0000-4000-8000-000000000002
type: insight
title: Socket
tags: [net]
created: 2026-11-02
relations:
  - target: 00000001-0000-4000-8000-000000000001
    type: SUPERSEDES
---

SOLVES:: [[Pool]]
--- graph/edges/e.md
---
id: 00000003-0000-4000-8000-000000000003
type: CONTRADICTS
from_id: 00000001-0000-4000-8000-000000000001
to_id: 00000002-0000-4000-8000-000000000002
---

As in [[Pool]].
",
    );
    for number in 0..60 {
        let text =
            format!("{} number {number} before the release.", ["Test", "Measure", "Close"][number % 3]);
        sandbox.write(&format!("playbook/git/r{number}.md"), rule(number, &text));
    }
    sandbox.write("playbook/git/a.md", rule(100, "Always squash commits before merging a branch."));
    let first = answers(&sandbox);
    sandbox.write("playbook/git/b.md", rule(101, "Never squash commits before merging a branch."));
    let with_conflict = answers(&sandbox);
    assert_ne!(first[2], with_conflict[2], "the conflict is listed");
    sandbox.write("playbook/git/b.md", rule(101, "Sign each commit."));
    sandbox.write("notes/socket.md", "[[nowhere]]\n");
    sandbox.write("nowhere.md", "[[Pool]]\n");
    fs::remove_file(sandbox.vault().join("graph/edges/e.md")).unwrap();
    let last = answers(&sandbox);
    assert!(first[..2].iter().zip(&last).all(|(first, last)| first != last));
}

#[test]
fn an_add_is_compared_with_what_the_rules_say_now() {
    let sandbox = vault_of(
        "--- playbook/git/squash.md
---
id: b-mt2ssunl-000100
category: git
state: active
---

Always squash commits before merging a branch.
",
    );
    for number in 0..60 {
        sandbox.write(
            &format!("playbook/git/r{number}.md"),
            rule(number, &format!("Close ticket {number} at night.")),
        );
    }
    let added =
        |text: &str| sandbox.cm(&["playbook", "add", "--category", "git", text, "--json"]).ok().json();
    let said = |text: &str| added(text)["note"].to_string();
    let conflicts = |text: &str| added(text)["conflicts"].as_array().unwrap().len();
    let squash = "Always squash commits before merging a branch.";
    assert!(said(squash).contains("already exists"));
    assert_eq!(conflicts("Never squash commits before merging a branch."), 1);
    // Just written, and in no index yet.
    assert!(said("Never squash commits before merging a branch.").contains("already exists"));
    // Changed by hand after what is stored of it.
    sandbox.write("playbook/git/squash.md", rule(100, "Sign each commit with your own key."));
    assert!(said("Sign each commit with your own key.").contains("already exists"));
    assert_eq!(conflicts("Never sign a commit with your own key."), 1);
    fs::remove_file(sandbox.vault().join("playbook/git/squash.md")).unwrap();
    assert_eq!(added("Sign each commit with your own key.")["added"], true);
    fs::remove_dir_all(sandbox.vault().join("_index")).unwrap();
    assert!(said("Close ticket 59 at night.").contains("already exists"));
}
