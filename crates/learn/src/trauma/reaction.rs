//! Judges how probably a sentence reports harm: a person's complaint about a loss, or an agent's
//! admission of one.
//!
//! A sentence alone proves nothing; it counts only after a destructive command.
//! `examples/train-statements.rs` trains the weights on the sentences in `examples/reactions/`.

use std::sync::LazyLock;

use crate::prose::{MessageAuthor, Sentence, sentences};
use crate::statement::StatementContext;
use crate::statement::classifier::{EMBEDDING_DIMENSION, KindWeights};
use crate::statement::features::hashed;

/// Beginning of the file with the weights.
const MAGIC: &[u8; 8] = b"cm-harm1";
/// Number of sentences of a message that are judged: a complaint comes first.
const MAX_JUDGED_SENTENCES: usize = 8;
/// Number of sentences of a person's long message, which is a new task.
const MAX_JUDGED_SENTENCES_OF_TASK: usize = 2;
/// Length above which a person's message is long, in characters.
const LONG_MESSAGE_CHARS: usize = 600;

/// Minimum probability at which a sentence reports harm.
pub const MIN_HARM_PROBABILITY: f32 = 0.4;

/// Computes the probability that each of these sentences of an author reports harm, 0–1, in order.
pub type HarmJudge<'j> = &'j dyn Fn(MessageAuthor, &[&str]) -> Vec<f32>;

/// Weights for the messages of one author.
#[derive(Debug, Clone, PartialEq)]
pub struct HarmWeights {
    /// Weights with the embedding of the sentence.
    pub with_embedding: KindWeights,
    /// Weights without it, for vaults that disable embeddings.
    pub without_embedding: KindWeights,
}

/// A trained classifier of sentences that report harm.
#[derive(Debug, Clone, PartialEq)]
pub struct ReactionClassifier {
    pub person: HarmWeights,
    pub agent: HarmWeights,
}

impl ReactionClassifier {
    /// Returns the classifier that is built into the program.
    #[allow(clippy::expect_used, reason = "the weights are compiled in, and every test reads them")]
    pub fn builtin() -> &'static Self {
        static SHIPPED: LazyLock<ReactionClassifier> = LazyLock::new(|| {
            ReactionClassifier::read(include_bytes!("../../../../assets/reactions.bin"))
                .expect("the weights are those that were shipped")
        });
        &SHIPPED
    }

    /// Returns the probability that a sentence reports harm, 0–1. `embedding` is that of
    /// the wording, with [`EMBEDDING_DIMENSION`] values.
    pub fn probability(&self, author: MessageAuthor, sentence: &str, embedding: Option<&[f32]>) -> f32 {
        let weights = match author {
            MessageAuthor::Person => &self.person,
            MessageAuthor::Agent => &self.agent,
        };
        let weights = if embedding.is_some() { &weights.with_embedding } else { &weights.without_embedding };
        let score = weights.score(&hashed(sentence, StatementContext::Plain), embedding);
        1.0 / (1.0 + (-score).exp())
    }

    /// Reads a classifier from its file; `None` if the file is invalid.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut author = || {
            Some(HarmWeights {
                with_embedding: KindWeights::read(&mut rest, EMBEDDING_DIMENSION)?,
                without_embedding: KindWeights::read(&mut rest, 0)?,
            })
        };
        let classifier = Self { person: author()?, agent: author()? };
        rest.is_empty().then_some(classifier)
    }

    /// Returns the file of the classifier.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for author in [&self.person, &self.agent] {
            author.with_embedding.write(&mut bytes);
            author.without_embedding.write(&mut bytes);
        }
        bytes
    }
}

/// Judges sentences by their words alone.
pub fn judge_by_words(author: MessageAuthor, sentences: &[&str]) -> Vec<f32> {
    let classifier = ReactionClassifier::builtin();
    sentences.iter().map(|sentence| classifier.probability(author, sentence, None)).collect()
}

/// Returns the sentences of a message that can report harm, in order.
pub(super) fn candidates(message: &str, author: MessageAuthor) -> Vec<String> {
    let is_long = author == MessageAuthor::Person && message.chars().count() > LONG_MESSAGE_CHARS;
    // Agents list what they did; an admission is a sentence of its own.
    let is_prose = |sentence: &Sentence| author == MessageAuthor::Person || !sentence.listed;
    let all = sentences(message, author).into_iter().filter(is_prose);
    let own = all.take(if is_long { MAX_JUDGED_SENTENCES_OF_TASK } else { MAX_JUDGED_SENTENCES });
    own.map(|sentence| sentence.text).filter(|text| !text.is_empty()).collect()
}
