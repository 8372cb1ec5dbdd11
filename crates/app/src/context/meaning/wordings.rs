//! Embeds texts as the classifiers of prompts read them.

use cm_embed::Embedder as _;
use cm_embed::builtin::MiniLm;

/// Calls `judge` with the index and the embedding of each text whose index is in `chosen`, in order. A text that cannot
/// be embedded is left out.
pub(super) fn for_each_wording(texts: &[&str], chosen: &[usize], mut judge: impl FnMut(usize, &[f32])) {
    let model = MiniLm::builtin();
    for batch in chosen.chunks(model.batch()) {
        let wordings: Vec<&str> = batch.iter().map(|at| texts[*at]).collect();
        let Ok(embedded) = model.embed_wording(&wordings) else { continue };
        batch.iter().zip(embedded).for_each(|(at, embedding)| judge(*at, embedding.parts()));
    }
}
