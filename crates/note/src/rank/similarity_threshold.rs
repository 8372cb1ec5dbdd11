//! Decides which notes answer a question by semantic similarity alone, without sharing any of its
//! words.
//!
//! A cosine has no absolute meaning: each model and each question has its own scale. A note is
//! therefore compared with the nearest note, with all examined notes, and with the similarity of
//! unrelated texts.

use super::fusion::NoteScores;

/// Mean and deviation of the cosines between unrelated texts, for one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CosineBaseline {
    pub mean: f32,
    /// Standard deviation.
    pub deviation: f32,
}

/// Mean of unrelated texts above which cosines are stretched.
const HIGH_MEAN_COSINE: f32 = 0.5;

impl CosineBaseline {
    /// Stretches cosines of a model for which even unrelated texts are very similar, so that the
    /// thresholds of other models fit: the mean becomes 0, and 1 stays. Returns the baseline of the
    /// result.
    ///
    /// ```
    /// use cm_note::rank::similarity_threshold::CosineBaseline;
    /// let mut cosines = [0.75, 0.9, 1.0];
    /// let stretched = CosineBaseline { mean: 0.75, deviation: 0.02 }.stretch(&mut cosines);
    /// assert!(cosines.iter().zip([0.0, 0.6, 1.0]).all(|(found, expected)| (found - expected).abs() < 1e-6));
    /// assert!((stretched.deviation - 0.08).abs() < 1e-6);
    /// ```
    #[must_use]
    pub fn stretch(self, cosines: &mut [f32]) -> Self {
        if self.mean < HIGH_MEAN_COSINE {
            return self;
        }
        let factor = 1.0 / (1.0 - self.mean);
        cosines.iter_mut().for_each(|cosine| *cosine = (*cosine - self.mean) * factor);
        Self { mean: 0.0, deviation: self.deviation * factor }
    }
}

/// Required share of the way from the cosine of unrelated texts to the best note's cosine.
const BEST_COSINE_SHARE: f32 = 0.55;
/// Required number of standard deviations above the mean of unrelated texts.
const MIN_DEVIATIONS_ABOVE_CHANCE: f32 = 2.5;
/// Required number of standard deviations above the mean of the examined notes.
const MIN_DEVIATIONS_ABOVE_MEAN: f32 = 0.5;
/// Minimum number of notes for a meaningful mean and deviation.
const MIN_SAMPLE_NOTES: usize = 8;

/// Minimum cosine by model for a note to match by similarity alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarityThreshold {
    coarse: f32,
    fine: f32,
}

impl SimilarityThreshold {
    /// Computes the thresholds for these notes. `coarse` and `fine` are the distributions of the
    /// two models, where known.
    pub fn of(notes: &[NoteScores], coarse: Option<CosineBaseline>, fine: Option<CosineBaseline>) -> Self {
        let by =
            |cosine: fn(&NoteScores) -> Option<f32>| notes.iter().filter_map(cosine).collect::<Vec<f32>>();
        Self { coarse: least(&by(|note| note.coarse), coarse), fine: least(&by(|note| note.fine), fine) }
    }

    /// Whether a note matches by similarity alone; uses the fine model's cosine if there is one.
    ///
    /// ```
    /// use cm_note::rank::{fusion::NoteScores, similarity_threshold::SimilarityThreshold};
    /// let notes = [0.3, 0.28, 0.05].map(|cosine| NoteScores { fine: Some(cosine), ..NoteScores::default() });
    /// let cut = SimilarityThreshold::of(&notes, None, None);
    /// assert_eq!(notes.each_ref().map(|note| cut.passes(note)), [true, true, false]);
    /// ```
    pub fn passes(&self, note: &NoteScores) -> bool {
        match (note.fine, note.coarse) {
            (Some(fine), _) => fine >= self.fine,
            (None, Some(coarse)) => coarse >= self.coarse,
            (None, None) => false,
        }
    }
}

