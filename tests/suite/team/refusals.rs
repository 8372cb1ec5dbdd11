//! States and remotes with which `cm sync` does not work: what it says, its exit code, and that
//! nothing is lost.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;

use cm_test_server::{Reply, Server};

use super::{Clone, Remote, settle};
use crate::support::Ran;

const VAULT: &str = "--- graph/facts/a.md\n# A\n\nOne.\n";

/// Runs `cm sync`, which must fail with this code and name the remedy, and returns the run.
fn refused(clone: &Clone, code: i32, name: &str) -> Ran {
    let before = clone.sandbox.git(&["rev-parse", "HEAD"]);
    let ran = clone.cm(&["sync", "--json"]);
    assert_eq!(ran.code, code, "{name}: {}", ran.snapshot());
    let error = ran.json()["error"].clone();
    assert_eq!(error["code"], name, "{}", ran.snapshot());
    assert!(error["hint"].is_string(), "{}", ran.snapshot());
    let reached = clone.sandbox.git(&["merge-base", "--is-ancestor", before.trim(), "HEAD"]);
    assert_eq!(reached, "", "what was committed stays");
    ran
}

#[test]
fn a_history_that_somebody_rewrote_is_not_taken_and_ours_is_kept() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let ben = Clone::of(&remote, "ben");
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    settle(&[&ada, &ben]);
    ben.sandbox.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    ben.sandbox.write("graph/facts/b.md", "# B\n");
    ben.sandbox.commit_all("Another history");
    ben.sandbox.git(&["push", "--quiet", "--force", "origin", "main"]);
    refused(&ada, 5, "rewritten");
    let kept = ada.sandbox.git(&["for-each-ref", "--format=%(objectname)", "refs/cm/rescue"]);
    assert_eq!(kept, ada.sandbox.git(&["rev-parse", "HEAD"]));
    // Refused until the person has decided.
    refused(&ada, 5, "rewritten");
    let status = ada.cm(&["status"]).ok().stdout;
    assert!(status.contains("its history was rewritten") && !status.contains("to send"), "{status}");
    ada.sandbox.git(&["fetch", "--quiet"]);
    ada.sandbox.git(&["reset", "--quiet", "--hard", "origin/main"]);
    assert_eq!(ada.sync()["changed"], false);
}

#[test]
fn conflict_markers_that_git_committed_are_not_published() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let marked = "# Todo\n\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n";
    ada.sandbox.write("Todo.md", marked);
    ada.sandbox.commit_all("Merge side");
    refused(&ada, 5, "conflict-markers");
    let ben = Clone::of(&remote, "ben");
    ada.sandbox.git(&["push", "--quiet", "origin", "main"]);
    let received = ben.cm(&["sync"]).ok();
    assert!(
        received.stderr.contains("Todo.md:3: the remote has a merge conflict"),
        "{}",
        received.snapshot()
    );
    ada.sandbox.write("Todo.md", "# Todo\n\nours\n");
    ada.sandbox.commit_all("Resolve");
    assert_eq!(ada.sync()["sent"], 1);
}

#[test]
fn an_unrelated_history_is_not_merged() {
    let (one, other) = (Remote::new(), Remote::new());
    let ada = Clone::first(&one, "ada", VAULT);
    Clone::first(&other, "ben", "--- graph/facts/b.md\n# B\n");
    ada.sandbox.git(&["remote", "set-url", "origin", &other.path.display().to_string()]);
    refused(&ada, 5, "unrelated");
}

#[test]
fn states_in_which_git_cannot_merge_are_named_with_their_remedy() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    ada.sandbox.git(&["checkout", "--quiet", "--detach"]);
    assert!(refused(&ada, 5, "detached").stdout.contains("git switch"));
    ada.sandbox.git(&["checkout", "--quiet", "main"]);
    ada.sandbox.git(&["remote", "remove", "origin"]);
    assert!(refused(&ada, 5, "no-remote").stdout.contains("git remote add"));
    let shallow = crate::support::Sandbox::new();
    let url = format!("file://{}", remote.path.display());
    shallow.git(&["clone", "--quiet", "--depth", "1", &url, "."]);
    let ran = shallow.cm(&["sync"]);
    assert!(ran.code == 5 && ran.stderr.contains("--unshallow"), "{}", ran.snapshot());
    let log = shallow.cm(&["log"]).ok();
    assert!(log.stderr.contains("--unshallow"), "older commits are missing: {}", log.snapshot());
}

