//! Sessions with what agents were shown in them and what became of it.
//!
//! Receipts record time, kind, length and note ids. They have no score parts, and none are computed
//! afterwards, because scores have changed since.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::receipts::{self, ReceiptEntry, ShownKind};
use crate::error::Result;
use crate::paging::next_offset;
use crate::sessions::list::{filter, lookback};
use crate::sessions::session_row::outcomes;
use crate::sessions::{SessionAccess, SessionRow, SessionSelection};
use crate::verbs::playbook::merged;
use crate::verbs::usage::{self, SessionReceipt};
use cm_agents::hook::memory_text::note_references;
use cm_index::sessions::SessionSummary;
use cm_note::bullet::Bullet;
use cm_note::instant::Instant;
use cm_note::note::{Feedback, FeedbackSignal, Note, NoteKind};
use cm_session::event::EventName;

/// Filter and page of a list of sessions.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Filter for sessions; without a number of days, `sessions.lookback_days` applies.
    pub which: SessionSelection,
    /// Maximum number of sessions.
    pub limit: usize,
    /// Number of sessions to skip: the `next` of an earlier answer.
    pub offset: usize,
}

/// Events of a session that show friction, counted from its log. `cm friction` analyzes them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FrictionCounts {
    /// Number of times that the person interrupted the agent.
    pub interrupts: usize,
    /// Number of tool calls that the person refused.
    pub rejections: usize,
    /// Number of errors of the agent or its model.
    pub errors: usize,
}

/// Numbers of rules by what became of them in a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuleCounts {
    /// Rules whose feedback was inferred because the session cites them.
    pub cited: usize,
    /// Rules that were marked as helpful in the session.
    pub helpful: usize,
    /// Rules that were marked as harmful in the session.
    pub harmful: usize,
    /// Rules that a person had to repeat.
    pub ignored: usize,
}

/// A session in the list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionReceiptRow {
    /// Session id.
    pub id: String,
    /// Name of the agent; empty if unknown.
    pub agent: String,
    /// Title, or the beginning of the first prompt; null if the log is not indexed.
    pub title: Option<String>,
    /// Working directory, as written in the log.
    pub workspace: Option<String>,
    pub started: Option<Instant>,
    /// Time of the last log entry, or at which something was shown last.
    pub ended: Option<Instant>,
    /// Number of prompts by the user; null if the log is not indexed.
    pub prompts: Option<usize>,
    /// Outcome according to the diary: `success`, `failure`, `partial` or `mixed`.
    pub outcome: Option<String>,
    /// Null if the log is not indexed.
    pub friction: Option<FrictionCounts>,
    /// Estimated tokens that cm gave.
    pub tokens: usize,
    /// Number of times that something was shown.
    pub shown: usize,
    /// Number of different notes that were shown.
    pub notes: usize,
    pub rules: RuleCounts,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionReceiptList {
    /// Sessions, the most recent first.
    pub sessions: Vec<SessionReceiptRow>,
    /// Number of matching sessions on all pages.
    pub total: usize,
    /// Offset of the next page; null on the last one.
    pub next: Option<usize>,
}

/// Lists the sessions of the index, and those that were shown something although no log of them is
/// indexed. A caller with a token sees the former only.
///
/// # Errors
/// Returns an error if the filter is invalid, or if the index or the notes cannot be read.
pub fn session_receipts(
    context: &Context,
    access: &SessionAccess,
    options: &Options,
) -> Result<SessionReceiptList> {
    let days = lookback(context, &options.which)?;
    let index_filter = filter(context, &options.which, days)?;
    let end = options.offset.saturating_add(options.limit);
    let indexed = access.query(|sessions| sessions.list(&index_filter, 0, end))?.unwrap_or_default();
    let shown = ShownTotals::by_session(&receipts::load(context));
    let since = days.map(|days| context.now().minus_days(days));
    let is_wanted = |totals: &ShownTotals| {
        let agents = &index_filter.agents;
        !context.request.caller.has_token
            && options.which.workspace.is_none()
            && since.is_none_or(|since| totals.last >= since)
            && (agents.is_empty() || agents.iter().any(|agent| agent.name() == totals.agent))
    };
    let mut rows: Vec<SessionReceiptRow> = indexed.list.iter().map(indexed_row).collect();
    let mut total = indexed.total;
    for (id, totals) in shown.iter().filter(|(_, totals)| is_wanted(totals)) {
        if !access.query(|sessions| sessions.contains(id))?.unwrap_or(false) {
            rows.push(unindexed_row(id, totals));
            total += 1;
        }
    }
    rows.sort_by(|a, b| (Reverse(a.ended), &a.id).cmp(&(Reverse(b.ended), &b.id)));
    let mut sessions: Vec<_> = rows.into_iter().skip(options.offset).take(options.limit).collect();
    complete(context, &mut sessions, &shown)?;
    let next = next_offset(options.offset, sessions.len(), total);
    Ok(SessionReceiptList { sessions, total, next })
}

