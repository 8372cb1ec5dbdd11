//! A fine-tuning of MiniLM that reads two statements together.

use std::sync::LazyLock;

use super::super::bytes::WeightReader;
use super::super::transformer::{Adapter, CLASSES, JoinedTexts};
use super::super::wordpiece::{self, BEGIN, END};
use super::{LAYERS, MiniLm};
use crate::Error;
use cm_text::embedding::PairProbabilities;
use cm_weights::PAIR_ADAPTER;

const NAME: &str = "builtin/minilm-l6-pairs";
/// Maximum number of tokens per statement.
const MAX_STATEMENT_TOKENS: usize = 96;

/// Judges whether two English statements say the same, contradict each other or differ.
#[derive(Debug)]
pub struct PairModel(Adapter);

impl PairModel {
    /// Returns the model that is built into the program.
    #[allow(clippy::expect_used, reason = "the weights are compiled in, and every test reads them")]
    pub fn builtin() -> &'static Self {
        static SHIPPED: LazyLock<PairModel> =
            LazyLock::new(|| PairModel::read(PAIR_ADAPTER).expect("the weights are those that were shipped"));
        &SHIPPED
    }

    /// Reads the weights of the fine-tuning.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn read(weights: &'static [u8]) -> Result<Self, Error> {
        Ok(Self(Adapter::read(WeightReader::new(NAME, weights), LAYERS)?))
    }

    /// Judges pairs of statements, in the order of the pairs. The order within a pair makes no difference:
    /// the statement that sorts first is read first. Only the first 96 tokens of a statement count.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn judge(&self, pairs: &[[&str; 2]]) -> Result<Vec<PairProbabilities>, Error> {
        let joined: Vec<JoinedTexts> =
            pairs.iter().map(|[one, other]| join(one.min(other), one.max(other))).collect();
        let scores = MiniLm::builtin().0.classify(&self.0, &joined)?;
        Ok(scores.into_iter().map(probabilities).collect())
    }
}

fn join(one: &str, other: &str) -> JoinedTexts {
    let mut tokens = vec![BEGIN];
    tokens.extend(wordpiece::tokens(one, MAX_STATEMENT_TOKENS));
    tokens.push(END);
    let second = tokens.len();
    tokens.extend(wordpiece::tokens(other, MAX_STATEMENT_TOKENS));
    tokens.push(END);
    JoinedTexts { tokens, second }
}

/// Softmax.
fn probabilities(scores: [f32; CLASSES]) -> PairProbabilities {
    let scores = scores.map(f64::from);
    let most = scores.into_iter().fold(f64::MIN, f64::max);
    let powers = scores.map(|score| (score - most).exp());
    let sum: f64 = powers.iter().sum();
    let [same, opposite, different] = powers.map(|power| power / sum);
    PairProbabilities { same, opposite, different }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [[&str; 2]; 4] = [
        ["Use npm, not yarn", "Yarn is our package manager"],
        ["Never commit secrets to the repository.", "Secrets must not be committed to the repository."],
        ["The gateway times out after 30 s", "The worker times out after 90 s"],
        ["", "The staging database runs Postgres 15"],
    ];

    #[test]
    fn a_pair_is_judged_alike_in_either_order_and_in_any_company() {
        let together = PairModel::builtin().judge(&PAIRS).unwrap();
        for ([one, other], expected) in PAIRS.into_iter().zip(&together) {
            let alone = PairModel::builtin().judge(&[[other, one]]).unwrap().remove(0);
            for (found, expected) in [
                (alone.same, expected.same),
                (alone.opposite, expected.opposite),
                (alone.different, expected.different),
            ] {
                assert!((found - expected).abs() < 1e-4, "{one} / {other}: {found} {expected}");
            }
            assert!((alone.same + alone.opposite + alone.different - 1.0).abs() < 1e-9);
        }
        assert!(PairModel::builtin().judge(&[]).unwrap().is_empty());
    }

    #[test]
    fn long_statements_are_read_from_their_beginning() {
        let long = "word ".repeat(300);
        let joined = join(&long, "short");
        assert_eq!(
            (joined.second, joined.tokens.len()),
            (MAX_STATEMENT_TOKENS + 2, MAX_STATEMENT_TOKENS + 4)
        );
    }

    #[test]
    fn damaged_weights_are_refused_with_the_reason() {
        let changed = |change: fn(&mut Vec<u8>)| {
            let mut weights = PAIR_ADAPTER.to_vec();
            change(&mut weights);
            PairModel::read(weights.leak())
        };
        for (damage, reason) in [
            (changed(|weights| weights.truncate(3)), "4 bytes expected, but only 3 left"),
            (changed(|weights| weights[0] = b'X'), "it is not an adapter"),
            (changed(|weights| weights.truncate(500_000)), "bytes expected"),
            (changed(|weights| weights.push(0)), "1 unexpected bytes after its end"),
        ] {
            let Err(Error::Damaged { model, why }) = damage else { panic!("{reason}") };
            assert_eq!(model, NAME);
            assert!(why.contains(reason), "{why}");
        }
    }
}
