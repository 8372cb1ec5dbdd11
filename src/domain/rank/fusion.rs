//! How well notes fit a question, from how well their words fit and how near their passages are to what it means.
//!
//! The two are put beside the best of their kind and added by weight: adding ranks instead, which forgets by how much one
//! hit is better than the next, measured worse than its better part.

/// What is known of a note beside a question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// BM25 over its words; 0 where it has none of them.
    pub bm25: f32,
    /// The cosine of its nearest passage by the coarse model, which has read everything.
    pub coarse: Option<f32>,
    /// The same by the fine model, which may not have read it yet.
    pub fine: Option<f32>,
}

/// How much each part counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// The share of meaning by the coarse model, where no fine one has read anything; the rest is words.
    pub coarse: f64,
    /// The share of meaning where a fine model has.
    pub fine: f64,
    /// Within that, the part of the coarse model: two models err in different places.
    pub blend: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self { coarse: 0.5, fine: 0.6, blend: 0.0 }
    }
}

/// How well a note fits, and by what.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Fit {
    /// Its words beside the best ones, 0–1.
    pub words: f64,
    /// What it means beside the nearest, 0–1.
    pub meaning: f64,
    /// Both, by weight, 0–1.
    pub relevance: f64,
}

/// How well each note fits; in the order given. Notes of which no model knows anything fit by their words alone, beside
/// notes of which one does.
pub fn fuse(evidence: &[Evidence], weights: &Weights) -> Vec<Fit> {
    let best_words = evidence.iter().fold(0.0f32, |best, one| best.max(one.bm25));
    let meaning = Meanings::of(evidence, weights);
    evidence
        .iter()
        .zip(&meaning.of_each)
        .map(|(one, meaning_of)| {
            let words = share(f64::from(one.bm25), f64::from(best_words));
            let share_of_meaning = match (best_words > 0.0, meaning.known) {
                (true, true) => meaning.weight,
                (false, true) => 1.0,
                (_, false) => 0.0,
            };
            let relevance = share_of_meaning * meaning_of + (1.0 - share_of_meaning) * words;
            Fit { words, meaning: *meaning_of, relevance }
        })
        .collect()
}

fn share(value: f64, best: f64) -> f64 {
    if best > 0.0 { (value / best).clamp(0.0, 1.0) } else { 0.0 }
}

/// What the models say of all notes, on one scale.
struct Meanings {
    of_each: Vec<f64>,
    known: bool,
    weight: f64,
}

impl Meanings {
    fn of(evidence: &[Evidence], weights: &Weights) -> Self {
        let coarse: Vec<Option<f64>> = evidence.iter().map(|one| one.coarse.map(f64::from)).collect();
        let coarse = beside_best(&coarse);
        let translation = Translation::of(evidence);
        let fine = translation.map(|translation| {
            let fine = evidence.iter().map(|one| {
                let guessed = || one.coarse.map(|cosine| translation.guess(f64::from(cosine)));
                one.fine.map(f64::from).or_else(guessed)
            });
            beside_best(&fine.collect::<Vec<_>>())
        });
        let known = evidence.iter().any(|one| one.coarse.is_some() || one.fine.is_some());
        match fine {
            Some(fine) => {
                let blend = if evidence.iter().any(|one| one.coarse.is_some()) { weights.blend } else { 0.0 };
                let of_each =
                    fine.iter().zip(&coarse).map(|(fine, coarse)| blend * coarse + (1.0 - blend) * fine);
                Self { of_each: of_each.collect(), known, weight: weights.fine }
            }
            None => Self { of_each: coarse, known, weight: weights.coarse },
        }
    }
}

fn beside_best(cosines: &[Option<f64>]) -> Vec<f64> {
    let best = cosines.iter().flatten().fold(0.0f64, |best, cosine| best.max(*cosine));
    cosines.iter().map(|cosine| cosine.map_or(0.0, |cosine| share(cosine, best))).collect()
}

/// The cosine that the fine model would probably give to what only the coarse one has read: the line through what both
/// have read, so that neither kind of note is put ahead of the other for its model's sake.
#[derive(Clone, Copy)]
struct Translation {
    slope: f64,
    offset: f64,
}

