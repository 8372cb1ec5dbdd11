//! `cm new`

use cm_app::verbs::add;
use cm_app::{Error, ErrorKind};

use super::small::{commits, message, small};
use crate::support::{Sandbox, request};

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

    ## Alternatives

    ## Consequences

    ## When to reconsider
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

    Usage: cm new --type <TYPE> --no-edit --now <WHEN> --title <TEXT>

    For more information, try '--help'.
    [exit 2]
    ");
}

/// Runs `cm new` with an editor. Returns the result and the numbers of commits and drafts.
fn edited(
    sandbox: &Sandbox,
    editor: &dyn Fn(&std::path::PathBuf) -> cm_app::Result<()>,
) -> (cm_app::Result<add::AddedNote>, usize, usize) {
    let context = cm_app::Context::open(request(sandbox, &[])).unwrap();
    let options = add::Options {
        note_type: "fix".to_owned(),
        title: "Close idle connections".to_owned(),
        ..add::Options::default()
    };
    let outcome = add::add_edited(&context, &options, editor);
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
    let text = sandbox.read(&added.unwrap().path);
    assert!(
        text.ends_with(
            "---\n\n# Close idle connections\n\n## How it was checked\n\nThe gateway drops idle sockets.\n"
        ),
        "{text}"
    );
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
    let (refused, after, drafts) = edited(&sandbox, &|file| {
        let text = std::fs::read_to_string(file).unwrap();
        std::fs::write(file, text.replace("<!-- What was really wrong? -->\n\n", "").trim_end()).unwrap();
        Ok(())
    });
    assert_eq!(refused.unwrap_err().code, "unchanged", "removing a prompt answers nothing");
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

/// Runs `cm new` on a pseudo-terminal with an editor that is a shell script. Returns the exit code
/// and the output; `None` without the program `script`.
#[cfg(target_os = "linux")]
fn in_terminal(sandbox: &Sandbox, editor: &str) -> Option<(i32, String)> {
    use std::os::unix::fs::PermissionsExt as _;
    let file = sandbox.root().join("editor.sh");
    std::fs::write(&file, format!("#!/bin/sh\n{editor}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let line = format!("{} new --type fix --title 'Close sockets'", env!("CARGO_BIN_EXE_cm"));
    let ran = std::process::Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .current_dir(sandbox.vault())
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", sandbox.root().join("home"))
        .env("XDG_STATE_HOME", sandbox.root().join("state"))
        .env("XDG_CONFIG_HOME", sandbox.root().join("config"))
        .env("CM_GLOBAL_VAULT", sandbox.root().join("no-global-vault"))
        .env("GIT_AUTHOR_NAME", "Ada")
        .env("GIT_AUTHOR_EMAIL", "ada@example.org")
        .env("GIT_COMMITTER_NAME", "Ada")
        .env("GIT_COMMITTER_EMAIL", "ada@example.org")
        .env("VISUAL", &file)
        .stdin(std::process::Stdio::null())
        .output()
        .ok()?;
    let shown = String::from_utf8_lossy(&ran.stdout);
    // Lines are wrapped at the width of the terminal.
    Some((ran.status.code()?, shown.split_whitespace().collect::<Vec<_>>().join(" ")))
}

#[cfg(target_os = "linux")]
#[test]
fn real_editors_that_fail_or_change_nothing_leave_nothing_behind() {
    let sandbox = small();
    let state = || (commits(&sandbox), crate::support::hashes(&sandbox.vault()));
    let before = state();
    for (editor, exit, words) in [
        ("exit 3", 1, "no note was created"),
        ("true", 8, "the template was not changed"),
        ("touch \"$1\"", 8, "the template was not changed"),
        (": > \"$1\"", 8, "the template was not changed"),
        ("rm \"$1\"", 8, "the template was not changed"),
    ] {
        // Skipped on machines without the program.
        let Some((code, shown)) = in_terminal(&sandbox, editor) else { return };
        assert_eq!(code, exit, "{editor}: {shown}");
        assert!(shown.contains(words), "{editor}: {shown}");
        assert_eq!(state(), before, "{editor}");
    }
    let Some((code, shown)) = in_terminal(&sandbox, "echo 'The pool keeps 8.' >> \"$1\"") else { return };
    assert_eq!(code, 0, "{shown}");
    assert_eq!(state().0, before.0 + 1);
}

const OWN: &str =
    "---\ntags: [x]\n---\n\n## Alarm\n\n<!-- Which alarm rang? -->\n\n## Remedy\n\n<!-- What helps? -->\n";

#[test]
fn a_vault_replaces_and_adds_templates() {
    let sandbox = small();
    sandbox.write("cm.toml", "[types.runbook]\nfolder = \"runbooks\"\n");
    sandbox.write(".templates/runbook.md", OWN);
    sandbox.write(".templates/fix.md", "## Ticket\n\n<!-- Which ticket? \u{1b}[31m-->\n");
    let listed = sandbox.cm(&["new", "--list", "--json"]).ok().json();
    let of = |name: &str| {
        let all = listed["templates"].as_array().unwrap();
        all.iter().find(|one| one["type"] == name).unwrap().clone()
    };
    assert_eq!(of("runbook")["path"], ".templates/runbook.md");
    assert_eq!(of("runbook")["questions"], serde_json::json!(["Which alarm rang?", "What helps?"]));
    assert_eq!(of("fix")["questions"], serde_json::json!(["Which ticket? [31m"]));
    assert_eq!(of("decision")["path"], serde_json::Value::Null);
    let shown = sandbox.cm(&["new", "--list"]).ok().stdout;
    assert!(
        shown.contains("runbook  .templates/runbook.md\n  Which alarm rang?\n  What helps?\n"),
        "{shown}"
    );
    let ran = sandbox.cm(&["new", "--type", "runbook", "--title", "Disk full", "--no-edit"]).ok();
    let path = ran.stdout.split_whitespace().nth(1).unwrap();
    assert!(sandbox.read(path).ends_with("# Disk full\n\n## Alarm\n\n## Remedy\n"), "{}", sandbox.read(path));
    assert!(!sandbox.cm(&["ls"]).ok().stdout.contains(".templates"), "templates are not notes");
}

#[test]
fn a_template_of_a_vault_that_is_not_trusted_is_not_used_for_an_agent() {
    let sandbox = small();
    sandbox.distrust();
    sandbox.write(".templates/fix.md", OWN);
    let added = |title: &str, agent: &str| {
        let run = sandbox.run(&["new", "--type", "fix", "--title", title, "--no-edit"]);
        let ran = run.env("CLAUDECODE", agent).go().ok();
        sandbox.read(ran.stdout.split_whitespace().nth(1).unwrap())
    };
    assert!(added("Close sockets", "1").contains("## Symptom"));
    assert!(added("Reuse sockets", "").contains("## Alarm"));
}

#[cfg(unix)]
#[test]
fn a_template_outside_the_vault_is_refused() {
    let sandbox = small();
    sandbox.write("../secret/fix.md", "## Secret\n");
    std::os::unix::fs::symlink(sandbox.root().join("secret"), sandbox.vault().join(".templates")).unwrap();
    let ran = sandbox.cm(&["new", "--type", "fix", "--title", "Close sockets", "--no-edit"]);
    assert_eq!(ran.code, 5, "{}", ran.snapshot());
    assert!(!ran.snapshot().contains("Secret"));
}
