//! `cm new`

use cm_app::verbs::add;
use cm_app::{Error, ErrorKind};

use super::small::{commits, message, small};
use crate::support::{Sandbox, call};

#[test]
fn a_new_note_has_the_headings_of_its_types_template() {
    let sandbox = small();
    let ran = sandbox.cm(&[
        "new",
        "--type",
        "decision",
        "--title",
        "Use Postgres",
        "--tags",
        "database",
        "--no-edit",
    ]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    4e5df759-7cb0-4345-a65d-dd42dfda6f92  graph/decisions/use-postgres-4e5df7.md  commit [COMMIT]
    [exit 0]
    ");
    let path = ran.stdout.split_whitespace().nth(1).unwrap();
    insta::assert_snapshot!(sandbox.read(path), @r"
    ---
    id: 4e5df759-7cb0-4345-a65d-dd42dfda6f92
    type: decision
    title: Use Postgres
    tags: [database]
    importance: 0.5
    created: 2026-11-21T12:00:00Z
    updated: 2026-11-21T12:00:00Z
    ---

    # Use Postgres

    ## Context

    ## Decision

    ## Consequences
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Add decision "Use Postgres"

    Cm-Op: add
    Cm-Id: 4e5df759-7cb0-4345-a65d-dd42dfda6f92
    Cm-Operation: 0324bbf789274f1a9e4d99c8a6d0f0c9
    "#);
}

#[test]
fn without_a_terminal_no_editor_is_started() {
    let sandbox = small();
    let ran = sandbox.run(&["new", "--title", "Plain", "--json"]).env("EDITOR", "false").go().ok();
    let path = ran.json()["path"].as_str().unwrap().to_owned();
    assert!(path.starts_with("graph/general/plain-"), "{path}");
    assert_eq!(ran.stderr, "");
    assert_eq!(commits(&sandbox), 2);
}

#[test]
fn a_type_that_the_vault_declares_has_its_own_folder() {
    let sandbox = small();
    sandbox.write("cm.toml", "[types.runbook]\nfolder = \"runbooks\"\n");
    let ran = sandbox.cm(&["new", "--type", "runbook", "--title", "Disk full", "--no-edit"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    179efb6b-dff5-4737-aa97-f3dabbceab0d  graph/runbooks/disk-full-179efb.md  commit [COMMIT]
    [exit 0]
    ");
}

#[test]
fn a_note_without_a_title_is_a_slip_of_usage() {
    let ran = small().cm(&["new", "--type", "fix", "--no-edit"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: the following required arguments were not provided:
      --title <TEXT>

    Usage: cm new --title <TEXT> --type <TYPE> --no-edit --now <WHEN>

    For more information, try '--help'.
    [exit 2]
    ");
}

/// Runs `cm new` with an editor. Returns the result and the numbers of commits and drafts.
fn edited(
    sandbox: &Sandbox,
    editor: &dyn Fn(&std::path::PathBuf) -> cm_app::Result<()>,
) -> (cm_app::Result<add::AddedNote>, usize, usize) {
    let memory = cm_app::Context::open(call(sandbox, &[])).unwrap();
    let options = add::Options {
        note_type: "fix".to_owned(),
        title: "Close idle connections".to_owned(),
        ..add::Options::default()
    };
    let outcome = add::add_edited(&memory, &options, editor);
    let drafts = std::fs::read_dir(sandbox.private("drafts")).map_or(0, Iterator::count);
    (outcome, commits(sandbox), drafts)
}

fn append(file: &std::path::PathBuf, text: &str) {
    let before = std::fs::read_to_string(file).unwrap();
    std::fs::write(file, before + text).unwrap();
}

fn fails() -> cm_app::Result<()> {
    Err(Error::new(ErrorKind::Failed, "editor", "the editor `false` ended with exit status: 1"))
}

#[test]
fn what_is_written_in_the_editor_becomes_the_note_in_one_commit() {
    let sandbox = small();
    let before = commits(&sandbox);
    let (added, after, drafts) = edited(&sandbox, &|file| {
        append(file, "\nThe gateway drops idle sockets.\n");
        Ok(())
    });
    assert!(sandbox.read(&added.unwrap().path).ends_with("\nThe gateway drops idle sockets.\n"));
    assert_eq!((after, drafts), (before + 1, 0));
}

#[test]
fn an_editor_that_fails_or_leaves_the_template_makes_nothing() {
    let sandbox = small();
    let before = (commits(&sandbox), crate::support::hashes(&sandbox.vault()));
    let (refused, after, drafts) = edited(&sandbox, &|_| fails());
    let refused = refused.unwrap_err();
    assert_eq!((refused.kind, refused.code), (ErrorKind::Failed, "editor"));
    assert!(refused.message.ends_with("no note was created"), "{refused}");
    assert_eq!((after, drafts), (before.0, 0));
    let (refused, after, drafts) = edited(&sandbox, &|_| Ok(()));
    let refused = refused.unwrap_err();
    assert_eq!((refused.kind, refused.code), (ErrorKind::NothingDone, "unchanged"));
    assert_eq!((after, drafts), (before.0, 0));
    assert_eq!(crate::support::hashes(&sandbox.vault()), before.1);
}

#[test]
fn what_was_written_before_an_editor_failed_is_kept_and_named() {
    let sandbox = small();
    let before = commits(&sandbox);
    let (refused, after, drafts) = edited(&sandbox, &|file| {
        append(file, "\nHalf a thought.\n");
        fails()
    });
    let refused = refused.unwrap_err();
    assert_eq!((after, drafts), (before, 1));
    let draft = refused.message.rsplit(" is in ").next().unwrap();
    assert!(std::fs::read_to_string(draft).unwrap().ends_with("Half a thought.\n"), "{refused}");
}
