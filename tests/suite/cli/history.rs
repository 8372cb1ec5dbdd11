//! `cm history`

use super::small::{RETRY, small};

#[test]
fn a_note_is_followed_over_a_rename_with_what_changed_word_by_word() {
    let sandbox = small();
    sandbox.write(RETRY, sandbox.read(RETRY).replace("over 30 s.", "over 60 s, with full jitter."));
    sandbox.cm(&["commit", "-m", "Retry longer"]).ok();
    sandbox.cm(&["pin", "1f0c2a"]).ok();
    sandbox.cm(&["update", "1f0c2a", "--set", "importance=0.9", "--now", "2026-11-22"]).ok();
    let ran = sandbox.cm(&["history", "Retry with jitter"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    [COMMIT]  2026-11-22 00:00  update  Update "Retry with jitter": importance  Ada Example
        …
        tags: [net, retry]  # by hand
        importance: [-0.8-]{+0.9+}
        created: 2026-11-01T08:00:00Z
        updated: 2026-11-[-01T08-]{+22T00+}:00:00Z
        ---
        …

    [COMMIT]  2026-11-21 12:00  pin  Pin "Retry with jitter"  Ada Example
        moved from graph/solutions/retry-with-jitter-1f0c2a.md to vault/retry-with-jitter-1f0c2a.md

    [COMMIT]  2026-11-21 12:00  commit  Retry longer  Ada Example
        …
        Spread retries over [-30-]{+60+} s{+, with full jitter+}.
        …

    [COMMIT]  2026-11-21 11:59  -  Begin  Ada Example
        {+---+}
        {+id: 1f0c2a00-0000-4000-8000-000000000001+}
        {+type: solution+}
        {+title: Retry with jitter+}
        {+tags: [net, retry]  # by hand+}
        {+importance: 0.8+}
        {+created: 2026-11-01T08:00:00Z+}
        {+updated: 2026-11-01T08:00:00Z+}
        {+---+}
        {+# Retry with jitter+}
        {+Spread retries over 30 s.+}
        {+SOLVES:: [[Gauges time out]]+}

    [exit 0]
    "#);
    let ran = sandbox.cm(&["history", "1f0c2a", "-n", "2", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "id": "1f0c2a00-0000-4000-8000-000000000001",
      "path": "vault/retry-with-jitter-1f0c2a.md",
      "versions": [
        {
          "commit": {
            "id": "[COMMIT]",
            "at": "2026-11-22T00:00:00Z",
            "op": "update",
            "ids": [
              "1f0c2a00-0000-4000-8000-000000000001"
            ],
            "actor": "Ada Example",
            "agent": null,
            "session": null,
            "reason": null,
            "subject": "Update \"Retry with jitter\": importance"
          },
          "path": "vault/retry-with-jitter-1f0c2a.md",
          "moved_from": null,
          "diff": [
            {
              "kind": "gap",
              "text": ""
            },
            {
              "kind": "same",
              "text": "tags: [net, retry]  # by hand\nimportance: "
            },
            {
              "kind": "removed",
              "text": "0.8"
            },
            {
              "kind": "added",
              "text": "0.9"
            },
            {
              "kind": "same",
              "text": "\ncreated: 2026-11-01T08:00:00Z\nupdated: 2026-11-"
            },
            {
              "kind": "removed",
              "text": "01T08"
            },
            {
              "kind": "added",
              "text": "22T00"
            },
            {
              "kind": "same",
              "text": ":00:00Z\n---\n"
            },
            {
              "kind": "gap",
              "text": ""
            }
          ]
        },
        {
          "commit": {
            "id": "[COMMIT]",
            "at": "2026-11-21T12:00:00Z",
            "op": "pin",
            "ids": [
              "1f0c2a00-0000-4000-8000-000000000001"
            ],
            "actor": "Ada Example",
            "agent": null,
            "session": null,
            "reason": null,
            "subject": "Pin \"Retry with jitter\""
          },
          "path": "vault/retry-with-jitter-1f0c2a.md",
          "moved_from": "graph/solutions/retry-with-jitter-1f0c2a.md",
          "diff": []
        }
      ]
    }
    [exit 0]
    "#);
}

#[test]
fn a_note_that_is_gone_still_has_its_history() {
    let sandbox = small();
    sandbox.cm(&["delete", "1f0c99"]).ok();
    let ran = sandbox.cm(&["history", "1f0c99"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    [COMMIT]  2026-11-21 12:00  delete  Delete "Close idle connections"  Ada Example
        [-----]
        [-id: 1f0c9900-0000-4000-8000-000000000002-]
        [-type: fix-]
        [-title: Close idle connections-]
        [-tags: [net]-]
        [-importance: 0.5-]
        [-created: 2026-11-02T08:00:00Z-]
        [-updated: 2026-11-02T08:00:00Z-]
        [-----]
        [-# Close idle connections-]
        [-After 240 s.-]

    [COMMIT]  2026-11-21 11:59  -  Begin  Ada Example
        {+---+}
        {+id: 1f0c9900-0000-4000-8000-000000000002+}
        {+type: fix+}
        {+title: Close idle connections+}
        {+tags: [net]+}
        {+importance: 0.5+}
        {+created: 2026-11-02T08:00:00Z+}
        {+updated: 2026-11-02T08:00:00Z+}
        {+---+}
        {+# Close idle connections+}
        {+After 240 s.+}

    [exit 0]
    "#);
    let by_path = sandbox.cm(&["history", super::small::CLOSE, "--json"]).ok().json();
    assert_eq!(by_path["id"], "1f0c9900-0000-4000-8000-000000000002");
}

#[test]
fn a_note_that_is_in_no_commit_yet_says_so() {
    let sandbox = small();
    sandbox.write("graph/facts/new.md", "# New\n");
    let ran = sandbox.cm(&["history", "graph/facts/new.md"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    graph/facts/new.md is not committed yet
    [exit 0]
    ");
}

#[test]
fn a_note_that_never_was_is_not_found_and_a_beginning_of_two_is_ambiguous() {
    let sandbox = small();
    let ran = sandbox.cm(&["history", "Retry with"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: note `Retry with` not found
     hint: did you mean 1f0c2a00-0000-4000-8000-000000000001 (Retry with jitter)?
    [exit 4]
    ");
    let ran = sandbox.cm(&["history", "1f0c", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "ambiguous",
        "message": "`1f0c` matches 2 notes",
        "hint": "use one of\n1f0c9900-0000-4000-8000-000000000002  Close idle connections\n1f0c2a00-0000-4000-8000-000000000001  Retry with jitter"
      }
    }
    [exit 4]
    "#);
}

#[test]
fn a_note_that_moved_and_then_went_by_hand_was_never_deleted_by_a_commit() {
    let sandbox = small();
    sandbox.cm(&["pin", "1f0c2a"]).ok();
    std::fs::remove_file(sandbox.vault().join("vault/retry-with-jitter-1f0c2a.md")).unwrap();
    for name in ["1f0c2a", "Retry with jitter", "vault/retry-with-jitter-1f0c2a.md", RETRY] {
        let history = sandbox.cm(&["history", name, "--json"]).ok().json();
        assert_eq!(history["versions"][0]["moved_from"], RETRY, "{name}");
        assert_eq!(history["versions"][0]["diff"].as_array().unwrap().len(), 0);
    }
}

#[test]
fn carriage_returns_and_byte_order_marks_are_not_sent_to_the_terminal() {
    let sandbox = small();
    sandbox.write("graph/facts/dos.md", "\u{feff}---\r\nid: dos-1\r\ntitle: Dos\r\n---\r\nOne.\r\n");
    sandbox.commit_all("Dos");
    sandbox.write("graph/facts/dos.md", "---\nid: dos-1\ntitle: Dos\n---\nTwo.\n");
    sandbox.commit_all("No dos");
    let ran = sandbox.cm(&["history", "graph/facts/dos.md"]).ok();
    assert!(!ran.stdout.contains(['\r', '\u{feff}', '\u{fffd}']), "{}", ran.stdout);
    assert!(ran.stdout.contains("{+title: Dos+}\n"), "{}", ran.stdout);
}
