//! Embedding models on an Ollama server.
//!
//! Missing models are not downloaded; the error suggests `ollama pull`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::Embedder;
use super::error::{Error, Result};
use super::remote::{MAX_BATCH_TEXTS, MAX_QUOTED_CHARS, RemoteEmbedder, client};
use cm_net::{Client, ServerUrl, reason};
use cm_text::embedding::Embedding;
use cm_text::shorten::short_line;

/// A model on an Ollama server.
#[derive(Debug)]
pub(super) struct Ollama {
    client: Client,
    remote: RemoteEmbedder,
    url: String,
    model: String,
    times: Timeouts,
    warm: AtomicBool,
}

/// Timeouts and retry delay.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timeouts {
    /// Timeout of a request.
    pub(super) usual: Duration,
    /// Timeout of the first request, during which the server may load or download the model.
    pub(super) first: Duration,
    /// Wait before a failed request is repeated.
    pub(super) pause: Duration,
}

#[derive(Deserialize)]
struct WireAnswer {
    embeddings: Vec<Vec<f32>>,
}

impl Ollama {
    /// Creates a client for a model on a server.
    pub(super) fn new(address: &ServerUrl, model: &str, times: Timeouts, dimension: Option<usize>) -> Self {
        Self {
            client: client(None, times.pause),
            remote: RemoteEmbedder::new("ollama", model, dimension),
            url: address.below("api/embed"),
            model: model.to_owned(),
            times,
            warm: AtomicBool::new(false),
        }
    }

    fn ask(&self, texts: &[String], timeout: Duration) -> Result<Vec<Vec<f32>>> {
        let document = json!({ "model": self.model, "input": texts });
        let body =
            self.client.post(&self.url, &document, timeout).map_err(|error| self.helped(error.into()))?;
        let answer: WireAnswer = serde_json::from_slice(&body).map_err(|error| Error::Malformed {
            url: self.url.clone(),
            why: reason(&body)
                .filter(|_| body.starts_with(b"{\"error\""))
                .map_or_else(|| error.to_string(), |error_text| short_line(&error_text, MAX_QUOTED_CHARS)),
        })?;
        self.warm.store(true, Ordering::Relaxed);
        Ok(answer.embeddings)
    }

    fn helped(&self, error: Error) -> Error {
        match error {
            Error::Refused { url, status: 404, message, .. } => {
                let hint = Some(format!("ollama pull {}", self.model));
                Error::Refused { url, status: 404, message, hint }
            }
            other => other,
        }
    }
}

impl Embedder for Ollama {
    fn name(&self) -> &str {
        &self.remote.name
    }

    fn batch(&self) -> usize {
        MAX_BATCH_TEXTS
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>> {
        let timeout = || {
            if self.warm.load(Ordering::Relaxed) { self.times.usual } else { self.times.first }
        };
        self.remote.passages(texts, &self.url, |batch| self.ask(batch, timeout()))
    }

    // A person waits for a search, so a question never gets the time of a first pull.
    fn embed_query(&self, text: &str) -> Result<Embedding> {
        self.remote.query(text, &self.url, |batch| self.ask(batch, self.times.usual))
    }
}
