//! A bullet: one rule or anti-pattern of the playbook, with its feedback.
//!
//! A read-only, typed view of a note in `playbook/`. Scores are computed in
//! [`crate::score`].

pub mod blocked;
pub mod content;
pub mod id;
pub mod marker;
pub mod visibility;

use cm_text::named_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::NoteId;
use crate::instant::Instant;
use crate::note::{Feedback, FeedbackSignal, Note, NoteKind};
use crate::path::NotePath;

named_enum! {
    /// Whether a bullet recommends something or warns of it.
    #[derive(Default)]
    pub enum BulletType {
        /// What to do.
        #[default]
        Rule = "rule",
        /// Something to avoid.
        AntiPattern = "anti_pattern",
    }
}

named_enum! {
    /// Subject of a bullet.
    #[derive(Default)]
    pub enum BulletKind {
        /// A convention of one project.
        ProjectConvention = "project_convention",
        /// A pattern of a language, framework or tool.
        #[default]
        StackPattern = "stack_pattern",
        /// A rule about how people and agents work.
        WorkflowRule = "workflow_rule",
        /// Something to avoid.
        AntiPattern = "anti_pattern",
    }
}

named_enum! {
    /// Where a bullet applies.
    #[derive(Default)]
    pub enum Scope {
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

named_enum! {
    /// Lifecycle state of a bullet.
    #[derive(Default)]
    pub enum BulletState {
        /// Not shown to agents yet.
        #[default]
        Draft = "draft",
        /// In use.
        Active = "active",
        /// No longer in use.
        Retired = "retired",
    }
}

named_enum! {
    /// Level of confidence in a bullet, based on its feedback.
    #[derive(Default)]
    pub enum Maturity {
        /// New: little feedback so far.
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

named_enum! {
    /// How a workspace is checked for compliance with a bullet.
    #[derive(Default)]
    pub enum VerifyKind {
        /// A regular expression, matched against the text of files.
        #[default]
        Regex = "regex",
        /// The path of a file, or a glob pattern.
        FileExists = "file_exists",
        /// A search query over sessions.
        Query = "query",
    }
}

named_enum! {
    /// Whether the pattern must match or must not match.
    #[derive(Default)]
    pub enum VerifyMode {
        /// The pattern must match somewhere.
        #[default]
        Exists = "exists",
        /// The pattern must not match anywhere.
        Absent = "absent",
    }
}

/// Session from which a bullet was learned, and the line in its log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SessionSource {
    /// Session id.
    pub session: String,
    /// Agent that ran the session.
    #[serde(default)]
    pub agent: Option<String>,
    /// The line in the session's log, from 1.
    #[serde(default)]
    pub line: Option<u64>,
}

/// Material that a bullet was made from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DerivedFrom {
    /// Ids of the diary entries from which the bullet was learned.
    #[serde(default)]
    pub diaries: Vec<String>,
    /// Quotes from sessions.
    #[serde(default)]
    pub evidence: Vec<String>,
}

impl DerivedFrom {
    pub fn is_empty(&self) -> bool {
        self.diaries.is_empty() && self.evidence.is_empty()
    }
}

/// How to check that a workspace complies with a bullet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verify {
    pub kind: VerifyKind,
    /// The regular expression, path or search query.
    pub pattern: String,
    /// Whether the pattern must match (the default) or must not.
    #[serde(default)]
    pub mode: VerifyMode,
}

/// The destructive command that an anti-pattern was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// Class of the damage, such as `hard-reset`.
    pub class: String,
    /// The command without its case-specific arguments.
    pub shape: String,
    /// Session in which it happened.
    #[serde(default)]
    pub session: Option<String>,
    /// Date, as `2026-11-01`.
    #[serde(default)]
    pub date: Option<String>,
}

/// Frontmatter fields that only a bullet has, by their key, with the rule's text. Stored in the
/// index with the note.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BulletFields {
    /// The rule: the body up to its first heading, trimmed, with its markup.
    pub content: String,
    /// The text below `## Why`.
    pub why: Option<String>,
    pub kind: BulletKind,
    pub scope_key: Option<String>,
    pub pinned_reason: Option<String>,
    /// Half-life of feedback in days, as written in the note.
    pub half_life_days: Option<f64>,
    pub sources: Vec<SessionSource>,
    pub derived_from: DerivedFrom,
    pub search_pointer: Option<String>,
    pub verify: Option<Verify>,
    pub incident: Option<Incident>,
    pub supersedes: Option<String>,
    pub replaced_by: Option<String>,
    pub deprecation_reason: Option<String>,
    pub promoted_at: Option<Instant>,
    pub last_validated_at: Option<Instant>,
}

