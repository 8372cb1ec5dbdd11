//! `cm new`

use super::small::{commits, message, small};

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
