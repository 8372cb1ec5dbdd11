//! The observed signals: user reactions weigh most, inferences from tool output hardly at all.
//!
//! They are detected in one pass in log order, so "before" means earlier in time. The role of a
//! message and, if recorded, the outcome of a tool are taken from the records rather than guessed
//! from the text.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::classic::{
    abandoned, cascade, is_comparable, last_signs, loop_signal, merge_sibling_errors, question_key,
    rapid_exit, silence, silence_signal,
};
use super::config::{FrictionThresholds, abandonment_weight};
use super::patterns::{CLAIM_SEEN, CORRECTION, CURSE, DIRECTED, FAILED, RAISED, SIBLING, is_terminal_paste};
use super::record::{LogRecord, RecordPart, RecordRole, SessionLog, head, seconds};
use super::signal::{FrictionSignal, SignalDetails, SignalKind};
use crate::trauma::tool::changes;
use cm_note::instant::Instant;
use cm_session::CallId;
use cm_session::event::ToolOutcome;

/// Messages of at most this many characters count as a reaction if they contain any swearing.
const MAX_SHORT_MESSAGE_CHARS: usize = 120;
/// Number of bytes before and after a curse that are searched for words that address the agent.
const BYTES_AROUND_CURSE: usize = 40;
/// Two interruption markers that are at most this many seconds apart are one interruption.
const SAME_INTERRUPT_SECONDS: f64 = 1.0;

/// Returns `true` if a signal of this kind is a reaction of the user. Candidates are collected
/// around reactions, and a stash or silence counts only after one.
pub(crate) fn is_reaction(kind: SignalKind) -> bool {
    matches!(kind, SignalKind::UserCorrection | SignalKind::UserCurse | SignalKind::InterruptCascade)
}

/// Returns all signals of a session in log order; signals about the whole session come last.
pub fn signals(log: &SessionLog, thresholds: &FrictionThresholds) -> Vec<FrictionSignal> {
    let turns = log.records.iter().filter(|record| record.is_user_message).count();
    let mut pass = ObservedPass { thresholds, turns, ..ObservedPass::new(thresholds) };
    for (index, record) in log.records.iter().enumerate() {
        pass.record(index, record);
    }
    pass.at_end(log);
    merge_sibling_errors(pass.found)
}

struct ObservedPass<'l> {
    thresholds: &'l FrictionThresholds,
    turns: usize,
    /// Number of user messages so far.
    messages: usize,
    last_message: Option<Instant>,
    /// Time and record index of the last interruption.
    last_interrupt: Option<(Option<Instant>, usize)>,
    /// Normalized questions of the user, each with the number of agent texts before it.
    questions: HashMap<String, usize>,
    /// Number of texts that the agent has sent so far.
    answers: usize,
    /// Ids of the tool calls that run a shell command.
    commands: HashSet<&'l CallId>,
    calls: HashMap<(&'l str, String), u32>,
    claimed: bool,
    /// Outcome of the last shell command.
    last_verdict: Option<SignalKind>,
    stashed: bool,
    found: Vec<FrictionSignal>,
}

impl<'l> ObservedPass<'l> {
    fn new(thresholds: &'l FrictionThresholds) -> Self {
        Self {
            thresholds,
            turns: 0,
            messages: 0,
            last_message: None,
            last_interrupt: None,
            questions: HashMap::new(),
            answers: 0,
            commands: HashSet::new(),
            calls: HashMap::new(),
            claimed: false,
            last_verdict: None,
            stashed: false,
            found: Vec::new(),
        }
    }

    fn record(&mut self, index: usize, record: &'l LogRecord) {
        for part in &record.parts {
            match part {
                RecordPart::Text(text) => self.text(index, record, text),
                RecordPart::Call { id, tool, input } => self.on_call(index, record, id.as_ref(), tool, input),
                RecordPart::Result { id, outcome, exit_code, text } => {
                    self.on_result(index, record, id.as_ref(), *outcome, *exit_code, text);
                }
                RecordPart::Interrupt => self.on_interrupt(index, record),
                RecordPart::Compaction(summary) => {
                    let summary = summary.as_deref().unwrap_or("the context was compacted");
                    self.push_new(SignalKind::Compaction, index, record, head(summary, 50));
                }
            }
        }
    }

    fn push_new(&mut self, kind: SignalKind, index: usize, record: &LogRecord, details: &str) {
        self.push(FrictionSignal::new(kind, record.at, Some(index), details));
    }

