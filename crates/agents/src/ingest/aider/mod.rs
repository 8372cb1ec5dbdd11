//! Aider: one Markdown file per project, to which every session is appended.
//!
//! Lines that start with `####` are the user's, `>` marks program output, and all other lines are
//! the model's. Only session headers have a time, in the machine's local time; it is read as UTC.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::connector::Connector;
use super::error::Error;
use super::lines::{self, Fed, Feed, PIECE};
use super::out::{Carried, Out};
use super::places::Places;
use super::position::{Cursor, Position, Seal, Stamp};
use super::reading::{Limits, Progress, Reading};
use super::sink::{Sink, Skip};
use super::source::{Format, Found, Source};
use cm_note::instant::Instant;
use cm_session::event::{EventKind, ToolOutcome};
use cm_session::{Agent, Meta};

const HISTORY: &str = ".aider.chat.history.md";
const HEADER: &str = "# aider chat started at ";

pub struct Aider;

impl Connector for Aider {
    fn find(&self, places: &Places, found: &mut Found) {
        let mut files: Vec<_> = places.workspaces.iter().map(|folder| folder.join(HISTORY)).collect();
        files.extend(places.variable("AIDER_CHAT_HISTORY_FILE"));
        files.extend(places.named(Agent::Aider).iter().map(|named| match named.is_dir() {
            true => named.join(HISTORY),
            false => named.clone(),
        }));
        for path in files.into_iter().filter(|path| path.is_file()) {
            let mut source = Source::new(Agent::Aider, Format::AiderHistory, &path);
            source.workspace = path.parent().map(|folder| folder.to_string_lossy().into_owned());
            found.sources.push(source);
        }
    }

    fn read(
        &self,
        source: &Source,
        cursor: Option<&Cursor>,
        limits: Limits,
        sink: &mut dyn Sink,
    ) -> Result<Reading, Error> {
        read_file(source, cursor, limits, sink).map_err(Error::io(&source.path))
    }
}

/// Continues reading at the start of the last block, which may have grown.
fn read_file(
    source: &Source,
    cursor: Option<&Cursor>,
    limits: Limits,
    sink: &mut dyn Sink,
) -> io::Result<Reading> {
    let mut file = File::open(&source.path)?;
    let stamp = Stamp::of(&file.metadata()?);
    if let Some(reading) = lines::unchanged(cursor, stamp, &[]) {
        return Ok(reading);
    }
    let kept = cursor.filter(|cursor| {
        stamp.size() >= cursor.offset() && Seal::of(&mut file, cursor.offset()).ok() == cursor.seal
    });
    let state = kept.and_then(|cursor| {
        let state: State = serde_json::from_str(&cursor.state).ok()?;
        Some(State { session: cursor.session.clone(), ..state })
    });
    let progress = if state.is_some() { Progress::Continued } else { Progress::FromStart };
    let position = kept.filter(|_| state.is_some()).map_or(Position::default(), |cursor| cursor.position);
    file.seek(SeekFrom::Start(position.offset))?;
    let mut out = Out::new(sink);
    let (position, state) = tell(
        source,
        &mut BufReader::with_capacity(PIECE, &mut file),
        position,
        state.unwrap_or_default(),
        limits,
        &mut out,
    )?;
    let (tally, _) = out.finish();
    let seal = Some(Seal::of(&mut file, position.offset)?);
    let session = state.session.clone();
    let state = serde_json::to_string(&state).map_err(io::Error::other)?;
    let cursor = Cursor { stamp, beside: Vec::new(), position, seal, state, session };
    Ok(Reading { cursor, tally, progress })
}

/// Emits the events of a history that is held in memory.
pub fn tell_bytes(source: &Source, bytes: &[u8], limits: Limits, out: &mut Out<'_>) -> io::Result<()> {
    let mut input = bytes;
    tell(source, &mut input, Position::default(), State::default(), limits, out).map(drop)
}

/// Parser state at the start of the last block.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct State {
    #[serde(skip)]
    session: Option<Carried>,
    /// Number of sessions that began before this position in the file.
    ordinal: u64,
    started: Option<Instant>,
    /// Whether the user's last message ran a command that has no output yet.
    ran_command: bool,
}

/// Speaker of a block of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voice {
    Person,
    Program,
    Model,
}

struct Block {
    voice: Voice,
    line: u64,
    text: String,
    /// Position of the block's first line.
    position: Position,
    state: State,
}

