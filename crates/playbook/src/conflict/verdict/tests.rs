//! Which pairs of statements are read together, and what is made of it.

use std::cell::RefCell;

use super::*;
use crate::conflict::{ComparedRules, MinSimilarity};
use crate::embedding_model::EmbeddingModel;
use cm_text::embedding::Embedding;

const LEAST: MinSimilarity = MinSimilarity { jaccard: 0.85, cosine: 0.85 };

/// A model that takes the words of a text for its meaning, gives one answer about each pair, and keeps what it
/// read.
struct Reader {
    read: RefCell<Vec<[String; 2]>>,
    answer: PairProbabilities,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            read: RefCell::default(),
            answer: PairProbabilities { same: 0.98, opposite: 0.01, different: 0.01 },
        }
    }
}

impl EmbeddingModel for Reader {
    fn embedding(&self, text: &str) -> Option<Embedding> {
        let mut parts = vec![0.0; 64];
        for word in text.to_lowercase().split(|letter: char| !letter.is_alphanumeric()) {
            parts[usize::from(blake3::hash(word.as_bytes()).as_bytes()[0]) % 64] += 1.0;
        }
        Embedding::of(parts)
    }

    fn pair_probabilities(&self, pairs: &[[&str; 2]]) -> Option<Vec<PairProbabilities>> {
        self.read.borrow_mut().extend(pairs.iter().map(|pair| pair.map(str::to_owned)));
        Some(vec![self.answer; pairs.len()])
    }
}

/// The statements that were read together with the first one, in the order in which they were.
fn read_beside(first: &str, others: &[&str], most: usize) -> Vec<String> {
    read_beside_from(first, others, most, 0.0)
}

fn read_beside_from(first: &str, others: &[&str], most: usize, next_from: f64) -> Vec<String> {
    let reader = Reader::default();
    let word_vectors = WordVectors::of(&reader).reading_at_most(most).reading_next_from(next_from);
    let statements: Vec<RuleStatement> =
        [&[first], others].concat().iter().map(|text| RuleStatement::of(text)).collect();
    let meant: Vec<EmbeddedStatement<'_>> =
        statements.iter().map(|statement| EmbeddedStatement { statement, embedding: None }).collect();
    let pairs: Vec<_> = meant[1..].iter().map(|other| [&meant[0], other]).collect();
    StatementVerdict::prepare(&pairs, 0.0, &word_vectors);
    assert!(meant[1..].iter().all(|other| StatementVerdict::of(&meant[0], other, &word_vectors).is_some()));
    let read = reader.read.borrow();
    let other = |[one, other]: &[String; 2]| if one == first { other.clone() } else { one.clone() };
    read.iter().map(other).collect()
}

const FIRST: &str = "Run the database migrations before the deploy";
const LIKELY: &str = "Run the migrations of the database";
const LESS_LIKELY: &str = "Run the database migrations right before each deploy";

#[test]
fn the_likeliest_pairs_are_read_and_no_more_than_may_be() {
    let others = [LESS_LIKELY, "Lunch is at noon", LIKELY];
    assert_eq!(read_beside(FIRST, &others, 9), [LIKELY, LESS_LIKELY]);
    assert_eq!(read_beside(FIRST, &others, 1), [LIKELY]);
    assert_eq!(read_beside(FIRST, &others, 0), [""; 0]);
}

#[test]
fn of_several_pairs_only_likely_ones_are_read_besides_the_likeliest() {
    let read = |from: f64| read_beside_from(FIRST, &[LESS_LIKELY, LIKELY], 9, from);
    assert_eq!(read(0.0), [LIKELY, LESS_LIKELY]);
    assert_eq!(read(1.0), [LIKELY]);
    // A statement that two notes make is read once, and counts once.
    assert_eq!(read_beside_from(FIRST, &[LIKELY, LIKELY, LESS_LIKELY], 2, 0.0), [LIKELY, LESS_LIKELY]);
    assert_eq!(read_beside_from(FIRST, &[LIKELY, LIKELY, LESS_LIKELY], 2, 1.0), [LIKELY]);
}

#[test]
fn statements_that_differ_only_in_digits_are_not_read() {
    let first = "The gateway gives up after 30 s, and retries 2.5 times";
    let other = "The gateway gives up after 900 s, and retries 3 times";
    assert_eq!(read_beside(first, &[other], 9), [""; 0]);
    let other = "The gateway gives up after 900 s and retries up to 3 times";
    assert_eq!(read_beside(first, &[other], 9), [other]);
}

#[test]
fn rules_that_are_read_as_the_same_are_worth_merging() {
    let reader = Reader::default();
    let texts = [FIRST, "Migrations come before a deploy", "Lunch is at noon"].map(str::to_owned);
    let merging = |most: usize| {
        let word_vectors = WordVectors::of(&reader).reading_at_most(most);
        let found = ComparedRules::of(&texts, &word_vectors).worth_merging(&[vec![0, 1, 2]], LEAST);
        found.into_iter().map(|(a, b, _)| (a, b)).collect::<Vec<_>>()
    };
    assert_eq!(merging(9), [(0, 1)]);
    assert_eq!(merging(0), []);
}

#[test]
fn statements_that_differ_only_in_articles_and_punctuation_are_not_read() {
    assert_eq!(read_beside("Write tests first.", &["Please write the tests first!"], 9), [""; 0]);
    let differ = differ_only_in_articles;
    assert!(differ("Write tests first.", "Please write the tests first!"));
    assert!(!differ("Push to my branch", "Push to your branch"));
    assert!(!differ("Use tabs?", "Use tabs"));
    assert!(!differ("Write tests first", "Write tests last"));
    assert!(!differ("Run a migration", "Run no migration"));
    assert!(!differ("Build with C", "Build with C++"));
}

#[test]
fn rules_that_the_settings_call_close_need_less_certainty_to_be_worth_merging() {
    let answer = PairProbabilities { same: 0.5, opposite: 0.1, different: 0.4 };
    let reader = Reader { answer, ..Reader::default() };
    let texts = [FIRST, "Migrations come before a deploy"].map(str::to_owned);
    let is_mergeable = |cosine: f64| {
        let word_vectors = WordVectors::of(&reader);
        let least = MinSimilarity { cosine, ..LEAST };
        !ComparedRules::of(&texts, &word_vectors).worth_merging(&[vec![0, 1]], least).is_empty()
    };
    assert_eq!([0.85, 0.3].map(is_mergeable), [false, true]);
}
