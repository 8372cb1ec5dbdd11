//! `cm restore`

use super::small::{CLOSE, RETRY, commits, message, small};
use crate::support::hashes;

#[test]
fn a_note_that_is_gone_comes_back_where_it_lay() {
    let sandbox = small();
    let text = sandbox.read(CLOSE);
    sandbox.cm(&["delete", "1f0c99"]).ok();
    let ran = sandbox.cm(&["restore", "1f0c99@HEAD~1"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c9900-0000-4000-8000-000000000002  graph/fixes/close-idle-connections-1f0c99.md  commit [COMMIT]
    [exit 0]
    ");
    assert_eq!(sandbox.read(CLOSE), text);
    let short = sandbox.git(&["rev-parse", "HEAD~2"]);
    insta::assert_snapshot!(message(&sandbox).replace(&short[..10], "[COMMIT]"), @r#"
    Restore "Close idle connections" as of [COMMIT]

    Cm-Op: restore
    Cm-Id: 1f0c9900-0000-4000-8000-000000000002
    Cm-Operation: b17e5fd962974bde9d655901d469a4ab
    "#);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_deleted_note_comes_back_with_the_edges_that_were_deleted_with_it() {
    let sandbox = small();
    sandbox.cm(&["relate", "1f0c99", "1f0c2a", "--type", "REQUIRES"]).ok();
    let before = hashes(&sandbox.vault());
    sandbox.cm(&["delete", "1f0c99"]).ok();
    sandbox.cm(&["restore", "1f0c99"]).ok();
    assert_eq!(hashes(&sandbox.vault()), before);
    sandbox.cm(&["delete", "1f0c99"]).ok();
    sandbox.cm(&["delete", "1f0c2a"]).ok();
    sandbox.cm(&["restore", "1f0c99"]).ok();
    assert!(sandbox.cm(&["related", "1f0c99"]).ok().stdout.contains("no edges"));
}

#[test]
fn a_changed_and_moved_note_gets_its_old_text_in_its_new_place() {
    let sandbox = small();
    let text = sandbox.read(RETRY);
    sandbox.cm(&["update", "1f0c2a", "--body", "All gone."]).ok();
    sandbox.cm(&["pin", "1f0c2a"]).ok();
    let ran = sandbox.cm(&["restore", "Retry with jitter@HEAD~2", "--json"]).ok().json();
    assert_eq!(ran["path"], "vault/retry-with-jitter-1f0c2a.md");
    assert_eq!(sandbox.read("vault/retry-with-jitter-1f0c2a.md"), text);
    let ran = sandbox.cm(&["restore", "1f0c2a@HEAD~3"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c2a00-0000-4000-8000-000000000001  vault/retry-with-jitter-1f0c2a.md  nothing to change
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), 4);
}

#[test]
fn an_age_names_the_commit_of_then() {
    let sandbox = small();
    sandbox.run(&["delete", "1f0c99"]).env("CM_NOW", "2026-11-25").go().ok();
    sandbox.run(&["restore", "1f0c99@2d"]).env("CM_NOW", "2026-11-25").go().ok();
    assert!(sandbox.vault().join(CLOSE).exists());
}

#[test]
fn a_note_or_commit_that_never_was_and_a_slip_are_refused() {
    let sandbox = small();
    let before = hashes(&sandbox.vault());
    for arguments in [&["restore", "1f0c99"][..], &["restore", "1f0c99@"], &["restore", "@HEAD"]] {
        assert_eq!(sandbox.cm(arguments).code, 2, "{arguments:?}");
    }
    let ran = sandbox.cm(&["restore", "1f0c99@"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: expected NOTE or NOTE@COMMIT
     hint: for example `cm restore 1f0c2a@HEAD~3`
    [exit 2]
    ");
    let ran = sandbox.cm(&["restore", "1f0c99"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: `1f0c99` is not deleted, so name the version to restore
     hint: `cm history 1f0c99` lists the versions; for example `cm restore 1f0c99@HEAD~3`
    [exit 2]
    ");
    let ran = sandbox.cm(&["restore", "No such note@HEAD"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: note `No such note` not found in commit [COMMIT]
     hint: `cm log --op delete` lists deleted notes
    [exit 4]
    ");
    let ran = sandbox.cm(&["restore", "1f0c99@HEAD~7", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "not-found",
        "message": "`HEAD~7` is neither a commit of this repository nor a date",
        "hint": "`cm log` lists the commits; a date is 2026-11-01 or 2026-11-01T09:30:00Z, an age is 7d or 12h"
      }
    }
    [exit 4]
    "#);
    let ran = sandbox.cm(&["restore", "1f0c@HEAD"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: `1f0c` matches 2 notes
     hint: use one of
           1f0c9900-0000-4000-8000-000000000002  Close idle connections
           1f0c2a00-0000-4000-8000-000000000001  Retry with jitter
    [exit 4]
    ");
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn a_beginning_of_an_id_that_two_gone_notes_share_is_ambiguous() {
    let sandbox = small();
    sandbox.cm(&["delete", "1f0c2a", "1f0c99"]).ok();
    let ran = sandbox.cm(&["restore", "1f0c@HEAD~1"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: `1f0c` matches 2 notes
     hint: use one of
           1f0c9900-0000-4000-8000-000000000002  Close idle connections
           1f0c2a00-0000-4000-8000-000000000001  Retry with jitter
    [exit 4]
    ");
}

#[test]
fn a_gone_note_is_found_by_its_title_too() {
    let sandbox = small();
    sandbox.cm(&["delete", "1f0c99"]).ok();
    sandbox.cm(&["restore", "Close idle connections@HEAD~1"]).ok();
    assert!(sandbox.vault().join(CLOSE).exists());
}

#[test]
fn the_last_version_of_a_deleted_note_needs_no_commit() {
    let sandbox = small();
    sandbox.cm(&["update", "1f0c99", "--append", "The pool closes them."]).ok();
    let text = sandbox.read(CLOSE);
    sandbox.cm(&["delete", "1f0c99"]).ok();
    sandbox.cm(&["restore", "close idle connections"]).ok();
    assert_eq!(sandbox.read(CLOSE), text);
    std::fs::remove_file(sandbox.vault().join(CLOSE)).unwrap();
    sandbox.cm(&["restore", "1f0c99"]).ok();
    assert_eq!(sandbox.read(CLOSE), text);
    assert_eq!(sandbox.cm(&["restore", "No such note"]).code, 4);
}

#[test]
fn hand_edits_that_no_commit_holds_are_not_overwritten() {
    let sandbox = small();
    sandbox.write(CLOSE, sandbox.read(CLOSE) + "Half a thought\n");
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["restore", "1f0c99@HEAD"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: graph/fixes/close-idle-connections-1f0c99.md has uncommitted changes
       at: graph/fixes/close-idle-connections-1f0c99.md
     hint: commit them with `cm commit`, then run the command again
    [exit 5]
    ");
    assert_eq!(hashes(&sandbox.vault()), before);
}
