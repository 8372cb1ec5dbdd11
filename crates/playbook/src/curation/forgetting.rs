//! Forgetting a bullet: it is deprecated, and a blocked pattern keeps it and its like out.

use super::curation::{Curated, Curation, Request};
use super::{Playbook, shelf};
use cm_note::bullet::blocked::{BlockKind, Blocked, BlockedFields};
use cm_note::bullet::content::{self, RuleHash};
use cm_note::id::NoteId;
use cm_note::note::name::file_name;
use cm_note::path::NotePath;

/// What is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forget {
    /// The bullet.
    pub id: NoteId,
    /// Why.
    pub reason: String,
    /// Whether an anti-pattern is made of it.
    pub invert: bool,
    /// The id of the blocked pattern, where one is to be written.
    pub block: NoteId,
}

/// A playbook without a rule, as far as following it goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Forgotten {
    /// The new playbook; its blocked patterns end with the new one.
    pub curated: Curated,
    /// The blocked pattern that keeps the rule out: the new one, or the one that did already.
    pub blocked_by: NoteId,
    /// Whether it is new.
    pub is_new: bool,
    /// The anti-pattern that was made, or was there.
    pub inverted_to: Option<String>,
}

/// Forgets a bullet; `None` where the playbook has none of that id. A bullet that is deprecated already is blocked all the same.
pub fn forget(playbook: &Playbook, request: &Request<'_>, forget: &Forget) -> Option<Forgotten> {
    let mut curation = Curation::of(playbook, request);
    let at = curation.shelf.find(forget.id.as_str())?;
    let active = curation.shelf.get(at).is_live();
    if shelf::stands(curation.shelf.get(at)) {
        curation.retire(at, &forget.reason, None);
    }
    let bullet = curation.shelf.get(at).clone();
    let heir = (forget.invert && !bullet.is_anti_pattern()).then(|| curation.invert(at, active));
    let inverted_to = heir.map(|heir| curation.shelf.get(heir).id.to_string());
    let hash = RuleHash::of(bullet.content());
    let mut curated = curation.finish();
    let there =
        playbook.blocked.iter().find(|known| known.kind == BlockKind::Toxic && known.hash() == Some(hash));
    if let Some(there) = there {
        let blocked_by = there.id.clone();
        return Some(Forgotten { curated, blocked_by, is_new: false, inverted_to });
    }
    curated.playbook.blocked.push(Blocked {
        id: forget.block.clone(),
        path: path_of(bullet.content(), &forget.block),
        kind: BlockKind::Toxic,
        created: Some(request.now),
        fields: BlockedFields {
            content: Some(content::folded(bullet.content())),
            content_hash: Some(hash.to_string()),
            reason: Some(content::folded(&forget.reason)),
            source_bullet: Some(bullet.id.to_string()),
            inverted_to: inverted_to.clone(),
            ..BlockedFields::default()
        },
    });
    Some(Forgotten { curated, blocked_by: forget.block.clone(), is_new: true, inverted_to })
}

#[allow(clippy::expect_used, reason = "a file name of letters, digits and dashes is a sound path")]
fn path_of(rule: &str, id: &NoteId) -> NotePath {
    NotePath::below("blocked", &file_name(rule, id)).expect("made of sound parts only")
}
