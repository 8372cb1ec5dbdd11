//! Deltas: proposed steps of a curation, as they stand in a delta file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use cm_note::bullet::{BulletKind, BulletType, Scope, Verify};

/// A file of deltas: who proposes them, and what.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeltaFile {
    /// The session that they come from, for deltas that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent whose session it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The deltas, carried out in this order.
    pub deltas: Vec<Delta>,
}

/// One proposed step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Delta {
    /// A new bullet.
    Add(Box<Add>),
    /// A bullet helped.
    Helpful(Judge),
    /// A bullet did harm.
    Harmful(Judge),
    /// A bullet did not matter.
    Irrelevant(Judge),
    /// A bullet says it in other words from now on; its feedback and history stay.
    Replace(Replace),
    /// A bullet is no longer followed.
    Deprecate(Deprecate),
    /// Several bullets become a new one.
    Merge(Merge),
    /// Automation must leave a bullet alone.
    Pin(Pin),
    /// Automation may change a bullet again.
    Unpin(Pin),
}

/// The bullet of an add.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// Its category.
    #[schemars(regex(pattern = "^[a-z][a-z0-9_-]{0,49}$"))]
    pub category: String,
    /// The rule, 10 to 500 characters.
    #[schemars(length(min = 10, max = 500))]
    pub content: String,
    /// Whether it says what to do or what to avoid; found in `kind` where nothing is said.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub bullet_type: Option<BulletType>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<BulletKind>,
    /// Without `#`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How far it reaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// The language, framework or task that the scope names.
    #[serde(default, alias = "scopeKey", skip_serializing_if = "Option::is_none")]
    pub scope_key: Option<String>,
    /// The project that it holds for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// A query that finds the details.
    #[serde(default, alias = "searchPointer", skip_serializing_if = "Option::is_none")]
    pub search_pointer: Option<String>,
    /// Why; becomes the section `## Why`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Quotes that it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Ids of the diaries that it was made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diaries: Vec<String>,
    /// How to see whether it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verify>,
}

/// A new bullet, with where it comes from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Add {
    /// The bullet.
    pub bullet: Proposal,
    /// Why it is proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The session that it comes from.
    #[serde(
        default,
        alias = "sourceSession",
        alias = "source_session",
        skip_serializing_if = "Option::is_none"
    )]
    pub session: Option<String>,
    /// The line in the session's log, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// A word of feedback.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judge {
    /// The bullet.
    #[serde(alias = "bullet_id", alias = "bulletId")]
    pub id: String,
    /// The session in which it was judged; a second word of the same kind from one session counts for nothing.
    #[serde(
        default,
        alias = "sourceSession",
        alias = "source_session",
        skip_serializing_if = "Option::is_none"
    )]
    pub session: Option<String>,
    /// Of harm: caused_bug, wasted_time, contradicted_requirements, wrong_context, outdated or other. Any other text is
    /// kept as a note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// 1 for an explicit word, a fraction for an inferred one; 1 where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub weight: Option<f64>,
    /// Of harm: a person says that the opposite of the rule holds, so that an anti-pattern is made of it once its score is
    /// below the threshold, though nobody else reported harm.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub invert: bool,
}

/// Other words for a bullet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replace {
    /// The bullet.
    #[serde(alias = "bullet_id", alias = "bulletId")]
    pub id: String,
    /// What it says from now on.
    #[serde(alias = "new_content", alias = "newContent")]
    #[schemars(length(min = 10, max = 500))]
    pub content: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The end of a bullet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deprecate {
    /// The bullet.
    #[serde(alias = "bullet_id", alias = "bulletId")]
    pub id: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The bullet that holds in its place.
    #[serde(default, alias = "replacedBy", skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
}

/// Several bullets as one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Merge {
    /// The bullets, two or more.
    #[serde(alias = "bullet_ids", alias = "bulletIds")]
    #[schemars(length(min = 2))]
    pub ids: Vec<String>,
    /// What the new one says.
    #[serde(alias = "merged_content", alias = "mergedContent")]
    #[schemars(length(min = 10, max = 500))]
    pub content: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A bullet and a reason.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// The bullet.
    #[serde(alias = "bullet_id", alias = "bulletId")]
    pub id: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The JSON Schema of delta files.
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(DeltaFile)
}

/// A text that is no file of deltas.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotDeltas {
    /// What is wrong.
    pub message: String,
    /// The line, from 1, where the text is no JSON.
    pub line: Option<u32>,
    /// The column, from 1.
    pub column: Option<u32>,
}

impl DeltaFile {
    /// Reads a delta file: an object with `deltas`, or the bare list.
    ///
    /// # Errors
    /// What is no JSON, with its place; a delta that has no known type or lacks something, with its number.
    pub fn parse(text: &str) -> Result<Self, NotDeltas> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let value: Value = serde_json::from_str(text).map_err(|error| NotDeltas {
            message: format!("this is no JSON: {error}"),
            line: u32::try_from(error.line()).ok(),
            column: u32::try_from(error.column()).ok(),
        })?;
        let wrong = |message: String| NotDeltas { message, line: None, column: None };
        let (mut head, list) = match value {
            Value::Array(list) => (serde_json::Map::new(), list),
            Value::Object(mut head) => match head.insert("deltas".to_owned(), Value::Array(Vec::new())) {
                Some(Value::Array(list)) => (head, list),
                _ => return Err(wrong("a delta file holds a list `deltas`".to_owned())),
            },
            _ => {
                return Err(wrong("a delta file is an object with `deltas`, or a list of deltas".to_owned()));
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

impl Delta {
    /// Its `type`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Add(_) => "add",
            Self::Helpful(_) => "helpful",
            Self::Harmful(_) => "harmful",
            Self::Irrelevant(_) => "irrelevant",
            Self::Replace(_) => "replace",
            Self::Deprecate(_) => "deprecate",
            Self::Merge(_) => "merge",
            Self::Pin(_) => "pin",
            Self::Unpin(_) => "unpin",
        }
    }

    /// The bullets that it names.
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