#[test]
fn a_remote_that_refuses_the_credentials_is_named_and_no_password_is_shown() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    ada.sandbox.write("graph/facts/a.md", "# A\n\nBy hand.\n");
    let asks = ("WWW-Authenticate", "Basic realm=\"notes\"".to_owned());
    let door = Server::start(move |_, _| Reply::Answer(401, vec![asks.clone()], Vec::new()));
    let address = door.url().replace("http://", "");
    for user in ["", "ada:hunter22@"] {
        let url = format!("http://{user}{address}/memory.git");
        ada.sandbox.git(&["remote", "set-url", "origin", &url]);
        let ran = refused(&ada, 7, "credentials");
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("hunter22"), "{}", ran.snapshot());
    }
    assert!(door.requests().iter().any(|request| request.header("authorization").is_some()));
    assert_eq!(ada.sandbox.git(&["status", "--porcelain"]), "", "the edit is committed");
    ada.sandbox.git(&["remote", "set-url", "origin", &remote.path.display().to_string()]);
    assert_eq!(ada.sync()["sent"], 1);
}

#[test]
fn a_remote_that_is_away_leaves_everything_committed() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    ada.sandbox.write("graph/facts/a.md", "# A\n\nBy hand.\n");
    ada.sandbox.git(&["remote", "set-url", "origin", "http://127.0.0.1:1/nowhere.git"]);
    refused(&ada, 7, "offline");
    assert_eq!(ada.sandbox.git(&["status", "--porcelain"]), "", "the edit is committed");
    ada.sandbox.git(&["remote", "set-url", "origin", &remote.path.display().to_string()]);
    assert_eq!(ada.sync()["sent"], 1);
}

#[test]
fn a_network_that_hangs_ends_after_the_time_that_is_set() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let url = format!("http://{}/vault.git", silent.local_addr().unwrap());
    ada.sandbox.git(&["remote", "set-url", "origin", &url]);
    ada.sandbox.settings("[sync]\ntimeout_s = 1.0\n");
    refused(&ada, 7, "offline");
}

#[test]
fn a_branch_that_was_renamed_or_removed_on_the_remote_does_not_come_back() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    ada.sync();
    let at_remote = |arguments: &[&str]| {
        let output =
            crate::support::git_command().arg("-C").arg(&remote.path).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    at_remote(&["branch", "-m", "main", "trunk"]);
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    let ran = refused(&ada, 5, "gone");
    assert!(ran.stdout.contains("git branch -m main trunk"), "{}", ran.snapshot());
    assert_eq!(at_remote(&["branch", "--format=%(refname:short)"]), "trunk\n");
    ada.sandbox.git(&["branch", "-m", "main", "trunk"]);
    ada.sandbox.git(&["branch", "--unset-upstream"]);
    assert_eq!(ada.sync()["sent"], 1);
    // An empty remote in the place of a lost one takes everything.
    let new = Remote::new();
    ada.sandbox.git(&["remote", "set-url", "origin", &new.path.display().to_string()]);
    assert_eq!(ada.sync()["created"], false);
}

#[test]
fn a_branch_without_a_common_history_is_not_published_beside_the_others() {
    let remote = Remote::new();
    Clone::first(&remote, "ada", VAULT);
    let other = Remote::new();
    let ben = Clone::first(&other, "ben", "--- graph/facts/b.md\n# B\n");
    ben.sandbox.git(&["branch", "-m", "main", "master"]);
    ben.sandbox.git(&["remote", "remove", "origin"]);
    ben.sandbox.git(&["remote", "add", "origin", &remote.path.display().to_string()]);
    let ran = refused(&ben, 5, "unrelated");
    assert!(ran.stdout.contains("git branch -m master main"), "{}", ran.snapshot());
    ben.sandbox.git(&["branch", "-m", "master", "main"]);
    refused(&ben, 5, "unrelated");
}

#[test]
fn a_partial_clone_gets_the_files_that_it_merges() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let configured = crate::support::git_command()
        .arg("-C")
        .arg(&remote.path)
        .args(["config", "uploadpack.allowFilter", "true"])
        .status();
    assert!(configured.unwrap().success());
    let ben = crate::support::Sandbox::new();
    let url = format!("file://{}", remote.path.display());
    ben.git(&["clone", "--quiet", "--filter=blob:none", &url, "."]);
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    ada.sync();
    ben.cm(&["add", "--type", "fact", "Keys expire"]).ok();
    assert_eq!(ben.cm(&["sync", "--json"]).ok().json()["received"], 1);
}

#[test]
fn a_new_branch_of_the_same_history_is_created_and_told() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    ada.sandbox.git(&["switch", "--quiet", "-c", "side"]);
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    let told = ada.cm(&["sync", "--dry-run"]).ok().stdout;
    assert!(told.contains("origin/side, which would be created"), "{told}");
    assert_eq!(ada.sync()["created"], true);
}

