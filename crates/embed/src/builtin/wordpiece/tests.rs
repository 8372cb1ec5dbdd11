//! Compares the tokenizer with the reference on texts in many scripts.

mod reference;

use proptest::prelude::*;

use super::*;

fn spelt(text: &str) -> Vec<&'static str> {
    tokens(text, usize::MAX).into_iter().map(vocabulary::text).collect()
}

#[test]
fn words_are_cut_as_the_models_know_them() {
    assert_eq!(
        spelt("Embeddings, naïvely:\tÉtat [SEP] 日本!"),
        ["em", "##bed", "##ding", "##s", ",", "naive", "##ly", ":", "etat", "[", "sep", "]", "日", "本", "!"]
    );
    assert_eq!(spelt(" \u{200B}\u{0}\n"), [""; 0]);
    assert_eq!(spelt(&"x".repeat(101)), ["[UNK]"]);
    assert_ne!(spelt(&"x".repeat(100)), ["[UNK]"]);
}

#[test]
fn no_more_tokens_are_given_than_are_asked_for() {
    assert_eq!(tokens("one two three", 2), tokens("one two", 9));
    assert_eq!(tokens("embeddings", 1).len(), 1);
    assert!(tokens("one", 0).is_empty());
}

proptest! {
    #[test]
    fn every_text_can_be_cut(text in "\\PC*|(?s:.*)") {
        for token in tokens(&text, 64) {
            prop_assert!(usize::from(token) < size());
        }
    }
}
