//! `cm reflection`

use crate::support::{harbour, hashes, vault_of};

#[test]
fn what_there_is_to_see_in_the_whole_is_written_and_committed() {
    let sandbox = harbour();
    sandbox.cm(&["get", "Use Postgres"]).ok();
    insta::assert_snapshot!(sandbox.cm(&["reflection"]).snapshot(), @"
    REFLECTION.md  3 entries, 0 omitted, about 135 tokens  commit [COMMIT]
    [exit 0]
    ");
    insta::assert_snapshot!(sandbox.read("REFLECTION.md"), @"
    # Reflection

    > Written 2026-11-21 by `cm reflection`; changes by hand are lost.
    > 8 valid memories, 3 edges.

    ## Themes

    No two tags occur together on several notes.

    ## Cross-Project Patterns

    No tag occurs in two or more projects.

    ## Most Accessed

    - [Use Postgres](graph/decisions/use-postgres-3c3c3c.md) (1 time)

    ## Recent Insights

    No insights yet.

    ## Playbook health

    - **By maturity**: candidate 1
    - **By state**: active 1

    ## Contradictions

    No open conflicts.

    ## Consolidation History

    Nothing was merged or superseded yet.
    ");
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_eq!(
        sandbox.git(&["log", "-1", "--format=%s", "--name-only"]),
        "Write REFLECTION.md\n\nREFLECTION.md\n"
    );
}

#[test]
fn where_only_the_day_would_change_nothing_is_committed() {
    let sandbox = harbour();
    let one = sandbox.cm(&["reflection", "--json"]).ok().json();
    assert_eq!(one["changed"], true);
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    insta::assert_snapshot!(sandbox.cm(&["reflection", "--now", "2026-11-22", "--json"]).snapshot(), @r#"
    {
      "path": "REFLECTION.md",
      "entries": 2,
      "omitted": 0,
      "tokens": 124,
      "commit": null,
      "changed": false
    }
    [exit 0]
    "#);
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), head);
}

#[test]
fn print_shows_the_same_bytes_and_writes_nothing() {
    let sandbox = harbour();
    let before = hashes(&sandbox.vault());
    let printed = sandbox.cm(&["reflection", "--print"]).ok().stdout;
    assert_eq!(hashes(&sandbox.vault()), before);
    sandbox.cm(&["reflection"]).ok();
    assert_eq!(sandbox.read("REFLECTION.md"), printed);
    assert_eq!(sandbox.cm(&["reflection", "--print", "--json"]).ok().json()["text"], printed);
}

#[test]
fn an_empty_vault_has_a_reflection_too() {
    let sandbox = vault_of("");
    insta::assert_snapshot!(sandbox.cm(&["reflection", "--print"]).snapshot(), @"
    # Reflection

    > Written 2026-11-21 by `cm reflection`; changes by hand are lost.
    > 0 valid memories, 0 edges.

    ## Themes

    No two tags occur together on several notes.

    ## Cross-Project Patterns

    No tag occurs in two or more projects.

    ## Most Accessed

    No note was read yet.

    ## Recent Insights

    No insights yet.

    ## Playbook health

    No rules yet.

    ## Contradictions

    No open conflicts.

    ## Consolidation History

    Nothing was merged or superseded yet.
    [exit 0]
    ");
}
