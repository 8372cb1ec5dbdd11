//! Sessions that agents elsewhere sent to a vault: a file a session, of all logs the only ones in a form of our own.
//!
//! Nothing here writes them, and there are no secrets in them any more. Where an agent's own log tells a session too, that one
//! counts.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lines::{self, Lines};
use super::out::Out;
use super::places;
use super::sink::Skip;
use super::source::{Format, Found};
use cm_note::instant::Instant;
use cm_session::Agent;
use cm_session::event::{EventKind, ToolOutcome};

/// A line of such a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub enum Line {
    /// Somebody sent what follows.
    Sent(Sent),
    /// Something was said.
    Message(Message),
}

/// Who sent messages, and what they knew of the session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// When, by the vault's clock.
    pub at: Option<Instant>,
    /// The person, where a token told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Whether a person sent it, and not an agent in their name.
    #[serde(default)]
    pub person: bool,
    /// The folder that was worked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The session's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// One message of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// By it the message is known again.
    pub key: String,
    /// Who said it.
    pub role: Speaker,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Instant>,
    /// What was said.
    pub text: String,
}

/// Who said a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// The person.
    User,
    /// The agent.
    Assistant,
    /// A tool that the agent called.
    Tool,
    /// A program, to the agent.
    System,
}

impl Speaker {
    /// Its name in logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::System => "system",
        }
    }
}

/// Whether a person sent each part of a log.
pub fn is_by_person(log: &str) -> bool {
    let mut sent = log.lines().filter_map(|line| match serde_json::from_str(line) {
        Ok(Line::Sent(sent)) => Some(sent.person),
        _ => None,
    });
    sent.next() == Some(true) && sent.all(|person| person)
}

/// Whether it is known who sent each part of a log: the holder of a token, or a person.
pub fn is_signed(log: &str) -> bool {
    let mut sent = log.lines().filter_map(|line| match serde_json::from_str(line) {
        Ok(Line::Sent(sent)) => Some(sent.person || sent.by.is_some()),
        _ => None,
    });
    sent.next() == Some(true) && sent.all(|signed| signed)
}

/// Where the log of a session lies below the folder of those that were sent. The id must have been checked.
pub fn path(agent: Agent, id: &str) -> PathBuf {
    Path::new(agent.name()).join(format!("{id}.jsonl"))
}

/// The logs that were sent of these agents, ordered by path.
pub fn find(agents: &[Agent], folder: &Path) -> Found {
    let mut found = Found::default();
    for agent in agents {
        for path in found.list(&folder.join(agent.name())) {
            if path.extension().is_some_and(|ending| ending == "jsonl") {
                found.add(*agent, Format::SentLines, path);
            }
        }
    }
    found
}

/// What a line needs to know of those before it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// When the messages at hand were sent: a message that has no time of its own has that one.
    sent: Option<Instant>,
}

impl Lines for State {
    fn begin(source: &super::Source, out: &mut Out<'_>) {
        let mut meta = lines::meta_of(source);
        meta.id = places::stem(&source.path).into();
        out.begin_named(meta);
    }

    fn line(&mut self, line: &[u8], out: &mut Out<'_>) -> serde_json::Result<()> {
        match serde_json::from_slice(line)? {
            Line::Sent(Sent { at, workspace, title, .. }) => {
                self.sent = at;
                out.workspace(workspace.as_deref().unwrap_or_default());
                out.title(title.as_deref().unwrap_or_default());
                out.skip("sent", Skip::About);
            }
            Line::Message(Message { role, at, text, .. }) => said(role, at.or(self.sent), text, out),
        }
        Ok(())
    }
}

fn said(role: Speaker, at: Option<Instant>, text: String, out: &mut Out<'_>) {
    match role {
        Speaker::User => out.person(at, None, &text),
        Speaker::Assistant => out.tell(at, None, false, EventKind::AssistantText { text }),
        Speaker::System => out.tell(at, None, false, EventKind::Injected { text }),
        Speaker::Tool => {
            let outcome = ToolOutcome::of_exit(None);
            let kind = EventKind::ToolResult { id: None, outcome, exit_code: None, text };
            out.tell(at, None, false, kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{Limits, Sink, Source, read_bytes};
    use cm_session::event::Event;
    use cm_session::{Meta, SessionId};

    #[derive(Default)]
    struct Told(Vec<String>, Option<Meta>);

    impl Sink for Told {
        fn anew(&mut self, _: &SessionId) {}

        fn event(&mut self, _: &SessionId, event: Event) {
            self.0.push(format!("{}: {}", event.kind.name(), event.kind.text().unwrap_or_default()));
        }

        fn meta(&mut self, meta: &Meta) {
            self.1 = Some(meta.clone());
        }
    }

    #[test]
    fn what_was_sent_is_told_and_a_line_that_is_none_costs_itself() {
        let message = |role, text: &str| {
            Line::Message(Message { key: text.to_owned(), role, at: None, text: text.to_owned() })
        };
        let sent_at = Some(Instant::from_unix(1_000));
        let sent = Sent { at: sent_at, workspace: Some("/home/dev/demo".into()), ..Sent::default() };
        let lines = [
            Line::Sent(sent),
            message(Speaker::User, "Fix the flaky test."),
            message(Speaker::Assistant, "I look."),
            message(Speaker::Tool, "ok"),
        ];
        let mut text: String = lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect();
        text.push_str("{\"line\": \"other\"}\nnonsense\n");
        let mut told = Told::default();
        let source = Source::new(Agent::Codex, Format::SentLines, "/v/_state/sessions/codex/s-1.jsonl");
        read_bytes(&source, text.as_bytes(), Limits::default(), &mut told);
        assert_eq!(told.0.len(), 3, "{:?}", told.0);
        assert!(told.0[0].ends_with("Fix the flaky test."));
        let meta = told.1.unwrap();
        assert_eq!((meta.id.as_str(), meta.agent), ("s-1", Agent::Codex));
        assert_eq!(meta.workspace.as_deref(), Some("/home/dev/demo"));
        assert_eq!((meta.started, meta.ended), (sent_at, sent_at), "of what has no time, when it was sent");
    }
}
