//! The transformer of the built-in models: layers of self-attention, then mean pooling.
//!
//! The weights stay quantized in the program file. A few rows at a time are dequantized, for all
//! tokens of a batch. A model therefore starts instantly, needs little memory and can be used by
//! several threads. Tokenizers are separate.

mod adapter;
mod attention;
mod blocks;
mod encoder_adapter;
mod forward;
mod functions;
mod pair;
mod product;
mod quantized;
mod sentence;
mod sentence_adapter;
mod weights;

use pulp::Arch;

use self::adapter::AdapterLayer;
pub use self::adapter::{Adapter, CLASSES};
pub use self::encoder_adapter::EncoderAdapter;
use self::forward::Forward;
pub use self::pair::JoinedTexts;
use self::pair::PairForward;
pub use self::quantized::Width;
use self::sentence::SentenceForward;
pub use self::sentence::{SentenceInContext, SentenceOutput};
pub use self::sentence_adapter::SentenceAdapter;
use self::weights::Weights;
pub use self::weights::{FEATURES, Shape};
use super::Token;
use super::bytes::WeightReader;
use crate::Error;
use cm_text::embedding::Embedding;

/// Number of tokens per forward pass: enough to amortize the dequantization of the weights, few
/// enough that their vectors fit in the processor cache.
const TOKENS_PER_PASS: usize = 256;

/// A transformer without its tokenizer.
#[derive(Debug)]
pub struct Transformer {
    name: &'static str,
    weights: Weights,
    arch: Arch,
}

impl Transformer {
    /// Reads the weights of a model with `tokens` tokens, in the format described in [`weights`].
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the file does not have this shape.
    pub fn read(
        name: &'static str,
        shape: Shape,
        tokens: usize,
        weights: &'static [u8],
    ) -> Result<Self, Error> {
        let weights = Weights::read(WeightReader::new(name, weights), shape, tokens)?;
        Ok(Self { name, weights, arch: Arch::new() })
    }

    /// Returns the mean of each text's token vectors after a number of layers, at length 1. A text
    /// without tokens has the zero vector; other texts include their start and end tokens.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn embed(
        &self,
        texts: impl ExactSizeIterator<Item = Vec<Token>>,
        layers: usize,
    ) -> Result<Vec<Embedding>, Error> {
        self.embed_with(&[], texts, layers)
    }

    /// Returns the vectors of [`Transformer::embed`] by a fine-tuning of all layers.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn embed_adapted(
        &self,
        adapter: &EncoderAdapter,
        texts: impl ExactSizeIterator<Item = Vec<Token>>,
    ) -> Result<Vec<Embedding>, Error> {
        self.embed_with(&adapter.layers, texts, self.weights.layers.len())
    }

    fn embed_with(
        &self,
        additions: &[AdapterLayer],
        texts: impl ExactSizeIterator<Item = Vec<Token>>,
        layers: usize,
    ) -> Result<Vec<Embedding>, Error> {
        let mut vectors = vec![Embedding::zero(FEATURES); texts.len()];
        let (mut waiting, mut places) = (Vec::new(), Vec::new());
        let mut flush = |waiting: &mut Vec<Vec<Token>>, places: &mut Vec<usize>| -> Result<(), Error> {
            for (place, vector) in places.drain(..).zip(self.forward(waiting, layers, additions)?) {
                vectors[place] = vector;
            }
            waiting.clear();
            Ok(())
        };
        let mut count = 0;
        for (place, tokens) in texts.enumerate() {
            if tokens.is_empty() {
                continue;
            }
            if count + tokens.len() > TOKENS_PER_PASS {
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

    /// Scores the classes of pairs of texts by a fine-tuning of this model, before the softmax.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn classify(&self, adapter: &Adapter, pairs: &[JoinedTexts]) -> Result<Vec<[f32; CLASSES]>, Error> {
        let mut scores = Vec::with_capacity(pairs.len());
        for pairs in batches(pairs, |pair| pair.tokens.len()) {
            scores.extend(self.arch.dispatch(PairForward { weights: &self.weights, adapter, pairs }));
        }
        match scores.iter().flatten().all(|score| score.is_finite()) {
            true => Ok(scores),
            false => Err(self.no_number()),
        }
    }

    /// Reads sentences by a fine-tuning of this model's last layers. Each sentence has at least one token.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn read_sentences(
        &self,
        adapter: &SentenceAdapter,
        sentences: &[SentenceInContext],
    ) -> Result<Vec<SentenceOutput>, Error> {
        let mut outputs = Vec::with_capacity(sentences.len());
        for sentences in batches(sentences, |sentence| sentence.tokens.len()) {
            outputs.extend(self.arch.dispatch(SentenceForward {
                weights: &self.weights,
                adapter,
                sentences,
            }));
        }
        match outputs.iter().flat_map(|output| &output.scores).all(|score| score.is_finite()) {
            true => Ok(outputs),
            false => Err(self.no_number()),
        }
    }

    fn no_number(&self) -> Error {
        let why = "it returned a value that is not a number".to_owned();
        Error::Damaged { model: self.name.to_owned(), why }
    }

    /// Computes the vectors of texts that have at least one token each.
    fn forward(
        &self,
        texts: &[Vec<Token>],
        layers: usize,
        additions: &[AdapterLayer],
    ) -> Result<Vec<Embedding>, Error> {
        let sums = self.arch.dispatch(Forward { weights: &self.weights, texts, layers, additions });
        sums.into_iter().map(|sum| Embedding::of(sum).ok_or_else(|| self.no_number())).collect()
    }
}

/// Splits inputs into batches of at most [`TOKENS_PER_PASS`] tokens, or one input with more.
fn batches<T>(mut inputs: &[T], tokens: impl Fn(&T) -> usize) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let mut count = 0;
        let fits = |input: &&T| {
            count += tokens(input);
            count <= TOKENS_PER_PASS
        };
        let size = inputs.iter().take_while(fits).count().max(1);
        let (batch, rest) = inputs.split_at_checked(size)?;
        inputs = rest;
        Some(batch)
    })
}
