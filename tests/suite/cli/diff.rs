//! `cm diff`

use super::small::{CLOSE, RETRY, small};

#[test]
fn what_changed_between_two_commits_is_said_in_words() {
    let sandbox = small();
    sandbox
        .cm(&["update", "1f0c2a", "--set", "importance=0.3", "--add-tag", "postgres", "--remove-tag", "net"])
        .ok();
    sandbox.write(RETRY, sandbox.read(RETRY).replace("over 30 s.", "over 60 s, with full jitter."));
    sandbox.write("notes.txt", "Not a note.\n");
    sandbox.cm(&["commit"]).ok();
    sandbox.cm(&["pin", "1f0c2a"]).ok();
    sandbox.cm(&["delete", "1f0c99"]).ok();
    sandbox.cm(&["relate", "1f0c2a", "REQUIRES", "5e5e5e"]).ok();
    let ran = sandbox.cm(&["diff", "HEAD~5", "HEAD"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [COMMIT] → [COMMIT]
    added    Retry with jitter REQUIRES Names carry their unit (REQUIRES) graph/edges/retry-with-jitter--REQUIRES--names-carry-their-unit-2c6637.md
    removed  Close idle connections (fix) graph/fixes/close-idle-connections-1f0c99.md
    changed  Retry with jitter (solution) vault/retry-with-jitter-1f0c2a.md
               moved from graph/solutions/retry-with-jitter-1f0c2a.md
               importance: 0.8 → 0.3
               tags: +postgres -net
               updated: 2026-11-01T08:00:00Z → 2026-11-21T12:00:00Z
               body: 5 words came, 1 went
               score: 0.262 → 999.000
    other    notes.txt
    [exit 0]
    ");
    let ran = sandbox.cm(&["diff", "HEAD~4"]);
    let newest = sandbox.cm(&["diff", "HEAD~4", "HEAD"]);
    assert_eq!(ran.stdout, newest.stdout, "the newer one is HEAD where nothing is said");
}

#[test]
fn the_newest_commit_is_told_where_nothing_is_named() {
    let sandbox = small();
    sandbox.cm(&["delete", CLOSE]).ok();
    let ran = sandbox.cm(&["diff", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "from": "[COMMIT]",
      "to": "[COMMIT]",
      "added": [],
      "removed": [
        {
          "id": "1f0c9900-0000-4000-8000-000000000002",
          "kind": "memory",
          "type": "fix",
          "title": "Close idle connections",
          "path": "graph/fixes/close-idle-connections-1f0c99.md"
        }
      ],
      "changed": [],
      "other": []
    }
    [exit 0]
    "#);
}

#[test]
fn a_date_or_an_age_names_the_commit_of_then() {
    let sandbox = small();
    sandbox.run(&["pin", "1f0c2a"]).env("CM_NOW", "2026-11-25").go().ok();
    let by_age = sandbox.run(&["diff", "2d"]).env("CM_NOW", "2026-11-25").go().ok();
    let by_name = sandbox.run(&["diff", "HEAD~1", "HEAD"]).env("CM_NOW", "2026-11-25").go().ok();
    assert_eq!(by_age.stdout, by_name.stdout);
    let ran = sandbox.cm(&["diff", "2026-11-01"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: there was no commit yet at 2026-11-01T00:00:00Z
    [exit 4]
    ");
}

#[test]
fn a_commit_is_compared_with_itself_and_the_first_one_with_nothing() {
    let sandbox = small();
    let ran = sandbox.cm(&["diff", "HEAD", "HEAD"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [COMMIT] → [COMMIT]
    nothing changed
    [exit 0]
    ");
    let ran = sandbox.cm(&["diff"]);
    assert_eq!(ran.stdout.lines().count(), 7, "the first commit brought all");
    insta::assert_snapshot!(ran.snapshot(), @r"
    nothing → [COMMIT]
    added    Retry with jitter (solution) graph/solutions/retry-with-jitter-1f0c2a.md
    added    Close idle connections (fix) graph/fixes/close-idle-connections-1f0c99.md
    added    Names carry their unit (preference) vault/names-carry-their-unit-5e5e5e.md
    added    Gauges time out (problem) graph/problems/gauges-time-out-77ab01.md
    other    .gitignore
    other    cm.toml
    [exit 0]
    ");
}

#[test]
fn an_unknown_commit_is_not_found() {
    let sandbox = small();
    let ran = sandbox.cm(&["diff", "HEAD~9"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: `HEAD~9` is no commit of this repository
     hint: `cm log` lists the commits
    [exit 4]
    ");
    let ran = sandbox.cm(&["diff", "nowhere", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "not-found",
        "message": "`nowhere` is no commit of this repository",
        "hint": "`cm log` lists the commits",
        "exit": 4
      }
    }
    [exit 4]
    "#);
}
