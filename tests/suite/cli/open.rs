//! `cm open`

use crate::support::harbour;

#[test]
fn a_note_opens_in_the_editor_and_is_committed() {
    let sandbox = harbour();
    let ran = sandbox.run(&["open", "Use Postgres"]).env("EDITOR", "sh -c 'echo More. >> \"$0\"'").go().ok();
    assert!(ran.stdout.contains("commit "), "{}", ran.stdout);
    assert!(sandbox.read("graph/decisions/use-postgres-3c3c3c.md").ends_with("More.\n"));
}

#[test]
fn without_a_terminal_a_note_must_be_named() {
    insta::assert_snapshot!(harbour().cm(&["open"]).snapshot(), @"
    [stderr]
    error: missing NOTE
     hint: pass a title, an id or a path; on a terminal, a list appears
    [exit 2]
    ");
    insta::assert_snapshot!(harbour().cm(&["open", "No such note"]).snapshot(), @"
    [stderr]
    error: note `No such note` not found
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
}
