//! `cm validate-rule`

use crate::support::{Sandbox, everything, vault_of};

const PLAYBOOK: &str = "
--- playbook/git/squash.md
---
id: b-mq6d3m8l-a1a1a1
type: rule
category: git
state: active
---
Always squash commits before merging a branch.
--- playbook/db/limit.md
---
id: b-mq6d3m8l-e1e1e1
type: rule
category: database
state: active
---
Put a timeout on every query that the worker sends to the database.
--- playbook/db/old.md
---
id: b-mq6d3m8l-d1d1d1
type: rule
category: database
state: retired
maturity: deprecated
deprecation_reason: the pool does it
---
Ping each connection before it is used.
--- blocked/retry.md
---
id: x-57e45e7c
kind: toxic
content: Retry a failed gauge request at once, up to five times.
reason: an outage of forty minutes
---
";

fn judged(sandbox: &Sandbox, rule: &str) -> String {
    sandbox.cm(&["validate-rule", rule]).ok().snapshot()
}

#[test]
fn a_rule_that_no_session_speaks_for_is_a_draft_and_nothing_is_written() {
    let sandbox = vault_of(PLAYBOOK);
    sandbox.cm(&["reindex"]).ok();
    sandbox.cm(&["sessions"]).ok();
    let before = everything(sandbox.root());
    insta::assert_snapshot!(judged(&sandbox, "Write the changelog  before a release."), @"
    draft Write the changelog before a release.
      no session supports it
      confidence 0.50; 0 sessions, 0 succeeded, 0 failed
    [exit 0]
    ");
    assert_eq!(everything(sandbox.root()), before);
}

#[test]
fn what_is_there_blocked_or_deprecated_is_rejected_with_its_name() {
    let sandbox = vault_of(PLAYBOOK);
    insta::assert_snapshot!(judged(&sandbox, "always squash commits BEFORE merging a branch."), @"
    reject always squash commits BEFORE merging a branch.
      a rule with the same text exists
      confidence 1.00; 0 sessions, 0 succeeded, 0 failed
      same as b-mq6d3m8l-a1a1a1 Always squash commits before merging a branch.
    [exit 0]
    ");
    insta::assert_snapshot!(judged(&sandbox, "Put a timeout on every query the worker sends to our database."), @"
    reject Put a timeout on every query the worker sends to our database.
      a rule with the same text exists
      confidence 1.00; 0 sessions, 0 succeeded, 0 failed
      nearly the same as (100 %) b-mq6d3m8l-e1e1e1 Put a timeout on every query that the worker sends to the database.
    [exit 0]
    ");
    insta::assert_snapshot!(judged(&sandbox, "Retry a failed gauge request at once, up to five times."), @"
    reject Retry a failed gauge request at once, up to five times.
      it is blocked
      confidence 1.00; 0 sessions, 0 succeeded, 0 failed
      blocked by x-57e45e7c Retry a failed gauge request at once, up to five times. (an outage of forty minutes)
    [exit 0]
    ");
    insta::assert_snapshot!(judged(&sandbox, "Ping each connection before it is used."), @"
    reject Ping each connection before it is used.
      it was deprecated before and cannot be added again
      confidence 1.00; 0 sessions, 0 succeeded, 0 failed
      deprecated as b-mq6d3m8l-d1d1d1 Ping each connection before it is used. (the pool does it)
    [exit 0]
    ");
}

#[test]
fn what_contradicts_another_rule_is_a_draft_that_names_it() {
    let sandbox = vault_of(PLAYBOOK);
    let ran = sandbox.cm(&[
        "validate-rule",
        "Never squash commits before merging a branch.",
        "--category",
        "git",
        "--json",
    ]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "rule": "Never squash commits before merging a branch.",
      "category": "git",
      "verdict": "draft",
      "confidence": 0.5,
      "why": [
        "it contradicts another rule",
        "no session supports it"
      ],
      "gate": "draft",
      "evidence": {
        "sessions": 0,
        "successes": 0,
        "failures": 0,
        "quotes": []
      },
      "collisions": [
        {
          "how": "conflict",
          "id": "b-mq6d3m8l-a1a1a1",
          "content": "Always squash commits before merging a branch.",
          "reason": "“never” against “always” about squash, commits, before, merging",
          "likeness": null
        }
      ],
      "model": null
    }
    [exit 0]
    "#);
}

#[test]
fn what_can_be_no_rule_is_an_error_of_usage() {
    let sandbox = vault_of(PLAYBOOK);
    insta::assert_snapshot!(sandbox.cm(&["validate-rule", "Short."]).snapshot(), @r#"
    [stderr]
    error: a rule must have 10 to 500 characters; this one has 6
     hint: for example `cm validate-rule "Run the whole suite before you push."`
    [exit 2]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["validate-rule", "Write the changelog first.", "--category", "No Way"]).snapshot(), @"
    [stderr]
    error: `No Way` is not a valid category
     hint: use a letter first, then letters, digits, `_` and `-`, all lower case, at most 50
    [exit 2]
    ");
    let ran = sandbox.run(&["validate-rule", "-"]).stdin("Write the changelog first.\n").go().ok();
    assert!(ran.stdout.starts_with("draft Write the changelog first.\n"), "{}", ran.stdout);
}
