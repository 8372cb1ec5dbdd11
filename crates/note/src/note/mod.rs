//! A note without its body: typed frontmatter fields, links, and findings.
//!
//! The body is stored in the text index and the files.

pub mod bullet;
pub mod check;
pub mod compose;
pub mod conflict;
mod hidden_characters;
pub mod kind;
pub mod leftover;
mod leftover_message;
pub mod length;
mod mapping_lists;
pub mod name;
mod properties;
pub mod read;
pub mod schema;
pub mod session_key;
pub mod suspicion;
pub mod template;
pub mod turn;
pub mod types;
mod values;

use serde::{Deserialize, Serialize};

use crate::bullet::blocked::BlockedFields;
use crate::bullet::{BulletFields, Maturity};
use crate::finding::{Finding, FindingCode};
use crate::id::NoteId;
use crate::instant::Instant;
use crate::path::NotePath;

pub use kind::NoteKind;
pub use mapping_lists::REASONS;
pub use types::{RelationTable, TypeTable};

/// A note without its body. The index stores it and can rebuild it from the file at any time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub path: NotePath,
    pub kind: NoteKind,
    /// Id; `None` for a note that is identified by its path.
    pub id: Option<NoteId>,
    /// `type` of a memory (`solution`), edge (`SOLVES`) or bullet (`rule`), or `kind` of a blocked
    /// pattern, as written. Fields that a bullet omits have their default values.
    pub note_type: Option<String>,
    /// `title`, else the rule of a bullet, the pattern of a blocked pattern, `from TYPE to` of an
    /// edge, the first level-1 heading, or the file's stem.
    pub title: String,
    /// Alternative names (`aliases`) for wikilinks.
    pub aliases: Vec<String>,
    /// Frontmatter tags and inline `#tags`, without `#` and without duplicates, in order.
    pub tags: Vec<String>,
    /// Importance, 0.0–1.0.
    pub importance: Option<f64>,
    /// Confidence, 0.0–1.0.
    pub confidence: Option<f64>,
    pub created: Option<Instant>,
    pub updated: Option<Instant>,
    /// Last time that a person confirmed the note.
    pub last_checked: Option<Instant>,
    /// How fast an observation loses weight.
    pub priority: Option<Priority>,
    /// True for notes in `vault/` or with `pinned: true`.
    pub pinned: bool,
    pub category: Option<String>,
    pub author: Option<String>,
    pub agent: Option<String>,
    pub session: Option<String>,
    /// Who speaks in a note that is a turn of a conversation: `role`.
    pub speaker: Option<turn::Speaker>,
    pub workspace: Option<String>,
    /// `state` of a bullet or memory.
    pub state: Option<String>,
    /// `maturity` of a bullet.
    pub maturity: Option<String>,
    /// `scope` of a bullet.
    pub scope: Option<String>,
    /// Frontmatter `relations`.
    pub relations: Vec<RelationEntry>,
    /// Ends of an edge; `None` for other kinds.
    pub edge: Option<EdgeEnds>,
    pub feedback: Vec<Feedback>,
    /// Frontmatter `condensed_into`: notes that summarize this one.
    pub condensed_into: Vec<String>,
    /// Fields that only a bullet has.
    pub bullet: Option<Box<BulletFields>>,
    /// Fields that only a blocked pattern has.
    pub blocked: Option<Box<BlockedFields>>,
    /// Links of the body and wikilinks in frontmatter values; the frontmatter's first, each in
    /// order.
    pub links: Vec<NoteLink>,
    /// The links to a heading or a block; they stand in `links`, too.
    pub anchored: Vec<NoteLink>,
    /// Attachments that the body shows, such as images, as written, each with its line in the file.
    pub attachments: Vec<(String, u32)>,
    /// Beginning of the body's plain text after the title, at most [`Note::MAX_SUMMARY_CHARS`] characters.
    pub summary: String,
    /// Problems found in this note alone.
    pub findings: Vec<Finding>,
}

impl Note {
    /// Maximum length of `summary` in characters.
    pub const MAX_SUMMARY_CHARS: usize = 160;

    /// `state` of a memory that was added by an agent, a session or the network and is not
    /// confirmed yet.
    pub const UNVERIFIED: &str = "unverified";

    /// `state` of a note that is not used until a person accepts it.
    pub const DRAFT: &str = "draft";

    /// `state` of a note that is no longer used.
    pub const RETIRED: &str = "retired";

    /// Values of `state` of a memory.
    pub const STATES: [&str; 4] = [Self::DRAFT, Self::UNVERIFIED, "active", Self::RETIRED];

    pub fn is_draft(&self) -> bool {
        self.state.as_deref() == Some(Self::DRAFT)
    }

    pub fn is_retired(&self) -> bool {
        self.state.as_deref() == Some(Self::RETIRED)
    }

    /// Whether a note did more harm than good, or was taken back.
    pub fn is_deprecated(&self) -> bool {
        self.maturity.as_deref() == Some(Maturity::Deprecated.name())
    }

    /// Whether the note is an unconfirmed memory.
    pub fn is_unverified(&self) -> bool {
        matches!(self.kind, NoteKind::Memory | NoteKind::Plain)
            && self.state.as_deref() == Some(Self::UNVERIFIED)
    }

