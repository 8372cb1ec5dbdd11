//! `cm stale`

use super::top::{rules, with_global};
use crate::support::{Sandbox, vault_of};

#[test]
fn bullets_without_feedback_are_listed_the_longest_silent_first() {
    let sandbox = rules();
    insta::assert_snapshot!(sandbox.cm(&["stale"]).snapshot(), @"
    2 rules without feedback for 90 days
      324 d  draft      +0 -0  b-mq6d3q8l-j1k2l3  Write the failing test before the fix.
      265 d  candidate  +0 -0  b-mq6d3p8l-g7h8i9  AVOID: mocks of the clock that nobody winds back.
    `cm mark b-mq6d3q8l-j1k2l3 --helpful` confirms the first, `cm forget b-mq6d3q8l-j1k2l3 --reason TEXT` retires it
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "0", "--limit", "3"]).snapshot(), @"
    5 rules without feedback for 0 days
      324 d  draft        +0 -0  b-mq6d3q8l-j1k2l3  Write the failing test before the fix.
      265 d  candidate    +0 -0  b-mq6d3p8l-g7h8i9  AVOID: mocks of the clock that nobody winds back.
       20 d  established  +2 -0  b-mq6d3n8l-a1b2c3  Never skip the hooks of git.
    … of 5 rules: --limit 5 lists all
    `cm mark b-mq6d3q8l-j1k2l3 --helpful` confirms the first, `cm forget b-mq6d3q8l-j1k2l3 --reason TEXT` retires it
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "300d", "--json"]).snapshot(), @r#"
    {
      "at": "2026-11-21T12:00:00Z",
      "days": 300.0,
      "bullets": [
        {
          "id": "b-mq6d3q8l-j1k2l3",
          "content": "Write the failing test before the fix.",
          "category": "testing",
          "type": "rule",
          "state": "draft",
          "maturity": "candidate",
          "score": 0.0,
          "helpful": 0,
          "harmful": 0,
          "pinned": false,
          "path": "playbook/testing/draft-mq6d3q.md",
          "vault": "project",
          "days": 324,
          "last_feedback": null
        }
      ],
      "total": 1,
      "observations": []
    }
    [exit 0]
    "#);
}

#[test]
fn a_bullet_is_stale_from_the_very_day_on() {
    let sandbox = rules();
    let listed =
        |days: &str| sandbox.cm(&["stale", "--days", days, "--json"]).ok().json()["total"].as_u64().unwrap();
    // The draft is exactly 324 days old.
    assert_eq!((listed("324"), listed("324.001"), listed("325")), (1, 0, 0));
}

#[test]
fn the_days_are_a_setting() {
    let sandbox = rules();
    sandbox.write("cm.toml", "[scoring]\nstale_days = 300\n");
    insta::assert_snapshot!(sandbox.cm(&["stale"]).snapshot(), @"
    1 rule without feedback for 300 days
      324 d  draft  +0 -0  b-mq6d3q8l-j1k2l3  Write the failing test before the fix.
    `cm mark b-mq6d3q8l-j1k2l3 --helpful` confirms the first, `cm forget b-mq6d3q8l-j1k2l3 --reason TEXT` retires it
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "1000"]).snapshot(), @"
    no rule without feedback for 1000 days
    [exit 0]
    ");
}

#[test]
fn feedback_in_either_vault_breaks_the_silence() {
    let sandbox = rules();
    let silent =
        || sandbox.cm(&["stale", "--days", "20", "--json"]).ok().stdout.contains("b-mq6d3n8l-a1b2c3");
    assert!(silent());
    with_global(&sandbox);
    assert!(!silent());
}

#[test]
fn days_that_are_no_number_are_refused_with_an_example() {
    let sandbox = rules();
    insta::assert_snapshot!(sandbox.cm(&["stale", "--days", "long"]).snapshot(), @"
    [stderr]
    error: invalid value 'long' for '--days <N>': expected a number of days, such as 90

    For more information, try '--help'.
    [exit 2]
    ");
    assert_eq!(sandbox.cm(&["stale", "--days=-1"]).code, 2);
}

const OBSERVATIONS: &str = "\
--- graph/observations/gauge.md
---
id: a1a1a1a1-0000-4000-8000-000000000001
type: observation
title: The tide gauge answers late after rain
created: 2026-11-10
---
The tide gauge answers late after rain.
--- graph/observations/quay.md
---
id: b2b2b2b2-0000-4000-8000-000000000002
type: observation
title: The tide gauge at the quay answers late
condensed_into: [d4d4d4d4-0000-4000-8000-000000000004]
created: 2026-11-10
---
The tide gauge at the quay answers late.
--- graph/facts/slow.md
---
id: d4d4d4d4-0000-4000-8000-000000000004
type: fact
title: Each tide gauge answers late when it is wet
created: 2026-11-10
---
Each tide gauge answers late when it is wet.
";

/// Returns the id prefixes of the memories in a briefing.
fn briefed(sandbox: &Sandbox) -> Vec<String> {
    let briefing = sandbox.cm(&["context", "why does the tide gauge answer late", "--json"]).ok().json();
    let ids = briefing["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap()[..2].to_owned());
    let mut ids: Vec<String> = ids.collect();
    ids.sort();
    ids
}

#[test]
fn a_condensed_or_irrelevant_observation_is_stale_until_it_helps_again() {
    let sandbox = vault_of(OBSERVATIONS);
    assert_eq!(briefed(&sandbox), ["a1", "d4"], "what was condensed is in the fact");
    let gauge = "a1a1a1a1-0000-4000-8000-000000000001";
    let score = || {
        let found = sandbox.cm(&["search", "tide gauge late rain", "--json"]).ok().json();
        let hits = found["hits"].as_array().unwrap().clone();
        let hit = hits.iter().find(|hit| hit["id"] == gauge).cloned();
        hit.expect("a stale observation is still found")["score"].as_f64().unwrap()
    };
    let before = score();
    let mark = |at: &str, signal: &str| {
        sandbox.run(&["mark", gauge, signal]).env("CM_NOW", at).go().ok();
    };
    mark("2026-11-18T12:00:00Z", "--irrelevant");
    assert_eq!(briefed(&sandbox), ["d4"]);
    assert!(score() < before);
    sandbox.cm(&["core"]).ok();
    assert!(!sandbox.read("CORE.md").contains("after rain"));
    insta::assert_snapshot!(sandbox.cm(&["stale"]).snapshot(), @"
    no rule without feedback for 90 days
    2 stale observations
    irrelevant  a1a1a1a1  The tide gauge answers late after rain
    condensed   b2b2b2b2  The tide gauge at the quay answers late
    [exit 0]
    ");
    mark("2026-11-19T12:00:00Z", "--helpful");
    assert_eq!(briefed(&sandbox), ["a1", "d4"]);
    let stale = sandbox.cm(&["stale", "--json"]).ok().json();
    assert_eq!(stale["observations"].as_array().unwrap().len(), 1, "{stale}");
    assert_eq!(stale["observations"][0]["why"], "condensed");
}
