//! Finds the rules and memories that a new statement of a person replaces: those that contradict it
//! and were stated before, in another session.

use crate::context::meaning::meaning;
use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::sessions::SessionAccess;
use crate::sessions::session_filter::is_global;
use cm_index::sessions::SessionLookup;
use cm_learn::reflect::later_word::{replaces_memory, replaces_rule};
use cm_learn::statement::Withdrawal;
use cm_note::bullet::Bullet;
use cm_note::graph::Graph;
use cm_note::instant::Instant;
use cm_note::note::{Note, NoteKind};
use cm_playbook::curation::delta::ExcludedRule;
use cm_playbook::curation::later_word::{is_replaceable, last_stated};
use cm_playbook::current_notes::in_place;
use cm_playbook::embedding_model::WordVectors;
use cm_session::SessionMeta;

/// Types of memories that a statement can replace. A fix describes what happened once.
const TYPES: [&str; 3] = ["fact", "preference", "decision"];
/// Types of memories that are learned from sessions, and that a person can withdraw.
const LEARNED: [&str; 4] = ["fact", "preference", "decision", "fix"];

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
    context: &Context,
    bullets: &[Bullet],
    text: &str,
    stated: StatementOrigin<'_>,
) -> Vec<ExcludedRule> {
    let word_vectors = WordVectors::of(meaning(context.target()));
    let excluded = |bullet: &Bullet| {
        let other = bullet.agent_text();
        let reason = replaces_rule(text, &other, &word_vectors)
            .or_else(|| replaces_rule(&other, text, &word_vectors))?;
        let is_older = stated_before(context, bullet, stated);
        Some(ExcludedRule { id: bullet.id.to_string(), reason, is_older })
    };
    bullets.iter().filter(|bullet| bullet.is_standing()).filter_map(excluded).collect()
}

/// Whether a rule was last stated or confirmed before a statement, in another session.
pub(crate) fn stated_before(context: &Context, bullet: &Bullet, stated: StatementOrigin<'_>) -> bool {
    let sessions = SessionAccess::open_without_refresh(context);
    let ended = |session: &str| {
        let meta = meta_of(&sessions, session).filter(|_| session != stated.session)?;
        meta.ended.or(meta.started)
    };
    last_stated(bullet, ended).is_some_and(|at| at < stated.at)
}

/// Whether a person's new memory replaces a rule.
pub(crate) fn replaces_rule_of(
    context: &Context,
    bullets: &[Bullet],
    text: &str,
    stated: StatementOrigin<'_>,
) -> bool {
    let excluded = excluded_rules(context, bullets, text, stated);
    excluded.iter().filter(|one| one.is_older).any(|one| {
        let bullet = bullets.iter().find(|bullet| bullet.id.as_str() == one.id);
        bullet.is_some_and(|bullet| is_replaceable(bullet, &bullet.rule_scope()))
    })
}

/// Returns the memories that a person's new statement replaces, with the reason for display.
pub(crate) fn replaced_memories<'n>(
    context: &Context,
    open: &OpenVault,
    notes: &'n [Note],
    text: &str,
    stated: StatementOrigin<'_>,
) -> Vec<(&'n Note, String)> {
    let word_vectors = WordVectors::of(meaning(open));
    let is_confirmed = |note: &&Note| is_of_type(note, &TYPES) && !note.is_waiting();
    let confirmed = notes.iter().filter(is_confirmed);
    let found = confirmed
        .filter_map(|note| Some((note, replaces_memory(text, &note.title, &word_vectors)?)))
        .collect();
    stated_earlier(context, open, notes, found, stated)
}

/// Returns the memories that a withdrawal may refer to, with waiting ones and fixes.
pub(super) fn withdrawn_memories<'n>(
    context: &Context,
    open: &OpenVault,
    notes: &'n [Note],
    withdrawal: &Withdrawal,
    stated: StatementOrigin<'_>,
) -> Vec<&'n Note> {
    let word_vectors = WordVectors::of(meaning(open));
    let is_meant = |note: &&Note| match withdrawal.topic {
        Some(_) => withdrawal.names(&note.title),
        None => replaces_memory(&withdrawal.quote, &note.title, &word_vectors).is_some(),
    };
    let meant = notes.iter().filter(|note| is_of_type(note, &LEARNED)).filter(is_meant);
    let meant = stated_earlier(context, open, notes, meant.map(|note| (note, ())).collect(), stated);
    meant.into_iter().map(|(note, ())| note).collect()
}

fn is_of_type(note: &Note, types: &[&str]) -> bool {
    note.kind == NoteKind::Memory && note.note_type.as_deref().is_some_and(|kind| types.contains(&kind))
}

/// Keeps the memories that are in place and were learned from an earlier session of the same project.
fn stated_earlier<'n, T>(
    context: &Context,
    open: &OpenVault,
    notes: &'n [Note],
    mut found: Vec<(&'n Note, T)>,
    stated: StatementOrigin<'_>,
) -> Vec<(&'n Note, T)> {
    let sessions = SessionAccess::open_without_refresh(context);
    let by_workspace = is_global(context, open);
    let is_older = |note: &Note| {
        let Some(session) = note.session.as_deref() else { return false };
        let meta = meta_of(&sessions, session);
        let is_here =
            !by_workspace || meta.as_ref().is_some_and(|meta| meta.workspace.as_deref() == stated.workspace);
        let ended = meta.and_then(|meta| meta.ended).filter(|_| session != stated.session);
        let last = ended.or(note.created).max(note.last_checked);
        is_here && last.is_some_and(|at| at < stated.at)
    };
    found.retain(|(note, _)| !note.pinned && !note.is_retired() && is_older(note));
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
