//! Compares the tokenizer with the reference on texts in many scripts.

use proptest::prelude::*;
use std::sync::LazyLock;
use tokenizers::Model;
use tokenizers::models::unigram::Unigram;

use super::pieces::FIRST_PIECE;
use super::*;
use crate::Error;
use crate::builtin::bytes::WeightReader;
use crate::builtin::texts::Texts;
use cm_weights::E5_PIECES;

static PIECES: LazyLock<Pieces> =
    LazyLock::new(|| Pieces::read(WeightReader::new("test", E5_PIECES)).unwrap());

fn spelt(text: &str) -> Vec<&'static str> {
    let all: Vec<&str> = PIECES.iter().map(|(piece, _)| piece).collect();
    tokens(&PIECES, text, usize::MAX).into_iter().map(|token| all[usize::from(token)]).collect()
}

#[test]
fn pieces_are_sorted_and_found_by_their_bytes() {
    let all: Vec<(&str, f32)> = PIECES.iter().collect();
    assert_eq!([UNKNOWN, BEGIN, END].map(|token| all[usize::from(token)].0), ["<unk>", "<s>", "</s>"]);
    assert!(all[FIRST_PIECE..].is_sorted_by(|a, b| a.0 < b.0));
    assert!(all.iter().all(|(piece, _)| piece.len() <= MAX_PIECE_BYTES));
    for (token, (piece, score)) in all.iter().enumerate().skip(FIRST_PIECE) {
        let mut found = None;
        PIECES.each_prefix(piece.as_bytes(), |length, token, score| found = Some((length, token, score)));
        assert_eq!(found, Some((piece.len(), token as Token, *score)), "{piece}");
    }
}

#[test]
fn words_are_split_as_the_model_was_trained() {
    assert_eq!(spelt("The  database!\n"), ["▁The", "▁database", "!"]);
    assert_eq!(spelt("数据库"), ["▁", "数据库"]);
    assert_eq!(spelt(" \u{200B}\u{1}\n"), [""; 0]);
    assert_eq!(spelt("a</s>"), ["▁a", "</", "s", ">"]);
    assert_eq!(spelt("\u{16800}\u{16801} x"), ["▁", "<unk>", "▁x"]);
}

#[test]
fn every_character_of_ascii_is_a_piece() {
    for character in '!'..='~' {
        assert!(!spelt(&character.to_string()).contains(&"<unk>"), "{character}");
    }
}

#[test]
fn no_more_tokens_are_given_than_are_asked_for() {
    assert_eq!(tokens(&PIECES, "one two three", 2), tokens(&PIECES, "one two", 9));
    assert!(tokens(&PIECES, "one", 0).is_empty());
    let long = "测试".repeat(20_000);
    assert_eq!(tokens(&PIECES, &long, 100).len(), 100);
}

#[test]
fn ten_thousand_texts_of_many_scripts_are_split_as_the_reference_splits_them() {
    let vocabulary = PIECES.iter().map(|(piece, score)| (piece.to_owned(), f64::from(score)));
    // The reference would find the special tokens in a text.
    let vocabulary = vocabulary.enumerate().map(|(token, (piece, score))| match token {
        0..FIRST_PIECE => (format!("\u{10FFFF}{token}"), score),
        _ => (piece, score),
    });
    // Scores of special tokens are 0 and do not change the lowest one.
    let reference = Unigram::from(vocabulary.collect(), Some(usize::from(UNKNOWN)), false).unwrap();
    let (mut known, mut all) = (0, 0);
    for text in Texts::new().take(10_000) {
        let normal: String = characters(&text).collect();
        let words = normal.split_whitespace().map(|word| format!("{MARK}{word}"));
        let expected: Vec<Token> = words
            .flat_map(|word| reference.tokenize(&word).unwrap())
            .map(|token| token.id as Token)
            .collect();
        assert_eq!(tokens(&PIECES, &text, usize::MAX), expected, "{text:?}");
        known += expected.iter().filter(|token| **token != UNKNOWN).count();
        all += expected.len();
    }
    assert!(known * 10 > all * 9 && all > 100_000, "most characters are known: {known} of {all}");
}

#[test]
fn a_damaged_vocabulary_is_refused_with_the_reason() {
    let changed = |change: fn(&mut Vec<u8>)| {
        let mut bytes = E5_PIECES.to_vec();
        change(&mut bytes);
        Pieces::read(WeightReader::new("test", bytes.leak()))
    };
    for (damage, reason) in [
        (changed(|bytes| bytes.truncate(3)), "4 bytes expected, but only 3 left"),
        (changed(|bytes| bytes[0] = b'X'), "does not start with CMP1"),
        (changed(|bytes| bytes[6] = 1), "its vocabulary has"),
        (changed(|bytes| bytes[4..8].fill(0)), "its vocabulary has 0 pieces"),
        (changed(|bytes| bytes.truncate(100_000)), "bytes expected"),
        (changed(|bytes| bytes.push(0)), "1 unexpected bytes after its vocabulary"),
        (
            changed(|bytes| {
                let scores = 8 + usize::from(u16::from_le_bytes([bytes[4], bytes[5]]));
                bytes[scores..scores + 4].fill(0xFF);
            }),
            "a score is not a number",
        ),
    ] {
        let Err(Error::Damaged { why, .. }) = damage else { panic!("{reason}") };
        assert!(why.contains(reason), "{why}");
    }
}

proptest! {
    #[test]
    fn every_text_can_be_split(text in "\\PC*|(?s:.*)") {
        for token in tokens(&PIECES, &text, 64) {
            prop_assert!(usize::from(token) < PIECES.len());
        }
    }
}
