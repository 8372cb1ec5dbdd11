//! One matter of the ledger: its evidence, the rules that were tried, and how it stands.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Advice, EXPIRES_AFTER_DAYS, FAILED_ATTEMPTS, HOT, QUOTES, RECURRENCES};
use crate::friction::antigen::by_words::Cluster;
use cm_note::instant::Instant;

/// How a matter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It came up a few times.
    Observing,
    /// It recurs; a rule is wanted or tried.
    Hot,
    /// A person wants no rule about it.
    Rejected,
    /// Rules did not help; a person has it.
    Escalated,
    /// It did not come up for long.
    Expired,
}

impl Status {
    /// The name in JSON.
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

/// One thing that keeps going wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Such as `ag-001`.
    pub id: String,
    /// What it is about.
    pub class: String,
    /// The words by which it is recognised.
    #[serde(default)]
    pub class_hints: Vec<String>,
    /// How it stands.
    pub status: Status,
    /// The rule that is tried against it.
    #[serde(default)]
    pub rule: Option<String>,
    /// All rules that were tried.
    #[serde(default)]
    pub attempts: Vec<Attempt>,
    /// Where it was seen.
    #[serde(default)]
    pub evidence: Evidence,
    /// How often it came up since the rule that is tried now.
    #[serde(default)]
    pub recurred_while_hot: u32,
    /// What happened to it.
    #[serde(default)]
    pub history: Vec<Happened>,
    /// What other programs wrote besides.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A rule that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// From 1.
    pub n: u32,
    /// In its words.
    pub rule: String,
    /// Since which day.
    #[serde(with = "day")]
    pub adopted: Instant,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is tried.
    Active,
    /// It recurred all the same.
    Failed,
    /// Another rule took its place before it had failed.
    Replaced,
    /// What another program says of it.
    #[serde(untagged)]
    Other(String),
}

/// Where a matter was seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// In how many conversations.
    #[serde(default)]
    pub sessions: usize,
    /// In which, and when they ended.
    #[serde(default)]
    pub session_ids: Vec<Seen>,
    /// In which projects.
    #[serde(default)]
    pub projects: Vec<String>,
    /// What people said.
    #[serde(default)]
    pub quotes: Vec<String>,
    /// On which day the last of them ended.
    #[serde(default, with = "day_if_known")]
    pub last_seen: Option<Instant>,
}

/// A conversation in which a matter was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The session by which it is known.
    pub id: String,
    /// The day on which it ended or, where the log does not tell, was noted.
    #[serde(with = "day")]
    pub seen: Instant,
}

/// What happened to an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happened {
    /// The day.
    #[serde(with = "day")]
    pub date: Instant,
    /// What.
    pub event: String,
}

/// Days, as other tools write them: `2026-11-21`. A time of day is read and dropped.
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

/// The same, where the day may be unknown.
mod day_if_known {
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

impl Entry {
    /// A matter that nothing is known of yet.
    pub(super) fn new(id: String, cluster: &Cluster, now: Instant) -> Self {
        let mut entry = Self {
            id,
            class: cluster.theme.clone(),
            class_hints: cluster.top_keywords.clone(),
            status: Status::Observing,
            rule: None,
            attempts: Vec::new(),
            evidence: Evidence::default(),
            recurred_while_hot: 0,
            history: Vec::new(),
            other: Map::new(),
        };
        entry.note("first noted", now);
        entry
    }

    /// Takes in the conversations that are new. What was rejected or handed to a person only collects evidence.
    pub(super) fn observe(&mut self, cluster: &Cluster, now: Instant) {
        let known =
            |id: &String| self.evidence.session_ids.iter().any(|seen| identity(&seen.id) == identity(id));
        let ended = cluster.ended.iter().copied().chain(std::iter::repeat(None));
        let new: Vec<Seen> = cluster
            .session_ids
            .iter()
            .zip(ended)
            .filter(|(id, _)| !known(id))
            .map(|(id, ended)| Seen { id: id.clone(), seen: ended.unwrap_or(now).midnight() })
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
        self.rise(u32::try_from(recurred).unwrap_or(u32::MAX), now);
    }

