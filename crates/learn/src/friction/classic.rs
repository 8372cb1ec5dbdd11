//! The classic signals: fourteen with a weight and two without, detected exactly as in the original
//! tools.
//!
//! Their known faults are reproduced so that counts stay comparable; [`super::observed`] fixes
//! them.

use std::collections::HashMap;

use super::config::{FrictionThresholds, abandonment_weight};
use super::patterns::{
    CALLED, CLAIM, CURSE, FAILED, INTERRUPTED, NEGATION, RAISED, SIBLING, STOPPED, SUCCEEDED,
};
use super::record::{LogRecord, RecordPart, RecordRole, SessionLog, head, seconds, units};
use super::signal::{FrictionSignal, SignalDetails, SignalKind};
use cm_note::instant::Instant;

/// Number of leading UTF-16 units of a message that are compared to find repeated questions.
const MAX_KEY_UNITS: usize = 100;
/// Questions of at most this many UTF-16 units are not checked for repetition.
const MAX_SHORT_KEY_UNITS: usize = 20;
/// Number of final signals that decide whether a session was abandoned.
const FINAL_SIGNALS: usize = 5;

/// Returns all signals of a session, grouped by detector: silences and compactions, repeated
/// questions, signals of single records, interrupt cascades, and signals of the whole session.
pub fn signals(log: &SessionLog, thresholds: &FrictionThresholds) -> Vec<FrictionSignal> {
    let mut found = Vec::new();
    silences_and_compactions(log, thresholds, &mut found);
    repeated_questions(log, &mut found);
    found.extend(merge_sibling_errors(record_signals(log, thresholds)));
    cascades(thresholds, &mut found);
    at_end(log, thresholds, &mut found);
    found
}

/// Normalizes a question, so that repetitions of it have the same key.
pub(super) fn question_key(text: &str) -> String {
    head(text, MAX_KEY_UNITS).to_lowercase().trim().to_owned()
}

/// Returns `true` if the key of a question is long enough to be checked for repetition.
pub(super) fn is_comparable(key: &str) -> bool {
    units(key) > MAX_SHORT_KEY_UNITS
}

/// Returns the minutes between two user messages, if they exceed `long_silence_minutes`.
pub(super) fn silence(
    before: Option<Instant>,
    at: Option<Instant>,
    thresholds: &FrictionThresholds,
) -> Option<f64> {
    let minutes = seconds(before?, at?) / 60.0;
    (minutes > thresholds.long_silence_minutes).then_some(minutes)
}

/// Builds the signal for a silence of this many minutes before the record at index `record`.
pub(super) fn silence_signal(at: Option<Instant>, record: usize, minutes: f64) -> FrictionSignal {
    let details = format!("{} min gap", (minutes + 0.5).floor());
    FrictionSignal::new(SignalKind::LongSilence, at, Some(record), details)
        .with(SignalDetails { gap_minutes: Some(minutes), ..SignalDetails::default() })
}

fn silences_and_compactions(
    log: &SessionLog,
    thresholds: &FrictionThresholds,
    found: &mut Vec<FrictionSignal>,
) {
    let mut before = None;
    for (index, record) in log.records.iter().enumerate() {
        if record.is_user_message {
            if let Some(minutes) = silence(before, record.at, thresholds) {
                found.push(silence_signal(record.at, index, minutes));
            }
            before = record.at;
        }
        if let (RecordRole::System, Some(RecordPart::Compaction(summary))) =
            (record.role, record.parts.first())
        {
            let summary = summary.as_deref().unwrap_or_default();
            if !summary.to_lowercase().contains("exited") {
                found.push(FrictionSignal::new(
                    SignalKind::Compaction,
                    record.at,
                    Some(index),
                    head(summary, 50),
                ));
            }
        }
    }
}

fn repeated_questions(log: &SessionLog, found: &mut Vec<FrictionSignal>) {
    let mut seen = HashMap::new();
    for (index, record) in log.records.iter().enumerate().filter(|(_, record)| record.is_user_message) {
        let key = question_key(record.text().unwrap_or_default());
        if is_comparable(&key) && seen.contains_key(&key) {
            found.push(FrictionSignal::new(
                SignalKind::RepeatedQuestion,
                record.at,
                Some(index),
                head(&key, 50),
            ));
        }
        seen.insert(key, ());
    }
}

/// State while the records of a session are read one by one.
struct ClassicPass<'l> {
    interactive: bool,
    claimed: bool,
    calls: HashMap<(&'l str, String), u32>,
    loop_count: u32,
    found: Vec<FrictionSignal>,
}

