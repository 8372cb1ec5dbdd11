//! Turns an agent's session log into uploads: new messages without secrets, then the feedback that
//! the session gives on rules.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::context::paths::resolve_with_home;
use crate::context::request::Request;
use crate::error::Result;
use crate::sessions::logs::{self, ParsedSession};
use crate::sessions::sources::LogSources;
use crate::verbs::server_client::connection::{ServerConnection, holds};
use crate::verbs::server_client::outbox::{OutboxItem, UploadEndpoint};
use cm_agents::hook::injection_log::file_name;
use cm_agents::ingest::LogSource;
use cm_agents::ingest::uploaded::MessageRole;
use cm_learn::outcome::feedback::marked_notes;
use cm_learn::outcome::steps::steps;
use cm_note::instant::Instant;
use cm_secrets::RedactionRules;
use cm_session::event::{EventKind, SessionEvent};
use cm_session::{Agent, SessionMeta};
use cm_store::config::{Settings, keys};
use cm_text::shorten::shorten;

/// Maximum number of messages of one upload.
const MAX_MESSAGES: usize = 500;
/// Maximum length of the texts of one upload in bytes, far below the server's limit for a body.
const MAX_UPLOAD_BYTES: usize = 1 << 20;
/// Maximum length of a message of a person or an agent, in characters.
const MAX_MESSAGE_CHARS: usize = 100_000;
/// Maximum length of a tool's call or output, in characters.
const MAX_TOOL_TEXT_CHARS: usize = 4_000;

/// A session whose log is to be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionReference {
    /// Agent that wrote the log.
    pub agent: Agent,
    pub session: String,
    /// Path of the log, if the agent's message names it.
    pub transcript: Option<PathBuf>,
}

/// The part of a session that is already in the outbox or delivered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadProgress {
    /// Line and part of the last uploaded event.
    after: Option<(u64, u32)>,
    /// Feedback as rule and signal.
    feedback: BTreeSet<(String, String)>,
}

/// An upload, and the progress of its session once it is in the outbox.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedUpload {
    pub item: OutboxItem,
    pub progress: UploadProgress,
}

impl UploadProgress {
    /// Reads the progress of a session; empty if there is none.
    #[must_use]
    pub fn of(connection: &ServerConnection, session: &str) -> Self {
        connection.private.read_json(&file(connection, session)).ok().flatten().unwrap_or_default()
    }

    /// Stores the progress of a session.
    ///
    /// # Errors
    /// A private file that cannot be written.
    pub fn store(&self, connection: &ServerConnection, session: &str) -> Result<()> {
        Ok(connection.private.write_json(&file(connection, session), self)?)
    }
}

/// Folder of the private files with the progress of sessions.
#[must_use]
pub fn folder(connection: &ServerConnection) -> PathBuf {
    connection.private.state().join("sessions")
}

fn file(connection: &ServerConnection, session: &str) -> PathBuf {
    folder(connection).join(file_name(session))
}

/// The part of a session's log that may be sent.
pub enum SessionLog {
    /// The session, redacted.
    Sendable(Box<ParsedSession>),
    /// It must not leave this machine.
    Withheld,
    /// It is not found now, or not of the connection's project.
    Unavailable,
}

/// Reads a session's log.
///
/// # Errors
/// A log that cannot be read.
pub fn read(
    request: &Request,
    connection: &ServerConnection,
    settings: &Settings,
    rules: &RedactionRules,
    wanted: &SessionReference,
) -> Result<SessionLog> {
    for source in sources(request, wanted)? {
        let is_wanted = |found: &ParsedSession| found.meta.id.as_str() == wanted.session;
        let found = logs::of_source(&source)?.into_iter().find(is_wanted);
        if let Some(found) = found {
            return Ok(if !is_of_project(connection, &found.meta) {
                SessionLog::Unavailable
            } else if may_leave(request, settings, &found.meta) {
                SessionLog::Sendable(Box::new(found.redacted(rules)))
            } else {
                SessionLog::Withheld
            });
        }
    }
    Ok(SessionLog::Unavailable)
}

/// The logs that may contain a session.
fn sources(request: &Request, wanted: &SessionReference) -> Result<Vec<LogSource>> {
    let path = wanted.transcript.as_deref();
    if let Some(source) = path.and_then(|path| LogSource::of_file(wanted.agent, path)) {
        return Ok(vec![source]);
    }
    let mut found = LogSources::at(request, None)?.find(&[wanted.agent]).sources;
    // A file that is named after the session comes before databases, which hold many.
    found.sort_by_key(|source| !source.path.to_string_lossy().contains(&wanted.session));
    Ok(found)
}

/// Whether a session is one of the connection's project.
fn is_of_project(connection: &ServerConnection, meta: &SessionMeta) -> bool {
    let workspace = meta.workspace.as_deref().map(Path::new);
    connection.folder.as_deref().is_none_or(|folder| workspace.is_some_and(|inner| holds(folder, inner)))
}

