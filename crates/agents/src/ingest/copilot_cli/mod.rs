//! GitHub Copilot CLI: a folder per session with a file of events; earlier versions wrote one JSON
//! document.

mod wire;

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::connector::Connector;
use super::document::{self, Input};
use super::error::Error;
use super::lines::{self, Lines};
use super::object;
use super::out::Out;
use super::places::{self, Places};
use super::position::Cursor;
use super::reading::{Limits, Reading};
use super::sink::{Sink, Skip};
use super::source::{Format, Found, Source};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::{EventKind, ToolOutcome};
use wire::{Data, Envelope, LegacyMessage};

pub struct CopilotCli;

impl Connector for CopilotCli {
    fn find(&self, places: &Places, found: &mut Found) {
        let mut roots = places.named(Agent::CopilotCli).to_vec();
        roots.push(places.home.join(".copilot"));
        for root in roots {
            for folder in found.list(&root.join("session-state")) {
                let path = folder.join("events.jsonl");
                if path.is_file() {
                    let source = with_workspace(
                        Source::new(Agent::CopilotCli, Format::CopilotLines, path),
                        &folder,
                        found,
                    );
                    found.sources.push(source);
                }
            }
            for path in found.list(&root.join("history-session-state")) {
                if path.extension().is_some_and(|ending| ending == "json") {
                    found.add(Agent::CopilotCli, Format::CopilotDocument, path);
                }
            }
        }
    }

    fn read(
        &self,
        source: &Source,
        cursor: Option<&Cursor>,
        limits: Limits,
        sink: &mut dyn Sink,
    ) -> Result<Reading, Error> {
        match source.format {
            Format::CopilotDocument => document::read_file(source, cursor, limits, sink, tell_document),
            _ => lines::read_file::<State>(source, cursor, limits, sink),
        }
    }
}

