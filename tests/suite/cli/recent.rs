//! `cm recent`

use crate::support::{harbour, vault_of};

#[test]
fn the_newest_notes_come_first() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["recent"]).snapshot(), @"
    2026-11-18  6f6f6f6f               configuration  Limits of the gateway
    2026-11-15  5e5e5e5e               fix            Never skip the hooks
    2026-11-12  b-mq6d3m8l-x1y2z3      rule           Run the tests of the worker with a real database.
    2026-11-10  1a1a1a1a               solution       Keep pooled connections alive
    2026-11-09  2b2b2b2b               problem        API stops answering
    2026-11-01  4d4d4d4d               error          Borrow checker refuses the cache
    2026-10-02  3c3c3c3c               decision       Use Postgres
    2025-06-01  notes/reading-list.md  plain          Reading list
    2025-02-01  8b8b8b8b               general        The old printer
    2025-01-01  7a7a7a7a               fact           Heights are relative to chart datum
    [exit 0]
    ");
}

#[test]
fn since_and_type_narrow_and_the_limit_says_what_it_leaves_out() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["recent", "--since", "12d", "--limit", "2"]).snapshot(), @"
    2026-11-18  6f6f6f6f  configuration  Limits of the gateway
    2026-11-15  5e5e5e5e  fix            Never skip the hooks
    … of 4 notes; continue with --offset 2
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["recent", "--type", "decision", "--json"]).snapshot(), @r#"
    {
      "notes": [
        {
          "id": "3c3c3c3c-0000-4000-8000-000000000003",
          "kind": "memory",
          "type": "decision",
          "title": "Use Postgres",
          "path": "graph/decisions/use-postgres-3c3c3c.md",
          "updated": "2026-10-02T09:30:00Z",
          "tags": [
            "postgres",
            "storage"
          ],
          "vault": "project"
        }
      ],
      "total": 1,
      "next": null
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["recent", "--since", "2026-11-20"]).snapshot(), @"
    no notes
    [exit 0]
    ");
}

#[test]
fn a_date_that_is_none_is_refused_with_an_example() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["recent", "--since", "yesterday"]).snapshot(), @"
    no notes
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["recent", "--now", "soon", "--json"]).snapshot(), @r#"
    {
      "error": {
        "code": "usage",
        "message": "--now: `soon` is not a date: write 2026-11-01, 2026-11-01T09:30:00Z, or an age such as 7d, 12h or 3w",
        "hint": "`cm help recent` shows its arguments with examples"
      }
    }
    [exit 2]
    "#);
    assert_eq!(sandbox.cm(&["recent", "--limit", "few"]).code, 2);
}

#[test]
fn pages_follow_each_other_without_gap_or_overlap() {
    let sandbox = harbour();
    let page = |offset: &str| sandbox.cm(&["recent", "-n", "4", "--offset", offset, "--json"]).ok().json();
    let all = sandbox.cm(&["recent", "-n", "99", "--json"]).ok().json();
    assert!(all["next"].is_null());
    let (mut seen, mut next) = (Vec::new(), Some(0));
    while let Some(offset) = next {
        let page = page(&offset.to_string());
        seen.extend(page["notes"].as_array().unwrap().clone());
        next = page["next"].as_u64();
    }
    assert_eq!(&seen, all["notes"].as_array().unwrap());
    assert!(seen.len() > 8, "{}", seen.len());
    assert_eq!(page("99")["notes"], serde_json::json!([]));
}

#[test]
fn notes_of_one_moment_are_shown_with_ids_that_differ() {
    let sandbox = harbour();
    for last in ["1", "2"] {
        sandbox.write(
            &format!("graph/facts/tide-{last}.md"),
            format!(
                "---\nid: 0192aaaa-0000-7000-8000-00000000000{last}\ntype: fact\ntitle: Tide {last}\n\
                 importance: 0.5\ncreated: 2026-11-20T08:00:00Z\nupdated: 2026-11-20T08:00:00Z\n---\n\nSeen.\n"
            ),
        );
    }
    let ran = sandbox.cm(&["recent", "--limit", "2"]).ok();
    let ids: Vec<&str> =
        ran.stdout.lines().filter_map(|line| line.split_whitespace().nth(1)).take(2).collect();
    assert_ne!(ids[0], ids[1], "{}", ran.stdout);
    for id in ids {
        sandbox.cm(&["get", id]).ok();
    }
}

