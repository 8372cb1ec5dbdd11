//! Tests with all supported layouts of repositories and work trees, and with rejected ones.

use super::*;
use crate::git::{Error, Operation};

/// Commits a note among untracked, staged and edited files, and checks that only the note changed.
fn survives(place: &Place<'_>) {
    place.write("graph/z.md", NOTE);
    place.git(&["add", "graph/z.md"]);
    place.git(&["commit", "-q", "-m", "Note"]);
    place.write("staged", "s\n");
    place.git(&["add", "staged"]);
    place.write("untracked", "u\n");
    let before = place.others(&[]);
    place.curate("graph/z.md").unwrap().unwrap();
    assert_eq!(place.git(&["show", "--name-only", "--format=", "HEAD"]), "graph/z.md\n");
    assert_eq!(place.others(&[]), before);
    // With the commits alone: the cached trees of a sparse index name trees that git itself never wrote.
    place.git(&["fsck", "--strict", "--no-dangling", "HEAD"]);
}

#[test]
fn before_the_first_commit() {
    let sandbox = Sandbox::new();
    sandbox.write("staged", "s\n");
    sandbox.git(&["add", "staged"]);
    sandbox.write("graph/a.md", NOTE);
    let repo = sandbox.repo();
    assert_eq!(repo.head().unwrap().commit, None);
    assert_eq!(repo.log(&Default::default()).unwrap(), []);
    let committed = repo.commit(&[write("graph/a.md", None, NOTE, None)], &message("a"), &options()).unwrap();
    assert_eq!(committed.unwrap().whole, []);
    assert_eq!(sandbox.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "graph/a.md\n");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "A  staged\n");
    assert_eq!(sandbox.git(&["log", "-g", "--format=%gs"]), "commit (initial): Pin a\n");
    sandbox.fsck();
}

#[test]
fn on_a_detached_head() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["checkout", "-q", "--detach"]);
    let main = sandbox.git(&["rev-parse", "main"]);
    assert_eq!(sandbox.repo().head().unwrap().branch, None);
    survives(&sandbox.here());
    assert_eq!(sandbox.git(&["rev-parse", "main"]), main);
}

#[test]
fn in_a_linked_work_tree() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["worktree", "add", "-q", "-b", "side", "../linked"]);
    let main = sandbox.git(&["rev-parse", "main"]);
    let linked = sandbox.at("linked");
    assert_eq!(linked.repo().head().unwrap().branch.as_deref(), Some("side"));
    survives(&linked);
    assert_eq!(sandbox.git(&["rev-parse", "main"]), main);
    assert_eq!(sandbox.others(&[]), "");
}

#[test]
fn in_a_submodule() {
    let sandbox = Sandbox::with_note();
    let outer = Sandbox::with_note();
    let url = sandbox.root.to_str().unwrap();
    outer.git(&["-c", "protocol.file.allow=always", "submodule", "add", "-q", url, "memory"]);
    outer.git(&["commit", "-q", "-m", "Submodule"]);
    let inner = Place { sandbox: &outer, root: outer.root.join("memory") };
    inner.git(&["config", "user.name", "Ann"]);
    inner.git(&["config", "user.email", "ann@example.org"]);
    assert!(inner.repo().is_own());
    survives(&inner);
}

#[test]
fn in_a_clone_of_a_bare_repository_but_not_in_the_bare_one() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let bare = sandbox.at("bare.git");
    assert!(matches!(Repo::discover(&bare.root), Err(Error::Bare { .. })));
    bare.git(&["clone", "-q", ".", "../clone"]);
    let clone = sandbox.at("clone");
    clone.git(&["config", "user.name", "Ann"]);
    clone.git(&["config", "user.email", "ann@example.org"]);
    survives(&clone);
}

