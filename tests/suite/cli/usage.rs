//! `cm usage`

use super::top::{rules, with_global};
use crate::support::Sandbox;

/// Appends log lines: this note was shown `times` times.
fn shown(sandbox: &Sandbox, log: &str, key: &str, times: usize) {
    let line =
        format!("{{\"key\":\"{key}\",\"at\":\"2026-11-19T08:00:00Z\",\"n\":1,\"kind\":\"retrieval\"}}\n");
    let path = format!("{log}_state/usage.log");
    let before = std::fs::read_to_string(sandbox.vault().join(&path)).unwrap_or_default();
    sandbox.write(&path, before + &line.repeat(times));
}

#[test]
fn a_vault_that_nobody_used_says_so() {
    insta::assert_snapshot!(rules().cm(&["usage"]).snapshot(), @"
    no note was read or shown yet
    [exit 0]
    ");
}

#[test]
fn notes_are_listed_by_how_often_they_were_read_and_shown() {
    let sandbox = rules();
    sandbox.write(
        "graph/fixes/pool.md",
        "---\nid: 1a1a1a1a-0000-4000-8000-000000000001\ntype: fix\ntitle: Empty pool\n---\n",
    );
    for id in ["b-mq6d3m8l-x1y2z3", "b-mq6d3m8l-x1y2z3", "1a1a1a1a", "playbook/testing/seed-mq6d3o.md"] {
        sandbox.cm(&["get", id]).ok();
    }
    shown(&sandbox, "", "b-mq6d3p8l-g7h8i9", 12);
    shown(&sandbox, "", "b-mq6d3m8l-x1y2z3", 3);
    shown(&sandbox, "", "b-of-a-note-that-went", 99);
    insta::assert_snapshot!(sandbox.cm(&["usage"]).snapshot(), @"
    4 notes: read 4 times, shown 15 times; 1 rule shown without feedback
    read 0  shown 12  unjudged  2026-11-19  b-mq6d3p8l-g7h8i9  anti_pattern  AVOID: mocks of the clock that nobody winds back.
    read 2  shown 3   +4 -0     2026-11-21  b-mq6d3m8l-x1y2z3  rule          Run the tests of the worker with a real database.
    read 1  shown 0             2026-11-21  1a1a1a1a           fix           Empty pool
    read 1  shown 0   +1 -1     2026-11-21  b-mq6d3o8l-d4e5f6  rule          Fix the seed of random tests.
    `cm mark b-mq6d3p8l-g7h8i9 --helpful` gives feedback on the first unjudged rule
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["usage", "--limit", "1", "--json"]).snapshot(), @r#"
    {
      "accesses": 4,
      "retrievals": 15,
      "unjudged": 1,
      "notes": [
        {
          "id": "b-mq6d3p8l-g7h8i9",
          "kind": "bullet",
          "type": "anti_pattern",
          "title": "AVOID: mocks of the clock that nobody winds back.",
          "path": "playbook/testing/mocks-mq6d3p.md",
          "accesses": 0,
          "last_access": null,
          "retrievals": 12,
          "last_retrieval": "2026-11-19T08:00:00Z",
          "helpful": 0,
          "harmful": 0,
          "vault": "project"
        }
      ],
      "total": 4,
      "tokens": {
        "shown": 0,
        "kinds": [],
        "sessions": [],
        "session_count": 0,
        "models": 0
      },
      "receipt": null
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["usage", "--limit", "2"]).snapshot(), @"
    4 notes: read 4 times, shown 15 times; 1 rule shown without feedback
    read 0  shown 12  unjudged  2026-11-19  b-mq6d3p8l-g7h8i9  anti_pattern  AVOID: mocks of the clock that nobody winds back.
    read 2  shown 3   +4 -0     2026-11-21  b-mq6d3m8l-x1y2z3  rule          Run the tests of the worker with a real database.
    … of 4 notes: --limit 4 lists all
    `cm mark b-mq6d3p8l-g7h8i9 --helpful` gives feedback on the first unjudged rule
    [exit 0]
    ");
}

#[test]
fn being_shown_moves_no_score() {
    let sandbox = rules();
    sandbox.write("graph/fixes/pool.md", "---\nid: 1a1a1a1a-0000-4000-8000-000000000001\ntype: fix\ntitle: Empty pool\nimportance: 0.9\nupdated: 2026-11-01\n---\n");
    let scores =
        || (sandbox.cm(&["decay", "--json"]).ok().json(), sandbox.cm(&["top", "--json"]).ok().json());
    let before = scores();
    assert_eq!(before.0["notes"][0]["accesses"], 0);
    shown(&sandbox, "", "1a1a1a1a-0000-4000-8000-000000000001", 7);
    shown(&sandbox, "", "b-mq6d3m8l-x1y2z3", 7);
    assert_eq!(scores(), before);
    assert_eq!(sandbox.cm(&["usage", "--json"]).ok().json()["retrievals"], 14);
}

#[test]
fn a_bullet_of_both_vaults_is_counted_in_both() {
    let sandbox = rules();
    with_global(&sandbox);
    shown(&sandbox, "", "b-mq6d3n8l-a1b2c3", 2);
    shown(&sandbox, "../no-global-vault/", "b-mq6d3n8l-a1b2c3", 3);
    shown(&sandbox, "../no-global-vault/", "b-mq6d3z8l-zzzzzz", 1);
    insta::assert_snapshot!(sandbox.cm(&["usage"]).snapshot(), @"
    2 notes: read never, shown 6 times
    read 0  shown 5  +4 -0  2026-11-19  b-mq6d3n8l-a1b2c3  rule  Never skip the hooks of git.
    read 0  shown 1  +1 -0  2026-11-19  b-mq6d3z8l-zzzzzz  rule  Keep commits small and whole.
    [exit 0]
    ");
}

#[test]
fn losing_the_counts_loses_nothing_else() {
    let sandbox = rules();
    shown(&sandbox, "", "b-mq6d3n8l-a1b2c3", 2);
    let before = sandbox.cm(&["top", "--json"]).ok().stdout;
    std::fs::remove_dir_all(sandbox.vault().join("_state")).unwrap();
    assert_eq!(sandbox.cm(&["top", "--json"]).ok().stdout, before);
    assert_eq!(sandbox.cm(&["usage", "--json"]).ok().json()["total"], 0);
}
