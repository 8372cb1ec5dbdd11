//! What agents' logs tell now: found in the person's home, read one log at a time, and how secrets are taken out of it.
//!
//! Nothing is kept: who wants sessions that were read before asks elsewhere.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::error::{Error, Result};
use super::memory::{Call, Memory};
use super::sessions::reads;
use super::sessions::sources::{Sources, path_of, rank};
use cm_agents::ingest::{self, Limits, Sink, Source};
use cm_note::instant::Instant;
use cm_secrets::{Rules, redact};
use cm_session::event::{Event, EventKind};
use cm_session::{Agent, Meta, SessionId};

pub use super::sessions::agents;

/// Which sessions.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Of these agents; all where there is none.
    pub agents: Vec<Agent>,
    /// Of this workspace: its folder, or the folder's name.
    pub workspace: Option<String>,
    /// Begun at this instant or later.
    pub since: Option<Instant>,
}

/// A session as its log tells it. Nothing of it is kept or shown before it is [`Told::redacted`].
#[derive(Debug)]
pub struct Told {
    /// What is known of it.
    pub meta: Meta,
    /// What happened, in the order of the log.
    pub events: Vec<Event>,
    /// The log.
    pub path: PathBuf,
}

/// What was read.
#[derive(Debug, Default)]
pub struct Read {
    /// How many logs.
    pub logs: usize,
    /// Lines for the person: what could not be read.
    pub notices: Vec<String>,
}

/// How far reading is: logs done, and logs in all.
pub type Progress<'a> = &'a dyn Fn(usize, usize);

/// The agents that a call names to be looked at. The one that asks, by the environment, is none of them.
///
/// # Errors
/// Those of [`agents`].
pub fn agents_of(call: &Call) -> Result<Vec<Agent>> {
    let typed = call.by.agent.as_ref().filter(|typed| call.variables.get("CM_AGENT") != Some(typed));
    typed.map_or_else(|| Ok(Vec::new()), |typed| agents(typed))
}

/// Reads all sessions that are wanted, and that the settings of the vault here let be read, and hands them on, one at a time.
///
/// # Errors
/// Where there is no home folder. A log that cannot be read is a notice.
pub fn each(
    call: &Call,
    wanted: &Wanted,
    progress: Progress<'_>,
    take: &mut dyn FnMut(Told),
) -> Result<Read> {
    let memory = Memory::open(call.clone()).ok();
    let sources = Sources::at(call, memory.as_ref())?;
    let mut found = sources.find(&wanted.agents);
    let mut read = Read { logs: found.sources.len(), ..Read::default() };
    read.notices.extend(found.refused.iter().map(ToString::to_string));
    let by_rank = |a: &Source, b: &Source| rank(a.format, &path_of(a)).cmp(&rank(b.format, &path_of(b)));
    found.sources.sort_by(by_rank);
    let mut known: HashSet<(Agent, SessionId)> = HashSet::new();
    let mut reads = Vec::new();
    for (done, source) in found.sources.iter().enumerate() {
        progress(done, read.logs);
        // What was last written to before then tells no session that began later.
        if wanted.since.zip(source.changed()).is_some_and(|(since, changed)| changed < since) {
            continue;
        }
        let mut held = Held::default();
        if let Err(error) = ingest::read(source, None, Limits::default(), &mut held) {
            read.notices.push(error.to_string());
            continue;
        }
        let mut heard = reads::Read::of_log(source.agent, path_of(source));
        for told in held.told(&source.path) {
            let key = (told.meta.agent, told.meta.id.clone());
            if wanted.is_met_by(&told.meta) && sources.allow(source, &told.meta) && known.insert(key) {
                heard.sessions.push(told.meta.id.clone());
                heard.bytes += told.bytes();
                take(told);
            }
        }
        reads.extend((!heard.sessions.is_empty()).then_some(heard));
    }
    progress(read.logs, read.logs);
    if let Some(memory) = memory {
        reads::record(&memory, reads);
        read.notices.extend(memory.take_notices());
    }
    Ok(read)
}

impl Wanted {
    fn is_met_by(&self, meta: &Meta) -> bool {
        let begun = self.since.is_none_or(|since| meta.started.is_some_and(|started| started >= since));
        let within = self.workspace.as_deref().is_none_or(|wanted| {
            let workspace = meta.workspace.as_deref().unwrap_or_default();
            workspace == wanted.trim_end_matches('/') || workspace.rsplit(['/', '\\']).next() == Some(wanted)
        });
        begun && within && !meta.ours && !meta.subagent
    }
}

