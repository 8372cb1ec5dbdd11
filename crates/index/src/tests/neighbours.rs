//! Neighbours found by lookup equal those of the complete graph.

use std::time::Duration;

use proptest::prelude::*;

use super::vault::Vault;
use crate::{Index, IndexedNote};
use cm_note::graph::{Edge, Graph};
use cm_note::note::{Note, NoteKind, RelationTable, TypeTable, read};
use cm_note::path::NotePath;

/// Indexes the notes of a vault with the production parser and returns them.
pub(super) fn indexed(vault: &Vault) -> Vec<Note> {
    let bytes = |path: &NotePath| std::fs::read(vault.path(path.as_str()));
    let parse = |path: &NotePath, bytes: &[u8]| {
        let reading = read::read(path, bytes, &TypeTable::default(), &RelationTable::default());
        IndexedNote { reading, passages: Vec::new() }
    };
    vault.index.refresh(&vault.listing(), &bytes, &parse, Duration::from_secs(10)).unwrap();
    vault.index.notes().unwrap()
}

/// Returns the edges at these notes as `path TYPE path strength`, found by lookup.
fn looked_up(index: &Index, asked: &[&Note]) -> Vec<String> {
    let found = index.neighbours(asked).unwrap();
    assert!(found.notes.is_sorted_by(|a, b| a.path < b.path));
    let notes: Vec<&Note> = asked.iter().copied().chain(&found.notes).collect();
    assert_eq!(found.degrees.len(), notes.len());
    let mut shown: Vec<String> = found.edges.iter().map(|edge| show(edge, &notes)).collect();
    shown.sort();
    shown
}

/// Returns the same edges from the graph of all notes.
fn of_all(all: &[Note], asked: &[&Note]) -> Vec<String> {
    let graph = Graph::connect(all);
    let is_asked = |at: usize| asked.iter().any(|note| note.path == all[at].path);
    let is_file = |at: usize| all[at].kind == NoteKind::Edge;
    let at_them = graph.edges().iter().filter(|edge| is_asked(edge.from) || is_asked(edge.to));
    let notes: Vec<&Note> = all.iter().collect();
    let between = at_them.filter(|edge| !is_file(edge.from) && !is_file(edge.to));
    let mut shown: Vec<String> = between.map(|edge| show(edge, &notes)).collect();
    shown.sort();
    shown
}

fn show(edge: &Edge, notes: &[&Note]) -> String {
    format!("{} {} {} {}", notes[edge.from].path, edge.relation, notes[edge.to].path, edge.strength)
}

fn named<'n>(all: &'n [Note], path: &str) -> &'n Note {
    all.iter().find(|note| note.path.as_str() == path).unwrap()
}

#[test]
fn every_way_of_writing_an_edge_is_found_from_both_ends() {
    let vault = Vault::of(&[]);
    for (path, text) in [
        (
            "graph/problems/pool.md",
            "---\nid: aaaaaa11-0000-4000-8000-000000000001\ntype: problem\ntitle: Pool runs dry\n---\nSee [[jitter]].\n",
        ),
        (
            "graph/fixes/timeout.md",
            "---\nid: aaaaaa22-0000-4000-8000-000000000002\ntype: fix\ntitle: Short timeouts\nrelations:\n  - target: aaaaaa11-0000-4000-8000-000000000001\n    type: SOLVES\n    strength: 0.8\n---\n",
        ),
        (
            "graph/facts/jitter.md",
            "---\nid: aaaaaa33-0000-4000-8000-000000000003\ntype: fact\ntitle: Spread retries\naliases: [jitter]\n---\n[up](../problems/pool.md)\n\nCAUSES:: [[POOL runs dry]]\n",
        ),
        (
            "graph/edges/e.md",
            "---\nid: bbbbbb44-0000-4000-8000-000000000004\ntype: REQUIRES\nfrom_id: aaaaaa33\nto_id: aaaaaa22-0000-4000-8000-000000000002\nstrength: 0.4\n---\nBecause.\n",
        ),
    ] {
        vault.write(path, text);
    }
    let all = indexed(&vault);
    let pool = named(&all, "graph/problems/pool.md");
    assert_eq!(
        looked_up(&vault.index, &[pool]),
        [
            "graph/facts/jitter.md CAUSES graph/problems/pool.md 1",
            "graph/fixes/timeout.md SOLVES graph/problems/pool.md 0.8",
            "graph/problems/pool.md LINKS_TO graph/facts/jitter.md 0.5",
        ]
    );
    for note in all.iter().filter(|note| note.kind != NoteKind::Edge) {
        assert_eq!(looked_up(&vault.index, &[note]), of_all(&all, &[note]), "{}", note.path);
    }
    let file = named(&all, "graph/edges/e.md");
    assert_eq!(
        looked_up(&vault.index, &[file]),
        [
            "graph/edges/e.md REQUIRES graph/facts/jitter.md 0.4",
            "graph/edges/e.md REQUIRES graph/fixes/timeout.md 0.4"
        ]
    );
}

