//! Reports how often notes were read and shown, with their feedback, and how many tokens agents were
//! shown. It reads the counters without changing them.

mod receipt;

use std::cmp::Reverse;
use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::context::open::Context;
use crate::context::open_vault::VaultLevel;
use crate::context::provider::spending;
use crate::context::receipts::{self, ReceiptEntry, ShownKind};
use crate::error::Result;
use crate::verbs::playbook::merged;
use cm_note::bullet::Bullet;
use cm_note::instant::Instant;
use cm_note::note::{Feedback, FeedbackSignal, Note, NoteKind};
use cm_store::vault::usage::{UsageCounts, UsageTable};

pub use receipt::{RuleReceipt, SessionReceipt};

/// Limit of the list.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Maximum number of notes and of sessions.
    pub limit: usize,
    /// Report only what this session was shown, given by its id or the beginning of it.
    pub session: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NoteUsage {
    /// Note id, or its path if it has none.
    pub id: String,
    /// Kind of the note, such as `memory` or `bullet`.
    pub kind: NoteKind,
    /// Type of the note, such as `fix`; null if it has none.
    #[serde(rename = "type")]
    pub note_type: Option<String>,
    /// Title of the note; for a bullet, the text of the rule.
    pub title: String,
    /// Path of the note's file, relative to the vault.
    pub path: String,
    /// Number of times that the note was requested.
    pub accesses: u64,
    /// Time of the last request.
    pub last_access: Option<Instant>,
    /// Number of times that the note was shown without being requested.
    pub retrievals: u64,
    /// Time when it was last shown.
    pub last_retrieval: Option<Instant>,
    /// Number of helpful events; only for bullets.
    pub helpful: Option<usize>,
    /// Number of harmful events; only for bullets.
    pub harmful: Option<usize>,
    /// Vault that contains the note: `project` or `global`.
    pub vault: VaultLevel,
}

impl NoteUsage {
    /// Returns whether this is a bullet that was shown but never rated helpful or harmful.
    pub fn unjudged(&self) -> bool {
        self.retrievals > 0 && self.helpful == Some(0) && self.harmful == Some(0)
    }

    fn uses(&self) -> u64 {
        self.accesses.saturating_add(self.retrievals)
    }
}

/// How often the notes of all open vaults were used, most used first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct UsageReport {
    /// Number of requests for any note.
    pub accesses: u64,
    /// Number of times that any note was shown without being requested.
    pub retrievals: u64,
    /// Number of bullets that were shown but never rated.
    pub unjudged: usize,
    /// Used notes, up to the limit.
    pub notes: Vec<NoteUsage>,
    /// Number of notes that were used at least once, including those beyond the limit.
    pub total: usize,
    /// What agents were shown, in tokens.
    pub tokens: TokenUsage,
    /// What one session was shown; null unless a session was named.
    pub receipt: Option<SessionReceipt>,
}

/// Estimated tokens that agents were shown, from the receipts on this machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct TokenUsage {
    /// All tokens that agents were shown.
    pub shown: usize,
    /// The same by kind, largest first.
    pub kinds: Vec<KindTokens>,
    /// The sessions that were shown something, the latest first, up to the limit.
    pub sessions: Vec<SessionTokens>,
    /// Number of such sessions, including those beyond the limit.
    pub session_count: usize,
    /// Number of tokens that language models read and wrote for cm.
    pub models: u64,
}

/// Tokens of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KindTokens {
    pub kind: ShownKind,
    /// Number of times.
    pub count: usize,
    /// Estimated tokens.
    pub tokens: usize,
}

/// Tokens of one session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionTokens {
    /// Session id; null for callers that state none.
    pub session: Option<String>,
    /// Name of the agent; empty if unknown.
    pub agent: String,
    /// Time at which it was last shown something.
    pub last: Instant,
    /// Estimated tokens.
    pub tokens: usize,
}

