//! Tests of the history: logs, single notes, old versions and undo.

use super::*;
use crate::git::{CommitId, Error, LogFilter};

fn note(path: &str) -> NotePath {
    NotePath::parse(path).unwrap()
}

fn nobody(_: &[u8]) -> bool {
    false
}

fn commit_all(sandbox: &Sandbox, subject: &str, seconds: i64) -> CommitId {
    sandbox.git(&["add", "-A"]);
    let date = format!("@{seconds} +0000");
    let mut command = sandbox.here().command();
    command.env("GIT_COMMITTER_DATE", &date).env("GIT_AUTHOR_DATE", &date);
    assert!(command.args(["commit", "-q", "-m", subject]).status().unwrap().success());
    sandbox.repo().head().unwrap().commit.unwrap()
}

fn lives(sandbox: &Sandbox, path: &str, is_same: &dyn Fn(&[u8]) -> bool) -> Vec<String> {
    let versions = sandbox.repo().history_of(&note(path), is_same).unwrap();
    let shown = versions.iter().map(|version| {
        let moved = version.moved_from.as_ref().map_or(String::new(), |from| format!(" from {from}"));
        let how = match (&version.old, &version.new) {
            (None, _) => "made",
            (_, None) => "removed",
            _ => "changed",
        };
        format!("{}: {how} {}{moved}", version.commit.subject, version.path)
    });
    shown.collect()
}

#[test]
fn the_log_reads_curations_back_and_filters_them() {
    let sandbox = Sandbox::with_note();
    let repo = sandbox.repo();
    let mut told = message("graph/a.md");
    told.session = Some("s-1".into());
    told.agent = Some("claude".into());
    told.reason = Some("it helped".into());
    told.operation = Some("00ff".into());
    let after = raise(NOTE).unwrap();
    sandbox.write("graph/a.md", &after);
    let id =
        repo.commit(&[write("graph/a.md", Some(NOTE), &after, None)], &told, &options()).unwrap().unwrap().id;
    let log = |filter: LogFilter| -> Vec<CommitId> {
        repo.log(&filter).unwrap().iter().map(|commit| commit.id).collect()
    };
    let all = repo.log(&LogFilter::default()).unwrap();
    assert_eq!(all.len(), 2);
    let made = repo.commit_info(id).unwrap();
    assert_eq!(made.message, Some(told));
    assert_eq!((made.author.as_str(), made.email.as_str()), ("Ann", "ann@example.org"));
    assert_eq!(made.time.to_string(), "2026-11-01T09:30:00Z");
    let begin = all.iter().find(|commit| commit.id != id).unwrap();
    assert_eq!((begin.subject.as_str(), &begin.message), ("Begin", &None));
    let session = Some("s-1".to_owned());
    assert_eq!(log(LogFilter { session, ..Default::default() }), [id]);
    assert_eq!(log(LogFilter { ids: vec!["x".into(), "n".into()], ..Default::default() }), [id]);
    assert_eq!(log(LogFilter { ids: vec!["x".into()], ..Default::default() }), []);
    assert_eq!(log(LogFilter { op: Some("add".into()), ..Default::default() }), []);
    assert_eq!(log(LogFilter { agent: Some("claude".into()), ..Default::default() }), [id]);
    assert_eq!(log(LogFilter { operation: Some("00ff".into()), ..Default::default() }), [id]);
    assert_eq!(log(LogFilter { limit: Some(1), ..Default::default() }).len(), 1);
    let future = Instant::parse("2999-01-01").unwrap();
    assert_eq!(log(LogFilter { since: Some(future), ..Default::default() }), []);
}

#[test]
fn a_note_is_followed_over_renames() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["mv", "graph/a.md", "graph/moved.md"]);
    sandbox.git(&["commit", "-q", "-m", "Move"]);
    sandbox.git(&["mv", "graph/moved.md", "graph/again.md"]);
    sandbox.write("graph/again.md", &raise(NOTE).unwrap());
    sandbox.git(&["commit", "-qam", "Move and change"]);
    sandbox.write("other.md", "noise\n");
    commit_all(&sandbox, "Noise", 2_000_000_000);
    assert_eq!(
        lives(&sandbox, "graph/again.md", &nobody),
        [
            "Move and change: changed graph/again.md from graph/moved.md",
            "Move: changed graph/moved.md from graph/a.md",
            "Begin: made graph/a.md",
        ]
    );
}

