//! `cm playbook`: what is in it, and its way out of the vault and back.

use crate::support::{Sandbox, vault_of};

/// Four bullets: a proven rule, an anti-pattern, a draft and a retired one; and a pattern that is warned of.
const PLAYBOOK: &str = "\
--- playbook/testing/seed-1.md
---
id: b-mq6d3m8l-aaaaaa
type: rule
kind: workflow_rule
category: testing
state: active
maturity: proven
pinned: true
pinned_reason: The nightly job relies on it
tags: [flaky, nightly]
feedback:
- {at: 2026-11-20T12:00:00Z, signal: helpful, session: s-1}
- {at: 2026-11-20T12:00:00Z, signal: helpful}
- {at: 2026-10-22T12:00:00Z, signal: helpful, weight: 0.5, agent: codex}
- {at: 2026-11-18T12:00:00Z, signal: helpful}
- {at: 2026-08-23T12:00:00Z, signal: harmful, reason: wasted_time, note: Not for unit tests}
- {at: 2026-11-19T12:00:00Z, signal: irrelevant}
sources:
- {session: s-1, agent: claude, line: 12}
created: 2026-06-01T08:00:00Z
updated: 2026-11-20T12:00:00Z
---

Print the seed of every randomised test before it runs.

## Why

Without it nobody can run the failed case again.
--- playbook/network/avoid-2.md
---
id: b-mq6d3m8l-bbbbbb
type: anti_pattern
kind: anti_pattern
category: network
scope: language
scope_key: rust
state: active
maturity: established
feedback:
- {at: 2026-11-20T12:00:00Z, signal: helpful}
created: 2026-06-02T08:00:00Z
---

Retrying a failed request at once.
--- playbook/network/draft-3.md
---
id: b-mq6d3m8l-cccccc
category: network
state: draft
created: 2026-11-01T08:00:00Z
---

Give every request a deadline of its own.
--- playbook/network/old-4.md
---
id: b-mq6d3m8l-dddddd
category: network
state: retired
maturity: deprecated
replaced_by: b-mq6d3m8l-cccccc
deprecation_reason: The gateway has its own
created: 2026-05-01T08:00:00Z
---

Set the socket timeout to a minute.
--- blocked/sleep-1.md
---
id: k-1
kind: deprecated
pattern: sleep before retry
reason: It only hides the race
replacement: wait for the condition
created: 2026-07-01T08:00:00Z
---
";

fn playbook() -> Sandbox {
    vault_of(PLAYBOOK)
}

#[test]
fn drafts_and_active_bullets_are_listed_best_first() {
    insta::assert_snapshot!(playbook().cm(&["playbook", "list"]).snapshot(), @"
      2.04  proven, pinned  b-mq6d3m8l-aaaaaa  testing  Print the seed of every randomised test before it runs.
      0.99  established     b-mq6d3m8l-bbbbbb  network  ✗ Retrying a failed request at once.
      0.00  draft           b-mq6d3m8l-cccccc  network  Give every request a deadline of its own.
    3 bullets
    [exit 0]
    ");
}

#[test]
fn a_bullet_is_an_object_of_its_agreed_keys() {
    insta::assert_snapshot!(playbook().cm(&["playbook", "list", "--limit", "1", "--json"]).snapshot(), @r#"
    {
      "bullets": [
        {
          "id": "b-mq6d3m8l-aaaaaa",
          "content": "Print the seed of every randomised test before it runs.",
          "category": "testing",
          "type": "rule",
          "state": "active",
          "maturity": "proven",
          "score": 2.038,
          "helpful": 4,
          "harmful": 1,
          "pinned": true,
          "path": "playbook/testing/seed-1.md"
        }
      ],
      "total": 3,
      "next": 1
    }
    [exit 0]
    "#);
}

#[test]
fn flags_choose_bullets_and_pages_go_on_where_the_last_one_ended() {
    let sandbox = playbook();
    let ids = |flags: &[&str]| {
        let arguments = [&["playbook", "list", "--json"], flags].concat();
        let listed = sandbox.cm(&arguments).ok().json();
        let ids = listed["bullets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|bullet| bullet["id"].as_str().unwrap().rsplit_once('-').unwrap().1[..1].to_owned());
        ids.collect::<Vec<_>>().concat()
    };
    assert_eq!(ids(&[]), "abc");
    assert_eq!(ids(&["--state", "all"]), "abcd");
    assert_eq!(ids(&["--state", "retired"]), "d");
    assert_eq!(ids(&["--category", "network"]), "bc");
    assert_eq!(ids(&["--maturity", "proven"]), "a");
    assert_eq!(ids(&["--type", "anti_pattern"]), "b");
    assert_eq!(ids(&["--scope", "language"]), "b");
    assert_eq!(ids(&["--tag", "#Flaky"]), "a");
    assert_eq!(ids(&["--category", "nothing"]), "");
    assert_eq!(ids(&["--limit", "2"]), "ab");
    assert_eq!(ids(&["--limit", "2", "--offset", "2"]), "c");
    let page = sandbox.cm(&["playbook", "list", "--limit", "2", "--json"]).ok().json();
    assert_eq!((&page["total"], &page["next"]), (&3.into(), &2.into()));
    assert_eq!(sandbox.cm(&["playbook", "list", "--state", "gone"]).code, 2);
}

#[test]
fn one_bullet_is_shown_whole() {
    let sandbox = playbook();
    insta::assert_snapshot!(sandbox.cm(&["playbook", "get", "b-mq6d3m8l-a"]).snapshot(), @"
    Print the seed of every randomised test before it runs.
    b-mq6d3m8l-aaaaaa  playbook/testing/seed-1.md  project
    rule in testing, active, proven, pinned
    score 2.04 = (3.36 helpful - 4 × 0.50 harmful) × 1.5  half-life 90 days
    kind: workflow_rule
    scope: global
    tags: flaky, nightly
    pinned because: The nightly job relies on it
    sources: s-1
    created: 2026-06-01
    updated: 2026-11-20

    Why
    Without it nobody can run the failed case again.

    Feedback
      2026-11-20  helpful     s-1
      2026-11-20  helpful
      2026-10-22  helpful     × 0.5, codex
      2026-11-18  helpful
      2026-08-23  harmful     wasted_time, Not for unit tests
      2026-11-19  irrelevant
    [exit 0]
    ");
    let got = sandbox.cm(&["playbook", "get", "b-mq6d3m8l-a", "--json"]).ok().json();
    insta::assert_snapshot!(got["parts"], @r#"{"helpful":3.3587,"harmful":0.5,"harm_weight":4.0,"ratio":0.1296,"multiplier":1.5,"recent_helpful":4,"half_life_days":90.0}"#);
    assert_eq!((&got["vault"], &got["sources"][0]["line"]), (&"project".into(), &12.into()));
    assert_eq!(got["why"], "Without it nobody can run the failed case again.");
}

#[test]
fn what_is_no_bullet_is_refused() {
    let sandbox = playbook();
    insta::assert_snapshot!(sandbox.cm(&["playbook", "get", "k-1"]).snapshot(), @"
    [stderr]
    error: blocked/sleep-1.md is no bullet, its kind is `blocked`
     hint: `cm playbook list` lists the bullets
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.cm(&["playbook", "get", "b-nowhere"]).snapshot(), @"
    [stderr]
    error: there is no note `b-nowhere`
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
}
