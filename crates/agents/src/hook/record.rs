//! What a session was given so far, one JSON object a line, so that no rule is told twice and none is lost that could
//! not be told at once.
//!
//! The text is only appended to. A line that is torn or unknown is passed over: the worst that follows is that a rule
//! is told again.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Event;
use cm_note::instant::Instant;

/// What happened to notes in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Deed {
    /// The agent was given them.
    Given(Vec<String>),
    /// They were chosen, and wait for an event at which the agent takes words.
    Held(Vec<String>),
    /// The conversation was compacted or cleared: what it was given before is gone from it.
    Compacted,
}

/// A line of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// When, as RFC 3339.
    pub at: String,
    /// At which event, by our name.
    pub event: String,
    /// What happened.
    pub deed: Deed,
    /// Which event of the session it answered: [`super::Message::cause`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// The lines of a session, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    /// What its conversation holds.
    pub given: BTreeSet<String>,
    /// What waits, in the order in which it was chosen.
    pub held: Vec<String>,
    /// Whether the conversation was given anything since it began or was compacted.
    pub begun: bool,
    /// When it was last given something at a session's start.
    pub briefed: Option<Instant>,
    /// The events that were answered.
    pub causes: BTreeSet<String>,
}

/// Two starts of a session within this many seconds are one, which several hooks answer.
const SAME_START_SECONDS: i64 = 10;

impl Line {
    /// A line about this.
    #[must_use]
    pub fn new(at: Instant, event: Event, deed: Deed) -> Self {
        Self { at: at.to_string(), event: event.name().to_owned(), deed, cause: None }
    }

    /// The line, as the answer to the event with this cause.
    #[must_use]
    pub fn caused_by(mut self, cause: Option<String>) -> Self {
        self.cause = cause;
        self
    }
}

impl Told {
    /// Reads a record.
    #[must_use]
    pub fn read(record: &str) -> Self {
        let mut told = Self::default();
        for line in record.lines().filter_map(|line| serde_json::from_str::<Line>(line).ok()) {
            match line.deed {
                Deed::Given(ids) => {
                    if line.event == Event::SessionStart.name() {
                        told.briefed = Instant::parse(&line.at).ok();
                    }
                    told.causes.extend(line.cause);
                    told.held.retain(|held| !ids.contains(held));
                    told.given.extend(ids);
                    told.begun = true;
                }
                Deed::Held(ids) => {
                    told.causes.extend(line.cause);
                    let new = ids.into_iter().filter(|id| !told.given.contains(id));
                    let new: Vec<_> = new.filter(|id| !told.held.contains(id)).collect();
                    told.held.extend(new);
                }
                // What waits was not in the conversation, and still may be told.
                Deed::Compacted => {
                    told.given.clear();
                    told.begun = false;
                    told.briefed = None;
                    told.causes.clear();
                }
            }
        }
        told
    }

    /// What is not to be chosen again: given, or on its way.
    #[must_use]
    pub fn known(&self) -> BTreeSet<String> {
        self.given.iter().chain(&self.held).cloned().collect()
    }

    /// Whether a session that starts so at this moment is given the memory's start text. A resumed or forked
    /// conversation replays what it was given, and one that was given it a moment ago has several hooks.
    #[must_use]
    pub fn wants_start(&self, source: Option<&str>, at: Instant) -> bool {
        let is_lost = matches!(source, Some("clear" | "compact"));
        let just_now = self.briefed.is_some_and(|then| (at.unix() - then.unix()).abs() < SAME_START_SECONDS);
        !self.begun || (is_lost && !just_now)
    }

    /// Whether the event with this cause was answered before.
    #[must_use]
    pub fn answered(&self, cause: Option<&str>) -> bool {
        cause.is_some_and(|cause| self.causes.contains(cause))
    }
}

/// The name of a session's record; a session's id may hold any character.
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

    fn text(line: &Line) -> String {
        serde_json::to_string(line).unwrap() + "\n"
    }

    fn record(deeds: &[Deed]) -> String {
        let at = Instant::parse("2026-11-22T10:00:00Z").unwrap();
        deeds.iter().map(|deed| text(&Line::new(at, Event::Prompt, deed.clone()))).collect()
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn a_record_says_what_was_given_and_what_waits() {
        let text =
            record(&[Deed::Given(ids(&["a"])), Deed::Held(ids(&["a", "b", "c"])), Deed::Given(ids(&["b"]))]);
        assert_eq!(
            text.lines().next().unwrap(),
            r#"{"at":"2026-11-22T10:00:00Z","event":"prompt","deed":{"given":["a"]}}"#
        );
        let told = Told::read(&text);
        assert_eq!((told.held.clone(), told.begun), (ids(&["c"]), true));
        assert_eq!(told.known(), ids(&["a", "b", "c"]).into_iter().collect());
    }

    #[test]
    fn a_torn_line_costs_itself_only() {
        let torn = record(&[Deed::Given(ids(&["a"]))]) + "{\"at\":\"2026";
        let line = Line::new(Instant::parse("2026-11-22").unwrap(), Event::Stop, Deed::Given(ids(&["b"])));
        let told = Told::read(&format!("{torn}\n{}", text(&line)));
        assert_eq!(told.given, ids(&["a", "b"]).into_iter().collect());
    }

    #[test]
    fn what_a_compaction_took_may_be_told_again_and_a_resumed_session_replays_the_rest() {
        let told = Told::read(&record(&[Deed::Given(ids(&["a"])), Deed::Compacted]));
        let at = |text: &str| Instant::parse(text).unwrap();
        let (now, later) = (at("2026-11-22T10:00:03Z"), at("2026-11-22T10:05:00Z"));
        assert!(
            told.given.is_empty() && told.wants_start(Some("compact"), now) && told.wants_start(None, now)
        );
        let begun = Line::new(at("2026-11-22T10:00:00Z"), Event::SessionStart, Deed::Given(ids(&["a"])));
        let told = Told::read(&text(&begun));
        for source in ["startup", "resume", "fork"] {
            assert!(!told.wants_start(Some(source), later), "{source}");
        }
        assert!(told.wants_start(Some("compact"), later) && !told.wants_start(Some("compact"), now));
        assert!(Told::default().wants_start(Some("resume"), now));
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
        fn any_text_is_a_record(text in "([a-z{}\":\\[\\],]{0,30}\n?){0,4}") {
            let _ = Told::read(&text);
        }
    }
}
