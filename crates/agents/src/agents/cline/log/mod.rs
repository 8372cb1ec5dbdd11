//! Cline and Roo Code: a folder per task in the editor's storage, with the messages shown to the
//! user and those sent to the model. The parser prefers the former, which contain times and the
//! user's own text.

pub mod session;
mod wire;

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use serde_json::{Value, json};

use super::Cline;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::document::{self, SeekableInput};
use crate::ingest::emitter::Emitter;
use crate::ingest::error::IngestError;
use crate::ingest::json_object;
use crate::ingest::lenient::{ContentPiece, MessageContent};
use crate::ingest::line_reader::{self, BUFFER_BYTES};
use crate::ingest::locations::{self, LogLocations};
use crate::ingest::log_cursor::{LogCursor, LogStamp};
use crate::ingest::read_result::{IngestLimits, ReadResult};
use crate::ingest::sink::{EventSink, SkipReason};
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};
use cm_note::instant::Instant;
use cm_session::event::{EventKind, ToolOutcome};
use cm_session::{Agent, harness_text};
use wire::{ApiMessage, ClineBlock, ClineQuestion, ClineRequest, ClineUiMessage, TaskMetadata, ToolUse};

const SEEN: &str = "ui_messages.json";
const SENT: &str = "api_conversation_history.json";
const ABOUT: &str = "task_metadata.json";
/// Folder of Cline 3's sessions, relative to the home folder.
const SESSIONS: &str = ".cline/data/sessions";
const EXTENSIONS: [&str; 2] = ["saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline"];
const EDITORS: [&str; 4] = ["Code", "Code - Insiders", "VSCodium", "Cursor"];

impl Connector for Cline {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        let mut roots = places.extra_paths_of(Agent::Cline).to_vec();
        roots.extend(EDITORS.map(|editor| places.applications().join(editor).join("User/globalStorage")));
        for root in roots.iter().chain([&places.home.join(SESSIONS)]) {
            for folder in found.list(root).into_iter().filter(|path| path.is_dir()) {
                if let Some(messages) = session::messages_in(&folder, found) {
                    found.add(Agent::Cline, LogFormat::ClineSession, messages);
                }
            }
        }
        for root in roots {
            for extension in EXTENSIONS {
                for task in found.list(&root.join(extension).join("tasks")) {
                    if [SEEN, SENT].iter().any(|file| task.join(file).is_file()) {
                        found.add(Agent::Cline, LogFormat::ClineTask, task.join(SEEN));
                    }
                }
            }
        }
    }

    fn reader(&self, format: LogFormat) -> LogReader {
        match format {
            LogFormat::ClineSession => LogReader::Document(session::emit),
            _ => LogReader::Own { read: read_task, emit: Some(emit_task_bytes) },
        }
    }
}

fn begin_task(source: &LogSource, out: &mut Emitter<'_>) {
    match locations::folder(&source.path) {
        "" => out.begin(source.initial_meta()),
        task => out.begin_with_id(source, task),
    }
}

/// Reads the working directory and the model from the task's metadata file.
fn emit_metadata(task: &Path, out: &mut Emitter<'_>) {
    let Some(bytes) = FoundLogs::default().read_companion(&task.join(ABOUT)) else { return };
    let metadata: TaskMetadata<'_> = serde_json::from_str(&bytes).unwrap_or_default();
    out.workspace(metadata.cwd.or_empty());
    for usage in &metadata.model_usage.0 {
        if let (Some(model), Some(meta)) = (usage.model_id.owned(), out.meta()) {
            meta.model = Some(model);
        }
    }
}

