//! The log of signals: what hooks saw in a session that may be worth recording, and what became of
//! it.
//!
//! It is kept in the user's private state, without secrets, so that a proposal can be checked
//! before the agent's log has the prompt.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::context::open::Context;
use crate::error::Result;
use crate::sessions::reflection_log::hash_key;
use cm_learn::reflect::stated::share_a_sentence;
use cm_learn::statement::{StatementContext, THRESHOLD_MEDIUM};
use cm_note::bullet::content::fold_whitespace;
use cm_playbook::curation::delta::AddDelta;
use cm_store::vault::json_lines::JsonLinesFile;

/// What made a hook notice something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SignalCause {
    /// The person typed something that may be meant to last.
    #[default]
    Prompt,
    /// A statement of a long prompt, which was judged in the background.
    LongPrompt,
    /// The person refused a tool call.
    Refused,
    /// A command failed, and the failure ended.
    Failed,
}

impl SignalCause {
    /// Where the person's words stand, for judging whether they are meant to last.
    pub fn statement_context(self) -> StatementContext {
        match self {
            Self::Refused => StatementContext::Refused,
            Self::Prompt | Self::LongPrompt | Self::Failed => StatementContext::After,
        }
    }
}

/// Something that a hook saw in a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Signal {
    /// Time, RFC 3339.
    pub at: String,
    pub session: String,
    #[serde(default)]
    pub cause: SignalCause,
    /// Words that the person typed, with secrets redacted; empty if there are none.
    pub quote: String,
    /// The sentences of the prompt that are neither quoted nor pasted, with secrets redacted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub typed: Vec<String>,
    /// The refused call, or the failed command with what ended its failure; secrets are redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
    /// The refused or failed command alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Probability that the words are meant to last, 0–1.
    pub lasting: f32,
}

impl Signal {
    /// The call with its result. A refusal denies its call.
    pub fn call(&self) -> Option<String> {
        let call = self.answers.clone()?;
        Some(if self.cause == SignalCause::Refused { format!("not allowed: {call}") } else { call })
    }

    /// Hash that identifies the signal within its session.
    fn key(&self) -> String {
        let parts = [&self.quote, self.answers.as_deref().unwrap_or_default()];
        hash_key(&parts.join("\0"))
    }
}

/// What happened to a signal or to the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SignalStep {
    /// The agent was asked at a prompt to record it.
    Asked,
    /// The agent recorded it.
    Proposed,
    /// The agent was asked at the end about all that was unread.
    AskedAtEnd,
    /// The agent's own command-line mode was started to read the session.
    Handed,
}

/// A line about a signal; without `of`, it is about all signals of the session so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct SignalMark {
    at: String,
    session: String,
    step: SignalStep,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    of: Option<String>,
}

/// A proposal that the agent made in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ProposalRecord {
    /// Time, RFC 3339.
    pub at: String,
    pub session: String,
    /// ID of the stored note, or of the existing one that was credited instead.
    pub proposed: String,
    /// Whether nothing was stored, because an existing note says the same.
    #[serde(default)]
    pub is_credited: bool,
    /// Whether a person's word admits it.
    #[serde(default)]
    pub is_stated: bool,
    /// The quoted words, with secrets redacted.
    pub words: String,
    /// IDs of the neighbours that the answer listed.
    #[serde(default)]
    pub neighbours: Vec<String>,
    /// The proposed rule; `None` for a memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Box<AddDelta>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum SignalLine {
    Signal(Signal),
    Mark(SignalMark),
    Proposal(ProposalRecord),
}

/// The signals of one session.
#[derive(Debug, Clone, Default)]
pub(crate) struct SignalLog {
    /// Full ID of the session; as given if there is no signal.
    pub session: String,
    signals: Vec<Signal>,
    /// Keys of the signals that the agent was asked about, at a prompt or at the end.
    questions: HashSet<String>,
    proposed: HashSet<String>,
    /// Whether the agent was asked at the end of the session.
    pub asked_at_end: bool,
    /// Number of signals that an agent in command-line mode was given.
    handed: usize,
    proposals: Vec<ProposalRecord>,
}

impl SignalLog {
    /// Reads the signals of a session, given by its ID or the beginning of it. A log that cannot be
    /// read has none.
    pub fn of(context: &Context, session: &str) -> Self {
        let vault = &context.target().vault;
        let read = JsonLinesFile::of_signals(vault).and_then(|file| file.read::<SignalLine>());
        let mut log = Self { session: session.to_owned(), ..Self::default() };
        for line in read.unwrap_or_default().0 {
            let own = match &line {
                SignalLine::Signal(signal) => &signal.session,
                SignalLine::Mark(mark) => &mark.session,
                SignalLine::Proposal(proposal) => &proposal.session,
            };
            if session.is_empty() || !own.starts_with(session) {
                continue;
            }
            log.session.clone_from(own);
            match line {
                SignalLine::Signal(signal) => log.signals.push(signal),
                SignalLine::Mark(mark) => log.mark(&mark),
                SignalLine::Proposal(proposal) => log.proposals.push(proposal),
            }
        }
        log
    }

    fn mark(&mut self, mark: &SignalMark) {
        match (mark.step, &mark.of) {
            (SignalStep::Asked, Some(of)) => drop(self.questions.insert(of.clone())),
            (SignalStep::Proposed, Some(of)) => drop(self.proposed.insert(of.clone())),
            (SignalStep::AskedAtEnd, _) => {
                self.asked_at_end = true;
                self.questions.extend(self.signals.iter().map(Signal::key));
            }
            (SignalStep::Handed, _) => self.handed = self.signals.len(),
            _ => {}
        }
    }

