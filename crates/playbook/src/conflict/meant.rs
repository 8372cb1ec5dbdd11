//! Which rules contradict each other or say the same in other words, by what their words mean.
//!
//! Measured: the likeness of whole rules tells neither, because what contradicts looks more alike than what says the same.
//! So words are paired by their meaning first, and then compared as if they were the same word. Without a model nothing
//! is found here that the words alone do not show.

use std::collections::BTreeMap;

use super::compare::LEAST;
use super::statement::{Statement, Written};
use super::{Opposition, chosen, claimed, likeness};
use crate::meaning::Sense;

/// From here on two words say the same in rules that are otherwise alike.
const SAME_WORD: f64 = 0.5;
/// The least share of words, those in other words too, that two rules have in common when one denies the other.
const SAME_SUBJECT: f64 = 0.5;

/// What makes two rules contradict each other, in whatever words. It does not matter which comes first.
pub fn opposed(a: &Statement, b: &Statement, sense: &Sense<'_>) -> Option<Opposition> {
    claimed(a, b)
        .or_else(|| chosen(a, b, &|one, other| sense.likeness(one, other)))
        .or_else(|| reworded(a, b, sense))
}

/// The same where the rules are about one thing in different words. Only rules of one claim: of longer ones some words
/// always fit some others.
fn reworded(a: &Statement, b: &Statement, sense: &Sense<'_>) -> Option<Opposition> {
    let (a, b) = if b.words() < a.words() { (b, a) } else { (a, b) };
    if sense.is_none() || a.claims().len() != 1 || b.claims().len() != 1 || a.overlap(b) < LEAST {
        return None;
    }
    let names = synonyms(a, b, sense);
    if names.is_empty() {
        return None;
    }
    let b = b.renamed(&names);
    if a.overlap(&b) < SAME_SUBJECT { None } else { claimed(a, &b) }
}

/// Words that only `b` has, by their keys, and the words that only `a` has and that mean the same; each word once, the
/// likest first.
fn synonyms(a: &Statement, b: &Statement, sense: &Sense<'_>) -> BTreeMap<String, String> {
    let (ones, others) = (lone(a, b), lone(b, a));
    let mut pairs: Vec<(f64, &str, &str)> = Vec::new();
    for (key, raw) in &ones {
        let like = others.iter().map(|(other, word)| (sense.likeness(raw, word), *key, *other));
        pairs.extend(like.filter(|(like, ..)| *like >= SAME_WORD));
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

/// The plain words that only the first rule's claims have: their keys, and as written.
fn lone<'s>(of: &'s Statement, against: &Statement) -> BTreeMap<&'s str, &'s str> {
    let known =
        |key: &str| against.claims().iter().flat_map(|claim| &claim.terms).any(|term| term.key == key);
    let terms = of.claims().iter().flat_map(|claim| &claim.terms);
    terms
        .filter(|term| term.pole.is_none() && is_plain(&term.raw) && !known(&term.key))
        .map(|term| (term.key.as_str(), term.raw.as_str()))
        .collect()
}

fn is_plain(word: &str) -> bool {
    word.len() > 2 && word.chars().all(char::is_alphabetic)
}

/// How near two rules are that are taken for one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Near {
    /// They share so many of their words, 0–1.
    Words(f64),
    /// They mean the same: the cosine of their vectors.
    Meaning(f64),
}

impl Near {
    /// How much, 0–1.
    pub fn value(self) -> f64 {
        match self {
            Self::Words(share) | Self::Meaning(share) => share,
        }
    }
}

impl std::fmt::Display for Near {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Words(share) => write!(f, "{:.0} % of the words", share * 100.0),
            Self::Meaning(cosine) => write!(f, "means the same: cosine {cosine:.2}"),
        }
    }
}

/// From where on two rules are taken for one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearness {
    /// The share of common words.
    pub jaccard: f64,
    /// The cosine of their vectors.
    pub cosine: f64,
}

/// A rule with what it means.
#[derive(Debug, Clone, Copy)]
pub struct Meant<'s> {
    /// Its words.
    pub statement: &'s Statement,
    /// Its vector; none where nothing is known of it.
    pub embedding: Option<&'s cm_text::embedding::Embedding>,
}

