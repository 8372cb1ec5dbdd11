//! Uploaded sessions: one file per session, in cm's own format.
//!
//! The files are written elsewhere and contain no secrets. If a local log contains the same
//! session, it takes precedence.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::emitter::Emitter;
use super::line_reader::LineFormat;
use super::locations;
use super::sink::SkipReason;
use super::source::{FoundLogs, LogFormat};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::{EventKind, ToolOutcome};
use cm_text::named_enum;

/// Maximum length of a header line in bytes; a request with one is not longer.
const MAX_HEADER_BYTES: u64 = 8 << 20;

/// A line of an uploaded log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum UploadLine {
    /// Start of an upload; messages follow.
    Sent(UploadHeader),
    Message(UploadMessage),
}

/// Sender of an upload, and its session metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadHeader {
    /// Time of the upload, by the vault's clock.
    pub at: Option<Instant>,
    /// Person, if identified by a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether a person uploaded the messages, rather than an agent in their name.
    #[serde(default)]
    pub person: bool,
    /// Working directory of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// A message of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadMessage {
    /// Key that identifies the message when it is uploaded again.
    pub key: String,
    pub role: MessageRole,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Instant>,
    pub text: String,
}

named_enum! {
    /// Speaker of a message.
    pub enum MessageRole {
        /// The person who uses the agent.
        User = "user",
        /// The agent, that is, its model.
        Assistant = "assistant",
        /// A tool that the agent called.
        Tool = "tool",
        /// A program that addresses the agent.
        System = "system",
    }
}

/// Returns whether a person sent every upload in a log.
pub fn is_by_person(log: &str) -> bool {
    let mut sent = log.lines().filter_map(|line| match serde_json::from_str(line) {
        Ok(UploadLine::Sent(sent)) => Some(sent.person),
        _ => None,
    });
    sent.next() == Some(true) && sent.all(|person| person)
}

/// Returns whether the sender of every upload in a log is known: the holder of a token, or a
/// person.
pub fn is_signed(log: &str) -> bool {
    let mut sent = log.lines().filter_map(|line| match serde_json::from_str(line) {
        Ok(UploadLine::Sent(sent)) => Some(sent.person || sent.by.is_some()),
        _ => None,
    });
    sent.next() == Some(true) && sent.all(|signed| signed)
}

/// Returns the header of the first upload in a log; `None` if it has none.
pub fn first_header(log: &str) -> Option<UploadHeader> {
    log.lines().find_map(parse_header)
}

/// Returns the header in the first line of a log file; `None` if the file cannot be read or begins with
/// something else.
pub fn header_of_file(path: &Path) -> Option<UploadHeader> {
    let mut line = String::new();
    let file = File::open(path).ok()?;
    BufReader::new(file).take(MAX_HEADER_BYTES).read_line(&mut line).ok()?;
    parse_header(&line)
}

fn parse_header(line: &str) -> Option<UploadHeader> {
    match serde_json::from_str(line) {
        Ok(UploadLine::Sent(header)) => Some(header),
        _ => None,
    }
}

/// Returns the path of a session's log, relative to the folder of uploads. The id must be validated
/// already.
pub fn path(agent: Agent, id: &str) -> PathBuf {
    Path::new(agent.name()).join(format!("{id}.jsonl"))
}

/// Returns the uploaded logs of these agents, ordered by agent and path.
pub fn find(agents: &[Agent], folder: &Path) -> FoundLogs {
    let mut found = FoundLogs::default();
    for agent in agents {
        for path in found.list(&folder.join(agent.name())) {
            if path.extension().is_some_and(|ending| ending == "jsonl") {
                found.add(*agent, LogFormat::SentLines, path);
            }
        }
    }
    found
}

/// Parser state between lines.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct UploadParser {
    /// Time of the current upload, used for messages without a time.
    sent: Option<Instant>,
}

impl LineFormat for UploadParser {
    fn begin(source: &super::LogSource, out: &mut Emitter<'_>) {
        out.begin_with_id(source, locations::stem(&source.path));
    }

    fn line(&mut self, line: &[u8], out: &mut Emitter<'_>) -> serde_json::Result<()> {
        match serde_json::from_slice(line)? {
            UploadLine::Sent(UploadHeader { at, workspace, title, .. }) => {
                self.sent = at;
                out.workspace(workspace.as_deref().unwrap_or_default());
                out.title(title.as_deref().unwrap_or_default());
                out.skip("sent", SkipReason::Metadata);
            }
            UploadLine::Message(UploadMessage { role, at, text, .. }) => {
                emit_message(role, at.or(self.sent), text, out)
            }
        }
        Ok(())
    }
}

fn emit_message(role: MessageRole, at: Option<Instant>, text: String, out: &mut Emitter<'_>) {
    match role {
        MessageRole::User => out.emit_prompt(at, None, &text),
        MessageRole::Assistant => out.emit(at, None, false, EventKind::AssistantText { text }),
        MessageRole::System => out.emit(at, None, false, EventKind::Injected { text }),
        MessageRole::Tool => {
            let outcome = ToolOutcome::of_exit(None);
            let kind = EventKind::ToolResult { id: None, outcome, exit_code: None, text };
            out.emit(at, None, false, kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{EventSink, IngestLimits, LogSource, read_bytes};
    use cm_session::event::SessionEvent;
    use cm_session::{SessionId, SessionMeta};

    #[derive(Default)]
    struct EventRecorder(Vec<String>, Option<SessionMeta>);

    impl EventSink for EventRecorder {
        fn reset(&mut self, _: &SessionId) {}

        fn event(&mut self, _: &SessionId, event: SessionEvent) {
            self.0.push(format!("{}: {}", event.kind.name(), event.kind.text().unwrap_or_default()));
        }

        fn meta(&mut self, meta: &SessionMeta) {
            self.1 = Some(meta.clone());
        }
    }

    #[test]
    fn sent_messages_are_emitted_and_invalid_lines_are_counted() {
        let message = |role, text: &str| {
            UploadLine::Message(UploadMessage { key: text.to_owned(), role, at: None, text: text.to_owned() })
        };
        let sent_at = Some(Instant::from_unix(1_000));
        let sent =
            UploadHeader { at: sent_at, workspace: Some("/home/dev/demo".into()), ..UploadHeader::default() };
        let lines = [
            UploadLine::Sent(sent),
            message(MessageRole::User, "Fix the flaky test."),
            message(MessageRole::Assistant, "I look."),
            message(MessageRole::Tool, "ok"),
        ];
        let mut text: String = lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
        text.push_str("{\"line\": \"other\"}\nnonsense\n");
        let mut recorder = EventRecorder::default();
        let source = LogSource::new(Agent::Codex, LogFormat::SentLines, "/v/_state/sessions/codex/s-1.jsonl");
        read_bytes(&source, text.as_bytes(), IngestLimits::default(), &mut recorder);
        assert_eq!(recorder.0.len(), 3, "{:?}", recorder.0);
        assert!(recorder.0[0].ends_with("Fix the flaky test."));
        let meta = recorder.1.unwrap();
        assert_eq!((meta.id.as_str(), meta.agent), ("s-1", Agent::Codex));
        assert_eq!(meta.workspace.as_deref(), Some("/home/dev/demo"));
        assert_eq!((meta.started, meta.ended), (sent_at, sent_at), "of what has no time, when it was sent");
    }
}
