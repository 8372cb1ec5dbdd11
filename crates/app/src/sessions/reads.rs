//! What was read of agents' sessions, written down: which log, by which command, when, how much, and whether a model was
//! given it. Never a word of a session.
//!
//! Everything that reads a log, or hands text of a session on, tells it here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::memory::Memory;
use cm_note::instant::Instant;
use cm_session::{Agent, SessionId};
use cm_store::vault::lines::Lines;

/// The most ids of sessions that one entry names; all are counted.
const MOST_NAMED: usize = 20;

/// Something that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Read {
    /// Whose sessions: an agent's name, or that of a program that was asked for them.
    pub agent: String,
    /// The log, where one was read.
    pub log: Option<String>,
    /// The sessions that were told.
    pub sessions: Vec<SessionId>,
    /// Bytes of their text.
    pub bytes: u64,
    /// The model that was given the text, where one was.
    pub model: Option<String>,
}

impl Read {
    /// Of a log of an agent.
    pub fn of_log(agent: Agent, log: String) -> Self {
        Self { agent: agent.name().to_owned(), log: Some(log), ..Self::default() }
    }
}

/// Something that was read, as it is written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// When.
    pub at: Instant,
    /// By which command, such as `cm sessions`.
    pub command: String,
    /// The agent that asked for it; null where a person did.
    #[serde(default)]
    pub by: Option<String>,
    /// Whose sessions.
    pub agent: String,
    /// The log; null where what had been read before was shown.
    #[serde(default)]
    pub log: Option<String>,
    /// The first twenty sessions.
    #[serde(default)]
    pub sessions: Vec<String>,
    /// How many sessions.
    #[serde(default)]
    pub count: usize,
    /// Bytes of their text.
    #[serde(default)]
    pub bytes: u64,
    /// The model that was given the text; null where none was.
    #[serde(default)]
    pub model: Option<String>,
}

/// Writes down what was read. Where that cannot be, the person hears of it, and what was asked for goes on.
pub fn record(memory: &Memory, reads: Vec<Read>) {
    let call = &memory.call;
    let entry = |read: Read| Entry {
        at: call.now,
        command: call.verb.clone(),
        // Commands that have a flag `--agent` mean another agent by it.
        by: call.variables.get("CM_AGENT").filter(|name| !name.is_empty()).cloned(),
        agent: read.agent,
        log: read.log,
        count: read.sessions.len(),
        sessions: read.sessions.iter().take(MOST_NAMED).map(ToString::to_string).collect(),
        bytes: read.bytes,
        model: read.model,
    };
    let entries: Vec<Entry> = reads.into_iter().map(entry).collect();
    let log = Lines::of_reads(&memory.target().vault);
    if let Err(error) = log.and_then(|log| log.append(&entries)) {
        memory.notice(format!("what was read of sessions is not written down: {error}"));
    }
}

/// What was written down, the oldest first.
///
/// # Errors
/// Where the file cannot be read. Lines that cannot are a notice.
pub fn entries(memory: &Memory) -> Result<Vec<Entry>> {
    let (entries, damaged) = Lines::of_reads(&memory.target().vault)?.read()?;
    if damaged > 0 {
        memory.notice(format!("{damaged} lines of reads.jsonl are damaged and left out"));
    }
    Ok(entries)
}
