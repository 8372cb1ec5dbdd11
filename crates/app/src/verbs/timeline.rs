//! The history of a vault as points in time.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::repository;
use crate::error::Result;
use crate::verbs::log::notice_if_manual;
use cm_note::instant::Instant;
use cm_note::note::NoteKind;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::{FixtureVault, commit, memory_note, rule};

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
}
