//! A session, and what was said in it, as answers show them.

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

/// A session, without what was said in it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Named {
    /// Its id, unique for its agent.
    pub id: String,
    /// The beginning of the id that is enough to name it.
    pub prefix: String,
    /// Whose log tells it.
    pub agent: String,
    /// The folder that was worked in, as the log writes it.
    pub workspace: Option<String>,
    /// Its title, or the first words of the person.
    pub title: Option<String>,
    /// The time of its first record.
    pub started: Option<Instant>,
    /// The time of its last record.
    pub ended: Option<Instant>,
    /// The branch of git when it began.
    pub branch: Option<String>,
    /// The model that answered last.
    pub model: Option<String>,
    /// The session that it was forked from, or serves.
    pub parent: Option<String>,
    /// Whether an agent started it for itself.
    pub subagent: bool,
    /// The log that told it.
    pub log: Option<String>,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// The session.
    #[serde(flatten)]
    pub named: Named,
    /// Days since its last record.
    pub age_days: Option<f64>,
    /// How many things happened in it.
    pub events: usize,
    /// How many of them are prompts of the person.
    pub prompts: usize,
    /// Bytes of text.
    pub bytes: u64,
    /// How it ended, as its diary says: `success`, `failure`, `partial` or `mixed`; null where none tells.
    pub outcome: Option<String>,
    /// Whether more than half of its log was not understood, so that much of it may be missing here.
    pub mostly_unknown: bool,
    /// Whether it was learned from (`cm reflect`).
    pub state: State,
    /// What came of that, the last time.
    pub reflected: Option<Reflected>,
}

/// What came of learning from a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reflected {
    /// When.
    pub at: Instant,
    /// What.
    pub came: Came,
    /// How many proposals it brought.
    pub proposed: usize,
    /// How many of them changed something.
    pub applied: usize,
    /// Why it failed.
    pub why: Option<String>,
}

impl From<&Line> for Reflected {
    fn from(line: &Line) -> Self {
        let Line { at, came, proposed, applied, why, .. } = line.clone();
        Self { at, came, proposed, applied, why }
    }
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Said {
    /// The line of the log, from 1.
    pub line: u64,
    /// When.
    pub at: Option<Instant>,
    /// What happened: `user_prompt`, `assistant_text`, `tool_call`, …
    pub kind: String,
    /// Whose words: `person`, `agent` or `tool`; null where nothing was said.
    pub speaker: Option<String>,
    /// The words, without secrets.
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

    /// The beginning of an id that no other id has: 8 characters, or more where they are needed.
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

/// Writes into rows how their sessions ended, as the diaries of the vaults say.
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

/// Whose words, by name.
pub(super) fn speaker(speaker: Option<Speaker>) -> Option<String> {
    let name = match speaker? {
        Speaker::Person => "person",
        Speaker::Agent => "agent",
        Speaker::Tool => "tool",
    };
    Some(name.to_owned())
}

/// Stretches joined into what was said at once.
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
