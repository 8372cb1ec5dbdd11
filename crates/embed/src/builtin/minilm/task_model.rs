//! A fine-tuning of MiniLM that embeds tasks near to the notes that an agent needs for them.

use std::sync::LazyLock;

use super::super::bytes::WeightReader;
use super::super::in_english;
use super::super::transformer::EncoderAdapter;
use super::{LAYERS, MiniLm, marked};
use crate::Error;
use cm_text::embedding::Embedding;
use cm_weights::TASK_ADAPTER;

const NAME: &str = "builtin/minilm-l6-tasks";

/// Embeds tasks, to be compared with notes as [`MiniLm`] embeds them. The cosine is high if the note helps with
/// the task, even if it is about something else: the rule about checks for "is my branch ready for review?".
/// Tasks in other languages are translated with a glossary first.
#[derive(Debug)]
pub struct TaskModel(EncoderAdapter);

impl TaskModel {
    /// Name of the model, which differs from [`MiniLm`]'s.
    pub const NAME: &str = NAME;

    /// Returns the model that is built into the program.
    #[allow(clippy::expect_used, reason = "the weights are compiled in, and every test reads them")]
    pub fn builtin() -> &'static Self {
        static SHIPPED: LazyLock<TaskModel> =
            LazyLock::new(|| TaskModel::open(TASK_ADAPTER).expect("the weights are those that were shipped"));
        &SHIPPED
    }

    /// Opens the weights of the fine-tuning.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn open(weights: &'static [u8]) -> Result<Self, Error> {
        Ok(Self(EncoderAdapter::read(WeightReader::new(NAME, weights), LAYERS)?))
    }

    /// Embeds a task. A text without tokens has the zero vector; only the first 256 tokens count.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] if the weights are invalid.
    pub fn embed(&self, task: &str) -> Result<Embedding, Error> {
        let tokens = std::iter::once(marked(&in_english(task)));
        Ok(MiniLm::builtin().0.embed_adapted(&self.0, tokens)?.remove(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Embedder;

    #[test]
    fn a_task_is_nearer_to_the_rule_that_it_needs_than_to_one_with_its_words() {
        let task = "is my branch ready for review?";
        let notes = [
            "Run `just check` before you say that something is done.",
            "The review board of the Bern branch meets on Tuesdays.",
        ];
        let notes = MiniLm::builtin().embed(&notes).unwrap();
        let query = TaskModel::builtin().embed(task).unwrap();
        assert!(query.cosine(&notes[0]) > query.cosine(&notes[1]));
        let plain = MiniLm::builtin().embed_query(task).unwrap();
        assert!(plain.cosine(&notes[0]) < plain.cosine(&notes[1]));
    }

    #[test]
    fn a_text_without_tokens_has_the_zero_vector() {
        let empty = TaskModel::builtin().embed(" \n").unwrap();
        assert!(empty.parts().iter().all(|part| *part == 0.0));
    }

    #[test]
    fn damaged_weights_are_refused_with_the_reason() {
        let changed = |change: fn(&mut Vec<u8>)| {
            let mut weights = TASK_ADAPTER.to_vec();
            change(&mut weights);
            TaskModel::open(weights.leak())
        };
        for (damage, reason) in [
            (changed(|weights| weights.truncate(3)), "4 bytes expected, but only 3 left"),
            (changed(|weights| weights[0] = b'X'), "it is not an adapter for texts"),
            (changed(|weights| weights.truncate(200_000)), "bytes expected"),
            (changed(|weights| weights.push(0)), "1 unexpected bytes after its end"),
        ] {
            let Err(Error::Damaged { model, why }) = damage else { panic!("{reason}") };
            assert_eq!(model, NAME);
            assert!(why.contains(reason), "{why}");
        }
    }
}
