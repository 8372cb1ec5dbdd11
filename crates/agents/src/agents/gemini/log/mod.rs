//! Gemini CLI: one file per session, with lines that replay into a conversation; earlier versions
//! wrote one JSON document.

mod replay;
mod wire;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use super::Gemini;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::document::{self, SeekableInput};
use crate::ingest::emitter::Emitter;
use crate::ingest::json_object;
use crate::ingest::locations::{self, LogLocations};
use crate::ingest::read_result::IngestLimits;
use crate::ingest::sink::SkipReason;
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::{EventKind, ToolOutcome};
pub use replay::emit_lines;
use wire::{FunctionCall, FunctionResponse, GeminiMessage, GeminiMeta, GeminiPart, Projects, ToolCall};

impl Connector for Gemini {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        let mut roots = places.extra_paths_of(Agent::Gemini).to_vec();
        roots.push(match places.variable("GEMINI_HOME") {
            Some(folder) => folder,
            None => places.variable("GEMINI_CLI_HOME").unwrap_or_else(|| places.home.clone()).join(".gemini"),
        });
        for root in roots {
            if let Some(format) = format_of(&root).filter(|_| root.is_file()) {
                found.add(Agent::Gemini, format, root);
                continue;
            }
            let workspaces = workspaces(&root, found);
            for project in found.list(&root.join("tmp")) {
                find_project(&project, &workspaces, found);
            }
        }
    }

    fn reader(&self, format: LogFormat) -> LogReader {
        match format {
            LogFormat::GeminiLines => LogReader::Document(emit_lines),
            _ => LogReader::Document(emit_document),
        }
    }
}

/// Maps the names of folders below `tmp` to working directories; a name is short, or the hash that
/// older versions use.
fn workspaces(root: &Path, found: &mut FoundLogs) -> BTreeMap<String, String> {
    let text = found.read_companion(&root.join("projects.json")).unwrap_or_default();
    let wire: Projects<'_> = serde_json::from_str(&text).unwrap_or_default();
    let mut workspaces = BTreeMap::new();
    for (folder, name) in wire.projects.0.unwrap_or_default() {
        let hash = HEXLOWER.encode(&Sha256::digest(folder.as_bytes()));
        workspaces.insert(hash, folder.to_string());
        workspaces.extend(name.owned().map(|name| (name, folder.into_owned())));
    }
    workspaces
}

fn find_project(project: &Path, workspaces: &BTreeMap<String, String>, found: &mut FoundLogs) {
    let chats = project.join("chats");
    let logs = found.files_below(&chats, 1);
    if logs.is_empty() {
        return;
    }
    let root = found.read_companion(&project.join(".project_root")).map(|text| text.trim().to_owned());
    let workspace =
        root.filter(|root| !root.is_empty()).or_else(|| workspaces.get(locations::name(project)).cloned());
    for path in logs {
        let Some(format) = format_of(&path) else { continue };
        let mut source = LogSource::new(Agent::Gemini, format, &path);
        source.workspace.clone_from(&workspace);
        source.parent =
            Some(locations::folder(&path)).filter(|_| path.parent() != Some(&chats)).map(Into::into);
        found.sources.push(source);
    }
}

fn format_of(path: &Path) -> Option<LogFormat> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("jsonl") => Some(LogFormat::GeminiLines),
        Some("json") => Some(LogFormat::GeminiDocument),
        _ => None,
    }
}

/// Emits the events of a conversation that is one JSON document.
pub fn emit_document(
    source: &LogSource,
    input: &mut dyn SeekableInput,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    out.begin(source.initial_meta());
    let mut members = String::from("{");
    let mut calls = EmittedCalls::default();
    document::members_then_entries(
        input,
        &["messages"],
        limits,
        out,
        &mut |out, name, bytes| {
            // One member at a time is read as a record of that member alone.
            members.truncate(1);
            let (Ok(name), Ok(value)) = (serde_json::to_string(name), std::str::from_utf8(bytes)) else {
                return;
            };
            members.push_str(&format!("{name}:{value}}}"));
            if let Ok(meta) = serde_json::from_str(&members) {
                about(&meta, out);
            }
        },
        &mut |out, _, bytes| {
            json_object::emit_object(bytes, out, |bytes, out| {
                serde_json::from_slice(bytes).map(|wire| emit_message(&wire, &mut calls, out))
            });
        },
    )
}

/// Applies session metadata.
fn about(meta: &GeminiMeta<'_>, out: &mut Emitter<'_>) {
    out.identify(meta.session_id.or_empty());
    out.extend_time_range(meta.start_time.0);
    if let Some(folder) = meta.directories.0.iter().find_map(|folder| folder.non_blank()) {
        out.workspace(folder);
    }
    if let Some(title) = meta.summary.non_blank() {
        out.title(title);
    }
    if let (Some("subagent"), Some(meta)) = (meta.kind.non_blank(), out.meta()) {
        meta.subagent = true;
    }
}

fn text_of<'p>(part: &'p GeminiPart<'_>) -> Option<&'p str> {
    part.text.0.as_deref()
}

/// Ids of the emitted tool calls and results. A message contains them once, and a resumed session
/// repeats them as parts.
#[derive(Default)]
pub struct EmittedCalls {
    called: HashSet<String>,
    answered: HashSet<String>,
}

