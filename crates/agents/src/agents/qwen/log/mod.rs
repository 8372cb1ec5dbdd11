//! Qwen Code: a folder per project, with one JSON Lines file per session.

mod wire;

use serde::{Deserialize, Serialize};

use super::Qwen;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::emitter::Emitter;
use crate::ingest::line_reader::LineFormat;
use crate::ingest::locations::{self, LogLocations};
use crate::ingest::sink::SkipReason;
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::{EventKind, ToolOutcome};
use wire::{QwenPart, QwenRecord};

impl Connector for Qwen {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        let mut roots = places.extra_paths_of(Agent::Qwen).to_vec();
        let folder = places
            .variable("QWEN_RUNTIME_DIR")
            .or_else(|| places.variable("QWEN_HOME"))
            .unwrap_or_else(|| places.home.join(".qwen"));
        roots.push(folder.join("projects"));
        for root in roots {
            if root.is_file() {
                found.add(Agent::Qwen, LogFormat::QwenLines, root);
                continue;
            }
            for path in found.files_below(&root, 2) {
                let is_chat = path.parent().is_some_and(|folder| locations::name(folder) == "chats");
                if is_chat && path.extension().is_some_and(|ending| ending == "jsonl") {
                    found.add(Agent::Qwen, LogFormat::QwenLines, path);
                }
            }
        }
    }

    fn reader(&self, _: LogFormat) -> LogReader {
        LogReader::lines::<QwenState>()
    }
}

/// Parser state between lines; the format needs none.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct QwenState {}

impl LineFormat for QwenState {
    fn begin(source: &LogSource, out: &mut Emitter<'_>) {
        let mut meta = source.initial_meta();
        meta.id = locations::stem(&source.path).into();
        if meta.id.as_str().is_empty() {
            meta.id = source.initial_meta().id;
        }
        out.begin(meta);
    }

    fn line(&mut self, line: &[u8], out: &mut Emitter<'_>) -> serde_json::Result<()> {
        let record: QwenRecord<'_> = serde_json::from_slice(line)?;
        if let Some(id) = record.session_id.non_blank() {
            out.identify(id);
        }
        if let Some(folder) = record.cwd.non_blank() {
            out.workspace(folder);
        }
        if let Some(branch) = record.git_branch.non_blank().filter(|branch| *branch != "HEAD") {
            out.branch(branch);
        }
        out.extend_time_range(record.timestamp.0);
        emit(&record, out);
        Ok(())
    }
}

fn emit(record: &QwenRecord<'_>, out: &mut Emitter<'_>) {
    let (at, id) = (record.timestamp.0, record.uuid.non_blank());
    let kind = record.kind.or_empty();
    let parts = record.message.0.as_ref().map(|message| message.parts.0.as_slice()).unwrap_or_default();
    match kind {
        "user" => emit_user_part(at, id, record, parts, out),
        "assistant" => {
            if let Some(model) = record.model.non_blank() {
                out.model(at, id, model);
            }
            parts.iter().for_each(|part| emit_assistant_part(at, id, part, out));
        }
        "tool_result" => parts.iter().for_each(|part| tool_result(at, id, record, part, out)),
        "system" => match record.subtype.or_empty() {
            "chat_compression" => {
                out.emit(at, id, false, EventKind::Compaction { trigger: None, summary: None });
            }
            "custom_title" => {
                let payload = record.system_payload.0.as_ref();
                if let Some(title) = payload.and_then(|payload| payload.custom_title.non_blank()) {
                    out.title(title);
                }
                out.skip(kind, SkipReason::Metadata);
            }
            _ => out.skip(kind, SkipReason::Bookkeeping),
        },
        other => out.count_unknown(other),
    }
}

/// Emits a prompt without the context of hooks, which follows it in parts of its own. A record with
/// a subtype, such as `cron` or `notification`, was not typed.
fn emit_user_part(
    at: Option<Instant>,
    id: Option<&str>,
    record: &QwenRecord<'_>,
    parts: &[QwenPart<'_>],
    out: &mut Emitter<'_>,
) {
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.text.0.as_deref()).collect();
    if record.subtype.non_blank().is_some() {
        return out.emit(at, id, false, EventKind::Injected { text: texts.join("\n") });
    }
    let (context, typed): (Vec<&str>, Vec<&str>) =
        texts.into_iter().partition(|text| text.trim_start().starts_with("<qwen:"));
    out.emit_prompt(at, id, &typed.join("\n"));
    for text in context {
        out.emit(at, id, false, EventKind::Injected { text: text.to_owned() });
    }
}

fn emit_assistant_part(at: Option<Instant>, id: Option<&str>, part: &QwenPart<'_>, out: &mut Emitter<'_>) {
    if let Some(call) = &part.function_call.0 {
        let kind = EventKind::ToolCall {
            id: call.id.non_blank().map(Into::into),
            name: call.name.or_empty().to_owned(),
            input: call.args.value(),
        };
        return out.emit(at, id, false, kind);
    }
    let text = part.text.or_empty().to_owned();
    let kind =
        if part.thought.is_set() { EventKind::Thinking { text } } else { EventKind::AssistantText { text } };
    out.emit(at, id, false, kind);
}

fn tool_result(
    at: Option<Instant>,
    id: Option<&str>,
    record: &QwenRecord<'_>,
    part: &QwenPart<'_>,
    out: &mut Emitter<'_>,
) {
    let Some(answer) = &part.function_response.0 else {
        return out.count_unknown("tool_result without a result");
    };
    let response = answer.response.0.as_ref();
    let error = response.and_then(|response| response.error.non_blank());
    let text = error.or_else(|| response.map(|response| response.output.or_empty())).unwrap_or_default();
    let exit_code = exit_code(text);
    let status = record.tool_call_result.0.as_ref().map_or("", |result| result.status.or_empty());
    let outcome = match status {
        _ if error.is_some() || exit_code.is_some_and(|code| code != 0) => ToolOutcome::Error,
        "success" => ToolOutcome::Ok,
        "error" | "cancelled" => ToolOutcome::Error,
        _ => ToolOutcome::of_exit(exit_code),
    };
    let call = answer.id.non_blank().map(Into::into);
    out.emit(at, id, false, EventKind::ToolResult { id: call, outcome, exit_code, text: text.to_owned() });
}

/// Parses the exit code in a line such as `Exit Code: 1`.
fn exit_code(text: &str) -> Option<i32> {
    text.lines().find_map(|line| line.strip_prefix("Exit Code: ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_stands_in_a_line_of_its_own() {
        assert_eq!(exit_code("Output: a\nError: (none)\nExit Code: 3\nSignal: 0\n"), Some(3));
        assert_eq!(exit_code("Exit Code: (none)"), None);
    }
}
