//! The transformer: tokens look at one another in six layers before they are summed.
//!
//! Its weights stay quantised as they lie in the program, and are made numbers a few rows at a time, for as many tokens
//! as are at hand; so it starts at once, needs little memory, and can be asked by several threads.

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
use self::weights::{FEATURES, Weights};
use super::bytes::Reader;
use super::chance_of;
use super::wordpiece::{self, BEGIN, END, Token};
use crate::{Embedder, Error};
use cm_note::rank::cut::Chance;
use cm_text::embedding::Embedding;
use cm_weights::MINILM;

const NAME: &str = "builtin/minilm-l6";
/// Measured on questions and notes of different subjects.
const UNRELATED: Chance = Chance { mean: 0.02, deviation: 0.055 };

/// Tokens that it reads of a text, the marks at beginning and end among them.
const LONGEST: usize = 256;

/// Tokens that go through the layers at once: so many that the weights are worth the unpacking, and so few that all
/// their vectors stay in the processor's cache.
const AT_ONCE: usize = 256;

/// `builtin/minilm-l6`: a small transformer, which reads the first 256 tokens of a text.
#[derive(Debug)]
pub struct MiniLm {
    weights: Weights,
    arch: Arch,
}

impl MiniLm {
    /// The model that lies in the program.
    #[allow(clippy::expect_used, reason = "the weights are compiled in, and every test reads them")]
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<MiniLm> =
            LazyLock::new(|| MiniLm::read(MINILM).expect("the weights are those that were shipped"));
        &SHIPPED
    }

    /// Reads weights in the format that `assets/NOTICE.md` names.
    ///
    /// # Errors
    /// [`Error::Damaged`] where they are not what they should be.
    pub fn read(weights: &'static [u8]) -> Result<Self, Error> {
        let weights = Weights::read(Reader::new(NAME, weights), wordpiece::size())?;
        Ok(Self { weights, arch: Arch::new() })
    }

    /// The vectors of texts of which each has tokens.
    fn forward(&self, texts: &[Vec<Token>]) -> Result<Vec<Embedding>, Error> {
        let sums = self.arch.dispatch(Forward { weights: &self.weights, texts });
        let vectors = sums.into_iter().map(|sum| {
            let why = "it gives what is no number".to_owned();
            Embedding::of(sum).ok_or(Error::Damaged { model: NAME.to_owned(), why })
        });
        vectors.collect()
    }
}

/// The tokens of a text with their marks; none where it has none.
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
        let mut vectors = vec![Embedding::none(FEATURES); texts.len()];
        let (mut waiting, mut places) = (Vec::new(), Vec::new());
        let mut flush = |waiting: &mut Vec<Vec<Token>>, places: &mut Vec<usize>| -> Result<(), Error> {
            for (place, vector) in places.drain(..).zip(self.forward(waiting)?) {
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

    fn embed_query(&self, text: &str) -> Result<Embedding, Error> {
        Ok(self.embed(&[text])?.remove(0))
    }

    fn chance(&self, question: &str) -> Option<Chance> {
        Some(chance_of(UNRELATED, question))
    }
}

#[cfg(test)]
mod tests;
