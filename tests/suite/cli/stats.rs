//! `cm stats`

use crate::support::{harbour, vault_of};

#[test]
fn everything_is_counted() {
    let sandbox = harbour();
    sandbox.write("notes/broken.md", "---\ntitle: [\n---\n[[Nowhere]]\n");
    insta::assert_snapshot!(sandbox.cm(&["stats"]).snapshot(), @"
    13 notes
       kinds  memory 8, edge 1, bullet 1, episode 1, plain 2
       types  configuration 1, decision 1, error 1, fact 1, fix 1, general 1, problem 1, solution 1
      status  pinned 1, fading 3, dormant 3, archived 1
       edges  LINKS_TO 1, REQUIRES 1, SOLVES 1
     orphans  8
        tags  8, network 3, postgres 2, git 1, lang/javascript 1, lang/rust 1, outage 1, storage 1, units 1
    findings  error 1, warning 1, info 1

    1 rule, 1 live
       scope  global 1
    maturity  candidate 1
       types  rule 1
       state  active 1
      scores  neutral 1
       stale  0
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["stats", "--json"]).snapshot(), @r#"
    {
      "notes": 13,
      "kinds": {
        "memory": 8,
        "edge": 1,
        "bullet": 1,
        "episode": 1,
        "plain": 2
      },
      "types": {
        "configuration": 1,
        "decision": 1,
        "error": 1,
        "fact": 1,
        "fix": 1,
        "general": 1,
        "problem": 1,
        "solution": 1
      },
      "status": {
        "pinned": 1,
        "fading": 3,
        "dormant": 3,
        "archived": 1
      },
      "edges": {
        "LINKS_TO": 1,
        "REQUIRES": 1,
        "SOLVES": 1
      },
      "orphans": 8,
      "tags": 8,
      "top_tags": [
        {
          "tag": "network",
          "notes": 3
        },
        {
          "tag": "postgres",
          "notes": 2
        },
        {
          "tag": "git",
          "notes": 1
        },
        {
          "tag": "lang/javascript",
          "notes": 1
        },
        {
          "tag": "lang/rust",
          "notes": 1
        },
        {
          "tag": "outage",
          "notes": 1
        },
        {
          "tag": "storage",
          "notes": 1
        },
        {
          "tag": "units",
          "notes": 1
        }
      ],
      "findings": {
        "error": 1,
        "warning": 1,
        "info": 1
      },
      "playbook": {
        "bullets": 1,
        "live": 1,
        "by_scope": {
          "global": 1
        },
        "by_maturity": {
          "candidate": 1
        },
        "by_type": {
          "rule": 1
        },
        "by_state": {
          "active": 1
        },
        "bands": {
          "neutral": 1
        },
        "top": [],
        "at_risk": [],
        "stale": 0,
        "merge_candidates": [],
        "merge_candidates_total": 0,
        "conflicts": [],
        "conflicts_total": 0,
        "blocked": {},
        "ignored": 0
      }
    }
    [exit 0]
    "#);
}

#[test]
fn an_empty_vault_has_no_notes() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["stats"]).snapshot(), @"
    0 notes
     orphans  0
        tags  0
    [exit 0]
    ");
}

/// A playbook with an example of everything that the statistics report.
const PLAYBOOK: &str = "\
--- playbook/testing/a.md
---
id: b-mq6d3m8l-aaaaaa
category: testing
state: active
maturity: proven
created: 2026-11-01
feedback:
- at: 2026-11-20T12:00:00Z
  signal: helpful
- at: 2026-11-21T12:00:00Z
  signal: helpful
---
Mock the system clock in tests.
--- playbook/testing/b.md
---
id: b-mq6d3m8l-bbbbbb
category: testing
state: active
created: 2026-01-01
---
Always mock the system clock in tests.
--- playbook/testing/c.md
---
id: b-mq6d3m8l-cccccc
category: testing
type: anti_pattern
state: active
created: 2026-11-01
feedback:
- at: 2026-11-21T12:00:00Z
  signal: harmful
---
Never mock the system clock in tests.
--- playbook/testing/d.md
---
id: b-mq6d3m8l-dddddd
category: testing
state: draft
scope: language
scope_key: rust
---
Name a test after what it promises.
--- blocked/e.md
---
id: x-mq6d3m8l-eeeeee
type: toxic
content: Delete failing tests.
---
";

#[test]
fn the_playbook_is_counted_judged_and_searched_for_contradictions() {
    let sandbox = vault_of(PLAYBOOK);
    insta::assert_snapshot!(sandbox.cm(&["stats"]).snapshot(), @"
    5 notes
       kinds  bullet 4, blocked 1
     orphans  5
        tags  0
    findings  error 1

    4 rules, 3 live
       scope  global 3, language 1
    maturity  candidate 3, proven 1
       types  rule 3, anti_pattern 1
       state  draft 1, active 3
      scores  neutral 2, at risk 1
       stale  1
     blocked  toxic 1
    best
         2.99  b-mq6d3m8l-aaaaaa  Mock the system clock in tests.
    at risk
        -2.00  b-mq6d3m8l-cccccc  Never mock the system clock in tests.
    merge candidates 1
      Mock the system clock in tests.
      Always mock the system clock in tests.  1.00
    contradictions 2
      Mock the system clock in tests.
      Never mock the system clock in tests.  the plain rule against “never” about mock, system, clock, tests
      Always mock the system clock in tests.
      Never mock the system clock in tests.  “always” against “never” about mock, system, clock, tests
    [exit 0]
    ");
    let shown = sandbox.cm(&["stats", "--json"]).json();
    insta::assert_snapshot!(format!("{:#}", shown["playbook"]), @r#"
    {
      "bullets": 4,
      "live": 3,
      "by_scope": {
        "global": 3,
        "language": 1
      },
      "by_maturity": {
        "candidate": 3,
        "proven": 1
      },
      "by_type": {
        "rule": 3,
        "anti_pattern": 1
      },
      "by_state": {
        "draft": 1,
        "active": 3
      },
      "bands": {
        "neutral": 2,
        "at_risk": 1
      },
      "top": [
        {
          "id": "b-mq6d3m8l-aaaaaa",
          "content": "Mock the system clock in tests.",
          "score": 2.9885
        }
      ],
      "at_risk": [
        {
          "id": "b-mq6d3m8l-cccccc",
          "content": "Never mock the system clock in tests.",
          "score": -2.0
        }
      ],
      "stale": 1,
      "merge_candidates": [
        {
          "ids": [
            "b-mq6d3m8l-aaaaaa",
            "b-mq6d3m8l-bbbbbb"
          ],
          "contents": [
            "Mock the system clock in tests.",
            "Always mock the system clock in tests."
          ],
          "likeness": 1.0,
          "reason": "100 % of the words"
        }
      ],
      "merge_candidates_total": 1,
      "conflicts": [
        {
          "ids": [
            "b-mq6d3m8l-aaaaaa",
            "b-mq6d3m8l-cccccc"
          ],
          "contents": [
            "Mock the system clock in tests.",
            "Never mock the system clock in tests."
          ],
          "ground": "polarity",
          "reason": "the plain rule against “never” about mock, system, clock, tests"
        },
        {
          "ids": [
            "b-mq6d3m8l-bbbbbb",
            "b-mq6d3m8l-cccccc"
          ],
          "contents": [
            "Always mock the system clock in tests.",
            "Never mock the system clock in tests."
          ],
          "ground": "polarity",
          "reason": "“always” against “never” about mock, system, clock, tests"
        }
      ],
      "conflicts_total": 2,
      "blocked": {
        "toxic": 1
      },
      "ignored": 0
    }
    "#);
}
