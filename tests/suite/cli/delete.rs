//! `cm delete`

use super::small::{CLOSE, RETRY, commits, committed, inside, message, small};
use crate::support::{Sandbox, hashes};

#[test]
fn a_note_goes_with_the_edge_files_that_end_at_it() {
    let sandbox = small();
    sandbox.cm(&["relate", "1f0c99", "SOLVES", "77ab01"]).ok();
    let ran = sandbox.cm(&["delete", "1f0c99", "--reason", "was never true"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    removed 2 files  commit [COMMIT]
      graph/fixes/close-idle-connections-1f0c99.md
      graph/edges/close-idle-connections--SOLVES--gauges-time-out-1c5087.md
    to bring it back: cm undo [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Delete "Close idle connections"

    Cm-Op: delete
    Cm-Id: 1f0c9900-0000-4000-8000-000000000002
    Cm-Id: 1c5087c8-8475-4a2b-bc1c-29f7dd8aca74
    Cm-Reason: was never true
    Cm-Operation: 2e97e2acb26845939f92c54ec2f1d650
    "#);
    assert_eq!(committed(&sandbox).lines().filter(|line| line.starts_with("D\t")).count(), 2);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_eq!(sandbox.cm(&["get", "1f0c9900"]).code, 4);
}

#[test]
fn links_that_the_deletion_leaves_dangling_are_told() {
    let sandbox = small();
    let ran = sandbox.cm(&["delete", "Gauges time out"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    removed 1 file  commit [COMMIT]
      graph/problems/gauges-time-out-77ab01.md
    to bring it back: cm undo [COMMIT]
    [stderr]
    note: graph/solutions/retry-with-jitter-1f0c2a.md:15 still refers to "Gauges time out"
    [exit 0]
    "#);
}

#[test]
fn several_notes_go_in_one_commit() {
    let sandbox = small();
    let deleted = sandbox.cm(&["delete", "1f0c99", RETRY, "1f0c2a", "--json"]).ok().json();
    insta::assert_snapshot!(format!("{deleted:#}").replace(deleted["commit"].as_str().unwrap(), "[COMMIT]"), @r#"
    {
      "ids": [
        "1f0c9900-0000-4000-8000-000000000002",
        "1f0c2a00-0000-4000-8000-000000000001"
      ],
      "path": "graph/fixes/close-idle-connections-1f0c99.md",
      "paths": [
        "graph/fixes/close-idle-connections-1f0c99.md",
        "graph/solutions/retry-with-jitter-1f0c2a.md"
      ],
      "commit": "[COMMIT]",
      "changed": true
    }
    "#);
    assert_eq!(commits(&sandbox), 2);
}

#[test]
fn one_name_that_is_not_found_or_ambiguous_keeps_them_all() {
    let sandbox = small();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["delete", "1f0c2a", "No such note"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: note `No such note` not found
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
    let ran = sandbox.cm(&["delete", "1f0c"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: `1f0c` matches 2 notes
     hint: use one of
           1f0c9900-0000-4000-8000-000000000002  Close idle connections
           1f0c2a00-0000-4000-8000-000000000001  Retry with jitter
    [exit 4]
    ");
    assert_eq!(sandbox.cm(&["delete"]).code, 2);
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn a_note_whose_edits_no_commit_holds_is_not_removed() {
    let sandbox = small();
    sandbox.write(CLOSE, sandbox.read(CLOSE) + "Half a thought\n");
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["delete", "1f0c99"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: graph/fixes/close-idle-connections-1f0c99.md has uncommitted changes
       at: graph/fixes/close-idle-connections-1f0c99.md
     hint: commit them with `cm commit`, then run the command again
    [exit 5]
    ");
    assert_eq!(hashes(&sandbox.vault()), before);
    sandbox.cm(&["commit"]).ok();
    sandbox.cm(&["delete", "1f0c99"]).ok();
    sandbox.cm(&["undo"]).ok();
    assert!(sandbox.read(CLOSE).ends_with("Half a thought\n"));
}

#[test]
fn where_commits_are_manual_what_no_commit_holds_stays_too() {
    let sandbox = inside();
    let (new, half) = ("memory/graph/facts/new.md", format!("memory/{CLOSE}"));
    sandbox.write(new, sandbox.read(&half).replace("1f0c9900", "2e2e2e00"));
    sandbox.write(&half, sandbox.read(&half) + "Half a thought\n");
    let cm = |arguments: &[&str]| sandbox.run(arguments).within("memory").go();
    insta::assert_snapshot!(cm(&["delete", "2e2e2e"]).snapshot(), @r"
    [stderr]
    error: graph/facts/new.md is not committed yet
       at: graph/facts/new.md
     hint: commit it with `cm commit`, then run the command again
    [exit 5]
    ");
    assert_eq!(cm(&["delete", "1f0c99"]).code, 5);
    assert!(sandbox.read(&half).ends_with("Half a thought\n"));
    cm(&["commit"]).ok();
    cm(&["delete", "2e2e2e", "1f0c99"]).ok();
    assert_eq!(sandbox.git(&["status", "--porcelain"]), format!(" D {new}\n D {half}\n"));
}

#[test]
fn where_no_repository_keeps_the_note_that_is_told() {
    let sandbox = Sandbox::new();
    sandbox.write("cm.toml", "");
    sandbox.write("graph/facts/a.md", "---\nid: a\ntitle: A\n---\n");
    insta::assert_snapshot!(sandbox.cm(&["delete", "graph/facts/a.md"]).snapshot(), @r"
    removed 1 file  not committed
      graph/facts/a.md
    [stderr]
    note: the old content of graph/facts/a.md is not in a Git repository
    [exit 0]
    ");
}

#[test]
fn a_deletion_names_the_command_that_brings_the_note_back() {
    let sandbox = small();
    let text = sandbox.read(RETRY);
    let deleted = sandbox.cm(&["delete", "1f0c2a"]).ok();
    let command = deleted.stdout.lines().find_map(|line| line.strip_prefix("to bring it back: cm ")).unwrap();
    let words: Vec<&str> = command.split(' ').collect();
    sandbox.cm(&words).ok();
    assert_eq!(sandbox.read(RETRY), text);
}
