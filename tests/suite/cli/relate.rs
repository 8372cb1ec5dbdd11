//! `cm relate`

use super::small::{commits, message, small};
use crate::support::hashes;

#[test]
fn an_edge_is_a_file_with_both_ends_its_type_and_why() {
    let sandbox = small();
    let ran = sandbox.cm(&[
        "relate",
        "Close idle connections",
        "Gauges time out",
        "--type",
        "solves",
        "--why",
        "Frees the pool.",
        "--strength",
        "0.7",
    ]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    739f6efb-a994-4811-a5c4-de57b4a2a049  graph/edges/close-idle-connections--SOLVES--gauges-time-out-739f6e.md  commit [COMMIT]
    [exit 0]
    ");
    let path = ran.stdout.split_whitespace().nth(1).unwrap();
    insta::assert_snapshot!(sandbox.read(path), @"
    ---
    id: 739f6efb-a994-4811-a5c4-de57b4a2a049
    type: SOLVES
    from_id: 1f0c9900-0000-4000-8000-000000000002
    from_title: Close idle connections
    to_id: 77ab0100-0000-4000-8000-000000000003
    to_title: Gauges time out
    strength: 0.7
    created: 2026-11-21T12:00:00Z
    updated: 2026-11-21T12:00:00Z
    ---

    Frees the pool.

    [[close-idle-connections-1f0c99|Close idle connections]] SOLVES [[gauges-time-out-77ab01|Gauges time out]]
    ");
    insta::assert_snapshot!(message(&sandbox), @r#"
    Relate "Close idle connections" SOLVES "Gauges time out"

    Cm-Op: relate
    Cm-Id: 739f6efb-a994-4811-a5c4-de57b4a2a049
    Cm-Id: 1f0c9900-0000-4000-8000-000000000002
    Cm-Id: 77ab0100-0000-4000-8000-000000000003
    Cm-Operation: cb7b232ab3ff41aeabcfdf9f133899b4
    "#);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
}

#[test]
fn an_edge_that_is_there_stays_and_a_new_strength_changes_it() {
    let sandbox = small();
    sandbox.cm(&["relate", "1f0c99", "SOLVES", "77ab01"]).ok();
    let ran = sandbox.cm(&["relate", "1f0c99", "SOLVES", "77ab01"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    1c5087c8-8475-4a2b-bc1c-29f7dd8aca74  graph/edges/close-idle-connections--SOLVES--gauges-time-out-1c5087.md  it already exists
    [exit 0]
    ");
    assert_eq!(commits(&sandbox), 2);
    let ran = sandbox.cm(&["relate", "1f0c99", "SOLVES", "77ab01", "--strength", "0.4", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "ids": [
        "1c5087c8-8475-4a2b-bc1c-29f7dd8aca74"
      ],
      "path": "graph/edges/close-idle-connections--SOLVES--gauges-time-out-1c5087.md",
      "commit": "[COMMIT]",
      "changed": true
    }
    [exit 0]
    "#);
    insta::assert_snapshot!(message(&sandbox), @r#"
    Change the strength of "Close idle connections SOLVES Gauges time out"

    Cm-Op: relate
    Cm-Id: 1c5087c8-8475-4a2b-bc1c-29f7dd8aca74
    Cm-Operation: 5cfc8dfb6ea7431aa8739de1acbcbfbf
    "#);
}

#[test]
fn without_a_type_two_notes_are_just_related() {
    let sandbox = small();
    sandbox.cm(&["relate", "1f0c99", "5e5e5e"]).ok();
    let related = sandbox.cm(&["related", "5e5e5e", "--json"]).ok().json();
    assert_eq!(related["notes"][0]["type"], "RELATED_TO");
    assert_eq!(related["notes"][0]["direction"], "incoming");
}

#[test]
fn refusals_name_the_reason_and_write_nothing() {
    let sandbox = small();
    let before = hashes(&sandbox.vault());
    let ran = sandbox.cm(&["relate", "1f0c99", "CURES", "77ab01"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: unknown edge type `CURES`
     hint: the types are SOLVES, CAUSES, BUILDS_ON, ALTERNATIVE_TO, REQUIRES, FOLLOWS, RELATED_TO, EXTENDS, CONTRADICTS, GROUNDS, EXEMPLIFIES, SUPERSEDES, DERIVED_FROM; `relations` in cm.toml adds more
    [exit 2]
    ");
    let ran = sandbox.cm(&["relate", "1f0c99", "Close idle connections"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    [stderr]
    error: "Close idle connections" cannot be related to itself
     hint: `cm help relate` shows its arguments with examples
    [exit 2]
    "#);
    let ran = sandbox.cm(&["relate", "1f0c99", "Time", "--json"]);
    insta::assert_snapshot!(ran.snapshot(), @r#"
    {
      "error": {
        "code": "not-found",
        "message": "note `Time` not found",
        "hint": "did you mean 77ab0100-0000-4000-8000-000000000003 (Gauges time out)?"
      }
    }
    [exit 4]
    "#);
    let ran = sandbox.cm(&["relate", "1f0c", "77ab01"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: `1f0c` matches 2 notes
     hint: use one of
           1f0c9900-0000-4000-8000-000000000002  Close idle connections
           1f0c2a00-0000-4000-8000-000000000001  Retry with jitter
    [exit 4]
    ");
    let ran = sandbox.cm(&["relate", "1f0c99", "77ab01", "--strength", "2"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: strength must be between 0.0 and 1.0, not 2
     hint: `cm help relate` shows its arguments with examples
    [exit 2]
    ");
    let ran = sandbox.cm(&["relate", "1f0c99"]);
    insta::assert_snapshot!(ran.snapshot(), @r"
    [stderr]
    error: 2 values required by '<NOTE> <NOTE>...'; only 1 was provided

    Usage: cm relate [OPTIONS] <NOTE> <NOTE>...

    For more information, try '--help'.
    [exit 2]
    ");
    assert_eq!(hashes(&sandbox.vault()), before);
}

#[test]
fn a_type_that_is_named_twice_is_a_slip_of_usage() {
    let ran = small().cm(&["relate", "1f0c99", "CAUSES", "77ab01", "--type", "SOLVES"]);
    insta::assert_snapshot!(ran.snapshot(), @"
    [stderr]
    error: the edge type is given twice: CAUSES and SOLVES
     hint: use FROM TYPE TO, or FROM TO with --type TYPE
    [exit 2]
    ");
}
