//! Reduces a session to the commands that it ran, with their results, and the files that it changed.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::command::{ReducedLine, TracedCommand, reduce};
use super::explanation::{explanation, requirement};
use super::hint::{hint_of_command, is_hint};
use super::remark::{AgentMessage, remarks, statements_about, statements_of};
use super::signature::{CommandFailure, has_error};

use crate::outcome::shell::CommandKind;
use crate::outcome::steps::{SessionStep, StepKind};
use crate::workspace_path::inside;
use cm_note::instant::Instant;
use cm_session::SessionMeta;
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};
use cm_session::status::SessionStatus;
use cm_text::embedding::Embedding;

/// Version of the form of traces. A stored trace of another version is built again.
pub const TRACE_FORMAT_VERSION: u32 = 11;

/// Maximum number of steps of a trace; later ones are left out.
const MAX_TRACE_STEPS: usize = 600;
/// Maximum length of an added line that is stored, in characters.
const MAX_ADDED_LINE_CHARS: usize = 100;
/// Maximum number of lines added by an edit that are stored.
const MAX_ADDED_LINES: usize = 4;

/// Commands and edits of one session, in log order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SessionTrace {
    /// Session id.
    pub session: String,
    /// Name of the agent.
    pub agent: String,
    /// Number of the conversation, which forks share; set by the reader of the traces.
    #[serde(skip)]
    pub conversation: u64,
    /// Working folder, as in the log.
    pub workspace: Option<String>,
    /// Time of the last record.
    pub ended: Option<Instant>,
    #[serde(default)]
    pub status: SessionStatus,
    pub steps: Vec<TracedStep>,
    /// Sentences of the person that may be wishes for every session; set by the reader of the log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<TracedRequest>,
}

/// A sentence that a person typed and that may be a wish for every session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracedRequest {
    /// Line in the log, from 1.
    pub line: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Instant>,
    /// The sentence so that it can be understood alone.
    pub text: String,
    /// The sentence as typed.
    pub quote: String,
    /// Probability that it is meant to last, 0–1.
    pub lasting: f32,
    /// Embedding of the sentence, scaled to bytes; empty without a model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vector: Vec<i8>,
}

impl TracedRequest {
    /// Sets the embedding, with a precision of a byte a dimension.
    pub fn with_vector(self, vector: &Embedding) -> Self {
        let most =
            vector.parts().iter().fold(0.0_f32, |most, part| most.max(part.abs())).max(f32::MIN_POSITIVE);
        let byte = |part: &f32| (part / most * f32::from(i8::MAX)).round() as i8;
        Self { vector: vector.parts().iter().map(byte).collect(), ..self }
    }

    /// Returns the embedding; `None` without one.
    pub fn embedding(&self) -> Option<Embedding> {
        Embedding::of(self.vector.iter().map(|part| f32::from(*part)).collect())
    }
}

/// A command or edit of a trace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TracedStep {
    /// Line in the log, from 1.
    pub line: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Instant>,
    #[serde(flatten)]
    pub kind: TracedKind,
}

/// What a step of a trace did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "did")]
pub enum TracedKind {
    /// A command succeeded.
    Passed { command: TracedCommand },
    /// A command failed.
    Failed { command: TracedCommand, failure: CommandFailure },
    /// Files were edited.
    Edited {
        /// Paths, relative to the workspace where they are below it.
        paths: Vec<String>,
        /// The added lines, without indentation; empty if they are too many or too long.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        added: Vec<String>,
    },
    /// Files may have changed in some other way.
    Changed,
    /// The agent explained why something failed.
    Explained { text: String },
    /// A command failed, a similar one passed, and the agent named something that only the second command has.
    ExplainedReplacement {
        failed: TracedCommand,
        failure: CommandFailure,
        used: TracedCommand,
        text: String,
        /// First sentence of the person's answer, if it confirms the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
    },
    /// The agent named a cause after a wrong guess, or explained something and the person confirmed or accepted it.
    NamedCause {
        text: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
    },
    /// The agent put into words what a person hinted at.
    TookHint {
        text: String,
        /// First sentence of the person's answer, if it confirms the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
    },
}

