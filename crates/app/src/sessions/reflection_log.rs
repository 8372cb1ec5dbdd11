//! Record of the sessions that were reflected on: one JSON line for each attempt, appended to a
//! private file.
//!
//! Losing the record does no harm: sessions are then processed again, and their proposals are
//! recognized as duplicates.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::context::open::Context;
use crate::context::open_vault::OpenVault;
use crate::error::Result;
use cm_index::sessions::SessionSummary;
use cm_note::instant::Instant;
use cm_session::status::SessionStatus;
use cm_store::vault::Vault;
use cm_store::vault::json_lines::JsonLinesFile;

const FILE: &str = "reflected.jsonl";

/// A line of the reflection log: one attempt to learn from a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReflectionEntry {
    /// Time of the attempt.
    pub at: Instant,
    pub agent: String,
    pub session: String,
    /// Number of indexed events of the session at the time of the attempt.
    pub events: usize,
    /// Time of the session's last log entry at the time of the attempt.
    pub ended: Option<Instant>,
    /// What the attempt wrote, or that it failed.
    pub came: ReflectionResult,
    /// How good the reader was that made the proposals. Earlier versions wrote a boolean.
    #[serde(default, alias = "model", deserialize_with = "tier")]
    pub tier: ReaderTier,
    /// Name of the model, or [`AGENT`]; `None` for rules and in lines of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// Whether the session succeeded for its user.
    #[serde(default)]
    pub status: SessionStatus,
    /// Number of proposed changes to rules and memories.
    #[serde(default)]
    pub proposed: usize,
    /// Number of proposals that were applied.
    #[serde(default)]
    pub applied: usize,
    /// Hashes of the proposals; a later attempt does not repeat them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// Error message of a failed attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Outcome of one attempt to learn from a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReflectionResult {
    /// Rules, feedback or memories were written.
    Learned,
    /// Only a diary was written.
    Diary,
    /// Nothing was written.
    Nothing,
    /// Skipped, because another fork of the same conversation was processed.
    Fork,
    /// The attempt failed.
    Failed,
}

/// How well readers understand sessions, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReaderTier {
    /// Rules and the built-in classifier.
    #[default]
    Rules,
    /// A language model: a configured one, or that of an agent.
    Model,
}

/// Reads the tier, or the boolean of earlier versions.
fn tier<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<ReaderTier, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        IsModel(bool),
        Tier(ReaderTier),
    }
    Ok(match Written::deserialize(deserializer)? {
        Written::IsModel(false) => ReaderTier::Rules,
        Written::IsModel(true) => ReaderTier::Model,
        Written::Tier(tier) => tier,
    })
}

/// Name of an agent that answers work packages, as a reader.
pub const AGENT: &str = "agent";

/// What reads a session; a session that was processed stays open for a better reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionReaderKind<'a> {
    /// Rules and the built-in classifier: only sessions with something new are open.
    Rules,
    /// An agent that answers work packages: sessions that were processed by rules only are open, too.
    Agent,
    /// The configured model of this name: sessions that were processed by rules only are open, too,
    /// and those that another reader processed before this model was used for the first time.
    Model(&'a str),
    /// Any reader, on request: all sessions are open.
    Again,
}

impl<'a> SessionReaderKind<'a> {
    /// Returns the kind of reader of a run that does not repeat sessions.
    pub fn of(model: Option<&'a str>) -> Self {
        model.map_or(Self::Rules, Self::Model)
    }
}

/// Whether `cm reflect` has processed a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReflectionState {
    /// Not processed yet.
    New,
    /// Processed, but the session has new events since then.
    Grown,
    Processed,
    /// The last attempt failed and will be repeated.
    Failed,
    /// Never processed: the session belongs to a subagent or was started by cm itself.
    LeftOut,
}

/// The reflection log of a vault: all attempts to learn from sessions, in order.
#[derive(Debug, Default)]
pub struct ReflectionLog {
    lines: Vec<ReflectionEntry>,
    /// Index into `lines` of the latest entry, by agent and session id.
    last: HashMap<(String, String), usize>,
    /// Index into `lines` of each reader's first entry, by name.
    first: HashMap<String, usize>,
    /// Number of lines of the file that could not be parsed.
    damaged: usize,
}

