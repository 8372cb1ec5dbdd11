//! An event sink that collects all events, and the example logs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cm_agents::ingest::{EventSink, LogFormat, LogLocations, LogSource, SkipReason};
use cm_session::event::{EventKind, SessionEvent};
use cm_session::{Agent, SessionId, SessionMeta};

/// All collected events by session, in order of arrival.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct RecordedEvents {
    pub order: Vec<SessionId>,
    pub sessions: BTreeMap<SessionId, Session>,
    /// Skipped records: line, kind, reason.
    pub skipped: Vec<(u64, String, SkipReason)>,
}

/// Events and metadata of one session.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Session {
    pub events: BTreeMap<(u64, u32), SessionEvent>,
    pub meta: Option<SessionMeta>,
}

impl RecordedEvents {
    fn session(&mut self, id: &SessionId) -> &mut Session {
        if !self.sessions.contains_key(id) {
            self.order.push(id.clone());
        }
        self.sessions.entry(id.clone()).or_default()
    }

    /// Returns the events of all sessions.
    pub fn events(&self) -> Vec<&SessionEvent> {
        self.order.iter().flat_map(|id| self.sessions[id].events.values()).collect()
    }

    /// Returns kind and text of each event, one per line.
    pub fn lines(&self) -> Vec<String> {
        self.events()
            .iter()
            .map(|event| format!("{}: {}", event.kind.name(), event.kind.text().unwrap_or("-")))
            .collect()
    }

    /// Clears the skipped records, which a later run does not report again.
    pub fn without_skipped(mut self) -> Self {
        self.skipped.clear();
        self
    }
}

impl EventSink for RecordedEvents {
    fn reset(&mut self, session: &SessionId) {
        self.session(session).events.clear();
    }

    fn event(&mut self, session: &SessionId, event: SessionEvent) {
        self.session(session).events.insert((event.line, event.part), event);
    }

    fn meta(&mut self, meta: &SessionMeta) {
        self.session(&meta.id).meta = Some(meta.clone());
    }

    fn skipped(&mut self, line: u64, kind: &str, why: SkipReason) {
        self.skipped.push((line, kind.to_owned(), why));
    }
}

/// Returns the folder of the example logs.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/sessions")
}

/// Returns the locations of an agent's example logs.
pub fn places_of(agent: Agent) -> LogLocations {
    let at = examples();
    let mut places = LogLocations::of_home("/nobody");
    let mut variable = |name: &str, path: PathBuf| {
        places.environment.insert(name.to_owned(), path.to_string_lossy().into_owned());
    };
    match agent {
        Agent::ClaudeCode => variable("CLAUDE_CONFIG_DIR", at.join("claude_code")),
        Agent::Codex => variable("CODEX_HOME", at.join("codex")),
        Agent::Pi => variable("PI_CODING_AGENT_DIR", at.join("pi_agent/agent")),
        Agent::Gemini => variable("GEMINI_HOME", at.join("gemini")),
        Agent::Amp => variable("AMP_THREADS_DIR", at.join("amp/threads")),
        Agent::Aider => places.workspaces.push(at.join("aider/demo")),
        Agent::Cline => named(&mut places, agent, at.join("cline/globalStorage")),
        Agent::Cursor => named(&mut places, agent, at.join("cursor")),
        Agent::Chatgpt => named(&mut places, agent, at.join("chatgpt")),
        Agent::Opencode => named(&mut places, agent, at.join("opencode")),
        Agent::CopilotCli => named(&mut places, agent, at.join("copilot_cli")),
        Agent::Qwen => variable("QWEN_HOME", at.join("qwen")),
    }
    places
}

fn named(places: &mut LogLocations, agent: Agent, path: PathBuf) {
    places.extra_paths.insert(agent, vec![path]);
}

/// Returns a log of `format` at a path that need not exist.
pub fn source(format: LogFormat, path: &str) -> LogSource {
    LogSource::new(agent_of(format), format, path)
}

pub fn agent_of(format: LogFormat) -> Agent {
    match format {
        LogFormat::ClaudeLines => Agent::ClaudeCode,
        LogFormat::CodexLines | LogFormat::CodexCompressed | LogFormat::CodexDocument => Agent::Codex,
        LogFormat::CursorDatabase | LogFormat::CursorTranscript | LogFormat::CursorChat => Agent::Cursor,
        LogFormat::AiderHistory => Agent::Aider,
        LogFormat::PiTree => Agent::Pi,
        LogFormat::GeminiLines | LogFormat::GeminiDocument => Agent::Gemini,
        LogFormat::ChatgptDocument | LogFormat::ChatgptArchive => Agent::Chatgpt,
        LogFormat::OpencodeDatabase | LogFormat::OpencodeTree => Agent::Opencode,
        LogFormat::ClineTask | LogFormat::ClineSession => Agent::Cline,
        LogFormat::AmpThread => Agent::Amp,
        LogFormat::CopilotLines | LogFormat::CopilotDocument => Agent::CopilotCli,
        LogFormat::QwenLines => Agent::Qwen,
        // Our own format, for sessions of any agent.
        LogFormat::SentLines => Agent::Codex,
    }
}

/// Formats an event on one line.
pub fn shown(event: &SessionEvent) -> String {
    let at = event.at.map_or("-".to_owned(), |at| at.to_string());
    let side = if event.side { " (side)" } else { "" };
    let record = event.record.as_ref().map_or("-", |record| record.as_str());
    let kind = event.kind.name();
    let one_line = |text: &str| text.replace('\n', "⏎");
    let said = match &event.kind {
        EventKind::ToolCall { id, name, input } => {
            format!("{} {name} {input}", id.as_ref().map_or("-", |id| id.as_str()))
        }
        EventKind::ToolResult { id, outcome, exit_code, text } => {
            let id = id.as_ref().map_or("-", |id| id.as_str());
            format!("{id} {outcome:?} exit={exit_code:?} {}", one_line(text))
        }
        EventKind::Compaction { trigger, summary } => {
            format!("{} {}", trigger.as_deref().unwrap_or("-"), one_line(summary.as_deref().unwrap_or("-")))
        }
        EventKind::PersonCommand { command, output, exit_code } => {
            format!("{} exit={exit_code:?} {}", one_line(command), one_line(output.as_deref().unwrap_or("-")))
        }
        other => one_line(other.text().unwrap_or("")),
    };
    format!("{}.{} {at} {record} {kind}{side} {said}", event.line, event.part).trim_end().to_owned()
}
