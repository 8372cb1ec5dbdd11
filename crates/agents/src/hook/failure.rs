//! Log lines for hook failures. Failures never reach the agent; a person can read them in the log.

use serde::{Deserialize, Serialize};

use super::HookMessage;
use cm_note::instant::Instant;
use cm_note::markdown::escape::visible;

/// Maximum length of a message, in characters.
const MAX_MESSAGE_CHARS: usize = 500;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureLogLine {
    /// Time of the failure, RFC 3339.
    pub at: String,
    pub agent: String,
    /// cm's name of the event; empty if unknown.
    pub event: String,
    /// Session id; empty if unknown.
    pub session: String,
    pub message: String,
}

impl FailureLogLine {
    /// Creates the log line for a failure while handling `message`.
    #[must_use]
    pub fn new(at: Instant, message: &HookMessage, what: &str) -> Self {
        let clipped = |text: &str| visible(text).chars().take(MAX_MESSAGE_CHARS).collect();
        Self {
            at: at.to_string(),
            agent: message.agent.name().to_owned(),
            event: message.event.map_or_else(String::new, |event| event.name().to_owned()),
            session: clipped(message.session.as_deref().unwrap_or_default()),
            message: clipped(what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::HookEvent;
    use super::*;
    use crate::agents::gemini::Gemini;

    fn failure(what: &str) -> FailureLogLine {
        let message = HookMessage::read("{\"session_id\":\"s\\n1\"}", Some(&Gemini), Some(HookEvent::Prompt));
        FailureLogLine::new(Instant::parse("2026-11-22T10:00:00Z").unwrap(), &message, what)
    }

    #[test]
    fn a_failure_is_one_short_line() {
        let expected = r#"{"at":"2026-11-22T10:00:00Z","agent":"gemini","event":"prompt","session":"s 1","message":"the vault is locked"}"#;
        let line = |what: &str| serde_json::to_string(&failure(what)).unwrap();
        assert_eq!(line("the vault\nis locked"), expected);
        assert!(line(&"x".repeat(9_000)).len() < 700);
    }
}
