//! Selects the sentences that may be wishes for every session, so that repeating them counts.

use super::taken_back::are_taken_back;
use super::wording;
use super::{KindProbabilities, Statement};
use crate::content_words::content_word_count;

/// Minimum probability of a sentence; below it, it is a task that may well be given twice.
const MIN_CANDIDATE_PROBABILITY: f32 = 0.3;
/// Minimum number of content words.
const MIN_CANDIDATE_WORDS: usize = 3;
/// Maximum length, in characters.
const MAX_CANDIDATE_CHARS: usize = 200;

/// A sentence of a person that may be a wish for every session.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestCandidate {
    /// The sentence so that it can be understood alone.
    pub text: String,
    /// The sentence as typed.
    pub quote: String,
    /// Line of the prompt in the log, from 1.
    pub line: u64,
    /// Probability that it is meant to last, 0–1.
    pub lasting: f32,
}

/// Returns the candidates of a session's statements. `judged` has their probabilities, in the same
/// order.
pub fn candidates(statements: &[Statement], judged: &[KindProbabilities]) -> Vec<RequestCandidate> {
    let taken = are_taken_back(statements, judged);
    let all = statements.iter().zip(judged).zip(taken).filter(|(_, taken)| !taken);
    all.filter_map(|((statement, judged), _)| candidate(statement, judged.lasting())).collect()
}

fn candidate(statement: &Statement, lasting: f32) -> Option<RequestCandidate> {
    let quote = statement.text.as_str();
    let is_one = lasting >= MIN_CANDIDATE_PROBABILITY
        && !statement.is_pasted
        && !quote.ends_with(['?', '？'])
        && quote.chars().count() <= MAX_CANDIDATE_CHARS
        && content_word_count(quote) >= MIN_CANDIDATE_WORDS;
    let wording = wording::standing_alone(quote, statement.context, statement.answers.as_ref(), None);
    let text = wording.filter(|wording| is_one && wording.is_complete)?.text;
    Some(RequestCandidate { text, quote: quote.to_owned(), line: statement.line, lasting })
}

#[cfg(test)]
mod tests {
    use super::super::{StatementContext, of_prompt};
    use super::*;

    #[test]
    fn tasks_questions_and_vague_sentences_are_no_candidates() {
        let prompt = "Run the tests. Put a blank line between the sections of the changelog. Is the cache of the worker slow? Do it.";
        let statements = of_prompt(prompt, 4, StatementContext::After, None);
        let judged: Vec<KindProbabilities> = [0.05, 0.4, 0.4, 0.4]
            .iter()
            .map(|lasting| KindProbabilities([1.0 - lasting, *lasting, 0.0, 0.0, 0.0]))
            .collect();
        let found = candidates(&statements, &judged);
        let texts: Vec<(&str, u64)> = found.iter().map(|one| (one.text.as_str(), one.line)).collect();
        assert_eq!(texts, [("Put a blank line between the sections of the changelog.", 4)]);
    }
}
