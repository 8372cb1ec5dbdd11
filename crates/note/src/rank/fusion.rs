//! Relevance of notes for a question, from keyword matches (BM25) and semantic similarity.
//!
//! Both are converted to the scale of BM25 and added, so each question determines their relative
//! weight: if few or only common words match, similar notes come first; if rare words match, those
//! do. Adding ranks, or shares of the best score, performed worse on some evaluation sets.

/// Scores of a note for a question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct NoteScores {
    /// BM25 score of the question's words in the note; 0 if none matches.
    pub bm25: f32,
    /// Cosine of the question and the note's nearest passage by the coarse model, which embeds
    /// every note.
    pub coarse: Option<f32>,
    /// Cosine of the question and the note's nearest passage by the fine model; `None` if that has
    /// not embedded the note yet.
    pub fine: Option<f32>,
    /// Cosine of the question as a task and the note's nearest passage; `None` if the question is no
    /// task, or where no model for tasks knows the note's vectors.
    pub task: Option<f32>,
}

/// Weights of semantic similarity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FusionWeights {
    /// BM25 points for a similarity of 1, if only the coarse model has embedded notes.
    pub coarse: f64,
    /// BM25 points for a similarity of 1, if the fine model has embedded notes.
    pub fine: f64,
    /// Share of the coarse model in the blend with the fine model, 0–1. Two models make different
    /// errors.
    pub blend: f64,
}

impl Default for FusionWeights {
    /// Tuned on labelled questions of nine kinds.
    fn default() -> Self {
        Self { coarse: 6.0, fine: 20.0, blend: 0.1 }
    }
}

/// Coverage from which the words of a question decide beside meaning.
const MIN_COVERAGE: f64 = 0.3;
/// BM25 points from which they decide too: the best note has one rare word or several others.
const TELLING_POINTS: f64 = 12.0;
/// Exponent of the shortfall from both. Where only everyday words match, meaning decides.
const SHORTFALL_EXPONENT: i32 = 4;
/// Largest factor of the weight of similarity for that reason.
const MAX_SIMILARITY_FACTOR: f64 = 40.0;
/// Largest factor where only the coarse model has embedded notes.
const MAX_COARSE_FACTOR: f64 = 4.0;

/// Share of the question's words that a note has, weighted by rarity, about 0–1: its BM25 score divided by
/// that of an imaginary text full of all words. 1 for a question without optional words.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Coverage(f64);

impl Coverage {
    pub const FULL: Self = Self(1.0);

    pub fn of(score: f32, highest: f32) -> Self {
        if highest > 0.0 { Self(f64::from(score / highest)) } else { Self::FULL }
    }

    pub fn value(self) -> f64 {
        self.0
    }

    pub fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    /// Factor of the weight of similarity, 1–40, if the best note has `points` of BM25.
    fn factor(self, points: f64) -> f64 {
        let enough = (self.0 / MIN_COVERAGE).max(points / TELLING_POINTS);
        if enough > 0.0 {
            enough.recip().powi(SHORTFALL_EXPONENT).clamp(1.0, MAX_SIMILARITY_FACTOR)
        } else {
            MAX_SIMILARITY_FACTOR
        }
    }
}

/// Relevance of a note, and its components.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FusedScore {
    /// BM25 score divided by the best one, 0–1.
    pub words: f64,
    /// Similarity divided by the best one, 0–1.
    pub similarity: f64,
    /// BM25 score plus weighted similarity, divided by the sum of the best values of both, 0–1.
    pub relevance: f64,
}

/// Computes the relevance of each note, in the given order. Notes without any cosine are scored by
/// their words alone.
pub fn fuse(evidence: &[NoteScores], weights: &FusionWeights, coverage: Coverage) -> Vec<FusedScore> {
    let best_words = evidence.iter().map(points_of_words).fold(0.0, f64::max);
    let (weight, nearness) = similarities(evidence, weights);
    // The coarse model alone is too often wrong to outweigh words by as much.
    let most =
        if evidence.iter().any(|one| one.fine.is_some()) { MAX_SIMILARITY_FACTOR } else { MAX_COARSE_FACTOR };
    let weight = weight * coverage.factor(best_words).min(most);
    let best_nearness = nearness.iter().copied().fold(0.0, f64::max);
    let most = best_words + weight * best_nearness;
    let fit = |(one, near): (&NoteScores, &f64)| FusedScore {
        words: share(points_of_words(one), best_words),
        similarity: share(*near, best_nearness),
        relevance: share(points_of_words(one) + weight * near, most),
    };
    evidence.iter().zip(&nearness).map(fit).collect()
}

