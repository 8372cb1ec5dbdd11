//! Decay scores of memories at an instant, computed from notes and usage. Read-only.

use crate::context::open::Context;
use crate::context::open_vault::{OpenVault, VaultLevel};
use crate::context::scoring::scoring;
use crate::error::Result;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_note::score;
use cm_note::score::{AccessStatistics, DecayScore, DecayStatus, Scoring};
use cm_store::config::Settings;
use cm_store::vault::usage::UsageCounts;
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
        let constants = scoring(&open.settings);
        for scored in scored(context, open)? {
            let status = DecayStatus::of(scored.score, &constants);
            *counts.entry(status).or_default() += 1;
            if options.status.is_none_or(|filter| status == filter) {
                ranked.push((scored.score, status, &notes[scored.at], scored.used.accesses, open.level));
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

/// Decay score and usage of a memory; `at` is its index in the vault's list of notes.
pub(crate) struct ScoredMemory {
    pub at: usize,
    pub used: UsageCounts,
    pub score: DecayScore,
}

/// Computes usage and score of every memory of a vault.
pub(crate) fn scored(context: &Context, open: &OpenVault) -> Result<Vec<ScoredMemory>> {
    let notes = context.overview_of(open)?;
    let (usage, notices) = open.usage().load();
    notices.into_iter().for_each(|notice| context.notice(notice));
    let constants = scoring(&open.settings);
    let memories = notes.iter().enumerate().filter(|(_, note)| note.kind == NoteKind::Memory);
    let scored = memories.map(|(at, note)| {
        let used = usage.get(note.key()).copied().unwrap_or_default();
        ScoredMemory { at, used, score: score_of(note, used, &open.settings, &constants, context.now()) }
    });
    Ok(scored.collect())
}

/// Computes the decay score of one memory.
pub(crate) fn score_of(
    note: &Note,
    used: UsageCounts,
    settings: &Settings,
    constants: &Scoring,
    now: Instant,
) -> DecayScore {
    let weight = note
        .note_type
        .as_deref()
        .and_then(|name| settings.types.get(name))
        .map_or(1.0, |memory_type| memory_type.weight);
    let usage = AccessStatistics { accesses: used.accesses, last_access: used.last };
    score::decay(note, &usage, weight, now, constants)
}