impl SessionTrace {
    /// Builds the trace of a session from its events and steps. Steps of subagents and steps with an
    /// unknown result are left out.
    pub fn of(
        meta: &SessionMeta,
        events: &[SessionEvent],
        steps: &[SessionStep],
        status: SessionStatus,
    ) -> Self {
        let workspace = meta.workspace.as_deref();
        let mut traced = Vec::new();
        for step in steps.iter().filter(|step| !step.is_subagent) {
            let at = events.get(step.at).and_then(|event| event.at);
            let own = match &step.kind {
                StepKind::Command { line, parts } if line.is_empty() => {
                    let commits = parts.iter().any(|part| part.work() == CommandKind::Commit);
                    commits
                        .then(|| TracedKind::Passed { command: TracedCommand::commit() })
                        .into_iter()
                        .collect()
                }
                StepKind::Command { line, .. } => {
                    let output = events.get(step.done_at).map_or("", output);
                    of_line(&reduce(line, workspace), step.outcome, output)
                }
                StepKind::Edit { paths, texts } if step.edited() => of_edit(paths, texts, workspace),
                StepKind::Edit { .. } | StepKind::Other => Vec::new(),
            };
            traced.extend(own.into_iter().map(|kind| TracedStep { line: step.line, at, kind }));
        }
        traced.sort_by_key(|step| step.line);
        let messages = messages(events);
        let remarks = remarks(&traced, &messages);
        let explained = explanations(&messages, &traced);
        traced.extend(explained);
        traced.extend(remarks);
        traced.sort_by_key(|step| step.line);
        traced.truncate(MAX_TRACE_STEPS);
        Self {
            session: meta.id.to_string(),
            agent: meta.agent.to_string(),
            conversation: 0,
            workspace: meta.workspace.clone(),
            ended: meta.ended.or(meta.started),
            status,
            steps: traced,
            requests: Vec::new(),
        }
    }
}

fn messages(events: &[SessionEvent]) -> Vec<AgentMessage<'_>> {
    let mut messages: Vec<AgentMessage<'_>> = Vec::new();
    let mut is_answer = false;
    // The person's last words, and whether they or a command that they ran hint at something.
    let (mut prompt, mut hints) = ("", false);
    for event in events.iter().filter(|event| !event.side) {
        match &event.kind {
            EventKind::AssistantText { text } => {
                let hint = std::mem::take(&mut hints).then_some(prompt);
                messages.push(AgentMessage { line: event.line, at: event.at, text, hint, answer: None });
                is_answer = true;
            }
            EventKind::PersonCommand { command, .. } => {
                hints |= hint_of_command(command);
                prompt = "";
            }
            EventKind::UserPrompt { text, .. } => {
                hints |= is_hint(text);
                prompt = text;
                if let Some(last) = messages.last_mut().filter(|_| is_answer) {
                    last.answer = Some(text);
                }
                is_answer = false;
            }
            _ => {}
        }
    }
    messages
}

