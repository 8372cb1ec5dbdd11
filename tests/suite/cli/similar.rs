//! `cm similar`

use crate::support::{harbour, vault_of};

#[test]
fn a_text_finds_the_notes_with_its_words() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["similar", "dead connections in the pool"]).snapshot(), @"
    0.55  2b2b2b2b                problem   API stops answering
    0.34  1a1a1a1a                solution  Keep pooled connections alive
    0.21  episodes/2026-11-09.md  episode   2026-11-09
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["similar", "run worker tests with a real database", "--json"]).snapshot(), @r#"
    {
      "id": null,
      "like": "run worker tests with a real database",
      "notes": [
        {
          "id": "b-mq6d3m8l-x1y2z3",
          "kind": "bullet",
          "type": "rule",
          "title": "Run the tests of the worker with a real database.",
          "path": "playbook/testing/b-mq6d3m8l-x1.md",
          "score": 1.0,
          "words": 1.0,
          "meaning": 0.9996,
          "contradicts": null,
          "vault": "project"
        },
        {
          "id": "3c3c3c3c-0000-4000-8000-000000000003",
          "kind": "memory",
          "type": "decision",
          "title": "Use Postgres",
          "path": "graph/decisions/use-postgres-3c3c3c.md",
          "score": 0.4524,
          "words": 0.1111,
          "meaning": 0.4524,
          "contradicts": null,
          "vault": "project"
        }
      ]
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(sandbox.cm(&["similar", "zeppelin"]).snapshot(), @"
    nothing similar found
    [exit 0]
    ");
}

#[test]
fn a_note_finds_others_and_not_itself() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["similar", "1a1a1a", "--limit", "2"]).snapshot(), @"
    0.60  2b2b2b2b                problem  API stops answering
    0.51  episodes/2026-11-09.md  episode  2026-11-09
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.cm(&["similar", "Use Postgres", "--kind", "memory"]).snapshot(), @"
    nothing similar found
    [exit 0]
    ");
}

#[test]
fn a_rule_that_contradicts_is_marked() {
    let sandbox = harbour();
    let ran = sandbox.cm(&[
        "similar",
        "never run the tests of the worker with a real database",
        "--kind",
        "bullet",
    ]);
    insta::assert_snapshot!(ran.snapshot(), @"
    1.00  b-mq6d3m8l-x1y2z3  rule  Run the tests of the worker with a real database.  contradicts: “never” against the plain rule about run, tests, worker, real
    [exit 0]
    ");
}

#[test]
fn an_id_or_a_path_that_names_no_note_is_refused() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["similar", "b-mq6d3m8l-none00"]).snapshot(), @"
    [stderr]
    error: note `b-mq6d3m8l-none00` not found
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
    insta::assert_snapshot!(sandbox.cm(&["similar", "graph/none.md"]).snapshot(), @"
    [stderr]
    error: note `graph/none.md` not found
     hint: `cm search` finds notes by their words
    [exit 4]
    ");
    insta::assert_snapshot!(sandbox.cm(&["similar", " "]).snapshot(), @r#"
    [stderr]
    error: the text is empty
     hint: for example `cm similar "retry with backoff"`
    [exit 2]
    "#);
}

#[test]
fn an_empty_vault_has_nothing_like_it() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["similar", "retry with backoff", "--json"]).snapshot(), @r#"
    {
      "id": null,
      "like": "retry with backoff",
      "notes": []
    }
    [exit 0]
    "#);
}
