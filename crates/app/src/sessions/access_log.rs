//! Log of accesses to agents' sessions: which log was read, by which command, when, how much of it,
//! and whether a model received it. It never contains session text.
//!
//! Every function that reads a log or passes session text on adds an entry.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::open::Context;
use crate::error::Result;
use cm_note::instant::Instant;
use cm_session::{Agent, SessionId};
use cm_store::vault::json_lines::JsonLinesFile;

/// Maximum number of session ids that one log entry lists.
const MAX_LISTED_SESSIONS: usize = 20;

/// A read of session text, to be recorded in the access log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionRead {
    /// Agent of the sessions, or the external program that was queried, such as `cass`.
    pub agent: String,
    /// Path of the log, if one was read.
    pub log: Option<String>,
    /// Ids of the sessions that were read.
    pub sessions: Vec<SessionId>,
    /// Size of the text that was read, in bytes.
    pub bytes: u64,
    /// Name of the language model that the text was sent to; `None` if it was not sent to one.
    pub model: Option<String>,
}

impl SessionRead {
    /// Creates a read of the log at path `log`, with no sessions yet.
    pub fn of_log(agent: Agent, log: String) -> Self {
        Self { agent: agent.name().to_owned(), log: Some(log), ..Self::default() }
    }
}

/// A line of the access log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadLogEntry {
    /// Time at which the text was read.
    pub at: Instant,
    /// Command that read the sessions, such as `cm sessions`.
    pub command: String,
    /// Agent that ran the command; null for a person.
    #[serde(default)]
    pub by: Option<String>,
    /// Agent of the sessions, or the external program that was queried, such as `cass`.
    pub agent: String,
    /// Path of the log; null if the text came from the session index.
    #[serde(default)]
    pub log: Option<String>,
    /// Ids of the sessions, at most twenty; `count` is the total.
    #[serde(default)]
    pub sessions: Vec<String>,
    /// Number of sessions that were read, including those that `sessions` does not list.
    #[serde(default)]
    pub count: usize,
    /// Size of the text that was read, in bytes.
    #[serde(default)]
    pub bytes: u64,
    /// Model that received the text; null if none did.
    #[serde(default)]
    pub model: Option<String>,
}

/// Appends reads to the access log. If the file cannot be written, adds a notice; the command
/// continues.
pub fn record(context: &Context, reads: Vec<SessionRead>) {
    let request = &context.request;
    let entry = |read: SessionRead| ReadLogEntry {
        at: request.now,
        command: request.verb.clone(),
        // Commands that have a flag `--agent` mean another agent by it.
        by: request.variables.get("CM_AGENT").filter(|name| !name.is_empty()).cloned(),
        agent: read.agent,
        log: read.log,
        count: read.sessions.len(),
        sessions: read.sessions.iter().take(MAX_LISTED_SESSIONS).map(ToString::to_string).collect(),
        bytes: read.bytes,
        model: read.model,
    };
    let entries: Vec<ReadLogEntry> = reads.into_iter().map(entry).collect();
    let log = JsonLinesFile::of_reads(&context.target().vault);
    if let Err(error) = log.and_then(|log| log.append(&entries)) {
        context.notice(format!("the read of sessions could not be logged: {error}"));
    }
}

/// Returns the entries of the access log, oldest first. Damaged lines are skipped with a notice.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn entries(context: &Context) -> Result<Vec<ReadLogEntry>> {
    let (entries, damaged) = JsonLinesFile::of_reads(&context.target().vault)?.read()?;
    if damaged > 0 {
        context.notice(format!("{damaged} damaged lines of reads.jsonl were skipped"));
    }
    Ok(entries)
}
