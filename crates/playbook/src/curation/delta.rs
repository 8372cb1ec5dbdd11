//! Deltas: the steps of a curation, as stored in a delta file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use cm_note::bullet::{BulletKind, BulletType, RuleScope, Scope, Verify};
use cm_note::instant::Instant;

/// A delta file: proposed changes to a playbook and their origin.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeltaFile {
    /// Session of deltas that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Agent of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Deltas, applied in this order.
    pub deltas: Vec<CurationDelta>,
}

/// One proposed change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum CurationDelta {
    /// Adds a rule.
    Add(Box<AddDelta>),
    /// Records that a rule helped.
    Helpful(FeedbackDelta),
    /// Records that a rule did harm.
    Harmful(FeedbackDelta),
    /// Records that a rule was irrelevant.
    Irrelevant(FeedbackDelta),
    /// Rewords a rule; its feedback and history remain.
    Replace(ReplaceDelta),
    /// Deprecates a rule.
    Deprecate(DeprecateDelta),
    /// Merges several rules into a new one.
    Merge(MergeDelta),
    /// Pins a rule, so that automation cannot change it.
    Pin(PinDelta),
    /// Unpins a rule.
    Unpin(PinDelta),
}

cm_text::named_enum! {
    /// Kind of a delta: its field `type`.
    pub enum DeltaKind {
        Add = "add",
        Helpful = "helpful",
        Harmful = "harmful",
        Irrelevant = "irrelevant",
        Replace = "replace",
        Deprecate = "deprecate",
        Merge = "merge",
        Pin = "pin",
        Unpin = "unpin",
    }
}

/// The rule of an add delta.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleProposal {
    /// Category: lower-case letters, digits, `_` and `-`.
    #[schemars(regex(pattern = "^[a-z][a-z0-9_-]{0,49}$"))]
    pub category: String,
    /// Text of the rule, 10 to 500 characters.
    #[schemars(length(min = 10, max = 500))]
    pub content: String,
    /// Rule or anti-pattern; derived from `kind` if omitted.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub bullet_type: Option<BulletType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<BulletKind>,
    /// Tags without `#`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Language, framework or task of the scope.
    #[serde(default, alias = "scopeKey", skip_serializing_if = "Option::is_none")]
    pub scope_key: Option<String>,
    /// Project that the rule applies to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// Search query that finds details.
    #[serde(default, alias = "searchPointer", skip_serializing_if = "Option::is_none")]
    pub search_pointer: Option<String>,
    /// Explanation; becomes the section `## Why`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Quotes that support the rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// IDs of the diaries that the rule was derived from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diaries: Vec<String>,
    /// How to check that the rule is followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verify>,
}

impl RuleProposal {
    pub(super) fn rule_scope(&self) -> RuleScope<'_> {
        RuleScope {
            scope: self.scope.unwrap_or_default(),
            scope_key: self.scope_key.as_deref(),
            workspace: self.workspace.as_deref(),
        }
    }
}

/// A new rule and its origin.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddDelta {
    /// The new rule.
    pub bullet: RuleProposal,
    /// Reason for the proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Session that the rule comes from.
    #[serde(
        default,
        alias = "sourceSession",
        alias = "source_session",
        skip_serializing_if = "Option::is_none"
    )]
    pub session: Option<String>,
    /// Line in the session's log, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The statement of a person that the rule was read from. Set by the program only.
    #[serde(skip)]
    pub stated: Option<StatedRule>,
    /// Rules of which at most one holds together with this one, if a person stated it. Set by the
    /// program only.
    #[serde(skip)]
    pub excludes: Vec<ExcludedRule>,
}

/// A person's statement in a session.
#[derive(Debug, Clone, PartialEq)]
pub struct StatedRule {
    /// Time of the statement.
    pub at: Instant,
    /// The person's words, verbatim.
    pub quote: String,
}

/// A rule that cannot hold together with a new statement of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcludedRule {
    /// ID of the rule.
    pub id: String,
    /// Reason for display.
    pub reason: String,
    /// Whether the rule was last stated before the new statement, which then replaces it.
    pub is_older: bool,
}

/// Feedback on a rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedbackDelta {
    /// ID of the rule.
    #[serde(alias = "bullet_id", alias = "bulletId")]
    pub id: String,
    /// Session of the feedback; each session counts once for each kind.
    #[serde(
        default,
        alias = "sourceSession",
        alias = "source_session",
        skip_serializing_if = "Option::is_none"
    )]
    pub session: Option<String>,
    /// For harm: caused_bug, wasted_time, contradicted_requirements, wrong_context, outdated or
    /// other. Any other text is stored as a note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Weight of the feedback, 0–1: 1 if explicit (the default), less if inferred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weight: Option<f64>,
    /// For harm: a person states that the opposite of the rule is true. The rule becomes an
    /// anti-pattern once its score is below the threshold, even without other reports.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invert: bool,
    /// Whether the session itself is the evidence, so that the feedback is dated at its end. Set by
    /// the program only.
    #[serde(skip)]
    pub is_session_outcome: bool,
}

