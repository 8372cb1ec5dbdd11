//! `cm review`

use crate::support::{Sandbox, everything, vault_of};

/// A vault with an item in every section of the inbox.
const WAITING: &str = "
--- playbook/testing/draft.md
---
id: b-mq6d3m8l-d1d1d1
type: rule
category: testing
state: draft  # until somebody looks
created: 2026-11-12T09:00:00Z
updated: 2026-11-12T09:00:00Z
---
Run the linter before each commit.
--- playbook/git/squash.md
---
id: b-mq6d3m8l-a1a1a1
type: rule
category: git
state: active
created: 2026-11-12T09:00:00Z
updated: 2026-11-12T09:00:00Z
---
Always squash commits before merging a branch.
--- playbook/git/no-squash.md
---
id: b-mq6d3m8l-b2b2b2
type: rule
category: git
state: active
created: 2026-11-13T09:00:00Z
updated: 2026-11-13T09:00:00Z
---
Never squash commits before merging a branch.
--- playbook/db/limit.md
---
id: b-mq6d3m8l-e1e1e1
type: rule
category: database
state: active
created: 2026-11-13T09:00:00Z
updated: 2026-11-13T09:00:00Z
---
Put a timeout on every query that the worker sends to the database.
--- playbook/db/limits.md
---
id: b-mq6d3m8l-e2e2e2
type: rule
category: database
state: active
created: 2026-11-13T09:00:00Z
updated: 2026-11-13T09:00:00Z
---
Put a timeout on every query the worker sends to our database.
--- graph/facts/old.md
---
id: 1a1a1a1a-0000-4000-8000-000000000001
type: fact
title: Gauges report every ten minutes
importance: 0.5
created: 2025-01-01T00:00:00Z
updated: 2025-01-01T00:00:00Z
---
Every ten.
--- graph/facts/draft.md
---
id: 2b2b2b2b-0000-4000-8000-000000000002
type: fact
title: The gateway allows three retries
importance: 0.5
state: draft
created: 2026-11-20T00:00:00Z
updated: 2026-11-20T00:00:00Z
---
Three.
--- graph/facts/hidden.md
---
id: 3c3c3c3c-0000-4000-8000-000000000003
type: fact
title: A smuggled word
importance: 0.5
created: 2026-11-20T00:00:00Z
updated: 2026-11-20T00:00:00Z
---
pass\u{200b}word
";

fn waiting() -> Sandbox {
    vault_of(WAITING)
}