/// The sessions for which [`session_receipt`] returns an answer. Reads no logs.
pub struct RecordedSessions<'m> {
    context: &'m Context,
    access: SessionAccess,
    /// IDs of the sessions with a receipt, read on first use.
    shown: OnceCell<HashSet<String>>,
}

impl<'m> RecordedSessions<'m> {
    /// Uses the session index as it is.
    pub fn of(context: &'m Context) -> Self {
        let access = SessionAccess::open_without_refresh(context);
        Self { context, access, shown: OnceCell::new() }
    }

    /// Whether a session with this id is indexed or has a receipt. A caller with a token sees the
    /// former only.
    pub fn contains(&self, id: &str) -> bool {
        let is_indexed = self.access.query(|sessions| sessions.contains(id));
        if is_indexed.ok().flatten().unwrap_or(false) {
            return true;
        }
        let load = || receipts::load(self.context).into_iter().filter_map(|entry| entry.session).collect();
        !self.context.request.caller.has_token && self.shown.get_or_init(load).contains(id)
    }
}

/// Counts of the notes that one session was shown.
struct ShownTotals {
    agent: String,
    first: Instant,
    last: Instant,
    tokens: usize,
    shown: usize,
    notes: HashSet<String>,
}

impl ShownTotals {
    fn by_session(entries: &[ReceiptEntry]) -> HashMap<String, Self> {
        let mut all: HashMap<String, Self> = HashMap::new();
        for entry in entries {
            let Some(session) = &entry.session else { continue };
            let totals = all.entry(session.clone()).or_insert_with(|| Self {
                agent: entry.agent.clone(),
                first: entry.at,
                last: entry.at,
                tokens: 0,
                shown: 0,
                notes: HashSet::new(),
            });
            if totals.agent.is_empty() {
                totals.agent.clone_from(&entry.agent);
            }
            (totals.first, totals.last) = (totals.first.min(entry.at), totals.last.max(entry.at));
            totals.tokens += entry.tokens;
            totals.shown += 1;
            totals.notes.extend(entry.ids.iter().cloned());
        }
        all
    }
}

fn indexed_row(listed: &SessionSummary) -> SessionReceiptRow {
    let meta = &listed.session.meta;
    SessionReceiptRow {
        id: meta.id.as_str().to_owned(),
        agent: meta.agent.name().to_owned(),
        title: meta.title.clone(),
        workspace: meta.workspace.clone(),
        started: meta.started,
        ended: meta.ended,
        prompts: Some(listed.counts.of(EventName::UserPrompt)),
        outcome: None,
        friction: Some(FrictionCounts {
            interrupts: listed.counts.of(EventName::Interrupt),
            rejections: listed.counts.of(EventName::ToolRejected),
            errors: listed.counts.of(EventName::Error),
        }),
        tokens: 0,
        shown: 0,
        notes: 0,
        rules: RuleCounts::default(),
    }
}

fn unindexed_row(id: &str, totals: &ShownTotals) -> SessionReceiptRow {
    SessionReceiptRow {
        id: id.to_owned(),
        agent: totals.agent.clone(),
        title: None,
        workspace: None,
        started: Some(totals.first),
        ended: Some(totals.last),
        prompts: None,
        outcome: None,
        friction: None,
        tokens: 0,
        shown: 0,
        notes: 0,
        rules: RuleCounts::default(),
    }
}

