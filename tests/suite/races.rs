//! Decisions made before a command gets the lock are made again afterwards, because other processes
//! may have written meanwhile.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Sandbox, vault_of};

const DRAFT: &str = "\
--- playbook/testing/draft.md
---
id: b-mq6d3m8l-d1d1d1
category: testing
state: draft
created: 2026-11-12T09:00:00Z
updated: 2026-11-12T09:00:00Z
---

Run the linter before each commit.
";

/// Starts commands while another writer holds the lock, runs `write`, and releases the lock.
/// Returns exit code and output of each command.
fn meanwhile(sandbox: &Sandbox, commands: &[&[&str]], write: impl FnOnce()) -> Vec<(i32, String)> {
    let lock = sandbox.vault().join("_state/lock");
    std::fs::create_dir_all(sandbox.vault().join("_state")).unwrap();
    let held = std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(&lock).unwrap();
    held.lock().unwrap();
    let start = |arguments: &&[&str]| {
        let mut command: Command = sandbox.command(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = commands.iter().map(start).collect();
    // Enough time for each to reach the lock. The assertions hold even if one does not.
    std::thread::sleep(Duration::from_millis(1500));
    write();
    drop(held);
    let answer = |child: std::process::Child| {
        let out = child.wait_with_output().unwrap();
        let text = [out.stdout, out.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (out.status.code().unwrap(), text)
    };
    children.into_iter().map(answer).collect()
}

#[test]
fn a_draft_that_was_given_up_meanwhile_is_not_accepted() {
    let sandbox = vault_of(DRAFT);
    sandbox.cm(&["reindex"]).ok();
    let path = "playbook/testing/draft.md";
    let fallen = sandbox.read(path).replace("draft\n", "retired\nmaturity: deprecated\n");
    let accept: &[&str] = &["review", "--accept", "b-mq6d3m8l-d1d1d1"];
    let answers = meanwhile(&sandbox, &[accept], || sandbox.write(path, &fallen));
    assert_eq!(answers[0].0, 5, "{answers:?}");
    assert!(answers[0].1.contains("is not a draft but deprecated"), "{answers:?}");
    assert_eq!(sandbox.read(path), fallen);
}

#[test]
fn a_block_is_lifted_as_it_is_when_it_is_lifted() {
    let sandbox = vault_of(DRAFT);
    sandbox.cm(&["forget", "b-mq6d3m8l-d1d1d1", "--reason", "caused an outage"]).ok();
    let path = "playbook/testing/draft.md";
    let judged = sandbox.read(path).replace(
        "category: testing\n",
        "category: testing\nfeedback:\n  - {at: 2026-11-20, signal: harmful, session: a}\n  - {at: 2026-11-20, signal: harmful, session: b}\n",
    );
    let revive: &[&str] = &["unforget", "b-mq6d3m8l-d1d1d1", "--revive"];
    let write = || {
        sandbox.write(path, &judged);
        sandbox.git(&["commit", "--quiet", "--all", "--message", "Judged"]);
    };
    let answers = meanwhile(&sandbox, &[revive], write);
    assert_eq!(answers[0].0, 5, "{answers:?}");
    assert!(answers[0].1.contains("still contradicted by its feedback"), "{answers:?}");
    assert_eq!(sandbox.read(path), judged);
}

#[test]
fn one_file_that_is_imported_twice_at_once_comes_in_once() {
    let sandbox = vault_of(DRAFT);
    sandbox.cm(&["reindex"]).ok();
    sandbox.write(
        "AGENTS.md",
        "# Rules\n\n- Run the whole suite before you push.\n- Name every number with its unit.\n",
    );
    let import: &[&str] = &["playbook", "import", "AGENTS.md"];
    let answers = meanwhile(&sandbox, &[import, import], || {});
    assert_eq!(answers.iter().map(|(code, _)| *code).collect::<Vec<_>>(), [0, 0], "{answers:?}");
    let listed = sandbox.cm(&["playbook", "list", "--json"]).ok().json();
    assert_eq!(listed["total"], 3, "{listed:#}");
}