#[test]
fn the_inbox_lists_each_section_with_what_settles_its_entries() {
    let sandbox = waiting();
    insta::assert_snapshot!(sandbox.cm(&["review"]).snapshot(), @r#"
    Drafts 1
      1. b-mq6d3m8l-d1d1d1  Run the linter before each commit.
         a draft, not shown to agents: no session supports it, 2026-11-12
         cm review --accept b-mq6d3m8l-d1d1d1
         cm review --reject b-mq6d3m8l-d1d1d1

    Open conflicts 1
      2. b-mq6d3m8l-b2b2b2  Never squash commits before merging a branch.
         b-mq6d3m8l-a1a1a1  Always squash commits before merging a branch.
         “never” against “always” about squash, commits, before, merging
         cm review --reject b-mq6d3m8l-b2b2b2
         cm review --reject b-mq6d3m8l-a1a1a1
         cm review --confirm b-mq6d3m8l-b2b2b2 b-mq6d3m8l-a1a1a1

    Quarantined 2
      3. 2b2b2b2b  The gateway allows three retries
         a draft memory, 2026-11-20
         cm review --accept 2b2b2b2b
         cm review --reject 2b2b2b2b
      4. 3c3c3c3c  A smuggled word
         a hidden character (U+200B, has no width) in line 9, 2026-11-20
         cm edit 3c3c3c3c
         cm review --reject 3c3c3c3c

    Merge candidates 1
      5. b-mq6d3m8l-e1e1e1  Put a timeout on every query that the worker sends to the database.
         b-mq6d3m8l-e2e2e2  Put a timeout on every query the worker sends to our database.
         100 % of their words are the same
         cm review --merge b-mq6d3m8l-e1e1e1 b-mq6d3m8l-e2e2e2 --content "…"
         cm review --confirm b-mq6d3m8l-e1e1e1 b-mq6d3m8l-e2e2e2

    Due for review 1
      6. 1a1a1a1a  Gauges report every ten minutes
         not reviewed for 690 days, 2025-01-01
         cm review --confirm 1a1a1a1a
         cm review --reject 1a1a1a1a
    [exit 0]
    "#);
}

#[test]
fn one_section_is_listed_alone_and_cut() {
    let sandbox = waiting();
    insta::assert_snapshot!(sandbox.cm(&["review", "--kind", "quarantined", "--limit", "1"]).snapshot(), @"
    Quarantined 2
      1. 2b2b2b2b  The gateway allows three retries
         a draft memory, 2026-11-20
         cm review --accept 2b2b2b2b
         cm review --reject 2b2b2b2b
         … and 1 more: cm review --kind quarantined --limit 2
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["review", "--kind", "due", "--json"]).snapshot(), @r#"
    {
      "sections": [
        {
          "kind": "due",
          "total": 1,
          "items": [
            {
              "number": 1,
              "notes": [
                {
                  "id": "1a1a1a1a-0000-4000-8000-000000000001",
                  "type": "fact",
                  "title": "Gauges report every ten minutes",
                  "path": "graph/facts/old.md"
                }
              ],
              "why": "not reviewed for 690 days",
              "since": "2025-01-01T00:00:00Z",
              "commands": [
                "cm review --confirm 1a1a1a1a-0000-4000-8000-000000000001",
                "cm review --reject 1a1a1a1a-0000-4000-8000-000000000001"
              ]
            }
          ]
        }
      ],
      "total": 1
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["review", "--kind", "odd"]).snapshot(), @"
    [stderr]
    error: invalid value 'odd' for '--kind <SECTION>'
      [possible values: drafts, conflicts, quarantined, merges, due, inversions, not_followed, leftovers]

    For more information, try '--help'.
    [exit 2]
    ");
}

#[test]
fn decisions_of_one_kind_are_one_commit_and_change_only_their_lines() {
    let sandbox = waiting();
    let ran = sandbox.cm(&[
        "review",
        "--accept",
        "b-mq6d3m8l-d1d1d1",
        "2b2b2b2b",
        "--reject",
        "b-mq6d3m8l-b2b2b2",
        "--confirm",
        "1a1a1a1a",
        "--reason",
        "we squash",
    ]);
    insta::assert_snapshot!(ran.snapshot(), @"
    accepted 2 notes: b-mq6d3m8l-d1d1d1 2b2b2b2b  commit [COMMIT]
    rejected 1 note: b-mq6d3m8l-b2b2b2  commit [COMMIT]
    confirmed 1 note: 1a1a1a1a  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.read("playbook/testing/draft.md"), @"
    ---
    id: b-mq6d3m8l-d1d1d1
    type: rule
    category: testing
    state: active  # until somebody looks
    created: 2026-11-12T09:00:00Z
    updated: 2026-11-21T12:00:00Z
    ---
    Run the linter before each commit.
    ");
    insta::assert_snapshot!(sandbox.read("playbook/git/no-squash.md"), @"
    ---
    id: b-mq6d3m8l-b2b2b2
    type: rule
    category: git
    state: retired
    created: 2026-11-13T09:00:00Z
    updated: 2026-11-21T12:00:00Z
    maturity: deprecated
    deprecation_reason: we squash
    ---
    Never squash commits before merging a branch.
    ");
    insta::assert_snapshot!(sandbox.read("graph/facts/old.md"), @"
    ---
    id: 1a1a1a1a-0000-4000-8000-000000000001
    type: fact
    title: Gauges report every ten minutes
    importance: 0.5
    created: 2025-01-01T00:00:00Z
    updated: 2025-01-01T00:00:00Z
    last_checked: 2026-11-21T12:00:00Z
    ---
    Every ten.
    ");
    let log = sandbox.git(&["log", "--format=%s", "-3"]);
    insta::assert_snapshot!(log, @r#"
    Confirm "Gauges report every ten minutes"
    Reject "Never squash commits before merging a branch."
    Accept 2 notes in review
    "#);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    let left = sandbox.cm(&["review", "--json"]).ok().json();
    let totals: Vec<_> =
        left["sections"].as_array().unwrap().iter().map(|section| &section["total"]).collect();
    assert_eq!(totals, [0, 0, 1, 1, 0, 0, 0, 0], "{left:#}");
}

#[test]
fn the_json_of_decisions_names_each_commit() {
    let sandbox = waiting();
    insta::assert_snapshot!(sandbox.cm(&["review", "--reject", "b-mq6d3m8l-d1d1d1", "--json"]).snapshot(), @r#"
    {
      "decisions": [
        {
          "word": "reject",
          "ids": [
            "b-mq6d3m8l-d1d1d1"
          ],
          "into": null,
          "commit": "[COMMIT]"
        }
      ]
    }
    [exit 0]
    "#);
}

#[test]
fn what_cannot_be_decided_is_refused_before_anything_is_written() {
    let sandbox = waiting();
    sandbox.cm(&["reindex"]).ok();
    let before = everything(&sandbox.vault());
    insta::assert_snapshot!(sandbox.cm(&["review", "--confirm", "1a1a1a1a", "--accept", "b-mq6d3m8l-a1a1a1"]).snapshot(), @"
    [stderr]
    error: b-mq6d3m8l-a1a1a1 is not a draft but active
       at: playbook/git/squash.md
     hint: `cm review` lists the notes to review
    [exit 5]
    ");
    insta::assert_snapshot!(sandbox.cm(&["review", "--reject", "b-mq6d3m8l-d1d1d1", "nobody"]).snapshot(), @"
    [stderr]
    error: note `nobody` not found
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
    assert_eq!(everything(&sandbox.vault()), before);
    sandbox.cm(&["review", "--reject", "b-mq6d3m8l-d1d1d1"]).ok();
    insta::assert_snapshot!(sandbox.cm(&["review", "--reject", "b-mq6d3m8l-d1d1d1"]).snapshot(), @"
    [stderr]
    error: b-mq6d3m8l-d1d1d1 is already retired
       at: playbook/testing/draft.md
     hint: `cm why` shows its history
    [exit 5]
    ");
    insta::assert_snapshot!(sandbox.cm(&["review", "--accept", "b-mq6d3m8l-d1d1d1"]).snapshot(), @"
    [stderr]
    error: b-mq6d3m8l-d1d1d1 is not a draft but deprecated
       at: playbook/testing/draft.md
     hint: `cm review` lists the notes to review
    [exit 5]
    ");
}

#[test]
fn going_one_by_one_needs_a_terminal() {
    insta::assert_snapshot!(waiting().cm(&["review", "--interactive"]).snapshot(), @"
    [stderr]
    error: --interactive requires a terminal on standard input
     hint: use --accept, --reject and --confirm instead; `cm review` lists the notes
    [exit 2]
    ");
}

#[test]
fn an_empty_inbox_says_so() {
    insta::assert_snapshot!(vault_of("").cm(&["review"]).snapshot(), @"
    nothing to review
    [exit 0]
    ");
}

#[test]
fn rules_worth_merging_become_one() {
    let sandbox = waiting();
    let content = "Put a timeout on every query of the worker.";
    let ran =
        sandbox.cm(&["review", "--merge", "b-mq6d3m8l-e1e1e1", "b-mq6d3m8l-e2e2e2", "--content", content]);
    insta::assert_snapshot!(ran.snapshot(), @"
    merged 2 notes: b-mq6d3m8l-e1e1e1 b-mq6d3m8l-e2e2e2 into b-mwqcvpc0-dxzt81  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["review", "--kind", "merges"]).snapshot(), @"
    nothing to review
    [exit 0]
    ");
    let replaced = sandbox.read("playbook/db/limits.md");
    assert!(replaced.contains("replaced_by: b-") && replaced.contains("maturity: deprecated"), "{replaced}");
    insta::assert_snapshot!(sandbox.cm(&["review", "--merge", "b-mq6d3m8l-a1a1a1", "2b2b2b2b", "--content", content]).snapshot(), @"
    [stderr]
    error: graph/facts/draft.md is not a rule; its kind is `memory`
     hint: `cm playbook list` lists the rules
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.cm(&["review", "--merge", "b-mq6d3m8l-a1a1a1", "b-mq6d3m8l-b2b2b2"]).snapshot(), @"
    [stderr]
    error: the following required arguments were not provided:
      --content <TEXT>

    Usage: cm review --merge <ID> <ID>... --content <TEXT> --now <WHEN>

    For more information, try '--help'.
    [exit 2]
    ");
}
