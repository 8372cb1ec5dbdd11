//! Similarity of two texts by their words.

use std::collections::BTreeSet;

use crate::tokens::{TokenRole, Tokenizer};

/// Returns the set of stemmed words of a text.
pub fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    Tokenizer::default().each(text, |token| {
        if token.role == TokenRole::Word {
            words.insert(token.text.to_owned());
        }
    });
    words
}

/// Jaccard similarity of two sets, 0–1; 0 if both are empty.
pub fn jaccard(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    let shared = a.intersection(b).count();
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_count_as_one() {
        let (a, b) = (words("Retries with jitter"), words("retry with Jitter!"));
        assert_eq!(jaccard(&a, &b), 1.0);
        assert_eq!(jaccard(&a, &words("")), 0.0);
        assert_eq!(jaccard(&words(""), &words("")), 0.0);
    }
}