    /// Adds a signal. A stash, abandonment or silence becomes a checkpoint unless a reaction came
    /// shortly before.
    fn push(&mut self, signal: FrictionSignal) {
        let gated = matches!(
            signal.kind,
            SignalKind::UserIntervention | SignalKind::SessionAbandoned | SignalKind::LongSilence
        );
        let after_reaction =
            self.friction().take(self.thresholds.gate).any(|earlier| is_reaction(earlier.kind));
        if gated && !after_reaction {
            let more = SignalDetails { gated_from: Some(signal.kind), ..signal.more };
            self.found.push(FrictionSignal { kind: SignalKind::Checkpoint, more, ..signal });
        } else {
            self.found.push(signal);
        }
    }

    /// Returns the signals so far, latest first, without successes: a few successes would hide all
    /// friction.
    fn friction(&self) -> impl Iterator<Item = &FrictionSignal> {
        self.found.iter().rev().filter(|signal| signal.kind != SignalKind::ExitSuccess)
    }

    fn text(&mut self, index: usize, record: &LogRecord, text: &str) {
        match record.role {
            RecordRole::Person => self.person(index, record, text),
            // The command itself, not a text that mentions it.
            RecordRole::Program if text.contains("<command-name>/stash</command-name>") => {
                self.stash(index, record);
            }
            RecordRole::Agent => {
                self.answers += usize::from(!text.trim().is_empty());
                self.claimed |= CLAIM_SEEN.is_match(text);
            }
            RecordRole::Program | RecordRole::Inner | RecordRole::System => {}
        }
    }

    fn person(&mut self, index: usize, record: &LogRecord, text: &str) {
        if let Some(minutes) = silence(self.last_message, record.at, self.thresholds) {
            self.push(silence_signal(record.at, index, minutes));
        }
        self.last_message = record.at.or(self.last_message);
        self.question(index, record, text);
        if !is_terminal_paste(text) {
            self.reaction(index, record, text);
        }
        if text.trim_start().to_ascii_lowercase().starts_with("/stash") {
            self.stash(index, record);
        }
        self.messages += 1;
    }

    /// Records a question of the user. It counts as repeated only if the agent answered in between;
    /// otherwise the message was merely sent twice.
    fn question(&mut self, index: usize, record: &LogRecord, text: &str) {
        let key = question_key(text);
        if !is_comparable(&key) || is_slash_command(text) {
            return;
        }
        let before = self.questions.insert(key.clone(), self.answers);
        if before.is_some_and(|before| before < self.answers) {
            self.push_new(SignalKind::RepeatedQuestion, index, record, head(&key, 50));
        }
    }

    fn reaction(&mut self, index: usize, record: &LogRecord, text: &str) {
        if is_cursing(text) {
            self.push_new(SignalKind::UserCurse, index, record, head(text, 50));
        }
        // The first message asks for something; there is nothing yet that it could contradict.
        if self.turns > 1 && self.messages > 0 && CORRECTION.is_match(text) {
            self.push_new(SignalKind::UserCorrection, index, record, head(text, 50));
        }
    }

    fn stash(&mut self, index: usize, record: &LogRecord) {
        self.stashed = true;
        self.push_new(SignalKind::UserIntervention, index, record, "stash");
    }

    fn on_call(
        &mut self,
        index: usize,
        record: &LogRecord,
        id: Option<&'l CallId>,
        tool: &'l str,
        input: &Value,
    ) {
        if is_command(input) {
            self.commands.extend(id);
        }
        let key = input.to_string();
        // A check that is run again after a change of a file is no loop.
        if !changes(tool, input).is_empty() {
            self.calls.retain(|(_, call), _| *call == key);
        }
        let count = self.calls.entry((tool, key)).or_default();
        *count += 1;
        if *count >= self.thresholds.loop_count {
            let signal = loop_signal(record.at, index, tool, *count);
            self.push(signal);
        }
    }

    fn on_result(
        &mut self,
        index: usize,
        record: &LogRecord,
        id: Option<&CallId>,
        outcome: ToolOutcome,
        exit_code: Option<i32>,
        text: &str,
    ) {
        if outcome != ToolOutcome::Ok && SIBLING.is_match(text) {
            let more = SignalDetails {
                batch_size: Some(1),
                tools_affected: Some(vec!["unknown".into()]),
                ..SignalDetails::default()
            };
            let details = "1 sibling errors in parallel batch";
            return self.push(
                FrictionSignal::new(SignalKind::SiblingToolError, record.at, Some(index), details).with(more),
            );
        }
        let command = exit_code.is_some() || id.is_some_and(|id| self.commands.contains(id));
        match verdict(outcome, exit_code, text) {
            ToolOutcome::Error if command || RAISED.is_match(text) => self.failed(index, record, text),
            ToolOutcome::Ok if command => {
                self.push_new(SignalKind::ExitSuccess, index, record, "");
                (self.claimed, self.last_verdict) = (false, Some(SignalKind::ExitSuccess));
            }
            ToolOutcome::Ok | ToolOutcome::Error | ToolOutcome::Unknown => {}
        }
    }