#[test]
fn a_hub_hands_its_neighbours_out_in_a_fixed_number_typed_ones_first() {
    let vault = Vault::of(&[("hub.md", "# Hub\n")]);
    for number in 0..60 {
        let how = if number % 10 == 7 { "SOLVES:: [[hub]]" } else { "[[hub]]" };
        vault.write(&format!("n{number:02}.md"), &format!("{how}\n"));
    }
    let all = indexed(&vault);
    let hub = named(&all, "hub.md");
    let found = vault.index.neighbours(&[hub]).unwrap();
    assert_eq!((found.notes.len(), found.degrees[0]), (12, 60));
    assert_eq!(found.edges.iter().filter(|edge| edge.relation == "SOLVES").count(), 6);
    // Which ones does not depend on how the index came about.
    vault.write("n07.md", "nothing\n");
    indexed(&vault);
    vault.write("n07.md", "SOLVES:: [[hub]]\n");
    assert_eq!(indexed(&vault), all);
    assert_eq!(vault.index.neighbours(&[hub]).unwrap(), found);
}

#[test]
fn an_empty_index_and_no_notes_have_no_neighbours() {
    let vault = Vault::of(&[("a.md", "[[b]]\n"), ("b.md", "B\n")]);
    let all = indexed(&vault);
    assert_eq!(vault.index.neighbours(&[]).unwrap(), crate::Neighbours::default());
    let empty = Vault::of(&[]);
    indexed(&empty);
    let found = empty.index.neighbours(&[&all[0]]).unwrap();
    assert_eq!((found.notes, found.edges), (vec![], vec![]));
}

#[test]
fn an_id_as_short_as_a_name_is_found_beside_a_path_that_ends_with_that_name() {
    let vault = Vault::of(&[
        ("a.md", "---\ntitle: Climbs\n---\n[x](../deep/Pool)\n"),
        ("b.md", "---\ntitle: Asks\n---\n[[pool]]\n"),
        ("c.md", "---\ntitle: Meant\nid: pool\n---\n"),
    ]);
    let all = indexed(&vault);
    assert_eq!(looked_up(&vault.index, &[named(&all, "a.md")]), Vec::<String>::new());
    assert_eq!(looked_up(&vault.index, &[named(&all, "b.md")]), ["b.md LINKS_TO c.md 0.5"]);
}

