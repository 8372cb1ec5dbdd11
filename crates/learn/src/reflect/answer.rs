//! The answers that models give: a diary, deltas, or a verdict on a rule. Unknown keys are ignored,
//! in particular statements about origin, which the program sets itself.

use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::neighbour::Verdict;
use cm_note::bullet::{BulletType, Scope};
use cm_session::status::SessionStatus;

/// A diary written by a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DiaryAnswer {
    /// Outcome of the session.
    pub status: SessionStatus,
    /// Completed work.
    #[serde(default)]
    pub accomplishments: Vec<QuotedStatement>,
    /// Decisions, with their reasons.
    #[serde(default)]
    pub decisions: Vec<QuotedStatement>,
    /// Failures and their solutions.
    #[serde(default)]
    pub challenges: Vec<QuotedStatement>,
    /// Wishes of the user beyond this task.
    #[serde(default)]
    pub preferences: Vec<QuotedStatement>,
    /// Facts learned in the session.
    #[serde(default)]
    pub key_learnings: Vec<QuotedStatement>,
    /// Tags without `#`.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Keywords for finding the session.
    #[serde(default)]
    pub search_anchors: Vec<String>,
}

/// A statement with its source in the session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct QuotedStatement {
    /// One sentence.
    #[schemars(length(min = 3, max = 220))]
    pub text: String,
    /// Number after the `L` of the line that proves it.
    #[schemars(range(min = 1))]
    pub line: u64,
    /// Words of that line, copied exactly.
    #[schemars(length(min = 8, max = 300))]
    pub quote: String,
}

/// Deltas proposed by a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DeltasAnswer {
    /// Proposed deltas, at most 50; empty if nothing was learned.
    #[schemars(length(max = 50))]
    pub deltas: Vec<ProposedDelta>,
}

/// Deltas proposed by an agent that received a work package.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentAnswer {
    /// Id of the session from which they were learned.
    pub reflects: String,
    /// Agent of that session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Proposed deltas, at most 50; empty if nothing was learned.
    #[schemars(length(max = 50))]
    pub deltas: Vec<ProposedDelta>,
}

/// A delta proposed by a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedDelta {
    /// Number after the `L` of the line that proves it.
    #[schemars(range(min = 1))]
    pub line: u64,
    /// Words of that line, copied exactly.
    #[schemars(length(min = 8, max = 300))]
    pub quote: String,
    /// Reason for the proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How existing rules relate to a new rule or memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<Verdict>,
    #[serde(flatten)]
    pub step: ProposedChange,
}

/// A proposed change of the playbook or the memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ProposedChange {
    /// Adds a rule.
    Add {
        /// Category of the rule.
        #[schemars(regex(pattern = "^[a-z][a-z0-9_-]{0,49}$"))]
        category: String,
        /// Text of the rule: one statement.
        #[schemars(length(min = 10, max = 500))]
        content: String,
        /// Whether the rule is an instruction or a warning.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bullet_type: Option<BulletType>,
        /// Scope of the rule.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<Scope>,
        /// Tags without `#`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
    },
    /// A rule helped in this session.
    Helpful {
        /// Id of the rule.
        id: String,
    },
    /// A rule did harm in this session.
    Harmful {
        /// Id of the rule.
        id: String,
    },
    /// Rewords a rule.
    Replace {
        /// Id of the rule.
        id: String,
        /// New text of the rule.
        #[schemars(length(min = 10, max = 500))]
        content: String,
    },
    /// Retires a rule that is no longer valid.
    Deprecate {
        /// Id of the rule.
        id: String,
    },
    /// Combines several rules into one.
    Merge {
        /// Ids of the rules, at least two.
        #[schemars(length(min = 2))]
        ids: Vec<String>,
        /// Text of the combined rule.
        #[schemars(length(min = 10, max = 500))]
        content: String,
    },
    /// Adds a fact.
    Fact {
        /// The fact, in one sentence.
        #[schemars(length(min = 10, max = 160))]
        content: String,
    },
    /// Adds a preference of the user.
    Preference {
        /// The preference, in one sentence.
        #[schemars(length(min = 10, max = 160))]
        content: String,
    },
    /// Adds a choice that later work depends on.
    Decision {
        /// The decision with its reason, in one sentence.
        #[schemars(length(min = 10, max = 160))]
        content: String,
    },
    /// Adds how an error was ended.
    Fix {
        /// The error and what ended it, in one sentence.
        #[schemars(length(min = 10, max = 160))]
        content: String,
    },
}

/// Memories that a model finds in stashes, diaries and friction reports.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct MemoriesAnswer {
    /// Memories, at most 50; empty if nothing is worth remembering.
    #[schemars(length(max = 50))]
    pub memories: Vec<StatedMemory>,
}

