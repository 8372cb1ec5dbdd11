//! Judges short prompts as a whole, where no sentence of theirs says enough alone: "cond, temp. What unit. I lost a
//! season to that. Put it in the name.", "polars. 512Mi per pod, pandas dies".

use super::certainty::{Certainty, THRESHOLD_HIGH};
use super::join::{LastingStatement, lasting};
use super::read::is_code;
use super::taken_back::takes_back;
use super::{KindProbabilities, Statement, StatementContext};
use crate::prose::{self, MessageAuthor, pattern};
use cm_session::event::{EventKind, SessionEvent};

/// Number of sentences of a prompt that is judged as a whole.
const PROMPT_SENTENCES: std::ops::RangeInclusive<usize> = 2..=5;
/// Number of words of such a prompt.
const PROMPT_WORDS: std::ops::RangeInclusive<usize> = 4..=45;
/// Number of words up to which a prompt replaces the one lasting sentence of it.
const MAX_REPLACING_WORDS: usize = 36;
/// Maximum number of words of a question that the sentences after it answer: "location? default is US."
const MAX_ANSWERED_QUESTION_WORDS: usize = 6;
/// Probability below which a sentence at the beginning is an acknowledgement and left out.
const MIN_FIRST_SENTENCE_PROBABILITY: f32 = 0.03;
/// Minimum probability that a prompt as a whole lasts.
const MIN_LASTING_PROBABILITY: f32 = 0.75;
/// Minimum probability of what a person types when they refuse a call.
const MIN_REFUSAL_PROBABILITY: f32 = 0.55;
/// Minimum probability of a prompt whose only lasting sentence it replaces.
const MIN_REPLACING_PROBABILITY: f32 = 0.65;
/// Minimum probability from which it certainly does.
const MIN_CERTAIN_PROBABILITY: f32 = 0.85;

/// Returns each short prompt of several sentences as one statement, without acknowledgements at the beginning, and also
/// with them where no sentence certainly lasts alone. Left out are the first prompt of a session, and those that were
/// pasted, ask something, or take something back. `judged` has the probabilities of `statements`, in the same order;
/// `events` are those of the session.
pub fn short_prompts(
    statements: &[Statement],
    judged: &[KindProbabilities],
    events: &[SessionEvent],
) -> Vec<Statement> {
    let all: Vec<JudgedStatement<'_>> = statements.iter().zip(judged).collect();
    let of_prompts: Vec<_> = all.chunk_by(|(one, _), (next, _)| one.line == next.line).collect();
    let mut found = Vec::new();
    for (at, sentences) in of_prompts.iter().enumerate() {
        let is_taken_back =
            || of_prompts.get(at + 1).is_some_and(|next| next.iter().any(|(one, _)| takes_back(&one.text)));
        // The first prompt of a session mostly is the task.
        let is_task = at == 0 && sentences[0].0.context == StatementContext::Plain;
        if is_task
            || is_taken_back()
            || sentences.iter().any(|(one, _)| one.is_pasted || takes_back(&one.text))
        {
            continue;
        }
        let from = sentences.iter().take_while(is_acknowledgement).count();
        found.extend((from > 0).then(|| whole_prompt(&sentences[from..], events, true)).flatten());
        let is_certain = |(_, judged): &JudgedStatement<'_>| judged.lasting() >= THRESHOLD_HIGH;
        if from == 0 || !sentences[from..].iter().any(is_certain) {
            found.extend(whole_prompt(sentences, events, false));
        }
    }
    found
}

type JudgedStatement<'a> = (&'a Statement, &'a KindProbabilities);

fn is_acknowledgement((one, judged): &&JudgedStatement<'_>) -> bool {
    judged.lasting() < MIN_FIRST_SENTENCE_PROBABILITY && !one.text.ends_with(['?', '？'])
}

