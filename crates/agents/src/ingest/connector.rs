//! The connectors of all agents behind one trait, and functions to find and read logs.

use std::io::{self, Cursor as Bytes};
use std::path::Path;

use super::document::{self, Tell};
use super::error::Error;
use super::lines::{self, Lines};
use super::out::Out;
use super::places::Places;
use super::position::{Cursor, Position};
use super::reading::{Limits, Reading};
use super::sink::Sink;
use super::source::{Format, Found, Source};
use super::tally::Tally;
use super::{
    aider, amp, chatgpt, claude_code, cline, codex, copilot_cli, cursor, gemini, opencode, pi, sent,
};
use cm_session::Agent;

/// Support for one agent: finds its logs and parses them.
pub trait Connector: Sync {
    /// Adds the agent's logs in these places.
    fn find(&self, places: &Places, found: &mut Found);

    /// Emits the events of a log since `cursor`.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read at all. Problems within it are counted instead.
    fn read(
        &self,
        source: &Source,
        cursor: Option<&Cursor>,
        limits: Limits,
        sink: &mut dyn Sink,
    ) -> Result<Reading, Error>;
}

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
pub fn find(agents: &[Agent], places: &Places) -> Found {
    let mut found = Found::default();
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
    source: &Source,
    cursor: Option<&Cursor>,
    limits: Limits,
    sink: &mut dyn Sink,
) -> Result<Reading, Error> {
    if !is_log(&source.path) {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
        return Err(Error::io(&source.path)(error));
    }
    match source.format {
        // In our own form, whichever agent's session it is.
        Format::SentLines => lines::read_file::<sent::State>(source, cursor, limits, sink),
        _ => connector(source.agent).read(source, cursor, limits, sink),
    }
}

/// Emits the events of a log that is held in memory. Does nothing for databases, archives, and
/// sessions that are stored in several files.
pub fn read_bytes(source: &Source, bytes: &[u8], limits: Limits, sink: &mut dyn Sink) -> Tally {
    let mut out = Out::new(sink);
    let told = match source.format {
        Format::ClaudeLines => tell_lines::<claude_code::State>(source, bytes, limits, &mut out),
        Format::CodexLines => tell_lines::<codex::State>(source, bytes, limits, &mut out),
        Format::CursorTranscript => tell_lines::<cursor::transcript::State>(source, bytes, limits, &mut out),
        Format::CopilotLines => tell_lines::<copilot_cli::State>(source, bytes, limits, &mut out),
        Format::SentLines => tell_lines::<sent::State>(source, bytes, limits, &mut out),
        Format::CodexCompressed => codex::tell_compressed(source, bytes, limits, &mut out),
        Format::AiderHistory => aider::tell_bytes(source, bytes, limits, &mut out),
        Format::PiTree => tell_document(pi::tell, source, bytes, limits, &mut out),
        Format::GeminiLines => tell_document(gemini::tell_lines, source, bytes, limits, &mut out),
        Format::GeminiDocument => tell_document(gemini::tell_document, source, bytes, limits, &mut out),
        Format::CodexDocument => tell_document(codex::tell_document, source, bytes, limits, &mut out),
        Format::ChatgptDocument => tell_document(chatgpt::tell, source, bytes, limits, &mut out),
        Format::AmpThread => tell_document(amp::tell, source, bytes, limits, &mut out),
        Format::CopilotDocument => tell_document(copilot_cli::tell_document, source, bytes, limits, &mut out),
        Format::ClineSession => tell_document(cline::session::tell, source, bytes, limits, &mut out),
        Format::ClineTask => tell_document(cline::tell_seen, source, bytes, limits, &mut out),
        Format::CursorDatabase
        | Format::CursorChat
        | Format::ChatgptArchive
        | Format::OpencodeDatabase
        | Format::OpencodeTree => Ok(()),
    };
    if told.is_err() {
        // Bytes in memory refuse nothing; a compressed stream may.
        out.torn();
    }
    out.finish().0
}

fn tell_lines<F: Lines>(source: &Source, bytes: &[u8], limits: Limits, out: &mut Out<'_>) -> io::Result<()> {
    F::begin(source, out);
    let mut input = bytes;
    lines::tell(&mut input, Position::default(), &mut F::default(), limits, out).map(drop)
}

fn tell_document(
    tell: Tell,
    source: &Source,
    bytes: &[u8],
    limits: Limits,
    out: &mut Out<'_>,
) -> io::Result<()> {
    let input: &mut dyn document::Input = &mut Bytes::new(bytes);
    tell(source, input, limits, out)
}