fn points_of_words(evidence: &NoteScores) -> f64 {
    f64::from(evidence.bm25.max(0.0))
}

fn share(value: f64, best: f64) -> f64 {
    if best > 0.0 { (value / best).clamp(0.0, 1.0) } else { 0.0 }
}

/// Cosine above which similarity is hardly accidental, so that differences count more.
const NEAR_COSINE: f64 = 0.45;
/// Additional slope of [`rescaled_cosine`] above [`NEAR_COSINE`].
const NEAR_SLOPE: f64 = 2.0;

/// Rescales a cosine: identity up to [`NEAR_COSINE`], three times as steep above, 0 for negative values.
fn rescaled_cosine(cosine: f64) -> f64 {
    cosine.max(0.0) + NEAR_SLOPE * (cosine - NEAR_COSINE).max(0.0)
}

/// Returns the weight of similarity in BM25 points, and the combined similarity of each note.
fn similarities(evidence: &[NoteScores], weights: &FusionWeights) -> (f64, Vec<f64>) {
    let rescaled = |cosine: Option<f32>| cosine.map(|cosine| rescaled_cosine(f64::from(cosine)));
    let both: Vec<(f64, f64)> =
        evidence.iter().filter_map(|one| Some((f64::from(one.coarse?), f64::from(one.fine?)))).collect();
    let is_missing = evidence.iter().any(|one| one.fine.is_none() && one.coarse.is_some());
    let has_fine = evidence.iter().any(|one| one.fine.is_some());
    let Some(translation) = CosineRegression::fit(&both, is_missing).filter(|_| has_fine) else {
        return (weights.coarse, evidence.iter().map(|one| rescaled(one.coarse).unwrap_or(0.0)).collect());
    };
    let near = |one: &NoteScores| {
        let guessed = || one.coarse.map(|cosine| rescaled_cosine(translation.guess(f64::from(cosine))));
        match (rescaled(one.fine).or_else(guessed), rescaled(one.coarse)) {
            (Some(fine), Some(coarse)) => weights.blend * coarse + (1.0 - weights.blend) * fine,
            (Some(fine), None) => fine,
            (None, _) => 0.0,
        }
    };
    (weights.fine, evidence.iter().map(near).collect())
}

/// Linear regression from coarse to fine cosines. It predicts the fine cosine of notes that only
/// the coarse model has embedded, so that no note gains or loses by its model.
#[derive(Clone, Copy)]
pub(super) struct CosineRegression {
    slope: f64,
    offset: f64,
}

/// Minimum number of notes embedded by both models for a regression.
const MIN_REGRESSION_NOTES: usize = 8;

impl CosineRegression {
    /// Fits the regression to pairs of a coarse and a fine cosine. `is_missing` says whether fine
    /// cosines are to be predicted. Returns `None` if there are too few pairs for that.
    pub(super) fn fit(both: &[(f64, f64)], is_missing: bool) -> Option<Self> {
        if both.len() < MIN_REGRESSION_NOTES {
            // With nothing to guess the line is never asked.
            return (!is_missing).then_some(Self { slope: 1.0, offset: 0.0 });
        }
        let count = both.len() as f64;
        let mean = |part: fn(&(f64, f64)) -> f64| both.iter().map(part).sum::<f64>() / count;
        let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let spread = both.iter().map(|pair| (pair.0 - x).powi(2)).sum::<f64>();
        let together = both.iter().map(|pair| (pair.0 - x) * (pair.1 - y)).sum::<f64>();
        let slope = if spread > 1e-9 { (together / spread).clamp(0.0, 2.0) } else { 0.0 };
        Some(Self { slope, offset: y - slope * x })
    }

