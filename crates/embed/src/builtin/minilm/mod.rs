//! MiniLM: an English transformer of six layers.

mod pair_model;
mod statement_model;
mod task_model;

use std::sync::LazyLock;

use super::transformer::{Shape, Transformer, Width};
use super::wordpiece::{self, BEGIN, END};
use super::{Token, chance_of, in_english};
use crate::{Embedder, Error};
use cm_note::rank::similarity_threshold::CosineBaseline;
use cm_text::embedding::Embedding;
use cm_weights::MINILM;

pub use pair_model::PairModel;
pub use statement_model::StatementModel;
pub use task_model::TaskModel;

const NAME: &str = "builtin/minilm-l6";
const LAYERS: usize = 6;
const SHAPE: Shape = Shape { layers: LAYERS, tokens: Width::Four(64), matrices: Width::Eight };
/// Cosines of unrelated texts, measured on questions and notes of different subjects.
const UNRELATED: CosineBaseline = CosineBaseline { mean: 0.02, deviation: 0.055 };

/// Number of layers after which a token's vector tells most about the wording of its sentence; the
/// later layers are about its subject.
const WORDING_LAYERS: usize = 3;

/// Maximum number of tokens per text, including the start and end tokens.
const MAX_TOKENS: usize = 256;

/// A small transformer that reads the first 256 tokens of a text. Texts in other languages are translated with
/// a glossary first.
#[derive(Debug)]
pub struct MiniLm(Transformer);

impl MiniLm {
    /// Returns the model that is built into the program.
    #[allow(clippy::expect_used, reason = "the weights are compiled in, and every test reads them")]
    pub fn builtin() -> &'static Self {
        static SHIPPED: LazyLock<MiniLm> =
            LazyLock::new(|| MiniLm::read(MINILM).expect("the weights are those that were shipped"));
        &SHIPPED
    }

    /// Reads the weights of the model.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn read(weights: &'static [u8]) -> Result<Self, Error> {
        Ok(Self(Transformer::read(NAME, SHAPE, wordpiece::size(), weights)?))
    }

    /// Embeds how each text is worded rather than what it is about: the mean of its tokens' vectors
    /// after the first layers, which describe how something is said. A text without tokens has the zero vector.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn embed_wording(&self, texts: &[&str]) -> Result<Vec<Embedding>, Error> {
        self.0.embed(texts.iter().map(|text| marked(&in_english(text))), WORDING_LAYERS)
    }

    #[cfg(test)]
    pub(super) fn embed_english(&self, texts: &[&str]) -> Result<Vec<Embedding>, Error> {
        self.0.embed(texts.iter().map(|text| marked(text)), LAYERS)
    }
}

/// Returns the tokens of a text between a start and an end token, or nothing for a text without
/// tokens.
fn marked(text: &str) -> Vec<Token> {
    let mut tokens = wordpiece::tokens(text, MAX_TOKENS - 2);
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
        self.0.embed(texts.iter().map(|text| marked(&in_english(text))), LAYERS)
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, Error> {
        Ok(self.embed(&[text])?.remove(0))
    }

    fn chance(&self, question: &str) -> Option<CosineBaseline> {
        Some(chance_of(UNRELATED, question))
    }
}

#[cfg(test)]
mod tests;
