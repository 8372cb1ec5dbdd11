//! Finds the incidents of a session: each shell command with its outcome and the steps after it.

use super::incident::apology;
use super::{HarmfulCommand, NextStep, ObservedCommand, PathContext, incident};
use crate::outcome::steps::{SessionStep, StepKind, steps};
use cm_session::event::{EventKind, SessionEvent};
use cm_session::harness_text;

/// A harmful command with its place in the session log.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionIncident<'a> {
    pub incident: HarmfulCommand,
    pub command: String,
    /// Event of the tool call that ran the command.
    pub event: &'a SessionEvent,
}

/// Returns the harmful commands of a session, in log order. Only shell calls of the agent count,
/// not mentions of commands or commands that the user ran.
#[must_use]
pub fn incidents<'a>(events: &'a [SessionEvent], ground: &PathContext<'_>) -> Vec<SessionIncident<'a>> {
    let steps = steps(events);
    let following = next_steps(events, &steps);
    let mut found = Vec::new();
    for step in &steps {
        let (Some(command), Some(event)) = (command_line(step), events.get(step.at)) else { continue };
        if !matches!(event.kind, EventKind::ToolCall { .. }) {
            continue;
        }
        let result = events.get(step.done_at).filter(|_| step.result_line.is_some());
        let output = match result.map(|event| &event.kind) {
            Some(EventKind::ToolResult { text, .. }) => text.as_str(),
            _ => "",
        };
        let first = following.partition_point(|(at, _)| *at <= step.at);
        let after: Vec<NextStep<'_>> = following.iter().skip(first).take(12).map(|(_, next)| *next).collect();
        let attempt = ObservedCommand { command, outcome: step.outcome, output, after: &after };
        found.extend(incident(&attempt, ground).map(|incident| SessionIncident {
            incident,
            command: command.to_owned(),
            event,
        }));
    }
    found
}

/// Returns the command line that a step ran; `None` for steps that are not shell calls, and for
/// rejected calls.
fn command_line(step: &SessionStep) -> Option<&str> {
    match &step.kind {
        StepKind::Command { line, .. } if !line.is_empty() => Some(line),
        _ => None,
    }
}

/// Returns the commands, user messages and apologies of a session in order, each with the index of
/// its event.
fn next_steps<'a>(events: &'a [SessionEvent], steps: &'a [SessionStep]) -> Vec<(usize, NextStep<'a>)> {
    let commands = steps.iter().filter_map(|step| Some((step.at, NextStep::Ran(command_line(step)?))));
    let messages = events.iter().enumerate().filter_map(|(at, event)| Some((at, message(event)?)));
    let mut following: Vec<(usize, NextStep<'a>)> = commands.chain(messages).collect();
    following.sort_by_key(|(at, _)| *at);
    following
}

fn message(event: &SessionEvent) -> Option<NextStep<'_>> {
    match &event.kind {
        EventKind::UserPrompt { text } if !event.side && !harness_text::is_scaffold(text) => {
            Some(NextStep::UserMessage(text))
        }
        EventKind::AssistantText { text } if !event.side && apology(text).is_some() => {
            Some(NextStep::AgentMessage(text))
        }
        _ => None,
    }
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

    fn prompt(text: &str) -> EventKind {
        EventKind::UserPrompt { text: text.into() }
    }

    #[test]
    fn a_command_that_was_run_and_regretted_is_an_incident_at_its_line() {
        let events =
            session(vec![prompt("clean up"), called("git reset --hard"), prompt("oh no, my work is gone")]);
        let found = incidents(&events, &GROUND);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].event.line, found[0].command.as_str()), (2, "git reset --hard"));
    }

    #[test]
    fn an_apology_of_the_agent_for_a_loss_makes_an_incident() {
        let sorry = |text: &str| EventKind::AssistantText { text: text.into() };
        let of = |command: &str, text: &str| {
            incidents(&session(vec![prompt("clean up"), called(command), sorry(text)]), &GROUND).len()
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
            vec![called("git reset --hard"), rejected, prompt("oh no, undo that")],
            vec![prompt("git reset --hard"), prompt("oh no, undo that")],
            vec![called("echo 'git reset --hard'"), prompt("oh no, undo that")],
        ] {
            assert_eq!(incidents(&session(kinds), &GROUND), []);
        }
    }
}
