//! The injection log of a session, one JSON object per line. It prevents repeated injections, and
//! stores notes that could not be injected immediately.
//!
//! The log is append-only. Damaged and unknown lines are ignored; the only consequence is that a
//! note may be injected again.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::HookEvent;
use cm_note::instant::Instant;

/// A change of the notes that a conversation contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum InjectionStep {
    /// The notes were injected.
    Given(Vec<String>),
    /// The notes were selected, and are injected at a later event.
    #[serde(rename = "held")]
    Pending(Vec<String>),
    /// The conversation was compacted or cleared, so it no longer contains earlier injections.
    Compacted,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InjectionLogLine {
    /// Time, RFC 3339.
    pub at: String,
    /// cm's name of the event.
    pub event: String,
    #[serde(rename = "deed")]
    pub step: InjectionStep,
    /// Event that the line belongs to, as returned by [`super::HookMessage::cause`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// State of a session according to its injection log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InjectionLog {
    /// Notes that the conversation contains.
    pub injected: BTreeSet<String>,
    /// Notes that are waiting for injection, in order of selection.
    pub pending: Vec<String>,
    /// Whether anything was injected since the conversation started or was compacted.
    pub has_injections: bool,
    /// Time of the last injection at a session start.
    pub start_injected_at: Option<Instant>,
    /// Causes of the events that were answered.
    pub causes: BTreeSet<String>,
}

/// Session starts within this many seconds count as one, because several hooks may answer it.
const SAME_START_SECONDS: i64 = 10;

impl InjectionLogLine {
    #[must_use]
    pub fn new(at: Instant, event: HookEvent, step: InjectionStep) -> Self {
        Self { at: at.to_string(), event: event.name().to_owned(), step, cause: None }
    }

    /// Sets the cause of the line.
    #[must_use]
    pub(crate) fn caused_by(mut self, cause: Option<String>) -> Self {
        self.cause = cause;
        self
    }
}

impl InjectionLog {
    /// Parses an injection log; invalid lines are skipped.
    #[must_use]
    pub fn read(record: &str) -> Self {
        let mut log = Self::default();
        for line in record.lines().filter_map(|line| serde_json::from_str::<InjectionLogLine>(line).ok()) {
            match line.step {
                InjectionStep::Given(ids) => {
                    if line.event == HookEvent::SessionStart.name() {
                        log.start_injected_at = Instant::parse(&line.at).ok();
                    }
                    log.causes.extend(line.cause);
                    log.pending.retain(|pending_id| !ids.contains(pending_id));
                    log.injected.extend(ids);
                    log.has_injections = true;
                }
                InjectionStep::Pending(ids) => {
                    log.causes.extend(line.cause);
                    let new = ids.into_iter().filter(|id| !log.injected.contains(id));
                    let new: Vec<_> = new.filter(|id| !log.pending.contains(id)).collect();
                    log.pending.extend(new);
                }
                // What waits was not in the conversation, and may still be injected.
                InjectionStep::Compacted => {
                    log.injected.clear();
                    log.has_injections = false;
                    log.start_injected_at = None;
                    log.causes.clear();
                }
            }
        }
        log
    }

    /// Notes that must not be selected again: injected or waiting.
    #[must_use]
    pub fn excluded_ids(&self) -> BTreeSet<String> {
        self.injected.iter().chain(&self.pending).cloned().collect()
    }

    /// Returns `true` if the start text should be injected at this session start. A resumed or
    /// forked conversation still contains it, and a second hook may have injected it a moment ago.
    #[must_use]
    pub(crate) fn needs_start_text(&self, source: Option<&str>, at: Instant) -> bool {
        let is_lost = matches!(source, Some("clear" | "compact"));
        let just_now =
            self.start_injected_at.is_some_and(|then| (at.unix() - then.unix()).abs() < SAME_START_SECONDS);
        !self.has_injections || (is_lost && !just_now)
    }

