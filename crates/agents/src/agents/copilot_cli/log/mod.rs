//! GitHub Copilot CLI: a folder per session with a file of events; earlier versions wrote one JSON
//! document.

mod wire;

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::CopilotCli;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::document::{self, SeekableInput};
use crate::ingest::emitter::Emitter;
use crate::ingest::json_object;
use crate::ingest::line_reader::LineFormat;
use crate::ingest::locations::{self, LogLocations};
use crate::ingest::read_result::IngestLimits;
use crate::ingest::sink::SkipReason;
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::{EventKind, ToolOutcome};
use wire::{CopilotData, CopilotEnvelope, LegacyMessage};

impl Connector for CopilotCli {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        let mut roots = places.extra_paths_of(Agent::CopilotCli).to_vec();
        roots.push(places.home.join(".copilot"));
        for root in roots {
            for folder in found.list(&root.join("session-state")) {
                let path = folder.join("events.jsonl");
                if path.is_file() {
                    let source = with_workspace(
                        LogSource::new(Agent::CopilotCli, LogFormat::CopilotLines, path),
                        &folder,
                        found,
                    );
                    found.sources.push(source);
                }
            }
            for path in found.list(&root.join("history-session-state")) {
                if path.extension().is_some_and(|ending| ending == "json") {
                    found.add(Agent::CopilotCli, LogFormat::CopilotDocument, path);
                }
            }
        }
    }

    fn reader(&self, format: LogFormat) -> LogReader {
        match format {
            LogFormat::CopilotDocument => LogReader::Document(emit_document),
            _ => LogReader::lines::<CopilotState>(),
        }
    }
}

/// Adds the working directory and the title from the `workspace.yaml` of a session's folder.
fn with_workspace(mut source: LogSource, folder: &Path, found: &mut FoundLogs) -> LogSource {
    let text = found.read_companion(&folder.join("workspace.yaml")).unwrap_or_default();
    let value = |key: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        Some(value.trim().trim_matches(['"', '\'']).to_owned()).filter(|value| !value.is_empty())
    };
    source.workspace = value("cwd");
    source.title = value("summary");
    source
}

/// Parser state between lines.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct CopilotState {
    /// Ids of tool calls that a message announced and that have not ended.
    open: BTreeSet<String>,
}

/// Maximum number of tool calls in `CopilotState::open`.
const MAX_OPEN_CALLS: usize = 1000;

impl LineFormat for CopilotState {
    fn begin(source: &LogSource, out: &mut Emitter<'_>) {
        let mut meta = source.initial_meta();
        let folder = locations::folder(&source.path);
        if folder.is_empty() {
            return out.begin(meta);
        }
        meta.id = folder.into();
        out.begin(meta);
    }

    fn line(&mut self, line: &[u8], out: &mut Emitter<'_>) -> serde_json::Result<()> {
        let envelope: CopilotEnvelope<'_> = serde_json::from_slice(line)?;
        let empty = CopilotData::default();
        let data = envelope.data.0.as_ref().unwrap_or(&empty);
        self.event(&envelope, data, out);
        Ok(())
    }
}

impl CopilotState {
    fn event(&mut self, envelope: &CopilotEnvelope<'_>, data: &CopilotData<'_>, out: &mut Emitter<'_>) {
        let (at, id) = (envelope.timestamp.0, envelope.id.non_blank());
        let side = envelope.agent_id.non_blank().is_some();
        let kind = envelope.kind.or_empty();
        let event = match kind {
            "session.start" | "session.resume" => {
                started(at, id, data, out);
                return out.skip(kind, SkipReason::Metadata);
            }
            "session.model_change" => {
                out.extend_time_range(at);
                out.model(at, id, data.new_model.or_empty());
                return out.skip(kind, SkipReason::Metadata);
            }
            "user.message" => {
                let text = data.content.or_empty();
                if side || data.source.non_blank().is_some_and(|source| source != "user") {
                    EventKind::Injected { text: text.to_owned() }
                } else {
                    return out.emit_prompt(at, id, text);
                }
            }
            "system.message" => EventKind::Injected { text: data.content.or_empty().to_owned() },
            "assistant.message" => return self.answer(at, id, side, data, out),
            "assistant.reasoning" => EventKind::Thinking { text: data.content.or_empty().to_owned() },
            "tool.execution_start" => {
                if self.open.contains(data.tool_call_id.or_empty()) {
                    return out.skip(kind, SkipReason::Duplicate);
                }
                EventKind::ToolCall {
                    id: data.tool_call_id.non_blank().map(Into::into),
                    name: data.tool_name.or_empty().to_owned(),
                    input: data.arguments.value(),
                }
            }
            "tool.execution_complete" => {
                self.open.remove(data.tool_call_id.or_empty());
                result_event(data)
            }
            "abort" => EventKind::Interrupt,
            "session.error" => EventKind::Error { text: data.message.or_empty().to_owned() },
            "session.info" | "session.warning" => {
                EventKind::System { text: data.message.or_empty().to_owned() }
            }
            "session.compaction_complete" => {
                EventKind::Compaction { trigger: None, summary: data.summary_content.owned() }
            }
            "session.compaction_start" => return out.skip(kind, SkipReason::Duplicate),
            _ if kind.starts_with("hook.")
                || kind.starts_with("subagent.")
                || BOOKKEEPING.contains(&kind) =>
            {
                out.extend_time_range(at);
                return out.skip(kind, SkipReason::Bookkeeping);
            }
            other => return out.count_unknown(other),
        };
        out.emit(at, id, side, event);
    }

