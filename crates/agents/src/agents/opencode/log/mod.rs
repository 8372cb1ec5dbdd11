//! opencode: one database for all sessions; earlier versions wrote a tree of small JSON files.

mod database;
mod file_tree;
mod wire;

use super::Opencode;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::emitter::Emitter;
use crate::ingest::locations::{self, LogLocations};
use crate::ingest::sink::SkipReason;
use crate::ingest::source::{FoundLogs, LogFormat};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::{EventKind, ToolOutcome};
use wire::{OpencodeMessage, OpencodePart};

impl Connector for Opencode {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        let mut roots = places.extra_paths_of(Agent::Opencode).to_vec();
        roots.push(places.data_home().join("opencode"));
        roots.extend(places.variable("OPENCODE_DB"));
        for root in roots {
            if root.is_file() {
                found.add(Agent::Opencode, LogFormat::OpencodeDatabase, root);
                continue;
            }
            let databases: Vec<_> =
                found.list(&root).into_iter().filter(|path| is_database(locations::name(path))).collect();
            // A database took over what was in the tree.
            if databases.is_empty() {
                for path in found.files_below(&root.join("storage/session"), 1) {
                    if path.extension().is_some_and(|ending| ending == "json") {
                        found.add(Agent::Opencode, LogFormat::OpencodeTree, path);
                    }
                }
            }
            for path in databases {
                found.add(Agent::Opencode, LogFormat::OpencodeDatabase, path);
            }
        }
    }

    fn reader(&self, format: LogFormat) -> LogReader {
        match format {
            LogFormat::OpencodeTree => LogReader::Own { read: file_tree::read, emit: None },
            _ => LogReader::Own { read: database::read, emit: None },
        }
    }
}

/// Returns whether this is `opencode.db` or that of a release channel, such as `opencode-beta.db`.
fn is_database(name: &str) -> bool {
    let channel = name.strip_prefix("opencode").and_then(|rest| rest.strip_suffix(".db"));
    channel.is_some_and(|channel| channel.is_empty() || channel.starts_with('-'))
}

/// Returns whether the program generated the title of a new session.
fn is_placeholder(title: &str) -> bool {
    ["New session - ", "Child session - "].iter().any(|opening| title.starts_with(opening))
}

/// Emits the events before a message's parts: a change of the model.
fn emit_opening(at: Option<Instant>, id: &str, message: &OpencodeMessage<'_>, out: &mut Emitter<'_>) {
    let model = message.model_id.non_blank().or(message
        .model
        .0
        .as_ref()
        .and_then(|model| model.model_id.non_blank()));
    if let Some(model) = model {
        out.model(at, Some(id), model);
    }
}

/// Emits the events after a message's parts: its error or interruption.
fn emit_closing(at: Option<Instant>, id: &str, message: &OpencodeMessage<'_>, out: &mut Emitter<'_>) {
    let Some(error) = &message.error.0 else { return };
    if error.name.non_blank() == Some("MessageAbortedError") {
        return out.emit(at, Some(id), false, EventKind::Interrupt);
    }
    let detail = error.data.0.as_ref().and_then(|data| data.message.non_blank());
    let text = detail.or(error.message.non_blank()).or(error.name.non_blank()).unwrap_or_default().to_owned();
    out.emit(at, Some(id), false, EventKind::Error { text });
}

/// Translates one part of a message (text, reasoning, tool call, …) into events. `role` is the
/// author of the message, `user` or `assistant`.
fn emit_part(at: Option<Instant>, id: &str, role: &str, part: &OpencodePart<'_>, out: &mut Emitter<'_>) {
    let text = part.text.or_empty();
    let kind = part.kind.or_empty();
    let event = match kind {
        "text" => match role {
            "user" if part.synthetic.is_set() => EventKind::Injected { text: text.to_owned() },
            "user" => return out.emit_prompt(at, Some(id), text),
            _ => EventKind::AssistantText { text: text.to_owned() },
        },
        "reasoning" => EventKind::Thinking { text: text.to_owned() },
        "tool" => return emit_tool_call(at, id, part, out),
        "compaction" => EventKind::Compaction {
            trigger: Some(if part.auto.is_set() { "auto" } else { "manual" }.to_owned()),
            summary: part.summary.owned(),
        },
        "retry" => EventKind::Error { text: part.error.text() },
        "file" | "step-start" | "step-finish" | "snapshot" | "patch" | "agent" | "subtask" => {
            return out.skip(kind, SkipReason::Bookkeeping);
        }
        other => return out.count_unknown(&format!("part/{other}")),
    };
    out.emit(at, Some(id), false, event);
}

fn emit_tool_call(at: Option<Instant>, id: &str, part: &OpencodePart<'_>, out: &mut Emitter<'_>) {
    let call = || part.call_id.non_blank().or(part.id.non_blank()).map(Into::into);
    let Some(state) = &part.state.0 else { return out.count_unknown("part/tool without a state") };
    let (start, end) = state.time.0.as_ref().map_or((None, None), |time| (time.start.0, time.end.0));
    let name = part.tool.non_blank().or(part.name.non_blank()).unwrap_or_default().to_owned();
    out.emit(
        start.or(at),
        Some(id),
        false,
        EventKind::ToolCall { id: call(), name, input: state.input.value() },
    );
    let exit_code = state.metadata.0.as_ref().and_then(|metadata| metadata.exit.exit_code());
    let (outcome, text) = match state.status.or_empty() {
        "completed" if exit_code.is_some_and(|code| code != 0) => (ToolOutcome::Error, state.output()),
        "completed" => (ToolOutcome::Ok, state.output()),
        "error" => (ToolOutcome::Error, state.error()),
        _ => return,
    };
    let id_of_result = call();
    if text.starts_with("The user rejected permission") {
        return out.emit(end.or(at), Some(id), false, EventKind::ToolRejected { id: id_of_result, text });
    }
    out.emit(
        end.or(at),
        Some(id),
        false,
        EventKind::ToolResult { id: id_of_result, outcome, exit_code, text },
    );
}