/// Reads a task: the messages shown to the user, or if they are missing those sent to the model.
fn read_task(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> Result<ReadResult, IngestError> {
    let task = source.path.parent().unwrap_or(Path::new(""));
    let (stamp, companions) =
        (LogStamp::at(&source.path), vec![LogStamp::at(&task.join(SENT)), LogStamp::at(&task.join(ABOUT))]);
    if let Some(reading) = line_reader::unchanged(cursor, stamp, &companions) {
        return Ok(reading);
    }
    let mut out = Emitter::new(sink);
    begin_task(source, &mut out);
    emit_metadata(task, &mut out);
    let seen = source.path.is_file();
    let path = if seen { source.path.clone() } else { task.join(SENT) };
    let file = File::open(&path).map_err(IngestError::io(&path))?;
    let mut input = BufReader::with_capacity(BUFFER_BYTES, file);
    if seen {
        emit_entries(&mut input, limits, &mut out, seen_one)
    } else {
        emit_entries(&mut input, limits, &mut out, sent_one)
    }
    .map_err(IngestError::io(&path))?;
    if seen && companions.first() != Some(&LogStamp::default()) {
        out.skip(SENT, SkipReason::Duplicate);
    }
    Ok(ReadResult::of_whole(out, stamp, companions))
}

fn emit_task_bytes(
    source: &LogSource,
    bytes: &[u8],
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    begin_task(source, out);
    emit_entries(&mut io::Cursor::new(bytes), limits, out, seen_one)
}

fn emit_entries(
    input: &mut dyn SeekableInput,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
    one: fn(&[u8], &mut Emitter<'_>) -> serde_json::Result<()>,
) -> io::Result<()> {
    document::members_then_entries(input, &[], limits, out, &mut |_, _, _| {}, &mut |out, _, bytes| {
        json_object::emit_object(bytes, out, one);
    })
}

fn seen_one(bytes: &[u8], out: &mut Emitter<'_>) -> serde_json::Result<()> {
    let seen: ClineUiMessage<'_> = serde_json::from_slice(bytes)?;
    let at = seen.ts.0;
    let text = seen.text.or_empty();
    match (seen.kind.or_empty(), seen.say.or_empty(), seen.ask.or_empty()) {
        ("say", subtype, _) => emit_say(at, subtype, text, seen.reasoning.or_empty(), out),
        ("ask", _, ask) => emit_question(at, ask, text, out),
        (other, ..) => out.count_unknown(other),
    }
    Ok(())
}

fn emit_say(at: Option<Instant>, subtype: &str, text: &str, reasoning: &str, out: &mut Emitter<'_>) {
    let own = || text.to_owned();
    let kind = match subtype {
        "task" | "user_feedback" => return out.emit_prompt(at, None, text),
        "user_feedback_diff" => {
            EventKind::PersonCommand { command: "edit".into(), output: Some(own()), exit_code: None }
        }
        "text" | "completion_result" | "plan_mode_respond" => EventKind::AssistantText { text: own() },
        "reasoning" => {
            EventKind::Thinking { text: if reasoning.is_empty() { own() } else { reasoning.to_owned() } }
        }
        "command" => call_event("execute_command", json!({ "command": text })),
        "tool" => tool_event(text),
        "use_mcp_server" | "browser_action" | "browser_action_launch" => {
            call_event(subtype, parse_input(text))
        }
        "command_output"
        | "mcp_server_response"
        | "browser_action_result"
        | "subtask_result"
        | "codebase_search_result" => {
            EventKind::ToolResult { id: None, outcome: ToolOutcome::Unknown, exit_code: None, text: own() }
        }
        "api_req_started" => return emit_request(at, text, out),
        "error"
        | "diff_error"
        | "clineignore_error"
        | "rooignore_error"
        | "shell_integration_warning"
        | "condense_context_error" => EventKind::Error { text: own() },
        "condense_context" => EventKind::Compaction { trigger: None, summary: Some(own()) },
        "info" | "hook_output" => EventKind::System { text: own() },
        "api_req_finished"
        | "api_req_retried"
        | "api_req_retry_delayed"
        | "api_req_deleted"
        | "checkpoint_created"
        | "checkpoint_saved"
        | "deleted_api_reqs"
        | "load_mcp_documentation"
        | "mcp_server_request_started"
        | "inspect_site_result"
        | "task_progress"
        | "user_edit_todos"
        | "new_task_started" => {
            return out.skip(subtype, SkipReason::Bookkeeping);
        }
        other => return out.count_unknown(&format!("say/{other}")),
    };
    out.emit(at, None, false, kind);
}

fn emit_question(at: Option<Instant>, ask: &str, text: &str, out: &mut Emitter<'_>) {
    let kind = match ask {
        "command" => call_event("execute_command", json!({ "command": text })),
        "tool" => tool_event(text),
        "use_mcp_server" | "browser_action_launch" => call_event(ask, parse_input(text)),
        "followup" | "plan_mode_respond" | "completion_result" => {
            let question: ClineQuestion<'_> = serde_json::from_str(text).unwrap_or_default();
            let question_text =
                question.question.non_blank().or(question.response.non_blank()).unwrap_or(text);
            EventKind::AssistantText { text: question_text.to_owned() }
        }
        "api_req_failed" | "mistake_limit_reached" | "auto_approval_max_req_reached" => {
            EventKind::Error { text: text.to_owned() }
        }
        "resume_task"
        | "resume_completed_task"
        | "command_output"
        | "new_task"
        | "condense"
        | "summarize_task"
        | "report_bug" => {
            return out.skip(ask, SkipReason::Bookkeeping);
        }
        other => return out.count_unknown(&format!("ask/{other}")),
    };
    out.emit(at, None, false, kind);
}

/// Handles a request to the model's server; a request that the user cancelled is an interrupt.
fn emit_request(at: Option<Instant>, text: &str, out: &mut Emitter<'_>) {
    let request: ClineRequest<'_> = serde_json::from_str(text).unwrap_or_default();
    match request.cancel_reason.non_blank() {
        Some("user_cancelled") => out.emit(at, None, false, EventKind::Interrupt),
        Some(reason) => {
            let failure = request.streaming_failed_message.non_blank().unwrap_or(reason);
            out.emit(at, None, false, EventKind::Error { text: failure.to_owned() });
        }
        None => out.skip("api_req_started", SkipReason::Bookkeeping),
    }
}

fn call_event(name: &str, input: Value) -> EventKind {
    EventKind::ToolCall { id: None, name: name.to_owned(), input }
}

fn parse_input(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

fn tool_event(text: &str) -> EventKind {
    let used: ToolUse<'_> = serde_json::from_str(text).unwrap_or_default();
    call_event(used.tool.non_blank().unwrap_or("tool"), parse_input(text))
}

/// Emits the events of a message sent to the model; it has no time.
fn sent_one(bytes: &[u8], out: &mut Emitter<'_>) -> serde_json::Result<()> {
    let message: ApiMessage<'_> = serde_json::from_slice(bytes)?;
    let by_person = message.role.or_empty() == "user";
    match &message.content {
        MessageContent::Nothing => out.skip(message.role.or_empty(), SkipReason::Empty),
        MessageContent::Text(text) => sent_text(by_person, text, out),
        MessageContent::Blocks(pieces) => {
            for piece in pieces {
                match piece {
                    ContentPiece::Text(text) => sent_text(by_person, text, out),
                    ContentPiece::Block(block) => sent_block(by_person, block, out),
                    ContentPiece::Nothing => out.count_unknown("message/no block"),
                }
            }
        }
    }
    Ok(())
}

fn sent_text(by_person: bool, text: &str, out: &mut Emitter<'_>) {
    if !by_person {
        return out.emit(None, None, false, EventKind::AssistantText { text: text.to_owned() });
    }
    let prompt = ["task", "feedback", "answer", "user_message"]
        .iter()
        .find_map(|name| harness_text::unwrapped(text, name));
    match prompt {
        Some(words) => out.emit_prompt(None, None, words),
        None => out.emit(None, None, false, EventKind::Injected { text: text.to_owned() }),
    }
}

fn sent_block(by_person: bool, block: &ClineBlock<'_>, out: &mut Emitter<'_>) {
    let kind = match block.kind.or_empty() {
        "text" => return sent_text(by_person, block.text.or_empty(), out),
        "thinking" => EventKind::Thinking { text: block.thinking.or_empty().to_owned() },
        "tool_use" => EventKind::ToolCall {
            id: block.id.non_blank().map(Into::into),
            name: block.name.or_empty().to_owned(),
            input: block.input.value(),
        },
        "tool_result" => EventKind::ToolResult {
            id: block.tool_use_id.non_blank().map(Into::into),
            outcome: if block.is_error.is_set() { ToolOutcome::Error } else { ToolOutcome::Unknown },
            exit_code: None,
            text: block.content.joined(|inner| inner.text.0.as_deref()),
        },
        kind @ ("image" | "redacted_thinking") => return out.skip(kind, SkipReason::Hidden),
        other => return out.count_unknown(other),
    };
    out.emit(None, None, false, kind);
}
