//! Decay scores of a vault's memories, from notes, usage counts and settings.

use cm_note::instant::Instant;
use cm_note::note::Note;
use cm_note::score::{self, AccessStatistics, DecayScore, DecayStatus, Scoring};
use cm_store::config::Settings;
use cm_store::vault::usage::{UsageCounts, UsageTable};

use super::open::Context;
use super::open_vault::OpenVault;
use super::scoring::scoring;

/// The usage counts of a vault, and its settings for scores.
pub(crate) struct MemoryScores<'a> {
    settings: &'a Settings,
    constants: Scoring,
    usage: UsageTable,
    now: Instant,
}

impl<'a> MemoryScores<'a> {
    /// Loads the usage counts of a vault, for scores at the time of the context.
    pub fn of(context: &Context, open: &'a OpenVault) -> Self {
        let (usage, notices) = open.usage().load();
        notices.into_iter().for_each(|notice| context.notice(notice));
        Self::at(open, usage, context.now())
    }

    /// Scores at another time, or with other usage counts.
    pub fn at(open: &'a OpenVault, usage: UsageTable, now: Instant) -> Self {
        Self { settings: &open.settings, constants: scoring(&open.settings), usage, now }
    }

    pub fn constants(&self) -> &Scoring {
        &self.constants
    }

    /// Usage counts of a note; zero if it was never used.
    pub fn used(&self, note: &Note) -> UsageCounts {
        self.usage.get(note.key()).copied().unwrap_or_default()
    }

    pub fn score(&self, note: &Note) -> DecayScore {
        self.score_at(note, self.used(note), self.now)
    }

    /// Score of a memory at a time, with usage counts of that time.
    pub fn score_at(&self, note: &Note, used: UsageCounts, at: Instant) -> DecayScore {
        let note_type = note.note_type.as_deref().and_then(|name| self.settings.types.get(name));
        let weight = note_type.map_or(1.0, |note_type| note_type.weight);
        let usage = AccessStatistics { accesses: used.accesses, last_access: used.last };
        score::decay(note, &usage, weight, at, &self.constants)
    }

    pub fn status(&self, score: DecayScore) -> DecayStatus {
        DecayStatus::of(score, &self.constants)
    }
}
