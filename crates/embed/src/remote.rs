//! Shared code for embedding servers: batching of texts and validation of the returned vectors.

use std::sync::OnceLock;
use std::time::Duration;

use super::error::{Error, Result};
use super::prefix::Prefixes;
use cm_net::{ApiKey, AuthHeader, Client, ClientConfig, RetryPolicy, RetrySleeper};
use cm_text::embedding::Embedding;

/// Maximum number of texts per request.
pub(super) const MAX_BATCH_TEXTS: usize = 50;
/// Maximum number of characters of a server message in an error.
pub(super) const MAX_QUOTED_CHARS: usize = 200;
/// Maximum size of a response in bytes. Fifty vectors of four thousand numbers take a quarter of
/// it.
const MAX_RESPONSE_BYTES: u64 = 32 << 20;

/// Creates an HTTP client for embedding. It retries only briefly, because a user is waiting.
pub(super) fn client(key: Option<ApiKey>, pause: Duration) -> Client {
    Client::new(ClientConfig {
        key: key.map(|key| (key, AuthHeader::Bearer)),
        headers: Vec::new(),
        max_response_bytes: MAX_RESPONSE_BYTES,
        retry_policy: RetryPolicy {
            retries: 2,
            pause,
            growth: 4,
            longest: Duration::from_secs(5),
            jitter: None,
            retry_timeouts: false,
        },
        retry_sleeper: RetrySleeper::default(),
        certificate: None,
    })
}

/// A model on a server: its name, its prefixes, and the size of its vectors once known.
#[derive(Debug)]
pub(super) struct RemoteEmbedder {
    /// Name that identifies compatible vectors, such as `ollama/nomic-embed-text`.
    pub(super) name: String,
    prefixes: Prefixes,
    dimension: OnceLock<usize>,
}

impl RemoteEmbedder {
    /// Creates a model of a provider. `dimension` is the expected size of its vectors, if known.
    pub(super) fn new(provider: &str, model: &str, dimension: Option<usize>) -> Self {
        let dimension_seen = OnceLock::new();
        if let Some(dimension) = dimension {
            dimension_seen.get_or_init(|| dimension);
        }
        Self { name: format!("{provider}/{model}"), prefixes: Prefixes::of(model), dimension: dimension_seen }
    }

    /// Embeds passages in batches, each with one call of `ask`.
    pub(super) fn passages(
        &self,
        texts: &[&str],
        url: &str,
        ask: impl Fn(&[String]) -> Result<Vec<Vec<f32>>>,
    ) -> Result<Vec<Embedding>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(MAX_BATCH_TEXTS) {
            let batch: Vec<String> =
                batch.iter().map(|text| with_prefix(self.prefixes.passage, text)).collect();
            vectors.extend(self.checked(ask(&batch)?, batch.len(), url)?);
        }
        Ok(vectors)
    }

    /// Embeds a question.
    pub(super) fn query(
        &self,
        text: &str,
        url: &str,
        ask: impl Fn(&[String]) -> Result<Vec<Vec<f32>>>,
    ) -> Result<Embedding> {
        let answer = ask(&[with_prefix(self.prefixes.query, text)])?;
        let why = || "no vector".to_owned();
        let vector = self.checked(answer, 1, url)?.pop();
        vector.ok_or_else(|| Error::Malformed { url: url.to_owned(), why: why() })
    }

    /// Checks that there is one vector per text, and that all are finite and of the same size as
    /// earlier ones.
    fn checked(&self, vectors: Vec<Vec<f32>>, texts: usize, url: &str) -> Result<Vec<Embedding>> {
        let malformed = |why| Error::Malformed { url: url.to_owned(), why };
        if vectors.len() != texts {
            return Err(malformed(format!("{} vectors for {texts} texts", vectors.len())));
        }
        let Some(first) = vectors.first() else { return Ok(Vec::new()) };
        let expected = *self.dimension.get().unwrap_or(&first.len());
        if let Some(other) = vectors.iter().find(|vector| vector.len() != expected) {
            return Err(Error::Dimension { model: self.name.clone(), expected, found: other.len() });
        }
        let vectors: Option<Vec<Embedding>> = vectors.into_iter().map(Embedding::of).collect();
        let vectors = vectors
            .ok_or_else(|| malformed("a vector that is empty or contains a non-finite number".to_owned()))?;
        // Only a sound answer fixes the size.
        let dimension_seen = *self.dimension.get_or_init(|| expected);
        if dimension_seen == expected {
            return Ok(vectors);
        }
        Err(Error::Dimension { model: self.name.clone(), expected: dimension_seen, found: expected })
    }
}

/// Prepends the prefix to a text. A blank text becomes a full stop, because servers reject empty
/// texts.
fn with_prefix(prefix: &str, text: &str) -> String {
    let text = if text.trim().is_empty() { "." } else { text };
    format!("{prefix}{text}")
}