fn record_signals(log: &SessionLog, thresholds: &FrictionThresholds) -> Vec<FrictionSignal> {
    let mut pass = ClassicPass {
        interactive: log.records.iter().filter(|record| record.is_user_message).count() > 1,
        claimed: false,
        calls: HashMap::new(),
        loop_count: thresholds.loop_count,
        found: Vec::new(),
    };
    for (index, record) in log.records.iter().enumerate() {
        match record.role {
            RecordRole::Person | RecordRole::Program | RecordRole::Inner => pass.person(index, record),
            RecordRole::Agent if !record.is_user_message => pass.agent(index, record),
            RecordRole::Agent | RecordRole::System => {}
        }
    }
    pass.found
}

impl<'l> ClassicPass<'l> {
    fn push(&mut self, kind: SignalKind, index: usize, record: &LogRecord, details: &str) {
        self.found.push(FrictionSignal::new(kind, record.at, Some(index), details));
    }

    /// Handles a record in the user's role: its tool results and interruptions up to the first
    /// text, and then that text.
    fn person(&mut self, index: usize, record: &LogRecord) {
        for part in &record.parts {
            match part {
                RecordPart::Result { text, exit_code, .. } => self.on_result(index, record, text, *exit_code),
                RecordPart::Interrupt => {
                    self.push(SignalKind::RequestInterrupted, index, record, "[Request interrupted by user]")
                }
                RecordPart::Text(text) if !text.is_empty() => return self.on_text(index, record, text),
                RecordPart::Text(_) | RecordPart::Call { .. } | RecordPart::Compaction(_) => {}
            }
        }
    }

    fn on_result(&mut self, index: usize, record: &LogRecord, text: &str, exit_code: Option<i32>) {
        if STOPPED.is_match(text) || exit_code == Some(137) {
            self.push(SignalKind::RequestInterrupted, index, record, head(text, 100));
        } else if SIBLING.is_match(text) {
            let tool = CALLED
                .captures(text)
                .map_or("unknown", |called| called.get(1).map_or("unknown", |name| name.as_str()));
            self.found.push(sibling_error_signal(record.at, index, vec![tool.to_owned()]));
        } else if FAILED.is_match(text) || RAISED.is_match(text) || exit_code.is_some_and(|code| code != 0) {
            self.push(SignalKind::ExitError, index, record, head(text, 100));
            if self.claimed {
                self.push(
                    SignalKind::FalseSuccess,
                    index,
                    record,
                    "success was claimed, but the tool failed",
                );
            }
            self.claimed = false;
        } else if SUCCEEDED.is_match(text) || exit_code == Some(0) {
            self.push(SignalKind::ExitSuccess, index, record, "");
            self.claimed = false;
        }
    }

    fn on_text(&mut self, index: usize, record: &LogRecord, text: &str) {
        if text.to_lowercase().contains("/stash") {
            self.push(SignalKind::UserIntervention, index, record, "stash");
        }
        if INTERRUPTED.is_match(text) {
            self.push(SignalKind::RequestInterrupted, index, record, head(text, 100));
        }
        if CURSE.is_match(text) {
            self.push(SignalKind::UserCurse, index, record, head(text, 50));
        }
        if self.interactive && NEGATION.is_match(text) {
            self.push(SignalKind::UserNegation, index, record, head(text, 50));
        }
    }

    fn agent(&mut self, index: usize, record: &'l LogRecord) {
        let texts = record.parts.iter().filter_map(|part| match part {
            RecordPart::Text(text) => Some(text.as_str()),
            _ => None,
        });
        if CLAIM.is_match(&texts.collect::<Vec<_>>().join(" ")) {
            self.claimed = true;
        }
        for part in &record.parts {
            let RecordPart::Call { tool, input, .. } = part else { continue };
            let count = self.calls.entry((tool, input.to_string())).or_default();
            *count += 1;
            if *count >= self.loop_count {
                let signal = loop_signal(record.at, index, tool, *count);
                self.found.push(signal);
            }
        }
    }
}

/// Builds the signal for a tool that was called `count` times with the same arguments.
pub(super) fn loop_signal(at: Option<Instant>, record: usize, tool: &str, count: u32) -> FrictionSignal {
    FrictionSignal::new(SignalKind::ToolLoop, at, Some(record), format!("{tool} called {count}x")).with(
        SignalDetails { tool: Some(tool.to_owned()), loop_count: Some(count), ..SignalDetails::default() },
    )
}

