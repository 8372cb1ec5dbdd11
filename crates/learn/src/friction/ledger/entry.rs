//! An entry of the ledger: its evidence, the rules that were tried, and its status.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{EXPIRES_AFTER_DAYS, FAILED_ATTEMPTS, HOT, LedgerAction, QUOTES, RECURRENCES};
use crate::friction::antigen::by_words::WordCluster;
use cm_note::instant::Instant;

/// Stage of a tracked friction, from the first observation to rejection, escalation or expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryStatus {
    /// The friction occurred in a few conversations.
    Observing,
    /// The friction recurs; a rule is needed or being tried.
    Hot,
    /// A person decided that no rule is wanted.
    Rejected,
    /// Several rules did not help; a person has to act.
    Escalated,
    /// The friction has not occurred for a long time.
    Expired,
}

impl EntryStatus {
    /// Name of the status in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Observing => "observing",
            Self::Hot => "hot",
            Self::Rejected => "rejected",
            Self::Escalated => "escalated",
            Self::Expired => "expired",
        }
    }
}

/// One kind of recurring friction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FrictionEntry {
    /// Id such as `ag-001`.
    pub id: String,
    /// Topic of the friction, as common words of the conversations.
    pub class: String,
    /// Keywords by which new clusters are matched to this entry.
    #[serde(default)]
    pub class_hints: Vec<String>,
    pub status: EntryStatus,
    /// Rule that was adopted last; `None` if no rule was tried.
    #[serde(default)]
    pub rule: Option<String>,
    /// All rules that were tried, oldest first.
    #[serde(default)]
    pub attempts: Vec<RuleAttempt>,
    /// Conversations in which the friction was seen.
    #[serde(default)]
    pub evidence: FrictionEvidence,
    /// Number of occurrences since the current rule was adopted.
    #[serde(default)]
    pub recurred_while_hot: u32,
    /// Status changes and other events of the entry, oldest first.
    #[serde(default)]
    pub history: Vec<EntryEvent>,
    /// Unknown fields, which other programs wrote.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A rule that was tried against the friction of an entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleAttempt {
    /// Number of the attempt, from 1.
    pub n: u32,
    /// Text of the rule.
    pub rule: String,
    /// Day of adoption.
    #[serde(with = "day")]
    pub adopted: Instant,
    pub outcome: AttemptOutcome,
}

/// How a rule performed against the friction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptOutcome {
    /// The rule is being tried.
    Active,
    /// The friction recurred despite the rule.
    Failed,
    /// Replaced by another rule before it failed.
    Replaced,
    /// A value written by another program.
    #[serde(untagged)]
    Other(String),
}

/// Conversations and quotes that support an entry.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FrictionEvidence {
    /// Number of conversations; may exceed the length of `session_ids` if another tool counted some
    /// without listing them.
    #[serde(default)]
    pub sessions: usize,
    /// Conversations in which the friction occurred, each with the day it ended.
    #[serde(default)]
    pub session_ids: Vec<SeenConversation>,
    /// Projects in which the friction occurred.
    #[serde(default)]
    pub projects: Vec<String>,
    /// Messages of the user about the friction; at most 5.
    #[serde(default)]
    pub quotes: Vec<String>,
    /// Day on which the latest conversation ended.
    #[serde(default, with = "optional_day")]
    pub last_seen: Option<Instant>,
}

/// A conversation in which the friction occurred.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenConversation {
    /// Id of the conversation's first session.
    pub id: String,
    /// Day on which the conversation ended. If the log has no times, the day on which it was
    /// recorded.
    #[serde(with = "day")]
    pub seen: Instant,
}

/// An event in the history of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryEvent {
    #[serde(with = "day")]
    pub date: Instant,
    /// Description such as `hot: it recurs`.
    pub event: String,
}

/// Serializes an instant as a day, such as `2026-11-21`. A time of day is accepted and dropped.
mod day {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use cm_note::instant::Instant;

    pub fn serialize<S: Serializer>(at: &Instant, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&at.day())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Instant, D::Error> {
        let text = String::deserialize(deserializer)?;
        Instant::parse(&text).map(Instant::midnight).map_err(D::Error::custom)
    }
}

/// Like [`day`], for an optional instant.
mod optional_day {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    use cm_note::instant::Instant;

    pub fn serialize<S: Serializer>(at: &Option<Instant>, serializer: S) -> Result<S::Ok, S::Error> {
        at.map(Instant::day).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Instant>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| Instant::parse(&text).map(Instant::midnight).map_err(D::Error::custom)).transpose()
    }
}

impl FrictionEntry {
    /// Creates an entry in status `observing`, without evidence.
    pub(super) fn new(id: String, cluster: &WordCluster, now: Instant) -> Self {
        let mut entry = Self {
            id,
            class: cluster.theme.clone(),
            class_hints: cluster.top_keywords.clone(),
            status: EntryStatus::Observing,
            rule: None,
            attempts: Vec::new(),
            evidence: FrictionEvidence::default(),
            recurred_while_hot: 0,
            history: Vec::new(),
            other: Map::new(),
        };
        entry.push_event("first recorded", now);
        entry
    }

