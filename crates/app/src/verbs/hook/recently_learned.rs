//! The rules that were learned most recently in this project. Nothing says yet for which tasks they
//! matter, so that the next sessions are shown them at their start.

use std::collections::HashSet;

use crate::context::open::Context;
use crate::context::project_scope::ProjectScope;
use crate::error::Result;
use cm_agents::hook::injection::{InjectionEntry, InjectionPart, PartKind};
use cm_agents::hook::memory_text::note_references;
use cm_note::bullet::visibility::may_be_shown;
use cm_note::bullet::{Bullet, BulletState, Scope};
use cm_playbook::briefing::lines;

/// Maximum number of rules.
const MAX_NEW_RULES: usize = 3;
/// Maximum age of a rule, in days.
const MAX_AGE_DAYS: f64 = 7.0;

/// Returns the newest rules that were learned from a session of a person, newest first, without
/// those whose ids or links are in `shown`.
///
/// # Errors
/// Returns an error if an index can be neither used nor rebuilt.
pub(super) fn part(context: &Context, shown: &HashSet<String>) -> Result<InjectionPart> {
    let since = context.now().minus_days(MAX_AGE_DAYS);
    let scope = ProjectScope::of(context, None);
    let mut found = Vec::new();
    for open in &context.vaults {
        for note in context.playbook_notes(open)?.iter() {
            let Some(bullet) = Bullet::of(note) else { continue };
            let is_here = match bullet.scope {
                Scope::Global => true,
                Scope::Workspace => scope.includes(&bullet, open.level),
                Scope::Language | Scope::Framework | Scope::Task => false,
            };
            let is_new = bullet.state == BulletState::Active
                && !bullet.fields.sources.is_empty()
                && bullet.created.is_some_and(|created| created >= since)
                && may_be_shown(&bullet, note);
            let references = note_references(bullet.id.as_str(), &note.path);
            let is_shown = shown.contains(bullet.id.as_str())
                || references.iter().any(|reference| shown.contains(reference));
            if is_here && is_new && !is_shown {
                found.push(bullet);
            }
        }
    }
    found.sort_by(|a, b| b.created.cmp(&a.created).then_with(|| a.id.cmp(&b.id)));
    found.truncate(MAX_NEW_RULES);
    let entry = |bullet: &Bullet| InjectionEntry {
        id: Some(bullet.id.to_string()),
        text: lines::rule(
            bullet.content(),
            &[bullet.id.as_str(), &bullet.category, bullet.maturity.name(), ""],
        ),
        relevance: None,
    };
    Ok(InjectionPart {
        kind: PartKind::Briefing,
        heading: Some("## Learned lately".to_owned()),
        entries: found.iter().map(entry).collect(),
    })
}
