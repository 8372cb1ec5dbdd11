//! What a model may answer: a diary, deltas, or a verdict on a rule. Keys that are not known here are ignored, above all
//! those that say where something comes from: the program says that.

use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use cm_note::bullet::{BulletType, Scope};
use cm_session::status::SessionStatus;

/// A diary as a model writes it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DiaryAnswer {
    /// How the session ended.
    pub status: SessionStatus,
    /// What was reached.
    #[serde(default)]
    pub accomplishments: Vec<Point>,
    /// What was chosen, with its reason.
    #[serde(default)]
    pub decisions: Vec<Point>,
    /// What went wrong, and what helped.
    #[serde(default)]
    pub challenges: Vec<Point>,
    /// What the person wants beyond this task.
    #[serde(default)]
    pub preferences: Vec<Point>,
    /// What is known now.
    #[serde(default)]
    pub key_learnings: Vec<Point>,
    /// Without `#`.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Words that find the session again.
    #[serde(default)]
    pub search_anchors: Vec<String>,
}

/// One thing, with where the session says so.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// In a sentence.
    #[schemars(length(min = 3, max = 220))]
    pub text: String,
    /// The number behind the `L` of the line that says so.
    #[schemars(range(min = 1))]
    pub line: u64,
    /// Words of that line, copied exactly.
    #[schemars(length(min = 8, max = 300))]
    pub quote: String,
}

/// The deltas that a model proposes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct DeltasAnswer {
    /// At most 50, and none where nothing was learned.
    #[schemars(length(max = 50))]
    pub deltas: Vec<Proposed>,
}

/// The deltas that an agent proposes which was handed the work.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentAnswer {
    /// The session that they are learned from, by its id.
    pub reflects: String,
    /// The agent whose session that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// At most 50, and none where nothing was learned.
    #[schemars(length(max = 50))]
    pub deltas: Vec<Proposed>,
}

/// One delta that a model proposes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proposed {
    /// The line that it rests on: the number behind its `L`.
    #[schemars(range(min = 1))]
    pub line: u64,
    /// Words of that line, copied exactly.
    #[schemars(length(min = 8, max = 300))]
    pub quote: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What is proposed.
    #[serde(flatten)]
    pub step: Step,
}

/// What is proposed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Step {
    /// A new rule.
    Add {
        /// Its category.
        #[schemars(regex(pattern = "^[a-z][a-z0-9_-]{0,49}$"))]
        category: String,
        /// One statement.
        #[schemars(length(min = 10, max = 500))]
        content: String,
        /// Whether it says what to do or what to avoid.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bullet_type: Option<BulletType>,
        /// How far it reaches.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<Scope>,
        /// Without `#`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
    },
    /// A rule helped in this session.
    Helpful {
        /// Its id.
        id: String,
    },
    /// A rule did harm in this session.
    Harmful {
        /// Its id.
        id: String,
    },
    /// A rule in other words.
    Replace {
        /// Its id.
        id: String,
        /// What it says from now on.
        #[schemars(length(min = 10, max = 500))]
        content: String,
    },
    /// A rule that no longer holds.
    Deprecate {
        /// Its id.
        id: String,
    },
    /// Rules that become one.
    Merge {
        /// Their ids.
        #[schemars(length(min = 2))]
        ids: Vec<String>,
        /// What the one says.
        #[schemars(length(min = 10, max = 500))]
        content: String,
    },
    /// Something that is so.
    Fact {
        /// In a sentence.
        #[schemars(length(min = 10, max = 160))]
        content: String,
    },
    /// Something that the person wants.
    Preference {
        /// In a sentence.
        #[schemars(length(min = 10, max = 160))]
        content: String,
    },
}

/// What a model says of a rule and its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RuleAnswer {
    /// Its verdict.
    pub verdict: Judged,
    /// Why, in a sentence.
    pub reason: String,
    /// The rule in better words, where it is accepted with caution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refined: Option<String>,
    /// 0–1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub confidence: f64,
    /// The numbers of the pieces of evidence that it used, from 1.
    #[serde(default)]
    pub evidence: Vec<usize>,
}

/// A model's verdict on a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Judged {
    /// It holds.
    Accept,
    /// It holds in other words.
    AcceptWithCaution,
    /// It does not.
    Reject,
}

/// The JSON Schema that a diary answer must fit.
pub fn diary_schema() -> Schema {
    schema_for!(DiaryAnswer)
}

/// The JSON Schema that proposed deltas must fit.
pub fn deltas_schema() -> Schema {
    schema_for!(DeltasAnswer)
}

/// The JSON Schema that the answer of an agent must fit which was handed the work.
pub fn agent_schema() -> Schema {
    schema_for!(AgentAnswer)
}

/// The JSON Schema that a verdict must fit.
pub fn rule_schema() -> Schema {
    schema_for!(RuleAnswer)
}

/// An answer that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// No object at all.
    #[error("the answer holds no JSON object")]
    NoObject,
    /// One of another form.
    #[error("the answer does not fit its schema: {0}")]
    Form(String),
}

/// Reads an answer, also where a model put words or a code fence around it.
///
/// # Errors
/// What is no such object; its text serves to ask for a repair once.
///
/// ```
/// use cm_learn::reflect::answer::{DeltasAnswer, parse};
/// assert_eq!(parse::<DeltasAnswer>("Here:\n```json\n{\"deltas\": []}\n```"), Ok(DeltasAnswer::default()));
/// ```
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Unreadable> {
    let mut error = Unreadable::NoObject;
    for (at, _) in text.match_indices('{').take(20) {
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<serde_json::Value>();
        let Some(Ok(value)) = values.next() else { continue };
        match serde_json::from_value(value) {
            Ok(answer) => return Ok(answer),
            Err(form) if error == Unreadable::NoObject => error = Unreadable::Form(form.to_string()),
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
        assert_eq!(parse::<DeltasAnswer>("I cannot help."), Err(Unreadable::NoObject));
        let form = parse::<DeltasAnswer>(r#"{"deltas":[{"type":"fly","line":1,"quote":"x"}]}"#).unwrap_err();
        assert!(form.to_string().contains("fly"), "{form}");
        assert!(parse::<DiaryAnswer>(r#"{"status":"great"}"#).is_err());
    }

    #[test]
    fn the_schemas_name_every_step() {
        let schema = serde_json::to_string(&deltas_schema()).unwrap();
        for step in ["add", "helpful", "harmful", "replace", "deprecate", "merge", "fact", "preference"] {
            assert!(schema.contains(&format!("\"{step}\"")), "{step}");
        }
    }
}
