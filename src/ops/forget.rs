//! Forgetting a rule for good, and lifting the block again.

use schemars::JsonSchema;
use serde::Serialize;

use super::curate::{Options as Curation, elsewhere, proposer, settle, with_request};
use super::error::{Error, Result};
use super::find::find_to_change;
use super::memory::Memory;
use super::{playbook, write};
use crate::curate::playbook::Authority;
use crate::curate::playbook::delta::DeltaFile;
use crate::curate::playbook::forgetting::{self, Forget};
use crate::curate::playbook::shelf;
use crate::domain::bullet::blocked::Blocked;
use crate::domain::bullet::{Bullet, Maturity, State};
use crate::domain::change::{Change, ChangeSet, ContentHash};
use crate::domain::frontmatter::edit::Edit;
use crate::domain::id::NoteId;
use crate::domain::message::Message;
use crate::domain::note::Kind;
use yaml_serde::Value;

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
        *done.borrow_mut() = Some(forgotten);
        Ok((before, curated))
    })?;
    let forgotten = done.into_inner().ok_or_else(|| write::nothing("nothing was planned"))?;
    Ok(Forgotten {
        id: bullet.id.to_string(),
        path: bullet.path.to_string(),
        blocked_by: forgotten.blocked_by.to_string(),
        blocked: forgotten.is_new,
        inverted_to: forgotten.inverted_to,
        commit: outcome.commit,
        changed: forgotten.is_new || shelf::stands(&bullet),
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
    let found = find_to_change(memory, reference)?;
    let open = memory.target();
    let all = playbook::of_vault(memory, open)?;
    let blocks: Vec<&Blocked> = match found.note.kind {
        Kind::Blocked => all.blocked.iter().filter(|blocked| blocked.path == found.note.path).collect(),
        Kind::Bullet => {
            let key = Some(found.note.key());
            all.blocked.iter().filter(|blocked| blocked.fields.source_bullet.as_deref() == key).collect()
        }
        _ => return Err(Error::usage(format!("{} is neither blocked nor a bullet", found.note.path))),
    };
    let Some(first) = blocks.first() else {
        return Err(write::nothing(format!("nothing blocks {}", found.note.key()))
            .hint("`cm search kind:blocked` lists what is blocked"));
    };
    let source = first.fields.source_bullet.clone();
    let bullet = all.bullets.iter().find(|bullet| Some(bullet.id.as_str()) == source.as_deref());
    let mut changes = Vec::new();
    for blocked in &blocks {
        let bytes = super::find::load(open, &blocked.path)?.bytes;
        write::kept_by_git(memory, open, &blocked.path, &bytes)?;
        changes.push(Change::Remove { path: blocked.path.clone(), expected: Some(ContentHash::of(&bytes)) });
    }
    let revived = bullet.filter(|_| revive);
    if revive && revived.is_none() {
        return Err(Error::not_found("the bullet that was blocked is not in this vault")
            .hint("leave --revive out to lift the block alone"));
    }
    changes.extend(revived.map(|bullet| Change::Edit { path: bullet.path.clone(), edits: awake(memory) }));
    let subject = format!("Lift the block of \"{}\"", first.text());
    let mut message = Message::new("unforget", subject);
    for blocked in &blocks {
        message = message.id(blocked.id.as_str());
    }
    if let Some(bullet) = revived {
        message = message.id(bullet.id.as_str());
    }
    let written = write::apply(memory, ChangeSet { message, changes })?;
    Ok(Lifted {
        ids: blocks.iter().map(|blocked| blocked.id.to_string()).collect(),
        paths: blocks.iter().map(|blocked| blocked.path.to_string()).collect(),
        bullet: source,
        revived: revived.is_some(),
        commit: written.commit,
    })
}

/// The lines of a bullet that may prove itself anew.
fn awake(memory: &Memory) -> Vec<Edit> {
    let set =
        |key: &str, value: &str| Edit::Set { key: key.to_owned(), value: Value::String(value.to_owned()) };
    let remove = |key: &str| Edit::Remove { key: key.to_owned() };
    vec![
        set("state", State::Draft.name()),
        set("maturity", Maturity::Candidate.name()),
        remove("deprecation_reason"),
        remove("replaced_by"),
        set("updated", &memory.now().to_string()),
    ]
}
