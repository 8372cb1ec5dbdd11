//! Counts the conversations that support a pattern, with a quote from each.

use std::collections::{BTreeMap, BTreeSet};

use super::trace::{SessionTrace, TracedStep};
use crate::diary::StatementAuthor;
use crate::evidence_quote::EvidenceQuote;
use crate::prose::cut;
use crate::reflect::draft::DraftOrigin;
use cm_note::instant::Instant;
use cm_playbook::curation::history::{SessionCounts, SessionQuote};
use cm_session::status::SessionStatus;

/// Maximum number of quotes of a pattern.
pub const MAX_QUOTES: usize = 5;

/// A place in a session where a pattern occurs. The derived order is that of time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Occurrence {
    /// Time of the step, else the end of the session.
    pub at: Option<Instant>,
    pub agent: String,
    /// Session id.
    pub session: String,
    /// Line in the log, from 1.
    pub line: u64,
    /// What happened, on one line.
    pub quote: String,
}

impl Occurrence {
    pub fn new(trace: &SessionTrace, step: &TracedStep, quote: String) -> Self {
        Self {
            at: step.at.or(trace.ended),
            agent: trace.agent.clone(),
            session: trace.session.clone(),
            line: step.line,
            quote,
        }
    }

    /// Returns the occurrence as a quote of a session that succeeded.
    pub fn session_quote(&self) -> SessionQuote {
        SessionQuote {
            session: self.session.clone(),
            agent: Some(self.agent.clone()),
            line: Some(self.line),
            ended: SessionStatus::Success,
            text: cut(&self.quote, 200),
        }
    }

    /// Formats the occurrence as evidence, with session, line and day.
    pub fn evidence(&self) -> String {
        self.evidence_of(StatementAuthor::Log)
    }

    /// Like [`Self::evidence`], as words of this author.
    pub fn evidence_of(&self, author: StatementAuthor) -> String {
        let day = self.at.map(|at| at.day().to_string());
        let quote = EvidenceQuote::new(author, &self.session, self.line, &self.quote);
        EvidenceQuote { day, ..quote }.to_string()
    }

    /// Returns where it occurred, as the origin of a draft.
    pub fn origin(&self) -> DraftOrigin {
        DraftOrigin { session: self.session.clone(), agent: self.agent.clone(), line: self.line }
    }
}

/// The conversations for and against a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PatternSupport {
    /// First occurrence in each conversation.
    occurrences: BTreeMap<u64, Occurrence>,
    against: BTreeSet<u64>,
    /// Whether a person confirmed an agent's explanation of the pattern.
    is_acknowledged: bool,
}

impl PatternSupport {
    /// Adds an occurrence in a conversation.
    pub fn add(&mut self, conversation: u64, occurrence: Occurrence) {
        let first = self.occurrences.entry(conversation).or_insert_with(|| occurrence.clone());
        if occurrence < *first {
            *first = occurrence;
        }
    }

    /// Adds a conversation that speaks against the pattern.
    pub fn oppose(&mut self, conversation: u64) {
        self.against.insert(conversation);
    }

    /// Records that a person confirmed an agent's explanation of the pattern.
    pub fn acknowledge(&mut self) {
        self.is_acknowledged = true;
    }

    pub fn is_acknowledged(&self) -> bool {
        self.is_acknowledged
    }

    /// Number of conversations in which the pattern occurs.
    pub fn count(&self) -> usize {
        self.occurrences.len()
    }

    /// Number of conversations that speak against the pattern and do not also show it.
    pub fn count_against(&self) -> usize {
        self.against.iter().filter(|one| !self.occurrences.contains_key(one)).count()
    }

    /// Returns whether the pattern occurs in a conversation.
    pub fn is_in(&self, conversation: u64) -> bool {
        self.occurrences.contains_key(&conversation)
    }

    /// Returns the conversations in which the pattern occurs.
    pub fn conversations(&self) -> BTreeSet<u64> {
        self.occurrences.keys().copied().collect()
    }

    /// Returns the occurrences in the order of time.
    pub fn in_order(&self) -> Vec<&Occurrence> {
        let mut all: Vec<&Occurrence> = self.occurrences.values().collect();
        all.sort();
        all
    }

    /// Returns the origins of a proposal: the occurrence of `conversation` first, then the others in
    /// the order of time.
    pub fn origins(&self, conversation: u64) -> Vec<DraftOrigin> {
        let own = self.occurrences.get(&conversation);
        let others = self.in_order().into_iter().filter(|one| Some(*one) != own);
        own.into_iter().chain(others).map(Occurrence::origin).collect()
    }

    /// Returns quotes of the first [`MAX_QUOTES`] occurrences.
    pub fn evidence(&self) -> Vec<String> {
        self.in_order().into_iter().take(MAX_QUOTES).map(Occurrence::evidence).collect()
    }

    /// Returns the support as the evidence gate counts it: each conversation with the pattern is a
    /// success, each one against it a failure.
    pub fn counts(&self) -> SessionCounts {
        let (successes, failures) = (self.count(), self.count_against());
        let quotes = self.in_order().into_iter().take(MAX_QUOTES).map(Occurrence::session_quote).collect();
        SessionCounts { sessions: successes + failures, successes, failures, quotes }
    }
}

#[cfg(test)]
pub(crate) mod test_traces {
    //! Builds traces for tests.

    use super::super::trace::SessionTrace;
    use crate::outcome::steps::steps;
    use crate::outcome::test_events::{added, edited, log_of, person, ran};
    use cm_note::instant::Instant;
    use cm_session::event::{EventKind, ToolOutcome};
    use cm_session::status::SessionStatus;
    use cm_session::{Agent, SessionMeta};

    /// Builds the trace of a session in `/w` from events.
    pub fn trace(session: &str, kinds: Vec<EventKind>) -> SessionTrace {
        let mut meta = SessionMeta::new(Agent::Codex, session.into());
        meta.workspace = Some("/w".to_owned());
        meta.ended = Some(Instant::from_unix(86_400));
        let events = log_of(kinds);
        let conversation = session.bytes().fold(7, |sum, byte| sum * 31 + u64::from(byte));
        let traced = SessionTrace::of(&meta, &events, &steps(&events), SessionStatus::Success);
        SessionTrace { conversation, ..traced }
    }

    /// Builds a trace from lines: `$ command` succeeds, `! command | output` fails, `E path` edits, `E path | line / line`
    /// adds lines, the agent says `A text`, and the person says `U text`.
    pub fn script(session: &str, lines: &[&str]) -> SessionTrace {
        let mut kinds = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let id = at.to_string();
            let (mark, rest) = line.split_once(' ').unwrap();
            let (command, output) = rest.split_once(" | ").unwrap_or((rest, ""));
            match mark {
                "$" => kinds.extend(ran(&id, command, ToolOutcome::Ok, output)),
                "!" => kinds.extend(ran(&id, command, ToolOutcome::Error, output)),
                "A" => kinds.push(EventKind::AssistantText { text: rest.to_owned() }),
                "U" => kinds.push(person(rest)),
                _ if output.is_empty() => kinds.extend(edited(&id, &format!("/w/{rest}"))),
                _ => kinds.extend(added(&id, &format!("/w/{command}"), &output.replace(" / ", "\n"))),
            }
        }
        trace(session, kinds)
    }
}
