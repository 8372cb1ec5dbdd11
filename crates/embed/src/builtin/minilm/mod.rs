//! The transformer model: six layers of self-attention, then mean pooling.
//!
//! The weights stay quantized in the program file. A few rows at a time are dequantized, for all
//! tokens of a batch. The model therefore starts instantly, needs little memory and can be used by
//! several threads.

mod attention;
mod blocks;
mod forward;
mod functions;
mod product;
mod quantized;
mod weights;

use std::sync::LazyLock;

use pulp::Arch;

use self::forward::Forward;
use self::weights::{FEATURES, LAYERS, Weights};
use super::bytes::WeightReader;
use super::chance_of;
use super::wordpiece::{self, BEGIN, END, Token};
use crate::{Embedder, Error};
use cm_note::rank::similarity_threshold::CosineBaseline;
use cm_text::embedding::Embedding;
use cm_weights::MINILM;

const NAME: &str = "builtin/minilm-l6";
/// Cosines of unrelated texts, measured on questions and notes of different subjects.
const UNRELATED: CosineBaseline = CosineBaseline { mean: 0.02, deviation: 0.055 };

/// Number of layers after which a token's vector tells most about the wording of its sentence; the
/// later layers are about its subject.
const WORDING: usize = 3;

/// Maximum number of tokens per text, including the start and end tokens.
const LONGEST: usize = 256;

/// Number of tokens per forward pass: enough to amortize the dequantization of the weights, few
/// enough that their vectors fit in the processor cache.
const AT_ONCE: usize = 256;

/// `builtin/minilm-l6`: a small transformer that reads the first 256 tokens of a text.
#[derive(Debug)]
pub struct MiniLm {
    weights: Weights,
    arch: Arch,
}

impl MiniLm {
    /// Returns the model that is built into the program.
    #[allow(clippy::expect_used, reason = "the weights are compiled in, and every test reads them")]
    pub fn builtin() -> &'static Self {
        static SHIPPED: LazyLock<MiniLm> =
            LazyLock::new(|| MiniLm::read(MINILM).expect("the weights are those that were shipped"));
        &SHIPPED
    }

    /// Reads weights in the format described in `assets/NOTICE.md`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn read(weights: &'static [u8]) -> Result<Self, Error> {
        let weights = Weights::read(WeightReader::new(NAME, weights), wordpiece::size())?;
        Ok(Self { weights, arch: Arch::new() })
    }

    /// Embeds how each text is worded rather than what it is about: the mean of its tokens' vectors
    /// after the first layers, which describe how something is said. A text without tokens has the zero vector.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn embed_wording(&self, texts: &[&str]) -> Result<Vec<Embedding>, Error> {
        self.embed_with(texts, WORDING)
    }

    /// Computes the vectors of texts after a number of layers. Each text must have at least one
    /// token.
    fn forward(&self, texts: &[Vec<Token>], layers: usize) -> Result<Vec<Embedding>, Error> {
        let sums = self.arch.dispatch(Forward { weights: &self.weights, texts, layers });
        let vectors = sums.into_iter().map(|sum| {
            let why = "it returned a value that is not a number".to_owned();
            Embedding::of(sum).ok_or(Error::Damaged { model: NAME.to_owned(), why })
        });
        vectors.collect()
    }
}

/// Returns the tokens of a text between a start and an end token, or nothing for a text without
/// tokens.
fn marked(text: &str) -> Vec<Token> {
    let mut tokens = wordpiece::tokens(text, LONGEST - 2);
    if !tokens.is_empty() {
        tokens.insert(0, BEGIN);
        tokens.push(END);
    }
    tokens
}

impl Embedder for MiniLm {
    fn name(&self) -> &str {
        NAME
    }

    fn batch(&self) -> usize {
        32
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, Error> {
        self.embed_with(texts, LAYERS)
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, Error> {
        Ok(self.embed(&[text])?.remove(0))
    }

    fn chance(&self, question: &str) -> Option<CosineBaseline> {
        Some(chance_of(UNRELATED, question))
    }
}

impl MiniLm {
    fn embed_with(&self, texts: &[&str], layers: usize) -> Result<Vec<Embedding>, Error> {
        let mut vectors = vec![Embedding::zero(FEATURES); texts.len()];
        let (mut waiting, mut places) = (Vec::new(), Vec::new());
        let mut flush = |waiting: &mut Vec<Vec<Token>>, places: &mut Vec<usize>| -> Result<(), Error> {
            for (place, vector) in places.drain(..).zip(self.forward(waiting, layers)?) {
                vectors[place] = vector;
            }
            waiting.clear();
            Ok(())
        };
        let mut count = 0;
        for (place, text) in texts.iter().enumerate() {
            let tokens = marked(text);
            if tokens.is_empty() {
                continue;
            }
            if count + tokens.len() > AT_ONCE {
                flush(&mut waiting, &mut places)?;
                count = 0;
            }
            count += tokens.len();
            waiting.push(tokens);
            places.push(place);
        }
        flush(&mut waiting, &mut places)?;
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests;
