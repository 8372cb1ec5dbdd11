//! What is kept of a session and of a log, besides what was said.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use cm_session::{Agent, Meta, SessionId};

/// Which session: ids are unique for their agent only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionKey {
    /// Whose log tells it.
    pub agent: Agent,
    /// Its id there.
    pub id: SessionId,
}

impl SessionKey {
    /// The session that a log's `meta` is about.
    pub fn of(meta: &Meta) -> Self {
        Self { agent: meta.agent, id: meta.id.clone() }
    }

    /// The number that stands for it in the index.
    pub(super) fn number(&self) -> u64 {
        number_of(&[self.agent.name(), self.id.as_str()])
    }
}

/// Texts as one number; different ones in all likelihood give different numbers.
pub(super) fn number_of(texts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().as_bytes()[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A session as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// What its log told of it; the title is redacted.
    pub meta: Meta,
    /// The log that told it last.
    pub log: Option<String>,
    /// How it ended, as somebody judged it; the index does not judge.
    pub outcome: Option<String>,
    /// The same for all sessions that are one conversation, because one was forked from the other.
    pub conversation: u64,
    /// The last place that was told; what comes after it is new.
    pub(super) reached: Option<u64>,
}

impl Session {
    pub(super) fn new(key: &SessionKey) -> Self {
        let meta = Meta::new(key.agent, key.id.clone());
        Self { meta, log: None, outcome: None, conversation: key.number(), reached: None }
    }

    /// Which session it is.
    pub fn key(&self) -> SessionKey {
        SessionKey::of(&self.meta)
    }

    /// The session that it was forked from, as far as its log tells.
    pub(super) fn forked_from(&self) -> Option<SessionKey> {
        let parent = self.meta.parent.as_ref().filter(|_| !self.meta.subagent)?;
        Some(SessionKey { agent: self.meta.agent, id: parent.clone() })
    }
}

/// A log that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// Where it lies.
    pub path: String,
    /// Where its next reading begins: what whoever reads logs wrote down for himself.
    pub cursor: String,
    /// What of it was understood, over all readings since it was read from its beginning.
    pub understood: Understanding,
}

/// What of a log was understood, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Understanding {
    /// Records that were looked at.
    pub records: u64,
    /// Records, or parts of them, that were not understood.
    pub not_understood: u64,
    /// Of these, by the name of their kind, those of a kind that is not known.
    pub unknown: BTreeMap<String, u64>,
}

impl Understanding {
    pub(super) fn add(&mut self, more: &Self) {
        self.records += more.records;
        self.not_understood += more.not_understood;
        for (name, count) in &more.unknown {
            *self.unknown.entry(name.clone()).or_default() += count;
        }
    }
}
