//! Embeddings as curation needs them: one vector per text, from a model that the caller supplies.
//!
//! Vectors are cached for one curation only.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::conflict::{OwnedStatement, RuleStatement};
use cm_text::embedding::{Embedding, PairProbabilities};
use cm_text::spelling::begin_alike;

/// Converts texts to embeddings. Implementations must be deterministic: equal texts have equal
/// vectors.
pub trait EmbeddingModel {
    /// Returns the embedding of a text, or `None` if the model cannot compute one.
    fn embedding(&self, text: &str) -> Option<Embedding>;

    /// Whether the model has a vector for this word as a whole. The vector of other words, mostly names, is
    /// made of the vectors of their fragments.
    fn knows_word(&self, _: &str) -> bool {
        true
    }

    /// Returns the embedding of a text by a slower model that considers the order of words; `None`
    /// if there is none.
    fn fine_embedding(&self, _: &str) -> Option<Embedding> {
        None
    }

    /// Returns the embeddings of several texts by the slower model, for which one call may be faster
    /// than one a text.
    fn fine_embeddings(&self, texts: &[&str]) -> Vec<Option<Embedding>> {
        texts.iter().map(|text| self.fine_embedding(text)).collect()
    }

    /// Judges pairs of English statements by a model that reads both together, in the order of the
    /// pairs; `None` if there is no such model. The order within a pair must make no difference.
    fn pair_probabilities(&self, _: &[[&str; 2]]) -> Option<Vec<PairProbabilities>> {
        None
    }
}

/// The model used while embeddings are disabled; it returns no vectors.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEmbeddings;

impl EmbeddingModel for NoEmbeddings {
    fn embedding(&self, _: &str) -> Option<Embedding> {
        None
    }
}

/// Maximum number of pairs that are read together in one curation, unless the caller says otherwise. Each takes
/// about 6 ms.
const MAX_PAIRS: usize = 256;

/// A single word, as the model reads it.
struct EmbeddedWord {
    embedding: Option<Rc<Embedding>>,
    /// Whether the model has a vector for the word as a whole.
    is_whole: OnceCell<bool>,
}

/// Wraps an embedding model, and caches the vectors of single words.
pub struct WordVectors<'m> {
    meaning: &'m dyn EmbeddingModel,
    words: RefCell<HashMap<String, Rc<EmbeddedWord>>>,
    fine: RefCell<HashMap<String, Option<Rc<Embedding>>>>,
    pairs: RefCell<HashMap<[String; 2], Option<PairProbabilities>>>,
    most_pairs: usize,
    /// Minimum probability of being about one thing for reading a pair besides the likeliest.
    next_from: f64,
}

impl<'m> WordVectors<'m> {
    pub fn of(meaning: &'m dyn EmbeddingModel) -> Self {
        Self {
            meaning,
            words: RefCell::default(),
            fine: RefCell::default(),
            pairs: RefCell::default(),
            most_pairs: MAX_PAIRS,
            next_from: 0.0,
        }
    }

    /// Reads at most this many pairs of statements together.
    pub fn reading_at_most(self, pairs: usize) -> Self {
        Self { most_pairs: pairs, ..self }
    }

    /// Of the prepared pairs, reads the likeliest, and others only if the fast model gives at least this
    /// probability, 0–1, that they are about one thing.
    pub fn reading_next_from(self, probability: f64) -> Self {
        Self { next_from: probability, ..self }
    }

    /// Returns the embedding of a text, without caching it.
    pub fn text(&self, text: &str) -> Option<Embedding> {
        self.meaning.embedding(text)
    }

    /// Returns the embedding of a statement, with its known words translated to English.
    pub fn statement(&self, statement: &RuleStatement) -> Option<Embedding> {
        self.meaning.embedding(statement.in_english())
    }

    /// Parses a rule and embeds it, with its known words translated to English.
    pub fn embed(&self, rule: &str) -> OwnedStatement {
        let statement = RuleStatement::of(rule);
        let embedding = self.statement(&statement);
        OwnedStatement { statement, embedding }
    }

    /// Returns the embedding of a single word, from the cache if possible.
    pub fn word(&self, word: &str) -> Option<Rc<Embedding>> {
        self.embedded_word(word).embedding.clone()
    }

    fn embedded_word(&self, word: &str) -> Rc<EmbeddedWord> {
        if let Some(cached) = self.words.borrow().get(word) {
            return cached.clone();
        }
        let embedding = self.meaning.embedding(word).map(Rc::new);
        let found = Rc::new(EmbeddedWord { embedding, is_whole: OnceCell::new() });
        self.words.borrow_mut().insert(word.to_owned(), found.clone());
        found
    }

