//! Confidence that a note answers a question. Unlike a relevance, it can be compared between questions.
//!
//! A logistic regression of the best hit, fitted to questions that notes of the same vault answer and
//! to others that they do not.

use super::fusion::{Coverage, NoteScores};
use super::similarity_threshold::CosineBaseline;

/// Cosines between unrelated texts by each model; `None` if a model does not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ModelBaselines {
    pub coarse: Option<CosineBaseline>,
    pub fine: Option<CosineBaseline>,
}

/// Estimated probability that a note answers a question, 0–1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Confidence(f64);

/// Log-odds of a note whose cosine is that of unrelated texts.
const UNRELATED_LOG_ODDS: f64 = -4.4;
/// Log-odds that each standard deviation above unrelated texts adds, by the fine model.
const FINE_LOG_ODDS: f64 = 0.66;
/// Log-odds at the cosine of unrelated texts, and for each deviation above it, by the coarse model.
const COARSE_UNRELATED_LOG_ODDS: f64 = -2.5;
const COARSE_LOG_ODDS: f64 = 0.32;
/// Coverage that everyday words reach by accident.
const ACCIDENTAL_COVERAGE: f64 = 0.25;
/// Log-odds of coverage above that. A note that has each word of the question once has about 0.45.
const COVERAGE_LOG_ODDS: f64 = 10.0;
/// Below this, a note hardly answers the question: about one in fifty of the questions that have an answer,
/// and half to nine tenths of the others, the fewer the nearer their subject.
const WEAK_CONFIDENCE: f64 = 0.15;

/// Minimum confidence in a note whose title or alias is the question.
const MIN_TITLE_CONFIDENCE: f64 = 0.95;
/// Minimum confidence in a note with the only word of the question.
const MIN_WORD_CONFIDENCE: f64 = 0.3;

impl Confidence {
    /// Returns this confidence, or that in a note whose title or alias is the question if that is higher.
    pub fn with_title(self) -> Self {
        Self(self.0.max(MIN_TITLE_CONFIDENCE))
    }

    /// Returns this confidence, or that in a note with the only word of the question if that is higher.
    pub fn with_word(self) -> Self {
        Self(self.0.max(MIN_WORD_CONFIDENCE))
    }

    /// Returns `None` if no model with a known baseline has embedded the note.
    ///
    /// ```
    /// use cm_note::rank::confidence::{Confidence, ModelBaselines};
    /// use cm_note::rank::fusion::{Coverage, NoteScores};
    /// use cm_note::rank::similarity_threshold::CosineBaseline;
    /// let baselines = ModelBaselines { fine: Some(CosineBaseline { mean: 0.02, deviation: 0.055 }), coarse: None };
    /// let of = |fine| Confidence::of(&NoteScores { fine: Some(fine), ..NoteScores::default() }, Coverage::default(), baselines);
    /// assert!(of(0.6).is_some_and(|near| near.value() > 0.9));
    /// assert!(of(0.1).is_some_and(|far| far.is_weak()));
    /// ```
    pub fn of(scores: &NoteScores, coverage: Coverage, baselines: ModelBaselines) -> Option<Self> {
        let above = |cosine: Option<f32>, baseline: Option<CosineBaseline>| {
            let baseline = baseline.filter(|baseline| baseline.deviation > 0.0)?;
            Some(f64::from((cosine? - baseline.mean) / baseline.deviation))
        };
        let near = above(scores.fine, baselines.fine).map(|by| UNRELATED_LOG_ODDS + FINE_LOG_ODDS * by);
        let near = near.or_else(|| {
            above(scores.coarse, baselines.coarse).map(|by| COARSE_UNRELATED_LOG_ODDS + COARSE_LOG_ODDS * by)
        })?;
        let odds = near + COVERAGE_LOG_ODDS * (coverage.value() - ACCIDENTAL_COVERAGE).max(0.0);
        Some(Self(1.0 / (1.0 + (-odds).exp())))
    }

    pub fn value(self) -> f64 {
        self.0
    }

    /// Whether the note hardly answers the question.
    pub fn is_weak(self) -> bool {
        self.0 < WEAK_CONFIDENCE
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BASELINES: ModelBaselines = ModelBaselines {
        coarse: Some(CosineBaseline { mean: 0.05, deviation: 0.065 }),
        fine: Some(CosineBaseline { mean: 0.02, deviation: 0.055 }),
    };

    fn confidence(coarse: Option<f32>, fine: Option<f32>, covered: f32) -> Option<Confidence> {
        Confidence::of(
            &NoteScores { bm25: 0.0, coarse, fine, task: None },
            Coverage::of(covered, 1.0),
            BASELINES,
        )
    }

    #[test]
    fn a_note_with_all_words_of_the_question_is_not_weak_however_far_its_meaning() {
        assert!(confidence(Some(0.1), Some(0.1), 0.0).unwrap().is_weak());
        assert!(!confidence(Some(0.1), Some(0.1), 0.45).unwrap().is_weak());
        assert!(!confidence(Some(0.1), None, 0.45).unwrap().is_weak());
    }

    #[test]
    fn a_note_near_by_meaning_is_not_weak_without_any_word() {
        for (coarse, fine) in [(Some(0.2), Some(0.35)), (Some(0.5), None)] {
            assert!(!confidence(coarse, fine, 0.0).unwrap().is_weak());
        }
    }

    #[test]
    fn nothing_is_said_where_no_model_with_a_baseline_read_the_note() {
        assert_eq!(confidence(None, None, 1.0), None);
        let scores = NoteScores { fine: Some(0.9), ..NoteScores::default() };
        assert_eq!(Confidence::of(&scores, Coverage::FULL, ModelBaselines::default()), None);
    }

    proptest! {
        #[test]
        fn it_is_a_probability_and_more_evidence_never_lowers_it(
            fine in -1.0f32..1.0, covered in 0.0f32..3.0, more in 0.0f32..0.5,
        ) {
            let before = confidence(None, Some(fine), covered).unwrap().value();
            prop_assert!((0.0..=1.0).contains(&before));
            prop_assert!(confidence(None, Some(fine + more), covered).unwrap().value() >= before);
            prop_assert!(confidence(None, Some(fine), covered + more).unwrap().value() >= before);
        }
    }
}
