//! Tests of what the inbox lists.

use super::*;
use crate::conflict::MinSimilarity;
use crate::embedding_model::{NoEmbeddings, WordVectors};
use crate::rule_pairs::RulePairs;
use cm_note::note::{RelationTable, TypeTable, read};
use cm_note::path::NotePath;

fn notes(texts: &[(&str, &str, &str)]) -> Vec<Note> {
    let read = |(path, keys, body): &(&str, &str, &str)| {
        let text = format!("---\n{keys}\n---\n\n{body}\n");
        let path = NotePath::parse(path).unwrap();
        read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note
    };
    texts.iter().map(read).collect()
}

fn listed(notes: &[Note], waiting: InboxKind) -> Vec<(Vec<usize>, String)> {
    let now = Instant::parse("2026-11-21T12:00:00Z").unwrap();
    let least = MinSimilarity { jaccard: 0.7, cosine: 0.85 };
    let graph = Graph::connect(notes);
    let word_vectors = WordVectors::of(&NoEmbeddings);
    let mut inbox = timeless_sections(&graph, &|rules| RulePairs::of(rules, least, &word_vectors));
    inbox.insert(InboxKind::Due, due(&graph, now));
    inbox.remove(&waiting).unwrap().into_iter().map(|entry| (entry.notes, entry.why)).collect()
}

#[test]
fn drafts_wait_and_deprecated_ones_do_not() {
    let notes = notes(&[
        ("playbook/a/1.md", "id: b-1-aaaaaa\nstate: draft\nupdated: 2026-11-20", "Run the tests first."),
        ("playbook/a/2.md", "id: b-1-bbbbbb\nstate: draft\nmaturity: deprecated", "Run no tests at all."),
        ("playbook/a/3.md", "id: b-1-cccccc\nstate: active\nupdated: 2026-11-20", "Write a changelog."),
    ]);
    assert_eq!(listed(&notes, InboxKind::Drafts), [(vec![0], "a draft, not shown to agents".to_owned())]);
    assert_eq!(listed(&notes, InboxKind::Due), []);
}

#[test]
fn a_draft_that_contradicts_a_rule_is_listed_once_and_quotes_the_rule() {
    let notes = notes(&[
        ("playbook/a/1.md", "id: b-1-aaaaaa\nstate: active\nupdated: 2026-11-20", "Always squash commits."),
        (
            "playbook/a/2.md",
            "id: b-1-bbbbbb\nstate: draft\nupdated: 2026-11-20\nrelations:\n  - target: b-1-aaaaaa\n    type: CONTRADICTS",
            "Never squash commits.",
        ),
    ]);
    let why = "a draft that contradicts “Always squash commits.” (b-1-aaaaaa)".to_owned();
    assert_eq!(listed(&notes, InboxKind::Drafts), [(vec![1], why)]);
    assert_eq!(listed(&notes, InboxKind::Conflicts), []);
    assert_eq!(listed(&notes, InboxKind::Due), [], "the rule stands until the draft is accepted");
}

#[test]
fn a_conflict_is_open_until_one_end_is_given_up_and_is_listed_once() {
    let edge = "id: e-1\ntype: CONTRADICTS\nfrom_id: m-1\nto_id: m-2\ncreated: 2026-11-01";
    let both = [
        ("graph/facts/a.md", "id: m-1\ntype: fact\ntitle: A\nupdated: 2026-11-20", "A"),
        (
            "graph/facts/b.md",
            "id: m-2\ntype: fact\ntitle: B\nupdated: 2026-11-20\nrelations:\n  - target: m-1\n    type: CONTRADICTS",
            "B",
        ),
        ("graph/edges/e.md", edge, ""),
    ];
    let open = notes(&both);
    assert_eq!(listed(&open, InboxKind::Conflicts).len(), 1);
    let mut settled = both;
    settled[1].1 = "id: m-2\ntype: fact\ntitle: B\nstate: retired";
    assert_eq!(listed(&notes(&settled), InboxKind::Conflicts), []);
}

#[test]
fn rules_that_oppose_each_other_are_found_without_an_edge() {
    let notes = notes(&[
        (
            "playbook/a/1.md",
            "id: b-1-aaaaaa\nstate: active\nupdated: 2026-11-20",
            "Always squash commits before merging a branch.",
        ),
        (
            "playbook/a/2.md",
            "id: b-1-bbbbbb\nstate: active\nupdated: 2026-11-20",
            "Never squash commits before merging a branch.",
        ),
    ]);
    assert_eq!(listed(&notes, InboxKind::Conflicts).len(), 1);
    assert_eq!(listed(&notes, InboxKind::Merges), [], "what contradicts is not merged");
}

