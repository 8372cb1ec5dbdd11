//! The report of a curation, delta by delta.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::apply::PERSONS_ONLY;
use super::delta::DeltaKind;
use cm_note::bullet::{BulletState, Maturity};

/// Result of a curation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CurationReport {
    /// Deltas that changed something.
    pub applied: Vec<AppliedDelta>,
    /// Deltas with nothing to change, with the reason.
    pub skipped: Vec<UnappliedDelta>,
    /// Refused deltas, with the reason.
    pub refused: Vec<UnappliedDelta>,
    /// New rules that contradict existing ones; they are drafts until a person decides.
    pub conflicts: Vec<RuleConflict>,
    /// Rules whose feedback raised their maturity.
    pub promotions: Vec<MaturityStep>,
    /// Rules whose feedback lowered their maturity or deprecated them.
    pub demotions: Vec<MaturityStep>,
    /// Drafts that became active because of new evidence.
    #[serde(default)]
    pub activations: Vec<Activation>,
    /// Anti-patterns created from deprecated rules.
    pub inversions: Vec<Inversion>,
    /// Rules that a later statement of a person replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<RuleReplacement>,
}

/// A rule that a later statement of a person replaced.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleReplacement {
    /// ID of the older rule, which is now deprecated.
    pub from: String,
    /// Text of the older rule.
    pub content: String,
    /// ID of the rule that replaces it.
    pub to: String,
    /// How the two contradict each other.
    pub reason: String,
}

/// A delta that changed something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppliedDelta {
    /// Number of the delta, from 1.
    pub delta: usize,
    /// Kind of the delta.
    pub op: DeltaKind,
    /// ID of the changed or new rule.
    pub id: String,
    /// Text of the rule.
    pub content: String,
    /// State of the rule, active or draft.
    pub state: BulletState,
    /// Additional information, such as why the rule is a draft.
    pub note: Option<String>,
}

impl AppliedDelta {
    /// Whether it added a rule that is a draft.
    pub fn adds_draft(&self) -> bool {
        self.op == DeltaKind::Add && self.state == BulletState::Draft
    }
}

/// A delta that changed nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnappliedDelta {
    /// Number of the delta, from 1.
    pub delta: usize,
    /// Kind of the delta, or of another proposal of a session, such as `fact`.
    pub op: String,
    /// ID of the rule concerned, or of the blocked pattern that matches.
    pub id: Option<String>,
    /// Reason code for scripts.
    pub code: UnappliedCode,
    /// Reason, for display.
    pub reason: String,
    /// Whether the existing rule was credited instead.
    pub credited: bool,
}

/// Why a delta changed nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnappliedCode {
    Ambiguous,
    BadCategory,
    BadWeight,
    Blocked,
    CannotEdit,
    Conflict,
    Deprecated,
    Duplicate,
    DuplicateElsewhere,
    EqualDelta,
    EvidenceAgainst,
    Merged,
    MixedTypes,
    NearDuplicate,
    NotARule,
    NotPinned,
    PersonsOnly,
    Pinned,
    #[serde(rename = "said-already")]
    FeedbackRepeated,
    Suspicious,
    TooFew,
    TooMany,
    TooManyTags,
    Unchanged,
    /// The quote of the delta is not in the session.
    Unfounded,
    UnknownBullet,
}

impl UnappliedCode {
    /// The code in JSON, which is also the code of the error for a single refused delta.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ambiguous => "ambiguous",
            Self::BadCategory => "bad-category",
            Self::BadWeight => "bad-weight",
            Self::Blocked => "blocked",
            Self::CannotEdit => "cannot-edit",
            Self::Conflict => "conflict",
            Self::Deprecated => "deprecated",
            Self::Duplicate => "duplicate",
            Self::DuplicateElsewhere => "duplicate-elsewhere",
            Self::EqualDelta => "equal-delta",
            Self::EvidenceAgainst => "evidence-against",
            Self::Merged => "merged",
            Self::MixedTypes => "mixed-types",
            Self::NearDuplicate => "near-duplicate",
            Self::NotARule => "not-a-rule",
            Self::NotPinned => "not-pinned",
            Self::PersonsOnly => PERSONS_ONLY,
            Self::Pinned => "pinned",
            Self::FeedbackRepeated => "said-already",
            Self::Suspicious => "suspicious",
            Self::TooFew => "too-few",
            Self::TooMany => "too-many",
            Self::TooManyTags => "too-many-tags",
            Self::Unchanged => "unchanged",
            Self::Unfounded => "unfounded",
            Self::UnknownBullet => "unknown-bullet",
        }
    }
}

/// Two rules that contradict each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleConflict {
    /// Number of the delta, from 1.
    pub delta: usize,
    /// ID of the new rule.
    pub id: String,
    /// Text of the new rule.
    pub content: String,
    /// ID of the contradicted rule.
    pub with: String,
    /// Text of the contradicted rule.
    pub with_content: String,
    /// Reason for the contradiction.
    pub reason: String,
}

/// A change of a rule's maturity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MaturityStep {
    /// ID of the rule.
    pub id: String,
    /// Text of the rule.
    pub content: String,
    /// Previous maturity.
    pub from: Maturity,
    /// New maturity.
    pub to: Maturity,
    /// Reason, with numbers.
    pub reason: String,
}

/// A draft that became active.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Activation {
    /// ID of the rule.
    pub id: String,
    /// Text of the rule.
    pub content: String,
    /// Evidence for activating it.
    pub reason: String,
}

/// An anti-pattern created from a deprecated rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Inversion {
    /// ID of the deprecated rule.
    pub from: String,
    /// ID of the anti-pattern.
    pub to: String,
    /// Text of the anti-pattern.
    pub content: String,
}
