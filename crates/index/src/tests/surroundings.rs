//! The notes around a note, found by lookup, are connected as in the complete graph.

use proptest::prelude::*;

use super::neighbours::{file, indexed, joining};
use super::vault::Vault;
use cm_note::graph::{EdgeDirection, EdgeFilter, Graph, NoteNames, Resolution};
use cm_note::note::Note;

/// Returns what connects a note with the notes around it, in the order of the graph.
fn seen(notes: &[Note], start: &Note, hops: u8, route: &EdgeFilter) -> Vec<String> {
    let graph = Graph::connect(notes);
    let Some(at) = notes.iter().position(|note| note.path == start.path) else { return Vec::new() };
    let path = |note: usize| notes[note].path.as_str();
    let edges = graph.outgoing(at).chain(graph.incoming(at));
    let edges = edges.map(|edge| {
        let sources: Vec<_> =
            edge.sources.iter().map(|source| (source.form, path(source.note), source.line)).collect();
        format!("{} {} {} {} {sources:?}", path(edge.from), edge.relation, path(edge.to), edge.strength)
    });
    let related = graph.related(at, hops, route).into_iter().map(|reached| {
        let via: Vec<&str> = reached.via.iter().map(|note| path(*note)).collect();
        let direction = reached.direction;
        let (hops, strength) = (reached.hops, reached.strength);
        format!("{} {hops} {direction:?} {} {strength} {via:?}", path(reached.node), reached.relation)
    });
    edges.chain(related).collect()
}

fn resolved(notes: &[Note], reference: &str) -> Vec<String> {
    let found = match NoteNames::of(notes).resolve(reference) {
        Resolution::One(note) => vec![note],
        Resolution::Many(notes) => notes,
        Resolution::None => Vec::new(),
    };
    found.into_iter().map(|note| notes[note].path.to_string()).collect()
}

#[test]
fn links_in_the_text_of_an_edge_file_lead_back_to_it() {
    let vault = Vault::of(&[
        ("a.md", "---\nid: aaaaaa11\n---\n"),
        ("b.md", "---\nid: bbbbbb22\n---\n"),
        ("c.md", "C\n"),
        (
            "graph/edges/e.md",
            "---\nid: eeeeee33\ntype: CAUSES\nfrom_id: aaaaaa11\nto_id: bbbbbb22\n---\nAs in [[c]] and [[a]].\n",
        ),
    ]);
    let all = indexed(&vault);
    for note in &all {
        let around = vault.index.surroundings(&note.path, 1, &EdgeFilter::default()).unwrap().unwrap();
        let of_all = seen(&all, note, 1, &EdgeFilter::default());
        assert_eq!(seen(&around, note, 1, &EdgeFilter::default()), of_all, "{}", note.path);
        assert!(!of_all.is_empty());
    }
}

#[test]
fn a_note_that_is_not_indexed_has_nothing_around_it() {
    let vault = Vault::of(&[("a.md", "[[b]]\n")]);
    let gone = indexed(&vault).remove(0);
    std::fs::remove_file(vault.path("a.md")).unwrap();
    indexed(&vault);
    assert_eq!(vault.index.surroundings(&gone.path, 1, &EdgeFilter::default()).unwrap(), Some(Vec::new()));
}

#[test]
fn where_most_notes_are_around_a_note_none_are_loaded() {
    let vault = Vault::of(&[("hub.md", "# Hub\n")]);
    for number in 0..2_100 {
        vault.write(&format!("n{number}.md"), "[[hub]]\n");
    }
    let all = indexed(&vault);
    let around = |name: &str, hops| {
        let note = all.iter().find(|note| note.path.as_str() == name).unwrap();
        vault.index.surroundings(&note.path, hops, &EdgeFilter::default()).unwrap().map(|notes| notes.len())
    };
    assert_eq!(around("hub.md", 1), None);
    assert_eq!(around("n7.md", 1), Some(2));
    assert_eq!(around("n7.md", 2), None);
}

proptest! {
    // Each case writes and indexes a vault.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8, ..ProptestConfig::default() })]

    #[test]
    fn in_any_small_vault_a_note_is_connected_as_in_the_whole_graph(
        files in prop::collection::vec(file(), 1..8), edges in prop::collection::vec(joining(), 0..3),
        hops in 1u8..5, way in 0usize..3, typed in prop::bool::ANY, reference in "[a-zA-Z/.+-]{1,7}",
    ) {
        let vault = Vault::of(&[]);
        files.iter().chain(&edges).for_each(|(path, text)| vault.write(path, text));
        let all = indexed(&vault);
        let direction = [None, Some(EdgeDirection::Outgoing), Some(EdgeDirection::Incoming)][way];
        let relations = if typed { vec!["CAUSES".to_owned(), "SOLVES".to_owned()] } else { Vec::new() };
        let route = EdgeFilter { relations, direction };
        for note in &all {
            let around = vault.index.surroundings(&note.path, hops, &route).unwrap().unwrap();
            prop_assert_eq!(seen(&around, note, hops, &route), seen(&all, note, hops, &route));
            for name in [note.title.as_str(), note.path.as_str(), note.path.stem(), note.key(), &reference] {
                for name in [name.to_owned(), name.to_uppercase(), name.chars().take(6).collect()] {
                    prop_assert_eq!(resolved(&vault.index.possible_targets(&name).unwrap(), &name), resolved(&all, &name));
                }
            }
        }
    }
}
