//! Sessions of agents with outcome, friction, and what cm gave them.

use askama::Template;

use crate::web::page::{PageRequest, Shell, render};
use crate::web::words::{ShownTime, count};
use cm_app::sessions::{SessionAccess, SessionSelection};
use cm_app::verbs::session_receipts::{self, SessionReceiptRow};
use cm_app::verbs::usage::{self, KindTokens};
use cm_app::{Context, Result};
use cm_render::html;

/// Number of sessions on a page.
const SESSIONS_PER_PAGE: usize = 50;

#[derive(Template)]
#[template(path = "sessions.html")]
struct SessionsPage {
    shell: Shell,
    sessions: Vec<SessionRow>,
    total: usize,
    tokens: usize,
    kinds: Vec<KindRow>,
    next: Option<usize>,
}

struct SessionRow {
    title: String,
    address: String,
    agent: String,
    last: Option<ShownTime>,
    outcome: Option<String>,
    /// Friction and what became of the rules, such as `2 errors`.
    facts: Vec<String>,
    tokens: usize,
}

/// Tokens of one kind of text.
pub(super) struct KindRow {
    pub(super) name: &'static str,
    pub(super) count: usize,
    pub(super) tokens: usize,
}

impl KindRow {
    pub(super) fn of(kind: &KindTokens) -> Self {
        Self { name: kind.kind.name(), count: kind.count, tokens: kind.tokens }
    }
}

pub(super) fn list(context: &Context, request: &PageRequest) -> Result<String> {
    let which = SessionSelection { days: Some(0.0), ..SessionSelection::default() };
    let offset = request.query.number("offset").unwrap_or(0);
    let options = session_receipts::Options { which, limit: SESSIONS_PER_PAGE, offset };
    let access = SessionAccess::open_quickly(context)?;
    let found = session_receipts::session_receipts(context, &access, &options)?;
    let used = usage::usage(context, &usage::Options { limit: 0, session: None })?.tokens;
    render(&SessionsPage {
        sessions: found.sessions.into_iter().map(|session| row(context, session)).collect(),
        total: found.total,
        tokens: used.shown,
        kinds: used.kinds.iter().map(KindRow::of).collect(),
        next: found.next,
        shell: Shell::of(context, request, "sessions", "Sessions"),
    })
}

fn row(context: &Context, session: SessionReceiptRow) -> SessionRow {
    let some = |n: usize, noun: &str| (n > 0).then(|| count(n, noun));
    let friction = session.friction.unwrap_or_default();
    let rules = session.rules;
    let facts = [
        some(friction.interrupts, "interrupt"),
        some(friction.rejections, "refused call"),
        some(friction.errors, "error"),
        some(session.notes, "note"),
        (rules.cited > 0).then(|| format!("{} cited", rules.cited)),
        (rules.helpful > 0).then(|| format!("{} helpful", rules.helpful)),
        (rules.harmful > 0).then(|| format!("{} harmful", rules.harmful)),
        (rules.ignored > 0).then(|| format!("{} ignored", rules.ignored)),
    ];
    SessionRow {
        address: format!("/sessions/{}", html::encode(&session.id)),
        title: session.title.filter(|title| !title.is_empty()).unwrap_or(session.id),
        agent: session.agent,
        last: ShownTime::maybe(session.ended, context.now()),
        outcome: session.outcome,
        facts: facts.into_iter().flatten().collect(),
        tokens: session.tokens,
    }
}
