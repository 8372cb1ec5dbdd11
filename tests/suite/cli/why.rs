//! `cm why`

use crate::support::{Sandbox, everything, harbour, vault_of};

/// A rule with every type of provenance.
const CHAIN: &str = r#"
--- playbook/reliability/old.md
---
id: b-mnq4ancz-yuvp8h
type: rule
category: reliability
state: retired
maturity: deprecated
replaced_by: b-mq9k7r70-lz8utt
deprecation_reason: it made an outage of a restart
feedback:
  - at: 2026-06-08T16:10:00Z
    signal: harmful
    author: Priya
    reason: caused_bug
created: 2026-04-08T14:02:00Z
---
Retry a failed gauge request at once, up to five times.
--- playbook/reliability/new.md
---
id: b-mq9k7r70-lz8utt
type: anti_pattern
category: reliability
state: active
maturity: established
sources:
  - session: 019eb5b3
    agent: codex
    line: 77
derived_from:
  diaries: [f995bdad, gone]
  evidence: ["all stations at once"]
supersedes: b-mnq4ancz-yuvp8h
feedback:
  - at: 2026-11-13T16:35:00Z
    signal: helpful
    author: Mara
  - at: 2026-09-22T10:25:00Z
    signal: harmful
    weight: 0.5
    agent: claude-code
    session: s-1
    note: the task had one station
promoted_at: 2026-11-13T16:35:00Z
created: 2026-06-11T13:55:00Z
---
AVOID: retrying a failed gauge request at once.

## Why

All stations fail in the same second.
--- playbook/reliability/other.md
---
id: b-mq9k7r70-other1
type: rule
category: reliability
state: active
created: 2026-10-01T00:00:00Z
relations:
  - target: b-mq9k7r70-lz8utt
    type: CONTRADICTS
---
Retry at once where one station alone fails.
--- blocked/retry.md
---
id: x-57e45e7c
kind: toxic
content: Retry a failed gauge request at once, up to five times.
reason: an outage of forty minutes
source_bullet: b-mnq4ancz-yuvp8h
inverted_to: b-mq9k7r70-lz8utt
created: 2026-06-11T13:56:00Z
---
--- diary/2026/f995bdad.md
---
id: f995bdad
session: 019eb5b3
status: success
---
# The outage of 8 June
"#;

fn chain() -> Sandbox {
    vault_of(CHAIN)
}

