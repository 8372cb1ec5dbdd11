//! Finds the rules and memories that a new statement of a person replaces: those that contradict it
//! and were stated before, in another session.

use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::sessions::SessionAccess;
use crate::sessions::session_filter::is_global;
use cm_index::sessions::SessionLookup;
use cm_learn::reflect::later_word::{replaces_memory, replaces_rule};
use cm_note::bullet::Bullet;
use cm_note::graph::Graph;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_playbook::curation::bullet_index::is_standing;
use cm_playbook::curation::delta::ExcludedRule;
use cm_playbook::curation::later_word::{is_replaceable, last_stated};
use cm_playbook::current_notes::in_place;
use cm_playbook::embedding_model::WordVectors;
use cm_session::SessionMeta;

/// Types of memories that a statement can replace. A fix describes what happened once.
const TYPES: [&str; 3] = ["fact", "preference", "decision"];

/// When and where a person made a statement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StatementOrigin<'a> {
    /// Session id.
    pub session: &'a str,
    pub at: Instant,
    /// Working folder of the session.
    pub workspace: Option<&'a str>,
}

/// Returns the rules that cannot hold together with a person's new statement.
pub(crate) fn excluded_rules(
    memory: &Context,
    bullets: &[Bullet],
    text: &str,
    stated: StatementOrigin<'_>,
) -> Vec<ExcludedRule> {
    let sense = WordVectors::of(meaning(memory.target()));
    let excluded = |bullet: &Bullet| {
        let other = bullet.agent_text();
        let reason = replaces_rule(text, &other, &sense).or_else(|| replaces_rule(&other, text, &sense))?;
        let is_older = stated_before(memory, bullet, stated);
        Some(ExcludedRule { id: bullet.id.to_string(), reason, is_older })
    };
    bullets.iter().filter(|bullet| is_standing(bullet)).filter_map(excluded).collect()
}

/// Whether a rule was last stated or confirmed before a statement, in another session.
pub(crate) fn stated_before(memory: &Context, bullet: &Bullet, stated: StatementOrigin<'_>) -> bool {
    let sessions = SessionAccess::open_without_refresh(memory);
    let ended = |session: &str| {
        let meta = meta_of(&sessions, session).filter(|_| session != stated.session)?;
        meta.ended.or(meta.started)
    };
    last_stated(bullet, ended).is_some_and(|at| at < stated.at)
}

/// Whether a person's new memory replaces a rule.
pub(crate) fn replaces_rule_of(
    memory: &Context,
    bullets: &[Bullet],
    text: &str,
    stated: StatementOrigin<'_>,
) -> bool {
    let excluded = excluded_rules(memory, bullets, text, stated);
    excluded.iter().filter(|one| one.is_older).any(|one| {
        let bullet = bullets.iter().find(|bullet| bullet.id.as_str() == one.id);
        bullet.is_some_and(|bullet| is_replaceable(bullet, &bullet.rule_scope()))
    })
}

/// Returns the memories that a person's new statement replaces, with the reason for display.
pub(crate) fn replaced_memories<'n>(
    memory: &Context,
    open: &OpenVault,
    notes: &'n [Note],
    text: &str,
    stated: StatementOrigin<'_>,
) -> Vec<(&'n Note, String)> {
    let sense = WordVectors::of(meaning(open));
    let sessions = SessionAccess::open_without_refresh(memory);
    let by_workspace = is_global(memory, open);
    let is_candidate = |note: &&Note| {
        note.kind == NoteKind::Memory
            && note.note_type.as_deref().is_some_and(|kind| TYPES.contains(&kind))
            && !note.pinned
            && !note.is_waiting()
            && note.state.as_deref() != Some("retired")
    };
    let is_older = |note: &Note| {
        let Some(session) = note.session.as_deref() else { return false };
        let meta = meta_of(&sessions, session);
        let is_here =
            !by_workspace || meta.as_ref().is_some_and(|meta| meta.workspace.as_deref() == stated.workspace);
        let ended = meta.and_then(|meta| meta.ended).filter(|_| session != stated.session);
        let last = ended.or(note.created).max(note.last_checked);
        is_here && last.is_some_and(|at| at < stated.at)
    };
    let candidates = notes.iter().filter(is_candidate);
    let found = candidates.filter_map(|note| Some((note, replaces_memory(text, &note.title, &sense)?)));
    let mut found: Vec<(&Note, String)> = found.filter(|(note, _)| is_older(note)).collect();
    if !found.is_empty() {
        let in_place = in_place(&Graph::connect(notes));
        let is_in_place = |note: &Note| {
            notes.iter().zip(&in_place).any(|(other, in_place)| *in_place && other.path == note.path)
        };
        found.retain(|(note, _)| is_in_place(note));
    }
    found
}

/// Returns what the session index has about a session; `None` if it does not have it.
fn meta_of(sessions: &SessionAccess, session: &str) -> Option<SessionMeta> {
    match sessions.query(|sessions| sessions.lookup(session)).ok().flatten()? {
        SessionLookup::One(found) => Some(found.session.meta.clone()),
        SessionLookup::Nothing | SessionLookup::Several(_) => None,
    }
}
