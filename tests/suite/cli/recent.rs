//! `cm recent`

use crate::support::harbour;

#[test]
fn the_newest_notes_come_first() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["recent"]).snapshot(), @"
    2026-11-18  6f6f6f6f      configuration  Limits of the gateway
    2026-11-15  5e5e5e5e      fix            Never skip the hooks
    2026-11-12  b-mq6d3m8l-…  rule           Run the tests of the worker with a real database.
    2026-11-10  1a1a1a1a      solution       Keep pooled connections alive
    2026-11-09  2b2b2b2b      problem        API stops answering
    2026-11-01  4d4d4d4d      error          Borrow checker refuses the cache
    2026-10-02  3c3c3c3c      decision       Use Postgres
    2025-02-01  8b8b8b8b      general        The old printer
    2025-01-01  7a7a7a7a      fact           Heights are relative to chart datum
                notes/readi…  plain          Reading list
    [exit 0]
    ");
}

#[test]
fn since_and_type_narrow_and_the_limit_says_what_it_leaves_out() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["recent", "--since", "12d", "--limit", "2"]).snapshot(), @"
    2026-11-18  6f6f6f6f  configuration  Limits of the gateway
    2026-11-15  5e5e5e5e  fix            Never skip the hooks
    … of 4 notes; go on with --offset 2
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
        "message": "--now: `soon` is no date: write 2026-11-01, 2026-11-01T09:30:00Z, or an age such as 7d, 12h or 3w",
        "hint": "`cm help COMMAND` shows its arguments with examples",
        "exit": 2
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