    /// Returns the newest signal that contains a quote.
    pub fn find(&self, quote: &str) -> Option<&Signal> {
        let plain_quote = plain(quote);
        self.signals.iter().rev().find(|signal| plain(&signal.quote).contains(&plain_quote))
    }

    /// Returns the signals that a proposal belongs to: its quote is part of the signal's words, or
    /// what it answers is part of the signal's call.
    fn matching<'a>(&'a self, quote: &str, answers: Option<&str>) -> impl Iterator<Item = &'a Signal> {
        let (quote, answers) = (plain(quote), answers.map(plain).filter(|text| !text.is_empty()));
        self.signals.iter().filter(move |signal| {
            let is_quoted = !signal.quote.is_empty() && plain(&signal.quote).contains(&quote);
            let call = signal.answers.as_deref().map(plain);
            is_quoted || call.zip(answers.as_ref()).is_some_and(|(call, answers)| call.contains(answers))
        })
    }

    /// Returns the calls that a proposal answers, as hooks saw them.
    pub fn calls_of(&self, quote: &str, answers: Option<&str>) -> Vec<String> {
        self.matching(quote, answers).filter_map(Signal::call).collect()
    }

    /// Returns the newest signal that the agent was not asked about and did not record.
    pub fn newest_unasked(&self) -> Option<&Signal> {
        let is_open = |key: &String| !self.questions.contains(key) && !self.proposed.contains(key);
        self.signals.iter().rev().find(|signal| is_open(&signal.key()))
    }

    /// Returns the signals that no reader has dealt with, oldest first. What the agent was asked
    /// about and did not record was judged, unless it is probably meant to last.
    pub fn unread(&self) -> Vec<&Signal> {
        let fresh = self.signals.iter().enumerate().filter(|(at, _)| *at >= self.handed);
        fresh
            .map(|(_, signal)| signal)
            .filter(|signal| {
                let key = signal.key();
                let is_judged = self.questions.contains(&key) && signal.lasting < THRESHOLD_MEDIUM;
                !self.proposed.contains(&key) && !is_judged
            })
            .collect()
    }

    /// Returns whether a text is part of a call or of its result.
    pub fn is_call(&self, text: &str) -> bool {
        let plain_text = plain(text);
        let calls = self.signals.iter().filter_map(|signal| signal.answers.as_deref());
        !plain_text.is_empty() && calls.map(plain).any(|call| call.contains(&plain_text))
    }

    /// Adds signals for this value alone.
    pub fn extend(&mut self, signals: Vec<Signal>) {
        self.signals.extend(signals);
    }

    /// Appends the signals that the log does not have yet.
    ///
    /// # Errors
    /// A private state that cannot be written.
    pub fn add(&mut self, context: &Context, signals: Vec<Signal>) -> Result<()> {
        let mut keys: HashSet<String> = self.signals.iter().map(Signal::key).collect();
        let new: Vec<Signal> = signals.into_iter().filter(|signal| keys.insert(signal.key())).collect();
        let lines: Vec<SignalLine> = new.iter().cloned().map(SignalLine::Signal).collect();
        JsonLinesFile::of_signals(&context.target().vault)?.append(&lines)?;
        self.signals.extend(new);
        Ok(())
    }

    /// Records what happened to a signal, or to the session if `signal` is `None`.
    ///
    /// # Errors
    /// A private state that cannot be written.
    pub fn record(&mut self, context: &Context, step: SignalStep, signal: Option<&Signal>) -> Result<()> {
        let mark = SignalMark {
            at: context.now().to_string(),
            session: self.session.clone(),
            step,
            of: signal.map(Signal::key),
        };
        self.mark(&mark);
        Ok(JsonLinesFile::of_signals(&context.target().vault)?.append(&[SignalLine::Mark(mark)])?)
    }

    /// Returns the newest proposal that led to a note, in this session, or in any if it is `None`.
    pub fn proposal_of(context: &Context, session: Option<&str>, id: &str) -> Option<ProposalRecord> {
        let file = JsonLinesFile::of_signals(&context.target().vault);
        let lines = file.and_then(|file| file.read::<SignalLine>()).unwrap_or_default().0;
        lines.into_iter().rev().find_map(|line| match line {
            SignalLine::Proposal(one) => {
                let is_own = session.is_none_or(|session| {
                    one.session.starts_with(session) || session.starts_with(&one.session)
                });
                Some(one).filter(|one| is_own && one.proposed == id)
            }
            _ => None,
        })
    }

    /// Returns the newest proposal of the session that quotes a sentence of these words.
    pub fn proposal_from(&self, words: &str) -> Option<&ProposalRecord> {
        self.proposals.iter().rev().find(|one| share_a_sentence(&one.words, words))
    }

    /// Records a proposal of the agent, and that it has dealt with the signals of the quote and of the
    /// answered call.
    ///
    /// # Errors
    /// A private state that cannot be written.
    pub fn record_proposal(
        &mut self,
        context: &Context,
        proposal: ProposalRecord,
        answers: Option<&str>,
    ) -> Result<()> {
        let quote = proposal.words.clone();
        JsonLinesFile::of_signals(&context.target().vault)?.append(&[SignalLine::Proposal(proposal)])?;
        let quote = quote.as_str();
        let found = self.matching(quote, answers).filter(|signal| !self.proposed.contains(&signal.key()));
        let found: Vec<Signal> = found.cloned().collect();
        found.iter().try_for_each(|signal| self.record(context, SignalStep::Proposed, Some(signal)))
    }
}

/// Lower case, one space between words, and no marks of code.
fn plain(text: &str) -> String {
    fold_whitespace(&text.replace('`', "")).to_lowercase()
}