/// Emits the events of the lines from `position` on. Returns where the next run starts and the
/// parser state at that point.
fn tell<R: BufRead + ?Sized>(
    source: &Source,
    input: &mut R,
    position: Position,
    mut state: State,
    limits: Limits,
    out: &mut Out<'_>,
) -> io::Result<(Position, State)> {
    if let Some(session) = state.session.clone() {
        out.resume(session);
    }
    let mut feed = Feed::new(input, position, limits);
    let mut block: Option<Block> = None;
    loop {
        let before = feed.position;
        match feed.next_raw()? {
            Fed::Line { line, .. } => {
                let text = String::from_utf8_lossy(feed.raw());
                let text = text.trim_end_matches(['\n', '\r']);
                let room = block.as_ref().map_or(0, |block| block.text.len()) + text.len() <= limits.record;
                if let Some(open) = block.as_mut().filter(|open| room && goes_on(open.voice, text)) {
                    open.text.push('\n');
                    open.text.push_str(text);
                    continue;
                }
                close(block.take(), &mut state, out);
                if let Some(started) = text.strip_prefix(HEADER) {
                    header(source, line, started, &mut state, out);
                } else if let Some(voice) = voice(text) {
                    state.session = out.carried();
                    block = Some(Block {
                        voice,
                        line,
                        text: text.to_owned(),
                        position: before,
                        state: state.clone(),
                    });
                }
            }
            Fed::Oversized(line) => {
                close(block.take(), &mut state, out);
                out.record(line);
                out.oversized();
            }
            Fed::Unended => {
                out.torn();
                break;
            }
            Fed::Rest(_) | Fed::End => break,
        }
    }
    // The last block may go on in the next run, which begins with it again.
    let open = block.as_ref().map(|block| (block.position, block.state.clone()));
    close(block, &mut state, out);
    state.session = out.carried();
    Ok(open.unwrap_or((feed.position, state)))
}

/// Returns the speaker of a line; `None` for a blank line.
fn voice(line: &str) -> Option<Voice> {
    if line.starts_with("#### ") || line == "####" {
        Some(Voice::Person)
    } else if line.starts_with("> ") || line == ">" {
        Some(Voice::Program)
    } else if line.trim().is_empty() {
        None
    } else {
        Some(Voice::Model)
    }
}

/// Returns whether a line belongs to the previous block. A blank line ends a block of the user or
/// the program, but is part of a block of the model.
fn goes_on(open: Voice, line: &str) -> bool {
    !line.starts_with(HEADER) && voice(line).map_or(open == Voice::Model, |voice| voice == open)
}

fn header(source: &Source, line: u64, started: &str, state: &mut State, out: &mut Out<'_>) {
    let path = source.path.to_string_lossy();
    state.ordinal += 1;
    let name = format!("{path}\n{HEADER}{}\n{}", started.trim(), state.ordinal);
    let mut meta =
        Meta::new(source.agent, format!("aider-{}", &blake3::hash(name.as_bytes()).to_hex()[..16]).into());
    meta.workspace = source.workspace.clone().or_else(|| {
        source
            .path
            .parent()
            .filter(|folder| *folder != Path::new(""))
            .map(|folder| folder.to_string_lossy().into_owned())
    });
    state.started = Instant::parse(started).ok();
    state.ran_command = false;
    meta.saw(state.started);
    out.begin_named(meta);
    out.record(line);
    out.skip("header", Skip::About);
    state.session = out.carried();
}

/// Emits the events of a finished block.
fn close(block: Option<Block>, state: &mut State, out: &mut Out<'_>) {
    let Some(block) = block else { return };
    out.record(block.line);
    if state.session.is_none() {
        return out.unknown("text before the first session");
    }
    let at = state.started;
    match block.voice {
        Voice::Person => {
            let text = quoted(&block.text, "####");
            state.ran_command = false;
            if answers_program(&text) {
                return out.tell(at, None, false, EventKind::System { text });
            }
            match command_in(&text) {
                Some(command) => {
                    state.ran_command = true;
                    let command = command.to_owned();
                    out.tell(
                        at,
                        None,
                        false,
                        EventKind::PersonCommand { command, output: None, exit_code: None },
                    );
                }
                None => out.person(at, None, &text),
            }
        }
        Voice::Program => program(&quoted(&block.text, ">"), state, out),
        Voice::Model => {
            let text = block.text.trim().to_owned();
            out.tell(at, None, false, EventKind::AssistantText { text });
        }
    }
}

/// Returns whether a text is a prompt of the program with the user's answer, such as `Add file?
/// (Y)es/(N)o [Yes]: y`.
fn answers_program(text: &str) -> bool {
    text.contains("(Y)es/(N)o") && text.contains("]: ") && !text.contains('\n')
}

/// The command of `/run …`, `/test …` and `!…`.
fn command_in(text: &str) -> Option<&str> {
    let rest = ["/run ", "/test ", "/git ", "!"].iter().find_map(|opening| text.strip_prefix(opening))?;
    Some(rest.trim()).filter(|command| !command.is_empty())
}

fn program(text: &str, state: &mut State, out: &mut Out<'_>) {
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
    out.tell(at, None, false, kind);
    if interrupted {
        out.tell(at, None, false, EventKind::Interrupt);
    }
}

/// Removes the marker at the start of every line.
fn quoted(text: &str, mark: &str) -> String {
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
    fn marks_and_trailing_blanks_are_no_part_of_what_was_said() {
        assert_eq!(quoted("#### a  \n#### <blank>  \n####   b  ", "####"), "a\n\n  b");
        assert_eq!(quoted("> a  \n>", ">"), "a\n");
    }

    #[test]
    fn a_heading_of_the_models_is_no_header() {
        assert_eq!(voice("# Plan"), Some(Voice::Model));
        assert_eq!(voice("##### deep"), Some(Voice::Model));
        assert_eq!(voice("####"), Some(Voice::Person));
        assert!(goes_on(Voice::Model, "") && !goes_on(Voice::Person, "") && !goes_on(Voice::Model, HEADER));
    }
}