#[test]
fn in_a_folder_of_a_larger_repository() {
    let sandbox = Sandbox::with_note();
    sandbox.write("code.rs", "fn main() {}\n");
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-q", "-m", "Code"]);
    sandbox.write("code.rs", "fn main() { }\n");
    let memory = Place { sandbox: &sandbox, root: sandbox.root.join(".memory") };
    memory.write("graph/a.md", NOTE);
    let repo = memory.repo();
    assert!(!repo.is_own());
    repo.commit(&[write("graph/a.md", None, NOTE, None)], &message("a"), &options()).unwrap().unwrap();
    assert_eq!(sandbox.git(&["show", "--name-only", "--format=", "HEAD"]), ".memory/graph/a.md\n");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), " M code.rs\n");
    memory.curate("graph/a.md").unwrap().unwrap();
    sandbox.git(&["commit", "-qam", "Code again"]);
    let log = repo.log(&crate::git::LogFilter { vault_only: true, ..Default::default() }).unwrap();
    let subjects: Vec<_> = log.iter().map(|commit| commit.subject.as_str()).collect();
    assert_eq!(subjects, ["Pin graph/a.md", "Pin a"]);
    assert_eq!(repo.hand_edits().unwrap(), []);
}

#[test]
fn nowhere_is_no_repository() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Repo::discover(dir.path()).unwrap().is_none());
}

#[test]
fn a_new_repository_takes_commits_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let repo = Repo::init(dir.path()).unwrap();
    assert!(repo.is_own());
    assert!(repo.head().unwrap().branch.is_some());
    let changes = [write("a.md", None, NOTE, None)];
    fs::write(dir.path().join("a.md"), NOTE).unwrap();
    let committed = repo.commit(&changes, &message("a"), &options()).unwrap().unwrap();
    assert_eq!(repo.head().unwrap().commit, Some(committed.id));
}

#[test]
fn with_an_index_of_version_4() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["update-index", "--index-version", "4"]);
    survives(&sandbox.here());
}

#[test]
fn with_an_index_without_a_checksum() {
    let sandbox = Sandbox::with_note();
    let checksum_after = |path: &str| {
        let note = NOTE.replace("id: n", &format!("id: {}", &path[6..7]));
        sandbox.write(path, &note);
        sandbox.repo().commit(&[write(path, None, &note, None)], &message(path), &options()).unwrap();
        let index = fs::read(sandbox.root.join(".git/index")).unwrap();
        let (content, checksum) = index.split_at(index.len() - 20);
        let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
        hasher.update(content);
        (checksum.to_vec(), hasher.try_finalize().unwrap().as_slice().to_vec())
    };
    let (checksum, hash) = checksum_after("graph/b.md");
    assert_eq!(checksum, hash);
    sandbox.git(&["config", "index.skipHash", "true"]);
    assert_eq!(checksum_after("graph/c.md").0, [0; 20]);
    survives(&sandbox.here());
}

#[test]
fn with_a_split_index() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["update-index", "--split-index"]);
    sandbox.write("graph/b.md", "split\n");
    sandbox.git(&["add", "graph/b.md"]);
    sandbox.git(&["commit", "-q", "-m", "Split"]);
    survives(&sandbox.here());
    sandbox.git(&["config", "core.splitIndex", "true"]);
    sandbox.write("graph/b.md", "again\n");
    sandbox.git(&["commit", "-qam", "Again"]);
    sandbox.fsck();
}

#[test]
fn with_an_untracked_cache() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["config", "core.untrackedCache", "true"]);
    sandbox.git(&["update-index", "--force-untracked-cache"]);
    sandbox.git(&["status"]);
    survives(&sandbox.here());
}

#[test]
fn in_a_repository_of_sha256() {
    let sandbox = Sandbox::with(&["--object-format=sha256"]);
    sandbox.begin();
    survives(&sandbox.here());
    let log = sandbox.repo().log(&Default::default()).unwrap();
    assert_eq!(log[0].id.to_string().len(), 64);
    assert_eq!(sandbox.repo().resolve(&log[1].id.short()).unwrap(), log[1].id);
    assert_eq!(sandbox.repo().resolve(&format!("{}~1", log[0].id.short())).unwrap(), log[1].id);
}