/// Adds outcomes, receipts and feedback to the rows of a page.
fn complete(
    context: &Context,
    rows: &mut [SessionReceiptRow],
    shown: &HashMap<String, ShownTotals>,
) -> Result<()> {
    let keys: Vec<(String, String)> = rows.iter().map(|row| (row.agent.clone(), row.id.clone())).collect();
    let outcomes = outcomes(context, &keys)?;
    let mut feedback = feedback_by_session(context, rows)?;
    for (row, outcome) in rows.iter_mut().zip(outcomes) {
        row.outcome = outcome;
        row.rules = feedback.remove(&row.id).unwrap_or_default();
        if let Some(totals) = shown.get(&row.id) {
            (row.tokens, row.shown, row.notes) = (totals.tokens, totals.shown, totals.notes.len());
        }
    }
    Ok(())
}

/// Counts the rules of all open vaults that have feedback of these sessions.
fn feedback_by_session(context: &Context, rows: &[SessionReceiptRow]) -> Result<HashMap<String, RuleCounts>> {
    let ids: HashSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let mut counts: HashMap<String, RuleCounts> = HashMap::new();
    for bullet in merged(context)?.bullets.into_iter().map(|of_vault| of_vault.bullet) {
        let sessions: BTreeSet<&str> =
            bullet.feedback.iter().filter_map(|event| event.session.as_deref()).collect();
        for session in sessions.into_iter().filter(|session| ids.contains(session)) {
            let judged = RuleSignals::of(&bullet, session);
            let counts = counts.entry(session.to_owned()).or_default();
            counts.cited += usize::from(judged.cited);
            counts.helpful += usize::from(judged.helpful);
            counts.harmful += usize::from(judged.harmful);
            counts.ignored += usize::from(judged.ignored);
        }
    }
    Ok(counts)
}

/// Feedback of one session on one rule.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct RuleSignals {
    cited: bool,
    helpful: bool,
    harmful: bool,
    ignored: bool,
}

impl RuleSignals {
    fn of(bullet: &Bullet, session: &str) -> Self {
        let has = |is_match: &dyn Fn(&Feedback) -> bool| {
            bullet.feedback.iter().any(|event| event.session.as_deref() == Some(session) && is_match(event))
        };
        let is_marked = |event: &Feedback, signal| event.signal == signal && event.weight >= 1.0;
        Self {
            cited: has(&|event| event.signal.is_rating() && event.weight < 1.0),
            helpful: has(&|event| is_marked(event, FeedbackSignal::Helpful)),
            harmful: has(&|event| is_marked(event, FeedbackSignal::Harmful)),
            ignored: has(&|event| event.signal == FeedbackSignal::Ignored),
        }
    }
}

/// A note that a session was shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ShownNote {
    /// Note id, or the reference in the receipt if the note no longer exists.
    pub id: String,
    /// Title of the note; for a rule, its text. Null if the note no longer exists.
    pub title: Option<String>,
    pub kind: Option<NoteKind>,
    /// Path of the note's file, relative to the vault.
    pub path: Option<String>,
    /// Time at which it was first shown.
    pub first: Instant,
    /// Number of times that it was shown.
    pub times: usize,
    /// Where it was shown, such as in the briefing.
    pub shown_in: BTreeSet<ShownKind>,
    /// Highest relevance to a prompt or command that it was shown for, 0–1; null if it was not
    /// selected by relevance.
    pub relevance: Option<f64>,
    /// Whether the agent cited the rule; null for other notes, or if the log cannot be read.
    pub cited: Option<bool>,
    /// Whether it was marked as helpful in the session.
    pub helpful: bool,
    /// Whether it was marked as harmful in the session.
    pub harmful: bool,
    /// Whether a person repeated the rule although it had been shown.
    pub ignored: bool,
}

/// One session with all that it was shown.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionReceiptDetails {
    /// The session in the index; null if its log is not indexed.
    pub session: Option<SessionRow>,
    /// Receipt of the session; null if it was shown nothing.
    pub receipt: Option<SessionReceipt>,
    /// The notes that were shown, in the order in which they were first shown.
    pub notes: Vec<ShownNote>,
}

