//! A bullet: one rule or anti-pattern of the playbook, with the feedback that it was given.
//!
//! A typed view of a note in `playbook/`. It holds no score (see [`crate::score`]) and changes nothing.

pub mod blocked;
pub mod content;
pub mod id;
pub mod marker;
pub mod showing;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::NoteId;
use crate::instant::Instant;
use crate::note::{Feedback, Kind, Note};
use crate::path::NotePath;

/// A set of words, each with its name in frontmatter, JSON and flags.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }

            /// The one of that name.
            pub fn of(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.name() == name)
            }
        }
    };
}

words! {
    /// What a bullet says.
    BulletType {
        /// What to do.
        #[default]
        Rule = "rule",
        /// What to avoid.
        AntiPattern = "anti_pattern",
    }
}

words! {
    /// What a bullet is about.
    BulletKind {
        /// A convention of one project.
        ProjectConvention = "project_convention",
        /// A pattern of a language, framework or tool.
        #[default]
        StackPattern = "stack_pattern",
        /// A rule of how people and agents work.
        WorkflowRule = "workflow_rule",
        /// Something to avoid.
        AntiPattern = "anti_pattern",
    }
}

words! {
    /// How far a bullet reaches.
    Scope {
        /// Everywhere.
        #[default]
        Global = "global",
        /// In one project.
        Workspace = "workspace",
        /// In one language.
        Language = "language",
        /// In one framework.
        Framework = "framework",
        /// In one kind of task.
        Task = "task",
    }
}

words! {
    /// Whether a bullet is in use.
    State {
        /// Not shown to agents yet.
        #[default]
        Draft = "draft",
        /// In use.
        Active = "active",
        /// No longer in use.
        Retired = "retired",
    }
}

words! {
    /// How far a bullet has proved itself.
    Maturity {
        /// New.
        #[default]
        Candidate = "candidate",
        /// Helped more than once.
        Established = "established",
        /// Helped often and did hardly any harm.
        Proven = "proven",
        /// Did more harm than good, or was taken back.
        Deprecated = "deprecated",
    }
}

words! {
    /// What kind of look at a workspace tells whether a bullet is kept.
    VerifyKind {
        /// A regular expression over the files' text.
        #[default]
        Regex = "regex",
        /// A file's path.
        FileExists = "file_exists",
        /// A query over sessions.
        Query = "query",
    }
}

words! {
    /// Whether what is looked for must occur.
    VerifyMode {
        /// It must.
        #[default]
        Exists = "exists",
        /// It must not.
        Absent = "absent",
    }
}

/// Where a bullet comes from: a session, and the line in its log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The session's id.
    pub session: String,
    /// The agent whose session it was.
    #[serde(default)]
    pub agent: Option<String>,
    /// The line in the session's log, from 1.
    #[serde(default)]
    pub line: Option<u64>,
}

/// What a bullet was made from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DerivedFrom {
    /// Ids of diaries.
    #[serde(default)]
    pub diaries: Vec<String>,
    /// Quotes from sessions.
    #[serde(default)]
    pub evidence: Vec<String>,
}

impl DerivedFrom {
    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        self.diaries.is_empty() && self.evidence.is_empty()
    }
}

/// How to see whether a bullet is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verify {
    /// What kind of look.
    pub kind: VerifyKind,
    /// The expression, path or query.
    pub pattern: String,
    /// Whether it must occur; it must where nothing is written.
    #[serde(default)]
    pub mode: VerifyMode,
}

/// The destructive command that an anti-pattern was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// What was endangered, such as `hard-reset`.
    pub class: String,
    /// The command without what differs from case to case.
    pub shape: String,
    /// The session in which it happened.
    #[serde(default)]
    pub session: Option<String>,
    /// The day, as `2026-11-01`.
    #[serde(default)]
    pub date: Option<String>,
}

/// What the note of a bullet says besides what every note may say. Kept in the index with the note.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BulletFields {
    /// The rule: the body up to its first heading, trimmed, markup kept.
    pub content: String,
    /// The text below `## Why`.
    pub why: Option<String>,
    /// `kind`.
    pub kind: BulletKind,
    /// `scope_key`.
    pub scope_key: Option<String>,
    /// `pinned_reason`.
    pub pinned_reason: Option<String>,
    /// `half_life_days`, as written.
    pub half_life_days: Option<f64>,
    /// `sources`.
    pub sources: Vec<Source>,
    /// `derived_from`.
    pub derived_from: DerivedFrom,
    /// `search_pointer`.
    pub search_pointer: Option<String>,
    /// `verify`.
    pub verify: Option<Verify>,
    /// `incident`.
    pub incident: Option<Incident>,
    /// `supersedes`.
    pub supersedes: Option<String>,
    /// `replaced_by`.
    pub replaced_by: Option<String>,
    /// `deprecation_reason`.
    pub deprecation_reason: Option<String>,
    /// `promoted_at`.
    pub promoted_at: Option<Instant>,
    /// `last_validated_at`.
    pub last_validated_at: Option<Instant>,
}

