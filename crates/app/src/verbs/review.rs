//! A person's decisions on the entries of the review inbox.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::{ResolvedNote, find_in_target, load};
use crate::context::open::Context;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::curate::{CurationOptions, curate_one};
use crate::verbs::inbox::{Settlement, is_draft, is_reviewed};
use crate::verbs::playbook;
use cm_note::bullet::{Bullet, BulletState};
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::frontmatter::edit::Edit;
use cm_note::frontmatter::parse::parse;
use cm_note::frontmatter::split::Split;
use cm_note::instant::Instant;
use cm_note::message::CommitMessage;
use cm_note::note::Note;
use cm_note::note::leftover::{self, LeftoverError, MERGE};
use cm_note::path::NotePath;
use cm_playbook::curation::delta::{CurationDelta, MergeDelta};
use cm_playbook::curation::plan;
use cm_playbook::curation::review_decision::{self, ReviewRefusal};

cm_text::named_enum! {
    /// A person's decision on a note.
    pub enum ReviewDecision {
        /// Activates a draft or verifies an unverified note.
        Accept = "accept",
        /// Retires the note; a bullet is also deprecated.
        Reject = "reject",
        /// Confirms that the note still holds.
        Confirm = "confirm",
        /// Takes the versions that a merge left over.
        Take = "take",
        /// Keeps the note as it is and removes what a merge left over.
        Keep = "keep",
    }
}

impl From<ReviewDecision> for Settlement {
    fn from(decision: ReviewDecision) -> Self {
        match decision {
            ReviewDecision::Accept => Self::Accept,
            ReviewDecision::Reject => Self::Reject,
            ReviewDecision::Confirm => Self::Confirm,
            ReviewDecision::Take => Self::Take,
            ReviewDecision::Keep => Self::Keep,
        }
    }
}

/// A decision that was applied to one or more notes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AppliedDecision {
    /// The decision: accept, reject, confirm, merge, take or keep.
    #[serde(rename = "word")]
    pub decision: Settlement,
    /// Ids of the notes that were changed.
    pub ids: Vec<String>,
    /// Id of the bullet that a merge created; null for other decisions.
    pub into: Option<String>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
}

/// Decisions that one call applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewResult {
    /// Applied decisions; each has its own commit.
    pub decisions: Vec<AppliedDecision>,
}

/// Which decisions share a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitsPer {
    /// One commit for each kind of decision.
    Decision,
    /// One commit for each note.
    Note,
}

/// Applies decisions, each with the ids, titles or paths of its notes. All notes are checked before
/// the first change, and once more under the lock.
///
/// # Errors
/// Returns an error if a note is not found, if it cannot be accepted or rejected, or if a write
/// fails.
pub fn apply_decisions(
    context: &Context,
    decisions: &[(ReviewDecision, Vec<String>)],
    commits: CommitsPer,
) -> Result<ReviewResult> {
    context.persons_only("accept, reject or confirm in review")?;
    let mut checked = Vec::new();
    for (decision, ids) in decisions {
        let mut paths: Vec<NotePath> = Vec::new();
        for id in ids {
            let found = find_in_target(context, id)?;
            edits_for(context, *decision, &found)?;
            if !paths.contains(&found.note.path) {
                paths.push(found.note.path);
            }
        }
        match commits {
            CommitsPer::Note => checked.extend(paths.into_iter().map(|path| (*decision, vec![path]))),
            CommitsPer::Decision if paths.is_empty() => {}
            CommitsPer::Decision => checked.push((*decision, paths)),
        }
    }
    let applied: Result<_> =
        checked.into_iter().map(|(decision, paths)| apply_decision(context, decision, &paths)).collect();
    Ok(ReviewResult { decisions: applied? })
}

/// Merges several bullets into one, in one commit.
///
/// # Errors
/// Returns an error if a reference is not found or is not a bullet, if curation refuses the merge,
/// or if the write fails.
pub fn merge(context: &Context, ids: &[String], content: &str) -> Result<ReviewResult> {
    context.persons_only("merge in review")?;
    let found: Result<Vec<String>> =
        ids.iter().map(|id| Ok(playbook::find_bullet(context, id)?.1.id.to_string())).collect();
    let merge =
        MergeDelta { ids: found?, content: content.to_owned(), reason: context.call.by.reason.clone() };
    let delta = CurationDelta::Merge(merge.clone());
    let outcome = curate_one(context, delta, &CurationOptions::by_person("review"))?;
    let into = outcome.report.applied.first().map(|applied| applied.id.clone());
    let ids = if into.is_some() { merge.ids } else { Vec::new() };
    Ok(ReviewResult {
        decisions: vec![AppliedDecision { decision: Settlement::Merge, ids, into, commit: outcome.commit }],
    })
}

