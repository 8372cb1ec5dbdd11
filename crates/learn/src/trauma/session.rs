//! Finds the incidents of a session: each destructive command with what shows that it did harm.
//!
//! What people and agents say about a loss counts only after a destructive command, and for the one
//! command that it is probably about.

use std::collections::HashSet;

use super::incident::{failure, first_line, gravest, is_restore, nothing_done};
use super::reaction::{HarmJudge, MIN_HARM_PROBABILITY, candidates};
use super::{Danger, HarmEvidence, HarmfulCommand, PathContext};
use crate::outcome::steps::{SessionStep, StepKind, steps};
use crate::prose::MessageAuthor;
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};

/// Number of prompts after a command in which the user may complain about it.
const MAX_COMPLAINT_PROMPTS: usize = 3;
/// Number of commands after a command among which one may restore what it destroyed.
const MAX_RESTORE_COMMANDS: usize = 12;
/// Minimum length of a word that shows which command a message is about, in characters.
const MIN_SUBJECT_WORD_CHARS: usize = 4;
/// Length above which an ASCII word is no word of a language, in bytes.
const MAX_WORD_BYTES: usize = 24;

/// A harmful command with its place in the session log.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionIncident<'a> {
    pub incident: HarmfulCommand,
    pub command: String,
    /// Event of the tool call that ran the command.
    pub event: &'a SessionEvent,
}

/// A destructive command that ran.
struct SuspectCommand<'a, 's> {
    at: usize,
    command: &'s str,
    event: &'a SessionEvent,
    danger: Danger,
    failure: Option<HarmEvidence>,
    /// Whether the command failed before it changed anything.
    did_nothing: bool,
    /// Number of prompts and commands of the session before this command.
    before: (usize, usize),
    /// Evidence in log order, with the index of its event.
    traces: Vec<(usize, HarmEvidence)>,
}

/// A sentence that may report harm.
struct Reaction {
    at: usize,
    author: MessageAuthor,
    text: String,
}

/// Returns the harmful commands of a session, in log order. Only shell calls of the agent count,
/// not mentions of commands or commands that the user ran. `judge` is called only if there is a
/// destructive command.
#[must_use]
pub fn incidents<'a>(
    events: &'a [SessionEvent],
    path_context: &PathContext<'_>,
    judge: HarmJudge<'_>,
) -> Vec<SessionIncident<'a>> {
    let steps = steps(events);
    let mut suspects = suspects(events, &steps, path_context);
    let Some(first) = suspects.first().map(|suspect| suspect.at) else { return Vec::new() };
    for (number, step) in commands(&steps).enumerate() {
        let Some(command) = command_line(step) else { continue };
        let restores = |suspect: &&mut SuspectCommand<'_, '_>| {
            suspect.at < step.at
                && number <= suspect.before.1 + MAX_RESTORE_COMMANDS
                && is_restore(command, suspect.danger.class)
        };
        if let Some(suspect) = suspects.iter_mut().rev().find(restores) {
            suspect.traces.push((step.at, HarmEvidence::Restore(first_line(command))));
        }
    }
    for reaction in reported_harm(events, first, judge) {
        let prompts = prompts_until(events, reaction.at);
        if let Some(at) = blamed_suspect(&suspects, &reaction, prompts) {
            let evidence = match reaction.author {
                MessageAuthor::Person => HarmEvidence::Regret(reaction.text),
                MessageAuthor::Agent => HarmEvidence::Apology(reaction.text),
            };
            suspects[at].traces.push((reaction.at, evidence));
        }
    }
    suspects.into_iter().filter_map(SuspectCommand::into_incident).collect()
}

impl<'a> SuspectCommand<'a, '_> {
    fn into_incident(mut self) -> Option<SessionIncident<'a>> {
        self.traces.sort_by_key(|(at, _)| *at);
        let traces: Vec<HarmEvidence> =
            self.failure.into_iter().chain(self.traces.into_iter().map(|(_, trace)| trace)).collect();
        let Danger { class, shape, reason, .. } = self.danger;
        let incident = HarmfulCommand { class, shape, reason, traces };
        let is_harmful = !incident.traces.is_empty();
        is_harmful.then(|| SessionIncident { incident, command: self.command.to_owned(), event: self.event })
    }
}

