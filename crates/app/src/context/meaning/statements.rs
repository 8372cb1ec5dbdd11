//! Judges which statements of a person are meant to last, with the built-in models.
//!
//! Always the built-in models: the classifier was trained on their vectors.

use cm_embed::Embedder as _;
use cm_embed::builtin::MiniLm;
use cm_learn::statement::{KindProbabilities, Statement, StatementClassifier};
use cm_store::config::keys;
use cm_text::embedding::Embedding;

use crate::context::open_vault::OpenVault;

/// Probability without the embedding below which a statement is passing; the rest is embedded.
const HARDLY: f32 = 0.03;

/// Returns the probabilities of each statement's kinds, in order. Where embeddings are disabled,
/// they depend on the words alone.
pub(crate) fn judge_statements(open: &OpenVault, statements: &[Statement]) -> Vec<KindProbabilities> {
    let classifier = StatementClassifier::builtin();
    let mut judged: Vec<KindProbabilities> = statements
        .iter()
        .map(|statement| classifier.probabilities(&statement.text, statement.context, None))
        .collect();
    if open.settings.text(keys::EMBEDDINGS_PROVIDER) == Some("none") {
        return judged;
    }
    let likely: Vec<usize> = (0..statements.len()).filter(|at| judged[*at].lasting() >= HARDLY).collect();
    let texts: Vec<&str> = likely.iter().map(|at| statements[*at].text.as_str()).collect();
    let model = MiniLm::builtin();
    for (places, texts) in likely.chunks(model.batch()).zip(texts.chunks(model.batch())) {
        let Ok(vectors) = model.embed_wording(texts) else { continue };
        for (at, vector) in places.iter().zip(vectors) {
            let statement = &statements[*at];
            judged[*at] = classifier.probabilities(&statement.text, statement.context, Some(vector.parts()));
        }
    }
    judged
}

/// Returns the embeddings of sentences that a person typed, in order; `None` for each where embeddings
/// are disabled or cannot be computed.
pub(crate) fn embed_requests(open: &OpenVault, texts: &[&str]) -> Vec<Option<Embedding>> {
    if open.settings.text(keys::EMBEDDINGS_PROVIDER) == Some("none") {
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
