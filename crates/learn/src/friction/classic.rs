//! The classic signals: fourteen with a weight and two without, detected exactly as in the original
//! tools.
//!
//! Their known faults are reproduced so that counts stay comparable; [`super::observed`] fixes
//! them.

use std::collections::HashMap;

use super::config::{Thresholds, at_the_end};
use super::patterns::{
    CALLED, CLAIM, CURSE, FAILED, INTERRUPTED, NEGATION, RAISED, SIBLING, STOPPED, SUCCEEDED,
};
use super::record::{Log, Part, Record, Role, head, seconds, units};
use super::signal::{Kind, More, Signal};
use cm_note::instant::Instant;

/// UTF-16 units of a message that are compared to find repeated questions.
const KEY: usize = 100;
/// Questions of at most this many UTF-16 units are not checked for repetition.
const SHORT_KEY: usize = 20;
/// Number of final signals that decide whether a session was abandoned.
const LAST: usize = 5;

/// Returns all signals of a session, grouped by detector: silences and compactions, repeated
/// questions, signals of single records, interrupt cascades, and signals of the whole session.
pub fn signals(log: &Log, thresholds: &Thresholds) -> Vec<Signal> {
    let mut found = Vec::new();
    beforehand(log, thresholds, &mut found);
    repeated(log, &mut found);
    found.extend(gathered(shown(log, thresholds)));
    cascades(thresholds, &mut found);
    at_end(log, thresholds, &mut found);
    found
}

/// Normalizes a message for comparison with earlier questions.
pub(super) fn key(text: &str) -> String {
    head(text, KEY).to_lowercase().trim().to_owned()
}

/// Returns `true` if a question is long enough to be checked for repetition.
pub(super) fn is_telling(key: &str) -> bool {
    units(key) > SHORT_KEY
}

/// Returns the minutes between two messages if they exceed the threshold for a silence.
pub(super) fn silence(before: Option<Instant>, at: Option<Instant>, thresholds: &Thresholds) -> Option<f64> {
    let minutes = seconds(before?, at?) / 60.0;
    (minutes > thresholds.long_silence_minutes).then_some(minutes)
}

/// Builds the signal for a silence before a record.
pub(super) fn silent(at: Option<Instant>, record: usize, minutes: f64) -> Signal {
    let details = format!("{} min gap", (minutes + 0.5).floor());
    Signal::new(Kind::LongSilence, at, Some(record), details)
        .with(More { gap_minutes: Some(minutes), ..More::default() })
}

fn beforehand(log: &Log, thresholds: &Thresholds, found: &mut Vec<Signal>) {
    let mut before = None;
    for (index, record) in log.records.iter().enumerate() {
        if record.turn {
            if let Some(minutes) = silence(before, record.at, thresholds) {
                found.push(silent(record.at, index, minutes));
            }
            before = record.at;
        }
        if let (Role::System, Some(Part::Compaction(summary))) = (record.role, record.parts.first()) {
            let summary = summary.as_deref().unwrap_or_default();
            if !summary.to_lowercase().contains("exited") {
                found.push(Signal::new(Kind::Compaction, record.at, Some(index), head(summary, 50)));
            }
        }
    }
}

fn repeated(log: &Log, found: &mut Vec<Signal>) {
    let mut seen = HashMap::new();
    for (index, record) in log.records.iter().enumerate().filter(|(_, record)| record.turn) {
        let key = key(record.text().unwrap_or_default());
        if is_telling(&key) && seen.contains_key(&key) {
            found.push(Signal::new(Kind::RepeatedQuestion, record.at, Some(index), head(&key, 50)));
        }
        seen.insert(key, ());
    }
}

/// State of the pass over the records.
struct Pass<'l> {
    interactive: bool,
    claimed: bool,
    calls: HashMap<(&'l str, String), u32>,
    loop_count: u32,
    found: Vec<Signal>,
}