#[test]
fn in_a_sparse_checkout() {
    for sparse_index in ["--no-sparse-index", "--sparse-index"] {
        let sandbox = Sandbox::with_note();
        for path in ["left/out/x.md", "left/out/y.md", "left/in.md", "other/o.md"] {
            sandbox.write(path, NOTE);
        }
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "More"]);
        sandbox.git(&["sparse-checkout", "set", "--cone", sparse_index, "graph"]);
        assert!(!sandbox.root.join("left").exists());
        survives(&sandbox.here());
        // A new note in a folder that is left out.
        let new = NOTE.replace("id: n", "id: m");
        sandbox.write("left/out/z.md", &new);
        let change = write("left/out/z.md", None, &new, None);
        sandbox.repo().commit(&[change], &message("z"), &options()).unwrap().unwrap();
        assert_eq!(sandbox.git(&["show", "--name-only", "--format=", "HEAD"]), "left/out/z.md\n");
        assert_eq!(sandbox.git(&["ls-tree", "-r", "--name-only", "HEAD"]).lines().count(), 8);
        assert_eq!(sandbox.git(&["ls-files"]).lines().count(), 9);
        let rest = sandbox.git(&["status", "--porcelain"]);
        assert_eq!(rest, "A  staged\n?? untracked\n", "{sparse_index}");
        assert_eq!(
            sandbox.repo().hand_edits().unwrap().len(),
            2,
            "the staged and the untracked file only: {:?}",
            sandbox.repo().hand_edits()
        );
        sandbox.git(&["fsck", "--strict", "HEAD"]);
        sandbox.git(&["sparse-checkout", "disable"]);
        assert_eq!(sandbox.git(&["status", "--porcelain"]), rest);
    }
}

#[test]
fn not_during_a_merge_and_its_like() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.write("graph/b.md", "side\n");
    sandbox.git(&["commit", "-qam", "Side"]);
    sandbox.git(&["checkout", "-q", "main"]);
    for text in ["main\n", "main again\n"] {
        sandbox.write("graph/b.md", text);
        sandbox.git(&["commit", "-qam", "Main"]);
    }
    for (begin, end, expected) in [
        (vec!["merge", "side"], vec!["merge", "--abort"], Operation::Merge),
        (vec!["rebase", "side"], vec!["rebase", "--abort"], Operation::Rebase),
        (vec!["cherry-pick", "side"], vec!["cherry-pick", "--abort"], Operation::CherryPick),
        (vec!["revert", "--no-edit", "HEAD~1"], vec!["revert", "--abort"], Operation::Revert),
    ] {
        sandbox.here().fails(&begin);
        let before = sandbox.others(&["graph/a.md"]);
        match sandbox.here().curate("graph/a.md") {
            Err(err @ Error::InProgress { operation, .. }) => {
                assert_eq!(operation, expected);
                assert!(err.hint().unwrap().contains("--abort"));
            }
            other => panic!("{begin:?}: {other:?}"),
        }
        assert_eq!(sandbox.others(&["graph/a.md"]), before);
        sandbox.write("graph/a.md", NOTE);
        sandbox.git(&end);
    }
    sandbox.git(&["bisect", "start"]);
    assert_eq!(sandbox.repo().state(), Some(Operation::Bisect));
    sandbox.git(&["bisect", "reset"]);
    assert_eq!(sandbox.repo().state(), None);
}

#[test]
fn layouts_that_would_be_misread_are_refused_with_a_way_out() {
    let sandbox = Sandbox::with(&["--ref-format=reftable"]);
    let refused = Repo::discover(&sandbox.root).unwrap_err();
    assert!(matches!(&refused, Error::Unsupported { value, .. } if value == "reftable"), "{refused}");
    assert!(refused.hint().unwrap().contains("git refs migrate"));
    let sandbox = Sandbox::with_note();
    sandbox.git(&["config", "core.repositoryFormatVersion", "1"]);
    sandbox.git(&["config", "extensions.compatObjectFormat", "sha256"]);
    let refused = Repo::discover(&sandbox.root).unwrap_err();
    assert!(refused.to_string().contains("extensions.compatObjectFormat = sha256"), "{refused}");
}

#[test]
fn a_repository_of_somebody_else_is_refused() {
    let sandbox = Sandbox::with_note();
    // Only root can give files away; others have nothing to try.
    if std::os::unix::fs::chown(sandbox.root.join(".git"), Some(12345), Some(12345)).is_err() {
        return;
    }
    let refused = Repo::discover(&sandbox.root).unwrap_err();
    assert!(matches!(refused, Error::ForeignOwner { .. }), "{refused}");
    assert!(refused.hint().unwrap().contains("safe.directory"));
}
