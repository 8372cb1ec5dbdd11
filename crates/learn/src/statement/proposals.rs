//! The sentences of the agent that a statement answers: "I would add a BRIN index on `at`." before "ok, let's go with
//! BRIN", "Do I build play or interno?" before "interno. the other one needs the keys".

use std::collections::BTreeSet;

use super::{LastingStatement, StatementKind};
use crate::content_words::content_words;
use crate::prose::{MessageAuthor, cut, sentences};
use cm_note::note::suspicion::order;
use cm_session::event::{EventKind, SessionEvent};

/// Number of the person's prompts before the decision since which the agent may have proposed it: a question about
/// the proposal may come between.
const PROMPTS_BEFORE_DECISION: usize = 2;
/// Maximum number of sentences quoted.
const MAX_QUOTED_SENTENCES: usize = 2;
/// Maximum length of a sentence quoted, in characters.
const MAX_QUOTED_SENTENCE_CHARS: usize = 200;

/// Maximum number of words of a first sentence that says nothing without the question that it answers.
const MAX_ANSWER_WORDS: usize = 3;
/// Maximum length of a question that is learned with its answer, in characters.
const MAX_QUESTION_CHARS: usize = 120;

/// A sentence that the agent wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSentence {
    pub text: String,
    /// Line of its message in the log, from 1.
    pub line: u64,
}

/// Adds to each decision the sentences of the agent that it answers: at most two, in the order of the log,
/// each with a content word of the decision.
#[must_use]
pub fn with_proposals(lasting: Vec<LastingStatement>, events: &[SessionEvent]) -> Vec<LastingStatement> {
    let answered = |statement: LastingStatement| match statement.kind {
        StatementKind::Decision => {
            LastingStatement { proposals: proposals_before(&statement, events), ..statement }
        }
        _ => statement,
    };
    lasting.into_iter().map(answered).collect()
}

/// Puts the agent's question before each statement that begins with a short answer to it, such as "interno. the play
/// one needs the keys".
#[must_use]
pub fn with_questions(lasting: Vec<LastingStatement>, events: &[SessionEvent]) -> Vec<LastingStatement> {
    let with_question = |statement: LastingStatement| match question_before(&statement, events) {
        Some(question) => LastingStatement { text: format!("{question} {}", statement.text), ..statement },
        None => statement,
    };
    lasting.into_iter().map(with_question).collect()
}

/// Returns the question at the end of the agent's message of which a statement chooses an alternative; `None` for one
/// that may carry more than a question.
fn question_before(statement: &LastingStatement, events: &[SessionEvent]) -> Option<String> {
    let at = events.iter().position(|event| event.line == statement.line && !event.side)?;
    let EventKind::UserPrompt { text: prompt } = &events[at].kind else { return None };
    let answer = sentences(prompt, MessageAuthor::Person).into_iter().next()?.text;
    let is_short = answer.split_whitespace().count() <= MAX_ANSWER_WORDS && !answer.ends_with(['?', '？']);
    if !is_short || !statement.quote.starts_with(&answer) || statement.quote.len() == answer.len() {
        return None;
    }
    let message = events[..at].iter().rev().filter(|event| !event.side).find_map(|event| match &event.kind {
        EventKind::AssistantText { text } => Some(Some(text)),
        EventKind::UserPrompt { .. } => Some(None),
        _ => None,
    });
    let question = sentences(message??, MessageAuthor::Agent).pop()?.text;
    let chosen = content_words(&answer);
    let is_choice = !chosen.is_empty() && chosen.is_subset(&content_words(&question));
    let is_plain = question.ends_with(['?', '？'])
        && question.chars().count() <= MAX_QUESTION_CHARS
        && !question.contains(['@', '`'])
        && !question.contains("://")
        && order(&question).is_none();
    (is_choice && is_plain).then_some(question)
}

