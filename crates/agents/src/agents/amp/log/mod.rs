//! Amp: one JSON document per thread, as older versions stored them locally.

mod wire;

use std::io;

use super::Amp;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::document::{self, SeekableInput};
use crate::ingest::emitter::Emitter;
use crate::ingest::file_uri::folder_of;
use crate::ingest::json_object;
use crate::ingest::lenient::{ContentPiece, MessageContent};
use crate::ingest::locations::{self, LogLocations};
use crate::ingest::read_result::IngestLimits;
use crate::ingest::sink::SkipReason;
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::{EventKind, ToolOutcome};
use wire::{AmpBlock, AmpMessage, Environment};

impl Connector for Amp {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        let mut roots = places.extra_paths_of(Agent::Amp).to_vec();
        roots.push(
            places.variable("AMP_THREADS_DIR").unwrap_or_else(|| places.data_home().join("amp/threads")),
        );
        for root in roots {
            let files = if root.is_file() { vec![root] } else { found.list(&root) };
            for path in files {
                if locations::name(&path).starts_with("T-") && locations::name(&path).ends_with(".json") {
                    found.add(Agent::Amp, LogFormat::AmpThread, path);
                }
            }
        }
    }

    fn reader(&self, _: LogFormat) -> LogReader {
        LogReader::Document(emit)
    }
}

/// Emits the events of a thread.
pub fn emit(
    source: &LogSource,
    input: &mut dyn SeekableInput,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    out.begin(source.initial_meta());
    let stem = locations::stem(&source.path);
    document::members_then_entries(
        input,
        &["messages"],
        limits,
        out,
        &mut |out, name, bytes| emit_member(name, bytes, out),
        &mut |out, _, bytes| {
            out.identify(stem);
            json_object::emit_object(bytes, out, |bytes, out| {
                serde_json::from_slice(bytes).map(|wire| emit_message(&wire, out))
            });
        },
    )
}

fn emit_member(name: &str, bytes: &[u8], out: &mut Emitter<'_>) {
    let text = || serde_json::from_slice::<String>(bytes).unwrap_or_default();
    match name {
        "id" => out.identify(&text()),
        "title" => out.title(&text()),
        "created" => {
            if let Ok(when) = serde_json::from_slice::<crate::ingest::lenient::LenientTime>(bytes) {
                out.extend_time_range(when.0);
            }
        }
        "env" => {
            let environment: Environment<'_> = serde_json::from_slice(bytes).unwrap_or_default();
            let tree = environment.initial.0.and_then(|initial| initial.trees.0.into_iter().next());
            if let Some(tree) = tree {
                out.workspace(&folder_of(tree.uri.or_empty()));
                let branch = tree.repository.0.as_ref().and_then(|repository| repository.branch.non_blank());
                out.branch(branch.map_or("", |branch| branch.strip_prefix("refs/heads/").unwrap_or(branch)));
            }
        }
        _ => {}
    }
}

fn emit_message(message: &AmpMessage<'_>, out: &mut Emitter<'_>) {
    let sent = message.meta.0.as_ref().and_then(|meta| meta.sent_at.0);
    let usage = message.usage.0.as_ref();
    let at = sent.or_else(|| usage.and_then(|usage| usage.timestamp.0));
    let id = message.message_id.whole().map(|id| id.to_string());
    let id = id.as_deref();
    if let Some(model) = usage.and_then(|usage| usage.model.non_blank()) {
        out.model(at, id, model);
    }
    let role = message.role.or_empty();
    match &message.content {
        MessageContent::Nothing => out.skip(role, SkipReason::Empty),
        MessageContent::Text(text) => emit_text(at, id, role, text, out),
        MessageContent::Blocks(pieces) => {
            for piece in pieces {
                match piece {
                    ContentPiece::Text(text) => emit_text(at, id, role, text, out),
                    ContentPiece::Block(block) => emit_block(at, id, role, block, out),
                    ContentPiece::Nothing => out.count_unknown("message/no block"),
                }
            }
        }
    }
    if message.state.0.as_ref().is_some_and(|state| state.kind.non_blank() == Some("cancelled")) {
        out.emit(at, id, false, EventKind::Interrupt);
    }
}

fn emit_text(at: Option<Instant>, id: Option<&str>, role: &str, text: &str, out: &mut Emitter<'_>) {
    match role {
        "user" => out.emit_prompt(at, id, text),
        "assistant" => out.emit(at, id, false, EventKind::AssistantText { text: text.to_owned() }),
        "info" | "system" => out.emit(at, id, false, EventKind::System { text: text.to_owned() }),
        other => out.count_unknown(&format!("message/{other}")),
    }
}

fn emit_block(
    at: Option<Instant>,
    id: Option<&str>,
    role: &str,
    block: &AmpBlock<'_>,
    out: &mut Emitter<'_>,
) {
    let kind = match block.kind.or_empty() {
        "text" => return emit_text(at, id, role, block.text.or_empty(), out),
        "thinking" => EventKind::Thinking { text: block.thinking.or_empty().to_owned() },
        "redacted_thinking" => return out.skip("redacted_thinking", SkipReason::Hidden),
        "image" => return out.skip("image", SkipReason::Bookkeeping),
        "tool_use" => EventKind::ToolCall {
            id: block.id.non_blank().map(Into::into),
            name: block.name.or_empty().to_owned(),
            input: block.input.value(),
        },
        "tool_result" => {
            out.emit(at, id, false, result_event(block));
            // The reason of a refusal is what the person typed.
            let refused = block.run.0.as_ref().filter(|run| run.status.or_empty() == "rejected-by-user");
            if let Some(reason) = refused.and_then(|run| run.reason.non_blank()) {
                out.emit_prompt(at, id, reason);
            }
            return;
        }
        other => return out.count_unknown(&format!("{role}/{other}")),
    };
    out.emit(at, id, false, kind);
}

fn result_event(block: &AmpBlock<'_>) -> EventKind {
    let id = block.tool_use_id.non_blank().map(Into::into);
    let Some(run) = &block.run.0 else {
        return EventKind::ToolResult {
            id,
            outcome: ToolOutcome::Unknown,
            exit_code: None,
            text: String::new(),
        };
    };
    let status = run.status.or_empty();
    if status == "rejected-by-user" {
        return EventKind::ToolRejected { id, text: run.reason.or_empty().to_owned() };
    }
    let (output, exit_code) = run.output();
    let outcome = match (status, exit_code) {
        ("done", Some(code)) => ToolOutcome::of_exit(Some(code)),
        ("done", None) => ToolOutcome::Ok,
        ("error" | "cancelled", _) => ToolOutcome::Error,
        _ => ToolOutcome::Unknown,
    };
    let error = run.error();
    let text = [output, error, run.reason.or_empty().to_owned()]
        .into_iter()
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    EventKind::ToolResult { id, outcome, exit_code, text }
}
