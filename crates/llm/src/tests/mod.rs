//! Tests of the providers against real servers on loopback and real programs.

mod answers;
mod failures;
mod metered;
mod programs;
mod real;
mod servers;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use cm_secrets::{Redacted, RedactionRules, redact};
use cm_test_server::{Reply as Said, Server};

/// Timeout that is long enough for every expected answer.
const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(100);
const KEY: &str = "sk-secret-12345";

/// Creates a model of a provider on a test server. Retry delays are recorded instead of waited for.
fn model(provider: ModelProvider, server: &Server) -> (BoxedLlm, Arc<Mutex<Vec<Duration>>>) {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&waits);
    let retry_sleeper = RetrySleeper::new(move |wait| kept.lock().unwrap().push(wait), || false);
    let remote = RemoteModel {
        provider,
        model: "small".to_owned(),
        address: Some(ServerUrl::parse(&server.url()).unwrap()),
        key: ApiKey::of(KEY),
    };
    (open(&ModelSelection::Remote(remote), retry_policy(3, 7), retry_sleeper).unwrap().unwrap(), waits)
}

/// Creates a redacted text from one without secrets.
pub(super) fn redacted(text: String) -> Redacted {
    redact(&text, &RedactionRules::none()).0
}

fn schema() -> AnswerSchema {
    AnswerSchema::new(
        "note",
        json!({
            "type": "object", "properties": { "title": { "type": "string" }, "stars": { "type": "integer" } },
            "required": ["title", "stars"], "additionalProperties": false,
        }),
    )
}

fn request() -> ModelRequest {
    let mut request =
        ModelRequest::new("You sum up.", redacted("Sum up: a".to_owned())).with_schema(schema());
    request.timeout = LONG;
    request.max_tokens = 300;
    request
}

/// Returns a valid answer of an OpenAI-compatible server.
fn chat(text: &str) -> Value {
    json!({
        "id": "x", "object": "chat.completion", "created": 1, "model": "small-2026-08-07",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text, "refusal": null },
            "logprobs": null, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49 },
    })
}

/// Returns a valid answer of an Anthropic server.
fn message(text: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "small-2026-08-07",
        "content": [{ "type": "thinking", "thinking": "Hm.", "signature": "x" }, { "type": "text", "text": text }],
        "stop_reason": "end_turn", "stop_sequence": null,
        "usage": { "input_tokens": 30, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 10,
            "output_tokens": 9 },
    })
}
