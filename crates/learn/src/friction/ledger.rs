//! The ledger of what keeps going wrong: what was seen, which rule was tried against it, and whether it helped.
//!
//! An entry begins as something to be observed, becomes hot where it recurs, and is handed to a person where rules do
//! not help. It decides when a rule is wanted, and never what it says.

mod entry;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use entry::{Attempt, Entry, Evidence, Happened, Outcome, Seen, Status};

use super::antigen::by_words::{self, Cluster};
use cm_note::instant::Instant;

/// The form that this program writes.
pub const VERSION: u32 = 1;
/// In so many conversations something must have come up to be noted.
pub const FOR_AN_ENTRY: usize = 2;
/// In so many it is hot: a rule is wanted.
pub const HOT: usize = 5;
/// So often it may recur under a rule before the rule has failed.
pub const RECURRENCES: u32 = 2;
/// So many rules may fail before a person is told.
pub const FAILED_ATTEMPTS: usize = 2;
/// So many days after it was last seen, what is only observed expires.
pub const EXPIRES_AFTER_DAYS: f64 = 56.0;
/// What is kept of an entry's quotes.
const QUOTES: usize = 5;
/// From which share of the smaller one's words an entry and a cluster are the same matter.
const SAME: f64 = 0.5;

/// How long a fact should be at most, in characters.
pub const FACT: usize = 160;
/// How long a fact may be at most.
pub const LONGEST_FACT: usize = 180;
/// So many episodes are shown, the newest.
pub const EPISODES: usize = 10;

/// The whole ledger. Fields that this program does not know are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// The form in which it is written.
    pub version: u32,
    /// What keeps going wrong, in the order in which it was noted.
    #[serde(default)]
    pub entries: Vec<Entry>,
    /// What other programs wrote besides.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A ledger that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No ledger.
    #[error("the ledger is damaged: {0}; repair it or move it away")]
    Damaged(#[from] serde_json::Error),
    /// Of a later form.
    #[error("the ledger has version {0}, and this program knows {VERSION} at most; update the program")]
    Newer(u32),
    /// No such entry.
    #[error("the ledger has no entry {0}")]
    NoEntry(String),
    /// Words that were tried before.
    #[error("the entry {0} was tried with these words before; say it otherwise")]
    Tried(String),
    /// An entry for which nothing more is tried.
    #[error("the entry {id} is {}; nothing more is tried for it", status.name())]
    Closed {
        /// The entry.
        id: String,
        /// What became of it.
        status: Status,
    },
}

/// What the ledger asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Advice {
    /// It is hot: write a rule against it.
    Write {
        /// The entry.
        id: String,
    },
    /// It recurs under its rule: say it in other words.
    Rephrase {
        /// The entry.
        id: String,
    },
    /// Rules do not help: make it a hook or a test.
    Escalate {
        /// The entry.
        id: String,
    },
}

/// How a fact fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It is short enough.
    Fits,
    /// It should be shorter, and may stay.
    Long,
    /// It must be shorter.
    TooLong,
}

/// How a fact fits by its length in characters.
pub fn fit(fact: &str) -> Fit {
    match fact.trim().chars().count() {
        length if length <= FACT => Fit::Fits,
        length if length <= LONGEST_FACT => Fit::Long,
        _ => Fit::TooLong,
    }
}

impl Default for Ledger {
    fn default() -> Self {
        Self { version: VERSION, entries: Vec::new(), other: Map::new() }
    }
}

impl Ledger {
    /// Reads a ledger.
    ///
    /// # Errors
    /// [`Error::Damaged`] and [`Error::Newer`].
    pub fn parse(text: &str) -> Result<Self, Error> {
        let ledger: Self = serde_json::from_str(text)?;
        if ledger.version > VERSION { Err(Error::Newer(ledger.version)) } else { Ok(ledger) }
    }

    /// The ledger as text; parsed again it is the same.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Takes in what was found at `now`, and lets expire what was not seen for long. The same clusters once more change
    /// nothing.
    pub fn observe(&mut self, clusters: &[Cluster], now: Instant) {
        for cluster in clusters {
            match self.known(cluster) {
                Some(at) => self.entries[at].observe(cluster, now),
                None if cluster.sessions >= FOR_AN_ENTRY => {
                    let mut entry = Entry::new(self.next_id(), cluster, now);
                    entry.observe(cluster, now);
                    self.entries.push(entry);
                }
                None => {}
            }
        }
        self.entries.iter_mut().for_each(|entry| entry.expire(now));
    }

    /// The entry that a cluster belongs to: the one that has the most of its words.
    fn known(&self, cluster: &Cluster) -> Option<usize> {
        let words: BTreeSet<String> = cluster.top_keywords.iter().cloned().collect();
        let alike = |entry: &Entry| {
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

    /// What is to be done, in the order of the entries.
    pub fn advice(&self) -> Vec<Advice> {
        self.entries.iter().filter_map(Entry::advice).collect()
    }

    /// Notes that a rule is tried against an entry from the day of `now` on, in words that were not tried before.
    ///
    /// # Errors
    /// [`Error::NoEntry`], [`Error::Closed`] for what was rejected or escalated, and [`Error::Tried`].
    pub fn adopt(&mut self, id: &str, rule: &str, now: Instant) -> Result<(), Error> {
        let entry = self.entry(id)?;
        if matches!(entry.status, Status::Rejected | Status::Escalated) {
            return Err(Error::Closed { id: id.to_owned(), status: entry.status });
        }
        if entry.has_tried(rule) {
            return Err(Error::Tried(id.to_owned()));
        }
        entry.adopt(rule, now);
        Ok(())
    }

    /// Notes that a person wants no rule about an entry.
    ///
    /// # Errors
    /// [`Error::NoEntry`].
    pub fn reject(&mut self, id: &str, now: Instant) -> Result<(), Error> {
        self.entry(id)?.reject(now);
        Ok(())
    }

    fn entry(&mut self, id: &str) -> Result<&mut Entry, Error> {
        self.entries.iter_mut().find(|entry| entry.id == id).ok_or_else(|| Error::NoEntry(id.to_owned()))
    }
}

#[cfg(test)]
mod tests;
