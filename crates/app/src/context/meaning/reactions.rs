//! Judges which sentences of a session report harm, with the built-in models.
//!
//! Always the built-in models: the classifier was trained on their vectors.

use cm_embed::Embedder as _;
use cm_embed::builtin::MiniLm;
use cm_learn::prose::MessageAuthor;
use cm_learn::trauma::reaction::{ReactionClassifier, judge_by_words};

use crate::context::open_vault::OpenVault;

/// Probability by the words alone below which a sentence is not embedded.
const MIN_PROBABILITY_TO_EMBED: f32 = 0.02;

/// Returns the probability that each of these sentences reports harm, 0–1, in order. In a vault
/// that disables embeddings, it depends on the words alone.
pub(crate) fn judge_reactions(
    open: Option<&OpenVault>,
    author: MessageAuthor,
    sentences: &[&str],
) -> Vec<f32> {
    let classifier = ReactionClassifier::builtin();
    let mut judged = judge_by_words(author, sentences);
    if open.is_some_and(|open| open.settings.disables_embeddings()) {
        return judged;
    }
    let likely: Vec<usize> =
        (0..sentences.len()).filter(|at| judged[*at] >= MIN_PROBABILITY_TO_EMBED).collect();
    let model = MiniLm::builtin();
    for batch in likely.chunks(model.batch()) {
        let texts: Vec<&str> = batch.iter().map(|at| sentences[*at]).collect();
        let Ok(wordings) = model.embed_wording(&texts) else { continue };
        for (at, wording) in batch.iter().zip(wordings) {
            judged[*at] = classifier.probability(author, sentences[*at], Some(wording.parts()));
        }
    }
    judged
}
