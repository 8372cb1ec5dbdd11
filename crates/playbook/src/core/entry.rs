//! What may be listed in CORE.md: memories that hold, and the bullets that agents are shown.

use std::cmp::Reverse;
use std::collections::HashMap;

use cm_note::bullet::content::folded;
use cm_note::bullet::showing::may_be_shown;
use cm_note::bullet::{Bullet, Maturity};
use cm_note::graph::Graph;
use cm_note::id::NoteId;
use cm_note::instant::Instant;
use cm_note::markdown::escape::{escape_inline, escape_link_text, link_destination, visible, wikilink};
use cm_note::markdown::outline;
use cm_note::note::check::RULE;
use cm_note::note::{Kind, Note};
use cm_note::path::NotePath;
use cm_note::score::bullet::{Effective, standing};
use cm_note::score::{Score, Scoring};

use crate::generated::link;
use crate::live::live;

/// A note that may be listed.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreEntry {
    /// What it answers to.
    pub id: String,
    /// The beginning of its id that no other note has; empty for a note that has none.
    pub short_id: String,
    /// Its title, as written; of a bullet its rule.
    pub title: String,
    /// Where it lies.
    pub path: NotePath,
    /// What a wikilink to it says: its file's name, or its path where another file has that name.
    pub target: String,
    /// Its type, empty for none.
    pub note_type: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// What it is worth.
    pub worth: Worth,
    /// Whether somebody pinned it.
    pub pinned: bool,
    /// Whether it is no memory but a note of the folder, which has no score.
    pub plain: bool,
    /// How many edges it has.
    pub links: usize,
    /// When it was last changed, as it says itself.
    pub changed: Option<Instant>,
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

/// How a line of the file leads to its note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LinkStyle {
    /// `[title](path)`, which any editor and any hosting site follows.
    #[default]
    Path,
    /// `[[file-stem|title]]`, which is shorter, and which note-taking programs follow.
    Stem,
}

/// An entry as a line of the file.
pub(super) struct Line {
    /// With its id instead of a link.
    pub(super) bare: String,
    /// With a link, and the characters of its path; `None` for a bullet, which is to be followed and not to be opened.
    pub(super) linked: Option<(String, usize)>,
}

/// What no bullet reaches on the scale of memories.
///
/// Importance, usage and weight of a type take a memory that is read again and again to about 2; a pinned one has 999.
const MOST: f64 = 2.0;

/// The shortest id of a memory in the file, in characters.
const SHORT_ID: usize = 8;

/// States of memories that no agent is given as true.
const HELD_BACK: [&str; 2] = ["draft", "unverified"];

/// The notes that may be listed, with what they are worth; `scores` stand in the order of the notes. Retired, deprecated
/// and superseded notes are out, pinned or not. Of bullets these are those that agents are shown, but for one with
/// characters that a reader cannot see.
pub fn core_entries(graph: &Graph<'_>, scores: &[Score], now: Instant, scoring: &Scoring) -> Vec<CoreEntry> {
    let ids = ShortIds::of(graph.notes());
    let entry = |((at, note), score): ((usize, &Note), &Score)| {
        let entry = match note.kind {
            Kind::Memory if !is_held_back(note) => CoreEntry::of(note, *score),
            Kind::Plain if !is_held_back(note) => {
                CoreEntry { plain: true, ..CoreEntry::of(note, Score::default()) }
            }
            Kind::Bullet => {
                let bullet = Bullet::of(note).filter(|bullet| may_be_shown(bullet, note))?;
                CoreEntry::of_bullet(bullet, now, scoring)
            }
            _ => return None,
        };
        let short_id = match note.kind {
            Kind::Bullet => entry.id.clone(),
            _ => ids.short(note),
        };
        let links = graph.outgoing(at).count() + graph.incoming(at).count();
        Some(CoreEntry { short_id, target: graph.link_target(at).to_owned(), links, ..entry })
    };
    let notes = graph.notes().iter().enumerate().zip(scores).zip(live(graph));
    notes.filter_map(|(listed, live)| live.then(|| entry(listed)).flatten()).collect()
}

fn is_held_back(note: &Note) -> bool {
    note.state.as_deref().is_some_and(|state| HELD_BACK.contains(&state))
        || note.maturity.as_deref() == Some("deprecated")
        || note.path.is_generated()
}

/// How often each beginning of an id occurs.
struct ShortIds<'n>(HashMap<&'n str, usize>);

impl<'n> ShortIds<'n> {
    fn of(notes: &'n [Note]) -> Self {
        let mut counts = HashMap::with_capacity(notes.len());
        for id in notes.iter().filter_map(|note| note.id.as_ref()) {
            *counts.entry(begin(id.as_str())).or_insert(0) += 1;
        }
        Self(counts)
    }

    fn short(&self, note: &Note) -> String {
        let Some(id) = note.id.as_ref().map(NoteId::as_str) else { return String::new() };
        let unique = self.0.get(begin(id)).is_none_or(|count| *count == 1);
        if unique { begin(id).to_owned() } else { id.to_owned() }
    }
}

fn begin(id: &str) -> &str {
    id.get(..SHORT_ID).unwrap_or(id)
}

