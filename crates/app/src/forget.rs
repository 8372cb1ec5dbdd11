//! Forgetting a rule for good, and lifting the block again.

use schemars::JsonSchema;
use serde::Serialize;

use super::curate::{Options as Curation, elsewhere, proposer, settle, with_request};
use super::decay::scoring;
use super::error::{Error, Result};
use super::find::{find_to_change, load};
use super::memory::{Memory, OpenVault};
use super::{playbook, write};
use cm_note::bullet::Bullet;
use cm_note::bullet::blocked::Blocked;
use cm_note::change::{Change, ChangeSet, ContentHash};
use cm_note::id::NoteId;
use cm_note::message::Message;
use cm_note::note::{Kind, Note};
use cm_playbook::curation::delta::DeltaFile;
use cm_playbook::curation::forgetting::{self, Forget};
use cm_playbook::curation::word::{self, Unmoved};
use cm_playbook::curation::{Authority, Playbook, plan};

/// A rule that was forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Forgotten {
    /// The bullet; it is deprecated now.
    pub id: String,
    /// Its file.
    pub path: String,
    /// The blocked pattern that keeps it and its like out.
    pub blocked_by: String,
    /// Whether that is new.
    pub blocked: bool,
    /// The anti-pattern that warns of it.
    pub inverted_to: Option<String>,
    /// The commit; null where commits are manual or all was as asked for.
    pub commit: Option<String>,
    /// Whether anything changed.
    pub changed: bool,
}

/// Deprecates a bullet and blocks it and its like.
///
/// # Errors
/// Not found, no bullet, no reason, and those of [`write::apply`].
pub fn forget(memory: &Memory, reference: &str, reason: &str, invert: bool) -> Result<Forgotten> {
    memory.persons_only("block a rule")?;
    if reason.trim().is_empty() {
        return Err(Error::usage("forgetting takes a reason")
            .hint("for example: cm forget b-mt2ssunl-jq6d8j --reason \"caused an outage\""));
    }
    let found = find_to_change(memory, reference)?;
    let bullet = Bullet::of(&found.note).ok_or_else(|| {
        Error::usage(format!("{} is no bullet", found.note.path)).hint("`cm delete` removes other notes")
    })?;
    let wanted = Forget {
        id: bullet.id.clone(),
        reason: reason.to_owned(),
        invert,
        block: NoteId::from(memory.draw()),
    };
    let how = Curation {
        authority: Authority::Person,
        dry_run: false,
        sweep: false,
        op: "forget",
        subject: Some(format!("Forget \"{}\"", bullet.content())),
    };
    let proposer = proposer(memory, &DeltaFile::default());
    let done = std::cell::RefCell::new(None);
    let outcome = settle(memory, &how, &proposer, |open| {
        let before = playbook::as_written(memory, open)?;
        let beside = elsewhere(memory, open, &before)?;
        let forgotten = with_request(memory, &[], &beside, &proposer, &how, &[], |request| {
            forgetting::forget(&before, request, &wanted)
        });
        let mut forgotten =
            forgotten.ok_or_else(|| Error::not_found(format!("there is no bullet `{}`", bullet.id)))?;
        let curated = std::mem::take(&mut forgotten.curated);
        let changed = curated.playbook != before;
        *done.borrow_mut() = Some((forgotten, changed));
        Ok((before, curated))
    })?;
    let (forgotten, changed) = done.into_inner().ok_or_else(|| write::nothing("nothing was planned"))?;
    Ok(Forgotten {
        id: bullet.id.to_string(),
        path: bullet.path.to_string(),
        blocked_by: forgotten.blocked_by.to_string(),
        blocked: forgotten.is_new,
        inverted_to: forgotten.inverted_to,
        commit: outcome.commit,
        changed,
    })
}

/// A block that was lifted.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Lifted {
    /// The blocked patterns that are gone.
    pub ids: Vec<String>,
    /// Their files.
    pub paths: Vec<String>,
    /// The bullet that was forgotten.
    pub bullet: Option<String>,
    /// Whether that bullet is a draft again.
    pub revived: bool,
    /// The commit; null where commits are manual.
    pub commit: Option<String>,
}