fn suspects<'a, 's>(
    events: &'a [SessionEvent],
    steps: &'s [SessionStep],
    path_context: &PathContext<'_>,
) -> Vec<SuspectCommand<'a, 's>> {
    let mut found = Vec::new();
    for (number, step) in commands(steps).enumerate() {
        let (Some(command), Some(event)) = (command_line(step), events.get(step.at)) else { continue };
        if !matches!(event.kind, EventKind::ToolCall { .. }) {
            continue;
        }
        let Some(danger) = gravest(command, path_context) else { continue };
        let result = events.get(step.done_at).filter(|_| step.result_line.is_some());
        let output = match result.map(|event| &event.kind) {
            Some(EventKind::ToolResult { text, .. }) => text.as_str(),
            _ => "",
        };
        found.push(SuspectCommand {
            at: step.at,
            command,
            event,
            failure: failure(step.outcome, output, &danger),
            did_nothing: step.outcome == ToolOutcome::Error && nothing_done(output),
            danger,
            before: (prompts_until(events, step.at), number),
            traces: Vec::new(),
        });
    }
    found
}

fn commands(steps: &[SessionStep]) -> impl Iterator<Item = &SessionStep> {
    steps.iter().filter(|step| command_line(step).is_some())
}

/// Returns the command line that a step ran; `None` for steps that are not shell calls, and for
/// rejected calls.
fn command_line(step: &SessionStep) -> Option<&str> {
    match &step.kind {
        StepKind::Command { line, .. } if !line.is_empty() => Some(line),
        _ => None,
    }
}

/// Number of the user's prompts up to an event, including it.
fn prompts_until(events: &[SessionEvent], at: usize) -> usize {
    let is_prompt = |event: &&SessionEvent| {
        matches!(event.kind, EventKind::UserPrompt { .. } | EventKind::ToolRejected { .. }) && !event.side
    };
    events.iter().take(at + 1).filter(is_prompt).count()
}

/// Returns the sentences after an event that report harm, in log order, at most one of each message.
fn reported_harm(events: &[SessionEvent], after: usize, judge: HarmJudge<'_>) -> Vec<Reaction> {
    let mut found: Vec<Reaction> = Vec::new();
    for (author, other) in [(MessageAuthor::Person, false), (MessageAuthor::Agent, true)] {
        let all: Vec<Reaction> =
            (after..events.len()).flat_map(|at| reactions_of(&events[at], at, other)).collect();
        let texts: Vec<String> = all.iter().map(|one| without_long_words(&one.text)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let judged = judge(author, &texts);
        let mut last = None;
        for (reaction, probability) in all.into_iter().zip(judged) {
            if probability >= MIN_HARM_PROBABILITY && last.replace(reaction.at) != Some(reaction.at) {
                found.push(reaction);
            }
        }
    }
    found.sort_by_key(|reaction| reaction.at);
    found
}

/// Removes keys, hashes and long paths, which hide from the classifier what a sentence says.
fn without_long_words(text: &str) -> String {
    let is_short = |word: &&str| word.len() <= MAX_WORD_BYTES || !word.is_ascii();
    text.split_whitespace().filter(is_short).collect::<Vec<_>>().join(" ")
}

/// Returns the sentences of a message of the user, or of the agent, that can report harm.
fn reactions_of(event: &SessionEvent, at: usize, agents: bool) -> Vec<Reaction> {
    let (author, text) = match &event.kind {
        _ if event.side => return Vec::new(),
        EventKind::UserPrompt { text } | EventKind::ToolRejected { text, .. } if !agents => {
            (MessageAuthor::Person, text)
        }
        EventKind::AssistantText { text } if agents => (MessageAuthor::Agent, text),
        _ => return Vec::new(),
    };
    candidates(text, author).into_iter().map(|text| Reaction { at, author, text }).collect()
}

/// Returns the index of the command that a reaction is about: the last one that it names, else the
/// last of the most severe ones. `prompts` is the number of prompts up to the reaction.
fn blamed_suspect(suspects: &[SuspectCommand<'_, '_>], reaction: &Reaction, prompts: usize) -> Option<usize> {
    let possible = || {
        suspects.iter().enumerate().filter(|(_, suspect)| {
            suspect.at < reaction.at
                && !suspect.did_nothing
                && prompts <= suspect.before.0 + MAX_COMPLAINT_PROMPTS
        })
    };
    let reaction_words = subject_words(&reaction.text);
    let named_command =
        possible().rfind(|(_, suspect)| !subject_words(suspect.command).is_disjoint(&reaction_words));
    let gravest = || possible().max_by_key(|(at, suspect)| (suspect.danger.severity, *at));
    named_command.or_else(gravest).map(|(at, _)| at)
}

/// Returns the words of a text by which a message names a command, in lower case.
fn subject_words(text: &str) -> HashSet<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= MIN_SUBJECT_WORD_CHARS);
    words.map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests;