    /// Adds the conversations of a cluster that are not recorded yet. Rejected and escalated
    /// entries only collect evidence and keep their status.
    pub(super) fn observe(&mut self, cluster: &WordCluster, now: Instant) {
        let is_listed =
            |id: &String| self.evidence.session_ids.iter().any(|seen| identity(&seen.id) == identity(id));
        let ended = cluster.ended.iter().copied().chain(std::iter::repeat(None));
        let new: Vec<SeenConversation> = cluster
            .session_ids
            .iter()
            .zip(ended)
            .filter(|(id, _)| !is_listed(id))
            .map(|(id, ended)| SeenConversation { id: id.clone(), seen: ended.unwrap_or(now).midnight() })
            .collect();
        if new.is_empty() {
            return;
        }
        // A conversation from before the rule says nothing about the rule.
        let adopted = self.attempts.last().map(|attempt| attempt.adopted);
        let recurred = new.iter().filter(|seen| adopted.is_none_or(|adopted| seen.seen >= adopted)).count();
        self.evidence.last_seen = self.evidence.last_seen.max(new.iter().map(|seen| seen.seen).max());
        // Counts and not lengths: another tool may have counted conversations that it does not name.
        self.evidence.sessions += new.len();
        self.evidence.session_ids.extend(new);
        for project in &cluster.projects {
            if !self.evidence.projects.contains(project) {
                self.evidence.projects.push(project.clone());
            }
        }
        for quote in &cluster.contexts {
            if self.evidence.quotes.len() < QUOTES && !self.evidence.quotes.contains(quote) {
                self.evidence.quotes.push(quote.clone());
            }
        }
        self.update_status(u32::try_from(recurred).unwrap_or(u32::MAX), now);
    }

    fn update_status(&mut self, recurred: u32, now: Instant) {
        match self.status {
            EntryStatus::Expired => self.set_status(EntryStatus::Observing, "seen again", now),
            EntryStatus::Hot if self.is_tried() => {
                self.recurred_while_hot = self.recurred_while_hot.saturating_add(recurred);
                if self.recurred_while_hot >= RECURRENCES {
                    self.fail(now);
                }
            }
            EntryStatus::Observing | EntryStatus::Hot | EntryStatus::Rejected | EntryStatus::Escalated => {}
        }
        if self.status == EntryStatus::Observing && self.evidence.sessions >= HOT {
            self.set_status(EntryStatus::Hot, "it recurred", now);
        }
    }

    /// Returns `true` if the latest rule is still being tried.
    fn is_tried(&self) -> bool {
        self.attempts.last().is_some_and(|attempt| attempt.outcome == AttemptOutcome::Active)
    }

    fn failed(&self) -> usize {
        self.attempts.iter().filter(|attempt| attempt.outcome == AttemptOutcome::Failed).count()
    }

    fn fail(&mut self, now: Instant) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.outcome = AttemptOutcome::Failed;
        }
        self.push_event("the rule did not help", now);
        if self.failed() >= FAILED_ATTEMPTS {
            self.set_status(EntryStatus::Escalated, "rules did not help", now);
        }
    }

    pub(super) fn adopt(&mut self, rule: &str, now: Instant) {
        if let Some(attempt) = self.attempts.last_mut()
            && attempt.outcome == AttemptOutcome::Active
        {
            attempt.outcome = AttemptOutcome::Replaced;
        }
        let n = u32::try_from(self.attempts.len()).unwrap_or(u32::MAX).saturating_add(1);
        self.attempts.push(RuleAttempt {
            n,
            rule: rule.to_owned(),
            adopted: now.midnight(),
            outcome: AttemptOutcome::Active,
        });
        self.rule = Some(rule.to_owned());
        self.recurred_while_hot = 0;
        self.set_status(EntryStatus::Hot, "a rule is being tried", now);
    }

    pub(super) fn reject(&mut self, now: Instant) {
        self.set_status(EntryStatus::Rejected, "a person decided against a rule", now);
    }

    /// Sets an `observing` entry to expired if the friction did not occur for
    /// [`EXPIRES_AFTER_DAYS`]. Hot entries never expire.
    pub(super) fn expire(&mut self, now: Instant) {
        let old = self.evidence.last_seen.is_some_and(|seen| seen.days_until(now) > EXPIRES_AFTER_DAYS);
        if self.status == EntryStatus::Observing && old {
            self.set_status(EntryStatus::Expired, "not seen for eight weeks", now);
        }
    }

    pub(super) fn advice(&self) -> Option<LedgerAction> {
        let id = || self.id.clone();
        match self.status {
            EntryStatus::Escalated => Some(LedgerAction::Escalate { id: id() }),
            EntryStatus::Hot if self.attempts.is_empty() => Some(LedgerAction::Write { id: id() }),
            EntryStatus::Hot if !self.is_tried() => Some(LedgerAction::Rephrase { id: id() }),
            EntryStatus::Hot | EntryStatus::Observing | EntryStatus::Rejected | EntryStatus::Expired => None,
        }
    }

    /// Returns `true` if a rule with this wording was tried before, ignoring surrounding
    /// whitespace.
    pub(super) fn has_tried(&self, rule: &str) -> bool {
        self.attempts.iter().any(|attempt| attempt.rule.trim() == rule.trim())
    }

    fn set_status(&mut self, status: EntryStatus, why: &str, now: Instant) {
        self.status = status;
        self.push_event(&format!("{}: {why}", status.name()), now);
    }

    fn push_event(&mut self, event: &str, now: Instant) {
        self.history.push(EntryEvent { date: now.midnight(), event: event.to_owned() });
    }
}

/// Returns the part of a session id that identifies the conversation: its hexadecimal end, because
/// project and time depend on the folder name and time zone. Without such an end, everything after
/// the project.
fn identity(session_id: &str) -> &str {
    let name = session_id.rsplit('/').next().unwrap_or(session_id);
    let end = name.splitn(3, '-').nth(2).unwrap_or(name);
    let telling = end.len() >= 8 && end.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if telling { end } else { name }
}
