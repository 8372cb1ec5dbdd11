//! The overview equals one that is made from all notes, whatever changed since it was stored.

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;

use super::neighbours::{file, indexed, joining};
use super::vault::Vault;
use crate::{Index, Overview};
use cm_note::graph::Graph;
use cm_note::note::{Note, RelationTable};

fn overview(index: &Index) -> Overview {
    index.overview("basis", &RelationTable::default()).unwrap()
}

/// Returns all that an overview says: notes, edges in their order, and findings.
fn described(notes: &[Note], graph: &Graph<'_>, findings: &[cm_note::finding::Finding]) -> String {
    let bare = |note: &Note| {
        let is_insight = note.note_type.as_deref() == Some("insight");
        let summary = if is_insight { note.summary.clone() } else { String::new() };
        Note { relations: Vec::new(), links: Vec::new(), summary, ..note.clone() }
    };
    let notes: Vec<Note> = notes.iter().map(bare).collect();
    format!("{notes:#?}\n{:#?}\n{findings:#?}", graph.edges())
}

fn stored(index: &Index) -> String {
    let found = overview(index);
    described(&found.notes, &found.notes.graph(), &found.findings())
}

fn from_scratch(notes: &[Note]) -> String {
    let (graph, mut findings) = Graph::build(notes, &RelationTable::default());
    let place = |path: &str| notes.iter().position(|note| note.path.as_str() == path);
    findings.sort_by_key(|finding| place(&finding.path));
    described(notes, &graph, &findings)
}

#[test]
fn a_new_note_with_the_name_of_another_one_changes_what_links_mean() {
    let vault = Vault::of(&[
        ("a.md", "[[pool]]\n"),
        ("x/pool.md", "---\ntype: insight\n---\nP\n"),
        ("c.md", "[[a]] [[lost]]\n"),
    ]);
    let all = indexed(&vault);
    assert_eq!(stored(&vault.index), from_scratch(&all));
    vault.write("pool.md", "[[c]]\n");
    vault.write("lost.md", "found\n");
    let all = indexed(&vault);
    assert_eq!(overview(&vault.index).notes.graph().edges().len(), 4);
    assert_eq!(stored(&vault.index), from_scratch(&all));
    fs::remove_file(vault.path("x/pool.md")).unwrap();
    fs::remove_file(vault.path("c.md")).unwrap();
    let all = indexed(&vault);
    assert_eq!(stored(&vault.index), from_scratch(&all));
}

#[test]
fn an_edge_file_that_comes_later_turns_the_relation_that_names_it() {
    let relation = "relations:\n  - target: bbbbbb22\n    type: REQUIRES\n    edge_id: eeeeee33\n";
    let vault = Vault::of(&[
        ("a.md", &*format!("---\nid: aaaaaa11\n{relation}---\n")),
        ("b.md", "---\nid: bbbbbb22\n---\n"),
    ]);
    indexed(&vault);
    overview(&vault.index);
    vault.write(
        "graph/edges/e.md",
        "---\nid: eeeeee33\ntype: FOLLOWS\nfrom_id: bbbbbb22\nto_id: aaaaaa11\n---\n",
    );
    let all = indexed(&vault);
    let found = overview(&vault.index);
    assert_eq!(found.notes.graph().edges().len(), 1);
    assert_eq!(stored(&vault.index), from_scratch(&all));
}

#[test]
fn a_stored_overview_that_is_damaged_cut_or_foreign_is_made_anew() {
    let vault = Vault::of(&[("a.md", "[[b]]\n"), ("b.md", "[[nowhere]]\n")]);
    let all = indexed(&vault);
    let expected = from_scratch(&all);
    assert_eq!(stored(&vault.index), expected);
    let path = vault.path("_index/overview");
    let sound = fs::read(&path).unwrap();
    for at in 0..sound.len() {
        let mut flipped = sound.clone();
        flipped[at] ^= 1;
        fs::write(&path, flipped).unwrap();
        assert_eq!(stored(&vault.index), expected, "byte {at}");
        fs::write(&path, &sound[..at]).unwrap();
        assert_eq!(stored(&vault.index), expected, "{at} bytes");
    }
    let other = Vault::of(&[("other.md", "[[a]]\n")]);
    indexed(&other);
    overview(&other.index);
    fs::copy(other.path("_index/overview"), &path).unwrap();
    assert_eq!(stored(&vault.index), expected);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(stored(&vault.index), expected);
}

#[test]
fn the_overview_of_a_later_state_is_none_of_an_earlier_one() {
    let vault = Vault::of(&[("a.md", "[[b]]\n"), ("b.md", "B\n"), ("c.md", "C\n")]);
    let all = indexed(&vault);
    let earlier = vault.another();
    assert_eq!(stored(&earlier), from_scratch(&all));
    fs::remove_file(vault.path("b.md")).unwrap();
    let later = indexed(&vault);
    assert_eq!(stored(&vault.index), from_scratch(&later));
    assert_eq!(stored(&vault.another()), from_scratch(&later));
}

#[test]
fn one_change_among_many_notes_does_not_rewrite_the_file() {
    let vault = Vault::of(&[]);
    for number in 0..900 {
        vault.write(&format!("n{number}.md"), &format!("[[n{}]]\n", number / 2));
    }
    indexed(&vault);
    overview(&vault.index);
    let before = fs::read(vault.path("_index/overview")).unwrap();
    vault.write("n7.md", "[[n1]] [[n2]]\n");
    let all = indexed(&vault);
    assert_eq!(stored(&vault.index), from_scratch(&all));
    assert_eq!(fs::read(vault.path("_index/overview")).unwrap(), before);
    vault.write("n8.md", "# Another\n");
    let all = indexed(&vault);
    assert_eq!(stored(&vault.index), from_scratch(&all));
    assert_ne!(fs::read(vault.path("_index/overview")).unwrap(), before);
}

/// A change of a file: its content, or `None` where it is deleted.
type FileChange = (usize, Option<(String, String)>);

fn change() -> impl Strategy<Value = FileChange> {
    let content = prop_oneof![3 => file().prop_map(Some), 1 => joining().prop_map(Some), 2 => Just(None)];
    (0usize..16, content)
}

proptest! {
    // Each case writes and indexes a vault several times.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8, ..ProptestConfig::default() })]

    #[test]
    fn after_any_changes_it_is_as_made_from_all_notes(
        files in prop::collection::vec(file(), 1..8), edges in prop::collection::vec(joining(), 0..3),
        rounds in prop::collection::vec((prop::collection::vec(change(), 0..4), prop::bool::ANY), 1..8),
    ) {
        let vault = Vault::of(&[]);
        let mut there: BTreeMap<String, String> = files.into_iter().chain(edges).collect();
        there.iter().for_each(|(path, text)| vault.write(path, text));
        let all = indexed(&vault);
        prop_assert_eq!(stored(&vault.index), from_scratch(&all));
        for (changes, is_looked_at) in rounds {
            for (which, content) in changes {
                match content {
                    Some((path, text)) => {
                        vault.write(&path, &text);
                        there.insert(path, text);
                    }
                    None => if let Some(path) = there.keys().nth(which).cloned() {
                        fs::remove_file(vault.path(&path)).unwrap();
                        there.remove(&path);
                    },
                }
            }
            let all = indexed(&vault);
            if is_looked_at {
                prop_assert_eq!(stored(&vault.another()), from_scratch(&all));
            }
        }
    }
}
