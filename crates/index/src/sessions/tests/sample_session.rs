//! Sample sessions, and a dump of everything that an index answers.

use std::path::Path;
use std::time::Duration;

use crate::Error;
use crate::sessions::{
    ParseCounts, RedactedEvent, SessionHits, SessionIndexFilter, SessionKey, SessionSearchRequest,
    SessionStoreWriter, Sessions, Weights,
};
use cm_note::instant::Instant;
use cm_note::query::Query;
use cm_secrets::{Redacted, RedactionRules, redact};
use cm_session::event::{EventKind, SessionEvent, ToolOutcome};
use cm_session::{Agent, SessionMeta};

/// Zero timeout, since no test waits for a lock.
pub(super) const AT_ONCE: Duration = Duration::ZERO;

pub(super) fn redacted(text: &str) -> Redacted {
    redact(text, &RedactionRules::default()).0
}

pub(super) fn instant(seconds: i64) -> Instant {
    Instant::from_unix(seconds)
}

pub(super) fn key(id: &str) -> SessionKey {
    SessionKey { agent: Agent::ClaudeCode, id: id.into() }
}

/// Returns an event at `line`, timestamped `line` seconds after 1970.
pub(super) fn event(line: u64, kind: EventKind) -> SessionEvent {
    SessionEvent { at: Some(instant(line as i64)), line, part: 0, record: None, side: false, kind }
}

pub(super) fn person(line: u64, text: &str) -> SessionEvent {
    event(line, EventKind::UserPrompt { text: text.to_owned() })
}

pub(super) fn agent(line: u64, text: &str) -> SessionEvent {
    event(line, EventKind::AssistantText { text: text.to_owned() })
}

pub(super) fn tool(line: u64, text: &str) -> SessionEvent {
    let text = text.to_owned();
    event(line, EventKind::ToolResult { id: None, outcome: ToolOutcome::Ok, exit_code: None, text })
}

/// Content of one sample session log.
#[derive(Debug, Clone)]
pub(super) struct SampleSession {
    pub(super) meta: SessionMeta,
    pub(super) events: Vec<SessionEvent>,
}

impl SampleSession {
    pub(super) fn new(id: &str, events: Vec<SessionEvent>) -> Self {
        let mut meta = SessionMeta::new(Agent::ClaudeCode, id.into());
        events.iter().for_each(|event| meta.extend_time_range(event.at));
        meta.title = Some(format!("About {id}"));
        meta.workspace = Some("/home/dev/demo".into());
        Self { meta, events }
    }

    pub(super) fn about(mut self, change: impl FnOnce(&mut SessionMeta)) -> Self {
        change(&mut self.meta);
        self
    }

    pub(super) fn key(&self) -> SessionKey {
        SessionKey::of(&self.meta)
    }

    pub(super) fn log(&self) -> String {
        format!("/logs/{}.jsonl", self.meta.id)
    }

    /// Writes the session from its beginning.
    pub(super) fn tell(&self, writer: &mut SessionStoreWriter) {
        writer.clear_events(&self.key()).unwrap();
        self.go_on(writer, 0);
    }

    /// Writes the events from position `from` on.
    pub(super) fn go_on(&self, writer: &mut SessionStoreWriter, from: usize) {
        for event in &self.events[from..] {
            writer.event(&self.key(), &RedactedEvent::of(event, redacted)).unwrap();
        }
        let title = self.meta.title.as_deref().map(redacted);
        writer.meta(&self.meta, title, &self.log()).unwrap();
        let understood = ParseCounts { records: (self.events.len() - from) as u64, ..ParseCounts::default() };
        writer.read(&self.log(), self.events.len().to_string(), understood, from == 0).unwrap();
    }
}

/// Creates an index of these sessions.
pub(super) fn told(folder: &Path, talks: &[SampleSession]) -> Sessions {
    let mut writer = SessionStoreWriter::open(folder, AT_ONCE).unwrap();
    talks.iter().for_each(|talk| talk.tell(&mut writer));
    writer.finish().unwrap();
    Sessions::open(folder)
}

pub(super) fn search(sessions: &Sessions, query: &str, filter: &SessionIndexFilter) -> SessionHits {
    search_with(sessions, query, filter, Weights::default())
}

pub(super) fn search_with(
    sessions: &Sessions,
    query: &str,
    filter: &SessionIndexFilter,
    weights: Weights,
) -> SessionHits {
    let query = Query::parse(query, instant(0));
    sessions
        .search(SessionSearchRequest { query: &query, filter, weights, meaning: None, offset: 0, limit: 50 })
        .unwrap()
}

/// Returns the ids of the sessions that a search finds.
pub(super) fn ids(sessions: &Sessions, query: &str) -> Vec<String> {
    found_ids(&search(sessions, query, &SessionIndexFilter::default()))
}

pub(super) fn found_ids(found: &SessionHits) -> Vec<String> {
    found.hits.iter().map(|hit| hit.session.meta.id.to_string()).collect()
}

/// Returns the results of many queries as text, for comparing indexes.
pub(super) fn seen(sessions: &Sessions) -> Result<String, Error> {
    let filter = SessionIndexFilter::default();
    let mut seen = String::new();
    for words in ["socket", "socket timeout", "\"connection reset\"", "retry*", "größe", "agent:claude-code"]
    {
        let query = Query::parse(words, instant(0));
        let all = Weights { person: 1.0, agent: 0.5, tool: 0.2 };
        for weights in [Weights::default(), all] {
            let asked = SessionSearchRequest {
                query: &query,
                filter: &filter,
                weights,
                meaning: None,
                offset: 0,
                limit: 50,
            };
            seen += &format!("{words}: {:#?}\n", sessions.search(asked)?);
        }
    }
    seen += &format!("{:#?}\n", sessions.evidence(&["socket", "timeout", "retry"], 2, &filter)?);
    let listed = sessions.list(&filter, 0, 1000)?;
    for row in &listed.list {
        seen += &format!("{row:#?}\n{:#?}\n", sessions.stretches(&row.session.key(), 0..=u64::MAX, 0, 1000)?);
    }
    seen += &format!("{} {:#?}", listed.total, sessions.logs()?);
    Ok(seen)
}
