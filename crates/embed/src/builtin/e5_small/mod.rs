//! multilingual-e5-small: a transformer of twelve layers for about 100 languages.
//!
//! Questions and passages get different prefixes, which it was trained with.

use std::sync::LazyLock;

use super::Token;
use super::bytes::WeightReader;
use super::transformer::{Shape, Transformer, Width};
use super::unigram::{self, BEGIN, END, Pieces};
use crate::prefix::Prefixes;
use crate::{Embedder, Error};
use cm_note::rank::similarity_threshold::CosineBaseline;
use cm_text::embedding::Embedding;
use cm_weights::{E5_PIECES, E5_SMALL};

const NAME: &str = "builtin/e5-small";
const LAYERS: usize = 12;
const SHAPE: Shape = Shape { layers: LAYERS, tokens: Width::Four(32), matrices: Width::Four(32) };
/// Cosines of unrelated texts, between those of one language (0.77, deviation 0.022) and those of two
/// (0.74), measured on questions and notes of different subjects.
const UNRELATED: CosineBaseline = CosineBaseline { mean: 0.76, deviation: 0.018 };

/// Maximum number of tokens per text, including the start and end tokens.
const MAX_TOKENS: usize = 512;

/// `builtin/e5-small`: a multilingual transformer that reads the first 512 tokens of a text.
#[derive(Debug)]
pub struct E5Small {
    transformer: Transformer,
    pieces: Pieces,
    prefixes: Prefixes,
}

impl E5Small {
    /// Returns the model that is built into the program.
    #[allow(clippy::expect_used, reason = "the weights are compiled in, and every test reads them")]
    pub fn builtin() -> &'static Self {
        static SHIPPED: LazyLock<E5Small> = LazyLock::new(|| {
            E5Small::read(E5_SMALL, E5_PIECES).expect("the weights are those that were shipped")
        });
        &SHIPPED
    }

    /// Reads the weights and the vocabulary of the model.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if one of them is invalid.
    pub fn read(weights: &'static [u8], pieces: &'static [u8]) -> Result<Self, Error> {
        let pieces = Pieces::read(WeightReader::new(NAME, pieces))?;
        let transformer = Transformer::read(NAME, SHAPE, pieces.len(), weights)?;
        Ok(Self { transformer, pieces, prefixes: Prefixes::of(NAME) })
    }

    /// Returns the tokens of a text after a prefix, between a start and an end token, or nothing for
    /// a text without tokens.
    fn marked(&self, prefix: &str, text: &str) -> Vec<Token> {
        let mut tokens = vec![BEGIN];
        tokens.extend(unigram::tokens(&self.pieces, prefix, usize::MAX));
        let before = tokens.len();
        tokens.extend(unigram::tokens(&self.pieces, text, MAX_TOKENS - 1 - before));
        if tokens.len() == before {
            return Vec::new();
        }
        tokens.push(END);
        tokens
    }
}

impl Embedder for E5Small {
    fn name(&self) -> &str {
        NAME
    }

    fn batch(&self) -> usize {
        32
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, Error> {
        let passage = self.prefixes.passage;
        self.transformer.embed(texts.iter().map(|text| self.marked(passage, text)), LAYERS)
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, Error> {
        let query = self.marked(self.prefixes.query, text);
        Ok(self.transformer.embed([query].into_iter(), LAYERS)?.remove(0))
    }

    fn chance(&self, _question: &str) -> Option<CosineBaseline> {
        Some(UNRELATED)
    }
}

#[cfg(test)]
mod tests;
