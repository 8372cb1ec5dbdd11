//! A model with scripted answers, for tests and demonstrations.

use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::Value;

use super::Llm;
use super::error::{Error, Result};
use super::estimate::counted;
use super::request::{Reply, Request, Stop};

/// A script and the requests so far.
#[derive(Debug, Default)]
pub struct Scripted {
    lines: Mutex<Vec<(WireLine, bool)>>,
    asked: Mutex<Vec<Request>>,
}

/// One answer of a script.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLine {
    /// The answer: a string, or other JSON that is sent as text.
    answer: Option<Value>,
    /// Text that the request must contain for this answer to apply.
    #[serde(default)]
    when: String,
    /// Whether the answer can be used more than once.
    #[serde(default)]
    again: bool,
    /// Fails with this error instead of answering.
    error: Option<String>,
    /// Refuses with this reason instead of answering.
    declined: Option<String>,
    /// Whether the answer is truncated.
    #[serde(default)]
    cut: bool,
    /// Reported numbers of input and output tokens.
    tokens: Option<(u64, u64)>,
}

impl Scripted {
    /// Creates a script with these answers, in this order, each used once.
    pub fn of<S: Into<String>>(answers: impl IntoIterator<Item = S>) -> Self {
        let line = |answer: S| WireLine {
            answer: Some(Value::String(answer.into())),
            when: String::new(),
            again: false,
            error: None,
            declined: None,
            cut: false,
            tokens: None,
        };
        let lines = answers.into_iter().map(|answer| (line(answer), false)).collect();
        Self { lines: Mutex::new(lines), asked: Mutex::default() }
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
                |why: String| Error::Script { why: format!("has a line {} that is none: {why}", at + 1) };
            let line: WireLine = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            if line.answer.is_none() && line.error.is_none() && line.declined.is_none() {
                return Err(wrong("it has neither `answer`, `error` nor `declined`".to_owned()));
            }
            lines.push((line, false));
        }
        Ok(Self { lines: Mutex::new(lines), asked: Mutex::default() })
    }

    /// Returns the requests so far.
    pub fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn next(&self, request: &Request) -> Option<WireLine> {
        let question = request.as_text();
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let fits =
            |line: &&mut (WireLine, bool)| (!line.1 || line.0.again) && question.contains(&line.0.when);
        let line = lines.iter_mut().find(fits)?;
        line.1 = true;
        Some(line.0.clone())
    }
}

impl Llm for Scripted {
    fn provider(&self) -> &str {
        "scripted"
    }

    fn model(&self) -> &str {
        "script"
    }

    fn complete(&self, request: &Request) -> Result<Reply> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let script = |why: &str| Error::Script { why: why.to_owned() };
        let line = self.next(request).ok_or_else(|| script("has no answer left for this question"))?;
        if let Some(why) = line.error {
            return Err(script(&format!("says that no answer comes: {why}")));
        }
        let text = match line.answer {
            Some(Value::String(text)) => text,
            Some(json) => json.to_string(),
            None => String::new(),
        };
        let stop = match line.declined {
            Some(why) => Stop::Declined(why),
            None if line.cut => Stop::Length,
            None => Stop::Done,
        };
        let usage = counted(request, line.tokens.map(|both| both.0), line.tokens.map(|both| both.1), &text);
        Ok(Reply { text, stop, usage, model: "script".to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::clean;
    use super::*;

    fn asked(script: &Scripted, prompt: &str) -> String {
        let request = Request::new("You sum up.", clean(prompt.to_owned()));
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
        let script = Scripted::parse(text).unwrap();
        insta::assert_snapshot!(asked(&script, "a"), @"first Done Usage { input: 13, output: 2, guessed: true }");
        insta::assert_snapshot!(asked(&script, "a diary"), @r#"{"status":"done"} Done Usage { input: 10, output: 2, guessed: false }"#);
        for _ in 0..3 {
            assert!(asked(&script, "again").starts_with("as ever Done"));
        }
        insta::assert_snapshot!(asked(&script, "bad"), @"the script of answers says that no answer comes: the line is dead");
        insta::assert_snapshot!(asked(&script, "evil"), @r#" Declined("no") Usage { input: 14, output: 0, guessed: true }"#);
        insta::assert_snapshot!(asked(&script, "long"), @r#"{"a": Length Usage { input: 14, output: 2, guessed: true }"#);
        insta::assert_snapshot!(asked(&script, "a diary"), @"the script of answers has no answer left for this question");
        assert_eq!(script.asked().len(), 9);
    }

    #[test]
    fn a_line_that_is_none_is_told() {
        for text in
            ["{\"answer\": \"a\"}\n{\"anwser\": \"b\"}", "{\"answer\": \"a\"}\n{}", "{\"answer\": 1}\nb"]
        {
            let error = Scripted::parse(text).unwrap_err().to_string();
            assert!(error.starts_with("the script of answers has a line 2 that is none"), "{error}");
        }
    }
}
