//! What went wrong in a hook, as a line of its log: the agent hears nothing of it, a person can look it up.

use serde::{Deserialize, Serialize};

use super::Message;
use crate::domain::instant::Instant;
use crate::domain::markdown::escape::visible;

/// How much of the log is kept, in bytes.
pub const KEPT: usize = 64 << 10;
/// The longest message, in characters.
const LONGEST: usize = 500;

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// When, as RFC 3339.
    pub at: String,
    /// The agent.
    pub agent: String,
    /// The event, by our name; empty where nobody said it.
    pub event: String,
    /// The session; empty where nobody said it.
    pub session: String,
    /// What went wrong.
    pub message: String,
}

impl Failure {
    /// What went wrong with a message.
    #[must_use]
    pub fn new(at: Instant, message: &Message, what: &str) -> Self {
        let clipped = |text: &str| visible(text).chars().take(LONGEST).collect();
        Self {
            at: at.to_string(),
            agent: message.agent.name().to_owned(),
            event: message.event.map_or_else(String::new, |event| event.name().to_owned()),
            session: clipped(message.session.as_deref().unwrap_or_default()),
            message: clipped(what),
        }
    }

    /// As it is appended, with its line break.
    #[must_use]
    pub fn line(&self) -> String {
        // It holds strings only, which always become JSON.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// The end of a log that is kept, from the begin of a line; none where the log is not too long yet. It is half of what
/// may be kept, so that the log is seldom written anew.
#[must_use]
pub fn shortened(log: &str) -> Option<&str> {
    if log.len() <= KEPT {
        return None;
    }
    let mut from = log.len() - KEPT / 2;
    while !log.is_char_boundary(from) {
        from += 1;
    }
    Some(log[from..].split_once('\n').map_or("", |(_, rest)| rest))
}

/// The last lines of a log, the newest first; lines that are none are passed over.
#[must_use]
pub fn latest(log: &str, most: usize) -> Vec<Failure> {
    log.lines().rev().filter_map(|line| serde_json::from_str(line).ok()).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Agent, Event};
    use super::*;

    fn failure(what: &str) -> Failure {
        let message = Message::read("{\"session_id\":\"s\\n1\"}", Some(Agent::Gemini), Some(Event::Prompt));
        Failure::new(Instant::parse("2026-11-22T10:00:00Z").unwrap(), &message, what)
    }

    #[test]
    fn a_failure_is_one_line() {
        let expected = r#"{"at":"2026-11-22T10:00:00Z","agent":"gemini","event":"prompt","session":"s 1","message":"the vault is locked"}"#;
        assert_eq!(failure("the vault\nis locked").line(), format!("{expected}\n"));
        assert!(failure(&"x".repeat(9_000)).line().len() < 700);
    }

    #[test]
    fn a_long_log_keeps_its_end_in_whole_lines() {
        let log: String = (0..2_000).map(|number| failure(&format!("é {number}")).line()).collect();
        let kept = shortened(&log).unwrap();
        assert!(kept.len() <= KEPT / 2 && kept.starts_with('{') && log.ends_with(kept));
        assert_eq!(shortened(kept), None);
        let latest = latest(kept, 2);
        assert_eq!(
            latest.iter().map(|failure| failure.message.as_str()).collect::<Vec<_>>(),
            ["é 1999", "é 1998"]
        );
        assert!(super::latest("torn\n{\"at\":", 3).is_empty());
    }
}