/// Whether the user's settings permit to send a session, and it is not one of `cm` itself or of a
/// sub-agent.
fn may_leave(request: &Request, settings: &Settings, meta: &SessionMeta) -> bool {
    !meta.ours
        && !meta.subagent
        && permits(request, settings, meta.agent, meta.workspace.as_deref().map(Path::new))
}

/// Whether the user's `sessions.agents` and `sessions.workspaces` permit that text of this agent in this
/// folder is sent.
#[must_use]
pub fn permits(request: &Request, settings: &Settings, agent: Agent, workspace: Option<&Path>) -> bool {
    let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
    let folders = settings.texts(keys::SESSIONS_WORKSPACES);
    let workspace = workspace.map(|inner| real(inner.to_owned()));
    let is_in = |typed: &String| {
        let folder = real(PathBuf::from(resolve_with_home(request.home.as_deref(), &request.cwd, typed)));
        workspace.as_ref().is_some_and(|inner| inner.starts_with(folder))
    };
    is_permitted_agent(settings, agent) && (folders.is_empty() || folders.iter().any(is_in))
}

/// Whether the user's `sessions.agents` permits that sessions of this agent are sent.
#[must_use]
pub fn is_permitted_agent(settings: &Settings, agent: Agent) -> bool {
    let agents = settings.texts(keys::SESSIONS_AGENTS);
    agents.is_empty() || agents.iter().any(|name| name == agent.name())
}

/// Plans the uploads of what is new in a session, in order.
#[must_use]
pub fn plan(found: &ParsedSession, progress: &UploadProgress, now: Instant) -> Vec<PlannedUpload> {
    let mut progress = progress.clone();
    let mut planned = Vec::new();
    let session = found.meta.id.as_str();
    // A log that ends before what was sent was written anew: all of it is sent, and the server knows
    // again what it has.
    let last = found.events.iter().map(place).max();
    progress.after = progress.after.filter(|after| last.is_some_and(|last| last >= *after));
    let new = found.events.iter().filter(|event| progress.after.is_none_or(|after| place(event) > after));
    let messages: Vec<((u64, u32), Value)> =
        new.filter_map(|event| Some((place(event), message(event)?))).collect();
    for chunk in chunks(messages) {
        let Some((last, _)) = chunk.last() else { continue };
        progress.after = Some(*last);
        let mut body = json!({ "session": session, "agent": found.meta.agent.name() });
        for (key, value) in [("workspace", &found.meta.workspace), ("title", &found.meta.title)] {
            if let Some(value) = value {
                body[key] = Value::from(value.as_str());
            }
        }
        body["messages"] = chunk.into_iter().map(|(_, message)| message).collect();
        planned.push(PlannedUpload {
            item: OutboxItem::new(UploadEndpoint::Sessions, (found.meta.agent, session), now, body),
            progress: progress.clone(),
        });
    }
    for mark in marked_notes(&found.events, &steps(&found.events)) {
        if progress.feedback.insert((mark.id.clone(), mark.signal.name().to_owned())) {
            let mut body = json!({
                "id": mark.id, "signal": mark.signal.name(), "weight": mark.weight, "session": session,
            });
            if let Some(reason) = mark.reason.filter(|reason| !reason.trim().is_empty()) {
                body["reason"] = Value::from(reason);
            }
            planned.push(PlannedUpload {
                item: OutboxItem::new(UploadEndpoint::Feedback, (found.meta.agent, session), now, body),
                progress: progress.clone(),
            });
        }
    }
    planned
}

fn place(event: &SessionEvent) -> (u64, u32) {
    (event.line, event.part)
}

/// Converts an event to a message; `None` for events that are not part of the conversation.
fn message(event: &SessionEvent) -> Option<Value> {
    let (role, text, most) = match &event.kind {
        _ if event.side => return None,
        EventKind::UserPrompt { text } => (MessageRole::User, text.clone(), MAX_MESSAGE_CHARS),
        EventKind::AssistantText { text } => (MessageRole::Assistant, text.clone(), MAX_MESSAGE_CHARS),
        EventKind::ToolCall { name, input, .. } => {
            let command = input.get("command").and_then(Value::as_str);
            (
                MessageRole::Tool,
                format!("{name}: {}", command.map_or_else(|| input.to_string(), str::to_owned)),
                MAX_TOOL_TEXT_CHARS,
            )
        }
        EventKind::ToolResult { text, .. } | EventKind::ToolRejected { text, .. } => {
            (MessageRole::Tool, text.clone(), MAX_TOOL_TEXT_CHARS)
        }
        _ => return None,
    };
    if text.trim().is_empty() {
        return None;
    }
    let text = shorten(&text, most);
    let hash = blake3::hash(text.as_bytes()).to_hex();
    let id = format!("{}.{}-{}", event.line, event.part, &hash[..8]);
    let mut message = json!({ "role": role.name(), "content": text, "id": id });
    if let Some(at) = event.at {
        message["at"] = Value::from(at.to_string());
    }
    Some(message)
}

