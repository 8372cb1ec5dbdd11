//! The ledger of recurring friction: observations, the rules tried against it, and their results.
//!
//! An entry starts as `observing`, becomes `hot` when it recurs, and is `escalated` to a person
//! when rules do not help. The ledger decides when a rule is needed; it does not write rules.

mod entry;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use entry::{
    AttemptOutcome, EntryEvent, EntryStatus, FrictionEntry, FrictionEvidence, RuleAttempt, SeenConversation,
};

use super::antigen::by_words::{self, WordCluster};
use cm_note::instant::Instant;

/// Ledger format version that this program writes.
pub const VERSION: u32 = 1;
/// Number of conversations in which friction must occur to become a ledger entry.
pub(crate) const FOR_AN_ENTRY: usize = 2;
/// Number of conversations from which an entry is hot, so that a rule should be written.
pub(crate) const HOT: usize = 5;
/// Number of recurrences despite a rule after which the rule has failed.
pub(crate) const RECURRENCES: u32 = 2;
/// Number of failed rules after which an entry is escalated to a person.
pub(crate) const FAILED_ATTEMPTS: usize = 2;
/// Number of days without an occurrence after which an `observing` entry expires.
pub(crate) const EXPIRES_AFTER_DAYS: f64 = 56.0;
/// Maximum number of user messages quoted in an entry.
const QUOTES: usize = 5;
/// Minimum share of the smaller keyword set that a cluster and an entry must have in common to
/// match.
const SAME: f64 = 0.5;

/// Recommended maximum length of a fact about friction, in characters.
pub const FACT: usize = 160;
/// Length above which a fact is rejected, in characters.
pub const LONGEST_FACT: usize = 180;
/// Number of episodes that are shown, the most recent ones.
pub const EPISODES: usize = 10;

/// All recurring friction that is being tracked, as stored in a JSON file. Unknown fields are
/// preserved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrictionLedger {
    /// Format version of the file.
    pub version: u32,
    /// Tracked kinds of friction, oldest first.
    #[serde(default)]
    pub entries: Vec<FrictionEntry>,
    /// Unknown fields, which other programs wrote.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Errors of reading or changing a ledger.
#[derive(Debug, thiserror::Error)]
pub enum FrictionLedgerError {
    /// The text is not a valid ledger.
    #[error("the ledger is damaged: {0}; repair it or move it away")]
    Damaged(#[from] serde_json::Error),
    /// The ledger has a newer format version.
    #[error("the ledger has version {0}, but this program supports at most {VERSION}; update the program")]
    Newer(u32),
    /// The ledger has no entry with this id.
    #[error("the ledger has no entry {0}")]
    NoEntry(String),
    /// The entry was already tried with a rule of the same wording.
    #[error("the entry {0} was already tried with this text; use another text")]
    Tried(String),
    /// The entry is rejected or escalated and accepts no more rules.
    #[error("the entry {id} is {}; no further rule is tried for it", status.name())]
    Closed {
        id: String,
        /// Current status of the entry.
        status: EntryStatus,
    },
}

/// What a person or agent should do about an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LedgerAction {
    /// The friction occurs often: write a rule for the entry with this id.
    Write { id: String },
    /// The friction recurs despite the rule: rephrase the rule of this entry.
    Rephrase { id: String },
    /// Several rules have failed: replace the rules of this entry by a hook or a test.
    Escalate { id: String },
}

/// How the length of a fact relates to the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactLength {
    /// At most [`FACT`] characters.
    Fits,
    /// Longer than recommended but allowed.
    Long,
    /// Longer than [`LONGEST_FACT`] characters.
    TooLong,
}

/// Compares the length of a fact with [`FACT`] and [`LONGEST_FACT`], ignoring surrounding
/// whitespace.
pub fn fit(fact: &str) -> FactLength {
    match fact.trim().chars().count() {
        length if length <= FACT => FactLength::Fits,
        length if length <= LONGEST_FACT => FactLength::Long,
        _ => FactLength::TooLong,
    }
}

impl Default for FrictionLedger {
    fn default() -> Self {
        Self { version: VERSION, entries: Vec::new(), other: Map::new() }
    }
}