    fn answer(
        &mut self,
        at: Option<Instant>,
        id: Option<&str>,
        side: bool,
        data: &CopilotData<'_>,
        out: &mut Emitter<'_>,
    ) {
        if let Some(model) = data.model.non_blank().filter(|_| !side) {
            out.model(at, id, model);
        }
        if let Some(thought) = data.reasoning_text.non_blank() {
            out.emit(at, id, side, EventKind::Thinking { text: thought.to_owned() });
        }
        out.emit(at, id, side, EventKind::AssistantText { text: data.content.or_empty().to_owned() });
        for request in &data.tool_requests.0 {
            let call = request.tool_call_id.or_empty();
            if !call.is_empty() && self.open.len() < MAX_OPEN_CALLS {
                self.open.insert(call.to_owned());
            }
            let input = request.arguments.value();
            let name = request.name.or_empty().to_owned();
            out.emit(
                at,
                id,
                side,
                EventKind::ToolCall { id: request.tool_call_id.non_blank().map(Into::into), name, input },
            );
        }
    }
}

const BOOKKEEPING: [&str; 15] = [
    "assistant.turn_start",
    "assistant.turn_end",
    "assistant.intent",
    "assistant.usage",
    "session.truncation",
    "session.shutdown",
    "session.idle",
    "session.usage_info",
    "session.snapshot_rewind",
    "session.handoff",
    "session.import_legacy",
    "session.mode_changed",
    "session.title_changed",
    "tool.user_requested",
    "tool.execution_partial_result",
];

fn started(at: Option<Instant>, id: Option<&str>, data: &CopilotData<'_>, out: &mut Emitter<'_>) {
    out.extend_time_range(at);
    out.identify(data.session_id.or_empty());
    out.model(at, id, data.selected_model.or_empty());
    if let Some(context) = &data.context.0 {
        out.workspace(context.cwd.or_empty());
        out.branch(context.branch.or_empty());
    }
}

fn result_event(data: &CopilotData<'_>) -> EventKind {
    let id = data.tool_call_id.non_blank().map(Into::into);
    let error = data.error.0.as_ref();
    let text = error.and_then(|error| error.message.owned()).unwrap_or_else(|| data.result_text());
    if error.is_some_and(|error| matches!(error.code.non_blank(), Some("rejected" | "denied"))) {
        return EventKind::ToolRejected { id, text };
    }
    let outcome = match data.success.0 {
        Some(true) => ToolOutcome::Ok,
        Some(false) => ToolOutcome::Error,
        None => ToolOutcome::Unknown,
    };
    EventKind::ToolResult { id, outcome, exit_code: exit_code(&text), text }
}

/// Parses the exit code in the last line, such as `<exited with exit code 1>`.
fn exit_code(text: &str) -> Option<i32> {
    let last = text.trim_end().lines().next_back()?;
    last.strip_prefix("<exited with exit code ")?.strip_suffix('>')?.parse().ok()
}

/// Emits the events of a session of the first generation, whose messages have the format of the
/// model's API.
pub fn emit_document(
    source: &LogSource,
    input: &mut dyn SeekableInput,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    out.begin(source.initial_meta());
    document::members_then_entries(
        input,
        &["chatMessages", "timeline"],
        limits,
        out,
        &mut |out, name, bytes| {
            let text = || serde_json::from_slice::<String>(bytes).unwrap_or_default();
            match name {
                "sessionId" => out.identify(&text()),
                "startTime" => out.extend_time_range(Instant::parse(&text()).ok()),
                _ => {}
            }
        },
        &mut |out, list, bytes| {
            if list == "timeline" {
                return out.skip("timeline", SkipReason::Duplicate);
            }
            json_object::emit_object(bytes, out, |bytes, out| {
                serde_json::from_slice(bytes).map(|message| emit_legacy(&message, out))
            });
        },
    )
}

fn emit_legacy(message: &LegacyMessage<'_>, out: &mut Emitter<'_>) {
    let text = message.content.joined(|part| part.text.0.as_deref());
    match message.role.or_empty() {
        "user" => out.emit_prompt(None, None, &text),
        "system" | "developer" => out.emit(None, None, false, EventKind::Injected { text }),
        "assistant" => {
            out.emit(None, None, false, EventKind::AssistantText { text });
            for call in &message.tool_calls.0 {
                let Some(function) = &call.function.0 else { continue };
                let arguments = function.arguments.text();
                let kind = EventKind::ToolCall {
                    id: call.id.non_blank().map(Into::into),
                    name: function.name.or_empty().to_owned(),
                    input: serde_json::from_str(&arguments).unwrap_or(Value::String(arguments)),
                };
                out.emit(None, None, false, kind);
            }
        }
        "tool" => {
            let exit_code = exit_code(&text);
            let id = message.tool_call_id.non_blank().map(Into::into);
            let outcome = ToolOutcome::of_exit(exit_code);
            out.emit(None, None, false, EventKind::ToolResult { id, outcome, exit_code, text });
        }
        other => out.count_unknown(&format!("chatMessages/{other}")),
    }
}