/// What one log tells, session by session.
#[derive(Default)]
struct Held(BTreeMap<SessionId, HeldSession>);

#[derive(Default)]
struct HeldSession {
    /// By line and part.
    events: BTreeMap<(u64, u32), Event>,
    meta: Option<Meta>,
}

impl Held {
    fn told(self, path: &Path) -> impl Iterator<Item = Told> {
        let path = path.to_owned();
        self.0.into_values().filter_map(move |HeldSession { events, meta }| {
            Some(Told { meta: meta?, events: events.into_values().collect(), path: path.clone() })
        })
    }
}

impl Sink for Held {
    fn anew(&mut self, session: &SessionId) {
        self.0.remove(session);
    }

    fn event(&mut self, session: &SessionId, event: Event) {
        // The last word on an event counts.
        self.0.entry(session.clone()).or_default().events.insert((event.line, event.part), event);
    }

    fn meta(&mut self, meta: &Meta) {
        self.0.entry(meta.id.clone()).or_default().meta = Some(meta.clone());
    }
}

/// All sessions that a log tells, sub-agents too.
///
/// # Errors
/// Where it cannot be read.
pub(super) fn of_source(source: &Source) -> Result<Vec<Told>> {
    let mut held = Held::default();
    ingest::read(source, None, Limits::default(), &mut held).map_err(|error| unread(&error))?;
    Ok(held.told(&source.path).collect())
}

/// One log of Claude Code that was named; sub-agents and sessions of our own are told too.
///
/// # Errors
/// Where it cannot be read.
pub fn of_file(path: &Path) -> Result<Vec<Told>> {
    of_source(&Source::new(Agent::ClaudeCode, ingest::Format::ClaudeLines, path))
}

/// What a log that somebody named and that cannot be read comes to.
pub fn unread(error: &ingest::Error) -> Error {
    Error::usage(error.to_string())
}

impl Told {
    /// How many bytes of text it has.
    pub fn bytes(&self) -> u64 {
        let text = |event: &Event| match &event.kind {
            EventKind::ToolCall { input, .. } => input.to_string().len(),
            kind => kind.text().map_or(0, str::len),
        };
        self.events.iter().map(|event| text(event) as u64).sum()
    }

    /// The same without its secrets.
    pub fn redacted(mut self, rules: &Rules) -> Self {
        for said in
            [&mut self.meta.title, &mut self.meta.workspace, &mut self.meta.branch].into_iter().flatten()
        {
            *said = text(said, rules);
        }
        for event in &mut self.events {
            match &mut event.kind {
                EventKind::UserPrompt { text: said }
                | EventKind::Injected { text: said }
                | EventKind::AssistantText { text: said }
                | EventKind::Thinking { text: said }
                | EventKind::ToolResult { text: said, .. }
                | EventKind::ToolRejected { text: said, .. }
                | EventKind::Error { text: said }
                | EventKind::System { text: said } => *said = text(said, rules),
                EventKind::PersonCommand { command, output, .. } => {
                    *command = text(command, rules);
                    *output = output.as_deref().map(|output| text(output, rules));
                }
                EventKind::Compaction { summary, .. } => {
                    *summary = summary.as_deref().map(|summary| text(summary, rules));
                }
                EventKind::ToolCall { input, .. } => value(input, rules),
                EventKind::Interrupt | EventKind::ModelChange { .. } => {}
            }
        }
        self
    }
}

/// A text without its secrets.
pub fn text(text: &str, rules: &Rules) -> String {
    redact(text, rules).0.into_string()
}

/// Redacts every string of a JSON value, then what only the keys around a string give away.
pub fn value(given: &mut Value, rules: &Rules) {
    strings(given, rules);
    let (whole, removed) = redact(&given.to_string(), rules);
    if !removed.is_empty()
        && let Ok(redacted) = serde_json::from_str(whole.as_str())
    {
        *given = redacted;
    }
}

fn strings(value: &mut Value, rules: &Rules) {
    match value {
        Value::String(string) => *string = text(string, rules),
        Value::Array(items) => items.iter_mut().for_each(|item| strings(item, rules)),
        Value::Object(fields) => fields.values_mut().for_each(|field| strings(field, rules)),
        _ => {}
    }
}