/// Returns the agent's explanations, in log order: what names a cause, and statements right after a command that could
/// not do its work, or that passes after it could not. `steps` are sorted by line.
fn explanations(messages: &[AgentMessage<'_>], steps: &[TracedStep]) -> Vec<TracedStep> {
    let mut before = 0;
    let explained = messages.iter().filter_map(|message| {
        let since = std::mem::replace(&mut before, message.line);
        let failed = || failure_before(steps, message.line);
        let repaired = || repaired_failure(steps, since..message.line);
        let required = || requirement(message.text).filter(|_| repaired().is_some());
        let stated =
            || statements_of(message.text).filter(|_| failed().is_some_and(|failure| !failure.judged));
        let about_error = || match failed() {
            Some(failure) => statements_about(message.text, failure, false),
            None => statements_about(message.text, repaired()?, true),
        };
        let text = explanation(message.text).or_else(required).or_else(stated).or_else(about_error)?;
        Some(TracedStep { line: message.line, at: message.at, kind: TracedKind::Explained { text } })
    });
    explained.collect()
}

/// Returns why the step before a line failed; `None` if it did not.
fn failure_before(steps: &[TracedStep], line: u64) -> Option<&CommandFailure> {
    let before = steps.partition_point(|step| step.line < line).checked_sub(1)?;
    match &steps.get(before)?.kind {
        TracedKind::Failed { failure, .. } => Some(failure),
        _ => None,
    }
}

/// Returns why the last command of these lines failed before it passed; `None` if it did not.
fn repaired_failure(steps: &[TracedStep], lines: Range<u64>) -> Option<&CommandFailure> {
    let end = steps.partition_point(|step| step.line < lines.end);
    let (last, earlier) = steps[..end].split_last().filter(|(last, _)| last.line >= lines.start)?;
    let TracedKind::Passed { command } = &last.kind else { return None };
    earlier.iter().rev().find_map(|step| match &step.kind {
        TracedKind::Failed { command: failed, failure } if failed.text == command.text => Some(failure),
        _ => None,
    })
}

fn output(event: &SessionEvent) -> &str {
    match &event.kind {
        EventKind::ToolResult { text, .. } => text,
        EventKind::PersonCommand { output, .. } => output.as_deref().unwrap_or_default(),
        _ => "",
    }
}

fn of_line(line: &ReducedLine, outcome: ToolOutcome, output: &str) -> Vec<TracedKind> {
    let mut traced = Vec::new();
    if outcome != ToolOutcome::Error || line.commands.is_empty() {
        if !line.written.is_empty() {
            traced.push(TracedKind::Edited { paths: line.written.clone(), added: Vec::new() });
        } else if line.changes {
            traced.push(TracedKind::Changed);
        }
    } else if line.changes {
        traced.push(TracedKind::Changed);
    }
    match (outcome, line.commands.as_slice()) {
        // Which of several commands failed is not known, unless they are parts of one.
        (ToolOutcome::Error, [command, rest @ ..]) if rest.iter().all(|one| one.name == command.name) => {
            let text = line.commands.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join(" && ");
            let is_single = rest.is_empty();
            let (reusable, comparable) = (command.reusable && is_single, command.comparable && is_single);
            let command = TracedCommand { text, reusable, comparable, ..command.clone() };
            traced.push(TracedKind::Failed { command, failure: CommandFailure::of(output) });
        }
        (ToolOutcome::Ok, _) if line.hides_outcome && has_error(output) => {}
        (ToolOutcome::Ok, [.., last]) if line.hides_outcome => {
            traced.push(TracedKind::Passed { command: last.clone() });
        }
        (ToolOutcome::Ok, commands) => {
            traced.extend(commands.iter().map(|command| TracedKind::Passed { command: command.clone() }));
        }
        _ => {}
    }
    traced
}

fn of_edit(paths: &[String], texts: &[(String, String)], workspace: Option<&str>) -> Vec<TracedKind> {
    let paths: Vec<String> =
        paths.iter().map(|path| inside(path, workspace)).filter(|path| is_of_project(path)).collect();
    if paths.is_empty() {
        return Vec::new();
    }
    vec![TracedKind::Edited { paths, added: added_lines(texts) }]
}

/// Returns whether a path is relative and not in a folder of an agent or of version control.
fn is_of_project(path: &str) -> bool {
    let folders = [".claude", ".cursor", ".codex", ".gemini", ".git"];
    !path.starts_with(['/', '~', '\\'])
        && path.get(1..3) != Some(":\\")
        && !path.split(['/', '\\']).any(|part| folders.contains(&part) || part == "..")
}

fn added_lines(texts: &[(String, String)]) -> Vec<String> {
    let [(old, new)] = texts else { return Vec::new() };
    let added: Vec<&str> = new
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !old.lines().any(|before| before.trim() == *line))
        .take(MAX_ADDED_LINES + 1)
        .collect();
    let is_short = |line: &&str| line.chars().count() <= MAX_ADDED_LINE_CHARS && !line.contains('`');
    let fits = added.len() <= MAX_ADDED_LINES && added.iter().all(is_short);
    if fits { added.into_iter().map(str::to_owned).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::super::support::test_traces::trace;
    use super::*;
    use crate::outcome::test_events::*;

    #[test]
    fn commands_and_edits_are_listed_with_their_results() {
        use ToolOutcome::{Error, Ok};
        let kinds = [
            ran("1", "cd /w && make test 2>&1 | tail", Error, "connect: connection refused").to_vec(),
            ran("2", "ls", Ok, "a").to_vec(),
            ran("3", "make up && make seed", Ok, "").to_vec(),
            edited("4", "/w/src/a.rs").to_vec(),
            edited("5", "/tmp/x.rs").to_vec(),
            ran("6", "make up && make test", Error, "no").to_vec(),
            ran("7", "cargo run | tail", Ok, "error: no such table").to_vec(),
        ];
        let traced = trace("s", kinds.concat());
        let shown: Vec<String> = traced
            .steps
            .iter()
            .map(|step| match &step.kind {
                TracedKind::Passed { command } => format!("{} ok", command.text),
                TracedKind::Failed { command, failure } => {
                    format!("{} {}", command.text, failure.message.as_deref().unwrap_or_default())
                }
                TracedKind::Edited { paths, added } => format!("{paths:?} {added:?}"),
                TracedKind::Changed => "changed".to_owned(),
                TracedKind::Explained { text }
                | TracedKind::ExplainedReplacement { text, .. }
                | TracedKind::NamedCause { text, .. }
                | TracedKind::TookHint { text, .. } => text.clone(),
            })
            .collect();
        assert_eq!(
            shown,
            ["make test connect: connection refused", "make up ok", "make seed ok", "[\"src/a.rs\"] [\"b\"]"]
        );
    }

    #[test]
    fn a_trace_is_written_and_read_back() {
        let kinds = [
            ran("1", "A=1 make test", ToolOutcome::Error, "--- FAIL: TestX").to_vec(),
            edited("2", "/w/a").to_vec(),
            ran("3", "rm x", ToolOutcome::Ok, "").to_vec(),
        ];
        let traced = SessionTrace { conversation: 0, ..trace("s", kinds.concat()) };
        let text = serde_json::to_string(&traced).unwrap();
        assert_eq!(serde_json::from_str::<SessionTrace>(&text).unwrap(), traced);
    }
}
