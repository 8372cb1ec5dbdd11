//! Pi and its fork omp: one file of lines per session, which form a tree. Events are emitted for
//! the active branch.

mod wire;

use std::collections::{HashMap, HashSet};
use std::io::{self, SeekFrom};

use super::connector::Connector;
use super::document::{self, Input};
use super::error::Error;
use super::lines::{self, Fed, Feed};
use super::loose::Content;
use super::object;
use super::out::Out;
use super::places::Places;
use super::position::{Cursor, Position};
use super::reading::{Limits, Reading};
use super::sink::{Sink, Skip};
use super::source::{Format, Found, Source};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::{EventKind, ToolOutcome};
use wire::{Block, Entry, Message, Place};

pub struct Pi;

impl Connector for Pi {
    fn find(&self, places: &Places, found: &mut Found) {
        let mut roots = places.named(Agent::Pi).to_vec();
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
                found.add(Agent::Pi, Format::PiTree, path);
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
        document::read_file(source, cursor, limits, sink, tell)
    }
}

/// Emits the events of a tree in two passes: the first finds the active branch, the second emits
/// its events.
pub fn tell(source: &Source, input: &mut dyn Input, limits: Limits, out: &mut Out<'_>) -> io::Result<()> {
    let mut meta = lines::meta_of(source);
    meta.id = super::places::stem(&source.path).rsplit('_').next().unwrap_or_default().into();
    if meta.id.as_str().is_empty() {
        meta.id = lines::meta_of(source).id;
    }
    out.begin(meta);
    let left = left_lines(input, limits)?;
    input.seek(SeekFrom::Start(0))?;
    let mut feed = Feed::new(input, Position::default(), limits);
    loop {
        let line = match feed.next()? {
            Fed::Line { line, .. } => line,
            Fed::Oversized(line) => {
                out.record(line);
                out.oversized();
                continue;
            }
            Fed::Unended => match feed.take_unended() {
                Some(line) => line,
                None => {
                    out.torn();
                    return Ok(());
                }
            },
            Fed::Rest(_) | Fed::End => return Ok(()),
        };
        out.record(line);
        if left.contains(&line) {
            out.skip("entry", Skip::TakenBack);
            continue;
        }
        object::tell(feed.bytes(), out, |bytes, out| {
            serde_json::from_slice(bytes).map(|said| entry(&said, out))
        });
    }
}

