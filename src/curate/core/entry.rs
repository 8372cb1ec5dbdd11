//! What may be listed in CORE.md: memories that hold, and the bullets that agents are shown.

use std::cmp::Reverse;

use crate::domain::bullet::content::folded;
use crate::domain::bullet::showing::may_be_shown;
use crate::domain::bullet::{Bullet, Maturity};
use crate::domain::graph::Graph;
use crate::domain::instant::Instant;
use crate::domain::markdown::escape::escape_link_text;
use crate::domain::markdown::outline;
use crate::domain::note::check::RULE;
use crate::domain::note::{Kind, Note};
use crate::domain::path::NotePath;
use crate::domain::score::bullet::{Effective, standing};
use crate::domain::score::{Score, Scoring};

use super::super::generated::link;
use super::super::live::live;

/// A note that may be listed.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreEntry {
    /// What it answers to.
    pub id: String,
    /// Its title, as written; of a bullet its rule.
    pub title: String,
    /// Where it lies.
    pub path: NotePath,
    /// Its type, empty for none.
    pub note_type: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// What it is worth.
    pub worth: Worth,
    /// Whether somebody pinned it.
    pub pinned: bool,
}

/// What an entry is worth. The two scores are on scales of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Worth {
    /// The decay score of a memory.
    Memory(Score),
    /// What a bullet has proved.
    Bullet {
        /// Whether it says what to avoid.
        anti_pattern: bool,
        /// How far it has proved itself.
        maturity: Maturity,
        /// What its feedback comes to, see [`standing`].
        standing: Effective,
    },
}

/// What no bullet reaches on the scale of memories.
///
/// Importance, usage and weight of a type take a memory that is read again and again to about 2; a pinned one has 999.
const MOST: f64 = 2.0;

/// The notes that may be listed, with what they are worth; `scores` stand in the order of the notes. Of memories these
/// are those that hold: a pinned one is listed even where another supersedes it, as a person has said so and can take
/// it back. Of bullets these are those that agents are shown, but for one with characters that a reader cannot see.
pub fn core_entries(graph: &Graph<'_>, scores: &[Score], now: Instant, scoring: &Scoring) -> Vec<CoreEntry> {
    let notes = graph.notes().iter().zip(live(graph)).zip(scores);
    notes
        .filter_map(|((note, live), score)| match note.kind {
            _ if !live && !note.pinned => None,
            Kind::Memory if note.state.as_deref() != Some("draft") => Some(CoreEntry::of(note, *score)),
            Kind::Bullet => Bullet::of(note)
                .filter(|bullet| may_be_shown(bullet, note))
                .map(|bullet| CoreEntry::of_bullet(bullet, now, scoring)),
            _ => None,
        })
        .collect()
}

/// The memories that may be listed, with their decay scores.
pub fn memory_entries(graph: &Graph<'_>, scores: &[Score]) -> Vec<(CoreEntry, Score)> {
    let notes = graph.notes().iter().zip(live(graph)).zip(scores);
    let listed = |note: &Note, live: bool| {
        note.kind == Kind::Memory && note.state.as_deref() != Some("draft") && (live || note.pinned)
    };
    let of = |((note, live), score): ((&Note, bool), &Score)| {
        listed(note, live).then(|| (CoreEntry::of(note, *score), *score))
    };
    notes.filter_map(of).collect()
}

impl CoreEntry {
    fn of(note: &Note, score: Score) -> Self {
        Self {
            id: note.key().to_owned(),
            title: note.title.clone(),
            path: note.path.clone(),
            note_type: note.note_type.clone().unwrap_or_default(),
            tags: note.tags.clone(),
            worth: Worth::Memory(score),
            pinned: note.pinned,
        }
    }

    fn of_bullet(bullet: Bullet, now: Instant, scoring: &Scoring) -> Self {
        let worth = Worth::Bullet {
            anti_pattern: bullet.is_anti_pattern(),
            maturity: bullet.maturity,
            standing: standing(&bullet, now, scoring),
        };
        Self {
            id: bullet.id.to_string(),
            note_type: bullet.bullet_type.name().to_owned(),
            title: bullet.fields.content,
            path: bullet.path,
            tags: bullet.tags,
            worth,
            pinned: bullet.pinned,
        }
    }

    /// Whether its score is high enough to be listed.
    pub(super) fn counts(&self, least: f64) -> bool {
        match self.worth {
            Worth::Memory(score) => score.value() >= least,
            Worth::Bullet { standing, .. } => self.pinned || standing.value() >= least,
        }
    }

    /// Whether it is a rule that no prompt should hold: longer than a rule may be.
    pub(super) fn is_too_long(&self) -> bool {
        matches!(self.worth, Worth::Bullet { .. }) && self.title.chars().count() > *RULE.end()
    }

    /// Which leaves the file last where space is short, as a key to sort by: pinned ones, then by score.
    pub(super) fn rank(&self, least: f64) -> (Reverse<bool>, Reverse<Score>, &str, &NotePath) {
        (Reverse(self.pinned), Reverse(self.comparable(least)), &self.id, &self.path)
    }

    /// Which stands first in its section: of bullets, those that have proved themselves.
    pub(super) fn place(
        &self,
        least: f64,
    ) -> (Reverse<bool>, Reverse<Maturity>, Reverse<Score>, &str, &NotePath) {
        let maturity = match self.worth {
            Worth::Memory(_) => Maturity::default(),
            Worth::Bullet { maturity, .. } => maturity,
        };
        let (pinned, score, id, path) = self.rank(least);
        (pinned, Reverse(maturity), score, id, path)
    }

    /// Its score on the scale of memories.
    ///
    /// The standing of a bullet grows with every word of praise; the score of a memory hardly passes 2. So a bullet's is
    /// bent, rising and bounded, such that `least`, from which both are listed, stays where it is: a rule that became
    /// established (2) is worth a memory of the highest importance that was read today (1), and a rule that was found
    /// helpful a hundred times still does not push all memories out of the file.
    fn comparable(&self, least: f64) -> Score {
        match self.worth {
            Worth::Memory(score) => score,
            Worth::Bullet { standing, .. } => {
                let standing = standing.value().max(0.0);
                Score::new(MOST * standing / (standing + (MOST - least).max(0.0)))
            }
        }
    }

    pub(super) fn line(&self) -> String {
        let tags: Vec<String> =
            self.tags.iter().map(|tag| escape_link_text(tag)).filter(|tag| !tag.is_empty()).collect();
        let tags = if tags.is_empty() { String::new() } else { format!(" ({})", tags.join(", ")) };
        let link = match self.worth {
            Worth::Memory(_) => link(&self.title, &self.path),
            Worth::Bullet { .. } => link(&plain(&self.title), &self.path),
        };
        format!("- {link}{tags}\n")
    }
}

/// A rule without its markup, where that takes no letter of it away: an agent follows what it reads here.
fn plain(rule: &str) -> String {
    let text = folded(&outline(rule, 1).text);
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    if letters(&text) == letters(rule) { text } else { folded(rule) }
}
