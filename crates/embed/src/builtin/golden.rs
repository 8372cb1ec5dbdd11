//! Compares the built-in models with the models they are derived from: the original transformer and
//! the table of token vectors.
//!
//! The expected vectors were computed by `tests/golden/embedding/reference.py`.

use super::e5_small::E5Small;
use super::{MiniLm, StaticModel};
use crate::Embedder;
use cm_text::embedding::Embedding;

const TEXTS: &str = include_str!("../../../../tests/golden/embedding/texts.txt");
const LANGUAGES: &str = include_str!("../../../../tests/golden/embedding/languages.txt");

/// Asserts that a model's vectors of some lines have at least the cosine `least` with the expected
/// ones, which are JSON arrays, one per line.
fn hold(model: &dyn Embedder, texts: &str, expected: &str, least: f64) {
    let texts: Vec<&str> = texts.lines().collect();
    let found = model.embed(&texts).unwrap();
    assert_eq!(expected.lines().count(), texts.len());
    for ((text, found), expected) in texts.iter().zip(&found).zip(expected.lines()) {
        let expected = Embedding::of(serde_json::from_str(expected).unwrap()).unwrap();
        if *text == "\u{200B}" {
            assert_eq!(*found, expected, "a text without tokens means nothing");
        } else {
            let cosine = found.cosine(&expected);
            assert!(cosine >= least, "{text}: {cosine}");
        }
    }
}

#[test]
fn the_transformer_means_what_the_original_means() {
    hold(MiniLm::builtin(), TEXTS, include_str!("../../../../tests/golden/embedding/minilm-l6.jsonl"), 0.99);
}

#[test]
fn the_multilingual_transformer_means_what_the_original_means() {
    let expected = include_str!("../../../../tests/golden/embedding/e5-small.jsonl");
    hold(E5Small::builtin(), LANGUAGES, expected, 0.9995);
}

#[test]
fn the_static_model_is_the_sum_of_its_table() {
    hold(
        StaticModel::shipped(),
        TEXTS,
        include_str!("../../../../tests/golden/embedding/potion-256.jsonl"),
        0.9999,
    );
}
