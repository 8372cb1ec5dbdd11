//! Aider: one Markdown file per project, to which every session is appended.
//!
//! Lines that start with `####` are the user's, `>` marks program output, and all other lines are
//! the model's. Only session headers have a time, in the machine's local time; it is read as UTC.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Aider;
use crate::agents::connector::{Connector, LogReader};
use crate::ingest::emitter::{Emitter, SessionState};
use crate::ingest::error::IngestError;
use crate::ingest::line_reader::{self, BUFFER_BYTES, LineEvent, LineReader};
use crate::ingest::locations::LogLocations;
use crate::ingest::log_cursor::{ContentSeal, LinePosition, LogCursor, LogStamp};
use crate::ingest::read_result::{IngestLimits, ReadResult, ReadStart};
use crate::ingest::sink::{EventSink, SkipReason};
use crate::ingest::source::{FoundLogs, LogFormat, LogSource};
use cm_note::instant::Instant;
use cm_session::event::{EventKind, ToolOutcome};
use cm_session::{Agent, SessionMeta};

const HISTORY: &str = ".aider.chat.history.md";
const HEADER: &str = "# aider chat started at ";

impl Connector for Aider {
    fn find(&self, places: &LogLocations, found: &mut FoundLogs) {
        let mut files: Vec<_> = places.workspaces.iter().map(|folder| folder.join(HISTORY)).collect();
        files.extend(places.variable("AIDER_CHAT_HISTORY_FILE"));
        files.extend(places.extra_paths_of(Agent::Aider).iter().map(|path| match path.is_dir() {
            true => path.join(HISTORY),
            false => path.clone(),
        }));
        for path in files.into_iter().filter(|path| path.is_file()) {
            let mut source = LogSource::new(Agent::Aider, LogFormat::AiderHistory, &path);
            source.workspace = path.parent().map(|folder| folder.to_string_lossy().into_owned());
            found.sources.push(source);
        }
    }

    fn reader(&self, _: LogFormat) -> LogReader {
        LogReader::Own { read: read_blocks, emit: Some(emit_bytes) }
    }
}

/// Reads a history, from the start of the last block that was read before, which may have grown.
fn read_blocks(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> Result<ReadResult, IngestError> {
    read_file(source, cursor, limits, sink).map_err(IngestError::io(&source.path))
}

fn read_file(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> io::Result<ReadResult> {
    let mut file = File::open(&source.path)?;
    let stamp = LogStamp::of(&file.metadata()?);
    if let Some(reading) = line_reader::unchanged(cursor, stamp, &[]) {
        return Ok(reading);
    }
    let resumable = cursor.filter(|cursor| {
        stamp.size() >= cursor.offset() && ContentSeal::of(&mut file, cursor.offset()).ok() == cursor.seal
    });
    let state = resumable.and_then(|cursor| {
        let state: AiderState = serde_json::from_str(&cursor.state).ok()?;
        Some(AiderState { session: cursor.session.clone(), ..state })
    });
    let progress = if state.is_some() { ReadStart::Continued } else { ReadStart::FromStart };
    let position =
        resumable.filter(|_| state.is_some()).map_or(LinePosition::default(), |cursor| cursor.position);
    file.seek(SeekFrom::Start(position.offset))?;
    let mut out = Emitter::new(sink);
    let (position, state) = emit_lines(
        source,
        &mut BufReader::with_capacity(BUFFER_BYTES, &mut file),
        position,
        state.unwrap_or_default(),
        limits,
        &mut out,
    )?;
    let (tally, _) = out.finish();
    let seal = Some(ContentSeal::of(&mut file, position.offset)?);
    let session = state.session.clone();
    let state = serde_json::to_string(&state).map_err(io::Error::other)?;
    let cursor = LogCursor { stamp, companions: Vec::new(), position, seal, state, session };
    Ok(ReadResult { cursor, tally, progress })
}

/// Emits the events of a history that is held in memory.
pub fn emit_bytes(
    source: &LogSource,
    bytes: &[u8],
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    let mut input = bytes;
    emit_lines(source, &mut input, LinePosition::default(), AiderState::default(), limits, out).map(drop)
}

/// Parser state at the start of the last block.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct AiderState {
    #[serde(skip)]
    session: Option<SessionState>,
    /// Number of sessions that began before this position in the file.
    ordinal: u64,
    started: Option<Instant>,
    /// Whether the user's last message ran a command that has no output yet.
    ran_command: bool,
}

/// Speaker of a block of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AiderSpeaker {
    Person,
    Program,
    Model,
}

