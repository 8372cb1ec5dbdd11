//! `cm top`

use crate::support::{Sandbox, everything, vault_of};

/// Rules of every maturity and state.
const RULES: &str = r#"
--- playbook/testing/real-database-mq6d3m.md
---
id: b-mq6d3m8l-x1y2z3
category: testing
state: active
maturity: proven
pinned: true
feedback:
  - {at: 2026-11-20T12:00:00Z, signal: helpful}
  - {at: 2026-11-21T12:00:00Z, signal: helpful}
  - {at: 2026-08-23T12:00:00Z, signal: helpful}
  - {at: 2026-08-23T12:00:00Z, signal: helpful, weight: 0.5}
created: 2026-03-01T09:00:00Z
---
Run the tests of the worker with a real database.
--- playbook/git/hooks-mq6d3n.md
---
id: b-mq6d3n8l-a1b2c3
category: git
state: active
maturity: established
feedback:
  - {at: 2026-08-23T12:00:00Z, signal: helpful}
  - {at: 2026-08-23T12:00:00Z, signal: helpful}
  - {at: 2026-11-01T12:00:00Z, signal: irrelevant}
created: 2026-02-01T09:00:00Z
---
Never skip the hooks of git.
--- playbook/testing/seed-mq6d3o.md
---
id: b-mq6d3o8l-d4e5f6
category: testing
state: active
feedback:
  - {at: 2026-07-01T12:00:00Z, signal: helpful}
  - {at: 2026-11-21T12:00:00Z, signal: harmful, reason: wasted_time}
created: 2026-02-01T09:00:00Z
---
Fix the seed of random tests.
--- playbook/testing/mocks-mq6d3p.md
---
id: b-mq6d3p8l-g7h8i9
type: anti_pattern
category: testing
state: active
created: 2026-03-01T09:00:00Z
---
AVOID: mocks of the clock that nobody winds back.
--- playbook/testing/draft-mq6d3q.md
---
id: b-mq6d3q8l-j1k2l3
category: testing
state: draft
created: 2026-01-01T12:00:00Z
---
Write the failing test before the fix.
--- playbook/git/rebase-mq6d3r.md
---
id: b-mq6d3r8l-m4n5o6
category: git
state: retired
maturity: deprecated
feedback:
  - {at: 2025-01-01T12:00:00Z, signal: harmful}
created: 2025-01-01T09:00:00Z
---
Rebase shared branches every morning.
--- playbook/git/tags-mq6d3s.md
---
id: b-mq6d3s8l-p7q8r9
category: git
state: active
maturity: deprecated
created: 2025-01-01T09:00:00Z
---
Tag every merge with the day's date.
"#;

/// Creates the vault of [`RULES`].
pub(super) fn rules() -> Sandbox {
    vault_of(RULES)
}

/// Creates a global vault with one of the rules, with its own feedback, and another rule.
pub(super) fn with_global(sandbox: &Sandbox) {
    let global = "../no-global-vault";
    sandbox.write(&format!("{global}/cm.toml"), "");
    let here = sandbox.read("playbook/git/hooks-mq6d3n.md");
    let there = here.replace("2026-08-23T12", "2026-11-21T12").replace("Never skip", "Never ever skip");
    sandbox.write(&format!("{global}/playbook/git/hooks.md"), there);
    let other = "---\nid: b-mq6d3z8l-zzzzzz\ncategory: git\nstate: active\nfeedback:\n  - {at: 2026-11-21, signal: helpful}\n---\nKeep commits small and whole.\n";
    sandbox.write(&format!("{global}/playbook/git/small.md"), other);
}

#[test]
fn live_bullets_are_listed_the_best_first() {
    let sandbox = rules();
    insta::assert_snapshot!(sandbox.cm(&["top"]).snapshot(), @"
       4.11  proven       +4 -0  b-mq6d3m8l-x1y2z3  Run the tests of the worker with a real database.
       1.00  established  +2 -0  b-mq6d3n8l-a1b2c3  Never skip the hooks of git.
       0.00  candidate    +0 -0  b-mq6d3p8l-g7h8i9  AVOID: mocks of the clock that nobody winds back.
      -1.83  candidate    +1 -1  b-mq6d3o8l-d4e5f6  Fix the seed of random tests.
    `cm why b-mq6d3m8l-x1y2z3` shows the evidence for the first
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["top", "2"]).snapshot(), @"
       4.11  proven       +4 -0  b-mq6d3m8l-x1y2z3  Run the tests of the worker with a real database.
       1.00  established  +2 -0  b-mq6d3n8l-a1b2c3  Never skip the hooks of git.
    … of 4 rules: cm top 4 lists all
    `cm why b-mq6d3m8l-x1y2z3` shows the evidence for the first
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["top", "1", "--json"]).snapshot(), @r#"
    {
      "at": "2026-11-21T12:00:00Z",
      "bullets": [
        {
          "id": "b-mq6d3m8l-x1y2z3",
          "content": "Run the tests of the worker with a real database.",
          "category": "testing",
          "type": "rule",
          "state": "active",
          "maturity": "proven",
          "score": 4.1135,
          "helpful": 4,
          "harmful": 0,
          "pinned": true,
          "path": "playbook/testing/real-database-mq6d3m.md",
          "vault": "project"
        }
      ],
      "total": 4
    }
    [exit 0]
    "#);
}