/// Reports the usage of the notes in all open vaults.
///
/// # Errors
/// Returns an error if the notes cannot be read, or if the named session was shown nothing.
pub fn usage(context: &Context, options: &Options) -> Result<UsageReport> {
    let entries = receipts::load(context);
    if let Some(session) = &options.session {
        let receipt = Some(receipt::receipt(context, entries, session)?);
        return Ok(UsageReport { receipt, ..UsageReport::default() });
    }
    let tables: Vec<(VaultLevel, UsageTable)> = context
        .vaults
        .iter()
        .map(|open| {
            let (table, notices) = open.usage().load();
            notices.into_iter().for_each(|notice| context.notice(notice));
            (open.level, table)
        })
        .collect();
    let playbook = merged(context)?;
    let bullets: HashMap<(VaultLevel, &str), &Bullet> = playbook
        .bullets
        .iter()
        .map(|vault_bullet| ((vault_bullet.level, vault_bullet.bullet.path.as_str()), &vault_bullet.bullet))
        .collect();
    let mut notes = Vec::new();
    for vault_notes in &context.notes()? {
        for note in vault_notes.notes() {
            let used = use_of(note, vault_notes.level, &tables);
            if used != UsageCounts::default() {
                let bullet = bullets.get(&(vault_notes.level, note.path.as_str())).copied();
                notes.push(used_note(note, vault_notes.level, used, bullet));
            }
        }
    }
    notes.sort_by(|a, b| (Reverse(a.uses()), &a.id).cmp(&(Reverse(b.uses()), &b.id)));
    let sum = |count: fn(&NoteUsage) -> u64| notes.iter().map(count).fold(0, u64::saturating_add);
    let (accesses, retrievals) = (sum(|note| note.accesses), sum(|note| note.retrievals));
    let unjudged = notes.iter().filter(|note| note.unjudged()).count();
    let total = notes.len();
    notes.truncate(options.limit);
    let tokens = TokenUsage { models: spending(context)?, ..token_usage(&entries, options.limit) };
    Ok(UsageReport { accesses, retrievals, unjudged, notes, total, tokens, receipt: None })
}

fn token_usage(entries: &[ReceiptEntry], limit: usize) -> TokenUsage {
    let mut sessions: Vec<SessionTokens> = Vec::new();
    for entry in entries {
        let own = |one: &&mut SessionTokens| one.session == entry.session && one.agent == entry.agent;
        match sessions.iter_mut().find(own) {
            Some(one) => {
                one.tokens += entry.tokens;
                one.last = one.last.max(entry.at);
            }
            None => sessions.push(SessionTokens {
                session: entry.session.clone(),
                agent: entry.agent.clone(),
                last: entry.at,
                tokens: entry.tokens,
            }),
        }
    }
    sessions.sort_by(|a, b| b.last.cmp(&a.last).then_with(|| a.session.cmp(&b.session)));
    let session_count = sessions.len();
    sessions.truncate(limit);
    let shown = entries.iter().map(|entry| entry.tokens).sum();
    TokenUsage { shown, kinds: by_kind(entries), sessions, session_count, models: 0 }
}

fn by_kind(entries: &[ReceiptEntry]) -> Vec<KindTokens> {
    let mut kinds: Vec<KindTokens> = Vec::new();
    for entry in entries {
        match kinds.iter_mut().find(|one| one.kind == entry.kind) {
            Some(one) => (one.count, one.tokens) = (one.count + 1, one.tokens + entry.tokens),
            None => kinds.push(KindTokens { kind: entry.kind, count: 1, tokens: entry.tokens }),
        }
    }
    kinds.sort_by_key(|one| (Reverse(one.tokens), one.kind));
    kinds
}

/// Sums the counters of all vaults for a note with an id; a note without one is counted only in its
/// own vault.
fn use_of(note: &Note, level: VaultLevel, tables: &[(VaultLevel, UsageTable)]) -> UsageCounts {
    let mut used = UsageCounts::default();
    for (_, table) in tables.iter().filter(|(of, _)| note.id.is_some() || *of == level) {
        used.add(table.get(note.key()).copied().unwrap_or_default());
    }
    used
}

fn used_note(note: &Note, level: VaultLevel, used: UsageCounts, bullet: Option<&Bullet>) -> NoteUsage {
    let events = |signal| bullet.map(|bullet| Feedback::count(&bullet.feedback, signal));
    NoteUsage {
        id: note.key().to_owned(),
        kind: note.kind,
        note_type: note.note_type.clone(),
        title: bullet.map_or(note.title.as_str(), Bullet::content).to_owned(),
        path: note.path.to_string(),
        accesses: used.accesses,
        last_access: used.last,
        retrievals: used.retrievals,
        last_retrieval: used.last_retrieval,
        helpful: events(FeedbackSignal::Helpful),
        harmful: events(FeedbackSignal::Harmful),
        vault: level,
    }
}