/// Returns the sentences of a prompt as one statement, with those between and around them that look like code; `is_cut`
/// leaves out what comes before the first. `None` if the prompt has other sentences that are no statements, such as
/// words of the agent.
fn whole_prompt(
    sentences: &[JudgedStatement<'_>],
    events: &[SessionEvent],
    is_cut: bool,
) -> Option<Statement> {
    let first = sentences.first()?.0;
    let prompt = events.iter().find_map(|event| match &event.kind {
        EventKind::UserPrompt { text } if event.line == first.line => Some(text.as_str()),
        _ => None,
    })?;
    let all = prose::sentences(prompt, MessageAuthor::Person);
    let text_of = |place: usize| {
        let statement = sentences.iter().map(|(one, _)| *one).find(|one| one.place == place);
        let code = || all.get(place).filter(|one| !prompt.trim().contains('\n') && is_code(&one.text));
        statement.map(|one| one.text.as_str()).or_else(|| code().map(|one| one.text.as_str()))
    };
    let from = if is_cut { first.place } else { 0 };
    let texts = (from..all.len()).map(text_of).collect::<Option<Vec<&str>>>()?;
    let text = texts.join(" ");
    let is_judged = PROMPT_SENTENCES.contains(&texts.len())
        && PROMPT_WORDS.contains(&word_count(&text))
        && !is_code(&text)
        && !texts.iter().enumerate().any(|(at, text)| is_question(text) && !(at == 0 && is_short(text)));
    is_judged.then(|| Statement { text, ..first.clone() })
}

pattern!(
    POLITE = r"(?i)^(?:\w+\s+)?(?:can|could|would|will) you\b|^(?:puedes|podrías|podés|peux-tu|tu peux|pourrais-tu|kannst du|könntest du)\b"
);

fn is_question(text: &str) -> bool {
    text.ends_with(['?', '？']) && !POLITE.is_match(text)
}

fn word_count(text: &str) -> usize {
    text.split_whitespace().count()
}

fn is_short(question: &str) -> bool {
    word_count(question) <= MAX_ANSWERED_QUESTION_WORDS
}

/// Returns the lasting statements of a session with the prompts that last as a whole: those without a lasting sentence
/// in `found`, and shorter ones in place of their only lasting sentence. `judged` has the probabilities of `prompts`, in
/// the same order.
pub fn with_lasting_prompts(
    mut found: Vec<LastingStatement>,
    prompts: &[Statement],
    judged: &[KindProbabilities],
) -> Vec<LastingStatement> {
    let mut latest = None;
    for (prompt, judged) in prompts.iter().zip(judged) {
        let parts: Vec<usize> = (0..found.len()).filter(|at| found[*at].line == prompt.line).collect();
        let least = match (parts.len(), prompt.context) {
            (1, _) => MIN_REPLACING_PROBABILITY,
            (_, StatementContext::Refused) => MIN_REFUSAL_PROBABILITY,
            _ => MIN_LASTING_PROBABILITY,
        };
        // The first form of a prompt that lasts says enough.
        if judged.lasting() < least || latest.replace(prompt.line) == Some(prompt.line) {
            continue;
        }
        let mut all = lasting(std::slice::from_ref(prompt), std::slice::from_ref(judged));
        if judged.lasting() < MIN_CERTAIN_PROBABILITY {
            all.iter_mut().for_each(|one| one.certainty = Certainty::Medium);
        }
        let Some(mut one) = all.pop() else { continue };
        match *parts {
            [] => found.push(one),
            [at] if word_count(&prompt.text) <= MAX_REPLACING_WORDS => {
                let part = &found[at];
                if part.certainty >= one.certainty {
                    (one.kind, one.certainty) = (part.kind, part.certainty);
                }
                found[at] = one;
            }
            _ => {}
        }
    }
    found.sort_by_key(|one| one.line);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::test_events::{agent, log_of, person};

    fn rule(lasting: &[f32]) -> Vec<KindProbabilities> {
        lasting.iter().map(|last| KindProbabilities([1.0 - last, *last, 0.0, 0.0, 0.0])).collect()
    }

    #[test]
    fn a_short_prompt_is_one_statement_if_no_sentence_lasts_alone() {
        let prompt = "what unit. i lost a season to that. put it in the name, cond_us_cm and so on";
        let log = log_of(vec![agent("Done."), person(prompt)]);
        let sentences = crate::statement::statements(&log);
        let prompts = short_prompts(&sentences, &rule(&[0.1, 0.1, 0.4]), &log);
        assert_eq!(prompts.len(), 1);
        let found = with_lasting_prompts(Vec::new(), &prompts, &rule(&[0.8]));
        assert_eq!((found[0].line, found[0].certainty), (prompts[0].line, Certainty::Medium));
        let certain = with_lasting_prompts(Vec::new(), &prompts, &rule(&[0.95]));
        assert_eq!(certain[0].certainty, Certainty::High);
        assert!(found[0].text.starts_with("What unit. i lost") && found[0].text.ends_with("so on."));
        assert!(with_lasting_prompts(Vec::new(), &prompts, &rule(&[0.5])).is_empty());
    }

    /// Returns the texts of a prompt in which the sentences and the whole have these probabilities.
    fn learned(prompt: &str, sentences: &[f32], as_a_whole: f32) -> Vec<(String, Certainty)> {
        let typed = log_of(vec![agent("Done."), person(prompt)]);
        let statements = crate::statement::statements(&typed);
        let judged = rule(sentences);
        let prompts = short_prompts(&statements, &judged, &typed);
        let wholes = rule(&vec![as_a_whole; prompts.len()]);
        let found = with_lasting_prompts(lasting(&statements, &judged), &prompts, &wholes);
        found.into_iter().map(|one| (one.text, one.certainty)).collect()
    }

    #[test]
    fn a_short_prompt_replaces_the_only_sentence_of_it_that_lasts_alone() {
        let high = |text: &str| vec![(text.to_owned(), Certainty::High)];
        let tests = "renamed ur test. name = behaviour, so a red line in ci tells me smth";
        assert_eq!(
            learned(tests, &[0.05, 0.95], 0.93),
            high("Renamed ur test. name = behaviour, so a red line in ci tells me smth.")
        );
        assert_eq!(
            learned("polars. 512Mi per pod, pandas dies", &[0.05, 0.68], 0.91),
            high("Polars. 512Mi per pod, pandas dies.")
        );
        assert_eq!(
            learned(
                "overwrite_all on auction_date then. merge is 2 € each run. last 3 days, corrections come late",
                &[0.07],
                0.96
            ),
            high(
                "overwrite_all on auction_date then. merge is 2 € each run. last 3 days, corrections come late."
            )
        );
        assert_eq!(
            learned("why a join there. staging only renames, joins live in int_", &[0.01, 0.97], 0.93),
            high("Staging only renames, joins live in int_.")
        );
        let rules = "From now on never use npm, always pnpm. Deploy only on Tuesdays, always.";
        assert_eq!(learned(rules, &[0.9, 0.9], 0.95).len(), 2, "two rules stay two");
    }

    #[test]
    fn a_question_and_code_are_part_of_the_prompt_that_answers_or_explains_them() {
        let texts = |prompt: &str, sentences: &[f32]| -> Vec<String> {
            learned(prompt, sentences, 0.95).into_iter().map(|(text, _)| text).collect()
        };
        assert_eq!(
            texts("location? default is US. everything goes to europe-southwest1", &[0.0, 0.2, 0.72]),
            ["Location? default is US. everything goes to europe-southwest1."]
        );
        assert_eq!(
            texts("the weight is with the ice. net_kg = kg - ice_kg for vigo.", &[0.32]),
            ["The weight is with the ice. net_kg = kg - ice_kg for vigo."]
        );
        assert!(texts("timestamp: z.string(), // ISO\nid: z.uuid(), // v7", &[]).is_empty());
    }

    #[test]
    fn tasks_questions_and_what_is_taken_back_are_not_judged_as_a_whole() {
        let prompts = |log: Vec<EventKind>| {
            let log = log_of(log);
            let sentences = crate::statement::statements(&log);
            short_prompts(&sentences, &rule(&vec![0.2; sentences.len()]), &log).len()
        };
        let count = |prompt: &str| prompts(vec![agent("Done."), person(prompt)]);
        let unit = "Fine then. Put the unit in the name of each argument.";
        assert_eq!(count(unit), 1);
        assert_eq!(prompts(vec![person(unit)]), 0, "the task");
        let said = "The unit belongs in the name of each argument.";
        let quoted = format!("{said} Do that from here on in all files.");
        assert_eq!(prompts(vec![agent(said), person(&quoted)]), 0, "words of the agent");
        for prompt in [
            "Put the unit in the name of each argument of these.",
            "Fine. Is the unit in the name of each argument?",
            "Use just for all of it here. Oh, forget that.",
            "Nice. commit.",
        ] {
            assert_eq!(count(prompt), 0, "{prompt}");
        }
        assert_eq!(count(&format!("Fine. {}", "word ".repeat(50))), 0);
    }
}
