//! Sessions of agents, and the receipt of one: what cm gave it, when, at what cost, and what became of it.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, note_address};
use cm_app::context::receipts::ReceiptEntry;
use cm_app::verbs::{get, usage};
use cm_app::{Context, Result};
use cm_render::html;

/// Number of sessions on the page.
const SHOWN: usize = 100;

#[derive(Template)]
#[template(path = "sessions.html")]
struct SessionsPage {
    shell: Shell,
    sessions: Vec<SessionRow>,
    total: usize,
    tokens: usize,
    kinds: Vec<KindRow>,
}

struct SessionRow {
    id: String,
    address: String,
    agent: String,
    last: ShownTime,
    tokens: usize,
}

struct KindRow {
    name: &'static str,
    count: usize,
    tokens: usize,
}

pub(super) fn list(memory: &Context, request: &PageRequest) -> Result<String> {
    let used = usage::usage(memory, &usage::Options { limit: SHOWN, session: None })?.tokens;
    let now = memory.now();
    let sessions = used.sessions.into_iter().filter_map(|session| {
        let id = session.session?;
        let address = format!("/sessions/{}", html::encode(&id));
        Some(SessionRow {
            id,
            address,
            agent: session.agent,
            last: ShownTime::of(session.last, now),
            tokens: session.tokens,
        })
    });
    render(&SessionsPage {
        sessions: sessions.collect(),
        total: used.session_count,
        tokens: used.shown,
        kinds: used.kinds.iter().map(kind_row).collect(),
        shell: Shell::of(memory, request, "sessions", "Sessions"),
    })
}

fn kind_row(kind: &usage::KindTokens) -> KindRow {
    KindRow { name: kind.kind.name(), count: kind.count, tokens: kind.tokens }
}

#[derive(Template)]
#[template(path = "receipt.html")]
struct ReceiptPage {
    shell: Shell,
    session: String,
    agent: String,
    tokens: usize,
    kinds: Vec<KindRow>,
    entries: Vec<EntryRow>,
    rules: Vec<RuleRow>,
}

struct EntryRow {
    at: ShownTime,
    time: String,
    kind: &'static str,
    name: Option<String>,
    tokens: usize,
    notes: Vec<NoteRow>,
}

struct NoteRow {
    title: String,
    address: String,
}

struct RuleRow {
    id: String,
    address: String,
    content: String,
    shown: usize,
    cited: Option<bool>,
    is_ignored: bool,
}

pub(super) fn receipt(memory: &Context, request: &PageRequest) -> Result<String> {
    let options = usage::Options { limit: SHOWN, session: Some(request.reference.clone()) };
    let receipt = usage::usage(memory, &options)?.receipt;
    let receipt = receipt.ok_or_else(|| cm_app::Error::not_found("this session has no receipt"))?;
    let rules = receipt.rules.into_iter().map(|rule| RuleRow {
        address: note_address(&rule.id),
        id: rule.id,
        content: rule.content,
        shown: rule.shown,
        cited: rule.cited,
        is_ignored: rule.ignored,
    });
    render(&ReceiptPage {
        rules: rules.collect(),
        kinds: receipt.kinds.iter().map(kind_row).collect(),
        entries: receipt.entries.into_iter().map(|entry| entry_row(memory, entry)).collect(),
        shell: Shell::of(memory, request, "sessions", format!("Session {}", receipt.session)),
        session: receipt.session,
        agent: receipt.agent,
        tokens: receipt.tokens,
    })
}

fn entry_row(memory: &Context, entry: ReceiptEntry) -> EntryRow {
    let notes = entry.ids.into_iter().map(|id| {
        // A note that was shown may be gone since.
        let title = get::get(memory, &id, None).map_or_else(|_| id.clone(), |note| note.title);
        NoteRow { title, address: note_address(&id) }
    });
    EntryRow {
        notes: notes.collect(),
        at: ShownTime::of(entry.at, memory.now()),
        time: entry.at.minute(),
        kind: entry.kind.name(),
        name: entry.name,
        tokens: entry.tokens,
    }
}
