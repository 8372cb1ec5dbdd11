//! Sessions and their utterances as shown in answers.

use schemars::JsonSchema;
use serde::Serialize;

use super::SessionAccess;
use crate::context::open::Context;
use crate::error::Result;
use crate::sessions::diaries::DiaryIndex;
use crate::sessions::reflection_log::{ReflectionEntry, ReflectionResult, ReflectionState};
use cm_index::sessions::{Session, SessionLookup, SessionSummary, Speaker, Stretch};
use cm_note::instant::Instant;
use cm_session::event::EventName;
use cm_session::status::SessionStatus;

/// Metadata of an agent's session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionInfo {
    /// Session id, unique for its agent.
    pub id: String,
    /// Shortest unique prefix of the id, at least 8 characters.
    pub prefix: String,
    /// Agent of the session, such as `claude-code`.
    pub agent: String,
    /// Working directory, as written in the log.
    pub workspace: Option<String>,
    /// Title, or the beginning of the first prompt.
    pub title: Option<String>,
    /// Time of the first log entry.
    pub started: Option<Instant>,
    /// Time of the last log entry.
    pub ended: Option<Instant>,
    /// Git branch at the start of the session.
    pub branch: Option<String>,
    /// Model of the last answer.
    pub model: Option<String>,
    /// Id of the session that it was forked from, or that started it as a subagent.
    pub parent: Option<String>,
    /// Whether an agent started the session.
    pub subagent: bool,
    /// Path of the log file that contains the session.
    pub log: Option<String>,
}

/// Metadata of a session with what the user's memory knows about it, as lists show it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionRow {
    /// Id, agent, times and other metadata of the session.
    #[serde(flatten)]
    pub info: SessionInfo,
    /// Days since the last log entry.
    pub age_days: Option<f64>,
    /// Number of events in the session, of every kind.
    pub events: usize,
    /// Number of prompts by the user.
    pub prompts: usize,
    /// Size of the text in bytes.
    pub bytes: u64,
    /// Outcome according to the diary: `success`, `failure`, `partial` or `mixed`; null if unknown.
    pub outcome: Option<String>,
    /// Whether more than half of the log's records were not recognized, so that content may be
    /// missing.
    pub mostly_unknown: bool,
    /// Whether `cm reflect` has processed the session: `new`, `grown`, `processed`, `failed` or
    /// `left_out`.
    pub state: ReflectionState,
    /// Result of the latest `cm reflect` on the session; null if there was none.
    pub reflected: Option<ReflectionSummary>,
}

/// Result of `cm reflect` on one session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReflectionSummary {
    /// Time when the session was processed.
    pub at: Instant,
    /// What was written, or that the attempt failed.
    pub came: ReflectionResult,
    /// Number of proposed changes to rules and memories, applied or not.
    pub proposed: usize,
    /// Number of proposals that were applied.
    pub applied: usize,
    /// Error message of a failed attempt.
    pub why: Option<String>,
}

impl From<&ReflectionEntry> for ReflectionSummary {
    fn from(line: &ReflectionEntry) -> Self {
        let ReflectionEntry { at, came, proposed, applied, why, .. } = line.clone();
        Self { at, came, proposed, applied, why }
    }
}

/// A message, tool call or other event of a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ShownEvent {
    /// Line number in the log, from 1.
    pub line: u64,
    /// Time of the event.
    pub at: Option<Instant>,
    /// Kind of event: `user_prompt`, `assistant_text`, `tool_call`, …
    pub kind: String,
    /// Author: `person`, `agent` or `tool`; null for events without text.
    pub speaker: Option<String>,
    /// Text of the event, with secrets redacted.
    pub text: String,
}

impl ShownEvent {
    /// Kind of the event; `None` for one of another version of cm.
    pub(crate) fn name(&self) -> Option<EventName> {
        EventName::of(&self.kind)
    }
}

