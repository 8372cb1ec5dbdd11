//! Semantic differences between two commits: notes, keys, bodies, feedback, edges and scores.
//!
//! Both sides are scored at the instant of the newer commit with the current settings, so that
//! score changes reflect edits and not elapsed time. Usage is not versioned and is the same for
//! both sides.

mod edges;

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::context::as_of::{DayBoundary, is_before_first_commit, note_paths_at, notes_at, resolve_revision};
use crate::context::memory_scores::MemoryScores;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::open_vault::repository;
use crate::error::Result;
use cm_note::bullet::Bullet;
use cm_note::frontmatter::{json, parse, split::Split};
use cm_note::instant::Instant;
use cm_note::note::{Feedback, FeedbackSignal, Note, NoteKind};
use cm_note::path::NotePath;
use cm_note::rounding::round_to_four_decimals;
use cm_note::score::bullet::effective;
use cm_store::git::{CommitId, CommitInfo, TreeChange};
use cm_text::word_diff;

pub use edges::{EdgeChange, EdgeEndNote};

/// Id, type, title and path of a note that was added or removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NoteIdentity {
    pub id: String,
    pub kind: NoteKind,
    /// Memory type.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    pub title: String,
    /// Path of the note's file, relative to the vault root.
    pub path: String,
}

/// A changed frontmatter key.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FieldChange {
    /// Name of the key.
    pub key: String,
    /// Value before; null if absent.
    pub old: Value,
    /// Value after; null if absent.
    pub new: Value,
}

/// Number of feedback events per signal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FeedbackCounts {
    /// Number of feedback events with the signal `helpful`.
    pub helpful: usize,
    /// Number of feedback events with the signal `harmful`.
    pub harmful: usize,
    /// Number of feedback events with the signal `irrelevant`.
    pub irrelevant: usize,
    /// Number of feedback events with the signal `ignored`.
    pub ignored: usize,
}

/// Feedback events of a note that a diff adds and removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FeedbackChange {
    /// Added feedback events.
    pub came: FeedbackCounts,
    /// Removed feedback events.
    pub went: FeedbackCounts,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ChangedNote {
    /// The note after the change.
    pub note: NoteIdentity,
    /// Previous path, if the note was moved.
    pub moved_from: Option<String>,
    /// Previous title, or previous text of a bullet, if it changed.
    pub retitled_from: Option<String>,
    /// Changed frontmatter keys.
    pub fields: Vec<FieldChange>,
    /// Number of words added to the body.
    pub words_added: usize,
    /// Number of words removed from the body.
    pub words_removed: usize,
    /// Added and removed feedback.
    pub feedback: Option<FeedbackChange>,
    /// Score before and after, if it changed: the decay score of a memory, the effective score of a
    /// bullet.
    pub score: Option<(f64, f64)>,
}

/// Notes, edges and files that differ between two commits.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct VaultDiff {
    /// The older commit; null if the newer one is the first, or if the vault is younger than the named date.
    pub from: Option<String>,
    /// The newer commit.
    pub to: String,
    /// Time for which scores are computed: that of the newer commit.
    pub at: Instant,
    pub added: Vec<NoteIdentity>,
    pub removed: Vec<NoteIdentity>,
    pub changed: Vec<ChangedNote>,
    /// Edges that were added, removed, or changed in strength.
    pub edges: Vec<EdgeChange>,
    /// Paths of changed files that are not notes.
    pub other: Vec<String>,
}

/// Compares two commits; by default the newest with its parent. A date without a time selects the
/// start of that day for `from` and its end for `to`.
///
/// # Errors
/// An unknown commit, no repository, or an unreadable repository.
pub fn diff(context: &Context, from: Option<&str>, to: Option<&str>) -> Result<VaultDiff> {
    let open = context.target();
    let commits = ComparedCommits::of(context, from, to)?;
    let before = commits.from.map_or(Ok(Vec::new()), |from| notes_at(context, open, from))?;
    let after = notes_at(context, open, commits.to.id)?;
    let notes: HashSet<&NotePath> = before.iter().chain(&after).map(|note| &note.path).collect();
    let (mut outcome, moved) = compare_notes(open, &commits, &|path| notes.contains(path))?;
    outcome.edges = edges::changes(&before, &after, &moved);
    Ok(outcome)
}