    fn failed(&mut self, index: usize, record: &LogRecord, text: &str) {
        self.push_new(SignalKind::ExitError, index, record, head(text, 100));
        if self.claimed {
            self.push_new(
                SignalKind::FalseSuccess,
                index,
                record,
                "success was claimed, but the tool failed",
            );
        }
        (self.claimed, self.last_verdict) = (false, Some(SignalKind::ExitError));
    }

    fn on_interrupt(&mut self, index: usize, record: &LogRecord) {
        let before = self.last_interrupt.replace((record.at, index));
        let gap = before.and_then(|(before, _)| Some(seconds(before?, record.at?).abs()));
        let at_once = gap.is_some_and(|gap| gap <= SAME_INTERRUPT_SECONDS);
        if at_once && before.is_some_and(|(_, before)| index <= before + 1) {
            return;
        }
        let signal = FrictionSignal::new(
            SignalKind::RequestInterrupted,
            record.at,
            Some(index),
            "the user interrupted the agent",
        );
        // Some logs know one time only; with steps between them, two marks of that time are not near each other.
        let before = before.and_then(|(before, _)| before).filter(|_| !at_once);
        let cascade = before.and_then(|before| cascade(before, &signal, self.thresholds));
        self.push(signal);
        if let Some(cascade) = cascade {
            self.push(cascade);
        }
    }

    fn at_end(&mut self, log: &SessionLog) {
        let errors = self.found.iter().filter(|signal| signal.kind == SignalKind::ExitError).count();
        let last: f64 =
            self.friction().take(last_signs()).map(|signal| abandonment_weight(signal.kind)).sum();
        let ends_well = self.found.last().is_some_and(|signal| signal.kind == SignalKind::ExitSuccess);
        let rapid_exit = rapid_exit(self.turns, self.found.last().map(|signal| signal.kind), log.ended);
        if let Some(signal) = rapid_exit {
            self.push(signal);
        }
        if self.last_verdict == Some(SignalKind::ExitError) && !self.stashed && self.turns > 1 {
            let details = format!("{errors} errors, no success after");
            self.push(FrictionSignal::new(SignalKind::NoResolution, log.ended, None, details));
        }
        if last >= self.thresholds.abandoned && !ends_well && !self.stashed && self.turns > 2 {
            self.push(abandoned(last, log.ended));
        }
    }
}

/// Returns `true` if a tool call runs a shell command, judged by its arguments instead of the
/// tool's name.
fn is_command(input: &Value) -> bool {
    ["command", "cmd"].iter().any(|key| matches!(input[key], Value::String(_) | Value::Array(_)))
}

/// Returns the outcome of a tool call. A result without an error message counts as success, because
/// logs rarely state success.
fn verdict(outcome: ToolOutcome, exit_code: Option<i32>, text: &str) -> ToolOutcome {
    match (outcome, exit_code) {
        (ToolOutcome::Unknown, Some(code)) => ToolOutcome::of_exit(Some(code)),
        (ToolOutcome::Unknown, None) if FAILED.is_match(first_line(text)) || RAISED.is_match(text) => {
            ToolOutcome::Error
        }
        (ToolOutcome::Unknown, None) => ToolOutcome::Ok,
        (other, _) => other,
    }
}

/// Returns `true` if a message is a command of the agent's program such as `/compact`. A path such
/// as `/etc/hosts` is not a command.
fn is_slash_command(text: &str) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.strip_prefix('/')
        .is_some_and(|name| name.starts_with(char::is_alphabetic) && !name.contains(['/', '.']))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Returns `true` if a message swears at the agent: the message is short, or words near the curse
/// address the agent.
fn is_cursing(text: &str) -> bool {
    let short = text.trim().chars().count() <= MAX_SHORT_MESSAGE_CHARS;
    CURSE.find_iter(text).any(|curse| short || DIRECTED.is_match(around(text, curse.start(), curse.end())))
}

fn around(text: &str, start: usize, end: usize) -> &str {
    let from = text.floor_char_boundary(start.saturating_sub(BYTES_AROUND_CURSE));
    let to = text.ceil_char_boundary((end + BYTES_AROUND_CURSE).min(text.len()));
    &text[from..to]
}

#[cfg(test)]
mod tests;
