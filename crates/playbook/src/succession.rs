//! Finds predecessors and successors of a note, through `supersedes`, `replaced_by`,
//! `condensed_into`, SUPERSEDES edges, and blocked patterns that were inverted into an
//! anti-pattern.
//!
//! Links to deleted notes are included; cycles are followed once.

use std::collections::{HashSet, VecDeque};

use schemars::JsonSchema;
use serde::Serialize;

use crate::current_notes::supersessions;
use cm_note::bullet::blocked::BlockedNote;
use cm_note::graph::{Graph, Resolution};

/// Direction of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SuccessionSide {
    /// To an earlier note.
    Before,
    /// To a later note.
    After,
}

/// Which field or edge records the replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplacementField {
    /// The newer note names the older one in `supersedes`, or a SUPERSEDES edge leads to it.
    Supersedes,
    ReplacedBy,
    /// `inverted_to` of a blocked pattern.
    InvertedTo,
    CondensedInto,
}

/// A note that replaced, or was replaced by, the note in question, directly or in several steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuccessionHop {
    /// Whether this note is an earlier or a later version of the note in question.
    pub side: SuccessionSide,
    /// Index of this note in the graph; `None` if it was deleted.
    pub at: Option<usize>,
    /// Key of this note; for a deleted note, the reference as written.
    pub key: String,
    /// Which field or edge records the replacement.
    pub through: ReplacementField,
    /// Number of replacements between this note and the note in question, from 1.
    pub hops: usize,
}

/// A replacement that a field or edge records: the keys of the older and the newer note.
struct NoteReplacement {
    older: String,
    newer: String,
    through: ReplacementField,
}

/// Returns all earlier versions of the note at index `at`, then all later ones, each nearest first.
pub fn succession(graph: &Graph<'_>, at: usize) -> Vec<SuccessionHop> {
    let turns = turns(graph);
    let begin = graph.notes()[at].key();
    let mut steps = Vec::new();
    for side in [SuccessionSide::Before, SuccessionSide::After] {
        let mut seen = HashSet::from([begin]);
        let mut queue = VecDeque::from([(begin, 0)]);
        while let Some((key, hops)) = queue.pop_front() {
            for turn in &turns {
                let (from, to) = match side {
                    SuccessionSide::Before => (&turn.newer, &turn.older),
                    SuccessionSide::After => (&turn.older, &turn.newer),
                };
                if from == key && seen.insert(to) {
                    let at = graph.notes().iter().position(|note| note.key() == to);
                    steps.push(SuccessionHop {
                        side,
                        at,
                        key: to.clone(),
                        through: turn.through,
                        hops: hops + 1,
                    });
                    queue.push_back((to, hops + 1));
                }
            }
        }
    }
    steps
}

/// Collects all replacements that notes and edges record.
fn turns(graph: &Graph<'_>) -> Vec<NoteReplacement> {
    let key = |reference: &str| match graph.resolve(reference) {
        Resolution::One(at) => graph.notes()[at].key().to_owned(),
        _ => reference.to_owned(),
    };
    let mut turns = Vec::new();
    let mut add_replacement =
        |older: String, newer: String, through| turns.push(NoteReplacement { older, newer, through });
    for note in graph.notes() {
        let own = || note.key().to_owned();
        if let Some(fields) = note.bullet.as_deref() {
            if let Some(older) = &fields.supersedes {
                add_replacement(key(older), own(), ReplacementField::Supersedes);
            }
            if let Some(newer) = &fields.replaced_by {
                add_replacement(own(), key(newer), ReplacementField::ReplacedBy);
            }
        }
        for newer in &note.condensed_into {
            add_replacement(own(), key(newer), ReplacementField::CondensedInto);
        }
        let inverted =
            BlockedNote::of(note).map(|blocked| (blocked.fields.source_bullet, blocked.fields.inverted_to));
        if let Some((Some(older), Some(newer))) = inverted {
            add_replacement(key(&older), key(&newer), ReplacementField::InvertedTo);
        }
    }
    for edge in supersessions(graph) {
        let [newer, older] = [edge.from, edge.to].map(|at| graph.notes()[at].key().to_owned());
        add_replacement(older, newer, ReplacementField::Supersedes);
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_note::note::{Note, RelationTable, TypeTable, read};
    use cm_note::path::NotePath;

    fn notes(texts: &[(&str, &str)]) -> Vec<Note> {
        let read = |(path, keys): &(&str, &str)| {
            let text = format!("---\n{keys}\n---\n\nA rule about {path}.\n");
            let path = NotePath::parse(path).unwrap();
            read::read(&path, text.as_bytes(), &TypeTable::default(), &RelationTable::default()).note
        };
        texts.iter().map(read).collect()
    }

    fn edges_of(notes: &[Note], at: usize) -> Vec<(SuccessionSide, String, ReplacementField, usize)> {
        let graph = Graph::connect(notes);
        succession(&graph, at)
            .into_iter()
            .map(|step| (step.side, step.key, step.through, step.hops))
            .collect()
    }

    #[test]
    fn a_chain_is_followed_both_ways_over_notes_that_are_gone() {
        let notes = notes(&[
            ("playbook/a/one.md", "id: b-1-aaaaaa\nreplaced_by: b-2-bbbbbb"),
            ("playbook/a/two.md", "id: b-2-bbbbbb\nsupersedes: b-1-aaaaaa\nreplaced_by: b-9-gone00"),
        ]);
        assert_eq!(
            edges_of(&notes, 0),
            [
                (SuccessionSide::After, "b-2-bbbbbb".to_owned(), ReplacementField::ReplacedBy, 1),
                (SuccessionSide::After, "b-9-gone00".to_owned(), ReplacementField::ReplacedBy, 2),
            ]
        );
        assert_eq!(
            edges_of(&notes, 1)[0],
            (SuccessionSide::Before, "b-1-aaaaaa".to_owned(), ReplacementField::ReplacedBy, 1)
        );
        let graph = Graph::connect(&notes);
        assert_eq!(succession(&graph, 1)[1].at, None);
    }

    #[test]
    fn a_blocked_pattern_tells_what_its_bullet_was_turned_into() {
        let notes = notes(&[
            (
                "blocked/x.md",
                "id: x-1\nkind: toxic\ncontent: Bad\nsource_bullet: b-1-aaaaaa\ninverted_to: b-2-bbbbbb",
            ),
            ("playbook/a/two.md", "id: b-2-bbbbbb\ntype: anti_pattern"),
        ]);
        assert_eq!(
            edges_of(&notes, 1),
            [(SuccessionSide::Before, "b-1-aaaaaa".to_owned(), ReplacementField::InvertedTo, 1)]
        );
    }

    #[test]
    fn notes_that_replace_each_other_end_the_walk() {
        let notes = notes(&[
            ("playbook/a/one.md", "id: b-1-aaaaaa\nreplaced_by: b-2-bbbbbb"),
            ("playbook/a/two.md", "id: b-2-bbbbbb\nreplaced_by: b-1-aaaaaa"),
        ]);
        assert_eq!(edges_of(&notes, 0).len(), 2);
    }
}