/// Compares two commits like [`diff`], but without their edges.
///
/// # Errors
/// The errors of [`diff`].
pub(crate) fn diff_of_notes(context: &Context, commits: &ComparedCommits) -> Result<VaultDiff> {
    let open = context.target();
    let paths = |commit| note_paths_at(context, open, commit);
    let mut notes: HashSet<NotePath> = paths(commits.to.id)?.into_iter().collect();
    notes.extend(commits.from.map(paths).transpose()?.into_iter().flatten());
    Ok(compare_notes(open, commits, &|path| notes.contains(path))?.0)
}

/// The two commits of a diff.
pub(crate) struct ComparedCommits {
    /// The older commit; `None` if the newer one is the first, or if the vault is younger than the named date.
    pub(crate) from: Option<CommitId>,
    pub(crate) to: CommitInfo,
    /// Whether all that `to` has counts as added.
    is_all: bool,
}

impl ComparedCommits {
    /// Resolves the ends of [`diff`].
    ///
    /// # Errors
    /// An unknown commit, no repository, or an unreadable repository.
    pub(crate) fn of(context: &Context, from: Option<&str>, to: Option<&str>) -> Result<Self> {
        let open = context.target();
        let to = resolve_revision(open, to.unwrap_or("HEAD"), context.now(), DayBoundary::Ends)?.commit;
        let to = repository(open)?.commit_info(to)?;
        let mut is_all = false;
        let from = match from {
            Some(from) if is_before_first_commit(open, from, context.now())? => {
                context.notice(format!("the vault is younger than {from}: this is all of it"));
                is_all = true;
                None
            }
            Some(from) => Some(resolve_revision(open, from, context.now(), DayBoundary::Begins)?.commit),
            None => to.parents.first().copied(),
        };
        Ok(Self { from, to, is_all })
    }
}

/// Compares the notes of two commits, without edges. Also returns the old names of moved notes with
/// their new ones.
fn compare_notes(
    open: &OpenVault,
    commits: &ComparedCommits,
    is_note: &dyn Fn(&NotePath) -> bool,
) -> Result<(VaultDiff, HashMap<String, String>)> {
    let repo = repository(open)?;
    let differences = match commits.from {
        Some(from) => repo.changed_between(Some(from), commits.to.id)?,
        None if commits.is_all => repo.changed_between(None, commits.to.id)?,
        None => repo.inverse(commits.to.id)?,
    };
    let mut outcome = VaultDiff {
        from: commits.from.map(|from| from.to_string()),
        to: commits.to.id.to_string(),
        at: commits.to.time,
        added: Vec::new(),
        removed: Vec::new(),
        changed: Vec::new(),
        edges: Vec::new(),
        other: Vec::new(),
    };
    let (mut came, mut went) = (Vec::new(), Vec::new());
    for TreeChange { path, old, new, .. } in differences {
        if !is_note(&path) {
            outcome.other.push(path.into());
            continue;
        }
        went.extend(old.map(|old| NoteVersion::of(open, &path, &old)));
        came.extend(new.map(|new| NoteVersion::of(open, &path, &new)));
    }
    let at = commits.to.time;
    let scale = DiffScoring { memories: MemoryScores::at(open, open.usage().load().0, at), at };
    // Of notes without an id, the old path is the old name.
    let mut moved: HashMap<String, String> = HashMap::new();
    for (before, after) in paired(&mut went, came) {
        match before {
            Some(before) => {
                moved.insert(before.note.key().to_owned(), after.note.key().to_owned());
                outcome.changed.push(compare(&scale, &before, &after));
            }
            None => outcome.added.push(after.identity()),
        }
    }
    outcome.removed.extend(went.iter().map(NoteVersion::identity));
    Ok((outcome, moved))
}

/// A note as it was at one of the two commits.
struct NoteVersion {
    note: Note,
    text: String,
}

impl NoteVersion {
    fn of(open: &OpenVault, path: &NotePath, bytes: &[u8]) -> Self {
        let note = open.parse(path, bytes).note;
        Self { note, text: String::from_utf8_lossy(bytes).into_owned() }
    }