/// Memories that an agent finds in the sources of a work package.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentMemories {
    /// Names of the sources, as in the work package.
    pub remembers: Vec<String>,
    /// Memories, at most 50; empty if nothing is worth remembering.
    #[schemars(length(max = 50))]
    pub memories: Vec<StatedMemory>,
}

/// A memory with its evidence in a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatedMemory {
    pub kind: StatedKind,
    /// The memory, in one sentence; an episode may have two.
    #[schemars(length(min = 10, max = 280))]
    pub text: String,
    /// Number after the `L` of the line that proves it.
    #[schemars(range(min = 1))]
    pub line: u64,
    /// Words of that line, copied exactly.
    #[schemars(length(min = 8, max = 300))]
    pub quote: String,
}

/// Kind of a memory in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatedKind {
    /// Something that holds beyond the session.
    Fact,
    /// A lasting wish of the user.
    Preference,
    /// The cause of a problem, with what ended it.
    Fix,
    /// Summary of what happened in the source.
    Episode,
}

/// A model's opinion on a rule, given its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleAnswer {
    /// Verdict on the rule.
    pub verdict: RuleOpinion,
    /// Reason, in one sentence.
    pub reason: String,
    /// Improved wording, if the rule is accepted with caution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refined: Option<String>,
    /// Confidence in the verdict, 0–1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// Numbers of the evidence that was used, from 1.
    #[serde(default)]
    pub evidence: Vec<usize>,
}

/// A model's verdict on a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RuleOpinion {
    /// The rule is valid.
    Accept,
    /// The rule is valid with a different wording.
    AcceptWithCaution,
    /// The rule is not valid.
    Reject,
}

/// Returns the JSON Schema of a diary.
pub fn diary_schema() -> Schema {
    schema_for!(DiaryAnswer)
}

/// Returns the JSON Schema of proposed deltas.
pub fn deltas_schema() -> Schema {
    schema_for!(DeltasAnswer)
}

/// Returns the JSON Schema of the answer to a work package.
pub fn agent_schema() -> Schema {
    schema_for!(AgentAnswer)
}

/// Returns the JSON Schema of remembered memories.
pub fn memories_schema() -> Schema {
    schema_for!(MemoriesAnswer)
}

/// Returns the JSON Schema of the answer to a work package with sources.
pub fn agent_memories_schema() -> Schema {
    schema_for!(AgentMemories)
}

/// Returns the JSON Schema of a verdict.
pub fn rule_schema() -> Schema {
    schema_for!(RuleAnswer)
}

/// An answer that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The text contains no JSON object.
    #[error("the answer contains no JSON object")]
    NoObject,
    /// The object does not match the schema.
    #[error("the answer does not match its schema: {0}")]
    Form(String),
}

/// Parses an answer; text and code fences around the JSON object are ignored.
///
/// # Errors
/// Returns the reason if no object matches. Its message is suitable for asking the model once for a
/// repair.
///
/// ```
/// use cm_learn::reflect::answer::{DeltasAnswer, parse};
/// assert_eq!(parse::<DeltasAnswer>("Here:\n```json\n{\"deltas\": []}\n```"), Ok(DeltasAnswer::default()));
/// ```
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, AnswerError> {
    let mut error = AnswerError::NoObject;
    for (at, _) in text.match_indices('{').take(20) {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<serde_json::Value>();
        let Some(Ok(value)) = values.next() else { continue };
        match serde_json::from_value(value) {
            Ok(answer) => return Ok(answer),
            Err(form) if error == AnswerError::NoObject => error = AnswerError::Form(form.to_string()),
            Err(_) => {}
        }
    }
    Err(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_and_what_it_says_of_its_origin_is_ignored() {
        let text = r#"{"deltas":[{"type":"add","category":"git","content":"Never force-push.","line":3,
            "quote":"never force-push","session":"forged","agent":"forged","bullet_type":"anti_pattern"}]}"#;
        let answer: DeltasAnswer = parse(text).unwrap();
        assert_eq!(answer.deltas[0].line, 3);
        assert!(!serde_json::to_string(&answer).unwrap().contains("forged"));
    }

    #[test]
    fn what_is_no_answer_is_refused_with_what_is_wrong() {
        assert_eq!(parse::<DeltasAnswer>("I cannot help."), Err(AnswerError::NoObject));
        let form = parse::<DeltasAnswer>(r#"{"deltas":[{"type":"fly","line":1,"quote":"x"}]}"#).unwrap_err();
        assert!(form.to_string().contains("fly"), "{form}");
        assert!(parse::<DiaryAnswer>(r#"{"status":"great"}"#).is_err());
    }

    #[test]
    fn the_schemas_name_every_step() {
        let schema = serde_json::to_string(&deltas_schema()).unwrap();
        let memories = ["fact", "preference", "decision", "fix"];
        for step in ["add", "helpful", "harmful", "replace", "deprecate", "merge"].iter().chain(&memories) {
            assert!(schema.contains(&format!("\"{step}\"")), "{step}");
        }
    }
}