#[test]
fn a_note_without_dates_has_that_of_its_file() {
    let sandbox = vault_of("--- a.md\n# A\n--- b.md\n# B\n--- c.md\n---\ncreated: 2026-11-10\n---\n# C\n");
    sandbox.set_modified("a.md", "2026-11-02");
    sandbox.set_modified("b.md", "2026-11-20");
    insta::assert_snapshot!(sandbox.cm(&["recent"]).snapshot(), @"
    2026-11-20  b.md  plain  B
    2026-11-10  c.md  plain  C
    2026-11-02  a.md  plain  A
    [exit 0]
    ");
    let listed = sandbox.cm(&["ls", "--since", "2026-11-10", "--json"]).ok().json();
    assert_eq!(listed["total"], 2);
    assert_eq!(listed["notes"][0]["updated"], "2026-11-20T00:00:00Z");
    sandbox.set_modified("a.md", "2026-11-21");
    assert_eq!(sandbox.cm(&["ls", "--since", "2026-11-10", "--json"]).ok().json()["total"], 3);
}

#[test]
fn a_note_from_before_1970_is_listed_and_found_by_its_date() {
    let sandbox = harbour();
    sandbox.write(
        "graph/facts/old-tide.md",
        "---\nid: 0a0a0a0a-0000-4000-8000-00000000000a\ntype: fact\ntitle: Old tide\nimportance: 0.5\n\
         created: 1962-02-16T22:00:00Z\nupdated: 1965-02-01\n---\n\nThe dike broke.\n",
    );
    assert_eq!(sandbox.cm(&["validate"]).ok().code, 0);
    let listed = |since: &str| sandbox.cm(&["recent", "--limit", "50", "--since", since]).ok().stdout;
    assert!(listed("1965-01-01").contains("1965-02-01  0a0a0a0a"));
    assert!(!listed("1965-03-01").contains("Old tide"));
    sandbox.cm(&["update", "0a0a0a0a", "--append", "Again."]).ok();
    sandbox.cm(&["decay"]).ok();
}

#[test]
fn no_command_runs_at_an_instant_before_1970() {
    let sandbox = harbour();
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    let ran = sandbox.cm(&["add", "--type", "fact", "--title", "Old", "--now", "1965-01-01"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: --now is before 1970: 1965-01-01T00:00:00Z
     hint: pass a later time with --now
    [exit 2]
    ");
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), head);
}

#[test]
fn an_edit_by_hand_counts_with_the_time_of_its_file_and_later_of_its_commit() {
    let note = |id: u32, day: &str| {
        format!(
            "---\nid: {id:08x}-0000-4000-8000-000000000001\ntype: fact\ntitle: Note {id}\nimportance: 0.5\ncreated: {day}\nupdated: {day}\n---\n\nText.\n"
        )
    };
    let sandbox = vault_of(&format!(
        "--- graph/facts/a.md\n{}--- graph/facts/b.md\n{}",
        note(1, "2026-01-01"),
        note(2, "2026-02-01")
    ));
    let first = || {
        let listed = sandbox.cm(&["recent", "--json"]).ok().json();
        listed["notes"][0]["path"].as_str().unwrap().to_owned()
    };
    let since = || sandbox.cm(&["ls", "--since", "7d", "--json"]).ok().json()["total"].as_u64().unwrap();
    assert_eq!((first().as_str(), since()), ("graph/facts/b.md", 0));
    sandbox.write("graph/facts/a.md", note(1, "2026-01-01") + "By hand.\n");
    let file = std::fs::File::options().append(true).open(sandbox.vault().join("graph/facts/a.md")).unwrap();
    // The evening before the clock of the sandbox.
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_795_200_000)).unwrap();
    assert_eq!((first().as_str(), since()), ("graph/facts/a.md", 1));
    sandbox.cm(&["commit"]).ok();
    assert_eq!((first().as_str(), since()), ("graph/facts/a.md", 1));
    sandbox.git(&["checkout", "--quiet", "HEAD~1", "--", "."]);
    sandbox.git(&["commit", "--quiet", "--amend", "--allow-empty", "-m", "Nothing"]);
    assert_eq!((first().as_str(), since()), ("graph/facts/b.md", 0));
}