/// Returns the lines outside the active branch, which leads from the last entry to the root.
/// Entries without an id, from the first version of the format, belong to it.
fn left_lines(input: &mut dyn Input, limits: Limits) -> io::Result<HashSet<u64>> {
    let mut nodes: HashMap<Box<str>, (u64, Option<Box<str>>)> = HashMap::new();
    let mut last = None;
    let mut feed = Feed::new(input, Position::default(), limits);
    loop {
        let line = match feed.next()? {
            Fed::Line { line, .. } => line,
            Fed::Unended => match feed.take_unended() {
                Some(line) => line,
                None => break,
            },
            Fed::Oversized(_) | Fed::Rest(_) => continue,
            Fed::End => break,
        };
        let place = object::read(feed.bytes(), |bytes| {
            let place: Place<'_> = serde_json::from_slice(bytes)?;
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

fn entry(entry: &Entry<'_>, out: &mut Out<'_>) {
    let (at, id) = (entry.timestamp.0, entry.id.said());
    let kind = entry.kind.or_empty();
    match kind {
        "session" => {
            out.identify(entry.id.or_empty());
            out.workspace(entry.cwd.or_empty());
            out.saw(at);
            out.model(at, None, entry.model_id.or_empty());
            if let (Some(parent), Some(meta)) = (entry.parent_session.said(), out.meta()) {
                let name = parent.rsplit(['/', '\\']).next().unwrap_or(parent).trim_end_matches(".jsonl");
                meta.parent = Some(name.rsplit('_').next().unwrap_or(name).into());
            }
            out.skip(kind, Skip::About);
        }
        "message" => match &entry.message.0 {
            Some(message) => said(at.or(message.timestamp.0), id, message, out),
            None => out.unknown("message without a message"),
        },
        "model_change" => {
            out.saw(at);
            out.model(at, id, entry.model_id.or_empty());
            out.skip(kind, Skip::About);
        }
        "compaction" => {
            out.tell(at, id, false, EventKind::Compaction { trigger: None, summary: entry.summary.owned() });
        }
        "branch_summary" => {
            let trigger = Some("branch".to_owned());
            out.tell(at, id, false, EventKind::Compaction { trigger, summary: entry.summary.owned() });
        }
        "custom_message" => {
            let text = entry.content.joined(text_of);
            out.tell(at, id, false, EventKind::Injected { text });
        }
        "session_info" | "title" => {
            if let Some(title) = entry.name.said().or(entry.title.said()) {
                out.title(title);
            }
            out.skip(kind, Skip::About);
        }
        "thinking_level_change" | "label" | "custom" | "mode_change" => out.skip(kind, Skip::Bookkeeping),
        other => out.unknown(other),
    }
}

fn text_of<'b>(block: &'b Block<'_>) -> Option<&'b str> {
    block.text.0.as_deref()
}

fn said(at: Option<Instant>, id: Option<&str>, message: &Message<'_>, out: &mut Out<'_>) {
    let text = || message.content.joined(text_of);
    match message.role.or_empty() {
        "user" => out.person(at, id, &text()),
        "assistant" => assistant(at, id, message, out),
        "toolResult" => {
            let text = text();
            let exit_code = exit_code(&text);
            let outcome = match message.is_error.0 {
                Some(true) => ToolOutcome::Error,
                Some(false) => ToolOutcome::Ok,
                None => ToolOutcome::of_exit(exit_code),
            };
            let call = message.tool_call_id.said().map(Into::into);
            out.tell(at, id, false, EventKind::ToolResult { id: call, outcome, exit_code, text });
        }
        "bashExecution" => {
            let kind = EventKind::PersonCommand {
                command: message.command.or_empty().to_owned(),
                output: message.output.0.as_ref().map(|output| output.clone().into_owned()),
                exit_code: message.exit_code.exit_code(),
            };
            out.tell(at, id, false, kind);
        }
        "custom" | "hookMessage" => out.tell(at, id, false, EventKind::Injected { text: text() }),
        "branchSummary" | "compactionSummary" => {
            let summary = message.summary.owned().or_else(|| Some(text()));
            out.tell(at, id, false, EventKind::Compaction { trigger: None, summary });
        }
        other => out.unknown(&format!("message/{other}")),
    }
}

/// Parses the exit code in the last line of a failed command's output, such as `Command exited with
/// code 2`.
fn exit_code(text: &str) -> Option<i32> {
    text.trim_end().lines().next_back()?.strip_prefix("Command exited with code ")?.trim().parse().ok()
}

fn assistant(at: Option<Instant>, id: Option<&str>, message: &Message<'_>, out: &mut Out<'_>) {
    if let Some(model) = message.model.said() {
        out.model(at, id, model);
    }
    match &message.content {
        Content::Text(text) => {
            out.tell(at, id, false, EventKind::AssistantText { text: text.clone().into_owned() })
        }
        Content::Nothing => {}
        Content::Blocks(pieces) => {
            for piece in pieces {
                let super::loose::Piece::Block(block) = piece else {
                    out.unknown("assistant/no block");
                    continue;
                };
                let kind = match block.kind.or_empty() {
                    "text" => EventKind::AssistantText { text: block.text.or_empty().to_owned() },
                    "thinking" => EventKind::Thinking { text: block.thinking.or_empty().to_owned() },
                    "toolCall" => EventKind::ToolCall {
                        id: block.id.said().map(Into::into),
                        name: block.name.or_empty().to_owned(),
                        input: block.arguments.value(),
                    },
                    other => {
                        out.unknown(&format!("assistant/{other}"));
                        continue;
                    }
                };
                out.tell(at, id, false, kind);
            }
        }
    }
    match message.stop_reason.or_empty() {
        "aborted" => out.tell(at, id, false, EventKind::Interrupt),
        "error" => {
            out.tell(at, id, false, EventKind::Error { text: message.error_message.or_empty().to_owned() })
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
