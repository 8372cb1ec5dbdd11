//! What all servers that embed have in common: texts go out in batches, and the vectors that come back are checked.

use std::sync::OnceLock;
use std::time::Duration;

use super::error::{Error, Result};
use super::prefix::Prefixes;
use cm_net::{Client, Key, Lock, Pace, Patience, Terms};
use cm_text::embedding::Embedding;

/// How many texts are sent at once.
pub(super) const BATCH: usize = 50;
/// How much of what a server says is shown, in characters.
pub(super) const SHOWN: usize = 200;
/// The largest answer: fifty vectors of four thousand numbers take a quarter of it.
const LARGEST_ANSWER: u64 = 32 << 20;

/// What asks a server that embeds: a person waits, so it is not patient for long.
pub(super) fn client(key: Option<Key>, pause: Duration) -> Client {
    Client::new(Terms {
        key: key.map(|key| (key, Lock::Bearer)),
        headers: Vec::new(),
        largest: LARGEST_ANSWER,
        patience: Patience {
            retries: 2,
            pause,
            growth: 4,
            longest: Duration::from_secs(5),
            jitter: None,
            with_silence: false,
        },
        pace: Pace::default(),
    })
}

/// A model on a server: its name here, what it wants before a text, and the size of its vectors once that is known.
#[derive(Debug)]
pub(super) struct Remote {
    /// The name that tells its vectors from those of others.
    pub(super) name: String,
    prefixes: Prefixes,
    dimension: OnceLock<usize>,
}

impl Remote {
    /// A model of a provider, whose vectors have the given size where that is known already.
    pub(super) fn new(provider: &str, model: &str, dimension: Option<usize>) -> Self {
        let known = OnceLock::new();
        if let Some(dimension) = dimension {
            known.get_or_init(|| dimension);
        }
        Self { name: format!("{provider}/{model}"), prefixes: Prefixes::of(model), dimension: known }
    }

    /// The vectors of passages, asked for batch by batch.
    pub(super) fn passages(
        &self,
        texts: &[&str],
        url: &str,
        ask: impl Fn(&[String]) -> Result<Vec<Vec<f32>>>,
    ) -> Result<Vec<Embedding>> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let batch: Vec<String> = batch.iter().map(|text| led(self.prefixes.passage, text)).collect();
            vectors.extend(self.checked(ask(&batch)?, batch.len(), url)?);
        }
        Ok(vectors)
    }

    /// The vector of a question.
    pub(super) fn query(
        &self,
        text: &str,
        url: &str,
        ask: impl Fn(&[String]) -> Result<Vec<Vec<f32>>>,
    ) -> Result<Embedding> {
        let answer = ask(&[led(self.prefixes.query, text)])?;
        let why = || "no vector".to_owned();
        let vector = self.checked(answer, 1, url)?.pop();
        vector.ok_or_else(|| Error::Malformed { url: url.to_owned(), why: why() })
    }

    /// As many vectors as texts, of finite numbers, all of the one size that the model's vectors have.
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
        let vectors = vectors.ok_or_else(|| {
            malformed("a vector without numbers, or with one that is not finite".to_owned())
        })?;
        // Only a sound answer fixes the size.
        let known = *self.dimension.get_or_init(|| expected);
        if known == expected {
            return Ok(vectors);
        }
        Err(Error::Dimension { model: self.name.clone(), expected: known, found: expected })
    }
}

/// A text with the words before it. Servers refuse an empty text, so that one is sent as a full stop.
fn led(prefix: &str, text: &str) -> String {
    let text = if text.trim().is_empty() { "." } else { text };
    format!("{prefix}{text}")
}
