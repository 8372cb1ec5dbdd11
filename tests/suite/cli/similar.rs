//! `cm similar`

use crate::support::{harbour, vault_of};

#[test]
fn a_text_finds_the_notes_with_its_words() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["similar", "dead connections in the pool"]).snapshot(), @"");
    insta::assert_snapshot!(sandbox.cm(&["similar", "run worker tests with a real database", "--json"]).snapshot(), @"");
    insta::assert_snapshot!(sandbox.cm(&["similar", "zeppelin"]).snapshot(), @"");
}

#[test]
fn a_note_finds_others_and_not_itself() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["similar", "1a1a1a", "--limit", "2"]).snapshot(), @"");
    insta::assert_snapshot!(sandbox.cm(&["similar", "Use Postgres", "--kind", "memory"]).snapshot(), @"");
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
    insta::assert_snapshot!(ran.snapshot(), @"");
}

#[test]
fn an_id_or_a_path_that_names_no_note_is_refused() {
    let sandbox = harbour();
    insta::assert_snapshot!(sandbox.cm(&["similar", "b-mq6d3m8l-none00"]).snapshot(), @"");
    insta::assert_snapshot!(sandbox.cm(&["similar", "graph/none.md"]).snapshot(), @"");
    insta::assert_snapshot!(sandbox.cm(&["similar", " "]).snapshot(), @"");
}

#[test]
fn an_empty_vault_has_nothing_like_it() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["similar", "retry with backoff", "--json"]).snapshot(), @"");
}
