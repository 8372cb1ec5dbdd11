//! Which sessions were learned from, and how that ended: one line a session among the user's private files, only ever appended to.
//!
//! It is no knowledge: without it, sessions are worked on once more, and what they say is found to be there.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::memory::{Memory, OpenVault};
use cm_index::sessions::Listed;
use cm_note::instant::Instant;
use cm_session::status::SessionStatus;
use cm_store::vault::lines::Lines;

const FILE: &str = "reflected.jsonl";

/// One working on a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// When it was done.
    pub at: Instant,
    /// The session's agent.
    pub agent: String,
    /// Its id.
    pub session: String,
    /// How many events were known of it.
    pub events: usize,
    /// The time of its last record.
    pub ended: Option<Instant>,
    /// How it ended for us.
    pub came: Came,
    /// Whether a model was asked about it, or an agent answered for one.
    #[serde(default)]
    pub model: bool,
    /// How it ended for the person.
    #[serde(default)]
    pub status: SessionStatus,
    /// How many proposals it brought.
    #[serde(default)]
    pub proposed: usize,
    /// How many of them changed something.
    #[serde(default)]
    pub applied: usize,
    /// What it proposed, hashed, so that it is not proposed again when the session goes on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What came of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Came {
    /// Rules, feedback or memories changed.
    Learned,
    /// A diary and nothing else.
    Diary,
    /// Nothing.
    Nothing,
    /// It is part of another session of the same conversation, which was worked on in its place.
    Fork,
    /// It could not be worked on.
    Failed,
}

/// What is to be done about a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nobody has learned from it yet.
    New,
    /// It went on after it was learned from.
    Grown,
    /// It was learned from.
    Processed,
    /// That failed, and is tried again.
    Failed,
    /// It is an agent's own, and nobody learns from it.
    LeftOut,
}

/// All that was recorded.
#[derive(Debug, Default)]
pub struct Record {
    lines: Vec<Line>,
    /// By agent and session, the last.
    last: HashMap<(String, String), usize>,
    /// How many lines could not be read.
    damaged: usize,
}

impl Record {
    /// What was recorded in a vault.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn of(open: &OpenVault) -> Result<Self> {
        Ok(Self::parse(&Lines::private(&open.vault, FILE)?.text()?))
    }

    /// The same; what cannot be read is a notice.
    ///
    /// # Errors
    /// Those of [`Record::of`].
    pub fn heard(memory: &Memory) -> Result<Self> {
        let record = Self::of(memory.target())?;
        if record.damaged > 0 {
            memory.notice(format!(
                "_state/{FILE} has lines that cannot be read ({}); their sessions are worked on again",
                record.damaged
            ));
        }
        Ok(record)
    }

    fn parse(text: &str) -> Self {
        let mut record = Self::default();
        let torn = !text.is_empty() && !text.ends_with('\n');
        let count = text.lines().count();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(line) => record.take(line),
                // What a kill left half written.
                Err(_) if torn && at + 1 == count => {}
                Err(_) => record.damaged += 1,
            }
        }
        record
    }

    fn take(&mut self, line: Line) {
        self.last.insert((line.agent.clone(), line.session.clone()), self.lines.len());
        self.lines.push(line);
    }

    /// Adds a line, on disk and here.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn add(&mut self, open: &OpenVault, line: Line) -> Result<()> {
        // A line is made of texts and numbers, which always have a JSON form.
        Lines::private(&open.vault, FILE)?.append_line(&serde_json::to_string(&line).unwrap_or_default())?;
        self.take(line);
        Ok(())
    }

    /// The last word on a session.
    pub fn last(&self, agent: &str, session: &str) -> Option<&Line> {
        self.last.get(&(agent.to_owned(), session.to_owned())).map(|at| &self.lines[*at])
    }

    /// What is to be done about a session.
    pub fn state(&self, listed: &Listed) -> State {
        let meta = &listed.session.meta;
        if meta.subagent || meta.ours {
            return State::LeftOut;
        }
        match self.last(meta.agent.name(), meta.id.as_str()) {
            None => State::New,
            Some(line) if line.came == Came::Failed => State::Failed,
            Some(line) if line.events < listed.counts.total() || line.ended < meta.ended => State::Grown,
            Some(_) => State::Processed,
        }
    }

    /// Whether there is something to learn from a session. One that was read by rules alone is open to a model.
    pub fn is_open(&self, listed: &Listed, with_model: bool) -> bool {
        let meta = &listed.session.meta;
        match self.state(listed) {
            State::New | State::Grown | State::Failed => true,
            State::Processed => {
                with_model && self.last(meta.agent.name(), meta.id.as_str()).is_some_and(|line| !line.model)
            }
            State::LeftOut => false,
        }
    }

    /// What sessions have proposed, hashed.
    pub fn keys_of(&self, sessions: &HashSet<(String, String)>) -> HashSet<&str> {
        let of = |line: &&Line| sessions.contains(&(line.agent.clone(), line.session.clone()));
        self.lines.iter().filter(of).flat_map(|line| &line.keys).map(String::as_str).collect()
    }

    /// How a session ended for the person, as far as it was looked at.
    pub fn status(&self, agent: &str, session: &str) -> Option<SessionStatus> {
        let lines = self.lines.iter().rev();
        let of = |line: &&Line| line.agent == agent && line.session == session && line.came != Came::Failed;
        lines.into_iter().find(of).map(|line| line.status)
    }
}

/// What a proposal says, as it is recorded.
pub fn hashed(key: &str) -> String {
    blake3::hash(key.as_bytes()).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(session: &str, events: usize, came: Came) -> String {
        let line = Line {
            at: Instant::parse("2026-11-21T12:00:00Z").unwrap(),
            agent: "pi".to_owned(),
            session: session.to_owned(),
            events,
            ended: None,
            came,
            model: false,
            status: SessionStatus::Success,
            proposed: 1,
            applied: 1,
            keys: vec![hashed("a")],
            why: None,
        };
        serde_json::to_string(&line).unwrap() + "\n"
    }

    #[test]
    fn a_torn_or_damaged_line_costs_only_itself() {
        let text = line("s1", 3, Came::Diary) + "nonsense\n" + &line("s2", 3, Came::Learned) + "{\"at\":";
        let record = Record::parse(&text);
        assert_eq!((record.lines.len(), record.damaged), (2, 1));
        assert_eq!(record.status("pi", "s2"), Some(SessionStatus::Success));
        assert_eq!(record.status("codex", "s2"), None, "ids are an agent's own");
    }
}
