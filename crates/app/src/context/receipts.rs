//! Receipts: what each session of an agent was shown, and how long it was. They contain no text.
//!
//! They are private, because a folder that lies about them would hide or invent costs.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::actor::Actor;
use crate::context::open::Context;
use cm_agents::hook::injection::{PartKind, ShownPart};
use cm_agents::hook::memory_text::note_references;
use cm_note::bullet::Bullet;
use cm_note::instant::Instant;
use cm_playbook::generated::tokens;
use cm_store::vault::json_lines::JsonLinesFile;
use cm_text::named_enum;

named_enum! {
    /// Kind of text that an agent was shown.
    pub enum ShownKind {
        /// CORE.md at the start of a session.
        Core = "core",
        /// The briefing at the start of a session.
        Briefing = "briefing",
        /// Notes that match a prompt or a failed command.
        Notes = "notes",
        /// Unfinished work of another session.
        Handoff = "handoff",
        /// A request to record something.
        Request = "request",
        /// The answer of an MCP tool.
        Tool = "tool",
        /// The output of a command that the agent ran.
        Command = "command",
    }
}

/// A line of the receipts: something that an agent was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptEntry {
    /// Time at which it was shown.
    pub at: Instant,
    /// Session id; null if the caller does not state it, as with most MCP tools.
    pub session: Option<String>,
    /// Name of the agent; empty if unknown.
    pub agent: String,
    pub kind: ShownKind,
    /// Tool or command; null for hooks.
    #[serde(default)]
    pub name: Option<String>,
    /// Estimated length in tokens.
    pub tokens: usize,
    /// Ids of the shown notes; for tools and commands, those of a briefing or a search.
    #[serde(default)]
    pub ids: Vec<String>,
    /// Relevance of the notes to the prompt or command, 0–1, by id; only of notes that a hook
    /// selected by it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub relevance: BTreeMap<String, f64>,
}

impl ReceiptEntry {
    fn new(kind: ShownKind, characters: usize) -> Self {
        Self {
            at: Instant::from_unix(0),
            session: None,
            agent: String::new(),
            kind,
            name: None,
            tokens: tokens(characters),
            ids: Vec::new(),
            relevance: BTreeMap::new(),
        }
    }

    /// Creates the entry of a text without notes.
    pub(crate) fn of_text(kind: ShownKind, text: &str) -> Self {
        Self::new(kind, text.chars().count())
    }
}

/// Creates the entry of a part of a hook's reply.
pub(crate) fn of_part(part: &ShownPart) -> ReceiptEntry {
    let kind = match part.kind {
        PartKind::Notes => ShownKind::Notes,
        PartKind::Core => ShownKind::Core,
        PartKind::Briefing => ShownKind::Briefing,
        PartKind::Handoff => ShownKind::Handoff,
        PartKind::Request => ShownKind::Request,
    };
    let rounded = |relevance: f64| (relevance * 100.0).round() / 100.0;
    let relevance = part.relevance.iter().map(|(id, relevance)| (id.clone(), rounded(*relevance)));
    ReceiptEntry {
        ids: part.ids.clone(),
        relevance: relevance.collect(),
        ..ReceiptEntry::new(kind, part.length)
    }
}

/// Records the answer of an MCP tool, with its length in characters. Callers of a server for others
/// get no receipt.
pub fn record_tool(context: &Context, tool: &str, session: Option<String>, characters: usize) {
    if context.request.caller.has_token {
        return;
    }
    let session = session.or_else(|| context.request.caller.session.clone());
    let entry = ReceiptEntry { ids: context.take_shown(), ..ReceiptEntry::new(ShownKind::Tool, characters) };
    record(context, vec![ReceiptEntry { session, name: Some(tool.to_owned()), ..entry }]);
}

/// Records the output of a command if an agent ran it.
pub fn record_command(context: &Context, text: &str) {
    if context.request.caller.kind == Actor::Agent {
        let entry = ReceiptEntry::of_text(ShownKind::Command, text);
        let (name, ids) = (Some(context.request.verb.clone()), context.take_shown());
        record(context, vec![ReceiptEntry { name, ids, ..entry }]);
    }
}

/// Appends entries with the time, session and agent of the request. A receipt that cannot be written
/// stops nothing.
pub(crate) fn record(context: &Context, entries: Vec<ReceiptEntry>) {
    let caller = &context.request.caller;
    let complete = |entry: ReceiptEntry| ReceiptEntry {
        at: context.now(),
        session: entry.session.clone().or_else(|| caller.session.clone()),
        agent: caller.agent_name().unwrap_or_default(),
        ..entry
    };
    let entries: Vec<ReceiptEntry> = entries.into_iter().map(complete).collect();
    if let Ok(file) = JsonLinesFile::of_receipts(&context.target().vault) {
        drop(file.append(&entries));
    }
}

/// Longest time, in seconds, between a prompt and the notes that a hook adds to it.
const REPLY_SECONDS: i64 = 10;

/// When each rule was shown to one session.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShownRules {
    /// By rule id: kind and time of each showing.
    showings: HashMap<String, Vec<(ShownKind, Instant)>>,
}

impl ShownRules {
    /// Reads the receipts of a session, given by its full id. Generated files name a rule by path
    /// or by a short id, so the rules are needed to recognize them.
    pub fn of_session(context: &Context, session: &str, rules: &[&Bullet]) -> Self {
        let mut entries = load(context);
        entries.retain(|entry| entry.session.as_deref() == Some(session));
        Self::of_entries(&entries, rules)
    }

    /// Like [`Self::of_session`], from the entries of one session.
    pub fn of_entries(entries: &[ReceiptEntry], rules: &[&Bullet]) -> Self {
        let mut ids: HashMap<String, &str> = HashMap::new();
        for rule in rules {
            let id = rule.id.as_str();
            let references = note_references(id, &rule.path).into_iter().chain([id.to_owned()]);
            ids.extend(references.map(|reference| (reference, id)));
        }
        let mut shown = Self::default();
        for entry in entries {
            for id in entry.ids.iter().filter_map(|id| ids.get(id)) {
                shown.showings.entry((*id).to_owned()).or_default().push((entry.kind, entry.at));
            }
        }
        shown
    }

    /// Number of times that a rule was shown.
    pub fn count(&self, rule: &str) -> usize {
        self.showings.get(rule).map_or(0, Vec::len)
    }

    /// Time at which a rule was first shown.
    pub fn first(&self, rule: &str) -> Option<Instant> {
        self.showings.get(rule)?.iter().map(|(_, at)| *at).min()
    }

    /// Whether a rule was shown before a prompt of this time. Notes that a hook added to that very
    /// prompt do not count.
    pub fn before(&self, rule: &str, prompt: Instant) -> bool {
        let earlier = |(kind, at): &(ShownKind, Instant)| {
            let seconds = prompt.unix() - at.unix();
            seconds > if *kind == ShownKind::Notes { REPLY_SECONDS } else { 0 }
        };
        self.showings.get(rule).is_some_and(|showings| showings.iter().any(earlier))
    }
}

/// Returns all entries, oldest first; damaged lines are left out.
pub(crate) fn load(context: &Context) -> Vec<ReceiptEntry> {
    let file = JsonLinesFile::of_receipts(&context.target().vault);
    file.and_then(|file| file.read::<ReceiptEntry>()).map(|(entries, _)| entries).unwrap_or_default()
}
