//! Reads sessions directly from agents' logs in the home folder, one log at a time, and redacts
//! secrets. Nothing is cached.

use crate::context::open::Context;
use crate::context::progress::Progress;
use crate::context::request::Request;
use crate::error::{Error, Result};
use crate::sessions::access_log;
pub use crate::sessions::agents;
use crate::sessions::sources::{LogSources, path_of, preference_key};
use cm_agents::ingest;
use cm_agents::ingest::{EventSink, IngestLimits, LogSource};
use cm_note::instant::Instant;
use cm_note::user_text::UserText;
use cm_secrets::{RedactionRules, redact};
use cm_session::event::{EventKind, SessionEvent};
use cm_session::{Agent, SessionId, SessionMeta};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// Selects which session logs are read.
#[derive(Debug, Clone, Default)]
pub struct LogSelection {
    /// Only these agents; all agents if empty.
    pub agents: Vec<Agent>,
    /// Only sessions in this folder, given as its path or its last component.
    pub workspace: Option<String>,
    /// Only sessions that started at or after this instant.
    pub since: Option<Instant>,
}

/// A session parsed from its log. It must pass through [`ParsedSession::redacted`] before it is
/// stored or shown.
#[derive(Debug)]
pub struct ParsedSession {
    pub meta: SessionMeta,
    /// Events in log order.
    pub events: Vec<SessionEvent>,
    /// Path of the log.
    pub path: PathBuf,
}

#[derive(Debug, Default)]
pub struct LogReadSummary {
    /// Number of logs that were read.
    pub logs: usize,
    /// Notices about logs that could not be read.
    pub notices: Vec<UserText>,
}

/// Returns the agents that the caller named, for example with `--agent`. A name that only comes
/// from the variable `CM_AGENT` does not count.
///
/// # Errors
/// Returns an error if a name is not that of a supported agent.
pub fn agents_of(request: &Request) -> Result<Vec<Agent>> {
    let typed =
        request.caller.agent.as_ref().filter(|typed| request.variables.get("CM_AGENT") != Some(typed));
    typed.map_or_else(|| Ok(Vec::new()), |typed| agents(typed))
}

/// Reads all sessions that match the selection and that the settings permit, and passes them to
/// `take` one at a time.
///
/// # Errors
/// Returns an error without a home folder. An unreadable log only causes a notice.
pub fn each(
    request: &Request,
    wanted: &LogSelection,
    progress: &dyn Fn(Progress),
    take: &mut dyn FnMut(ParsedSession),
) -> Result<LogReadSummary> {
    let context = Context::open(request.clone()).ok();
    let sources = LogSources::at(request, context.as_ref())?;
    let mut found = sources.find(&wanted.agents);
    let mut read = LogReadSummary { logs: found.sources.len(), ..LogReadSummary::default() };
    read.notices.extend(found.errors.iter().map(|error| error.to_string().into()));
    let by_rank = |a: &LogSource, b: &LogSource| {
        preference_key(a.format, &path_of(a)).cmp(&preference_key(b.format, &path_of(b)))
    };
    found.sources.sort_by(by_rank);
    let mut read_sessions: HashSet<(Agent, SessionId)> = HashSet::new();
    let mut reads = Vec::new();
    for (done, source) in found.sources.iter().enumerate() {
        progress(Progress { done, total: read.logs });
        // What was last written to before then tells no session that began later.
        if wanted.since.zip(source.changed()).is_some_and(|(since, changed)| changed < since) {
            continue;
        }
        let mut log_sessions = LogSessions::default();
        if let Err(error) = ingest::read(source, None, IngestLimits::default(), &mut log_sessions) {
            read.notices.push(error.to_string().into());
            continue;
        }
        let mut session_read = access_log::SessionRead::of_log(source.agent, path_of(source));
        for session in log_sessions.into_sessions(&source.path) {
            let key = (session.meta.agent, session.meta.id.clone());
            if wanted.is_met_by(&session.meta)
                && sources.allow(source, &session.meta)
                && read_sessions.insert(key)
            {
                session_read.sessions.push(session.meta.id.clone());
                session_read.bytes += session.bytes();
                take(session);
            }
        }
        reads.extend((!session_read.sessions.is_empty()).then_some(session_read));
    }
    progress(Progress { done: read.logs, total: read.logs });
    if let Some(context) = context {
        access_log::record(&context, reads);
        read.notices.extend(context.take_notices());
    }
    Ok(read)
}

impl LogSelection {
    fn is_met_by(&self, meta: &SessionMeta) -> bool {
        let begun = self.since.is_none_or(|since| meta.started.is_some_and(|started| started >= since));
        let within = self.workspace.as_deref().is_none_or(|requested| {
            let workspace = meta.workspace.as_deref().unwrap_or_default();
            workspace == requested.trim_end_matches('/')
                || workspace.rsplit(['/', '\\']).next() == Some(requested)
        });
        begun && within && !meta.ours && !meta.subagent
    }
}