    /// Whether the note needs confirmation or activation. Until then it cannot replace other notes.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state.as_deref(), Some(Self::DRAFT | Self::UNVERIFIED))
    }

    /// Whether the note contains an unresolved merge conflict. Agents do not see it until a person
    /// resolves the conflict.
    pub fn has_conflict(&self) -> bool {
        self.findings.iter().any(|finding| finding.code == FindingCode::ConflictMarker)
    }

    /// Type of memories with a lifetime that depends on feedback, like that of rules.
    pub const OBSERVATION: &str = "observation";

    /// Reason why an observation is stale; `None` if it is not stale or pinned, and for notes of
    /// other types.
    pub fn staleness(&self) -> Option<Staleness> {
        if self.pinned || self.note_type.as_deref() != Some(Self::OBSERVATION) {
            return None;
        }
        if !self.condensed_into.is_empty() {
            return Some(Staleness::Condensed);
        }
        let last = |signal| {
            let events = self.feedback.iter().filter(|event| event.signal == signal && event.weight > 0.0);
            events.map(|event| event.at).max()
        };
        let irrelevant = last(FeedbackSignal::Irrelevant)?;
        (last(FeedbackSignal::Helpful) < Some(irrelevant)).then_some(Staleness::Irrelevant)
    }

    /// Origin of the note, such as `codex, session 1a2b3c4d`; `a person` if the note does not
    /// record one.
    pub fn origin(&self) -> String {
        let session = self.session.as_deref().map(|id| {
            let short: String = id.chars().take(8).collect();
            format!("session {short}")
        });
        let origins: Vec<String> = self.agent.clone().into_iter().chain(session).collect();
        match (origins.is_empty(), &self.author) {
            (false, _) => origins.join(", "),
            (true, Some(author)) => author.clone(),
            (true, None) => "a person".to_owned(),
        }
    }

    /// Id of the note, or its path if it has none.
    pub fn key(&self) -> &str {
        self.id.as_ref().map_or(self.path.as_str(), NoteId::as_str)
    }
}

cm_text::named_enum! {
    /// How fast an observation loses weight.
    pub enum Priority {
        /// A quarter of the usual speed.
        Critical = "critical",
        /// The usual speed.
        Moderate = "moderate",
        /// Four times the usual speed.
        Ephemeral = "ephemeral",
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RelationEntry {
    /// Id of the other note, as written.
    pub target: String,
    /// Type of the edge, in upper case.
    pub relation: String,
    /// Whether the edge starts at this note (`outgoing`) or ends at it.
    pub outgoing: bool,
    /// Strength, 0–1; 1 by default.
    pub strength: f64,
    /// Why the two notes are related.
    pub context: Option<String>,
    /// Id of the edge file that defines the same edge.
    pub edge_id: Option<String>,
    /// Line in the file, from 1.
    pub line: u32,
}

/// Ends and strength of an edge file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EdgeEnds {
    /// `from_id`: reference to the note at its start.
    pub from: String,
    /// `to_id`: reference to the note at its end.
    pub to: String,
    /// Strength, 0–1; 1 by default.
    pub strength: f64,
}

/// One feedback event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Feedback {
    /// Time of the feedback.
    pub at: Instant,
    pub signal: FeedbackSignal,
    /// 1 for explicit feedback, a fraction for inferred feedback.
    pub weight: f64,
    /// Session in which it was given.
    pub session: Option<String>,
    /// Agent through which it was given.
    pub agent: Option<String>,
    /// Person who gave it.
    pub author: Option<String>,
    /// Reason of harm.
    pub reason: Option<String>,
    /// Additional text.
    pub note: Option<String>,
    /// Of harm: a person states that the opposite of the rule is true.
    #[serde(default)]
    pub invert: bool,
}

impl Feedback {
    /// Creates explicit feedback with a time and a signal only.
    pub fn new(at: Instant, signal: FeedbackSignal) -> Self {
        Self {
            at,
            signal,
            weight: 1.0,
            session: None,
            agent: None,
            author: None,
            reason: None,
            note: None,
            invert: false,
        }
    }

    /// Counts the events of a list with this signal and a positive weight.
    pub fn count(events: &[Self], signal: FeedbackSignal) -> usize {
        events.iter().filter(|event| event.signal == signal && event.weight > 0.0).count()
    }
}

/// Reason why an observation is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Staleness {
    /// Another note summarizes it (`condensed_into`).
    Condensed,
    /// It was marked irrelevant, and not helpful since then.
    Irrelevant,
}

cm_text::named_enum! {
    /// Rating of a note.
    pub enum FeedbackSignal {
        /// It helped.
        Helpful = "helpful",
        /// It did harm.
        Harmful = "harmful",
        /// It did not matter.
        Irrelevant = "irrelevant",
        /// A person repeated the rule in a session that had been shown it. Moves no score.
        Ignored = "ignored",
    }
}

impl FeedbackSignal {
    /// Whether the signal rates the note, so that it moves scores.
    pub fn is_rating(self) -> bool {
        matches!(self, Self::Helpful | Self::Harmful)
    }
}

/// A link in a note's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteLink {
    pub form: LinkForm,
    /// Target as written: a wikilink without heading, alias or block; a path percent-decoded,
    /// without fragment.
    pub target: String,
    /// The heading (`#…`) or block (`#^…`) within the target, without the `#`.
    pub anchor: Option<String>,
    /// `TYPE` of a `TYPE:: [[target]]` line, in upper case; `None` means `LINKS_TO`.
    pub relation: Option<String>,
    /// Line in the file, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Syntax of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkForm {
    /// `[[target]]` or `![[target]]`.
    Wiki,
    /// `[text](path.md)` with a relative path.
    Markdown,
}