impl ReflectionLog {
    /// Reads the reflection log of a vault.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn load(open: &OpenVault) -> Result<Self> {
        Ok(Self::parse(&JsonLinesFile::private(&open.vault, FILE)?.text()?))
    }

    /// Reads the reflection log of the target vault; adds a notice if lines are damaged.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn load_with_notice(context: &Context) -> Result<Self> {
        let record = Self::load(context.target())?;
        if record.damaged > 0 {
            context.notice(format!(
                "_state/{FILE} has damaged lines ({}); their sessions are processed again",
                record.damaged
            ));
        }
        Ok(record)
    }

    /// Removes the log of a vault, for a new vault in the folder of an earlier one. Returns whether there
    /// was one.
    ///
    /// # Errors
    /// Returns an error if the file cannot be removed.
    pub(crate) fn forget(vault: &Vault) -> Result<bool> {
        let file = vault.private_file(FILE)?;
        let exists = file.is_file();
        vault.private()?.remove(&file)?;
        Ok(exists)
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

    fn take(&mut self, line: ReflectionEntry) {
        self.last.insert((line.agent.clone(), line.session.clone()), self.lines.len());
        if let Some(reader) = &line.reader {
            self.first.entry(reader.clone()).or_insert(self.lines.len());
        }
        self.lines.push(line);
    }

    /// Appends an entry to the file and to this value.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn add(&mut self, open: &OpenVault, line: ReflectionEntry) -> Result<()> {
        // A line is made of texts and numbers, which always have a JSON form.
        JsonLinesFile::private(&open.vault, FILE)?
            .append_line(&serde_json::to_string(&line).unwrap_or_default())?;
        self.take(line);
        Ok(())
    }

    /// Returns the latest entry about a session.
    pub fn last(&self, agent: &str, session: &str) -> Option<&ReflectionEntry> {
        self.last_at(agent, session).map(|at| &self.lines[at])
    }

    fn last_at(&self, agent: &str, session: &str) -> Option<usize> {
        self.last.get(&(agent.to_owned(), session.to_owned())).copied()
    }

    /// Compares the session with the latest entry about it.
    pub fn state(&self, listed: &SessionSummary) -> ReflectionState {
        let meta = &listed.session.meta;
        if meta.subagent || meta.ours {
            return ReflectionState::LeftOut;
        }
        match self.last(meta.agent.name(), meta.id.as_str()) {
            None => ReflectionState::New,
            Some(line) if line.came == ReflectionResult::Failed => ReflectionState::Failed,
            Some(line) if line.events < listed.counts.total() || line.ended < meta.ended => {
                ReflectionState::Grown
            }
            Some(_) => ReflectionState::Processed,
        }
    }

    /// Returns whether `cm reflect` should process the session with this reader.
    pub fn is_open(&self, listed: &SessionSummary, reader: SessionReaderKind<'_>) -> bool {
        let meta = &listed.session.meta;
        match self.state(listed) {
            ReflectionState::New | ReflectionState::Grown | ReflectionState::Failed => true,
            ReflectionState::Processed => self
                .last_at(meta.agent.name(), meta.id.as_str())
                .is_some_and(|at| self.is_reopened(at, reader)),
            ReflectionState::LeftOut => false,
        }
    }

    /// Returns whether the session of an entry, its latest one, is open again for a reader.
    fn is_reopened(&self, at: usize, reader: SessionReaderKind<'_>) -> bool {
        let line = &self.lines[at];
        let is_cheaper = line.tier < ReaderTier::Model;
        match reader {
            SessionReaderKind::Rules => false,
            SessionReaderKind::Agent => is_cheaper,
            // A line without a name may be this model's own, and reading costs money.
            SessionReaderKind::Model(name) => {
                let is_other = line.reader.as_deref().is_some_and(|reader| reader != name);
                is_cheaper || is_other && self.first.get(name).is_none_or(|first| at < *first)
            }
            SessionReaderKind::Again => true,
        }
    }

    /// Returns the hashes of all earlier proposals from these sessions, which are given as (agent,
    /// id).
    pub fn proposal_hashes(&self, sessions: &HashSet<(String, String)>) -> HashSet<&str> {
        let of = |line: &&ReflectionEntry| sessions.contains(&(line.agent.clone(), line.session.clone()));
        self.lines.iter().filter(of).flat_map(|line| &line.keys).map(String::as_str).collect()
    }

    /// Returns whether any session led to the proposal with this hash.
    pub fn has_proposed(&self, hash: &str) -> bool {
        self.lines.iter().any(|line| line.keys.iter().any(|key| key == hash))
    }

    /// Returns whether the session succeeded for its user, according to the latest successful
    /// attempt.
    pub fn status(&self, agent: &str, session: &str) -> Option<SessionStatus> {
        let lines = self.lines.iter().rev();
        let of = |line: &&ReflectionEntry| {
            line.agent == agent && line.session == session && line.came != ReflectionResult::Failed
        };
        lines.into_iter().find(of).map(|line| line.status)
    }
}

