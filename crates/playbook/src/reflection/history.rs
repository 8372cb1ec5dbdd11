//! Replacements of notes: superseded and condensed notes, and bullets that were replaced, merged or
//! inverted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use super::{MAX_HISTORY_ENTRIES, SectionLines, VaultView, dated};
use crate::current_notes::supersessions;
use crate::generated::link;
use cm_note::graph::{Edge, Resolution};
use cm_note::instant::Instant;
use cm_note::markdown::escape::escape_inline;
use cm_note::note::{Note, NoteKind};

/// Maximum number of merged bullets that are named in a line.
const MAX_NAMED_BULLETS: usize = 5;

/// An event in which one or more notes were replaced; the fields are note indices.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Replacement {
    /// One note supersedes another.
    Superseded { old: usize, new: usize },
    /// A note was condensed into a reflection.
    Condensed { old: usize },
    /// A bullet replaced one or more other bullets.
    Replaced { old: Vec<usize>, new: usize },
}

impl VaultView<'_, '_> {
    /// Lists all replacements of notes, newest first.
    pub(super) fn history(&self) -> SectionLines {
        let superseding: Vec<&Edge> = supersessions(self.graph).collect();
        let by_edge: HashSet<(usize, usize)> = superseding.iter().map(|edge| (edge.to, edge.from)).collect();
        let superseded = superseding
            .iter()
            .map(|edge| (self.dated(edge), Replacement::Superseded { old: edge.to, new: edge.from }));
        let absorbed =
            self.graph.notes().iter().enumerate().filter(|(_, note)| !note.condensed_into.is_empty());
        let absorbed = absorbed.map(|(old, note)| (note.updated, Replacement::Condensed { old }));
        let mut events: Vec<(Option<Instant>, Replacement)> =
            superseded.chain(absorbed).chain(self.replaced(&by_edge)).collect();
        events.sort_by(|(at, a), (other, b)| {
            let key = |event: &Replacement| self.note(event.old()).key();
            Reverse(at).cmp(&Reverse(other)).then_with(|| key(a).cmp(key(b))).then_with(|| a.cmp(b))
        });
        SectionLines::all(&events, MAX_HISTORY_ENTRIES, |(at, event)| {
            format!("{}{}", dated(*at), self.describe(event))
        })
    }

    fn describe(&self, event: &Replacement) -> String {
        match event {
            Replacement::Superseded { old, new } => {
                format!("{} supersedes {}", self.link(*new), self.link(*old))
            }
            Replacement::Condensed { old } => {
                let into: Vec<String> =
                    self.note(*old).condensed_into.iter().map(|id| self.name_of(id)).collect();
                format!("{} was condensed into {}", self.link(*old), into.join(", "))
            }
            Replacement::Replaced { old, new } => {
                let mut parts: Vec<String> =
                    old.iter().take(MAX_NAMED_BULLETS).map(|old| self.link(*old)).collect();
                if old.len() > MAX_NAMED_BULLETS {
                    parts.push(format!("{} more", old.len() - MAX_NAMED_BULLETS));
                }
                let last = parts.pop().unwrap_or_default();
                let verb = match parts.as_slice() {
                    [] if self.is_inversion(*new) => "inverts",
                    [] => "replaces",
                    _ => "merges",
                };
                let parts = if parts.is_empty() { last } else { format!("{} and {last}", parts.join(", ")) };
                format!("{} {verb} {parts}", self.link(*new))
            }
        }
    }

    fn is_inversion(&self, note: usize) -> bool {
        self.note(note).tags.iter().any(|tag| tag == "inverted")
    }

    /// Returns the replacements that bullets record in `replaced_by` and `supersedes`, grouped by
    /// the new bullet.
    fn replaced(
        &self,
        by_edge: &HashSet<(usize, usize)>,
    ) -> impl Iterator<Item = (Option<Instant>, Replacement)> {
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, note) in self.graph.notes().iter().enumerate() {
            let Some(bullet) = note.bullet.as_deref().filter(|_| note.kind == NoteKind::Bullet) else {
                continue;
            };
            let successor = bullet.replaced_by.as_deref().and_then(|id| self.bullet(id)).map(|new| (at, new));
            let predecessor =
                bullet.supersedes.as_deref().and_then(|id| self.bullet(id)).map(|old| (old, at));
            for (old, new) in successor.into_iter().chain(predecessor) {
                if old != new && !by_edge.contains(&(old, new)) {
                    parts.entry(new).or_default().push(old);
                }
            }
        }
        parts.into_iter().map(|(new, mut old)| {
            old.sort_by_key(|old| (self.note(*old).key(), *old));
            old.dedup();
            // The parts were last changed when they were replaced; a successor can be older than that.
            let changed = old.iter().filter_map(|old| self.note(*old).updated).max();
            let at = self.note(new).created.max(changed);
            (at, Replacement::Replaced { old, new })
        })
    }

    fn bullet(&self, id: &str) -> Option<usize> {
        match self.graph.resolve(id) {
            Resolution::One(note) => Some(note).filter(|note| self.note(*note).kind == NoteKind::Bullet),
            Resolution::Many(_) | Resolution::None => None,
        }
    }

    /// Returns when an edge was written: the date of the edge's file, else that of the note that it
    /// starts from.
    fn dated(&self, edge: &Edge) -> Option<Instant> {
        let note = self.note(edge.from);
        self.graph.written(edge).or(note.created).or(note.updated)
    }

    fn name_of(&self, id: &str) -> String {
        match self.graph.resolve(id) {
            Resolution::One(note) => {
                let Note { title, path, .. } = self.note(note);
                link(title, path)
            }
            Resolution::Many(_) | Resolution::None => escape_inline(id),
        }
    }
}

impl Replacement {
    fn old(&self) -> usize {
        match self {
            Self::Superseded { old, .. } | Self::Condensed { old } => *old,
            Self::Replaced { old, new } => old.first().copied().unwrap_or(*new),
        }
    }
}