/// Returns the receipt of the session with this id, or with the only id that begins so.
///
/// # Errors
/// A session that is neither indexed nor has a receipt, an ambiguous id, or unreadable notes.
pub fn session_receipt(
    context: &Context,
    access: &SessionAccess,
    name: &str,
) -> Result<SessionReceiptDetails> {
    let listed = match access.find(name) {
        // The receipts of other sessions are not for callers who see uploaded ones only.
        Err(error) if context.request.caller.has_token => return Err(error),
        listed => listed,
    };
    let options = usage::Options { limit: 0, session: Some(name.to_owned()) };
    let receipt = match (usage::usage(context, &options), &listed) {
        (Ok(report), _) => report.receipt,
        (Err(error), Ok(_)) if error.is_not_found() => None,
        (Err(error), _) => return Err(error),
    };
    let session = listed.ok().map(|listed| access.judged(context, &listed)).transpose()?;
    let notes = match &receipt {
        Some(receipt) => shown_notes(context, receipt)?,
        None => Vec::new(),
    };
    Ok(SessionReceiptDetails { session, receipt, notes })
}

/// Resolves the ids of a receipt to notes of the open vaults and adds what became of each.
fn shown_notes(context: &Context, receipt: &SessionReceipt) -> Result<Vec<ShownNote>> {
    let vaults = context.notes()?;
    let mut notes: HashMap<String, &Note> = HashMap::new();
    let references_shown: HashSet<&String> = receipt.entries.iter().flat_map(|entry| &entry.ids).collect();
    for note in vaults.iter().flat_map(|vault| vault.notes()) {
        let references = note_references(note.key(), &note.path).into_iter().chain([note.key().to_owned()]);
        for reference in references.filter(|reference| references_shown.contains(reference)) {
            notes.entry(reference).or_insert(note);
        }
    }
    let bullets: HashMap<String, Bullet> = merged(context)?
        .bullets
        .into_iter()
        .map(|of_vault| (of_vault.bullet.id.to_string(), of_vault.bullet))
        .collect();
    let mut shown: Vec<ShownNote> = Vec::new();
    for entry in &receipt.entries {
        for reference in &entry.ids {
            let note = notes.get(reference).copied();
            let id = note.map_or(reference.as_str(), Note::key);
            match shown.iter_mut().find(|shown_note| shown_note.id == id) {
                Some(shown_note) => {
                    shown_note.times += 1;
                    shown_note.shown_in.insert(entry.kind);
                    shown_note.relevance = higher(shown_note.relevance, entry.relevance.get(reference));
                }
                None => shown.push(ShownNote {
                    relevance: entry.relevance.get(reference).copied(),
                    ..shown_note(id, note, entry, receipt, &bullets)
                }),
            }
        }
    }
    Ok(shown)
}

fn higher(relevance: Option<f64>, other: Option<&f64>) -> Option<f64> {
    relevance.into_iter().chain(other.copied()).reduce(f64::max)
}

