//! Pi and its fork omp: one file of lines per session, which form a tree. Events are emitted for
//! the active branch.

mod wire;

use std::collections::{HashMap, HashSet};
use std::io::{self, SeekFrom};

use super::Pi;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::document::SeekableInput;
use crate::ingest::emitter::Emitter;
use crate::ingest::json_object;
use crate::ingest::lenient::MessageContent;
use crate::ingest::line_reader::{LineEvent, LineReader};
use crate::ingest::locations::LogLocations;
use crate::ingest::log_cursor::LinePosition;
use crate::ingest::read_result::IngestLimits;
use crate::ingest::sink::SkipReason;
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::{EventKind, ToolOutcome};
use wire::{PiBlock, PiEntry, PiMessage, PiTreePosition};

impl Connector for Pi {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        let mut roots = places.extra_paths_of(Agent::Pi).to_vec();
        roots.push(
            match places
                .variable("PI_CODING_AGENT_SESSION_DIR")
                .or_else(|| places.variable("PI_SESSIONS_DIR"))
            {
                Some(folder) => folder,
                None => places
                    .variable("PI_CODING_AGENT_DIR")
                    .unwrap_or_else(|| places.home.join(".pi/agent"))
                    .join("sessions"),
            },
        );
        roots.push(places.home.join(".omp/agent/sessions"));
        for root in roots {
            let files = if root.is_file() { vec![root] } else { found.files_below(&root, 2) };
            for path in
                files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            {
                found.add(Agent::Pi, LogFormat::PiTree, path);
            }
        }
    }

    fn reader(&self, _: LogFormat) -> LogReader {
        LogReader::Document(emit)
    }
}

/// Emits the events of a tree in two passes: the first finds the active branch, the second emits
/// its events.
pub fn emit(
    source: &LogSource,
    input: &mut dyn SeekableInput,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    let mut meta = source.initial_meta();
    meta.id = crate::ingest::locations::stem(&source.path).rsplit('_').next().unwrap_or_default().into();
    if meta.id.as_str().is_empty() {
        meta.id = source.initial_meta().id;
    }
    out.begin(meta);
    let left = inactive_lines(input, limits)?;
    input.seek(SeekFrom::Start(0))?;
    let mut feed = LineReader::new(input, LinePosition::default(), limits);
    loop {
        let line = match feed.next()? {
            LineEvent::Line { line, .. } => line,
            LineEvent::Oversized(line) => {
                out.record(line);
                out.count_oversized();
                continue;
            }
            LineEvent::Unterminated => match feed.take_unterminated() {
                Some(line) => line,
                None => {
                    out.mark_truncated();
                    return Ok(());
                }
            },
            LineEvent::LineRest(_) | LineEvent::End => return Ok(()),
        };
        out.record(line);
        if left.contains(&line) {
            out.skip("entry", SkipReason::Reverted);
            continue;
        }
        json_object::emit_object(feed.bytes(), out, |bytes, out| {
            serde_json::from_slice(bytes).map(|wire| emit_entry(&wire, out))
        });
    }
}

/// Returns the lines outside the active branch, which leads from the last entry to the root.
/// Entries without an id, from the first version of the format, belong to it.
fn inactive_lines(input: &mut dyn SeekableInput, limits: IngestLimits) -> io::Result<HashSet<u64>> {
    let mut nodes: HashMap<Box<str>, (u64, Option<Box<str>>)> = HashMap::new();
    let mut last = None;
    let mut feed = LineReader::new(input, LinePosition::default(), limits);
    loop {
        let line = match feed.next()? {
            LineEvent::Line { line, .. } => line,
            LineEvent::Unterminated => match feed.take_unterminated() {
                Some(line) => line,
                None => break,
            },
            LineEvent::Oversized(_) | LineEvent::LineRest(_) => continue,
            LineEvent::End => break,
        };
        let place = json_object::read(feed.bytes(), |bytes| {
            let place: PiTreePosition<'_> = serde_json::from_slice(bytes)?;
            Ok((place.kind.or_empty() != "session").then(|| (place.id.owned(), place.parent_id.owned())))
        });
        if let Ok(Some((Some(id), parent))) = place {
            let id: Box<str> = id.into();
            last = Some(id.clone());
            nodes.insert(id, (line, parent.map(Into::into)));
        }
    }
    let mut left: HashSet<u64> = nodes.values().map(|(line, _)| *line).collect();
    while let Some((line, parent)) = last.and_then(|id| nodes.remove(&id)) {
        left.remove(&line);
        last = parent;
    }
    Ok(left)
}

