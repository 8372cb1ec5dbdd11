//! Finds predecessors and successors of a note, through `supersedes`, `replaced_by`,
//! `condensed_into`, SUPERSEDES edges, and blocked patterns that were inverted into an
//! anti-pattern.
//!
//! Links to deleted notes are included; cycles are followed once.

use std::collections::{HashSet, VecDeque};

use schemars::JsonSchema;
use serde::Serialize;

use crate::live::supersessions;
use cm_note::bullet::blocked::Blocked;
use cm_note::graph::{Graph, Resolution};

/// Direction of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// To an earlier note.
    Before,
    /// To a later note.
    After,
}

/// Which field or edge records the replacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Through {
    /// `supersedes`, or an edge of that type.
    Supersedes,
    /// `replaced_by`.
    ReplacedBy,
    /// `inverted_to` of a blocked pattern.
    InvertedTo,
    /// `condensed_into`.
    CondensedInto,
}

/// A predecessor or successor of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Direction from the note asked about.
    pub side: Side,
    /// Index of the note; `None` if it was deleted.
    pub at: Option<usize>,
    /// Key of the note; for a deleted note, the reference as written.
    pub key: String,
    /// Which field or edge records the step.
    pub through: Through,
    /// Distance in steps, from 1.
    pub hops: usize,
}

/// A replacement of an older note by a newer one.
struct Turn {
    older: String,
    newer: String,
    through: Through,
}

/// All predecessors, then all successors of a note, each nearest first.
pub fn around(graph: &Graph<'_>, at: usize) -> Vec<Step> {
    let turns = turns(graph);
    let begin = graph.notes()[at].key();
    let mut steps = Vec::new();
    for side in [Side::Before, Side::After] {
        let mut seen = HashSet::from([begin]);
        let mut queue = VecDeque::from([(begin, 0)]);
        while let Some((key, hops)) = queue.pop_front() {
            for turn in &turns {
                let (from, to) = match side {
                    Side::Before => (&turn.newer, &turn.older),
                    Side::After => (&turn.older, &turn.newer),
                };
                if from == key && seen.insert(to) {
                    let at = graph.notes().iter().position(|note| note.key() == to);
                    steps.push(Step { side, at, key: to.clone(), through: turn.through, hops: hops + 1 });
                    queue.push_back((to, hops + 1));
                }
            }
        }
    }
    steps
}

/// All replacements that the notes and edges record.
fn turns(graph: &Graph<'_>) -> Vec<Turn> {
    let key = |reference: &str| match graph.resolve(reference) {
        Resolution::One(at) => graph.notes()[at].key().to_owned(),
        _ => reference.to_owned(),
    };
    let mut turns = Vec::new();
    let mut say = |older: String, newer: String, through| turns.push(Turn { older, newer, through });
    for note in graph.notes() {
        let own = || note.key().to_owned();
        if let Some(fields) = note.bullet.as_deref() {
            if let Some(older) = &fields.supersedes {
                say(key(older), own(), Through::Supersedes);
            }
            if let Some(newer) = &fields.replaced_by {
                say(own(), key(newer), Through::ReplacedBy);
            }
        }
        for newer in &note.condensed_into {
            say(own(), key(newer), Through::CondensedInto);
        }
        let inverted =
            Blocked::of(note).map(|blocked| (blocked.fields.source_bullet, blocked.fields.inverted_to));
        if let Some((Some(older), Some(newer))) = inverted {
            say(key(&older), key(&newer), Through::InvertedTo);
        }
    }
    for edge in supersessions(graph) {
        let [newer, older] = [edge.from, edge.to].map(|at| graph.notes()[at].key().to_owned());
        say(older, newer, Through::Supersedes);
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

    fn told(notes: &[Note], at: usize) -> Vec<(Side, String, Through, usize)> {
        let graph = Graph::connect(notes);
        around(&graph, at).into_iter().map(|step| (step.side, step.key, step.through, step.hops)).collect()
    }

    #[test]
    fn a_chain_is_followed_both_ways_over_notes_that_are_gone() {
        let notes = notes(&[
            ("playbook/a/one.md", "id: b-1-aaaaaa\nreplaced_by: b-2-bbbbbb"),
            ("playbook/a/two.md", "id: b-2-bbbbbb\nsupersedes: b-1-aaaaaa\nreplaced_by: b-9-gone00"),
        ]);
        assert_eq!(
            told(&notes, 0),
            [
                (Side::After, "b-2-bbbbbb".to_owned(), Through::ReplacedBy, 1),
                (Side::After, "b-9-gone00".to_owned(), Through::ReplacedBy, 2),
            ]
        );
        assert_eq!(told(&notes, 1)[0], (Side::Before, "b-1-aaaaaa".to_owned(), Through::ReplacedBy, 1));
        let graph = Graph::connect(&notes);
        assert_eq!(around(&graph, 1)[1].at, None);
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
        assert_eq!(told(&notes, 1), [(Side::Before, "b-1-aaaaaa".to_owned(), Through::InvertedTo, 1)]);
    }

    #[test]
    fn notes_that_replace_each_other_end_the_walk() {
        let notes = notes(&[
            ("playbook/a/one.md", "id: b-1-aaaaaa\nreplaced_by: b-2-bbbbbb"),
            ("playbook/a/two.md", "id: b-2-bbbbbb\nreplaced_by: b-1-aaaaaa"),
        ]);
        assert_eq!(told(&notes, 0).len(), 2);
    }
}