#[test]
fn an_id_outweighs_likeness() {
    let sandbox = Sandbox::with_note();
    let twin = NOTE.replace("id: n", "id: twin");
    sandbox.write("graph/twin.md", &twin);
    commit_all(&sandbox, "Twin", 1_800_000_001);
    // Both vanish, and one comes back elsewhere, wholly rewritten.
    fs::remove_file(sandbox.root.join("graph/a.md")).unwrap();
    fs::remove_file(sandbox.root.join("graph/twin.md")).unwrap();
    sandbox.write("vault/new.md", "id: twin\nnothing else is left of it\n");
    commit_all(&sandbox, "Rewrite", 1_800_000_002);
    let twin = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("id: twin");
    assert_eq!(
        lives(&sandbox, "vault/new.md", &twin),
        ["Rewrite: changed vault/new.md from graph/twin.md", "Twin: made graph/twin.md"]
    );
    assert_eq!(lives(&sandbox, "vault/new.md", &nobody), ["Rewrite: made vault/new.md"]);
}

#[test]
fn a_removed_note_still_has_its_history_and_a_restored_one_all_of_it() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["rm", "-q", "graph/a.md"]);
    commit_all(&sandbox, "Remove", 1_900_000_001);
    assert_eq!(
        lives(&sandbox, "graph/a.md", &nobody),
        ["Remove: removed graph/a.md", "Begin: made graph/a.md"]
    );
    sandbox.write("graph/a.md", NOTE);
    commit_all(&sandbox, "Restore", 1_900_000_002);
    let same = |bytes: &[u8]| bytes.starts_with(b"---\nid: n\n");
    assert_eq!(
        lives(&sandbox, "graph/a.md", &same),
        ["Restore: made graph/a.md", "Remove: removed graph/a.md", "Begin: made graph/a.md"]
    );
    // Another note of the same path is none of its business.
    let other = |bytes: &[u8]| bytes.starts_with(b"other");
    assert_eq!(lives(&sandbox, "graph/a.md", &other), ["Restore: made graph/a.md"]);
}

#[test]
fn merges_are_told_only_where_they_changed_something() {
    let sandbox = Sandbox::with_note();
    sandbox.git(&["checkout", "-q", "-b", "side"]);
    sandbox.write("graph/a.md", &raise(NOTE).unwrap());
    commit_all(&sandbox, "Side", 1_900_000_001);
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.write("graph/b.md", "main\n");
    commit_all(&sandbox, "Main", 1_900_000_002);
    sandbox.git(&["merge", "-q", "--no-edit", "side"]);
    assert_eq!(
        lives(&sandbox, "graph/a.md", &nobody),
        ["Side: changed graph/a.md", "Begin: made graph/a.md"]
    );
    assert_eq!(sandbox.repo().log(&Default::default()).unwrap().len(), 4);
}

#[test]
fn old_versions_are_read_as_a_checkout_would_write_them() {
    let sandbox = Sandbox::with_note();
    let repo = sandbox.repo();
    let begin = repo.head().unwrap().commit.unwrap();
    sandbox.here().curate("graph/a.md").unwrap();
    sandbox.git(&["rm", "-q", "graph/b.md"]);
    let last = commit_all(&sandbox, "Remove b", 2_000_000_000);
    assert_eq!(repo.read_at(begin, &note("graph/a.md")).unwrap().unwrap(), NOTE.as_bytes());
    assert_eq!(repo.read_at(last, &note("graph/b.md")).unwrap(), None);
    assert_eq!(repo.read_at(last, &note("graph")).unwrap(), None);
    let listed: Vec<_> = repo.list_at(begin).unwrap().into_iter().map(|(path, _)| path).collect();
    assert_eq!(listed, [note("graph/a.md"), note("graph/b.md")]);
    let blob = sandbox.git(&["rev-parse", "HEAD:graph/a.md"]);
    assert_eq!(repo.list_at(last).unwrap(), [(note("graph/a.md"), blob.trim().to_owned())]);
    let changed = repo.changed_between(Some(begin), last).unwrap();
    assert_eq!(changed.len(), 2);
    assert_eq!(changed[0].path, note("graph/a.md"));
    assert_eq!(changed[0].new.as_deref(), Some(raise(NOTE).unwrap().as_bytes()));
    assert_eq!((changed[1].old.as_deref(), &changed[1].new), (Some(b"b\n".as_slice()), &None));
}

#[test]
fn commits_are_found_by_what_people_call_them() {
    let sandbox = Sandbox::with_note();
    let first = sandbox.repo().head().unwrap().commit.unwrap();
    sandbox.write("c.md", "c");
    let second = commit_all(&sandbox, "Second", 2_000_000_000);
    sandbox.git(&["tag", "-a", "v1", "-m", "v1"]);
    let repo = sandbox.repo();
    for name in ["HEAD", "main", "v1", &second.to_string(), &second.short()] {
        assert_eq!(repo.resolve(name).unwrap(), second, "{name}");
    }
    assert_eq!(repo.resolve("HEAD~1").unwrap(), first);
    for name in ["", "nothing", "HEAD~9", "HEAD:graph", "0000000000"] {
        assert!(matches!(repo.resolve(name), Err(Error::UnknownRevision { .. })), "{name}");
    }
    let at = |seconds| repo.at_time(Instant::from_unix(seconds)).unwrap().map(|commit| commit.id);
    assert_eq!(at(2_000_000_000), Some(second));
    assert_eq!(at(1_999_999_999), Some(first));
    assert_eq!(at(0), None);
}