/// A bullet as curation and ranking use it.
#[derive(Debug, Clone, PartialEq)]
pub struct Bullet {
    /// Id of the note, or its path if it has none.
    pub id: NoteId,
    pub path: NotePath,
    pub bullet_type: BulletType,
    /// Category; `general` if the note has none.
    pub category: String,
    pub scope: Scope,
    /// Name of the project to which a bullet with the scope `workspace` is limited.
    pub workspace: Option<String>,
    pub state: BulletState,
    pub maturity: Maturity,
    /// Whether automatic curation must not change it.
    pub pinned: bool,
    /// Tags without `#`.
    pub tags: Vec<String>,
    /// Feedback on the bullet, in the order of its file.
    pub feedback: Vec<Feedback>,
    pub created: Option<Instant>,
    pub updated: Option<Instant>,
    /// Last time that a person confirmed the bullet.
    pub last_checked: Option<Instant>,
    pub fields: BulletFields,
}

/// Where a bullet applies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RuleScope<'a> {
    pub scope: Scope,
    /// Language, framework or task of the scope.
    pub scope_key: Option<&'a str>,
    /// Name of the project if `scope` is [`Scope::Workspace`].
    pub workspace: Option<&'a str>,
}

impl RuleScope<'_> {
    /// Whether the two scopes overlap. Bullets of different projects, languages or frameworks
    /// neither conflict with nor duplicate each other.
    pub fn overlaps(&self, other: &RuleScope<'_>) -> bool {
        let apart = |a: Option<&str>, b: Option<&str>| matches!((a, b), (Some(a), Some(b)) if a != b);
        let keyed = self.scope == other.scope && self.scope != Scope::Global;
        let keys_apart = keyed && apart(self.scope_key, other.scope_key);
        !keys_apart && !apart(self.workspace, other.workspace)
    }
}

/// Union of two feedback lists as multisets: an event that occurs twice in one list counts as two
/// events.
pub fn merge_feedback(feedback: &[Feedback], more: &[Feedback]) -> Vec<Feedback> {
    let mut unmatched = feedback.to_vec();
    let mut all = feedback.to_vec();
    for event in more {
        match unmatched.iter().position(|other| other == event) {
            Some(at) => drop(unmatched.swap_remove(at)),
            None => all.push(event.clone()),
        }
    }
    all
}

impl Bullet {
    /// Reads a note as a bullet; `None` for other kinds of note. Unknown values of enumerated
    /// fields count as their default.
    pub fn of(note: &Note) -> Option<Self> {
        if note.kind != NoteKind::Bullet {
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
            state: BulletState::of(&word(&note.state)).unwrap_or_default(),
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

    pub fn content(&self) -> &str {
        &self.fields.content
    }

    pub fn rule_scope(&self) -> RuleScope<'_> {
        RuleScope {
            scope: self.scope,
            scope_key: self.fields.scope_key.as_deref(),
            workspace: self.workspace.as_deref(),
        }
    }

    /// Returns the rule as agents read it, see [`content::agent_text`].
    pub fn agent_text(&self) -> String {
        content::agent_text(self.content(), self.bullet_type)
    }

    pub fn is_anti_pattern(&self) -> bool {
        self.bullet_type == BulletType::AntiPattern
    }

    /// Returns the weighty `ignored` events since a person last checked the bullet.
    pub fn ignored_since_check(&self) -> impl Iterator<Item = &Feedback> {
        self.feedback.iter().filter(|event| {
            event.signal == FeedbackSignal::Ignored
                && event.weight > 0.0
                && self.last_checked.is_none_or(|checked| event.at > checked)
        })
    }

    /// Whether agents can see the bullet: its state is active, and its maturity is not deprecated.
    pub fn is_live(&self) -> bool {
        self.state == BulletState::Active && self.maturity != Maturity::Deprecated
    }

    /// Whether the bullet is neither retired nor deprecated; true of drafts.
    pub fn is_standing(&self) -> bool {
        self.state != BulletState::Retired && self.maturity != Maturity::Deprecated
    }
}