fn shown_note(
    id: &str,
    note: Option<&Note>,
    entry: &ReceiptEntry,
    receipt: &SessionReceipt,
    bullets: &HashMap<String, Bullet>,
) -> ShownNote {
    let rule = receipt.rules.iter().find(|rule| rule.id == id);
    let bullet = bullets.get(id);
    let judged = bullet.map(|bullet| RuleSignals::of(bullet, &receipt.session)).unwrap_or_default();
    ShownNote {
        id: id.to_owned(),
        title: note.map(|note| bullet.map_or(note.title.as_str(), Bullet::content).to_owned()),
        kind: note.map(|note| note.kind),
        path: note.map(|note| note.path.to_string()),
        first: entry.at,
        times: 1,
        shown_in: BTreeSet::from([entry.kind]),
        relevance: None,
        cited: rule.and_then(|rule| rule.cited),
        helpful: judged.helpful,
        harmful: judged.harmful,
        ignored: judged.ignored,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture_vault::FixtureVault;

    const SESSION: &str = "0b9c1f0e-6f1d-4a6e-9b60-1b1e0d6e1a11";

    fn rule(number: usize, events: &str) -> (String, String) {
        let text = format!(
            "---\nid: b-mt2ssunl-{number:06}\nstate: active\ncategory: testing\ncreated: 2026-01-01\nfeedback:\n{events}---\n\nRun check {number} first.\n"
        );
        (format!("playbook/testing/{number}.md"), text)
    }

    fn filled() -> FixtureVault {
        let vault = FixtureVault::new();
        let event = |signal: &str, weight: f64| {
            format!("  - {{at: 2026-01-05, signal: {signal}, weight: {weight}, session: {SESSION}}}\n")
        };
        let memory = "---\nid: 1f0c2a00-0000-4000-8000-000000000001\ntype: fix\ntitle: Retry\n---\n\nText.\n";
        vault.put("graph/fixes/retry.md", memory);
        for (number, events) in
            [(1, event("helpful", 1.0)), (2, event("helpful", 0.3)), (3, event("ignored", 1.0))]
        {
            let (path, text) = rule(number, &events);
            vault.put(&path, &text);
        }
        let show = |day: &str, session: &str, kind, ids: &[&str], text: &str| {
            let entry = ReceiptEntry {
                ids: ids.iter().map(|id| (*id).to_owned()).collect(),
                ..ReceiptEntry::of_text(kind, text)
            };
            receipts::record(&vault.at_by(day, "codex", session), vec![entry]);
        };
        show(
            "2026-01-05",
            SESSION,
            ShownKind::Briefing,
            &["b-mt2ssunl-000001", "b-mt2ssunl-000003"],
            "eight ch",
        );
        show(
            "2026-01-06",
            SESSION,
            ShownKind::Notes,
            &["1f0c2a00-0000-4000-8000-000000000001", "gone"],
            "four",
        );
        show("2026-01-06", SESSION, ShownKind::Notes, &["b-mt2ssunl-000001"], "four");
        show("2026-01-04", "s-old", ShownKind::Core, &[], "four");
        vault
    }

    fn opened(context: &Context) -> SessionAccess {
        SessionAccess::open_without_refresh(context)
    }

    #[test]
    fn sessions_are_listed_with_what_they_were_shown_and_what_became_of_it() {
        let vault = filled();
        let context = vault.at("2026-01-07");
        let list = |limit, offset| {
            let options = Options { limit, offset, ..Options::default() };
            session_receipts(&context, &opened(&context), &options).unwrap()
        };
        let all = list(10, 0);
        let ids: Vec<&str> = all.sessions.iter().map(|row| row.id.as_str()).collect();
        assert_eq!((ids, all.total, all.next), (vec![SESSION, "s-old"], 2, None));
        let first = &all.sessions[0];
        assert_eq!((first.agent.as_str(), first.tokens, first.shown, first.notes), ("codex", 4, 3, 4));
        assert_eq!(first.rules, RuleCounts { cited: 1, helpful: 1, harmful: 0, ignored: 1 });
        assert_eq!((first.ended.unwrap().day().as_str(), first.prompts), ("2026-01-06", None));
        let page = list(1, 1);
        assert_eq!((page.sessions[0].id.as_str(), page.next), ("s-old", None));
        assert_eq!(list(1, 0).next, Some(1));
    }

    #[test]
    fn only_sessions_of_the_agent_and_the_days_are_listed() {
        let vault = filled();
        let context = vault.at("2026-01-07");
        let list = |agents: &str, days: f64| {
            let which = SessionSelection {
                agents: Some(agents.to_owned()),
                days: Some(days),
                ..SessionSelection::default()
            };
            let options = Options { which, limit: 10, offset: 0 };
            session_receipts(&context, &opened(&context), &options).unwrap().total
        };
        assert_eq!((list("codex", 0.0), list("codex", 2.0), list("pi", 0.0)), (2, 1, 0));
    }

    #[test]
    fn a_receipt_names_each_note_once_with_its_fate() {
        let vault = filled();
        let context = vault.at("2026-01-07");
        let found = session_receipt(&context, &opened(&context), &SESSION[..8]).unwrap();
        assert_eq!(found.session, None);
        assert_eq!(found.receipt.as_ref().unwrap().entries.len(), 3);
        let note = |id: &str| found.notes.iter().find(|note| note.id == id).unwrap();
        let rule = note("b-mt2ssunl-000001");
        assert_eq!((rule.times, rule.helpful, rule.title.as_deref()), (2, true, Some("Run check 1 first.")));
        assert_eq!(rule.shown_in, BTreeSet::from([ShownKind::Briefing, ShownKind::Notes]));
        assert!(note("b-mt2ssunl-000003").ignored);
        assert_eq!(note("1f0c2a00-0000-4000-8000-000000000001").title.as_deref(), Some("Retry"));
        assert_eq!((note("gone").title.as_deref(), note("gone").times), (None, 1));
        let error = session_receipt(&context, &opened(&context), "none").unwrap_err();
        assert_eq!(error.code, "not-found");
    }
}
