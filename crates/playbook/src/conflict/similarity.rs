//! Detects contradictory and equivalent rules by the meaning of their words.
//!
//! Whole-rule similarity was measured and predicts neither, because contradictions are more similar
//! than duplicates. Therefore words are paired by meaning first and then compared as equal. Without
//! a model only the words count.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::claim_comparison::MIN_COMMON_SHARE;
use super::statement::{RuleStatement, WrittenWord};
use super::{RuleContradiction, chosen, claimed, likeness};
use crate::embedding_model::WordVectors;
use cm_text::embedding::Embedding;

/// Minimum similarity of two words, 0–1, at which they count as synonyms in otherwise similar
/// rules.
const MIN_SAME_WORD_SIMILARITY: f64 = 0.5;
/// Minimum share of common words, counting synonyms, for rules of which one forbids what the other
/// demands.
const MIN_SAME_SUBJECT_SHARE: f64 = 0.5;

/// Returns the contradiction between two rules, also if they use different words. Symmetric.
pub fn opposed(
    a: &RuleStatement,
    b: &RuleStatement,
    word_vectors: &WordVectors<'_>,
) -> Option<RuleContradiction> {
    claimed(a, b)
        .or_else(|| chosen(a, b, &|one, other| word_vectors.likeness(one, other)))
        .or_else(|| reworded(a, b, word_vectors))
}

/// Finds a contradiction between rules that use synonyms. Applies only to rules with one claim,
/// because long rules always contain some similar words.
fn reworded(
    a: &RuleStatement,
    b: &RuleStatement,
    word_vectors: &WordVectors<'_>,
) -> Option<RuleContradiction> {
    let (a, b) = if b.words() < a.words() { (b, a) } else { (a, b) };
    if word_vectors.is_disabled()
        || a.claims().len() != 1
        || b.claims().len() != 1
        || a.overlap(b) < MIN_COMMON_SHARE
    {
        return None;
    }
    let names = synonyms(a, b, word_vectors);
    if names.is_empty() {
        return None;
    }
    let b = b.renamed(&names);
    if a.overlap(&b) < MIN_SAME_SUBJECT_SHARE { None } else { claimed(a, &b) }
}

/// Maps words that only `b` has to synonyms that only `a` has, by comparison key. Each word is used
/// once, most similar pairs first.
fn synonyms(
    a: &RuleStatement,
    b: &RuleStatement,
    word_vectors: &WordVectors<'_>,
) -> BTreeMap<String, String> {
    let (ones, others) = (lone(a, b), lone(b, a));
    let mut pairs: Vec<(f64, &str, &str)> = Vec::new();
    for (key, raw) in &ones {
        let like = others.iter().map(|(other, word)| (word_vectors.likeness(raw, word), *key, *other));
        pairs.extend(like.filter(|(like, ..)| *like >= MIN_SAME_WORD_SIMILARITY));
    }
    pairs.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then_with(|| (one.1, one.2).cmp(&(other.1, other.2)))
    });
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (_, key, other) in pairs {
        if !names.contains_key(other) && names.values().all(|taken| taken != key) {
            names.insert(other.to_owned(), key.to_owned());
        }
    }
    names
}

/// Returns the words that occur in the claims of `of` but not in those of `against`, as a map from
/// comparison key to spelling. Names and code are left out.
fn lone<'s>(of: &'s RuleStatement, against: &RuleStatement) -> BTreeMap<&'s str, &'s str> {
    let embedded =
        |key: &str| against.claims().iter().flat_map(|claim| &claim.terms).any(|term| term.key == key);
    let terms = of.claims().iter().flat_map(|claim| &claim.terms);
    terms
        .filter(|term| term.pole.is_none() && is_plain(&term.raw) && !embedded(&term.key))
        .map(|term| (term.key.as_str(), term.raw.as_str()))
        .collect()
}

fn is_plain(word: &str) -> bool {
    word.len() > 2 && word.chars().all(char::is_alphabetic)
}

/// How similar two rules are, measured by words or by embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Similarity {
    /// Share of common words, 0–1.
    Words(f64),
    /// Cosine of the embeddings, at most 1.
    Meaning(f64),
    /// Probability that both say the same, 0–1.
    Verdict(f64),
}

impl Similarity {
    /// The value, 0–1.
    pub fn value(self) -> f64 {
        match self {
            Self::Words(share) | Self::Meaning(share) | Self::Verdict(share) => share,
        }
    }
}

impl std::fmt::Display for Similarity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Words(share) => write!(f, "{:.0} % of the words", share * 100.0),
            Self::Meaning(cosine) => write!(f, "same meaning: cosine {cosine:.2}"),
            Self::Verdict(probability) => write!(f, "probably the same: {:.0} %", probability * 100.0),
        }
    }
}

/// Thresholds from which two rules count as equivalent, by words or by embeddings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MinSimilarity {
    /// Minimum share of common words.
    pub jaccard: f64,
    /// Minimum cosine of the embeddings.
    pub cosine: f64,
}

/// A parsed rule with its embedding.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddedStatement<'s> {
    /// Words and claims of the rule.
    pub statement: &'s RuleStatement,
    /// Embedding; `None` without a model.
    pub embedding: Option<&'s Embedding>,
}

/// A parsed rule that owns its embedding.
#[derive(Debug, Clone)]
pub struct OwnedStatement {
    pub statement: RuleStatement,
    /// Embedding; `None` without a model.
    pub embedding: Option<Embedding>,
}

