//! Builds bullets for tests.

use cm_note::bullet::{Bullet, BulletFields, BulletState, BulletType, Maturity, Scope};
use cm_note::id::NoteId;
use cm_note::path::NotePath;

/// Builds an active rule.
pub fn bullet(category: &str, content: &str) -> Bullet {
    Bullet {
        id: NoteId::parse("b-mt2ssunl-000001").unwrap(),
        path: NotePath::parse("playbook/general/b-mt2ssunl-000001.md").unwrap(),
        bullet_type: BulletType::Rule,
        category: category.to_owned(),
        scope: Scope::Global,
        workspace: None,
        state: BulletState::Active,
        maturity: Maturity::Candidate,
        pinned: false,
        tags: Vec::new(),
        feedback: Vec::new(),
        created: None,
        updated: None,
        last_checked: None,
        fields: BulletFields { content: content.to_owned(), ..BulletFields::default() },
    }
}
