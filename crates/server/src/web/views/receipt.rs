//! The receipt of a session: what cm gave it, when, why, at what cost, and what became of it.

use std::collections::HashMap;

use askama::Template;

use super::sessions::KindRow;
use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, kind_noun, moment, note_address};
use cm_app::context::receipts::{ReceiptEntry, ShownKind};
use cm_app::sessions::{SessionAccess, SessionRow};
use cm_app::verbs::session_receipts::{self, ShownNote};
use cm_app::{Context, Result};
use cm_note::instant::Instant;
use cm_note::note::NoteKind;

#[derive(Template)]
#[template(path = "receipt.html")]
struct ReceiptPage {
    shell: Shell,
    session: String,
    /// Whether the session's log is known, which feedback about it needs in order to count.
    is_indexed: bool,
    title: String,
    agent: String,
    facts: Vec<(&'static str, String)>,
    tokens: usize,
    kinds: Vec<KindRow>,
    notes: Vec<NoteRow>,
    entries: Vec<EntryRow>,
}

/// A note that the session was shown, with what became of it.
struct NoteRow {
    id: String,
    address: String,
    title: String,
    kind: &'static str,
    times: usize,
    /// Places and reasons of the showings.
    reasons: Vec<&'static str>,
    /// Relevance to the prompt or command, such as `0.83`.
    relevance: Option<String>,
    cited: Option<bool>,
    is_helpful: bool,
    is_harmful: bool,
    is_ignored: bool,
    /// Whether it takes feedback.
    can_mark: bool,
}

struct EntryRow {
    at: ShownTime,
    time: String,
    kind: &'static str,
    reason: &'static str,
    name: Option<String>,
    tokens: usize,
    notes: Vec<Link>,
}

struct Link {
    title: String,
    address: String,
}

pub(super) fn show(context: &Context, request: &PageRequest) -> Result<String> {
    let access = SessionAccess::open_quickly(context)?;
    let found = session_receipts::session_receipt(context, &access, &request.reference)?;
    let receipt = found.receipt;
    let titles: HashMap<&str, &str> =
        found.notes.iter().filter_map(|note| Some((note.id.as_str(), note.title.as_deref()?))).collect();
    let entries = receipt.iter().flat_map(|receipt| &receipt.entries);
    let entries = entries.map(|entry| entry_row(entry, &titles, context.now())).collect();
    let (id, agent) = match (&found.session, &receipt) {
        (Some(session), _) => (session.info.id.clone(), session.info.agent.clone()),
        (None, Some(receipt)) => (receipt.session.clone(), receipt.agent.clone()),
        (None, None) => (request.reference.clone(), String::new()),
    };
    let title = found.session.as_ref().and_then(|session| session.info.title.clone());
    render(&ReceiptPage {
        title: title.filter(|title| !title.is_empty()).unwrap_or_else(|| "Receipt".to_owned()),
        is_indexed: found.session.is_some(),
        facts: found.session.as_ref().map(facts).unwrap_or_default(),
        tokens: receipt.as_ref().map_or(0, |receipt| receipt.tokens),
        kinds: receipt.iter().flat_map(|receipt| &receipt.kinds).map(KindRow::of).collect(),
        entries,
        notes: found.notes.into_iter().map(note_row).collect(),
        shell: Shell::of(context, request, "sessions", format!("Session {id}")),
        session: id,
        agent,
    })
}

fn facts(session: &SessionRow) -> Vec<(&'static str, String)> {
    let info = &session.info;
    let facts = [
        ("Folder", info.workspace.clone()),
        ("Branch", info.branch.clone()),
        ("Model", info.model.clone()),
        ("Began", info.started.map(moment)),
        ("Ended", info.ended.map(moment)),
        ("Prompts", Some(session.prompts.to_string())),
        ("Outcome", session.outcome.clone()),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

fn note_row(note: ShownNote) -> NoteRow {
    NoteRow {
        address: note_address(&note.id),
        title: note.title.unwrap_or_else(|| note.id.clone()),
        kind: note.kind.map_or("gone", |kind| kind_noun(kind, 1)),
        times: note.times,
        reasons: note.shown_in.into_iter().map(reason).collect(),
        relevance: note.relevance.map(|relevance| format!("{relevance:.2}")),
        cited: note.cited,
        is_helpful: note.helpful,
        is_harmful: note.harmful,
        is_ignored: note.ignored,
        can_mark: matches!(note.kind, Some(NoteKind::Bullet | NoteKind::Memory)),
        id: note.id,
    }
}

fn entry_row(entry: &ReceiptEntry, titles: &HashMap<&str, &str>, now: Instant) -> EntryRow {
    let link = |id: &String| Link {
        title: titles.get(id.as_str()).copied().unwrap_or(id).to_owned(),
        address: note_address(id),
    };
    EntryRow {
        at: ShownTime::of(entry.at, now),
        time: entry.at.minute(),
        kind: entry.kind.name(),
        reason: reason(entry.kind),
        name: entry.name.clone(),
        tokens: entry.tokens,
        notes: entry.ids.iter().map(link).collect(),
    }
}

/// Why a text of this kind is shown.
fn reason(kind: ShownKind) -> &'static str {
    match kind {
        ShownKind::Core => "in CORE.md, at the start",
        ShownKind::Briefing => "in the briefing, at the start",
        ShownKind::Notes => "fits a prompt or a failed command",
        ShownKind::Handoff => "unfinished work of another session",
        ShownKind::Request => "a request to record something",
        ShownKind::Tool => "the agent asked a tool",
        ShownKind::Command => "the agent ran a command",
    }
}
