//! Ranks past sessions for a question by how far each stands out from the others.
//!
//! Sessions of one project resemble each other, so that neither a BM25 score nor a cosine says by
//! itself that a session is about the question. Each kind of evidence is therefore measured in
//! standard deviations from the mean of all sessions, and these are added with fixed weights.

use super::fusion::CosineRegression;
use super::similarity_threshold::CosineBaseline;

/// Cosines of a question with the passages of a session, by one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassageCosines {
    /// Cosine of the nearest passage; an agent's passages count less than the person's.
    pub nearest: f32,
    /// Mean cosine of the person's passages; `None` if the person has none.
    pub mean: Option<f32>,
}

/// Evidence that a session is about a question.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SessionScores {
    /// BM25 score of the best matching stretch; 0 if none matches.
    pub bm25: f32,
    /// Cosines by the coarse model; `None` for a session without text to embed.
    pub coarse: Option<PassageCosines>,
    /// Cosines by the fine model; `None` if that has embedded nothing of the session yet.
    pub fine: Option<PassageCosines>,
}

/// How far a session stands out.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Standing {
    /// Weighted sum of the standard deviations above the mean of all sessions.
    pub score: f64,
    /// Whether the score is high enough, or nearly the best one.
    pub stands_out: bool,
    /// Whether the cosines are clearly above those of unrelated texts.
    pub is_near: bool,
}

/// Score of a session that stands out.
const STANDOUT_SCORE: f64 = 1.1;
/// A session with this share of the best score stands out too, so that of many equal sessions about
/// the question not all are left out.
const OF_BEST: f64 = 0.9;
/// Standard deviations above unrelated texts: mean over both models, and for the coarse model alone.
const NEAR_DEVIATIONS: f32 = 3.5;
const NEAR_COARSE_DEVIATIONS: f32 = 3.0;
/// Standard deviations above unrelated texts at which a session stands out in any company, with
/// this share of the best score. Otherwise it would be left out where many are about the question.
const VERY_NEAR_DEVIATIONS: f32 = 8.0;
const OF_BEST_IF_VERY_NEAR: f64 = 0.3;
/// Number of imaginary unrelated sessions that are added to the real ones, so that one or two
/// sessions can stand out as well.
const UNRELATED_SESSIONS: f64 = 3.0;

/// Weights of the kinds of evidence; they add up to 1.
struct EvidenceWeights {
    words: f64,
    coarse: f64,
    fine: f64,
    mean: f64,
}

const BOTH: EvidenceWeights = EvidenceWeights { words: 0.2, coarse: 0.2, fine: 0.3, mean: 0.3 };
const COARSE: EvidenceWeights = EvidenceWeights { words: 0.2, coarse: 0.5, fine: 0.0, mean: 0.3 };

/// Computes the standing of each session, in the given order. `coarse` and `fine` are the
/// distributions of the two models for this question.
pub fn standings(sessions: &[SessionScores], coarse: CosineBaseline, fine: CosineBaseline) -> Vec<Standing> {
    let words: Vec<f64> = sessions.iter().map(|one| f64::from(one.bm25.max(0.0))).collect();
    let by_words = deviations(&words, 0.0, 0.0);
    let by_coarse = |part: fn(PassageCosines) -> Option<f32>| -> Vec<f64> {
        let cosine = |one: &SessionScores| one.coarse.and_then(part).unwrap_or(coarse.mean);
        sessions.iter().map(|one| f64::from(cosine(one))).collect()
    };
    let nearest: fn(PassageCosines) -> Option<f32> = |cosines| Some(cosines.nearest);
    let mean: fn(PassageCosines) -> Option<f32> = |cosines| cosines.mean;
    let (coarse_nearest, coarse_mean) = (by_coarse(nearest), by_coarse(mean));
    let by_nearest = standardized(&coarse_nearest, coarse);
    let by_fine = filled(sessions, nearest, fine).zip(filled(sessions, mean, fine));
    let (weights, fine_nearest, by_mean) = match by_fine {
        Some((nearest, mean)) => (BOTH, standardized(&nearest, fine), standardized(&mean, fine)),
        None => (COARSE, vec![0.0; sessions.len()], standardized(&coarse_mean, coarse)),
    };
    let score = |at: usize| {
        weights.words * by_words[at]
            + weights.coarse * by_nearest[at]
            + weights.fine * fine_nearest[at]
            + weights.mean * by_mean[at]
    };
    let scores: Vec<f64> = (0..sessions.len()).map(score).collect();
    let best = scores.iter().copied().fold(0.0, f64::max);
    let least = STANDOUT_SCORE.min(OF_BEST * best);
    let standing = |(one, score): (&SessionScores, f64)| {
        let (nearness, near) = nearness(one, coarse, fine);
        let enough =
            if nearness >= VERY_NEAR_DEVIATIONS { least.min(OF_BEST_IF_VERY_NEAR * best) } else { least };
        Standing { score, stands_out: best > 0.0 && score >= enough, is_near: nearness >= near }
    };
    sessions.iter().zip(scores).map(standing).collect()
}

/// Returns how many standard deviations a session is above unrelated texts, and how many make it
/// near.
fn nearness(one: &SessionScores, coarse: CosineBaseline, fine: CosineBaseline) -> (f32, f32) {
    let above = |cosines: PassageCosines, chance: CosineBaseline| {
        (cosines.nearest - chance.mean) / chance.deviation.max(f32::EPSILON)
    };
    match (one.coarse.map(|it| above(it, coarse)), one.fine.map(|it| above(it, fine))) {
        (Some(coarse), Some(fine)) => ((coarse + fine) / 2.0, NEAR_DEVIATIONS),
        (Some(coarse), None) => (coarse, NEAR_COARSE_DEVIATIONS),
        (None, fine) => (fine.unwrap_or_default(), NEAR_DEVIATIONS),
    }
}

