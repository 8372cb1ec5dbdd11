//! What changed between two commits, in words: notes, keys, bodies, feedback, edges, scores.
//!
//! Scores of both sides are those of the newer commit's instant, by the settings of now: they show what the change of a
//! note did, not that time passed. How often a note was read is no history, and counts alike on both sides.

mod edges;

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::decay::{score_of, scoring};
use super::error::Result;
use super::log::repository;
use super::memory::{Memory, OpenVault};
use super::past::{Day, moment, notes_at};
use cm_note::bullet::Bullet;
use cm_note::frontmatter::{json, parse, split::Split};
use cm_note::instant::Instant;
use cm_note::note::{Feedback, Kind, Note, Signal, read};
use cm_note::path::NotePath;
use cm_note::score::bullet::effective;
use cm_store::git::TreeChange;
use cm_store::vault::usage::UsageTable;
use cm_text::words;

pub use edges::{EdgeChange, End};

/// A note that came or went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Named {
    /// What it answers to.
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// Its type.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: String,
}

/// A key that changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Field {
    /// Which.
    pub key: String,
    /// Its value before; null where it was absent.
    pub old: Value,
    /// Its value after; null where it is absent.
    pub new: Value,
}

/// How many words of feedback.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Words {
    /// That call the note helpful.
    pub helpful: usize,
    /// That call it harmful.
    pub harmful: usize,
    /// That call it irrelevant.
    pub irrelevant: usize,
}

/// Feedback that changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FeedbackChange {
    /// What came.
    pub came: Words,
    /// What went.
    pub went: Words,
}

/// A note that changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Changed {
    /// The note, as it is after.
    pub note: Named,
    /// Where it lay before, where it was moved.
    pub moved_from: Option<String>,
    /// What it was called before, where that changed; of a bullet, what it said.
    pub retitled_from: Option<String>,
    /// Keys that changed.
    pub fields: Vec<Field>,
    /// Words of the body that came.
    pub words_added: usize,
    /// Words of the body that went.
    pub words_removed: usize,
    /// Feedback that came or went.
    pub feedback: Option<FeedbackChange>,
    /// The score before and after, where it changed: of a memory its decay score, of a bullet its effective score.
    pub score: Option<(f64, f64)>,
}

/// What changed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Diffed {
    /// The older commit; null where the newer one is the first.
    pub from: Option<String>,
    /// The newer commit.
    pub to: String,
    /// The instant of the scores: that of the newer commit.
    pub at: Instant,
    /// Notes that came.
    pub added: Vec<Named>,
    /// Notes that went.
    pub removed: Vec<Named>,
    /// Notes that changed.
    pub changed: Vec<Changed>,
    /// Edges that came, went, or changed their strength.
    pub edges: Vec<EdgeChange>,
    /// Other files that changed.
    pub other: Vec<String>,
}

/// Compares two commits: by default the newest with the one before it. Of a date without a time, the older one is what
/// was there when the day began, and the newer one what was there when it ended.
///
/// # Errors
/// No such commit, no repository, or a repository that cannot be read.
pub fn diff(memory: &Memory, from: Option<&str>, to: Option<&str>) -> Result<Diffed> {
    let open = memory.target();
    let repo = repository(open)?;
    let to = moment(open, to.unwrap_or("HEAD"), memory.now(), Day::Ends)?.commit;
    let newer = repo.commit_info(to)?;
    let from = match from {
        Some(from) => Some(moment(open, from, memory.now(), Day::Begins)?.commit),
        None => newer.parents.first().copied(),
    };
    let differences = match from {
        Some(from) => repo.changed_between(from, to)?,
        None => repo.inverse(to)?,
    };
    let before = from.map_or(Ok(Vec::new()), |from| notes_at(memory, open, from))?;
    let after = notes_at(memory, open, to)?;
    let notes: HashSet<&NotePath> = before.iter().chain(&after).map(|note| &note.path).collect();
    let mut outcome = Diffed {
        from: from.map(|from| from.to_string()),
        to: to.to_string(),
        at: newer.time,
        added: Vec::new(),
        removed: Vec::new(),
        changed: Vec::new(),
        edges: Vec::new(),
        other: Vec::new(),
    };
    let (mut came, mut went) = (Vec::new(), Vec::new());
    for TreeChange { path, old, new } in differences {
        if !notes.contains(&path) {
            outcome.other.push(path.into());
            continue;
        }
        went.extend(old.map(|old| Side::of(open, &path, &old)));
        came.extend(new.map(|new| Side::of(open, &path, &new)));
    }
    let scale = Scale { open, usage: open.usage().load().0, at: newer.time };
    // Of notes without an id, the old path is the old name.
    let mut moved: HashMap<String, String> = HashMap::new();
    for (before, after) in paired(&mut went, came) {
        match before {
            Some(before) => {
                moved.insert(before.note.key().to_owned(), after.note.key().to_owned());
                outcome.changed.push(compare(&scale, &before, &after));
            }
            None => outcome.added.push(after.named()),
        }
    }
    outcome.removed.extend(went.iter().map(Side::named));
    outcome.edges = edges::changes(&before, &after, &moved);
    Ok(outcome)
}

/// A note at one of the commits.
struct Side {
    note: Note,
    text: String,
}

