//! The table of all connectors, and functions to find and read logs.

use std::io::{self, Cursor as Bytes};
use std::path::Path;

use super::connector::Connector;
use super::document::{self, DocumentEmitter};
use super::emitter::Emitter;
use super::error::IngestError;
use super::line_reader::{self, LineFormat};
use super::locations::LogLocations;
use super::log_cursor::{LinePosition, LogCursor};
use super::read_result::{IngestLimits, ReadResult};
use super::sink::EventSink;
use super::source::{FoundLogs, LogFormat, LogSource};
use super::tally::RecordCounts;
use super::{
    aider, amp, chatgpt, claude_code, cline, codex, copilot_cli, cursor, gemini, opencode, pi, uploaded,
};
use cm_session::Agent;

/// Returns the connector of an agent.
pub fn connector(agent: Agent) -> &'static dyn Connector {
    match agent {
        Agent::ClaudeCode => &claude_code::ClaudeCode,
        Agent::Codex => &codex::Codex,
        Agent::Cursor => &cursor::CursorEditor,
        Agent::Aider => &aider::Aider,
        Agent::Pi => &pi::Pi,
        Agent::Gemini => &gemini::Gemini,
        Agent::Chatgpt => &chatgpt::Chatgpt,
        Agent::Opencode => &opencode::Opencode,
        Agent::Cline => &cline::Cline,
        Agent::Amp => &amp::Amp,
        Agent::CopilotCli => &copilot_cli::CopilotCli,
    }
}

/// Returns the logs of these agents without duplicates, ordered by path.
pub fn find(agents: &[Agent], places: &LogLocations) -> FoundLogs {
    let mut found = FoundLogs::default();
    for agent in agents {
        connector(*agent).find(places, &mut found);
    }
    // A pipe would be waited for, and a device never ends.
    found.sources.retain(|source| is_log(&source.path));
    found.sources.sort_by(|a, b| a.path.cmp(&b.path).then(a.agent.cmp(&b.agent)));
    found.sources.dedup_by(|a, b| a.path == b.path && a.agent == b.agent);
    found
}

/// Returns whether a path can be a log: a regular file, or a missing file that stands for several
/// others.
fn is_log(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |stat| stat.is_file())
}

/// Emits the events of a log since `cursor`; see [`Connector::read`].
///
/// # Errors
/// Returns an error if the log cannot be read at all, or is not a regular file.
pub fn read(
    source: &LogSource,
    cursor: Option<&LogCursor>,
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> Result<ReadResult, IngestError> {
    if !is_log(&source.path) {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
        return Err(IngestError::io(&source.path)(error));
    }
    match source.format {
        // In our own form, whichever agent's session it is.
        LogFormat::SentLines => {
            line_reader::read_file::<uploaded::UploadParser>(source, cursor, limits, sink)
        }
        _ => connector(source.agent).read(source, cursor, limits, sink),
    }
}

/// Emits the events of a log that is held in memory. Does nothing for databases, archives, and
/// sessions that are stored in several files.
pub fn read_bytes(
    source: &LogSource,
    bytes: &[u8],
    limits: IngestLimits,
    sink: &mut dyn EventSink,
) -> RecordCounts {
    let mut out = Emitter::new(sink);
    let told = match source.format {
        LogFormat::ClaudeLines => tell_lines::<claude_code::ClaudeState>(source, bytes, limits, &mut out),
        LogFormat::CodexLines => tell_lines::<codex::CodexState>(source, bytes, limits, &mut out),
        LogFormat::CursorTranscript => {
            tell_lines::<cursor::transcript::TranscriptState>(source, bytes, limits, &mut out)
        }
        LogFormat::CopilotLines => tell_lines::<copilot_cli::CopilotState>(source, bytes, limits, &mut out),
        LogFormat::SentLines => tell_lines::<uploaded::UploadParser>(source, bytes, limits, &mut out),
        LogFormat::CodexCompressed => codex::tell_compressed(source, bytes, limits, &mut out),
        LogFormat::AiderHistory => aider::emit_bytes(source, bytes, limits, &mut out),
        LogFormat::PiTree => tell_document(pi::tell, source, bytes, limits, &mut out),
        LogFormat::GeminiLines => tell_document(gemini::tell_lines, source, bytes, limits, &mut out),
        LogFormat::GeminiDocument => tell_document(gemini::tell_document, source, bytes, limits, &mut out),
        LogFormat::CodexDocument => tell_document(codex::tell_document, source, bytes, limits, &mut out),
        LogFormat::ChatgptDocument => tell_document(chatgpt::tell, source, bytes, limits, &mut out),
        LogFormat::AmpThread => tell_document(amp::tell, source, bytes, limits, &mut out),
        LogFormat::CopilotDocument => {
            tell_document(copilot_cli::tell_document, source, bytes, limits, &mut out)
        }
        LogFormat::ClineSession => tell_document(cline::session::tell, source, bytes, limits, &mut out),
        LogFormat::ClineTask => tell_document(cline::tell_seen, source, bytes, limits, &mut out),
        LogFormat::CursorDatabase
        | LogFormat::CursorChat
        | LogFormat::ChatgptArchive
        | LogFormat::OpencodeDatabase
        | LogFormat::OpencodeTree => Ok(()),
    };
    if told.is_err() {
        // Bytes in memory refuse nothing; a compressed stream may.
        out.mark_truncated();
    }
    out.finish().0
}

fn tell_lines<F: LineFormat>(
    source: &LogSource,
    bytes: &[u8],
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    F::begin(source, out);
    let mut input = bytes;
    line_reader::emit_lines(&mut input, LinePosition::default(), &mut F::default(), limits, out).map(drop)
}

fn tell_document(
    tell: DocumentEmitter,
    source: &LogSource,
    bytes: &[u8],
    limits: IngestLimits,
    out: &mut Emitter<'_>,
) -> io::Result<()> {
    let input: &mut dyn document::SeekableInput = &mut Bytes::new(bytes);
    tell(source, input, limits, out)
}
