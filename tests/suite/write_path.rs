//! Stress tests of the write path: many concurrent writers, and kills at any moment.

use std::time::Duration;

use cm_note::message::{CommitMessage, CommitOp};
use cm_note::path::NotePath;
use cm_store::vault::journal::{FileChange, Journal, JournalEntry};

use crate::support::{Sandbox, hashes, vault_of};

const ONE: &str = "\
--- graph/fixes/a.md
---
id: 11111111-1111-4111-8111-111111111111
type: fix
title: Alpha
tags: [one]
importance: 0.5
created: 2026-11-01T00:00:00Z
updated: 2026-11-01T00:00:00Z
---

# Alpha

Body
";

fn commits(sandbox: &Sandbox) -> usize {
    sandbox.git(&["rev-list", "--count", "HEAD"]).trim().parse().unwrap()
}

/// Asserts the invariants: the repository is valid, every note parses, and nothing is uncommitted.
fn assert_sound(sandbox: &Sandbox) {
    sandbox.git(&["fsck", "--strict"]);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let validated = sandbox.cm(&["validate", "--json"]).ok().json();
    assert_eq!(validated["errors"], 0, "{validated}");
}

#[test]
fn fifty_writers_at_once_make_fifty_commits_and_lose_nothing() {
    let sandbox = vault_of(ONE);
    let titles: Vec<String> = (0..50).map(|n| format!("Parallel note {n}")).collect();
    let children: Vec<_> = titles
        .iter()
        .map(|title| sandbox.command(&["add", "--type", "fact", "--title", title]).spawn().unwrap())
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(commits(&sandbox), 51);
    let found = sandbox.cm(&["search", "parallel", "--limit", "100", "--json"]).ok().json();
    assert_eq!(found["total"], 50);
    assert_sound(&sandbox);
}

/// Number of kills; `CM_TEST_KILLS` sets it for the full measurement.
fn kills() -> u32 {
    std::env::var("CM_TEST_KILLS").ok().and_then(|number| number.parse().ok()).unwrap_or(200)
}

#[test]
fn a_stream_of_writes_killed_at_any_moment_loses_nothing_and_is_repaired_by_the_next() {
    let sandbox = vault_of(ONE);
    let mut confirmed = Vec::new();
    for round in 0..kills() {
        let title = format!("Note of round {round}");
        let arguments: Vec<&str> = match round % 4 {
            0 | 1 => vec!["add", "--type", "fact", "--title", &title, "--body", "Some text"],
            2 => vec!["update", "11111111", "--set", "importance=0.7", "--add-tag", &title],
            _ => vec!["episode", &title],
        };
        let mut child = sandbox.command(&arguments).spawn().unwrap();
        // Covers the whole run of a command, from before its first instruction to after its last.
        std::thread::sleep(Duration::from_micros(u64::from(round) * 197 % 30_000));
        let _ = child.kill();
        if child.wait().unwrap().success() {
            confirmed.push(title);
        }
    }
    // The next writer completes or reverts interrupted operations.
    sandbox.cm(&["add", "--type", "fact", "--title", "After the storm"]).ok();
    assert_sound(&sandbox);
    let everything: String = hashes(&sandbox.vault()).into_keys().map(|path| sandbox.read(&path)).collect();
    for title in &confirmed {
        assert!(everything.contains(title.as_str()), "{title} was confirmed and is gone");
    }
    let leftovers = hashes(&sandbox.vault()).into_keys().filter(|path| path.contains(".cm-")).count();
    assert_eq!(leftovers, 0, "temporary files of killed writers are swept");
}

#[test]
fn a_write_of_several_notes_that_was_killed_leaves_no_copies() {
    let sandbox = vault_of(ONE);
    let old = |path: &str| sandbox.read(path);
    sandbox
        .write("graph/fixes/b.md", old("graph/fixes/a.md").replace("1111", "2222").replace("Alpha", "Beta"));
    sandbox.commit_all("Another note");
    let changed = ["graph/fixes/a.md", "graph/fixes/b.md"].map(|path| FileChange {
        path: NotePath::parse(path).unwrap(),
        from: Vec::new(),
        before: Some(old(path).into_bytes().into()),
        after: Some(old(path).replace("Body", "More of it").into_bytes().into()),
        edits: Vec::new(),
        executable: false,
        left_out: false,
    });
    let entry = JournalEntry {
        operation: "0123456789abcdef0123456789abcdef".to_owned(),
        message: CommitMessage::new(CommitOp::Update, "Update two notes"),
        commits: true,
        files: changed.to_vec(),
        join: None,
    };
    Journal::of(&sandbox.open_vault()).unwrap().begin(&entry).unwrap();
    // Killed while the old files lay beside the new ones, and a third one was half written.
    for (number, file) in changed.iter().enumerate() {
        let (before, after) = (file.before.as_ref().unwrap(), file.after.as_ref().unwrap());
        sandbox.write(file.path.as_str(), after.as_slice());
        sandbox.write(&format!("graph/fixes/.cm-{number}.tmp"), before.as_slice());
        sandbox.write(&format!("graph/fixes/.cm-half{number}.tmp"), &after.as_slice()[..100]);
    }
    let answer = sandbox.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    assert!(answer.stderr.contains("finished an interrupted operation"), "{}", answer.snapshot());
    let files = std::fs::read_dir(sandbox.vault().join("graph/fixes")).unwrap();
    let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["a.md", "b.md"]);
    assert_eq!(sandbox.git(&["log", "--format=%s", "-2"]).lines().nth(1), Some("Update two notes"));
    assert_sound(&sandbox);
}

#[test]
fn a_writer_waits_no_longer_than_it_is_told_and_says_who_holds_the_vault() {
    let sandbox = vault_of(ONE);
    let lock = sandbox.vault().join("_state/lock");
    std::fs::create_dir_all(lock.parent().unwrap()).unwrap();
    let held = std::fs::File::create(&lock).unwrap();
    held.lock().unwrap();
    std::fs::write(sandbox.private("holder"), "process 7 (cm add) since noon").unwrap();
    let ran = sandbox
        .run(&["add", "--type", "fact", "--title", "Late", "--json"])
        .env("CM_LOCK_PATIENCE_S", "0.05")
        .go();
    assert_eq!(ran.code, 6);
    let error = &ran.json()["error"];
    assert_eq!(error["code"], "locked");
    assert!(error["message"].as_str().unwrap().contains("process 7 (cm add) since noon"), "{error}");
}

#[test]
fn a_merge_in_progress_refuses_a_curation_before_anything_is_written() {
    let sandbox = vault_of(ONE);
    sandbox.git(&["checkout", "--quiet", "-b", "other"]);
    sandbox.write("graph/fixes/a.md", ONE.split_once('\n').unwrap().1.replace("Body", "Theirs"));
    sandbox.commit_all("Theirs");
    sandbox.git(&["checkout", "--quiet", "main"]);
    sandbox.git(&["merge", "--quiet", "--no-ff", "--no-commit", "other"]);
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["add", "--type", "fact", "--title", "Meanwhile", "--json"]);
    assert_eq!(ran.code, 5);
    assert_eq!(ran.json()["error"]["code"], "in-progress");
    assert_eq!(hashes(&sandbox.vault()), before);
}
