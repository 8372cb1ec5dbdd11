//! Tests against a real model, if `.ci/run` or a person provides its server. They check the
//! structure of answers, not their quality.
#![allow(clippy::disallowed_methods, reason = "a test is told by the environment where a model is")]

use std::io::Write as _;

use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape is tested")]
struct Lesson {
    rule: String,
    kind: Kind,
    sure: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Rule,
    Warning,
}

const SYSTEM: &str = "You read an excerpt of a coding session and write down the one lesson in it: rule (one imperative \
    sentence), kind (rule or warning), sure (true or false).";

const EXCERPTS: [&str; 4] = [
    "user: The tests fail on CI only.\nassistant: Each test opened its own connections, and the pool ran out. They \
        share one pool now, and pass.",
    "user: Never commit the lock file of the example again.\nassistant: I took it out and added it to .gitignore.",
    "assistant: cargo build failed: linker not found. I installed build-essential, and it works.",
    "user: Use tabs in the Makefile, not spaces.\nassistant: Fixed; make needs tabs.",
];

fn lesson() -> AnswerSchema {
    AnswerSchema::new(
        "lesson",
        json!({
            "type": "object",
            "properties": {
                "rule": { "type": "string" },
                "kind": { "type": "string", "enum": ["rule", "warning"] },
                "sure": { "type": "boolean" },
            },
            "required": ["rule", "kind", "sure"], "additionalProperties": false,
        }),
    )
}

fn check(lesson: &Lesson) -> std::result::Result<(), Vec<String>> {
    if lesson.rule.trim().is_empty() { Err(vec!["`rule` is empty".to_owned()]) } else { Ok(()) }
}

/// Prints a message to the terminal; it is not captured by the test harness.
fn say(what: &str) {
    let _ = writeln!(std::io::stderr(), "{what}");
}

#[test]
fn a_real_model_answers_in_the_shape_that_was_asked_for() {
    let Ok(url) = std::env::var("CM_TEST_LLM") else {
        return say("skipped: CM_TEST_LLM (an address such as http://127.0.0.1:8080/v1) is not set");
    };
    let address = Some(ServerUrl::parse(&url).unwrap());
    let remote =
        RemoteModel { provider: ModelProvider::Compatible, model: "any".to_owned(), address, key: None };
    let model =
        open(&ModelSelection::Remote(remote), retry_policy(3, 7), RetrySleeper::default()).unwrap().unwrap();
    let request = |excerpt: &str, system: &str| {
        let mut request = ModelRequest::new(system, redacted(excerpt.to_owned()));
        (request.max_tokens, request.timeout) = (400, Duration::from_secs(600));
        request
    };
    for excerpt in EXCERPTS {
        let answered =
            request_structured(&model, &request(excerpt, SYSTEM).with_schema(lesson()), check).unwrap();
        say(&format!("{:?} {:?}", answered.value, answered.usage));
        assert!(!answered.usage.is_estimated && answered.usage.output > 0);
    }
    // Held to nothing but words, it may fail; then it is told why.
    let in_words = format!("{SYSTEM} {}", lesson().instructions());
    for excerpt in EXCERPTS {
        match request_structured(&model, &request(excerpt, &in_words), check) {
            Ok(answered) => {
                say(&format!("in words, after {}: {:?}", answered.invalid_answers.len(), answered.value))
            }
            Err(unanswered) => {
                assert_eq!(unanswered.attempts.len(), 2);
                say(&format!("in words: {unanswered}"));
            }
        }
    }
}
