//! Blocks a rule permanently, and lifts such a block.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::{find_in_target, in_vault_of, load};
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::context::scoring::scoring;
use crate::context::write;
use crate::error::{Error, Result};
use crate::verbs::curate::{
    CurationInputs, CurationOptions, ExtraChangeSet, PlannedCuration, elsewhere, proposer, write_curation,
};
use crate::verbs::playbook;
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::BlockedNote;
use cm_note::bullet::content::fold_whitespace;
use cm_note::change::{ChangeSet, ContentHash, VaultFileChange};
use cm_note::message::{CommitMessage, CommitOp};
use cm_note::note::{Note, NoteKind};
use cm_playbook::curation::delta::DeltaFile;
use cm_playbook::curation::forgetting::{self, ForgetRequest};
use cm_playbook::curation::review_decision::{self, ReviewRefusal};
use cm_playbook::curation::{Playbook, plan};

/// Result of blocking a rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ForgottenRule {
    /// ID of the bullet, which is now deprecated.
    pub id: String,
    /// Path of the deprecated bullet's file, relative to the vault root.
    pub path: String,
    /// ID of the blocked pattern that rejects this rule and similar ones.
    pub blocked_by: String,
    /// Whether the blocked pattern is new.
    pub blocked: bool,
    /// ID of the anti-pattern that states the opposite; null if none was requested.
    pub inverted_to: Option<String>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
    /// Whether anything changed.
    pub changed: bool,
}

/// Deprecates a bullet and blocks it and similar rules.
///
/// # Errors
/// A note that is not found or not a bullet, an empty reason, and the errors of [`write::apply`].
pub fn forget(context: &Context, reference: &str, reason: &str, invert: bool) -> Result<ForgottenRule> {
    context.persons_only("block a rule")?;
    if reason.trim().is_empty() {
        return Err(Error::usage("a reason is required").hint(format!(
            "for example `cm forget {} --reason \"caused an outage\"`",
            shell_words::quote(reference)
        )));
    }
    in_vault_of(context, reference, |context| forget_here(context, reference, reason, invert))
}

fn forget_here(context: &Context, reference: &str, reason: &str, invert: bool) -> Result<ForgottenRule> {
    let found = find_in_target(context, reference)?;
    let bullet = Bullet::of(&found.note).ok_or_else(|| {
        Error::usage(format!("{} is not a rule", found.note.path)).hint("`cm delete` removes other notes")
    })?;
    let rule_request = ForgetRequest { id: bullet.id.clone(), reason: reason.to_owned(), invert };
    let how =
        CurationOptions::by_person(CommitOp::Forget).with_subject(format!("Forget \"{}\"", bullet.content()));
    let proposer = proposer(context, &DeltaFile::default());
    let (outcome, (forgotten, changed)) = write_curation(context, &how, &proposer, |open| {
        let before = playbook::as_written(context, open)?;
        let other_vaults = elsewhere(context, open, &before)?;
        let inputs = CurationInputs::of(context, &proposer, &how);
        let forgotten = forgetting::forget(&before, &inputs.request(&other_vaults, &[]), &rule_request);
        let mut forgotten =
            forgotten.ok_or_else(|| Error::not_found(format!("rule `{}` not found", bullet.id)))?;
        let curated = std::mem::take(&mut forgotten.curated);
        let changed = curated.playbook != before;
        let extra = ExtraChangeSet { changes: Vec::new(), ids: Vec::new(), result: (forgotten, changed) };
        Ok(PlannedCuration { before, curated, extra })
    })?;
    Ok(ForgottenRule {
        id: bullet.id.to_string(),
        path: bullet.path.to_string(),
        blocked_by: forgotten.blocked_by.to_string(),
        blocked: forgotten.is_new,
        inverted_to: forgotten.inverted_to,
        commit: outcome.commit,
        changed,
    })
}

