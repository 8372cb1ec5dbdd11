//! A log that was found, and its format.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::IngestError;
use cm_note::instant::Instant;
use cm_session::{Agent, SessionId, SessionMeta};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
    /// Claude Code: JSON Lines, append-only.
    ClaudeLines,
    /// Codex: JSON Lines, append-only.
    CodexLines,
    /// Codex: JSON Lines, compressed.
    CodexCompressed,
    /// Codex: one JSON document, written by early versions.
    CodexDocument,
    /// Cursor: the editor's database.
    CursorDatabase,
    /// Cursor: agent transcript with one message per line.
    CursorTranscript,
    /// Cursor: chat of its command line, a small database.
    CursorChat,
    /// Aider: Markdown chat history with many sessions per file, append-only.
    AiderHistory,
    /// Pi: a tree of records, one per line, append-only.
    PiTree,
    /// Gemini CLI: messages and changes to them, one per line, append-only.
    GeminiLines,
    /// Gemini CLI: one JSON document, written by early versions.
    GeminiDocument,
    /// ChatGPT: `conversations.json` of an export.
    ChatgptDocument,
    /// ChatGPT: the archive of an export.
    ChatgptArchive,
    OpencodeDatabase,
    /// opencode: main file of a session, written by versions without a database.
    OpencodeTree,
    /// Cline or Roo Code: file of a task with the messages shown to the user.
    ClineTask,
    /// Cline 3: message file of a session.
    ClineSession,
    AmpThread,
    /// Copilot CLI: one event per line, append-only.
    CopilotLines,
    /// Copilot CLI: one JSON document, written by early versions.
    CopilotDocument,
    /// Qwen Code: JSON Lines, append-only.
    QwenLines,
    /// Uploaded session in cm's own format: one message per line, append-only.
    SentLines,
}

/// A log file, with metadata from its surroundings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogSource {
    /// Agent that wrote the log.
    pub agent: Agent,
    pub format: LogFormat,
    pub path: PathBuf,
    /// Working directory, if another file provides it.
    pub workspace: Option<String>,
    /// Parent session, if the path shows that this is a subagent's log.
    pub parent: Option<SessionId>,
    /// Title of the session, if another file provides it.
    pub title: Option<String>,
}

impl LogSource {
    /// Creates metadata from the source, with an id derived from the log's path until the log provides
    /// its own.
    pub fn initial_meta(&self) -> SessionMeta {
        let path = self.path.to_string_lossy();
        let id = format!("path-{}", &blake3::hash(path.as_bytes()).to_hex()[..16]);
        let mut meta = SessionMeta::new(self.agent, id.into());
        meta.workspace.clone_from(&self.workspace);
        meta.subagent = self.parent.is_some();
        meta.parent.clone_from(&self.parent);
        meta.title = self.title.as_deref().and_then(cm_session::title::of_line);
        meta
    }

    /// Returns the time of the last modification; `None` if it is unknown, or for formats with
    /// several files.
    pub fn changed(&self) -> Option<Instant> {
        let many = matches!(
            self.format,
            LogFormat::CursorDatabase
                | LogFormat::CursorChat
                | LogFormat::OpencodeDatabase
                | LogFormat::OpencodeTree
                | LogFormat::ClineTask
        );
        let changed = std::fs::metadata(&self.path).ok().filter(|_| !many)?.modified().ok()?;
        let age = changed.duration_since(std::time::UNIX_EPOCH).ok()?;
        Instant::from_millis(i64::try_from(age.as_millis()).ok()?)
    }

    /// Creates the source of a log file at any path, with the format that the agent writes in files
    /// with this ending; `None` if the agent writes no such files.
    pub fn of_file(agent: Agent, path: impl Into<PathBuf>) -> Option<Self> {
        let path = path.into();
        let format = match (agent, path.extension()?.to_str()?) {
            (Agent::ClaudeCode, "jsonl") => LogFormat::ClaudeLines,
            (Agent::Codex, "jsonl") => LogFormat::CodexLines,
            (Agent::Codex, "zst") => LogFormat::CodexCompressed,
            (Agent::Codex, "json") => LogFormat::CodexDocument,
            (Agent::Cursor, "jsonl") => LogFormat::CursorTranscript,
            (Agent::Aider, "md") => LogFormat::AiderHistory,
            (Agent::Pi, "jsonl") => LogFormat::PiTree,
            (Agent::Gemini, "jsonl") => LogFormat::GeminiLines,
            (Agent::Gemini, "json") => LogFormat::GeminiDocument,
            (Agent::Chatgpt, "json") => LogFormat::ChatgptDocument,
            (Agent::Chatgpt, "zip") => LogFormat::ChatgptArchive,
            (Agent::Amp, "json") => LogFormat::AmpThread,
            (Agent::CopilotCli, "jsonl") => LogFormat::CopilotLines,
            (Agent::CopilotCli, "json") => LogFormat::CopilotDocument,
            (Agent::Qwen, "jsonl") => LogFormat::QwenLines,
            _ => return None,
        };
        Some(Self::new(agent, format, path))
    }

    /// Creates a source without metadata.
    pub fn new(agent: Agent, format: LogFormat, path: impl Into<PathBuf>) -> Self {
        Self { agent, format, path: path.into(), workspace: None, parent: None, title: None }
    }
}

/// Logs that were found, and errors.
#[derive(Debug, Default)]
pub struct FoundLogs {
    pub sources: Vec<LogSource>,
    /// Errors of files and folders that cannot be read; missing ones are not errors.
    pub errors: Vec<IngestError>,
}

impl FoundLogs {
    pub(crate) fn add(&mut self, agent: Agent, format: LogFormat, path: PathBuf) {
        self.sources.push(LogSource::new(agent, format, path));
    }

    /// Lists the entries of a folder, sorted; empty if it does not exist.
    pub(crate) fn list(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Vec::new();
            }
            Err(error) => {
                self.errors.push(IngestError::io(folder)(error));
                return Vec::new();
            }
        };
        let mut paths: Vec<PathBuf> =
            entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.sort();
        paths
    }

    /// Lists the files below a folder, sorted in each folder, down to `depth` levels; does not
    /// follow symbolic links to folders.
    pub(crate) fn files_below(&mut self, folder: &Path, depth: usize) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for path in self.list(folder) {
            match std::fs::symlink_metadata(&path) {
                Ok(stat) if stat.is_dir() && depth > 0 => files.extend(self.files_below(&path, depth - 1)),
                Ok(stat) if !stat.is_dir() => files.push(path),
                _ => {}
            }
        }
        files
    }

    /// Reads a small file next to a log; `None` if it is missing, larger than 4 MiB or not UTF-8.
    pub(crate) fn read_companion(&mut self, path: &Path) -> Option<String> {
        const MAX_COMPANION_BYTES: u64 = 4 << 20;
        match std::fs::metadata(path) {
            Ok(stat) if stat.is_file() && stat.len() <= MAX_COMPANION_BYTES => {
                std::fs::read_to_string(path).ok()
            }
            _ => None,
        }
    }
}
