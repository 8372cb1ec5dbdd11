//! Relevance of candidates: by words and meaning, in their conversation, and by their time.

use super::candidates::{AllCandidates, VaultCandidate};
use super::options::Retrieval;
use crate::context::open::Context;
use cm_note::instant::Instant;
use cm_note::query::time_range::{self, time_ranges};
use cm_note::rank::confidence::Confidence;
use cm_note::rank::conversation::{SpokenNote, asks_agent, in_conversation};
use cm_note::rank::fusion::{Coverage, FusedScore, FusionWeights, NoteScores, fuse};
use cm_note::rank::need::Need;
use cm_store::config::keys;

/// Largest bonus of a note from the time that the question names, as a share of its relevance.
const MAX_TIME_BONUS: f64 = 0.5;
/// Factor for the relevance of a note whose need for a task is unknown, because the fine model has not embedded it.
const UNREAD_FACTOR: f64 = 0.5;

/// How a note answers a question by itself, in its conversation and by its time.
#[derive(Clone, Copy)]
pub(super) struct Relevance {
    pub(super) fit: FusedScore,
    /// Points that the conversation adds.
    pub(super) conversation: f64,
    /// Multiplier for the time that the question names.
    pub(super) time: f64,
    /// Share of the question's words that the note has.
    pub(super) coverage: Coverage,
    pub(super) confidence: Option<Confidence>,
    /// How much an agent needs the note; `None` if the question is no task, or that is unknown.
    pub(super) need: Option<Need>,
}

impl Default for Relevance {
    fn default() -> Self {
        Self {
            fit: FusedScore::default(),
            conversation: 0.0,
            time: 1.0,
            coverage: Coverage::default(),
            confidence: None,
            need: None,
        }
    }
}

impl Relevance {
    pub(super) fn total(&self) -> f64 {
        (self.fit.relevance + self.conversation) * self.time
    }
}

impl Context {
    /// Computes the relevance of candidates, in order.
    pub(super) fn relevance(&self, question: Retrieval<'_>, gathered: &AllCandidates<'_>) -> Vec<Relevance> {
        let found = &gathered.found;
        let evidence: Vec<NoteScores> = found.iter().map(VaultCandidate::evidence).collect();
        let fits = fuse(&evidence, &self.weights(), gathered.best_coverage);
        let in_context: Vec<f64> = if question.stages.conversation {
            let spoken = |(fit, found): (&FusedScore, &VaultCandidate<'_>)| SpokenNote {
                relevance: fit.relevance,
                turn: found.candidate.turn,
                speaker: found.candidate.speaker,
            };
            let notes: Vec<SpokenNote> = fits.iter().zip(found).map(spoken).collect();
            in_conversation(&notes, asks_agent(question.meaning))
        } else {
            fits.iter().map(|fit| fit.relevance).collect()
        };
        let ranges = match question.stages.time {
            true => time_ranges(question.meaning, self.now()),
            false => Vec::new(),
        };
        let time = |found: &VaultCandidate<'_>| match ranges.is_empty() {
            true => 1.0,
            false => {
                1.0 + MAX_TIME_BONUS * time_range::fit(&ranges, Instant::from_unix(found.candidate.updated))
            }
        };
        let best_relevance = fits.iter().map(|fit| fit.relevance).fold(0.0, f64::max);
        let relevance = |((fit, in_context), found): ((FusedScore, f64), &VaultCandidate<'_>)| {
            let coverage = gathered.coverage(found);
            let scores = found.evidence();
            let need = Need::of(&scores, fit.relevance, best_relevance);
            let relevance = match need {
                Some(need) => need.value(),
                None if question.is_task => UNREAD_FACTOR * fit.relevance,
                None => fit.relevance,
            };
            Relevance {
                conversation: in_context - fit.relevance,
                time: time(found),
                coverage,
                confidence: Confidence::of(&scores, coverage, gathered.baselines),
                need,
                fit: FusedScore { relevance, ..fit },
            }
        };
        fits.into_iter().zip(in_context).zip(found).map(relevance).collect()
    }

    fn weights(&self) -> FusionWeights {
        let settings = &self.target().settings;
        FusionWeights {
            coarse: settings.number(keys::SEARCH_WEIGHT_COARSE),
            fine: settings.number(keys::SEARCH_WEIGHT_FINE),
            blend: settings.number(keys::SEARCH_WEIGHT_BLEND),
        }
    }
}
