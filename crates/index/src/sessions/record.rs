//! Stored metadata of sessions and logs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use cm_session::{Agent, SessionId, SessionMeta};

/// Key of a session. Session ids are unique only within their agent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionKey {
    pub agent: Agent,
    /// Session id, as written by the agent.
    pub id: SessionId,
}

impl SessionKey {
    /// Returns the key of the session that `meta` describes.
    pub fn of(meta: &SessionMeta) -> Self {
        Self { agent: meta.agent, id: meta.id.clone() }
    }

    /// Returns the number that identifies the session in the index.
    pub(super) fn number(&self) -> u64 {
        number_of(&[self.agent.name(), self.id.as_str()])
    }
}

/// Hashes texts to a number; collisions are unlikely.
pub(super) fn number_of(texts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().as_bytes()[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Stored metadata of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Metadata from the log, with a redacted title.
    pub meta: SessionMeta,
    /// The log that the session was last read from.
    pub log: Option<String>,
    /// Outcome of the session, as set by the caller.
    pub outcome: Option<String>,
    /// Number of the conversation. Forks share it with the session that they were forked from.
    pub conversation: u64,
    /// Highest place (log line and part) indexed so far; events after it are new.
    pub(super) reached: Option<u64>,
}

impl Session {
    pub(super) fn new(key: &SessionKey) -> Self {
        let meta = SessionMeta::new(key.agent, key.id.clone());
        Self { meta, log: None, outcome: None, conversation: key.number(), reached: None }
    }

    pub fn key(&self) -> SessionKey {
        SessionKey::of(&self.meta)
    }

    /// Returns the session that this one was forked from, if the log names it.
    pub(super) fn forked_from(&self) -> Option<SessionKey> {
        let parent = self.meta.parent.as_ref().filter(|_| !self.meta.subagent)?;
        Some(SessionKey { agent: self.meta.agent, id: parent.clone() })
    }
}

/// Stored state of a session log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    pub path: String,
    /// Position where the next reading starts, in a format private to the log reader.
    pub cursor: String,
    /// Counts over all readings since the log was last read from its start.
    pub understood: ParseCounts,
}

/// Counts of parsed and unparsed records of a log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParseCounts {
    /// Number of records read.
    pub records: u64,
    /// Number of records, or parts of records, that could not be parsed.
    pub not_understood: u64,
    /// The unparsed records of unknown kinds, counted by kind name.
    pub unknown: BTreeMap<String, u64>,
}

impl ParseCounts {
    pub(super) fn add(&mut self, more: &Self) {
        self.records += more.records;
        self.not_understood += more.not_understood;
        for (name, count) in &more.unknown {
            *self.unknown.entry(name.clone()).or_default() += count;
        }
    }
}