impl Side {
    fn of(open: &OpenVault, path: &NotePath, bytes: &[u8]) -> Self {
        let note = read::read(path, bytes, &open.settings.types, &open.settings.relations).note;
        Self { note, text: String::from_utf8_lossy(bytes).into_owned() }
    }

    fn named(&self) -> Named {
        Named {
            id: self.note.key().to_owned(),
            kind: self.note.kind,
            note_type: self.note.note_type.clone(),
            title: self.note.title.clone(),
            path: self.note.path.to_string(),
        }
    }

    fn fields(&self) -> BTreeMap<String, Value> {
        json::of_fields(&parse::parse(&Split::of(&self.text)).fields).into_iter().collect()
    }

    /// Whether the other is this note before or after: it has its id, or its path, where one of them has no id.
    fn is(&self, other: &Self) -> bool {
        match (&self.note.id, &other.note.id) {
            (Some(id), Some(other)) => id == other,
            _ => self.note.path == other.note.path,
        }
    }
}

/// How alike two texts must be to count as one note that moved.
const ALIKE: f32 = 0.6;

/// Each note that is there after, with what it was before where it was there; these are taken out of `went`.
fn paired(went: &mut Vec<Side>, came: Vec<Side>) -> Vec<(Option<Side>, Side)> {
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    for after in came {
        // Of two notes with one id, the one at the same path is meant.
        let same = |side: &&Side| side.note.path == after.note.path && side.is(&after);
        let at =
            went.iter().position(|side| same(&side)).or_else(|| went.iter().position(|side| side.is(&after)));
        match at {
            Some(at) => pairs.push((Some(went.remove(at)), after)),
            None => alone.push(after),
        }
    }
    // Notes without ids that moved are known by their text.
    for after in alone {
        let likeness = |side: &Side| match (&side.note.id, &after.note.id) {
            (None, None) => words::likeness(&side.text, &after.text),
            _ => 0.0,
        };
        let best = went.iter().map(likeness).enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
        let before = best.filter(|(_, likeness)| *likeness >= ALIKE).map(|(at, _)| went.remove(at));
        pairs.push((before, after));
    }
    pairs.sort_by(|(_, a), (_, b)| a.note.key().cmp(b.note.key()));
    pairs
}

/// What scores are measured by.
struct Scale<'a> {
    open: &'a OpenVault,
    usage: UsageTable,
    at: Instant,
}

impl Scale<'_> {
    /// The score of a memory or a bullet; other notes have none.
    fn score(&self, note: &Note) -> Option<f64> {
        let constants = scoring(&self.open.settings);
        let score = match note.kind {
            Kind::Memory => {
                let used = self.usage.get(note.key()).copied().unwrap_or_default();
                score_of(note, used, &self.open.settings, &constants, self.at).value()
            }
            _ => effective(&Bullet::of(note)?, self.at, &constants).value(),
        };
        Some((score * 10_000.0).round() / 10_000.0)
    }
}

fn compare(scale: &Scale<'_>, before: &Side, after: &Side) -> Changed {
    let (old, new) = (before.fields(), after.fields());
    let keys: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let value =
        |fields: &BTreeMap<String, Value>, key: &String| fields.get(key).cloned().unwrap_or(Value::Null);
    let fields = keys
        .into_iter()
        .map(|key| Field { key: key.clone(), old: value(&old, key), new: value(&new, key) })
        .filter(|field| field.old != field.new)
        .collect();
    let bodies = [before, after].map(|side| Split::of(&side.text).body().to_owned());
    let pieces = words::diff(&bodies[0], &bodies[1]);
    let count = |kind| -> usize {
        pieces
            .iter()
            .filter(|piece| piece.kind == kind)
            .map(|piece| piece.text.split_whitespace().count())
            .sum()
    };
    let (old, new) = (&before.note, &after.note);
    let score = scale.score(old).zip(scale.score(new));
    Changed {
        note: after.named(),
        moved_from: (old.path != new.path).then(|| old.path.to_string()),
        retitled_from: (old.title != new.title).then(|| old.title.clone()),
        fields,
        words_added: count(words::Kind::Added),
        words_removed: count(words::Kind::Removed),
        feedback: feedback(&old.feedback, &new.feedback),
        score: score.filter(|(before, after)| before != after),
    }
}

fn feedback(old: &[Feedback], new: &[Feedback]) -> Option<FeedbackChange> {
    let change = FeedbackChange { came: Words::beyond(old, new), went: Words::beyond(new, old) };
    (change != FeedbackChange { came: Words::default(), went: Words::default() }).then_some(change)
}

impl Words {
    /// Those of `events` that `known` does not have; an event that stands twice is two.
    fn beyond(known: &[Feedback], events: &[Feedback]) -> Self {
        let mut known: Vec<&Feedback> = known.iter().collect();
        let mut words = Self::default();
        for event in events {
            if let Some(at) = known.iter().position(|known| *known == event) {
                known.swap_remove(at);
                continue;
            }
            match event.signal {
                Signal::Helpful => words.helpful += 1,
                Signal::Harmful => words.harmful += 1,
                Signal::Irrelevant => words.irrelevant += 1,
            }
        }
        words
    }
}
