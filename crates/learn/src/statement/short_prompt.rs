//! Judges short prompts as a whole, where no sentence of theirs says enough alone: "cond, temp. What unit. I lost a
//! season to that. Put it in the name."

use super::join::{Certainty, LastingStatement, lasting};
use super::taken_back::takes_back;
use super::{KindProbabilities, Statement, StatementContext};
use crate::prose::pattern;

/// Number of sentences of a prompt that is judged as a whole.
const SENTENCES: std::ops::RangeInclusive<usize> = 2..=5;
/// Number of words of such a prompt.
const WORDS: std::ops::RangeInclusive<usize> = 8..=45;
/// Minimum probability that a prompt as a whole lasts.
const LASTING: f32 = 0.75;
/// Minimum probability from which it certainly does.
const CERTAIN: f32 = 0.9;

/// Returns each short prompt of several sentences as one statement, unless the agent has done nothing before it, it was
/// pasted, asks something, or takes something back.
pub fn short_prompts(statements: &[Statement]) -> Vec<Statement> {
    let of_prompts: Vec<&[Statement]> = statements.chunk_by(|one, next| one.line == next.line).collect();
    let is_taken_back =
        |at: usize| of_prompts.get(at + 1).is_some_and(|next| next.iter().any(|one| takes_back(&one.text)));
    let all = of_prompts.iter().enumerate().filter(|(at, _)| !is_taken_back(*at));
    all.filter_map(|(_, sentences)| whole(sentences)).collect()
}

fn whole(sentences: &[Statement]) -> Option<Statement> {
    let (first, last) = (sentences.first()?, sentences.last()?);
    let words: usize = sentences.iter().map(|one| one.text.split_whitespace().count()).sum();
    let is_whole = last.place + 1 - first.place == sentences.len();
    let is_judged = SENTENCES.contains(&sentences.len())
        && WORDS.contains(&words)
        && is_whole
        && first.context != StatementContext::Plain
        && !sentences.iter().any(|one| one.is_pasted || takes_back(&one.text) || is_question(&one.text));
    let texts: Vec<&str> = sentences.iter().map(|one| one.text.as_str()).collect();
    is_judged.then(|| Statement { text: texts.join(" "), ..first.clone() })
}

pattern!(
    POLITE = r"(?i)^(?:\w+\s+)?(?:can|could|would|will) you\b|^(?:puedes|podrías|podés|peux-tu|tu peux|pourrais-tu|kannst du|könntest du)\b"
);

fn is_question(text: &str) -> bool {
    text.ends_with(['?', '？']) && !POLITE.is_match(text)
}

/// Returns the prompts that last as a whole, of those without a lasting sentence in `found`. `judged` has the
/// probabilities of `prompts`, in the same order.
pub fn lasting_prompts(
    prompts: &[Statement],
    judged: &[KindProbabilities],
    found: &[LastingStatement],
) -> Vec<LastingStatement> {
    let is_new = |prompt: &Statement| found.iter().all(|one| one.line != prompt.line);
    let lasts = prompts.iter().zip(judged).filter(|(one, judged)| is_new(one) && judged.lasting() >= LASTING);
    let of_prompt = |(one, judged): (&Statement, &KindProbabilities)| {
        let mut all = lasting(std::slice::from_ref(one), std::slice::from_ref(judged));
        if judged.lasting() < CERTAIN {
            all.iter_mut().for_each(|one| one.certainty = Certainty::Medium);
        }
        all
    };
    lasts.flat_map(of_prompt).collect()
}

#[cfg(test)]
mod tests {
    use super::super::of_prompt;
    use super::*;

    #[test]
    fn a_short_prompt_is_one_statement_if_no_sentence_lasts_alone() {
        let prompt = "what unit. i lost a season to that. put it in the name, cond_us_cm and so on";
        let sentences = of_prompt(prompt, 4, StatementContext::After, None);
        let prompts = short_prompts(&sentences);
        assert_eq!(prompts.len(), 1);
        let judged = [KindProbabilities([0.2, 0.8, 0.0, 0.0, 0.0])];
        let found = lasting_prompts(&prompts, &judged, &[]);
        assert_eq!((found[0].line, found[0].certainty), (4, Certainty::Medium));
        let certain = lasting_prompts(&prompts, &[KindProbabilities([0.05, 0.95, 0.0, 0.0, 0.0])], &[]);
        assert_eq!(certain[0].certainty, Certainty::High);
        assert!(found[0].text.starts_with("What unit. i lost") && found[0].text.ends_with("so on."));
        assert!(lasting_prompts(&prompts, &judged, &found).is_empty(), "a sentence lasts already");
        assert!(lasting_prompts(&prompts, &[KindProbabilities([0.5, 0.5, 0.0, 0.0, 0.0])], &[]).is_empty());
    }

    #[test]
    fn tasks_questions_and_what_is_taken_back_are_not_judged_as_a_whole() {
        let count = |prompt: &str, context| short_prompts(&of_prompt(prompt, 1, context, None)).len();
        let after = StatementContext::After;
        assert_eq!(count("Fine. Put the unit in the name of each argument.", after), 1);
        assert_eq!(count("Fine. Put the unit in the name of each argument.", StatementContext::Plain), 0);
        for prompt in [
            "Put the unit in the name of each argument of these.",
            "Fine. Is the unit in the name of each argument?",
            "Use just for all of it here. Oh, forget that.",
            "Nice. commit please.",
        ] {
            assert_eq!(count(prompt, after), 0, "{prompt}");
        }
        assert_eq!(count(&format!("Fine. {}", "word ".repeat(50)), after), 0);
    }
}