impl Meant<'_> {
    /// How near a rule is to one that there is, if so near that it says nothing new. Rules that contradict each other never are, and neither are
    /// rules that differ in a name, a number or a word without a counterpart, however long they are otherwise.
    pub fn near(&self, other: &Self, least: Nearness, sense: &Sense<'_>) -> Option<Near> {
        let (a, b) = (self.statement, other.statement);
        let share = if a.overlap(b) >= least.jaccard { likeness(a, b) } else { 0.0 };
        let near = if share >= least.jaccard && !is_exchanged(a, b, sense) {
            Near::Words(share)
        } else {
            let cosine = self.cosine(other);
            if !(cosine >= least.cosine && says_same(a, b, sense) || says_less(a, b, sense)) {
                return None;
            }
            Near::Meaning(cosine)
        };
        opposed(a, b, sense).is_none().then_some(near)
    }

    /// Whether this rule says what another one says, and more: the same thing by its full name, or in a version of it.
    pub fn refines(&self, other: &Self, sense: &Sense<'_>) -> bool {
        let (a, b) = (self.statement, other.statement);
        says_less(b, a, sense) && opposed(a, b, sense).is_none()
    }

    /// How much two rules mean the same, −1 to 1; 0 where nothing is known.
    pub fn cosine(&self, other: &Self) -> f64 {
        self.embedding.zip(other.embedding).map_or(0.0, |(one, other)| one.cosine(other))
    }
}

/// Whether each word that only one rule has has a counterpart in the other, and both deny and except as often.
fn says_same(a: &Statement, b: &Statement, sense: &Sense<'_>) -> bool {
    a.shape() == b.shape() && met(a, b, sense) && met(b, a, sense)
}

/// Whether a rule differs from another only in how it names the same thing, and in leaving out its version: "prefer
/// Postgres", "use PostgreSQL 16". It holds of short rules, whose likeness as a whole says little.
fn says_less(a: &Statement, b: &Statement, sense: &Sense<'_>) -> bool {
    let named = |word: &Written, by: &Statement| {
        let mut others = by.written().map(|(_, other)| other);
        word.firm && others.any(|other| other.firm && is_same_name(&word.raw, &other.raw))
    };
    let version = |word: &Written| word.raw.starts_with(|c: char| c.is_ascii_digit());
    let foreign: Vec<&Written> = beyond(a, b).collect();
    !sense.is_none()
        && !foreign.is_empty()
        && a.shape() == b.shape()
        && foreign.into_iter().all(|word| named(word, b))
        && beyond(b, a).all(|word| version(word) || named(word, a))
}

fn is_same_name(one: &str, other: &str) -> bool {
    let begins = |long: &str, short: &str| short.len() >= 4 && long.starts_with(short);
    let numbers = |word: &str| word.chars().filter(char::is_ascii_digit).collect::<String>();
    numbers(one) == numbers(other) && (begins(one, other) || begins(other, one))
}

/// Whether a word stands in the place of another that is not its counterpart. Additional words exchange nothing.
fn is_exchanged(a: &Statement, b: &Statement, sense: &Sense<'_>) -> bool {
    let additional = beyond(a, b).next().is_none() || beyond(b, a).next().is_none();
    let exchanged = !met(a, b, sense) || !met(b, a, sense);
    !sense.is_none() && !additional && exchanged
}

/// Whether two rules differ in a name or a number, each having one that the other has not.
pub fn name_differently(a: &Statement, b: &Statement) -> bool {
    beyond(a, b).any(|word| word.firm) && beyond(b, a).any(|word| word.firm)
}

fn met(a: &Statement, b: &Statement, sense: &Sense<'_>) -> bool {
    let counterpart = |word: &Written| {
        !word.firm && b.written().any(|(_, other)| sense.likeness(&word.raw, &other.raw) >= SAME_WORD)
    };
    beyond(a, b).all(counterpart)
}

/// The words that only the first has.
fn beyond<'s>(a: &'s Statement, b: &'s Statement) -> impl Iterator<Item = &'s Written> {
    a.written().filter(|(stem, _)| !b.words().contains(*stem)).map(|(_, word)| word)
}
