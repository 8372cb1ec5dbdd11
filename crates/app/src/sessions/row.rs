//! Sessions and their utterances as shown in answers.

use schemars::JsonSchema;
use serde::Serialize;

use super::Shelf;
use crate::diaries::Diaries;
use crate::error::Result;
use crate::memory::Memory;
use crate::reflect::record::{Came, Line, State};
use cm_index::sessions::{Listed, Lookup, Session, Speaker, Stretch};
use cm_note::instant::Instant;
use cm_session::status::SessionStatus;

/// Description of a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Named {
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

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// Id, agent, times and other metadata of the session.
    #[serde(flatten)]
    pub named: Named,
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
    /// Whether `cm reflect` has processed the session.
    pub state: State,
    /// Result of the last `cm reflect` on the session.
    pub reflected: Option<Reflected>,
}

/// Result of reflecting on a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reflected {
    /// Time of the attempt.
    pub at: Instant,
    /// Result of the attempt.
    pub came: Came,
    /// Number of proposals, applied or not.
    pub proposed: usize,
    /// Number of proposals that changed something.
    pub applied: usize,
    /// Error message of a failed attempt.
    pub why: Option<String>,
}

impl From<&Line> for Reflected {
    fn from(line: &Line) -> Self {
        let Line { at, came, proposed, applied, why, .. } = line.clone();
        Self { at, came, proposed, applied, why }
    }
}

/// An utterance or other event of a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Said {
    /// Line number in the log, from 1.
    pub line: u64,
    /// Time of the event.
    pub at: Option<Instant>,
    /// Kind of event: `user_prompt`, `assistant_text`, `tool_call`, …
    pub kind: String,
    /// Speaker: `person`, `agent` or `tool`; null for events without text.
    pub speaker: Option<String>,
    /// Text, redacted.
    pub text: String,
}

impl Shelf {
    pub(crate) fn named(&self, session: &Session) -> Result<Named> {
        let meta = session.meta.clone();
        let id = meta.id.as_str().to_owned();
        Ok(Named {
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

    pub(crate) fn row(&self, listed: &Listed, now: Instant) -> Result<Row> {
        let understood = listed.log.as_ref().map(|log| &log.understood);
        Ok(Row {
            named: self.named(&listed.session)?,
            age_days: listed.session.meta.ended.map(|ended| ended.days_until(now)),
            events: listed.counts.total(),
            prompts: listed.counts.events.get("user_prompt").copied().unwrap_or(0),
            bytes: listed.counts.bytes,
            outcome: None,
            mostly_unknown: understood
                .is_some_and(|of| of.not_understood.saturating_mul(2) > of.records.max(1)),
            state: self.record.state(listed),
            reflected: self
                .record
                .last(listed.session.meta.agent.name(), listed.session.meta.id.as_str())
                .map(Reflected::from),
        })
    }

    /// Returns a unique prefix of the id, of about 8, 13, 18 or 24 characters, else the whole id.
    fn prefix(&self, id: &str) -> Result<String> {
        for length in [8, 13, 18, 24] {
            let Some((end, _)) = id.char_indices().nth(length) else { break };
            let prefix = id[..end].trim_end_matches('-');
            if let Some(Lookup::One(_)) = self.ask(|sessions| sessions.lookup(prefix))? {
                return Ok(prefix.to_owned());
            }
        }
        Ok(id.to_owned())
    }
}

/// Adds the outcomes of sessions from the diaries of all open vaults.
pub(super) fn add_outcomes(memory: &Memory, rows: &mut [Row]) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    for open in &memory.vaults {
        memory.freshen(open)?;
    }
    let ids: Vec<&str> = rows.iter().map(|row| row.named.id.as_str()).collect();
    let diaries = Diaries::of(memory, &ids)?;
    for row in rows {
        let kept = diaries.get(Some(&row.named.agent), &row.named.id);
        let status =
            kept.map(|kept| kept.diary.verdict.status).filter(|status| *status != SessionStatus::Unknown);
        row.outcome = status.map(|status| status.name().to_owned());
    }
    Ok(())
}

pub(super) fn speaker(speaker: Option<Speaker>) -> Option<String> {
    let name = match speaker? {
        Speaker::Person => "person",
        Speaker::Agent => "agent",
        Speaker::Tool => "tool",
    };
    Some(name.to_owned())
}

/// Joins the chunks of each utterance.
pub(crate) fn joined(stretches: Vec<Stretch>) -> Vec<Said> {
    let mut said: Vec<Said> = Vec::new();
    let mut last = None;
    for stretch in stretches {
        let who = (stretch.line, stretch.part, stretch.speaker);
        match said.last_mut().filter(|_| last == Some(who)) {
            Some(before) => before.text.push_str(&stretch.text),
            None => said.push(Said {
                line: stretch.line,
                at: stretch.at,
                kind: stretch.kind.to_owned(),
                speaker: speaker(stretch.speaker),
                text: stretch.text,
            }),
        }
        last = Some(who);
    }
    said
}
