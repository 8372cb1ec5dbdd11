//! Forgets a bullet: deprecates it and blocks similar rules.

use super::Playbook;
use super::adding::derived_bytes;
use super::apply::{Curation, CurationRequest, CurationResult};
use cm_note::bullet::blocked::{BlockKind, BlockedFields, BlockedNote};
use cm_note::bullet::content::{self, RuleHash};
use cm_note::id::NoteId;
use cm_note::note::name::file_name;
use cm_note::path::NotePath;

/// Request to forget a bullet: to deprecate it and to block its rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgetRequest {
    /// ID of the bullet.
    pub id: NoteId,
    /// Reason for forgetting, stored in the bullet and in the blocked pattern.
    pub reason: String,
    /// Whether to also create an anti-pattern from the rule.
    pub invert: bool,
}

/// The playbook after a bullet was forgotten, and the notes that prevent the rule.
#[derive(Debug, Clone, PartialEq)]
pub struct ForgetResult {
    /// Curated playbook; a new blocked pattern is the last one in it.
    pub curated: CurationResult,
    /// ID of the new or existing blocked pattern that matches the rule.
    pub blocked_by: NoteId,
    /// Whether the blocked pattern is new.
    pub is_new: bool,
    /// ID of the new or existing anti-pattern, if one was requested.
    pub inverted_to: Option<String>,
}

/// Deprecates a bullet and blocks its rule; `None` if the id is unknown. A bullet that is already
/// deprecated is blocked as well.
pub fn forget(
    playbook: &Playbook,
    request: &CurationRequest<'_>,
    forget: &ForgetRequest,
) -> Option<ForgetResult> {
    let mut curation = Curation::of(playbook, request);
    let at = curation.bullet_index.find(forget.id.as_str())?;
    let active = curation.bullet_index.get(at).is_live();
    if curation.bullet_index.get(at).is_standing() {
        curation.retire(at, &forget.reason, None);
    }
    let bullet = curation.bullet_index.get(at).clone();
    let heir = (forget.invert && !bullet.is_anti_pattern()).then(|| curation.invert(at, active));
    let inverted_to = heir.map(|heir| curation.bullet_index.get(heir).id.to_string());
    let hash = RuleHash::of(bullet.content());
    let mut curated = curation.finish();
    let there =
        playbook.blocked.iter().find(|other| other.kind == BlockKind::Toxic && other.hash() == Some(hash));
    if let Some(there) = there {
        let blocked_by = there.id.clone();
        return Some(ForgetResult { curated, blocked_by, is_new: false, inverted_to });
    }
    // Two clones that forget a rule create one block.
    let bytes = derived_bytes(&["block", bullet.id.as_str(), &hash.to_string()]);
    let id = NoteId::from(uuid::Builder::from_random_bytes(bytes).into_uuid());
    curated.playbook.blocked.push(BlockedNote {
        id: id.clone(),
        path: path_of(bullet.content(), &id),
        kind: BlockKind::Toxic,
        created: Some(request.now),
        fields: BlockedFields {
            content: Some(content::fold_whitespace(bullet.content())),
            content_hash: Some(hash.to_string()),
            reason: Some(content::fold_whitespace(&forget.reason)),
            source_bullet: Some(bullet.id.to_string()),
            inverted_to: inverted_to.clone(),
            ..BlockedFields::default()
        },
    });
    Some(ForgetResult { curated, blocked_by: id, is_new: true, inverted_to })
}

#[allow(clippy::expect_used, reason = "a file name of letters, digits and dashes is a sound path")]
fn path_of(rule: &str, id: &NoteId) -> NotePath {
    NotePath::below("blocked", &file_name(rule, id)).expect("made of sound parts only")
}
