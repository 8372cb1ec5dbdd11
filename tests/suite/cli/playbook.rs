//! `cm playbook`: listing, export and import.

use crate::support::{Sandbox, vault_of};

/// Four rules (proven, anti-pattern, draft and retired) and a blocked pattern.
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

pub fn playbook() -> Sandbox {
    vault_of(PLAYBOOK)
}

#[test]
fn a_rule_without_a_category_gets_one_by_its_words() {
    let sandbox = vault_of("");
    for (rule, category) in
        [("Run the tests before you push.", "testing"), ("Use pnpm, never npm.", "workflow")]
    {
        let added = sandbox.cm(&["playbook", "add", rule, "--json"]).ok().json();
        let path = added["path"].as_str().unwrap();
        assert!(path.starts_with(&format!("playbook/{category}/")), "{path}");
    }
}

#[test]
fn drafts_and_active_bullets_are_listed_best_first() {
    insta::assert_snapshot!(playbook().cm(&["playbook", "list"]).snapshot(), @"
    b-mq6d3m8l-aaaaaa  2.04 · proven, pinned · testing
        Print the seed of every randomised test before it runs.
    b-mq6d3m8l-bbbbbb  0.99 · established · network
        ✗ Retrying a failed request at once.
    b-mq6d3m8l-cccccc  0.00 · draft · network
        Give every request a deadline of its own.
    3 rules
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
          "path": "playbook/testing/seed-1.md",
          "vault": "project"
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
    error: blocked/sleep-1.md is not a rule; its kind is `blocked`
     hint: `cm playbook list` lists the rules
    [exit 2]
    ");
    insta::assert_snapshot!(sandbox.cm(&["playbook", "get", "b-nowhere"]).snapshot(), @"
    [stderr]
    error: note `b-nowhere` not found
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
}

#[test]
fn an_export_imports_elsewhere_to_the_same_playbook_in_one_commit() {
    let sandbox = playbook();
    sandbox.cm(&["playbook", "export", "--out", "../playbook.yaml"]).ok();
    insta::assert_snapshot!(sandbox.read("../playbook.yaml"), @"
    schema_version: 2
    name: playbook
    metadata:
      created_at: 2026-05-01T08:00:00Z
    deprecated_patterns:
    - id: k-1
      pattern: sleep before retry
      deprecated_at: 2026-07-01T08:00:00Z
      reason: It only hides the race
      replacement: wait for the condition
    bullets:
    - id: b-mq6d3m8l-aaaaaa
      scope: global
      category: testing
      content: Print the seed of every randomised test before it runs.
      type: rule
      is_negative: false
      kind: workflow_rule
      state: active
      maturity: proven
      helpful_count: 4
      harmful_count: 1
      feedback_events:
      - type: helpful
        timestamp: 2026-11-20T12:00:00Z
        session_path: s-1
      - type: helpful
        timestamp: 2026-11-20T12:00:00Z
      - type: helpful
        timestamp: 2026-10-22T12:00:00Z
        weight: 0.5
        agent: codex
      - type: helpful
        timestamp: 2026-11-18T12:00:00Z
      - type: harmful
        timestamp: 2026-08-23T12:00:00Z
        reason: wasted_time
        context: Not for unit tests
      - type: irrelevant
        timestamp: 2026-11-19T12:00:00Z
      created_at: 2026-06-01T08:00:00Z
      updated_at: 2026-11-20T12:00:00Z
      pinned: true
      pinned_reason: The nightly job relies on it
      deprecated: false
      source_sessions:
      - s-1
      source_agents:
      - claude
      sources:
      - session: s-1
        agent: claude
        line: 12
      tags:
      - flaky
      - nightly
      reasoning: Without it nobody can run the failed case again.
    - id: b-mq6d3m8l-bbbbbb
      scope: language
      scope_key: rust
      category: network
      content: Retrying a failed request at once.
      type: anti-pattern
      is_negative: true
      kind: anti_pattern
      state: active
      maturity: established
      helpful_count: 1
      harmful_count: 0
      feedback_events:
      - type: helpful
        timestamp: 2026-11-20T12:00:00Z
      created_at: 2026-06-02T08:00:00Z
      pinned: false
      deprecated: false
      source_sessions: []
      source_agents: []
      tags: []
    - id: b-mq6d3m8l-cccccc
      scope: global
      category: network
      content: Give every request a deadline of its own.
      type: rule
      is_negative: false
      kind: stack_pattern
      state: draft
      maturity: candidate
      helpful_count: 0
      harmful_count: 0
      feedback_events: []
      created_at: 2026-11-01T08:00:00Z
      pinned: false
      deprecated: false
      source_sessions: []
      source_agents: []
      tags: []
    - id: b-mq6d3m8l-dddddd
      scope: global
      category: network
      content: Set the socket timeout to a minute.
      type: rule
      is_negative: false
      kind: stack_pattern
      state: retired
      maturity: deprecated
      helpful_count: 0
      harmful_count: 0
      feedback_events: []
      created_at: 2026-05-01T08:00:00Z
      pinned: false
      deprecated: true
      replaced_by: b-mq6d3m8l-cccccc
      deprecation_reason: The gateway has its own
      source_sessions: []
      source_agents: []
      tags: []
    ");
    let other = vault_of("");
    other.write("../playbook.yaml", sandbox.read("../playbook.yaml"));
    insta::assert_snapshot!(other.cm(&["import", "../playbook.yaml", "--dry-run"]).snapshot(), @"
      b-mq6d3m8l-aaaaaa  testing  Print the seed of every randomised test before it runs.
      b-mq6d3m8l-bbbbbb  network  Retrying a failed request at once.
      b-mq6d3m8l-cccccc  network  Give every request a deadline of its own.
      b-mq6d3m8l-dddddd  network  Set the socket timeout to a minute.
      k-1  blocked  sleep before retry
    would import 5 rules
    [exit 0]
    ");
    assert_eq!(other.git(&["status", "--porcelain"]), "");
    insta::assert_snapshot!(other.cm(&["playbook", "import", "../playbook.yaml"]).snapshot(), @"
      b-mq6d3m8l-aaaaaa  testing  Print the seed of every randomised test before it runs.
      b-mq6d3m8l-bbbbbb  network  Retrying a failed request at once.
      b-mq6d3m8l-cccccc  network  Give every request a deadline of its own.
      b-mq6d3m8l-dddddd  network  Set the socket timeout to a minute.
      k-1  blocked  sleep before retry
    imported 5 rules  commit [COMMIT]
    1 to accept or reject before agents get them: `cm review`
    [exit 0]
    ");
    insta::assert_snapshot!(other.git(&["log", "-1", "--format=%B", "--name-only"]), @"
    Import 5 rules from playbook.yaml

    Cm-Op: import
    Cm-Id: b-mq6d3m8l-aaaaaa
    Cm-Id: b-mq6d3m8l-bbbbbb
    Cm-Id: b-mq6d3m8l-cccccc
    Cm-Id: b-mq6d3m8l-dddddd
    Cm-Id: k-1
    Cm-Operation: 919c96b6b6a04a1b95b6104ee0940e4b


    blocked/sleep-before-retry-67f041.md
    playbook/network/give-every-request-a-deadline-of-its-own-33a177.md
    playbook/network/retrying-a-failed-request-at-once-b0b9a6.md
    playbook/network/set-the-socket-timeout-to-a-minute-b54724.md
    playbook/testing/print-the-seed-of-every-randomised-test-before-it-runs-920d75.md
    ");
    insta::assert_snapshot!(other.cm(&["import", "../playbook.yaml"]).snapshot(), @"
    imported 0 rules
    skipped 5 rules (already in the vault)
    [exit 0]
    ");
    assert_eq!(other.cm(&["playbook", "export"]).ok().stdout, sandbox.read("../playbook.yaml"));
    insta::assert_snapshot!(other.cm(&["validate"]).snapshot(), @"
    5 notes: no problems
    [exit 0]
    ");
    let json = other.cm(&["playbook", "export", "--state", "draft", "--json"]).ok().json();
    assert_eq!(json["bullets"].as_array().unwrap().len(), 1);
}

#[test]
fn an_export_writes_over_nothing_else() {
    let sandbox = playbook();
    sandbox.write("../mine.yaml", "mine: 1\n");
    insta::assert_snapshot!(sandbox.cm(&["playbook", "export", "--out", "../mine.yaml"]).snapshot(), @"
    [stderr]
    error: ../mine.yaml would be overwritten
       at: ../mine.yaml
     hint: nothing was written; choose another path, or use `--force`
    [exit 5]
    ");
    assert_eq!(sandbox.read("../mine.yaml"), "mine: 1\n");
    insta::assert_snapshot!(sandbox.cm(&["playbook", "export", "--out", "../mine.yaml", "--force"]).snapshot(), @"
    exported 4 rules and 1 deprecated pattern to ../mine.yaml
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["playbook", "export", "--out", "../mine.yaml"]).snapshot(), @"
    exported 4 rules and 1 deprecated pattern to ../mine.yaml, unchanged
    [exit 0]
    ");
}

#[test]
fn what_differs_is_left_and_named_and_the_rest_comes_in() {
    let sandbox = playbook();
    sandbox.write(
        "../other.yaml",
        "schema_version: 2\nbullets:\n- {id: b-mq6d3m8l-aaaaaa, content: Something else of that id}\n- {id: b-9, content: Ask before you drop a table, category: Data Base, mood: grim}\n",
    );
    insta::assert_snapshot!(sandbox.cm(&["playbook", "import", "../other.yaml"]).snapshot(), @"
      b-9  data-base  Ask before you drop a table
    imported 1 rule  commit [COMMIT]
    skipped 1 rule (another rule has this ID)
      b-mq6d3m8l-aaaaaa  Something else of that id
    ../other.yaml:4 warning invalid-value rule b-9: the category `Data Base` was renamed to `data-base`
    ../other.yaml:4 warning unknown-key rule b-9: `mood` is not supported here and was skipped
    [exit 1]
    ");
    insta::assert_snapshot!(sandbox.cm(&["playbook", "import", "../other.yaml", "--json"]).snapshot(), @r#"
    {
      "from": "playbook",
      "imported": [],
      "skipped": [
        {
          "id": "b-mq6d3m8l-aaaaaa",
          "content": "Something else of that id",
          "why": "id-taken"
        },
        {
          "id": "b-9",
          "content": "Ask before you drop a table",
          "why": "there-already"
        }
      ],
      "stopped": [],
      "left_out": [],
      "findings": [
        {
          "path": "../other.yaml",
          "line": 4,
          "column": null,
          "code": "invalid-value",
          "severity": "warning",
          "message": "rule b-9: the category `Data Base` was renamed to `data-base`",
          "hint": null
        },
        {
          "path": "../other.yaml",
          "line": 4,
          "column": null,
          "code": "unknown-key",
          "severity": "warning",
          "message": "rule b-9: `mood` is not supported here and was skipped",
          "hint": null
        }
      ],
      "commit": null,
      "dry_run": false
    }
    [exit 1]
    "#);
}

#[test]
fn a_file_that_is_no_playbook_is_refused_with_its_place() {
    let sandbox = playbook();
    sandbox.write("../broken.yaml", "bullets:\n- id: a\n  content: [\n");
    insta::assert_snapshot!(sandbox.cm(&["import", "../broken.yaml"]).snapshot(), @"
    [stderr]
    error: the playbook is not valid YAML: did not find expected node content, while parsing a flow node
       at: ../broken.yaml:3:1
     hint: close the bracket, or put the value in quotes
    [exit 5]
    ");
    insta::assert_snapshot!(sandbox.cm(&["import", "../nowhere"]).snapshot(), @"
    [stderr]
    error: ../nowhere does not exist
     hint: `cm help import` shows its arguments with examples
    [exit 2]
    ");
    assert_eq!(sandbox.cm(&["import", "../broken.yaml", "--into", "x"]).code, 2);
    assert_eq!(sandbox.cm(&["import", "..", "--from", "playbook"]).code, 1);
}

#[test]
fn a_rule_file_comes_in_as_drafts_that_no_projection_shows() {
    let sandbox = playbook();
    sandbox.write(
        "../AGENTS.md",
        "# Agents\n\n## Testing\n\n- Run the tests before you push\n- Never skip a hook\n- print the SEED of every randomised test before it runs.\n\n```sh\nls\n```\n",
    );
    insta::assert_snapshot!(sandbox.cm(&["import", "../AGENTS.md"]).snapshot(), @"
      b-mwqcvpc0-alk222  testing  Run the tests before you push
      b-mwqcvpc0-bsiyel  testing  Never skip a hook
    imported 2 rules  commit [COMMIT]
    2 to accept or reject before agents get them: `cm review`
    skipped 1 rule (the vault has the same rule)
    not a rule: code blocks (1)
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["import", "../AGENTS.md"]).snapshot(), @"
    imported 0 rules
    skipped 2 rules (already in the vault)
    skipped 1 rule (the vault has the same rule)
    not a rule: code blocks (1)
    [exit 0]
    ");
    let listed = sandbox.cm(&["playbook", "list", "--tag", "imported", "--json"]).ok().json();
    assert_eq!(listed["bullets"][0]["state"], "draft");
    sandbox.cm(&["project"]).ok();
    assert!(!sandbox.read("AGENTS.md").contains("skip a hook"));
    sandbox.write("../CLAUDE.md", "Nothing to see.\n");
    insta::assert_snapshot!(sandbox.cm(&["import", "../CLAUDE.md"]).snapshot(), @"
    [stderr]
    error: there are no rules in ../CLAUDE.md
     hint: list items and paragraphs of one sentence become rules
    [exit 8]
    ");
}

#[test]
fn a_rule_that_is_kept_out_for_ever_comes_in_by_no_file_and_goes_out_by_none() {
    let sandbox = playbook();
    sandbox.write(
        "blocked/toxic.md",
        "---\nid: k-2\nkind: toxic\ncontent: Skip the tests when in a hurry\n---\n",
    );
    sandbox.write("../more.yaml", "bullets:\n- {id: b-7, content: skip the TESTS when in a hurry}\n");
    insta::assert_snapshot!(sandbox.cm(&["import", "../more.yaml"]).snapshot(), @"
    [stderr]
    error: no rule of ../more.yaml was imported
     hint: b-7: blocked in this vault
    [exit 8]
    ");
    insta::assert_snapshot!(sandbox.cm(&["playbook", "export", "-o", "../playbook.yaml"]).snapshot(), @"
    exported 4 rules and 1 deprecated pattern to ../playbook.yaml
    skipped 1 toxic pattern: the format does not support permanent blocks
    [exit 0]
    ");
}

#[test]
fn an_entry_with_a_secret_stays_out_alone_and_is_named_without_it() {
    let sandbox = playbook();
    // Assembled at run time, so that scanners do not report this file.
    let key = ["AKIA", "Q7XN4TZP2M5RWJ8D"].concat();
    let secret = format!("- {{id: b-8, content: Log in with aws_access_key_id = {key} and nothing else}}");
    let sound = "- {id: b-9, content: Ask before you drop a table, category: databases}";
    sandbox.write("../other.yaml", format!("schema_version: 2\nbullets:\n{secret}\n{sound}\n"));
    let ran = sandbox.cm(&["playbook", "import", "../other.yaml"]);
    insta::assert_snapshot!(ran.snapshot(), @"
      b-9  databases  Ask before you drop a table
    imported 1 rule  commit [COMMIT]
    skipped: possible secrets
      line 3, b-8 (aws-access-key)
    hint: remove the secret from the file, or use a placeholder such as <token>, then import again
    [exit 1]
    ");
    let json = sandbox.cm(&["playbook", "import", "../other.yaml", "--json", "--dry-run"]);
    for output in [&ran, &json] {
        assert!(!format!("{}{}", output.stdout, output.stderr).contains(&key));
    }
    sandbox.write("../other.yaml", format!("schema_version: 2\nbullets:\n{secret}\n"));
    let refused = sandbox.cm(&["playbook", "import", "../other.yaml"]);
    insta::assert_snapshot!(refused.snapshot(), @"
    [stderr]
    error: every new entry of ../other.yaml may contain a real secret
       at: ../other.yaml:3
     hint: remove them, or use a placeholder such as <token>: line 3, b-8 (aws-access-key)
    [exit 5]
    ");
}
