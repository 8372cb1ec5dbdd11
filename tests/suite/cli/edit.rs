//! `cm edit`

use super::small::{CLOSE, RETRY, commits, committed, message, small};
use crate::support::{Sandbox, hashes};

/// Returns the command of an editor: a shell script that gets the note's file as `$1`.
fn editor(sandbox: &Sandbox, script: &str) -> String {
    let file = sandbox.root().join("editor");
    std::fs::write(&file, format!("set -e\n{script}\n")).unwrap();
    format!("sh '{}'", file.display())
}

#[test]
fn what_the_editor_saved_is_committed_and_nothing_else() {
    let sandbox = small();
    sandbox.write(CLOSE, sandbox.read(CLOSE) + "Half a thought\n");
    let editor = editor(&sandbox, "echo 'Seen again on Friday.' >> \"$1\"");
    let ran = sandbox.run(&["edit", "Retry with jitter"]).env("EDITOR", &editor).go();
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c2a00-0000-4000-8000-000000000001  graph/solutions/retry-with-jitter-1f0c2a.md  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Edit "Retry with jitter"

    Cm-Op: edit
    Cm-Id: 1f0c2a00-0000-4000-8000-000000000001
    "#);
    assert_eq!(committed(&sandbox), format!("M\t{RETRY}\n"));
    assert_eq!(sandbox.git(&["status", "--porcelain"]), format!(" M {CLOSE}\n"));
    assert!(sandbox.read(RETRY).ends_with("\nSeen again on Friday.\n"));
}

#[test]
fn what_was_saved_with_errors_stays_and_is_not_committed() {
    let sandbox = small();
    let editor =
        editor(&sandbox, "sed 's/^importance: .*/importance: [/' \"$1\" > \"$1.new\"; mv \"$1.new\" \"$1\"");
    let ran = sandbox.run(&["edit", "1f0c2a"]).env("VISUAL", &editor).env("EDITOR", "false").go();
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c2a00-0000-4000-8000-000000000001  graph/solutions/retry-with-jitter-1f0c2a.md  saved but not committed: it has errors
    graph/solutions/retry-with-jitter-1f0c2a.md:6:1 error invalid-yaml the frontmatter is not valid YAML: did not find expected ',' or ']', while parsing a flow sequence
        hint: close the bracket, or put the value in quotes
    graph/solutions/retry-with-jitter-1f0c2a.md:6:1 error invalid-value `importance` is not a number
        hint: use a number
    [exit 1]
    ");
    assert_eq!(commits(&sandbox), 1);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), format!(" M {RETRY}\n"));
    let again = sandbox.run(&["edit", RETRY, "--json"]).env("EDITOR", "true").go();
    assert_eq!(again.code, 1, "{again:?}");
    assert_eq!(again.json()["changed"], false);
    assert_eq!(again.json()["findings"][0]["severity"], "error");
}

#[test]
fn an_editor_that_changes_nothing_makes_no_commit() {
    let sandbox = small();
    let ran = sandbox.run(&["edit", "1f0c2a"]).env("EDITOR", "true").go();
    insta::assert_snapshot!(ran.snapshot(), @r"
    1f0c2a00-0000-4000-8000-000000000001  graph/solutions/retry-with-jitter-1f0c2a.md  nothing changed
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), 1);
}

#[test]
fn an_editor_that_fails_or_is_not_there_is_named() {
    let sandbox = small();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.run(&["edit", "1f0c2a"]).env("EDITOR", "false").go();
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: the editor `false` failed: exit status: 1
     hint: set EDITOR to another program
    [exit 1]
    ");
    let ran = sandbox.run(&["edit", "1f0c2a", "--json"]).env("EDITOR", "no-such-editor --wait").go();
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "editor",
        "message": "the editor `no-such-editor --wait` cannot be started: No such file or directory (os error 2)",
        "hint": "set EDITOR to another program"
      }
    }
    [exit 1]
    "#);
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn a_note_that_is_not_there_starts_no_editor() {
    let sandbox = small();
    let editor = editor(&sandbox, "touch started");
    let ran = sandbox.run(&["edit", "jitter"]).env("EDITOR", &editor).go();
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: note `jitter` not found
     hint: did you mean 1f0c2a00-0000-4000-8000-000000000001 (Retry with jitter)?
    [exit 4]
    ");
    assert!(!sandbox.vault().join("started").exists());
}

#[test]
fn an_editor_of_the_terminal_is_not_started_without_one() {
    let sandbox = small();
    for command in ["edit", "open"] {
        for editor in ["", "vim -R"] {
            let ran = sandbox.run(&[command, "1f0c2a"]).env("EDITOR", editor).go();
            assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{}", ran.snapshot());
            assert!(ran.stderr.contains("needs a terminal"), "{}", ran.snapshot());
        }
    }
}

#[test]
fn an_edit_sets_the_time_of_the_change_unless_the_person_did() {
    let sandbox = small();
    let updated = || {
        let note = sandbox.read(RETRY);
        note.lines().find(|line| line.starts_with("updated:")).unwrap().to_owned()
    };
    let before = updated();
    let appended = editor(&sandbox, "echo 'Seen again.' >> \"$1\"");
    sandbox.run(&["edit", "1f0c2a"]).env("EDITOR", &appended).go().ok();
    let edited = updated();
    assert_ne!(edited, before);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let own = editor(
        &sandbox,
        "sed 's/^updated: .*/updated: 2026-01-02/' \"$1\" > \"$1.new\"; mv \"$1.new\" \"$1\"",
    );
    sandbox.run(&["edit", "1f0c2a"]).env("EDITOR", &own).go().ok();
    assert_eq!(updated(), "updated: 2026-01-02");
}