/// Result of unblocking a rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LiftedBlock {
    /// IDs of the removed blocked patterns.
    pub ids: Vec<String>,
    /// Paths of the removed files.
    pub paths: Vec<String>,
    /// ID of the bullet that had been blocked; null if the pattern names none.
    pub bullet: Option<String>,
    /// Whether the bullet became a draft again.
    pub revived: bool,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`).
    pub commit: Option<String>,
}

/// Unblocks a rule, given by the ID of the block or of the blocked bullet, or by its text. With `revive`,
/// the bullet becomes a draft again.
///
/// # Errors
/// A note that is not found or not blocked, and the errors of [`write::apply`].
pub fn unforget(context: &Context, reference: &str, revive: bool) -> Result<LiftedBlock> {
    context.persons_only("lift a block")?;
    let note = match find_in_target(context, reference) {
        // The block has the text of the rule that it blocks.
        Err(error) if error.is_ambiguous() => block_with_text(context, reference)?.ok_or(error)?,
        found => found?.note,
    };
    if !matches!(note.kind, NoteKind::Blocked | NoteKind::Bullet) {
        return Err(Error::usage(format!("{} is neither blocked nor a rule", note.path)));
    }
    let (written, lifted) = write::apply_planned(context, |open| {
        let all = playbook::as_written(context, open)?;
        let blocks = lifted_with(&all, &note)?;
        let source = blocks[0].fields.source_bullet.clone();
        let mut message =
            CommitMessage::new(CommitOp::Unforget, format!("Remove the block of \"{}\"", blocks[0].text()));
        let mut changes = Vec::new();
        for blocked in &blocks {
            let bytes = load(open, &blocked.path)?.bytes;
            write::refuse_uncommitted(context, open, &blocked.path, &bytes)?;
            let expected = Some(ContentHash::of(&bytes));
            changes.push(VaultFileChange::Remove { path: blocked.path.clone(), expected });
            message = message.id(blocked.id.as_str());
        }
        if revive {
            let bullet = all.bullets.iter().find(|bullet| Some(bullet.id.as_str()) == source.as_deref());
            changes.push(revived(context, open, bullet)?);
            message = source.iter().fold(message, |message, id| message.id(id));
        }
        let lifted = LiftedBlock {
            ids: blocks.iter().map(|blocked| blocked.id.to_string()).collect(),
            paths: blocks.iter().map(|blocked| blocked.path.to_string()).collect(),
            bullet: source,
            revived: revive,
            commit: None,
        };
        Ok((ChangeSet { message, changes }, lifted))
    })?;
    Ok(LiftedBlock { commit: written.commit, ..lifted })
}

/// Finds the block with this text; `None` if there is none.
fn block_with_text(context: &Context, text: &str) -> Result<Option<Note>> {
    let folded = |text: &str| fold_whitespace(text).to_lowercase();
    let open = context.target();
    let all = playbook::as_written(context, open)?;
    let block = all.blocked.iter().find(|blocked| folded(blocked.text()) == folded(text));
    block.map(|blocked| Ok(load(open, &blocked.path)?.note)).transpose()
}

/// Returns the blocked pattern, or all patterns that block the named bullet; never empty.
fn lifted_with<'a>(all: &'a Playbook, note: &Note) -> Result<Vec<&'a BlockedNote>> {
    let is_meant = |blocked: &&BlockedNote| match note.kind {
        NoteKind::Blocked => blocked.path == note.path,
        _ => blocked.fields.source_bullet.as_deref() == Some(note.key()),
    };
    let blocks: Vec<&BlockedNote> = all.blocked.iter().filter(is_meant).collect();
    if blocks.is_empty() {
        return Err(write::nothing_done(format!("nothing blocks {}", note.key()))
            .hint("`cm search kind:blocked` lists all blocks"));
    }
    Ok(blocks)
}

/// Plans the change that turns a deprecated bullet into a draft.
fn revived(context: &Context, open: &OpenVault, bullet: Option<&Bullet>) -> Result<VaultFileChange> {
    const ALONE: &str = "remove `--revive` to only remove the block";
    let bullet =
        bullet.ok_or_else(|| Error::not_found("the blocked rule is not in this vault").hint(ALONE))?;
    let revived = review_decision::revive(bullet, context.now(), &scoring(&open.settings)).map_err(|unmoved| {
        let hint = match unmoved {
            ReviewRefusal::Falls(_) => format!(
                "{ALONE}, or add `pinned: true` to the rule's note first, so that it is not deprecated again"
            ),
            _ => ALONE.to_owned(),
        };
        Error::refused("not-revived", format!("{} is {unmoved}", bullet.id))
            .at(&bullet.path, None, None)
            .hint(hint)
    })?;
    // Reviving does not change what a bullet says, so that its text is not asked for.
    Ok(VaultFileChange::edit(bullet.path.clone(), plan::edits(bullet, &revived, &|_| None)))
}