    fn rise(&mut self, recurred: u32, now: Instant) {
        match self.status {
            Status::Expired => self.stand(Status::Observing, "seen again", now),
            Status::Hot if self.is_tried() => {
                self.recurred_while_hot = self.recurred_while_hot.saturating_add(recurred);
                if self.recurred_while_hot >= RECURRENCES {
                    self.fail(now);
                }
            }
            Status::Observing | Status::Hot | Status::Rejected | Status::Escalated => {}
        }
        if self.status == Status::Observing && self.evidence.sessions >= HOT {
            self.stand(Status::Hot, "it recurs", now);
        }
    }

    /// Whether a rule is being tried.
    fn is_tried(&self) -> bool {
        self.attempts.last().is_some_and(|attempt| attempt.outcome == Outcome::Active)
    }

    fn failed(&self) -> usize {
        self.attempts.iter().filter(|attempt| attempt.outcome == Outcome::Failed).count()
    }

    fn fail(&mut self, now: Instant) {
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.outcome = Outcome::Failed;
        }
        self.note("the rule did not help", now);
        if self.failed() >= FAILED_ATTEMPTS {
            self.stand(Status::Escalated, "rules did not help", now);
        }
    }

    pub(super) fn adopt(&mut self, rule: &str, now: Instant) {
        if let Some(attempt) = self.attempts.last_mut()
            && attempt.outcome == Outcome::Active
        {
            attempt.outcome = Outcome::Replaced;
        }
        let n = u32::try_from(self.attempts.len()).unwrap_or(u32::MAX).saturating_add(1);
        self.attempts.push(Attempt {
            n,
            rule: rule.to_owned(),
            adopted: now.midnight(),
            outcome: Outcome::Active,
        });
        self.rule = Some(rule.to_owned());
        self.recurred_while_hot = 0;
        self.stand(Status::Hot, "a rule is tried", now);
    }

    pub(super) fn reject(&mut self, now: Instant) {
        self.stand(Status::Rejected, "a person wants no rule", now);
    }

    /// What is only observed expires when it was not seen for long; what is hot never does.
    pub(super) fn expire(&mut self, now: Instant) {
        let old = self.evidence.last_seen.is_some_and(|seen| seen.days_until(now) > EXPIRES_AFTER_DAYS);
        if self.status == Status::Observing && old {
            self.stand(Status::Expired, "not seen for eight weeks", now);
        }
    }

    pub(super) fn advice(&self) -> Option<Advice> {
        let id = || self.id.clone();
        match self.status {
            Status::Escalated => Some(Advice::Escalate { id: id() }),
            Status::Hot if self.attempts.is_empty() => Some(Advice::Write { id: id() }),
            Status::Hot if !self.is_tried() => Some(Advice::Rephrase { id: id() }),
            Status::Hot | Status::Observing | Status::Rejected | Status::Expired => None,
        }
    }

    /// Whether these words were tried before.
    pub(super) fn has_tried(&self, rule: &str) -> bool {
        self.attempts.iter().any(|attempt| attempt.rule.trim() == rule.trim())
    }

    fn stand(&mut self, status: Status, why: &str, now: Instant) {
        self.status = status;
        self.note(&format!("{}: {why}", status.name()), now);
    }

    fn note(&mut self, event: &str, now: Instant) {
        self.history.push(Happened { date: now.midnight(), event: event.to_owned() });
    }
}

/// By what a conversation is known again: the end of its session's id, without the project and the time, which depend on
/// the folder's name and the zone. An end that is no hexadecimal id does not tell enough, and all but the project counts.
fn identity(session_id: &str) -> &str {
    let name = session_id.rsplit('/').next().unwrap_or(session_id);
    let end = name.splitn(3, '-').nth(2).unwrap_or(name);
    let telling = end.len() >= 8 && end.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    if telling { end } else { name }
}