fn proposals_before(decision: &LastingStatement, events: &[SessionEvent]) -> Vec<AgentSentence> {
    let words = content_words(&decision.text);
    let shared = |sentence: &AgentSentence| content_words(&sentence.text).intersection(&words).count();
    let mut found: Vec<(usize, AgentSentence)> = sentences_before(decision.line, events)
        .into_iter()
        .map(|sentence| (shared(&sentence), sentence))
        .filter(|(shared, _)| *shared > 0)
        .collect();
    // The sort keeps the order of the log, so that of equal sentences the last ones stay.
    found.reverse();
    found.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    found.truncate(MAX_QUOTED_SENTENCES);
    let mut seen = BTreeSet::new();
    let mut chosen: Vec<AgentSentence> =
        found.into_iter().map(|(_, sentence)| sentence).filter(|one| seen.insert(one.text.clone())).collect();
    chosen.sort_by_key(|sentence| sentence.line);
    chosen
}

/// Returns the agent's sentences before the prompt at `line`, back to the second prompt before it, in order.
fn sentences_before(line: u64, events: &[SessionEvent]) -> Vec<AgentSentence> {
    let mut prompts = 0;
    let before = events.iter().rev().filter(|event| !event.side && event.line < line);
    let mut messages: Vec<(&str, u64)> = before
        .take_while(|event| {
            prompts += usize::from(matches!(event.kind, EventKind::UserPrompt { .. }));
            prompts < PROMPTS_BEFORE_DECISION
        })
        .filter_map(|event| match &event.kind {
            EventKind::AssistantText { text } => Some((text.as_str(), event.line)),
            _ => None,
        })
        .collect();
    messages.reverse();
    let of_message = |(text, line): (&str, u64)| {
        let each = sentences(text, MessageAuthor::Agent).into_iter();
        each.map(move |one| AgentSentence { text: cut(&one.text, MAX_QUOTED_SENTENCE_CHARS), line })
            .collect::<Vec<_>>()
    };
    messages.into_iter().flat_map(of_message).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Certainty;
    use super::*;
    use crate::outcome::test_events::{agent, log_of, person};

    #[test]
    fn a_short_answer_is_learned_with_the_question_of_which_it_chooses_an_alternative() {
        let worded = |message: &str, answer: &str| {
            let events = log_of([agent(message), person(answer)]);
            with_questions(vec![decided(answer, 2, StatementKind::Fact)], &events).remove(0).text
        };
        let answer = "interno. the other one wants the signing keys";
        assert_eq!(
            worded("Four modules. Do I build play or interno?", answer),
            format!("Do I build play or interno? {answer}")
        );
        let whole = "Build interno, the other one wants the signing keys";
        assert_eq!(worded("Do I build play or interno?", whole), whole);
        let refusal = "Never. we do that by hand";
        assert_eq!(worded("Shall all logs go to ops@evil.example?", refusal), refusal);
        let sent = "interno. the other one wants the signing keys";
        assert_eq!(worded("Shall interno send its logs to https://evil.example?", sent), sent);
    }

    fn decided(text: &str, line: u64, kind: StatementKind) -> LastingStatement {
        let (quote, certainty) = (text.to_owned(), Certainty::High);
        LastingStatement { text: text.into(), quote, line, kind, certainty, proposals: Vec::new() }
    }

    fn texts(decision: LastingStatement, events: &[SessionEvent]) -> Vec<String> {
        let mut decided = with_proposals(vec![decision], events);
        decided.remove(0).proposals.into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn a_decision_knows_the_sentences_that_it_answers() {
        let events = log_of(vec![
            person("The search is slow."),
            agent("A BRIN was tried in May."),
            person("Look at the plan."),
            agent("`at` has no index. I would add a BRIN index. The table is large."),
            person("not btree?"),
            agent("Rows arrive in order of time, so BRIN is smaller."),
            person("ok let's go with brin"),
        ]);
        let line = events.last().unwrap().line;
        let brin = "Let's go with brin.";
        assert_eq!(
            texts(decided(brin, line, StatementKind::Decision), &events),
            ["I would add a BRIN index.", "Rows arrive in order of time, so BRIN is smaller."]
        );
        assert!(texts(decided(brin, line, StatementKind::Rule), &events).is_empty());
        assert!(texts(decided("We take Friday.", line, StatementKind::Decision), &events).is_empty());
    }
}
