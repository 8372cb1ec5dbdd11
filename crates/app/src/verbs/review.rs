//! A person's decisions on the entries of the review inbox.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::{ResolvedNote, find_in_target, in_vault_of, load};
use crate::context::open::Context;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::curate::{CurationOptions, curate_one};
use crate::verbs::inbox::{Settlement, is_draft, is_reviewed};
use crate::verbs::{leftovers, playbook, rename};
use cm_note::bullet::{Bullet, BulletState};
use cm_note::change::{ChangeSet, VaultFileChange};
use cm_note::frontmatter::edit::Edit;
use cm_note::instant::Instant;
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::{Note, NoteKind};
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
    match decisions.iter().find_map(|(_, ids)| ids.first()) {
        Some(first) => in_vault_of(context, first, |context| apply_here(context, decisions, commits)),
        None => apply_here(context, decisions, commits),
    }
}

fn apply_here(
    context: &Context,
    decisions: &[(ReviewDecision, Vec<String>)],
    commits: CommitsPer,
) -> Result<ReviewResult> {
    let mut checked = Vec::new();
    for (decision, ids) in decisions {
        let mut decided: Vec<DecidedNote> = Vec::new();
        for id in ids {
            let (found, leftover) = find_with_leftover(context, *decision, id)?;
            edits_for(context, *decision, &found, leftover.as_deref())?;
            let note = DecidedNote { path: found.note.path, leftover };
            if !decided.contains(&note) {
                decided.push(note);
            }
        }
        // A note as a whole includes each of its leftovers.
        let whole: Vec<NotePath> =
            decided.iter().filter(|note| note.leftover.is_none()).map(|note| note.path.clone()).collect();
        decided.retain(|note| note.leftover.is_none() || !whole.contains(&note.path));
        // One leftover of a note has its own commit, since others may be of the same note.
        let is_apart = |note: &DecidedNote| {
            commits == CommitsPer::Note || note.leftover.is_some() || *decision == ReviewDecision::Take
        };
        let (apart, together): (Vec<_>, Vec<_>) = decided.into_iter().partition(is_apart);
        checked.extend(apart.into_iter().map(|note| (*decision, vec![note])));
        if !together.is_empty() {
            checked.push((*decision, together));
        }
    }
    let mut applied = Vec::new();
    for (decision, notes) in checked {
        applied.extend(match (decision, notes.as_slice()) {
            (ReviewDecision::Take, [note]) => take(context, note)?,
            _ => vec![apply_decision(context, decision, &notes)?],
        });
    }
    Ok(ReviewResult { decisions: applied })
}

/// A note to decide on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DecidedNote {
    path: NotePath,
    /// The name of its only leftover to decide on.
    leftover: Option<String>,
}

/// Finds the note of a reference, and the name of the leftover that the reference ends in.
fn find_with_leftover<'c>(
    context: &'c Context,
    decision: ReviewDecision,
    reference: &str,
) -> Result<(ResolvedNote<'c>, Option<String>)> {
    let is_of_leftover = matches!(decision, ReviewDecision::Take | ReviewDecision::Keep);
    match (find_in_target(context, reference), leftovers::split_reference(reference)) {
        (Err(_), Some((note, leftover))) if is_of_leftover => {
            Ok((find_in_target(context, note)?, Some(leftover.to_owned())))
        }
        (found, _) => Ok((found?, None)),
    }
}

/// Takes what a merge left over of a note. Another heading is a new name, so that the file and the links follow.
fn take(context: &Context, note: &DecidedNote) -> Result<Vec<AppliedDecision>> {
    let found = load(context.target(), &note.path)?;
    let Some((leftover, title)) = leftovers::new_name(&found, note.leftover.as_deref()) else {
        return Ok(vec![apply_decision(context, ReviewDecision::Take, std::slice::from_ref(note))?]);
    };
    let has_others = note.leftover.is_none() && leftovers::of(&found.note).nth(1).is_some();
    let renamed = rename::rename(context, note.path.as_str(), &title, false)?;
    let path = NotePath::parse(&renamed.path).unwrap_or_else(|_| note.path.clone());
    let heading = DecidedNote { path: path.clone(), leftover: Some(leftover) };
    // Both commits are of the decision, so that undoing it undoes both.
    let decision = Settlement::Take;
    let mut applied =
        vec![AppliedDecision { decision, ids: vec![renamed.id], into: None, commit: renamed.commit }];
    let settled = apply_decision(context, ReviewDecision::Keep, &[heading])?;
    applied.push(AppliedDecision { decision, ..settled });
    if has_others {
        applied.push(apply_decision(context, ReviewDecision::Take, &[DecidedNote { path, leftover: None }])?);
    }
    Ok(applied)
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
    let merge = MergeDelta {
        ids: found?,
        content: content.to_owned(),
        reason: context.request.caller.reason.clone(),
    };
    let delta = CurationDelta::Merge(merge.clone());
    let outcome = curate_one(context, delta, &CurationOptions::by_person(CommitOp::Review))?;
    let into = outcome.report.applied.first().map(|applied| applied.id.clone());
    let ids = if into.is_some() { merge.ids } else { Vec::new() };
    Ok(ReviewResult {
        decisions: vec![AppliedDecision { decision: Settlement::Merge, ids, into, commit: outcome.commit }],
    })
}

/// Returns the edits that a decision makes to a note.
fn edits_for(
    context: &Context,
    decision: ReviewDecision,
    found: &ResolvedNote<'_>,
    leftover: Option<&str>,
) -> Result<Vec<Edit>> {
    let (note, now) = (&found.note, context.now());
    let decision = match decision {
        ReviewDecision::Take => return leftovers::taken(found, leftover, now),
        ReviewDecision::Keep => return leftovers::dropped(found, leftover),
        ReviewDecision::Accept => NoteDecision::Accept,
        ReviewDecision::Reject => NoteDecision::Reject,
        ReviewDecision::Confirm => NoteDecision::Confirm,
    };
    if !is_reviewed(note) {
        let kind = match note.kind {
            NoteKind::Plain => "note without a type".to_owned(),
            kind => kind.name().to_owned(),
        };
        let message = format!("{} is a {kind}; only memories and rules can be reviewed", note.path);
        return Err(Error::usage(message));
    }
    let reason = context.request.caller.reason.as_deref().filter(|reason| !reason.trim().is_empty());
    let reason = reason.unwrap_or("rejected in review");
    match Bullet::of(note) {
        Some(bullet) => of_bullet(decision, &bullet, reason, now).map_err(|unmoved| refused(note, unmoved)),
        None => of_memory(decision, note, now).map_err(|unmoved| refused(note, unmoved)),
    }
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
    notes: &[DecidedNote],
) -> Result<AppliedDecision> {
    let mut ids = Vec::new();
    let written = write::apply_with(context, |open| {
        let mut titles = Vec::new();
        let mut changes = Vec::new();
        for DecidedNote { path, leftover } in notes {
            let found = load(open, path)?;
            let edits = edits_for(context, decision, &found, leftover.as_deref())?;
            changes.push(VaultFileChange::edit(path.clone(), edits));
            ids.push(found.note.key().to_owned());
            titles.push(found.note.title);
        }
        let message = CommitMessage::new(CommitOp::Review, subject(decision, &titles));
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
