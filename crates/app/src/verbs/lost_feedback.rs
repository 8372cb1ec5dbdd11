//! Compares the feedback in the notes with the commits that gave it. A merge by hand that takes one side
//! loses events without a word.

use std::collections::{BTreeMap, HashSet};

use crate::error::Result;
use crate::verbs::undo::undone_commit;
use cm_note::message::CommitOp;
use cm_note::note::Note;
use cm_store::git::{LogFilter, Repo};

/// A note with fewer feedback events than commits that gave it feedback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LostFeedback {
    pub id: String,
    pub title: String,
    /// Number of commits by `cm mark` that are not undone.
    pub given: usize,
    /// Number of feedback events in the note.
    pub found: usize,
}

/// Returns the notes that lost feedback, in the order of the notes.
///
/// # Errors
/// The history cannot be read.
pub(crate) fn lost_feedback(repo: &Repo, notes: &[Note]) -> Result<Vec<LostFeedback>> {
    let undos = LogFilter { op: Some(CommitOp::Undo.name().to_owned()), ..LogFilter::default() };
    let undone: HashSet<String> = repo.log(&undos)?.iter().filter_map(undone_commit).collect();
    let mut marks: BTreeMap<String, usize> = BTreeMap::new();
    for commit in
        repo.log(&LogFilter { op: Some(CommitOp::Mark.name().to_owned()), ..LogFilter::default() })?
    {
        if !undone.contains(&commit.id.to_string()) {
            for id in commit.message.into_iter().flat_map(|message| message.ids) {
                *marks.entry(id).or_default() += 1;
            }
        }
    }
    let lost = notes.iter().filter_map(|note| {
        let (mark_count, found) = (*marks.get(note.key())?, note.feedback.len());
        (mark_count > found).then(|| LostFeedback {
            id: note.key().to_owned(),
            title: note.title.clone(),
            given: mark_count,
            found,
        })
    });
    Ok(lost.collect())
}