/// Returns the first 16 hex digits of the BLAKE3 hash of a text that identifies a proposal.
pub fn hash_key(key: &str) -> String {
    blake3::hash(key.as_bytes()).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(session: &str, events: usize, came: ReflectionResult) -> String {
        let line = ReflectionEntry {
            at: Instant::parse("2026-11-21T12:00:00Z").unwrap(),
            agent: "pi".to_owned(),
            session: session.to_owned(),
            events,
            ended: None,
            came,
            tier: ReaderTier::Rules,
            reader: None,
            status: SessionStatus::Success,
            proposed: 1,
            applied: 1,
            keys: vec![hash_key("a")],
            why: None,
        };
        serde_json::to_string(&line).unwrap() + "\n"
    }

    #[test]
    fn a_torn_or_damaged_line_costs_only_itself() {
        let text = line("s1", 3, ReflectionResult::Diary)
            + "nonsense\n"
            + &line("s2", 3, ReflectionResult::Learned)
            + "{\"at\":";
        let record = ReflectionLog::parse(&text);
        assert_eq!((record.lines.len(), record.damaged), (2, 1));
        assert_eq!(record.status("pi", "s2"), Some(SessionStatus::Success));
        assert_eq!(record.status("codex", "s2"), None, "ids are an agent's own");
    }

    #[test]
    fn a_reader_reopens_what_cheaper_or_earlier_ones_read_once() {
        use SessionReaderKind::{Again, Agent, Model, Rules};
        let read = |session: &str, reader: &str| {
            let named = format!("\"tier\":\"model\",\"reader\":\"{reader}\"");
            line(session, 3, ReflectionResult::Diary).replace("\"tier\":\"rules\"", &named)
        };
        let text = line("rules", 3, ReflectionResult::Diary) + &read("one", "a/one") + &read("agent", AGENT);
        let is_open = |text: &str, session: &str, reader| {
            let record = ReflectionLog::parse(text);
            record.is_reopened(record.last_at("pi", session).unwrap(), reader)
        };
        for (session, by_agent, by_one, by_new) in
            [("rules", true, true, true), ("one", false, false, true), ("agent", false, false, true)]
        {
            assert!(!is_open(&text, session, Rules) && is_open(&text, session, Again), "{session}");
            assert_eq!(is_open(&text, session, Agent), by_agent, "{session}");
            assert_eq!(is_open(&text, session, Model("a/one")), by_one, "{session}");
            assert_eq!(is_open(&text, session, Model("b/new")), by_new, "{session}");
        }
        // The new model has read one of them; what others read from then on stays closed.
        let later = text + &read("one", "b/new") + &read("later", AGENT);
        assert!(!is_open(&later, "one", Model("b/new")) && is_open(&later, "agent", Model("b/new")));
        assert!(!is_open(&later, "later", Model("b/new")) && !is_open(&later, "one", Model("a/one")));
    }

    #[test]
    fn lines_of_earlier_versions_are_read() {
        let old = |is_model: bool| {
            let line = line("s1", 3, ReflectionResult::Diary);
            line.replace("\"tier\":\"rules\"", &format!("\"model\":{is_model}"))
        };
        for (is_model, is_open) in [(false, true), (true, false)] {
            let record = ReflectionLog::parse(&old(is_model));
            assert_eq!((record.lines.len(), record.damaged), (1, 0));
            assert_eq!(record.is_reopened(0, SessionReaderKind::Model("a/one")), is_open);
        }
    }
}