/// So many notes that both models have read tell how the one's numbers compare with the other's.
const ENOUGH: usize = 8;

impl Translation {
    /// None where the fine model has read nothing, or too little beside what it has not read.
    fn of(evidence: &[Evidence]) -> Option<Self> {
        let read = evidence.iter().filter(|one| one.fine.is_some()).count();
        if read == 0 {
            return None;
        }
        let both: Vec<(f64, f64)> =
            evidence.iter().filter_map(|one| Some((f64::from(one.coarse?), f64::from(one.fine?)))).collect();
        let unread = evidence.iter().any(|one| one.fine.is_none() && one.coarse.is_some());
        if both.len() < ENOUGH {
            // With nothing to guess the line is never asked.
            return (!unread).then_some(Self { slope: 1.0, offset: 0.0 });
        }
        let count = both.len() as f64;
        let mean = |part: fn(&(f64, f64)) -> f64| both.iter().map(part).sum::<f64>() / count;
        let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let spread = both.iter().map(|pair| (pair.0 - x).powi(2)).sum::<f64>();
        let together = both.iter().map(|pair| (pair.0 - x) * (pair.1 - y)).sum::<f64>();
        let slope = if spread > 1e-9 { (together / spread).clamp(0.0, 2.0) } else { 0.0 };
        Some(Self { slope, offset: y - slope * x })
    }

    fn guess(self, coarse: f64) -> f64 {
        (self.slope * coarse + self.offset).clamp(-1.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known(bm25: f32, coarse: f32, fine: Option<f32>) -> Evidence {
        Evidence { bm25, coarse: Some(coarse), fine }
    }

    fn relevance(evidence: &[Evidence]) -> Vec<f64> {
        fuse(evidence, &Weights::default()).iter().map(|fit| fit.relevance).collect()
    }

    #[test]
    fn words_alone_count_wholly_where_no_model_knows_anything_and_meaning_where_no_word_fits() {
        let words =
            [Evidence { bm25: 4.0, ..Evidence::default() }, Evidence { bm25: 1.0, ..Evidence::default() }];
        assert_eq!(relevance(&words), [1.0, 0.25]);
        assert_eq!(relevance(&[known(0.0, 0.8, None), known(0.0, 0.4, None)]), [1.0, 0.5]);
        assert_eq!(relevance(&[]), Vec::<f64>::new());
    }

    #[test]
    fn what_fits_by_both_is_before_what_fits_by_one() {
        let all = relevance(&[known(4.0, 0.8, None), known(4.0, 0.1, None), known(0.5, 0.8, None)]);
        assert!(all[0] > all[1] && all[0] > all[2]);
        assert_eq!(all[0], 1.0);
    }

    #[test]
    fn a_note_that_the_fine_model_has_not_read_stands_where_the_coarse_one_puts_it() {
        // The fine model gives twice what the coarse one gives, plus a tenth.
        let mut all: Vec<Evidence> =
            (1..=10).map(|n| known(0.0, n as f32 * 0.04, Some(n as f32 * 0.08 + 0.1))).collect();
        all.push(known(0.0, 0.22, None));
        let fits = relevance(&all);
        assert!(fits[10] > fits[4] && fits[10] < fits[5], "{fits:?}");
    }

    #[test]
    fn a_few_notes_that_the_fine_model_has_read_do_not_pass_all_others() {
        let mut all: Vec<Evidence> = (1..=20).map(|n| known(0.0, n as f32 * 0.04, None)).collect();
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
            let mut all: Vec<Evidence> = some.iter().map(|(bm25, coarse, fine)| known(*bm25, *coarse, *fine)).collect();
            let before = fuse(&all, &Weights::default());
            for fit in &before {
                prop_assert!((0.0..=1.0 + 1e-9).contains(&fit.relevance));
            }
            all[0].bm25 += more;
            let after = fuse(&all, &Weights::default());
            // Where nothing had words before, words begin to count at all.
            if some.iter().any(|(bm25, _, _)| *bm25 > 0.0) {
                prop_assert!(after[0].relevance >= before[0].relevance - 1e-9);
            }
        }
    }
}