impl OwnedStatement {
    pub fn embedded(&self) -> EmbeddedStatement<'_> {
        EmbeddedStatement { statement: &self.statement, embedding: self.embedding.as_ref() }
    }
}

impl EmbeddedStatement<'_> {
    /// The similarity to an existing rule, if it is high enough that this rule adds nothing. `None`
    /// for rules that contradict each other, or that differ in a name, a number or a word without a
    /// synonym.
    pub fn near(
        &self,
        other: &Self,
        least: MinSimilarity,
        word_vectors: &WordVectors<'_>,
    ) -> Option<Similarity> {
        let (a, b) = (self.statement, other.statement);
        let share = if a.overlap(b) >= least.jaccard { likeness(a, b) } else { 0.0 };
        let near = if share >= least.jaccard && !is_exchanged(a, b, word_vectors) {
            Similarity::Words(share)
        } else {
            let cosine = self.cosine(other);
            if !(cosine >= least.cosine && says_same(a, b, word_vectors) || says_less(a, b, word_vectors)) {
                return None;
            }
            Similarity::Meaning(cosine)
        };
        opposed(a, b, word_vectors).is_none().then_some(near)
    }

    /// Whether this rule states another one more precisely: it uses the full name of the same thing
    /// or adds its version.
    pub fn refines(&self, other: &Self, word_vectors: &WordVectors<'_>) -> bool {
        let (a, b) = (self.statement, other.statement);
        says_less(b, a, word_vectors) && opposed(a, b, word_vectors).is_none()
    }

    /// Cosine of the embeddings, −1 to 1; 0 if either has none.
    pub fn cosine(&self, other: &Self) -> f64 {
        self.embedding.zip(other.embedding).map_or(0.0, |(one, other)| one.cosine(other))
    }
}

/// Whether two rules say the same in different words: every word has a counterpart in the other
/// rule, and both have equally many negations and exceptions.
fn says_same(a: &RuleStatement, b: &RuleStatement, word_vectors: &WordVectors<'_>) -> bool {
    a.shape() == b.shape()
        && all_have_counterparts(a, b, word_vectors, MIN_SAME_WORD_SIMILARITY)
        && all_have_counterparts(b, a, word_vectors, MIN_SAME_WORD_SIMILARITY)
}

/// Whether rule `a` differs from `b` only in the spelling of a name and in omitting its version:
/// "prefer Postgres", "use PostgreSQL 16". Meant for short rules, whose overall similarity is
/// unreliable.
fn says_less(a: &RuleStatement, b: &RuleStatement, word_vectors: &WordVectors<'_>) -> bool {
    let is_shared = |word: &WrittenWord, by: &RuleStatement| {
        let mut others = by.written().map(|(_, other)| other);
        word.firm && others.any(|other| other.firm && is_same_name(&word.raw, &other.raw))
    };
    let version = |word: &WrittenWord| word.raw.starts_with(|c: char| c.is_ascii_digit());
    let foreign: Vec<&WrittenWord> = beyond(a, b).collect();
    !word_vectors.is_disabled()
        && !foreign.is_empty()
        && a.shape() == b.shape()
        && foreign.into_iter().all(|word| is_shared(word, b))
        && beyond(b, a).all(|word| version(word) || is_shared(word, a))
}

fn is_same_name(one: &str, other: &str) -> bool {
    let begins = |long: &str, short: &str| short.len() >= 4 && long.starts_with(short);
    let numbers = |word: &str| word.chars().filter(char::is_ascii_digit).collect::<String>();
    numbers(one) == numbers(other) && (begins(one, other) || begins(other, one))
}

/// Whether one rule replaces a word of the other by a word that is not a synonym. Words that are
/// only added do not count.
fn is_exchanged(a: &RuleStatement, b: &RuleStatement, word_vectors: &WordVectors<'_>) -> bool {
    let additional = beyond(a, b).next().is_none() || beyond(b, a).next().is_none();
    let exchanged = !all_have_counterparts(a, b, word_vectors, MIN_SAME_WORD_SIMILARITY)
        || !all_have_counterparts(b, a, word_vectors, MIN_SAME_WORD_SIMILARITY);
    !word_vectors.is_disabled() && !additional && exchanged
}

/// Whether two rules differ in a name or number: each has a name or number that the other lacks.
pub(crate) fn name_differently(a: &RuleStatement, b: &RuleStatement) -> bool {
    beyond(a, b).any(|word| word.firm) && beyond(b, a).any(|word| word.firm)
}

/// Whether every word that only `a` has is no name or number and has a word of `b` with at least
/// this cosine.
fn all_have_counterparts(
    a: &RuleStatement,
    b: &RuleStatement,
    word_vectors: &WordVectors<'_>,
    least: f64,
) -> bool {
    let counterpart = |word: &WrittenWord| {
        !word.firm && b.written().any(|(_, other)| word_vectors.likeness(&word.raw, &other.raw) >= least)
    };
    beyond(a, b).all(counterpart)
}

/// Returns the content words of `a` that `b` does not contain.
fn beyond<'s>(a: &'s RuleStatement, b: &'s RuleStatement) -> impl Iterator<Item = &'s WrittenWord> {
    a.written().filter(|(stem, _)| !b.words().contains(*stem)).map(|(_, word)| word)
}
