//! The static model: the vector of a text is the mean of its tokens' vectors, independent of their
//! order.
//!
//! It is fast enough to embed every note at once, but ignores syntax. [`MiniLm`](super::MiniLm) is
//! slower and considers context.

use std::sync::LazyLock;

use pulp::Arch;

use super::bytes::WeightReader;
use super::safetensors::{QuantizedTable, table};
use super::{Token, wordpiece};
use super::{chance_of, in_english};
use crate::{Embedder, Error};
use cm_note::rank::similarity_threshold::CosineBaseline;
use cm_text::embedding::Embedding;
use cm_weights::POTION;

const NAME: &str = "builtin/potion-256";
const DIMENSION: usize = 256;
/// Cosines of unrelated texts, measured on questions and notes of different subjects.
const UNRELATED: CosineBaseline = CosineBaseline { mean: 0.05, deviation: 0.065 };

/// One vector per token. Texts in other languages are translated with a glossary first.
#[derive(Debug)]
pub struct StaticModel {
    table: QuantizedTable,
    arch: Arch,
}

impl StaticModel {
    /// Returns the model that is built into the program.
    ///
    /// ```
    /// use cm_embed::builtin::StaticModel;
    /// let model = StaticModel::shipped();
    /// let texts = ["The database is slow", "Postgres takes long to answer", "Cats sleep a lot"];
    /// let [a, b, c] = texts.map(|text| model.of(text));
    /// assert!(a.cosine(&b) > a.cosine(&c));
    /// ```
    #[allow(clippy::expect_used, reason = "the weights are compiled in, and every test reads them")]
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<StaticModel> =
            LazyLock::new(|| StaticModel::read(POTION).expect("the weights are those that were shipped"));
        &SHIPPED
    }

    /// Reads weights in the safetensors format.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn read(weights: &'static [u8]) -> Result<Self, Error> {
        let table = table(WeightReader::new(NAME, weights), wordpiece::size(), DIMENSION)?;
        Ok(Self { table, arch: Arch::new() })
    }

    /// Returns the vector of a text. Without any token from the vocabulary, the vector is zero.
    pub fn of(&self, text: &str) -> Embedding {
        self.of_english(&in_english(text))
    }

    /// Whether the vocabulary contains this word, or its translation, as a whole.
    pub fn knows_word(&self, word: &str) -> bool {
        wordpiece::knows_a_word(&in_english(word))
    }

    pub(super) fn of_english(&self, text: &str) -> Embedding {
        let mut tokens = wordpiece::tokens(text, usize::MAX);
        tokens.retain(|token| *token != wordpiece::UNKNOWN);
        let mut sum = vec![0.0; DIMENSION];
        self.arch.dispatch(|| add(&self.table, &tokens, &mut sum));
        Embedding::of(sum).unwrap_or_else(|| Embedding::zero(DIMENSION))
    }
}

/// Adds the vectors of tokens to a sum. Inlined where it is dispatched, so that it is compiled for
/// the detected processor.
#[inline(always)]
fn add(table: &QuantizedTable, tokens: &[Token], sum: &mut [f32]) {
    let (rows, _) = table.rows.as_chunks::<DIMENSION>();
    for token in tokens {
        let scale = table.scales[usize::from(*token)];
        for (part, code) in sum.iter_mut().zip(&rows[usize::from(*token)]) {
            *part += scale * f32::from(*code);
        }
    }
}

impl Embedder for StaticModel {
    fn name(&self) -> &str {
        NAME
    }

    fn batch(&self) -> usize {
        1024
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, Error> {
        Ok(texts.iter().map(|text| self.of(text)).collect())
    }

    fn embed_query(&self, text: &str) -> Result<Embedding, Error> {
        Ok(self.of(text))
    }

    fn chance(&self, question: &str) -> Option<CosineBaseline> {
        Some(chance_of(UNRELATED, question))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loads the weights after changing some bytes.
    fn changed(change: impl FnOnce(&mut Vec<u8>)) -> Result<StaticModel, Error> {
        let mut weights = POTION.to_vec();
        change(&mut weights);
        StaticModel::read(weights.leak())
    }

    #[test]
    fn a_text_without_a_known_word_means_nothing() {
        for text in ["", " \n", "\u{1F980}", "\u{200B}"] {
            let none = StaticModel::shipped().of(text);
            assert_eq!(none.dimension(), DIMENSION);
            assert!(none.parts().iter().all(|part| *part == 0.0), "{text:?}");
        }
    }

    #[test]
    fn neither_order_nor_case_changes_what_a_text_means() {
        let model = StaticModel::shipped();
        assert!(model.of("dog bites man").cosine(&model.of("Man bites DOG")) > 0.9999);
    }

    #[test]
    fn what_is_like_in_meaning_is_nearer_than_what_is_not() {
        let model = StaticModel::shipped();
        let [deploy, release, soup] =
            ["deploy the service to production", "how do we release?", "a soup of carrots"]
                .map(|text| model.of(text));
        assert!(deploy.cosine(&release) > deploy.cosine(&soup));
    }

    #[test]
    fn damaged_weights_are_refused_with_the_reason() {
        for (damage, reason) in [
            (changed(|weights| weights.truncate(4)), "8 bytes expected"),
            (changed(|weights| weights.truncate(100)), "bytes expected"),
            (changed(|weights| weights[7] = 0xff), "bytes expected"),
            (changed(|weights| weights[9] = b'?'), "cannot read its header"),
            (changed(|weights| weights.truncate(7_000_000)), "`embeddings` should be at"),
            (changed(|weights| weights[29] = b'G'), "`weights` is G32"),
            (changed(|weights| weights[160..164].fill(0xff)), "a scale is not a number"),
        ] {
            let Err(Error::Damaged { model, why }) = damage else { panic!("{reason}: {damage:?}") };
            assert_eq!(model, NAME);
            assert!(why.contains(reason), "{why}");
        }
    }
}