/// The memories that may be listed, with their decay scores: those that hold, and pinned ones even where another
/// supersedes them.
pub fn memory_entries(graph: &Graph<'_>, scores: &[Score]) -> Vec<(CoreEntry, Score)> {
    let notes = graph.notes().iter().zip(live(graph)).zip(scores);
    let listed =
        |note: &Note, live: bool| note.kind == Kind::Memory && !is_held_back(note) && (live || note.pinned);
    let of = |((note, live), score): ((&Note, bool), &Score)| {
        listed(note, live).then(|| (CoreEntry::of(note, *score), *score))
    };
    notes.filter_map(of).collect()
}

impl CoreEntry {
    fn of(note: &Note, score: Score) -> Self {
        Self {
            id: note.key().to_owned(),
            short_id: String::new(),
            title: note.title.clone(),
            path: note.path.clone(),
            target: note.path.stem().to_owned(),
            note_type: note.note_type.clone().unwrap_or_default(),
            tags: note.tags.clone(),
            worth: Worth::Memory(score),
            pinned: note.pinned,
            plain: false,
            links: 0,
            changed: note.updated.or(note.created),
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
            short_id: bullet.id.to_string(),
            note_type: bullet.bullet_type.name().to_owned(),
            title: bullet.fields.content,
            target: bullet.path.stem().to_owned(),
            path: bullet.path,
            tags: bullet.tags,
            worth,
            pinned: bullet.pinned,
            plain: false,
            links: 0,
            changed: bullet.updated.or(bullet.created),
        }
    }

    /// Whether it is listed only where the others leave room.
    pub(super) fn is_fading(&self, least: f64) -> bool {
        match self.worth {
            _ if self.pinned => false,
            Worth::Memory(score) => self.plain || score.value() < least,
            Worth::Bullet { standing, .. } => standing.value() < least,
        }
    }

    /// Whether it is a bullet that did more harm than good, which is not given to agents however much room there is.
    pub(super) fn is_harmful(&self) -> bool {
        matches!(self.worth, Worth::Bullet { standing, .. } if standing.value() < 0.0 && !self.pinned)
    }

    /// Whether it is a rule that no prompt should hold: longer than a rule may be.
    pub(super) fn is_too_long(&self) -> bool {
        matches!(self.worth, Worth::Bullet { .. }) && self.title.chars().count() > *RULE.end()
    }

    /// Which leaves the file last where space is short, as a key to sort by: what holds by score, pinned ones first;
    /// then what fades by score, links and recency.
    pub(super) fn rank(&self, least: f64) -> impl Ord + '_ {
        let fading = self.is_fading(least);
        let score = Reverse(self.comparable(least));
        let tie = fading.then_some((Reverse(self.links), Reverse(self.changed)));
        (fading, Reverse(self.pinned), self.plain, score, tie, &self.id, &self.path)
    }

    /// Which stands first in its section: of bullets, those that have proved themselves.
    pub(super) fn place(&self, least: f64) -> impl Ord + '_ {
        let maturity = match self.worth {
            Worth::Memory(_) => Maturity::default(),
            Worth::Bullet { maturity, .. } => maturity,
        };
        (Reverse(self.pinned), Reverse(maturity), self.rank(least))
    }

    /// Its score on the scale of memories.
    ///
    /// The standing of a bullet grows with every word of praise; the score of a memory hardly passes 2. So a bullet's is
    /// bent, rising and bounded, such that `least`, from which both are listed, stays where it is: a rule that became
    /// established (2) is worth a memory of the highest importance that was read today (1), and a rule that was found
    /// helpful a hundred times still does not push all memories out of the file.
    pub(super) fn comparable(&self, least: f64) -> Score {
        match self.worth {
            Worth::Memory(score) => score,
            Worth::Bullet { standing, .. } => {
                let standing = standing.value().max(0.0);
                Score::new(MOST * standing / (standing + (MOST - least).max(0.0)))
            }
        }
    }

    pub(super) fn line(&self, style: LinkStyle) -> Line {
        let tags: Vec<String> =
            self.tags.iter().map(|tag| escape_link_text(tag)).filter(|tag| !tag.is_empty()).collect();
        let tags = if tags.is_empty() { String::new() } else { format!(" ({})", tags.join(", ")) };
        let id = match self.short_id.replace('`', "") {
            id if id.is_empty() => id,
            id => format!(" `{}`", visible(&id)),
        };
        let title = match self.worth {
            Worth::Memory(_) => self.title.clone(),
            Worth::Bullet { .. } => plain(&self.title),
        };
        let shown = escape_inline(&title);
        let shown = if shown.is_empty() { escape_inline(self.path.stem()) } else { shown };
        let linked = match (self.worth, style) {
            (Worth::Bullet { .. }, _) => None,
            (_, LinkStyle::Path) => {
                Some((link(&title, &self.path), link_destination(self.path.as_str()).chars().count()))
            }
            (_, LinkStyle::Stem) => Some((wikilink(&self.target, &title), self.target.chars().count())),
        };
        Line {
            bare: format!("- {shown}{tags}{id}\n"),
            linked: linked.map(|(link, path)| (format!("- {link}{tags}\n"), path)),
        }
    }
}

/// A rule without its markup, where that takes no letter of it away: an agent follows what it reads here.
fn plain(rule: &str) -> String {
    let text = folded(&outline(rule, 1).text);
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    if letters(&text) == letters(rule) { text } else { folded(rule) }
}
