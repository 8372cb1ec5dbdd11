//! The models that curation uses to compare the meaning of rules: always the built-in ones. The
//! slower one judges only pairs that the static one finds similar.
//!
//! The search model is not used here, because whether two rules conflict must not depend on caches,
//! providers or the state of an index.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::context::open_vault::OpenVault;
use crate::context::parallel::in_parts;
use crate::context::recent_embeddings;
use cm_embed::builtin::{PairModel, StaticModel};
use cm_playbook::embedding_model::{EmbeddingModel, NoEmbeddings};
use cm_text::embedding::{Embedding, PairProbabilities};

struct BuiltIn;

/// Number of threads that can run at once.
static THREADS: LazyLock<usize> = LazyLock::new(|| thread::available_parallelism().map_or(1, usize::from));
/// Number of requests that judge pairs at this moment. They share the threads, since pairs cost more each in
/// smaller groups.
static JUDGING: AtomicUsize = AtomicUsize::new(0);

/// Counts a request in [`JUDGING`] until it is dropped.
struct Judging {
    /// Number of requests, this one included, when it began.
    count: usize,
}

impl Judging {
    fn begin() -> Self {
        Self { count: JUDGING.fetch_add(1, Ordering::Relaxed) + 1 }
    }
}

impl Drop for Judging {
    fn drop(&mut self) {
        JUDGING.fetch_sub(1, Ordering::Relaxed);
    }
}

impl EmbeddingModel for BuiltIn {
    fn embedding(&self, text: &str) -> Option<Embedding> {
        let embedding = StaticModel::shipped().of(text);
        embedding.parts().iter().any(|part| *part != 0.0).then_some(embedding)
    }

    fn knows_word(&self, word: &str) -> bool {
        StaticModel::shipped().knows_word(word)
    }

    fn fine_embedding(&self, text: &str) -> Option<Embedding> {
        recent_embeddings::embedding(text).ok()
    }

    fn fine_embeddings(&self, texts: &[&str]) -> Vec<Option<Embedding>> {
        match recent_embeddings::embeddings(texts) {
            Ok(found) => found.into_iter().map(Some).collect(),
            Err(_) => vec![None; texts.len()],
        }
    }

    fn pair_probabilities(&self, pairs: &[[&str; 2]]) -> Option<Vec<PairProbabilities>> {
        let judging = Judging::begin();
        in_parts(pairs, *THREADS / judging.count, |part| PairModel::builtin().judge(part)).ok()
    }
}

/// Returns the embedding model that compares rules; [`NoEmbeddings`] if embeddings are disabled.
pub(crate) fn meaning(open: &OpenVault) -> &'static dyn EmbeddingModel {
    if open.settings.disables_embeddings() { &NoEmbeddings } else { &BuiltIn }
}