    pub(super) fn guess(self, coarse: f64) -> f64 {
        (self.slope * coarse + self.offset).clamp(-1.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scores_of(bm25: f32, coarse: f32, fine: Option<f32>) -> NoteScores {
        NoteScores { bm25, coarse: Some(coarse), fine, task: None }
    }

    fn relevance(evidence: &[NoteScores]) -> Vec<f64> {
        fuse(evidence, &FusionWeights::default(), Coverage::FULL).iter().map(|fit| fit.relevance).collect()
    }

    #[test]
    fn words_alone_count_wholly_where_no_model_knows_anything_and_meaning_where_no_word_fits() {
        let words = [
            NoteScores { bm25: 4.0, ..NoteScores::default() },
            NoteScores { bm25: 1.0, ..NoteScores::default() },
        ];
        assert_eq!(relevance(&words), [1.0, 0.25]);
        assert_eq!(relevance(&[scores_of(0.0, 0.4, None), scores_of(0.0, 0.2, None)]), [1.0, 0.5]);
        assert_eq!(relevance(&[]), Vec::<f64>::new());
    }

    #[test]
    fn what_fits_by_both_is_before_what_fits_by_one() {
        let all =
            relevance(&[scores_of(4.0, 0.8, None), scores_of(4.0, 0.1, None), scores_of(0.5, 0.8, None)]);
        assert!(all[0] > all[1] && all[0] > all[2]);
        assert_eq!(all[0], 1.0);
    }

    #[test]
    fn rare_words_count_more_than_nearness_and_common_ones_less() {
        let nearest = scores_of(2.0, 0.4, Some(0.6));
        let rare = relevance(&[scores_of(20.0, 0.3, Some(0.3)), nearest]);
        assert!(rare[0] > rare[1]);
        let common = relevance(&[scores_of(5.0, 0.3, Some(0.3)), nearest]);
        assert!(common[0] < common[1]);
    }

    #[test]
    fn where_only_an_everyday_word_of_the_question_matches_meaning_decides() {
        let word = scores_of(4.0, 0.1, Some(0.1));
        let meaning = scores_of(0.0, 0.4, Some(0.5));
        let order = |coverage| {
            let fits =
                fuse(&[word, meaning], &FusionWeights { fine: 5.0, ..FusionWeights::default() }, coverage);
            fits[0].relevance > fits[1].relevance
        };
        assert!(order(Coverage::of(4.0, 8.0)) && !order(Coverage::of(4.0, 60.0)));
        assert_eq!(Coverage::of(4.0, 0.0), Coverage::FULL);
    }

    #[test]
    fn a_note_that_the_fine_model_has_not_read_stands_where_the_coarse_one_puts_it() {
        // The fine model gives twice what the coarse one gives, plus a tenth.
        let mut all: Vec<NoteScores> =
            (1..=10).map(|n| scores_of(0.0, n as f32 * 0.04, Some(n as f32 * 0.08 + 0.1))).collect();
        all.push(scores_of(0.0, 0.22, None));
        let fits = relevance(&all);
        assert!(fits[10] > fits[4] && fits[10] < fits[5], "{fits:?}");
    }

    #[test]
    fn a_few_notes_that_the_fine_model_has_read_do_not_pass_all_others() {
        let mut all: Vec<NoteScores> = (1..=20).map(|n| scores_of(0.0, n as f32 * 0.04, None)).collect();
        all[3].fine = Some(0.9);
        let fits = relevance(&all);
        assert_eq!(fits[19], 1.0);
        assert!(fits[3] < 0.3);
    }

    proptest! {
        #[test]
        fn it_is_bounded_and_more_evidence_never_lowers_a_note(
            some in proptest::collection::vec((0.0f32..30.0, -1.0f32..1.0, proptest::option::of(-1.0f32..1.0)), 1..30),
            more in 0.0f32..5.0,
        ) {
            let mut all: Vec<NoteScores> = some.iter().map(|(bm25, coarse, fine)| scores_of(*bm25, *coarse, *fine)).collect();
            let before = fuse(&all, &FusionWeights::default(), Coverage::FULL);
            for fit in &before {
                prop_assert!((0.0..=1.0 + 1e-9).contains(&fit.relevance));
            }
            all[0].bm25 += more;
            let after = fuse(&all, &FusionWeights::default(), Coverage::FULL);
            prop_assert!(after[0].relevance >= before[0].relevance - 1e-9);
        }
    }
}