/// Minimum cosine for one of these notes to match by similarity alone; infinite if no cosine is
/// positive.
fn least(cosines: &[f32], chance: Option<CosineBaseline>) -> f32 {
    let best = cosines.iter().copied().fold(0.0, f32::max);
    if best <= 0.0 {
        return f32::INFINITY;
    }
    let count = cosines.len() as f32;
    let mean = cosines.iter().sum::<f32>() / count;
    let deviation = (cosines.iter().map(|cosine| (cosine - mean).powi(2)).sum::<f32>() / count).sqrt();
    let is_spread = cosines.len() >= MIN_SAMPLE_NOTES;
    let floor = match chance {
        Some(chance) => chance.mean,
        None if is_spread => mean,
        None => 0.0,
    };
    let mut least = floor + BEST_COSINE_SHARE * (best - floor);
    if is_spread {
        least = least.max(mean + MIN_DEVIATIONS_ABOVE_MEAN * deviation);
    }
    // The nearest note is never left out for being one of many that are as near.
    let least = least.min(best);
    chance.map_or(least, |chance| least.max(chance.mean + MIN_DEVIATIONS_ABOVE_CHANCE * chance.deviation))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHANCE: CosineBaseline = CosineBaseline { mean: 0.02, deviation: 0.055 };

    fn fine(cosines: &[f32]) -> Vec<NoteScores> {
        cosines.iter().map(|cosine| NoteScores { fine: Some(*cosine), ..NoteScores::default() }).collect()
    }

    fn passing(cosines: &[f32], chance: Option<CosineBaseline>) -> usize {
        let notes = fine(cosines);
        let cut = SimilarityThreshold::of(&notes, None, chance);
        notes.iter().filter(|note| cut.passes(note)).count()
    }

    #[test]
    fn a_distant_note_answers_where_all_others_are_more_distant() {
        assert_eq!(passing(&[0.24, 0.05, 0.01], Some(CHANCE)), 1);
        assert_eq!(passing(&[0.24, 0.22, 0.01], Some(CHANCE)), 2);
    }

    #[test]
    fn nothing_answers_where_all_is_as_near_as_by_chance() {
        assert_eq!(passing(&[0.12, 0.1, 0.05, -0.02], Some(CHANCE)), 0);
        assert_eq!(passing(&[-0.1, -0.2], None), 0);
        assert_eq!(passing(&[], None), 0);
    }

    #[test]
    fn on_a_scale_where_everything_is_near_only_what_stands_out_answers() {
        let mut all = vec![0.62; 30];
        all.extend([0.81, 0.8]);
        assert_eq!(passing(&all, None), 2);
    }

    #[test]
    fn a_note_that_only_the_coarse_model_has_read_is_held_against_its_own_scale() {
        let mut notes = fine(&[0.6, 0.5, 0.1]);
        notes.extend([0.3, 0.05].map(|cosine| NoteScores { coarse: Some(cosine), ..NoteScores::default() }));
        let cut = SimilarityThreshold::of(&notes, None, None);
        let passes: Vec<bool> = notes.iter().map(|note| cut.passes(note)).collect();
        assert_eq!(passes, [true, true, false, true, false]);
    }

    #[test]
    fn cosines_of_a_model_with_a_low_mean_stay() {
        let mut cosines = [-0.1, 0.3];
        assert_eq!(CHANCE.stretch(&mut cosines), CHANCE);
        assert_eq!(cosines, [-0.1, 0.3]);
    }

    proptest! {
        #[test]
        fn the_nearest_note_answers_unless_it_is_near_by_chance(
            cosines in proptest::collection::vec(-1.0f32..1.0, 1..60),
        ) {
            let best = cosines.iter().copied().fold(f32::MIN, f32::max);
            prop_assert_eq!(passing(&cosines, None) > 0, best > 0.0);
        }
    }
}