#[test]
fn the_states_of_a_vault_are_the_commits_that_changed_it() {
    let sandbox = Sandbox::with_note();
    sandbox.write("vault/a.md", "a");
    let first = commit_all(&sandbox, "Vault", 2_000_000_000);
    sandbox.write("other.md", "o");
    let other = commit_all(&sandbox, "Elsewhere", 2_000_000_001);
    sandbox.git(&["mv", "vault/a.md", "vault/b.md"]);
    let last = commit_all(&sandbox, "Move", 2_000_000_002);
    assert_eq!(sandbox.repo().states().unwrap()[..3], [last, other, first]);
    let vault = sandbox.at("repo/vault").repo();
    assert_eq!(vault.states().unwrap(), [last, first]);
    let files = vault.files_between(Some(first), last).unwrap();
    assert_eq!(files, [(note("a.md"), false), (note("b.md"), true)]);
    assert_eq!(vault.files_between(None, first).unwrap(), [(note("a.md"), true)]);
}

#[test]
fn an_undo_knows_what_was_before_and_who_came_after() {
    let sandbox = Sandbox::with_note();
    let repo = sandbox.repo();
    let pinned = sandbox.here().curate("graph/a.md").unwrap().unwrap().id;
    let inverse = repo.inverse(pinned).unwrap();
    assert_eq!(inverse.len(), 1);
    assert_eq!(inverse[0].old.as_deref(), Some(NOTE.as_bytes()));
    assert_eq!(inverse[0].new.as_deref(), Some(raise(NOTE).unwrap().as_bytes()));
    assert_eq!(repo.later_touching(pinned, &[note("graph/a.md")]).unwrap(), []);
    sandbox.write("graph/b.md", "elsewhere\n");
    commit_all(&sandbox, "Elsewhere", 2_000_000_000);
    sandbox.write("graph/a.md", "later\n");
    commit_all(&sandbox, "Later", 2_000_000_001);
    let later = repo.later_touching(pinned, &[note("graph/a.md")]).unwrap();
    let subjects: Vec<_> = later.iter().map(|commit| commit.subject.as_str()).collect();
    assert_eq!(subjects, ["Later"]);
    let first = repo.resolve("HEAD~3").unwrap();
    assert!(repo.inverse(first).unwrap().iter().all(|change| change.old.is_none()));
}

#[test]
fn a_shallow_clone_ends_where_it_ends() {
    let sandbox = Sandbox::with_note();
    sandbox.here().curate("graph/a.md").unwrap();
    sandbox.write("graph/b.md", "last\n");
    commit_all(&sandbox, "Last", 2_000_000_000);
    let url = format!("file://{}", sandbox.root.display());
    sandbox.git(&["clone", "-q", "--depth", "2", &url, "../shallow"]);
    let repo = sandbox.at("shallow").repo();
    assert_eq!(repo.log(&Default::default()).unwrap().len(), 2);
    assert_eq!(repo.history_of(&note("graph/a.md"), &nobody).unwrap().len(), 1);
}

#[test]
fn a_note_without_id_that_was_deleted_and_restored_keeps_its_history() {
    let sandbox = Sandbox::with_note();
    sandbox.write("b.md", "# Beta\n");
    commit_all(&sandbox, "Write", 1_700_000_100);
    sandbox.write("b.md", "# Beta\n\nMore.\n");
    commit_all(&sandbox, "Edit", 1_700_000_200);
    sandbox.git(&["rm", "-q", "b.md"]);
    commit_all(&sandbox, "Delete", 1_700_000_300);
    sandbox.write("b.md", "# Beta\n\nMore.\n");
    commit_all(&sandbox, "Restore", 1_700_000_400);
    let subjects = |versions: Vec<crate::git::NoteHistoryEntry>| -> Vec<String> {
        versions.into_iter().map(|version| version.commit.subject).collect()
    };
    let repo = sandbox.repo();
    let all = ["Restore", "Delete", "Edit", "Write"];
    assert_eq!(subjects(repo.history_of_path(&note("b.md")).unwrap()), all);
    assert_eq!(subjects(repo.history_of(&note("b.md"), &nobody).unwrap()), ["Restore"]);
}