/// Adds the working directory and the title from the `workspace.yaml` of a session's folder.
fn with_workspace(mut source: Source, folder: &Path, found: &mut Found) -> Source {
    let text = found.beside(&folder.join("workspace.yaml")).unwrap_or_default();
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
pub struct State {
    /// Ids of tool calls that a message announced and that have not ended.
    open: BTreeSet<String>,
}

/// Maximum number of open calls.
const MOST_OPEN: usize = 1000;

impl Lines for State {
    fn begin(source: &Source, out: &mut Out<'_>) {
        let mut meta = lines::meta_of(source);
        let folder = places::folder(&source.path);
        if folder.is_empty() {
            return out.begin(meta);
        }
        meta.id = folder.into();
        out.begin(meta);
    }

    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> serde_json::Result<()> {
        let envelope: Envelope<'_> = serde_json::from_slice(line)?;
        let empty = Data::default();
        let data = envelope.data.0.as_ref().unwrap_or(&empty);
        self.event(&envelope, data, out);
        Ok(())
    }
}

impl State {
    fn event(&mut self, envelope: &Envelope<'_>, data: &Data<'_>, out: &mut Out<'_>) {
        let (at, id) = (envelope.timestamp.0, envelope.id.said());
        let side = envelope.agent_id.said().is_some();
        let kind = envelope.kind.or_empty();
        let event = match kind {
            "session.start" | "session.resume" => {
                started(at, id, data, out);
                return out.skip(kind, Skip::About);
            }
            "session.model_change" => {
                out.saw(at);
                out.model(at, id, data.new_model.or_empty());
                return out.skip(kind, Skip::About);
            }
            "user.message" => {
                let text = data.content.or_empty();
                if side || data.source.said().is_some_and(|source| source != "user") {
                    EventKind::Injected { text: text.to_owned() }
                } else {
                    return out.person(at, id, text);
                }
            }
            "system.message" => EventKind::Injected { text: data.content.or_empty().to_owned() },
            "assistant.message" => return self.answer(at, id, side, data, out),
            "assistant.reasoning" => EventKind::Thinking { text: data.content.or_empty().to_owned() },
            "tool.execution_start" => {
                if self.open.contains(data.tool_call_id.or_empty()) {
                    return out.skip(kind, Skip::Duplicate);
                }
                EventKind::ToolCall {
                    id: data.tool_call_id.said().map(Into::into),
                    name: data.tool_name.or_empty().to_owned(),
                    input: data.arguments.value(),
                }
            }
            "tool.execution_complete" => {
                self.open.remove(data.tool_call_id.or_empty());
                result(data)
            }
            "abort" => EventKind::Interrupt,
            "session.error" => EventKind::Error { text: data.message.or_empty().to_owned() },
            "session.info" | "session.warning" => {
                EventKind::System { text: data.message.or_empty().to_owned() }
            }
            "session.compaction_complete" => {
                EventKind::Compaction { trigger: None, summary: data.summary_content.owned() }
            }
            "session.compaction_start" => return out.skip(kind, Skip::Duplicate),
            _ if kind.starts_with("hook.")
                || kind.starts_with("subagent.")
                || BOOKKEEPING.contains(&kind) =>
            {
                out.saw(at);
                return out.skip(kind, Skip::Bookkeeping);
            }
            other => return out.unknown(other),
        };
        out.tell(at, id, side, event);
    }

    fn answer(
        &mut self,
        at: Option<Instant>,
        id: Option<&str>,
        side: bool,
        data: &Data<'_>,
        out: &mut Out<'_>,
    ) {
        if let Some(model) = data.model.said().filter(|_| !side) {
            out.model(at, id, model);
        }
        if let Some(thought) = data.reasoning_text.said() {
            out.tell(at, id, side, EventKind::Thinking { text: thought.to_owned() });
        }
        out.tell(at, id, side, EventKind::AssistantText { text: data.content.or_empty().to_owned() });
        for request in &data.tool_requests.0 {
            let call = request.tool_call_id.or_empty();
            if !call.is_empty() && self.open.len() < MOST_OPEN {
                self.open.insert(call.to_owned());
            }
            let input = request.arguments.value();
            let name = request.name.or_empty().to_owned();
            out.tell(
                at,
                id,
                side,
                EventKind::ToolCall { id: request.tool_call_id.said().map(Into::into), name, input },
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

fn started(at: Option<Instant>, id: Option<&str>, data: &Data<'_>, out: &mut Out<'_>) {
    out.saw(at);
    out.identify(data.session_id.or_empty());
    out.model(at, id, data.selected_model.or_empty());
    if let Some(context) = &data.context.0 {
        out.workspace(context.cwd.or_empty());
        out.branch(context.branch.or_empty());
    }
}

fn result(data: &Data<'_>) -> EventKind {
    let id = data.tool_call_id.said().map(Into::into);
    let error = data.error.0.as_ref();
    let text = error.and_then(|error| error.message.owned()).unwrap_or_else(|| data.result_text());
    if error.is_some_and(|error| matches!(error.code.said(), Some("rejected" | "denied"))) {
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
pub fn tell_document(
    source: &Source,
    input: &mut dyn Input,
    limits: Limits,
    out: &mut Out<'_>,
) -> io::Result<()> {
    out.begin(lines::meta_of(source));
    document::members_then_entries(
        input,
        &["chatMessages", "timeline"],
        limits,
        out,
        &mut |out, name, bytes| {
            let text = || serde_json::from_slice::<String>(bytes).unwrap_or_default();
            match name {
                "sessionId" => out.identify(&text()),
                "startTime" => out.saw(Instant::parse(&text()).ok()),
                _ => {}
            }
        },
        &mut |out, list, bytes| {
            if list == "timeline" {
                return out.skip("timeline", Skip::Duplicate);
            }
            object::tell(bytes, out, |bytes, out| {
                serde_json::from_slice(bytes).map(|message| legacy(&message, out))
            });
        },
    )
}

fn legacy(message: &LegacyMessage<'_>, out: &mut Out<'_>) {
    let text = message.content.joined(|part| part.text.0.as_deref());
    match message.role.or_empty() {
        "user" => out.person(None, None, &text),
        "system" | "developer" => out.tell(None, None, false, EventKind::Injected { text }),
        "assistant" => {
            out.tell(None, None, false, EventKind::AssistantText { text });
            for call in &message.tool_calls.0 {
                let Some(function) = &call.function.0 else { continue };
                let arguments = function.arguments.text();
                let kind = EventKind::ToolCall {
                    id: call.id.said().map(Into::into),
                    name: function.name.or_empty().to_owned(),
                    input: serde_json::from_str(&arguments).unwrap_or(Value::String(arguments)),
                };
                out.tell(None, None, false, kind);
            }
        }
        "tool" => {
            let exit_code = exit_code(&text);
            let id = message.tool_call_id.said().map(Into::into);
            let outcome = ToolOutcome::of_exit(exit_code);
            out.tell(None, None, false, EventKind::ToolResult { id, outcome, exit_code, text });
        }
        other => out.unknown(&format!("chatMessages/{other}")),
    }
}
