//! The models that curation uses to compare the meaning of rules: always the built-in ones. The
//! slower one judges only pairs that the static one finds similar.
//!
//! The search model is not used here, because whether two rules conflict must not depend on caches,
//! providers or the state of an index.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::context::open_vault::OpenVault;
use cm_embed::Embedder as _;
use cm_embed::builtin::{MiniLm, StaticModel};
use cm_playbook::embedding_model::{EmbeddingModel, NoEmbeddings};
use cm_store::config::keys;
use cm_text::embedding::Embedding;

struct BuiltIn;

/// The embeddings of the latest texts: a server compares each new statement with the same neighbours
/// again and again.
struct RecentEmbeddings {
    newer: BTreeMap<String, Embedding>,
    older: BTreeMap<String, Embedding>,
}

impl RecentEmbeddings {
    /// Half of the number of embeddings that are kept.
    const HALF: usize = 1024;

    const fn new() -> Self {
        Self { newer: BTreeMap::new(), older: BTreeMap::new() }
    }

    fn get(&mut self, text: &str) -> Option<Embedding> {
        if let Some(found) = self.newer.get(text) {
            return Some(found.clone());
        }
        let found = self.older.remove(text)?;
        self.put(text, found.clone());
        Some(found)
    }

    fn put(&mut self, text: &str, embedding: Embedding) {
        if self.newer.len() >= Self::HALF {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(text.to_owned(), embedding);
    }
}

impl EmbeddingModel for BuiltIn {
    fn embedding(&self, text: &str) -> Option<Embedding> {
        let embedding = StaticModel::shipped().of(text);
        embedding.parts().iter().any(|part| *part != 0.0).then_some(embedding)
    }

    fn fine_embedding(&self, text: &str) -> Option<Embedding> {
        static RECENT: Mutex<RecentEmbeddings> = Mutex::new(RecentEmbeddings::new());
        let recent = || RECENT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(embedding) = recent().get(text) {
            return Some(embedding);
        }
        let embedding = MiniLm::builtin().embed(&[text]).ok()?.pop()?;
        recent().put(text, embedding.clone());
        Some(embedding)
    }
}

/// Returns the embedding model that compares rules; [`NoEmbeddings`] if embeddings are disabled.
pub(crate) fn meaning(open: &OpenVault) -> &'static dyn EmbeddingModel {
    let provider = open.settings.text(keys::EMBEDDINGS_PROVIDER);
    if provider == Some("none") { &NoEmbeddings } else { &BuiltIn }
}
