//! Record of the sessions that were reflected on: one JSON line for each attempt, appended to a
//! private file.
//!
//! Losing the record does no harm: sessions are then processed again, and their proposals are
//! recognized as duplicates.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_index::sessions::SessionSummary;
use cm_note::instant::Instant;
use cm_session::status::SessionStatus;
use cm_store::vault::json_lines::JsonLinesFile;

const FILE: &str = "reflected.jsonl";

/// A line of the reflection log: one attempt to learn from a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReflectionEntry {
    /// Time of the attempt.
    pub at: Instant,
    pub agent: String,
    pub session: String,
    /// Number of indexed events of the session at the time of the attempt.
    pub events: usize,
    /// Time of the session's last log entry at the time of the attempt.
    pub ended: Option<Instant>,
    /// What the attempt wrote, or that it failed.
    pub came: ReflectionResult,
    /// Whether a language model or the calling agent made the proposals, rather than rules only.
    #[serde(default)]
    pub model: bool,
    /// Whether the session succeeded for its user.
    #[serde(default)]
    pub status: SessionStatus,
    /// Number of proposed changes to rules and memories.
    #[serde(default)]
    pub proposed: usize,
    /// Number of proposals that were applied.
    #[serde(default)]
    pub applied: usize,
    /// Hashes of the proposals; a later attempt does not repeat them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Error message of a failed attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Outcome of one attempt to learn from a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReflectionResult {
    /// Rules, feedback or memories were written.
    Learned,
    /// Only a diary was written.
    Diary,
    /// Nothing was written.
    Nothing,
    /// Skipped, because another fork of the same conversation was processed.
    Fork,
    /// The attempt failed.
    Failed,
}

/// What reads a session; a session that was processed stays open for a better reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionReaderKind {
    /// Rules and the built-in classifier: only sessions with something new are open.
    Rules,
    /// A model or the running agent: sessions that were processed by rules only are open, too.
    Model,
    /// Any reader, on request: all sessions are open.
    Again,
}

impl SessionReaderKind {
    /// Returns the kind of reader of a run that does not repeat sessions.
    pub fn of(with_model: bool) -> Self {
        if with_model { Self::Model } else { Self::Rules }
    }
}

/// Whether `cm reflect` has processed a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReflectionState {
    /// Not processed yet.
    New,
    /// Processed, but the session has new events since then.
    Grown,
    Processed,
    /// The last attempt failed and will be repeated.
    Failed,
    /// Never processed: the session belongs to a subagent or was started by cm itself.
    LeftOut,
}

/// The reflection log of a vault: all attempts to learn from sessions, in order.
#[derive(Debug, Default)]
pub struct ReflectionLog {
    lines: Vec<ReflectionEntry>,
    /// Index into `lines` of the latest entry, by agent and session id.
    last: HashMap<(String, String), usize>,
    /// Number of lines of the file that could not be parsed.
    damaged: usize,
}