fn emit_message(message: &GeminiMessage<'_>, calls: &mut EmittedCalls, out: &mut Emitter<'_>) {
    let (at, id) = (message.timestamp.0, message.id.non_blank());
    let text = message.content.joined(text_of);
    match message.kind.or_empty() {
        "user" => {
            // What was typed, before files that it names were put in.
            let shown = message.display_content.joined(text_of);
            let text = if shown.trim().is_empty() { &text } else { &shown };
            let answers = message.content.blocks().filter_map(|part| part.function_response.0.as_ref());
            let answers: Vec<_> = answers.collect();
            answers.iter().for_each(|answer| answered(at, id, answer, calls, out));
            if answers.is_empty() || !text.trim().is_empty() {
                out.emit_prompt(at, id, text);
            }
        }
        "gemini" => emit_answer(at, id, message, text, calls, out),
        "info" | "error" if text.trim() == "Request cancelled." => {
            out.emit(at, id, false, EventKind::Interrupt)
        }
        "info" | "warning" => out.emit(at, id, false, EventKind::System { text }),
        "error" => out.emit(at, id, false, EventKind::Error { text }),
        other => out.count_unknown(&format!("message/{other}")),
    }
}

fn emit_answer(
    at: Option<Instant>,
    id: Option<&str>,
    message: &GeminiMessage<'_>,
    text: String,
    calls: &mut EmittedCalls,
    out: &mut Emitter<'_>,
) {
    if let Some(model) = message.model.non_blank() {
        out.model(at, id, model);
    }
    for thought in &message.thoughts.0 {
        let text = format!("{}: {}", thought.subject.or_empty(), thought.description.or_empty());
        out.emit(thought.timestamp.0.or(at), id, false, EventKind::Thinking { text });
    }
    if !text.trim().is_empty() {
        out.emit(at, id, false, EventKind::AssistantText { text });
    } else if message.thoughts.0.is_empty()
        && message.tool_calls.0.is_empty()
        && !message.content.blocks().any(|part| part.function_call.0.is_some())
    {
        out.skip("message/gemini", SkipReason::Empty);
    }
    for call in &message.tool_calls.0 {
        calls.called.extend(call.id.non_blank().map(str::to_owned));
        calls.answered.extend(call.id.non_blank().map(str::to_owned));
        emit_tool_call(at, id, call, out);
    }
    for call in message.content.blocks().filter_map(|part| part.function_call.0.as_ref()) {
        called(at, id, call, calls, out);
    }
}

/// Emits a tool call that is part of a message.
fn called(
    at: Option<Instant>,
    record: Option<&str>,
    call: &FunctionCall<'_>,
    calls: &mut EmittedCalls,
    out: &mut Emitter<'_>,
) {
    if call.id.non_blank().is_some_and(|id| !calls.called.insert(id.to_owned())) {
        return out.skip("message/gemini", SkipReason::Duplicate);
    }
    let (id, name) = (call.id.non_blank().map(Into::into), call.name.or_empty().to_owned());
    out.emit(at, record, false, EventKind::ToolCall { id, name, input: call.args.value() });
}

/// Emits a tool result that is part of a message.
fn answered(
    at: Option<Instant>,
    record: Option<&str>,
    answer: &FunctionResponse<'_>,
    calls: &mut EmittedCalls,
    out: &mut Emitter<'_>,
) {
    if answer.id.non_blank().is_some_and(|id| !calls.answered.insert(id.to_owned())) {
        return out.skip("message/user", SkipReason::Duplicate);
    }
    let Some(response) = &answer.response.0 else { return };
    let error = response.error.non_blank();
    let text = response.output.non_blank().or(error).unwrap_or_default().to_owned();
    let exit_code = exit_code(&text);
    let failed = error.is_some() || exit_code.is_some_and(|code| code != 0);
    let outcome = if failed { ToolOutcome::Error } else { ToolOutcome::Ok };
    let id = answer.id.non_blank().map(Into::into);
    out.emit(at, record, false, EventKind::ToolResult { id, outcome, exit_code, text });
}

fn emit_tool_call(at: Option<Instant>, record: Option<&str>, call: &ToolCall<'_>, out: &mut Emitter<'_>) {
    let id = || call.id.non_blank().map(Into::into);
    let at = call.timestamp.0.or(at);
    let name = call.name.or_empty().to_owned();
    out.emit(at, record, false, EventKind::ToolCall { id: id(), name, input: call.args.value() });
    let outcome = match call.status.or_empty() {
        "success" => ToolOutcome::Ok,
        "error" => ToolOutcome::Error,
        "cancelled" => return out.emit(at, record, false, EventKind::Interrupt),
        _ => return,
    };
    let text = call.output();
    let exit_code = exit_code(&text);
    let outcome = if exit_code.is_some_and(|code| code != 0) { ToolOutcome::Error } else { outcome };
    out.emit(at, record, false, EventKind::ToolResult { id: id(), outcome, exit_code, text });
}

/// Parses the exit code in a line such as `Exit Code: 1`.
fn exit_code(text: &str) -> Option<i32> {
    text.lines().rev().take(8).find_map(|line| line.trim().strip_prefix("Exit Code: ")?.trim().parse().ok())
}