/// Splits messages so that each group fits into one upload.
fn chunks<T>(messages: Vec<(T, Value)>) -> Vec<Vec<(T, Value)>> {
    let mut chunks: Vec<Vec<(T, Value)>> = Vec::new();
    let mut size = 0;
    for message in messages {
        let length = message.1.to_string().len();
        let is_full =
            chunks.last().is_none_or(|chunk| chunk.len() == MAX_MESSAGES || size + length > MAX_UPLOAD_BYTES);
        if is_full {
            chunks.push(Vec::new());
            size = 0;
        }
        size += length;
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(message);
        }
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(line: u64, kind: EventKind) -> SessionEvent {
        SessionEvent { at: None, line, part: 0, record: None, side: false, kind }
    }

    fn session(events: Vec<SessionEvent>) -> ParsedSession {
        let mut meta = SessionMeta::new(Agent::ClaudeCode, "s-1".into());
        meta.workspace = Some("/home/ada/shop".to_owned());
        ParsedSession { meta, events, path: PathBuf::new() }
    }

    fn typed(line: u64, text: &str) -> SessionEvent {
        event(line, EventKind::UserPrompt { text: text.to_owned() })
    }

    fn answered(line: u64, text: &str) -> SessionEvent {
        event(line, EventKind::AssistantText { text: text.to_owned() })
    }

    /// Contents of the planned messages, by upload.
    fn contents(planned: &[PlannedUpload]) -> Vec<Vec<String>> {
        let messages = |upload: &PlannedUpload| upload.item.body["messages"].as_array().cloned();
        let text = |message: Value| message["content"].as_str().unwrap_or_default().to_owned();
        planned.iter().filter_map(messages).map(|list| list.into_iter().map(text).collect()).collect()
    }

    #[test]
    fn what_was_queued_is_not_planned_again_and_a_log_written_anew_is() {
        let now = Instant::from_unix(0);
        let found = session(vec![typed(1, "one"), answered(2, "two\n\n[cm: helpful b-mt2ssunl-jq6d8j]")]);
        let planned = plan(&found, &UploadProgress::default(), now);
        assert_eq!((planned.len(), contents(&planned)[0].len()), (2, 2));
        assert_eq!(planned[1].item.body["signal"], "helpful");
        let progress = planned[1].progress.clone();
        assert!(plan(&found, &progress, now).is_empty());
        let longer = session([found.events, vec![typed(3, "three")]].concat());
        assert_eq!(contents(&plan(&longer, &progress, now)), [["three"]]);
        let anew = session(vec![typed(1, "another")]);
        assert_eq!(contents(&plan(&anew, &progress, now)), [["another"]]);
    }

    #[test]
    fn a_memory_is_marked_like_a_rule() {
        let marked = answered(1, "It helped. [cm: helpful a455db2e]");
        let planned = plan(&session(vec![marked]), &UploadProgress::default(), Instant::from_unix(0));
        assert_eq!(planned[1].item.body["id"], "a455db2e");
    }

    #[test]
    fn a_long_session_is_several_uploads_of_which_each_can_be_the_last_one() {
        let events: Vec<SessionEvent> = (1..=1_200).map(|line| typed(line, "word")).collect();
        let planned = plan(&session(events.clone()), &UploadProgress::default(), Instant::from_unix(0));
        let sizes: Vec<usize> = contents(&planned).iter().map(Vec::len).collect();
        assert_eq!(sizes, [500, 500, 200]);
        let rest = plan(&session(events), &planned[0].progress, Instant::from_unix(0));
        assert_eq!(rest, planned[1..]);
        let long = "x".repeat(90_000);
        let events = (1..=30).map(|line| answered(line, &long)).collect();
        let planned = plan(&session(events), &UploadProgress::default(), Instant::from_unix(0));
        assert_eq!(planned.len(), 3);
        assert!(planned.iter().all(|upload| upload.item.body.to_string().len() < 2 << 20));
    }

    #[test]
    fn calls_and_outputs_of_tools_are_shortened_and_what_nobody_wrote_is_left_out() {
        let input = json!({ "command": "cargo test" });
        let mut side = typed(4, "for the subagent");
        side.side = true;
        let found = session(vec![
            event(1, EventKind::ToolCall { id: None, name: "Bash".to_owned(), input }),
            event(2, EventKind::Injected { text: "injected".to_owned() }),
            event(3, EventKind::Thinking { text: "hm".to_owned() }),
            side,
            typed(5, " "),
            event(6, EventKind::ToolRejected { id: None, text: "é".repeat(9_000) }),
        ]);
        let planned = plan(&found, &UploadProgress::default(), Instant::from_unix(0));
        let sent = &contents(&planned)[0];
        assert_eq!(
            (sent.len(), sent[0].as_str(), sent[1].chars().count()),
            (2, "Bash: cargo test", MAX_TOOL_TEXT_CHARS)
        );
    }
}