#[test]
fn a_category_narrows_the_list() {
    let sandbox = rules();
    insta::assert_snapshot!(sandbox.cm(&["top", "--category", "git"]).snapshot(), @"
       1.00  established  +2 -0  b-mq6d3n8l-a1b2c3  Never skip the hooks of git.
    `cm why b-mq6d3n8l-a1b2c3` shows the evidence for the first
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["top", "--category", "testin"]).snapshot(), @"
    no active rules
    [stderr]
    note: no rule has the category `testin`; did you mean `testing`?
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["top", "--category", "Unit tests"]).snapshot(), @"
    [stderr]
    error: `Unit tests` is not a valid category
     hint: use a lower-case letter, then letters, digits, - or _, at most 50, for example `testing`
    [exit 2]
    ");
}

#[test]
fn scores_fade_with_the_days_and_nothing_is_written() {
    let sandbox = rules();
    sandbox.cm(&["reindex"]).ok();
    let before = everything(sandbox.root());
    let score = |now: &str| {
        sandbox.cm(&["top", "1", "--now", now, "--json"]).ok().json()["bullets"][0]["score"].as_f64().unwrap()
    };
    // After one half-life the score is halved.
    let halved = score("2026-11-21T12:00:00Z") / 2.0 - score("2027-02-19T12:00:00Z");
    assert!(halved.abs() < 1e-4, "{halved}");
    assert_eq!(everything(sandbox.root()), before);
}

#[test]
fn both_vaults_are_one_playbook_and_the_projects_words_win() {
    let sandbox = rules();
    with_global(&sandbox);
    insta::assert_snapshot!(sandbox.cm(&["top", "--category", "git"]).snapshot(), @"
       3.00  established  +4 -0  b-mq6d3n8l-a1b2c3  Never skip the hooks of git.
       0.50  candidate    +1 -0  b-mq6d3z8l-zzzzzz  Keep commits small and whole.
    `cm why b-mq6d3n8l-a1b2c3` shows the evidence for the first
    [exit 0]
    ");
}

#[test]
fn constants_of_scoring_can_be_set() {
    let sandbox = rules();
    let score = |id: &str| {
        let listed = sandbox.cm(&["top", "--json"]).ok().json();
        listed["bullets"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap()["score"]
            .as_f64()
            .unwrap()
    };
    let (proven, established, candidate) = ("b-mq6d3m8l-x1y2z3", "b-mq6d3n8l-a1b2c3", "b-mq6d3o8l-d4e5f6");
    assert_eq!(score(established), 1.0);
    let default = (score(proven), score(candidate));
    for (key, value) in [
        ("established_multiplier", "3"),
        ("proven_multiplier", "3"),
        ("candidate_multiplier", "1.0"),
        ("harmful_multiplier", "4.0"),
    ] {
        sandbox.cm(&["config", "set", &format!("scoring.{key}"), value]).ok();
    }
    assert_eq!(score(established), 3.0);
    assert!((score(proven) - 2.0 * default.0).abs() < 2e-4);
    assert!((score(candidate) - 2.0 * default.1).abs() < 2e-4);
    sandbox.write("cm.toml", "[scoring]\nhalf_life_days = 45\n");
    assert_eq!(score(established), 0.5);
    assert_eq!(sandbox.cm(&["config", "set", "scoring.proven_ratio", "2"]).code, 2);
}

#[test]
fn a_vault_without_bullets_has_no_best_ones() {
    let sandbox = vault_of("--- graph/fixes/a.md\nA fix.\n");
    insta::assert_snapshot!(sandbox.cm(&["top"]).snapshot(), @"
    no active rules
    [exit 0]
    ");
    assert_eq!(sandbox.cm(&["top", "few"]).code, 2);
}