    /// Returns `true` if the event with this cause was already answered.
    #[must_use]
    pub fn answered(&self, cause: Option<&str>) -> bool {
        cause.is_some_and(|cause| self.causes.contains(cause))
    }
}

/// File name of a session's injection log; an id with unusual characters is hashed.
#[must_use]
pub fn file_name(session: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if !session.is_empty() && session.len() <= 80 && session.chars().all(plain) {
        return format!("{session}.jsonl");
    }
    let hash: String = blake3::hash(session.as_bytes()).to_hex().chars().take(24).collect();
    format!("h.{hash}.jsonl")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(line: &InjectionLogLine) -> String {
        serde_json::to_string(line).unwrap() + "\n"
    }

    fn record(steps: &[InjectionStep]) -> String {
        let at = Instant::parse("2026-11-22T10:00:00Z").unwrap();
        steps.iter().map(|step| text(&InjectionLogLine::new(at, HookEvent::Prompt, step.clone()))).collect()
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn a_record_says_what_was_given_and_what_waits() {
        let text = record(&[
            InjectionStep::Given(ids(&["a"])),
            InjectionStep::Pending(ids(&["a", "b", "c"])),
            InjectionStep::Given(ids(&["b"])),
        ]);
        assert_eq!(
            text.lines().next().unwrap(),
            r#"{"at":"2026-11-22T10:00:00Z","event":"prompt","deed":{"given":["a"]}}"#
        );
        let log = InjectionLog::read(&text);
        assert_eq!((log.pending.clone(), log.has_injections), (ids(&["c"]), true));
        assert_eq!(log.excluded_ids(), ids(&["a", "b", "c"]).into_iter().collect());
    }

    #[test]
    fn a_torn_line_costs_itself_only() {
        let torn = record(&[InjectionStep::Given(ids(&["a"]))]) + "{\"at\":\"2026";
        let line = InjectionLogLine::new(
            Instant::parse("2026-11-22").unwrap(),
            HookEvent::Stop,
            InjectionStep::Given(ids(&["b"])),
        );
        let log = InjectionLog::read(&format!("{torn}\n{}", text(&line)));
        assert_eq!(log.injected, ids(&["a", "b"]).into_iter().collect());
    }

    #[test]
    fn a_compaction_allows_repetition_and_a_resumed_session_does_not() {
        let log = InjectionLog::read(&record(&[InjectionStep::Given(ids(&["a"])), InjectionStep::Compacted]));
        let at = |text: &str| Instant::parse(text).unwrap();
        let (now, later) = (at("2026-11-22T10:00:03Z"), at("2026-11-22T10:05:00Z"));
        assert!(
            log.injected.is_empty()
                && log.needs_start_text(Some("compact"), now)
                && log.needs_start_text(None, now)
        );
        let begun = InjectionLogLine::new(
            at("2026-11-22T10:00:00Z"),
            HookEvent::SessionStart,
            InjectionStep::Given(ids(&["a"])),
        );
        let log = InjectionLog::read(&text(&begun));
        for source in ["startup", "resume", "fork"] {
            assert!(!log.needs_start_text(Some(source), later), "{source}");
        }
        assert!(log.needs_start_text(Some("compact"), later) && !log.needs_start_text(Some("compact"), now));
        assert!(InjectionLog::default().needs_start_text(Some("resume"), now));
    }

    #[test]
    fn a_record_is_a_file_name_of_its_own_for_any_session() {
        assert_eq!(file_name("0ab1-2c"), "0ab1-2c.jsonl");
        assert_ne!(file_name("A"), file_name("a"));
        for session in ["", "../../etc/passwd", "a\0b", "Ünï", "con/aux"] {
            assert!(file_name(session).chars().all(|c| c.is_ascii_alphanumeric() || c == '.'), "{session}");
        }
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "([a-z{}\":\\[\\],]{0,30}\n?){0,4}") {
            let _ = InjectionLog::read(&text);
        }
    }
}
