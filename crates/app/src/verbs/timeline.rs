//! The history of a vault as points in time, and what was learned between two of them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::repository;
use crate::error::Result;
use crate::verbs::diff::{ChangedNote, ComparedCommits, NoteIdentity, VaultDiff, diff_of_notes};
use crate::verbs::log::notice_if_manual;
use cm_note::bullet::Maturity;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_note::path::NotePath;
use cm_store::git::{CommitId, Repo};

/// Number of points if none is given.
pub const DEFAULT_POINTS: usize = 200;

/// Number and contents of the points.
#[derive(Debug, Clone)]
pub struct Options {
    /// Maximum number of points, at least 2.
    pub points: usize,
    /// Counts the notes at each point, which takes time in a large vault.
    pub counts: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { points: DEFAULT_POINTS, counts: false }
    }
}

/// A commit on the time axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TimePoint {
    /// Commit ID.
    pub commit: String,
    pub at: Instant,
    /// First line of the commit message.
    pub subject: String,
    /// Number of notes by kind, which the folder decides; absent unless requested. Generated files
    /// and hidden folders do not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<BTreeMap<NoteKind, usize>>,
}

/// Points of the history, evenly chosen among its commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Timeline {
    /// Points, the oldest first. The first and the newest commit are always among them.
    pub points: Vec<TimePoint>,
    /// Number of commits that changed the vault, along first parents.
    pub commits: usize,
}

/// Returns up to [`Options::points`] points of the target vault's history.
///
/// # Errors
/// No repository, or an unreadable repository.
pub fn timeline(context: &Context, options: &Options) -> Result<Timeline> {
    let repo = &repository(context.target())?.for_walks();
    let mut states = repo.states()?;
    states.reverse();
    let chosen = evenly(states.len(), options.points.max(2)).map(|at| states[at]);
    let mut count = options.counts.then(NoteCount::default);
    let mut points = Vec::new();
    for commit in chosen {
        let info = repo.commit_info(commit)?;
        let notes = count.as_mut().map(|count| count.advance(repo, commit)).transpose()?;
        points.push(TimePoint { commit: commit.to_string(), at: info.time, subject: info.subject, notes });
    }
    notice_if_manual(context, points.is_empty());
    Ok(Timeline { points, commits: states.len() })
}

/// Returns at most `most` of `count` indices, with the first and the last one, ascending.
fn evenly(count: usize, most: usize) -> impl Iterator<Item = usize> {
    let chosen = count.min(most);
    let last = count.saturating_sub(1);
    (0..chosen).map(move |number| (number * last).checked_div(chosen - 1).unwrap_or(last))
}

/// Number of notes by kind, at a commit that moves forward.
#[derive(Default)]
struct NoteCount {
    at: Option<CommitId>,
    notes: BTreeMap<NoteKind, usize>,
}

impl NoteCount {
    fn advance(&mut self, repo: &Repo, commit: CommitId) -> Result<BTreeMap<NoteKind, usize>> {
        for (path, is_added) in repo.files_between(self.at, commit)? {
            if is_note(&path) {
                let count = self.notes.entry(NoteKind::of(&path)).or_default();
                *count = if is_added { *count + 1 } else { count.saturating_sub(1) };
            }
        }
        self.at = Some(commit);
        Ok(self.notes.clone())
    }
}

fn is_note(path: &NotePath) -> bool {
    let is_hidden = |part: &str| part.starts_with(['.', '_']);
    path.is_markdown() && !path.is_generated() && !path.as_str().split('/').any(is_hidden)
}

/// Change of a note between two commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LearnedChange {
    Added,
    /// A draft or an unverified memory came into use.
    Activated,
    /// The maturity of a rule rose.
    Promoted,
    /// Title or text changed.
    Changed,
    /// The maturity of a rule fell, but it is still in use.
    Demoted,
    /// It was retired or deprecated.
    Retired,
    /// The file was deleted.
    Removed,
}

impl LearnedChange {
    fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Activated => "activated",
            Self::Promoted => "promoted",
            Self::Changed => "changed",
            Self::Demoted => "demoted",
            Self::Retired => "retired",
            Self::Removed => "removed",
        }
    }
}

/// A rule or memory with what happened to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LearnedNote {
    pub change: LearnedChange,
    #[serde(flatten)]
    pub note: NoteIdentity,
}

/// Numbers of rules and memories to which the same happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LearnedCount {
    pub rules: usize,
    pub memories: usize,
}