const FOLDERS: [&str; 4] = ["", "graph/facts/", "graph/fixes/", "notes/deep/"];
const STEMS: [&str; 5] = ["pool", "Pool", "retry-now-abc123", "README", "über"];
const TITLES: [&str; 5] = ["Pool", "pool runs dry", "Retry now", "C++", "TCP/IP basics"];
const ALIASES: [&str; 4] = ["README", "retry-now", "Ünder", "aaaaaa"];
const IDS: [&str; 5] = ["aaaaaa11-x", "aaaaaa22-x", "AAAAAA33-x", "b-k3v9x", "pool"];
const TARGETS: [&str; 30] = [
    "pool",
    "POOL",
    "Pool",
    "pool.md",
    "graph/facts/pool",
    "facts/pool",
    "fixes/Pool.md",
    "retry-now",
    "Retry now",
    "retry now",
    "retry-now-abc123",
    "README",
    "readme",
    "C++",
    "c",
    "TCP/IP basics",
    "tcp-ip-basics",
    "über",
    "U\u{308}BER",
    "ünder",
    "aaaaaa",
    "aaaaaa11-x",
    "AAAAAA1",
    "aaaaaa33-x",
    "b-k3v9x",
    "b-k3v9",
    "notes/deep/README.md",
    "pool-runs-dry",
    "/pool.md",
    "nowhere",
];
const PATHS: [&str; 10] = [
    "..",
    "pool/x/..",
    "./pool.md",
    "../facts/pool.md",
    "../../README.md",
    "../fixes/retry-now-abc123.md",
    "Pool.md",
    "facts/pool.md",
    "%C3%BCber.md",
    "../deep/./Pool",
];

/// Strategy for a file of a small vault: path and content.
pub(super) fn file() -> impl Strategy<Value = (String, String)> {
    let reference = (0usize..6, 0..TARGETS.len(), 0..PATHS.len());
    let head = (0..FOLDERS.len(), 0..STEMS.len(), 0..TITLES.len(), 0..ALIASES.len() * 2, 0..IDS.len() * 2);
    (head, prop::collection::vec(reference, 0..5)).prop_map(|((folder, stem, title, alias, id), references)| {
        let mut head = format!("title: {:?}\n", TITLES[title]);
        if let Some(alias) = ALIASES.get(alias) {
            head += &format!("aliases: [{alias:?}]\n");
        }
        if let Some(id) = IDS.get(id) {
            head += &format!("id: {id}\n");
        }
        let (mut relations, mut body) = (String::new(), String::new());
        for (form, target, path) in references {
            let target = TARGETS[target];
            match form {
                0 => body += &format!("See [[{target}]].\n\n"),
                1 => body += &format!("CAUSES:: [[{target}]]\n\n"),
                2 => body += &format!("[x]({})\n\n", PATHS[path]),
                3 => body += &format!("[[{}]]\n\n", PATHS[path]),
                4 => relations += &format!("  - target: {target:?}\n    type: REQUIRES\n    strength: 0.3\n    edge_id: eeeeee99\n"),
                _ => relations += &format!("  - target: {target:?}\n    type: SOLVES\n    direction: incoming\n"),
            }
        }
        if !relations.is_empty() {
            head += &format!("relations:\n{relations}");
        }
        (format!("{}{}.md", FOLDERS[folder], STEMS[stem]), format!("---\n{head}---\n\n{body}"))
    })
}

/// Strategy for an edge file.
pub(super) fn joining() -> impl Strategy<Value = (String, String)> {
    (0..TARGETS.len(), 0..TARGETS.len(), prop::bool::ANY).prop_map(|(from, to, named)| {
        let (id, name) = if named { ("eeeeee99-1", "first") } else { ("ffffff99-1", "second") };
        let ends = format!("from_id: {:?}\nto_id: {:?}", TARGETS[from], TARGETS[to]);
        (
            format!("graph/edges/{name}.md"),
            format!("---\nid: {id}\ntype: FOLLOWS\n{ends}\nstrength: 0.6\n---\nSee [[pool]].\n"),
        )
    })
}

proptest! {
    // Each case writes and indexes a vault.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 8, ..ProptestConfig::default() })]

    #[test]
    fn in_any_small_vault_they_are_those_of_the_whole_graph(
        files in prop::collection::vec(file(), 1..8), edges in prop::collection::vec(joining(), 0..3),
    ) {
        let vault = Vault::of(&[]);
        files.iter().chain(&edges).for_each(|(path, text)| vault.write(path, text));
        let all = indexed(&vault);
        let asked: Vec<&Note> = all.iter().filter(|note| note.kind != NoteKind::Edge).collect();
        for few in asked.windows(1).chain(asked.windows(2)).chain([&*asked]) {
            prop_assert_eq!(looked_up(&vault.index, few), of_all(&all, few));
        }
    }
}
