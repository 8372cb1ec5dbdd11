//! A fine-tuning of MiniLM that tells what kind of statement a sentence is.

use std::sync::LazyLock;

use super::super::bytes::WeightReader;
use super::super::in_english;
use super::super::transformer::{FEATURES, SentenceAdapter, SentenceInContext};
use super::super::wordpiece::{self, BEGIN, END};
use super::{LAYERS, MiniLm};
use crate::Error;
use cm_text::embedding::{Embedding, STATEMENT_KINDS, StatementReading};
use cm_weights::STATEMENT_ADAPTER;

const NAME: &str = "builtin/minilm-l6-statements";
/// Maximum number of tokens per sentence, without the start and end tokens.
const MAX_TOKENS: usize = 126;

/// Reads sentences that a person typed. Those in other languages are translated with a glossary first.
#[derive(Debug)]
pub struct StatementModel(SentenceAdapter);

impl StatementModel {
    /// Returns the model that is built into the program.
    #[allow(clippy::expect_used, reason = "the weights are compiled in, and every test reads them")]
    pub fn builtin() -> &'static Self {
        static SHIPPED: LazyLock<StatementModel> = LazyLock::new(|| {
            StatementModel::open(STATEMENT_ADAPTER).expect("the weights are those that were shipped")
        });
        &SHIPPED
    }

    /// Opens the weights of the fine-tuning.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn open(weights: &'static [u8]) -> Result<Self, Error> {
        let file = WeightReader::new(NAME, weights);
        let adapter = SentenceAdapter::read(file.clone(), LAYERS)?;
        match adapter.classes.len() {
            STATEMENT_KINDS => Ok(Self(adapter)),
            other => Err(file.damaged(format!("it has {other} kinds of statements"))),
        }
    }

    /// Reads sentences, each with the index of its context: 0 for none, 1 after a refused call, 2 after
    /// other work of the agent. A sentence without tokens has the zero vector and equal scores.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn read(&self, sentences: &[(&str, usize)]) -> Result<Vec<StatementReading>, Error> {
        let mut readings =
            vec![
                StatementReading { wording: Embedding::zero(FEATURES), kinds: [0.0; STATEMENT_KINDS] };
                sentences.len()
            ];
        let (mut places, mut inputs) = (Vec::new(), Vec::new());
        for (place, (text, context)) in sentences.iter().enumerate() {
            let mut tokens = wordpiece::tokens(&in_english(text), MAX_TOKENS);
            if !tokens.is_empty() {
                tokens.insert(0, BEGIN);
                tokens.push(END);
                places.push(place);
                inputs.push(SentenceInContext { tokens, context: *context });
            }
        }
        let outputs = MiniLm::builtin().0.read_sentences(&self.0, &inputs)?;
        for (place, output) in places.into_iter().zip(outputs) {
            let mut kinds = [0.0; STATEMENT_KINDS];
            kinds.iter_mut().zip(output.scores).for_each(|(kind, score)| *kind = score);
            let wording = Embedding::of(output.wording).unwrap_or_else(|| Embedding::zero(FEATURES));
            readings[place] = StatementReading { wording, kinds };
        }
        Ok(readings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENTENCES: [(&str, usize); 4] = [
        ("always run the linter before you push", 2),
        ("rename it to cart, please", 0),
        ("", 1),
        ("bitte nie direkt auf main pushen", 1),
    ];

    #[test]
    fn a_sentence_is_read_alike_alone_and_in_company() {
        let together = StatementModel::builtin().read(&SENTENCES).unwrap();
        for (sentence, expected) in SENTENCES.into_iter().zip(&together) {
            let alone = StatementModel::builtin().read(&[sentence]).unwrap().remove(0);
            for (found, expected) in alone.kinds.iter().zip(expected.kinds) {
                assert!((found - expected).abs() < 1e-3, "{sentence:?}: {found} {expected}");
            }
        }
        assert!(StatementModel::builtin().read(&[]).unwrap().is_empty());
    }

    #[test]
    fn the_wording_is_that_of_the_model_without_the_fine_tuning() {
        let readings = StatementModel::builtin().read(&SENTENCES).unwrap();
        let plain = MiniLm::builtin().embed_wording(&SENTENCES.map(|(text, _)| text)).unwrap();
        for (reading, plain) in
            readings.iter().zip(plain).filter(|(_, plain)| plain.parts().iter().any(|part| *part != 0.0))
        {
            assert!(reading.wording.cosine(&plain) > 0.9999);
        }
    }

    #[test]
    fn damaged_weights_are_refused_with_the_reason() {
        let changed = |change: fn(&mut Vec<u8>)| {
            let mut weights = STATEMENT_ADAPTER.to_vec();
            change(&mut weights);
            StatementModel::open(weights.leak())
        };
        for (damage, reason) in [
            (changed(|weights| weights.truncate(3)), "4 bytes expected, but only 3 left"),
            (changed(|weights| weights[0] = b'X'), "it is not an adapter for sentences"),
            (changed(|weights| weights[8] = 9), "it leaves 9 of 6 layers as they are"),
            (changed(|weights| weights.truncate(200_000)), "bytes expected"),
            (changed(|weights| weights.push(0)), "1 unexpected bytes after its end"),
        ] {
            let Err(Error::Damaged { model, why }) = damage else { panic!("{reason}") };
            assert_eq!(model, NAME);
            assert!(why.contains(reason), "{why}");
        }
    }
}
