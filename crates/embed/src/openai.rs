//! Embedding models behind an OpenAI-compatible API, as in LM Studio, vLLM, llama.cpp and others.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::Embedder;
use super::error::{Error, Result};
use super::remote::{MAX_BATCH_TEXTS, MAX_QUOTED_CHARS, RemoteEmbedder, client};
use cm_net::{ApiKey, Client, ServerUrl, reason};
use cm_text::embedding::Embedding;
use cm_text::shorten::short_line;

/// Maximum length of a text in bytes. The models accept 8,191 tokens, and a token has at least one
/// byte.
const MAX_TEXT_BYTES: usize = 8_000;

/// A model on an OpenAI-compatible server.
#[derive(Debug)]
pub(super) struct OpenAi {
    client: Client,
    remote: RemoteEmbedder,
    url: String,
    model: String,
    timeout: Duration,
    has_key: bool,
}

#[derive(Deserialize)]
struct WireAnswer {
    data: Vec<WireVector>,
}

#[derive(Deserialize)]
struct WireVector {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl OpenAi {
    /// Creates a client for a model on a server.
    pub(super) fn new(
        address: &ServerUrl,
        model: &str,
        key: Option<ApiKey>,
        (timeout, pause): (Duration, Duration),
        dimension: Option<usize>,
    ) -> Self {
        Self {
            has_key: key.is_some(),
            client: client(key, pause),
            remote: RemoteEmbedder::new("openai", model, dimension),
            url: address.below("embeddings"),
            model: model.to_owned(),
            timeout,
        }
    }

    fn ask(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let texts: Vec<&str> = texts.iter().map(|text| cut(text)).collect();
        let document = json!({ "model": self.model, "input": texts, "encoding_format": "float" });
        let body = self
            .client
            .post(&self.url, &document, self.timeout)
            .map_err(|error| self.helped(error.into()))?;
        let malformed = |why| Error::Malformed { url: self.url.clone(), why };
        let answer: WireAnswer =
            serde_json::from_slice(&body).map_err(|error| {
                let error_text = reason(&body).filter(|_| body.starts_with(b"{\"error\""));
                malformed(error_text.map_or_else(
                    || error.to_string(),
                    |error_text| short_line(&error_text, MAX_QUOTED_CHARS),
                ))
            })?;
        in_order(answer.data).ok_or_else(|| malformed("vectors with an invalid `index`".to_owned()))
    }

    fn helped(&self, error: Error) -> Error {
        let Error::Refused { url, status, message, .. } = error else { return error };
        let hint = match status {
            401 | 403 if self.has_key => Some("check `embeddings.key`"),
            401 | 403 => Some("run `cm config set embeddings.key KEY --private`, or set CM_EMBEDDINGS_KEY"),
            404 => Some("check the model name, and that `embeddings.url` ends in /v1"),
            _ => None,
        };
        Error::Refused { url, status, message, hint: hint.map(str::to_owned) }
    }
}

/// Sorts the vectors by index. Returns `None` if an index is missing or repeated. Without any
/// index, the order of the response is used.
fn in_order(mut data: Vec<WireVector>) -> Option<Vec<Vec<f32>>> {
    if data.iter().any(|vector| vector.index.is_some()) {
        data.sort_by_key(|vector| vector.index);
        if data.iter().enumerate().any(|(at, vector)| vector.index != Some(at)) {
            return None;
        }
    }
    Some(data.into_iter().map(|vector| vector.embedding).collect())
}

/// Cuts a text to the length that every model accepts.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

impl Embedder for OpenAi {
    fn name(&self) -> &str {
        &self.remote.name
    }

    fn batch(&self) -> usize {
        MAX_BATCH_TEXTS
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>> {
        self.remote.passages(texts, &self.url, |batch| self.ask(batch))
    }

    fn embed_query(&self, text: &str) -> Result<Embedding> {
        self.remote.query(text, &self.url, |batch| self.ask(batch))
    }
}