/// Rules and memories that changed between two commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Learned {
    /// The older commit; null for everything up to the newer one.
    pub from: Option<String>,
    /// The newer commit.
    pub to: String,
    /// Time of the newer commit.
    pub at: Instant,
    /// The counts in words, such as `2 rules and 1 memory added; 1 rule retired`; `nothing` if there
    /// are none.
    pub summary: String,
    pub counts: BTreeMap<LearnedChange, LearnedCount>,
    /// Rules and memories up to the limit, by change.
    pub notes: Vec<LearnedNote>,
}

/// Returns the rules and memories that were added, activated, promoted, changed, demoted, retired
/// and removed between two revisions or dates, at most `limit` of them by name. Feedback alone is no
/// change.
///
/// # Errors
/// The errors of [`diff`](crate::verbs::diff::diff()).
pub fn learned(context: &Context, from: Option<&str>, to: Option<&str>, limit: usize) -> Result<Learned> {
    let (open, commits) = (context.target(), ComparedCommits::of(context, from, to)?);
    let parsed = open.parse_fingerprint();
    let version = format!("{:?} {} {limit} {parsed}", commits.from, commits.to.id);
    let learned =
        open.value_of_version(&version, || Ok(learned_of(diff_of_notes(context, &commits)?, limit)))?;
    Ok(Learned::clone(&learned))
}

fn learned_of(difference: VaultDiff, limit: usize) -> Learned {
    let with = |change: LearnedChange| move |note: NoteIdentity| LearnedNote { change, note };
    let changed = difference.changed.into_iter();
    let changed =
        changed.filter_map(|changed| Some(LearnedNote { change: change_of(&changed)?, note: changed.note }));
    let mut notes: Vec<LearnedNote> = difference
        .added
        .into_iter()
        .map(with(LearnedChange::Added))
        .chain(changed)
        .chain(difference.removed.into_iter().map(with(LearnedChange::Removed)))
        .filter(|learned| matches!(learned.note.kind, NoteKind::Bullet | NoteKind::Memory))
        .collect();
    notes.sort_by(|a, b| {
        (a.change, a.note.kind != NoteKind::Bullet, &a.note.title).cmp(&(
            b.change,
            b.note.kind != NoteKind::Bullet,
            &b.note.title,
        ))
    });
    let mut counts: BTreeMap<LearnedChange, LearnedCount> = BTreeMap::new();
    for learned in &notes {
        let count = counts.entry(learned.change).or_default();
        match learned.note.kind {
            NoteKind::Bullet => count.rules += 1,
            _ => count.memories += 1,
        }
    }
    notes.truncate(limit);
    Learned {
        from: difference.from,
        to: difference.to,
        at: difference.at,
        summary: summary(&counts),
        counts,
        notes,
    }
}

/// Returns a changed frontmatter value before and after; `None` if it did not change. A value that is
/// absent or no text is `None`.
fn values<'c>(changed: &'c ChangedNote, key: &str) -> Option<(Option<&'c str>, Option<&'c str>)> {
    let field = changed.fields.iter().find(|field| field.key == key)?;
    Some((field.old.as_str(), field.new.as_str()))
}

/// Returns what happened to a note that both commits have; `None` if neither its text nor its state
/// changed.
fn change_of(changed: &ChangedNote) -> Option<LearnedChange> {
    let retired = Some(Note::RETIRED);
    let level = |word: Option<&str>| word.and_then(Maturity::of).unwrap_or_default();
    let maturity = values(changed, "maturity").map(|(old, new)| (level(old), level(new)));
    let state = values(changed, "state");
    match (state, maturity) {
        (Some((old, new)), _) if old != retired && new == retired => Some(LearnedChange::Retired),
        (_, Some((_, Maturity::Deprecated))) => Some(LearnedChange::Retired),
        (Some((Some(Note::DRAFT | Note::UNVERIFIED), _)), _) => Some(LearnedChange::Activated),
        (_, Some((old, new))) if new > old => Some(LearnedChange::Promoted),
        (_, Some((old, new))) if new < old => Some(LearnedChange::Demoted),
        _ if changed.words_added + changed.words_removed > 0 || changed.retitled_from.is_some() => {
            Some(LearnedChange::Changed)
        }
        _ => None,
    }
}

