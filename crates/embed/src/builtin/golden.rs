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

/// Asserts that the vectors of some lines have at least the cosine `least` with the expected
/// ones, which are JSON arrays, one per line.
fn hold(embed: impl Fn(&[&str]) -> Vec<Embedding>, texts: &str, expected: &str, least: f64) {
    let texts: Vec<&str> = texts.lines().collect();
    let found = embed(&texts);
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
    let expected = include_str!("../../../../tests/golden/embedding/minilm-l6.jsonl");
    hold(|texts| MiniLm::builtin().embed_english(texts).unwrap(), TEXTS, expected, 0.99);
}

#[test]
fn the_multilingual_transformer_means_what_the_original_means() {
    let expected = include_str!("../../../../tests/golden/embedding/e5-small.jsonl");
    hold(|texts| E5Small::builtin().embed(texts).unwrap(), LANGUAGES, expected, 0.9995);
}

#[test]
fn the_static_model_is_the_sum_of_its_table() {
    let expected = include_str!("../../../../tests/golden/embedding/potion-256.jsonl");
    let embed = |texts: &[&str]| texts.iter().map(|text| StaticModel::shipped().of_english(text)).collect();
    hold(embed, TEXTS, expected, 0.9999);
}

#[test]
fn texts_of_several_languages_are_near_in_meaning() {
    let texts = [
        "Warum dauert die Anmeldung so lange?",
        "why does it take so long to log in",
        "¿cuándo se archivan las facturas?",
        "invoices are archived after ten years",
    ];
    let of_meaning = MiniLm::builtin().embed(&texts).unwrap();
    let of_words = texts.map(|text| StaticModel::shipped().of(text));
    for [german, login, spanish, invoices] in [of_meaning.try_into().unwrap(), of_words] {
        assert!(german.cosine(&login) > german.cosine(&invoices));
        assert!(spanish.cosine(&invoices) > spanish.cosine(&login));
    }
}
