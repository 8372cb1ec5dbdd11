//! A note as far as it can be read: its frontmatter as typed fields, its links, and what is wrong with it.
//!
//! It does not hold the body; the text index and the files do.

pub mod bullet;
pub mod check;
pub mod compose;
pub mod conflict;
mod entries;
mod hidden;
pub mod kind;
pub mod name;
pub mod read;
pub mod schema;
pub mod suspicion;

pub mod template;
pub mod types;
mod values;

use serde::{Deserialize, Serialize};

use crate::bullet::BulletFields;
use crate::bullet::blocked::BlockedFields;
use crate::finding::Finding;
use crate::id::NoteId;
use crate::instant::Instant;
use crate::path::NotePath;

pub use entries::REASONS;
pub use kind::Kind;
pub use types::{RelationTable, TypeTable};

/// What the program knows of a note without its body. Kept in the index; rebuilt from the file at any time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Where it lies.
    pub path: NotePath,
    /// Which kind of note.
    pub kind: Kind,
    /// Its identity; `None` for a note that answers to its path.
    pub id: Option<NoteId>,
    /// `type` as written: of a memory (`solution`), an edge (`SOLVES`) or a bullet (`rule`); of a blocked pattern
    /// its `kind`. The fields of a bullet hold the defaults of those that it does not write.
    pub note_type: Option<String>,
    /// `title`; else the rule of a bullet, the pattern of a blocked one, `from TYPE to` of an edge; else the
    /// first level-1 heading, else the file's stem.
    pub title: String,
    /// Other names (`aliases`) that a wikilink may use.
    pub aliases: Vec<String>,
    /// Tags of the frontmatter and inline `#tags` of the body, without `#`, each once, in order.
    pub tags: Vec<String>,
    /// 0.0–1.0.
    pub importance: Option<f64>,
    /// 0.0–1.0.
    pub confidence: Option<f64>,
    /// When it was first written.
    pub created: Option<Instant>,
    /// When it was last changed.
    pub updated: Option<Instant>,
    /// When somebody last confirmed that it holds.
    pub last_checked: Option<Instant>,
    /// How fast an observation fades.
    pub priority: Option<Priority>,
    /// In `vault/`, or `pinned: true`.
    pub pinned: bool,
    /// `category`.
    pub category: Option<String>,
    /// `author`.
    pub author: Option<String>,
    /// `agent`.
    pub agent: Option<String>,
    /// `session`.
    pub session: Option<String>,
    /// `workspace`.
    pub workspace: Option<String>,
    /// `state` of a bullet or memory.
    pub state: Option<String>,
    /// `maturity` of a bullet.
    pub maturity: Option<String>,
    /// `scope` of a bullet.
    pub scope: Option<String>,
    /// `relations` of the frontmatter.
    pub relations: Vec<Relation>,
    /// The two ends, where the note is an edge.
    pub edge: Option<EdgeEnds>,
    /// `feedback`.
    pub feedback: Vec<Feedback>,
    /// `condensed_into`.
    pub condensed_into: Vec<String>,
    /// What only a bullet has.
    pub bullet: Option<Box<BulletFields>>,
    /// What only a blocked pattern has.
    pub blocked: Option<Box<BlockedFields>>,
    /// Links of the body (and wikilinks in frontmatter values), in order.
    pub links: Vec<Link>,
    /// The first words of the body's plain text after the title, at most [`Note::SUMMARY`] characters.
    pub summary: String,
    /// What is wrong with it, as far as the note alone tells.
    pub findings: Vec<Finding>,
}

impl Note {
    /// The length of `summary` in characters, at most.
    pub const SUMMARY: usize = 160;

    /// The `state` of a memory that an agent, a session or the network added and nobody has confirmed.
    pub const UNVERIFIED: &str = "unverified";

    /// Whether it is a memory that nobody has confirmed yet.
    pub fn is_unverified(&self) -> bool {
        matches!(self.kind, Kind::Memory | Kind::Plain) && self.state.as_deref() == Some(Self::UNVERIFIED)
    }