#[derive(Default)]
struct LogSessions(BTreeMap<SessionId, HeldSession>);

#[derive(Default)]
struct HeldSession {
    /// Events by log line and by position within the line; a repeated event replaces the earlier
    /// one.
    events: BTreeMap<(u64, u32), SessionEvent>,
    meta: Option<SessionMeta>,
}

impl LogSessions {
    fn into_sessions(self, path: &Path) -> impl Iterator<Item = ParsedSession> {
        let path = path.to_owned();
        self.0.into_values().filter_map(move |HeldSession { events, meta }| {
            Some(ParsedSession { meta: meta?, events: events.into_values().collect(), path: path.clone() })
        })
    }
}

impl EventSink for LogSessions {
    fn reset(&mut self, session: &SessionId) {
        self.0.remove(session);
    }

    fn event(&mut self, session: &SessionId, event: SessionEvent) {
        // The last word on an event counts.
        self.0.entry(session.clone()).or_default().events.insert((event.line, event.part), event);
    }

    fn meta(&mut self, meta: &SessionMeta) {
        self.0.entry(meta.id.clone()).or_default().meta = Some(meta.clone());
    }
}

/// Parses all sessions of a log, including those of subagents.
///
/// # Errors
/// Returns an error if the log cannot be read.
pub(crate) fn of_source(source: &LogSource) -> Result<Vec<ParsedSession>> {
    let mut log_sessions = LogSessions::default();
    ingest::read(source, None, IngestLimits::default(), &mut log_sessions).map_err(|error| unread(&error))?;
    Ok(log_sessions.into_sessions(&source.path).collect())
}

/// Parses the sessions in the last `most` bytes of a log; see [`ingest::read_recent`].
///
/// # Errors
/// Returns an error if the log cannot be read.
pub(crate) fn recent_of_source(source: &LogSource, most: u64) -> Result<Vec<ParsedSession>> {
    let mut log_sessions = LogSessions::default();
    ingest::read_recent(source, most, &mut log_sessions).map_err(|error| unread(&error))?;
    Ok(log_sessions.into_sessions(&source.path).collect())
}

/// Parses a Claude Code log at any path, including sessions of subagents and of cm itself.
///
/// # Errors
/// Returns an error if the log cannot be read.
pub fn of_file(path: &Path) -> Result<Vec<ParsedSession>> {
    of_source(&LogSource::new(Agent::ClaudeCode, ingest::LogFormat::ClaudeLines, path))
}

/// Converts the failure to read a log that the user named into a usage error.
pub fn unread(error: &ingest::IngestError) -> Error {
    Error::usage(error.to_string())
}

impl ParsedSession {
    /// Returns the total size of the texts of all events, in bytes.
    pub fn bytes(&self) -> u64 {
        let text = |event: &SessionEvent| match &event.kind {
            EventKind::ToolCall { input, .. } => input.to_string().len(),
            kind => kind.text().map_or(0, str::len),
        };
        self.events.iter().map(|event| text(event) as u64).sum()
    }

    /// Redacts secrets in all texts of the session.
    pub fn redacted(mut self, rules: &RedactionRules) -> Self {
        for field in
            [&mut self.meta.title, &mut self.meta.workspace, &mut self.meta.branch].into_iter().flatten()
        {
            *field = text(field, rules);
        }
        for event in &mut self.events {
            match &mut event.kind {
                EventKind::UserPrompt { text: words }
                | EventKind::Injected { text: words }
                | EventKind::AssistantText { text: words }
                | EventKind::Thinking { text: words }
                | EventKind::ToolResult { text: words, .. }
                | EventKind::ToolRejected { text: words, .. }
                | EventKind::Error { text: words }
                | EventKind::System { text: words } => *words = text(words, rules),
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

/// Returns the text with secrets redacted.
pub fn text(text: &str, rules: &RedactionRules) -> String {
    redact(text, rules).0.into_string()
}

/// Redacts secrets in every string of a JSON value, then in the serialized value, because some
/// secrets are only recognizable by the key before them.
pub fn value(given: &mut Value, rules: &RedactionRules) {
    strings(given, rules);
    let (whole, removed) = redact(&given.to_string(), rules);
    if !removed.is_empty()
        && let Ok(redacted) = serde_json::from_str(whole.as_str())
    {
        *given = redacted;
    }
}

fn strings(value: &mut Value, rules: &RedactionRules) {
    match value {
        Value::String(string) => *string = text(string, rules),
        Value::Array(items) => items.iter_mut().for_each(|item| strings(item, rules)),
        Value::Object(fields) => fields.values_mut().for_each(|field| strings(field, rules)),
        _ => {}
    }
}
