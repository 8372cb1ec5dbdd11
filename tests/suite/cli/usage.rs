//! `cm usage`

use super::top::{rules, with_global};
use crate::support::Sandbox;

/// A line of the log: this note was shown.
fn shown(sandbox: &Sandbox, log: &str, key: &str, times: usize) {
    let line =
        format!("{{\"key\":\"{key}\",\"at\":\"2026-11-19T08:00:00Z\",\"n\":1,\"kind\":\"retrieval\"}}\n");
    let path = format!("{log}_state/usage.log");
    let before = std::fs::read_to_string(sandbox.vault().join(&path)).unwrap_or_default();
    sandbox.write(&path, before + &line.repeat(times));
}

#[test]
fn a_vault_that_nobody_used_says_so() {
    insta::assert_snapshot!(rules().cm(&["usage"]).snapshot(), @"");
}

#[test]
fn notes_are_listed_by_how_often_they_were_read_and_shown() {
    let sandbox = rules();
    sandbox.write(
        "graph/fixes/pool.md",
        "---\nid: 1a1a1a1a-0000-4000-8000-000000000001\ntype: fix\ntitle: Empty pool\n---\n",
    );
    for id in ["b-mq6d3m8l-x1y2z3", "b-mq6d3m8l-x1y2z3", "1a1a1a1a", "playbook/testing/seed-mq6d3o.md"] {
        sandbox.cm(&["get", id]).ok();
    }
    shown(&sandbox, "", "b-mq6d3p8l-g7h8i9", 12);
    shown(&sandbox, "", "b-mq6d3m8l-x1y2z3", 3);
    shown(&sandbox, "", "b-of-a-note-that-went", 99);
    insta::assert_snapshot!(sandbox.cm(&["usage"]).snapshot(), @"");
    insta::assert_snapshot!(sandbox.cm(&["usage", "--limit", "1", "--json"]).snapshot(), @"");
    insta::assert_snapshot!(sandbox.cm(&["usage", "--limit", "2"]).snapshot(), @"");
}

#[test]
fn being_shown_moves_no_score() {
    let sandbox = rules();
    sandbox.write("graph/fixes/pool.md", "---\nid: 1a1a1a1a-0000-4000-8000-000000000001\ntype: fix\ntitle: Empty pool\nimportance: 0.9\nupdated: 2026-11-01\n---\n");
    let scores =
        || (sandbox.cm(&["decay", "--json"]).ok().json(), sandbox.cm(&["top", "--json"]).ok().json());
    let before = scores();
    assert_eq!(before.0["notes"][0]["accesses"], 0);
    shown(&sandbox, "", "1a1a1a1a-0000-4000-8000-000000000001", 7);
    shown(&sandbox, "", "b-mq6d3m8l-x1y2z3", 7);
    assert_eq!(scores(), before);
    assert_eq!(sandbox.cm(&["usage", "--json"]).ok().json()["retrievals"], 14);
}

#[test]
fn a_bullet_of_both_vaults_is_counted_in_both() {
    let sandbox = rules();
    with_global(&sandbox);
    shown(&sandbox, "", "b-mq6d3n8l-a1b2c3", 2);
    shown(&sandbox, "../no-global-vault/", "b-mq6d3n8l-a1b2c3", 3);
    shown(&sandbox, "../no-global-vault/", "b-mq6d3z8l-zzzzzz", 1);
    insta::assert_snapshot!(sandbox.cm(&["usage"]).snapshot(), @"");
}

#[test]
fn losing_the_counts_loses_nothing_else() {
    let sandbox = rules();
    shown(&sandbox, "", "b-mq6d3n8l-a1b2c3", 2);
    let before = sandbox.cm(&["top", "--json"]).ok().stdout;
    std::fs::remove_dir_all(sandbox.vault().join("_state")).unwrap();
    assert_eq!(sandbox.cm(&["top", "--json"]).ok().stdout, before);
    assert_eq!(sandbox.cm(&["usage", "--json"]).ok().json()["total"], 0);
}