/// Lifts a block, named by itself or by the bullet that it was; git keeps it. With `revive` the bullet becomes a draft again.
///
/// # Errors
/// Not found, nothing blocked, and those of [`write::apply`].
pub fn unforget(memory: &Memory, reference: &str, revive: bool) -> Result<Lifted> {
    memory.persons_only("lift a block")?;
    let named = find_to_change(memory, reference)?.note;
    if !matches!(named.kind, Kind::Blocked | Kind::Bullet) {
        return Err(Error::usage(format!("{} is neither blocked nor a bullet", named.path)));
    }
    let mut lifted = None;
    let written = write::apply_with(memory, |open| {
        let all = playbook::as_written(memory, open)?;
        let blocks = lifted_with(&all, &named)?;
        let source = blocks[0].fields.source_bullet.clone();
        let mut message = Message::new("unforget", format!("Lift the block of \"{}\"", blocks[0].text()));
        let mut changes = Vec::new();
        for blocked in &blocks {
            let bytes = load(open, &blocked.path)?.bytes;
            write::kept_by_git(memory, open, &blocked.path, &bytes)?;
            let expected = Some(ContentHash::of(&bytes));
            changes.push(Change::Remove { path: blocked.path.clone(), expected });
            message = message.id(blocked.id.as_str());
        }
        if revive {
            let bullet = all.bullets.iter().find(|bullet| Some(bullet.id.as_str()) == source.as_deref());
            changes.push(revived(memory, open, bullet)?);
            message = source.iter().fold(message, |message, id| message.id(id));
        }
        lifted = Some(Lifted {
            ids: blocks.iter().map(|blocked| blocked.id.to_string()).collect(),
            paths: blocks.iter().map(|blocked| blocked.path.to_string()).collect(),
            bullet: source,
            revived: revive,
            commit: None,
        });
        Ok(ChangeSet { message, changes })
    })?;
    let lifted = lifted.ok_or_else(|| write::nothing("nothing was planned"))?;
    Ok(Lifted { commit: written.commit, ..lifted })
}

/// The blocked pattern that a note is, or those that a bullet is kept out by; never none.
fn lifted_with<'a>(all: &'a Playbook, named: &Note) -> Result<Vec<&'a Blocked>> {
    let is_meant = |blocked: &&Blocked| match named.kind {
        Kind::Blocked => blocked.path == named.path,
        _ => blocked.fields.source_bullet.as_deref() == Some(named.key()),
    };
    let blocks: Vec<&Blocked> = all.blocked.iter().filter(is_meant).collect();
    if blocks.is_empty() {
        return Err(write::nothing(format!("nothing blocks {}", named.key()))
            .hint("`cm search kind:blocked` lists what is blocked"));
    }
    Ok(blocks)
}

/// The lines of a bullet that may prove itself anew.
fn revived(memory: &Memory, open: &OpenVault, bullet: Option<&Bullet>) -> Result<Change> {
    const ALONE: &str = "leave --revive out to lift the block alone";
    let bullet = bullet
        .ok_or_else(|| Error::not_found("the bullet that was blocked is not in this vault").hint(ALONE))?;
    let revived = word::revive(bullet, memory.now(), &scoring(&open.settings)).map_err(|unmoved| {
        let hint = match unmoved {
            Unmoved::Falls(_) => format!(
                "{ALONE}, or write `pinned: true` into the bullet's note first: what is pinned does not fall"
            ),
            _ => ALONE.to_owned(),
        };
        Error::refused("not-revived", format!("{} is {unmoved}", bullet.id))
            .at(&bullet.path, None, None)
            .hint(hint)
    })?;
    // Reviving does not change what a bullet says, so that its text is not asked for.
    Ok(Change::Edit { path: bullet.path.clone(), edits: plan::edits(bullet, &revived, &|_| None) })
}
