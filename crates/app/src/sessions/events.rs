//! Restores a session's events from the index, which works even after the log has been deleted.
//!
//! The index does not store the outcome of tool calls or the structure of their input.

use serde_json::Value;

use super::SessionAccess;
use crate::error::Result;
use cm_index::sessions::{SessionSummary, Speaker, Stretch};
use cm_session::event::{EventKind, EventName, SessionEvent, ToolOutcome};

/// Maximum number of indexed text chunks that are read of one session.
const MAX_STRETCHES: usize = 50_000;

impl SessionAccess {
    /// Returns the events of a session in order.
    ///
    /// # Errors
    /// Returns an error if the session index cannot be read.
    pub(crate) fn events(&self, listed: &SessionSummary) -> Result<Vec<SessionEvent>> {
        let key = listed.session.key();
        let stretches = self.query(|sessions| sessions.stretches(&key, 1..=u64::MAX, 0, MAX_STRETCHES))?;
        Ok(events(stretches.unwrap_or_default()))
    }
}

fn events(stretches: Vec<Stretch>) -> Vec<SessionEvent> {
    let mut events: Vec<SessionEvent> = Vec::new();
    let mut whole: Vec<Stretch> = Vec::new();
    for stretch in stretches {
        match whole.last_mut() {
            Some(last) if same(last, &stretch) => last.text.push_str(&stretch.text),
            _ => whole.push(stretch),
        }
    }
    for event in whole {
        // The output of a person's command has the speaker `tool`, on the same line.
        if event.kind == Some(EventName::PersonCommand)
            && event.speaker == Some(Speaker::Tool)
            && let Some(EventKind::PersonCommand { output, .. }) =
                events.last_mut().map(|event| &mut event.kind)
        {
            *output = Some(event.text);
            continue;
        }
        let (at, line, part, side) = (event.at, event.line, event.part, is_side(&event));
        events.extend(kind(event).map(|kind| SessionEvent { at, line, part, record: None, side, kind }));
    }
    events
}

fn same(one: &Stretch, other: &Stretch) -> bool {
    (one.line, one.part, one.speaker) == (other.line, other.part, other.speaker)
}

/// Returns whether a prompt was written by another agent instead of a person.
fn is_side(stretch: &Stretch) -> bool {
    stretch.kind == Some(EventName::UserPrompt) && stretch.speaker != Some(Speaker::Person)
}

/// Converts a text chunk of the index into an event; `None` for kinds that are irrelevant to
/// conversation and work.
fn kind(stretch: Stretch) -> Option<EventKind> {
    let text = stretch.text;
    Some(match stretch.kind? {
        EventName::UserPrompt => EventKind::UserPrompt { text },
        EventName::AssistantText => EventKind::AssistantText { text },
        EventName::ToolCall => {
            let (name, input) = text.split_once('\n').unwrap_or((&text, ""));
            EventKind::ToolCall { id: None, name: name.to_owned(), input: Value::String(input.to_owned()) }
        }
        EventName::ToolResult => {
            EventKind::ToolResult { id: None, outcome: ToolOutcome::Unknown, exit_code: None, text }
        }
        EventName::PersonCommand => EventKind::PersonCommand { command: text, output: None, exit_code: None },
        EventName::Interrupt => EventKind::Interrupt,
        EventName::ToolRejected => EventKind::ToolRejected { id: None, text },
        EventName::Error => EventKind::Error { text },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretch(line: u64, kind: EventName, speaker: Speaker, text: &str) -> Stretch {
        Stretch {
            at: None,
            line,
            part: 0,
            piece: 0,
            kind: Some(kind),
            speaker: Some(speaker),
            text: text.to_owned(),
        }
    }

    #[test]
    fn stretches_become_the_events_that_they_were_cut_from() {
        let events = events(vec![
            stretch(1, EventName::UserPrompt, Speaker::Person, "fix "),
            stretch(1, EventName::UserPrompt, Speaker::Person, "it"),
            stretch(2, EventName::ToolCall, Speaker::Tool, "Bash\ncommand: ls"),
            stretch(3, EventName::Thinking, Speaker::Agent, "hm"),
            stretch(4, EventName::PersonCommand, Speaker::Person, "ls"),
            stretch(4, EventName::PersonCommand, Speaker::Tool, "a.rs"),
        ]);
        let kinds: Vec<EventKind> = events.into_iter().map(|event| event.kind).collect();
        assert_eq!(
            kinds,
            [
                EventKind::UserPrompt { text: "fix it".into() },
                EventKind::ToolCall { id: None, name: "Bash".into(), input: "command: ls".into() },
                EventKind::PersonCommand {
                    command: "ls".into(),
                    output: Some("a.rs".into()),
                    exit_code: None
                },
            ]
        );
    }
}
