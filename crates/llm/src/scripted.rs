//! A model with scripted answers, for tests and demonstrations.

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;

use super::Llm;
use super::error::{LlmError, Result};
use super::estimate::complete_usage;
use super::request::{ModelReply, ModelRequest, StopReason};

/// A model that answers from a script, for tests, and records its requests.
#[derive(Debug, Default)]
pub struct ScriptedModel {
    lines: Mutex<Vec<(ScriptedAnswer, bool)>>,
    requests: Mutex<Vec<ModelRequest>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptedAnswer {
    /// Answer of the model: a string, or other JSON that is returned as text.
    answer: Option<Value>,
    /// Text that a request must contain to get this answer; empty for any request.
    #[serde(default)]
    when: String,
    /// Whether the answer can be used more than once.
    #[serde(default)]
    again: bool,
    /// Error message with which the model fails instead of answering.
    error: Option<String>,
    /// Reason with which the model refuses to answer.
    declined: Option<String>,
    /// Whether the answer ends at the token limit.
    #[serde(default)]
    cut: bool,
    /// Numbers of input and output tokens that the model reports.
    tokens: Option<(u64, u64)>,
}

impl ScriptedModel {
    /// Creates a model that gives these answers in order, each once.
    pub fn of<S: Into<String>>(answers: impl IntoIterator<Item = S>) -> Self {
        let line = |answer: S| ScriptedAnswer {
            answer: Some(Value::String(answer.into())),
            when: String::new(),
            again: false,
            error: None,
            declined: None,
            cut: false,
            tokens: None,
        };
        let lines = answers.into_iter().map(|answer| (line(answer), false)).collect();
        Self { lines: Mutex::new(lines), requests: Mutex::default() }
    }

    /// Parses a script with one JSON object per line: `answer` (a string or JSON), and optionally
    /// `when` (text of the request), `again`, `error`, `declined`, `cut` and `tokens` (input and
    /// output). The first unused line with a matching `when` answers. Empty lines and lines that
    /// start with `#` are ignored.
    ///
    /// # Errors
    /// Returns the first invalid line.
    pub fn parse(text: &str) -> Result<Self> {
        let mut lines = Vec::new();
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let wrong =
                |why: String| LlmError::Script { why: format!("has an invalid line {}: {why}", at + 1) };
            let line: ScriptedAnswer =
                serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            if line.answer.is_none() && line.error.is_none() && line.declined.is_none() {
                return Err(wrong("it has neither `answer`, `error` nor `declined`".to_owned()));
            }
            lines.push((line, false));
        }
        Ok(Self { lines: Mutex::new(lines), requests: Mutex::default() })
    }

    /// Returns all requests that the model has received.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().clone()
    }

    fn next(&self, request: &ModelRequest) -> Option<ScriptedAnswer> {
        let question = request.as_text();
        let mut lines = self.lines.lock();
        let fits =
            |line: &&mut (ScriptedAnswer, bool)| (!line.1 || line.0.again) && question.contains(&line.0.when);
        let line = lines.iter_mut().find(fits)?;
        line.1 = true;
        Some(line.0.clone())
    }
}

impl Llm for ScriptedModel {
    fn provider(&self) -> &str {
        "scripted"
    }

    fn model(&self) -> &str {
        "script"
    }

    fn complete(&self, request: &ModelRequest) -> Result<ModelReply> {
        self.requests.lock().push(request.clone());
        let script = |why: &str| LlmError::Script { why: why.to_owned() };
        let line = self.next(request).ok_or_else(|| script("has no answer left for this question"))?;
        if let Some(why) = line.error {
            return Err(script(&format!("reports an error: {why}")));
        }
        let text = match line.answer {
            Some(Value::String(text)) => text,
            Some(json) => json.to_string(),
            None => String::new(),
        };
        let stop = match line.declined {
            Some(why) => StopReason::Refused(why),
            None if line.cut => StopReason::Length,
            None => StopReason::Done,
        };
        let usage =
            complete_usage(request, line.tokens.map(|both| both.0), line.tokens.map(|both| both.1), &text);
        Ok(ModelReply { text, stop, usage, model: "script".to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::redacted;
    use super::*;

    fn asked(script: &ScriptedModel, prompt: &str) -> String {
        let request = ModelRequest::new("You sum up.", redacted(prompt.to_owned()));
        match script.complete(&request) {
            Ok(reply) => format!("{} {:?} {:?}", reply.text, reply.stop, reply.usage),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn answers_come_in_order_once_each_and_as_they_fit() {
        let text = r#"
# A script.
{"when": "diary", "answer": {"status": "done"}, "tokens": [10, 2]}
{"answer": "first"}
{"when": "again", "answer": "as ever", "again": true}
{"when": "bad", "error": "the line is dead"}
{"when": "evil", "declined": "no"}
{"when": "long", "answer": "{\"a\":", "cut": true}
"#;
        let script = ScriptedModel::parse(text).unwrap();
        insta::assert_snapshot!(asked(&script, "a"), @"first Done TokenUsage { input: 13, output: 2, is_estimated: true }");
        insta::assert_snapshot!(asked(&script, "a diary"), @r#"{"status":"done"} Done TokenUsage { input: 10, output: 2, is_estimated: false }"#);
        for _ in 0..3 {
            assert!(asked(&script, "again").starts_with("as ever Done"));
        }
        insta::assert_snapshot!(asked(&script, "bad"), @"the answer script reports an error: the line is dead");
        insta::assert_snapshot!(asked(&script, "evil"), @r#" Refused("no") TokenUsage { input: 14, output: 0, is_estimated: true }"#);
        insta::assert_snapshot!(asked(&script, "long"), @r#"{"a": Length TokenUsage { input: 14, output: 2, is_estimated: true }"#);
        insta::assert_snapshot!(asked(&script, "a diary"), @"the answer script has no answer left for this question");
        assert_eq!(script.requests().len(), 9);
    }

    #[test]
    fn a_line_that_is_none_is_told() {
        for text in
            ["{\"answer\": \"a\"}\n{\"anwser\": \"b\"}", "{\"answer\": \"a\"}\n{}", "{\"answer\": 1}\nb"]
        {
            let error = ScriptedModel::parse(text).unwrap_err().to_string();
            assert!(error.starts_with("the answer script has an invalid line 2"), "{error}");
        }
    }
}
