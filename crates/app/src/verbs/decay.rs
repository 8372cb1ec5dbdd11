//! Decay scores of memories at an instant, computed from notes and usage. Read-only.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::{Context, OpenVault, VaultLevel};
use crate::error::Result;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_note::score::{self, AccessStatistics, DecayScore, DecayStatus, Scoring};
use cm_store::config::{Settings, keys};
use cm_store::vault::usage::UsageCounts;

/// Selects the memories to list.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Only memories of this status.
    pub status: Option<DecayStatus>,
    /// Maximum number of results.
    pub limit: usize,
}

/// A memory with its decay score.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DecayedMemory {
    /// Note ID.
    pub id: String,
    /// Memory type.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Title of the memory.
    pub title: String,
    /// Path of the memory's file.
    pub path: String,
    /// Decay score; 999 if pinned.
    pub score: DecayScore,
    /// Status derived from the score.
    pub status: DecayStatus,
    /// Number of times the memory was read.
    pub accesses: u64,
    /// Level of the memory's vault.
    pub vault: VaultLevel,
}

/// Memories by score, highest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DecayReport {
    /// The instant of the scores.
    pub at: Instant,
    /// Number of memories per status.
    pub counts: BTreeMap<DecayStatus, usize>,
    /// The memories.
    pub notes: Vec<DecayedMemory>,
    /// Number of memories with the requested status, before the limit.
    pub total: usize,
}

/// Scores all memories.
///
/// # Errors
/// An index that can neither be used nor rebuilt, or unreadable usage data.
pub fn decay(memory: &Context, options: &Options) -> Result<DecayReport> {
    let shelves =
        memory.vaults.iter().map(|open| Ok((open, memory.notes_of(open)?))).collect::<Result<Vec<_>>>()?;
    let mut counts = BTreeMap::new();
    let mut ranked = Vec::new();
    for (open, notes) in &shelves {
        let constants = scoring(&open.settings);
        for scored in scored(memory, open)? {
            let status = DecayStatus::of(scored.score, &constants);
            *counts.entry(status).or_default() += 1;
            if options.status.is_none_or(|wanted| status == wanted) {
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
    Ok(DecayReport { at: memory.now(), counts, notes, total })
}

/// Usage and score of a memory; `at` is its position in the notes of the vault.
pub(crate) struct ScoredMemory {
    pub at: usize,
    pub used: UsageCounts,
    pub score: DecayScore,
}

/// Computes usage and score of every memory of a vault.
pub(crate) fn scored(memory: &Context, open: &OpenVault) -> Result<Vec<ScoredMemory>> {
    let notes = memory.notes_of(open)?;
    let (usage, notices) = open.usage().load();
    notices.into_iter().for_each(|notice| memory.notice(notice));
    let constants = scoring(&open.settings);
    let memories = notes.iter().enumerate().filter(|(_, note)| note.kind == NoteKind::Memory);
    let scored = memories.map(|(at, note)| {
        let used = usage.get(note.key()).copied().unwrap_or_default();
        ScoredMemory { at, used, score: score_of(note, used, &open.settings, &constants, memory.now()) }
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
    let weight =
        note.note_type.as_deref().and_then(|name| settings.types.get(name)).map_or(1.0, |known| known.weight);
    let usage = AccessStatistics { accesses: used.accesses, last_access: used.last };
    score::decay(note, &usage, weight, now, constants)
}

/// Reads the scoring constants from the settings.
pub(crate) fn scoring(settings: &Settings) -> Scoring {
    let number = |setting| settings.number(setting);
    Scoring {
        lambda: number(keys::SCORING_LAMBDA),
        half_life_days: number(keys::SCORING_HALF_LIFE_DAYS),
        harmful_multiplier: number(keys::SCORING_HARMFUL_MULTIPLIER),
        prune_harmful_threshold: number(keys::SCORING_PRUNE_HARMFUL_THRESHOLD),
        multipliers: [
            keys::SCORING_CANDIDATE_MULTIPLIER,
            keys::SCORING_ESTABLISHED_MULTIPLIER,
            keys::SCORING_PROVEN_MULTIPLIER,
        ]
        .map(number),
        established_score: number(keys::SCORING_ESTABLISHED_SCORE),
        proven_score: number(keys::SCORING_PROVEN_SCORE),
        proven_ratio: number(keys::SCORING_PROVEN_RATIO),
        deprecated_ratio: number(keys::SCORING_DEPRECATED_RATIO),
        deprecated_events: settings.integer(keys::SCORING_DEPRECATED_EVENTS),
        recent_days: number(keys::SCORING_RECENT_DAYS),
        stale_days: number(keys::SCORING_STALE_DAYS),
        priority_factor: number(keys::SCORING_PRIORITY_FACTOR),
        unused: number(keys::SCORING_UNUSED),
        importance: number(keys::SCORING_IMPORTANCE),
        pinned: number(keys::SCORING_PINNED),
        active: number(keys::SCORING_ACTIVE),
        fading: number(keys::SCORING_FADING),
        dormant: number(keys::SCORING_DORMANT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cm_store::config::{SettingOrigin, SettingsLayer};

    #[test]
    fn settings_that_nobody_made_are_the_constants_of_the_domain() {
        assert_eq!(scoring(&Settings::of(Vec::new())), Scoring::default());
    }

    #[test]
    fn every_constant_can_be_set() {
        let fields = serde_json::to_value(Scoring::default()).unwrap();
        let mut names: Vec<&str> = fields.as_object().unwrap().keys().map(String::as_str).collect();
        names.retain(|name| *name != "multipliers");
        names.extend(["candidate_multiplier", "established_multiplier", "proven_multiplier"]);
        for name in names {
            let value = match name {
                "deprecated_events" => "7",
                "pinned" => "700.0",
                _ => "0.7",
            };
            let layer = SettingsLayer::parse_toml("cm.toml", &format!("[scoring]\n{name} = {value}\n"));
            let settings = Settings::of(vec![(layer, SettingOrigin::Vault)]);
            assert_ne!(scoring(&settings), Scoring::default(), "{name}");
        }
    }
}
