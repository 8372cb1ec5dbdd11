//! Compares the detected manual edits with `git status`.

use super::*;
use crate::git::EditKind;

fn edits(repo: &Repo) -> Vec<(String, EditKind)> {
    repo.hand_edits().unwrap().into_iter().map(|(path, changed)| (path.to_string(), changed)).collect()
}

fn listed(pairs: &[(&str, EditKind)]) -> Vec<(String, EditKind)> {
    pairs.iter().map(|(path, changed)| ((*path).to_owned(), *changed)).collect()
}

#[test]
fn a_clean_vault_has_none() {
    let sandbox = Sandbox::with_note();
    assert_eq!(edits(&sandbox.repo()), []);
    sandbox.here().curate("graph/a.md").unwrap();
    assert_eq!(edits(&sandbox.repo()), []);
}

#[test]
fn every_kind_of_change_is_told_staged_or_not() {
    let sandbox = Sandbox::with_note();
    for name in ["m", "staged", "back", "gone", "staged-gone", "uncached", "uncached-same", "link", "folder"]
    {
        sandbox.write(&format!("x/{name}.md"), "one\n");
    }
    sandbox.write(".gitignore", "_index/\n*.tmp\n");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "More"]);
    sandbox.write("x/m.md", "two\n");
    sandbox.write("x/staged.md", "two\n");
    sandbox.write("x/back.md", "two\n");
    sandbox.write("x/fresh.md", "fresh\n");
    sandbox.git(&["add", "x/staged.md", "x/back.md", "x/fresh.md"]);
    sandbox.write("x/back.md", "one\n");
    fs::remove_file(sandbox.root.join("x/gone.md")).unwrap();
    sandbox.git(&["rm", "-q", "x/staged-gone.md"]);
    sandbox.git(&["rm", "-q", "--cached", "x/uncached.md", "x/uncached-same.md"]);
    sandbox.write("x/uncached.md", "other\n");
    sandbox.write("new/deep/n.md", "n\n");
    sandbox.write("x/intended.md", "i\n");
    sandbox.git(&["add", "-N", "x/intended.md"]);
    sandbox.write("_index/i.md", "ignored\n");
    sandbox.write("x/t.tmp", "ignored\n");
    fs::remove_file(sandbox.root.join("x/link.md")).unwrap();
    std::os::unix::fs::symlink("m.md", sandbox.root.join("x/link.md")).unwrap();
    fs::remove_file(sandbox.root.join("x/folder.md")).unwrap();
    sandbox.write("x/folder.md/inside.md", "i\n");
    let nested = Place { sandbox: &sandbox, root: sandbox.root.join("nested") };
    nested.write("n.md", "another repository\n");
    nested.git(&["init", "-q"]);
    assert_eq!(
        edits(&sandbox.repo()),
        listed(&[
            ("new/deep/n.md", EditKind::Added),
            ("x/folder.md", EditKind::Replaced),
            ("x/folder.md/inside.md", EditKind::Added),
            ("x/fresh.md", EditKind::Added),
            ("x/gone.md", EditKind::Deleted),
            ("x/intended.md", EditKind::Added),
            ("x/link.md", EditKind::Replaced),
            ("x/m.md", EditKind::Modified),
            ("x/staged-gone.md", EditKind::Deleted),
            ("x/staged.md", EditKind::Modified),
            ("x/uncached.md", EditKind::Modified),
        ])
    );
}

#[test]
fn a_file_that_was_taken_out_of_the_index_and_is_ignored_is_no_edit() {
    let sandbox = Sandbox::with_note();
    sandbox.write("private.md", "one\n");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "More"]);
    sandbox.git(&["rm", "-q", "--cached", "private.md"]);
    sandbox.write(".git/info/exclude", "private.md\n");
    sandbox.write("private.md", "two\n");
    assert_eq!(edits(&sandbox.repo()), []);
    assert_eq!(sandbox.repo().unindexed().unwrap(), [NotePath::parse("private.md").unwrap()]);
    sandbox.git(&["commit", "-q", "-m", "Keep it here"]);
    assert_eq!((edits(&sandbox.repo()), sandbox.repo().unindexed().unwrap()), (vec![], vec![]));
}

#[test]
fn only_the_vault_of_a_larger_repository_is_looked_at() {
    let sandbox = Sandbox::with_note();
    sandbox.write("code.rs", "untracked\n");
    sandbox.write("memory/graph/n.md", "n\n");
    sandbox.write("graph/a.md", "edited\n");
    let memory = Place { sandbox: &sandbox, root: sandbox.root.join("memory") };
    assert_eq!(edits(&memory.repo()), listed(&[("graph/n.md", EditKind::Added)]));
    fs::create_dir_all(sandbox.root.join("graph")).unwrap();
    let graph = Place { sandbox: &sandbox, root: sandbox.root.join("graph") };
    assert_eq!(edits(&graph.repo()), listed(&[("a.md", EditKind::Modified)]));
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let sandbox = Sandbox::new();
    sandbox.write("a.md", "a\n");
    sandbox.write("b.md", "b\n");
    sandbox.git(&["add", "b.md"]);
    let expected = listed(&[("a.md", EditKind::Added), ("b.md", EditKind::Added)]);
    assert_eq!(edits(&sandbox.repo()), expected);
}

#[test]
fn touching_a_file_or_its_line_endings_is_no_edit() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["config", "core.autocrlf", "true"]);
    sandbox.write("graph/a.md", &NOTE.replace('\n', "\r\n"));
    sandbox.write("graph/b.md", "b\n");
    assert_eq!(edits(&sandbox.repo()), []);
}

#[test]
fn all_hand_edits_can_be_committed_in_one_go() {
    let sandbox = Sandbox::with_note();
    sandbox.write("graph/a.md", "edited\n");
    sandbox.write("graph/c.md", "new\n");
    fs::remove_file(sandbox.root.join("graph/b.md")).unwrap();
    let repo = sandbox.repo();
    let changes: Vec<_> = repo
        .hand_edits()
        .unwrap()
        .into_iter()
        .map(|(path, changed)| {
            let kind = match changed {
                EditKind::Deleted => PathChangeKind::Remove,
                _ => PathChangeKind::Whole { bytes: fs::read(repo.file(&path)).unwrap() },
            };
            PathChange { path, from: Vec::new(), kind }
        })
        .collect();
    repo.commit(&changes, &CommitMessage::new(CommitOp::Commit, "Commit hand edits"), &options())
        .unwrap()
        .unwrap();
    assert_eq!(edits(&repo), []);
    assert_eq!(sandbox.others(&[]), "");
}