impl ReflectionLog {
    /// Reads the reflection log of a vault.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn load(open: &OpenVault) -> Result<Self> {
        Ok(Self::parse(&JsonLinesFile::private(&open.vault, FILE)?.text()?))
    }

    /// Reads the reflection log of the target vault; adds a notice if lines are damaged.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn load_with_notice(memory: &Context) -> Result<Self> {
        let record = Self::load(memory.target())?;
        if record.damaged > 0 {
            memory.notice(format!(
                "_state/{FILE} has damaged lines ({}); their sessions are processed again",
                record.damaged
            ));
        }
        Ok(record)
    }

    fn parse(text: &str) -> Self {
        let mut record = Self::default();
        let torn = !text.is_empty() && !text.ends_with('\n');
        let count = text.lines().count();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(line) => record.take(line),
                // What a kill left half written.
                Err(_) if torn && at + 1 == count => {}
                Err(_) => record.damaged += 1,
            }
        }
        record
    }

    fn take(&mut self, line: ReflectionEntry) {
        self.last.insert((line.agent.clone(), line.session.clone()), self.lines.len());
        self.lines.push(line);
    }

    /// Appends an entry to the file and to this value.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn add(&mut self, open: &OpenVault, line: ReflectionEntry) -> Result<()> {
        // A line is made of texts and numbers, which always have a JSON form.
        JsonLinesFile::private(&open.vault, FILE)?
            .append_line(&serde_json::to_string(&line).unwrap_or_default())?;
        self.take(line);
        Ok(())
    }

    /// Returns the latest entry about a session.
    pub fn last(&self, agent: &str, session: &str) -> Option<&ReflectionEntry> {
        self.last.get(&(agent.to_owned(), session.to_owned())).map(|at| &self.lines[*at])
    }

    /// Compares the session with the latest entry about it.
    pub fn state(&self, listed: &SessionSummary) -> ReflectionState {
        let meta = &listed.session.meta;
        if meta.subagent || meta.ours {
            return ReflectionState::LeftOut;
        }
        match self.last(meta.agent.name(), meta.id.as_str()) {
            None => ReflectionState::New,
            Some(line) if line.came == ReflectionResult::Failed => ReflectionState::Failed,
            Some(line) if line.events < listed.counts.total() || line.ended < meta.ended => {
                ReflectionState::Grown
            }
            Some(_) => ReflectionState::Processed,
        }
    }

    /// Returns whether `cm reflect` should process the session with this reader.
    pub fn is_open(&self, listed: &SessionSummary, reader: SessionReaderKind) -> bool {
        let meta = &listed.session.meta;
        match self.state(listed) {
            ReflectionState::New | ReflectionState::Grown | ReflectionState::Failed => true,
            ReflectionState::Processed => match reader {
                SessionReaderKind::Rules => false,
                SessionReaderKind::Model => {
                    self.last(meta.agent.name(), meta.id.as_str()).is_some_and(|line| !line.model)
                }
                SessionReaderKind::Again => true,
            },
            ReflectionState::LeftOut => false,
        }
    }

    /// Returns the hashes of all earlier proposals from these sessions, which are given as (agent,
    /// id).
    pub fn proposal_hashes(&self, sessions: &HashSet<(String, String)>) -> HashSet<&str> {
        let of = |line: &&ReflectionEntry| sessions.contains(&(line.agent.clone(), line.session.clone()));
        self.lines.iter().filter(of).flat_map(|line| &line.keys).map(String::as_str).collect()
    }

    /// Returns whether any session led to the proposal with this hash.
    pub fn has_proposed(&self, hash: &str) -> bool {
        self.lines.iter().any(|line| line.keys.iter().any(|key| key == hash))
    }

    /// Returns whether the session succeeded for its user, according to the latest successful
    /// attempt.
    pub fn status(&self, agent: &str, session: &str) -> Option<SessionStatus> {
        let lines = self.lines.iter().rev();
        let of = |line: &&ReflectionEntry| {
            line.agent == agent && line.session == session && line.came != ReflectionResult::Failed
        };
        lines.into_iter().find(of).map(|line| line.status)
    }
}

/// Returns the first 16 hex digits of the BLAKE3 hash of a text that identifies a proposal.
pub fn hash_key(key: &str) -> String {
    blake3::hash(key.as_bytes()).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(session: &str, events: usize, came: ReflectionResult) -> String {
        let line = ReflectionEntry {
            at: Instant::parse("2026-11-21T12:00:00Z").unwrap(),
            agent: "pi".to_owned(),
            session: session.to_owned(),
            events,
            ended: None,
            came,
            model: false,
            status: SessionStatus::Success,
            proposed: 1,
            applied: 1,
            keys: vec![hash_key("a")],
            why: None,
        };
        serde_json::to_string(&line).unwrap() + "\n"
    }

    #[test]
    fn a_torn_or_damaged_line_costs_only_itself() {
        let text = line("s1", 3, ReflectionResult::Diary)
            + "nonsense\n"
            + &line("s2", 3, ReflectionResult::Learned)
            + "{\"at\":";
        let record = ReflectionLog::parse(&text);
        assert_eq!((record.lines.len(), record.damaged), (2, 1));
        assert_eq!(record.status("pi", "s2"), Some(SessionStatus::Success));
        assert_eq!(record.status("codex", "s2"), None, "ids are an agent's own");
    }
}