#[test]
fn a_bullet_is_told_from_its_sources_to_its_last_commit() {
    insta::assert_snapshot!(chain().cm(&["why", "b-mq9k7r70-lz8utt"]).snapshot(), @"
    b-mq9k7r70-lz8utt  anti_pattern, reliability, active, established
    AVOID: retrying a failed gauge request at once.
        All stations fail in the same second.
    score -0.32 = (0.94 helpful − 4 × 0.31 harmful) × 1 for established; at risk, 25 % harmful, half-life 90 days

    2026-06-11 13:55  written
    2026-06-11 13:56  blocked “Retry a failed gauge request at once, up to five times.”
    2026-09-22 10:25  harmful × 0.5, says claude-code in s-1: the task had one station
    2026-11-13 16:35  helpful, says Mara
    2026-11-13 16:35  promoted to established
    2026-11-21 11:59  [COMMIT] Begin  Ada Example

    session        019eb5b3, codex, line 77
    diary          f995bdad The outage of 8 June
    diary          gone (gone)
    quote          “all stations at once”
    inverted from  b-mnq4ancz-yuvp8h Retry a failed gauge request at once, up to five times.
    contradicts    b-mq9k7r70-other1 Retry at once where one station alone fails.
    blocked        x-57e45e7c “Retry a failed gauge request at once, up to five times.”: an outage of forty minutes
    [exit 0]
    ");
}

#[test]
fn the_document_has_every_link_of_the_chain() {
    insta::assert_snapshot!(chain().cm(&["why", "b-mq9k7r70-lz8utt", "--json"]).snapshot(), @r#"
    {
      "id": "b-mq9k7r70-lz8utt",
      "kind": "bullet",
      "type": "anti_pattern",
      "title": "AVOID: retrying a failed gauge request at once.",
      "path": "playbook/reliability/new.md",
      "vault": "project",
      "content": "AVOID: retrying a failed gauge request at once.",
      "why": "All stations fail in the same second.",
      "category": "reliability",
      "state": "active",
      "maturity": "established",
      "pinned": false,
      "pinned_reason": null,
      "deprecation_reason": null,
      "created": "2026-06-11T13:55:00Z",
      "updated": null,
      "last_checked": null,
      "promoted_at": "2026-11-13T16:35:00Z",
      "last_validated_at": null,
      "score": {
        "score": -0.3177,
        "band": "at_risk",
        "helpful": 0.9416,
        "harmful": 0.3148,
        "harm_weight": 4.0,
        "harmful_ratio": 0.2506,
        "multiplier": 1.0,
        "half_life_days": 90.0
      },
      "decay": null,
      "feedback": [
        {
          "at": "2026-09-22T10:25:00Z",
          "signal": "harmful",
          "weight": 0.5,
          "session": "s-1",
          "agent": "claude-code",
          "author": null,
          "reason": null,
          "note": "the task had one station"
        },
        {
          "at": "2026-11-13T16:35:00Z",
          "signal": "helpful",
          "weight": 1.0,
          "session": null,
          "agent": null,
          "author": "Mara",
          "reason": null,
          "note": null
        }
      ],
      "sources": [
        {
          "session": "019eb5b3",
          "agent": "codex",
          "line": 77
        }
      ],
      "derived_from": {
        "diaries": [
          {
            "id": "f995bdad",
            "title": "The outage of 8 June",
            "path": "diary/2026/f995bdad.md"
          },
          {
            "id": "gone",
            "title": null,
            "path": null
          }
        ],
        "notes": [],
        "quotes": [
          "all stations at once"
        ]
      },
      "succession": [
        {
          "side": "before",
          "through": "inverted_to",
          "hops": 1,
          "id": "b-mnq4ancz-yuvp8h",
          "title": "Retry a failed gauge request at once, up to five times.",
          "path": "playbook/reliability/old.md"
        }
      ],
      "conflicts": [
        {
          "id": "b-mq9k7r70-other1",
          "title": "Retry at once where one station alone fails.",
          "path": "playbook/reliability/other.md",
          "since": null
        }
      ],
      "blocks": [
        {
          "id": "x-57e45e7c",
          "text": "Retry a failed gauge request at once, up to five times.",
          "kind": "toxic",
          "reason": "an outage of forty minutes",
          "path": "blocked/retry.md",
          "created": "2026-06-11T13:56:00Z"
        }
      ],
      "commits": [
        {
          "id": "[COMMIT]",
          "at": "2026-11-21T11:59:00Z",
          "op": null,
          "ids": [],
          "actor": "Ada Example",
          "agent": null,
          "session": null,
          "reason": null,
          "subject": "Begin"
        }
      ]
    }
    [exit 0]
    "#);
}

#[test]
fn a_deprecated_bullet_says_what_took_its_place() {
    insta::assert_snapshot!(chain().cm(&["why", "b-mnq4ancz-yuvp8h"]).snapshot(), @"
    b-mnq4ancz-yuvp8h  rule, reliability, retired, deprecated
    Retry a failed gauge request at once, up to five times.
    score 0.00 = (0.00 helpful − 4 × 0.28 harmful) × 0 for deprecated; neutral, 100 % harmful, half-life 90 days

    2026-04-08 14:02  written
    2026-06-08 16:10  harmful, says Priya: caused_bug
    2026-06-11 13:56  blocked “Retry a failed gauge request at once, up to five times.”
    2026-11-21 11:59  [COMMIT] Begin  Ada Example

    inverted to    b-mq9k7r70-lz8utt AVOID: retrying a failed gauge request at once.
    blocked        x-57e45e7c “Retry a failed gauge request at once, up to five times.”: an outage of forty minutes
    retired        it made an outage of a restart
    [exit 0]
    ");
}

#[test]
fn a_curation_shows_who_asked_and_why() {
    let sandbox = chain();
    let touch = [
        "update",
        "b-mq9k7r70-lz8utt",
        "--add-tag",
        "retry",
        "--agent",
        "codex",
        "--session",
        "s-9",
        "--reason",
        "found again",
    ];
    sandbox.cm(&touch).ok();
    let told = sandbox.cm(&["why", "b-mq9k7r70-lz8utt", "--json"]).ok().json();
    let commits = told["commits"].as_array().unwrap();
    assert_eq!(commits.len(), 2, "{told}");
    assert_eq!(
        (&commits[0]["op"], &commits[0]["agent"], &commits[0]["session"]),
        (&"update".into(), &"codex".into(), &"s-9".into())
    );
    assert_eq!(commits[0]["reason"], "found again");
    let told = sandbox.cm(&["why", "b-mq9k7r70-lz8utt", "--limit", "1"]).ok().stdout;
    assert!(
        told.contains("Ada Example through codex in s-9: found again") && !told.contains("Begin"),
        "{told}"
    );
}

#[test]
fn a_memory_has_a_chain_too_and_asking_is_no_use_of_it() {
    let sandbox = harbour();
    let before = || sandbox.cm(&["decay", "--json"]).ok().stdout;
    let scores = before();
    insta::assert_snapshot!(sandbox.cm(&["why", "Use Postgres"]).snapshot(), @"
    3c3c3c3c-0000-4000-8000-000000000003  decision
    Use Postgres
    Not SQLite: the worker lives on another machine.
    score 0.116, dormant; never read with cm

    2026-03-04 14:00  written
    2026-11-21 11:59  [COMMIT] Begin  Ada Example
    [exit 0]
    ");
    assert_eq!(before(), scores);
}

#[test]
fn without_a_repository_there_are_no_commits_and_a_note_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("cm.toml", "");
    sandbox.write("playbook/a/b.md", "---\nid: b-mq9k7r70-lz8utt\ntype: rule\ncategory: a\nstate: draft\n---\nRun the tests before a commit.\n");
    insta::assert_snapshot!(sandbox.cm(&["why", "b-mq9k7r70-lz8utt"]).snapshot(), @"
    b-mq9k7r70-lz8utt  rule, a, draft, candidate
    Run the tests before a commit.
    score 0.00, candidate; no feedback yet

    draft          not shown to agents until `cm review --accept b-mq9k7r70-lz8utt`
    [stderr]
    note: playbook/a/b.md is not in a Git repository
    [exit 0]
    ");
}

#[test]
fn a_note_that_is_not_there_is_not_found() {
    let sandbox = chain();
    sandbox.cm(&["reindex"]).ok();
    let before = everything(sandbox.root());
    insta::assert_snapshot!(sandbox.cm(&["why", "b-nothing"]).snapshot(), @"
    [stderr]
    error: note `b-nothing` not found
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
    sandbox.cm(&["why", "b-mq9k7r70-lz8utt"]).ok();
    assert_eq!(everything(sandbox.root()), before, "nothing is written");
}

#[test]
fn a_memory_quotes_the_sessions_that_it_was_learned_from() {
    let sandbox = vault_of(
        "--- graph/fixes/seed.md\n---\nid: 5e5e5e5e-0000-4000-8000-000000000005\ntype: fix\ntitle: Seed\n---\nSeed the database.\n\n## Evidence\n\n- the user in s-1 line 3: seed it first\n",
    );
    let why = sandbox.cm(&["why", "5e5e5e5e", "--json"]).ok().json();
    assert_eq!(why["derived_from"]["quotes"], serde_json::json!(["the user in s-1 line 3: seed it first"]));
}
