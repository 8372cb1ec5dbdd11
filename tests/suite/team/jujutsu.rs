//! Repositories that Jujutsu shares with Git (`jj git init --colocate`): HEAD is detached, branches are
//! bookmarks, and a commit can store a conflict. `.ci/jujutsu` runs the program itself.

use super::{Clone, FACT_FILE, Remote, VAULT, settle};
use crate::support::{Sandbox, vault_of};

/// Makes a work tree as Jujutsu leaves it.
fn colocate(sandbox: &Sandbox) {
    sandbox.write(".jj/.gitignore", "/*\n");
    sandbox.write(".jj/repo/notes.md", "# Internal\n\nA file of Jujutsu.\n");
    sandbox.git(&["checkout", "--quiet", "--detach"]);
}

/// Adds a fact and returns the commit of HEAD.
fn added(clone: &Clone, title: &str) -> String {
    clone.cm(&["add", "--type", "fact", title]).ok();
    clone.sandbox.git(&["rev-parse", "HEAD"])
}

#[test]
fn doctor_says_that_jujutsu_does_not_merge_notes_yet() {
    let sandbox = vault_of(VAULT);
    let check = || {
        let report = sandbox.cm(&["doctor", "--json"]).json();
        let checks = report["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "jujutsu")
    };
    assert_eq!(check(), None);
    colocate(&sandbox);
    let check = check().unwrap();
    assert_eq!(check["health"], "warn", "{check}");
    // Depends on whether there is a `jj`.
    let hint = check["hint"].as_str().unwrap();
    assert!(hint.contains("PATH") || hint.contains("--fix"), "{check}");
}

#[test]
fn files_of_jujutsu_are_neither_notes_nor_edits() {
    let sandbox = vault_of(VAULT);
    colocate(&sandbox);
    assert_eq!(sandbox.cm(&["status", "--json"]).ok().json()["repository"]["edits"], 0);
    let hits = sandbox.cm(&["search", "internal file of Jujutsu", "--json"]).json();
    assert!(!hits.to_string().contains("Internal"), "{hits}");
    sandbox.write(FACT_FILE, "# Prices\n\nBy hand.\n");
    sandbox.cm(&["commit"]).ok();
    let tracked = sandbox.git(&["ls-files"]);
    assert!(!tracked.contains(".jj"), "{tracked}");
}

#[test]
fn the_bookmark_below_a_detached_head_is_synchronized_and_moves_along() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let ben = Clone::of(&remote, "ben");
    colocate(&ada.sandbox);
    ben.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    ben.sync();
    added(&ada, "Queues are durable");
    let status = ada.cm(&["status", "--json"]).ok().json();
    assert_eq!(status["repository"]["branch"], "main", "{status}");
    assert_eq!(status["repository"]["remote"]["ahead"], 1, "{status}");
    let result = ada.sync();
    assert_eq!((&result["branch"], &result["received"]), (&"main".into(), &1.into()), "{result}");
    let commit = |name: &str| ada.sandbox.git(&["rev-parse", name]);
    assert_eq!(commit("main"), commit("HEAD"));
    assert_eq!(ada.sandbox.shell("git symbolic-ref HEAD").code, 128, "HEAD stays detached");
    settle(&[&ada, &ben]);
}

#[test]
fn a_commit_that_would_change_the_folder_of_jujutsu_does_not_come_in() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let ben = Clone::of(&remote, "ben");
    colocate(&ada.sandbox);
    ben.sandbox.write(".jj/repo/config.toml", "[signing]\nbehavior = \"own\"\n");
    ben.sandbox.commit_all("Settings for Jujutsu");
    ben.sandbox.git(&["push", "--quiet"]);
    for own in [false, true] {
        if own {
            added(&ada, "Queues are durable");
        }
        let head = ada.sandbox.git(&["rev-parse", "HEAD"]);
        let ran = ada.cm(&["sync"]);
        assert!(ran.code == 5 && ran.stderr.contains(".jj/repo/config.toml"), "{}", ran.snapshot());
        assert!(!ada.sandbox.vault().join(".jj/repo/config.toml").exists());
        assert_eq!(ada.sandbox.git(&["rev-parse", "HEAD"]), head);
    }
}

#[test]
fn a_bookmark_with_commits_of_its_own_is_not_moved() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    let main = ada.sandbox.git(&["rev-parse", "main"]);
    colocate(&ada.sandbox);
    ada.sandbox.git(&["checkout", "--quiet", "HEAD~1"]);
    added(&ada, "Queues are durable");
    ada.sync();
    assert_eq!(ada.sandbox.git(&["rev-parse", "main"]), main);
    assert_eq!(ada.sandbox.git(&["rev-parse", "origin/main"]), ada.sandbox.git(&["rev-parse", "HEAD"]));
}