#[test]
fn a_hook_of_this_repository_that_refuses_the_push_is_quoted() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let hook = ada.sandbox.vault().join(".git/hooks/pre-push");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\necho 'names must be lower case' >&2\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    assert!(refused(&ada, 5, "push-hook").stdout.contains("names must be lower case"));
    fs::remove_file(&hook).unwrap();
    assert_eq!(ada.sync()["sent"], 1);
}

#[test]
fn a_note_that_was_taken_off_gits_index_is_named_until_its_removal_is_committed() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    ada.sandbox.git(&["rm", "--quiet", "--cached", "graph/facts/a.md"]);
    ada.sandbox.write(".gitignore", "/_index/\n/_state/\n/_embeddings/\n/graph/facts/a.md\n");
    ada.sandbox.write("graph/facts/a.md", "# A\n\nPrivate.\n");
    let ran = ada.cm(&["sync"]).ok();
    assert!(ran.stderr.contains("graph/facts/a.md was removed from Git's index"), "{}", ran.snapshot());
    assert!(!ada.sandbox.git(&["log", "-p"]).contains("Private."));
    ada.sandbox.git(&["commit", "--quiet", "-m", "Keep it here"]);
    let ran = ada.cm(&["sync"]).ok();
    assert_eq!(ran.stderr, "", "{}", ran.snapshot());
    assert_eq!(ada.sandbox.git(&["ls-tree", "--name-only", "origin/main", "graph/facts/"]), "");
}

#[test]
fn a_hook_of_the_remote_that_refuses_is_quoted() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let hook = remote.path.join("hooks/pre-receive");
    fs::write(&hook, "#!/bin/sh\necho 'no notes after six' >&2\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    let ran = refused(&ada, 5, "remote-refused");
    assert!(ran.stdout.contains("no notes after six"), "{}", ran.snapshot());
    fs::remove_file(hook).unwrap();
    assert_eq!(ada.sync()["sent"], 1);
}

#[test]
fn a_remote_without_room_for_the_push_loses_nothing() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    // A folder of objects that cannot be written behaves as a full disk does.
    let objects = remote.path.join("objects");
    for entry in [objects.clone(), objects.join("pack")] {
        fs::set_permissions(entry, fs::Permissions::from_mode(0o555)).unwrap();
    }
    let ran = ada.cm(&["sync"]);
    for entry in [objects.clone(), objects.join("pack")] {
        fs::set_permissions(entry, fs::Permissions::from_mode(0o755)).unwrap();
    }
    // Root may write everywhere; then there is nothing to see.
    if ran.code != 0 {
        assert!(ran.stderr.contains("origin") || ran.stderr.contains("git push"), "{}", ran.snapshot());
    }
    ada.sync();
    assert_eq!(ada.sync()["changed"], false);
}

#[test]
fn a_vault_inside_a_project_does_not_publish_the_projects_code() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", "--- .memory/cm.toml\n--- src/main.rs\nfn main() {}\n");
    ada.sandbox.trust(&ada.sandbox.vault().join(".memory"));
    let within = |words: &[&str]| {
        ada.sandbox.run(&[words, &["--vault", ".memory"]].concat()).env("CM_NOW", &ada.tick()).go()
    };
    within(&["add", "--type", "fact", "Ports differ"]).ok();
    assert_eq!(within(&["sync", "--json"]).ok().json()["sent"], 1);
    ada.sandbox.write("src/main.rs", "fn main() { panic!() }\n");
    ada.sandbox.commit_all("Code");
    let ran = within(&["sync"]);
    assert!(ran.code == 5 && ran.stderr.contains("src/main.rs"), "{}", ran.snapshot());
    let status = within(&["status"]).ok().stdout;
    assert!(status.contains("1 commit to send  git push") && !status.contains("cm sync"), "{status}");
}

#[test]
fn a_repository_that_would_run_a_program_for_a_transfer_needs_trust() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    ada.sandbox.distrust();
    ada.sandbox.git(&["config", "core.sshCommand", "touch /tmp/owned; ssh"]);
    refused(&ada, 5, "untrusted");
    ada.sandbox.git(&["config", "--unset", "core.sshCommand"]);
    ada.cm(&["sync"]).ok();
}

#[test]
fn a_dry_run_changes_neither_side() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let ben = Clone::of(&remote, "ben");
    ben.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    ben.sync();
    ada.cm(&["add", "--type", "fact", "Prices are cached"]).ok();
    ada.sandbox.write("graph/facts/a.md", "# A\n\nBy hand.\n");
    let before = (ada.sandbox.git(&["rev-parse", "HEAD"]), ada.sandbox.git(&["status", "--porcelain"]));
    let answer = ada.cm(&["sync", "--dry-run", "--json"]).ok().json();
    assert_eq!((&answer["received"], &answer["sent"], &answer["edits"]), (&1.into(), &1.into(), &1.into()));
    let after = (ada.sandbox.git(&["rev-parse", "HEAD"]), ada.sandbox.git(&["status", "--porcelain"]));
    assert_eq!(before, after);
}

