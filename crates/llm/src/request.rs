//! What a model is asked, and what it answers.

use std::time::Duration;

use super::schema::Schema;
use cm_secrets::Redacted;

/// Stands in everything that a model is sent by us, so that an agent's log of it is recognised as our own.
pub const MARKER: &str = "<!-- cm:model-call -->";

/// One question to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    system: String,
    prompt: Redacted,
    /// What was answered before and is to be put right, with what is wrong with it.
    repair: Option<(String, String)>,
    /// The shape that the answer must have; without one it is free text.
    pub schema: Option<Schema>,
    /// How long the answer may be, in tokens.
    pub max_tokens: u32,
    /// How long one try may take.
    pub timeout: Duration,
}

/// One message of a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn<'a> {
    /// Who says it: `user` or `assistant`.
    pub role: &'static str,
    /// What is said.
    pub text: &'a str,
}

impl Request {
    /// A question: first what the model is and must do, in words of our own, then what it is about.
    pub fn new(system: &str, prompt: Redacted) -> Self {
        let system = if system.contains(MARKER) { system.to_owned() } else { format!("{MARKER}\n{system}") };
        let timeout = Duration::from_secs(60);
        Self { system, prompt, repair: None, schema: None, max_tokens: 4096, timeout }
    }

    /// The same question, whose answer must have this shape.
    pub fn shaped(self, schema: Schema) -> Self {
        Self { schema: Some(schema), ..self }
    }

    /// The same question, after an answer that was not good, with what is wrong with it.
    pub fn again(&self, answer: &str, wrong: &str) -> Self {
        Self { repair: Some((answer.to_owned(), wrong.to_owned())), ..self.clone() }
    }

    /// What the model is told about itself; begins with the [`MARKER`] or holds it.
    pub fn system(&self) -> &str {
        &self.system
    }

    /// The conversation so far; the last turn is ours.
    pub fn turns(&self) -> Vec<Turn<'_>> {
        let mut turns = vec![Turn { role: "user", text: self.prompt.as_str() }];
        if let Some((answer, wrong)) = &self.repair {
            // Servers refuse an empty message.
            let answer = if answer.trim().is_empty() { "(nothing)" } else { answer };
            turns.push(Turn { role: "assistant", text: answer });
            turns.push(Turn { role: "user", text: wrong });
        }
        turns
    }

    /// What the model is told about itself, with the shape in words for models that take none otherwise.
    pub fn system_with_shape(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{}\n\n{}", self.system, schema.in_words()),
            None => self.system.clone(),
        }
    }

    /// All of it as one text, for models that take one.
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

/// What a model answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The text.
    pub text: String,
    /// Why it ends there.
    pub stop: Stop,
    /// What it took.
    pub usage: Usage,
    /// The model that answered, by the name that it gives itself.
    pub model: String,
}

/// Why an answer ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// All was said.
    Done,
    /// It is as long as it may be.
    Length,
    /// The model declines, with its reason where it gives one.
    Declined(String),
}

/// How many tokens went in and out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// What the model read.
    pub input: u64,
    /// What it wrote, its thoughts included.
    pub output: u64,
    /// Whether nobody counted, and these are guesses by the length of the texts.
    pub guessed: bool,
}

impl Usage {
    /// This and another.
    pub fn and(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            guessed: self.guessed || other.guessed,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tests::clean;

    #[test]
    fn every_question_carries_the_marker_once() {
        let request = Request::new("You sum up.", clean("Sum up: a".to_owned()));
        assert_eq!(request.system(), format!("{MARKER}\nYou sum up."));
        let marked = Request::new(&format!("You sum up. {MARKER}"), clean(String::new()));
        assert_eq!(marked.system().matches(MARKER).count(), 1);
        assert_eq!(request.again("b", "no").as_text().matches(MARKER).count(), 1);
    }

    #[test]
    fn a_question_after_a_bad_answer_shows_it_and_what_is_wrong() {
        let schema = Schema::new("note", json!({ "type": "object" }));
        let request = Request::new("You sum up.", clean("Sum up: a".to_owned())).shaped(schema);
        assert_eq!(request.turns().len(), 1);
        let again = request.again(" ", "That is empty.");
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
