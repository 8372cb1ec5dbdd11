//! Adds a bullet after checks for duplicates, blocks and contradictions, and deprecates bullets.

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::find::find_in_target;
use crate::context::open::Context;
use crate::error::{Error, Result};
use crate::verbs::curate::{CurationOptions, curate_one};
use cm_note::bullet::{Bullet, BulletState, Scope};
use cm_note::message::CommitOp;
use cm_playbook::curation::delta::{AddDelta, CurationDelta, DeprecateDelta};
use cm_playbook::curation::report::RuleConflict;

pub use cm_learn::reflect::rule_category::category as category_of;
pub use cm_playbook::curation::delta::RuleProposal;

/// Result of proposing a rule.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProposalResult {
    /// ID of the new bullet, or of the existing one that states the same.
    pub id: String,
    /// Path of the bullet's file, relative to the vault root.
    pub path: String,
    /// Whether the bullet is new.
    pub added: bool,
    /// State of the bullet: active or draft.
    pub state: BulletState,
    /// Why the bullet is a draft or was not added; null for a new active bullet.
    pub note: Option<String>,
    /// Whether an existing bullet with the same rule got helpful feedback instead.
    pub credited: bool,
    /// Bullets that contradict the new one.
    pub conflicts: Vec<RuleConflict>,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or nothing changed.
    pub commit: Option<String>,
}

/// Adds a bullet. A person's bullet is active immediately; an agent's is a draft until evidence or
/// a person confirms it.
///
/// # Errors
/// An invalid rule, a blocked or deprecated rule, and the errors of
/// [`crate::context::write::apply`].
pub fn propose(context: &Context, proposal: RuleProposal, draft: bool) -> Result<ProposalResult> {
    if proposal.scope == Some(Scope::Workspace) && proposal.workspace.is_none() {
        return Err(Error::usage("a rule with the scope workspace needs a project")
            .hint("for example `--scope workspace` with `--workspace tidewater-api`"));
    }
    let add =
        AddDelta { bullet: proposal, reason: context.request.caller.reason.clone(), ..AddDelta::default() };
    let how = match draft {
        true => CurationOptions::by_program(CommitOp::PlaybookAdd),
        false => CurationOptions::by_caller(context, CommitOp::PlaybookAdd),
    };
    let outcome = curate_one(context, CurationDelta::Add(Box::new(add)), &how)?;
    let report = &outcome.report;
    let (id, note, credited) = match (report.applied.first(), report.skipped.first()) {
        (Some(applied), _) => (applied.id.clone(), applied.note.clone(), false),
        (None, passed) => (
            passed.and_then(|passed| passed.id.clone()).unwrap_or_default(),
            passed.map(|passed| passed.reason.clone()),
            passed.is_some_and(|passed| passed.credited),
        ),
    };
    let bullet = outcome.stored(context, &id)?;
    Ok(ProposalResult {
        path: bullet.path.to_string(),
        added: !report.applied.is_empty(),
        state: bullet.state,
        note,
        credited,
        conflicts: report.conflicts.clone(),
        commit: outcome.commit.clone(),
        id,
    })
}

/// Result of deprecating a bullet.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DeprecatedBullet {
    /// Bullet ID; the note is not deleted.
    pub id: String,
    /// Path of the bullet's file, relative to the vault root.
    pub path: String,
    /// Hash of the new commit; null if automatic commits are off (`git.commit`) or the bullet was
    /// already deprecated.
    pub commit: Option<String>,
    /// Whether the bullet was deprecated by this call.
    pub changed: bool,
}

/// Deprecates a bullet: its note stays, but it is no longer shown.
///
/// # Errors
/// A note that is not found or not a bullet, and the errors of [`crate::context::write::apply`].
pub fn remove(context: &Context, reference: &str, replaced_by: Option<&str>) -> Result<DeprecatedBullet> {
    context.persons_only("retire a rule")?;
    let found = find_in_target(context, reference)?;
    let bullet = Bullet::of(&found.note).ok_or_else(|| {
        Error::usage(format!("{} is not a rule", found.note.path)).hint("`cm delete` removes other notes")
    })?;
    let heir = replaced_by.map(|heir| crate::verbs::playbook::find_bullet(context, heir)).transpose()?;
    let deprecate = DeprecateDelta {
        id: bullet.id.to_string(),
        reason: context.request.caller.reason.clone(),
        replaced_by: heir.map(|(_, heir)| heir.id.to_string()),
        ..DeprecateDelta::default()
    };
    let delta = CurationDelta::Deprecate(deprecate);
    let outcome = curate_one(context, delta, &CurationOptions::by_person(CommitOp::PlaybookRemove))?;
    Ok(DeprecatedBullet {
        id: bullet.id.to_string(),
        path: bullet.path.to_string(),
        commit: outcome.commit.clone(),
        changed: !outcome.report.applied.is_empty(),
    })
}
