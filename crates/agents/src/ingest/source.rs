//! One log that was found.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::Error;
use cm_note::instant::Instant;
use cm_session::{Agent, SessionId};

/// How a log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Claude Code: a record a line, appended to.
    ClaudeLines,
    /// Codex: a record a line, appended to.
    CodexLines,
    /// The same, compressed.
    CodexCompressed,
    /// Codex before it wrote lines.
    CodexDocument,
    /// Cursor's database.
    CursorDatabase,
    /// Cursor's agent transcripts: a message a line.
    CursorTranscript,
    /// A chat of Cursor's command line: a small database.
    CursorChat,
    /// Aider's chat history: markdown, many sessions in a file, appended to.
    AiderHistory,
    /// Pi: a tree of records, one a line, appended to.
    PiTree,
    /// Gemini CLI: messages and changes to them, one a line, appended to.
    GeminiLines,
    /// Gemini CLI before it wrote lines.
    GeminiDocument,
    /// `conversations.json` of a ChatGPT export.
    ChatgptDocument,
    /// A ChatGPT export as it comes.
    ChatgptArchive,
    /// opencode's database.
    OpencodeDatabase,
    /// A session of opencode before it had a database: the file that the others hang on.
    OpencodeTree,
    /// A task of Cline or Roo: the file with what the person saw.
    ClineTask,
    /// A session of Cline 3: the file with its messages.
    ClineSession,
    /// A thread of Amp.
    AmpThread,
    /// Copilot CLI: an event a line, appended to.
    CopilotLines,
    /// Copilot CLI before it wrote lines.
    CopilotDocument,
    /// A session that was sent to a vault, in our own form: a message a line, appended to.
    SentLines,
}

/// One log: a file, with what its surroundings tell of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Whose log it is.
    pub agent: Agent,
    /// How it is written.
    pub format: Format,
    /// Where it lies.
    pub path: PathBuf,
    /// The folder that was worked in, where a file beside the log tells.
    pub workspace: Option<String>,
    /// The session that this one serves as a sub-agent, where the log's place tells.
    pub parent: Option<SessionId>,
    /// The session's title, where a file beside the log tells.
    pub title: Option<String>,
}

impl Source {
    /// When the log was last written to; none where the system does not tell, or it is kept in several files.
    pub fn changed(&self) -> Option<Instant> {
        let many = matches!(
            self.format,
            Format::CursorDatabase
                | Format::CursorChat
                | Format::OpencodeDatabase
                | Format::OpencodeTree
                | Format::ClineTask
        );
        let changed = std::fs::metadata(&self.path).ok().filter(|_| !many)?.modified().ok()?;
        let age = changed.duration_since(std::time::UNIX_EPOCH).ok()?;
        Instant::from_millis(i64::try_from(age.as_millis()).ok()?)
    }

    /// A log of which only its place is known.
    pub fn new(agent: Agent, format: Format, path: impl Into<PathBuf>) -> Self {
        Self { agent, format, path: path.into(), workspace: None, parent: None, title: None }
    }
}

/// What was found, and what could not be looked into.
#[derive(Debug, Default)]
pub struct Found {
    /// The logs.
    pub sources: Vec<Source>,
    /// Folders and files that refused; a missing one is no refusal.
    pub refused: Vec<Error>,
}

impl Found {
    pub(super) fn add(&mut self, agent: Agent, format: Format, path: PathBuf) {
        self.sources.push(Source::new(agent, format, path));
    }

    /// What lies in a folder, sorted; nothing where there is no such folder.
    pub(super) fn list(&mut self, folder: &Path) -> Vec<PathBuf> {
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Vec::new();
            }
            Err(error) => {
                self.refused.push(Error::io(folder)(error));
                return Vec::new();
            }
        };
        let mut paths: Vec<PathBuf> =
            entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
        paths.sort();
        paths
    }

    /// The files below a folder, sorted, down to `depth` folders; symbolic links to folders are not followed.
    pub(super) fn files_below(&mut self, folder: &Path, depth: usize) -> Vec<PathBuf> {
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

    /// The text of a small file beside a log; none where it is missing, large or no text.
    pub(super) fn beside(&mut self, path: &Path) -> Option<String> {
        const LARGEST: u64 = 4 << 20;
        match std::fs::metadata(path) {
            Ok(stat) if stat.is_file() && stat.len() <= LARGEST => std::fs::read_to_string(path).ok(),
            _ => None,
        }
    }
}
