//! What contradicts each other, and how the playbook fares.

use super::super::live::in_place;
use super::{CONTRADICTIONS, List, View};
use crate::domain::graph::Edge;
use crate::domain::note::Kind;

impl View<'_, '_> {
    /// Pairs of notes that contradict each other, each once. A draft bullet counts too: it may be one because it
    /// contradicts another, and waits for a person to settle that.
    pub(super) fn contradictions(&self) -> List {
        let open = self.open();
        let is_open = |edge: &&Edge| edge.relation == "CONTRADICTS" && open[edge.from] && open[edge.to];
        let pair = |edge: &Edge| (edge.from.min(edge.to), edge.from.max(edge.to));
        let mut pairs: Vec<(usize, usize)> = self.graph.edges().iter().filter(is_open).map(pair).collect();
        pairs.sort_by_key(|(a, b)| (self.note(*a).key(), self.note(*b).key(), *a, *b));
        pairs.dedup();
        List::all(&pairs, CONTRADICTIONS, |(a, b)| {
            format!("{} contradicts {}", self.marked(*a), self.marked(*b))
        })
    }

    /// For each note whether what it says is still to be reckoned with.
    fn open(&self) -> Vec<bool> {
        let notes = self.graph.notes().iter().zip(in_place(self.graph)).zip(&self.live);
        notes
            .map(|((note, in_place), live)| match note.kind {
                Kind::Bullet if note.maturity.as_deref() == Some("deprecated") => false,
                Kind::Bullet => *live || in_place && note.state.as_deref() == Some("draft"),
                _ => *live,
            })
            .collect()
    }

    /// A link to a note, with a word where it is a draft.
    fn marked(&self, note: usize) -> String {
        let draft = self.note(note).state.as_deref() == Some("draft");
        self.link(note) + if draft { " (draft)" } else { "" }
    }
}