/// A bullet as curation and ranking see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bullet {
    /// What it answers to: its id, else its path.
    pub id: NoteId,
    /// Where it lies.
    pub path: NotePath,
    /// What it says.
    pub bullet_type: BulletType,
    /// Its category.
    pub category: String,
    /// How far it reaches.
    pub scope: Scope,
    /// The project that it holds for.
    pub workspace: Option<String>,
    /// Whether it is in use.
    pub state: State,
    /// How far it has proved itself.
    pub maturity: Maturity,
    /// Whether automation must leave it alone.
    pub pinned: bool,
    /// Without `#`.
    pub tags: Vec<String>,
    /// Who found it helpful or harmful, and when.
    pub feedback: Vec<Feedback>,
    /// When it was first written.
    pub created: Option<Instant>,
    /// When it was last changed.
    pub updated: Option<Instant>,
    /// When somebody last confirmed that it still holds.
    pub last_checked: Option<Instant>,
    /// Everything else.
    pub fields: BulletFields,
}

/// Where a bullet holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reach<'a> {
    /// How far it reaches.
    pub scope: Scope,
    /// The language, framework or task that the scope names.
    pub scope_key: Option<&'a str>,
    /// The project.
    pub workspace: Option<&'a str>,
}

impl Reach<'_> {
    /// Whether there is a place where both hold: rules of two projects, languages or frameworks may well say the opposite,
    /// or the same.
    pub fn meets(&self, other: &Reach<'_>) -> bool {
        let apart = |a: Option<&str>, b: Option<&str>| matches!((a, b), (Some(a), Some(b)) if a != b);
        let keyed = self.scope == other.scope && self.scope != Scope::Global;
        let keys_apart = keyed && apart(self.scope_key, other.scope_key);
        !keys_apart && !apart(self.workspace, other.workspace)
    }
}

/// The events of one list, and of another those that it does not have. An event that stands twice in a list is two events.
pub fn united(feedback: &[Feedback], more: &[Feedback]) -> Vec<Feedback> {
    let mut known = feedback.to_vec();
    let mut all = feedback.to_vec();
    for event in more {
        match known.iter().position(|known| known == event) {
            Some(at) => drop(known.swap_remove(at)),
            None => all.push(event.clone()),
        }
    }
    all
}

impl Bullet {
    /// The bullet that a note is; `None` for any other note. Words that the vault does not know count as the default.
    pub fn of(note: &Note) -> Option<Self> {
        if note.kind != Kind::Bullet {
            return None;
        }
        let word = |text: &Option<String>| text.clone().unwrap_or_default();
        Some(Self {
            // A path of the vault is a sound id but for its length, which no walk gives.
            id: note.id.clone().or_else(|| NoteId::parse(note.path.as_str()).ok())?,
            path: note.path.clone(),
            bullet_type: BulletType::of(&word(&note.note_type)).unwrap_or_default(),
            category: note.category.clone().unwrap_or_else(|| "general".to_owned()),
            scope: Scope::of(&word(&note.scope)).unwrap_or_default(),
            workspace: note.workspace.clone(),
            state: State::of(&word(&note.state)).unwrap_or_default(),
            maturity: Maturity::of(&word(&note.maturity)).unwrap_or_default(),
            pinned: note.pinned,
            tags: note.tags.clone(),
            feedback: note.feedback.clone(),
            created: note.created,
            updated: note.updated,
            last_checked: note.last_checked,
            fields: note.bullet.as_deref().cloned().unwrap_or_default(),
        })
    }

    /// The rule.
    pub fn content(&self) -> &str {
        &self.fields.content
    }

    /// Where it holds.
    pub fn reach(&self) -> Reach<'_> {
        Reach {
            scope: self.scope,
            scope_key: self.fields.scope_key.as_deref(),
            workspace: self.workspace.as_deref(),
        }
    }

    /// What it tells its reader, see [`content::told`].
    pub fn told(&self) -> String {
        content::told(self.content(), self.bullet_type)
    }

    /// Whether it says what to avoid.
    pub fn is_anti_pattern(&self) -> bool {
        self.bullet_type == BulletType::AntiPattern
    }

    /// Whether agents are shown it: active and not deprecated.
    pub fn is_live(&self) -> bool {
        self.state == State::Active && self.maturity != Maturity::Deprecated
    }
}