    /// Returns the cosine of two texts by the slower model; `None` if there is none.
    pub(crate) fn fine_cosine(&self, one: &str, other: &str) -> Option<f64> {
        Some(self.fine(one)?.cosine(&*self.fine(other)?))
    }

    /// Embeds texts with the slower model at once, for later comparisons.
    pub(crate) fn prepare_fine(&self, texts: BTreeSet<String>) {
        let mut fine = self.fine.borrow_mut();
        let missing: Vec<String> = texts.into_iter().filter(|text| !fine.contains_key(text)).collect();
        let found = self.meaning.fine_embeddings(&missing.iter().map(String::as_str).collect::<Vec<_>>());
        fine.extend(missing.into_iter().zip(found.into_iter().map(|one| one.map(Rc::new))));
    }

    /// Returns the cosine of two texts by the fast model; 0 if either has no vector.
    pub fn text_cosine(&self, one: &str, other: &str) -> f64 {
        self.text(one).zip(self.text(other)).map_or(0.0, |(one, other)| one.cosine(&other))
    }

    /// Whether there is a slower model, tested with one common word.
    pub(crate) fn has_fine(&self) -> bool {
        self.fine("rule").is_some()
    }

    fn fine(&self, text: &str) -> Option<Rc<Embedding>> {
        if let Some(cached) = self.fine.borrow().get(text) {
            return cached.clone();
        }
        let found = self.meaning.fine_embedding(text).map(Rc::new);
        self.fine.borrow_mut().insert(text.to_owned(), found.clone());
        found
    }

    /// Judges two English statements by the model that reads both together; `None` if there is none, or if it
    /// has read as many pairs as it may.
    pub(crate) fn pair(&self, one: &str, other: &str) -> Option<PairProbabilities> {
        let key = [one.to_owned(), other.to_owned()];
        if let Some(cached) = self.pairs.borrow().get(&key) {
            return *cached;
        }
        if self.pairs.borrow().len() >= self.most_pairs {
            return None;
        }
        let found = self.meaning.pair_probabilities(&[[one, other]]).and_then(|mut found| found.pop());
        self.pairs.borrow_mut().insert(key, found);
        found
    }

    /// Returns the verdict on two statements if they were read together before.
    pub(crate) fn pair_if_read(&self, one: &str, other: &str) -> Option<PairProbabilities> {
        self.pairs.borrow().get(&[one.to_owned(), other.to_owned()]).copied().flatten()
    }

    /// Judges pairs of English statements at once, for later comparisons. The pairs come with their probability of
    /// being about one thing, likeliest first, each once. Unlikely ones are not read later either.
    pub(crate) fn prepare_pairs(&self, pairs: Vec<(f64, [String; 2])>) {
        let mut cached = self.pairs.borrow_mut();
        let left = self.most_pairs.saturating_sub(cached.len());
        let new = pairs.into_iter().filter(|(_, pair)| !cached.contains_key(pair)).take(left).enumerate();
        let (read, unread): (Vec<_>, Vec<_>) =
            new.partition(|(place, (likely, _))| *place == 0 || *likely >= self.next_from);
        let pairs_of = |list: Vec<(usize, (f64, [String; 2]))>| list.into_iter().map(|(_, (_, pair))| pair);
        let missing: Vec<[String; 2]> = pairs_of(read).collect();
        cached.extend(pairs_of(unread).map(|pair| (pair, None)));
        let texts: Vec<[&str; 2]> = missing.iter().map(|pair| pair.each_ref().map(String::as_str)).collect();
        let found = if texts.is_empty() { None } else { self.meaning.pair_probabilities(&texts) };
        if let Some(found) = found {
            cached.extend(missing.into_iter().zip(found.into_iter().map(Some)));
        }
    }

    /// Whether the model returns no vectors, tested with one common word.
    pub(crate) fn is_disabled(&self) -> bool {
        self.word("rule").is_none()
    }

    /// Returns the cosine of two words' embeddings; 0 if either word has none. Of two words that the model
    /// does not know it is 0, too, unless they begin alike: "tidecheck" and "seacheck" have a fragment in
    /// common and are two programs.
    pub fn likeness(&self, one: &str, other: &str) -> f64 {
        let (a, b) = (self.embedded_word(one), self.embedded_word(other));
        let is_whole =
            |word: &EmbeddedWord, text| *word.is_whole.get_or_init(|| self.meaning.knows_word(text));
        match (&a.embedding, &b.embedding) {
            (Some(x), Some(y)) if begin_alike(one, other) || is_whole(&a, one) || is_whole(&b, other) => {
                x.cosine(y)
            }
            _ => 0.0,
        }
    }
}
