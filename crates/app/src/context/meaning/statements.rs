//! Judges which statements of a person are meant to last, with the built-in models.
//!
//! Always the built-in models: the classifier was trained on their vectors.

use cm_embed::Embedder as _;
use cm_embed::builtin::{MiniLm, StatementModel};
use cm_learn::statement::{KindProbabilities, Statement, StatementClassifier};
use cm_text::embedding::Embedding;

use crate::context::open_vault::OpenVault;

/// Probability without the embedding below which a statement is passing; the rest is embedded.
const MIN_PROBABILITY_TO_EMBED: f32 = 0.03;

/// Returns the probabilities of each statement's kinds, in order. Where embeddings are disabled,
/// they depend on the words alone.
pub(crate) fn judge_statements(open: &OpenVault, statements: &[Statement]) -> Vec<KindProbabilities> {
    let classifier = StatementClassifier::builtin();
    let mut judged: Vec<KindProbabilities> = statements
        .iter()
        .map(|statement| classifier.probabilities(&statement.text, statement.context, None))
        .collect();
    if open.settings.disables_embeddings() {
        return judged;
    }
    let likely: Vec<usize> =
        (0..statements.len()).filter(|at| judged[*at].lasting() >= MIN_PROBABILITY_TO_EMBED).collect();
    for batch in likely.chunks(MiniLm::builtin().batch()) {
        // The contexts are declared in the order that the model was trained with.
        let sentence = |at: &usize| (statements[*at].text.as_str(), statements[*at].context as usize);
        let sentences: Vec<(&str, usize)> = batch.iter().map(sentence).collect();
        let Ok(readings) = StatementModel::builtin().read(&sentences) else { continue };
        for (at, reading) in batch.iter().zip(readings) {
            let statement = &statements[*at];
            judged[*at] = classifier.probabilities(&statement.text, statement.context, Some(&reading));
        }
    }
    judged
}

/// Returns the embeddings of sentences that a person typed, in order; `None` for each where embeddings
/// are disabled or cannot be computed.
pub(crate) fn embed_requests(open: &OpenVault, texts: &[&str]) -> Vec<Option<Embedding>> {
    if open.settings.disables_embeddings() {
        return vec![None; texts.len()];
    }
    let model = MiniLm::builtin();
    let batches = texts.chunks(model.batch());
    let embedded = batches.flat_map(|batch| match model.embed(batch) {
        Ok(vectors) => vectors.into_iter().map(Some).collect(),
        Err(_) => vec![None; batch.len()],
    });
    embedded.collect()
}
