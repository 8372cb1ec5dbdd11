//! Requests to a model, and its replies.

use std::time::Duration;

use super::schema::AnswerSchema;
use cm_secrets::Redacted;

/// Marker in every request that cm sends. In the logs of agents, it identifies sessions that cm
/// started.
pub const MARKER: &str = "<!-- cm:model-call -->";

#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    system: String,
    prompt: Redacted,
    /// An earlier invalid answer, and the message that describes its problems.
    repair: Option<(String, String)>,
    /// Schema of the answer; `None` for free text.
    pub schema: Option<AnswerSchema>,
    /// Maximum length of the answer in tokens.
    pub max_tokens: u32,
    /// Time limit for one attempt.
    pub timeout: Duration,
}

/// One message of a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatMessage<'a> {
    /// Role of the speaker: `user` or `assistant`.
    pub role: &'static str,
    pub text: &'a str,
}

impl ModelRequest {
    /// Creates a request from instructions, to which the marker is added, and a redacted prompt.
    pub fn new(system: &str, prompt: Redacted) -> Self {
        let system = if system.contains(MARKER) { system.to_owned() } else { format!("{MARKER}\n{system}") };
        let timeout = Duration::from_secs(60);
        Self { system, prompt, repair: None, schema: None, max_tokens: 4096, timeout }
    }

    /// Sets the schema of the answer.
    pub fn with_schema(self, schema: AnswerSchema) -> Self {
        Self { schema: Some(schema), ..self }
    }

    /// Returns a request to repair an invalid answer, with a description of its problems.
    pub fn repair(&self, answer: &str, wrong: &str) -> Self {
        Self { repair: Some((answer.to_owned(), wrong.to_owned())), ..self.clone() }
    }

    /// Returns the instructions, which contain the [`MARKER`].
    pub fn system(&self) -> &str {
        &self.system
    }

    /// Returns the messages so far; the last one has the role `user`.
    pub fn turns(&self) -> Vec<ChatMessage<'_>> {
        let mut turns = vec![ChatMessage { role: "user", text: self.prompt.as_str() }];
        if let Some((answer, wrong)) = &self.repair {
            // Servers refuse an empty message.
            let answer = if answer.trim().is_empty() { "(nothing)" } else { answer };
            turns.push(ChatMessage { role: "assistant", text: answer });
            turns.push(ChatMessage { role: "user", text: wrong });
        }
        turns
    }

    /// Returns the instructions followed by a description of the schema, for models that do not
    /// accept a schema.
    pub fn system_with_shape(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{}\n\n{}", self.system, schema.instructions()),
            None => self.system.clone(),
        }
    }

    /// Returns the whole request as one text, for programs that read only a prompt.
    pub fn as_text(&self) -> String {
        let mut text = self.system_with_shape();
        for turn in self.turns() {
            if turn.role == "assistant" {
                text.push_str("\n\nYour answer was:\n\n");
            } else {
                text.push_str("\n\n");
            }
            text.push_str(turn.text);
        }
        text.push('\n');
        text
    }
}

/// A model's answer to a request, with the token usage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReply {
    pub text: String,
    pub stop: StopReason,
    pub usage: TokenUsage,
    /// Name of the model as reported by the server.
    pub model: String,
}

/// Why a model ended its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The reply is complete.
    Done,
    /// The token limit was reached.
    Length,
    /// The model refused, with its reason or an empty text.
    Refused(String),
}

/// Numbers of tokens that a call used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenUsage {
    pub input: u64,
    /// Number of output tokens, including the model's reasoning.
    pub output: u64,
    /// Whether the numbers are estimates from the length of the texts.
    pub is_estimated: bool,
}

impl TokenUsage {
    /// Returns the sum of two usages; it is estimated if one of them is.
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            is_estimated: self.is_estimated || other.is_estimated,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::redacted;

    #[test]
    fn every_question_carries_the_marker_once() {
        let request = ModelRequest::new("You sum up.", redacted("Sum up: a".to_owned()));
        assert_eq!(request.system(), format!("{MARKER}\nYou sum up."));
        let marked = ModelRequest::new(&format!("You sum up. {MARKER}"), redacted(String::new()));
        assert_eq!(marked.system().matches(MARKER).count(), 1);
        assert_eq!(request.repair("b", "no").as_text().matches(MARKER).count(), 1);
    }

    #[test]
    fn a_question_after_a_bad_answer_shows_it_and_what_is_wrong() {
        let schema = AnswerSchema::new("note", json!({ "type": "object" }));
        let request = ModelRequest::new("You sum up.", redacted("Sum up: a".to_owned())).with_schema(schema);
        assert_eq!(request.turns().len(), 1);
        let again = request.repair(" ", "That is empty.");
        let turns: Vec<_> = again.turns().iter().map(|turn| (turn.role, turn.text)).collect();
        assert_eq!(turns, [("user", "Sum up: a"), ("assistant", "(nothing)"), ("user", "That is empty.")]);
        insta::assert_snapshot!(again.as_text(), @"
        <!-- cm:model-call -->
        You sum up.

        Answer with one JSON object of this shape, and nothing else:
        object

        Sum up: a

        Your answer was:

        (nothing)

        That is empty.
        ");
    }
}
