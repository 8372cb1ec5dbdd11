//! `cm commit`

use super::small::{CLOSE, GAUGES, RETRY, commits, committed, inside, message, small};
use crate::support::vault_of;

#[test]
fn all_hand_edits_of_the_vault_become_one_commit_that_lists_them() {
    let sandbox = small();
    sandbox.write(RETRY, sandbox.read(RETRY) + "Seen again on Friday.\n");
    sandbox.git(&["mv", CLOSE, "graph/fixes/closing.md"]);
    std::fs::remove_file(sandbox.vault().join(GAUGES)).unwrap();
    sandbox.write("graph/facts/new.md", "No frontmatter yet.\n");
    let ran = sandbox.cm(&["commit"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    4 files  commit [COMMIT]
      added graph/facts/new.md
      moved graph/fixes/close-idle-connections-1f0c99.md to graph/fixes/closing.md
      deleted graph/problems/gauges-time-out-77ab01.md
      modified graph/solutions/retry-with-jitter-1f0c2a.md
    graph/facts/new.md:1:1 error missing-key this memory has no frontmatter
        hint: add frontmatter between `---` lines with type, title, importance, created, updated
    [exit 0]
    ");
    insta::assert_snapshot!(message(&sandbox), @r"
    Commit 4 changed files

    added graph/facts/new.md
    moved graph/fixes/close-idle-connections-1f0c99.md to graph/fixes/closing.md
    deleted graph/problems/gauges-time-out-77ab01.md
    modified graph/solutions/retry-with-jitter-1f0c2a.md

    Cm-Op: commit
    Cm-Id: 1f0c9900-0000-4000-8000-000000000002
    Cm-Id: 77ab0100-0000-4000-8000-000000000003
    Cm-Id: 1f0c2a00-0000-4000-8000-000000000001
    ");
    insta::assert_snapshot!(committed(&sandbox), @r"
    A	graph/facts/new.md
    D	graph/fixes/close-idle-connections-1f0c99.md
    A	graph/fixes/closing.md
    D	graph/problems/gauges-time-out-77ab01.md
    M	graph/solutions/retry-with-jitter-1f0c2a.md
    ");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn where_nothing_was_edited_there_is_nothing_to_commit() {
    let sandbox = small();
    sandbox.cm(&["reindex"]).ok();
    let ran = sandbox.cm(&["commit"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    nothing to commit
    [exit 0]
    ");
    let ran = sandbox.cm(&["commit", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "commit": null,
      "files": [],
      "stopped": [],
      "conflicts": [],
      "findings": []
    }
    [exit 0]
    "#);
    assert_eq!(commits(&sandbox), 1);
}

#[test]
fn a_note_with_a_merge_conflict_is_left_out_and_the_others_are_committed() {
    let sandbox = small();
    let conflict = "<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> theirs\n";
    sandbox.write(RETRY, sandbox.read(RETRY) + conflict);
    sandbox.write(CLOSE, sandbox.read(CLOSE) + "Seen again.\n");
    let ran = sandbox.cm(&["commit"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    1 file  commit [COMMIT]
      modified graph/fixes/close-idle-connections-1f0c99.md
    not committed because of merge conflicts: 1 file
    graph/solutions/retry-with-jitter-1f0c2a.md:16:1 error conflict-marker the file contains an unresolved merge conflict
        hint: keep one of the versions and remove the lines with conflict markers
    [exit 1]
    ");
    assert_eq!(committed(&sandbox), format!("M\t{CLOSE}\n"));
    assert_eq!(sandbox.git(&["status", "--porcelain"]), format!(" M {RETRY}\n"));
    let alone = sandbox.cm(&["commit"]);
    assert_eq!(alone.code, 5, "{}", alone.snapshot());
    assert!(alone.stderr.contains("unresolved merge conflict"), "{}", alone.snapshot());
}

#[test]
fn one_edit_and_a_persons_own_words_are_the_subject() {
    let sandbox = small();
    sandbox.write(RETRY, sandbox.read(RETRY) + "Once.\n");
    sandbox.cm(&["commit"]).ok();
    assert_eq!(sandbox.git(&["log", "-1", "--format=%s"]), format!("Commit modified {RETRY}\n"));
    sandbox.write(RETRY, sandbox.read(RETRY) + "Twice.\n");
    sandbox.cm(&["commit", "-m", "Rewrite the note on retries"]).ok();
    insta::assert_snapshot!(message(&sandbox), @r"
    Rewrite the note on retries

    modified graph/solutions/retry-with-jitter-1f0c2a.md

    Cm-Op: commit
    Cm-Id: 1f0c2a00-0000-4000-8000-000000000001
    ");
}

#[test]
fn in_a_larger_repository_only_the_vaults_own_files_go_and_what_is_staged_elsewhere_stays() {
    let sandbox = inside();
    sandbox.write("src/main.rs", "fn main() { run() }\n");
    sandbox.git(&["add", "src/main.rs"]);
    sandbox.write("src/other.rs", "");
    let added =
        sandbox.run(&["add", "--type", "fact", "--title", "Ports differ", "--json"]).within("memory").go();
    assert_eq!(added.ok().json()["commit"], serde_json::Value::Null);
    sandbox.write(&format!("memory/{RETRY}"), sandbox.read(&format!("memory/{RETRY}")) + "By hand.\n");
    let ran = sandbox.run(&["commit"]).within("memory/graph").go();
    insta::assert_snapshot!(ran.snapshot(), @r"
    2 files  commit [COMMIT]
      added graph/facts/ports-differ-eddd6b.md
      modified graph/solutions/retry-with-jitter-1f0c2a.md
    [exit 0]
    ");
    insta::assert_snapshot!(committed(&sandbox), @r"
    A	memory/graph/facts/ports-differ-eddd6b.md
    M	memory/graph/solutions/retry-with-jitter-1f0c2a.md
    ");
    insta::assert_snapshot!(sandbox.git(&["status", "--porcelain"]), @r"
    M  src/main.rs
    ?? src/other.rs
    ");
}

#[test]
fn derived_and_private_files_are_never_committed_whatever_the_ignore_rules_say() {
    let sandbox = small();
    sandbox.write(".gitignore", "");
    sandbox.write("_config.toml", "[search]\nlimit = 3\n");
    sandbox.write("_tokens.toml", "");
    sandbox.cm(&["search", "gauges"]).ok();
    sandbox.cm(&["commit"]).ok();
    assert_eq!(committed(&sandbox), "M\t.gitignore\n");
}

#[test]
fn without_a_repository_a_commit_is_refused() {
    let sandbox = crate::support::Sandbox::new();
    sandbox.write("cm.toml", "");
    let ran = sandbox.cm(&["commit"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: the vault is not in a Git repository
     hint: `cm init` creates one
    [exit 5]
    ");
}

#[test]
fn during_a_merge_a_commit_is_refused_and_the_merge_stays() {
    let sandbox = vault_of("--- graph/facts/a.md\nOne\n");
    sandbox.git(&["checkout", "--quiet", "-b", "other"]);
    sandbox.write("graph/facts/a.md", "Theirs\n");
    sandbox.commit_all("Theirs");
    sandbox.git(&["checkout", "--quiet", "main"]);
    sandbox.git(&["merge", "--quiet", "--no-ff", "--no-commit", "other"]);
    let ran = sandbox.cm(&["commit"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: a merge is in progress in [ROOT]/vault
     hint: finish it with `git merge --continue` or abort it with `git merge --abort`
    [exit 5]
    ");
    assert!(sandbox.vault().join(".git/MERGE_HEAD").exists());
}

#[test]
fn a_moved_note_is_one_file_and_a_blank_message_is_none() {
    let sandbox = vault_of("--- Portal.md\n# Portal\n\nText, and more text.\n");
    std::fs::create_dir(sandbox.vault().join("K")).unwrap();
    std::fs::rename(sandbox.vault().join("Portal.md"), sandbox.vault().join("K/Portal.md")).unwrap();
    let status = sandbox.cm(&["status"]).ok();
    assert!(status.stdout.contains("moved Portal.md to K/Portal.md"), "{}", status.stdout);
    let ran = sandbox.cm(&["commit", "-m", " ", "--json"]).ok().json();
    assert_eq!(ran["files"].as_array().unwrap().len(), 1, "{ran}");
    assert_eq!(
        (&ran["files"][0]["change"], &ran["files"][0]["from"]),
        (&"moved".into(), &"Portal.md".into())
    );
    assert_eq!(sandbox.git(&["log", "-1", "--format=%s"]).trim(), "Move Portal.md to K/Portal.md");
}