    fn identity(&self) -> NoteIdentity {
        NoteIdentity {
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

    /// Whether both are versions of the same note: equal IDs, or equal paths if an ID is missing.
    fn is(&self, other: &Self) -> bool {
        match (&self.note.id, &other.note.id) {
            (Some(id), Some(other)) => id == other,
            _ => self.note.path == other.note.path,
        }
    }
}

/// Minimum text similarity, 0–1, of notes without IDs that count as one moved note.
const MIN_MOVE_SIMILARITY: f32 = 0.6;

/// Pairs each note of the newer commit with its older version, and removes the older versions from `went`.
/// Unpaired notes are new.
fn paired(went: &mut Vec<NoteVersion>, came: Vec<NoteVersion>) -> Vec<(Option<NoteVersion>, NoteVersion)> {
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    for after in came {
        // Of two notes with one id, the one at the same path is meant.
        let same = |side: &&NoteVersion| side.note.path == after.note.path && side.is(&after);
        let at =
            went.iter().position(|side| same(&side)).or_else(|| went.iter().position(|side| side.is(&after)));
        match at {
            Some(at) => pairs.push((Some(went.remove(at)), after)),
            None => alone.push(after),
        }
    }
    // Notes without ids that moved are known by their text.
    for after in alone {
        let likeness = |side: &NoteVersion| match (&side.note.id, &after.note.id) {
            (None, None) => word_diff::line_similarity(&side.text, &after.text),
            _ => 0.0,
        };
        let best = went.iter().map(likeness).enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
        let before =
            best.filter(|(_, likeness)| *likeness >= MIN_MOVE_SIMILARITY).map(|(at, _)| went.remove(at));
        pairs.push((before, after));
    }
    pairs.sort_by(|(_, a), (_, b)| a.note.key().cmp(b.note.key()));
    pairs
}

/// Scores of memories and rules at a time.
struct DiffScoring<'a> {
    memories: MemoryScores<'a>,
    at: Instant,
}

impl DiffScoring<'_> {
    /// Score of a memory or a bullet, rounded to four decimals; `None` for other notes.
    fn score(&self, note: &Note) -> Option<f64> {
        let score = match note.kind {
            NoteKind::Memory => self.memories.score(note).value(),
            _ => effective(&Bullet::of(note)?, self.at, self.memories.constants()).value(),
        };
        Some(round_to_four_decimals(score))
    }
}

fn compare(scale: &DiffScoring<'_>, before: &NoteVersion, after: &NoteVersion) -> ChangedNote {
    let (old, new) = (before.fields(), after.fields());
    let keys: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let value =
        |fields: &BTreeMap<String, Value>, key: &String| fields.get(key).cloned().unwrap_or(Value::Null);
    let fields = keys
        .into_iter()
        .map(|key| FieldChange { key: key.clone(), old: value(&old, key), new: value(&new, key) })
        .filter(|field| field.old != field.new)
        .collect();
    let bodies = [before, after].map(|side| Split::of(&side.text).body().to_owned());
    let pieces = word_diff::diff(&bodies[0], &bodies[1]);
    let count = |kind| -> usize {
        pieces
            .iter()
            .filter(|piece| piece.kind == kind)
            .map(|piece| piece.text.split_whitespace().count())
            .sum()
    };
    let (old, new) = (&before.note, &after.note);
    let score = scale.score(old).zip(scale.score(new));
    ChangedNote {
        note: after.identity(),
        moved_from: (old.path != new.path).then(|| old.path.to_string()),
        retitled_from: (old.title != new.title).then(|| old.title.clone()),
        fields,
        words_added: count(word_diff::DiffKind::Added),
        words_removed: count(word_diff::DiffKind::Removed),
        feedback: feedback(&old.feedback, &new.feedback),
        score: score.filter(|(before, after)| before != after),
    }
}

fn feedback(old: &[Feedback], new: &[Feedback]) -> Option<FeedbackChange> {
    let change = FeedbackChange {
        came: FeedbackCounts::counts_not_in(old, new),
        went: FeedbackCounts::counts_not_in(new, old),
    };
    (change != FeedbackChange { came: FeedbackCounts::default(), went: FeedbackCounts::default() })
        .then_some(change)
}

impl FeedbackCounts {
    /// Counts by signal the `events` that `earlier_feedback` does not contain; equal events are
    /// counted one by one.
    fn counts_not_in(earlier_feedback: &[Feedback], events: &[Feedback]) -> Self {
        let mut unmatched: Vec<&Feedback> = earlier_feedback.iter().collect();
        let mut words = Self::default();
        for event in events {
            if let Some(at) = unmatched.iter().position(|earlier| *earlier == event) {
                unmatched.swap_remove(at);
                continue;
            }
            match event.signal {
                FeedbackSignal::Helpful => words.helpful += 1,
                FeedbackSignal::Harmful => words.harmful += 1,
                FeedbackSignal::Irrelevant => words.irrelevant += 1,
                FeedbackSignal::Ignored => words.ignored += 1,
            }
        }
        words
    }
}
