//! Embeddings as curation needs them: one vector per text, from a model that the caller supplies.
//!
//! Vectors are cached for one curation only.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use cm_text::embedding::Embedding;

/// An embedding model. It must be deterministic: equal texts have equal vectors.
pub trait Meaning {
    /// The embedding of a text, or `None` if the model has none.
    fn embedding(&self, text: &str) -> Option<Embedding>;
}

/// The model used while embeddings are disabled; it returns no vectors.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoMeaning;

impl Meaning for NoMeaning {
    fn embedding(&self, _: &str) -> Option<Embedding> {
        None
    }
}

/// A model with a cache of the vectors of single words.
pub struct Sense<'m> {
    meaning: &'m dyn Meaning,
    words: RefCell<HashMap<String, Option<Rc<Embedding>>>>,
}

impl<'m> Sense<'m> {
    pub fn of(meaning: &'m dyn Meaning) -> Self {
        Self { meaning, words: RefCell::default() }
    }

    /// The embedding of a text; not cached.
    pub fn text(&self, text: &str) -> Option<Embedding> {
        self.meaning.embedding(text)
    }

    /// The embedding of a word; cached.
    pub fn word(&self, word: &str) -> Option<Rc<Embedding>> {
        if let Some(known) = self.words.borrow().get(word) {
            return known.clone();
        }
        let found = self.meaning.embedding(word).map(Rc::new);
        self.words.borrow_mut().insert(word.to_owned(), found.clone());
        found
    }

    /// Whether the model returns no vectors, tested with one common word.
    pub fn is_none(&self) -> bool {
        self.word("rule").is_none()
    }

    /// Cosine of two words; 0 if either has no vector.
    pub fn likeness(&self, one: &str, other: &str) -> f64 {
        match (self.word(one), self.word(other)) {
            (Some(one), Some(other)) => one.cosine(&other),
            _ => 0.0,
        }
    }
}
