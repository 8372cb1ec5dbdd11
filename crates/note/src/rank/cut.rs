//! Which notes answer a question by meaning alone, without any of its words.
//!
//! No cosine is near in itself: each model has its own scale, and each question its own. A note is compared with the
//! nearest one, with all that were looked at, and with what unrelated texts have by chance.

use super::fusion::Evidence;

/// The cosines of unrelated texts by a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chance {
    /// Their mean.
    pub mean: f32,
    /// Their standard deviation.
    pub deviation: f32,
}

/// The share of the nearest note's nearness that a note needs.
const SHARE: f32 = 0.55;
/// The deviations above the mean of unrelated texts that it needs.
const ABOVE_CHANCE: f32 = 2.5;
/// The deviations above the mean of all notes that were looked at that it needs.
const ABOVE_MEAN: f32 = 0.5;
/// The number of notes from which a mean and a deviation say something.
const ENOUGH: usize = 8;

/// The cosines from which a note answers by meaning alone, by each model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    coarse: f32,
    fine: f32,
}

impl Cut {
    /// The cut among these notes, with the chance of the coarse and of the fine model where it is known.
    pub fn of(notes: &[Evidence], coarse: Option<Chance>, fine: Option<Chance>) -> Self {
        let by = |cosine: fn(&Evidence) -> Option<f32>| notes.iter().filter_map(cosine).collect::<Vec<f32>>();
        Self { coarse: least(&by(|note| note.coarse), coarse), fine: least(&by(|note| note.fine), fine) }
    }

    /// Whether a note answers by meaning alone: by the fine model, where that has read it.
    ///
    /// ```
    /// use cm_note::rank::{cut::Cut, fusion::Evidence};
    /// let notes = [0.3, 0.28, 0.05].map(|cosine| Evidence { bm25: 0.0, coarse: None, fine: Some(cosine) });
    /// let cut = Cut::of(&notes, None, None);
    /// assert_eq!(notes.each_ref().map(|note| cut.passes(note)), [true, true, false]);
    /// ```
    pub fn passes(&self, note: &Evidence) -> bool {
        match (note.fine, note.coarse) {
            (Some(fine), _) => fine >= self.fine,
            (None, Some(coarse)) => coarse >= self.coarse,
            (None, None) => false,
        }
    }
}

/// The least cosine that counts among these.
fn least(cosines: &[f32], chance: Option<Chance>) -> f32 {
    let best = cosines.iter().copied().fold(0.0, f32::max);
    if best <= 0.0 {
        return f32::INFINITY;
    }
    let count = cosines.len() as f32;
    let mean = cosines.iter().sum::<f32>() / count;
    let deviation = (cosines.iter().map(|cosine| (cosine - mean).powi(2)).sum::<f32>() / count).sqrt();
    let is_spread = cosines.len() >= ENOUGH;
    let floor = match chance {
        Some(chance) => chance.mean,
        None if is_spread => mean,
        None => 0.0,
    };
    let mut least = floor + SHARE * (best - floor);
    if is_spread {
        least = least.max(mean + ABOVE_MEAN * deviation);
    }
    // The nearest note is never left out for being one of many that are as near.
    let least = least.min(best);
    chance.map_or(least, |chance| least.max(chance.mean + ABOVE_CHANCE * chance.deviation))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHANCE: Chance = Chance { mean: 0.02, deviation: 0.055 };

    fn fine(cosines: &[f32]) -> Vec<Evidence> {
        cosines.iter().map(|cosine| Evidence { fine: Some(*cosine), ..Evidence::default() }).collect()
    }

    fn passing(cosines: &[f32], chance: Option<Chance>) -> usize {
        let notes = fine(cosines);
        let cut = Cut::of(&notes, None, chance);
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
        notes.extend([0.3, 0.05].map(|cosine| Evidence { coarse: Some(cosine), ..Evidence::default() }));
        let cut = Cut::of(&notes, None, None);
        let passes: Vec<bool> = notes.iter().map(|note| cut.passes(note)).collect();
        assert_eq!(passes, [true, true, false, true, false]);
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