#[test]
fn a_file_with_a_name_that_is_not_text_is_not_dropped_by_a_merge() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let ben = Clone::of(&remote, "ben");
    let script = "printf 'Ports.\\n' >\"$(printf 'caf\\351.txt')\" && git add --all && git commit --quiet -m Latin && git push --quiet";
    ben.sandbox.shell(script).ok();
    ada.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    let ran = refused(&ada, 5, "not-a-file");
    assert!(ran.stdout.contains("git pull"), "{}", ran.snapshot());
    ada.sandbox.git(&["pull", "--quiet", "--no-rebase", "--no-edit"]);
    ada.sync();
    assert_eq!(
        ada.sandbox.git(&["ls-tree", "-r", "origin/main"]).lines().count(),
        ada.tree().lines().count()
    );
    assert!(ada.tree().contains("caf"), "{}", ada.tree());
}

/// Ada writes the first file, then only the second one, in whose place Ben has something else. His
/// synchronization is refused and changes nothing; Git takes the change over.
fn is_left_to_git(first: (&str, &str), second: (&str, &str)) {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let ben = Clone::of(&remote, "ben");
    ada.sandbox.write(first.0, first.1);
    settle(&[&ada, &ben]);
    ada.sandbox.shell("rm -r notes/plans").ok();
    ada.sandbox.write(second.0, second.1);
    ada.sync();
    ben.cm(&["add", "--type", "fact", "Ports differ"]).ok();
    refused(&ben, 5, "in-the-way");
    assert_eq!(ben.sandbox.read(first.0), first.1);
    ben.sandbox.git(&["pull", "--quiet", "--no-rebase", "--no-edit"]);
    settle(&[&ada, &ben]);
    assert_eq!(ben.sandbox.read(second.0), second.1);
}

#[test]
fn a_file_in_the_way_that_git_ignores_is_not_to_be_committed() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let ben = Clone::of(&remote, "ben");
    ada.sandbox.shell("echo local.md >>.git/info/exclude").ok();
    ada.sandbox.write("local.md", "# Mine\n");
    ben.sandbox.write("local.md", "# Shared\n");
    ben.sync();
    let ran = refused(&ada, 5, "hand-edited");
    assert!(
        ran.stdout.contains("move the file away") && !ran.stdout.contains("cm commit"),
        "{}",
        ran.snapshot()
    );
    ada.sandbox.shell("rm local.md").ok();
    assert_eq!(ada.sync()["received"], 1);
}

#[test]
fn a_folder_in_the_place_of_a_file_is_left_to_git() {
    is_left_to_git(("notes/plans", "None yet.\n"), ("notes/plans/a.md", "# Plan A\n\nWait.\n"));
}

#[test]
fn a_file_in_the_place_of_a_folder_is_left_to_git() {
    is_left_to_git(("notes/plans/a.md", "# Plan A\n\nWait.\n"), ("notes/plans", "None any more.\n"));
}

#[test]
fn commits_of_a_detached_head_are_named_before_a_switch_leaves_them_behind() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    ada.sandbox.git(&["checkout", "--quiet", "--detach"]);
    assert!(!ada.sandbox.cm(&["doctor"]).stdout.contains("on no branch"));
    ada.sandbox.cm(&["add", "--type", "fact", "--title", "Bells", "--body", "A spare part."]).ok();
    let refused = ada.sandbox.cm(&["sync"]);
    assert!(
        refused.code == 5 && refused.stderr.contains("1 commit is on no branch"),
        "{}",
        refused.snapshot()
    );
    assert!(refused.stderr.contains("git switch -c NAME"), "{}", refused.stderr);
    let status = ada.sandbox.cm(&["status"]).ok().stdout;
    assert!(status.contains("1 commit on no branch  git switch -c NAME"), "{status}");
    let examined = ada.sandbox.cm(&["doctor"]).stdout;
    assert!(examined.contains("warn  branch") && examined.contains("`git switch -c NAME`"), "{examined}");
    ada.sandbox.git(&["switch", "--quiet", "-c", "bells"]);
    assert!(!ada.sandbox.cm(&["status"]).ok().stdout.contains("on no branch"));
}

#[test]
fn a_branch_that_the_remote_lacks_is_not_published_for_a_typing_error() {
    let remote = Remote::new();
    let ada = Clone::first(&remote, "ada", VAULT);
    let refused = ada.sandbox.cm(&["sync", "--branch", "mian"]);
    assert!(refused.code == 4 && refused.stderr.contains("has no branch `mian`"), "{}", refused.snapshot());
    let branches = crate::support::git_command().arg("-C").arg(&remote.path).arg("branch").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&branches.stdout), "* main\n");
}
