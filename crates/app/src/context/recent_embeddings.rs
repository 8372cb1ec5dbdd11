//! The embeddings of the latest texts by the built-in transformer: a server compares each new statement
//! with the same neighbours again and again, and asks the index about the same text.

use std::collections::HashMap;

use parking_lot::Mutex;

use cm_embed::Embedder as _;
use cm_embed::builtin::MiniLm;
use cm_text::embedding::Embedding;

/// Two generations of embeddings by text: the older one is dropped when the newer one is full.
#[derive(Default)]
struct RecentEmbeddings {
    newer: HashMap<String, Embedding>,
    older: HashMap<String, Embedding>,
}

impl RecentEmbeddings {
    /// Maximum number of embeddings of a generation.
    const MAX_GENERATION_TEXTS: usize = 4_096;

    fn get(&mut self, text: &str) -> Option<Embedding> {
        if let Some(found) = self.newer.get(text) {
            return Some(found.clone());
        }
        let found = self.older.remove(text)?;
        self.put(text.to_owned(), found.clone());
        Some(found)
    }

    fn put(&mut self, text: String, embedding: Embedding) {
        if self.newer.len() >= Self::MAX_GENERATION_TEXTS {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(text, embedding);
    }
}

static RECENT: Mutex<Option<RecentEmbeddings>> = Mutex::new(None);

/// Runs a function on the stored embeddings.
fn with_recent<T>(run: impl FnOnce(&mut RecentEmbeddings) -> T) -> T {
    run(RECENT.lock().get_or_insert_default())
}

/// Returns the embedding of a text, stored or computed.
///
/// # Errors
/// Returns an error if the model fails.
pub(crate) fn embedding(text: &str) -> cm_embed::Result<Embedding> {
    Ok(embeddings(&[text])?.remove(0))
}

/// Returns the embedding of each text; those that are not stored are computed in one call.
///
/// # Errors
/// Returns an error if the model fails.
pub(crate) fn embeddings(texts: &[&str]) -> cm_embed::Result<Vec<Embedding>> {
    let mut found: Vec<Option<Embedding>> =
        with_recent(|recent| texts.iter().map(|text| recent.get(text)).collect());
    let is_missing = |place: &Option<Embedding>| place.is_none();
    let missing: Vec<&str> =
        texts.iter().zip(&found).filter(|(_, place)| is_missing(place)).map(|(text, _)| *text).collect();
    let computed = if missing.is_empty() { Vec::new() } else { MiniLm::builtin().embed(&missing)? };
    let places = found.iter_mut().filter(|place| is_missing(place));
    for ((place, text), embedding) in places.zip(missing).zip(computed) {
        with_recent(|recent| recent.put(text.to_owned(), embedding.clone()));
        *place = Some(embedding);
    }
    Ok(found.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_and_new_texts_come_in_the_order_of_the_question() {
        let texts = ["the cache expires", "", "retry with backoff", "the cache expires"];
        let expected = MiniLm::builtin().embed(&texts).unwrap();
        assert_eq!(embedding(texts[2]).unwrap(), expected[2]);
        let found = embeddings(&texts).unwrap();
        for (one, other) in found.iter().zip(&expected) {
            let parts = one.parts().iter().zip(other.parts());
            assert!(parts.map(|(one, other)| (one - other).abs()).all(|difference| difference < 1e-4));
        }
        assert_eq!(found.len(), expected.len());
        assert!(embeddings(&[]).unwrap().is_empty());
    }
}
