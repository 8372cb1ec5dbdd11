//! Memories of a briefing without a task: those that are worth most by themselves.

use super::candidates::{BriefingCandidates, MemoryCandidate, index_hits, label};
use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::superseded::SupersededNotes;
use crate::error::Result;
use cm_note::note::{Note, NoteKind};
use cm_note::query::{BooleanGroup, LabelField, QueryNode};
use cm_note::score::DecayStatus;

/// Maximum number of compared memories, of pinned and of other ones each; the latest come first.
const MAX_COMPARED_MEMORIES: usize = 200;

impl<'m> BriefingCandidates<'m> {
    /// Adds the confirmed memories of one vault that are in use. All get the same score, so that their decay factor
    /// ranks them.
    pub(super) fn recall_standing(&mut self, context: &Context, open: &'m OpenVault) -> Result<()> {
        let compared = |pinned: &str| {
            let filter =
                [label(LabelField::Kind, NoteKind::Memory.name()), label(LabelField::Pinned, pinned)];
            let filter: Vec<QueryNode> =
                filter.into_iter().chain(self.only.memories.iter().cloned()).collect();
            let unused = [Note::DRAFT, Note::UNVERIFIED, Note::RETIRED];
            let not = unused.map(|state| label(LabelField::State, state)).into();
            let group = BooleanGroup { filter, not, ..BooleanGroup::default() };
            index_hits(context, open, group, MAX_COMPARED_MEMORIES)
        };
        let mut hits = compared("true")?;
        hits.extend(compared("false")?);
        let superseded = SupersededNotes::of(context, open, hits.iter().map(|hit| &hit.note))?;
        let scores = MemoryScores::of(context, open);
        let is_in_use = |note: &Note| {
            note.staleness().is_none()
                && !note.has_conflict()
                && note.condensed_into.is_empty()
                && !superseded.contains(note)
                && !matches!(scores.status(scores.score(note)), DecayStatus::Dormant | DecayStatus::Archived)
        };
        let notes = hits.into_iter().map(|hit| hit.note).filter(is_in_use);
        self.memories.extend(notes.map(|note| MemoryCandidate {
            open,
            score: 1.0,
            passage: None,
            note,
            replaced: false,
            is_weak: false,
            need: None,
        }));
        Ok(())
    }
}
