//! What was asked for and what was shown, beside what was judged. Nothing is counted here; a note that is shown often and
//! never judged is what a person looks for.

use std::cmp::Reverse;
use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::error::Result;
use super::memory::{Level, Memory};
use super::playbook::merged;
use cm_note::bullet::Bullet;
use cm_note::instant::Instant;
use cm_note::note::{Kind, Note, Signal};
use cm_store::vault::usage::{UsageTable, Used};

/// Which notes.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// At most so many.
    pub limit: usize,
}

/// A note with its use.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UsedNote {
    /// What it answers to.
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// Its type.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Its title; of a bullet, the rule.
    pub title: String,
    /// Its file.
    pub path: String,
    /// How often it was asked for.
    pub accesses: u64,
    /// When last.
    pub last_access: Option<Instant>,
    /// How often it was shown without being asked for.
    pub retrievals: u64,
    /// When last.
    pub last_retrieval: Option<Instant>,
    /// Of a bullet, its helpful events.
    pub helpful: Option<usize>,
    /// Of a bullet, its harmful events.
    pub harmful: Option<usize>,
    /// Which vault it is from.
    pub vault: Level,
}

impl UsedNote {
    /// Whether it is a bullet that was shown and that nobody found helpful or harmful.
    pub fn unjudged(&self) -> bool {
        self.retrievals > 0 && self.helpful == Some(0) && self.harmful == Some(0)
    }

    fn uses(&self) -> u64 {
        self.accesses.saturating_add(self.retrievals)
    }
}

/// Notes by use, the most used first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct UsageReport {
    /// How often any note was asked for.
    pub accesses: u64,
    /// How often any note was shown.
    pub retrievals: u64,
    /// Bullets that were shown and never judged.
    pub unjudged: usize,
    /// The notes.
    pub notes: Vec<UsedNote>,
    /// How many notes were used.
    pub total: usize,
}

/// The use of the notes of all open vaults.
///
/// # Errors
/// Where the notes cannot be read.
pub fn usage(memory: &Memory, options: &Options) -> Result<UsageReport> {
    let tables: Vec<(Level, UsageTable)> = memory
        .vaults
        .iter()
        .map(|open| {
            let (table, notices) = open.usage().load();
            notices.into_iter().for_each(|notice| memory.notice(notice));
            (open.level, table)
        })
        .collect();
    let playbook = merged(memory)?;
    let bullets: HashMap<(Level, &str), &Bullet> = playbook
        .bullets
        .iter()
        .map(|shelved| ((shelved.level, shelved.bullet.path.as_str()), &shelved.bullet))
        .collect();
    let mut notes = Vec::new();
    for shelf in &memory.notes()? {
        for note in shelf.notes() {
            let used = use_of(note, shelf.level, &tables);
            if used != Used::default() {
                let bullet = bullets.get(&(shelf.level, note.path.as_str())).copied();
                notes.push(used_note(note, shelf.level, used, bullet));
            }
        }
    }
    notes.sort_by(|a, b| (Reverse(a.uses()), &a.id).cmp(&(Reverse(b.uses()), &b.id)));
    let sum = |count: fn(&UsedNote) -> u64| notes.iter().map(count).fold(0, u64::saturating_add);
    let (accesses, retrievals) = (sum(|note| note.accesses), sum(|note| note.retrievals));
    let unjudged = notes.iter().filter(|note| note.unjudged()).count();
    let total = notes.len();
    notes.truncate(options.limit);
    Ok(UsageReport { accesses, retrievals, unjudged, notes, total })
}

/// A note that both vaults hold is counted in both; one without an id, in its own.
fn use_of(note: &Note, level: Level, tables: &[(Level, UsageTable)]) -> Used {
    let mut used = Used::default();
    for (_, table) in tables.iter().filter(|(of, _)| note.id.is_some() || *of == level) {
        used.add(table.get(note.key()).copied().unwrap_or_default());
    }
    used
}

fn used_note(note: &Note, level: Level, used: Used, bullet: Option<&Bullet>) -> UsedNote {
    let events =
        |signal| bullet.map(|bullet| bullet.feedback.iter().filter(|event| event.signal == signal).count());
    UsedNote {
        id: note.key().to_owned(),
        kind: note.kind,
        note_type: note.note_type.clone(),
        title: bullet.map_or(note.title.as_str(), Bullet::content).to_owned(),
        path: note.path.to_string(),
        accesses: used.accesses,
        last_access: used.last,
        retrievals: used.retrievals,
        last_retrieval: used.last_retrieval,
        helpful: events(Signal::Helpful),
        harmful: events(Signal::Harmful),
        vault: level,
    }
}