/// Returns the fine cosine of each session, predicted from the coarse one where it is missing;
/// `None` if too few are there for that.
fn filled(
    sessions: &[SessionScores],
    part: fn(PassageCosines) -> Option<f32>,
    unrelated: CosineBaseline,
) -> Option<Vec<f64>> {
    let cosines: Vec<(Option<f64>, Option<f64>)> = sessions
        .iter()
        .map(|one| [one.coarse, one.fine].map(|cosines| cosines.and_then(part).map(f64::from)))
        .map(|[coarse, fine]| (coarse, fine))
        .collect();
    let both: Vec<(f64, f64)> = cosines.iter().filter_map(|(coarse, fine)| (*coarse).zip(*fine)).collect();
    let is_missing = cosines.iter().any(|(coarse, fine)| coarse.is_some() && fine.is_none());
    let translation = CosineRegression::fit(&both, is_missing)?;
    let value = |(coarse, fine): &(Option<f64>, Option<f64>)| {
        fine.or_else(|| coarse.map(|coarse| translation.guess(coarse))).unwrap_or(f64::from(unrelated.mean))
    };
    Some(cosines.iter().map(value).collect())
}

fn standardized(values: &[f64], chance: CosineBaseline) -> Vec<f64> {
    deviations(values, f64::from(chance.mean), f64::from(chance.deviation))
}

/// Returns how many standard deviations each value is above the mean of all values and of
/// [`UNRELATED_SESSIONS`] others, which have the mean `mean` and the deviation `deviation`.
fn deviations(values: &[f64], mean: f64, deviation: f64) -> Vec<f64> {
    let count = values.len() as f64 + UNRELATED_SESSIONS;
    let center = (values.iter().sum::<f64>() + UNRELATED_SESSIONS * mean) / count;
    let unrelated = UNRELATED_SESSIONS * (deviation.powi(2) + (mean - center).powi(2));
    let spread = values.iter().map(|value| (value - center).powi(2)).sum::<f64>() + unrelated;
    let deviation = (spread / count).sqrt();
    let from = |value: &f64| if deviation > 1e-9 { (value - center) / deviation } else { 0.0 };
    values.iter().map(from).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHANCE: CosineBaseline = CosineBaseline { mean: 0.04, deviation: 0.06 };

    fn session(bm25: f32, coarse: f32, fine: Option<f32>) -> SessionScores {
        let cosines = |cosine: f32| PassageCosines { nearest: cosine, mean: Some(cosine / 2.0) };
        SessionScores { bm25, coarse: Some(cosines(coarse)), fine: fine.map(cosines) }
    }

    fn shown(sessions: &[SessionScores]) -> Vec<bool> {
        let all = standings(sessions, CHANCE, CHANCE);
        all.iter().map(|one| one.stands_out && one.is_near).collect()
    }

    #[test]
    fn a_session_stands_out_from_others_of_its_project() {
        let mut all = vec![session(1.0, 0.2, Some(0.2)); 9];
        all.push(session(4.0, 0.5, Some(0.6)));
        let shown = shown(&all);
        assert!(shown[9] && shown[..9].iter().all(|other| !other), "{shown:?}");
    }

    #[test]
    fn the_only_session_is_shown_where_it_is_near_and_not_where_it_is_not() {
        assert_eq!(shown(&[session(2.0, 0.5, Some(0.5))]), [true]);
        assert_eq!(shown(&[session(0.0, 0.5, None)]), [true]);
        assert_eq!(shown(&[session(2.0, 0.1, Some(0.1))]), [false]);
        assert_eq!(shown(&[session(0.0, 0.1, None)]), [false]);
        assert_eq!(shown(&[]), [] as [bool; 0]);
    }

    #[test]
    fn sessions_that_are_equally_near_are_all_shown() {
        assert_eq!(shown(&[session(3.0, 0.5, Some(0.6)); 6]), [true; 6]);
    }

    #[test]
    fn a_session_that_the_fine_model_has_not_read_stands_where_the_coarse_one_puts_it() {
        let mut all: Vec<SessionScores> =
            (1..=10).map(|n| session(0.0, n as f32 * 0.04, Some(n as f32 * 0.08))).collect();
        all.push(session(0.0, 0.22, None));
        let score: Vec<f64> = standings(&all, CHANCE, CHANCE).iter().map(|one| one.score).collect();
        assert!(score[10] > score[4] && score[10] < score[5], "{score:?}");
        // One session that it has read gains nothing from that.
        let mut few = vec![session(0.0, 0.2, None); 5];
        few[2] = session(0.0, 0.2, Some(0.9));
        let score: Vec<f64> = standings(&few, CHANCE, CHANCE).iter().map(|one| one.score).collect();
        assert!(score.iter().all(|one| (one - score[0]).abs() < 1e-9));
    }

    proptest! {
        #[test]
        fn more_evidence_never_lowers_a_session(
            some in proptest::collection::vec((0.0f32..20.0, -1.0f32..1.0), 1..20),
            more in 0.0f32..0.5,
        ) {
            let mut all: Vec<SessionScores> = some.iter().map(|(bm25, near)| session(*bm25, *near, None)).collect();
            let before = standings(&all, CHANCE, CHANCE)[0].score;
            all[0].bm25 += more;
            let after = standings(&all, CHANCE, CHANCE)[0].score;
            prop_assert!(after >= before - 1e-9 && after.is_finite());
        }
    }
}