/// Returns the edits that a decision makes to a note.
fn edits_for(context: &Context, decision: ReviewDecision, found: &ResolvedNote<'_>) -> Result<Vec<Edit>> {
    let (note, now) = (&found.note, context.now());
    let decision = match decision {
        ReviewDecision::Take => return taken_leftovers(found, now),
        ReviewDecision::Keep => return has_leftovers(note).map(|()| leftover::removal().to_vec()),
        ReviewDecision::Accept => NoteDecision::Accept,
        ReviewDecision::Reject => NoteDecision::Reject,
        ReviewDecision::Confirm => NoteDecision::Confirm,
    };
    if !is_reviewed(note) {
        let message =
            format!("{} is a {}; only memories and rules can be reviewed", note.path, note.kind.name());
        return Err(Error::usage(message));
    }
    let reason = context.call.by.reason.as_deref().filter(|reason| !reason.trim().is_empty());
    let reason = reason.unwrap_or("rejected in review");
    match Bullet::of(note) {
        Some(bullet) => of_bullet(decision, &bullet, reason, now).map_err(|unmoved| refused(note, unmoved)),
        None => of_memory(decision, note, now).map_err(|unmoved| refused(note, unmoved)),
    }
}

/// Checks that a merge left something over.
fn has_leftovers(note: &Note) -> Result<()> {
    if note.findings.iter().any(|finding| finding.code.is_leftover()) {
        return Ok(());
    }
    let error = Error::refused("no-leftover", format!("{} has nothing left over from a merge", note.key()));
    Err(error.at(&note.path, None, None).hint("`cm review --kind leftovers` lists the notes"))
}

/// Returns the edits that take what a merge left over.
fn taken_leftovers(found: &ResolvedNote<'_>, now: Instant) -> Result<Vec<Edit>> {
    let note = &found.note;
    has_leftovers(note)?;
    let text = found.text();
    let mut edits = leftover::taken(&text).map_err(|error| {
        let hint = match error {
            LeftoverError::TextChanged | LeftoverError::SeveralVersions => {
                "change the note by hand, then use `cm review --keep`"
            }
            LeftoverError::AboutFile => "`cm review --kind leftovers` shows what can be done",
        };
        Error::refused("leftover", format!("{}: {error}", note.key())).at(&note.path, None, None).hint(hint)
    })?;
    // A note without frontmatter has no date, and gets none.
    if parse(&Split::of(&text)).fields.iter().any(|field| field.key != MERGE) {
        edits.push(Edit::set_text("updated", now.to_string()));
    }
    Ok(edits)
}

/// A decision about what a note states.
#[derive(Debug, Clone, Copy)]
enum NoteDecision {
    Accept,
    Reject,
    Confirm,
}

fn of_bullet(
    decision: NoteDecision,
    bullet: &Bullet,
    reason: &str,
    now: Instant,
) -> std::result::Result<Vec<Edit>, ReviewRefusal> {
    let decided = match decision {
        NoteDecision::Accept => review_decision::accept(bullet, now)?,
        NoteDecision::Reject => review_decision::reject(bullet, reason, now)?,
        NoteDecision::Confirm => review_decision::confirm(bullet, now),
    };
    // A decision never changes the text of a rule, so that the body is not needed.
    Ok(plan::edits(bullet, &decided, &|_| None))
}

fn of_memory(
    decision: NoteDecision,
    note: &Note,
    now: Instant,
) -> std::result::Result<Vec<Edit>, ReviewRefusal> {
    let state = match decision {
        NoteDecision::Accept => is_draft(note).map(|()| BulletState::Active)?,
        NoteDecision::Reject if note.is_retired() => return Err(ReviewRefusal::Retired),
        NoteDecision::Reject => BulletState::Retired,
        NoteDecision::Confirm => return Ok(vec![Edit::set_text("last_checked", now.to_string())]),
    };
    Ok(vec![Edit::set_text("state", state.name()), Edit::set_text("updated", now.to_string())])
}

/// Creates the error for a note on which the decision is not possible.
fn refused(note: &Note, unmoved: ReviewRefusal) -> Error {
    let (code, hint) = match unmoved {
        ReviewRefusal::NotADraft { .. } => ("not-a-draft", "`cm review` lists the notes to review"),
        _ => ("retired", "`cm why` shows its history"),
    };
    Error::refused(code, format!("{} is {unmoved}", note.key())).at(&note.path, None, None).hint(hint)
}

/// Checks the notes again while the lock is held, then writes the decision.
fn apply_decision(
    context: &Context,
    decision: ReviewDecision,
    paths: &[NotePath],
) -> Result<AppliedDecision> {
    let mut ids = Vec::new();
    let written = write::apply_with(context, |open| {
        let mut titles = Vec::new();
        let mut changes = Vec::new();
        for path in paths {
            let found = load(open, path)?;
            changes.push(VaultFileChange::edit(path.clone(), edits_for(context, decision, &found)?));
            ids.push(found.note.key().to_owned());
            titles.push(found.note.title);
        }
        let message = CommitMessage::new("review", subject(decision, &titles));
        let message = ids.iter().fold(message, |message, id| message.id(id.clone()));
        Ok(ChangeSet { message, changes })
    })?;
    Ok(AppliedDecision { decision: decision.into(), ids, into: None, commit: written.commit })
}

fn subject(decision: ReviewDecision, titles: &[String]) -> String {
    let verb = match decision {
        ReviewDecision::Accept => "Accept",
        ReviewDecision::Reject => "Reject",
        ReviewDecision::Confirm => "Confirm",
        ReviewDecision::Take => "Take the other version of",
        ReviewDecision::Keep => "Keep the version of",
    };
    match titles {
        [one] => format!("{verb} \"{one}\""),
        several => format!("{verb} {} notes in review", several.len()),
    }
}
