//! Finds the incidents of a session: each shell command with its outcome and the steps after it.

use std::collections::HashMap;

use super::incident::apology;
use super::{CallOutcome, HarmfulCommand, NextStep, ObservedCommand, PathContext, incident, tool};
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};
use cm_session::{CallId, harness_text};

/// An incident with its place in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionIncident<'a> {
    pub incident: HarmfulCommand,
    pub command: String,
    /// Event of the tool call.
    pub event: &'a SessionEvent,
}

/// Returns the incidents of a session, in log order. Only shell calls count, not mentions of
/// commands.
#[must_use]
pub fn incidents<'a>(events: &'a [SessionEvent], ground: &PathContext<'_>) -> Vec<SessionIncident<'a>> {
    let ends = ends(events);
    let steps: Vec<(usize, IncidentStep)> =
        events.iter().enumerate().filter_map(|(at, event)| Some((at, step(event)?))).collect();
    let mut found = Vec::new();
    for (index, (at, step)) in steps.iter().enumerate() {
        let (IncidentStep::Called(command), EventKind::ToolCall { id, .. }) = (step, &events[*at].kind)
        else {
            continue;
        };
        let nameless = match events.get(at + 1).map(|event| &event.kind) {
            Some(EventKind::ToolRejected { id: None, text }) => (CallOutcome::Refused, text.as_str()),
            _ => (CallOutcome::Unknown, ""),
        };
        let (ending, output) = id.as_ref().and_then(|id| ends.get(id)).copied().unwrap_or(nameless);
        let after: Vec<NextStep<'_>> =
            steps[index + 1..].iter().take(12).map(|(_, step)| step.after()).collect();
        let attempt = ObservedCommand { command, ending, output, after: &after };
        found.extend(incident(&attempt, ground).map(|incident| SessionIncident {
            incident,
            command: command.clone(),
            event: &events[*at],
        }));
    }
    found
}

/// An event that can be a command or a reaction to one.
enum IncidentStep {
    /// The agent called a shell.
    Called(String),
    /// The user ran a command themselves.
    Ran(String),
    /// The user sent a message.
    Said(String),
    /// The agent apologized.
    Answered(String),
}

impl IncidentStep {
    fn after(&self) -> NextStep<'_> {
        match self {
            Self::Called(command) | Self::Ran(command) => NextStep::Ran(command),
            Self::Said(words) => NextStep::Said(words),
            Self::Answered(words) => NextStep::Answered(words),
        }
    }
}

fn step(event: &SessionEvent) -> Option<IncidentStep> {
    match &event.kind {
        EventKind::ToolCall { name, input, .. } => tool::command_of(name, input).map(IncidentStep::Called),
        EventKind::PersonCommand { command, .. } => Some(IncidentStep::Ran(command.clone())),
        EventKind::UserPrompt { text } if !event.side && !harness_text::is_scaffold(text) => {
            Some(IncidentStep::Said(text.clone()))
        }
        EventKind::AssistantText { text } if !event.side && apology(text).is_some() => {
            Some(IncidentStep::Answered(text.clone()))
        }
        _ => None,
    }
}

/// Returns the outcome and output of each call.
fn ends(events: &[SessionEvent]) -> HashMap<&CallId, (CallOutcome, &str)> {
    let mut ends = HashMap::new();
    for event in events {
        match &event.kind {
            EventKind::ToolResult { id: Some(id), outcome, text, .. } => {
                let ending = match outcome {
                    ToolOutcome::Ok => CallOutcome::Succeeded,
                    ToolOutcome::Error => CallOutcome::Failed,
                    ToolOutcome::Unknown => CallOutcome::Unknown,
                };
                ends.insert(id, (ending, text.as_str()));
            }
            EventKind::ToolRejected { id: Some(id), text } => {
                ends.insert(id, (CallOutcome::Refused, text.as_str()));
            }
            _ => {}
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const GROUND: PathContext<'static> = PathContext::new("/home/ada/shop", "/home/ada");

    fn session(kinds: Vec<EventKind>) -> Vec<SessionEvent> {
        let event = |(line, kind)| SessionEvent { at: None, line, part: 0, record: None, side: false, kind };
        (1..).zip(kinds).map(event).collect()
    }

    fn called(command: &str) -> EventKind {
        let input = json!({ "command": command });
        EventKind::ToolCall { id: Some("c".into()), name: "Bash".into(), input }
    }

    fn said(text: &str) -> EventKind {
        EventKind::UserPrompt { text: text.into() }
    }

    #[test]
    fn a_command_that_was_run_and_regretted_is_an_incident_at_its_line() {
        let events =
            session(vec![said("clean up"), called("git reset --hard"), said("oh no, my work is gone")]);
        let found = incidents(&events, &GROUND);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].event.line, found[0].command.as_str()), (2, "git reset --hard"));
    }

    #[test]
    fn an_apology_of_the_agent_for_a_loss_makes_an_incident() {
        let sorry = |text: &str| EventKind::AssistantText { text: text.into() };
        let of = |command: &str, text: &str| {
            incidents(&session(vec![said("clean up"), called(command), sorry(text)]), &GROUND).len()
        };
        assert_eq!(of("git reset --hard", "I apologize: I deleted your uncommitted changes."), 1);
        assert_eq!(of("git reset --hard", "Done. The working tree is clean."), 0);
        assert_eq!(of("git reset --hard", "I'm sorry that the build is slow."), 0);
        assert_eq!(of("cargo build", "I apologize: I deleted your uncommitted changes."), 0);
    }

    #[test]
    fn a_refused_command_and_talk_about_one_are_none() {
        let rejected = EventKind::ToolRejected { id: Some("c".into()), text: "no".into() };
        for kinds in [
            vec![called("git reset --hard"), rejected, said("oh no, undo that")],
            vec![said("git reset --hard"), said("oh no, undo that")],
            vec![called("echo 'git reset --hard'"), said("oh no, undo that")],
        ] {
            assert_eq!(incidents(&session(kinds), &GROUND), []);
        }
    }
}
