//! Scores how likely a session fills the gaps of a playbook, by the subjects and corrections in the
//! user's prompts.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::category::Category;
use super::coverage::CategoryCoverage;
use crate::content_words::words;
use crate::diary::utterances;
use crate::outcome::reaction::{Reaction, reaction};

/// Age of a session, in days, at which the recency part of its score has halved.
const HALF_LIFE_DAYS: f64 = 60.0;
/// Number of prompts about a category that give half of the category's maximum score.
const HALF_SCORE_PROMPTS: f64 = 2.0;

/// A session that may contain new rules, with the data for scoring it.
#[derive(Debug, Clone, Copy, Default)]
pub struct SessionCandidate<'a> {
    /// Texts of the user's prompts.
    pub prompts: &'a [String],
    /// Total number of prompts; `prompts` may contain fewer.
    pub count: usize,
    /// Number of times the user interrupted the agent or rejected a tool call.
    pub stops: usize,
    /// Age of the session's last record in days; `None` if unknown.
    pub age_days: Option<f64>,
}

/// How likely a session contains new rules, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionFit {
    /// Score, 0–1; higher if the session is more likely to contain new rules.
    pub score: f64,
    /// Categories with too few rules that occur in the prompts, most frequent first.
    pub fills: Vec<Category>,
    /// Number of interruptions, corrections and standing instructions.
    pub corrections: usize,
}

/// Estimates how likely a session contains rules that the playbook lacks.
pub fn fit(candidate: &SessionCandidate<'_>, covered: &[CategoryCoverage]) -> SessionFit {
    let talk: Vec<BTreeSet<String>> =
        candidate.prompts.iter().map(|prompt| words(prompt).into_iter().collect()).collect();
    let mut fills: Vec<(Category, usize)> = Vec::new();
    let mut missed = 1.0;
    for covered in covered {
        let about = |words: &&BTreeSet<String>| words.iter().any(|word| covered.category.matches_word(word));
        let prompts = talk.iter().filter(about).count();
        missed *= 1.0 - covered.coverage.need() * share(prompts, HALF_SCORE_PROMPTS);
        if prompts > 0 && covered.coverage.lacks() {
            fills.push((covered.category, prompts));
        }
    }
    fills.sort_by(|(a, n), (b, m)| m.cmp(n).then(a.cmp(b)));
    let corrections = candidate.stops + candidate.prompts.iter().filter(|prompt| corrects(prompt)).count();
    let recent = candidate.age_days.map_or(0.25, |days| 0.5_f64.powf(days.max(0.0) / HALF_LIFE_DAYS));
    let parts = [
        (0.6, 1.0 - missed),
        (0.2, share(corrections, 2.0)),
        (0.1, share(candidate.count, 5.0)),
        (0.1, recent),
    ];
    let score =
        if candidate.count == 0 { 0.0 } else { parts.iter().map(|(weight, part)| weight * part).sum() };
    SessionFit { score, fills: fills.into_iter().map(|(category, _)| category).collect(), corrections }
}

/// Saturating share `n / (n + half)`: 0 for `n` = 0, 0.5 for `n` = `half`, toward 1 for large `n`.
fn share(n: usize, half: f64) -> f64 {
    n as f64 / (n as f64 + half)
}

fn corrects(prompt: &str) -> bool {
    reaction(prompt) == Some(Reaction::Dissatisfied)
        || utterances(prompt, false).iter().any(|utterance| utterance.standing)
}

/// Compares two sessions given as score, end time and name: higher score first, then later end,
/// then name.
pub fn order<T: Ord, N: Ord>(a: (f64, &T, &N), b: (f64, &T, &N)) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| b.1.cmp(a.1)).then_with(|| a.2.cmp(b.2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::coverage::coverage;
    use super::super::test_bullets::bullet;
    use super::*;

    fn judged(prompts: &[&str], rules: &[(&str, usize)], age_days: f64) -> SessionFit {
        let bullets: Vec<_> =
            rules.iter().flat_map(|(name, n)| (0..*n).map(|_| bullet(name, "Say nothing."))).collect();
        let prompts: Vec<String> = prompts.iter().map(|prompt| (*prompt).to_owned()).collect();
        let candidate =
            SessionCandidate { prompts: &prompts, count: prompts.len(), stops: 0, age_days: Some(age_days) };
        fit(&candidate, &coverage(&bullets).0)
    }

    #[test]
    fn a_session_about_what_is_missing_comes_before_one_about_what_is_there() {
        let rules = [("git", 11)];
        let missing = judged(&["the login leaks the password"], &rules, 1.0);
        let there = judged(&["rebase the branch"], &rules, 1.0);
        assert!(missing.score > there.score, "{missing:?} {there:?}");
        assert_eq!(missing.fills, [Category::Security]);
        assert_eq!(there.fills, []);
    }

    #[test]
    fn corrections_and_youth_raise_a_session_and_one_without_a_prompt_is_worth_nothing() {
        let calm = judged(&["add a test"], &[], 1.0);
        assert!(
            judged(&["add a test", "no, that's wrong. Never mock the clock."], &[], 1.0).score > calm.score
        );
        assert!(judged(&["add a test"], &[], 300.0).score < calm.score);
        assert_eq!(judged(&[], &[], 0.0).score, 0.0);
    }

    #[test]
    fn ties_are_decided_by_the_end_and_then_by_the_name() {
        let mut all = [(0.5, 1, "b"), (0.5, 2, "c"), (0.7, 0, "d"), (0.5, 1, "a")];
        all.sort_by(|a, b| order((a.0, &a.1, &a.2), (b.0, &b.1, &b.2)));
        assert_eq!(all.map(|one| one.2), ["d", "c", "a", "b"]);
    }

    proptest! {
        #[test]
        fn a_score_is_between_0_and_1_and_never_rises_with_what_is_covered(
            prompts in prop::collection::vec("(fix the |slow |test |git |[a-zé \n]){0,12}", 0..6),
            rules in 0_usize..14, age in -5.0_f64..1e6
        ) {
            let prompts: Vec<&str> = prompts.iter().map(String::as_str).collect();
            let less = judged(&prompts, &[("testing", rules)], age);
            let more = judged(&prompts, &[("testing", rules + 1)], age);
            prop_assert!((0.0..=1.0).contains(&less.score) && less.score.is_finite());
            prop_assert!(more.score <= less.score + 1e-12);
        }
    }
}