fn emit_entry(entry: &PiEntry<'_>, out: &mut Emitter<'_>) {
    let (at, id) = (entry.timestamp.0, entry.id.non_blank());
    let kind = entry.kind.or_empty();
    match kind {
        "session" => {
            out.identify(entry.id.or_empty());
            out.workspace(entry.cwd.or_empty());
            out.extend_time_range(at);
            out.model(at, None, entry.model_id.or_empty());
            if let (Some(parent), Some(meta)) = (entry.parent_session.non_blank(), out.meta()) {
                let name = parent.rsplit(['/', '\\']).next().unwrap_or(parent).trim_end_matches(".jsonl");
                meta.parent = Some(name.rsplit('_').next().unwrap_or(name).into());
            }
            out.skip(kind, SkipReason::Metadata);
        }
        "message" => match &entry.message.0 {
            Some(message) => emit_message(at.or(message.timestamp.0), id, message, out),
            None => out.count_unknown("message without a message"),
        },
        "model_change" => {
            out.extend_time_range(at);
            out.model(at, id, entry.model_id.or_empty());
            out.skip(kind, SkipReason::Metadata);
        }
        "compaction" => {
            out.emit(at, id, false, EventKind::Compaction { trigger: None, summary: entry.summary.owned() });
        }
        "branch_summary" => {
            let trigger = Some("branch".to_owned());
            out.emit(at, id, false, EventKind::Compaction { trigger, summary: entry.summary.owned() });
        }
        "custom_message" => {
            let text = entry.content.joined(text_of);
            out.emit(at, id, false, EventKind::Injected { text });
        }
        "session_info" | "title" => {
            if let Some(title) = entry.name.non_blank().or(entry.title.non_blank()) {
                out.title(title);
            }
            out.skip(kind, SkipReason::Metadata);
        }
        "thinking_level_change" | "label" | "custom" | "mode_change" => {
            out.skip(kind, SkipReason::Bookkeeping)
        }
        other => out.count_unknown(other),
    }
}

fn text_of<'b>(block: &'b PiBlock<'_>) -> Option<&'b str> {
    block.text.0.as_deref()
}

fn emit_message(at: Option<Instant>, id: Option<&str>, message: &PiMessage<'_>, out: &mut Emitter<'_>) {
    let text = || message.content.joined(text_of);
    match message.role.or_empty() {
        "user" => out.emit_prompt(at, id, &text()),
        "assistant" => emit_assistant(at, id, message, out),
        "toolResult" => {
            let text = text();
            let exit_code = exit_code(&text);
            let outcome = match message.is_error.0 {
                Some(true) => ToolOutcome::Error,
                Some(false) => ToolOutcome::Ok,
                None => ToolOutcome::of_exit(exit_code),
            };
            let call = message.tool_call_id.non_blank().map(Into::into);
            out.emit(at, id, false, EventKind::ToolResult { id: call, outcome, exit_code, text });
        }
        "bashExecution" => {
            let kind = EventKind::PersonCommand {
                command: message.command.or_empty().to_owned(),
                output: message.output.0.as_ref().map(|output| output.clone().into_owned()),
                exit_code: message.exit_code.exit_code(),
            };
            out.emit(at, id, false, kind);
        }
        "custom" | "hookMessage" => out.emit(at, id, false, EventKind::Injected { text: text() }),
        "branchSummary" | "compactionSummary" => {
            let summary = message.summary.owned().or_else(|| Some(text()));
            out.emit(at, id, false, EventKind::Compaction { trigger: None, summary });
        }
        other => out.count_unknown(&format!("message/{other}")),
    }
}

/// Parses the exit code in the last line of a failed command's output, such as `Command exited with
/// code 2`.
fn exit_code(text: &str) -> Option<i32> {
    text.trim_end().lines().next_back()?.strip_prefix("Command exited with code ")?.trim().parse().ok()
}

fn emit_assistant(at: Option<Instant>, id: Option<&str>, message: &PiMessage<'_>, out: &mut Emitter<'_>) {
    if let Some(model) = message.model.non_blank() {
        out.model(at, id, model);
    }
    match &message.content {
        MessageContent::Text(text) => {
            out.emit(at, id, false, EventKind::AssistantText { text: text.clone().into_owned() })
        }
        MessageContent::Nothing => {}
        MessageContent::Blocks(pieces) => {
            for piece in pieces {
                let crate::ingest::lenient::ContentPiece::Block(block) = piece else {
                    out.count_unknown("assistant/no block");
                    continue;
                };
                let kind = match block.kind.or_empty() {
                    "text" => EventKind::AssistantText { text: block.text.or_empty().to_owned() },
                    "thinking" => EventKind::Thinking { text: block.thinking.or_empty().to_owned() },
                    "toolCall" => EventKind::ToolCall {
                        id: block.id.non_blank().map(Into::into),
                        name: block.name.or_empty().to_owned(),
                        input: block.arguments.value(),
                    },
                    other => {
                        out.count_unknown(&format!("assistant/{other}"));
                        continue;
                    }
                };
                out.emit(at, id, false, kind);
            }
        }
    }
    match message.stop_reason.or_empty() {
        "aborted" => out.emit(at, id, false, EventKind::Interrupt),
        "error" => {
            out.emit(at, id, false, EventKind::Error { text: message.error_message.or_empty().to_owned() })
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_commands_code_is_its_last_line() {
        assert_eq!(exit_code("ls: no\n\nCommand exited with code 2\n"), Some(2));
        assert_eq!(exit_code("Command exited with code 2\nmore"), None);
    }
}
