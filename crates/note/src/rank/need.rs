//! How much an agent needs a note for a task. Unlike a relevance, it can be compared between tasks and vaults.
//!
//! Its constants are fitted to tasks of invented projects, for which people said which notes are needed.

use super::fusion::NoteScores;

/// Estimated need of an agent for a note, 0–1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Need(f64);

/// Log-odds of a note that is unrelated to the task.
const UNRELATED_LOG_ODDS: f64 = -4.0;
/// Log-odds that a cosine of 1 by the model for tasks adds.
const TASK_LOG_ODDS: f64 = 12.46;
/// Log-odds that a relevance of 1 adds.
const RELEVANCE_LOG_ODDS: f64 = 0.43;
/// Share of the probability that remains of a note with no relevance beside the most relevant one. Where one
/// note has the words of the task, notes without them are needed less often than their cosines tell.
const IRRELEVANT_SHARE: f64 = 0.3;

impl Need {
    /// Minimum need of a note that is worth showing: a third of the notes with at least this need fit the
    /// task, and three in four that a task must have are among them.
    pub const WORTH_SHOWING: Self = Self(0.1);

    /// Computes the need for a note from its cosine with the task and its relevance for the words of
    /// the task and their meaning, 0–1; `None` without such a cosine. `best_relevance` is that of the most
    /// relevant note.
    ///
    /// ```
    /// use cm_note::rank::fusion::NoteScores;
    /// use cm_note::rank::need::Need;
    /// let scores = NoteScores { task: Some(0.3), ..NoteScores::default() };
    /// assert!(Need::of(&scores, 0.8, 0.8) > Need::of(&scores, 0.1, 0.8));
    /// ```
    pub fn of(scores: &NoteScores, relevance: f64, best_relevance: f64) -> Option<Self> {
        let odds =
            UNRELATED_LOG_ODDS + TASK_LOG_ODDS * f64::from(scores.task?) + RELEVANCE_LOG_ODDS * relevance;
        let share = if best_relevance > 0.0 { (relevance / best_relevance).clamp(0.0, 1.0) } else { 0.0 };
        Some(Self((IRRELEVANT_SHARE + (1.0 - IRRELEVANT_SHARE) * share) / (1.0 + (-odds).exp())))
    }

    pub fn value(self) -> f64 {
        self.0
    }

    /// Whether the note is worth showing in a briefing for the task.
    pub fn is_worth_showing(self) -> bool {
        self >= Self::WORTH_SHOWING
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn need(task: f32, relevance: f64, best_relevance: f64) -> Need {
        let scores = NoteScores { task: Some(task), ..NoteScores::default() };
        Need::of(&scores, relevance, best_relevance).unwrap()
    }

    #[test]
    fn nothing_is_known_without_a_cosine_with_the_task() {
        assert_eq!(Need::of(&NoteScores { fine: Some(0.9), ..NoteScores::default() }, 1.0, 1.0), None);
    }

    #[test]
    fn a_note_near_to_the_task_is_worth_showing_without_any_word_of_it() {
        assert!(need(0.3, 0.2, 0.9).is_worth_showing());
        assert!(!need(0.1, 0.2, 0.9).is_worth_showing());
    }

    proptest! {
        #[test]
        fn it_is_a_share_and_more_evidence_never_lowers_it(
            task in -1.0f32..1.0, nearer in 0.0f32..0.5, relevance in 0.0f64..1.0, best_relevance in 0.0f64..1.0,
        ) {
            let before = need(task, relevance, best_relevance);
            prop_assert!((0.0..=1.0).contains(&before.value()));
            prop_assert!(need(task + nearer, relevance, best_relevance) >= before);
            prop_assert!(need(task, 1.0, best_relevance) >= before);
        }
    }
}