impl SessionAccess {
    pub(crate) fn info_of(&self, session: &Session) -> Result<SessionInfo> {
        let meta = session.meta.clone();
        let id = meta.id.as_str().to_owned();
        Ok(SessionInfo {
            prefix: self.prefix(&id)?,
            id,
            agent: meta.agent.name().to_owned(),
            workspace: meta.workspace,
            title: meta.title,
            started: meta.started,
            ended: meta.ended,
            branch: meta.branch,
            model: meta.model,
            parent: meta.parent.map(|parent| parent.as_str().to_owned()),
            subagent: meta.subagent,
            log: session.log.clone(),
        })
    }

    pub(crate) fn row(&self, listed: &SessionSummary, now: Instant) -> Result<SessionRow> {
        let understood = listed.log.as_ref().map(|log| &log.understood);
        Ok(SessionRow {
            info: self.info_of(&listed.session)?,
            age_days: listed.session.meta.ended.map(|ended| ended.days_until(now)),
            events: listed.counts.total(),
            prompts: listed.counts.of(EventName::UserPrompt),
            bytes: listed.counts.bytes,
            outcome: None,
            mostly_unknown: understood
                .is_some_and(|of| of.not_understood.saturating_mul(2) > of.records.max(1)),
            state: self.record.state(listed),
            reflected: self
                .record
                .last(listed.session.meta.agent.name(), listed.session.meta.id.as_str())
                .map(ReflectionSummary::from),
        })
    }

    /// Returns a unique prefix of a session id, of up to 8, 13, 18 or 24 characters, else the whole
    /// id.
    fn prefix(&self, id: &str) -> Result<String> {
        for length in [8, 13, 18, 24] {
            let Some((end, _)) = id.char_indices().nth(length) else { break };
            let prefix = id[..end].trim_end_matches('-');
            if let Some(SessionLookup::One(_)) = self.query(|sessions| sessions.lookup(prefix))? {
                return Ok(prefix.to_owned());
            }
        }
        Ok(id.to_owned())
    }
}

/// Adds the outcomes of sessions from the diaries of all open vaults.
pub(super) fn add_outcomes(context: &Context, rows: &mut [SessionRow]) -> Result<()> {
    let keys: Vec<_> = rows.iter().map(|row| (row.info.agent.clone(), row.info.id.clone())).collect();
    rows.iter_mut().zip(outcomes(context, &keys)?).for_each(|(row, outcome)| row.outcome = outcome);
    Ok(())
}

/// Returns the outcomes of sessions, given by agent and id, from the diaries of all open vaults;
/// `None` where there is no diary or it does not know the outcome.
pub(crate) fn outcomes(context: &Context, sessions: &[(String, String)]) -> Result<Vec<Option<String>>> {
    if sessions.is_empty() {
        return Ok(Vec::new());
    }
    for open in &context.vaults {
        context.ensure_fresh(open)?;
    }
    let ids: Vec<&str> = sessions.iter().map(|(_, id)| id.as_str()).collect();
    let diaries = DiaryIndex::of(context, &ids)?;
    let outcome = |(agent, id): &(String, String)| {
        let stored = diaries.get(Some(agent.as_str()).filter(|agent| !agent.is_empty()), id)?;
        let status = stored.diary.verdict.status;
        (status != SessionStatus::Unknown).then(|| status.name().to_owned())
    };
    Ok(sessions.iter().map(outcome).collect())
}

pub(super) fn speaker(speaker: Option<Speaker>) -> Option<String> {
    let name = match speaker? {
        Speaker::Person => "person",
        Speaker::Agent => "agent",
        Speaker::Tool => "tool",
    };
    Some(name.to_owned())
}

/// Joins consecutive chunks of the same message into one event.
pub(crate) fn joined(stretches: Vec<Stretch>) -> Vec<ShownEvent> {
    let mut events: Vec<ShownEvent> = Vec::new();
    let mut last = None;
    for stretch in stretches {
        let who = (stretch.line, stretch.part, stretch.speaker);
        match events.last_mut().filter(|_| last == Some(who)) {
            Some(before) => before.text.push_str(&stretch.text),
            None => events.push(ShownEvent {
                line: stretch.line,
                at: stretch.at,
                kind: stretch.kind.map_or("unknown", EventName::name).to_owned(),
                speaker: speaker(stretch.speaker),
                text: stretch.text,
            }),
        }
        last = Some(who);
    }
    events
}
