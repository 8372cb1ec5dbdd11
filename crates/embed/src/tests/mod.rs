//! Tests of the server-based providers against local test servers.

mod failures;
mod servers;

use std::time::Duration;

use serde_json::{Value, json};

use super::ollama::{Ollama, Timeouts};
use super::openai::OpenAi;
use super::{ApiKey, Error};
use cm_net::ServerUrl;
use cm_test_server::{ReceivedRequest, Reply, Server};

/// A timeout that is never reached in practice.
const LONG: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(1);
const KEY: &str = "sk-secret-12345";

fn ollama(server: &Server) -> Ollama {
    Ollama::new(
        &ServerUrl::parse(&server.url()).unwrap(),
        "all-minilm",
        Timeouts { usual: LONG, first: LONG, pause: PAUSE },
        None,
    )
}

fn openai(server: &Server) -> OpenAi {
    OpenAi::new(
        &ServerUrl::parse(&server.url()).unwrap(),
        "text-embedding-3-small",
        ApiKey::of(KEY),
        (LONG, PAUSE),
        None,
    )
}

/// Returns the texts of an embedding request.
fn inputs(request: &ReceivedRequest) -> Vec<String> {
    let inputs = request.body["input"].as_array().expect("the request has an input");
    inputs.iter().map(|text| text.as_str().expect("texts").to_owned()).collect()
}

/// Returns a vector that encodes the number in a text: `text 7` is the angle 0.07 on the unit
/// circle.
fn vector_of(text: &str) -> [f64; 2] {
    let number: f64 = text.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    [(number / 100.0).cos(), (number / 100.0).sin()]
}

/// Returns the response of a correct Ollama server.
fn embeddings(request: &ReceivedRequest) -> Value {
    let vectors: Vec<_> = inputs(request).iter().map(|text| vector_of(text)).collect();
    json!({ "model": "all-minilm", "embeddings": vectors })
}

/// Returns the response of a correct OpenAI-compatible server, in reverse order.
fn data(request: &ReceivedRequest) -> Value {
    let inputs = inputs(request);
    let vectors = inputs.iter().enumerate().rev();
    let vectors: Vec<_> = vectors
        .map(|(index, text)| json!({ "object": "embedding", "index": index, "embedding": vector_of(text) }))
        .collect();
    json!({ "object": "list", "data": vectors, "model": "m", "usage": { "prompt_tokens": 1 } })
}
