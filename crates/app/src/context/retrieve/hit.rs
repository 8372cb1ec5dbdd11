//! A ranked note, and the components of its score.

use schemars::JsonSchema;
use serde::Serialize;

use super::options::RankingStages;
use super::relevance::Relevance;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::scoring::scoring;
use cm_note::note::Note;
use cm_note::passage::PassageKey;
use cm_note::rank::confidence::Confidence;
use cm_note::rank::fusion::NoteScores;
use cm_note::rank::need::Need;
use cm_note::rank::tie_breakers;
use cm_note::rounding::round_to_four_decimals;

/// How a note was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FoundBy {
    /// The note contains words of the query.
    Words,
    /// The note contains none of the words, only a similar meaning; a weak match.
    Meaning,
    /// The note is related to another hit.
    Relation,
}

/// Components of a hit's score.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct HitScore {
    /// BM25 over title, headings, tags and text; comparable only within one answer.
    pub bm25: f64,
    /// `bm25` divided by the best hit's, 0–1.
    pub words: f64,
    /// Share of the query's words that the note has, weighted by rarity, about 0–1.
    pub coverage: f64,
    /// Cosine of the nearest passage by the small built-in model, −1 to 1.
    pub coarse: Option<f64>,
    /// Cosine by the large model, −1 to 1; null if it has not embedded the note.
    pub fine: Option<f64>,
    /// Similarity relative to the nearest hit, 0–1.
    pub meaning: f64,
    /// Combined points for words and meaning, relative to a note that is best in both, 0–1.
    pub relevance: f64,
    /// Points that the neighbours in a conversation add to the relevance; negative for an agent's words.
    pub conversation: f64,
    /// Points that linked hits add to the score.
    pub graph: f64,
    /// Points that raise a note to the best score if the question is its title, alias or file name.
    pub title: f64,
    /// Multiplier for the time that the question names.
    pub time: f64,
    /// Multiplier for the time of the last change.
    pub recency: f64,
    /// Multiplier for feedback and importance.
    pub usefulness: f64,
    /// Multiplier of all scores of an answer, which makes the best one comparable between queries.
    pub scale: f64,
}

impl HitScore {
    /// Relevance in the context of the conversation.
    pub(super) fn in_context(&self) -> f64 {
        self.relevance + self.conversation
    }

    pub(super) fn total(&self) -> f64 {
        (self.in_context() + self.graph) * self.time * self.recency * self.usefulness + self.title
    }

    /// Returns the components rounded to four decimals.
    pub(crate) fn rounded(self) -> Self {
        Self {
            bm25: rounded(self.bm25),
            words: rounded(self.words),
            coverage: rounded(self.coverage),
            coarse: self.coarse.map(rounded),
            fine: self.fine.map(rounded),
            meaning: rounded(self.meaning),
            relevance: rounded(self.relevance),
            conversation: rounded(self.conversation),
            graph: rounded(self.graph),
            title: rounded(self.title),
            time: rounded(self.time),
            recency: rounded(self.recency),
            usefulness: rounded(self.usefulness),
            scale: rounded(self.scale),
        }
    }
}

pub(crate) struct RankedNote<'m> {
    pub open: &'m OpenVault,
    pub note: Note,
    pub score: f64,
    pub parts: HitScore,
    /// Confidence that the note answers the question by itself; `None` for one that was found by a link, or
    /// where no vectors were used.
    pub confidence: Option<Confidence>,
    /// How much an agent needs the note; `None` if the question is no task, or that is unknown.
    pub need: Option<Need>,
    /// Passage of the note that is most similar to the query; `None` if vectors were not used.
    pub passage: Option<PassageKey>,
    /// Id of the linked hit that added most to this note's score.
    pub raised_by: Option<String>,
    /// How the note was found; `None` if it was selected without ranking.
    pub found_by: Option<FoundBy>,
    /// Whether the question is the title, an alias or the file name of the note.
    pub is_named: bool,
}

impl<'m> RankedNote<'m> {
    /// Creates a result for a note that was selected without ranking.
    pub fn unranked(open: &'m OpenVault, note: Note) -> Self {
        Self {
            open,
            note,
            score: 0.0,
            parts: HitScore::default(),
            confidence: None,
            need: None,
            passage: None,
            raised_by: None,
            found_by: None,
            is_named: false,
        }
    }
}

impl Context {
    pub(super) fn score_note<'m>(
        &self,
        open: &'m OpenVault,
        relevance: Relevance,
        evidence: NoteScores,
        note: Note,
        passage: Option<PassageKey>,
        stages: RankingStages,
    ) -> RankedNote<'m> {
        let changed = note.updated.or(note.created);
        let recency = if stages.recency { tie_breakers::recency(changed, self.now()) } else { 1.0 };
        let usefulness = match stages.usefulness {
            true => tie_breakers::usefulness_factor(&note, self.now(), &scoring(&open.settings)),
            false => 1.0,
        };
        let parts = HitScore {
            bm25: f64::from(evidence.bm25),
            words: relevance.fit.words,
            coverage: relevance.coverage.value(),
            coarse: evidence.coarse.map(f64::from),
            fine: evidence.fine.map(f64::from),
            meaning: relevance.fit.similarity,
            relevance: relevance.fit.relevance,
            conversation: relevance.conversation,
            graph: 0.0,
            title: 0.0,
            time: relevance.time,
            recency,
            usefulness,
            scale: 1.0,
        };
        let score = parts.total();
        let found_by = Some(match evidence {
            NoteScores { bm25, .. } if bm25 > 0.0 => FoundBy::Words,
            NoteScores { coarse: None, fine: None, .. } => FoundBy::Relation,
            _ => FoundBy::Meaning,
        });
        RankedNote {
            open,
            note,
            score,
            parts,
            confidence: relevance.confidence,
            need: relevance.need,
            passage,
            raised_by: None,
            found_by,
            is_named: false,
        }
    }
}

/// Rounds a score to four decimals.
pub(crate) fn rounded(score: f64) -> f64 {
    round_to_four_decimals(score)
}
