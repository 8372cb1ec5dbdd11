//! Receipts: what each session of an agent was shown, and how long it was. They contain no text.
//!
//! They are private, because a folder that lies about them would hide or invent costs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::context::actor::Actor;
use crate::context::open::Context;
use cm_agents::hook::injection::{PartKind, ShownPart};
use cm_note::instant::Instant;
use cm_playbook::generated::tokens;
use cm_store::vault::json_lines::JsonLinesFile;

/// What an agent was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShownKind {
    /// CORE.md at the start of a session.
    Core,
    /// The briefing at the start of a session.
    Briefing,
    /// Notes that match a prompt or a failed command.
    Notes,
    /// Unfinished work of another session.
    Handoff,
    /// A request to record something.
    Request,
    /// The answer of an MCP tool.
    Tool,
    /// The output of a command that the agent ran.
    Command,
}

impl ShownKind {
    /// Name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Briefing => "briefing",
            Self::Notes => "notes",
            Self::Handoff => "handoff",
            Self::Request => "request",
            Self::Tool => "tool",
            Self::Command => "command",
        }
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
    /// Ids of the shown notes; empty for tools and commands.
    #[serde(default)]
    pub ids: Vec<String>,
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
    ReceiptEntry { ids: part.ids.clone(), ..ReceiptEntry::new(kind, part.length) }
}

/// Records the answer of an MCP tool, with its length in characters. Callers of a server for others
/// get no receipt.
pub fn record_tool(memory: &Context, tool: &str, session: Option<String>, characters: usize) {
    if memory.call.by.has_token {
        return;
    }
    let session = session.or_else(|| memory.call.by.session.clone());
    let entry = ReceiptEntry::new(ShownKind::Tool, characters);
    record(memory, vec![ReceiptEntry { session, name: Some(tool.to_owned()), ..entry }]);
}

/// Records the output of a command if an agent ran it.
pub fn record_command(memory: &Context, text: &str) {
    if memory.call.by.kind == Actor::Agent {
        let entry = ReceiptEntry::of_text(ShownKind::Command, text);
        record(memory, vec![ReceiptEntry { name: Some(memory.call.verb.clone()), ..entry }]);
    }
}

/// Appends entries with the time, session and agent of the call. A receipt that cannot be written
/// stops nothing.
pub(crate) fn record(memory: &Context, entries: Vec<ReceiptEntry>) {
    let by = &memory.call.by;
    let complete = |entry: ReceiptEntry| ReceiptEntry {
        at: memory.now(),
        session: entry.session.clone().or_else(|| by.session.clone()),
        agent: by.agent_name().unwrap_or_default(),
        ..entry
    };
    let entries: Vec<ReceiptEntry> = entries.into_iter().map(complete).collect();
    if let Ok(file) = JsonLinesFile::of_receipts(&memory.target().vault) {
        drop(file.append(&entries));
    }
}

/// Returns all entries, oldest first; damaged lines are left out.
pub(crate) fn load(memory: &Context) -> Vec<ReceiptEntry> {
    let file = JsonLinesFile::of_receipts(&memory.target().vault);
    file.and_then(|file| file.read::<ReceiptEntry>()).map(|(entries, _)| entries).unwrap_or_default()
}