fn shown(log: &Log, thresholds: &Thresholds) -> Vec<Signal> {
    let mut pass = Pass {
        interactive: log.records.iter().filter(|record| record.turn).count() > 1,
        claimed: false,
        calls: HashMap::new(),
        loop_count: thresholds.loop_count,
        found: Vec::new(),
    };
    for (index, record) in log.records.iter().enumerate() {
        match record.role {
            Role::Person | Role::Program | Role::Inner => pass.person(index, record),
            Role::Agent if !record.turn => pass.agent(index, record),
            Role::Agent | Role::System => {}
        }
    }
    pass.found
}

impl<'l> Pass<'l> {
    fn say(&mut self, kind: Kind, index: usize, record: &Record, details: &str) {
        self.found.push(Signal::new(kind, record.at, Some(index), details));
    }

    /// Handles tool results and interruptions up to the first text, and that text.
    fn person(&mut self, index: usize, record: &Record) {
        for part in &record.parts {
            match part {
                Part::Result { text, exit_code, .. } => self.answered(index, record, text, *exit_code),
                Part::Interrupt => {
                    self.say(Kind::RequestInterrupted, index, record, "[Request interrupted by user]")
                }
                Part::Text(text) if !text.is_empty() => return self.said(index, record, text),
                Part::Text(_) | Part::Call { .. } | Part::Compaction(_) => {}
            }
        }
    }

    fn answered(&mut self, index: usize, record: &Record, text: &str, exit_code: Option<i32>) {
        if STOPPED.is_match(text) || exit_code == Some(137) {
            self.say(Kind::RequestInterrupted, index, record, head(text, 100));
        } else if SIBLING.is_match(text) {
            let tool = CALLED
                .captures(text)
                .map_or("unknown", |called| called.get(1).map_or("unknown", |name| name.as_str()));
            self.found.push(sibling(record.at, index, vec![tool.to_owned()]));
        } else if FAILED.is_match(text) || RAISED.is_match(text) || exit_code.is_some_and(|code| code != 0) {
            self.say(Kind::ExitError, index, record, head(text, 100));
            if self.claimed {
                self.say(Kind::FalseSuccess, index, record, "success was claimed, but the tool failed");
            }
            self.claimed = false;
        } else if SUCCEEDED.is_match(text) || exit_code == Some(0) {
            self.say(Kind::ExitSuccess, index, record, "");
            self.claimed = false;
        }
    }

    fn said(&mut self, index: usize, record: &Record, text: &str) {
        if text.to_lowercase().contains("/stash") {
            self.say(Kind::UserIntervention, index, record, "stash");
        }
        if INTERRUPTED.is_match(text) {
            self.say(Kind::RequestInterrupted, index, record, head(text, 100));
        }
        if CURSE.is_match(text) {
            self.say(Kind::UserCurse, index, record, head(text, 50));
        }
        if self.interactive && NEGATION.is_match(text) {
            self.say(Kind::UserNegation, index, record, head(text, 50));
        }
    }

    fn agent(&mut self, index: usize, record: &'l Record) {
        let texts = record.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        });
        if CLAIM.is_match(&texts.collect::<Vec<_>>().join(" ")) {
            self.claimed = true;
        }
        for part in &record.parts {
            let Part::Call { tool, input, .. } = part else { continue };
            let count = self.calls.entry((tool, input.to_string())).or_default();
            *count += 1;
            if *count >= self.loop_count {
                let signal = looped(record.at, index, tool, *count);
                self.found.push(signal);
            }
        }
    }
}

/// Builds the signal for a repeated call.
pub(super) fn looped(at: Option<Instant>, record: usize, tool: &str, count: u32) -> Signal {
    Signal::new(Kind::ToolLoop, at, Some(record), format!("{tool} called {count}x")).with(More {
        tool: Some(tool.to_owned()),
        loop_count: Some(count),
        ..More::default()
    })
}

/// Builds the signal for sibling calls that were cancelled together.
fn sibling(at: Option<Instant>, record: usize, tools: Vec<String>) -> Signal {
    let size = tools.len();
    Signal::new(Kind::SiblingToolError, at, Some(record), format!("{size} sibling errors in parallel batch"))
        .with(More { batch_size: u32::try_from(size).ok(), tools_affected: Some(tools), ..More::default() })
}