#[test]
fn a_pair_of_which_both_were_confirmed_waits_no_more_until_one_of_them_or_the_edge_is_newer() {
    let rules = |checked: [&str; 2], updated: &str| {
        let keys = |id: &str, checked: &str, updated: &str| {
            format!("id: {id}\nstate: active\nupdated: {updated}\nlast_checked: {checked}")
        };
        let (a, b) = (keys("b-1-aaaaaa", checked[0], "2026-11-01"), keys("b-1-bbbbbb", checked[1], updated));
        let (c, d) = (keys("b-1-cccccc", checked[0], "2026-11-01"), keys("b-1-dddddd", checked[1], updated));
        notes(&[
            ("playbook/a/1.md", &a, "Always squash commits before merging a branch."),
            ("playbook/a/2.md", &b, "Never squash commits before merging a branch."),
            ("playbook/b/3.md", &c, "Put a timeout on every query that the worker sends to the database."),
            ("playbook/b/4.md", &d, "Put a timeout on every query the worker sends to our database."),
            (
                "graph/edges/e.md",
                "id: e-1\ntype: CONTRADICTS\nfrom_id: b-1-cccccc\nto_id: b-1-dddddd\ncreated: 2026-11-10",
                "",
            ),
        ])
    };
    let waiting = |checked, updated| {
        let notes = rules(checked, updated);
        let of = |waiting| listed(&notes, waiting).into_iter().map(|(notes, _)| notes).collect::<Vec<_>>();
        (of(InboxKind::Conflicts), of(InboxKind::Merges))
    };
    let all = (vec![vec![2, 3], vec![0, 1]], vec![vec![2, 3]]);
    assert_eq!(waiting(["2026-11-20", "2026-11-20"], "2026-11-19"), (vec![], vec![]));
    assert_eq!(waiting(["2026-11-20", "2026-10-01"], "2026-11-19"), all, "one was looked at alone");
    assert_eq!(
        waiting(["2026-11-18", "2026-11-20"], "2026-11-19"),
        all,
        "one changed after the other's check"
    );
    assert_eq!(
        waiting(["2026-11-05", "2026-11-05"], "2026-11-01"),
        (vec![vec![2, 3]], vec![]),
        "only the edge is newer"
    );
}

#[test]
fn a_rule_and_a_memory_that_state_the_same_are_offered_until_one_is_given_up() {
    let notes = |state: &str| {
        let memory =
            format!("id: m-1\ntype: fix\ntitle: Run make seed before the tests\nupdated: 2026-11-20{state}");
        notes(&[
            (
                "playbook/a/1.md",
                "id: b-1-aaaaaa\nstate: active\nupdated: 2026-11-20",
                "Run `make seed` before the tests.",
            ),
            ("graph/fixes/a.md", &memory, "A"),
            (
                "graph/facts/b.md",
                "id: m-2\ntype: fact\ntitle: Never run make seed before the tests\nupdated: 2026-11-20",
                "B",
            ),
        ])
    };
    let why = "a rule and a memory state the same".to_owned();
    assert_eq!(listed(&notes(""), InboxKind::Merges), [(vec![0, 1], why)]);
    assert_eq!(listed(&notes("\nstate: retired"), InboxKind::Merges), []);
}

#[test]
fn hidden_characters_and_drafts_of_memories_are_in_quarantine() {
    let notes = notes(&[
        ("graph/facts/a.md", "id: m-1\ntype: fact\ntitle: A\nstate: draft\nupdated: 2026-11-20", "A"),
        ("graph/facts/b.md", "id: m-2\ntype: fact\ntitle: B\nupdated: 2026-11-20", "pass\u{200b}word"),
        ("graph/facts/c.md", "id: m-3\ntype: fact\ntitle: C\nupdated: 2026-11-20", "C"),
    ]);
    let found = listed(&notes, InboxKind::Quarantined);
    assert_eq!(found[0], (vec![0], "a draft memory".to_owned()));
    assert_eq!(found[1].0, [1]);
    assert!(found[1].1.contains("U+200B") && found[1].1.ends_with("line 8"), "{found:?}");
    assert_eq!(found.len(), 2);
}

#[test]
fn two_half_lives_without_a_look_are_enough_and_a_check_resets_them() {
    let notes = notes(&[
        ("graph/facts/a.md", "id: m-1\ntype: fact\ntitle: A\nupdated: 2026-05-24", "A"),
        ("graph/facts/b.md", "id: m-2\ntype: fact\ntitle: B\nupdated: 2026-05-26", "B"),
        (
            "graph/facts/c.md",
            "id: m-3\ntype: fact\ntitle: C\nupdated: 2025-01-01\nlast_checked: 2026-11-01",
            "C",
        ),
        ("graph/facts/d.md", "id: m-4\ntype: fact\ntitle: D\nupdated: 2026-01-01", "D"),
    ]);
    let due: Vec<_> = listed(&notes, InboxKind::Due).into_iter().map(|(notes, _)| notes[0]).collect();
    assert_eq!(due, [3, 0]);
}

#[test]
fn a_note_whose_source_was_superseded_comes_before_what_is_only_old() {
    let notes = notes(&[
        ("graph/facts/old.md", "id: m-1\ntype: fact\ntitle: Old\nupdated: 2026-01-01", "Old"),
        (
            "graph/facts/new.md",
            "id: m-2\ntype: fact\ntitle: New\ncreated: 2026-11-10\nupdated: 2026-11-10\nrelations:\n  - target: m-1\n    type: SUPERSEDES",
            "New",
        ),
        (
            "graph/facts/made.md",
            "id: m-3\ntype: fact\ntitle: Made\nupdated: 2026-11-01\nrelations:\n  - target: m-1\n    type: DERIVED_FROM",
            "Made",
        ),
        ("graph/facts/dusty.md", "id: m-4\ntype: fact\ntitle: Dusty\nupdated: 2026-01-01", "Dusty"),
        (
            "graph/facts/seen.md",
            "id: m-5\ntype: fact\ntitle: Seen\nupdated: 2026-11-01\nlast_checked: 2026-11-12\nrelations:\n  - target: m-1\n    type: DERIVED_FROM",
            "Seen",
        ),
    ]);
    let due = listed(&notes, InboxKind::Due);
    assert_eq!(due.iter().map(|(notes, _)| notes[0]).collect::<Vec<_>>(), [2, 3], "{due:?}");
    assert_eq!(due[0].1, "its source “Old” is no longer valid");
}