fn summary(counts: &BTreeMap<LearnedChange, LearnedCount>) -> String {
    let of = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let part = |(change, count): (&LearnedChange, &LearnedCount)| {
        let parts = [of(count.rules, "rule", "rules"), of(count.memories, "memory", "memories")];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("{} {}", parts.join(" and "), change.name())
    };
    let parts: Vec<String> = counts.iter().map(part).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::FixtureVault;

    fn rule(number: usize, keys: &str, text: &str) -> (String, String) {
        let text = format!(
            "---\nid: b-mt2ssunl-{number:06}\ncategory: testing\ncreated: 2026-01-01\n{keys}\n---\n\n{text}\n"
        );
        (format!("playbook/testing/{number}.md"), text)
    }

    fn memory_note(number: usize, text: &str) -> (String, String) {
        let text = format!(
            "---\nid: {number:08}-0000-4000-8000-000000000001\ntype: fix\ntitle: Fix {number}\ncreated: 2026-01-01\n---\n\n{text}\n"
        );
        (format!("graph/fixes/{number}.md"), text)
    }

    fn commit(vault: &FixtureVault, day: &str, files: &[(String, String)]) -> String {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        vault.commit(day, &files)
    }

    #[test]
    fn the_points_of_a_history_have_its_ends_and_count_the_notes() {
        let vault = FixtureVault::new();
        commit(&vault, "2026-01-02", &[rule(1, "state: draft", "Run it."), memory_note(1, "Text.")]);
        for day in 3..=8 {
            commit(&vault, &format!("2026-01-0{day}"), &[memory_note(day, "Text.")]);
        }
        let context = vault.at("2026-01-09");
        let all = timeline(&context, &Options { counts: true, ..Options::default() }).unwrap();
        assert_eq!((all.commits, all.points.len()), (8, 8));
        let days: Vec<String> = all.points.iter().map(|point| point.at.day()).collect();
        assert_eq!((days[0].as_str(), days[7].as_str()), ("2026-01-01", "2026-01-08"));
        let last = all.points[7].notes.as_ref().unwrap();
        assert_eq!((last[&NoteKind::Memory], last[&NoteKind::Bullet], last.len()), (7, 1, 2));
        let few = timeline(&context, &Options { points: 3, counts: false }).unwrap();
        let days: Vec<String> = few.points.iter().map(|point| point.at.day()).collect();
        assert_eq!(days, ["2026-01-01", "2026-01-04", "2026-01-08"]);
        assert_eq!(few.points[0].notes, None);
    }

    #[test]
    fn indices_are_spread_over_the_whole_length() {
        assert_eq!(evenly(0, 5).count(), 0);
        assert_eq!(evenly(1, 5).collect::<Vec<_>>(), [0]);
        assert_eq!(evenly(5, 9).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert_eq!(evenly(101, 5).collect::<Vec<_>>(), [0, 25, 50, 75, 100]);
    }

    #[test]
    fn what_was_learned_is_told_in_words_and_figures() {
        let vault = FixtureVault::new();
        let begin = commit(
            &vault,
            "2026-01-02",
            &[
                rule(1, "state: draft", "Run the tests."),
                rule(2, "state: active", "Pin the versions."),
                rule(3, "state: active", "Write it down."),
                memory_note(1, "Old text."),
                memory_note(2, "Stays."),
            ],
        );
        let end = commit(
            &vault,
            "2026-01-09",
            &[
                rule(1, "state: active", "Run the tests."),
                rule(2, "state: active\nmaturity: established", "Pin the versions."),
                rule(3, "state: retired", "Write it down."),
                rule(4, "state: draft", "Ask first."),
                memory_note(1, "New text."),
                memory_note(3, "New."),
                memory_note(4, "New."),
            ],
        );
        let context = vault.at("2026-01-10");
        let found = learned(&context, Some(&begin), None, 3).unwrap();
        assert_eq!(
            found.summary,
            "1 rule and 2 memories added; 1 rule activated; 1 rule promoted; 1 memory changed; 1 rule retired"
        );
        assert_eq!((found.notes.len(), found.notes[0].note.title.as_str()), (3, "Ask first."));
        assert_eq!((found.from.as_deref(), found.to.as_str()), (Some(begin.as_str()), end.as_str()));
        let week = learned(&context, Some("7d"), None, 9).unwrap();
        assert_eq!(week.counts, found.counts);
        assert_eq!(learned(&context, Some("HEAD"), None, 9).unwrap().summary, "nothing");
    }
}