#[test]
fn of_several_bookmarks_one_has_to_be_named() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    colocate(&ada.sandbox);
    ada.sandbox.git(&["branch", "older"]);
    added(&ada, "Ports differ");
    ada.sandbox.git(&["branch", "--force", "main", "HEAD"]);
    assert_eq!(ada.sync()["branch"], "main", "the nearest one");
    ada.sandbox.git(&["branch", "side"]);
    let ran = ada.cm(&["sync"]);
    assert_eq!(ran.code, 5, "{}", ran.snapshot());
    assert!(ran.stderr.contains("main, side") && ran.stderr.contains("--branch"), "{}", ran.stderr);
    ada.cm(&["sync", "--branch", "main"]).ok();
    ada.sandbox.git(&["branch", "--delete", "--force", "main", "side", "older"]);
    let ran = ada.cm(&["sync"]);
    assert!(ran.code == 5 && ran.stderr.contains("jj bookmark create"), "{}", ran.snapshot());
}

#[test]
fn a_repository_of_jujutsu_without_commits_has_no_branch() {
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "--quiet", "."]);
    sandbox.write(".jj/.gitignore", "/*\n");
    sandbox.git(&["symbolic-ref", "HEAD", "refs/jj/root"]);
    sandbox.git(&["remote", "add", "origin", "../remote.git"]);
    sandbox.cm(&["init"]).ok();
    assert!(sandbox.cm(&["status", "--json"]).ok().json()["repository"]["branch"].is_null());
    let ran = sandbox.cm(&["sync"]);
    assert!(ran.code == 5 && ran.stderr.contains("jj bookmark create"), "{}", ran.snapshot());
}

#[test]
fn no_commit_is_made_on_a_stored_conflict() {
    let sandbox = vault_of(VAULT);
    colocate(&sandbox);
    let commit = sandbox.git(&["cat-file", "commit", "HEAD"]);
    let (headers, message) = commit.split_once("\n\n").unwrap();
    let tree = headers.lines().next().unwrap().trim_start_matches("tree ");
    sandbox.write("../commit", format!("{headers}\njj:trees {tree} {tree} {tree}\n\n{message}"));
    let stored = sandbox.git(&["hash-object", "-t", "commit", "-w", "--literally", "../commit"]);
    sandbox.git(&["checkout", "--quiet", stored.trim()]);
    for arguments in [&["add", "--type", "fact", "Ports differ"][..], &["commit"]] {
        sandbox.write(FACT_FILE, "# Prices\n\nBy hand.\n");
        let ran = sandbox.cm(arguments);
        assert_eq!(ran.code, 5, "{}", ran.snapshot());
        assert!(ran.stderr.contains("jj resolve"), "{}", ran.stderr);
    }
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), stored);
}

#[test]
fn conflict_markers_of_jujutsu_are_a_finding_and_are_not_committed() {
    let sandbox = vault_of(VAULT);
    colocate(&sandbox);
    let conflict = "<<<<<<< conflict 1 of 1\n%%%%%%% diff from: base\n\\\\\\\\\\\\\\        to: side\n\
                    -For five minutes.\n+For ten minutes.\n+++++++ other side\nFor an hour.\n\
                    >>>>>>> conflict 1 of 1 ends\n";
    let fact = sandbox.read(FACT_FILE).replace("For five minutes, in Redis.\n", conflict);
    sandbox.write(FACT_FILE, fact);
    let findings = sandbox.cm(&["validate", "--json"]).json()["findings"].clone();
    let marker = findings.as_array().unwrap().iter().find(|found| found["code"] == "conflict-marker");
    assert!(marker.is_some_and(|found| found["line"].is_u64()), "{findings}");
    let ran = sandbox.cm(&["commit"]);
    assert!(ran.code == 5 && ran.stderr.contains("unresolved merge conflict"), "{}", ran.snapshot());
}

#[test]
fn init_refuses_a_repository_that_git_cannot_use() {
    let sandbox = Sandbox::new();
    sandbox.write(".jj/repo/store/git/HEAD", "ref: refs/heads/main\n");
    for folder in [".", "notes/memory"] {
        let ran = sandbox.cm(&["init", folder]);
        assert_eq!(ran.code, 5, "{}", ran.snapshot());
        assert!(ran.stderr.contains("jj git colocation enable"), "{}", ran.stderr);
    }
    sandbox.write("cm.toml", "");
    let doctor = sandbox.cm(&["doctor"]);
    assert!(doctor.stdout.contains("only Jujutsu records changes"), "{}", doctor.stdout);
    let exists = |name: &str| sandbox.vault().join(name).exists();
    assert!(!exists(".git") && !exists("notes"));
}
