//! A refresh detects all changes and leaves no outdated data.

use std::fs;
use std::time::{Duration, SystemTime};

use super::vault::Vault;
use crate::{RebuildReason, RefreshReport};
use cm_note::path::NotePath;

fn vault() -> Vault {
    let vault = Vault::of(&[
        ("a.md", "tags: net\nupdated: 2026-01-01\n\nThe socket timed out."),
        ("b.md", "A retry of the socket helped."),
        ("c/d.md", "Connection reset by peer: the connection reset."),
    ]);
    assert_eq!(vault.refresh().rebuilt, Some(RebuildReason::Missing));
    vault
}

fn stems(paths: &[NotePath]) -> Vec<&str> {
    paths.iter().map(NotePath::stem).collect()
}

/// Waits until the file system's clock has moved on, so that later changes have later times.
fn settle(vault: &Vault) {
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(12));
        vault.refresh();
    }
}

#[test]
fn nothing_is_done_where_nothing_changed() {
    let vault = vault();
    settle(&vault);
    let before: Vec<_> =
        fs::read_dir(vault.path("_index")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let seen = vault.seen();
    assert_eq!(vault.refresh(), RefreshReport { notes: 3, ..RefreshReport::default() });
    assert!(vault.check().is_fresh());
    let after: Vec<_> =
        fs::read_dir(vault.path("_index")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!((before, seen), (after, vault.seen()));
}

#[test]
fn edits_moves_and_removals_are_seen() {
    let vault = vault();
    vault.write("a.md", "Now about caches.");
    vault.write("new.md", "A socket once more.");
    fs::rename(vault.path("c/d.md"), vault.path("c/e.md")).unwrap();
    fs::remove_file(vault.path("b.md")).unwrap();
    let stale = vault.check();
    assert_eq!((stems(&stale.added), stems(&stale.updated)), (vec!["e", "new"], vec!["a"]));
    let refreshed = vault.refresh();
    assert_eq!(stems(&refreshed.added), ["e", "new"]);
    assert_eq!(stems(&refreshed.updated), ["a"]);
    assert_eq!(stems(&refreshed.removed), ["b", "d"]);
    assert_eq!((refreshed.notes, refreshed.rebuilt), (3, None));
    assert_eq!(vault.search("socket"), ["new"]);
    assert_eq!(vault.search("\"connection reset\""), ["e"]);
    assert_eq!(vault.search("tag:net"), Vec::<String>::new());
    assert_eq!(vault.index.notes().unwrap().len(), 3);
}

#[test]
fn an_edit_of_the_same_size_in_the_same_instant_is_seen() {
    let vault = vault();
    let modified = fs::metadata(vault.path("b.md")).unwrap().modified().unwrap();
    vault.write("b.md", "A retry of the rocket helped.");
    let same = fs::File::options().write(true).open(vault.path("b.md")).unwrap();
    same.set_modified(modified).unwrap();
    assert_eq!(stems(&vault.refresh().updated), ["b"]);
    assert_eq!(vault.search("rocket"), ["b"]);
}

#[test]
fn a_touched_file_is_read_once_and_is_no_change() {
    let vault = vault();
    settle(&vault);
    let file = fs::File::options().write(true).open(vault.path("b.md")).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    assert_eq!(vault.refresh(), RefreshReport { notes: 3, ..RefreshReport::default() });
    settle(&vault);
    let unread = |path: &NotePath| panic!("{path} is read again");
    let unparsed = |path: &NotePath, _: &[u8]| panic!("{path} is parsed");
    vault.index.refresh(&vault.listing(), &unread, &unparsed, Duration::from_secs(10)).unwrap();
}

#[test]
fn a_written_note_that_was_queued_is_looked_at_whatever_its_stat_says() {
    let vault = vault();
    settle(&vault);
    let before = fs::metadata(vault.path("b.md")).unwrap().modified().unwrap();
    vault.write("b.md", "A retry of the rocket helped.");
    fs::File::options().write(true).open(vault.path("b.md")).unwrap().set_modified(before).unwrap();
    vault.index.queue(&[(NotePath::parse("b.md").unwrap(), None)]).unwrap();
    assert_eq!(stems(&vault.refresh().updated), ["b"]);
}

#[test]
fn many_small_changes_answer_like_a_rebuild() {
    let vault = vault();
    for round in 0..30 {
        vault.write(
            &format!("n{}.md", round % 7),
            &format!("tags: net\n\nsocket timeout {}", "retry ".repeat(round % 5)),
        );
        if round % 4 == 3 {
            let _ = fs::remove_file(vault.path(&format!("n{}.md", round % 3)));
        }
        assert_eq!(vault.refresh().rebuilt, None);
    }
    let seen = vault.seen();
    vault.rebuild();
    assert_eq!(vault.seen(), seen);
}

#[test]
fn files_that_cannot_be_read_are_reported_each_time() {
    let vault = vault();
    let read = |path: &NotePath| match path.stem() {
        "b" => Err(std::io::Error::from(std::io::ErrorKind::PermissionDenied)),
        _ => fs::read(vault.path(path.as_str())),
    };
    vault.write("b.md", "changed");
    for _ in 0..2 {
        let refreshed = vault
            .index
            .refresh(&vault.listing(), &read, &super::vault::parse, Duration::from_secs(10))
            .unwrap();
        assert_eq!(refreshed.findings.len(), 1);
        assert_eq!(refreshed.findings[0].path, "b.md");
    }
    assert_eq!(vault.search("retry"), Vec::<String>::new());
}

#[test]
fn refreshes_at_once_agree() {
    let vault = vault();
    for round in 0..5 {
        vault.write("a.md", &format!("The socket timed out {round} times."));
        vault.write(&format!("more{round}.md"), "The socket again.");
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    let index = vault.another();
                    vault.refresh_by(&index, Duration::from_secs(60)).unwrap();
                    let found = index.search(&super::vault::parsed("socket"), 0, 99).unwrap();
                    assert_eq!(found.total, 3 + round);
                });
            }
        });
    }
    assert_eq!(vault.refresh().rebuilt, None);
}

#[test]
fn behind_a_busy_process_the_answer_is_stale_and_says_so() {
    let vault = vault();
    vault.write("new.md", "socket");
    let lock = fs::File::options().write(true).open(vault.path("_index/lock")).unwrap();
    lock.lock().unwrap();
    let refreshed = vault.refresh_by(&vault.index, Duration::ZERO).unwrap();
    assert!(refreshed.stale.is_some_and(|why| why.contains("another process")));
    assert_eq!(vault.search("socket").len(), 2);
    lock.unlock().unwrap();
    assert_eq!(vault.refresh().stale, None);
    assert_eq!(vault.search("socket").len(), 3);
}