    /// Whether it waits to be confirmed or activated, whatever its kind: until then it takes no other note's place.
    pub fn is_waiting(&self) -> bool {
        matches!(self.state.as_deref(), Some("draft" | Self::UNVERIFIED))
    }

    /// The type of memories whose life follows from their feedback, as that of rules does.
    pub const OBSERVATION: &str = "observation";

    /// Why an observation is stale; `None` while it holds, where it is pinned, and for notes of other types.
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
        let irrelevant = last(Signal::Irrelevant)?;
        (last(Signal::Helpful) < Some(irrelevant)).then_some(Staleness::Irrelevant)
    }

    /// Who wrote it, as far as it says: `codex, session 1a2b3c4d`.
    pub fn origin(&self) -> String {
        let session = self.session.as_deref().map(|id| {
            let short: String = id.chars().take(8).collect();
            format!("session {short}")
        });
        let named: Vec<String> = self.agent.clone().into_iter().chain(session).collect();
        match (named.is_empty(), &self.author) {
            (false, _) => named.join(", "),
            (true, Some(author)) => author.clone(),
            (true, None) => "a person".to_owned(),
        }
    }

    /// What it answers to: its id, else its path.
    pub fn key(&self) -> &str {
        self.id.as_ref().map_or(self.path.as_str(), NoteId::as_str)
    }
}

/// How fast an observation fades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    /// A quarter of the usual speed.
    Critical,
    /// The usual speed.
    Moderate,
    /// Four times the usual speed.
    Ephemeral,
}

impl Priority {
    /// Its name in frontmatter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Moderate => "moderate",
            Self::Ephemeral => "ephemeral",
        }
    }
}

/// An entry of `relations`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Relation {
    /// The other note's id, as written.
    pub target: String,
    /// The edge's type, upper case.
    pub relation: String,
    /// Whether the edge leads from this note (`outgoing`) or to it.
    pub outgoing: bool,
    /// 0–1; 1 where nothing is written.
    pub strength: f64,
    /// Why the two are related.
    pub context: Option<String>,
    /// The edge file that holds the same edge.
    pub edge_id: Option<String>,
    /// The line in the file, from 1.
    pub line: u32,
}

/// The ends of an edge file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EdgeEnds {
    /// `from_id`.
    pub from: String,
    /// `to_id`.
    pub to: String,
    /// 0–1; 1 where nothing is written.
    pub strength: f64,
}

/// An entry of `feedback`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Feedback {
    /// When it was given.
    pub at: Instant,
    /// What it says.
    pub signal: Signal,
    /// 1 for an explicit word, a fraction for an inferred one.
    pub weight: f64,
    /// In which session.
    pub session: Option<String>,
    /// Through which agent.
    pub agent: Option<String>,
    /// Who gave it.
    pub author: Option<String>,
    /// Why it did harm.
    pub reason: Option<String>,
    /// Anything else about it.
    pub note: Option<String>,
}

impl Feedback {
    /// Explicit feedback of which nothing more is known.
    pub fn new(at: Instant, signal: Signal) -> Self {
        Self { at, signal, weight: 1.0, session: None, agent: None, author: None, reason: None, note: None }
    }
}

/// Why an observation is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Staleness {
    /// Another note says it now: `condensed_into`.
    Condensed,
    /// It was marked irrelevant, and never helpful after that.
    Irrelevant,
}

/// What feedback says of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    /// It helped.
    Helpful,
    /// It did harm.
    Harmful,
    /// It did not matter.
    Irrelevant,
}

/// A link in a note's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Which syntax.
    pub form: LinkForm,
    /// What it names, as written: the wikilink's target without heading, alias or block; the link's path, percent-decoded, without fragment.
    pub target: String,
    /// The heading (`#…`) or block (`#^…`) within the target, without the `#`.
    pub anchor: Option<String>,
    /// `TYPE` of a `TYPE:: [[target]]` line, upper case; `None` is LINKS_TO.
    pub relation: Option<String>,
    /// The line in the file, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// The syntax of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LinkForm {
    /// `[[target]]`, and `![[target]]`.
    Wiki,
    /// `[text](path.md)` with a relative path.
    Markdown,
}