/// Builds the signal for parallel tool calls that were cancelled because one of them failed.
fn sibling_error_signal(at: Option<Instant>, record: usize, tools: Vec<String>) -> FrictionSignal {
    let size = tools.len();
    FrictionSignal::new(
        SignalKind::SiblingToolError,
        at,
        Some(record),
        format!("{size} sibling errors in parallel batch"),
    )
    .with(SignalDetails {
        batch_size: u32::try_from(size).ok(),
        tools_affected: Some(tools),
        ..SignalDetails::default()
    })
}

/// Merges consecutive signals of cancelled parallel calls if they have the same time.
pub(super) fn merge_sibling_errors(signals: Vec<FrictionSignal>) -> Vec<FrictionSignal> {
    let mut gathered: Vec<FrictionSignal> = Vec::with_capacity(signals.len());
    for signal in signals {
        match gathered.last_mut() {
            Some(last)
                if signal.kind == SignalKind::SiblingToolError
                    && last.kind == SignalKind::SiblingToolError
                    && last.at == signal.at =>
            {
                let mut tools = last.more.tools_affected.take().unwrap_or_default();
                tools.extend(signal.more.tools_affected.unwrap_or_default());
                *last = sibling_error_signal(last.at, last.record.unwrap_or_default(), tools);
            }
            _ => gathered.push(signal),
        }
    }
    gathered
}

/// Returns a cascade signal if `signal` follows an interruption at time `before` within the allowed
/// seconds.
pub(super) fn cascade(
    before: Instant,
    signal: &FrictionSignal,
    thresholds: &FrictionThresholds,
) -> Option<FrictionSignal> {
    let gap = seconds(before, signal.at?);
    (gap <= thresholds.cascade_seconds).then(|| {
        FrictionSignal::new(
            SignalKind::InterruptCascade,
            signal.at,
            signal.record,
            format!("{}s between interrupts", (gap + 0.5).floor()),
        )
        .with(SignalDetails { gap_seconds: Some(gap), ..SignalDetails::default() })
    })
}

fn cascades(thresholds: &FrictionThresholds, found: &mut Vec<FrictionSignal>) {
    let interrupts: Vec<&FrictionSignal> = found
        .iter()
        .filter(|signal| signal.kind == SignalKind::RequestInterrupted && signal.at.is_some())
        .collect();
    let pairs = interrupts.windows(2);
    let cascades: Vec<FrictionSignal> =
        pairs.filter_map(|pair| cascade(pair[0].at?, pair[1], thresholds)).collect();
    found.extend(cascades);
}

fn at_end(log: &SessionLog, thresholds: &FrictionThresholds, found: &mut Vec<FrictionSignal>) {
    let turns = log.records.iter().filter(|record| record.is_user_message).count();
    let count = |kind: SignalKind| found.iter().filter(|signal| signal.kind == kind).count();
    let errors = count(SignalKind::ExitError);
    let unresolved = count(SignalKind::ExitSuccess) == 0 && count(SignalKind::UserIntervention) == 0;
    let last: f64 =
        found.iter().rev().take(FINAL_SIGNALS).map(|signal| abandonment_weight(signal.kind)).sum();
    let mut ending = Vec::new();
    if let Some(signal) = rapid_exit(turns, found.last().map(|signal| signal.kind), log.ended) {
        ending.push(signal);
    }
    if errors > 0 && unresolved && turns > 1 {
        ending.push(FrictionSignal::new(
            SignalKind::NoResolution,
            log.ended,
            None,
            format!("{errors} errors, no success"),
        ));
    }
    if last >= thresholds.abandoned && unresolved && turns > 2 {
        ending.push(abandoned(last, log.ended));
    }
    found.extend(ending);
}

/// Returns a signal for a session of one to three user messages that ends with a failure or an
/// interruption.
pub(super) fn rapid_exit(
    turns: usize,
    last: Option<SignalKind>,
    ended: Option<Instant>,
) -> Option<FrictionSignal> {
    let last = last.filter(|kind| matches!(kind, SignalKind::ExitError | SignalKind::RequestInterrupted))?;
    (1..=3).contains(&turns).then(|| {
        FrictionSignal::new(SignalKind::RapidExit, ended, None, format!("{turns} turns, ended with {last}"))
    })
}

/// Builds the signal for an abandoned session. `friction` is the score of its final signals.
pub(super) fn abandoned(friction: f64, ended: Option<Instant>) -> FrictionSignal {
    let details = format!("friction {friction} in last {FINAL_SIGNALS} signals, no resolution");
    FrictionSignal::new(SignalKind::SessionAbandoned, ended, None, details)
}

/// Number of final signals that decide whether a session was abandoned.
pub(super) const fn last_signs() -> usize {
    FINAL_SIGNALS
}

#[cfg(test)]
mod tests;