impl FrictionLedger {
    /// Parses a ledger from JSON.
    ///
    /// # Errors
    /// [`FrictionLedgerError::Damaged`] if the text is not a valid ledger, [`FrictionLedgerError::Newer`] if its version is
    /// newer than [`VERSION`].
    pub fn parse(text: &str) -> Result<Self, FrictionLedgerError> {
        let ledger: Self = serde_json::from_str(text)?;
        if ledger.version > VERSION { Err(FrictionLedgerError::Newer(ledger.version)) } else { Ok(ledger) }
    }

    /// Serializes the ledger as indented JSON.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Adds the clusters found at `now`, and expires entries that were not seen recently.
    /// Conversations that are already recorded change nothing.
    pub fn observe(&mut self, clusters: &[WordCluster], now: Instant) {
        for cluster in clusters {
            match self.matching_entry(cluster) {
                Some(at) => self.entries[at].observe(cluster, now),
                None if cluster.sessions >= FOR_AN_ENTRY => {
                    let mut entry = FrictionEntry::new(self.next_id(), cluster, now);
                    entry.observe(cluster, now);
                    self.entries.push(entry);
                }
                None => {}
            }
        }
        self.entries.iter_mut().for_each(|entry| entry.expire(now));
    }

    /// Returns the index of the entry that has the most keywords in common with a cluster; `None`
    /// if no entry matches.
    fn matching_entry(&self, cluster: &WordCluster) -> Option<usize> {
        let words: BTreeSet<String> = cluster.top_keywords.iter().cloned().collect();
        let alike = |entry: &FrictionEntry| {
            let hints: BTreeSet<String> = entry.class_hints.iter().cloned().collect();
            if entry.class == cluster.theme { 1.0 } else { by_words::overlap(&hints, &words) }
        };
        let scored = self.entries.iter().enumerate().map(|(at, entry)| (alike(entry), at));
        let best =
            scored.filter(|(alike, _)| *alike >= SAME).fold(None::<(f64, usize)>, |best, next| match best {
                Some(best) if best.0 >= next.0 => Some(best),
                _ => Some(next),
            });
        best.map(|(_, at)| at)
    }

    fn next_id(&self) -> String {
        let numbers =
            self.entries.iter().filter_map(|entry| entry.id.strip_prefix("ag-")?.parse::<u32>().ok());
        format!("ag-{:03}", numbers.max().unwrap_or(0).saturating_add(1))
    }

    /// Returns what should be done about the entries, in their order.
    pub fn advice(&self) -> Vec<LedgerAction> {
        self.entries.iter().filter_map(FrictionEntry::advice).collect()
    }

    /// Records that a rule is tried against the friction of an entry, from the day of `now` on.
    ///
    /// # Errors
    /// [`FrictionLedgerError::NoEntry`] if the id is unknown, [`FrictionLedgerError::Closed`] if the entry is rejected or
    /// escalated, and [`FrictionLedgerError::Tried`] if the wording was tried before.
    pub fn adopt(&mut self, id: &str, rule: &str, now: Instant) -> Result<(), FrictionLedgerError> {
        let entry = self.entry(id)?;
        if matches!(entry.status, EntryStatus::Rejected | EntryStatus::Escalated) {
            return Err(FrictionLedgerError::Closed { id: id.to_owned(), status: entry.status });
        }
        if entry.has_tried(rule) {
            return Err(FrictionLedgerError::Tried(id.to_owned()));
        }
        entry.adopt(rule, now);
        Ok(())
    }

    /// Records that a person does not want a rule for an entry.
    ///
    /// # Errors
    /// [`FrictionLedgerError::NoEntry`] if the id is unknown.
    pub fn reject(&mut self, id: &str, now: Instant) -> Result<(), FrictionLedgerError> {
        self.entry(id)?.reject(now);
        Ok(())
    }

    fn entry(&mut self, id: &str) -> Result<&mut FrictionEntry, FrictionLedgerError> {
        self.entries
            .iter_mut()
            .find(|entry| entry.id == id)
            .ok_or_else(|| FrictionLedgerError::NoEntry(id.to_owned()))
    }
}

#[cfg(test)]
mod tests;