struct AiderBlock {
    voice: AiderSpeaker,
    line: u64,
    text: String,
    /// Position of the block's first line.
    position: LinePosition,
    state: AiderState,
}

/// Emits the events of the lines from `position` on. Returns where the next run starts and the
/// parser state at that point.
fn emit_lines<R: BufRead + ?Sized>(
    source: &LogSource,
    input: &mut R,
    position: LinePosition,
    mut state: AiderState,
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<(LinePosition, AiderState)> {
    if let Some(session) = state.session.clone() {
        out.resume(session);
    }
    let mut feed = LineReader::new(input, position, limits);
    let mut block: Option<AiderBlock> = None;
    loop {
        let before = feed.position;
        match feed.next_raw()? {
            LineEvent::Line { line, .. } => {
                let text = String::from_utf8_lossy(feed.raw());
                let text = text.trim_end_matches(['\n', '\r']);
                let room = block.as_ref().map_or(0, |block| block.text.len()) + text.len()
                    <= limits.max_record_bytes;
                if let Some(open) = block.as_mut().filter(|open| room && continues_block(open, text)) {
                    open.text.push('\n');
                    open.text.push_str(text);
                    continue;
                }
                close(block.take(), &mut state, out);
                if let Some(started) = text.strip_prefix(HEADER) {
                    header(source, line, started, &mut state, out);
                } else if let Some(voice) = voice(text) {
                    state.session = out.session_state();
                    block = Some(AiderBlock {
                        voice,
                        line,
                        text: text.to_owned(),
                        position: before,
                        state: state.clone(),
                    });
                }
            }
            LineEvent::Oversized(line) => {
                close(block.take(), &mut state, out);
                out.record(line);
                out.count_oversized();
            }
            LineEvent::Unterminated => {
                out.mark_truncated();
                break;
            }
            LineEvent::LineRest(_) | LineEvent::End => break,
        }
    }
    // The last block may go on in the next run, which begins with it again.
    let open = block.as_ref().map(|block| (block.position, block.state.clone()));
    close(block, &mut state, out);
    state.session = out.session_state();
    Ok(open.unwrap_or((feed.position, state)))
}

/// Returns the speaker of a line; `None` for a blank line.
fn voice(line: &str) -> Option<AiderSpeaker> {
    if line.starts_with("#### ") || line == "####" {
        Some(AiderSpeaker::Person)
    } else if line.starts_with("> ") || line == ">" {
        Some(AiderSpeaker::Program)
    } else if line.trim().is_empty() {
        None
    } else {
        Some(AiderSpeaker::Model)
    }
}

/// Returns whether a line belongs to the previous block. A blank line ends a block of the program
/// and a command of the user. It is part of a block of the model, and of a message of the user,
/// whose lines some versions separate by blank lines. An answer to the program is a block of its
/// own.
fn continues_block(open: &AiderBlock, line: &str) -> bool {
    if line.starts_with(HEADER) || is_answer(line) || is_answer(&open.text) {
        return false;
    }
    let holds_blank = || match open.voice {
        AiderSpeaker::Model => true,
        AiderSpeaker::Person => !open.text.starts_with("#### /") && !open.text.starts_with("#### !"),
        AiderSpeaker::Program => false,
    };
    voice(line).map_or_else(holds_blank, |voice| voice == open.voice)
}

/// Returns whether a line of the user is an answer to the program.
fn is_answer(line: &str) -> bool {
    voice(line) == Some(AiderSpeaker::Person) && answers_program(line)
}

fn header(source: &LogSource, line: u64, started: &str, state: &mut AiderState, out: &mut Emitter<'_>) {
    let path = source.path.to_string_lossy();
    state.ordinal += 1;
    let name = format!("{path}\n{HEADER}{}\n{}", started.trim(), state.ordinal);
    let mut meta = SessionMeta::new(
        source.agent,
        format!("aider-{}", &blake3::hash(name.as_bytes()).to_hex()[..16]).into(),
    );
    meta.workspace = source.workspace.clone().or_else(|| {
        source
            .path
            .parent()
            .filter(|folder| *folder != Path::new(""))
            .map(|folder| folder.to_string_lossy().into_owned())
    });
    state.started = Instant::parse(started).ok();
    state.ran_command = false;
    meta.extend_time_range(state.started);
    out.begin_named(meta);
    out.record(line);
    out.skip("header", SkipReason::Metadata);
    state.session = out.session_state();
}

/// Emits the events of a finished block.
fn close(block: Option<AiderBlock>, state: &mut AiderState, out: &mut Emitter<'_>) {
    let Some(block) = block else { return };
    out.record(block.line);
    if state.session.is_none() {
        return out.count_unknown("text before the first session");
    }
    let at = state.started;
    match block.voice {
        AiderSpeaker::Person => {
            let text = without_mark(&block.text, "####");
            state.ran_command = false;
            if answers_program(&text) {
                return out.emit(at, None, false, EventKind::System { text });
            }
            match command_in(&text) {
                Some(command) => {
                    state.ran_command = true;
                    let command = command.to_owned();
                    out.emit(
                        at,
                        None,
                        false,
                        EventKind::PersonCommand { command, output: None, exit_code: None },
                    );
                }
                None => out.emit_prompt(at, None, &text),
            }
        }
        AiderSpeaker::Program => program(&without_mark(&block.text, ">"), state, out),
        AiderSpeaker::Model => {
            let text = block.text.trim().to_owned();
            out.emit(at, None, false, EventKind::AssistantText { text });
        }
    }
}

/// Returns whether a text is a prompt of the program with the user's answer, such as `Add file?
/// (Y)es/(N)o [Yes]: y`.
fn answers_program(text: &str) -> bool {
    text.contains("(Y)es/(N)o") && text.contains("]: ") && !text.contains('\n')
}

/// Returns the shell command in `/run …`, `/test …` or `!…`; `None` for other text.
fn command_in(text: &str) -> Option<&str> {
    let rest = ["/run ", "/test ", "/git ", "!"].iter().find_map(|opening| text.strip_prefix(opening))?;
    Some(rest.trim()).filter(|command| !command.is_empty())
}

fn program(text: &str, state: &mut AiderState, out: &mut Emitter<'_>) {
    let at = state.started;
    for line in text.lines() {
        let model = line.strip_prefix("Main model: ").or_else(|| line.strip_prefix("Model: "));
        if let Some(model) = model.and_then(|rest| rest.split_whitespace().next()) {
            out.model(at, None, model);
        }
    }
    let interrupted = text
        .lines()
        .any(|line| line.starts_with("^C KeyboardInterrupt") || line.starts_with("^C again to exit"));
    let kind = if std::mem::take(&mut state.ran_command) {
        EventKind::ToolResult {
            id: None,
            outcome: ToolOutcome::Unknown,
            exit_code: None,
            text: text.to_owned(),
        }
    } else {
        EventKind::System { text: text.to_owned() }
    };
    out.emit(at, None, false, kind);
    if interrupted {
        out.emit(at, None, false, EventKind::Interrupt);
    }
}

/// Removes `mark` from the start of every line.
fn without_mark(text: &str, mark: &str) -> String {
    let lines = text.lines().map(|line| {
        let line = line.strip_prefix(mark).unwrap_or(line);
        let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
        if line == "<blank>" { "" } else { line }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quote_marks_and_trailing_blanks_are_removed() {
        assert_eq!(without_mark("#### a  \n#### <blank>  \n####   b  ", "####"), "a\n\n  b");
        assert_eq!(without_mark("> a  \n>", ">"), "a\n");
    }

    #[test]
    fn a_heading_of_the_models_is_no_header() {
        assert_eq!(voice("# Plan"), Some(AiderSpeaker::Model));
        assert_eq!(voice("##### deep"), Some(AiderSpeaker::Model));
        assert_eq!(voice("####"), Some(AiderSpeaker::Person));
        assert!(!continues_block(&block("# Plan"), HEADER));
    }

    #[test]
    fn a_blank_line_is_part_of_a_message_and_ends_commands_and_output() {
        assert!(continues_block(&block("Done."), "") && continues_block(&block("#### Use pnpm."), ""));
        for other in ["#### /clear", "#### !make", "> Applied edit", "#### Add it? (Y)es/(N)o [Yes]: y"] {
            assert!(!continues_block(&block(other), ""), "{other}");
        }
        assert!(!continues_block(&block("#### Use pnpm."), "#### Add it? (Y)es/(N)o [Yes]: y"));
    }

    fn block(text: &str) -> AiderBlock {
        AiderBlock {
            voice: voice(text).unwrap(),
            line: 1,
            text: text.to_owned(),
            position: LinePosition::default(),
            state: AiderState::default(),
        }
    }
}
