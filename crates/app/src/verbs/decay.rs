//! Decay scores of memories at an instant, computed from notes and usage. Read-only.

use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::error::Result;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_note::score::{DecayScore, DecayStatus};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Filter and limit of a list of memories by decay score.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only memories of this status.
    pub status: Option<DecayStatus>,
    /// Maximum number of results on a page.
    pub limit: usize,
}

/// A memory with its decay score, which falls with the time since its last use.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DecayedMemory {
    /// ID of the note.
    pub id: String,
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    pub title: String,
    /// Path of the memory's file, relative to the vault root.
    pub path: String,
    /// Decay score, higher for recently used memories; 999 if the memory is pinned.
    pub score: DecayScore,
    /// Status derived from the score.
    pub status: DecayStatus,
    /// Number of times the memory was read.
    pub accesses: u64,
    /// Vault that contains the memory: `project` or `global`.
    pub vault: VaultLevel,
}

/// Memories ordered by decay score, highest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DecayReport {
    /// Time for which the scores were computed.
    pub at: Instant,
    /// Number of memories per status.
    pub counts: BTreeMap<DecayStatus, usize>,
    pub notes: Vec<DecayedMemory>,
    /// Number of memories with the requested status, before the limit.
    pub total: usize,
}

/// Computes the decay scores of the memories in all open vaults.
///
/// # Errors
/// An index that can neither be used nor rebuilt, or unreadable usage data.
pub fn decay(context: &Context, options: &Options) -> Result<DecayReport> {
    let vaults = context
        .vaults
        .iter()
        .map(|open| Ok((open, context.overview_of(open)?)))
        .collect::<Result<Vec<_>>>()?;
    let mut counts = BTreeMap::new();
    let mut ranked = Vec::new();
    for (open, notes) in &vaults {
        let scores = MemoryScores::of(context, open);
        for note in notes.iter().filter(|note| note.kind == NoteKind::Memory) {
            let score = scores.score(note);
            let status = scores.status(score);
            *counts.entry(status).or_default() += 1;
            if options.status.is_none_or(|filter| status == filter) {
                ranked.push((score, status, note, scores.used(note).accesses, open.level));
            }
        }
    }
    ranked.sort_unstable_by(|(a, _, note, ..), (b, _, other, ..)| {
        b.cmp(a).then_with(|| note.key().cmp(other.key()))
    });
    let total = ranked.len();
    let listed =
        |(score, status, note, accesses, vault): (DecayScore, DecayStatus, &Note, u64, VaultLevel)| {
            DecayedMemory {
                id: note.key().to_owned(),
                note_type: note.note_type.clone(),
                title: note.title.clone(),
                path: note.path.to_string(),
                score,
                status,
                accesses,
                vault,
            }
        };
    let notes = ranked.into_iter().take(options.limit).map(listed).collect();
    Ok(DecayReport { at: context.now(), counts, notes, total })
}
