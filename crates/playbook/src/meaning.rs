//! What texts mean, as curation needs to know it: a vector for each, from a model that is given as data.
//!
//! It names no model and keeps no vector from one curation to the next.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use cm_text::embedding::Embedding;

/// A model that tells what a text means: the same for the same text, whatever was asked before.
pub trait Meaning {
    /// The vector of a text; none where the model has none.
    fn embedding(&self, text: &str) -> Option<Embedding>;
}

/// Where embeddings are off: nothing is known but the words.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoMeaning;

impl Meaning for NoMeaning {
    fn embedding(&self, _: &str) -> Option<Embedding> {
        None
    }
}

/// A model, and what it said of single words while rules are compared.
pub struct Sense<'m> {
    meaning: &'m dyn Meaning,
    words: RefCell<HashMap<String, Option<Rc<Embedding>>>>,
}

impl<'m> Sense<'m> {
    /// What a model knows.
    pub fn of(meaning: &'m dyn Meaning) -> Self {
        Self { meaning, words: RefCell::default() }
    }

    /// What a text means.
    pub fn text(&self, text: &str) -> Option<Embedding> {
        self.meaning.embedding(text)
    }

    /// What a word means.
    pub fn word(&self, word: &str) -> Option<Rc<Embedding>> {
        if let Some(known) = self.words.borrow().get(word) {
            return known.clone();
        }
        let found = self.meaning.embedding(word).map(Rc::new);
        self.words.borrow_mut().insert(word.to_owned(), found.clone());
        found
    }

    /// Whether it knows nothing.
    pub fn is_none(&self) -> bool {
        self.word("rule").is_none()
    }

    /// How much two words mean the same.
    pub fn likeness(&self, one: &str, other: &str) -> f64 {
        match (self.word(one), self.word(other)) {
            (Some(one), Some(other)) => one.cosine(&other),
            _ => 0.0,
        }
    }
}
