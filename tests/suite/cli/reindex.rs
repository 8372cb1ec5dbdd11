//! `cm reindex`

use crate::support::{everything, harbour};

#[test]
fn the_first_run_reads_everything_and_the_second_nothing() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["reindex"]).snapshot(), @"
    12 notes: 12 added, 0 updated, 0 removed  [MS] ms
    rebuilt the index: no index existed
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["reindex", "--json"]).snapshot(), @r#"
    {
      "notes": 12,
      "added": 0,
      "updated": 0,
      "removed": 0,
      "findings": 0,
      "ms": [MS],
      "stale": [],
      "rebuilt": null,
      "unread": 0
    }
    [exit 0]
    "#);
}

#[test]
fn what_was_done_by_hand_is_counted() {
    let sandbox = harbour();
    sandbox.cm(&["reindex"]).ok();
    std::fs::remove_file(sandbox.vault().join("notes/reading-list.md")).unwrap();
    sandbox.write("notes/new.md", "# New\n\n[[Nowhere]]\n");
    sandbox.write("graph/general/old-printer-8b8b8b.md", "Only text now\n");
    insta::assert_snapshot!(sandbox.cm(&["reindex", "--check"]).snapshot(), @"
    stale: 3 files: 1 added, 1 updated, 1 removed
      graph/general/old-printer-8b8b8b.md
      notes/new.md
      notes/reading-list.md
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.cm(&["reindex"]).snapshot(), @"
    12 notes: 1 added, 1 updated, 1 removed  [MS] ms
    2 findings; `cm validate` lists them and checks links
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["reindex", "--check"]).snapshot(), @"
    the index of 12 notes is up to date
    [exit 0]
    ");
}

#[test]
fn a_check_exits_1_where_something_is_stale_and_changes_nothing() {
    let sandbox = harbour();
    let before = everything(sandbox.root());
    insta::assert_snapshot!(sandbox.cm(&["reindex", "--check", "--json"]).snapshot(), @r#"
    {
      "notes": 12,
      "added": 0,
      "updated": 0,
      "removed": 0,
      "findings": 0,
      "ms": [MS],
      "stale": [],
      "rebuilt": "no index existed",
      "unread": 0
    }
    [exit 1]
    "#);
    assert_eq!(everything(sandbox.root()), before);
}

#[test]
fn full_reads_everything_anew_and_finds_the_same() {
    let sandbox = harbour();
    let before = sandbox.cm(&["search", "network", "--json"]).ok().stdout;
    insta::assert_snapshot!(sandbox.cm(&["reindex", "--full"]).snapshot(), @"
    12 notes: 12 added, 0 updated, 0 removed  [MS] ms
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["search", "network", "--json"]).ok().stdout, before);
    assert_eq!(sandbox.cm(&["reindex", "--full", "--check"]).code, 2);
}

#[test]
fn a_file_whose_times_alone_changed_is_no_change() {
    let sandbox = harbour();
    sandbox.cm(&["reindex"]).ok();
    let file =
        std::fs::File::options().append(true).open(sandbox.vault().join("notes/reading-list.md")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(sandbox.cm(&["reindex", "--check"]).ok().code, 0);
}
