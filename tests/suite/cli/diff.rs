//! `cm diff`

use super::small::{CLOSE, RETRY, small};
use crate::support::vault_of;

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
    insta::assert_snapshot!(ran.snapshot(), @"
    [COMMIT] → [COMMIT]
    1 note removed, 1 changed; 1 edge added; 1 other file changed
    removed    Close idle connections (fix) graph/fixes/close-idle-connections-1f0c99.md
    changed    Retry with jitter (solution) vault/retry-with-jitter-1f0c2a.md
                 moved from graph/solutions/retry-with-jitter-1f0c2a.md
                 importance: 0.8 → 0.3
                 tags: +postgres -net
                 updated: 2026-11-01T08:00:00Z → 2026-11-21T12:00:00Z
                 body: 5 words added, 1 removed
                 score: 0.262 → 999.000
    related    Retry with jitter REQUIRES Names carry their unit
    other      notes.txt
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
      "at": "2026-11-21T12:00:00Z",
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
      "edges": [],
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
    assert_eq!(ran.stdout.lines().count(), 9, "the first commit brought all");
    insta::assert_snapshot!(ran.snapshot(), @"
    nothing → [COMMIT]
    4 notes added; 1 edge added; 2 other files changed
    added      Retry with jitter (solution) graph/solutions/retry-with-jitter-1f0c2a.md
    added      Close idle connections (fix) graph/fixes/close-idle-connections-1f0c99.md
    added      Names carry their unit (preference) vault/names-carry-their-unit-5e5e5e.md
    added      Gauges time out (problem) graph/problems/gauges-time-out-77ab01.md
    related    Retry with jitter SOLVES Gauges time out
    other      .gitignore
    other      cm.toml
    [exit 0]
    ");
}

#[test]
fn an_unknown_commit_is_not_found() {
    let sandbox = small();
    let ran = sandbox.cm(&["diff", "HEAD~9"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: `HEAD~9` is neither a commit of this repository nor a date
     hint: `cm log` lists the commits; a date is 2026-11-01 or 2026-11-01T09:30:00Z, an age is 7d or 12h
    [exit 4]
    ");
    let ran = sandbox.cm(&["diff", "nowhere", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "not-found",
        "message": "`nowhere` is neither a commit of this repository nor a date",
        "hint": "`cm log` lists the commits; a date is 2026-11-01 or 2026-11-01T09:30:00Z, an age is 7d or 12h"
      }
    }
    [exit 4]
    "#);
}

const RULES: &str = "\
--- playbook/net/timeout.md
---
id: b-mq6d3m8l-aaaaaa
category: net
state: draft
feedback:
- {at: 2026-11-02T08:00:00Z, signal: helpful, session: s-2}
---

Give every request a timeout.
--- graph/fixes/pool.md
---
id: a0a0a0a0-0000-4000-8000-000000000001
type: fix
title: Empty pool
created: 2026-11-01
updated: 2026-11-01
relations:
- {target: c0c0c0c0-0000-4000-8000-000000000001, type: SOLVES, strength: 0.5}
---

Refill it; see [[Old note]].
--- graph/problems/hang.md
---
id: c0c0c0c0-0000-4000-8000-000000000001
type: problem
title: Requests hang
created: 2026-11-01
updated: 2026-11-01
---

They do.
--- notes/old-note.md
# Old note

Three lines
of plain text
that stay.
";

/// Creates a history of feedback, state changes and edges, and of a moved note without an id.
fn rules() -> crate::support::Sandbox {
    let sandbox = vault_of(RULES);
    let bullet = "playbook/net/timeout.md";
    let text = sandbox.read(bullet);
    let more = "session: s-2}\n- {at: 2026-11-20T08:00:00Z, signal: helpful, session: s-3}\n- {at: 2026-11-20T09:00:00Z, signal: harmful, session: s-4}";
    let text = text.replace("session: s-2}", more).replace("draft", "active\nmaturity: established");
    sandbox.write(bullet, text.replace("a timeout.", "a timeout of two seconds."));
    let pool =
        sandbox.read("graph/fixes/pool.md").replace("0.5", "0.9").replace("Empty pool", "Pool runs empty");
    sandbox.write("graph/fixes/pool.md", pool);
    let old = sandbox.read("notes/old-note.md").replace("that stay", "that stayed");
    std::fs::remove_file(sandbox.vault().join("notes/old-note.md")).unwrap();
    sandbox.write("archive/old-note.md", old);
    sandbox.write("archive/other.md", "# Other\n\nSee [[Requests hang]].\n");
    sandbox.commit_all("Change all of it");
    sandbox
}

#[test]
fn feedback_titles_moves_and_edges_are_told_as_what_they_are() {
    let sandbox = rules();
    let ran = sandbox.cm(&["diff"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [COMMIT] → [COMMIT]
    1 note added, 3 changed; 1 edge added, 1 changed
    added      Other (plain) archive/other.md
    changed    Pool runs empty (fix) graph/fixes/pool.md
                 previously: Empty pool
                 relations: 1 added, 1 removed
    changed    Old note (plain) archive/old-note.md
                 moved from notes/old-note.md
                 body: 1 word added, 1 removed
    changed    Give every request a timeout of two seconds. (rule) playbook/net/timeout.md
                 previously: Give every request a timeout.
                 maturity: nothing → established
                 state: draft → active
                 feedback: 1 helpful, 1 harmful added
                 body: 3 words added, 0 removed
                 score: 0.431 → -2.112
    strength   Pool runs empty SOLVES Requests hang: 0.5 → 0.9
    linked     Other to Requests hang
    [exit 0]
    ");
}

#[test]
fn the_document_names_each_edge_with_its_strength_before_and_after() {
    let sandbox = rules();
    let there = sandbox.cm(&["diff", "--json"]).ok().json();
    insta::assert_snapshot!(serde_json::to_string_pretty(&there["edges"]).unwrap(), @r#"
    [
      {
        "from": {
          "id": "a0a0a0a0-0000-4000-8000-000000000001",
          "title": "Pool runs empty"
        },
        "type": "SOLVES",
        "to": {
          "id": "c0c0c0c0-0000-4000-8000-000000000001",
          "title": "Requests hang"
        },
        "old": 0.5,
        "new": 0.9,
        "file": null
      },
      {
        "from": {
          "id": "archive/other.md",
          "title": "Other"
        },
        "type": "LINKS_TO",
        "to": {
          "id": "c0c0c0c0-0000-4000-8000-000000000001",
          "title": "Requests hang"
        },
        "old": null,
        "new": 0.5,
        "file": null
      }
    ]
    "#);
    let bullet = &there["changed"][2];
    insta::assert_snapshot!(serde_json::to_string_pretty(bullet).unwrap(), @r#"
    {
      "note": {
        "id": "b-mq6d3m8l-aaaaaa",
        "kind": "bullet",
        "type": "rule",
        "title": "Give every request a timeout of two seconds.",
        "path": "playbook/net/timeout.md"
      },
      "moved_from": null,
      "retitled_from": "Give every request a timeout.",
      "fields": [
        {
          "key": "feedback",
          "old": [
            {
              "at": "2026-11-02T08:00:00Z",
              "signal": "helpful",
              "session": "s-2"
            }
          ],
          "new": [
            {
              "at": "2026-11-02T08:00:00Z",
              "signal": "helpful",
              "session": "s-2"
            },
            {
              "at": "2026-11-20T08:00:00Z",
              "signal": "helpful",
              "session": "s-3"
            },
            {
              "at": "2026-11-20T09:00:00Z",
              "signal": "harmful",
              "session": "s-4"
            }
          ]
        },
        {
          "key": "maturity",
          "old": null,
          "new": "established"
        },
        {
          "key": "state",
          "old": "draft",
          "new": "active"
        }
      ],
      "words_added": 3,
      "words_removed": 0,
      "feedback": {
        "came": {
          "helpful": 1,
          "harmful": 1,
          "irrelevant": 0,
          "ignored": 0
        },
        "went": {
          "helpful": 0,
          "harmful": 0,
          "irrelevant": 0,
          "ignored": 0
        }
      },
      "score": [
        0.4314,
        -2.1117
      ]
    }
    "#);
    let back = sandbox.cm(&["diff", "HEAD", "HEAD~1", "--json"]).ok().json();
    let turned = |edge: &serde_json::Value| (edge["old"].clone(), edge["new"].clone());
    let edges = |answer: &serde_json::Value| answer["edges"].as_array().unwrap().clone();
    let forth: Vec<_> = edges(&there).iter().map(turned).collect();
    let back: Vec<_> = edges(&back).iter().map(turned).map(|(old, new)| (new, old)).collect();
    assert_eq!(forth, back, "the other way round the same edges differ");
}

#[test]
fn hand_edits_and_notes_that_are_not_committed_are_no_part_of_a_commit() {
    let sandbox = rules();
    let before = sandbox.cm(&["diff", "--json"]).ok().stdout;
    sandbox.write("graph/problems/hang.md", "---\nid: c9\ntype: problem\n---\n[[Other]]\n");
    sandbox.write("archive/untracked.md", "# Untracked\n\n[[Other]] and [[Requests hang]]\n");
    sandbox.write(".git/info/exclude", "ignored.md\n");
    sandbox.write("archive/ignored.md", "[[Other]] [[Pool runs empty]]\n");
    assert_eq!(sandbox.cm(&["diff", "--json"]).ok().stdout, before);
}

#[test]
fn days_are_taken_whole() {
    let sandbox = small();
    for (when, title) in
        [("2026-11-22T08:00:00Z", "One"), ("2026-11-22T20:00:00Z", "Two"), ("2026-11-23T08:00:00Z", "Three")]
    {
        sandbox
            .run(&["add", "--type", "fact", "--title", title, "--body", "A fact."])
            .env("CM_NOW", when)
            .go()
            .ok();
    }
    let ran = sandbox.run(&["diff", "2026-11-22", "2026-11-22"]).env("CM_NOW", "2026-11-25").go();
    insta::assert_snapshot!(ran.snapshot(), @"
    [COMMIT] → [COMMIT]
    2 notes added
    added      Two (fact) graph/facts/two-169a77.md
    added      One (fact) graph/facts/one-df160b.md
    [exit 0]
    ");
}

#[test]
fn everything_is_new_in_a_vault_that_is_younger_than_the_date() {
    let sandbox = vault_of("");
    sandbox.cm(&["add", "--type", "fact", "--title", "Horn", "--body", "The horn is loud."]).ok();
    sandbox.cm(&["add", "--type", "fact", "--title", "Bell", "--body", "The bell is not."]).ok();
    let ran = sandbox.cm(&["diff", "2001-01-01"]).ok();
    assert!(ran.stdout.contains("Horn") && ran.stdout.contains("Bell"), "{}", ran.snapshot());
    assert!(ran.stderr.contains("the vault is younger than 2001-01-01"), "{}", ran.snapshot());
}