/// Merges consecutive sibling errors with the same timestamp into one signal.
pub(super) fn gathered(signals: Vec<Signal>) -> Vec<Signal> {
    let mut gathered: Vec<Signal> = Vec::with_capacity(signals.len());
    for signal in signals {
        match gathered.last_mut() {
            Some(last)
                if signal.kind == Kind::SiblingToolError
                    && last.kind == Kind::SiblingToolError
                    && last.at == signal.at =>
            {
                let mut tools = last.more.tools_affected.take().unwrap_or_default();
                tools.extend(signal.more.tools_affected.unwrap_or_default());
                *last = sibling(last.at, last.record.unwrap_or_default(), tools);
            }
            _ => gathered.push(signal),
        }
    }
    gathered
}

/// Returns a cascade signal if `signal` follows the interruption at `before` within the threshold.
pub(super) fn cascade(before: Instant, signal: &Signal, thresholds: &Thresholds) -> Option<Signal> {
    let gap = seconds(before, signal.at?);
    (gap <= thresholds.cascade_seconds).then(|| {
        Signal::new(
            Kind::InterruptCascade,
            signal.at,
            signal.record,
            format!("{}s between interrupts", (gap + 0.5).floor()),
        )
        .with(More { gap_seconds: Some(gap), ..More::default() })
    })
}

fn cascades(thresholds: &Thresholds, found: &mut Vec<Signal>) {
    let interrupts: Vec<&Signal> = found
        .iter()
        .filter(|signal| signal.kind == Kind::RequestInterrupted && signal.at.is_some())
        .collect();
    let pairs = interrupts.windows(2);
    let cascades: Vec<Signal> = pairs.filter_map(|pair| cascade(pair[0].at?, pair[1], thresholds)).collect();
    found.extend(cascades);
}

fn at_end(log: &Log, thresholds: &Thresholds, found: &mut Vec<Signal>) {
    let turns = log.records.iter().filter(|record| record.turn).count();
    let count = |kind: Kind| found.iter().filter(|signal| signal.kind == kind).count();
    let errors = count(Kind::ExitError);
    let unresolved = count(Kind::ExitSuccess) == 0 && count(Kind::UserIntervention) == 0;
    let last: f64 = found.iter().rev().take(LAST).map(|signal| at_the_end(signal.kind)).sum();
    let mut ending = Vec::new();
    if let Some(signal) = rapid_exit(turns, found.last().map(|signal| signal.kind), log.ended) {
        ending.push(signal);
    }
    if errors > 0 && unresolved && turns > 1 {
        ending.push(Signal::new(Kind::NoResolution, log.ended, None, format!("{errors} errors, no success")));
    }
    if last >= thresholds.abandoned && unresolved && turns > 2 {
        ending.push(abandoned(last, log.ended));
    }
    found.extend(ending);
}

/// Returns a signal for a session of one to three turns if its last signal is a failure or an
/// interruption.
pub(super) fn rapid_exit(turns: usize, last: Option<Kind>, ended: Option<Instant>) -> Option<Signal> {
    let last = last.filter(|kind| matches!(kind, Kind::ExitError | Kind::RequestInterrupted))?;
    (1..=3)
        .contains(&turns)
        .then(|| Signal::new(Kind::RapidExit, ended, None, format!("{turns} turns, ended with {last}")))
}

/// Builds the signal for a session that ends with this total friction.
pub(super) fn abandoned(friction: f64, ended: Option<Instant>) -> Signal {
    let details = format!("friction {friction} in last {LAST} signals, no resolution");
    Signal::new(Kind::SessionAbandoned, ended, None, details)
}

/// Returns the number of final signals that decide whether a session was abandoned.
pub(super) const fn last_signs() -> usize {
    LAST
}

#[cfg(test)]
mod tests;
