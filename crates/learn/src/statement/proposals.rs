//! The sentences of the agent that a person's decision answers: "I would add a BRIN index on `at`."
//! before "ok, let's go with BRIN".

use std::collections::BTreeSet;

use super::{LastingStatement, StatementKind};
use crate::content_words::content_words;
use crate::prose::{MessageAuthor, cut, sentences};
use cm_session::event::{EventKind, SessionEvent};

/// Number of the person's prompts before the decision since which the agent may have proposed it: a question about
/// the proposal may come between.
const PROMPTS_BEFORE_DECISION: usize = 2;
/// Maximum number of sentences quoted.
const MAX_QUOTED_SENTENCES: usize = 2;
/// Maximum length of a sentence quoted, in characters.
const MAX_QUOTED_SENTENCE_CHARS: usize = 200;

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