/// New text for a rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplaceDelta {
    /// ID of the rule.
    #[serde(alias = "bullet_id", alias = "bulletId")]
    pub id: String,
    /// New text.
    #[serde(alias = "new_content", alias = "newContent")]
    #[schemars(length(min = 10, max = 500))]
    pub content: String,
    /// Reason for the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Deprecation of a rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeprecateDelta {
    /// ID of the rule.
    #[serde(alias = "bullet_id", alias = "bulletId")]
    pub id: String,
    /// Reason for the deprecation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// ID of the rule that replaces it.
    #[serde(default, alias = "replacedBy", skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// Whether sessions withdraw the rule: a person does, or commands pass without what it demands. Set by the program
    /// only.
    #[serde(skip)]
    pub is_withdrawn: bool,
}

/// Merge of several rules.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeDelta {
    /// IDs of at least two rules.
    #[serde(alias = "bullet_ids", alias = "bulletIds")]
    #[schemars(length(min = 2))]
    pub ids: Vec<String>,
    /// Text of the merged rule.
    #[serde(alias = "merged_content", alias = "mergedContent")]
    #[schemars(length(min = 10, max = 500))]
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Pins or unpins a rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinDelta {
    /// ID of the rule.
    #[serde(alias = "bullet_id", alias = "bulletId")]
    pub id: String,
    /// Reason for the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

pub fn schema() -> schemars::Schema {
    cm_note::note::schema::with_id(schemars::schema_for!(DeltaFile), "deltas")
}

/// Error for text that is not a delta file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidDeltaFile {
    /// What is wrong.
    pub message: String,
    /// Line from 1; only if the text is not JSON.
    pub line: Option<u32>,
    /// Column from 1; only if the text is not JSON.
    pub column: Option<u32>,
}

impl DeltaFile {
    /// Parses a delta file: an object with `deltas`, or a plain list.
    ///
    /// # Errors
    /// The text is not JSON (with line and column), or a delta has an unknown type or an invalid
    /// field (with its number).
    pub fn parse(text: &str) -> Result<Self, InvalidDeltaFile> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = serde_json::from_str(text).map_err(|error| InvalidDeltaFile {
            message: format!("this is not valid JSON: {error}"),
            line: u32::try_from(error.line()).ok(),
            column: u32::try_from(error.column()).ok(),
        })?;
        let wrong = |message: String| InvalidDeltaFile { message, line: None, column: None };
        let (mut head, list) = match value {
            Value::Array(list) => (serde_json::Map::new(), list),
            Value::Object(mut head) => match head.insert("deltas".to_owned(), Value::Array(Vec::new())) {
                Some(Value::Array(list)) => (head, list),
                _ => return Err(wrong("a delta file needs a list `deltas`".to_owned())),
            },
            _ => {
                return Err(wrong(
                    "a delta file must be an object with `deltas` or a list of deltas".to_owned(),
                ));
            }
        };
        head.entry("deltas").or_insert_with(|| Value::Array(Vec::new()));
        let mut file: Self =
            serde_json::from_value(Value::Object(head)).map_err(|error| wrong(error.to_string()))?;
        for (number, delta) in list.into_iter().enumerate() {
            let delta = serde_json::from_value(delta)
                .map_err(|error| wrong(format!("delta {}: {error}", number + 1)))?;
            file.deltas.push(delta);
        }
        Ok(file)
    }
}

impl CurationDelta {
    pub fn kind(&self) -> DeltaKind {
        match self {
            Self::Add(_) => DeltaKind::Add,
            Self::Helpful(_) => DeltaKind::Helpful,
            Self::Harmful(_) => DeltaKind::Harmful,
            Self::Irrelevant(_) => DeltaKind::Irrelevant,
            Self::Replace(_) => DeltaKind::Replace,
            Self::Deprecate(_) => DeltaKind::Deprecate,
            Self::Merge(_) => DeltaKind::Merge,
            Self::Pin(_) => DeltaKind::Pin,
            Self::Unpin(_) => DeltaKind::Unpin,
        }
    }

    /// IDs of the bullets that the delta names.
    pub fn ids(&self) -> Vec<&str> {
        match self {
            Self::Add(_) => Vec::new(),
            Self::Helpful(judge) | Self::Harmful(judge) | Self::Irrelevant(judge) => vec![&judge.id],
            Self::Replace(replace) => vec![&replace.id],
            Self::Deprecate(deprecate) => vec![&deprecate.id],
            Self::Merge(merge) => merge.ids.iter().map(String::as_str).collect(),
            Self::Pin(pin) | Self::Unpin(pin) => vec![&pin.id],
        }
    }
}
